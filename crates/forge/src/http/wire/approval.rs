//! Approvals, with the names that each client looks for.

use forge_engine::Waiting;
use forge_model::{ApprovalId, ApprovalStatus, AttemptId, ProcessId, ProjectId, TaskId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::http::spec::documented;

documented!(Approval<'_>, Asked<'_>, PendingApproval<'_>);

/// Something that somebody asked a person, and what came of it.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Approval<'a> {
    id: ApprovalId,
    message: &'a str,
    context: Option<&'a Value>,
    /// What an agent wants to do, as its context has it: `read`, `edit`, `delete`, `move`, `run`, `search`, `fetch`,
    /// `delegate`, `implement` (a plan), `grant` (permissions), `answer` (a question) or `use` (another tool).
    verb: Option<&'a str>,
    /// The file, command, query or tool that it wants to do this to.
    object: Option<&'a str>,
    /// The process that waits for the answer.
    execution_process_id: Option<ProcessId>,
    /// The answers that the asker takes; none where it takes just yes or no.
    choices: Vec<Choice<'a>>,
    /// `pending`, `approved`, `denied` or `timed_out`.
    status: &'static str,
    /// Which of the choices was picked.
    choice: Option<&'a str>,
    /// What was said with the answer.
    response: Option<&'a str>,
    /// The same, where the answer was no.
    reason: Option<&'a str>,
    created_at: Timestamp,
    /// When no answer counts as no.
    timeout_at: Option<Timestamp>,
    answered_at: Option<Timestamp>,
}

/// An answer that the asker takes.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ApprovalChoice")]
struct Choice<'a> {
    id: &'a str,
    /// What a person reads.
    name: &'a str,
    /// `allow_once`, `allow_always`, `reject_once` or `reject_always`.
    kind: &'static str,
}

impl<'a> From<&'a forge_model::Choice> for Choice<'a> {
    fn from(choice: &'a forge_model::Choice) -> Self {
        Self { id: &choice.id, name: &choice.name, kind: choice.kind.as_str() }
    }
}

impl<'a> From<&'a forge_model::Approval> for Approval<'a> {
    fn from(approval: &'a forge_model::Approval) -> Self {
        let comment = approval.comment.as_deref();
        let of_context = |name: &str| approval.context.as_ref()?.get(name)?.as_str();
        Self {
            id: approval.id,
            message: &approval.message,
            context: approval.context.as_ref(),
            verb: of_context("verb"),
            object: of_context("object"),
            execution_process_id: approval.process_id,
            choices: approval.choices.iter().map(Choice::from).collect(),
            status: approval.status.as_str(),
            choice: approval.choice.as_deref(),
            response: comment,
            reason: comment.filter(|_| approval.status == ApprovalStatus::Denied),
            created_at: approval.created_at,
            timeout_at: approval.timeout_at,
            answered_at: approval.answered_at,
        }
    }
}

/// An approval that waits, with who asks; all of that is null where somebody outside does.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct PendingApproval<'a> {
    #[serde(flatten)]
    approval: Approval<'a>,
    /// The attempt or execution run.
    attempt_id: Option<AttemptId>,
    /// Null for a run.
    task_id: Option<TaskId>,
    /// The title of the task.
    title: Option<&'a str>,
    project_id: Option<ProjectId>,
    project_name: Option<&'a str>,
}

impl<'a> From<&'a Waiting> for PendingApproval<'a> {
    fn from(waiting: &'a Waiting) -> Self {
        let attempt = waiting.attempt.as_ref();
        Self {
            approval: Approval::from(&waiting.approval),
            attempt_id: attempt.map(|attempt| attempt.id),
            task_id: attempt.and_then(|attempt| attempt.task_id),
            title: waiting.title.as_deref(),
            project_id: attempt.map(|attempt| attempt.project_id),
            project_name: waiting.project_name.as_deref(),
        }
    }
}

/// An approval that was just asked for.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Asked<'a> {
    /// The same as `id`.
    approval_id: ApprovalId,
    #[serde(flatten)]
    approval: Approval<'a>,
}

impl<'a> From<&'a forge_model::Approval> for Asked<'a> {
    fn from(approval: &'a forge_model::Approval) -> Self {
        Self { approval_id: approval.id, approval: Approval::from(approval) }
    }
}

/// The answer that stands: in the envelope for clients that open it, and beside it for those that do not.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Responded {
    success: bool,
    data: Verdict,
    error_data: Option<()>,
    message: Option<String>,
    #[serde(flatten)]
    verdict: Verdict,
}

/// Yes or no.
#[derive(Serialize, JsonSchema, Clone)]
struct Verdict {
    /// `approved` or `denied`.
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl From<&forge_model::Approval> for Responded {
    fn from(approval: &forge_model::Approval) -> Self {
        let denied = approval.status == ApprovalStatus::Denied;
        let verdict =
            Verdict { status: approval.status.as_str(), reason: approval.comment.clone().filter(|_| denied) };
        Self { success: true, data: verdict.clone(), error_data: None, message: None, verdict }
    }
}
