//! `Draft`, and what became of one that was queued.

use forge_model::{AttemptId, DraftId, DraftKind, ImageId, ProcessId, Profile, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::Process;
use crate::http::spec::documented;

documented!(Draft<'_>, QueuedDraft<'_>);

/// A prompt that is being written. One that nobody ever wrote is empty and has version 0.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Draft<'a> {
    id: DraftId,
    /// The same as `id`, by another name.
    draft_id: DraftId,
    task_attempt_id: AttemptId,
    /// `follow_up` or `retry`.
    draft_type: &'static str,
    /// The process whose turn it shall take the place of.
    retry_process_id: Option<ProcessId>,
    prompt: &'a str,
    /// Whether it is sent as soon as nothing runs. As long as it is, it cannot be edited.
    queued: bool,
    /// Always false: from the queue to its process it is one step.
    sending: bool,
    variant: Option<&'a str>,
    image_ids: Option<&'a [ImageId]>,
    /// Counts its changes, and never goes back.
    version: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The same as `updated_at`, by another name.
    saved_at: Timestamp,
}

impl<'a> From<&'a forge_model::Draft> for Draft<'a> {
    fn from(draft: &'a forge_model::Draft) -> Self {
        Self {
            id: draft.id(),
            draft_id: draft.id(),
            task_attempt_id: draft.attempt_id,
            draft_type: draft.kind.as_str(),
            retry_process_id: draft.retry_process_id,
            prompt: &draft.prompt,
            queued: draft.queued.is_some(),
            sending: false,
            variant: draft.variant.as_deref(),
            image_ids: draft.image_ids.as_deref(),
            version: draft.version,
            created_at: draft.created_at,
            updated_at: draft.updated_at,
            saved_at: draft.updated_at,
        }
    }
}

/// How clients that keep a document show a draft: without a turn to retry there is none to show.
pub(in crate::http) fn shown(draft: &forge_model::Draft) -> Option<Draft<'_>> {
    match draft.kind {
        DraftKind::FollowUp => Some(Draft::from(draft)),
        DraftKind::Retry => draft.retry_process_id.map(|_| Draft::from(draft)),
    }
}

/// A draft that was put in the queue, or taken out.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct QueuedDraft<'a> {
    #[serde(flatten)]
    draft: Draft<'a>,
    /// The process that was started with it, where nothing ran. The draft is empty then.
    execution_process: Option<Process<'a>>,
    /// The id of that process.
    execution_process_id: Option<ProcessId>,
    /// How many prompts stand before it in the queue.
    ahead: Option<usize>,
}

impl<'a> QueuedDraft<'a> {
    pub(in crate::http) fn new(queued: &'a forge_engine::DraftQueued, profile: &'a Profile) -> Self {
        let (process, ahead) = match &queued.sent {
            Some(forge_engine::FollowedUp::Started(process)) => (Some(process), None),
            Some(forge_engine::FollowedUp::Queued { ahead, .. }) => (None, Some(*ahead)),
            None => (None, None),
        };
        Self {
            draft: Draft::from(&queued.draft),
            execution_process: process.map(|process| Process::new(process, Some(profile))),
            execution_process_id: process.map(|process| process.id),
            ahead,
        }
    }
}
