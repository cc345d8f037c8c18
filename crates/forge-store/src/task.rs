//! Tasks, and the cards that show them with what their attempts make of them.

use forge_model::{AttemptId, Fact, ProjectId, Task, TaskCard, TaskId, TaskStatus, Timestamp, UpdateTask};
use uuid::Uuid;

use crate::backend::{Connection, on};
use crate::write::WriteTx;
use crate::{Store, StoreError};

/// A card's columns, for every statement that reads one. The newest attempt says who worked and whether it
/// failed.
macro_rules! select_cards {
    ($rest:literal) => {
        concat!(
            "SELECT t.id, t.project_id, t.title, t.description, t.status, t.parent_task_attempt, t.created_at,
                    t.updated_at,
                    EXISTS (SELECT 1 FROM attempt a
                            WHERE a.task_id = t.id AND a.status = 'running') AS running,
                    (SELECT count(*) FROM attempt a WHERE a.task_id = t.id) AS attempts,
                    (SELECT a.status FROM attempt a WHERE a.task_id = t.id
                     ORDER BY a.created_at DESC, a.id DESC LIMIT 1) AS last_status,
                    (SELECT a.executor FROM attempt a WHERE a.task_id = t.id
                     ORDER BY a.created_at DESC, a.id DESC LIMIT 1) AS last_executor
             FROM task t ",
            $rest
        )
    };
}

#[derive(sqlx::FromRow)]
struct TaskRow {
    id: Uuid,
    project_id: Uuid,
    title: String,
    description: Option<String>,
    status: String,
    parent_task_attempt: Option<Uuid>,
    created_at: i64,
    updated_at: i64,
}

#[derive(sqlx::FromRow)]
struct CardRow {
    #[sqlx(flatten)]
    task: TaskRow,
    running: bool,
    attempts: i64,
    last_status: Option<String>,
    last_executor: Option<String>,
}

impl TryFrom<TaskRow> for Task {
    type Error = StoreError;

    fn try_from(row: TaskRow) -> Result<Self, Self::Error> {
        Ok(Self {
            id: TaskId::from_uuid(row.id),
            project_id: ProjectId::from_uuid(row.project_id),
            title: row.title,
            description: row.description,
            status: row.status.parse().map_err(StoreError::corrupt("task status"))?,
            parent_task_attempt: row.parent_task_attempt.map(AttemptId::from_uuid),
            created_at: Timestamp::from_millis(row.created_at),
            updated_at: Timestamp::from_millis(row.updated_at),
        })
    }
}

impl TryFrom<CardRow> for TaskCard {
    type Error = StoreError;

    fn try_from(row: CardRow) -> Result<Self, Self::Error> {
        Ok(Self {
            task: row.task.try_into()?,
            has_in_progress_attempt: row.running,
            last_attempt_failed: row.last_status.is_some_and(|status| status == "failed"),
            executor: row.last_executor.unwrap_or_default(),
            attempt_count: row.attempts,
        })
    }
}

impl Store {
    /// Adds a task.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such project or parent.
    pub async fn create_task(&self, task: &Task) -> Result<TaskCard, StoreError> {
        let task = task.clone();
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    insert(tx, &task).await?;
                    let card = TaskCard {
                        task,
                        has_in_progress_attempt: false,
                        last_attempt_failed: false,
                        executor: String::new(),
                        attempt_count: 0,
                    };
                    tx.append(&Fact::TaskCreated(card.clone())).await?;
                    Ok(card)
                })
            })
            .await
    }

    /// The task with this id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn get_task(&self, id: TaskId) -> Result<Task, StoreError> {
        let mut db = self.read().await?;
        let row: Option<TaskRow> = on!(&mut db, |db| {
            sqlx::query_as(
            "SELECT id, project_id, title, description, status, parent_task_attempt, created_at, updated_at
             FROM task WHERE id = $1",
        )
        .bind(id.as_uuid())
        .fetch_optional(db)
        .await
        })
        .map_err(StoreError::query("get a task"))?;
        row.ok_or(StoreError::NotFound { what: "task" })?.try_into()
    }

    /// The card of the task with this id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn get_card(&self, id: TaskId) -> Result<TaskCard, StoreError> {
        card(&mut self.read().await?, id).await
    }

    /// A project's board, newest first. Tasks that stand for a conversation with an agent are not on it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_cards(&self, project: ProjectId) -> Result<Vec<TaskCard>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<CardRow> = on!(&mut db, |db| sqlx::query_as(select_cards!(
            "WHERE t.project_id = $1 AND t.status <> 'agent' ORDER BY t.created_at DESC, t.id DESC"
        ))
        .bind(project.as_uuid())
        .fetch_all(db)
        .await)
        .map_err(StoreError::query("list tasks"))?;
        rows.into_iter().map(TaskCard::try_from).collect()
    }

    /// Changes a task as it stands when its turn comes, so that nothing that happened meanwhile is undone.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such task or parent.
    pub async fn update_task(
        &self,
        id: TaskId,
        change: UpdateTask,
        now: Timestamp,
    ) -> Result<TaskCard, StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let mut task = card(tx.db(), id).await?.task;
                    change.apply(&mut task, now);
                    update(tx, &task).await?;
                    updated(tx, id).await
                })
            })
            .await
    }
}

/// The task's card as it stands, in or out of a transaction.
pub(crate) async fn card(db: &mut Connection, id: TaskId) -> Result<TaskCard, StoreError> {
    let row: Option<CardRow> = on!(db, |db| sqlx::query_as(select_cards!("WHERE t.id = $1"))
        .bind(id.as_uuid())
        .fetch_optional(db)
        .await)
    .map_err(StoreError::query("get a task"))?;
    row.ok_or(StoreError::NotFound { what: "task" })?.try_into()
}

/// Tells that a task changed, with its card as it stands now.
pub(crate) async fn updated(tx: &mut WriteTx, id: TaskId) -> Result<TaskCard, StoreError> {
    let card = card(tx.db(), id).await?;
    tx.append(&Fact::TaskUpdated(card.clone())).await?;
    Ok(card)
}

/// Tells that the task changed, if its card is not what it was `before`.
pub(crate) async fn updated_since(tx: &mut WriteTx, before: &TaskCard) -> Result<TaskCard, StoreError> {
    let now = card(tx.db(), before.task.id).await?;
    if now != *before {
        tx.append(&Fact::TaskUpdated(now.clone())).await?;
    }
    Ok(now)
}

/// Adds the row alone.
pub(crate) async fn insert(tx: &mut WriteTx, task: &Task) -> Result<(), StoreError> {
    check_parent(tx, task).await?;
    on!(tx.db(), |db| sqlx::query(
        "INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at,
                           updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(task.id.as_uuid())
    .bind(task.project_id.as_uuid())
    .bind(&task.title)
    .bind(&task.description)
    .bind(task.status.as_str())
    .bind(task.parent_task_attempt.map(AttemptId::as_uuid))
    .bind(task.created_at.as_millis())
    .bind(task.updated_at.as_millis())
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("add a task"))
    .map_err(|error| error.or_not_found("project").or_conflict("a task with this id is there already"))
}

async fn update(tx: &mut WriteTx, task: &Task) -> Result<(), StoreError> {
    check_parent(tx, task).await?;
    let changed = on!(tx.db(), |db| {
        sqlx::query(
        "UPDATE task SET title = $2, description = $3, status = $4, parent_task_attempt = $5, updated_at = $6
         WHERE id = $1",
    )
    .bind(task.id.as_uuid())
    .bind(&task.title)
    .bind(&task.description)
    .bind(task.status.as_str())
    .bind(task.parent_task_attempt.map(AttemptId::as_uuid))
    .bind(task.updated_at.as_millis())
    .execute(db)
    .await
    .map(|done| done.rows_affected())
    })
    .map_err(StoreError::query("change a task"))?;
    StoreError::unless_found(changed, "task")
}

/// Changes the row's status alone.
pub(crate) async fn set_status(
    tx: &mut WriteTx,
    id: TaskId,
    status: TaskStatus,
    at: Timestamp,
) -> Result<(), StoreError> {
    let changed =
        on!(tx.db(), |db| sqlx::query("UPDATE task SET status = $2, updated_at = $3 WHERE id = $1")
            .bind(id.as_uuid())
            .bind(status.as_str())
            .bind(at.as_millis())
            .execute(db)
            .await
            .map(|done| done.rows_affected()))
        .map_err(StoreError::query("change a task's status"))?;
    StoreError::unless_found(changed, "task")
}

/// A reference to nothing does not say which one it was, so the rarer of the two is looked up beforehand.
async fn check_parent(tx: &mut WriteTx, task: &Task) -> Result<(), StoreError> {
    match task.parent_task_attempt {
        Some(parent) => crate::attempt::get(tx.db(), parent).await.map(drop),
        None => Ok(()),
    }
}
