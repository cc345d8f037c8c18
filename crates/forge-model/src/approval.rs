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
    /// The answers that the asker takes, where it takes more than yes or no.
    #[serde(default)]
    pub choices: Vec<Choice>,
    /// How far it is.
    pub status: ApprovalStatus,
    /// Which of the choices was picked.
    #[serde(default)]
    pub choice: Option<String>,
    /// What was said with the answer.
    pub comment: Option<String>,
    /// When it was asked.
    pub created_at: Timestamp,
    /// When no answer counts as no; none waits for as long as its asker does.
    #[serde(default)]
    pub timeout_at: Option<Timestamp>,
    /// When it was answered, or nobody could any more.
    pub answered_at: Option<Timestamp>,
}

/// An answer that somebody who asks takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The asker's name for it.
    pub id: String,
    /// What a person reads.
    pub name: String,
    /// What it does.
    pub kind: ChoiceKind,
}

/// What an answer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChoiceKind {
    /// Allows this use.
    AllowOnce,
    /// Allows this and those like it, for as long as the asker remembers.
    AllowAlways,
    /// Refuses this use.
    RejectOnce,
    /// Refuses this and those like it.
    RejectAlways,
}

impl ChoiceKind {
    /// The wire's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AllowOnce => "allow_once",
            Self::AllowAlways => "allow_always",
            Self::RejectOnce => "reject_once",
            Self::RejectAlways => "reject_always",
        }
    }

    /// Whether it is a yes.
    #[must_use]
    pub const fn allows(self) -> bool {
        matches!(self, Self::AllowOnce | Self::AllowAlways)
    }
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
    /// Nobody answered in time, or who asked is gone, so no answer helps any more. Counts as no.
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
    /// When no answer counts as no; none waits.
    pub timeout_at: Option<Timestamp>,
}

/// An answer to an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerApproval {
    /// Yes or no; none is what the choice says.
    pub approved: Option<bool>,
    /// One of the approval's choices.
    pub choice: Option<String>,
    /// What is said with it.
    pub comment: Option<String>,
    /// The process that the caller believes to wait; none does not say.
    pub process_id: Option<ProcessId>,
}

/// Why an answer is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerRefusal {
    /// It says neither yes nor no.
    #[error("the answer says neither yes nor no")]
    Missing,
    /// It is none of those that the asker takes.
    #[error("the approval has no choice `{0}`")]
    UnknownChoice(String),
    /// It says yes and picks a no, or the other way round.
    #[error("`approved` and `choice` say different things")]
    Contradiction,
}

impl Approval {
    /// Whether an answer is a yes.
    ///
    /// # Errors
    /// When it is neither yes nor no, or none that the asker takes.
    pub fn verdict(&self, answer: &AnswerApproval) -> Result<bool, AnswerRefusal> {
        let Some(picked) = &answer.choice else { return answer.approved.ok_or(AnswerRefusal::Missing) };
        let choice = self.choices.iter().find(|choice| choice.id == *picked);
        let choice = choice.ok_or_else(|| AnswerRefusal::UnknownChoice(picked.clone()))?;
        let allows = choice.kind.allows();
        if answer.approved.is_some_and(|approved| approved != allows) {
            return Err(AnswerRefusal::Contradiction);
        }
        Ok(allows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_says_yes_or_no_by_itself_and_has_to_be_one_that_is_offered() {
        let choice = |id: &str, kind| Choice { id: id.into(), name: id.into(), kind };
        let approval = Approval {
            id: ApprovalId::random(),
            process_id: None,
            message: "may I?".into(),
            context: None,
            choices: vec![choice("a", ChoiceKind::AllowAlways), choice("r", ChoiceKind::RejectOnce)],
            status: ApprovalStatus::Pending,
            choice: None,
            comment: None,
            created_at: Timestamp::from_millis(1),
            timeout_at: None,
            answered_at: None,
        };
        let verdict = |approved, choice: Option<&str>| {
            let choice = choice.map(str::to_owned);
            approval.verdict(&AnswerApproval { approved, choice, comment: None, process_id: None })
        };
        assert_eq!(verdict(None, Some("a")), Ok(true));
        assert_eq!(verdict(None, Some("r")), Ok(false));
        assert_eq!(verdict(Some(false), Some("r")), Ok(false));
        assert_eq!(verdict(Some(true), Some("r")), Err(AnswerRefusal::Contradiction));
        assert_eq!(verdict(Some(true), Some("x")), Err(AnswerRefusal::UnknownChoice("x".into())));
        assert_eq!(verdict(Some(true), None), Ok(true));
        assert_eq!(verdict(None, None), Err(AnswerRefusal::Missing));
    }
}
