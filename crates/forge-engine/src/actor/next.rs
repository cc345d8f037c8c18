//! What comes next in an attempt: the next state, the prompt that is sent with it, and the process that it needs.

use forge_model::fsm::attempt::{self as fsm, Effect, Input, Plan, Room};
use forge_model::{
    Action, AttemptState, End, FollowUp, FollowUpId, How, Outcome, Process, ProcessId, ProcessKind,
    ProcessState, Project, Reason, Retry, Stage, TaskMove, Timestamp, Usage,
};

use super::Actor;
use crate::error::{Error, Result};
use crate::launch;
use crate::start::plan;

/// What an agent is told that a limit kept from going on.
pub(crate) const GO_ON: &str = "The limit that ended your last turn has been reset. Go on where you were.";
/// When it goes on where the limit is said to be over already, which it was not.
const LATER_MS: i64 = 60_000;

/// The next state and what it needs.
pub(super) struct Next {
    pub(super) state: AttemptState,
    pub(super) effects: Vec<Effect>,
    /// The prompt that the agent is told.
    pub(super) follow_up: Option<FollowUp>,
    /// What the turn that begins takes the place of.
    pub(super) replaces: Option<Retry>,
    /// The prompt that goes on by itself later.
    pub(super) later: Option<FollowUp>,
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
    /// The next state. A turn that ended with prompts in the queue goes on with the first of them at once.
    pub(super) async fn next(&mut self, project: &Project, input: Input) -> Result<Next> {
        let is_stop = matches!(input, Input::Stop);
        // One that does not hear of it is ended.
        let interrupted = matches!(
            (&self.attempt.state, &input),
            (
                AttemptState::Running { stage: Stage::Agent },
                Input::Ended { end: End::Stopped, .. }
                    | Input::Ended { reason: Some(Reason::Interrupted), .. }
            )
        );
        let step = fsm::step(&self.attempt.state, self.plan(project, self.room(&input)), input)
            .map_err(|refusal| Error::conflict("attempt_busy", refusal.to_string()))?;
        let mut next = Next::new(step);
        let queue = self.engine.inner.store.list_follow_ups(self.attempt.id).await?;
        next.later = self.goes_on_later(&next.state).await?;
        let is_awaited = self.was_sent_since(&queue).await?;
        let Some(first) = queue.into_iter().next() else { return Ok(next) };
        if let AttemptState::Finished { outcome } = &next.state
            && !is_stop
            && (is_awaited || interrupted || self.may_follow(outcome, &first).await?)
            && !self.is_task_closed().await?
            && self.can_begin(&first.prompt).await.is_ok()
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

    pub(super) fn plan(&self, project: &Project, room: Room) -> Plan {
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

    pub(super) async fn new_process(
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
            Err(error) if error.may_pass() && !self.stops.is_asked() => return Err(error),
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

/// What the turn does to the task.
pub(super) fn task_move(effects: &[Effect]) -> Option<TaskMove> {
    if effects.contains(&Effect::Progress) {
        return Some(TaskMove::Begin);
    }
    effects.contains(&Effect::Review).then_some(TaskMove::End)
}
