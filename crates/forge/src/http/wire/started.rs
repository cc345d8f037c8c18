//! What a start answers. Clients look for the ids in different places, so they stand in all of them.

use std::borrow::Cow;

use axum::http::StatusCode;
use forge_engine::AttemptWarning;
use forge_model::{AttemptId, ProcessId, Started};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Attempt, Process, Task};
use crate::http::compat::UseWorktree;
use crate::http::spec::documented;

documented!(StartedTask<'_>, StartedAttempt<'_>);

/// 200 when it runs, 202 when it stands in the queue.
pub(in crate::http) const fn status_of(started: &Started) -> StatusCode {
    if started.process.is_some() { StatusCode::OK } else { StatusCode::ACCEPTED }
}

/// `id` is the task's.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct StartedTask<'a> {
    #[serde(flatten)]
    task: Task<'a>,
    #[serde(flatten)]
    parts: Parts<'a>,
}

/// `id` is the attempt's.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct StartedAttempt<'a> {
    #[serde(flatten)]
    attempt: Attempt<'a>,
    task: Task<'a>,
    #[serde(flatten)]
    parts: Parts<'a>,
}

#[derive(Serialize, JsonSchema)]
struct Parts<'a> {
    task_attempt: Attempt<'a>,
    attempts: [Attempt<'a>; 1],
    attempt_id: AttemptId,
    /// None while the attempt stands in the queue.
    execution_process: Option<Process<'a>>,
    execution_process_id: Option<ProcessId>,
    queued: bool,
    /// Its place among those that wait for room, from 1.
    queue_position: Option<usize>,
    /// Which parts of the request, the project and the configuration were not followed, and why.
    warnings: Vec<StartWarning>,
}

/// A part of the request, the project or the configuration that a start did not follow.
#[derive(Serialize, JsonSchema)]
struct StartWarning {
    /// `worktree_made`, `file_not_copied` or `caps_not_enforced`.
    code: &'static str,
    message: Cow<'static, str>,
    hint: &'static str,
}

/// The original server accepts `use_worktree: false` and makes a worktree anyway.
const WORKTREE_MADE: StartWarning = StartWarning {
    code: "worktree_made",
    message: Cow::Borrowed(
        "The request has `use_worktree: false`, but every attempt works in a worktree of its own.",
    ),
    hint: "Find the agent's files at `worktree_path`, and leave `use_worktree` out.",
};

impl From<AttemptWarning> for StartWarning {
    fn from(AttemptWarning { code, message, hint }: AttemptWarning) -> Self {
        Self { code, message: message.into(), hint }
    }
}

impl<'a> Parts<'a> {
    fn new(
        started: &'a Started,
        queue_position: Option<usize>,
        use_worktree: UseWorktree,
        warnings: Vec<AttemptWarning>,
    ) -> Self {
        Self {
            task_attempt: Attempt::from(&started.attempt),
            attempts: [Attempt::from(&started.attempt)],
            attempt_id: started.attempt.id,
            execution_process: started
                .process
                .as_ref()
                .map(|process| Process::new(process, Some(&started.attempt.profile))),
            execution_process_id: started.process.as_ref().map(|process| process.id),
            queued: started.process.is_none(),
            queue_position,
            warnings: match use_worktree {
                UseWorktree::Wanted => None,
                UseWorktree::Declined => Some(WORKTREE_MADE),
            }
            .into_iter()
            .chain(warnings.into_iter().map(StartWarning::from))
            .collect(),
        }
    }
}

impl<'a> StartedTask<'a> {
    pub(in crate::http) fn new(
        started: &'a Started,
        queue_position: Option<usize>,
        use_worktree: UseWorktree,
        warnings: Vec<AttemptWarning>,
    ) -> Self {
        Self {
            task: Task::from(&started.task),
            parts: Parts::new(started, queue_position, use_worktree, warnings),
        }
    }
}

impl<'a> StartedAttempt<'a> {
    pub(in crate::http) fn new(
        started: &'a Started,
        queue_position: Option<usize>,
        use_worktree: UseWorktree,
        warnings: Vec<AttemptWarning>,
    ) -> Self {
        Self {
            attempt: Attempt::from(&started.attempt),
            task: Task::from(&started.task),
            parts: Parts::new(started, queue_position, use_worktree, warnings),
        }
    }
}
