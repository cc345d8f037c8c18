//! The one way in: a queue of transactions that one task carries out.
//!
//! A caller that is dropped takes nothing with it: what stands in the queue is done as a whole and announced,
//! what was not yet queued never happens.

use std::pin::Pin;

use forge_model::{Fact, Seq, Timestamp};
use tokio::sync::{mpsc, oneshot, watch};

use crate::backend::{Connection, Pool, on};
use crate::{StoreError, json};

/// How many transactions may wait; the next caller waits until there is room.
const QUEUE: usize = 256;

type Doing<'t, T> = Pin<Box<dyn Future<Output = T> + Send + 't>>;
type Job = Box<dyn for<'w> FnOnce(&'w mut Writer) -> Doing<'w, ()> + Send>;

/// The callers' end of the queue.
#[derive(Debug, Clone)]
pub(crate) struct Queue {
    jobs: mpsc::Sender<Job>,
}

/// Carries the transactions out.
struct Writer {
    pool: Pool,
    /// Kept between transactions; none after one went wrong in a way that leaves the connection's state
    /// unknown.
    connection: Option<Connection>,
    head: watch::Sender<Seq>,
}

/// An open transaction: the only door to the event log.
#[derive(Debug)]
pub(crate) struct WriteTx {
    connection: Connection,
    head: Option<Seq>,
    now: Timestamp,
}

impl Queue {
    /// A queue, the task that empties it, and the position of the newest event.
    pub(crate) fn start(pool: Pool, head: Seq) -> (Self, watch::Receiver<Seq>) {
        let (jobs, mut waiting) = mpsc::channel::<Job>(QUEUE);
        let (head, moved) = watch::channel(head);
        let mut writer = Writer { pool, connection: None, head };
        #[expect(
            clippy::disallowed_methods,
            reason = "the task ends with the store: when it is closed, or when its last clone is dropped"
        )]
        tokio::spawn(async move {
            while let Some(job) = waiting.recv().await {
                job(&mut writer).await;
            }
        });
        (Self { jobs }, moved)
    }

    /// Does `work` in a transaction of its own. When it fails, nothing of it is left.
    pub(crate) async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: for<'t> FnOnce(&'t mut WriteTx) -> Doing<'t, Result<T, StoreError>> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |writer| {
            Box::pin(async move {
                // The caller may be gone; the work is done all the same.
                drop(answer.send(writer.transact(work).await));
            })
        });
        self.jobs.send(job).await.map_err(|_closed| StoreError::Closed)?;
        answered.await.map_err(|_closed| StoreError::Closed)?
    }

    /// Waits until all that stands in the queue is done, and lets go of the database.
    pub(crate) async fn close(&self) {
        let (closed, closing) = oneshot::channel::<()>();
        let job: Job = Box::new(move |writer| {
            Box::pin(async move {
                writer.connection = None;
                writer.pool.close().await;
                drop(closed);
            })
        });
        // A task that has ended, or that drops the job, has nothing left to close.
        if self.jobs.send(job).await.is_ok() {
            closing.await.unwrap_or_default();
        }
    }
}

impl Writer {
    async fn transact<T, W>(&mut self, work: W) -> Result<T, StoreError>
    where
        W: for<'t> FnOnce(&'t mut WriteTx) -> Doing<'t, Result<T, StoreError>>,
    {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.pool.connect().await?,
        };
        if let Err(error) = connection.begin().await {
            connection.discard();
            return Err(error);
        }
        let mut tx = WriteTx { connection, head: None, now: Timestamp::now() };
        let done = work(&mut tx).await;
        let WriteTx { mut connection, head, .. } = tx;
        let done = match done {
            Ok(value) => connection.commit().await.map(|()| value),
            Err(error) => Err(error),
        };
        match done {
            Ok(value) => {
                self.connection = Some(connection);
                if let Some(head) = head {
                    self.head.send_replace(head);
                }
                Ok(value)
            }
            Err(error) => {
                // Some failures make the engine roll back by itself; then this fails, and a new connection is
                // safest.
                match connection.rollback().await {
                    Ok(()) => self.connection = Some(connection),
                    Err(rollback) => {
                        tracing::warn!(
                            error = &rollback as &dyn std::error::Error,
                            "replacing the writing connection"
                        );
                        connection.discard();
                    }
                }
                Err(error)
            }
        }
    }
}

impl WriteTx {
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
