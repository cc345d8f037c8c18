//! The database as its owner looks after it: backups, and changes to its schema.

use std::collections::BTreeMap;
use std::path::Path;

use forge_store::{Place, PostgresUrl, Store};

use crate::engine::database as place;
use crate::error::{Error, Result};
use crate::folder::Folder;

/// The changes to the schema that the database has not seen yet, as number and name. Changes nothing.
///
/// # Errors
/// When a newer Forge wrote the database, or it cannot be read.
pub async fn pending(data: &Path, url: Option<&PostgresUrl>) -> Result<Vec<(i64, &'static str)>> {
    Ok(forge_store::pending(&place(data, url)).await?)
}

/// Makes those changes.
///
/// # Errors
/// When a server runs on the database, or it cannot be changed.
pub async fn migrate(data: &Path, url: Option<&PostgresUrl>) -> Result<()> {
    let place = place(data, url);
    let _held = hold(data, &place)?;
    Store::open_alone(&place).await?.close().await;
    Ok(())
}

/// Writes all rows into a new file, also while a server runs.
///
/// # Errors
/// When there is such a file, it cannot be written, or the database cannot be read.
pub async fn backup(data: &Path, url: Option<&PostgresUrl>, file: &Path) -> Result<()> {
    Ok(forge_store::backup(&place(data, url), file).await?)
}

/// How many rows each table has, also while a server runs.
///
/// # Errors
/// When the database cannot be read.
pub async fn count_rows(data: &Path, url: Option<&PostgresUrl>) -> Result<BTreeMap<String, i64>> {
    Ok(forge_store::count_rows(&place(data, url)).await?)
}

/// Makes a database out of such a file where there is none.
///
/// # Errors
/// When there is a database, a server runs on it, or the file is no backup.
pub async fn restore(data: &Path, url: Option<&PostgresUrl>, file: &Path) -> Result<()> {
    let place = place(data, url);
    let _held = hold(data, &place)?;
    let restored = forge_store::restore(&place, file).await;
    if restored.is_ok() {
        // The database is this folder's from here on.
        crate::node::forget_binding(data)?;
    }
    restored.map_err(|error| match error {
        forge_store::StoreError::Conflict { what } => {
            Error::conflict("database_exists", format!("{what}: {place}")).hint(match &place {
                Place::Sqlite(_) => "move it away, or choose another folder with --data",
                Place::Postgres(_) => {
                    "remove its schema `forge`, or choose another database with DATABASE_URL"
                }
            })
        }
        other => other.into(),
    })
}

/// A file is held with its folder, as a server does; a server's database holds itself.
fn hold(data: &Path, place: &Place) -> Result<Option<Folder>> {
    match place {
        Place::Sqlite(_) => Folder::take(data, &data.join("worktrees")).map(Some),
        Place::Postgres(_) => Ok(None),
    }
}
