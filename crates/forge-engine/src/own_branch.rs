//! An attempt's branch and HEAD of its worktree: follows renames, and returns HEAD to the branch where nothing is lost.

use std::path::Path;

use forge_git::{Error as GitError, Repo, Standing, Worktree};
use forge_model::Attempt;

use crate::branch::opened;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::start::mark;

impl Engine {
    /// The name of the attempt's branch now; none when it is the one that the row has, or no branch carries its mark.
    pub(crate) async fn renamed(&self, attempt: &Attempt) -> Result<Option<String>> {
        let repo = self.repository(&self.get_project(attempt.project_id).await?).await?;
        renamed(&repo, attempt).await
    }

    /// Returns HEAD of the worktree to the attempt's branch, where that loses nothing.
    ///
    /// # Errors
    /// When HEAD has to stay beside the branch; nothing is changed then.
    pub(crate) async fn return_to_branch(&self, attempt: &Attempt) -> Result<()> {
        let repo = self.repository(&self.get_project(attempt.project_id).await?).await?;
        let Some(worktree) = opened(&repo, attempt).await? else { return Ok(()) };
        match worktree.return_to(&attempt.branch).await? {
            Standing::OnBranch => Ok(()),
            Standing::Apart { .. } => Err(apart(&worktree, attempt)),
        }
    }
}

/// The attempt's worktree. One that the repository has pruned, or lost when it was moved, is registered again.
pub(crate) async fn reconnected(repo: &Repo, attempt: &Attempt) -> std::result::Result<Worktree, GitError> {
    let path = Path::new(&attempt.worktree);
    match repo.open_worktree(path).await {
        Err(GitError::NotAWorktree { .. }) if !attempt.worktree_deleted => {
            let worktree = repo.reconnect_worktree(path, &attempt.branch).await?;
            tracing::warn!(attempt.id = %attempt.id, "worktree {} is registered again", path.display());
            Ok(worktree)
        }
        opened => opened,
    }
}

/// The name that the attempt's branch was given by somebody else.
pub(crate) async fn renamed(repo: &Repo, attempt: &Attempt) -> Result<Option<String>> {
    if repo.has_branch(&attempt.branch).await? {
        return Ok(None);
    }
    Ok(repo.marked_branch(&mark(attempt.id)).await?)
}

/// Why an attempt's work is not committed while HEAD is beside its branch, and the way out.
pub(crate) fn apart(worktree: &Worktree, attempt: &Attempt) -> Error {
    let (branch, path) = (&attempt.branch, &attempt.worktree);
    let error = |message: String| Error::conflict("head_detached_from_branch", message);
    match worktree.operation() {
        Some(operation) => error(format!("a {operation} is in progress beside the attempt's branch {branch}"))
            .hint(format!(
                "finish it in {path}, or abort it: POST /api/task-attempts/{}/conflicts/abort",
                attempt.id
            )),
        None => error(format!("HEAD of the worktree is not on the attempt's branch {branch} and cannot be returned to it"))
            .hint(format!(
                "in {path}, run `git branch -f {branch} HEAD` to keep HEAD's commits or `git stash -u` to set changes \
                 aside, then `git switch {branch}`; the snapshots have both"
            )),
    }
}
