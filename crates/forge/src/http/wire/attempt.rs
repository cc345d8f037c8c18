//! `TaskAttempt`, with the names that later clients look for beside the contract's.

use forge_engine::StoppedAttempt;
use forge_model::{
    AttemptId, AttemptState, DraftKind, FollowUpId, Outcome, ProcessId, ProjectId, QueueExit, Stage, TaskId,
    Timestamp,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Process, ProfileId, Reason, Replaced};
use crate::http::spec::documented;

documented!(Attempt<'_>, StoppedTaskAttempt<'_>, FollowUp<'_>, FollowedUp<'_>);

/// One try at a task: a branch, a worktree and a conversation.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskAttempt")]
pub(in crate::http) struct Attempt<'a> {
    id: AttemptId,
    // Runs have none, and a shape of their own.
    #[schemars(with = "TaskId")]
    task_id: Option<TaskId>,
    project_id: ProjectId,
    container_ref: &'a str,
    worktree_path: &'a str,
    branch: &'a str,
    branch_name: &'a str,
    target_branch: &'a str,
    base_branch: &'a str,
    executor: &'a str,
    executor_profile_id: ProfileId<'a>,
    status: &'static str,
    state: &'static str,
    stage: Option<&'static str>,
    outcome: Option<&'static str>,
    reason: Option<Reason>,
    /// The node that has the worktree and the processes; null for an attempt of an older version.
    node: Option<&'a str>,
    /// Whether another node has them: then nothing can be done with the attempt here, and `state` is `unreachable` unless
    /// it is finished.
    unreachable: bool,
    worktree_deleted: bool,
    setup_completed_at: Option<Timestamp>,
    /// Tokens of its turns up to now; null where no agent has told.
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    /// Always null: agents do not tell it apart from the input.
    cache_creation_tokens: Option<u64>,
    cache_read_tokens: Option<u64>,
    /// What its turns cost in US dollars; null where no agent has told.
    cost_usd: Option<f64>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> From<&'a forge_model::Attempt> for Attempt<'a> {
    fn from(attempt: &'a forge_model::Attempt) -> Self {
        let (stage, outcome) = progress(&attempt.state);
        let used = Some(attempt.usage).filter(|usage| !usage.is_empty());
        Self {
            id: attempt.id,
            task_id: attempt.task_id,
            project_id: attempt.project_id,
            container_ref: &attempt.worktree,
            worktree_path: &attempt.worktree,
            branch: &attempt.branch,
            branch_name: &attempt.branch,
            target_branch: &attempt.target_branch,
            base_branch: &attempt.target_branch,
            executor: &attempt.profile.executor,
            executor_profile_id: ProfileId::from(&attempt.profile),
            status: attempt.status(),
            state: state_word(attempt),
            stage,
            outcome,
            reason: attempt.reason().map(Reason::from),
            node: attempt.node.as_ref().map(|node| node.name.as_str()),
            unreachable: attempt.is_unreachable(),
            worktree_deleted: attempt.worktree_deleted,
            setup_completed_at: None,
            input_tokens: used.map(|usage| usage.input_tokens),
            output_tokens: used.map(|usage| usage.output_tokens),
            cache_creation_tokens: None,
            cache_read_tokens: used.map(|usage| usage.cached_tokens),
            cost_usd: attempt.usage.cost_micros.map(|micros| micros as f64 / 1e6),
            created_at: attempt.created_at,
            updated_at: attempt.updated_at,
        }
    }
}

/// How far an attempt is, as far as it can be known here.
pub(super) fn state_word(attempt: &forge_model::Attempt) -> &'static str {
    if attempt.is_unreachable() && !attempt.state.is_finished() {
        return "unreachable";
    }
    attempt.state.as_str()
}

/// The words for the stage that is being done and for how it came out.
pub(super) const fn progress(state: &AttemptState) -> (Option<&'static str>, Option<&'static str>) {
    match state {
        AttemptState::Queued { .. } => (None, None),
        AttemptState::Running { stage } | AttemptState::Stopping { stage } => {
            (Some(stage_word(*stage)), None)
        }
        AttemptState::Finished { outcome } => (None, Some(outcome_word(outcome))),
    }
}

const fn stage_word(stage: Stage) -> &'static str {
    match stage {
        Stage::Setup => "setup",
        Stage::Agent => "agent",
        Stage::Commit | Stage::CommitCleanup { .. } => "commit",
        Stage::Cleanup => "cleanup",
    }
}

const fn outcome_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Succeeded => "succeeded",
        Outcome::Failed { .. } => "failed",
        Outcome::Stopped => "stopped",
        Outcome::Lost => "lost",
    }
}

/// A prompt that waits for its turn.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct FollowUp<'a> {
    id: FollowUpId,
    task_attempt_id: AttemptId,
    prompt: &'a str,
    variant: Option<&'a str>,
    /// The model to use from there on; null keeps the one that was used.
    model: Option<&'a str>,
    /// The mode to work in from there on; null keeps the one that was used.
    mode: Option<&'a str>,
    /// Whether it interrupts the turn that runs.
    interrupt: bool,
    /// When it is sent by itself: the agent's limit is reset then. A person who sends something else takes its place.
    waits_until: Option<Timestamp>,
    /// The process whose turn it takes the place of.
    retry_process_id: Option<ProcessId>,
    created_at: Timestamp,
}

impl<'a> From<&'a forge_model::FollowUp> for FollowUp<'a> {
    fn from(follow_up: &'a forge_model::FollowUp) -> Self {
        Self {
            id: follow_up.id,
            task_attempt_id: follow_up.attempt_id,
            prompt: &follow_up.prompt,
            variant: follow_up.variant.as_deref(),
            model: follow_up.how.model.as_deref(),
            mode: follow_up.how.mode.as_deref(),
            interrupt: follow_up.interrupt,
            waits_until: follow_up.not_before,
            retry_process_id: follow_up.retry.map(|retry| retry.process_id),
            created_at: follow_up.created_at,
        }
    }
}

/// A prompt that left its attempt's queue.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct RemovedFollowUp<'a> {
    #[serde(flatten)]
    follow_up: FollowUp<'a>,
    /// Why: `sent` (its turn began), `removed`, `stopped` (the attempt was), `deleted` (the attempt was); null in an event
    /// of an older version.
    why: Option<&'static str>,
    /// The draft that has the prompt again, `follow_up` or `retry`; null if it was sent, or was not queued as a draft.
    returned_to_draft: Option<&'static str>,
}

impl<'a> From<&'a forge_model::RemovedFollowUp> for RemovedFollowUp<'a> {
    fn from(removed: &'a forge_model::RemovedFollowUp) -> Self {
        Self {
            follow_up: FollowUp::from(&removed.follow_up),
            why: removed.why.map(QueueExit::as_str),
            returned_to_draft: removed.returned_to_draft.map(DraftKind::as_str),
        }
    }
}

/// An attempt of which nothing runs any more.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct StoppedTaskAttempt<'a> {
    #[serde(flatten)]
    attempt: Attempt<'a>,
    /// The prompts that this stop took out of the queue unsent. One that was queued as a draft is a draft again; keep the
    /// text of the others, or send them again.
    removed_follow_ups: Vec<RemovedFollowUp<'a>>,
}

impl<'a> From<&'a StoppedAttempt> for StoppedTaskAttempt<'a> {
    fn from(stopped: &'a StoppedAttempt) -> Self {
        Self {
            attempt: Attempt::from(&stopped.attempt),
            removed_follow_ups: stopped.removed.iter().map(RemovedFollowUp::from).collect(),
        }
    }
}

/// The answer to a follow-up that has to wait.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Queued<'a> {
    queued: bool,
    follow_up: FollowUp<'a>,
    /// How many prompts of the attempt come before it.
    ahead: usize,
    /// The attempt's place among those that wait for room, from 1; null while it has room.
    queue_position: Option<usize>,
}

/// What a follow-up came to: the process that runs, perhaps in the place of another, or its place in the queue.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(in crate::http) enum FollowedUp<'a> {
    Replaced(Replaced<'a>),
    Started(Process<'a>),
    Queued(Queued<'a>),
}

impl<'a> Queued<'a> {
    pub(in crate::http) fn new(
        follow_up: &'a forge_model::FollowUp,
        ahead: usize,
        queue_position: Option<usize>,
    ) -> Self {
        Self { queued: true, follow_up: FollowUp::from(follow_up), ahead, queue_position }
    }
}
