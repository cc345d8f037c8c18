//! Drafts: prompts that are being written.
//!
//! A draft that is queued has a follow-up in its attempt's queue, and goes where that goes: it is emptied when the
//! follow-up's turn has come, and is a draft again when the follow-up leaves the queue otherwise.

use std::collections::{HashMap, HashSet};

use forge_model::{
    AttemptId, Draft, DraftKind, DraftRefusal, Fact, FollowUp, FollowUpId, ImageId, ProcessId, ProjectId,
    QueueExit, Seq, Timestamp,
};
use uuid::Uuid;

use crate::backend::{Connection, on};
use crate::row::row;
use crate::write::WriteTx;
use crate::{Store, StoreError, attempt, follow_up, json, project};

macro_rules! select_drafts {
    ($rest:literal) => {
        concat!(
            "SELECT d.attempt_id, a.project_id, d.kind, d.retry_process_id, d.prompt, d.variant, d.image_ids,
                    d.follow_up_id, d.version, d.created_at, d.updated_at
             FROM draft d JOIN attempt a ON a.id = d.attempt_id ",
            $rest
        )
    };
}

row! {
    struct DraftRow {
        attempt_id: Uuid,
        project_id: Uuid,
        kind: String,
        retry_process_id: Option<Uuid>,
        prompt: String,
        variant: Option<String>,
        image_ids: Option<String>,
        follow_up_id: Option<Uuid>,
        version: i64,
        created_at: i64,
        updated_at: i64,
    }
}

impl TryFrom<DraftRow> for Draft {
    type Error = StoreError;

    fn try_from(row: DraftRow) -> Result<Self, Self::Error> {
        let kind = DraftKind::ALL.into_iter().find(|kind| kind.as_str() == row.kind);
        let images = row.image_ids.map(|text| json::read::<Vec<ImageId>>("images", &text)).transpose()?;
        Ok(Self {
            attempt_id: AttemptId::from_uuid(row.attempt_id),
            project_id: ProjectId::from_uuid(row.project_id),
            kind: kind.ok_or(row.kind).map_err(StoreError::corrupt("kind of draft"))?,
            retry_process_id: row.retry_process_id.map(ProcessId::from_uuid),
            prompt: row.prompt,
            variant: row.variant,
            image_ids: images,
            queued: row.follow_up_id.map(FollowUpId::from_uuid),
            version: row.version,
            created_at: Timestamp::from_millis(row.created_at),
            updated_at: Timestamp::from_millis(row.updated_at),
        })
    }
}

/// The images that any draft mentions.
pub(crate) async fn images(db: &mut Connection) -> Result<HashSet<ImageId>, StoreError> {
    let rows: Vec<(String,)> =
        on!(db, |db| sqlx::query_as("SELECT image_ids FROM draft WHERE image_ids IS NOT NULL")
            .fetch_all(db)
            .await)
        .map_err(StoreError::query("list the images of drafts"))?;
    let mut images = HashSet::new();
    for (text,) in rows {
        images.extend(json::read::<Vec<ImageId>>("images", &text)?);
    }
    Ok(images)
}

/// A change to a draft, or why it is not made.
pub type DraftChange<T> = Result<T, DraftRefusal>;

impl Store {
    /// An attempt's draft; an unwritten one where nobody wrote it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such attempt.
    pub async fn get_draft(&self, attempt: AttemptId, kind: DraftKind) -> Result<Draft, StoreError> {
        get(&mut self.read().await?, attempt, kind).await
    }

    /// The drafts of all attempts at a project's tasks, both of each, and the position of the newest event that they show.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such project.
    pub async fn drafts_at_once(&self, project: ProjectId) -> Result<(Seq, Vec<[Draft; 2]>), StoreError> {
        let mut moment = self.moment().await?;
        let found = project::get(moment.db()?, project).await;
        let attempts: Vec<(Uuid, i64)> = on!(moment.db()?, |db| sqlx::query_as(
            "SELECT id, created_at FROM attempt WHERE project_id = $1 AND task_id IS NOT NULL ORDER BY created_at, id"
        )
        .bind(project.as_uuid())
        .fetch_all(db)
        .await)
        .map_err(StoreError::query("list attempts"))?;
        let written = list(moment.db()?, project).await?;
        let at = moment.end().await?;
        found?;
        let mut written: HashMap<(AttemptId, DraftKind), Draft> =
            written.into_iter().map(|draft| ((draft.attempt_id, draft.kind), draft)).collect();
        let mut of = |(id, since): (Uuid, i64), kind| {
            let id = AttemptId::from_uuid(id);
            let unwritten = || Draft::unwritten(id, project, kind, Timestamp::from_millis(since));
            written.remove(&(id, kind)).unwrap_or_else(unwritten)
        };
        let drafts = attempts.into_iter().map(|attempt| DraftKind::ALL.map(|kind| of(attempt, kind)));
        Ok((at, drafts.collect()))
    }

    /// Makes a draft what `change` makes of it, unless that refuses. Answers with it as it stands then.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such attempt.
    pub async fn change_draft(
        &self,
        attempt: AttemptId,
        kind: DraftKind,
        change: impl FnOnce(Draft) -> DraftChange<Draft> + Send + 'static,
    ) -> Result<DraftChange<Draft>, StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let draft = get(tx.db(), attempt, kind).await?;
                    match change(draft.clone()) {
                        Ok(changed) => put(tx, &draft, changed).await.map(Ok),
                        Err(refusal) => Ok(Err(refusal)),
                    }
                })
            })
            .await
    }

    /// Puts a draft at the end of its attempt's queue, as the follow-up that `change` makes of it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such attempt.
    pub async fn queue_draft(
        &self,
        attempt: AttemptId,
        kind: DraftKind,
        change: impl FnOnce(Draft) -> DraftChange<(Draft, FollowUp)> + Send + 'static,
    ) -> Result<DraftChange<(Draft, FollowUp)>, StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let draft = get(tx.db(), attempt, kind).await?;
                    match change(draft.clone()) {
                        Ok((changed, waiting)) => {
                            follow_up::queue(tx, &waiting).await?;
                            Ok(Ok((put(tx, &draft, changed).await?, waiting)))
                        }
                        Err(refusal) => Ok(Err(refusal)),
                    }
                })
            })
            .await
    }
}

/// The drafts of a project's attempts that somebody ever wrote.
async fn list(db: &mut Connection, project: ProjectId) -> Result<Vec<Draft>, StoreError> {
    let rows: Vec<DraftRow> = on!(db, |db| sqlx::query_as(select_drafts!("WHERE a.project_id = $1"))
        .bind(project.as_uuid())
        .fetch_all(db)
        .await)
    .map_err(StoreError::query("list drafts"))?;
    rows.into_iter().map(Draft::try_from).collect()
}

/// The draft as it stands, in or out of a transaction.
pub(crate) async fn get(
    db: &mut Connection,
    attempt: AttemptId,
    kind: DraftKind,
) -> Result<Draft, StoreError> {
    let row: Option<DraftRow> =
        on!(db, |db| sqlx::query_as(select_drafts!("WHERE d.attempt_id = $1 AND d.kind = $2"))
            .bind(attempt.as_uuid())
            .bind(kind.as_str())
            .fetch_optional(db)
            .await)
        .map_err(StoreError::query("get a draft"))?;
    if let Some(row) = row {
        return row.try_into();
    }
    let of = attempt::get(db, attempt).await?;
    Ok(Draft::unwritten(attempt, of.project_id, kind, of.created_at))
}

/// The follow-up of a queued draft has left the queue: a draft that was sent is emptied, any other can be edited again.
pub(crate) async fn left_queue(tx: &mut WriteTx, draft: &Draft, why: QueueExit) -> Result<(), StoreError> {
    let changed = match why {
        QueueExit::Sent => draft.emptied(),
        QueueExit::Removed | QueueExit::Stopped | QueueExit::Deleted => {
            Draft { queued: None, ..draft.clone() }
        }
    };
    put(tx, draft, changed).await.map(drop)
}

/// The draft that stands in the queue as this follow-up.
pub(crate) async fn queued_as(tx: &mut WriteTx, follow_up: FollowUpId) -> Result<Option<Draft>, StoreError> {
    let row: Option<DraftRow> =
        on!(tx.db(), |db| sqlx::query_as(select_drafts!("WHERE d.follow_up_id = $1"))
            .bind(follow_up.as_uuid())
            .fetch_optional(db)
            .await)
        .map_err(StoreError::query("get a draft"))?;
    row.map(Draft::try_from).transpose()
}

/// Writes a draft as it shall be, under its next version, and tells so. One that did not change stays as it is.
pub(crate) async fn put(tx: &mut WriteTx, before: &Draft, changed: Draft) -> Result<Draft, StoreError> {
    if *before == changed {
        return Ok(changed);
    }
    let now = tx.now();
    let created_at = if before.version == 0 { now } else { before.created_at };
    let draft = Draft { version: before.version + 1, created_at, updated_at: now, ..changed };
    let images = draft.image_ids.as_ref().map(|images| json::write("images", images)).transpose()?;
    on!(tx.db(), |db| sqlx::query(
        "INSERT INTO draft (attempt_id, kind, retry_process_id, prompt, variant, image_ids, follow_up_id, version,
                            created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (attempt_id, kind) DO UPDATE SET
             retry_process_id = excluded.retry_process_id, prompt = excluded.prompt, variant = excluded.variant,
             image_ids = excluded.image_ids, follow_up_id = excluded.follow_up_id, version = excluded.version,
             updated_at = excluded.updated_at",
    )
    .bind(draft.attempt_id.as_uuid())
    .bind(draft.kind.as_str())
    .bind(draft.retry_process_id.map(ProcessId::as_uuid))
    .bind(&draft.prompt)
    .bind(&draft.variant)
    .bind(&images)
    .bind(draft.queued.map(FollowUpId::as_uuid))
    .bind(draft.version)
    .bind(draft.created_at.as_millis())
    .bind(draft.updated_at.as_millis())
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("write a draft"))
    .map_err(|error| error.or_not_found("attempt"))?;
    let fact = if draft.is_empty() { Fact::DraftCleared } else { Fact::DraftUpdated };
    tx.append(&fact(draft.clone())).await?;
    Ok(draft)
}
