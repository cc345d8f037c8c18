//! A server's connection to one process host.

use std::collections::HashMap;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::BufReader;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::task::TaskTracker;

use super::find::{Found, Sight, find, look};
use crate::host::wire::{self, Ask, News, Refusal, Request};
use crate::host::{End, Failure, Status};
use crate::log::{LogReader, MAX_FRAME};

/// Requests that wait to be sent.
const MAX_REQUESTS: usize = 16;

/// A running process. Clones share one connection; it is closed when the last one is dropped, and the process runs on.
#[derive(Debug, Clone)]
pub struct Connection {
    attached: Arc<Status>,
    requests: mpsc::Sender<Pending>,
    seen: watch::Receiver<Seen>,
    head: watch::Receiver<u64>,
    others: Others,
}

/// How long a program that goes on as another process waits for what it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// After this its standard input ends.
    pub idle: Duration,
    /// After this, from then on, it is killed.
    pub grace: Duration,
}

/// How a process ended is not known: its host is gone and left no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the process host is gone and left no result")]
pub struct Lost;

/// Why a host did not do what it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    #[error("write {ordinal} came out of order: the next one is {expected}")]
    OutOfOrder { ordinal: u64, expected: u64 },
    #[error("the program's standard input is closed")]
    StdinClosed,
    #[error("the program does not read its standard input and too much is waiting")]
    StdinFull,
    #[error("the write is longer than {MAX_FRAME} bytes")]
    TooLong,
    #[error("the log cannot be written at present")]
    LogStalled,
    #[error("the program cannot go on as another process at present")]
    NotMoved,
    #[error("the process host does not know this request")]
    Unsupported,
    /// The host may or may not have heard it. Repeating a write is safe.
    #[error("the connection broke before the answer came")]
    Disconnected,
    #[error("the process has ended")]
    Ended,
}

/// What was heard of the process, apart from the head.
#[derive(Debug, Clone, Default)]
struct Seen {
    stalled: Option<String>,
    end: Option<Result<End, Lost>>,
}

#[derive(Debug)]
struct Pending {
    ask: Ask,
    bytes: Vec<u8>,
    answer: oneshot::Sender<Option<Refusal>>,
}

impl Connection {
    pub(super) fn open(tasks: &TaskTracker, dir: PathBuf, stream: UnixStream, status: Status) -> Self {
        let (request, requests) = mpsc::channel(MAX_REQUESTS);
        let (own, head) = watch::channel(status.head);
        let others = Others::default();
        let heads = Heads { own, others: others.clone() };
        let (seeing, seen) = watch::channel(Seen::default());
        let line = Line { dir, heads, seeing, requests, unanswered: Unanswered::default() };
        tasks.spawn(line.run(stream));
        Self { attached: Arc::new(status), requests: request, seen, head, others }
    }

    /// The process as it was when this connection was made.
    pub fn attached(&self) -> &Status {
        &self.attached
    }

    /// The newest frame of the log. It moves on after the frame is in the file; its sender stays until the end.
    pub fn head(&self) -> watch::Receiver<u64> {
        self.head.clone()
    }

    /// Tells the head to others too, without a detour over whoever holds this connection. Let go of at the end.
    pub fn tell_head(&self, others: &watch::Sender<u64>) {
        *lock(&self.others) = Some(others.clone());
        // In this order: what comes in between is told twice, not never.
        let head = *self.head.borrow();
        others.send_if_modified(|other| advance(other, head));
    }

    /// Writes to the program's standard input. Done when the host has taken and logged it.
    ///
    /// Ordinals count writes and the close, from 0. One that the host has taken before is not written again.
    pub async fn write(&self, ordinal: u64, bytes: Vec<u8>) -> Result<(), AskError> {
        if bytes.len() > MAX_FRAME {
            return Err(AskError::TooLong);
        }
        self.ask(Ask::Write { ordinal }, bytes, ordinal).await
    }

    /// Ends the program's standard input, after all that was written. That it has ended already is fine.
    pub async fn close_stdin(&self, ordinal: u64) -> Result<(), AskError> {
        match self.ask(Ask::CloseStdin { ordinal }, Vec::new(), ordinal).await {
            Err(AskError::StdinClosed | AskError::Ended) => Ok(()),
            result => result,
        }
    }

    /// Sends SIGINT to the program's process group.
    pub async fn interrupt(&self) -> Result<(), AskError> {
        self.ask(Ask::Interrupt, Vec::new(), 0).await
    }

    /// Asks for the end: SIGINT, and the kill of the whole tree when `grace` is over. [`Connection::ended`] tells when it is
    /// done. That it has ended already is fine.
    pub async fn stop(&self, grace: Duration) -> Result<(), AskError> {
        let grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        match self.ask(Ask::Stop { grace_ms }, Vec::new(), 0).await {
            Err(AskError::Ended) => Ok(()),
            result => result,
        }
    }

    /// Lets the program go on as the process of `dir`, in which none was before, and attaches to that one. This process
    /// ends as if the program had exited with 0. Where nothing is written to the new one for as long as `wait` says, it is
    /// let go.
    ///
    /// # Errors
    /// When the program is not at a place where it can, or has ended.
    pub async fn move_on(&self, tasks: &TaskTracker, dir: &Path, wait: Wait) -> Result<Self, AskError> {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let ask = Ask::MoveOn { idle_ms: millis(wait.idle), grace_ms: millis(wait.grace) };
        match self.ask(ask, dir.as_os_str().as_bytes().to_vec(), 0).await {
            // The end may be heard before the answer.
            Ok(()) | Err(AskError::Ended | AskError::Disconnected) => {}
            Err(error) => return Err(error),
        }
        match find(tasks, dir).await {
            Ok(Found::Running(connection)) => Ok(connection),
            Ok(Found::Ended(_) | Found::Lost) => Err(AskError::Ended),
            Ok(Found::NeverStarted) | Err(_) => Err(AskError::NotMoved),
        }
    }

    /// Whether the end of the process was heard of.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.seen.borrow().end.is_some()
    }

    /// Waits for the end of the process.
    pub async fn ended(&self) -> Result<End, Lost> {
        let mut seen = self.seen.clone();
        let end = seen.wait_for(|seen| seen.end.is_some()).await.map(|seen| seen.end.clone());
        match end {
            Ok(Some(end)) => end,
            // The listening task was dropped with its runtime: this server is ending, not the process.
            _ => std::future::pending().await,
        }
    }

    /// Waits until the log cannot be written, and tells why. The host tries again by itself; output waits meanwhile.
    pub async fn stalled(&self) -> String {
        let mut seen = self.seen.clone();
        let reason = seen.wait_for(|seen| seen.stalled.is_some()).await.map(|seen| seen.stalled.clone());
        match reason {
            Ok(Some(reason)) => reason,
            _ => std::future::pending().await,
        }
    }

    /// Waits as long as the log cannot be written.
    pub async fn flows(&self) {
        let mut seen = self.seen.clone();
        // Where the listening task is gone, nobody waits for its news.
        let _flows = seen.wait_for(|seen| seen.stalled.is_none()).await.is_ok();
    }

    async fn ask(&self, ask: Ask, bytes: Vec<u8>, ordinal: u64) -> Result<(), AskError> {
        let (answer, answered) = oneshot::channel();
        let sent = self.requests.send(Pending { ask, bytes, answer }).await;
        let gone = || match self.seen.borrow().end {
            Some(_) => AskError::Ended,
            None => AskError::Disconnected,
        };
        if sent.is_err() {
            return Err(gone());
        }
        match answered.await {
            Ok(None) => Ok(()),
            Ok(Some(refusal)) => Err(match refusal {
                Refusal::OutOfOrder { expected } => AskError::OutOfOrder { ordinal, expected },
                Refusal::StdinClosed => AskError::StdinClosed,
                Refusal::StdinFull => AskError::StdinFull,
                Refusal::LogStalled => AskError::LogStalled,
                Refusal::NotMoved => AskError::NotMoved,
                Refusal::Unsupported | Refusal::Unknown => AskError::Unsupported,
            }),
            Err(_) => Err(gone()),
        }
    }
}

/// Whoever else is told the newest frame.
type Others = Arc<Mutex<Option<watch::Sender<u64>>>>;

/// Where the newest frame is told.
struct Heads {
    own: watch::Sender<u64>,
    others: Others,
}

impl Heads {
    fn tell(&self, to: u64) {
        self.own.send_if_modified(|head| advance(head, to));
        if let Some(others) = &*lock(&self.others) {
            others.send_if_modified(|head| advance(head, to));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first thing a host says.
pub(super) enum First {
    Runs(UnixStream, Status),
    Failed(Failure),
    Gone,
}

/// Hears the first message on a new connection. It comes when the program runs.
pub(super) async fn greet(mut stream: UnixStream) -> io::Result<First> {
    loop {
        return Ok(match wire::read::<News>(&mut stream).await {
            Ok(Some((News::Status(status), _))) => First::Runs(stream, status),
            Ok(Some((News::Failed { failure }, _))) => First::Failed(failure),
            Ok(Some(_)) => continue,
            Ok(None) => First::Gone,
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => First::Gone,
            Err(error) => return Err(error),
        });
    }
}

/// The task behind a connection.
struct Line {
    dir: PathBuf,
    heads: Heads,
    seeing: watch::Sender<Seen>,
    requests: mpsc::Receiver<Pending>,
    /// Dropped after the end is known, so that whoever waits for an answer learns of it.
    unanswered: Unanswered,
}

/// Why talking on one socket came to an end.
enum Over {
    Ended(End),
    /// Nobody holds the connection any more.
    Unwanted,
    Broken,
}

#[derive(Default)]
struct Unanswered(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    next_id: u64,
    answers: HashMap<u64, oneshot::Sender<Option<Refusal>>>,
}

impl Unanswered {
    fn add(&self, answer: oneshot::Sender<Option<Refusal>>) -> u64 {
        let mut waiting = lock(&self.0);
        let id = waiting.next_id;
        waiting.next_id += 1;
        waiting.answers.insert(id, answer);
        id
    }

    fn take(&self, id: u64) -> Option<oneshot::Sender<Option<Refusal>>> {
        lock(&self.0).answers.remove(&id)
    }

    fn give_up(&self) {
        lock(&self.0).answers.clear();
    }
}

impl Line {
    async fn run(mut self, stream: UnixStream) {
        self.follow(stream).await;
        *lock(&self.heads.others) = None;
    }

    async fn follow(&mut self, mut stream: UnixStream) {
        let end = loop {
            match self.talk(stream).await {
                Over::Ended(end) => break Ok(end),
                Over::Unwanted => return,
                Over::Broken => {}
            }
            // The host is gone, or has only dropped us: its directory knows.
            match look(&self.dir).await {
                Ok(Sight::Running(again, status)) => {
                    self.unanswered.give_up();
                    self.seeing.send_modify(|seen| seen.stalled = None);
                    self.heads.tell(status.head);
                    stream = again;
                }
                Ok(Sight::Ended(end)) => break Ok(end),
                Ok(Sight::Lost | Sight::NeverStarted) => break Err(Lost),
                Err(error) => {
                    tracing::error!(dir = %self.dir.display(), %error, "cannot examine the process directory");
                    break Err(Lost);
                }
            }
        };
        let last = match &end {
            Ok(end) => end.last_seq,
            Err(Lost) => last_frame(self.dir.clone()).await,
        };
        self.heads.tell(last);
        self.seeing.send_modify(|seen| seen.end = Some(end));
    }

    async fn talk(&mut self, stream: UnixStream) -> Over {
        let (from, to) = stream.into_split();
        tokio::select! {
            over = hear(BufReader::new(from), &self.heads, &self.seeing, &self.unanswered) => over,
            over = say(to, &mut self.requests, &self.unanswered) => over,
        }
    }
}

async fn hear(
    mut from: BufReader<OwnedReadHalf>,
    heads: &Heads,
    seeing: &watch::Sender<Seen>,
    unanswered: &Unanswered,
) -> Over {
    loop {
        match wire::read::<News>(&mut from).await {
            Ok(Some((News::Head { seq, stalled }, _))) => {
                heads.tell(seq);
                seeing.send_if_modified(|seen| {
                    let changed = seen.stalled != stalled;
                    seen.stalled = stalled;
                    changed
                });
            }
            Ok(Some((News::Answer { id, refusal }, _))) => {
                if let Some(answer) = unanswered.take(id) {
                    // Whoever asked may have stopped waiting.
                    let _heard = answer.send(refusal);
                }
            }
            Ok(Some((News::Ended { end }, _))) => return Over::Ended(end),
            Ok(Some((News::Status(_) | News::Failed { .. } | News::Unknown, _))) => {}
            Ok(None) | Err(_) => return Over::Broken,
        }
    }
}

async fn say(
    mut to: OwnedWriteHalf,
    requests: &mut mpsc::Receiver<Pending>,
    unanswered: &Unanswered,
) -> Over {
    while let Some(Pending { ask, bytes, answer }) = requests.recv().await {
        let id = unanswered.add(answer);
        if wire::write(&mut to, &Request { id, ask }, &bytes).await.is_err() {
            // The end may have been told before the host closed its side: the hearing half finds out.
            return std::future::pending().await;
        }
    }
    Over::Unwanted
}

/// The last frame that a lost host has written; followers are to get them all.
async fn last_frame(dir: PathBuf) -> u64 {
    let last = tokio::task::spawn_blocking(move || LogReader::open(&dir)?.last()).await;
    last.ok().and_then(Result::ok).unwrap_or(0)
}

fn advance(head: &mut u64, to: u64) -> bool {
    let newer = to > *head;
    *head = to.max(*head);
    newer
}
