//! A draft: a prompt that is being written, kept for whoever comes back to it.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{AttemptId, DraftId, FollowUp, FollowUpId, How, ImageId, Patch, ProcessId, ProjectId, Timestamp};

/// A prompt that was not sent yet. Each attempt has one of each kind, empty until somebody writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The attempt it is for.
    pub attempt_id: AttemptId,
    /// The attempt's project.
    pub project_id: ProjectId,
    /// What it will be once it is sent.
    pub kind: DraftKind,
    /// The turn that it shall take the place of.
    pub retry_process_id: Option<ProcessId>,
    /// What the agent shall be told.
    pub prompt: String,
    /// The variant to use from there on; none keeps the one that was used.
    pub variant: Option<String>,
    /// Images that go with it.
    pub image_ids: Option<Vec<ImageId>>,
    /// Its place in the attempt's queue. As long as it has one it is not edited.
    pub queued: Option<FollowUpId>,
    /// Counts its changes, from 0 for one that nobody ever wrote. Never goes back, not even when it is emptied.
    pub version: i64,
    /// When somebody first wrote it.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// What a draft will be once it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DraftKind {
    /// The next turn.
    FollowUp,
    /// Another go at a turn that was.
    Retry,
}

impl DraftKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::FollowUp, Self::Retry];

    /// The wire's word, and the store's.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FollowUp => "follow_up",
            Self::Retry => "retry",
        }
    }
}

impl Draft {
    /// One that nobody ever wrote.
    #[must_use]
    pub const fn unwritten(
        attempt_id: AttemptId,
        project_id: ProjectId,
        kind: DraftKind,
        since: Timestamp,
    ) -> Self {
        Self {
            attempt_id,
            project_id,
            kind,
            retry_process_id: None,
            prompt: String::new(),
            variant: None,
            image_ids: None,
            queued: None,
            version: 0,
            created_at: since,
            updated_at: since,
        }
    }

    /// Its id. An attempt has one draft of a kind, so the attempt's id tells it.
    #[must_use]
    pub fn id(&self) -> DraftId {
        let kind: u128 = match self.kind {
            DraftKind::FollowUp => 1,
            DraftKind::Retry => 2,
        };
        // Of the last digits, which are as random as the others: it stays a UUID of the same version.
        DraftId::from_uuid(Uuid::from_u128(self.attempt_id.as_uuid().as_u128() ^ kind))
    }

    /// The same with nothing in it.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self {
            retry_process_id: None,
            prompt: String::new(),
            variant: None,
            image_ids: None,
            queued: None,
            ..self.clone()
        }
    }

    /// Whether there is nothing in it that somebody could miss.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == self.emptied()
    }

    /// Whether what was sent has all that was written here. A client may send more than was typed.
    #[must_use]
    pub fn was_sent_as(&self, prompt: &str) -> bool {
        self.queued.is_none() && prompt.contains(self.prompt.trim())
    }
}

/// Changes a draft; what is not named stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SaveDraft {
    /// See [`Draft::prompt`].
    pub prompt: Patch<String>,
    /// See [`Draft::variant`].
    pub variant: Patch<String>,
    /// See [`Draft::image_ids`].
    pub image_ids: Patch<Vec<ImageId>>,
    /// See [`Draft::retry_process_id`].
    pub retry_process_id: Patch<ProcessId>,
    /// The version that the change was made to; none is whichever there is.
    pub version: Option<i64>,
}

/// Puts a draft in its attempt's queue, or takes it out again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueDraft {
    /// Which of both.
    pub wanted: Queueing,
    /// Whether the caller takes it for queued; none is that it does not matter.
    pub expected_queued: Option<bool>,
    /// The version that the caller has seen; none is whichever there is.
    pub expected_version: Option<i64>,
    /// A new text that is written with it.
    pub prompt: Option<String>,
}

/// Whether a draft shall be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queueing {
    /// As soon as nothing runs.
    Send,
    /// Not yet.
    Hold,
}

/// Why a draft is not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DraftRefusal {
    /// It is about to be sent.
    #[error("the draft is queued")]
    Queued,
    /// Somebody else changed it first.
    #[error("the draft has changed meanwhile: it has version {version}")]
    Changed {
        /// The version that it has.
        version: i64,
    },
    /// There is no text in it.
    #[error("nothing is written in the draft")]
    Blank,
    /// It takes the place of a turn, and so stands in no queue.
    #[error("a draft that takes the place of a turn cannot wait in the queue")]
    NotQueueable,
    /// It does not say of which turn it takes the place.
    #[error("the draft does not say which process is to be retried")]
    NoProcess,
}

impl Draft {
    /// The draft after a change, but for its version and times.
    ///
    /// # Errors
    /// When it is queued or another version than was thought of, or says nothing of the turn it is about.
    pub fn save(mut self, change: SaveDraft) -> Result<Self, DraftRefusal> {
        if self.queued.is_some() {
            return Err(DraftRefusal::Queued);
        }
        self.is_version(change.version)?;
        change.prompt.apply_or_default(&mut self.prompt);
        change.variant.apply(&mut self.variant);
        change.image_ids.apply(&mut self.image_ids);
        change.retry_process_id.apply(&mut self.retry_process_id);
        match self.kind {
            DraftKind::Retry if self.retry_process_id.is_none() => Err(DraftRefusal::NoProcess),
            DraftKind::Retry => Ok(self),
            DraftKind::FollowUp => Ok(Self { retry_process_id: None, ..self }),
        }
    }

    /// The draft as it shall be queued, and the follow-up that it is then. One that is queued already stays so.
    ///
    /// # Errors
    /// When it is not what the caller thinks it is, or there is nothing to send.
    pub fn queue(
        self,
        command: QueueDraft,
        id: FollowUpId,
        now: Timestamp,
    ) -> Result<(Self, FollowUp), DraftRefusal> {
        self.is_as_expected(&command)?;
        let draft = self.save(SaveDraft {
            prompt: command.prompt.map_or(Patch::Keep, Patch::Set),
            ..SaveDraft::default()
        })?;
        if draft.kind == DraftKind::Retry {
            return Err(DraftRefusal::NotQueueable);
        }
        if draft.prompt.trim().is_empty() {
            return Err(DraftRefusal::Blank);
        }
        let follow_up = FollowUp {
            id,
            attempt_id: draft.attempt_id,
            prompt: draft.prompt.clone(),
            variant: draft.variant.clone(),
            how: How::default(),
            retry: None,
            interrupt: false,
            not_before: None,
            created_at: now,
        };
        Ok((Self { queued: Some(id), ..draft }, follow_up))
    }

    /// Whether the draft is what the caller thinks it is.
    ///
    /// # Errors
    /// When it is not.
    pub fn is_as_expected(&self, command: &QueueDraft) -> Result<(), DraftRefusal> {
        if command.expected_queued.is_some_and(|queued| queued != self.queued.is_some()) {
            return Err(DraftRefusal::Changed { version: self.version });
        }
        self.is_version(command.expected_version)
    }

    fn is_version(&self, expected: Option<i64>) -> Result<(), DraftRefusal> {
        match expected {
            Some(expected) if expected != self.version => {
                Err(DraftRefusal::Changed { version: self.version })
            }
            Some(_) | None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(kind: DraftKind) -> Draft {
        let now = Timestamp::from_millis(1);
        Draft::unwritten(AttemptId::random(), ProjectId::random(), kind, now)
    }

    #[test]
    fn every_draft_of_an_attempt_has_an_id_of_its_own_that_stays() {
        let follow_up = draft(DraftKind::FollowUp);
        let retry = Draft { kind: DraftKind::Retry, ..follow_up.clone() };
        assert_ne!(follow_up.id(), retry.id());
        assert_eq!(follow_up.id(), Draft { version: 9, prompt: "x".into(), ..follow_up.clone() }.id());
        assert_eq!(follow_up.id().as_uuid().get_version_num(), 4);
        assert_ne!(follow_up.id().as_uuid(), follow_up.attempt_id.as_uuid());
    }

    #[test]
    fn a_change_keeps_what_it_does_not_name() {
        let change = |prompt, variant| SaveDraft { prompt, variant, ..SaveDraft::default() };
        let saved = draft(DraftKind::FollowUp);
        let saved = saved.save(change(Patch::Set("hey".into()), Patch::Set("PLAN".into()))).unwrap();
        assert_eq!((saved.prompt.as_str(), saved.variant.as_deref()), ("hey", Some("PLAN")));
        let saved = saved.save(change(Patch::Keep, Patch::Clear)).unwrap();
        assert_eq!((saved.prompt.as_str(), saved.variant.as_deref()), ("hey", None));
        let saved = saved.save(change(Patch::Clear, Patch::Keep)).unwrap();
        assert!(saved.is_empty(), "{saved:?}");
    }

    #[test]
    fn only_what_the_caller_has_seen_is_changed() {
        let seen = Draft { version: 3, ..draft(DraftKind::FollowUp) };
        let change = |version| SaveDraft { version, ..SaveDraft::default() };
        assert_eq!(seen.clone().save(change(Some(2))), Err(DraftRefusal::Changed { version: 3 }));
        assert!(seen.clone().save(change(Some(3))).is_ok());
        let queued = Draft { queued: Some(FollowUpId::random()), ..seen };
        assert_eq!(queued.save(change(Some(3))), Err(DraftRefusal::Queued));
        assert_eq!(draft(DraftKind::Retry).save(change(None)), Err(DraftRefusal::NoProcess));
    }

    #[test]
    fn what_is_queued_is_what_was_written() {
        let send = |prompt: Option<&str>, expected_version| QueueDraft {
            wanted: Queueing::Send,
            expected_queued: None,
            expected_version,
            prompt: prompt.map(str::to_owned),
        };
        let (id, now) = (FollowUpId::random(), Timestamp::from_millis(2));
        let blank = draft(DraftKind::FollowUp);
        assert_eq!(blank.clone().queue(send(None, None), id, now), Err(DraftRefusal::Blank));
        assert_eq!(blank.clone().queue(send(Some(" "), None), id, now), Err(DraftRefusal::Blank));
        let changed = Err(DraftRefusal::Changed { version: 0 });
        assert_eq!(blank.clone().queue(send(Some("go"), Some(1)), id, now), changed);
        let (queued, follow_up) = blank.queue(send(Some("go"), Some(0)), id, now).unwrap();
        assert_eq!((follow_up.prompt.as_str(), queued.queued), ("go", Some(id)));
        assert_eq!(queued.queue(send(None, None), id, now), Err(DraftRefusal::Queued));
        let retry = Draft { retry_process_id: Some(ProcessId::random()), ..draft(DraftKind::Retry) };
        assert_eq!(retry.queue(send(Some("go"), None), id, now), Err(DraftRefusal::NotQueueable));
    }

    #[test]
    fn what_was_typed_is_done_with_when_it_was_sent_and_not_while_it_waits() {
        let typed = Draft { prompt: " mend it\n".into(), ..draft(DraftKind::FollowUp) };
        assert!(typed.was_sent_as("review:\n\nmend it"));
        assert!(!typed.was_sent_as("something else"));
        let waits = Draft { queued: Some(FollowUpId::random()), ..typed };
        assert!(!waits.was_sent_as("mend it"));
    }
}
