//! Files that are read or written as a whole: whoever reads one reads all of it, whatever happens while it is written.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::Mutex;

use crate::error::{Error, Result};

/// A document that is held in memory and kept in a file.
pub(crate) struct Kept<T> {
    path: PathBuf,
    now: RwLock<Arc<T>>,
    /// Held by who changes it: a change is of what the one before it left.
    changing: Mutex<()>,
}

impl<T> Kept<T> {
    pub(crate) fn new(path: PathBuf, now: T) -> Self {
        Self { path, now: RwLock::new(Arc::new(now)), changing: Mutex::new(()) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn now(&self) -> Arc<T> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Makes it what `change` makes of it. It is on the disk before anybody sees it.
    pub(crate) async fn change(
        &self,
        change: impl FnOnce(&T) -> Result<(T, String)> + Send,
    ) -> Result<Arc<T>> {
        let _turn = self.changing.lock().await;
        let (new, text) = change(&self.now())?;
        let path = self.path.clone();
        off_runtime(move || write(&path, &text)).await?;
        let new = Arc::new(new);
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&new);
        Ok(new)
    }
}

/// Does what would keep the runtime from its other work.
pub(crate) async fn off_runtime<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|failed| Err(Error::internal("work with files ended badly").because(failed)))
}

/// What is in a file; none where there is no file.
pub(crate) fn read(path: &Path) -> Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_source| {
            Error::invalid("file_unreadable", format!("{} is not text", path.display()))
                .hint("mend the file, or move it away")
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let message = format!("{} cannot be read: {error}", path.display());
            Err(Error::lacking(&message)
                .unwrap_or_else(|| Error::unavailable("file_not_readable", message).hint("see who owns it")))
        }
    }
}

/// Makes a file what `text` says: all of it, or nothing. A link stays one, and who may read the file stays as it is.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_not_there| path.to_owned());
    try_write(&path, text).map_err(|error| {
        let message = format!("{} cannot be written: {error}", path.display());
        Error::lacking(&message).unwrap_or_else(|| {
            Error::unavailable("file_not_writable", message).hint("see who owns it and its folder")
        })
    })
}

fn try_write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(folder)?;
    let mode = fs::metadata(path).map_or(0o600, |there| there.permissions().mode() & 0o777);
    let mut name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let draft = folder.join(name);
    let written = (|| {
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.set_permissions(fs::Permissions::from_mode(mode))?;
        file.sync_all()?;
        fs::rename(&draft, path)?;
        fs::File::open(folder)?.sync_all()
    })();
    if written.is_err() {
        // A draft that cannot be removed either is in nobody's way.
        fs::remove_file(&draft).ok();
    }
    written
}

/// Moves a file that cannot be understood aside, so that a new one does not overwrite what somebody may mend.
pub(crate) fn set_aside(path: &Path, why: &str) {
    let aside = path.with_extension("json.unreadable");
    let (from, to) = (path.display(), aside.display());
    match fs::rename(path, &aside) {
        Ok(()) => tracing::warn!("{from} is not understood and was moved to {to}: {why}"),
        Err(error) => tracing::warn!(%error, "{from} is not understood: {why}; nor can it be moved: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_stays_a_link_and_rights_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("real/file"), folder.path().join("link"));
        write(&file, "one").unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, "two").unwrap();
        assert_eq!(read(&file).unwrap().unwrap(), "two");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(folder.path().join("real")).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn changes_at_once_are_all_made() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::new(folder.path().join("n"), 0);
        let all = (0..50).map(|_| kept.change(|now| Ok((now + 1, (now + 1).to_string()))));
        for done in futures::future::join_all(all).await {
            done.unwrap();
        }
        assert_eq!((*kept.now(), read(kept.path()).unwrap().unwrap().as_str()), (50, "50"));
        let refused = kept.change(|_| Err(Error::invalid("no", "no"))).await;
        assert_eq!((refused.unwrap_err().code(), *kept.now()), ("no", 50));
    }
}
