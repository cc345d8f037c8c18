//! Looks at a database without changing anything: what `forge doctor` asks.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;

use crate::backend::{Connection, Pool};
use crate::migrate::{known, newest};
use crate::place::Place;
use crate::{PostgresUrl, StoreError};

/// What a look at a database shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The newest change to the schema that the database has seen, 0 when there is none yet.
    pub schema: i64,
    /// The newest that this program knows.
    pub known: i64,
    /// What the database itself finds wrong with it.
    pub damage: Vec<String>,
    /// The server that has it; a file has none.
    pub server: Option<Server>,
}

/// A PostgreSQL server, as it is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its version, as it says it.
    pub version: String,
    /// Its major version.
    pub major: i32,
    /// Whether what goes there and back is encrypted.
    pub encrypted: bool,
    /// Whether it runs on this machine.
    pub local: bool,
    /// How long it takes to answer.
    pub answers_in: Duration,
}

/// Looks at a database, also while a server uses it. Neither makes nor changes one.
///
/// # Errors
/// [`StoreError::Open`], [`StoreError::Connect`] or [`StoreError::Insecure`] when it cannot be read.
pub async fn check(place: &Place) -> Result<Checked, StoreError> {
    match place {
        Place::Sqlite(path) => check_file(place, path).await,
        Place::Postgres(url) => {
            let pool = Pool::open_to_read(place);
            let checked = check_server(&pool, url).await;
            pool.close().await;
            checked.map_err(|error| error.while_opening(place))
        }
    }
}

async fn check_file(place: &Place, path: &Path) -> Result<Checked, StoreError> {
    let options = SqliteConnectOptions::new().filename(path).read_only(true).disable_statement_logging();
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let is_closed = fs::metadata(log).map_or(true, |log| log.len() == 0);
    let checked = match read(&options).await {
        // SQLite shares a file with other users of the database, which it cannot make on a full disk. While the log
        // is empty, all is in the database, which is read without that file.
        Err(_) if is_closed => read(&options.immutable(true)).await,
        checked => checked,
    };
    checked.map_err(|source| StoreError::open(place, source))
}

async fn read(options: &SqliteConnectOptions) -> Result<Checked, sqlx::Error> {
    let mut database = options.connect().await?;
    let said: Vec<String> = sqlx::query_scalar("PRAGMA quick_check(10)").fetch_all(&mut database).await?;
    let schema: Option<i64> = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations WHERE success")
        .fetch_one(&mut database)
        .await?;
    Ok(Checked {
        schema: schema.unwrap_or(0),
        known: known(),
        damage: said.into_iter().filter(|line| line != "ok").collect(),
        server: None,
    })
}

async fn check_server(pool: &Pool, url: &PostgresUrl) -> Result<Checked, StoreError> {
    let mut connection = pool.connect().await?;
    let schema = newest(&mut connection).await?;
    let server = match &mut connection {
        Connection::Sqlite(_) => None,
        Connection::Postgres(db) => {
            let failed = StoreError::query("tell what it is");
            let (version, number, encrypted): (String, i32, bool) = sqlx::query_as(
                "SELECT current_setting('server_version'), current_setting('server_version_num')::int,
                        coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), FALSE)",
            )
            .fetch_one(&mut **db)
            .await
            .map_err(failed)?;
            let asked = Instant::now();
            sqlx::query("SELECT 1").execute(&mut **db).await.map_err(StoreError::query("answer"))?;
            let answers_in = asked.elapsed();
            Some(Server { version, major: number / 10_000, encrypted, local: url.is_local(), answers_in })
        }
    };
    Ok(Checked { schema, known: known(), damage: Vec::new(), server })
}
