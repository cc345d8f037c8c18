//! `TaskWithAttemptStatus`: flat, as most clients read it, and once more under `task`, as the others do.

use forge_model::{AttemptId, ProcessId, ProjectId, TaskCard, TaskId, TaskStatus, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::Attempt;
use crate::http::spec::documented;

documented!(Task<'_>);

/// What is wanted, with what its attempts make of it.
// The fields are listed and not flattened because boards ask for ten thousand of these at once.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskWithAttemptStatus")]
pub(in crate::http) struct Task<'a> {
    id: TaskId,
    project_id: ProjectId,
    title: &'a str,
    description: Option<&'a str>,
    status: TaskStatus,
    parent_task_attempt: Option<AttemptId>,
    dev_server_id: Option<ProcessId>,
    created_at: Timestamp,
    updated_at: Timestamp,
    has_in_progress_attempt: bool,
    has_merged_attempt: bool,
    last_attempt_failed: bool,
    executor: &'a str,
    attempt_count: i64,
    task: PlainTask<'a>,
    /// The attempt by whose id the task was asked for, as an older client does.
    #[serde(skip_serializing_if = "Option::is_none")]
    task_attempt: Option<Box<Attempt<'a>>>,
}

/// What is wanted.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Task")]
struct PlainTask<'a> {
    id: TaskId,
    project_id: ProjectId,
    title: &'a str,
    description: Option<&'a str>,
    status: TaskStatus,
    parent_task_attempt: Option<AttemptId>,
    dev_server_id: Option<ProcessId>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> From<&'a TaskCard> for Task<'a> {
    fn from(card: &'a TaskCard) -> Self {
        let task = PlainTask::from(&card.task);
        Self {
            id: task.id,
            project_id: task.project_id,
            title: task.title,
            description: task.description,
            status: task.status,
            parent_task_attempt: task.parent_task_attempt,
            dev_server_id: None,
            created_at: task.created_at,
            updated_at: task.updated_at,
            has_in_progress_attempt: card.has_in_progress_attempt,
            has_merged_attempt: false,
            last_attempt_failed: card.last_attempt_failed,
            executor: &card.executor,
            attempt_count: card.attempt_count,
            task,
            task_attempt: None,
        }
    }
}

impl<'a> Task<'a> {
    /// The task with the attempt by whose id it was asked for, if it was.
    pub(in crate::http) fn of(card: &'a TaskCard, attempt: Option<&'a forge_model::Attempt>) -> Self {
        Self { task_attempt: attempt.map(|attempt| Box::new(Attempt::from(attempt))), ..Self::from(card) }
    }
}

impl<'a> From<&'a forge_model::Task> for PlainTask<'a> {
    fn from(task: &'a forge_model::Task) -> Self {
        Self {
            id: task.id,
            project_id: task.project_id,
            title: &task.title,
            description: task.description.as_deref(),
            status: task.status,
            parent_task_attempt: task.parent_task_attempt,
            dev_server_id: None,
            created_at: task.created_at,
            updated_at: task.updated_at,
        }
    }
}
