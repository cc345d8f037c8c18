//! Many tasks: made, listed, and told of.

use std::time::Instant;

use anyhow::Result;
use futures::future::try_join_all;
use serde_json::json;

use super::client::{Client, text};
use super::place::Place;
use super::stats::{Times, number};
use super::{Bench, Row};

const CLIENTS: usize = 8;

pub(super) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (tasks, most) in [(1_000, 5.0), (10_000, 50.0)] {
        let place = Place::small(bench).await?;
        let began = Instant::now();
        let used = place.processor()?;
        let made = make(&place, tasks).await?;
        let used = (place.processor()? - used) * 1000.0 / number(tasks);
        let rate = number(tasks) / began.elapsed().as_secs_f64();
        if tasks == 10_000 {
            rows.push(Row::new("tasks made per second by 8 clients", rate, "").at_least(3_000.0));
            rows.push(Row::new("… p99", made.p99(), "ms").at_most(20.0));
            rows.push(Row::new("… server's processor time for each", used, "ms"));
        }
        let path = format!("/api/tasks?project_id={}", place.project);
        let mut times = Times::default();
        let used = place.processor()?;
        for _ in 0..bench.times(20) {
            let began = Instant::now();
            place.client.bytes(&path).await?;
            times.push(began.elapsed());
        }
        let used = (place.processor()? - used) * 1000.0 / number(times.len());
        rows.push(Row::new(format!("GET {tasks} tasks"), times.median(), "ms").at_most(most));
        rows.push(Row::new("… server's processor time", used, "ms"));
    }
    rows.extend(told(bench).await?);
    Ok(rows)
}

pub(super) async fn make(place: &Place, count: usize) -> Result<Times> {
    let mut all = Times::default();
    all.extend(try_join_all((0..CLIENTS).map(|_| make_some(place, count / CLIENTS))).await?);
    Ok(all)
}

async fn make_some(place: &Place, count: usize) -> Result<Times> {
    let client = Client::new(&place.server)?;
    let mut times = Times::default();
    for number in 0..count {
        let body =
            json!({"project_id": place.project, "title": format!("Task {number}"), "description": "Do it."});
        let began = Instant::now();
        client.post("/api/tasks", &body).await?;
        times.push(began.elapsed());
    }
    Ok(times)
}

/// From the request that makes a task to the event that tells of it.
async fn told(bench: &Bench) -> Result<Vec<Row>> {
    let place = Place::small(bench).await?;
    let mut events = place.server.events(None).await;
    let (count, mut times) = (bench.times(300), Times::default());
    let body = json!({"project_id": place.project, "title": "Tell of this"});
    for _ in 0..count {
        let began = Instant::now();
        let heard = async {
            let message = events.next_of(&["task_update"]).await;
            (text(&message.data, "id"), began.elapsed())
        };
        let (made, (id, took)) = tokio::join!(place.client.post("/api/tasks", &body), heard);
        if text(&made?, "id") == id {
            times.push(took);
        }
    }
    Ok(vec![
        Row::new("POST → event, p50", times.median(), "ms").at_most(1.0),
        Row::new("… missed", number(count - times.len()), "").at_most(0.0),
    ])
}
