//! What agents said and did: `GET /api/execution-processes/{id}/normalized-logs/ws`, history and then live, and as
//! server-sent events for clients that only want to read along.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use forge_engine::{Change, Changes, Engine, OpenStream, StreamKind, Transcript};
use forge_model::{AttemptId, ProcessId};
use futures::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::App;
use super::envelope::{Frames, Plain};
use super::extract::{Id, LastEventId, Query};
use super::problem::Problem;
use super::socket::{Socket, Source, StreamFrame};
use super::wire::TranscriptFrame;

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
    socket.send(engine.open_stream(StreamKind::Transcripts, 0), transcript)
}

/// Entries that come together go in one frame: each once, as it is by then. They were written as JSON when they were
/// stored, so the frame is put together around them.
impl Source for Transcript {
    async fn next(&mut self) -> Result<Option<Vec<StreamFrame>>, Problem> {
        Ok(Self::next(self).await?.map(|changes| vec![frame(&changes).into()]))
    }
}

fn frame(Changes { changes, position }: &Changes) -> String {
    let length: usize = changes.iter().map(|change| change.json.len() + 96).sum();
    let mut text = String::with_capacity(length + 48);
    text.push_str(r#"{"JsonPatch":["#);
    for (at, Change { index, is_new, json }) in changes.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let op = if *is_new { "add" } else { "replace" };
        let index = index.to_string();
        text.extend([comma, r#"{"op":""#, op, r#"","path":"/entries/"#, &index]);
        // Every entry of a log says of what kind it is; those of a transcript are all of one.
        text.extend([r#"","value":{"type":"NORMALIZED_ENTRY","content":"#, json, "}}"]);
    }
    text.extend([r#"],"position":"#, &position.to_string(), "}"]);
    text
}

/// A reader of server-sent events.
struct Reader {
    engine: Engine,
    process: ProcessId,
    transcript: Transcript,
    stopping: CancellationToken,
    counted: OpenStream,
    /// What was read before the answer began.
    first: Option<Changes>,
    over: bool,
}

/// One message per entry that is new or different.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    index: u64,
    content: &'a RawValue,
    entry: &'a RawValue,
}

/// The text of an entry that was written as JSON.
#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    content: &'a RawValue,
}

/// Each turn is a process with positions of its own, so a place names both. Who comes back when another turn has begun
/// gets all of that one; who has everything of a turn that is over gets 204, after which browsers do not come back.
pub(super) async fn events(
    State(app): State<App>,
    Id(id): Id<AttemptId>,
    Query(from): Query<From>,
    LastEventId(last): LastEventId,
) -> Result<Plain, Problem> {
    let turn = app.engine.newest_turn(id).await?;
    let (process, is_over) = (turn.id, turn.end().is_some());
    let place = last.as_deref().map(place).transpose()?;
    let after = match place {
        Some((of, position)) if of == process => position,
        Some(_) => 0,
        None => from.after,
    };
    let mut transcript = app.engine.transcript(process, after).await?;
    let mut first = None;
    if is_over && place.is_some_and(|(of, _)| of == process) {
        first = transcript.next().await?;
        if first.is_none() {
            return Ok(Plain(StatusCode::NO_CONTENT.into_response()));
        }
    }
    let counted = app.engine.open_stream(StreamKind::Transcripts, 0);
    let (engine, stopping) = (app.engine, app.stopping);
    let reader = Reader { engine, process, transcript, stopping, counted, first, over: false };
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
        if let Some(changes) = self.first.take() {
            return self.written(&changes).map_err(|problem| broke(&problem)).ok();
        }
        let next = self.transcript.next();
        let told = tokio::select! {
            () = self.stopping.cancelled() => return None,
            // A wait that is given up loses nothing: what was read stays in the fold.
            told = tokio::time::timeout(KEEP_ALIVE, next) => told,
        };
        match told {
            Err(_elapsed) => Some(": still here\n\n".into()),
            Ok(Ok(Some(changes))) => self.written(&changes).map_err(|problem| broke(&problem)).ok(),
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

    /// Only the last message of a page carries its place, so that whoever resumes never skips half a page.
    fn written(&self, Changes { changes, position }: &Changes) -> Result<String, Problem> {
        let mut text = String::new();
        for (left, change) in (0..changes.len()).rev().zip(changes) {
            if left == 0 {
                text.push_str(&format!("id: {}:{position}\n", self.process));
            }
            let entry: &RawValue = serde_json::from_str(&change.json).map_err(Problem::internal)?;
            let Content { content } = serde_json::from_str(entry.get()).map_err(Problem::internal)?;
            let told = Told { kind: "log", index: change.index, content, entry };
            text.push_str("data: ");
            text.push_str(&serde_json::to_string(&told).map_err(Problem::internal)?);
            text.push_str("\n\n");
        }
        Ok(text)
    }
}

/// A process and a position in what it said.
fn place(text: &str) -> Result<(ProcessId, u64), Problem> {
    let bad =
        || Problem::malformed("bad_header", "Last-Event-ID has to be the id of an event of this stream");
    let (process, position) = text.split_once(':').ok_or_else(bad)?;
    Ok((process.parse().map_err(|_source| bad())?, position.parse().map_err(|_source| bad())?))
}

fn broke(problem: &Problem) {
    tracing::error!(error.chain = %problem.chain(), "a transcript broke");
}
