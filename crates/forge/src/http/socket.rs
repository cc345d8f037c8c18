//! The WebSocket that every stream is sent over: upgrade, pings, closing. A stream itself is a [`Source`]: it only
//! says what comes next. A slow reader is read for slowly; nothing is kept for it but what is being sent.

use std::pin::pin;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use forge_engine::OpenStream;
use forge_model::Seq;
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt as _, StreamExt as _};
use tokio_tungstenite::tungstenite::protocol::frame::Frame as RawFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message};
use tokio_util::sync::CancellationToken;

use super::envelope::Frames;
use super::pieces::Pieces;
use super::problem::Problem;
use super::spec::{Draft, Input};
use super::upgrade::{OpenSocket, UpgradeRequest};
use super::{App, Connection};

const PING: Duration = Duration::from_secs(30);
/// How long the other side may take to close after we did.
const CLOSING: Duration = Duration::from_secs(5);
/// The last frame of a stream that has an end.
const FINISHED: &str = r#"{"finished":true}"#;

/// One message to a reader.
pub(super) enum StreamFrame {
    Text(String),
    /// A long one, which is written while it is sent.
    Pieces(Pieces),
}

impl From<String> for StreamFrame {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Where frames come from.
pub(super) trait Source: Send + 'static {
    /// The next frames, each one message. Waits while there are none. None when there will never be any:
    /// then the reader is told that the stream is finished. Whoever asks again has waited for the answer before.
    fn next(&mut self) -> impl Future<Output = Result<Option<Vec<StreamFrame>>, Problem>> + Send;

    /// Where in the event log a source is that reads it.
    fn at(&self) -> Seq {
        0
    }
}

/// A request to open a WebSocket. What it is about is looked up before [`Socket::send`], so that whatever is not
/// there is a plain 404.
pub(super) struct Socket {
    upgrade: UpgradeRequest,
    connection: Option<Connection>,
    app: App,
}

impl FromRequestParts<App> for Socket {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let connection = parts.extensions.get::<Connection>().cloned();
        let upgrade = UpgradeRequest::from_request_parts(parts, app).await?;
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
    sink: SplitSink<OpenSocket, Message>,
    heard: SplitStream<OpenSocket>,
    stopping: CancellationToken,
}

impl Socket {
    /// Takes the upgrade and sends what the source gives until it ends, the reader goes or the server stops.
    pub(super) fn send<F>(self, counted: OpenStream, source: impl Source) -> Result<Frames<F>, Problem> {
        let App { tasks, stopping, .. } = self.app;
        let place = self.connection.map(|connection| connection.place);
        let (response, socket) = self.upgrade.accept()?;
        tasks.spawn(async move {
            if let Some(socket) = socket.await {
                let (sink, heard) = socket.split();
                Sender { source, counted, sink, heard, stopping }.run().await;
            }
            drop(place);
        });
        Ok(response.into())
    }
}

impl<S: Source> Sender<S> {
    async fn run(mut self) {
        let end = self.send_all().await.unwrap_or_else(|end| end);
        let (code, reason) = match end {
            End::Gone => return,
            End::Finished => (CloseCode::Normal, ""),
            End::Stopping => (CloseCode::Away, "the server stops; agents go on"),
            End::Broken => (CloseCode::Error, "the stream cannot be read on"),
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
            let frames = frames.map_err(|problem| broken(&problem))?;
            let Some(frames) = frames else { break };
            self.send(frames).await?;
            self.counted.at(self.source.at());
        }
        self.send(vec![FINISHED.to_owned().into()]).await?;
        Ok(End::Finished)
    }

    /// Frames that come together are written together.
    async fn send(&mut self, frames: Vec<StreamFrame>) -> Result<(), End> {
        let (sink, counted) = (&mut self.sink, &mut self.counted);
        let sent = async {
            for frame in frames {
                match frame {
                    StreamFrame::Text(text) => {
                        counted.sent(text.len());
                        sink.feed(Message::Text(text.into())).await.map_err(|_gone| End::Gone)?;
                    }
                    StreamFrame::Pieces(pieces) => send_pieces(sink, counted, pieces).await?,
                }
            }
            sink.flush().await.map_err(|_gone| End::Gone)
        };
        tokio::select! {
            sent = sent => sent,
            () = self.stopping.cancelled() => Err(End::Gone),
        }
    }
}

/// Sends one message piece by piece; the next piece is written when the last one is sent.
async fn send_pieces(
    sink: &mut SplitSink<OpenSocket, Message>,
    counted: &mut OpenStream,
    pieces: Pieces,
) -> Result<(), End> {
    let mut pieces = pieces.peekable();
    let mut opcode = OpCode::Data(Data::Text);
    while let Some(piece) = pieces.next() {
        let piece = piece.map_err(|problem| broken(&problem))?;
        counted.sent(piece.len());
        let frame = RawFrame::message(piece, opcode, pieces.peek().is_none());
        sink.send(Message::Frame(frame)).await.map_err(|_gone| End::Gone)?;
        opcode = OpCode::Data(Data::Continue);
    }
    Ok(())
}

fn broken(problem: &Problem) -> End {
    tracing::error!(error.chain = %problem.chain(), "a stream broke");
    End::Broken
}

async fn ping(sink: &mut SplitSink<OpenSocket, Message>) -> Result<(), End> {
    sink.send(Message::Ping(Bytes::new())).await.map_err(|_gone| End::Gone)
}
