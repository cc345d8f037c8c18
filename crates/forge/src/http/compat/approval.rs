//! Approvals: `{approved, comment?}` of one client, `{execution_process_id, status: {status, reason?}}` of another.

use forge_model::{AnswerApproval, AskApproval, ProcessId, Timestamp};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::missing;
use crate::http::problem::Problem;

/// Whoever wants to wait for longer than a year waits for ever.
const MOST_SECONDS: u64 = 366 * 24 * 60 * 60;

/// Something to ask a person.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CreateApproval")]
pub(in crate::http) struct NewApproval {
    /// What is asked.
    message: String,
    /// Whatever shall be shown beside it.
    context: Option<Value>,
    /// The process that waits for the answer. Once that has ended, the approval is `timed_out`.
    execution_process_id: Option<ProcessId>,
    /// After so many seconds without an answer the approval is `timed_out`. Left out, it waits.
    timeout_seconds: Option<u64>,
}

impl NewApproval {
    pub(in crate::http) fn into_command(self) -> AskApproval {
        let after = |seconds: u64| {
            let millis = i64::try_from(seconds.saturating_mul(1000)).unwrap_or(i64::MAX);
            Timestamp::from_millis(Timestamp::now().as_millis().saturating_add(millis))
        };
        AskApproval {
            message: self.message,
            context: self.context,
            process_id: self.execution_process_id,
            timeout_at: self.timeout_seconds.map(|seconds| after(seconds.min(MOST_SECONDS))),
        }
    }
}

/// An answer, in either spelling.
#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct ApprovalAnswer {
    /// Yes or no.
    approved: Option<bool>,
    /// One of the approval's choices, by its id. It says yes or no by itself.
    choice: Option<String>,
    /// What is said with it.
    comment: Option<String>,
    /// The other spelling of yes or no.
    status: Option<AnyVerdict>,
    /// The process that waits, where the caller knows it; another one than it is, is refused.
    execution_process_id: Option<ProcessId>,
}

impl ApprovalAnswer {
    pub(in crate::http) fn into_command(self) -> Result<AnswerApproval, Problem> {
        let (approved, reason) = match (self.approved, self.status) {
            (Some(approved), Some(status)) if approved != status.approved => {
                return Err(Problem::invalid("wrong_shape", "`approved` and `status` say different things")
                    .hint("send one of them"));
            }
            (_, Some(status)) => (Some(status.approved), status.reason),
            (None, None) if self.choice.is_none() => return Err(missing("approved")),
            (approved, None) => (approved, None),
        };
        Ok(AnswerApproval {
            approved,
            choice: self.choice,
            comment: self.comment.or(reason),
            process_id: self.execution_process_id,
        })
    }
}

/// `{"status": "approved"}`, `{"status": "denied", "reason": …}`, or the word alone.
struct AnyVerdict {
    approved: bool,
    reason: Option<String>,
}

impl JsonSchema for AnyVerdict {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AnyVerdict".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        let word = json_schema!({ "type": "string", "enum": ["approved", "denied"] });
        json_schema!({
            "description": "`{\"status\": \"approved\"}`, `{\"status\": \"denied\", \"reason\": …}`, or the word alone.",
            "oneOf": [
                word,
                {
                    "type": "object",
                    "required": ["status"],
                    "properties": { "status": word, "reason": { "type": ["string", "null"] } },
                },
            ],
        })
    }
}

impl<'de> Deserialize<'de> for AnyVerdict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let word = value.as_str().or_else(|| value.get("status").and_then(Value::as_str));
        let reason = value.get("reason").and_then(Value::as_str);
        if reason.is_some_and(|reason| reason.contains('\0')) {
            return Err(de::Error::custom("`reason` has to be text without NUL characters"));
        }
        let approved = match word {
            Some("approved") => true,
            Some("denied") => false,
            // Neither is an answer that a person gives.
            Some("pending" | "timed_out") => {
                return Err(de::Error::custom("an answer is `approved` or `denied`"));
            }
            _ => {
                return Err(de::Error::custom(
                    "it has to be {\"status\": \"approved\"} or {\"status\": \"denied\"}",
                ));
            }
        };
        Ok(Self { approved, reason: reason.map(str::to_owned) })
    }
}
