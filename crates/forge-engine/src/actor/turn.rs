//! A turn: what happens moves the state machine, and its effects are carried out in an order that a crash at any
//! point leaves something to go on from: save, write, act.

use forge_agent::client::{self, AskError};
use forge_agent::driver::Failure;
use forge_model::fsm::attempt::{self as fsm, Effect, Input, Plan, Room};
use forge_model::fsm::process;
use forge_model::{
    Action, AttemptState, End, FollowUp, FollowUpId, How, Outcome, Process, ProcessId, ProcessKind,
    ProcessState, Project, Reason, Retry, Stage, TaskMove, Timestamp, Usage,
};
use forge_store::Advance;

use super::watch::{Happened, Listener, Watched};
use super::{Actor, Work};
use crate::commit::Done;
use crate::error::{Error, Result};
use crate::kept::KeptAgent;
use crate::launch::{self, Launched};
use crate::live;
use crate::start::plan;

/// What an agent is told that a limit kept from going on.
const GO_ON: &str = "The limit that ended your last turn has been reset. Go on where you were.";
/// When it goes on where the limit is said to be over already, which it was not.
const LATER_MS: i64 = 60_000;

/// The next state and what it needs.
struct Next {
    state: AttemptState,
    effects: Vec<Effect>,
    /// The prompt that the agent is told.
    follow_up: Option<FollowUp>,
    /// What the turn that begins takes the place of.
    replaces: Option<Retry>,
    /// The prompt that goes on by itself later.
    later: Option<FollowUp>,
}

impl Next {
    fn new((state, effects): (AttemptState, Vec<Effect>)) -> Self {
        Self { state, effects, follow_up: None, replaces: None, later: None }
    }

    /// Whether a turn begins, or the agent's part of it.
    fn begins(&self) -> bool {
        self.effects.contains(&Effect::Progress) || self.effects.contains(&Effect::RunAgent)
    }
}

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
            (
                Happened::Printed(_)
                | Happened::Woke
                | Happened::Overdue
                | Happened::Ended(_)
                | Happened::Committed(_),
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
        for answer in self.interrupting.drain(..) {
            drop(answer.send(Ok(self.attempt.clone())));
        }
        Ok(())
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

    /// Whether a turn could begin now: everything is looked at that can be, before anything is written.
    pub(super) async fn can_begin(&self) -> Result<()> {
        let project = self.engine.get_project(self.attempt.project_id).await?;
        self.engine.resolve(&project, &self.attempt.profile).await?;
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

    /// Moves the state machine and carries out what it wants. `changed` is the process that the input is about.
    pub(super) async fn take(&mut self, input: Input, changed: Option<Process>) -> Result<()> {
        let project = self.engine.get_project(self.attempt.project_id).await?;
        let set_up = matches!(
            (&self.attempt.state, &input),
            (AttemptState::Running { stage: Stage::Setup }, Input::Ended { end, .. }) if end.is_success()
        );
        let stopped = matches!(input, Input::Stop);
        self.attempt.set_up |= set_up;
        if set_up {
            // What the script made is there when the agent's turn is begun again.
            self.save(&project).await;
        }
        let next = self.next(&project, input).await?;
        if next.state == self.attempt.state && changed.is_none() && next.effects.is_empty() {
            return Ok(());
        }
        let wanted = self.engine.wanted(&self.attempt).await?;
        let (conversation, before) = match &next.replaces {
            Some(retry) => self.before(retry).await?,
            None => (self.attempt.conversation.clone(), None),
        };
        let mut started = self.new_process(&project, &wanted, &next, conversation.clone()).await?;
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
            Some(process) => self.find_kept(&project, &attempt, process).await?,
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
        // Whichever does not run now: the one that ended, or the one that did not come to be.
        let gone = if written.is_ok() { ended } else { started.as_ref().map(|process| process.id) };
        if let Some(gone) = gone {
            self.engine.inner.live.leave(gone);
        }
        match written {
            Ok(written) => self.dropped += written.dropped.len(),
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

    /// The next state. A turn that ended with prompts in the queue goes on with the first of them at once.
    async fn next(&mut self, project: &Project, input: Input) -> Result<Next> {
        let is_stop = matches!(input, Input::Stop);
        let step = fsm::step(&self.attempt.state, self.plan(project, self.room(&input)), input)
            .map_err(|refusal| Error::conflict("attempt_busy", refusal.to_string()))?;
        let mut next = Next::new(step);
        if next.effects.contains(&Effect::Snapshot) {
            self.save(project).await;
        }
        let queue = self.engine.inner.store.list_follow_ups(self.attempt.id).await?;
        next.later = self.goes_on_later(&next.state).await?;
        let Some(first) = queue.into_iter().next() else { return Ok(next) };
        if let AttemptState::Finished { outcome } = &next.state
            && !is_stop
            && self.may_follow(outcome, &first).await?
            && self.can_begin().await.is_ok()
        {
            let ended = std::mem::replace(&mut next, Next::new(fsm::first(self.plan(project, Room::Free))));
            match self.take_back(project, &first).await {
                Ok(replaces) => next.replaces = replaces,
                Err(error) if error.may_pass() => return Err(error),
                Err(error) => {
                    self.not_replaced(error);
                    return Ok(ended);
                }
            }
        } else if next.begins() {
            match (self.take_back(project, &first).await, &self.attempt.state) {
                (Ok(replaces), _) => next.replaces = replaces,
                (Err(error), AttemptState::Queued { .. }) if !error.may_pass() => {
                    return Ok(Next::new(fsm::stopped()));
                }
                (Err(error), AttemptState::Finished { .. }) => {
                    // It took room to begin, and does not.
                    self.engine.leave_slot(self.attempt.id);
                    return Err(error);
                }
                (
                    Err(error),
                    AttemptState::Queued { .. }
                    | AttemptState::Running { .. }
                    | AttemptState::Stopping { .. },
                ) => return Err(error),
            }
        }
        next.follow_up = Some(first).filter(|_| next.effects.contains(&Effect::RunAgent));
        Ok(next)
    }

    /// Whether a prompt that waits is sent after a turn that ended so. One that takes a turn's place always is, because
    /// the turn was stopped for it; once it has begun, and what came before it failed, it waits as any other does. So is
    /// one that interrupted the turn, and one that was to wait until now.
    pub(super) async fn may_follow(&self, outcome: &Outcome, first: &FollowUp) -> Result<bool> {
        if let Some(at) = first.not_before {
            return Ok(at <= Timestamp::now());
        }
        let is_awaited = first.interrupt && *outcome != Outcome::Lost;
        Ok(goes_on(outcome) || is_awaited || self.unbegun(first).await?.is_some())
    }

    /// The prompt with which a turn that a limit ended goes on by itself when the limit is reset, where that is wanted.
    async fn goes_on_later(&self, state: &AttemptState) -> Result<Option<FollowUp>> {
        let AttemptState::Finished {
            outcome: Outcome::Failed { reason: Reason::RateLimited { resets_at: Some(resets_at), .. } },
        } = state
        else {
            return Ok(None);
        };
        let process = self.latest().await?;
        let Action::Turn { how, .. } = &process.action else { return Ok(None) };
        let turn = launch::turn_of(&self.attempt, &process, &self.engine.inner.folder.process(process.id))?;
        let settings = turn.map(|turn| turn.settings).unwrap_or_default();
        let is_set = settings.get("wait_for_limit").and_then(serde_json::Value::as_bool) == Some(true);
        if !is_set && !how.wait_for_limit {
            return Ok(None);
        }
        let waiting = self.engine.inner.store.list_follow_ups(self.attempt.id).await?;
        if waiting.iter().any(|waiting| waiting.not_before.is_some()) {
            return Ok(None);
        }
        let now = Timestamp::now();
        let later = Timestamp::from_millis(now.as_millis().saturating_add(LATER_MS));
        Ok(Some(FollowUp {
            id: FollowUpId::random(),
            attempt_id: self.attempt.id,
            prompt: GO_ON.to_owned(),
            variant: None,
            how: How { model: None, mode: None, wait_for_limit: true },
            retry: None,
            interrupt: false,
            not_before: Some(if *resets_at > now { *resets_at } else { later }),
            created_at: now,
        }))
    }

    /// How the agent works in the turn that begins: as it did before, but for what the prompt says. A variant says
    /// anew what it wants.
    async fn how(&self, follow_up: Option<&FollowUp>) -> Result<How> {
        let mut how = follow_up.map(|follow_up| follow_up.how.clone()).unwrap_or_default();
        if follow_up.is_some_and(|follow_up| follow_up.variant.is_some()) {
            return Ok(how);
        }
        let processes = self.engine.inner.store.list_processes(self.attempt.id).await?;
        let mut before = processes.into_iter().rev().filter(|process| !process.dropped);
        let before = before.find_map(|process| match process.action {
            Action::Turn { how, .. } => Some(how),
            Action::Script { .. } => None,
        });
        if let Some(before) = before {
            how.model = how.model.or(before.model);
            how.mode = how.mode.or(before.mode);
        }
        Ok(how)
    }

    fn plan(&self, project: &Project, room: Room) -> Plan {
        plan(project, self.attempt.is_run(), self.attempt.set_up, room)
    }

    /// Room for a turn that is wanted; what goes on has it already.
    fn room(&self, input: &Input) -> Room {
        match input {
            Input::Begin => {
                let slots = &self.engine.inner.slots;
                slots.take_or_wait(self.attempt.id, self.attempt.project_id, Timestamp::now())
            }
            Input::Ended { .. } | Input::Committed(_) | Input::Stop => Room::Free,
        }
    }

    async fn save(&self, project: &Project) {
        let latest = self.latest().await;
        let name = latest.map_or_else(|_none| "end".to_owned(), |process| process.id.to_string());
        // The worktree itself still has the work; what removes it saves it first, or does not remove it.
        let id = self.attempt.id;
        match self.engine.snapshot(project, &self.attempt, &name).await {
            Ok(None) => {}
            Ok(Some(unsaved)) => {
                tracing::warn!(attempt.id = %id, unsaved, "not all of the worktree of attempt {id} is saved");
            }
            Err(error) => {
                tracing::warn!(attempt.id = %id, error = %error, "the worktree of attempt {id} could not be saved");
            }
        }
    }

    async fn new_process(
        &self,
        project: &Project,
        wanted: &str,
        next: &Next,
        conversation: Option<String>,
    ) -> Result<Option<Process>> {
        let Some((kind, mut action)) = action(project, wanted, next, conversation.as_ref()) else {
            return Ok(None);
        };
        if let Action::Turn { how, .. } = &mut action {
            *how = self.how(next.follow_up.as_ref()).await?;
        }
        let head = match self.engine.worktree(project, &self.attempt).await {
            Ok(worktree) => Some(worktree.head().await?.to_string()),
            Err(_gone) => None,
        };
        let now = Timestamp::now();
        Ok(Some(Process {
            id: ProcessId::random(),
            attempt_id: self.attempt.id,
            in_run: self.attempt.is_run(),
            kind,
            action,
            state: ProcessState::Running,
            reason: None,
            before_head_commit: head,
            after_head_commit: None,
            dropped: false,
            started_at: now,
            completed_at: None,
            updated_at: now,
            usage: Usage::default(),
        }))
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
            for answer in self.stopping.drain(..) {
                drop(answer.send(Ok(self.attempt.clone())));
            }
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
            None => self.engine.launch(&project, &self.attempt, &process, &[]).await,
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

/// What runs next, if anything does.
fn action(
    project: &Project,
    wanted: &str,
    next: &Next,
    conversation: Option<&String>,
) -> Option<(ProcessKind, Action)> {
    let script = |script: &Option<String>| Action::Script { script: script.clone().unwrap_or_default() };
    next.effects.iter().find_map(|effect| match effect {
        Effect::RunSetup => Some((ProcessKind::SetupScript, script(&project.setup_script))),
        Effect::RunCleanup => Some((ProcessKind::CleanupScript, script(&project.cleanup_script))),
        Effect::RunAgent => {
            let action = agent_turn(wanted, next.follow_up.as_ref(), conversation.cloned());
            Some((ProcessKind::CodingAgent, action))
        }
        Effect::Commit | Effect::StopProcess | Effect::Snapshot | Effect::Progress | Effect::Review => None,
    })
}

/// What the agent is told. One that never worked is told what is wanted first, then what was said since.
fn agent_turn(wanted: &str, follow_up: Option<&FollowUp>, conversation: Option<String>) -> Action {
    // An agent that could not be started, or was lost before it said who it is, knows nothing of it.
    let worked = conversation.is_some();
    let prompt = match (worked, follow_up) {
        // It takes the place of all that the agent was told in that turn.
        (_, Some(follow_up)) if follow_up.retry.is_some() => follow_up.prompt.clone(),
        (true, Some(follow_up)) => follow_up.prompt.clone(),
        (false, Some(follow_up)) => format!("{wanted}\n\n{}", follow_up.prompt),
        (true | false, None) => wanted.to_owned(),
    };
    Action::Turn { prompt, conversation, how: How::default() }
}

/// After a stop, after an end that nobody saw, and where the next turn would only fail as this one did, a person
/// decides what comes next.
const fn goes_on(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Failed {
            reason:
                Reason::SetupFailed { .. }
                | Reason::StartFailed { .. }
                | Reason::NotInstalled { .. }
                | Reason::WrongVersion { .. }
                | Reason::RateLimited { .. }
                | Reason::OutOfQuota { .. }
                | Reason::NotLoggedIn { .. },
        } => false,
        Outcome::Succeeded | Outcome::Failed { .. } => true,
        Outcome::Stopped | Outcome::Lost => false,
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

/// What the turn does to the task.
fn task_move(effects: &[Effect]) -> Option<TaskMove> {
    if effects.contains(&Effect::Progress) {
        return Some(TaskMove::Begin);
    }
    effects.contains(&Effect::Review).then_some(TaskMove::End)
}

/// Why an agent's turn failed. One that was stopped did not fail.
fn reason_of(end: End, failure: Option<Failure>) -> Option<Reason> {
    match end {
        End::Stopped | End::Lost => None,
        End::Exited { .. } | End::Signaled { .. } | End::NotStarted => failure.map(Reason::from),
    }
}
