//! Approvals: asked once, answered once.

use forge_model::{AnswerApproval, Approval, ApprovalId, ApprovalStatus, Fact, ProcessId, Timestamp};
use uuid::Uuid;

use crate::backend::{Connection, on};
use crate::write::WriteTx;
use crate::{Store, StoreError, json};

/// Nobody who writes waits for longer than so many take to go.
const PRUNED_AT_ONCE: i64 = 200;

macro_rules! returning {
    ($statement:literal) => {
        concat!(
            $statement,
            " RETURNING id, process_id, message, context, status, comment, created_at, answered_at"
        )
    };
}

macro_rules! select_approvals {
    ($rest:literal) => {
        concat!(
            "SELECT id, process_id, message, context, status, comment, created_at, answered_at FROM approval ",
            $rest
        )
    };
}

#[derive(sqlx::FromRow)]
struct ApprovalRow {
    id: Uuid,
    process_id: Option<Uuid>,
    message: String,
    context: Option<String>,
    status: String,
    comment: Option<String>,
    created_at: i64,
    answered_at: Option<i64>,
}

impl TryFrom<ApprovalRow> for Approval {
    type Error = StoreError;

    fn try_from(row: ApprovalRow) -> Result<Self, Self::Error> {
        let status = ApprovalStatus::ALL.into_iter().find(|status| status.as_str() == row.status);
        Ok(Self {
            id: ApprovalId::from_uuid(row.id),
            process_id: row.process_id.map(ProcessId::from_uuid),
            message: row.message,
            context: row.context.map(|text| json::read("context", &text)).transpose()?,
            status: status.ok_or(row.status).map_err(StoreError::corrupt("status of an approval"))?,
            comment: row.comment,
            created_at: Timestamp::from_millis(row.created_at),
            answered_at: row.answered_at.map(Timestamp::from_millis),
        })
    }
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// It was the first, and stands.
    Now(Approval),
    /// Another stands, or nobody waits any more; nothing changed.
    Before(Approval),
}

impl Store {
    /// Writes down a question.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such process, [`StoreError::Conflict`] when it has ended: nobody would
    /// hear the answer.
    pub async fn ask_approval(&self, approval: &Approval) -> Result<(), StoreError> {
        let approval = approval.clone();
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    if let Some(process) = approval.process_id
                        && crate::process::get(tx.db(), process).await?.end().is_some()
                    {
                        return Err(StoreError::Conflict { what: "the process has ended" });
                    }
                    insert(tx, &approval).await?;
                    tx.append(&Fact::ApprovalAsked(approval)).await
                })
            })
            .await
    }

    /// The approval with this id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn get_approval(&self, id: ApprovalId) -> Result<Approval, StoreError> {
        get(&mut self.read().await?, id).await
    }

    /// The approvals that wait for an answer, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_pending_approvals(&self) -> Result<Vec<Approval>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<ApprovalRow> = on!(&mut db, |db| sqlx::query_as(select_approvals!(
            "WHERE status = 'pending' ORDER BY created_at, id"
        ))
        .fetch_all(db)
        .await)
        .map_err(StoreError::query("list approvals"))?;
        rows.into_iter().map(Approval::try_from).collect()
    }

    /// Answers an approval, unless it has been.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none, [`StoreError::Conflict`] when it is of another process than the
    /// caller believes.
    pub async fn answer_approval(
        &self,
        id: ApprovalId,
        answer: AnswerApproval,
    ) -> Result<Answered, StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let mut approval = get(tx.db(), id).await?;
                    let believed = answer.process_id.or(approval.process_id);
                    if approval.process_id.is_some() && approval.process_id != believed {
                        return Err(StoreError::Conflict { what: "the approval is of another process" });
                    }
                    if approval.status != ApprovalStatus::Pending {
                        return Ok(Answered::Before(approval));
                    }
                    approval.status =
                        if answer.approved { ApprovalStatus::Approved } else { ApprovalStatus::Denied };
                    approval.comment = answer.comment;
                    approval.answered_at = Some(tx.now());
                    update(tx, &approval).await?;
                    tx.append(&Fact::ApprovalAnswered(approval.clone())).await?;
                    Ok(Answered::Now(approval))
                })
            })
            .await
    }

    /// Forgets approvals that were answered before `time`, some at a time, and tells how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn prune_approvals(&self, time: Timestamp) -> Result<u64, StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let gone: Vec<(Uuid,)> = on!(tx.db(), |db| sqlx::query_as(
                        "DELETE FROM approval WHERE id IN (
                             SELECT id FROM approval WHERE answered_at < $1 ORDER BY answered_at LIMIT $2
                         ) RETURNING id",
                    )
                    .bind(time.as_millis())
                    .bind(PRUNED_AT_ONCE)
                    .fetch_all(db)
                    .await)
                    .map_err(StoreError::query("forget old approvals"))?;
                    let count = gone.len() as u64;
                    deleted(tx, gone).await?;
                    Ok(count)
                })
            })
            .await
    }
}

/// Whatever a process asked for and was not answered cannot be any more.
pub(crate) async fn time_out(tx: &mut WriteTx, process: ProcessId) -> Result<(), StoreError> {
    let now = tx.now().as_millis();
    let rows: Vec<ApprovalRow> = on!(tx.db(), |db| sqlx::query_as(returning!(
        "UPDATE approval SET status = 'timed_out', answered_at = $2
         WHERE process_id = $1 AND status = 'pending'"
    ))
    .bind(process.as_uuid())
    .bind(now)
    .fetch_all(db)
    .await)
    .map_err(StoreError::query("end approvals"))?;
    for row in rows {
        tx.append(&Fact::ApprovalAnswered(row.try_into()?)).await?;
    }
    Ok(())
}

/// Deletes the approvals of processes that are about to go: those of a project, a task or an attempt.
pub(crate) async fn delete_of(tx: &mut WriteTx, owner: Uuid) -> Result<(), StoreError> {
    let gone: Vec<(Uuid,)> = on!(tx.db(), |db| sqlx::query_as(
        "DELETE FROM approval WHERE process_id IN (
             SELECT p.id FROM process p JOIN attempt a ON a.id = p.attempt_id
             WHERE a.project_id = $1 OR a.task_id = $1 OR a.id = $1
         ) RETURNING id",
    )
    .bind(owner)
    .fetch_all(db)
    .await)
    .map_err(StoreError::query("delete approvals"))?;
    deleted(tx, gone).await
}

async fn deleted(tx: &mut WriteTx, gone: Vec<(Uuid,)>) -> Result<(), StoreError> {
    for (id,) in gone {
        tx.append(&Fact::ApprovalDeleted { id: ApprovalId::from_uuid(id) }).await?;
    }
    Ok(())
}

async fn get(db: &mut Connection, id: ApprovalId) -> Result<Approval, StoreError> {
    let row: Option<ApprovalRow> = on!(db, |db| sqlx::query_as(select_approvals!("WHERE id = $1"))
        .bind(id.as_uuid())
        .fetch_optional(db)
        .await)
    .map_err(StoreError::query("get an approval"))?;
    row.ok_or(StoreError::NotFound { what: "approval" })?.try_into()
}

async fn insert(tx: &mut WriteTx, approval: &Approval) -> Result<(), StoreError> {
    let context = approval.context.as_ref().map(|context| json::write("context", context)).transpose()?;
    on!(tx.db(), |db| sqlx::query(
        "INSERT INTO approval (id, process_id, message, context, status, comment, created_at, answered_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(approval.id.as_uuid())
    .bind(approval.process_id.map(ProcessId::as_uuid))
    .bind(&approval.message)
    .bind(&context)
    .bind(approval.status.as_str())
    .bind(&approval.comment)
    .bind(approval.created_at.as_millis())
    .bind(approval.answered_at.map(Timestamp::as_millis))
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("ask for an approval"))
    .map_err(|error| error.or_not_found("process").or_conflict("an approval with this id is there already"))
}

/// Changes what an answer changes.
async fn update(tx: &mut WriteTx, approval: &Approval) -> Result<(), StoreError> {
    on!(tx.db(), |db| sqlx::query(
        "UPDATE approval SET status = $2, comment = $3, answered_at = $4 WHERE id = $1"
    )
    .bind(approval.id.as_uuid())
    .bind(approval.status.as_str())
    .bind(&approval.comment)
    .bind(approval.answered_at.map(Timestamp::as_millis))
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("answer an approval"))
}
