//! 200,000 lines of an agent, in one go.

use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context as _, Result};
use tokio::io::AsyncReadExt as _;

use super::place::Place;
use super::stats::number;
use super::{Bench, Row};
use crate::gate::Gate;
use crate::server::Logs;

const LINES: usize = 200_000;

pub(super) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let floor = plain(bench).await?;
    let place = Place::small(bench).await?;
    let gate = Gate::new(place.repo.beside("gate"));
    let steps = format!("@wait-fifo {}\n@flood {LINES}", gate.path().display());
    let started = place.client.start(&place.project, &steps).await?;
    let logs = place.server.logs(&started.process, 0).await;
    gate.open().await;
    let began = Instant::now();
    let live = count(logs).await;
    let took = began.elapsed().as_secs_f64();
    let (peak, used) = (place.memory("VmHWM")?, place.processor()?);
    let began = Instant::now();
    let later = count(place.server.logs(&started.process, 0).await).await;
    let again = began.elapsed().as_secs_f64();
    let used_again = place.processor()? - used;
    let printed = place.server.logs(&started.process, 0).await.rest().await;
    let text: String = printed.into_iter().map(|entry| entry.text).collect();
    let flood = text.lines().filter(|line| line.contains("\"text\":\"line ")).count();
    // What the agent said beside the flood came to both readers too.
    let others = text.lines().count() - flood;
    let (live, later) = (live.saturating_sub(others), later.saturating_sub(others));
    let all = number(LINES);
    Ok(vec![
        Row::new("200,000 lines: arrived live", number(live), "").at_least(all),
        Row::new("… per second", number(live) / took, "").floor(all / floor).at_least(400_000.0),
        Row::new("… server's processor time", used, "s"),
        Row::new("… read after the end", number(later), "").at_least(all),
        Row::new("… in", again, "s").at_most(0.5),
        Row::new("… server's processor time", used_again, "s"),
        Row::new("… server's peak memory", peak, "MB").at_most(64.0),
    ])
}

/// Line ends up to the end of the log. Frames are not parsed: the client shall cost little.
async fn count(mut logs: Logs) -> usize {
    let mut lines = 0;
    while let Some(frame) = logs.next_frame().await {
        lines += frame.matches("\\n").count();
    }
    lines
}

/// The same flood straight from the agent's pipe, in seconds.
#[expect(clippy::disallowed_methods, reason = "the floor is the agent without Forge")]
async fn plain(bench: &Bench) -> Result<f64> {
    let mut agent = tokio::process::Command::new(&bench.agent);
    agent.arg(format!("@flood {LINES}")).stdin(Stdio::null()).stdout(Stdio::piped());
    let began = Instant::now();
    let mut child = agent.spawn()?;
    let mut output = child.stdout.take().context("a pipe")?;
    let mut chunk = vec![0; 1 << 16];
    while output.read(&mut chunk).await? > 0 {}
    let took = began.elapsed().as_secs_f64();
    child.wait().await?;
    Ok(took)
}
