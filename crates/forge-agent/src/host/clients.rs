//! The socket's side of the host: one task for each client, none of which can hold up the host or another client.

use std::io;

use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot, watch};

use super::end::End;
use super::wire::{self, Ask, News, Refusal, Request, Status};

/// Answers that wait for a client that does not read, before its requests wait too.
const MAX_ANSWERS: usize = 16;

/// What clients are told. Only the newest value counts, which bounds what a slow client costs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) head: u64,
    pub(crate) stalled: Option<String>,
    pub(crate) end: Option<End>,
}

/// A request on its way to the host's loop.
pub(crate) struct Asked {
    /// Which of the processes that the program was, one after the other, is meant.
    pub(crate) part: u64,
    pub(crate) ask: Ask,
    pub(crate) bytes: Vec<u8>,
    pub(crate) answer: oneshot::Sender<Option<Refusal>>,
}

/// Serves one client until it leaves or has heard of the end.
pub(crate) async fn serve(
    stream: UnixStream,
    part: u64,
    status: Status,
    state: watch::Receiver<State>,
    asked: mpsc::Sender<Asked>,
) {
    let (from, to) = stream.into_split();
    let (answer, answers) = mpsc::channel(MAX_ANSWERS);
    // A client that breaks off or breaks the rules is gone either way; it looks after itself.
    tokio::select! {
        _left = hear(from, part, asked, answer) => {}
        _told = tell(to, status, state, answers) => {}
    }
}

async fn hear(
    mut from: OwnedReadHalf,
    part: u64,
    asked: mpsc::Sender<Asked>,
    answers: mpsc::Sender<(u64, Option<Refusal>)>,
) -> io::Result<()> {
    while let Some((Request { id, ask }, bytes)) = wire::read(&mut from).await? {
        let (answer, answered) = oneshot::channel();
        let sent = asked.send(Asked { part, ask, bytes, answer }).await;
        let Some(refusal) = (match sent {
            Ok(()) => answered.await.ok(),
            Err(_) => None,
        }) else {
            // The process is ending: what there is to hear now is told, not answered.
            return std::future::pending().await;
        };
        if answers.send((id, refusal)).await.is_err() {
            break;
        }
    }
    Ok(())
}

async fn tell(
    mut to: OwnedWriteHalf,
    status: Status,
    mut state: watch::Receiver<State>,
    mut answers: mpsc::Receiver<(u64, Option<Refusal>)>,
) -> io::Result<()> {
    let mut told = State { head: status.head, ..State::default() };
    wire::write(&mut to, &News::Status(status), &[]).await?;
    loop {
        let State { head, stalled, end } = state.borrow_and_update().clone();
        if (head, &stalled) != (told.head, &told.stalled) {
            wire::write(&mut to, &News::Head { seq: head, stalled: stalled.clone() }, &[]).await?;
            told = State { head, stalled, end: None };
        }
        if let Some(end) = end {
            wire::write(&mut to, &News::Ended { end }, &[]).await?;
            return to.shutdown().await;
        }
        tokio::select! {
            changed = state.changed() => if changed.is_err() { return Ok(()) },
            Some((id, refusal)) = answers.recv() => {
                wire::write(&mut to, &News::Answer { id, refusal }, &[]).await?;
            }
        }
    }
}
