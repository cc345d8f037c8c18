//! What is asked of an attempt.

use forge_model::fsm::attempt::Input;
use forge_model::{
    AttemptState, Draft, DraftKind, DraftRefusal, FollowUp, FollowUpId, QueueDraft, Queueing, SaveDraft,
    Timestamp,
};
use forge_store::StoreError;

use super::{Actor, Request, Work, tell};
use crate::attempts::{FollowedUp, SendFollowUp, StoppedAttempt};
use crate::drafts::{DraftQueued, refused};
use crate::error::{Error, ErrorKind, OUTCOME_UNKNOWN, Result};
use crate::remove::Fate;

/// A prompt that is asked for.
pub(super) enum Asked {
    /// As it was sent.
    Prompt(FollowUp),
    /// As it was written.
    Draft(DraftKind, QueueDraft),
}

impl Actor {
    pub(super) async fn asked(&mut self, request: Request) -> Result<()> {
        match request {
            Request::Wake => self.woken().await?,
            // A process that runs is watched already.
            Request::Adopt(_) => {}
            Request::FollowUp(command, answer) => tell(answer, self.follow_up(command).await)?,
            Request::QueueDraft(kind, command, answer) => {
                tell(answer, self.queue_draft(kind, command).await)?;
            }
            Request::ChangeFollowUp(id, change, answer) => {
                tell(answer, self.change_follow_up(id, change).await)?;
            }
            Request::RemoveFollowUp(id, answer) => tell(answer, self.remove_follow_up(id).await)?,
            Request::Answered(id) => self.answered(id).await?,
            Request::Interrupt(answer) => self.interrupt(answer).await?,
            Request::Replace(command, answer) => self.replace(command, answer).await?,
            Request::EndKept(process) => {
                if let Some(agent) = self.engine.inner.kept.take_as(self.attempt.id, process) {
                    self.engine.end_kept(agent).await?;
                }
            }
            Request::Stop(unheard, answer) => {
                drop(unheard);
                self.end_kept().await?;
                if self.attempt.state.is_finished() {
                    let removed = self.engine.inner.store.remove_follow_ups(self.attempt.id).await?;
                    let stopped = self.stop_dev_server().await;
                    let attempt = self.attempt.clone();
                    tell(answer, stopped.map(|()| StoppedAttempt { attempt, removed }))?;
                } else {
                    self.stopping.push(answer);
                    self.stop().await?;
                }
            }
            Request::StartDevServer(answer) => tell(answer, self.start_dev_server().await)?,
            Request::StopDevServer(answer) => tell(answer, self.stop_dev_server().await)?,
            Request::Restore(name, answer) => tell(answer, self.restore(&name).await)?,
            Request::Change(change, answer) => tell(answer, self.change(change).await)?,
            Request::Collect(seen, answer) => tell(answer, self.collect(seen).await)?,
            Request::UnmarkSnapshots(repo, answer) => {
                tell(answer, self.engine.unmark_snapshots(&repo, self.attempt.id).await)?;
            }
            Request::Delete(fate, answer) => tell(answer, self.delete(fate).await)?,
        }
        Ok(())
    }

    /// There may be room now, or a prompt that waited may be sent.
    pub(super) async fn woken(&mut self) -> Result<()> {
        match self.attempt.state.clone() {
            AttemptState::Finished { outcome } => self.begin_waiting(&outcome).await?,
            // Its room came before it heard that it is to stop.
            AttemptState::Queued { .. } if self.is_task_closed().await? => self.stop_turn().await?,
            AttemptState::Queued { .. } => {
                self.begin_queued().await?;
                // Where there was room for this one there may be for another.
                self.engine.wake_next();
            }
            AttemptState::Running { .. } | AttemptState::Stopping { .. } => {}
        }
        Ok(())
    }

    /// Whether a person has closed the task, so that nothing begins in it by itself.
    pub(super) async fn is_task_closed(&self) -> Result<bool> {
        let Some(task) = self.attempt.task_id else { return Ok(false) };
        Ok(self.engine.inner.store.get_task(task).await?.status.is_closed())
    }

    /// Stops the turn, what waits and the dev server.
    async fn stop(&mut self) -> Result<()> {
        if matches!(self.attempt.state, AttemptState::Stopping { .. }) {
            // Asked to stop so that another turn can take its place, which is not wanted any more.
            let removed = self.engine.inner.store.remove_follow_ups(self.attempt.id).await?;
            self.unsent.extend(removed);
        }
        self.stop_turn().await?;
        self.stop_dev_server().await
    }

    /// Stops the turn that runs. What waits goes too, unless it is to take the turn's place.
    pub(super) async fn stop_turn(&mut self) -> Result<()> {
        if matches!(self.attempt.state, AttemptState::Running { .. } | AttemptState::Queued { .. }) {
            self.take(Input::Stop, None).await?;
            self.end_work_in_time();
        }
        Ok(())
    }

    async fn follow_up(&mut self, command: SendFollowUp) -> Result<FollowedUp> {
        let follow_up = FollowUp {
            id: FollowUpId::random(),
            attempt_id: self.attempt.id,
            prompt: command.prompt,
            variant: command.variant,
            how: command.how,
            retry: None,
            interrupt: command.interrupt,
            not_before: None,
            created_at: Timestamp::now(),
        };
        let sent = self.send(Asked::Prompt(follow_up)).await?;
        if command.interrupt && matches!(sent, FollowedUp::Queued { .. }) {
            self.interrupt_turn().await?;
        }
        Ok(sent)
    }

    /// At once when nothing runs, else when the turn is over.
    async fn send(&mut self, asked: Asked) -> Result<FollowedUp> {
        match self.attempt.state {
            AttemptState::Finished { .. } => self.go_on(asked).await,
            AttemptState::Running { .. } | AttemptState::Queued { .. } => self.queue(asked).await,
            AttemptState::Stopping { .. } => {
                Err(Error::conflict("attempt_stopping", "the attempt is being stopped")
                    .hint("send the follow-up again when it has stopped"))
            }
        }
    }

    async fn queue_draft(&mut self, kind: DraftKind, command: QueueDraft) -> Result<DraftQueued> {
        let store = &self.engine.inner.store;
        let (id, draft) = (self.attempt.id, store.get_draft(self.attempt.id, kind).await?);
        draft.is_as_expected(&command).map_err(refused)?;
        match (command.wanted, draft.queued) {
            // Asked for twice, it is sent once; with another text it would be edited while it is queued.
            (Queueing::Send, Some(_)) if command.prompt.as_ref().is_none_or(|text| *text == draft.prompt) => {
                Ok(DraftQueued { draft, sent: None })
            }
            (Queueing::Send, Some(_)) => Err(refused(DraftRefusal::Queued)),
            (Queueing::Send, None) => {
                let written = Draft { prompt: command.prompt.clone().unwrap_or(draft.prompt), ..draft };
                match self.send(Asked::Draft(kind, command)).await {
                    Ok(sent) => {
                        let draft = self.engine.get_draft(id, kind).await?;
                        Ok(DraftQueued { draft, sent: Some(sent) })
                    }
                    Err(error) => {
                        self.write_again(written).await?;
                        Err(error)
                    }
                }
            }
            (Queueing::Hold, queued) => {
                if let Some(follow_up) = queued {
                    store.remove_follow_up(follow_up).await?;
                }
                let draft = match command.prompt {
                    Some(text) => {
                        let prompt = forge_model::Patch::Set(text);
                        let change = SaveDraft { prompt, ..SaveDraft::default() };
                        store.change_draft(id, kind, |draft| draft.save(change)).await?.map_err(refused)?
                    }
                    None => store.get_draft(id, kind).await?,
                };
                Ok(DraftQueued { draft, sent: None })
            }
        }
    }

    /// Puts back what was written and came to nothing, where the draft was emptied for it and nobody wrote since.
    async fn write_again(&self, written: Draft) -> Result<()> {
        let (id, kind) = (self.attempt.id, written.kind);
        let again = move |now: Draft| {
            let is_emptied = now.is_empty() && now.version > written.version;
            Ok(if is_emptied { Draft { version: now.version, ..written } } else { now })
        };
        self.engine.inner.store.change_draft(id, kind, again).await?.map(drop).map_err(refused)
    }

    pub(super) async fn queue(&mut self, asked: Asked) -> Result<FollowedUp> {
        let store = &self.engine.inner.store;
        let follow_up = match asked {
            Asked::Prompt(follow_up) => {
                store.queue_follow_up(&follow_up).await?;
                follow_up
            }
            Asked::Draft(kind, command) => {
                let (id, now) = (FollowUpId::random(), Timestamp::now());
                let change = move |draft: Draft| draft.queue(command, id, now);
                let queued = store.queue_draft(self.attempt.id, kind, change).await?;
                queued.map_err(refused)?.1
            }
        };
        let queue = store.list_follow_ups(self.attempt.id).await?;
        let ahead = queue.iter().take_while(|waiting| waiting.id != follow_up.id).count();
        Ok(FollowedUp::Queued { follow_up, ahead })
    }

    /// Begins a turn. It stands in the queue first, so that a crash in between does not lose what was asked.
    pub(super) async fn go_on(&mut self, asked: Asked) -> Result<FollowedUp> {
        let prompt = match &asked {
            Asked::Prompt(follow_up) => follow_up.prompt.clone(),
            Asked::Draft(_, QueueDraft { prompt: Some(prompt), .. }) => prompt.clone(),
            Asked::Draft(kind, _) => self.engine.inner.store.get_draft(self.attempt.id, *kind).await?.prompt,
        };
        self.can_begin(&prompt).await?;
        Box::pin(self.have_worktree()).await?;
        self.drop_what_nobody_sent().await?;
        let queued = self.queue(asked).await?;
        self.engine.inner.crash.pass("turn-queued");
        if let Err(error) = Box::pin(self.reopen_and_begin()).await {
            // The caller is told that it came to nothing, so nothing of it may be left.
            if error.code() != OUTCOME_UNKNOWN {
                self.withdraw(&queued).await?;
            }
            return Err(error);
        }
        match &self.work {
            // What waited before it comes first.
            Work::Process(_) if !matches!(queued, FollowedUp::Queued { ahead: 0, .. }) => Ok(queued),
            Work::Process(watched) => Ok(FollowedUp::Started(watched.process.clone())),
            Work::Nothing | Work::Commit(_) | Work::Save(_) => match self.attempt.reason() {
                Some(reason) => {
                    let error = Error::unavailable("start_failed", reason.to_string()).hint(reason.hint());
                    self.withdraw(&queued).await?;
                    Err(error)
                }
                None => Ok(queued),
            },
        }
    }

    /// A person asks for another turn, so a task that is closed is open again.
    async fn reopen_and_begin(&mut self) -> Result<()> {
        if let Some(task) = self.attempt.task_id {
            self.engine.inner.store.reopen_task(task, Timestamp::now()).await?;
        }
        self.begin_queued().await
    }

    async fn withdraw(&self, queued: &FollowedUp) -> Result<()> {
        if let (FollowedUp::Queued { follow_up, .. }, true) = (queued, self.attempt.state.is_finished()) {
            self.engine.leave_slot(self.attempt.id);
            let removed = self.engine.inner.store.remove_follow_up(follow_up.id).await.map_err(Error::from);
            // One that was to take a turn's place and could not is gone already.
            if let Err(error) = removed
                && error.kind() != ErrorKind::NotFound
            {
                // As long as it stands in the queue it may be begun.
                return Err(if error.may_pass() { StoreError::Unknown.into() } else { error });
            }
        }
        Ok(())
    }

    async fn delete(&mut self, fate: Fate) -> Result<()> {
        self.is_idle()?;
        self.end_kept().await?;
        self.stop_dev_server().await?;
        self.engine.remove_attempt(&self.attempt, fate).await?;
        self.gone = true;
        Ok(())
    }
}
