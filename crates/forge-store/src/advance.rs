//! Moving an attempt from one state to the next, with everything that goes with the move.

use forge_model::{
    Attempt, AttemptId, AttemptState, DraftKind, Fact, FollowUp, FollowUpId, Process, ProcessId,
    RemovedFollowUp, TaskCard, TaskMove,
};

use crate::write::WriteTx;
use crate::{Store, StoreError, attempt, draft, follow_up, process, task};

/// One move of an attempt. All of it becomes true at once, or none of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advance {
    /// The attempt as it shall be; its `updated_at` is the time of the move.
    pub attempt: Attempt,
    /// The state that the move was decided in.
    pub expected: AttemptState,
    /// A process that ended, as it shall be.
    pub process_ended: Option<Process>,
    /// A process that begins.
    pub process_started: Option<Process>,
    /// What the turn does to the task; none leaves it.
    pub task: Option<TaskMove>,
    /// The prompt whose turn has come.
    pub take_follow_up: Option<FollowUpId>,
    /// The process whose turn it takes the place of: it and all later ones are dropped.
    pub drop_from: Option<ProcessId>,
    /// A prompt that comes to stand in the queue.
    pub add_follow_up: Option<FollowUp>,
    /// Whether all that waits in the queue is dropped.
    pub drop_follow_ups: bool,
}

/// What a move led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advanced {
    /// The task as it stands; a run has none.
    pub task: Option<TaskCard>,
    /// The prompts that left the queue, oldest first.
    pub follow_ups: Vec<RemovedFollowUp>,
    /// The processes that were dropped, oldest first.
    pub dropped: Vec<Process>,
}

impl Store {
    /// Moves an attempt. What changed is told in this order: the process that ended, those that were dropped, the one
    /// that began, the attempt, the task, the prompts that left the queue.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the attempt is not in the expected state any more, a process runs
    /// already or the process has ended otherwise; [`StoreError::TaskClosed`] when a turn would begin in a task that
    /// is closed; [`StoreError::NotFound`] when the attempt, the process or
    /// the prompt is gone.
    pub async fn advance(&self, advance: Advance) -> Result<Advanced, StoreError> {
        self.queue.write_patiently(move |tx| Box::pin(async move { apply(tx, advance).await })).await
    }
}

async fn apply(tx: &mut WriteTx, advance: Advance) -> Result<Advanced, StoreError> {
    let id = advance.attempt.id;
    let stored = attempt::get(tx.db(), id).await?;
    if stored.state != advance.expected {
        return Err(StoreError::Conflict { what: "the attempt has moved on meanwhile" });
    }
    let before = task::card_of(tx.db(), stored.task_id).await?;
    if let Some(ended) = advance.process_ended {
        process::update(tx, &ended).await?;
        tx.append(&Fact::ProcessUpdated(ended)).await?;
    }
    let mut dropped = Vec::new();
    if let Some(first) = advance.drop_from {
        dropped = process::drop_from(tx, first).await?;
        forget_retry(tx, id, &dropped).await?;
    }
    if let Some(started) = advance.process_started {
        process::insert(tx, &started).await?;
        tx.append(&Fact::ProcessCreated(started)).await?;
    }
    let at = advance.attempt.updated_at;
    let unchanged = Attempt { updated_at: stored.updated_at, ..advance.attempt.clone() } == stored;
    if !unchanged {
        attempt::update(tx, &advance.attempt).await?;
        attempt::changed(tx, &stored, &advance.attempt).await?;
    }
    if let (Some(change), Some(before)) = (advance.task, &before) {
        let status = change.apply(before.task.status, attempt::another_runs(tx, &stored).await?);
        let status = status.ok_or(StoreError::TaskClosed)?;
        if status != before.task.status {
            task::set_status(tx, before.task.id, status, at).await?;
        }
    }
    let task = task::updated_since(tx, before.as_ref()).await?;
    let mut follow_ups = Vec::new();
    if let Some(follow_up) = advance.take_follow_up {
        follow_ups.push(follow_up::take(tx, follow_up).await?);
    }
    if advance.drop_follow_ups {
        follow_ups.extend(follow_up::clear(tx, id).await?);
    }
    if let Some(added) = advance.add_follow_up {
        follow_up::queue(tx, &added).await?;
    }
    Ok(Advanced { task, follow_ups, dropped })
}

/// Empties the draft of another go at a turn that is dropped now.
async fn forget_retry(tx: &mut WriteTx, id: AttemptId, dropped: &[Process]) -> Result<(), StoreError> {
    let draft = draft::get(tx.db(), id, DraftKind::Retry).await?;
    if dropped.iter().any(|process| Some(process.id) == draft.retry_process_id) {
        let emptied = draft.emptied();
        draft::put(tx, &draft, emptied).await?;
    }
    Ok(())
}
