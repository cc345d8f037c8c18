//! Approvals: what somebody asks a person. They are rows, so they outlive the server, and the first answer stands.

use forge_model::{AnswerApproval, Approval, ApprovalId, ApprovalStatus, AskApproval, Timestamp};
use forge_store::{Answered, StoreError};
use serde_json::Value;

use crate::engine::Engine;
use crate::error::{Error, Result};

/// How long an answer can be looked up.
const KEPT_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// What people read is not longer.
const MOST_MESSAGE_CHARS: usize = 20_000;

/// The longest context, as JSON.
const MOST_CONTEXT_BYTES: usize = 256 * 1024;

/// How deep a context may go. Readers of JSON give up at some depth, and what is stored has to be readable for all.
const MOST_CONTEXT_DEPTH: usize = 32;

impl Engine {
    /// Asks for an approval, and answers at once: who asks looks later, or listens to the events.
    ///
    /// # Errors
    /// When nothing is asked, or the process that shall wait is not there or has ended.
    pub async fn ask(&self, command: AskApproval) -> Result<Approval> {
        let message = command.message.trim();
        if message.is_empty() {
            return Err(Error::invalid("message_empty", "an approval needs a message")
                .hint("say what shall be approved"));
        }
        if message.chars().nth(MOST_MESSAGE_CHARS).is_some() {
            return Err(Error::invalid("too_long", "`message` is longer than 20,000 characters")
                .hint("say it shortly; more fits into `context`"));
        }
        check_context(command.context.as_ref())?;
        if let Some(process) = command.process_id
            && self.get_process(process).await?.end().is_some()
        {
            return Err(Error::conflict("process_ended", "the process that shall wait has ended")
                .hint("leave execution_process_id out if somebody else asks"));
        }
        let approval = Approval {
            id: ApprovalId::random(),
            process_id: command.process_id,
            message: message.to_owned(),
            context: command.context,
            status: ApprovalStatus::Pending,
            comment: None,
            created_at: Timestamp::now(),
            answered_at: None,
        };
        self.inner.store.ask_approval(&approval).await?;
        Ok(approval)
    }

    /// Answers an approval. Whoever comes second is told what stands, and changes nothing.
    ///
    /// # Errors
    /// When there is no such approval, or it is of another process than the caller believes.
    pub async fn answer(&self, id: ApprovalId, command: AnswerApproval) -> Result<Answered> {
        let comment = command.comment.filter(|comment| !comment.trim().is_empty());
        let comment = comment.map(|comment| self.hide(comment));
        let answered = self.inner.store.answer_approval(id, AnswerApproval { comment, ..command }).await;
        answered.map_err(|error| match error {
            StoreError::Conflict { what } => Error::conflict("approval_of_another_process", what)
                .hint("GET /api/approvals/{id}/status tells whose it is"),
            other => other.into(),
        })
    }

    /// One approval.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn get_approval(&self, id: ApprovalId) -> Result<Approval> {
        Ok(self.inner.store.get_approval(id).await?)
    }

    /// The approvals that wait for an answer, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn list_pending_approvals(&self) -> Result<Vec<Approval>> {
        Ok(self.inner.store.list_pending_approvals().await?)
    }

    /// Forgets what was answered long ago.
    pub(crate) async fn prune_approvals(&self) -> Result<()> {
        let before = Timestamp::from_millis(Timestamp::now().as_millis().saturating_sub(KEPT_MS));
        while !self.inner.closing.is_cancelled() {
            if self.inner.store.prune_approvals(before).await? == 0 {
                break;
            }
        }
        Ok(())
    }
}

fn check_context(context: Option<&Value>) -> Result<()> {
    let Some(context) = context else { return Ok(()) };
    if depth(context) > MOST_CONTEXT_DEPTH {
        return Err(Error::invalid("too_deep", "`context` is nested more than 32 levels deep")
            .hint("send it flatter, or as text"));
    }
    if context.to_string().len() > MOST_CONTEXT_BYTES {
        return Err(Error::invalid("too_long", "`context` is larger than 256 KiB")
            .hint("long texts belong in a file of the repository"));
    }
    Ok(())
}

fn depth(value: &Value) -> usize {
    let below = match value {
        Value::Array(values) => values.iter().map(depth).max(),
        Value::Object(fields) => fields.values().map(depth).max(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return 0,
    };
    1 + below.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_is_neither_deep_nor_large() {
        let nested = |levels| (0..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
        assert!(check_context(Some(&nested(32))).is_ok());
        assert_eq!(check_context(Some(&nested(33))).unwrap_err().code(), "too_deep");
        let large = Value::String("x".repeat(MOST_CONTEXT_BYTES));
        assert_eq!(check_context(Some(&large)).unwrap_err().code(), "too_long");
        assert!(check_context(None).is_ok());
    }
}
