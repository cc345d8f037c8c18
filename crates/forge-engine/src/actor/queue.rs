//! The prompts that wait: changing them, taking them out, and those that nobody sent.

use forge_model::{AttemptState, DraftRefusal, FollowUp, FollowUpId, Patch};
use forge_store::StoreError;

use super::Actor;
use crate::attempts::ChangeFollowUp;
use crate::drafts::refused;
use crate::error::{Error, Result};

impl Actor {
    pub(super) async fn change_follow_up(
        &mut self,
        id: FollowUpId,
        change: ChangeFollowUp,
    ) -> Result<FollowUp> {
        let mut follow_up = self.waiting(id).await?;
        if let Some(prompt) = change.prompt {
            follow_up.prompt = prompt;
        }
        for (field, change) in [
            (&mut follow_up.variant, change.variant),
            (&mut follow_up.how.model, change.model),
            (&mut follow_up.how.mode, change.mode),
        ] {
            match change {
                Patch::Keep => {}
                Patch::Clear => *field = None,
                Patch::Set(text) => *field = Some(text),
            }
        }
        let hurries = change.interrupt == Some(true) && !follow_up.interrupt;
        follow_up.interrupt = change.interrupt.unwrap_or(follow_up.interrupt);
        let changed = self.engine.inner.store.change_follow_up(&follow_up).await;
        changed.map_err(|error| match error {
            StoreError::Conflict { .. } => refused(DraftRefusal::Queued),
            other => other.into(),
        })?;
        if hurries {
            self.interrupt_turn().await?;
        }
        Ok(follow_up)
    }

    pub(super) async fn remove_follow_up(&mut self, id: FollowUpId) -> Result<FollowUp> {
        self.waiting(id).await?;
        Ok(self.engine.inner.store.remove_follow_up(id).await?)
    }

    async fn waiting(&self, id: FollowUpId) -> Result<FollowUp> {
        let queue = self.engine.inner.store.list_follow_ups(self.attempt.id).await?;
        queue.into_iter().find(|waiting| waiting.id == id).ok_or_else(|| {
            Error::not_found("follow-up", id)
                .hint("GET …/follow-ups lists what waits; its turn may have come")
        })
    }

    /// Where a person decides what comes next, nothing goes on by itself.
    pub(super) async fn drop_what_nobody_sent(&self) -> Result<()> {
        if !matches!(self.attempt.state, AttemptState::Finished { .. }) {
            return Ok(());
        }
        let store = &self.engine.inner.store;
        for waiting in store.list_follow_ups(self.attempt.id).await? {
            if waiting.not_before.is_some() {
                store.remove_follow_up(waiting.id).await?;
            }
        }
        Ok(())
    }
}
