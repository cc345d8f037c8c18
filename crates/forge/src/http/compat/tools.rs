//! The arguments of MCP tools. What stands above a field is what agents read about it.

use std::time::Duration;

use forge_engine::{AskedBy, SendFollowUp, StartRun};
use forge_model::{
    AnswerApproval, ApprovalId, AttemptId, CreateTask, How as Manner, ProjectId, StartAttempt, Subject,
    TaskId, TaskStatus, UpdateTask,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::turns::named;
use super::{AnyProfile, How, NewTask, TaskChange, missing, with_variant};
use crate::http::extract::MOST_KEY_BYTES;
use crate::http::problem::Problem;

/// Who waits for longer asks again: clients of MCP give up a call after about a minute.
const MOST_WAIT: u64 = 60;
/// As many as the contract says.
const USUAL_LIMIT: i64 = 50;

#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct Nothing {}

#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct WhichTasks {
    /// The project, by its id from list_projects.
    pub(in crate::http) project_id: ProjectId,
    /// Only tasks with this status: todo, in-progress, in-review, done, cancelled or archived.
    #[schemars(with = "Option<String>")]
    pub(in crate::http) status: Option<TaskStatus>,
    /// At most so many, the newest; 50 when it is left out.
    pub(in crate::http) limit: Option<i64>,
}

/// How many are listed.
pub(in crate::http) fn most(limit: Option<i64>) -> usize {
    usize::try_from(limit.unwrap_or(USUAL_LIMIT).max(0)).unwrap_or(usize::MAX)
}

#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct TaskToMake {
    /// The project, by its id from list_projects.
    project_id: ProjectId,
    /// What is wanted, in one line.
    title: String,
    /// Everything else that an agent has to know to do it.
    description: Option<String>,
}

impl TaskToMake {
    pub(in crate::http) fn into_command(self) -> Result<CreateTask, Problem> {
        let Self { project_id, title, description } = self;
        let task = NewTask {
            project_id: Some(project_id),
            title,
            description,
            parent_task_attempt: None,
            image_ids: None,
        };
        task.into_command(None)
    }
}

#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct WhichTask {
    /// The task, by its id.
    pub(in crate::http) task_id: TaskId,
}

#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct TaskToChange {
    /// The task, by its id.
    pub(in crate::http) task_id: TaskId,
    /// A new title.
    title: Option<String>,
    /// A new description; an empty one takes it away.
    description: Option<String>,
    /// A new status: todo, in-progress, in-review, done, cancelled or archived.
    #[schemars(with = "Option<String>")]
    status: Option<TaskStatus>,
    /// Whether agents that work on the task are stopped when it becomes done, cancelled or archived; without it, such a
    /// change is refused while one works.
    stop: Option<bool>,
}

impl TaskToChange {
    /// Whether the task shall be closed, but not what runs in it be stopped.
    pub(in crate::http) fn closes_only(&self) -> bool {
        self.status.is_some_and(TaskStatus::is_closed) && self.stop != Some(true)
    }

    pub(in crate::http) fn into_command(self) -> Result<UpdateTask, Problem> {
        let Self { task_id: _, title, description, status, stop: _ } = self;
        TaskChange { title, description, status, ..TaskChange::default() }.into_command()
    }
}

#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct AttemptToStart {
    /// The task, by its id.
    task_id: TaskId,
    /// Who works, such as CLAUDE_CODE, CODEX, GEMINI or OPENCODE.
    #[schemars(with = "String")]
    executor: AnyProfile,
    /// The branch that the work begins at, such as main; a tag or a commit will do, too.
    base_branch: String,
    /// Whether the work begins with the uncommitted changes of the project's folder.
    include_uncommitted: Option<bool>,
    /// Named settings of the executor, such as PLAN; its default when it is left out.
    variant: Option<String>,
    /// Any text of your own: the same call with the same text gives the same answer and starts nothing anew.
    idempotency_key: Option<String>,
}

impl AttemptToStart {
    pub(in crate::http) fn into_command(self) -> Result<StartAttempt, Problem> {
        if self.base_branch.trim().is_empty() {
            return Err(missing("base_branch"));
        }
        let profile = with_variant(self.executor, self.variant)?;
        let key = self.idempotency_key;
        let from =
            Origin { base_branch: Some(self.base_branch), include_uncommitted: self.include_uncommitted };
        start(Subject::Existing(self.task_id), AnyProfile(profile), from, key)
    }
}

/// Where work begins.
struct Origin {
    base_branch: Option<String>,
    include_uncommitted: Option<bool>,
}

fn start(
    subject: Subject,
    profile: AnyProfile,
    from: Origin,
    key: Option<String>,
) -> Result<StartAttempt, Problem> {
    let Origin { base_branch, include_uncommitted } = from;
    let how = How { executor_profile_id: Some(profile), variant: None, base_branch, include_uncommitted };
    how.into_command(subject, self::key(key)?)
}

/// As the header of REST takes it.
fn key(key: Option<String>) -> Result<Option<String>, Problem> {
    let key = named(key);
    if key.as_ref().is_some_and(|key| key.len() > MOST_KEY_BYTES) {
        return Err(Problem::invalid("wrong_shape", "`idempotency_key` is longer than 255 bytes")
            .hint("shorten it; a random id is enough"));
    }
    Ok(key)
}

#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct TaskToStart {
    /// The project, by its id from list_projects.
    project_id: ProjectId,
    /// What is wanted, in one line.
    title: String,
    /// Everything else that the agent has to know to do it.
    description: Option<String>,
    /// Who works, such as CLAUDE_CODE, CODEX, GEMINI or OPENCODE.
    #[schemars(with = "String")]
    executor: AnyProfile,
    /// Named settings of the executor, such as PLAN; its default when it is left out.
    variant: Option<String>,
    /// The branch, tag or commit that the work begins at; the project's default when it is left out.
    base_branch: Option<String>,
    /// Whether the work begins with the uncommitted changes of the project's folder.
    include_uncommitted: Option<bool>,
    /// Any text of your own: the same call with the same text gives the same answer and starts nothing anew.
    idempotency_key: Option<String>,
}

impl TaskToStart {
    pub(in crate::http) fn into_command(self) -> Result<StartAttempt, Problem> {
        let Self { project_id, title, description, .. } = self;
        let task = TaskToMake { project_id, title, description }.into_command()?;
        let profile = AnyProfile(with_variant(self.executor, self.variant)?);
        let from = Origin { base_branch: self.base_branch, include_uncommitted: self.include_uncommitted };
        start(Subject::New(task), profile, from, self.idempotency_key)
    }
}

#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct RunToStart {
    /// The project, by its id from list_projects.
    project_id: ProjectId,
    /// What the agent is asked for.
    prompt: String,
    /// Who works, such as CLAUDE_CODE, CODEX, GEMINI or OPENCODE.
    #[schemars(with = "String")]
    executor: AnyProfile,
    /// Named settings of the executor, such as PLAN; its default when it is left out.
    variant: Option<String>,
    /// The branch, tag or commit that the work begins at; the project's default when it is left out.
    base_branch: Option<String>,
    /// Whether the work begins with the uncommitted changes of the project's folder.
    include_uncommitted: Option<bool>,
    /// Any text of your own: the same call with the same text gives the same answer and starts nothing anew.
    idempotency_key: Option<String>,
}

impl RunToStart {
    pub(in crate::http) fn into_command(self) -> Result<StartRun, Problem> {
        Ok(StartRun {
            project_id: self.project_id,
            prompt: self.prompt,
            profile: with_variant(self.executor, self.variant)?,
            base_branch: named(self.base_branch),
            include_uncommitted: self.include_uncommitted.unwrap_or(false),
            idempotency_key: key(self.idempotency_key)?,
        })
    }
}

#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct WhichRuns {
    /// Only runs of this project.
    pub(in crate::http) project_id: Option<ProjectId>,
    /// At most so many, the newest; 50 when it is left out.
    pub(in crate::http) limit: Option<i64>,
}

#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct WhichRun {
    /// The run, by its id.
    pub(in crate::http) execution_run_id: AttemptId,
}

#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct WhichApprovals {
    /// Only what the agent of this attempt or execution run asks.
    attempt_id: Option<AttemptId>,
    /// Only what agents of this project ask.
    project_id: Option<ProjectId>,
    /// When nothing waits, how many seconds to wait until something does: at most 60, and less than your client waits
    /// for an answer. 0, which is meant when it is left out, answers at once.
    #[schemars(range(max = 60))]
    wait_seconds: Option<u64>,
}

impl WhichApprovals {
    pub(in crate::http) fn into_question(self) -> Result<(AskedBy, Duration), Problem> {
        let seconds = self.wait_seconds.unwrap_or_default();
        if seconds > MOST_WAIT {
            return Err(Problem::invalid("wrong_shape", "`wait_seconds` has to be from 0 to 60")
                .hint("call again when nothing was asked in that time"));
        }
        let of = AskedBy { attempt: self.attempt_id, project: self.project_id };
        Ok((of, Duration::from_secs(seconds)))
    }
}

#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct ApprovalToAnswer {
    /// The approval, by its id from list_approvals.
    pub(in crate::http) approval_id: ApprovalId,
    /// The id of one of the approval's own choices. It says yes or no by itself.
    choice: Option<String>,
    /// Yes or no, where no choice is named.
    approved: Option<bool>,
    /// Why; an agent that is told no reads it.
    reason: Option<String>,
}

impl ApprovalToAnswer {
    pub(in crate::http) fn into_command(self) -> AnswerApproval {
        let Self { approval_id: _, choice, approved, reason } = self;
        AnswerApproval { approved, choice, comment: reason, process_id: None }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct MessageToSend {
    /// The attempt or execution run, by its id.
    pub(in crate::http) attempt_id: AttemptId,
    /// What the agent is told next.
    message: String,
    /// The variant to use from here on; left out, it stays.
    variant: Option<String>,
    /// Whether the turn that runs is interrupted for it. Else it waits until that is over.
    interrupt: Option<bool>,
}

impl MessageToSend {
    pub(in crate::http) fn into_command(self) -> SendFollowUp {
        SendFollowUp {
            prompt: self.message,
            variant: named(self.variant),
            how: Manner::default(),
            interrupt: self.interrupt.unwrap_or_default(),
            image_ids: Vec::new(),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct WhichAttempt {
    /// The attempt, by its id.
    pub(in crate::http) attempt_id: AttemptId,
}
