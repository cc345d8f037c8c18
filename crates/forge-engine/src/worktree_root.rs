//! Folders that hold worktrees, and whether their disks are mounted.
//!
//! An empty mount point looks as if every worktree had been removed. So a file marks each folder from its first use on,
//! and while that file and all worktrees are missing, nothing is made, removed or unregistered there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use forge_model::Attempt;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::{folder, whole};

/// The file that marks a folder of worktrees.
const MARK: &str = ".forge";

const TEXT: &str = "Forge keeps worktrees in this folder. While this file is missing, Forge takes its disk for not mounted.\n";

/// The error code of a folder whose mark is missing.
pub(crate) const WORKTREES_AWAY: &str = "worktrees_away";

/// A folder of worktrees, and the data folder that records which folders were used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorktreeRoot<'a> {
    pub(crate) data: &'a Path,
    pub(crate) path: &'a Path,
}

impl WorktreeRoot<'_> {
    /// Refuses a folder that was used before and has lost its mark.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_marked() || !self.was_used()? {
            return Ok(());
        }
        let root = self.path.display();
        let message =
            format!("the folder of worktrees {root} has lost its file {MARK}: its disk is not mounted");
        Err(Error::unavailable(WORKTREES_AWAY, message).hint(format!(
            "mount the disk; if the worktrees are gone for good, make the folder with an empty file {MARK} in it"
        )))
    }

    /// Marks the folder if it is new, or if one of its `worktrees` exists: an older version wrote no mark, and a copy
    /// may leave the mark out. Refuses it otherwise.
    fn enter(&self, worktrees: &[PathBuf]) -> Result<()> {
        if fs::metadata(self.path).is_ok_and(|found| !found.is_dir()) {
            return folder::make(self.path);
        }
        if !self.is_marked() {
            let is_new = worktrees.is_empty() && !self.was_used()?;
            if is_new {
                folder::make(self.path)?;
            }
            if is_new || worktrees.iter().any(|worktree| fs::symlink_metadata(worktree.join(".git")).is_ok())
            {
                whole::write(&self.path.join(MARK), TEXT)?;
            }
        }
        if !self.was_used()? {
            whole::write(&self.roots_file(), &format!("{}{}\n", self.used_roots()?, self.line()))?;
        }
        self.check()
    }

    fn is_marked(&self) -> bool {
        fs::symlink_metadata(self.path.join(MARK)).is_ok()
    }

    fn was_used(&self) -> Result<bool> {
        let line = self.line();
        Ok(self.used_roots()?.lines().any(|root| root == line))
    }

    /// The folders of worktrees that were ever used, one on each line.
    fn used_roots(&self) -> Result<String> {
        Ok(whole::read(&self.roots_file())?.unwrap_or_default())
    }

    fn roots_file(&self) -> PathBuf {
        self.data.join("worktree-roots")
    }

    /// The folder as a line: the same for every spelling, and quoted because a path may contain a line break.
    fn line(&self) -> String {
        format!("{:?}", self.path.components().collect::<PathBuf>())
    }
}

/// Whether a folder has the mark of one with worktrees, by whichever path and server. A person may have made it, empty.
pub(crate) fn holds_worktrees(path: &Path) -> bool {
    let mark = path.join(MARK);
    let is_short = |file: fs::Metadata| file.is_file() && file.len() <= TEXT.len() as u64;
    fs::symlink_metadata(&mark).is_ok_and(is_short)
        && fs::read_to_string(mark).is_ok_and(|text| text.is_empty() || text == TEXT)
}

/// Whether the disk of the worktrees is not mounted, as far as that is known without the database.
#[must_use]
pub fn worktrees_are_away(data: &Path, worktrees: &Path) -> bool {
    (WorktreeRoot { data, path: worktrees }).check().is_err_and(|error| error.code() == WORKTREES_AWAY)
}

impl Engine {
    /// Refuses work in a worktree whose disk is not mounted. One that was taken away is on no disk.
    pub(crate) async fn check_disk(&self, attempt: &Attempt) -> Result<()> {
        if attempt.worktree_deleted { Ok(()) } else { self.check_root(root_of(attempt)).await }
    }

    /// Refuses a folder of worktrees whose disk is not mounted. One that is new is made.
    pub(crate) async fn check_root(&self, path: &Path) -> Result<()> {
        let root = WorktreeRoot { data: &self.inner.options.data, path };
        if root.is_marked() {
            return Ok(());
        }
        root.enter(&self.worktrees_in(path, &self.own_attempts().await?))
    }

    /// Marks every folder that attempts of this node have a worktree in, and the one for new attempts.
    pub(crate) async fn enter_roots(&self) -> Result<()> {
        let attempts = self.own_attempts().await?;
        let roots: BTreeSet<&Path> = attempts
            .iter()
            .filter(|attempt| !attempt.worktree_deleted)
            .map(root_of)
            .chain([self.inner.folder.worktrees()])
            .collect();
        for path in roots {
            let root = WorktreeRoot { data: &self.inner.options.data, path };
            match root.enter(&self.worktrees_in(path, &attempts)) {
                Ok(()) => self.empty_trash_in(path),
                // Looked at again before each use.
                Err(error) => {
                    tracing::warn!(error = %error, "the worktrees in {} are left alone: {error}", path.display());
                }
            }
        }
        Ok(())
    }

    async fn own_attempts(&self) -> Result<Vec<Attempt>> {
        let mut attempts = self.inner.store.list_attempts_and_runs(None).await?;
        attempts.retain(|attempt| !attempt.is_unreachable());
        Ok(attempts)
    }

    /// The worktrees that should exist in a folder.
    fn worktrees_in(&self, root: &Path, attempts: &[Attempt]) -> Vec<PathBuf> {
        let expected =
            attempts.iter().filter(|attempt| !attempt.worktree_deleted && root_of(attempt) == root);
        expected.map(|attempt| PathBuf::from(&attempt.worktree)).collect()
    }
}

/// The folder that an attempt's worktree is in.
pub(crate) fn root_of(attempt: &Attempt) -> &Path {
    let worktree = Path::new(&attempt.worktree);
    worktree.parent().unwrap_or(worktree)
}
