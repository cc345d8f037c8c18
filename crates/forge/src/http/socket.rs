//! The WebSocket that every stream is sent over: upgrade, pings, closing. A stream itself is a [`Source`]: it only
//! says what comes next. A slow reader is read for slowly; nothing is kept for it but what is being sent.

use std::pin::pin;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::request::Parts;
use forge_engine::OpenStream;
use forge_model::Seq;
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt as _, StreamExt as _};
use tokio_util::sync::CancellationToken;

use super::envelope::Frames;
use super::problem::Problem;
use super::spec::{Draft, Input};
use super::{App, Connection};

const PING: Duration = Duration::from_secs(30);
/// How long the other side may take to close after we did.
const CLOSING: Duration = Duration::from_secs(5);
/// Clients have nothing to say here.
const MOST_RECEIVED: usize = 64 * 1024;
/// What clients may ask for as `Sec-WebSocket-Protocol`.
const PROTOCOL: &str = "forge";
/// The last frame of a stream that has an end.
const FINISHED: &str = r#"{"finished":true}"#;

/// Where frames come from.
pub(super) trait Source: Send + 'static {
    /// The next frames, each the text of one message. Waits while there are none. None when there will never be any:
    /// then the reader is told that the stream is finished. Whoever asks again has waited for the answer before.
    fn next(&mut self) -> impl Future<Output = Result<Option<Vec<String>>, Problem>> + Send;

    /// Where in the event log a source is that reads it.
    fn at(&self) -> Seq {
        0
    }
}

/// A request to open a WebSocket. What it is about is looked up before [`Socket::send`], so that whatever is not
/// there is a plain 404.
pub(super) struct Socket {
    upgrade: WebSocketUpgrade,
    connection: Option<Connection>,
    app: App,
}

impl FromRequestParts<App> for Socket {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let connection = parts.extensions.get::<Connection>().cloned();
        let upgrade = WebSocketUpgrade::from_request_parts(parts, app).await.map_err(|rejection| {
            Problem::new(rejection.status(), "websocket_expected", "this path is read over a WebSocket")
                .hint("open this path with a WebSocket client, at ws:// in place of http://")
        })?;
        Ok(Self { upgrade, connection, app: app.clone() })
    }
}

/// The upgrade is a matter of the protocol, not of the description.
impl Input for Socket {
    fn describe(_draft: &mut Draft<'_>) {}
}

/// Why a stream ends.
enum End {
    Finished,
    Stopping,
    Broken,
    /// The other side has gone.
    Gone,
}

struct Sender<S> {
    source: S,
    counted: OpenStream,
    sink: SplitSink<WebSocket, Message>,
    heard: SplitStream<WebSocket>,
    stopping: CancellationToken,
}

impl Socket {
    /// Takes the upgrade and sends what the source gives until it ends, the reader goes or the server stops.
    pub(super) fn send<F>(self, counted: OpenStream, source: impl Source) -> Frames<F> {
        let App { tasks, stopping, .. } = self.app;
        let place = self.connection.map(|connection| connection.place);
        let upgrade = self.upgrade.protocols([PROTOCOL]).max_message_size(MOST_RECEIVED);
        let response = upgrade.on_upgrade(move |socket| {
            tasks.track_future(async move {
                let (sink, heard) = socket.split();
                Sender { source, counted, sink, heard, stopping }.run().await;
                drop(place);
            })
        });
        response.into()
    }
}

impl<S: Source> Sender<S> {
    async fn run(mut self) {
        let end = self.send_all().await.unwrap_or_else(|end| end);
        let (code, reason) = match end {
            End::Gone => return,
            End::Finished => (close_code::NORMAL, ""),
            End::Stopping => (close_code::AWAY, "the server stops; agents go on"),
            End::Broken => (close_code::ERROR, "the stream cannot be read on"),
        };
        let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
        // A socket that is dropped while the other side still sends takes with it what was not read yet.
        drop(
            tokio::time::timeout(CLOSING, async {
                if self.sink.send(close).await.is_ok() {
                    while let Some(Ok(_)) = self.heard.next().await {}
                }
            })
            .await,
        );
    }

    async fn send_all(&mut self) -> Result<End, End> {
        loop {
            let frames = {
                let mut next = pin!(self.source.next());
                loop {
                    tokio::select! {
                        frames = &mut next => break frames,
                        () = self.stopping.cancelled() => return Ok(End::Stopping),
                        heard = tokio::time::timeout(PING, self.heard.next()) => match heard {
                            Ok(Some(Ok(_ignored))) => {}
                            Ok(Some(Err(_)) | None) => return Ok(End::Gone),
                            Err(_elapsed) => ping(&mut self.sink).await?,
                        },
                    }
                }
            };
            let frames = frames.map_err(|problem| {
                tracing::error!(error.chain = %problem.chain(), "a stream broke");
                End::Broken
            })?;
            let Some(frames) = frames else { break };
            self.send(frames).await?;
            self.counted.at(self.source.at());
        }
        self.send(vec![FINISHED.into()]).await?;
        Ok(End::Finished)
    }

    /// Frames that come together are written together.
    async fn send(&mut self, frames: Vec<String>) -> Result<(), End> {
        self.counted.sent(frames.iter().map(String::len).sum());
        let sink = &mut self.sink;
        let sent = async {
            for frame in frames {
                sink.feed(Message::Text(frame.into())).await?;
            }
            sink.flush().await
        };
        tokio::select! {
            sent = sent => sent.map_err(|_gone| End::Gone),
            () = self.stopping.cancelled() => Err(End::Gone),
        }
    }
}

async fn ping(sink: &mut SplitSink<WebSocket, Message>) -> Result<(), End> {
    sink.send(Message::Ping(axum::body::Bytes::new())).await.map_err(|_gone| End::Gone)
}
