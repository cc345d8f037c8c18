//! Removing a worktree: out of the way at once, deleted by the caller when there is time.

use std::fs;
use std::path::{Path, PathBuf};

use crate::lock::Hold;
use crate::{Error, Repo, Result};

/// What becomes of the branch when its worktree is removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchFate {
    /// It stays, with its commits.
    Keep,
    /// It is deleted. Whoever asks for this has saved its commits under another ref.
    Delete(String),
}

impl Repo {
    /// Unregisters a worktree and moves its folder to `trash`, a name on the same filesystem that
    /// does not exist yet. A folder that is gone already is only unregistered. Nothing but a worktree
    /// of this repository is ever touched.
    pub async fn remove_worktree(&self, path: &Path, trash: &Path, branch: BranchFate) -> Result<()> {
        let (repo, path, trash) = (self.clone(), path.to_owned(), trash.to_owned());
        self.git.see_through(async move { repo.remove(path, &trash, branch).await }).await
    }

    async fn remove(self, path: PathBuf, trash: &Path, branch: BranchFate) -> Result<()> {
        let hold = Hold::shared(&self.lock_path()).await?;
        if fs::symlink_metadata(&path).is_ok() {
            let path = fs::canonicalize(&path).map_err(Error::io("resolve", &path))?;
            let registration = self.registration(&path)?;
            if let Some(reason) = registration.lock_reason() {
                return Err(Error::WorktreeLocked { path, reason });
            }
            move_away(&path, trash)?;
            registration.remove(&self).await?;
        } else {
            let path = resolve_parent(&path);
            let registrations = self.registrations_naming(&path);
            if registrations.is_empty() && branch == BranchFate::Keep {
                return Err(Error::NotAWorktree { path });
            }
            for registration in registrations {
                registration.remove(&self).await?;
            }
        }
        match branch {
            BranchFate::Keep => Ok(()),
            BranchFate::Delete(branch) => self.delete_branch(&branch, &hold).await,
        }
    }

    /// Deletes a branch with its commits; one that does not exist is fine, and one that a worktree has checked out
    /// is refused.
    pub async fn delete_branch_if_unused(&self, branch: &str) -> Result<()> {
        let (repo, branch) = (self.clone(), branch.to_owned());
        let delete = async move {
            let hold = Hold::shared(&repo.lock_path()).await?;
            repo.delete_branch(&branch, &hold).await
        };
        self.git.see_through(delete).await
    }

    /// Deletes a branch and its config; one that does not exist is fine.
    pub(crate) async fn delete_branch(&self, branch: &str, hold: &Hold) -> Result<()> {
        {
            let _turn = self.turn.lock().await;
            let call = self.call().args(["branch", "--quiet", "-D", "--", branch]);
            let output = call.write(hold).await?;
            if output.stderr.contains("used by worktree at") || output.stderr.contains("checked out at") {
                return Err(Error::BranchInUse { branch: branch.to_owned() });
            }
            if !output.status.success() && !output.stderr.contains("not found") {
                return Err(output.into_error());
            }
        }
        // Git gives up on the config in silence when another one holds its lock.
        self.forget_branch_config(branch, hold).await
    }
}

/// Renames a folder into the trash.
pub(crate) fn move_away(path: &Path, trash: &Path) -> Result<()> {
    if let Some(parent) = trash.parent() {
        fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
    }
    if fs::symlink_metadata(trash).is_ok() {
        return Err(Error::NameTaken { name: trash.display().to_string() });
    }
    fs::rename(path, trash).map_err(Error::io("move to the trash", path))
}

/// The path with its parent resolved, as registrations spell it.
pub(crate) fn resolve_parent(path: &Path) -> PathBuf {
    let resolved = path.parent().and_then(|parent| fs::canonicalize(parent).ok()).zip(path.file_name());
    resolved.map_or_else(|| path.to_owned(), |(parent, name)| parent.join(name))
}
