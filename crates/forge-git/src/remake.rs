//! Making a worktree again on a branch that is there, for an attempt whose worktree was taken away.
//!
//! A file in the registration says that the worktree is being made. It appears with the registration and goes last,
//! so whoever comes after a crash knows that nobody ever worked in what is there. That an index is missing says so only
//! where no file is: anybody can delete an index.

use std::fs;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::add::claim;
use crate::guard::Record;
use crate::lock::Hold;
use crate::remove::{move_away, resolve_parent};
use crate::{Error, Oid, Repo, Result, Submodules, Worktree};

/// In the administrative folder of a worktree that is not complete.
const UNFINISHED: &str = "forge-unfinished";

/// A worktree to be made again.
#[derive(Clone, Debug)]
pub struct Remake {
    /// Its folder, absolute; must not exist.
    pub path: PathBuf,
    /// Its branch; must exist, and be checked out nowhere.
    pub branch: String,
    /// The commit whose files it gets; none is the branch's.
    pub files: Option<Oid>,
    /// Where to move what an earlier try left, on the same filesystem.
    pub trash: PathBuf,
    /// Whether its submodules may be fetched.
    pub submodules: Submodules,
    /// The commit whose hooks and scripts may run where nothing was recorded of the worktree; none is the branch's own.
    pub trusted: Option<Oid>,
}

impl Repo {
    /// Makes a worktree again. What a crash left of an earlier try is moved away first; any other folder at its path
    /// is somebody's, and the name is taken.
    pub async fn remake_worktree(&self, remake: &Remake) -> Result<Worktree> {
        let (repo, remake) = (self.clone(), remake.clone());
        self.git.see_through(async move { repo.remake(remake).await }).await
    }

    async fn remake(self, remake: Remake) -> Result<Worktree> {
        if fs::symlink_metadata(&remake.path).is_ok() {
            // A git of the earlier try may still run, and would write into what is made now.
            drop(self.git.unless_stopped(Hold::exclusive(&self.lock_path())).await?);
        }
        let hold = Hold::shared(&self.lock_path()).await?;
        self.clear_unfinished(&remake).await?;
        if self.tip(&format!("refs/heads/{}", remake.branch)).await?.is_none() {
            return Err(Error::BranchNotFound { name: remake.branch, suggestions: Vec::new() });
        }
        if self.is_checked_out(&remake.branch).await? {
            return Err(Error::BranchInUse { branch: remake.branch });
        }
        let path = claim(&remake.path)?;
        let made = self.build_again(&remake, &path, &hold).await;
        if made.is_err() {
            // It carries the mark, so what cannot be taken back now is when it is tried again.
            if let Err(error) = self.until(&CancellationToken::new()).clear_unfinished(&remake).await {
                tracing::warn!(error.cause = %error, "could not remove {}", path.display());
            }
        }
        made
    }

    async fn build_again(&self, remake: &Remake, path: &Path, hold: &Hold) -> Result<Worktree> {
        let registration = if self.needs_git_to_register() {
            let registration = self.register_with_git(path, &remake.branch, hold).await?;
            let mark = registration.admin_dir.join(UNFINISHED);
            fs::write(&mark, "").map_err(Error::io("write", mark))?;
            registration
        } else {
            self.register_with(path, &remake.branch, &[UNFINISHED])?
        };
        let settings = self.worktree_settings(path, &registration.admin_dir).await?;
        let record = self.record_path(path, &registration.admin_dir);
        if let Some(trusted) = remake.trusted.as_ref().filter(|_| Record::read(&record).is_none()) {
            Record::new(self, path, trusted, trusted, &settings).write(&record)?;
        }
        let guard = self.guard(path, &registration.admin_dir, &settings).await?;
        let worktree = Worktree::new(self, path.to_owned(), registration, guard);
        let head = worktree.head().await?;
        let mut worktree = worktree.without_filters_changed_in(&head, &settings).await?;
        if let Some(files) = &remake.files {
            worktree = worktree.without_filters_changed_in(files, &settings).await?;
        }
        worktree.check_out(hold).await?;
        if let Some(files) = &remake.files {
            worktree.read_tree(files, hold).await?;
        }
        worktree.init_submodules(remake.submodules, hold).await?;
        let mark = worktree.admin_dir().join(UNFINISHED);
        fs::remove_file(&mark).map_err(Error::io("remove", mark))?;
        Ok(worktree)
    }

    /// Moves away what an earlier try left, and takes registrations away whose folder is gone.
    async fn clear_unfinished(&self, remake: &Remake) -> Result<()> {
        let path = resolve_parent(&remake.path);
        let registrations = self.registrations_naming(&path);
        if fs::symlink_metadata(&path).is_ok() {
            let is_ours = match registrations.as_slice() {
                [] => self.is_bare_claim(&path),
                all => all.iter().all(|one| self.is_unfinished(&path, &one.admin_dir)),
            };
            if !is_ours {
                return Err(Error::NameTaken { name: path.display().to_string() });
            }
            move_away(&path, &remake.trash)?;
        }
        for registration in registrations {
            registration.remove(self).await?;
        }
        Ok(())
    }

    /// Whether a crash came before the worktree was complete. Where git itself registers, the mark comes a moment later:
    /// until then there is neither a file nor an index.
    fn is_unfinished(&self, path: &Path, admin_dir: &Path) -> bool {
        let is_marked = admin_dir.join(UNFINISHED).exists();
        is_marked || (!admin_dir.join("index").exists() && self.is_bare_claim(path))
    }

    /// Whether a worktree has the branch checked out.
    pub async fn is_checked_out(&self, branch: &str) -> Result<bool> {
        let call = self.call().args(["for-each-ref", "--format=%(worktreepath)"]);
        let output = call.arg(format!("refs/heads/{branch}")).read().await?.ok()?;
        Ok(output.stdout.iter().any(|byte| !byte.is_ascii_whitespace()))
    }
}

impl Worktree {
    /// Whether a crash came before it was complete.
    pub fn is_unfinished(&self) -> bool {
        self.repo.is_unfinished(self.path(), self.admin_dir())
    }
}
