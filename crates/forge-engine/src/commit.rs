//! Committing what a process changed, and saving what is in a worktree under a hidden ref.

use std::path::Path;

use forge_git::{Error as GitError, SUBJECT, Worktree};
use forge_model::fsm::attempt::Committed;
use forge_model::{Attempt, Process, Project};
use tokio_util::sync::CancellationToken;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::own_branch::{apart, reconnected};

/// The longest commit message that is made of an agent's words.
const LONGEST_MESSAGE: usize = 4096;

impl Engine {
    pub(crate) async fn worktree(&self, project: &Project, attempt: &Attempt) -> Result<Worktree> {
        self.check_disk(attempt).await?;
        let repo = self.repository(project).await?;
        reconnected(&repo, attempt).await.map_err(|error| match error {
            GitError::PathNotFound { .. } => {
                let message = format!("the attempt's worktree {} is gone", attempt.worktree);
                Error::conflict("worktree_gone", message)
                    .hint("the attempt's branch still has its commits; start another attempt from it")
            }
            other => other.into(),
        })
    }

    /// Commits what stands in the worktree. Done twice, it gives the same answer: whether the branch has moved is
    /// seen against the commit that stood when the process began, not against this call. Told to stop, it kills a
    /// hook that hangs. What may pass, such as a full disk, it waits for.
    pub(crate) async fn commit(
        &self,
        project: &Project,
        attempt: &Attempt,
        process: &Process,
        message: &str,
        stop: &CancellationToken,
    ) -> Done {
        let id = attempt.id;
        loop {
            let error = match self.try_commit(project, attempt, process, message, stop).await {
                Ok(done) => return done,
                Err(error) => error,
            };
            if !error.may_pass() {
                tracing::warn!(attempt.id = %id, error = %error, "attempt {id} could not be committed");
                return Done::failed(&error);
            }
            // The work stands in the worktree meanwhile, and whoever does not want to wait can stop the attempt.
            tracing::warn!(attempt.id = %id, error = %error, "the commit of attempt {id} waits: {error}");
            let gives_up = tokio::select! {
                () = stop.cancelled() => true,
                closing = self.pause() => closing,
            };
            if gives_up {
                return Done::failed(&error);
            }
        }
    }

    async fn try_commit(
        &self,
        project: &Project,
        attempt: &Attempt,
        process: &Process,
        message: &str,
        stop: &CancellationToken,
    ) -> Result<Done> {
        let worktree = self.worktree(project, attempt).await?;
        if !worktree.is_on(&attempt.branch).await? {
            return Err(apart(&worktree, attempt));
        }
        worktree.until(stop).commit_all(message).await?;
        let head = worktree.head().await?.to_string();
        self.inner.crash.pass("commit-made");
        let changed = process.before_head_commit.as_deref() != Some(head.as_str());
        let committed = if changed { Committed::Changed } else { Committed::Unchanged };
        Ok(Done { committed, head: Some(head) })
    }

    /// Saves everything in the worktree, untracked files too, and tells what git could not save. A worktree that is
    /// gone has nothing to save.
    pub(crate) async fn snapshot(
        &self,
        project: &Project,
        attempt: &Attempt,
        name: &str,
    ) -> Result<Option<String>> {
        self.snapshot_until(project, attempt, name, &CancellationToken::new()).await
    }

    /// The same; gives up when told to stop.
    pub(crate) async fn snapshot_until(
        &self,
        project: &Project,
        attempt: &Attempt,
        name: &str,
        stop: &CancellationToken,
    ) -> Result<Option<String>> {
        self.check_disk(attempt).await?;
        if !Path::new(&attempt.worktree).exists() {
            return Ok(None);
        }
        let worktree = self.worktree(project, attempt).await?.until(stop);
        let reference = format!("refs/forge/attempts/{}/{name}", attempt.id);
        let message = format!("{SUBJECT}{} at {name}", attempt.branch);
        Ok(worktree.snapshot(&reference, &message).await?.unsaved)
    }
}

/// What came of a commit, and the commit that stands now.
pub(crate) struct Done {
    pub(crate) committed: Committed,
    pub(crate) head: Option<String>,
}

impl Done {
    pub(crate) fn failed(error: &dyn std::error::Error) -> Self {
        Self { committed: Committed::Refused { message: error.to_string() }, head: None }
    }
}

/// A commit message of the agent's last words.
pub(crate) fn message(said: Option<&str>, attempt: &Attempt) -> String {
    match said.map(str::trim) {
        Some(text) if !text.is_empty() => cut(text),
        Some(_) | None => format!("Commit changes from coding agent for task attempt {}", attempt.id),
    }
}

pub(crate) fn cleanup_message(attempt: &Attempt) -> String {
    format!("Cleanup script changes for task attempt {}", attempt.id)
}

fn cut(text: &str) -> String {
    if text.len() <= LONGEST_MESSAGE {
        return text.to_owned();
    }
    let mut end = LONGEST_MESSAGE;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}...", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let cut = cut(&"é".repeat(3000));
        assert_eq!(cut, format!("{}...", "é".repeat(2048)));
        assert_eq!(super::cut("short"), "short");
    }
}
