//! Drafts: prompts that are being written. A queued draft is a follow-up in the attempt's queue, and the attempt's
//! actor decides when its turn comes.

use forge_model::{AttemptId, Draft, DraftKind, DraftRefusal, ProjectId, QueueDraft, Queueing, SaveDraft};

use crate::actor::Request;
use crate::attempts::FollowedUp;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::events::AsOf;

/// What came of putting a draft in the queue, or of taking it out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftQueued {
    /// The draft as it stands: emptied, where its turn came at once.
    pub draft: Draft,
    /// What became of its prompt; none where it was taken out, or stood there already.
    pub sent: Option<FollowedUp>,
}

impl Engine {
    /// An attempt's draft, which is empty where nobody wrote one.
    ///
    /// # Errors
    /// When the attempt is not there.
    pub async fn get_draft(&self, id: AttemptId, kind: DraftKind) -> Result<Draft> {
        Ok(self.inner.store.get_draft(id, kind).await?)
    }

    /// The drafts of all attempts of a project, both of each, as they are at one moment.
    ///
    /// # Errors
    /// When the project is not there.
    pub async fn drafts_as_of(&self, project: ProjectId) -> Result<AsOf<Vec<[Draft; 2]>>> {
        let (at, drafts) = self.inner.store.drafts_at_once(project).await?;
        Ok(AsOf { at, what: drafts })
    }

    /// Changes a draft.
    ///
    /// # Errors
    /// When the attempt or the process to be retried is not there, the draft is queued, or somebody else changed it.
    pub async fn save_draft(&self, id: AttemptId, kind: DraftKind, mut change: SaveDraft) -> Result<Draft> {
        change.prompt = self.hide_set(change.prompt);
        self.get_task_attempt(id).await?;
        if let forge_model::Patch::Set(process) = change.retry_process_id
            && self.get_process(process).await?.attempt_id != id
        {
            return Err(Error::not_found("process", process).hint("name a process of this attempt"));
        }
        let saved = self.inner.store.change_draft(id, kind, move |draft| draft.save(change)).await?;
        saved.map_err(refused)
    }

    /// Empties a draft; one that is queued leaves the queue.
    ///
    /// # Errors
    /// When the attempt is not there.
    pub async fn clear_draft(&self, id: AttemptId, kind: DraftKind) -> Result<()> {
        if self.get_draft(id, kind).await?.queued.is_some() {
            self.queue_draft(id, kind, hold()).await?;
        }
        let emptied = self.inner.store.change_draft(id, kind, |draft| match draft.queued {
            Some(_) => Err(DraftRefusal::Queued),
            None => Ok(draft.emptied()),
        });
        emptied.await?.map(drop).map_err(refused)
    }

    /// Puts a draft in its attempt's queue, from which it is sent when nothing runs, or takes it out again.
    ///
    /// # Errors
    /// When the attempt is not there, nothing is written, somebody else changed the draft, or the agent cannot be
    /// started.
    pub async fn queue_draft(
        &self,
        id: AttemptId,
        kind: DraftKind,
        mut command: QueueDraft,
    ) -> Result<DraftQueued> {
        command.prompt = command.prompt.map(|prompt| self.hide(prompt));
        let attempt = self.get_task_attempt(id).await?;
        if command.wanted == Queueing::Send {
            let draft = self.get_draft(id, kind).await?;
            self.check_variant(&attempt, draft.variant.as_deref()).await?;
            // One that was deleted since it was written is not missed.
            let images = self.find_images(&draft.image_ids.unwrap_or_default()).await?;
            self.show_images(&attempt, images.into_iter().map(|image| image.id).collect()).await?;
        }
        self.inner.actors.ask(self, id, |answer| Request::QueueDraft(kind, command, answer)).await
    }

    /// Empties the draft whose text was just sent as a follow-up. That it was is what counts; a draft that stays for
    /// another reason is no harm.
    pub(crate) async fn draft_was_sent(&self, id: AttemptId, prompt: &str) {
        let prompt = prompt.to_owned();
        let empty = move |draft: Draft| {
            if draft.was_sent_as(&prompt) { Ok(draft.emptied()) } else { Ok(draft) }
        };
        if let Err(error) = self.inner.store.change_draft(id, DraftKind::FollowUp, empty).await {
            tracing::warn!(attempt.id = %id, %error, "the draft of attempt {id} stays, though it was sent");
        }
    }
}

const fn hold() -> QueueDraft {
    QueueDraft { wanted: Queueing::Hold, expected_queued: None, expected_version: None, prompt: None }
}

/// A refusal in words that say what to do.
pub(crate) fn refused(refusal: DraftRefusal) -> Error {
    let message = refusal.to_string();
    match refusal {
        DraftRefusal::Queued => Error::conflict("draft_queued", message)
            .hint("take it out of the queue first: POST …/draft/queue with queued: false"),
        DraftRefusal::Changed { .. } => {
            Error::conflict("draft_changed", message).hint("read it again, then repeat the change")
        }
        DraftRefusal::Blank => Error::conflict("draft_blank", message).hint("save a prompt first"),
        DraftRefusal::NotQueueable => Error::invalid("retry_not_queueable", message)
            .hint("send it as a follow-up with retry_process_id"),
        DraftRefusal::NoProcess => {
            Error::invalid("retry_process_missing", message).hint("name it as retry_process_id")
        }
    }
}
