//! The conversation beside its turns: what the agent asks a person, what it offers, and its interruption.

use forge_agent::driver::{Decision, Offers};
use forge_model::{Approval, ApprovalId, ApprovalStatus, Attempt, AttemptState, Process, Stage};

use super::watch::{Heard, Question, Watched};
use super::{Actor, Answer, Work};
use crate::approvals;
use crate::error::{Error, ErrorKind, Result};
use crate::offers;

/// What an agent is told of a person who said no and nothing else.
const DENIED: &str = "User denied this tool use request";
/// What an agent is told where nobody said anything.
const TIMED_OUT: &str = "Nobody answered this tool use request in time, so it is denied";

impl Actor {
    /// Takes what an agent said that others have to know, and lets the protocol go on.
    pub(super) async fn attend(&mut self, watched: &mut Watched, heard: Heard) -> Result<()> {
        self.remember(heard.conversation).await?;
        if let Some(offers) = heard.offers {
            let before = if watched.listener.is_warm() {
                self.engine.offers(self.attempt.id).await?
            } else {
                Offers::default()
            };
            offers::write(&self.engine.inner.folder.process(watched.process.id), &offers.after(before))?;
        }
        if !heard.asked.is_empty() {
            self.ask(watched, heard.asked).await?;
        }
        if !heard.withdrawn.is_empty() {
            let process = watched.process.id;
            let ids: Vec<_> = heard.withdrawn.iter().map(|name| ApprovalId::of(process, name)).collect();
            watched.questions.retain(|id, _| !ids.contains(id));
            self.engine.inner.store.withdraw_approvals(process, ids).await?;
        }
        self.engine.share_slot(self.attempt.id, !watched.questions.is_empty());
        watched.talk().await
    }

    /// Writes down what the agent asks. What was answered when nobody could tell the agent is told now.
    async fn ask(&mut self, watched: &mut Watched, asked: Vec<Question>) -> Result<()> {
        let process = watched.process.id;
        let root = &self.attempt.worktree;
        let rows = asked.iter().map(|question| approvals::of(process, question, root)).collect();
        let standing = self.engine.inner.store.ask_approvals(process, rows).await?;
        self.engine.inner.alarm.look_again();
        for (question, approval) in asked.into_iter().zip(standing) {
            match decision(&approval) {
                Some(decision) => watched.answer(&question.permission.id, &decision),
                None => drop(watched.questions.insert(approval.id, question.permission.id)),
            }
        }
        Ok(())
    }

    /// Tells the agent what stands in the row. A question that was not read from the log yet is answered when it is.
    pub(super) async fn answered(&mut self, id: ApprovalId) -> Result<()> {
        let Work::Process(watched) = &mut self.work else { return Ok(()) };
        let approval = match self.engine.get_approval(id).await {
            Ok(approval) => approval,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        if let Some(decision) = decision(&approval)
            && let Some(permission) = watched.questions.remove(&id)
        {
            self.engine.share_slot(self.attempt.id, !watched.questions.is_empty());
            watched.answer(&permission, &decision);
            watched.talk().await?;
        }
        Ok(())
    }

    /// Whoever asks is told when the turn is over.
    pub(super) async fn interrupt(&mut self, answer: Answer<Attempt>) -> Result<()> {
        match &self.attempt.state {
            AttemptState::Finished { .. } | AttemptState::Queued { .. } => {
                drop(answer.send(Ok(self.attempt.clone())));
            }
            AttemptState::Stopping { .. } => self.interrupting.push(answer),
            AttemptState::Running { stage: Stage::Agent } => {
                self.interrupting.push(answer);
                self.interrupt_turn().await?;
            }
            AttemptState::Running { stage: _ } => {
                let error =
                    Error::conflict("no_turn", "no agent works in the attempt just now, so there is no turn")
                        .hint("stop the attempt, or wait for the script or the commit");
                drop(answer.send(Err(error)));
            }
        }
        Ok(())
    }

    /// Asks the agent to end its turn.
    pub(super) async fn interrupt_turn(&mut self) -> Result<()> {
        let at_work = matches!(self.attempt.state, AttemptState::Running { stage: Stage::Agent });
        if let (true, Work::Process(watched)) = (at_work, &mut self.work) {
            watched.interrupt(self.engine.inner.options.grace);
            watched.talk().await?;
        }
        Ok(())
    }

    /// Whether a prompt that waits was to interrupt this process's turn: a crash may have come in between.
    pub(super) async fn is_interrupted(&self, process: &Process) -> Result<bool> {
        let queue = self.engine.inner.store.list_follow_ups(self.attempt.id).await?;
        Ok(queue.iter().any(|waiting| waiting.interrupt && waiting.created_at >= process.started_at))
    }
}

/// What the agent is told; none as long as nobody answered.
fn decision(approval: &Approval) -> Option<Decision> {
    let choice = approval.choice.clone();
    match approval.status {
        ApprovalStatus::Pending => None,
        ApprovalStatus::Approved => Some(Decision::Allow { choice }),
        ApprovalStatus::Denied => {
            let message = approval.comment.clone().unwrap_or_else(|| DENIED.to_owned());
            Some(Decision::Deny { choice, message })
        }
        ApprovalStatus::TimedOut => Some(Decision::Deny { choice, message: TIMED_OUT.to_owned() }),
    }
}
