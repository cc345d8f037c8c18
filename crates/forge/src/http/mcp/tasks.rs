//! Tasks and their attempts over MCP.

use axum::http::StatusCode;
use forge_engine::{Engine, FollowedUp, StoppedAttempt};
use forge_model::{
    Attempt, AttemptId, FollowUpId, ProcessId, ProjectId, Started, TaskCard, TaskId, TaskStatus, Timestamp,
};
use serde::{Serialize, Serializer};

use super::tools::{Effect, Tool};
use crate::http::compat::tools::{
    AttemptToStart, MessageToSend, TaskToChange, TaskToMake, TaskToStart, WhichAttempt, WhichTask,
    WhichTasks, most,
};
use crate::http::problem::Problem;
use crate::http::wire;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new("list_tasks", "Lists the tasks of a project, newest first.", Effect::Looks, list),
        Tool::new(
            "create_task",
            "Makes a task. No agent works on it until start_task_attempt; create_and_start_task does both.",
            Effect::Changes,
            create,
        ),
        Tool::new("get_task", "Tells a task with its description and how far it is.", Effect::Looks, get),
        Tool::new(
            "update_task",
            "Changes title, description or status of a task; what is left out stays.",
            Effect::Destroys,
            update,
        ),
        Tool::new(
            "delete_task",
            "Deletes a task with its attempts. Their branches stay in the repository.",
            Effect::Destroys,
            delete,
        ),
        Tool::new(
            "start_task_attempt",
            "Sets an agent to work on a task, in a worktree and branch of its own. Answers when it runs.",
            Effect::Changes,
            start,
        ),
        Tool::new(
            "create_and_start_task",
            "Makes a task and sets an agent to work on it, both or neither. Answers when it runs.",
            Effect::Changes,
            create_and_start,
        ),
        Tool::new(
            "list_task_attempts",
            "Lists the attempts of a task, newest first.",
            Effect::Looks,
            attempts,
        ),
        Tool::new(
            "get_task_attempt",
            "Tells an attempt: whether its agent runs, how it came out and why, its branch and worktree, what it cost.",
            Effect::Looks,
            attempt,
        ),
        Tool::new(
            "follow_up",
            "Tells the agent of an attempt or execution run more, in the same conversation. While a turn runs it waits \
             for its end, unless it shall interrupt it.",
            Effect::Changes,
            follow_up,
        ),
        Tool::new(
            "stop_task_attempt",
            "Stops the agent of an attempt and what waits for it. Answers when nothing of it runs any more; its work \
             stays.",
            Effect::Destroys,
            stop,
        ),
    ]
}

/// The spelling of statuses that agents know from this interface.
const fn kebab(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::InProgress => "in-progress",
        TaskStatus::InReview => "in-review",
        other => other.as_str(),
    }
}

#[derive(Serialize)]
struct Summary {
    id: TaskId,
    title: String,
    status: &'static str,
    created_at: Timestamp,
    updated_at: Timestamp,
    has_in_progress_attempt: bool,
    has_merged_attempt: bool,
    last_attempt_failed: bool,
}

impl From<&TaskCard> for Summary {
    fn from(card: &TaskCard) -> Self {
        Self {
            id: card.task.id,
            title: card.task.title.clone(),
            status: kebab(card.task.status),
            created_at: card.task.created_at,
            updated_at: card.task.updated_at,
            has_in_progress_attempt: card.has_in_progress_attempt,
            // As the REST API says, until attempts can be merged.
            has_merged_attempt: false,
            last_attempt_failed: card.last_attempt_failed,
        }
    }
}

#[derive(Serialize)]
struct Listed {
    tasks: Vec<Summary>,
    count: usize,
    project_id: ProjectId,
    applied_filters: Filters,
}

#[derive(Serialize)]
struct Filters {
    status: Option<&'static str>,
    limit: usize,
}

async fn list(engine: Engine, which: WhichTasks) -> Result<Listed, Problem> {
    let limit = most(which.limit);
    engine.get_project(which.project_id).await?;
    let cards = engine.list_tasks(which.project_id).await?;
    let wanted = cards.iter().filter(|card| which.status.is_none_or(|status| card.task.status == status));
    let tasks: Vec<_> = wanted.take(limit).map(|card| Summary::from(&**card)).collect();
    let applied_filters = Filters { status: which.status.map(kebab), limit };
    Ok(Listed { count: tasks.len(), tasks, project_id: which.project_id, applied_filters })
}

#[derive(Serialize)]
struct Made {
    task_id: TaskId,
}

async fn create(engine: Engine, task: TaskToMake) -> Result<Made, Problem> {
    Ok(Made { task_id: engine.create_task(task.into_command()?).await?.task.id })
}

#[derive(Serialize)]
struct Told {
    task: Whole,
}

#[derive(Serialize)]
struct Whole {
    #[serde(flatten)]
    summary: Summary,
    description: Option<String>,
}

impl From<TaskCard> for Told {
    fn from(card: TaskCard) -> Self {
        Self { task: Whole { summary: Summary::from(&card), description: card.task.description } }
    }
}

async fn get(engine: Engine, which: WhichTask) -> Result<Told, Problem> {
    Ok(engine.get_task(which.task_id).await?.into())
}

async fn update(engine: Engine, change: TaskToChange) -> Result<Told, Problem> {
    let id = change.task_id;
    // Agents close their own task as the last thing they do: stopped by that, they would leave their work uncommitted.
    if change.closes_only() {
        let attempts = engine.list_attempts(Some(id)).await?;
        if let Some(attempt) = attempts.iter().find(|attempt| !attempt.state.is_finished()) {
            let message = format!("attempt {} of the task is not finished", attempt.id);
            return Err(Problem::new(StatusCode::CONFLICT, "task_at_work", message).hint(
                "if you work on it, end your turn: the task is in review then; else send stop: true to stop it",
            ));
        }
    }
    Ok(engine.update_task(id, change.into_command()?).await?.into())
}

#[derive(Serialize)]
struct Deleted {
    deleted_task_id: TaskId,
}

async fn delete(engine: Engine, which: WhichTask) -> Result<Deleted, Problem> {
    engine.delete_task(which.task_id).await?;
    Ok(Deleted { deleted_task_id: which.task_id })
}

#[derive(Serialize)]
struct Begun {
    task_id: TaskId,
    attempt_id: AttemptId,
    branch: String,
    /// None while it stands in the queue.
    execution_process_id: Option<ProcessId>,
    queued: bool,
}

impl From<Started> for Begun {
    fn from(started: Started) -> Self {
        Self {
            task_id: started.task.task.id,
            attempt_id: started.attempt.id,
            branch: started.attempt.branch,
            execution_process_id: started.process.as_ref().map(|process| process.id),
            queued: started.process.is_none(),
        }
    }
}

async fn start(engine: Engine, attempt: AttemptToStart) -> Result<Begun, Problem> {
    Ok(engine.start_attempt(attempt.into_command()?).await?.into())
}

async fn create_and_start(engine: Engine, task: TaskToStart) -> Result<Begun, Problem> {
    Ok(engine.start_attempt(task.into_command()?).await?.into())
}

/// An attempt as REST tells it.
struct Tried(Attempt);

impl Serialize for Tried {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        wire::Attempt::from(&self.0).serialize(serializer)
    }
}

#[derive(Serialize)]
struct AllTried {
    attempts: Vec<Tried>,
    count: usize,
}

async fn attempts(engine: Engine, WhichTask { task_id }: WhichTask) -> Result<AllTried, Problem> {
    engine.get_task(task_id).await?;
    let attempts: Vec<_> = engine.list_attempts(Some(task_id)).await?.into_iter().map(Tried).collect();
    Ok(AllTried { count: attempts.len(), attempts })
}

#[derive(Serialize)]
struct OneTried {
    attempt: Tried,
}

async fn attempt(engine: Engine, WhichAttempt { attempt_id }: WhichAttempt) -> Result<OneTried, Problem> {
    Ok(OneTried { attempt: Tried(engine.get_task_attempt(attempt_id).await?) })
}

#[derive(Serialize)]
struct Sent {
    attempt_id: AttemptId,
    queued: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_process_id: Option<ProcessId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    follow_up_id: Option<FollowUpId>,
    /// How many are before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    ahead: Option<usize>,
}

async fn follow_up(engine: Engine, message: MessageToSend) -> Result<Sent, Problem> {
    let attempt_id = message.attempt_id;
    Ok(match engine.follow_up(attempt_id, message.into_command()).await? {
        FollowedUp::Started(process) => Sent {
            attempt_id,
            queued: false,
            execution_process_id: Some(process.id),
            follow_up_id: None,
            ahead: None,
        },
        FollowedUp::Queued { follow_up, ahead } => Sent {
            attempt_id,
            queued: true,
            execution_process_id: None,
            follow_up_id: Some(follow_up.id),
            ahead: Some(ahead),
        },
    })
}

#[derive(Serialize)]
struct Stopped {
    stopped: bool,
    attempt_id: AttemptId,
    status: &'static str,
    /// Prompts that were queued and are not sent.
    unsent: Vec<String>,
}

async fn stop(engine: Engine, WhichAttempt { attempt_id }: WhichAttempt) -> Result<Stopped, Problem> {
    // A run has a tool of its own.
    engine.get_task_attempt(attempt_id).await?;
    let StoppedAttempt { attempt, removed } = engine.stop_attempt(attempt_id).await?;
    let unsent = removed.into_iter().map(|removed| removed.follow_up.prompt).collect();
    Ok(Stopped { stopped: true, attempt_id, status: attempt.status(), unsent })
}
