//! What a list of ten thousand tasks costs beside writing the same rows from memory, and how soon the stream of it and
//! of a big diff are open.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use futures::StreamExt as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use super::place::Place;
use super::stats::Times;
use super::{Bench, Row, tasks};

const TASKS: usize = 10_000;

/// A task as it is listed. The fields are repeated here on purpose: the floor is the writing of exactly these.
#[derive(Serialize, Deserialize)]
struct Listed {
    id: String,
    project_id: String,
    title: String,
    description: Option<String>,
    status: String,
    parent_task_attempt: Option<String>,
    dev_server_id: Option<String>,
    created_at: String,
    updated_at: String,
    has_in_progress_attempt: bool,
    has_merged_attempt: bool,
    last_attempt_failed: bool,
    executor: String,
    attempt_count: i64,
    task: Plain,
}

#[derive(Serialize, Deserialize)]
struct Plain {
    id: String,
    project_id: String,
    title: String,
    description: Option<String>,
    status: String,
    parent_task_attempt: Option<String>,
    dev_server_id: Option<String>,
    created_at: String,
    updated_at: String,
}

pub(super) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let place = Place::small(bench).await?;
    tasks::make(&place, TASKS).await?;
    let path = format!("/api/tasks?project_id={}", place.project);
    let rows: Vec<Listed> = serde_json::from_value(place.client.get(&path).await?)?;
    let (mut ours, mut floor) = (Times::default(), Times::default());
    for _ in 0..bench.times(20) {
        let began = Instant::now();
        place.client.bytes(&path).await?;
        ours.push(began.elapsed());
        let began = Instant::now();
        let written = serde_json::to_vec(&rows)?;
        floor.push(began.elapsed());
        ensure!(written.len() > TASKS, "there are rows");
    }
    let mut opened = Times::default();
    let (mut there, mut shown, mut parsed) = (Times::default(), Times::default(), Times::default());
    let path = format!("/api/tasks/stream/ws?project_id={}", place.project);
    for _ in 0..bench.times(10) {
        let seen = snapshot(&place, &path, TASKS).await?;
        opened.push(seen.opened);
        there.push(seen.there);
        shown.push(seen.shown);
        parsed.push(seen.again()?);
    }
    let times = "× writing the same rows";
    let mut found = vec![
        Row::new(format!("GET {TASKS} tasks, p50"), ours.median() / floor.median(), times).at_most(3.0),
        Row::new(format!("stream of {TASKS} tasks is open"), opened.median(), "ms").at_most(100.0),
        Row::new("… its snapshot is there and parsed", shown.median(), "ms").at_most(100.0),
        Row::new("… of it, until it is there", there.median(), "ms"),
        Row::new("… of it, what the client takes to parse it", parsed.median(), "ms"),
    ];
    for (files, most) in [(500, 30.0), (1_500, 50.0)] {
        found.push(Row::new(format!("diff of {files} files"), diff(bench, files).await?, "ms").at_most(most));
    }
    Ok(found)
}

/// A stream up to its last entry, from the connection on.
struct Seen {
    opened: Duration,
    /// When the last frame was read; the ones before it were parsed by then.
    there: Duration,
    shown: Duration,
    frames: Vec<Utf8Bytes>,
}

impl Seen {
    /// What the client alone takes to parse it.
    fn again(&self) -> Result<Duration> {
        let began = Instant::now();
        for frame in &self.frames {
            ensure!(count(frame)? > 0, "there are entries");
        }
        Ok(began.elapsed())
    }
}

async fn snapshot(place: &Place, path: &str, entries: usize) -> Result<Seen> {
    let began = Instant::now();
    let (mut socket, _) = tokio_tungstenite::connect_async_with_config(ws(place, path), None, true).await?;
    let opened = began.elapsed();
    let (mut seen, mut there, mut frames) = (0, opened, Vec::new());
    while seen < entries {
        let frame = socket.next().await.context("the stream ended")??;
        let Message::Text(text) = frame else { continue };
        there = began.elapsed();
        seen += count(&text)?;
        frames.push(text);
    }
    Ok(Seen { opened, there, shown: began.elapsed(), frames })
}

/// How many entries a frame has.
fn count(frame: &str) -> Result<usize> {
    let frame: Value = serde_json::from_str(frame)?;
    let operations = frame.get("JsonPatch").and_then(Value::as_array).into_iter().flatten();
    let entries = operations.map(|operation| {
        let is_whole = operation.get("path").and_then(Value::as_str).is_some_and(|path| path == "/tasks");
        let whole = operation.get("value").and_then(Value::as_object).map_or(0, serde_json::Map::len);
        if is_whole { whole } else { 1 }
    });
    Ok(entries.sum())
}

fn ws(place: &Place, path: &str) -> String {
    place.server.url(path).replacen("http", "ws", 1)
}

/// Milliseconds until every one of so many changed files was told, with what is in it.
async fn diff(bench: &Bench, files: usize) -> Result<f64> {
    let place = Place::small(bench).await?;
    let started = place.client.start(&place.project, "@say done").await?;
    let attempt = place
        .server
        .until_attempt(&started.attempt, |attempt| attempt.get("state").is_some_and(|is| is == "finished"));
    let attempt = attempt.await;
    let worktree = attempt.get("worktree_path").and_then(Value::as_str).context("a worktree")?;
    for number in 0..files {
        let file = std::path::Path::new(worktree).join(format!("made/{}/{number}.txt", number / 100));
        std::fs::create_dir_all(file.parent().context("a folder")?)?;
        std::fs::write(file, format!("{number} {}\n", "x".repeat(60)).repeat(10))?;
    }
    let path = format!("/api/task-attempts/{}/diff/ws?stats_only=false", started.attempt);
    let mut times = Times::default();
    for _ in 0..bench.times(10) {
        times.push(snapshot(&place, &path, files).await?.shown);
    }
    Ok(times.median())
}
