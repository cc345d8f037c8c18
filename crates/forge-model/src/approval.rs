//! An approval: something that somebody asks a person before going on. It is answered once, and the first answer stands.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ApprovalId, ProcessId, Timestamp};

/// A question that waits for yes or no, or has got its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// Its id.
    pub id: ApprovalId,
    /// The process that waits for the answer; none for somebody outside.
    pub process_id: Option<ProcessId>,
    /// What is asked.
    pub message: String,
    /// What the asker wants to be shown beside it.
    pub context: Option<Value>,
    /// How far it is.
    pub status: ApprovalStatus,
    /// What was said with the answer.
    pub comment: Option<String>,
    /// When it was asked.
    pub created_at: Timestamp,
    /// When it was answered, or nobody could any more.
    pub answered_at: Option<Timestamp>,
}

/// How far an approval is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStatus {
    /// Nobody has answered.
    Pending,
    /// Yes.
    Approved,
    /// No.
    Denied,
    /// Who asked is gone, so no answer helps any more. Counts as no.
    TimedOut,
}

impl ApprovalStatus {
    /// Every status there is.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Approved, Self::Denied, Self::TimedOut];

    /// The wire's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::TimedOut => "timed_out",
        }
    }
}

/// Asks for an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskApproval {
    /// What is asked.
    pub message: String,
    /// What to show beside it.
    pub context: Option<Value>,
    /// The process that waits for the answer.
    pub process_id: Option<ProcessId>,
}

/// An answer to an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerApproval {
    /// Yes or no.
    pub approved: bool,
    /// What is said with it.
    pub comment: Option<String>,
    /// The process that the caller believes to wait; none does not say.
    pub process_id: Option<ProcessId>,
}
