//! The one way in: a queue of transactions that one task carries out.
//!
//! A caller that is dropped takes nothing with it: what stands in the queue is done as a whole and announced,
//! what was not yet queued never happens. A caller that gives up removes its write from the queue if the writer has not
//! begun it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use forge_model::{Fact, Seq, Timestamp};
use tokio::sync::{mpsc, oneshot, watch};

use crate::backend::{Connection, on};
use crate::measure::Counters;
use crate::writer::Writer;
use crate::{StoreError, json};

/// How many transactions may wait; the next caller waits until there is room.
const QUEUE: usize = 256;

/// How long a caller waits for a database that may know the outcome of its commit.
const UNKNOWN_AFTER: Duration = Duration::from_secs(5);

type Doing<'t, T> = Pin<Box<dyn Future<Output = T> + Send + 't>>;

/// What stands in the queue.
pub(crate) enum Job {
    Write(Box<dyn Call>),
    /// Lets go of the database, then drops this.
    Close(oneshot::Sender<()>),
}

/// One caller's transaction, from the queue to its answer.
pub(crate) trait Call: Send {
    /// Claims it for the writer; false if its caller has given up. Once claimed, it stays claimed.
    fn begin(&self) -> bool;
    /// Does it, and tells why what it did is not to be kept.
    fn run<'t>(&'t mut self, tx: &'t mut WriteTx) -> Doing<'t, Result<(), StoreError>>;
    /// Tells the caller, once it is known how the transaction that it was part of ended. It began to be worked on at
    /// `began`.
    fn answer(self: Box<Self>, ended: Result<(), StoreError>, began: Instant, counters: &Counters);
}

/// Whether a queued write was begun by the writer or abandoned by its caller, whichever came first.
#[derive(Debug, Clone, Default)]
struct Claimed(Arc<AtomicU8>);

impl Claimed {
    const BEGUN: u8 = 1;
    const ABANDONED: u8 = 2;

    /// Returns whether the write is now in this state.
    fn set(&self, state: u8) -> bool {
        match self.0.compare_exchange(0, state, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_queued) => true,
            Err(found) => found == state,
        }
    }
}

struct Asked<T, W> {
    work: Option<W>,
    came_to: Option<Result<T, StoreError>>,
    answer: oneshot::Sender<Result<T, StoreError>>,
    claimed: Claimed,
    since: Instant,
}

/// The callers' end of the queue.
#[derive(Debug, Clone)]
pub(crate) struct Queue {
    jobs: mpsc::Sender<Job>,
    /// Whether the outcome of a commit is not known.
    unresolved: watch::Receiver<bool>,
}

/// An open transaction: the only door to the event log.
#[derive(Debug)]
pub(crate) struct WriteTx {
    connection: Connection,
    pub(crate) head: Option<Seq>,
    pub(crate) now: Timestamp,
}

impl<T, W> Call for Asked<T, W>
where
    T: Send,
    W: for<'t> FnOnce(&'t mut WriteTx) -> Doing<'t, Result<T, StoreError>> + Send,
{
    fn begin(&self) -> bool {
        self.claimed.set(Claimed::BEGUN)
    }

    fn run<'t>(&'t mut self, tx: &'t mut WriteTx) -> Doing<'t, Result<(), StoreError>> {
        Box::pin(async move {
            let work = self.work.take().ok_or(StoreError::Closed)?;
            match self.came_to.insert(work(tx).await) {
                Ok(_value) => Ok(()),
                Err(error) => Err(error.again()),
            }
        })
    }

    fn answer(self: Box<Self>, ended: Result<(), StoreError>, began: Instant, counters: &Counters) {
        let answer = match (self.came_to, ended) {
            (Some(Ok(value)), Ok(())) => Ok(value),
            (Some(Err(error)), _) | (Some(Ok(_)) | None, Err(error)) => Err(error),
            (None, Ok(())) => Err(StoreError::Closed),
        };
        counters.answered(began.saturating_duration_since(self.since), answer.as_ref().err());
        // The caller may be gone; the work is done all the same.
        drop(self.answer.send(answer));
    }
}

impl Queue {
    /// A queue and the task that empties it.
    pub(crate) fn start(writer: Writer, unresolved: watch::Receiver<bool>) -> Self {
        let (jobs, waiting) = mpsc::channel(QUEUE);
        #[expect(
            clippy::disallowed_methods,
            reason = "the task ends with the store: when it is closed, or when its last clone is dropped"
        )]
        tokio::spawn(writer.run(waiting));
        Self { jobs, unresolved }
    }

    /// Does `work` as a transaction of its own. When it fails, nothing of it is left; when it fails with
    /// [`StoreError::Unknown`], it may have been done. While the outcome of an earlier commit is unknown for long, it is
    /// removed from the queue and fails with [`StoreError::Away`].
    pub(crate) async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: for<'t> FnOnce(&'t mut WriteTx) -> Doing<'t, Result<T, StoreError>> + Send + 'static,
    {
        let claimed = Claimed::default();
        let answered = self.enqueue(work, claimed.clone()).await?;
        tokio::select! {
            biased;
            answer = answered => answer.map_err(|_closed| StoreError::Closed)?,
            () = self.unresolved_for_long() => Err(if claimed.set(Claimed::ABANDONED) {
                StoreError::abandoned()
            } else {
                StoreError::Unknown
            }),
        }
    }

    /// The same, and waits as long as it takes until the outcome is known.
    pub(crate) async fn write_patiently<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: for<'t> FnOnce(&'t mut WriteTx) -> Doing<'t, Result<T, StoreError>> + Send + 'static,
    {
        self.enqueue(work, Claimed::default()).await?.await.map_err(|_closed| StoreError::Closed)?
    }

    async fn enqueue<T, W>(
        &self,
        work: W,
        claimed: Claimed,
    ) -> Result<oneshot::Receiver<Result<T, StoreError>>, StoreError>
    where
        T: Send + 'static,
        W: for<'t> FnOnce(&'t mut WriteTx) -> Doing<'t, Result<T, StoreError>> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let asked = Asked { work: Some(work), came_to: None, answer, claimed, since: Instant::now() };
        self.jobs.send(Job::Write(Box::new(asked))).await.map_err(|_closed| StoreError::Closed)?;
        Ok(answered)
    }

    /// Waits until the outcome of a commit has been unknown for a while.
    pub(crate) async fn unresolved_for_long(&self) {
        let mut unresolved = self.unresolved.clone();
        loop {
            if unresolved.wait_for(|unresolved| *unresolved).await.is_err() {
                // The writer is gone, and whoever waits for it hears of that.
                return std::future::pending().await;
            }
            let resolved = unresolved.wait_for(|unresolved| !*unresolved);
            if tokio::time::timeout(UNKNOWN_AFTER, resolved).await.is_err() {
                return;
            }
        }
    }

    /// Waits until no outcome is unknown.
    pub(crate) async fn resolved(&self) {
        // A writer that is gone leaves nothing to wait for.
        drop(self.unresolved.clone().wait_for(|unresolved| !*unresolved).await);
    }

    /// Waits until all that stands in the queue is done, and lets go of the database.
    pub(crate) async fn close(&self) {
        let (closed, closing) = oneshot::channel::<()>();
        // A task that has ended, or that drops the job, has nothing left to close.
        if self.jobs.send(Job::Close(closed)).await.is_ok() {
            closing.await.unwrap_or_default();
        }
    }
}

/// Moves the head, never back: whoever commits and whoever hears of it may speak in any order.
pub(crate) fn announce(head: &watch::Sender<Seq>, seq: Seq) {
    head.send_if_modified(|newest| {
        let moves = seq > *newest;
        if moves {
            *newest = seq;
        }
        moves
    });
}

impl WriteTx {
    /// A transaction that has begun on this connection.
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection, head: None, now: Timestamp::now() }
    }

    /// For its end.
    pub(crate) fn into_connection(self) -> Connection {
        self.connection
    }

    /// For statements.
    pub(crate) const fn db(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// When the transaction began.
    pub(crate) const fn now(&self) -> Timestamp {
        self.now
    }

    /// Puts a fact at the end of the log. It becomes visible, and the head moves, with the commit.
    pub(crate) async fn append(&mut self, fact: &Fact) -> Result<(), StoreError> {
        let text = json::write("event", fact)?;
        let (seq,): (Seq,) = on!(&mut self.connection, |db| sqlx::query_as(
            "INSERT INTO event (seq, at, fact)
             SELECT coalesce(max(seq), 0) + 1, $1, $2 FROM event
             RETURNING seq",
        )
        .bind(self.now.as_millis())
        .bind(text)
        .fetch_one(db)
        .await)
        .map_err(StoreError::query("append an event"))?;
        self.head = Some(seq);
        Ok(())
    }
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
