//! From a line that a process prints to its receipt, at a hundred lines a second.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::place::Place;
use super::stats::Times;
use super::{Bench, Row};
use crate::turnstile::Turnstile;

const PACE: Duration = Duration::from_millis(10);

pub(super) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let lines = bench.times(1000);
    let place = Place::small(bench).await?;
    let (ours, floor) = (place.repo.beside("ours"), place.repo.beside("floor"));
    let floor = plain(&floor, lines).await?;
    let _gate = Turnstile::new(&ours);
    let mut pipe = File::options().write(true).open(&ours)?;
    place.set_up_with(&format!("exec cat '{}'", ours.display())).await?;
    let started = place.client.start(&place.project, "@say done").await?;
    let mut logs = place.server.logs(&started.process, 0).await;
    let mut times = Times::default();
    let mut pace = tokio::time::interval(PACE);
    for number in 0..lines {
        pace.tick().await;
        // Written in one go, as programs do: in pieces it would be read, and sent on, in pieces.
        let line = format!("line {number}\n");
        let began = Instant::now();
        pipe.write_all(line.as_bytes())?;
        logs.until(&line).await;
        times.push(began.elapsed());
    }
    Ok(vec![
        Row::new("log line → receipt, p50", times.median(), "ms").floor(floor.median()).at_most(0.25),
        Row::new("log line → receipt, p99", times.p99(), "ms").floor(floor.p99()).at_most(2.0),
    ])
}

/// The same program, read straight from its pipe.
#[expect(clippy::disallowed_methods, reason = "the floor is the program without Forge")]
async fn plain(path: &Path, lines: usize) -> Result<Times> {
    let _gate = Turnstile::new(path);
    let mut pipe = File::options().write(true).open(path)?;
    let mut child = tokio::process::Command::new("cat").arg(path).stdout(Stdio::piped()).spawn()?;
    let mut output = BufReader::new(child.stdout.take().context("a pipe")?).lines();
    let mut times = Times::default();
    let mut pace = tokio::time::interval(PACE);
    for number in 0..lines {
        pace.tick().await;
        let line = format!("line {number}\n");
        let began = Instant::now();
        pipe.write_all(line.as_bytes())?;
        output.next_line().await?;
        times.push(began.elapsed());
    }
    child.kill().await?;
    Ok(times)
}
