//! Backups: a file that is a SQLite database, whichever engine the rows came from and go to.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::backend::{Connection, Pool, create_private, on};
use crate::{Place, StoreError, copy, event, migrate};

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
    let (writers, readers) = open_existing(place).await?;
    let written = match place {
        Place::Sqlite(_) => copy_file(&writers, &draft).await,
        Place::Postgres(_) => copy_rows(&readers, &draft).await,
    };
    readers.close().await;
    writers.close().await;
    written?;
    draft.keep(file).await
}

/// Makes a database out of a backup, also one of an older Forge.
///
/// # Errors
/// [`StoreError::Conflict`] when there is a database already, [`StoreError::Newer`] when a newer Forge wrote the
/// backup; otherwise when the file is no backup or the database cannot be written. Then nothing of it is there.
pub async fn restore(place: &Place, file: &Path) -> Result<(), StoreError> {
    let from = Place::Sqlite(file.to_owned());
    let (unused, readers) = open_existing(&from).await?;
    let restored = match place {
        Place::Sqlite(path) => restore_file(&from, &readers, path).await,
        Place::Postgres(_) => restore_server(&from, &readers, place).await,
    };
    readers.close().await;
    unused.close().await;
    restored
}

/// The engine's own way, which is the fastest.
async fn copy_file(writers: &Pool, draft: &Draft) -> Result<(), StoreError> {
    let path = draft.path.to_string_lossy().into_owned();
    let mut db = writers.connect().await?;
    on!(&mut db, |db| sqlx::query("VACUUM INTO $1").bind(path).execute(db).await.map(drop))
        .map_err(StoreError::query("write the backup"))
}

async fn copy_rows(readers: &Pool, draft: &Draft) -> Result<(), StoreError> {
    let mut from = readers.connect().await?;
    on!(&mut from, |db| sqlx::query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        .execute(db)
        .await
        .map(drop))
    .map_err(StoreError::query("begin a transaction"))?;
    let copied = fill(&mut from, &Place::Sqlite(draft.path.clone()), false).await;
    from.rollback().await?;
    copied
}

async fn restore_file(from: &Place, readers: &Pool, path: &Path) -> Result<(), StoreError> {
    if path.exists() {
        return Err(StoreError::Conflict { what: "there is a database already" });
    }
    let draft = Draft::beside(path).await?;
    let mut source = readers.connect().await.map_err(|error| error.while_opening(from))?;
    check_backup(from, &mut source).await?;
    fill(&mut source, &Place::Sqlite(draft.path.clone()), true).await?;
    draft.keep(path).await
}

async fn restore_server(from: &Place, readers: &Pool, place: &Place) -> Result<(), StoreError> {
    let mut source = readers.connect().await.map_err(|error| error.while_opening(from))?;
    check_backup(from, &mut source).await?;
    fill(&mut source, place, true).await
}

/// Makes the schema that `from` has, copies its rows, and then brings the schema up to date if asked to.
async fn fill(from: &mut Connection, place: &Place, update: bool) -> Result<(), StoreError> {
    let version = migrate::newest(from).await?;
    let (writers, unused) = Pool::open(place).await?;
    let filled = match writers.connect().await {
        Ok(mut to) => {
            let filled = fill_all(from, &mut to, place, version, update).await;
            // A transaction that is open still goes with its connection.
            to.discard();
            filled
        }
        Err(error) => Err(error),
    };
    writers.close().await;
    unused.close().await;
    filled.map_err(|error| error.while_opening(place))
}

async fn fill_all(
    from: &mut Connection,
    to: &mut Connection,
    place: &Place,
    version: i64,
    update: bool,
) -> Result<(), StoreError> {
    let found = migrate::newest(to).await?;
    // One that a restore was interrupted on, or that was never used, is as good as none.
    if found != 0 && (found != version || event::newest(to).await? != 0) {
        return Err(StoreError::Conflict { what: "there is a database already" });
    }
    migrate::run(place, to, Some(version)).await?;
    to.begin().await?;
    to.trust_references().await?;
    copy::everything(from, to).await?;
    to.commit(None).await?;
    if update {
        migrate::run(place, to, None).await?;
    }
    Ok(())
}

/// Connections to a database that has to be there.
async fn open_existing(place: &Place) -> Result<(Pool, Pool), StoreError> {
    if let Place::Sqlite(path) = place
        && let Err(source) = tokio::fs::metadata(path).await
    {
        return Err(StoreError::open(place, source));
    }
    Pool::open(place).await
}

/// That a file is what a backup is, before anything is made out of it.
async fn check_backup(place: &Place, db: &mut Connection) -> Result<(), StoreError> {
    let found = migrate::newest(db).await.map_err(|error| error.while_opening(place))?;
    if found == 0 {
        return Err(StoreError::open(place, "it is no backup of Forge"));
    }
    let known = migrate::known();
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    Ok(())
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
