//! The chain of an attempt: setup script → agent → commit → cleanup script → commit → review.
//!
//! The engine reads the state, calls [`step`], writes the next state in one transaction with the rows that the
//! effects need, and then carries the effects out. A crash in between finds the state that says what was meant.

use crate::{AttemptState, End, Outcome, Reason, Stage, Timestamp};

/// What is known of the attempt beside its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Whether a setup script has yet to do its work.
    pub needs_setup: bool,
    /// Whether there is a cleanup script.
    pub has_cleanup: bool,
    /// Whether what an agent changed is committed for it. A run's agent commits what it wants to be committed.
    pub commits: bool,
    /// Whether another attempt may run; if not, a turn that is wanted waits.
    pub room: Room,
}

/// Whether the limit of running attempts leaves room for one more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// It does.
    Free,
    /// It does not.
    Full {
        /// The time, from which it waits.
        now: Timestamp,
    },
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A turn is wanted: the first one, or a follow-up.
    Begin,
    /// The stage's process ended.
    Ended {
        /// How.
        end: End,
        /// What its protocol told of the failure.
        reason: Option<Reason>,
    },
    /// The commit of the stage was tried.
    Committed(Committed),
    /// Somebody wants it to stop.
    Stop,
}

/// What came of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// The branch has moved since the process began.
    Changed,
    /// There was nothing to commit.
    Unchanged,
    /// Git did not take it.
    Refused {
        /// What git said.
        message: String,
    },
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Run the setup script.
    RunSetup,
    /// Let the agent work.
    RunAgent,
    /// Commit what changed.
    Commit,
    /// Run the cleanup script.
    RunCleanup,
    /// End the stage's process.
    StopProcess,
    /// Save what is in the worktree under a hidden ref, before the next state is written.
    Snapshot,
    /// The task is in progress.
    Progress,
    /// A person has to look at the task.
    Review,
}

/// Why an input is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A turn runs: another one has to wait.
    #[error("the attempt is at work; wait until it is done, or stop it")]
    Busy,
    /// Nothing runs, so nothing can end or be stopped.
    #[error("nothing runs in the attempt")]
    NotRunning,
    /// The input belongs to another stage.
    #[error("the attempt is in another stage")]
    WrongStage,
}

type Step = Result<(AttemptState, Vec<Effect>), Refusal>;

/// The first turn of an attempt that is just being made.
#[must_use]
pub fn first(plan: Plan) -> (AttemptState, Vec<Effect>) {
    begin(plan)
}

/// What becomes of a turn that waits and cannot be begun as it was asked for.
#[must_use]
pub fn stopped() -> (AttemptState, Vec<Effect>) {
    unbegun(Outcome::Stopped)
}

/// What becomes of an attempt whose node is gone for good; none if it is finished.
#[must_use]
pub const fn after_node_loss(state: &AttemptState) -> Option<AttemptState> {
    match state {
        AttemptState::Running { .. } => Some(AttemptState::Finished { outcome: Outcome::Lost }),
        AttemptState::Queued { .. } | AttemptState::Stopping { .. } => {
            Some(AttemptState::Finished { outcome: Outcome::Stopped })
        }
        AttemptState::Finished { .. } => None,
    }
}

/// The next state and what to do, or why not.
///
/// # Errors
/// When the input does not fit the state; the state stays as it is.
pub fn step(state: &AttemptState, plan: Plan, input: Input) -> Step {
    match (state, input) {
        (AttemptState::Finished { .. }, Input::Begin) => Ok(begin(plan)),
        // It keeps its place for as long as there is no room.
        (AttemptState::Queued { since }, Input::Begin) => match plan.room {
            Room::Free => Ok(begin(plan)),
            Room::Full { .. } => Ok((AttemptState::Queued { since: *since }, vec![])),
        },
        (AttemptState::Queued { .. }, Input::Stop) => Ok(unbegun(Outcome::Stopped)),
        (AttemptState::Queued { .. }, Input::Ended { .. } | Input::Committed(_)) => Err(Refusal::NotRunning),
        (AttemptState::Running { .. } | AttemptState::Stopping { .. }, Input::Begin) => Err(Refusal::Busy),
        (AttemptState::Finished { .. }, Input::Ended { .. } | Input::Committed(_) | Input::Stop) => {
            Err(Refusal::NotRunning)
        }
        (AttemptState::Running { stage }, Input::Stop) => Ok(stop(*stage)),
        // A second stop changes nothing; the caller waits for the first.
        (AttemptState::Stopping { stage }, Input::Stop) => {
            Ok((AttemptState::Stopping { stage: *stage }, vec![]))
        }
        (AttemptState::Running { stage }, Input::Ended { end, reason }) => ended(*stage, plan, end, reason),
        (AttemptState::Stopping { stage }, Input::Ended { .. }) if is_process(*stage) => {
            Ok(finished(Outcome::Stopped))
        }
        (AttemptState::Running { stage }, Input::Committed(result)) => committed(*stage, plan, result),
        (AttemptState::Stopping { stage }, Input::Committed(_)) if !is_process(*stage) => {
            Ok(finished(Outcome::Stopped))
        }
        (AttemptState::Stopping { .. }, Input::Ended { .. } | Input::Committed(_)) => {
            Err(Refusal::WrongStage)
        }
    }
}

fn begin(plan: Plan) -> (AttemptState, Vec<Effect>) {
    if let Room::Full { now } = plan.room {
        return (AttemptState::Queued { since: now }, vec![]);
    }
    let (stage, effect) =
        if plan.needs_setup { (Stage::Setup, Effect::RunSetup) } else { (Stage::Agent, Effect::RunAgent) };
    (AttemptState::Running { stage }, vec![Effect::Progress, effect])
}

/// Whether the stage is a process that runs, and not a commit that is being made.
const fn is_process(stage: Stage) -> bool {
    match stage {
        Stage::Setup | Stage::Agent | Stage::Cleanup => true,
        Stage::Commit | Stage::CommitCleanup { .. } => false,
    }
}

fn stop(stage: Stage) -> (AttemptState, Vec<Effect>) {
    let effects = if is_process(stage) { vec![Effect::StopProcess] } else { vec![] };
    (AttemptState::Stopping { stage }, effects)
}

fn ended(stage: Stage, plan: Plan, end: End, reason: Option<Reason>) -> Step {
    match (stage, end) {
        (Stage::Commit | Stage::CommitCleanup { .. }, _) => Err(Refusal::WrongStage),
        (Stage::Setup | Stage::Agent | Stage::Cleanup, End::Lost) => Ok(finished(Outcome::Lost)),
        // Stopped by its own id and not through the attempt: the same to the attempt.
        (Stage::Setup | Stage::Agent | Stage::Cleanup, End::Stopped) => Ok(finished(Outcome::Stopped)),
        (Stage::Setup, end) if end.is_success() => {
            // What the script made is there when the agent's turn is begun again.
            Ok((AttemptState::Running { stage: Stage::Agent }, vec![Effect::Snapshot, Effect::RunAgent]))
        }
        (Stage::Setup, End::NotStarted) => {
            let reason = reason.unwrap_or(Reason::SetupFailed { ended: end.to_string() });
            Ok(unbegun(Outcome::Failed { reason }))
        }
        (Stage::Setup, end) => {
            let reason = reason.unwrap_or(Reason::SetupFailed { ended: end.to_string() });
            Ok(finished(Outcome::Failed { reason }))
        }
        (Stage::Agent, end) if end.is_success() && reason.is_none() && !plan.commits => {
            Ok(finished(Outcome::Succeeded))
        }
        (Stage::Agent, end) if end.is_success() && reason.is_none() => {
            Ok((AttemptState::Running { stage: Stage::Commit }, vec![Effect::Commit]))
        }
        // As with a stop, what it has done stays in the worktree, and a person decides what comes next.
        (Stage::Agent, _) if reason == Some(Reason::Interrupted) => Ok(finished(Outcome::Stopped)),
        (Stage::Agent, End::NotStarted) => {
            let reason = reason.unwrap_or(Reason::AgentCrashed { ended: end.to_string() });
            Ok(unbegun(Outcome::Failed { reason }))
        }
        (Stage::Agent, end) => {
            let reason = reason.unwrap_or(Reason::AgentCrashed { ended: end.to_string() });
            Ok(finished(Outcome::Failed { reason }))
        }
        // What a failed cleanup script left is committed all the same: the failure is told, the work is kept.
        (Stage::Cleanup, end) => {
            Ok((AttemptState::Running { stage: Stage::CommitCleanup { end } }, vec![Effect::Commit]))
        }
    }
}

fn committed(stage: Stage, plan: Plan, result: Committed) -> Step {
    match (stage, result) {
        (Stage::Setup | Stage::Agent | Stage::Cleanup, _) => Err(Refusal::WrongStage),
        (Stage::Commit | Stage::CommitCleanup { .. }, Committed::Refused { message }) => {
            Ok(finished(Outcome::Failed { reason: Reason::CommitRefused { message } }))
        }
        (Stage::Commit, Committed::Changed) if plan.has_cleanup => {
            Ok((AttemptState::Running { stage: Stage::Cleanup }, vec![Effect::RunCleanup]))
        }
        (Stage::CommitCleanup { end }, Committed::Changed | Committed::Unchanged) if !end.is_success() => {
            Ok(finished(Outcome::Failed { reason: Reason::CleanupFailed { ended: end.to_string() } }))
        }
        (Stage::Commit | Stage::CommitCleanup { .. }, Committed::Changed | Committed::Unchanged) => {
            Ok(finished(Outcome::Succeeded))
        }
    }
}

fn finished(outcome: Outcome) -> (AttemptState, Vec<Effect>) {
    (AttemptState::Finished { outcome }, vec![Effect::Snapshot, Effect::Review])
}

/// The end of a turn that never ran: it left nothing in the worktree to save.
fn unbegun(outcome: Outcome) -> (AttemptState, Vec<Effect>) {
    (AttemptState::Finished { outcome }, vec![Effect::Review])
}

#[cfg(test)]
#[path = "attempt_tests.rs"]
mod tests;
