//! Approvals: asked once, answered once.

use forge_model::{
    AnswerApproval, Approval, ApprovalId, ApprovalStatus, Fact, ProcessId, TaskMove, TaskStatus, Timestamp,
};
use uuid::Uuid;

use crate::backend::{Connection, on};
use crate::row::row;
use crate::write::WriteTx;
use crate::{Store, StoreError, attempt, json, process, task};

/// Nobody who writes waits for longer than so many take to go.
const PRUNED_AT_ONCE: i64 = 200;

macro_rules! returning {
    ($statement:literal) => {
        concat!(
            $statement,
            " RETURNING id, process_id, message, context, choices, status, choice, comment, created_at, timeout_at,
                        answered_at"
        )
    };
}

macro_rules! select_approvals {
    ($rest:literal) => {
        concat!(
            "SELECT id, process_id, message, context, choices, status, choice, comment, created_at, timeout_at,
                    answered_at
             FROM approval ",
            $rest
        )
    };
}

row! {
    struct ApprovalRow {
        id: Uuid,
        process_id: Option<Uuid>,
        message: String,
        context: Option<String>,
        choices: String,
        status: String,
        choice: Option<String>,
        comment: Option<String>,
        created_at: i64,
        timeout_at: Option<i64>,
        answered_at: Option<i64>,
    }
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
            choices: json::read("choices", &row.choices)?,
            status: status.ok_or(row.status).map_err(StoreError::corrupt("status of an approval"))?,
            choice: row.choice,
            comment: row.comment,
            created_at: Timestamp::from_millis(row.created_at),
            timeout_at: row.timeout_at.map(Timestamp::from_millis),
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
                        && process::get(tx.db(), process).await?.end().is_some()
                    {
                        return Err(StoreError::Conflict { what: "the process has ended" });
                    }
                    insert(tx, &approval).await?;
                    let process = approval.process_id;
                    tx.append(&Fact::ApprovalAsked(approval)).await?;
                    show_on_task(tx, process).await
                })
            })
            .await
    }

    /// Writes down what a process asks, but for what is written already, and gives back all of it as it stands.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such process.
    pub async fn ask_approvals(
        &self,
        process: ProcessId,
        asked: Vec<Approval>,
    ) -> Result<Vec<Approval>, StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let mut standing = Vec::with_capacity(asked.len());
                    for approval in asked {
                        if let Some(before) = find(tx.db(), approval.id).await? {
                            standing.push(before);
                            continue;
                        }
                        insert(tx, &approval).await?;
                        tx.append(&Fact::ApprovalAsked(approval.clone())).await?;
                        standing.push(approval);
                    }
                    show_on_task(tx, Some(process)).await?;
                    Ok(standing)
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
    /// caller believes, or takes no such answer.
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
                    approval.status = match approval.verdict(&answer) {
                        Ok(true) => ApprovalStatus::Approved,
                        Ok(false) => ApprovalStatus::Denied,
                        Err(_refusal) => {
                            return Err(StoreError::Conflict {
                                what: "the approval does not take this answer",
                            });
                        }
                    };
                    approval.choice = answer.choice;
                    approval.comment = answer.comment;
                    approval.answered_at = Some(tx.now());
                    update(tx, &approval).await?;
                    tx.append(&Fact::ApprovalAnswered(approval.clone())).await?;
                    show_on_task(tx, approval.process_id).await?;
                    Ok(Answered::Now(approval))
                })
            })
            .await
    }

    /// Ends the approvals of a process that nobody waits for any more.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn withdraw_approvals(
        &self,
        process: ProcessId,
        withdrawn: Vec<ApprovalId>,
    ) -> Result<(), StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    for id in withdrawn {
                        if let Some(approval) = find(tx.db(), id).await?
                            && approval.status == ApprovalStatus::Pending
                        {
                            end(tx, approval).await?;
                        }
                    }
                    show_on_task(tx, Some(process)).await
                })
            })
            .await
    }

    /// Ends the approvals that nobody answered in time, and gives them back.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn time_out_approvals(&self, now: Timestamp) -> Result<Vec<Approval>, StoreError> {
        let own = self.own_node();
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let rows: Vec<ApprovalRow> = on!(tx.db(), |db| sqlx::query_as(select_approvals!(
                        "WHERE status = 'pending' AND timeout_at <= $1
                           AND (process_id IS NULL OR process_id IN (
                                   SELECT p.id FROM process p WHERE p.node IS NULL OR p.node = $2))
                         ORDER BY timeout_at, id"
                    ))
                    .bind(now.as_millis())
                    .bind(own)
                    .fetch_all(db)
                    .await)
                    .map_err(StoreError::query("list approvals that wait too long"))?;
                    let mut ended = Vec::with_capacity(rows.len());
                    for row in rows {
                        ended.push(end(tx, row.try_into()?).await?);
                    }
                    let mut processes: Vec<_> = ended.iter().filter_map(|one| one.process_id).collect();
                    processes.dedup();
                    for process in processes {
                        show_on_task(tx, Some(process)).await?;
                    }
                    Ok(ended)
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

/// Nobody answered in time.
async fn end(tx: &mut WriteTx, approval: Approval) -> Result<Approval, StoreError> {
    let ended = Approval { status: ApprovalStatus::TimedOut, answered_at: Some(tx.now()), ..approval };
    update(tx, &ended).await?;
    tx.append(&Fact::ApprovalAnswered(ended.clone())).await?;
    Ok(ended)
}

/// While a process that runs waits for a person, its task is for a person to look at.
async fn show_on_task(tx: &mut WriteTx, process: Option<ProcessId>) -> Result<(), StoreError> {
    let Some(process) = process else { return Ok(()) };
    let process = process::get(tx.db(), process).await?;
    let attempt = attempt::get(tx.db(), process.attempt_id).await?;
    let before = task::card_of(tx.db(), attempt.task_id).await?;
    let Some(card) = before.as_ref().filter(|_| process.end().is_none()) else { return Ok(()) };
    let (waits,): (bool,) = on!(tx.db(), |db| sqlx::query_as(
        "SELECT EXISTS (SELECT 1 FROM approval WHERE process_id = $1 AND status = 'pending')"
    )
    .bind(process.id.as_uuid())
    .fetch_one(db)
    .await)
    .map_err(StoreError::query("look for approvals"))?;
    let status = match (waits, card.task.status) {
        (true, status) => TaskMove::End.apply(status, attempt::another_runs(tx, &attempt).await?),
        (false, status @ TaskStatus::InReview) => TaskMove::Begin.apply(status, false),
        (false, status) => Some(status),
    };
    let status = status.unwrap_or(card.task.status);
    if status != card.task.status {
        let now = tx.now();
        task::set_status(tx, card.task.id, status, now).await?;
        task::updated_since(tx, before.as_ref()).await?;
    }
    Ok(())
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
    find(db, id).await?.ok_or(StoreError::NotFound { what: "approval" })
}

async fn find(db: &mut Connection, id: ApprovalId) -> Result<Option<Approval>, StoreError> {
    let row: Option<ApprovalRow> = on!(db, |db| sqlx::query_as(select_approvals!("WHERE id = $1"))
        .bind(id.as_uuid())
        .fetch_optional(db)
        .await)
    .map_err(StoreError::query("get an approval"))?;
    row.map(Approval::try_from).transpose()
}

async fn insert(tx: &mut WriteTx, approval: &Approval) -> Result<(), StoreError> {
    let context = approval.context.as_ref().map(|context| json::write("context", context)).transpose()?;
    let choices = json::write("choices", &approval.choices)?;
    on!(tx.db(), |db| {
        sqlx::query(
        "INSERT INTO approval (id, process_id, message, context, choices, status, choice, comment, created_at,
                               timeout_at, answered_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(approval.id.as_uuid())
    .bind(approval.process_id.map(ProcessId::as_uuid))
    .bind(&approval.message)
    .bind(&context)
    .bind(&choices)
    .bind(approval.status.as_str())
    .bind(&approval.choice)
    .bind(&approval.comment)
    .bind(approval.created_at.as_millis())
    .bind(approval.timeout_at.map(Timestamp::as_millis))
    .bind(approval.answered_at.map(Timestamp::as_millis))
    .execute(db)
    .await
    .map(drop)
    })
    .map_err(StoreError::query("ask for an approval"))
    .map_err(|error| error.or_not_found("process").or_conflict("an approval with this id is there already"))
}

/// Changes what an answer changes.
async fn update(tx: &mut WriteTx, approval: &Approval) -> Result<(), StoreError> {
    on!(tx.db(), |db| sqlx::query(
        "UPDATE approval SET status = $2, choice = $3, comment = $4, answered_at = $5 WHERE id = $1"
    )
    .bind(approval.id.as_uuid())
    .bind(approval.status.as_str())
    .bind(&approval.choice)
    .bind(&approval.comment)
    .bind(approval.answered_at.map(Timestamp::as_millis))
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("answer an approval"))
}
