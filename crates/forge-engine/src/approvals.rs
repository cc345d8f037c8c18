//! Approvals: what somebody asks a person. They are rows, so they outlive the server, and the first answer stands.

use std::time::Duration;

use forge_agent::transcript::ToolRequest;
use forge_model::{
    AnswerApproval, AnswerRefusal, Approval, ApprovalId, ApprovalStatus, AskApproval, Attempt, AttemptId,
    Fact, ProcessId, ProjectId, Seq, Timestamp,
};
use forge_store::{Answered, StoreError};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::actor::Question;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};

/// How long an answer can be looked up.
const KEPT_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// What people read is not longer.
const MOST_MESSAGE_CHARS: usize = 20_000;

/// The longest context, as JSON.
const MOST_CONTEXT_BYTES: usize = 256 * 1024;

/// How many events are looked at at once.
const PAGE: usize = 256;
/// How deep a context may go. Readers of JSON give up at some depth, and what is stored has to be readable for all.
const MOST_CONTEXT_DEPTH: usize = 32;

/// Whose approvals are looked for; by default everybody's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AskedBy {
    /// Those of this attempt or run.
    pub attempt: Option<AttemptId>,
    /// Those of this project.
    pub project: Option<ProjectId>,
}

/// An approval that waits, with the attempt or run whose agent asks; none of it where somebody outside asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// What is asked.
    pub approval: Approval,
    /// The attempt or run.
    pub attempt: Option<Attempt>,
    /// The title of the attempt's task.
    pub title: Option<String>,
    /// The name of its project.
    pub project_name: Option<String>,
}

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
            message: self.hide(message.to_owned()),
            context: command.context.map(|context| self.hide_in_value(context)),
            choices: Vec::new(),
            status: ApprovalStatus::Pending,
            choice: None,
            comment: None,
            created_at: Timestamp::now(),
            timeout_at: command.timeout_at,
            answered_at: None,
        };
        self.inner.store.ask_approval(&approval).await?;
        self.inner.alarm.look_again();
        Ok(approval)
    }

    /// Answers an approval. Whoever comes second is told what stands, and changes nothing.
    ///
    /// # Errors
    /// When there is no such approval, it is of another process than the caller believes, or takes no such answer.
    pub async fn answer(&self, id: ApprovalId, command: AnswerApproval) -> Result<Answered> {
        // What it takes never changes, so this holds when it is written.
        self.get_approval(id).await?.verdict(&command).map_err(|refusal| refused(&refusal))?;
        let comment = command.comment.filter(|comment| !comment.trim().is_empty());
        let comment = comment.map(|comment| self.hide(comment));
        let answered = self.inner.store.answer_approval(id, AnswerApproval { comment, ..command }).await;
        let answered = answered.map_err(|error| match error {
            StoreError::Conflict { what } => Error::conflict("approval_of_another_process", what)
                .hint("GET /api/approvals/{id}/status tells whose it is"),
            other => other.into(),
        })?;
        if let Answered::Now(approval) = &answered {
            self.inner.crash.pass("approval-answered");
            // The answer stands whether or not the agent can be told now; a restart tells it.
            if let Err(error) = self.tell_answered(approval).await {
                tracing::error!(error = %error, "nobody could be told that approval {id} is answered");
            }
        }
        Ok(answered)
    }

    /// One approval.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn get_approval(&self, id: ApprovalId) -> Result<Approval> {
        Ok(self.inner.store.get_approval(id).await?)
    }

    /// The approvals that wait for an answer, oldest first, with who asks.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn list_pending_approvals(&self) -> Result<Vec<Waiting>> {
        self.approvals_of(AskedBy::default()).await
    }

    /// The approvals that wait for an answer, oldest first, with who asks. When there is none, one is waited for, at
    /// most this long; then there is still none.
    ///
    /// # Errors
    /// When the attempt or the project is not there.
    pub async fn wait_for_approvals(&self, of: AskedBy, most: Duration) -> Result<Vec<Waiting>> {
        let mut head = self.head();
        let end = Instant::now() + most;
        // Noted before the rows are read, so that what is asked meanwhile is not missed.
        let mut seen = *head.borrow();
        loop {
            let found = self.approvals_of(of).await?;
            if !found.is_empty() || !self.is_asked(&mut head, &mut seen, end).await? {
                return Ok(found);
            }
        }
    }

    /// Waits until something is asked that was not `seen`; no when that takes too long.
    async fn is_asked(&self, head: &mut watch::Receiver<Seq>, seen: &mut Seq, end: Instant) -> Result<bool> {
        while Instant::now() < end {
            let newest = *head.borrow_and_update();
            while *seen < newest {
                let page = self.events_after(*seen, PAGE).await?;
                let Some(last) = page.last() else { break };
                *seen = last.event.seq;
                if page.iter().any(|told| matches!(told.event.fact, Fact::ApprovalAsked(_))) {
                    return Ok(true);
                }
            }
            tokio::select! {
                () = self.inner.closing.cancelled() => break,
                moved = timeout_at(end, head.changed()) => if !matches!(moved, Ok(Ok(()))) { break },
            }
        }
        Ok(false)
    }

    async fn approvals_of(&self, of: AskedBy) -> Result<Vec<Waiting>> {
        if let Some(attempt) = of.attempt {
            self.get_attempt(attempt).await?;
        }
        if let Some(project) = of.project {
            self.get_project(project).await?;
        }
        let mut found = Vec::new();
        for approval in self.inner.store.list_pending_approvals().await? {
            let waiting = match self.with_asker(approval).await {
                Ok(waiting) => waiting,
                // It was deleted in this moment, and what it asked with it.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let by = waiting.attempt.as_ref();
            let is_of = of.attempt.is_none_or(|id| by.is_some_and(|by| by.id == id))
                && of.project.is_none_or(|id| by.is_some_and(|by| by.project_id == id));
            if is_of {
                found.push(waiting);
            }
        }
        Ok(found)
    }

    /// An approval with the attempt whose agent asks.
    async fn with_asker(&self, approval: Approval) -> Result<Waiting> {
        let Some(process) = approval.process_id else {
            return Ok(Waiting { approval, attempt: None, title: None, project_name: None });
        };
        let attempt = self.get_attempt(self.get_process(process).await?.attempt_id).await?;
        let title = match attempt.task_id {
            Some(task) => Some(self.inner.store.get_task(task).await?.title),
            None => None,
        };
        let project_name = Some(self.get_project(attempt.project_id).await?.name);
        Ok(Waiting { approval, attempt: Some(attempt), title, project_name })
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

/// The row of a question that an agent in `root` asks: the same however often its log is read.
pub(crate) fn of(process: ProcessId, question: &Question, root: &str) -> Approval {
    let Question { permission, asked_at, timeout_at } = question;
    let ToolRequest { verb, object } = ToolRequest::of(permission, root);
    let title = if permission.title.trim().is_empty() { &permission.tool } else { &permission.title };
    let context = json!({
        "verb": verb, "object": object, "tool": permission.tool, "input": permission.input, "call": permission.call,
    });
    Approval {
        id: ApprovalId::of(process, &permission.id),
        process_id: Some(process),
        // A database holds no NUL, and nobody reads one.
        message: title.trim().chars().filter(|char| *char != '\0').take(MOST_MESSAGE_CHARS).collect(),
        context: Some(if check_context(Some(&context)).is_ok() { context } else { shortened(context) }),
        choices: permission.choices.clone(),
        status: ApprovalStatus::Pending,
        choice: None,
        comment: None,
        created_at: *asked_at,
        timeout_at: Some(*timeout_at),
        answered_at: None,
    }
}

/// The same with the beginning of the input as text: the log has all of it.
fn shortened(mut context: Value) -> Value {
    if let Some(input) = context.get_mut("input") {
        let text: String = input.to_string().chars().take(MOST_MESSAGE_CHARS).collect();
        *input = Value::String(text);
    }
    context
}

fn refused(refusal: &AnswerRefusal) -> Error {
    let message = refusal.to_string();
    match refusal {
        AnswerRefusal::Missing => {
            Error::invalid("wrong_shape", message).hint("send approved: true or false, or a choice")
        }
        AnswerRefusal::UnknownChoice(_) => {
            Error::invalid("choice_unknown", message).hint("send the id of one of the approval's choices")
        }
        AnswerRefusal::Contradiction => Error::invalid("wrong_shape", message).hint("send one of them"),
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
