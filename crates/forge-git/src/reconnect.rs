//! Reconnecting a worktree whose folder is there with a repository that was moved or has pruned its registration.

use std::fs;
use std::path::Path;

use crate::lock::Hold;
use crate::registration::{Registration, link_to, linked_to};
use crate::remove::resolve_parent;
use crate::snapshot::UNSEEN;
use crate::{Error, Repo, Result, Worktree};

impl Repo {
    /// Makes the folder at `path` a worktree of this repository again. Its files stay as they are.
    ///
    /// A registration that names the folder is linked again: the repository was moved. Without one it is registered anew
    /// on `branch`: somebody pruned it while the folder was away. A folder that is a worktree of another repository, or
    /// never was a worktree, is refused.
    pub async fn reconnect_worktree(&self, path: &Path, branch: &str) -> Result<Worktree> {
        let (repo, path, branch) = (self.clone(), path.to_owned(), branch.to_owned());
        self.git.see_through(async move { repo.reconnect(&path, &branch).await }).await
    }

    async fn reconnect(self, path: &Path, branch: &str) -> Result<Worktree> {
        let path = resolve_parent(path);
        let not_one = || Error::NotAWorktree { path: path.clone() };
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|entry| entry.is_dir());
        let former = linked_to(&path).filter(|_| is_folder).ok_or_else(not_one)?;
        let hold = self.git.unless_stopped(Hold::exclusive(&self.lock_path())).await?;
        if let Ok(registration) = self.registration(&path) {
            return self.guarded_worktree(path, registration).await;
        }
        // It belongs to a repository that is where it was.
        if former.exists() {
            return Err(not_one());
        }
        if let Some(registration) = self.registrations_naming(&path).into_iter().next() {
            link_to(&path, &registration)?;
            let registration = self.registration(&path)?;
            return self.guarded_worktree(path, registration).await;
        }
        let registration = self.register_again(&path, branch).await?;
        let worktree = self.guarded_worktree(path, registration).await?;
        let reset = worktree.call().args(UNSEEN).args(["reset", "--quiet", "--mixed", "--no-refresh"]);
        reset.write_with_hooks(&hold).await?.ok()?;
        Ok(worktree)
    }

    async fn register_again(&self, path: &Path, branch: &str) -> Result<Registration> {
        if !self.has_branch(branch).await? {
            return Err(Error::BranchNotFound { name: branch.to_owned(), suggestions: Vec::new() });
        }
        if self.is_checked_out(branch).await? {
            return Err(Error::BranchInUse { branch: branch.to_owned() });
        }
        if self.needs_git_to_register() {
            return Err(Error::NotAWorktree { path: path.to_owned() });
        }
        self.register(path, branch)
    }
}
