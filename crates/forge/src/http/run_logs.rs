//! `GET /api/execution-runs/{id}/logs/ws`: what a run's newest agent printed, from any position on, then what it
//! prints, as plain text and not as patches.

use axum::extract::State;
use forge_engine::{Engine, StreamKind};
use forge_model::{AttemptId, ProcessId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::entries::Entry;
use super::envelope::Frames;
use super::extract::{Id, Query};
use super::printed::Printed;
use super::problem::Problem;
use super::socket::{Socket, Source, StreamFrame};
use super::wire::RunFrame;

#[derive(Deserialize, JsonSchema)]
pub(super) struct From {
    /// Goes on after this position.
    #[serde(default)]
    after: u64,
    /// Of this process and not of the newest: a position is one process's.
    execution_process_id: Option<ProcessId>,
}

struct Lines {
    process: ProcessId,
    printed: Printed,
}

pub(super) async fn stream(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Query(from): Query<From>,
    socket: Socket,
) -> Result<Frames<RunFrame>, Problem> {
    let process = engine.run_process(id, from.execution_process_id).await?.id;
    let output = engine.output(process).await?;
    let counted = engine.open_stream(StreamKind::RawLogs, 0);
    socket.send(counted, Lines { process, printed: Printed::new(output, from.after) })
}

impl Source for Lines {
    async fn next(&mut self) -> Result<Option<Vec<StreamFrame>>, Problem> {
        loop {
            let Some(entries) = self.printed.next().await? else { return Ok(None) };
            let frames = joined(entries).into_iter().map(|entry| self.frame(entry).map(StreamFrame::from));
            let frames: Vec<StreamFrame> =
                frames.collect::<serde_json::Result<_>>().map_err(Problem::internal)?;
            // A page that holds half a character only.
            if !frames.is_empty() {
                return Ok(Some(frames));
            }
        }
    }
}

impl Lines {
    fn frame(&self, entry: Entry) -> serde_json::Result<String> {
        let (text, position, execution_process_id) = (entry.content, entry.position, self.process);
        serde_json::to_string(&if entry.kind == "STDERR" {
            RunFrame::Stderr { text, position, execution_process_id }
        } else {
            RunFrame::Stdout { text, position, execution_process_id }
        })
    }
}

/// What was printed to the same stream in a row goes in one frame; what says nothing in none.
fn joined(entries: Vec<Entry>) -> Vec<Entry> {
    let mut joined: Vec<Entry> = Vec::new();
    for entry in entries.into_iter().filter(|entry| !entry.content.is_empty()) {
        match joined.last_mut() {
            Some(last) if last.kind == entry.kind => {
                last.content.push_str(&entry.content);
                last.position = entry.position;
            }
            _ => joined.push(entry),
        }
    }
    joined
}
