//! Who carries the transactions out: one connection, one after another.
//!
//! Whatever waits while one is done is done behind it in the same transaction of the database, each within a
//! savepoint of its own: one commit for all of them, and each is still there as a whole or not at all. Nobody is
//! answered before the commit.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use forge_model::{Seq, Timestamp};
use tokio::sync::{mpsc, watch};

use crate::StoreError;
use crate::backend::{Connection, Pool, Ticket};
use crate::measure::Counters;
use crate::node::Claim;
use crate::write::{Call, Job, WriteTx, announce};

/// How many are committed at once: the first of them waits for the last.
const TOGETHER: usize = 32;

/// How long to wait before a database that is away is asked again how a commit ended.
const ASK_AGAIN: Duration = Duration::from_millis(500);

/// Carries the transactions out.
pub(crate) struct Writer {
    pool: Pool,
    /// Where only a connection may write that holds the database for us: as which node, once it is known.
    claim: Option<Arc<OnceLock<Claim>>>,
    /// Kept between transactions; none after one went wrong in a way that leaves the connection's state
    /// unknown.
    connection: Option<Connection>,
    head: watch::Sender<Seq>,
    /// A commit whose answer was lost while the database could not be asked.
    unresolved: Option<Unresolved>,
    /// Whether there is one, for those who wait.
    is_unresolved: watch::Sender<bool>,
    counters: Arc<Counters>,
}

/// A transaction that was committed or not: the database knows, once it is back.
struct Unresolved {
    calls: Vec<Box<dyn Call>>,
    began: Instant,
    ticket: Ticket,
    head: Option<Seq>,
    /// How the loss of the answer was noticed.
    error: StoreError,
}

/// How a commit ended.
enum Ended {
    Known(Result<(), StoreError>),
    Unknown(Ticket, Option<Seq>, StoreError),
}

impl Writer {
    /// A writer with a connection.
    pub(crate) async fn connect(
        pool: Pool,
        claim: Option<Arc<OnceLock<Claim>>>,
        head: watch::Sender<Seq>,
        is_unresolved: watch::Sender<bool>,
        counters: Arc<Counters>,
    ) -> Result<Self, StoreError> {
        let unresolved = None;
        let mut writer = Self { pool, claim, connection: None, head, unresolved, is_unresolved, counters };
        let first = writer.pool.connect_first().await?;
        writer.connection = Some(writer.claimed(first).await?);
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
                None if self.unresolved.is_some() => {
                    match tokio::time::timeout(ASK_AGAIN, waiting.recv()).await {
                        Ok(Some(job)) => job,
                        Ok(None) => return,
                        Err(_elapsed) => {
                            drop(self.resolve().await);
                            continue;
                        }
                    }
                }
                None => match waiting.recv().await {
                    Some(job) => job,
                    None => return,
                },
            };
            match job {
                // Nothing is written before it is known how the last commit ended: what follows may build on it.
                Job::Write(call) => match self.resolve().await {
                    Ok(()) if call.begin() => next = self.transact(call, &mut waiting).await,
                    Ok(()) => {}
                    Err(error) => self.answer(vec![call], Instant::now(), &Err(error)),
                },
                Job::Close(closed) => {
                    if let Some(unresolved) = self.unresolved.take() {
                        self.answer(unresolved.calls, unresolved.began, &Err(StoreError::Unknown));
                    }
                    self.connection = None;
                    self.pool.close().await;
                    drop(closed);
                }
            }
        }
    }

    /// Asks the database how a commit ended whose answer was lost, and answers those who wait for it. Fails as long as
    /// the database cannot be asked.
    async fn resolve(&mut self) -> Result<(), StoreError> {
        let Some(unresolved) = self.unresolved.take() else { return Ok(()) };
        match self.was_committed(&unresolved.ticket).await {
            Ok(is_committed) => {
                let ended = if is_committed {
                    self.moved(unresolved.head);
                    Ok(())
                } else {
                    Err(unresolved.error)
                };
                tracing::info!(is_committed, "the outcome of a commit whose answer was lost is known");
                self.is_unresolved.send_replace(false);
                self.answer(unresolved.calls, unresolved.began, &ended);
                Ok(())
            }
            Err(error) => {
                self.unresolved = Some(unresolved);
                Err(error)
            }
        }
    }

    async fn new_connection(&mut self) -> Result<Connection, StoreError> {
        let connection = self.pool.connect().await?;
        self.claimed(connection).await
    }

    /// The same connection, through which alone is written.
    async fn claimed(&mut self, mut connection: Connection) -> Result<Connection, StoreError> {
        if let Err(error) = self.take(&mut connection).await {
            connection.discard();
            return Err(error);
        }
        Ok(connection)
    }

    async fn take(&mut self, connection: &mut Connection) -> Result<(), StoreError> {
        let Some(claim) = &self.claim else { return Ok(()) };
        connection.take().await?;
        match claim.get() {
            Some(claim) => claim.renew(connection).await,
            None => Ok(()),
        }
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
                Ended::Known(Err(error))
            }
        };
        match ended {
            Ended::Known(ended) => self.answer(calls, began, &ended),
            Ended::Unknown(ticket, head, error) => {
                self.unresolved = Some(Unresolved { calls, began, ticket, head, error });
                self.is_unresolved.send_replace(true);
            }
        }
        next
    }

    fn answer(&self, calls: Vec<Box<dyn Call>>, began: Instant, ended: &Result<(), StoreError>) {
        self.counters.committed(began.elapsed());
        for call in calls {
            call.answer(ended.as_ref().copied().map_err(StoreError::again), began, &self.counters);
        }
    }

    async fn commit(&mut self, tx: WriteTx, ticket: Option<Ticket>) -> Ended {
        let head = tx.head;
        let mut connection = tx.into_connection();
        let error = match connection.commit(head).await {
            Ok(()) => {
                self.connection = Some(connection);
                self.moved(head);
                return Ended::Known(Ok(()));
            }
            Err(error) => error,
        };
        self.give_up(connection).await;
        // The answer to a commit can be lost after the commit was made.
        let (StoreError::Away { .. }, Some(ticket)) = (&error, ticket) else {
            return Ended::Known(Err(error));
        };
        match self.was_committed(&ticket).await {
            Ok(true) => {
                self.moved(head);
                Ended::Known(Ok(()))
            }
            Ok(false) => Ended::Known(Err(error)),
            Err(away) => {
                tracing::error!(
                    error = &away as &dyn std::error::Error,
                    "whether a commit was made before its connection was lost is not known until the database is back"
                );
                Ended::Unknown(ticket, head, error)
            }
        }
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

    async fn was_committed(&mut self, ticket: &Ticket) -> Result<bool, StoreError> {
        let mut connection = self.new_connection().await?;
        match connection.was_committed(ticket).await {
            Ok(committed) => {
                self.connection = Some(connection);
                Ok(committed)
            }
            Err(error) => {
                connection.discard();
                Err(error)
            }
        }
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
        if !call.begin() {
            continue;
        }
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
                    StoreError::NotFound { .. }
                        | StoreError::Conflict { .. }
                        | StoreError::TaskClosed
                        | StoreError::ZeroByte
                );
                return (None, Err(if refused { lost } else { error }));
            }
        }
    }
    (None, Ok(()))
}
