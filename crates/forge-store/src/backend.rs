//! What differs between database engines: how one is opened, how a transaction begins, how its errors read.
//!
//! Every statement is one text for all engines, with `$1` parameters; [`on!`](crate::backend::on) runs it on
//! whichever is there. Another engine is another variant here and another folder of migrations.

use std::path::Path;
use std::time::Duration;

use sqlx::error::DatabaseError;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::pool::PoolConnection;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteError, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions, SqlSafeStr, Sqlite};

use crate::StoreError;

/// How many connections read at once.
const READERS: u32 = 4;
/// How long to wait for another program that holds the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
const SQLITE_BUSY: i32 = 5;

/// The changes to the schema, oldest first. A released one is never edited.
const MIGRATIONS: [(i64, &str, &str); 1] = [(1, "init", include_str!("../migrations/sqlite/0001_init.sql"))];

/// Connections to one database.
#[derive(Debug, Clone)]
pub(crate) enum Pool {
    Sqlite(SqlitePool),
}

/// One of a pool's connections; it goes back when it is dropped.
#[derive(Debug)]
pub(crate) enum Connection {
    Sqlite(PoolConnection<Sqlite>),
}

/// Runs a statement on whichever engine the connection leads to.
macro_rules! on {
    ($connection:expr, |$db:ident| $statement:expr) => {
        match $connection {
            $crate::backend::Connection::Sqlite(pooled) => {
                let $db = &mut **pooled;
                $statement
            }
        }
    };
}
pub(crate) use on;

/// The pool for writing, which holds one connection, and the pool for reading.
pub(crate) async fn open_sqlite(path: &Path) -> Result<(Pool, Pool), StoreError> {
    let refused =
        |source: Box<dyn std::error::Error + Send + Sync>| StoreError::Open { path: path.to_owned(), source };
    create_private(path).await.map_err(|source| refused(source.into()))?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .disable_statement_logging();
    let pool = |size| {
        // Without lifetimes the pool needs no task that looks after it: an idle store does nothing.
        SqlitePoolOptions::new()
            .max_connections(size)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
    };
    let writer = pool(1).connect_with(options.clone()).await.map_err(|source| refused(source.into()))?;
    migrate(&writer).await.map_err(|source| match source {
        MigrateError::VersionMissing(found) => StoreError::Newer { found, known: newest_schema() },
        source => refused(source.into()),
    })?;
    let readers = pool(READERS).connect_lazy_with(options.pragma("query_only", "ON"));
    Ok((Pool::Sqlite(writer), Pool::Sqlite(readers)))
}

/// The newest change to the schema that this program knows.
pub(crate) fn newest_schema() -> i64 {
    MIGRATIONS.iter().map(|(version, ..)| *version).max().unwrap_or(0)
}

/// Makes the file before the engine does, so that nobody but its owner can ever read it. The engine gives its
/// side files the same mode.
async fn create_private(path: &Path) -> std::io::Result<()> {
    tokio::fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path).await?;
    Ok(())
}

async fn migrate(pool: &SqlitePool) -> Result<(), MigrateError> {
    let migrations = MIGRATIONS
        .into_iter()
        .map(|(version, name, sql)| {
            Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
        })
        .collect();
    Migrator::with_migrations(migrations).run(pool).await
}

impl Pool {
    /// A connection, as soon as one is free.
    pub(crate) async fn connect(&self) -> Result<Connection, StoreError> {
        match self {
            Self::Sqlite(pool) => pool.acquire().await.map(Connection::Sqlite),
        }
        .map_err(StoreError::query("connect"))
    }

    /// Waits until every connection has come back and is closed.
    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
        }
    }
}

impl Connection {
    /// Begins a transaction that no other can write beside: events get their numbers in the order of their
    /// commits.
    pub(crate) async fn begin(&mut self) -> Result<(), StoreError> {
        let begin = match self {
            Self::Sqlite(_) => "BEGIN IMMEDIATE",
        };
        self.control(begin).await.map_err(StoreError::query("begin a transaction"))
    }

    pub(crate) async fn commit(&mut self) -> Result<(), StoreError> {
        self.control("COMMIT").await.map_err(StoreError::query("commit"))
    }

    pub(crate) async fn rollback(&mut self) -> Result<(), StoreError> {
        self.control("ROLLBACK").await.map_err(StoreError::query("roll back"))
    }

    /// Closes the connection for good; the pool makes another when one is asked for.
    pub(crate) fn discard(mut self) {
        match &mut self {
            Self::Sqlite(pooled) => pooled.close_on_drop(),
        }
    }

    async fn control(&mut self, statement: &'static str) -> Result<(), sqlx::Error> {
        on!(self, |db| sqlx::query(statement).execute(db).await.map(drop))
    }
}

/// Whether somebody else held the database for too long.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Database(error) => error
            .try_downcast_ref::<SqliteError>()
            .and_then(|error| error.code()?.parse::<i32>().ok())
            // The upper bytes tell variants of the same error apart.
            .is_some_and(|code| code & 0xff == SQLITE_BUSY),
        _ => false,
    }
}
