//! Ends: of a process by itself, of one that is asked to stop, and what is left.

use std::process::Stdio;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use super::place::{GRACE, Place};
use super::stats::{Times, number};
use super::{Bench, Row};
use crate::server::Message;
use crate::turnstile::Turnstile;

pub(super) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let place = Place::small(bench).await?;
    let (mut willing, mut stubborn, mut left) = (Times::default(), Times::default(), 0);
    for _ in 0..bench.times(20) {
        willing.push(stop(&place, "@say begun\n@until-told").await?);
    }
    for _ in 0..bench.times(5) {
        let steps = "@ignore-signals\n@spawn\n@spawn-session\n@background\n@say begun\n@until-told";
        let took = stop(&place, steps).await?;
        stubborn.push(took.saturating_sub(GRACE));
        left += place.server.family().pids().len() - 1;
    }
    let (exits, floor) = exits(&place, bench.times(20)).await?;
    Ok(vec![
        Row::new("exit → status, p50", exits.median(), "ms").floor(floor.median()).at_most(15.0),
        Row::new("stop, willing agent", willing.median(), "ms").at_most(100.0),
        Row::new("stop, stubborn agent, beyond its grace", stubborn.median(), "ms").at_most(100.0),
        Row::new("processes left after a stop", number(left), "").at_most(0.0),
    ])
}

async fn stop(place: &Place, steps: &str) -> Result<std::time::Duration> {
    let started = place.client.start(&place.project, steps).await?;
    place.server.logs(&started.process, 0).await.until("begun").await;
    let began = Instant::now();
    place.client.post(&format!("/api/task-attempts/{}/stop", started.attempt), &json!(null)).await?;
    Ok(began.elapsed())
}

/// From the word that lets a script end to the event that says so; and to the end of the same script without Forge.
async fn exits(place: &Place, times: usize) -> Result<(Times, Times)> {
    let path = place.repo.beside("gate");
    let gate = Turnstile::new(&path);
    let script = format!("echo begun; {}", gate.wait());
    place.set_up_with(&script).await?;
    let (mut ours, mut floor) = (Times::default(), Times::default());
    for _ in 0..times {
        floor.push(plain(&script, &gate).await?);
        let started = place.client.start(&place.project, "@say done").await?;
        place.server.logs(&started.process, 0).await.until("begun").await;
        let mut events = place.server.events(None).await;
        let is_end = |message: &Message| {
            let field = |name| message.data.get(name).and_then(serde_json::Value::as_str);
            field("id") == Some(&*started.process) && field("status") != Some("running")
        };
        let began = Instant::now();
        gate.open();
        while !is_end(&events.next_of(&["execution_process_update"]).await) {}
        ours.push(began.elapsed());
        // The agent's turn shall not run into the next measurement.
        place
            .server
            .until_attempt(&started.attempt, |attempt| attempt.get("state") == Some(&json!("finished")))
            .await;
    }
    Ok((ours, floor))
}

#[expect(clippy::disallowed_methods, reason = "the floor is the script without Forge")]
async fn plain(script: &str, gate: &Turnstile) -> Result<std::time::Duration> {
    use tokio::io::AsyncReadExt as _;

    let mut bash = tokio::process::Command::new("bash");
    let mut child = bash.args(["-c", script]).stdout(Stdio::piped()).spawn()?;
    if let Some(output) = &mut child.stdout {
        output.read_exact(&mut [0; 6]).await?;
    }
    let began = Instant::now();
    gate.open();
    child.wait().await?;
    Ok(began.elapsed())
}
