//! The folder that holds all worktrees, and whether its disk is mounted.
//!
//! An empty mount point looks as if every worktree had been removed. So a file marks the folder from its first use on,
//! and while that file is missing nothing is made, removed or unregistered there.

use std::fs;
use std::path::{Path, PathBuf};

use forge_model::Attempt;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::whole;

/// The file that marks a folder of worktrees.
const MARK: &str = ".forge";

const TEXT: &str = "Forge keeps worktrees in this folder. While this file is missing, Forge takes its disk for not mounted.\n";

/// The error code of a folder whose mark is missing.
pub(crate) const WORKTREES_AWAY: &str = "worktrees_away";

/// A folder of worktrees, and the data folder that records which folders were marked.
#[derive(Debug)]
pub(crate) struct WorktreeRoot<'a> {
    pub(crate) data: &'a Path,
    pub(crate) worktrees: &'a Path,
}

impl WorktreeRoot<'_> {
    /// Marks the folder, unless it was marked before.
    pub(crate) fn mark(&self) -> Result<()> {
        if self.was_marked()? {
            if !self.is_marked() {
                let root = self.worktrees.display();
                tracing::warn!("the disk of {root} is not mounted: the worktrees in it are left alone");
            }
            return Ok(());
        }
        if !self.is_marked() {
            whole::write(&self.mark_file(), TEXT)?;
        }
        whole::write(&self.roots_file(), &format!("{}{}\n", self.marked_roots()?, self.line()))
    }

    /// Refuses a folder that has lost its mark.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_marked() || !self.was_marked()? {
            return Ok(());
        }
        let root = self.worktrees.display();
        let message =
            format!("the folder of worktrees {root} has lost its file {MARK}: its disk is not mounted");
        Err(Error::unavailable(WORKTREES_AWAY, message).hint(format!(
            "mount the disk; if the worktrees are gone for good, make the folder with an empty file {MARK} in it"
        )))
    }

    fn is_marked(&self) -> bool {
        fs::symlink_metadata(self.mark_file()).is_ok()
    }

    fn mark_file(&self) -> PathBuf {
        self.worktrees.join(MARK)
    }

    fn was_marked(&self) -> Result<bool> {
        let line = self.line();
        Ok(self.marked_roots()?.lines().any(|root| root == line))
    }

    /// The folders of worktrees that were ever marked, one on each line.
    fn marked_roots(&self) -> Result<String> {
        Ok(whole::read(&self.roots_file())?.unwrap_or_default())
    }

    fn roots_file(&self) -> PathBuf {
        self.data.join("worktree-roots")
    }

    /// The folder as a line, quoted because a path may contain a line break.
    fn line(&self) -> String {
        format!("{:?}", self.worktrees)
    }
}

impl Engine {
    /// Refuses work in a worktree whose disk is not mounted.
    pub(crate) fn check_disk(&self, attempt: &Attempt) -> Result<()> {
        let root = self.inner.folder.worktree_root();
        if Path::new(&attempt.worktree).starts_with(root.worktrees) { root.check() } else { Ok(()) }
    }
}
