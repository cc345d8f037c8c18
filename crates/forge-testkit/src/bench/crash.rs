//! `kill -9` of the server while five agents print.

use std::time::Instant;

use anyhow::Result;

use super::place::Place;
use super::stats::number;
use super::{Bench, Row};
use crate::server::Printed;
use crate::turnstile::Turnstile;

const AGENTS: usize = 5;
const LINES: usize = 20_000;

pub(super) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let mut place = Place::small(bench).await?;
    let (middle, end) =
        (Turnstile::new(&place.repo.beside("middle")), Turnstile::new(&place.repo.beside("end")));
    let half = LINES / 2;
    let (first, second) = (format!("seq {half}; {}", middle.wait()), format!("seq {} {LINES}", half + 1));
    place.set_up_with(&format!("{first}; {second}; {}", end.wait())).await?;
    let mut agents = Vec::new();
    for _ in 0..AGENTS {
        let started = place.client.start(&place.project, "@say done").await?;
        let mut logs = place.server.logs(&started.process, 0).await;
        let mut text = String::new();
        while text.len() < length(half) {
            append(&mut text, logs.next().await.unwrap_or_default());
        }
        agents.push((started, text, logs.position()));
    }
    place.server.kill_9().await;
    // They print on while nobody listens.
    (0..AGENTS).for_each(|_| middle.open());
    let began = Instant::now();
    place.server.restart().await;
    let back = began.elapsed();
    let (mut running, mut lost) = (0, 0);
    for (started, text, position) in &mut agents {
        let process = place.server.get(&format!("/api/execution-processes/{}", started.process)).await.1;
        running += usize::from(process.pointer("/data/status").is_some_and(|status| status == "running"));
        let mut logs = place.server.logs(&started.process, *position).await;
        while text.len() < length(LINES) {
            append(text, logs.next().await.unwrap_or_default());
        }
    }
    (0..AGENTS).for_each(|_| end.open());
    let expected: String = (1..=LINES).map(|number| format!("{number}\n")).collect();
    for (started, text, _) in agents {
        place.server.logs(&started.process, 0).await.rest().await;
        lost += usize::from(text != expected);
    }
    Ok(vec![
        Row::new("kill -9 with 5 agents: still running and attached", number(running), "").at_least(5.0),
        Row::new("… logs with a line missing or doubled", number(lost), "").at_most(0.0),
        Row::new("… serving again after", back.as_secs_f64() * 1000.0, "ms"),
    ])
}

fn append(text: &mut String, printed: Vec<Printed>) {
    text.extend(printed.into_iter().map(|entry| entry.text));
}

/// Of the numbers up to here, each on its line.
fn length(last: usize) -> usize {
    (1..=last).map(|number| number.to_string().len() + 1).sum()
}
