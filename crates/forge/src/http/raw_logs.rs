//! `GET /api/execution-processes/{id}/raw-logs/ws`: what a process printed, from any position on, then what it
//! prints.

use axum::extract::State;
use forge_engine::{Engine, StreamKind};
use forge_model::ProcessId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entries::Entry;
use super::envelope::Frames;
use super::extract::{Id, Query};
use super::printed::Printed;
use super::problem::Problem;
use super::socket::{Socket, Source, StreamFrame};
use super::wire;

#[derive(Deserialize, JsonSchema)]
pub(super) struct From {
    /// Goes on after this position.
    #[serde(default)]
    after: u64,
}

/// Several entries go in one frame. `position` is where to go on after a break.
#[derive(Serialize)]
struct Frame<'a> {
    #[serde(rename = "JsonPatch")]
    patch: &'a [Operation],
    position: u64,
}

#[derive(Serialize)]
struct Operation {
    op: &'static str,
    path: String,
    value: Entry,
}

struct Patches(Printed);

pub(super) async fn stream(
    State(engine): State<Engine>,
    Id(id): Id<ProcessId>,
    Query(from): Query<From>,
    socket: Socket,
) -> Result<Frames<wire::PatchFrame>, Problem> {
    let output = engine.output(id).await?;
    let counted = engine.open_stream(StreamKind::RawLogs, 0);
    socket.send(counted, Patches(Printed::new(output, from.after)))
}

impl Source for Patches {
    async fn next(&mut self) -> Result<Option<Vec<StreamFrame>>, Problem> {
        let Some(entries) = self.0.next().await? else { return Ok(None) };
        Ok(Some(vec![frame(entries)?.into()]))
    }
}

/// `entries` is never empty.
fn frame(entries: Vec<Entry>) -> Result<String, Problem> {
    let patch: Vec<_> = entries
        .into_iter()
        .map(|entry| Operation { op: "add", path: format!("/entries/{}", entry.index), value: entry })
        .collect();
    let position = patch.last().map(|operation| operation.value.position).unwrap_or_default();
    let frame = Frame { patch: &patch, position };
    // Room for what has to be escaped, so that the text is not moved while it grows.
    let content: usize = patch.iter().map(|operation| operation.value.content.len()).sum();
    let mut text = Vec::with_capacity(content + content / 4 + 128 * patch.len());
    serde_json::to_writer(&mut text, &frame).map_err(Problem::internal)?;
    String::from_utf8(text).map_err(Problem::internal)
}
