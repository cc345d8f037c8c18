//! A linked worktree: where one attempt's work lies.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::command::Call;
use crate::commit::CommitRules;
use crate::guard::Guard;
use crate::lock::Hold;
use crate::plain_file::{self, Links};
use crate::registration::Registration;
use crate::{Error, Oid, Repo, Result};

/// A worktree registered in its repository.
#[derive(Clone, Debug)]
pub struct Worktree {
    pub(crate) repo: Repo,
    path: PathBuf,
    admin_dir: PathBuf,
    /// In place of the worktree's own index.
    index: Option<PathBuf>,
    pub(crate) guard: Arc<Guard>,
    pub(crate) rules: CommitRules,
}

impl Repo {
    /// Opens a worktree that exists, for instance after a restart.
    pub async fn open_worktree(&self, path: &Path) -> Result<Worktree> {
        let path =
            std::fs::canonicalize(path).map_err(|_missing| Error::PathNotFound { path: path.to_owned() })?;
        let registration = self.registration(&path)?;
        self.guarded_worktree(path, registration).await
    }

    /// A worktree that runs no programs but those that were recorded for it.
    pub(crate) async fn guarded_worktree(
        &self,
        path: PathBuf,
        registration: Registration,
    ) -> Result<Worktree> {
        let settings = self.worktree_settings(&path, &registration.admin_dir).await?;
        let guard = self.guard(&path, &registration.admin_dir, &settings).await?;
        Worktree::new(self, path, registration, guard).without_changed_filters(&settings).await
    }
}

impl Worktree {
    pub(crate) fn new(repo: &Repo, path: PathBuf, registration: Registration, guard: Guard) -> Self {
        let admin_dir = registration.admin_dir;
        let (guard, rules) = (Arc::new(guard), CommitRules::default());
        Self { repo: repo.clone(), path, admin_dir, index: None, guard, rules }
    }

    /// A git that works here. It finds its repository by the registration and not by the `.git` file, which is in the
    /// hands of whoever works here, and runs no hooks and no programs but those that were recorded.
    pub(crate) fn call(&self) -> Call {
        self.call_in(&self.path)
    }

    /// Like [`Worktree::call`], with another folder in the place of the worktree's.
    pub(crate) fn call_in(&self, top: &Path) -> Call {
        self.call_at(top).args(["-c", "core.hooksPath=/dev/null"])
    }

    /// Like [`Worktree::call_in`], with hooks.
    pub(crate) fn call_at(&self, top: &Path) -> Call {
        let call = self.repo.git.call(top);
        let call = call.env("GIT_DIR", &self.admin_dir).env("GIT_WORK_TREE", top);
        let mut call = call.env("GIT_COMMON_DIR", self.repo.common_dir());
        if let Some(index) = &self.index {
            call = call.env("GIT_INDEX_FILE", index);
        }
        self.guard.overrides.iter().fold(call, |call, (key, value)| call.setting(key, value))
    }

    /// The same worktree; when told to stop, it gives up what it does, as [`Repo::until`] does.
    #[must_use]
    pub fn until(&self, stop: &CancellationToken) -> Self {
        Self { repo: self.repo.until(stop), ..self.clone() }
    }

    /// The same worktree; commits are made by these rules.
    #[must_use]
    pub fn with_rules(&self, rules: CommitRules) -> Self {
        Self { rules, ..self.clone() }
    }

    /// The same worktree with another index.
    pub(crate) fn with_index(&self, index: PathBuf) -> Self {
        Self { index: Some(index), ..self.clone() }
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

    /// Waits until it is the only one that changes this worktree.
    pub(crate) async fn hold(&self) -> Result<Hold> {
        self.repo.git.unless_stopped(Hold::exclusive(&self.lock_path())).await
    }

    /// How many files are checked out, as its index says in its head; 0 when that cannot be read.
    pub fn file_count(&self) -> u32 {
        let mut head = [0; 12];
        let index = self.admin_dir.join("index");
        let read = plain_file::open(&index, u64::MAX, Links::Followed)
            .and_then(|mut index| index.read_exact(&mut head));
        match (read, head) {
            (Ok(()), [b'D', b'I', b'R', b'C', _, _, _, _, count @ ..]) => u32::from_be_bytes(count),
            _ => 0,
        }
    }

    /// The commit that HEAD points to.
    pub async fn head(&self) -> Result<Oid> {
        self.call().args(["rev-parse", "--verify", "HEAD^{commit}"]).read().await?.ok()?.oid()
    }

    /// Whether anything differs from HEAD: staged, changed or untracked (not ignored). What the rules leave out of
    /// commits does not count.
    pub async fn is_dirty(&self) -> Result<bool> {
        if let Some(snapshot) = &self.rules.leave_out {
            return self.has_more_than_leftovers(snapshot).await;
        }
        let call = self.call().args(["status", "--porcelain=v2", "-z", "--no-renames"]);
        let call = call.arg("--ignore-submodules=dirty").filtering();
        Ok(!call.read().await?.ok()?.stdout.is_empty())
    }
}
