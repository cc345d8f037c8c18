//! PostgreSQL: a server that others may write through too, and that may go away and come back.
//!
//! Everything lies in the schema `forge`, so that a database which is somebody else's too is no accident.

use std::io;
use std::pin::pin;
use std::time::Duration;

use forge_model::Seq;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{
    PgConnection, PgDatabaseError, PgListener, PgPool, PgPoolOptions, PgSeverity, Postgres,
};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection as _, Row};
use tokio::sync::{Semaphore, watch};

use super::READERS;
use crate::{PostgresUrl, StoreError};

/// How long a caller waits for a connection to a server that does not answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// When a server is asked by a connection of its own whether it can be reached, while the pool waits for one.
const PROBE_AFTER: Duration = Duration::from_millis(500);
/// How long that connection may take.
const PROBE_TIMEOUT: Duration = Duration::from_millis(1400);
/// How many such connections there are at once, of all callers.
const PROBES: usize = 4;
static PROBING: Semaphore = Semaphore::const_new(PROBES);
/// How long to wait before a server that refuses is asked again to tell what is new.
const RECONNECT: Duration = Duration::from_secs(1);
/// On which the newest event's position is told.
const CHANNEL: &str = "forge_event";
/// Two numbers that PostgreSQL can lock in each database; nothing about them matters but that others use others.
/// The first is held by the server whose database it is.
const OWNER: i64 = 0x466f_7267_6501;
/// The second by whoever writes, for as long as a transaction takes.
const WRITER: i64 = 0x466f_7267_6502;
/// How long the session of a server that is gone may take to be gone too.
const TAKE_TIMEOUT_MS: u64 = 10_000;

/// `lock_not_available`: another session has the lock.
const LOCKED: &str = "55P03";
/// `character_not_in_repertoire`: the one that a text of ours can hold is the zero byte.
const NOT_IN_REPERTOIRE: &str = "22021";
const DISK_FULL: &str = "53100";
/// `too_many_connections`: ours may be let in when others have left.
const FULL: &str = "53300";
/// A server that stops, crashed or starts; a connection that broke.
const AWAY: [&str; 7] = ["57P01", "57P02", "57P03", "08000", "08003", "08006", "53300"];

pub(super) fn pools(url: &PostgresUrl) -> (PgPool, PgPool) {
    let options = (*url.options)
        .clone()
        .application_name("forge")
        // Whatever the server's own settings are: what was answered, and what readers were shown, is kept.
        .options([("search_path", "forge"), ("synchronous_commit", "on"), ("client_min_messages", "warning")])
        .disable_statement_logging();
    let pool = |size| {
        PgPoolOptions::new()
            .max_connections(size)
            .acquire_timeout(CONNECT_TIMEOUT)
            .idle_timeout(None)
            .max_lifetime(None)
    };
    let writer = pool(1).test_before_acquire(false).connect_lazy_with(options.clone());
    // One more, which listens. Tested before use: the server may have been away meanwhile.
    let readers =
        pool(READERS + 1).connect_lazy_with(options.options([("default_transaction_read_only", "on")]));
    (writer, readers)
}

/// A connection of the pool, as soon as one is free. The pool itself waits long for a server that cannot be reached, and
/// does not tell why; so another connection finds that out. Where Forge starts, it waits as long as the pool does, for a
/// server that starts too.
pub(super) async fn acquire(pool: &PgPool, at_start: bool) -> Result<PoolConnection<Postgres>, sqlx::Error> {
    let mut acquiring = pin!(pool.acquire());
    let mut cause = None;
    loop {
        let probed = tokio::select! {
            acquired = &mut acquiring => return match (acquired, cause) {
                (Err(sqlx::Error::PoolTimedOut), Some(cause)) => Err(cause),
                (acquired, _) => acquired,
            },
            probed = probe(pool) => probed,
        };
        match probed {
            Ok(()) => cause = None,
            Err(error) if has_code(&error, &[FULL]) => cause = Some(error),
            Err(error) if at_start && super::is_away(&error) => cause = Some(error),
            Err(error) => return Err(error),
        }
    }
}

/// Whether the server can be reached, as far as that is known: while enough others ask, it is not.
#[expect(clippy::disallowed_methods, reason = "the pool does not tell that it tries in vain")]
async fn probe(pool: &PgPool) -> Result<(), sqlx::Error> {
    tokio::time::sleep(PROBE_AFTER).await;
    let Ok(_place) = PROBING.try_acquire() else { return Ok(()) };
    let options = pool.connect_options();
    let Ok(connected) = tokio::time::timeout(PROBE_TIMEOUT, PgConnection::connect_with(&options)).await
    else {
        return Err(sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, "the server does not answer")));
    };
    connected?.close().await
}

/// Makes the schema where it is missing. Where it is there, nobody needs the right to make one.
pub(crate) async fn create_schema(db: &mut PgConnection) -> Result<(), sqlx::Error> {
    let (missing,): (bool,) =
        sqlx::query_as("SELECT to_regnamespace('forge') IS NULL").fetch_one(&mut *db).await?;
    if missing {
        sqlx::query("CREATE SCHEMA IF NOT EXISTS forge").execute(&mut *db).await?;
    }
    Ok(())
}

/// Holds the database as long as the connection lives, also after `kill -9`.
pub(super) async fn take(db: &mut PgConnection) -> Result<(), StoreError> {
    let take = format!(
        "SET lock_timeout = {TAKE_TIMEOUT_MS}; SELECT pg_advisory_lock({OWNER}); SET lock_timeout = 0"
    );
    match sqlx::raw_sql(AssertSqlSafe(take)).execute(db).await {
        Ok(_done) => Ok(()),
        Err(error) if has_code(&error, &[LOCKED]) => Err(StoreError::Taken),
        Err(error) => Err(StoreError::query("take the database")(error)),
    }
}

/// Begins a transaction as soon as no other writes, and tells by which number the server knows it. The lock is
/// let go of after the commit can be seen, so who gets it next sees the newest event.
pub(super) async fn begin(db: &mut PgConnection) -> Result<String, sqlx::Error> {
    let begin = format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED;
         SELECT pg_advisory_xact_lock({WRITER});
         SELECT pg_current_xact_id()::text"
    );
    let rows = sqlx::raw_sql(AssertSqlSafe(begin)).fetch_all(db).await?;
    rows.last().ok_or(sqlx::Error::RowNotFound)?.try_get(0)
}

/// One trip for both: what is told is told with the commit, or not at all.
pub(super) async fn commit(db: &mut PgConnection, head: Option<Seq>) -> Result<(), sqlx::Error> {
    match head {
        Some(head) => {
            let commit = format!("SELECT pg_notify('{CHANNEL}', '{head}'); COMMIT");
            sqlx::raw_sql(AssertSqlSafe(commit)).execute(db).await.map(drop)
        }
        None => sqlx::query("COMMIT").execute(db).await.map(drop),
    }
}

/// A transaction of ours begins when the one in question has ended.
pub(super) async fn was_committed(db: &mut PgConnection, ticket: &str) -> Result<bool, sqlx::Error> {
    begin(&mut *db).await?;
    let (status,): (Option<String>,) =
        sqlx::query_as("SELECT pg_xact_status($1::text::xid8)").bind(ticket).fetch_one(&mut *db).await?;
    sqlx::query("ROLLBACK").execute(db).await?;
    Ok(status.is_some_and(|status| status == "committed"))
}

/// Moves the head when anybody commits, until nobody looks at it any more or the pool is closed. What was told
/// while there was no connection is made up for by looking how far the log goes once there is one again.
pub(crate) async fn listen(pool: PgPool, head: watch::Sender<Seq>) {
    loop {
        let listened = tokio::select! {
            () = head.closed() => return,
            listened = listen_once(&pool, &head) => listened,
        };
        match listened {
            Ok(()) => {}
            Err(sqlx::Error::PoolClosed) => return,
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the database does not tell what is new; trying again"
                );
                if tokio::time::timeout(RECONNECT, head.closed()).await.is_ok() {
                    return;
                }
            }
        }
    }
}

/// Listens as long as the connection lives.
async fn listen_once(pool: &PgPool, head: &watch::Sender<Seq>) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    let (newest,): (Seq,) =
        sqlx::query_as("SELECT coalesce(max(seq), 0) FROM event").fetch_one(&mut listener).await?;
    crate::write::announce(head, newest);
    while let Some(told) = listener.try_recv().await? {
        if let Ok(seq) = told.payload().parse() {
            crate::write::announce(head, seq);
        }
    }
    Ok(())
}

pub(super) fn is_away(error: &sqlx::Error) -> bool {
    // What the server says last before it ends a session for reasons of its own.
    let fatal = |error: &PgDatabaseError| matches!(error.severity(), PgSeverity::Fatal | PgSeverity::Panic);
    has_code(error, &AWAY) && database_error(error).is_some_and(fatal)
}

pub(super) fn is_full(error: &sqlx::Error) -> bool {
    has_code(error, &[DISK_FULL])
}

pub(super) fn is_zero_byte(error: &sqlx::Error) -> bool {
    has_code(error, &[NOT_IN_REPERTOIRE])
}

fn has_code(error: &sqlx::Error, codes: &[&str]) -> bool {
    database_error(error).is_some_and(|error| codes.contains(&error.code()))
}

fn database_error(error: &sqlx::Error) -> Option<&PgDatabaseError> {
    error.as_database_error()?.try_downcast_ref()
}
