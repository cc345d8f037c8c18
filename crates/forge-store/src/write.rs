//! The one way in: a queue of transactions that one task carries out.
//!
//! A caller that is dropped takes nothing with it: what stands in the queue is done as a whole and announced,
//! what was not yet queued never happens.

use std::pin::Pin;

use forge_model::{Fact, Seq, Timestamp};
use tokio::sync::{mpsc, oneshot, watch};

use crate::backend::{Connection, Pool, Ticket, on};
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
pub(crate) struct Writer {
    pool: Pool,
    /// Whether only a connection may write that holds the database for us.
    alone: bool,
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
    /// A queue and the task that empties it.
    pub(crate) fn start(mut writer: Writer) -> Self {
        let (jobs, mut waiting) = mpsc::channel::<Job>(QUEUE);
        #[expect(
            clippy::disallowed_methods,
            reason = "the task ends with the store: when it is closed, or when its last clone is dropped"
        )]
        tokio::spawn(async move {
            while let Some(job) = waiting.recv().await {
                job(&mut writer).await;
            }
        });
        Self { jobs }
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
    /// A writer with a connection.
    pub(crate) async fn connect(
        pool: Pool,
        alone: bool,
        head: watch::Sender<Seq>,
    ) -> Result<Self, StoreError> {
        let mut writer = Self { pool, alone, connection: None, head };
        writer.connection = Some(writer.new_connection().await?);
        Ok(writer)
    }

    /// For what is done before there are transactions.
    pub(crate) fn db(&mut self) -> Result<&mut Connection, StoreError> {
        self.connection.as_mut().ok_or(StoreError::Closed)
    }

    async fn new_connection(&self) -> Result<Connection, StoreError> {
        let mut connection = self.pool.connect().await?;
        if self.alone
            && let Err(error) = connection.take().await
        {
            connection.discard();
            return Err(error);
        }
        Ok(connection)
    }

    /// A connection on which a transaction has begun.
    async fn begin(&mut self) -> Result<(Connection, Option<Ticket>), StoreError> {
        if let Some(mut connection) = self.connection.take() {
            match connection.begin().await {
                Ok(ticket) => return Ok((connection, ticket)),
                // Lost while nobody used it. Nothing was done on it, so another one can do it.
                Err(StoreError::Away { .. }) => connection.discard(),
                Err(error) => {
                    connection.discard();
                    return Err(error);
                }
            }
        }
        let mut connection = self.new_connection().await?;
        match connection.begin().await {
            Ok(ticket) => Ok((connection, ticket)),
            Err(error) => {
                connection.discard();
                Err(error)
            }
        }
    }

    async fn transact<T, W>(&mut self, work: W) -> Result<T, StoreError>
    where
        W: for<'t> FnOnce(&'t mut WriteTx) -> Doing<'t, Result<T, StoreError>>,
    {
        let (connection, ticket) = self.begin().await?;
        let mut tx = WriteTx { connection, head: None, now: Timestamp::now() };
        let done = work(&mut tx).await;
        let WriteTx { mut connection, head, .. } = tx;
        let (value, error) = match done {
            Ok(value) => match connection.commit(head).await {
                Ok(()) => {
                    self.connection = Some(connection);
                    self.moved(head);
                    return Ok(value);
                }
                Err(error) => (Some(value), error),
            },
            Err(error) => (None, error),
        };
        self.give_up(connection).await;
        // The answer to a commit can be lost after the commit was made.
        if let (Some(value), StoreError::Away { .. }, Some(ticket)) = (value, &error, ticket)
            && self.was_committed(&ticket).await
        {
            self.moved(head);
            return Ok(value);
        }
        Err(error)
    }

    fn moved(&self, head: Option<Seq>) {
        if let Some(head) = head {
            announce(&self.head, head);
        }
    }

    /// Undoes what was begun. Some failures make the engine roll back by itself; then this fails, and a new
    /// connection is safest.
    async fn give_up(&mut self, mut connection: Connection) {
        match connection.rollback().await {
            Ok(()) => self.connection = Some(connection),
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "replacing the writing connection");
                connection.discard();
            }
        }
    }

    async fn was_committed(&mut self, ticket: &Ticket) -> bool {
        let asked = match self.new_connection().await {
            Ok(mut connection) => match connection.was_committed(ticket).await {
                Ok(committed) => {
                    self.connection = Some(connection);
                    Ok(committed)
                }
                Err(error) => {
                    connection.discard();
                    Err(error)
                }
            },
            Err(error) => Err(error),
        };
        asked.unwrap_or_else(|error| {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "whether a commit was made before its connection was lost cannot be found out"
            );
            false
        })
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
