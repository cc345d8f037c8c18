//! Who carries the transactions out: one connection, one after another.
//!
//! Whatever waits while one is done is done behind it in the same transaction of the database, each within a
//! savepoint of its own: one commit for all of them, and each is still there as a whole or not at all. Nobody is
//! answered before the commit.

use std::sync::Arc;
use std::time::Instant;

use forge_model::{Seq, Timestamp};
use tokio::sync::{mpsc, watch};

use crate::StoreError;
use crate::backend::{Connection, Pool, Ticket};
use crate::measure::Counters;
use crate::write::{Call, Job, WriteTx, announce};

/// How many are committed at once: the first of them waits for the last.
const TOGETHER: usize = 32;

/// Carries the transactions out.
pub(crate) struct Writer {
    pool: Pool,
    /// Whether only a connection may write that holds the database for us.
    alone: bool,
    /// Kept between transactions; none after one went wrong in a way that leaves the connection's state
    /// unknown.
    connection: Option<Connection>,
    head: watch::Sender<Seq>,
    counters: Arc<Counters>,
}

impl Writer {
    /// A writer with a connection.
    pub(crate) async fn connect(
        pool: Pool,
        alone: bool,
        head: watch::Sender<Seq>,
        counters: Arc<Counters>,
    ) -> Result<Self, StoreError> {
        let mut writer = Self { pool, alone, connection: None, head, counters };
        writer.connection = Some(writer.new_connection().await?);
        Ok(writer)
    }

    /// For what is done before there are transactions.
    pub(crate) fn db(&mut self) -> Result<&mut Connection, StoreError> {
        self.connection.as_mut().ok_or(StoreError::Closed)
    }

    /// Does what is asked until nobody can ask any more.
    pub(crate) async fn run(mut self, mut waiting: mpsc::Receiver<Job>) {
        let mut next = None;
        loop {
            let job = match next.take() {
                Some(job) => job,
                None => match waiting.recv().await {
                    Some(job) => job,
                    None => return,
                },
            };
            match job {
                Job::Write(call) => next = self.transact(call, &mut waiting).await,
                Job::Close(closed) => {
                    self.connection = None;
                    self.pool.close().await;
                    drop(closed);
                }
            }
        }
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

    /// Does `first` and what waits behind it, and answers all of them. Gives back what it took from the queue and did
    /// not do.
    async fn transact(&mut self, mut first: Box<dyn Call>, waiting: &mut mpsc::Receiver<Job>) -> Option<Job> {
        let began = Instant::now();
        let (connection, ticket) = match self.begin().await {
            Ok(begun) => begun,
            Err(error) => {
                self.answer(vec![first], began, &Err(error));
                return None;
            }
        };
        let mut tx = WriteTx::new(connection);
        if first.run(&mut tx).await.is_err() {
            // Alone in its transaction: the ordinary way to undo it.
            self.give_up(tx.into_connection()).await;
            self.answer(vec![first], began, &Ok(()));
            return None;
        }
        let mut calls = vec![first];
        let (next, joined) = join(&mut tx, &mut calls, waiting).await;
        let ended = match joined {
            Ok(()) => self.commit(tx, ticket).await,
            Err(error) => {
                self.give_up(tx.into_connection()).await;
                Err(error)
            }
        };
        self.answer(calls, began, &ended);
        next
    }

    fn answer(&self, calls: Vec<Box<dyn Call>>, began: Instant, ended: &Result<(), StoreError>) {
        self.counters.committed(began.elapsed());
        for call in calls {
            call.answer(ended.as_ref().copied().map_err(StoreError::again), began, &self.counters);
        }
    }

    async fn commit(&mut self, tx: WriteTx, ticket: Option<Ticket>) -> Result<(), StoreError> {
        let head = tx.head;
        let mut connection = tx.into_connection();
        let error = match connection.commit(head).await {
            Ok(()) => {
                self.connection = Some(connection);
                self.moved(head);
                return Ok(());
            }
            Err(error) => error,
        };
        self.give_up(connection).await;
        // The answer to a commit can be lost after the commit was made.
        if let (StoreError::Away { .. }, Some(ticket)) = (&error, ticket)
            && self.was_committed(&ticket).await
        {
            self.moved(head);
            return Ok(());
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

/// Does what waits in the same transaction, behind what is in `calls` already. Fails when the transaction is not to be
/// had any more, and nothing of it is kept then.
async fn join(
    tx: &mut WriteTx,
    calls: &mut Vec<Box<dyn Call>>,
    waiting: &mut mpsc::Receiver<Job>,
) -> (Option<Job>, Result<(), StoreError>) {
    while calls.len() < TOGETHER
        && let Ok(job) = waiting.try_recv()
    {
        let Job::Write(mut call) = job else { return (Some(job), Ok(())) };
        if let Err(error) = tx.db().set_savepoint(calls.len() > 1).await {
            return (Some(Job::Write(call)), Err(error));
        }
        let head = tx.head;
        tx.now = Timestamp::now();
        let came_to = call.run(tx).await;
        calls.push(call);
        if let Err(error) = came_to {
            tx.head = head;
            // Some failures, such as of a full disk, end the whole transaction: they are everybody's then. A refusal is
            // its caller's alone.
            if let Err(lost) = tx.db().undo_to_savepoint().await {
                let refused = matches!(
                    error,
                    StoreError::NotFound { .. } | StoreError::Conflict { .. } | StoreError::ZeroByte
                );
                return (None, Err(if refused { lost } else { error }));
            }
        }
    }
    (None, Ok(()))
}
