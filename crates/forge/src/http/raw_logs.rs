//! `GET /api/execution-processes/{id}/raw-logs/ws`: what a process printed, from any position on, then what it
//! prints. A slow reader is read for slowly; nothing is kept for it but the page it is at.

use std::pin::pin;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use forge_engine::{OpenStream, Output, StreamKind};
use forge_model::ProcessId;
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt as _, StreamExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::entries::{Entries, Entry};
use super::envelope::Frames;
use super::extract::{Id, Query};
use super::problem::Problem;
use super::{App, Connection, wire};

const PAGE_BYTES: usize = 64 * 1024;
const PING: Duration = Duration::from_secs(30);
/// How long the other side may take to close after we did.
const CLOSING: Duration = Duration::from_secs(5);
/// Clients have nothing to say here.
const MOST_RECEIVED: usize = 64 * 1024;

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

/// Why a stream ends.
enum End {
    Finished,
    Stopping,
    Broken,
    /// The other side has gone.
    Gone,
}

struct Reader {
    output: Output,
    entries: Entries,
    /// What the client has.
    after: u64,
    counted: OpenStream,
    sink: SplitSink<WebSocket, Message>,
    source: SplitStream<WebSocket>,
    stopping: CancellationToken,
}

pub(super) async fn stream(
    State(app): State<App>,
    Id(id): Id<ProcessId>,
    Query(from): Query<From>,
    connection: Option<Extension<Connection>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Frames<wire::PatchFrame>, Problem> {
    let upgrade = upgrade.map_err(|rejection| {
        Problem::new(rejection.status(), "websocket_expected", "the output is read over a WebSocket")
            .hint("open this path with a WebSocket client, at ws:// in place of http://")
    })?;
    let output = app.engine.output(id).await?;
    let counted = app.engine.open_stream(StreamKind::RawLogs, 0);
    let (tasks, stopping) = (app.tasks, app.stopping);
    let place = connection.map(|Extension(connection)| connection.place);
    let upgrade = upgrade.protocols(["forge"]).max_message_size(MOST_RECEIVED);
    let response = upgrade.on_upgrade(move |socket| {
        tasks.track_future(async move {
            let (sink, source) = socket.split();
            let (entries, after) = (Entries::default(), from.after);
            let reader = Reader { output, entries, after, counted, sink, source, stopping };
            reader.run().await;
            drop(place);
        })
    });
    Ok(response.into())
}

impl Reader {
    async fn run(mut self) {
        let end = self.send_all().await.unwrap_or_else(|end| end);
        let (code, reason) = match end {
            End::Gone => return,
            End::Finished => (close_code::NORMAL, ""),
            End::Stopping => (close_code::AWAY, "the server stops; the process goes on"),
            End::Broken => (close_code::ERROR, "the output cannot be read"),
        };
        let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
        // A socket that is dropped while the other side still sends takes with it what was not read yet.
        drop(
            tokio::time::timeout(CLOSING, async {
                if self.sink.send(close).await.is_ok() {
                    while let Some(Ok(_)) = self.source.next().await {}
                }
            })
            .await,
        );
    }

    async fn send_all(&mut self) -> Result<End, End> {
        let resumed = self.output.resume(self.after).map_err(broken)?;
        self.entries = Entries::after(&resumed.before);
        let mut read = resumed.seq;
        loop {
            let chunks = {
                let mut next = pin!(self.output.next(read, PAGE_BYTES));
                loop {
                    tokio::select! {
                        chunks = &mut next => break chunks,
                        () = self.stopping.cancelled() => return Ok(End::Stopping),
                        heard = tokio::time::timeout(PING, self.source.next()) => match heard {
                            Ok(Some(Ok(_ignored))) => {}
                            Ok(Some(Err(_)) | None) => return Ok(End::Gone),
                            Err(_elapsed) => ping(&mut self.sink).await?,
                        },
                    }
                }
            };
            let Some(chunks) = chunks.map_err(broken)? else { break };
            read = chunks.last().map_or(read, |chunk| chunk.seq);
            let entries: Vec<_> = chunks.into_iter().map(|chunk| self.entries.push(chunk)).collect();
            self.send(entries).await?;
        }
        let last = self.entries.finish();
        self.send(last).await?;
        self.send_text(r#"{"finished":true}"#.into()).await?;
        Ok(End::Finished)
    }

    /// Sends those that the client does not have.
    async fn send(&mut self, entries: Vec<Entry>) -> Result<(), End> {
        let after = self.after;
        let patch: Vec<_> = entries
            .into_iter()
            .filter(|entry| entry.position > after)
            .map(|entry| Operation { op: "add", path: format!("/entries/{}", entry.index), value: entry })
            .collect();
        let Some(last) = patch.last() else { return Ok(()) };
        let frame = Frame { patch: &patch, position: last.value.position };
        // Room for what has to be escaped, so that the text is not moved while it grows.
        let content: usize = patch.iter().map(|operation| operation.value.content.len()).sum();
        let mut text = Vec::with_capacity(content + content / 4 + 128 * patch.len());
        serde_json::to_writer(&mut text, &frame).map_err(|_source| End::Broken)?;
        self.send_text(String::from_utf8(text).map_err(|_source| End::Broken)?).await
    }

    async fn send_text(&mut self, text: String) -> Result<(), End> {
        self.counted.sent(text.len());
        tokio::select! {
            sent = self.sink.send(Message::Text(text.into())) => sent.map_err(|_gone| End::Gone),
            () = self.stopping.cancelled() => Err(End::Gone),
        }
    }
}

fn broken(error: forge_engine::Error) -> End {
    tracing::error!(error.chain = %Problem::internal(error).chain(), "a log stream broke");
    End::Broken
}

async fn ping(sink: &mut SplitSink<WebSocket, Message>) -> Result<(), End> {
    sink.send(Message::Ping(axum::body::Bytes::new())).await.map_err(|_gone| End::Gone)
}
