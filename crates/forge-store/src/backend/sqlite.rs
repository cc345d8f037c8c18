//! SQLite: a file with one writer and several readers.

use std::path::Path;
use std::time::Duration;

use sqlx::ConnectOptions;
use sqlx::error::DatabaseError;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteError, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

use super::READERS;

/// How long to wait for another program that holds the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How many rows the engine's thread may be ahead of the reader: each time it has to wait costs two changes of
/// thread, and a board has ten thousand rows.
const ROWS_AHEAD: usize = 1024;
const SQLITE_BUSY: i32 = 5;
const SQLITE_FULL: i32 = 13;
const SQLITE_CANTOPEN: i32 = 14;
/// Errors of writing, of growing the file that connections share, and of putting either on the disk.
const NOT_WRITTEN: [i32; 3] = [10 | 3 << 8, 10 | 19 << 8, 10 | 4 << 8];

pub(super) fn pools(path: &Path) -> (SqlitePool, SqlitePool) {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        // An answered commit outlasts a power loss (ADR 12).
        .synchronous(SqliteSynchronous::Full)
        // Without it macOS leaves what was synced in the cache of the disk. No other system knows the difference.
        .pragma("fullfsync", "ON")
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .row_buffer_size(ROWS_AHEAD)
        .disable_statement_logging();
    let pool = |size| {
        // Without lifetimes the pool needs no task that looks after it: an idle store does nothing.
        SqlitePoolOptions::new()
            .max_connections(size)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
    };
    let writer = pool(1).connect_lazy_with(options.clone());
    let readers = pool(READERS).connect_lazy_with(options.pragma("query_only", "ON"));
    (writer, readers)
}

/// For a file that has to be there, and that nothing is changed in.
pub(super) fn reader(path: &Path) -> SqlitePool {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .busy_timeout(BUSY_TIMEOUT)
        .disable_statement_logging();
    SqlitePoolOptions::new().max_connections(1).connect_lazy_with(options)
}

/// Makes the file before the engine does, so that nobody but its owner can ever read it. The engine gives its
/// side files the same mode.
pub(crate) async fn create_private(path: &Path) -> std::io::Result<()> {
    tokio::fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path).await?;
    Ok(())
}

pub(super) fn is_busy(error: &sqlx::Error) -> bool {
    code_of(error).is_some_and(|code| code & 0xff == SQLITE_BUSY)
}

/// The engine says "full" only for one of the reasons why a disk takes no more; a used-up share of it is another.
pub(super) fn is_full(error: &sqlx::Error) -> bool {
    code_of(error).is_some_and(|code| code & 0xff == SQLITE_FULL || NOT_WRITTEN.contains(&code))
}

pub(super) fn is_unopened(error: &sqlx::Error) -> bool {
    code_of(error).is_some_and(|code| code & 0xff == SQLITE_CANTOPEN)
}

/// The engine's number of the error. The upper bytes tell variants of the same error apart.
fn code_of(error: &sqlx::Error) -> Option<i32> {
    error.as_database_error()?.try_downcast_ref::<SqliteError>()?.code()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn writer_syncs_each_commit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("forge.db");
        create_private(&path).await.unwrap();
        let (writer, _readers) = pools(&path);
        let (mode,): (i64,) = sqlx::query_as("PRAGMA synchronous").fetch_one(&writer).await.unwrap();
        assert_eq!(mode, 2, "2 is FULL");
        let (full,): (bool,) = sqlx::query_as("PRAGMA fullfsync").fetch_one(&writer).await.unwrap();
        assert!(full, "macOS flushes the cache of the disk");
    }
}
