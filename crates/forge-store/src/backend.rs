//! What differs between database engines: how one is opened, how a transaction begins and ends, how its errors
//! read.
//!
//! Every statement is one text for all engines, with `$1` parameters; [`on!`](crate::backend::on) runs it on
//! whichever is there. Another engine is another variant here and another folder of migrations.

mod postgres;
mod sqlite;

use forge_model::Seq;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgPool, Postgres};
use sqlx::sqlite::{Sqlite, SqlitePool};

use crate::{Place, StoreError};

pub(crate) use postgres::{create_schema, listen};
pub(crate) use sqlite::create_private;

/// How many connections read at once.
const READERS: u32 = 4;

/// Connections to one database.
#[derive(Debug, Clone)]
pub(crate) enum Pool {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

/// One of a pool's connections; it goes back when it is dropped.
#[derive(Debug)]
pub(crate) enum Connection {
    Sqlite(PoolConnection<Sqlite>),
    Postgres(PoolConnection<Postgres>),
}

/// By what the database itself knows a transaction, for the case that its end is not heard.
#[derive(Debug)]
pub(crate) struct Ticket(String);

/// Runs a statement on whichever engine the connection leads to.
macro_rules! on {
    ($connection:expr, |$db:ident| $statement:expr) => {
        match $connection {
            $crate::backend::Connection::Sqlite(pooled) => {
                let $db = &mut **pooled;
                $statement
            }
            $crate::backend::Connection::Postgres(pooled) => {
                let $db = &mut **pooled;
                $statement
            }
        }
    };
}
pub(crate) use on;

impl Pool {
    /// The pool for writing, which holds one connection, and the pool for reading. Connects to neither.
    pub(crate) async fn open(place: &Place) -> Result<(Self, Self), StoreError> {
        match place {
            Place::Sqlite(path) => {
                let refused = |source: std::io::Error| StoreError::open(place, source);
                create_private(path).await.map_err(refused)?;
                let (writer, readers) = sqlite::pools(path);
                Ok((Self::Sqlite(writer), Self::Sqlite(readers)))
            }
            Place::Postgres(url) => {
                let (writer, readers) = postgres::pools(url);
                Ok((Self::Postgres(writer), Self::Postgres(readers)))
            }
        }
    }

    /// Connections to a database that has to be there, and that nothing is changed in.
    pub(crate) fn open_to_read(place: &Place) -> Self {
        match place {
            Place::Sqlite(path) => Self::Sqlite(sqlite::reader(path)),
            Place::Postgres(url) => Self::Postgres(postgres::pools(url).1),
        }
    }

    /// A connection, as soon as one is free. Fails soon where the server cannot be reached.
    pub(crate) async fn connect(&self) -> Result<Connection, StoreError> {
        self.acquire(false).await
    }

    /// The first connection: a server that starts too is waited for.
    pub(crate) async fn connect_first(&self) -> Result<Connection, StoreError> {
        self.acquire(true).await
    }

    async fn acquire(&self, at_start: bool) -> Result<Connection, StoreError> {
        match self {
            Self::Sqlite(pool) => pool.acquire().await.map(Connection::Sqlite),
            Self::Postgres(pool) => match postgres::acquire(pool, at_start).await {
                // Nobody but us uses the pool, so it is the server that kept us waiting.
                Err(source @ sqlx::Error::PoolTimedOut) => {
                    return Err(StoreError::Away { what: "connect", source });
                }
                acquired => acquired.map(Connection::Postgres),
            },
        }
        .map_err(StoreError::query("connect"))
    }

    /// Opens all connections to a file in advance: whoever reads must not fail because no file can be opened any more.
    /// Those to a server are opened when they are needed.
    pub(crate) async fn fill(&self) -> Result<(), StoreError> {
        let mut open = Vec::new();
        if let Self::Sqlite(pool) = self {
            for _ in 0..pool.options().get_max_connections() {
                open.push(self.connect().await?);
            }
        }
        Ok(())
    }

    /// How many connections are open, and how many of them are in use.
    pub(crate) fn count(&self) -> (u32, u32) {
        let (open, idle) = match self {
            Self::Sqlite(pool) => (pool.size(), pool.num_idle()),
            Self::Postgres(pool) => (pool.size(), pool.num_idle()),
        };
        (open, open.saturating_sub(u32::try_from(idle).unwrap_or(u32::MAX)))
    }

    /// Waits until every connection has come back and is closed.
    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            Self::Postgres(pool) => pool.close().await,
        }
    }
}

impl Connection {
    /// Makes this connection, as long as it lives, the one through which the database is written by a server.
    /// A file needs nothing: whose it is, the lock on its folder says.
    pub(crate) async fn take(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(db) => postgres::take(db).await,
        }
    }

    /// Begins a transaction that no other can write beside: events get their numbers in the order of their
    /// commits.
    pub(crate) async fn begin(&mut self) -> Result<Option<Ticket>, StoreError> {
        match self {
            Self::Sqlite(db) => sqlx::query("BEGIN IMMEDIATE").execute(&mut **db).await.map(|_done| None),
            Self::Postgres(db) => postgres::begin(db).await.map(|ticket| Some(Ticket(ticket))),
        }
        .map_err(StoreError::query("begin a transaction"))
    }

    /// Begins a transaction that reads everything as it is at its first statement.
    pub(crate) async fn begin_reading(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(db) => sqlx::query("BEGIN").execute(&mut **db).await.map(drop),
            Self::Postgres(db) => {
                let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
                sqlx::query(begin).execute(&mut **db).await.map(drop)
            }
        }
        .map_err(StoreError::query("begin to read"))
    }

    /// Commits, and tells every server on the database how far the log goes now.
    pub(crate) async fn commit(&mut self, head: Option<Seq>) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(db) => sqlx::query("COMMIT").execute(&mut **db).await.map(drop),
            Self::Postgres(db) => postgres::commit(db, head).await,
        }
        .map_err(StoreError::query("commit"))
    }

    /// Marks where the next part of a transaction begins, in place of where the one before it began if `again`.
    pub(crate) async fn set_savepoint(&mut self, again: bool) -> Result<(), StoreError> {
        let set = if again { "RELEASE SAVEPOINT part; SAVEPOINT part" } else { "SAVEPOINT part" };
        on!(self, |db| sqlx::raw_sql(set).execute(db).await.map(drop))
            .map_err(StoreError::query("set a savepoint"))
    }

    /// Undoes what was done since.
    pub(crate) async fn undo_to_savepoint(&mut self) -> Result<(), StoreError> {
        on!(self, |db| sqlx::raw_sql("ROLLBACK TO SAVEPOINT part").execute(db).await.map(drop))
            .map_err(StoreError::query("undo to a savepoint"))
    }

    pub(crate) async fn rollback(&mut self) -> Result<(), StoreError> {
        on!(self, |db| sqlx::query("ROLLBACK").execute(db).await.map(drop))
            .map_err(StoreError::query("roll back"))
    }

    /// Whether a transaction was committed whose end was not heard. Waits until it has ended.
    pub(crate) async fn was_committed(&mut self, ticket: &Ticket) -> Result<bool, StoreError> {
        match self {
            Self::Sqlite(_) => Ok(false),
            Self::Postgres(db) => postgres::was_committed(db, &ticket.0)
                .await
                .map_err(StoreError::query("find out how a transaction ended")),
        }
    }

    /// Lets rows refer to others that come later in the same transaction.
    pub(crate) async fn trust_references(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(db) => {
                sqlx::query("PRAGMA defer_foreign_keys = ON").execute(&mut **db).await.map(drop)
            }
            Self::Postgres(db) => {
                sqlx::query("SET CONSTRAINTS ALL DEFERRED").execute(&mut **db).await.map(drop)
            }
        }
        .map_err(StoreError::query("trust references"))
    }

    /// Leaves a file that is one file, which can be read where nothing can be written.
    pub(crate) async fn seal(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(db) => {
                sqlx::query("PRAGMA journal_mode = DELETE").execute(&mut **db).await.map(drop)
            }
            Self::Postgres(_) => Ok(()),
        }
        .map_err(StoreError::query("seal the file"))
    }

    /// Closes the connection for good; the pool makes another when one is asked for.
    pub(crate) fn discard(mut self) {
        match &mut self {
            Self::Sqlite(pooled) => pooled.close_on_drop(),
            Self::Postgres(pooled) => pooled.close_on_drop(),
        }
    }
}

/// Whether somebody else held the database for too long.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::PoolTimedOut) || sqlite::is_busy(error)
}

/// Whether the connection to the database is lost, or there is none to be had.
pub(crate) fn is_away(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Io(_)) || postgres::is_away(error)
}

/// Whether the disk did not take what was written.
pub(crate) fn is_full(error: &sqlx::Error) -> bool {
    sqlite::is_full(error) || postgres::is_full(error)
}

/// Whether a file could not be opened: mostly because too many are open.
pub(crate) fn is_unopened(error: &sqlx::Error) -> bool {
    sqlite::is_unopened(error)
}

/// Whether the server has no TLS, or shows a certificate that is not to be trusted.
pub(crate) fn is_insecure(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Tls(_) => true,
        // As which the handshake tells what is wrong with what it was shown.
        sqlx::Error::Io(error) => error.kind() == std::io::ErrorKind::InvalidData,
        _ => false,
    }
}

/// Whether a text cannot be kept because of a zero byte in it.
pub(crate) fn is_zero_byte(error: &sqlx::Error) -> bool {
    postgres::is_zero_byte(error)
}
