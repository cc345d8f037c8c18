//! `GET /api/execution-processes/{id}/raw-logs/ws`: what a process printed, from any position on, then what it
//! prints.

use axum::extract::State;
use forge_engine::{Engine, Output, StreamKind};
use forge_model::ProcessId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entries::{Entries, Entry};
use super::envelope::Frames;
use super::extract::{Id, Query};
use super::problem::Problem;
use super::socket::{Socket, Source};
use super::wire;

const PAGE_BYTES: usize = 64 * 1024;

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

struct Printed {
    output: Output,
    entries: Entries,
    /// What the client has.
    after: u64,
    /// How far the log was read; none before the first page.
    read: Option<u64>,
    ended: bool,
}

pub(super) async fn stream(
    State(engine): State<Engine>,
    Id(id): Id<ProcessId>,
    Query(from): Query<From>,
    socket: Socket,
) -> Result<Frames<wire::PatchFrame>, Problem> {
    let output = engine.output(id).await?;
    let counted = engine.open_stream(StreamKind::RawLogs, 0);
    let printed =
        Printed { output, entries: Entries::default(), after: from.after, read: None, ended: false };
    Ok(socket.send(counted, printed))
}

impl Source for Printed {
    async fn next(&mut self) -> Result<Option<Vec<String>>, Problem> {
        loop {
            if self.ended {
                return Ok(None);
            }
            let read = self.resume()?;
            let entries = match self.output.next(read, PAGE_BYTES).await? {
                Some(chunks) => {
                    self.read = chunks.last().map(|chunk| chunk.seq).or(self.read);
                    chunks.into_iter().map(|chunk| self.entries.push(chunk)).collect()
                }
                None => {
                    self.ended = true;
                    self.entries.finish()
                }
            };
            if let Some(frame) = self.frame(entries)? {
                return Ok(Some(vec![frame]));
            }
        }
    }
}

impl Printed {
    /// How far the log was read. A reader that comes back begins where it was.
    fn resume(&mut self) -> Result<u64, Problem> {
        if let Some(read) = self.read {
            return Ok(read);
        }
        let resumed = self.output.resume(self.after)?;
        self.entries = Entries::after(&resumed.before);
        self.read = Some(resumed.seq);
        Ok(resumed.seq)
    }

    /// A frame of those that the client does not have.
    fn frame(&self, entries: Vec<Entry>) -> Result<Option<String>, Problem> {
        let after = self.after;
        let patch: Vec<_> = entries
            .into_iter()
            .filter(|entry| entry.position > after)
            .map(|entry| Operation { op: "add", path: format!("/entries/{}", entry.index), value: entry })
            .collect();
        let Some(last) = patch.last() else { return Ok(None) };
        let frame = Frame { patch: &patch, position: last.value.position };
        // Room for what has to be escaped, so that the text is not moved while it grows.
        let content: usize = patch.iter().map(|operation| operation.value.content.len()).sum();
        let mut text = Vec::with_capacity(content + content / 4 + 128 * patch.len());
        serde_json::to_writer(&mut text, &frame).map_err(Problem::internal)?;
        String::from_utf8(text).map(Some).map_err(Problem::internal)
    }
}
