//! A linked worktree: where one attempt's work lies.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::registration::Registration;
use crate::{Error, Oid, Repo, Result};

/// A worktree registered in its repository.
#[derive(Clone, Debug)]
pub struct Worktree {
    pub(crate) repo: Repo,
    path: PathBuf,
    admin_dir: PathBuf,
}

impl Repo {
    /// Opens a worktree that exists, for instance after a restart.
    pub fn open_worktree(&self, path: &Path) -> Result<Worktree> {
        let path =
            std::fs::canonicalize(path).map_err(|_missing| Error::PathNotFound { path: path.to_owned() })?;
        let registration = self.registration(&path)?;
        Ok(Worktree::new(self, path, registration))
    }
}

impl Worktree {
    pub(crate) fn new(repo: &Repo, path: PathBuf, registration: Registration) -> Self {
        Self { repo: repo.clone(), path, admin_dir: registration.admin_dir }
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The repository it belongs to.
    pub fn repo(&self) -> &Repo {
        &self.repo
    }

    /// Where git keeps its index and HEAD.
    pub(crate) fn admin_dir(&self) -> &Path {
        &self.admin_dir
    }

    /// The lock that changes of this worktree take alone.
    pub(crate) fn lock_path(&self) -> PathBuf {
        self.admin_dir.join("forge-lock")
    }

    /// How many files are checked out, as its index says in its head; 0 when that cannot be read.
    pub fn file_count(&self) -> u32 {
        let mut head = [0; 12];
        let read = File::open(self.admin_dir.join("index")).and_then(|mut index| index.read_exact(&mut head));
        match (read, head) {
            (Ok(()), [b'D', b'I', b'R', b'C', _, _, _, _, count @ ..]) => u32::from_be_bytes(count),
            _ => 0,
        }
    }

    /// The commit that HEAD points to.
    pub async fn head(&self) -> Result<Oid> {
        let call = self.repo.git.call(&self.path).args(["rev-parse", "--verify", "HEAD^{commit}"]);
        call.read().await?.ok()?.oid()
    }

    /// Whether anything differs from HEAD: staged, changed or untracked (not ignored).
    pub async fn is_dirty(&self) -> Result<bool> {
        let call = self.repo.git.call(&self.path).args(["status", "--porcelain=v2", "-z", "--no-renames"]);
        Ok(!call.read().await?.ok()?.stdout.is_empty())
    }
}
