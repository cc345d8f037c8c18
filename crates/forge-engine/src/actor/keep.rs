//! Keeping what is in a worktree: putting it back, taking it away, bringing it back.

use forge_model::{Attempt, Timestamp};

use super::Actor;
use crate::branch::Change;
use crate::collect::{Taken, used_since};
use crate::error::{Error, Result};

impl Actor {
    pub(super) async fn restore(&mut self, snapshot: &str) -> Result<Attempt> {
        self.is_still()?;
        self.end_kept().await?;
        self.follow_branch().await?;
        let put_back = async |stop| self.engine.put_back(&self.attempt, snapshot, &stop).await;
        self.attempt = self.stoppable(put_back).await?;
        Ok(self.attempt.clone())
    }

    /// What the branch is meant for may change while an agent works; what is in the worktree may not.
    pub(super) async fn change(&mut self, change: Change) -> Result<Attempt> {
        let mut attempt = self.attempt.clone();
        match change {
            Change::Target(target) => {
                self.engine.check_target(&attempt, &target).await?;
                attempt.target_branch = target;
            }
            Change::DeleteFile(path) => {
                self.is_idle()?;
                self.end_kept().await?;
                self.stoppable(async |stop| self.engine.delete_saved(&attempt, &path, &stop).await).await?;
            }
            Change::Abort => {
                self.is_still()?;
                self.end_kept().await?;
                self.stoppable(async |stop| self.engine.abort_saved(&attempt, &stop).await).await?;
            }
        }
        // Who looks at the branch hears of it by this.
        attempt.updated_at = Timestamp::now();
        self.attempt = self.engine.inner.store.update_attempt(&attempt).await?;
        Ok(self.attempt.clone())
    }

    /// Takes the worktree away, unless the attempt was used since somebody saw that its time had come.
    pub(super) async fn collect(&mut self, seen: Timestamp) -> Result<Taken> {
        if !self.attempt.state.is_finished() || used_since(&self.attempt, seen) {
            return Ok(Taken::Left("somebody uses it again".to_owned()));
        }
        if self.dev.is_some() {
            return Ok(Taken::Left("its dev server runs".to_owned()));
        }
        if !self.engine.inner.store.list_follow_ups(self.attempt.id).await?.is_empty() {
            return Ok(Taken::Left("prompts wait in its queue".to_owned()));
        }
        self.end_kept().await?;
        self.follow_branch().await?;
        if let Err(error) = self.engine.return_to_branch(&self.attempt).await {
            return Ok(Taken::Left(error.to_string()));
        }
        self.engine.take_away(&mut self.attempt).await
    }

    /// Brings back a worktree that was taken away.
    pub(super) async fn have_worktree(&mut self) -> Result<()> {
        self.follow_branch().await?;
        if self.attempt.worktree_deleted {
            let project = self.engine.get_project(self.attempt.project_id).await?;
            let bring_back = async |stop| self.engine.bring_back(&project, &self.attempt, &stop).await;
            self.attempt = self.stoppable(bring_back).await?;
        }
        Ok(())
    }

    /// Returns HEAD to the attempt's branch, where that loses nothing; elsewhere it stays, and branch-status says so.
    pub(super) async fn return_to_branch(&mut self) {
        let returned = match self.follow_branch().await {
            Ok(()) => self.engine.return_to_branch(&self.attempt).await,
            Err(error) => Err(error),
        };
        if let Err(error) = returned {
            let id = self.attempt.id;
            tracing::warn!(attempt.id = %id, error = %error, "HEAD of attempt {id} is not on its branch: {error}");
        }
    }

    /// Writes the name that somebody gave the attempt's branch.
    async fn follow_branch(&mut self) -> Result<()> {
        if let Some(branch) = self.engine.renamed(&self.attempt).await? {
            let mut attempt = self.attempt.clone();
            attempt.branch = branch;
            attempt.updated_at = Timestamp::now();
            self.attempt = self.engine.inner.store.update_attempt(&attempt).await?;
        }
        Ok(())
    }

    /// Nor does a dev server write what would be overwritten unsaved.
    fn is_still(&self) -> Result<()> {
        if self.dev.is_some() {
            return Err(Error::conflict(
                "dev_server_running",
                "the attempt's dev server runs in the worktree",
            )
            .hint("stop the dev server first"));
        }
        self.is_idle()
    }

    pub(super) fn is_idle(&self) -> Result<()> {
        if self.attempt.state.is_finished() {
            return Ok(());
        }
        Err(Error::conflict("attempt_running", "the attempt runs").hint("stop it first"))
    }
}
