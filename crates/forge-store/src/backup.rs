//! Backups: a file that is a SQLite database, whichever engine the rows came from and go to.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::backend::{Connection, Pool, create_private, on};
use crate::{Place, StoreError, copy, event, migrate, node};

const EXISTS: &str = "there is a database already";

/// Writes all rows, as they are at one moment, into a new file. A server may go on writing meanwhile.
///
/// # Errors
/// [`StoreError::Conflict`] when there is a file of this name; otherwise when the database cannot be read or the
/// file cannot be written. Then there is none.
pub async fn backup(place: &Place, file: &Path) -> Result<(), StoreError> {
    if file.exists() {
        return Err(StoreError::Conflict { what: "there is a file of this name already" });
    }
    let draft = Draft::beside(file).await?;
    let pool = Pool::open_to_read(place);
    let written = match (pool.connect().await, place) {
        (Ok(mut db), Place::Sqlite(_)) => copy_file(&mut db, &draft).await,
        (Ok(db), Place::Postgres(_)) => copy_rows(place, db, &draft).await,
        (Err(error), _) => Err(error.while_opening(place)),
    };
    pool.close().await;
    written?;
    draft.keep(file).await
}

/// Makes a database out of a backup, also one of an older Forge.
///
/// # Errors
/// [`StoreError::Conflict`] when there is a database already, [`StoreError::Taken`] when a server has it,
/// [`StoreError::Newer`] when a newer Forge wrote the
/// backup; otherwise when the file is no backup or the database cannot be written. Then nothing of it is there.
pub async fn restore(place: &Place, file: &Path) -> Result<(), StoreError> {
    let from = Place::Sqlite(file.to_owned());
    let pool = Pool::open_to_read(&from);
    let restored = match pool.connect().await {
        Ok(mut db) => restore_from(&from, &mut db, place).await,
        Err(error) => Err(error.while_opening(&from)),
    };
    pool.close().await;
    restored
}

/// The engine's own way, which is the fastest.
async fn copy_file(db: &mut Connection, draft: &Draft) -> Result<(), StoreError> {
    let path = draft.path.to_string_lossy().into_owned();
    on!(db, |db| sqlx::query("VACUUM INTO $1").bind(path).execute(db).await.map(drop))
        .map_err(StoreError::query("write the backup"))
}

async fn copy_rows(place: &Place, mut from: Connection, draft: &Draft) -> Result<(), StoreError> {
    let version = version(place, &mut from).await?;
    on!(&mut from, |db| sqlx::query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        .execute(db)
        .await
        .map(drop))
    .map_err(StoreError::query("begin a transaction"))?;
    let copied = fill(&mut from, version, &Place::Sqlite(draft.path.clone()), Then::Seal).await;
    from.discard();
    copied
}

async fn restore_from(from: &Place, db: &mut Connection, place: &Place) -> Result<(), StoreError> {
    let version = version(from, db).await?;
    match place {
        Place::Sqlite(path) if path.exists() => Err(StoreError::Conflict { what: EXISTS }),
        Place::Sqlite(path) => {
            let draft = Draft::beside(path).await?;
            fill(db, version, &Place::Sqlite(draft.path.clone()), Then::Update).await?;
            draft.keep(path).await
        }
        Place::Postgres(_) => fill(db, version, place, Then::Update).await,
    }
}

/// What is done with a database when the rows are in it.
#[derive(Debug, Clone, Copy)]
enum Then {
    /// It is a backup.
    Seal,
    /// It is used.
    Update,
}

/// Makes the schema that `from` has, and copies its rows.
async fn fill(from: &mut Connection, version: i64, place: &Place, then: Then) -> Result<(), StoreError> {
    let (writers, unused) = Pool::open(place).await?;
    let filled = match writers.connect().await {
        Ok(mut to) => {
            let filled = fill_all(from, &mut to, place, version, then).await;
            // A transaction that is open still goes with its connection.
            to.discard();
            filled
        }
        Err(error) => Err(error.while_opening(place)),
    };
    writers.close().await;
    unused.close().await;
    filled
}

async fn fill_all(
    from: &mut Connection,
    to: &mut Connection,
    place: &Place,
    version: i64,
    then: Then,
) -> Result<(), StoreError> {
    // No server may run on it.
    to.take().await?;
    let found = migrate::newest(to).await?;
    // One that a restore was interrupted on, or that was never used, is as good as none.
    if found != 0 && (found != version || event::newest(to).await? != 0) {
        return Err(StoreError::Conflict { what: EXISTS });
    }
    migrate::run(place, to, Some(version)).await?;
    to.begin().await?;
    to.trust_references().await?;
    copy::everything(from, to).await?;
    to.commit(None).await?;
    match then {
        Then::Seal => to.seal().await,
        Then::Update => {
            migrate::run(place, to, None).await?;
            node::renew_identity(to).await
        }
    }
}

/// Which schema a database has that is to be copied.
async fn version(place: &Place, db: &mut Connection) -> Result<i64, StoreError> {
    let found = migrate::newest(db).await.map_err(|error| error.while_opening(place))?;
    let known = migrate::known();
    match found {
        0 => Err(StoreError::open(place, "it holds nothing of Forge's")),
        found if found > known => Err(StoreError::Newer { found, known }),
        found => Ok(found),
    }
}

/// A file that is whole when it gets its name. One that never gets it is removed.
struct Draft {
    path: PathBuf,
}

impl Draft {
    async fn beside(file: &Path) -> Result<Self, StoreError> {
        let mut name = file.file_name().map(OsString::from).unwrap_or_default();
        name.push(format!(".{}.partial", Uuid::new_v4()));
        let path = file.with_file_name(name);
        create_private(&path).await.map_err(|source| StoreError::File { path: path.clone(), source })?;
        Ok(Self { path })
    }

    async fn keep(self, file: &Path) -> Result<(), StoreError> {
        let failed = |source| StoreError::File { path: file.to_owned(), source };
        tokio::fs::File::open(&self.path).await.map_err(failed)?.sync_all().await.map_err(failed)?;
        tokio::fs::rename(&self.path, file).await.map_err(failed)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        for end in ["", "-wal", "-shm"] {
            let mut path = self.path.clone().into_os_string();
            path.push(end);
            // What has got its name, or was never made, is not there.
            drop(std::fs::remove_file(path));
        }
    }
}
