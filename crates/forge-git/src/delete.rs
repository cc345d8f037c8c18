//! Deleting one file of a worktree, as a commit.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::lock::Hold;
use crate::{Error, Oid, Result, Worktree};

impl Worktree {
    /// Deletes the file at `path`, which is relative to the worktree, and commits that alone. None when there was
    /// nothing to commit, because no commit had the file.
    ///
    /// The caller has saved what is in the worktree as `saved`. If the commit cannot be made, the file is put back.
    pub async fn delete_file(&self, path: &Path, message: &str, saved: &Oid) -> Result<Option<Oid>> {
        let (worktree, path) = (self.clone(), self.inside(path)?);
        let (message, saved) = (message.to_owned(), saved.clone());
        self.repo.git.see_through(async move { worktree.delete(&path, &message, &saved).await }).await
    }

    /// Looks whether [`Worktree::delete_file`] may delete the file, without doing it.
    pub async fn may_delete(&self, path: &Path) -> Result<()> {
        let path = self.inside(path)?;
        self.known(&path).await.map(drop)
    }

    async fn delete(self, path: &Path, message: &str, saved: &Oid) -> Result<Option<Oid>> {
        let hold = self.hold().await?;
        if let Some(operation) = self.operation() {
            return Err(Error::InProgress { operation });
        }
        let tracked = self.known(path).await?;
        self.clear_index_lock().await?;
        let file = self.path().join(path);
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Error::io("delete", file)(error));
            }
            _ => {}
        }
        let committed = self.commit_deletion(path, tracked, message, &hold).await;
        if committed.is_err() {
            // Also after a stop, which leaves the lock of the git that was killed.
            let worktree = self.until(&CancellationToken::new());
            worktree.clear_index_lock().await?;
            let raw = worktree.is_raw(path, saved).await?;
            let call =
                if raw { worktree.raw_call() } else { worktree.call() }.args(["restore", "--worktree"]);
            let call = call.arg(format!("--source={saved}")).arg("--").arg(literal(path));
            call.write_with_hooks(&hold).await?.ok()?;
        }
        committed
    }

    async fn commit_deletion(
        &self,
        path: &Path,
        tracked: bool,
        message: &str,
        hold: &Hold,
    ) -> Result<Option<Oid>> {
        if !tracked {
            return Ok(None);
        }
        let call = || self.call();
        let listed = call().args(["--literal-pathspecs", "ls-tree", "-z", "HEAD", "--"]).arg(path);
        if listed.read().await?.ok()?.stdout.is_empty() {
            // Somebody staged it, but it is in no commit.
            call()
                .args(["rm", "--cached", "--quiet", "--force", "--"])
                .arg(literal(path))
                .write(hold)
                .await?
                .ok()?;
            return Ok(None);
        }
        let only = [std::ffi::OsString::from("--only"), "--".into(), literal(path)];
        self.commit_with(&only, message, hold).await.map(Some)
    }

    /// The path in one spelling, if what it names can be nothing but a file of this worktree.
    fn inside(&self, path: &Path) -> Result<PathBuf> {
        let refused = |reason| Error::PathRefused { path: path.to_owned(), reason };
        let mut plain = PathBuf::new();
        for component in path.components() {
            match component {
                Component::Normal(name) if is_gits(name.as_bytes()) => {
                    return Err(refused("it is git's own"));
                }
                Component::Normal(name) => plain.push(name),
                Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(refused("it leaves the worktree"));
                }
            }
        }
        if plain.as_os_str().is_empty() || plain.as_os_str().as_bytes().contains(&0) {
            return Err(refused("it is not the path of a file"));
        }
        for folder in plain.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
            match fs::symlink_metadata(self.path().join(folder)) {
                Ok(entry) if entry.is_symlink() => return Err(refused("a link on its way leads elsewhere")),
                _ => {}
            }
        }
        if fs::symlink_metadata(self.path().join(&plain)).is_ok_and(|entry| entry.is_dir()) {
            return Err(refused("it is a folder"));
        }
        Ok(plain)
    }

    /// Whether the index has the file; if not, it is an untracked one. An ignored file is refused, because nothing of
    /// it would have been saved.
    async fn known(&self, path: &Path) -> Result<bool> {
        let call = self.call().args(["--literal-pathspecs", "ls-files", "-z", "-t"]);
        let call = call.args(["--cached", "--others", "--exclude-standard", "--deduplicate", "--"]);
        let output = call.arg(path).read().await?.ok()?;
        let mut records = output.stdout.split(|byte| *byte == 0).filter(|record| !record.is_empty());
        let record = records.find(|record| record.get(2..) == Some(path.as_os_str().as_bytes()));
        match record.and_then(|record| record.first()) {
            Some(b'?') => Ok(false),
            // Not checked out.
            Some(b'S') => Err(Error::FileNotFound { path: path.to_owned() }),
            Some(_) => Ok(true),
            None if fs::symlink_metadata(self.path().join(path)).is_ok() => {
                Err(Error::PathRefused { path: path.to_owned(), reason: "git ignores it" })
            }
            None => Err(Error::FileNotFound { path: path.to_owned() }),
        }
    }
}

/// Whether a name is one of those by which some filesystem finds git's own folder.
fn is_gits(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b".git") || name.eq_ignore_ascii_case(b"git~1")
}

/// The path as a pathspec that means nothing but itself.
fn literal(path: &Path) -> std::ffi::OsString {
    let mut spec = std::ffi::OsString::from(":(top,literal)");
    spec.push(path);
    spec
}
