//! What is asked of an attempt.

use forge_model::fsm::attempt::Input;
use forge_model::{AttemptState, FollowUp, FollowUpId, Timestamp};

use super::{Actor, Request, Work};
use crate::attempts::{FollowedUp, SendFollowUp};
use crate::error::{Error, Result};
use crate::remove::Fate;

impl Actor {
    pub(super) async fn asked(&mut self, request: Request) -> Result<()> {
        match request {
            Request::Wake => self.woken().await?,
            // A process that runs is watched already.
            Request::Adopt(_) => {}
            Request::FollowUp(command, answer) => drop(answer.send(self.follow_up(command).await)),
            Request::Stop(answer) => {
                if self.attempt.state.is_finished() {
                    drop(answer.send(Ok(self.attempt.clone())));
                } else {
                    self.stopping.push(answer);
                    self.stop().await?;
                }
            }
            Request::Restore(name, answer) => drop(answer.send(self.restore(&name).await)),
            Request::Change(change, answer) => drop(answer.send(self.change(change).await)),
            Request::Collect(seen, answer) => drop(answer.send(self.collect(seen).await)),
            Request::Delete(fate, answer) => drop(answer.send(self.delete(fate).await)),
        }
        Ok(())
    }

    /// There may be room now.
    pub(super) async fn woken(&mut self) -> Result<()> {
        if matches!(self.attempt.state, AttemptState::Queued { .. }) {
            self.begin_queued().await?;
            // Where there was room for this one there may be for another.
            self.engine.wake_next();
        }
        Ok(())
    }

    async fn stop(&mut self) -> Result<()> {
        if matches!(self.attempt.state, AttemptState::Running { .. } | AttemptState::Queued { .. }) {
            self.take(Input::Stop, None).await?;
            self.stop_commit();
        }
        Ok(())
    }

    async fn follow_up(&mut self, command: SendFollowUp) -> Result<FollowedUp> {
        match self.attempt.state {
            AttemptState::Finished { .. } => self.go_on(command).await,
            AttemptState::Running { .. } | AttemptState::Queued { .. } => self.queue(command).await,
            AttemptState::Stopping { .. } => {
                Err(Error::conflict("attempt_stopping", "the attempt is being stopped")
                    .hint("send the follow-up again when it has stopped"))
            }
        }
    }

    async fn queue(&mut self, command: SendFollowUp) -> Result<FollowedUp> {
        let ahead = self.engine.inner.store.list_follow_ups(self.attempt.id).await?.len();
        let follow_up = FollowUp {
            id: FollowUpId::random(),
            attempt_id: self.attempt.id,
            prompt: command.prompt,
            variant: command.variant,
            created_at: Timestamp::now(),
        };
        self.engine.inner.store.queue_follow_up(&follow_up).await?;
        Ok(FollowedUp::Queued { follow_up, ahead })
    }

    /// Begins a turn. It stands in the queue first, so that a crash in between does not lose what was asked.
    async fn go_on(&mut self, command: SendFollowUp) -> Result<FollowedUp> {
        self.can_begin().await?;
        self.have_worktree().await?;
        let queued = self.queue(command).await?;
        if let Err(error) = self.begin_queued().await {
            // The caller is told that it came to nothing, so nothing of it may be left.
            self.take_back(&queued).await?;
            return Err(error);
        }
        match &self.work {
            // What waited before it comes first.
            Work::Process(_) if !matches!(queued, FollowedUp::Queued { ahead: 0, .. }) => Ok(queued),
            Work::Process(watched) => Ok(FollowedUp::Started(watched.process.clone())),
            Work::Nothing | Work::Commit(_) => match self.attempt.reason() {
                Some(reason) => {
                    Err(Error::unavailable("start_failed", reason.to_string()).hint(reason.hint()))
                }
                None => Ok(queued),
            },
        }
    }

    async fn take_back(&self, queued: &FollowedUp) -> Result<()> {
        if let (FollowedUp::Queued { follow_up, .. }, true) = (queued, self.attempt.state.is_finished()) {
            self.engine.inner.store.remove_follow_up(follow_up.id).await?;
            self.engine.leave_slot(self.attempt.id);
        }
        Ok(())
    }

    async fn delete(&mut self, fate: Fate) -> Result<()> {
        self.is_idle()?;
        self.engine.remove_attempt(&self.attempt, fate).await?;
        self.gone = true;
        Ok(())
    }
}
