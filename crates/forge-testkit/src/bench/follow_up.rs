//! A follow-up, from the call to the end of its turn: by the agent that was kept, and by one that is started anew.

use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use super::client::Started;
use super::place::Place;
use super::stats::Times;
use super::{Bench, Row};

/// Longer than any of this takes.
const KEPT: f64 = 60.0;

pub(super) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let (kept, anew) = (Place::keeping(bench, KEPT).await?, Place::keeping(bench, 0.0).await?);
    let (first, second) = (begun(&kept).await?, begun(&anew).await?);
    let (mut ours, mut floor) = (Times::default(), Times::default());
    for _ in 0..bench.times(40) {
        floor.push(follow_up(&anew, &second).await?);
        ours.push(follow_up(&kept, &first).await?);
    }
    Ok(vec![
        Row::new("follow-up, kept agent", ours.median(), "ms").floor(floor.median()),
        Row::new("… × started anew", ours.median() / floor.median(), "×").at_most(1.0),
    ])
}

async fn begun(place: &Place) -> Result<Started> {
    let started = place.client.start(&place.project, "@say begun").await?;
    finished(place, &started).await;
    Ok(started)
}

async fn follow_up(place: &Place, started: &Started) -> Result<std::time::Duration> {
    let began = Instant::now();
    let path = format!("/api/task-attempts/{}/follow-up", started.attempt);
    place.client.post(&path, &json!({"prompt": "@say again"})).await?;
    finished(place, started).await;
    Ok(began.elapsed())
}

async fn finished(place: &Place, started: &Started) {
    let is_over = |attempt: &serde_json::Value| attempt.get("state") == Some(&json!("finished"));
    place.server.until_attempt(&started.attempt, is_over).await;
}
