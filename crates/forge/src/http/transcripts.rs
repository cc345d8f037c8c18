//! What agents said and did: `GET /api/execution-processes/{id}/normalized-logs/ws`, history and then live, and as
//! server-sent events for clients that only want to read along.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse as _;
use forge_engine::{Change, Changes, Engine, Entry, OpenStream, StreamKind, Transcript};
use forge_model::{AttemptId, ProcessId};
use futures::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::App;
use super::envelope::{Frames, Plain};
use super::events::last_event_id;
use super::extract::{Id, Query};
use super::problem::Problem;
use super::socket::{Socket, Source};
use super::wire::TranscriptFrame;

const PAGE_BYTES: usize = 64 * 1024;
const KEEP_ALIVE: Duration = Duration::from_secs(15);

#[derive(Deserialize, JsonSchema)]
pub(super) struct From {
    /// Goes on after this position.
    #[serde(default)]
    after: u64,
}

pub(super) async fn stream(
    State(engine): State<Engine>,
    Id(id): Id<ProcessId>,
    Query(from): Query<From>,
    socket: Socket,
) -> Result<Frames<TranscriptFrame>, Problem> {
    let transcript = engine.transcript(id, from.after).await?;
    Ok(socket.send(engine.open_stream(StreamKind::Transcripts, 0), transcript))
}

/// Entries that come together go in one frame: each once, as it is by then.
impl Source for Transcript {
    async fn next(&mut self) -> Result<Option<Vec<String>>, Problem> {
        let Some(Changes { changes, position }) = Self::next(self, PAGE_BYTES).await? else {
            return Ok(None);
        };
        let patch = changes.iter().map(Operation::from).collect::<Vec<_>>();
        let frame = serde_json::to_string(&Frame { patch, position }).map_err(Problem::internal)?;
        Ok(Some(vec![frame]))
    }
}

#[derive(Serialize)]
struct Frame<'a> {
    #[serde(rename = "JsonPatch")]
    patch: Vec<Operation<'a>>,
    position: u64,
}

#[derive(Serialize)]
struct Operation<'a> {
    op: &'static str,
    #[serde(serialize_with = "as_path")]
    path: u64,
    value: Typed<'a>,
}

/// Every entry of a log says of what kind it is; those of a transcript are all of one.
#[derive(Serialize)]
struct Typed<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    content: &'a Entry,
}

impl<'a> std::convert::From<&'a Change> for Operation<'a> {
    fn from(change: &'a Change) -> Self {
        let op = if change.is_new { "add" } else { "replace" };
        Self { op, path: change.index, value: Typed { kind: "NORMALIZED_ENTRY", content: &change.entry } }
    }
}

fn as_path<S: serde::Serializer>(index: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("/entries/{index}"))
}

/// A reader of server-sent events.
struct Reader {
    engine: Engine,
    process: ProcessId,
    transcript: Transcript,
    stopping: CancellationToken,
    counted: OpenStream,
    over: bool,
}

/// One message per entry that is new or different.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    index: u64,
    content: &'a str,
    entry: &'a Entry,
}

pub(super) async fn events(
    State(app): State<App>,
    Id(id): Id<AttemptId>,
    Query(from): Query<From>,
    headers: HeaderMap,
) -> Result<Plain, Problem> {
    let process = app.engine.newest_turn(id).await?.id;
    let after = last_event_id(&headers)?.unwrap_or(from.after);
    let transcript = app.engine.transcript(process, after).await?;
    let counted = app.engine.open_stream(StreamKind::Transcripts, 0);
    let reader =
        Reader { engine: app.engine, process, transcript, stopping: app.stopping, counted, over: false };
    let messages = stream::unfold(reader, |mut reader| async move {
        let text = reader.next().await?;
        reader.counted.sent(text.len());
        Some((Ok::<_, Infallible>(text), reader))
    });
    let kind = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    Ok(Plain((kind, Body::from_stream(messages)).into_response()))
}

impl Reader {
    /// The next messages; none ends the stream.
    async fn next(&mut self) -> Option<String> {
        if self.over {
            return None;
        }
        let next = self.transcript.next(PAGE_BYTES);
        let told = tokio::select! {
            () = self.stopping.cancelled() => return None,
            // A wait that is given up loses nothing: what was read stays in the fold.
            told = tokio::time::timeout(KEEP_ALIVE, next) => told,
        };
        match told {
            Err(_elapsed) => Some(": still here\n\n".into()),
            Ok(Ok(Some(changes))) => written(&changes).map_err(|problem| broke(&problem)).ok(),
            Ok(Ok(None)) => {
                self.over = true;
                let status = self.engine.get_process(self.process).await.ok()?.status();
                let status = format!(r#"data: {{"type":"status","status":"{status}"}}"#);
                Some(format!("{status}\n\nevent: finished\ndata: {{\"finished\":true}}\n\n"))
            }
            Ok(Err(error)) => {
                broke(&error.into());
                None
            }
        }
    }
}

fn broke(problem: &Problem) {
    tracing::error!(error.chain = %problem.chain(), "a transcript broke");
}

/// Only the last message of a page carries its place, so that whoever resumes never skips half a page.
fn written(Changes { changes, position }: &Changes) -> Result<String, Problem> {
    let mut text = String::new();
    for (left, change) in (0..changes.len()).rev().zip(changes) {
        if left == 0 {
            text.push_str(&format!("id: {position}\n"));
        }
        let told =
            Told { kind: "log", index: change.index, content: &change.entry.content, entry: &change.entry };
        text.push_str("data: ");
        text.push_str(&serde_json::to_string(&told).map_err(Problem::internal)?);
        text.push_str("\n\n");
    }
    Ok(text)
}
