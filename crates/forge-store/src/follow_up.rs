//! Follow-ups: prompts that wait in an attempt's queue.

use forge_model::{AttemptId, Fact, FollowUp, FollowUpId, QueueExit, RemovedFollowUp, Timestamp};
use uuid::Uuid;

use crate::backend::{Connection, on};
use crate::row::row;
use crate::write::WriteTx;
use crate::{Store, StoreError, draft, json};

row! {
    pub(crate) struct FollowUpRow {
        id: Uuid,
        attempt_id: Uuid,
        prompt: String,
        variant: Option<String>,
        how: String,
        retry: Option<String>,
        interrupt: bool,
        not_before: Option<i64>,
        created_at: i64,
    }
}

impl TryFrom<FollowUpRow> for FollowUp {
    type Error = StoreError;

    fn try_from(row: FollowUpRow) -> Result<Self, Self::Error> {
        Ok(Self {
            id: FollowUpId::from_uuid(row.id),
            attempt_id: AttemptId::from_uuid(row.attempt_id),
            prompt: row.prompt,
            variant: row.variant,
            how: json::read("how", &row.how)?,
            retry: row.retry.map(|text| json::read("retry", &text)).transpose()?,
            interrupt: row.interrupt,
            not_before: row.not_before.map(Timestamp::from_millis),
            created_at: Timestamp::from_millis(row.created_at),
        })
    }
}

impl Store {
    /// Puts a prompt at the end of its attempt's queue; one that interrupts, before those that do not; one that takes
    /// the place of a turn, before all, and in place of another such one.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such attempt.
    pub async fn queue_follow_up(&self, follow_up: &FollowUp) -> Result<(), StoreError> {
        let follow_up = follow_up.clone();
        self.queue.write(move |tx| Box::pin(async move { queue(tx, &follow_up).await })).await
    }

    /// An attempt's queue, in the order in which turns come.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_follow_ups(&self, attempt: AttemptId) -> Result<Vec<FollowUp>, StoreError> {
        list(&mut self.read().await?, attempt).await
    }

    /// Changes what a prompt that waits says, and how the agent shall work.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when it is not there any more, [`StoreError::Conflict`] when it is a draft's.
    pub async fn change_follow_up(&self, follow_up: &FollowUp) -> Result<(), StoreError> {
        let follow_up = follow_up.clone();
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    if draft::queued_as(tx, follow_up.id).await?.is_some() {
                        return Err(StoreError::Conflict { what: "the prompt is a draft that is queued" });
                    }
                    update(tx, &follow_up).await?;
                    tx.append(&Fact::FollowUpQueued(follow_up)).await
                })
            })
            .await
    }

    /// The attempts in whose queue a prompt may be sent since a time after `after`, up to `now`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_due_attempts(
        &self,
        after: Timestamp,
        now: Timestamp,
    ) -> Result<Vec<AttemptId>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<(Uuid,)> = on!(&mut db, |db| sqlx::query_as(
            "SELECT DISTINCT attempt_id FROM follow_up
             WHERE not_before > $1 AND not_before <= $2
               AND attempt_id IN (SELECT a.id FROM attempt a WHERE a.node IS NULL OR a.node = $3)"
        )
        .bind(after.as_millis())
        .bind(now.as_millis())
        .bind(self.own_node())
        .fetch_all(db)
        .await)
        .map_err(StoreError::query("list follow-ups that are due"))?;
        Ok(rows.into_iter().map(|(id,)| AttemptId::from_uuid(id)).collect())
    }

    /// The next time at which an approval has waited long enough, or, after this time, a prompt may be sent.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn next_deadline(&self, after: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let mut db = self.read().await?;
        let (next,): (Option<i64>,) = on!(&mut db, |db| sqlx::query_as(
            "SELECT min(due) FROM (
                 SELECT min(not_before) AS due FROM follow_up
                 WHERE not_before > $1
                   AND attempt_id IN (SELECT a.id FROM attempt a WHERE a.node IS NULL OR a.node = $2)
                 UNION ALL SELECT min(timeout_at) FROM approval
                 WHERE status = 'pending'
                   AND (process_id IS NULL OR process_id IN (
                           SELECT p.id FROM process p WHERE p.node IS NULL OR p.node = $2))
             ) AS deadlines"
        )
        .bind(after.as_millis())
        .bind(self.own_node())
        .fetch_one(db)
        .await)
        .map_err(StoreError::query("look for the next deadline"))?;
        Ok(next.map(Timestamp::from_millis))
    }

    /// Takes a prompt out of its queue.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when it is not there any more.
    pub async fn remove_follow_up(&self, id: FollowUpId) -> Result<FollowUp, StoreError> {
        let removed = self.queue.write(move |tx| Box::pin(async move { remove(tx, id).await })).await?;
        Ok(removed.follow_up)
    }

    /// Takes all prompts out of the queue of an attempt that is stopped.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn remove_follow_ups(&self, attempt: AttemptId) -> Result<Vec<RemovedFollowUp>, StoreError> {
        self.queue.write(move |tx| Box::pin(async move { clear(tx, attempt).await })).await
    }
}

/// The queue as it stands, in or out of a transaction.
pub(crate) async fn list(db: &mut Connection, attempt: AttemptId) -> Result<Vec<FollowUp>, StoreError> {
    let rows: Vec<FollowUpRow> = on!(db, |db| {
        sqlx::query_as(
        "SELECT id, attempt_id, prompt, variant, how, retry, interrupt, not_before, created_at FROM follow_up
         WHERE attempt_id = $1
         ORDER BY CASE WHEN retry IS NOT NULL THEN 0 WHEN interrupt THEN 1 ELSE 2 END, ordinal",
    )
    .bind(attempt.as_uuid())
    .fetch_all(db)
    .await
    })
    .map_err(StoreError::query("list follow-ups"))?;
    rows.into_iter().map(FollowUp::try_from).collect()
}

/// Queues a prompt and tells so. Of two that take a turn's place the newer is meant: after it, the older would undo
/// what it came to.
pub(crate) async fn queue(tx: &mut WriteTx, follow_up: &FollowUp) -> Result<(), StoreError> {
    if follow_up.retry.is_some() {
        let waiting = list(tx.db(), follow_up.attempt_id).await?;
        for older in waiting.iter().filter(|older| older.retry.is_some() && older.id != follow_up.id) {
            remove(tx, older.id).await?;
        }
    }
    insert(tx, follow_up).await?;
    tx.append(&Fact::FollowUpQueued(follow_up.clone())).await
}

/// Removes a prompt that is not sent, and tells so. The draft that it was made of is one again.
async fn remove(tx: &mut WriteTx, id: FollowUpId) -> Result<RemovedFollowUp, StoreError> {
    leave(tx, id, QueueExit::Removed).await
}

/// Removes a prompt whose turn has come, and tells so.
pub(crate) async fn take(tx: &mut WriteTx, id: FollowUpId) -> Result<RemovedFollowUp, StoreError> {
    leave(tx, id, QueueExit::Sent).await
}

/// Removes all that wait, because the attempt is stopped.
pub(crate) async fn clear(tx: &mut WriteTx, attempt: AttemptId) -> Result<Vec<RemovedFollowUp>, StoreError> {
    let mut removed = Vec::new();
    for follow_up in list(tx.db(), attempt).await? {
        removed.push(leave(tx, follow_up.id, QueueExit::Stopped).await?);
    }
    Ok(removed)
}

async fn leave(tx: &mut WriteTx, id: FollowUpId, why: QueueExit) -> Result<RemovedFollowUp, StoreError> {
    let row: Option<FollowUpRow> = on!(tx.db(), |db| sqlx::query_as(
        "DELETE FROM follow_up WHERE id = $1
         RETURNING id, attempt_id, prompt, variant, how, retry, interrupt, not_before, created_at",
    )
    .bind(id.as_uuid())
    .fetch_optional(db)
    .await)
    .map_err(StoreError::query("remove a follow-up"))?;
    let follow_up = FollowUp::try_from(row.ok_or(StoreError::NotFound { what: "follow-up" })?)?;
    let draft = draft::queued_as(tx, id).await?;
    let returned_to_draft = draft.as_ref().filter(|_| why != QueueExit::Sent).map(|draft| draft.kind);
    let removed = RemovedFollowUp { follow_up, why: Some(why), returned_to_draft };
    tx.append(&Fact::FollowUpRemoved(removed.clone())).await?;
    if let Some(draft) = draft {
        draft::left_queue(tx, &draft, why).await?;
    }
    Ok(removed)
}

async fn update(tx: &mut WriteTx, follow_up: &FollowUp) -> Result<(), StoreError> {
    let how = json::write("how", &follow_up.how)?;
    let changed = on!(tx.db(), |db| sqlx::query(
        "UPDATE follow_up SET prompt = $2, variant = $3, how = $4, interrupt = $5 WHERE id = $1"
    )
    .bind(follow_up.id.as_uuid())
    .bind(&follow_up.prompt)
    .bind(&follow_up.variant)
    .bind(&how)
    .bind(follow_up.interrupt)
    .execute(db)
    .await
    .map(|done| done.rows_affected()))
    .map_err(StoreError::query("change a follow-up"))?;
    StoreError::unless_found(changed, "follow-up")
}

async fn insert(tx: &mut WriteTx, follow_up: &FollowUp) -> Result<(), StoreError> {
    let retry = follow_up.retry.as_ref().map(|retry| json::write("retry", retry));
    let how = json::write("how", &follow_up.how)?;
    // One that goes on with what came before it comes before what was to follow.
    on!(tx.db(), |db| sqlx::query(
        "INSERT INTO follow_up (id, attempt_id, ordinal, prompt, variant, retry, how, interrupt, not_before,
                                created_at)
         SELECT $1, $2,
                CASE WHEN $8 IS NULL THEN coalesce(max(ordinal), 0) + 1 ELSE coalesce(min(ordinal), 0) - 1 END,
                $3, $4, $5, $6, $7, $8, $9
         FROM follow_up WHERE attempt_id = $2",
    )
    .bind(follow_up.id.as_uuid())
    .bind(follow_up.attempt_id.as_uuid())
    .bind(&follow_up.prompt)
    .bind(&follow_up.variant)
    .bind(retry.transpose()?)
    .bind(&how)
    .bind(follow_up.interrupt)
    .bind(follow_up.not_before.map(Timestamp::as_millis))
    .bind(follow_up.created_at.as_millis())
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("queue a follow-up"))
    .map_err(|error| error.or_not_found("attempt").or_conflict("the follow-up stands in the queue already"))
}
