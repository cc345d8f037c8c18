//! Approvals, with the names that each client looks for.

use forge_model::{ApprovalId, ApprovalStatus, ProcessId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::http::spec::documented;

documented!(Approval<'_>, Asked<'_>);

/// Something that somebody asked a person, and what came of it.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Approval<'a> {
    id: ApprovalId,
    message: &'a str,
    context: Option<&'a Value>,
    /// The process that waits for the answer.
    execution_process_id: Option<ProcessId>,
    /// `pending`, `approved`, `denied` or `timed_out`.
    status: &'static str,
    /// What was said with the answer.
    response: Option<&'a str>,
    /// The same, where the answer was no.
    reason: Option<&'a str>,
    created_at: Timestamp,
    answered_at: Option<Timestamp>,
}

impl<'a> From<&'a forge_model::Approval> for Approval<'a> {
    fn from(approval: &'a forge_model::Approval) -> Self {
        let comment = approval.comment.as_deref();
        Self {
            id: approval.id,
            message: &approval.message,
            context: approval.context.as_ref(),
            execution_process_id: approval.process_id,
            status: approval.status.as_str(),
            response: comment,
            reason: comment.filter(|_| approval.status == ApprovalStatus::Denied),
            created_at: approval.created_at,
            answered_at: approval.answered_at,
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
