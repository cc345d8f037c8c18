//! Documents that clients keep a copy of: all of it in the first frame, then one operation per frame, each with the
//! place in the event log from which to go on after a break.
//!
//! A document is true of one place in the log, and the frames after it are made of the events after that place: so an
//! `add` is always of something that the copy lacks, and a `replace` or `remove` of something that it has.

mod board;
mod drafts;
mod processes;
mod projects;

use std::fmt::Display;

use axum::http::StatusCode;
use forge_engine::{Engine, ErrorKind, StreamKind, Told};
use forge_model::Seq;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;
use tokio::sync::watch;

use super::envelope::Frames;
use super::pieces::pieces;
use super::problem::Problem;
use super::socket::{Socket, Source, StreamFrame};
use super::spec::Operation;
use super::wire;

/// So many events are looked at before frames are sent.
const PAGE: usize = 256;

pub(super) fn operations() -> Vec<Operation> {
    let all = [board::operations(), processes::operations(), projects::operations(), drafts::operations()];
    all.into_iter().flatten().collect()
}

/// Where a reader begins.
#[derive(Deserialize, JsonSchema)]
pub(super) struct From {
    /// Goes on after the `position` of a frame. Without it, or when the log does not reach back so far, the first
    /// frame holds everything.
    pub(super) after: Option<u64>,
}

/// What is kept up to date.
pub(super) trait Document: Send + 'static {
    /// Where it stands.
    const PATH: &'static str;

    /// All of it in one frame, and the place in the log that it is true of. Not found when its subject does not exist.
    fn read(&mut self, engine: &Engine) -> impl Future<Output = Result<(Seq, StreamFrame), Problem>> + Send;

    /// What an event does to it.
    fn change(&mut self, told: &Told) -> Result<Change, Problem>;
}

/// What an event does to a document.
pub(super) enum Change {
    Nothing,
    /// An operation, written by [`frame`].
    Frame(String),
    /// More than an operation can say: all of it is sent again.
    Everything,
    /// What the document is about is gone.
    End,
}

/// Opens a document. One whose subject does not exist stays empty: clients would retry a refusal forever.
pub(super) fn open<D: Document>(
    engine: Engine,
    document: D,
    from: &From,
    socket: Socket,
) -> Result<Frames<wire::PatchFrame>, Problem> {
    let head = engine.head();
    let now = *head.borrow();
    // A place beyond the log is of another log.
    let after = from.after.and_then(|after| Seq::try_from(after).ok()).filter(|after| *after <= now);
    let counted = engine.open_stream(StreamKind::Documents, after.unwrap_or(now));
    let state = after.map_or(State::New, |_| State::Open);
    socket.send(counted, Reader { engine, document, head, at: after.unwrap_or(now), state })
}

/// One reader: a place in the log.
struct Reader<D> {
    engine: Engine,
    document: D,
    head: watch::Receiver<Seq>,
    at: Seq,
    state: State,
}

enum State {
    /// All of the document is to be sent.
    New,
    Open,
    Ended,
}

impl<D: Document> Source for Reader<D> {
    async fn next(&mut self) -> Result<Option<Vec<StreamFrame>>, Problem> {
        loop {
            match self.state {
                State::New => return self.everything().await.map(|frame| Some(vec![frame])),
                State::Ended => return Ok(None),
                State::Open => {}
            }
            // Marked as seen before the page is read, so that what is committed meanwhile wakes us.
            self.head.borrow_and_update();
            let page = match self.engine.events_after(self.at, PAGE).await {
                Err(error) if error.kind() == ErrorKind::Gone => {
                    (self.at, self.state) = (*self.head.borrow(), State::New);
                    continue;
                }
                page => page?,
            };
            if page.is_empty() {
                // Closed only with the engine, which outlives the streams.
                self.head.changed().await.map_err(Problem::internal)?;
                continue;
            }
            let mut frames = Vec::new();
            for told in page {
                self.at = told.event.seq;
                match self.document.change(&told)? {
                    Change::Nothing => {}
                    Change::Frame(frame) => frames.push(frame.into()),
                    Change::Everything => self.state = State::New,
                    Change::End => self.state = State::Ended,
                }
                if !matches!(self.state, State::Open) {
                    break;
                }
            }
            if !frames.is_empty() {
                return Ok(Some(frames));
            }
        }
    }

    fn at(&self) -> Seq {
        self.at
    }
}

impl<D: Document> Reader<D> {
    async fn everything(&mut self) -> Result<StreamFrame, Problem> {
        match self.document.read(&self.engine).await {
            Ok((at, frame)) => {
                (self.at, self.state) = (at, State::Open);
                Ok(frame)
            }
            // If it was deleted after `at`, the events say so next.
            Err(problem) if problem.status == StatusCode::NOT_FOUND => {
                self.state = State::Open;
                Ok(frame("replace", D::PATH, Some(&Map::new()), self.at)?.into())
            }
            Err(problem) => Err(problem),
        }
    }
}

#[derive(Serialize)]
struct Frame<'a, T> {
    #[serde(rename = "JsonPatch")]
    patch: [wire::Operation<'a, T>; 1],
    position: Seq,
}

/// One operation as a frame, after which a reader goes on at `position`.
pub(super) fn frame<T: Serialize>(
    op: &'static str,
    path: &str,
    value: Option<&T>,
    position: Seq,
) -> Result<String, Problem> {
    let patch = [wire::Operation { op, path, value }];
    serde_json::to_string(&Frame { patch, position }).map_err(Problem::internal)
}

/// A frame that replaces the document by a list, as an object of what [`entry`] writes for each item.
pub(super) fn everything<T: Send + 'static>(
    path: &str,
    items: Vec<T>,
    at: Seq,
    write: impl Fn(&T, &mut Vec<u8>) -> serde_json::Result<()> + Send + 'static,
) -> StreamFrame {
    let head = format!(r#"{{"JsonPatch":[{{"op":"replace","path":"{path}","value":{{"#);
    let tail = format!(r#"}}}}],"position":{at}}}"#);
    StreamFrame::Pieces(pieces(head, items, tail, write))
}

/// Writes one entry of an object.
pub(super) fn entry(
    piece: &mut Vec<u8>,
    key: impl Display,
    value: &impl Serialize,
) -> serde_json::Result<()> {
    piece.extend_from_slice(format!(r#""{key}":"#).as_bytes());
    serde_json::to_writer(piece, value)
}
