//! Keeping what is in a worktree: putting it back, taking it away, bringing it back.

use forge_model::{Attempt, Timestamp};

use super::Actor;
use crate::collect::{Taken, used_since};
use crate::error::{Error, Result};

impl Actor {
    pub(super) async fn restore(&mut self, snapshot: &str) -> Result<Attempt> {
        self.is_idle()?;
        self.attempt = self.engine.put_back(&self.attempt, snapshot).await?;
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
        self.engine.take_away(&mut self.attempt).await
    }

    /// Brings back a worktree that was taken away.
    pub(super) async fn have_worktree(&mut self) -> Result<()> {
        if self.attempt.worktree_deleted {
            let project = self.engine.get_project(self.attempt.project_id).await?;
            self.attempt = self.engine.bring_back(&project, &self.attempt).await?;
        }
        Ok(())
    }

    pub(super) fn is_idle(&self) -> Result<()> {
        if self.attempt.state.is_finished() {
            return Ok(());
        }
        Err(Error::conflict("attempt_running", "the attempt runs").hint("stop it first"))
    }
}
