//! A turn: what happens moves the state machine, and its effects are carried out in an order that a crash at any
//! point leaves something to go on from: save, write, act.

use std::pin::pin;

use forge_agent::client::{self, AskError};
use forge_agent::driver::Failure;
use forge_model::fsm::attempt::{Effect, Input};
use forge_model::fsm::process;
use forge_model::{
    Action, AttemptState, End, How, Process, ProcessKind, ProcessState, Project, Reason, Stage, Timestamp,
};
use forge_store::{Advance, StoreError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::next::task_move;
use super::watch::{Happened, Listener, Watched};
use super::{Actor, Work};
use crate::attachments::room_beside;
use crate::attempts::StoppedAttempt;
use crate::commit::Done;
use crate::error::{Error, Result};
use crate::kept::KeptAgent;
use crate::launch::Launched;
use crate::live;

impl Actor {
    pub(super) async fn happened(&mut self, happened: Happened) -> Result<()> {
        match (happened, std::mem::replace(&mut self.work, Work::Nothing)) {
            (Happened::Printed(head), Work::Process(mut watched)) => {
                let heard = watched.printed(head, self.engine.inner.options.grace).await?;
                self.attend(&mut watched, heard).await?;
                self.work = Work::Process(watched);
                self.let_go().await
            }
            (Happened::Woke, Work::Process(mut watched)) => {
                let heard = watched.woke();
                self.attend(&mut watched, heard).await?;
                self.work = Work::Process(watched);
                self.let_go().await
            }
            (Happened::Overdue, Work::Process(mut watched)) => {
                watched.gave_up();
                self.stop_process(&watched).await;
                self.work = Work::Process(watched);
                Ok(())
            }
            (Happened::Ended(end), Work::Process(watched)) => {
                let Watched { process, listener, running, connection, .. } = *watched;
                drop(connection);
                self.process_ended(process, listener, running, end).await
            }
            (Happened::Committed(done), Work::Commit(_)) => self.committed(done).await,
            (Happened::Saved(saved), Work::Save(saving)) => self.saved(*saving, saved).await,
            (
                Happened::Printed(_)
                | Happened::Woke
                | Happened::Overdue
                | Happened::Ended(_)
                | Happened::Committed(_)
                | Happened::Saved(_),
                work,
            ) => {
                self.work = work;
                Err(Error::internal("something happened to work that is not done"))
            }
        }
    }

    /// Keeps the agent's name for the conversation, with which a follow-up goes on.
    pub(super) async fn remember(&mut self, conversation: Option<String>) -> Result<()> {
        if conversation.is_some() && conversation != self.attempt.conversation {
            let mut attempt = self.attempt.clone();
            attempt.conversation = conversation;
            attempt.updated_at = Timestamp::now();
            self.engine.inner.store.update_attempt(&attempt).await?;
            self.attempt = attempt;
        }
        Ok(())
    }

    pub(super) async fn process_ended(
        &mut self,
        mut process: Process,
        mut listener: Listener,
        running: live::Running,
        end: End,
    ) -> Result<()> {
        self.engine.share_slot(self.attempt.id, false);
        if end == End::Lost {
            // A host that was killed cannot end its tree, and nothing may run beside the next turn.
            client::kill_remains(&self.engine.inner.folder.process(process.id)).await?;
        }
        let (conversation, finish) = listener.finish(end).await?;
        let finish = finish.map(|finish| self.engine.hide_in_finish(finish));
        if listener.is_unheard() && matches!(self.attempt.state, AttemptState::Running { .. }) {
            return Box::pin(self.start_anew(process, running)).await;
        }
        self.remember(conversation).await?;
        let stopping = matches!(self.attempt.state, AttemptState::Stopping { .. });
        let end = if stopping { end } else { listener.end(end, finish.as_ref()) };
        process.state =
            process::ended(process.state, end).map_err(|error| Error::internal(error.to_string()))?;
        process.completed_at = Some(Timestamp::now());
        process.updated_at = Timestamp::now();
        if let Some(finish) = finish {
            listener.reached(&finish).write(&self.engine.inner.folder.process(process.id))?;
            if matches!(finish.failure, Some(Failure::UnknownConversation { .. })) {
                self.forget_conversation().await?;
            }
            process.reason = reason_of(end, finish.failure);
            process.usage = finish.usage;
            self.said = finish.message;
        }
        self.engine.inner.crash.pass("process-ended");
        // At once, and before the worktree is saved, which takes as long as git does.
        self.engine.inner.store.update_process(&process).await?;
        self.attempt.usage += process.usage;
        self.engine.inner.metrics.used(process.usage);
        self.engine.inner.live.leave(process.id);
        // Held until the row is written: a reader that is woken for the last time reads to the end.
        drop(running);
        self.engine.compress_log(process.id);
        self.engine.inner.crash.pass("process-end-written");
        self.take(Input::Ended { end, reason: process.reason }, None).await?;
        if !matches!(self.work, Work::Save(_)) {
            self.tell_interrupted();
        }
        Ok(())
    }

    /// Tells those who interrupted the turn that it is over.
    pub(super) fn tell_interrupted(&mut self) {
        for answer in self.interrupting.drain(..) {
            drop(answer.send(Ok(self.attempt.clone())));
        }
    }

    /// The agent does not know the conversation any more: the next turn begins another.
    async fn forget_conversation(&mut self) -> Result<()> {
        self.attempt.conversation = None;
        self.attempt.updated_at = Timestamp::now();
        self.engine.inner.store.update_attempt(&self.attempt).await?;
        Ok(())
    }

    async fn committed(&mut self, done: Done) -> Result<()> {
        let mut process = self.latest().await?;
        process.after_head_commit = done.head;
        process.updated_at = Timestamp::now();
        self.take(Input::Committed(done.committed), Some(process)).await
    }

    /// Whether a turn could begin now with this prompt: everything is looked at that can be, before anything is written.
    pub(super) async fn can_begin(&self, prompt: &str) -> Result<()> {
        let project = self.engine.get_project(self.attempt.project_id).await?;
        let resolved = self.engine.resolve(&project, &self.attempt.profile).await?;
        let conversation = self.attempt.conversation.clone();
        room_beside(&resolved.turn(&self.attempt, prompt, conversation, &How::default()).prompt)?;
        // One that was taken away is brought back.
        if !self.attempt.worktree_deleted {
            self.engine.worktree(&project, &self.attempt).await?;
        }
        Ok(())
    }

    /// Begins a turn with the first prompt of the queue.
    pub(super) async fn begin_queued(&mut self) -> Result<()> {
        self.take(Input::Begin, None).await
    }

    /// Moves the state machine and carries out what it wants, once what is in the worktree is saved where it wants that.
    /// `changed` is the process that the input is about.
    pub(super) async fn take(&mut self, input: Input, changed: Option<Process>) -> Result<()> {
        let project = self.engine.get_project(self.attempt.project_id).await?;
        self.attempt.set_up |= matches!(
            (&self.attempt.state, &input),
            (AttemptState::Running { stage: Stage::Setup }, Input::Ended { end, .. }) if end.is_success()
        );
        // Each on the heap: the next state may be the end of a turn that could not begin, which comes here again.
        if self.saves_first(&project, &input) {
            return Box::pin(self.save_first(project, input, changed)).await;
        }
        Box::pin(self.advance(&project, input, changed)).await
    }

    /// Moves the state machine and carries out what it wants.
    pub(super) async fn advance(
        &mut self,
        project: &Project,
        input: Input,
        changed: Option<Process>,
    ) -> Result<()> {
        let stopped = matches!(input, Input::Stop);
        let next = self.next(project, input).await?;
        if next.state == self.attempt.state && changed.is_none() && next.effects.is_empty() {
            return Ok(());
        }
        let wanted = self.engine.wanted(&self.attempt).await?;
        let (conversation, before) = match &next.replaces {
            Some(retry) => self.before(retry).await?,
            None => (self.attempt.conversation.clone(), None),
        };
        let mut started = self.new_process(project, &wanted, &next, conversation.clone()).await?;
        if started.as_ref().is_some_and(|process| process.kind == ProcessKind::SetupScript) {
            Box::pin(self.save_before_setup(project)).await?;
        }
        if let (Some(Process { action: Action::Turn { prompt, .. }, .. }), Some(before)) =
            (&mut started, before)
        {
            prompt.insert_str(0, &before);
        }
        let mut attempt = self.attempt.clone();
        attempt.state = next.state;
        attempt.conversation = conversation;
        attempt.updated_at = Timestamp::now();
        if let Some(variant) = next.follow_up.as_ref().and_then(|follow_up| follow_up.variant.clone()) {
            attempt.profile.variant = Some(variant);
        }
        let kept = match started.as_mut().filter(|process| process.kind == ProcessKind::CodingAgent) {
            Some(process) => self.find_kept(project, &attempt, process).await?,
            None => None,
        };
        let running = started.as_ref().map(|process| self.engine.inner.live.enter(process.id));
        let ended = changed.as_ref().filter(|process| process.end().is_some()).map(|process| process.id);
        let advance = Advance {
            expected: self.attempt.state.clone(),
            attempt: attempt.clone(),
            process_ended: changed,
            process_started: started.clone(),
            task: task_move(&next.effects),
            take_follow_up: next.follow_up.map(|follow_up| follow_up.id),
            add_follow_up: next.later.clone(),
            drop_from: next.replaces.map(|retry| retry.process_id),
            drop_follow_ups: stopped && self.replacing.is_none(),
        };
        let written = self.engine.inner.store.advance(advance).await;
        // The server ends before the database told: the row of the process that a kept agent would be may be written.
        if let Err(error @ (StoreError::Unknown | StoreError::Closed)) = written {
            return Err(error.into());
        }
        // Whichever does not run now: the one that ended, or the one that did not come to be.
        let gone = if written.is_ok() { ended } else { started.as_ref().map(|process| process.id) };
        if let Some(gone) = gone {
            self.engine.inner.live.leave(gone);
        }
        match written {
            Ok(written) => {
                self.dropped += written.dropped.len();
                if stopped {
                    self.unsent.extend(written.follow_ups);
                }
            }
            Err(error) => {
                if let Some(agent) = kept {
                    self.engine.keep(self.attempt.id, agent).await;
                }
                return Err(error.into());
            }
        }
        self.attempt = attempt;
        if next.later.is_some() {
            self.engine.inner.alarm.look_again();
        }
        self.act(&next.effects, started.zip(running), kept).await
    }

    /// Does something in the worktree that may run the user's programs, and ends it when the attempt is to stop.
    pub(super) async fn stoppable<T>(&self, work: impl AsyncFnOnce(CancellationToken) -> T) -> T {
        let stop = CancellationToken::new();
        let mut work = pin!(work(stop.clone()));
        tokio::select! {
            done = &mut work => done,
            () = self.out_of_time() => {
                stop.cancel();
                work.await
            }
        }
    }

    /// Waits until a stop is asked for, and then as long as the attempt may take to stop.
    async fn out_of_time(&self) {
        if self.stopping.is_empty() {
            self.stops.asked().await;
        }
        tokio::time::sleep_until(Instant::now() + self.engine.inner.options.grace).await;
    }

    async fn act(
        &mut self,
        effects: &[Effect],
        started: Option<(Process, live::Running)>,
        kept: Option<KeptAgent>,
    ) -> Result<()> {
        if let Some((process, running)) = started {
            self.engine.inner.crash.pass("turn-written");
            return self.launch(process, running, kept).await;
        }
        if effects.contains(&Effect::Commit) {
            return self.start_commit().await;
        }
        if effects.contains(&Effect::StopProcess) {
            self.engine.inner.crash.pass("stop-written");
            if let Work::Process(watched) = &self.work {
                self.stop_process(watched).await;
            }
        }
        if let AttemptState::Finished { outcome } = &self.attempt.state {
            let id = self.attempt.id;
            tracing::info!(attempt.id = %id, outcome = ?outcome, "attempt {id} finished");
            self.engine.leave_slot(id);
            let stopped =
                StoppedAttempt { attempt: self.attempt.clone(), removed: std::mem::take(&mut self.unsent) };
            for answer in self.stopping.drain(..) {
                drop(answer.send(Ok(stopped.clone())));
            }
            self.tell_interrupted();
        }
        Ok(())
    }

    /// Asks for the end of a process; that it came is seen as any end is.
    pub(super) async fn stop_process(&self, watched: &Watched) {
        loop {
            match watched.connection.stop(self.engine.inner.options.grace).await {
                Ok(()) => return,
                // Lost with its connection, perhaps; a second stop changes nothing.
                Err(AskError::Disconnected) => {}
                Err(error) => {
                    let id = watched.process.id;
                    tracing::warn!(process.id = %id, %error, "process {id} could not be asked to stop");
                    return;
                }
            }
        }
    }

    /// Starts a process whose row is written, or begins with an agent that was kept. One that cannot be started has ended.
    pub(super) async fn launch(
        &mut self,
        mut process: Process,
        running: live::Running,
        kept: Option<KeptAgent>,
    ) -> Result<()> {
        let project = self.engine.get_project(self.attempt.project_id).await?;
        let launched = match kept {
            Some(KeptAgent { connection, began, .. }) => Ok(Launched { connection, began: Some(began) }),
            None => match self.engine.check_disk(&self.attempt).await {
                // Who stops the attempt does not wait for the disk.
                Err(error) if !self.stops.is_asked() => return Err(error),
                Err(error) => Err(error),
                Ok(()) => {
                    self.engine.idle_agents_ended().await;
                    self.engine.launch(&project, &self.attempt, &process, &[]).await
                }
            },
        };
        match launched {
            Ok(Launched { connection, began }) => {
                self.engine.inner.crash.pass("turn-process-runs");
                let dir = self.engine.inner.folder.process(process.id);
                let listener = Listener::new(&self.attempt, &process, &dir)?;
                let mut watched = Watched::new(process, connection, listener, running);
                watched.began = began;
                watched.begin().await?;
                self.work = Work::Process(Box::new(watched));
                Ok(())
            }
            Err(error) => {
                let reason = not_started(&error);
                process.state = ProcessState::Ended { end: End::NotStarted };
                process.reason = Some(reason.clone());
                process.completed_at = Some(Timestamp::now());
                let input = Input::Ended { end: End::NotStarted, reason: Some(reason) };
                Box::pin(self.take(input, Some(process))).await
            }
        }
    }
}

/// Why a program was not started.
fn not_started(error: &Error) -> Reason {
    let message = error.to_string();
    match error.code() {
        "not_installed" => Reason::NotInstalled { message },
        "wrong_version" => Reason::WrongVersion { message },
        _ => Reason::StartFailed { message },
    }
}

/// Why an agent's turn failed. One that was stopped did not fail.
fn reason_of(end: End, failure: Option<Failure>) -> Option<Reason> {
    match end {
        End::Stopped | End::Lost => None,
        End::Exited { .. } | End::Signaled { .. } | End::NotStarted => failure.map(Reason::from),
    }
}
