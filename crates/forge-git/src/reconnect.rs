//! Reconnecting a worktree whose folder is there with a repository that was moved or has pruned its registration.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::lock::Hold;
use crate::registration::{Registration, link_to, linked_to};
use crate::remove::resolve_parent;
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
        // What a crash left of an earlier try.
        self.clear_stand_in(&path).await?;
        if let Ok(registration) = self.registration(&path) {
            return self.guarded_worktree(path, registration).await;
        }
        // It belongs to a repository that is where it was.
        if former.exists() {
            return Err(not_one());
        }
        if let Some(registration) = self.registrations_of(&path).into_iter().next() {
            link_to(&path, &registration)?;
            let registration = self.registration(&path)?;
            return self.guarded_worktree(path, registration).await;
        }
        self.check_unused(branch).await?;
        if self.needs_git_to_register() {
            let worktree = self.register_by_stand_in(&path, branch, &hold).await;
            self.clear_stand_in(&path).await?;
            return worktree;
        }
        let registration = self.register(&path, branch)?;
        let worktree = self.guarded_worktree(path, registration).await?;
        worktree.reset_index(&hold).await?;
        Ok(worktree)
    }

    async fn check_unused(&self, branch: &str) -> Result<()> {
        if !self.has_branch(branch).await? {
            return Err(Error::BranchNotFound { name: branch.to_owned(), suggestions: Vec::new() });
        }
        if self.is_checked_out(branch).await? {
            return Err(Error::BranchInUse { branch: branch.to_owned() });
        }
        Ok(())
    }

    /// Lets git register an empty folder, and gives that registration to the folder at `path`.
    ///
    /// Its index is complete before anybody finds it: without one, the next commit would delete the files that a sparse
    /// checkout leaves out. The reset marks those.
    async fn register_by_stand_in(&self, path: &Path, branch: &str, hold: &Hold) -> Result<Worktree> {
        let registration = self.register_with_git(&self.stand_in(path), branch, hold).await?;
        let worktree = self.guarded_worktree(path.to_owned(), registration).await?;
        worktree.reset_index(hold).await?;
        let registration = Registration { admin_dir: worktree.admin_dir().to_owned() };
        registration.move_to(path)?;
        link_to(path, &registration)?;
        Ok(worktree)
    }

    /// The empty folder that git registers in the place of the one at `path`. It has the same name, and so has its
    /// registration.
    fn stand_in(&self, path: &Path) -> PathBuf {
        self.workbench().join("reconnect").join(path.file_name().unwrap_or_default())
    }

    /// Removes the stand-in, and its registration unless the folder at `path` has got it.
    async fn clear_stand_in(&self, path: &Path) -> Result<()> {
        let stand_in = self.stand_in(path);
        for registration in self.registrations_of(&stand_in) {
            registration.remove(self).await?;
        }
        match fs::remove_dir_all(&stand_in) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", stand_in)(error)),
            _ => Ok(()),
        }
    }
}
