//! A repository, opened at its top folder.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Mutex as Turn;
use tokio_util::sync::CancellationToken;

use crate::command::Call;
use crate::{Error, Git, Result};

/// A repository: the top of a working tree, main or linked, or a bare repository.
#[derive(Clone, Debug)]
pub struct Repo {
    pub(crate) git: Git,
    path: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    pub(crate) turn: Arc<Turn<()>>,
}

impl Git {
    /// Opens the repository whose top folder is `path`.
    pub async fn open(&self, path: &Path) -> Result<Repo> {
        let path = std::path::absolute(path).map_err(Error::io("resolve", path))?;
        match fs::metadata(&path) {
            Err(_) => return Err(Error::PathNotFound { path }),
            Ok(entry) if !entry.is_dir() => return Err(Error::NotADirectory { path }),
            Ok(_) => {}
        }
        let call = self.call(&path).args(["rev-parse", "--is-bare-repository", "--show-prefix"]);
        let output =
            call.args(["--path-format=absolute", "--git-dir", "--git-common-dir"]).read().await?.ok()?;
        // A path may hold a line break, so the answer is taken apart by what must hold.
        let text = output.stdout.strip_suffix(b"\n").unwrap_or(&output.stdout);
        let (bare, text) = split_line(text).ok_or_else(|| output.unreadable())?;
        let Some((b"", dirs)) = split_line(text) else { return Err(Error::NotTheTop { path }) };
        let (git_dir, common_dir) = split_dirs(dirs).ok_or_else(|| output.unreadable())?;
        let is_git_dir = bare == b"true" && fs::canonicalize(&path).is_ok_and(|path| path == common_dir);
        if !is_git_dir && fs::symlink_metadata(path.join(".git")).is_err() {
            return Err(Error::NotTheTop { path });
        }
        let turn = self.turn(&common_dir);
        Ok(Repo { git: self.clone(), path, git_dir, common_dir, turn })
    }
}

impl Repo {
    /// The same repository; when told to stop, it gives up what it does with [`Error::Stopped`] and kills the user's
    /// programs that git runs.
    #[must_use]
    pub fn until(&self, stop: &CancellationToken) -> Self {
        Self { git: self.git.until(stop), ..self.clone() }
    }

    /// The folder it was opened at.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A git in the repository itself, without its hooks.
    pub(crate) fn call(&self) -> Call {
        self.git.call(&self.path).args(["-c", "core.hooksPath=/dev/null"])
    }

    /// Like [`Repo::call`], in the repository's own checkout whatever its settings say about it: an agent can write to them.
    pub(crate) fn call_in_checkout(&self) -> Call {
        if fs::symlink_metadata(self.path.join(".git")).is_err() {
            return self.call();
        }
        self.call().env("GIT_DIR", &self.git_dir).env("GIT_WORK_TREE", &self.path)
    }

    /// The folder with the objects and refs: equal for two folders of the same repository.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Where git keeps what belongs to this working tree alone.
    pub(crate) fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The lock that starts share and recovery takes alone.
    pub(crate) fn lock_path(&self) -> PathBuf {
        self.common_dir.join("forge-lock")
    }
}

fn split_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| *byte == b'\n')?;
    let (line, rest) = text.split_at(end);
    Some((line, rest.get(1..)?))
}

/// Cuts `<git dir>\n<common dir>` where both halves are folders.
fn split_dirs(text: &[u8]) -> Option<(PathBuf, PathBuf)> {
    let folder = |bytes: &[u8]| fs::canonicalize(std::ffi::OsStr::from_bytes(bytes)).ok();
    let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    breaks
        .filter_map(|(at, _)| Some((folder(text.get(..at)?)?, folder(text.get(at + 1..)?)?)))
        .find(|(git_dir, common_dir)| git_dir.is_dir() && common_dir.is_dir())
}
