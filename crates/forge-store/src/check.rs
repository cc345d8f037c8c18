//! Looks at a database without changing anything: what `forge doctor` asks.

use std::path::Path;

use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;

use crate::StoreError;
use crate::migrate::known;
use crate::place::Place;

/// What a look at a database shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The newest change to the schema that the database has seen.
    pub schema: i64,
    /// The newest that this program knows.
    pub known: i64,
    /// What the database itself finds wrong with it.
    pub damage: Vec<String>,
}

/// Looks at the SQLite database at `path`, also while a server uses it. Neither makes nor changes one.
///
/// # Errors
/// [`StoreError::Open`] when it cannot be read.
pub async fn check(path: &Path) -> Result<Checked, StoreError> {
    let options = SqliteConnectOptions::new().filename(path).read_only(true).disable_statement_logging();
    let place = Place::Sqlite(path.to_owned());
    let refused = |source: sqlx::Error| StoreError::open(&place, source);
    let mut database = options.connect().await.map_err(refused)?;
    let said: Vec<String> =
        sqlx::query_scalar("PRAGMA quick_check(10)").fetch_all(&mut database).await.map_err(refused)?;
    let schema: Option<i64> = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations WHERE success")
        .fetch_one(&mut database)
        .await
        .map_err(refused)?;
    Ok(Checked {
        schema: schema.unwrap_or(0),
        known: known(),
        damage: said.into_iter().filter(|line| line != "ok").collect(),
    })
}
