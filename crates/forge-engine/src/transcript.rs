//! What an agent said and did, as entries: folded from its log page by page, from the beginning for each reader.
//!
//! Nothing is kept of a transcript but what its log is, so there is nothing that could differ from it. A reader that
//! comes back has the part that it knows folded again in silence.

use forge_agent::transcript::{Change, Transcript as Fold};
use forge_model::{AttemptId, Process, ProcessId, ProcessKind};
use tokio::sync::watch;

use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::launch;
use crate::log::Reader;

/// Reads a transcript. Keeps a page, and the entries that may still change.
pub struct Transcript {
    fold: Fold,
    reader: Reader,
    /// Moves while the process runs; none when it has ended.
    live: Option<watch::Receiver<u64>>,
    /// What the reader has already.
    after: u64,
    read: u64,
    finished: bool,
}

/// Entries that are new or different.
#[derive(Debug)]
pub struct Changes {
    /// Each entry once, new ones in order.
    pub changes: Vec<Change>,
    /// The place from which a reader goes on that has these.
    pub position: u64,
}

impl Engine {
    /// What the agent of a process said and did, after a place, and onwards while it runs.
    ///
    /// # Errors
    /// When the process is not there, or is no agent: scripts only print.
    pub async fn transcript(&self, id: ProcessId, after: u64) -> Result<Transcript> {
        // In this order: a process that ends in between has a log that is read to its end.
        let live = self.inner.live.follow(id);
        let process = self.get_process(id).await?;
        let attempt = self.get_attempt(process.attempt_id).await?;
        let dir = self.inner.folder.process(id);
        let turn = launch::turn_of(&attempt, &process, &dir)?;
        let turn = turn.filter(|_| process.kind == ProcessKind::CodingAgent).ok_or_else(|| {
            no_transcript("this process is no agent: it has output, but no transcript")
                .hint("read /api/execution-processes/{id}/raw-logs/ws")
        })?;
        let (fold, reader) = (Fold::new(&turn, id), Reader::new(&dir));
        Ok(Transcript { fold, reader, live, after, read: 0, finished: false })
    }

    /// The process of the newest turn of an attempt's agent.
    ///
    /// # Errors
    /// When the attempt is not there, or its agent has not begun.
    pub async fn newest_turn(&self, attempt: AttemptId) -> Result<Process> {
        let processes = self.list_processes(attempt).await?;
        let newest = processes.into_iter().rev().find(|process| process.kind == ProcessKind::CodingAgent);
        newest.ok_or_else(|| {
            no_transcript("the agent of this attempt has not begun yet").hint("ask again when it has")
        })
    }
}

fn no_transcript(message: &str) -> Error {
    Error::new(ErrorKind::NotFound, "no_transcript", message)
}

impl Transcript {
    /// What is new or different, from about `max_bytes` of the log. Waits while there is nothing and the process
    /// runs; none when it has ended and everything was read.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub async fn next(&mut self, max_bytes: usize) -> Result<Option<Changes>> {
        loop {
            // Marked as seen before the log is read: what is appended behind the reader's back wakes it again.
            if let Some(live) = &mut self.live {
                live.borrow_and_update();
            }
            let page = self.reader.read_after(self.read, max_bytes)?;
            for frame in &page.frames {
                self.fold.push(frame);
                if frame.seq == self.after {
                    self.fold.take();
                }
            }
            let read_on = page.next > self.read;
            self.read = page.next;
            if let Some(changes) = self.take(self.read) {
                return Ok(Some(changes));
            }
            if read_on {
                // A long log is folded in silence: others have to be let in.
                tokio::task::yield_now().await;
            } else if let Some(live) = &mut self.live {
                if live.changed().await.is_err() {
                    self.live = None;
                }
            } else if self.finished {
                return Ok(None);
            } else {
                self.finished = true;
                self.fold.finish();
                if let Some(changes) = self.take(self.read + 1) {
                    return Ok(Some(changes));
                }
            }
        }
    }

    /// What the reader does not have.
    fn take(&mut self, position: u64) -> Option<Changes> {
        let changes = self.fold.take();
        (position > self.after && !changes.is_empty()).then_some(Changes { changes, position })
    }
}
