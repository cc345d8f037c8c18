//! Tasks, and the cards that show them with what their attempts make of them.

use forge_model::{
    AttemptId, Fact, ImageId, ProjectId, Seq, Task, TaskCard, TaskId, TaskStatus, Timestamp, UpdateTask,
};
use uuid::Uuid;

use crate::backend::{Connection, on};
use crate::image::{self, Missing};
use crate::write::WriteTx;
use crate::{Store, StoreError};

/// A card's columns, for every statement that reads one, in the order of [`CardRow`].
macro_rules! select_cards {
    ($rest:literal) => {
        concat!(
            "SELECT id, project_id, title, description, status, parent_task_attempt, created_at, updated_at,
                    attempt_running, attempt_failed, executor, attempt_count
             FROM task ",
            $rest
        )
    };
}

/// Read by place and not by name, which costs a third of a board of ten thousand.
type CardRow = (Uuid, Uuid, String, Option<String>, String, Option<Uuid>, i64, i64, bool, bool, String, i64);

fn read(row: CardRow) -> Result<TaskCard, StoreError> {
    let (id, project, title, description, status, parent, created_at, updated_at, ..) = row;
    let (.., running, failed, executor, attempt_count) = row;
    let task = Task {
        id: TaskId::from_uuid(id),
        project_id: ProjectId::from_uuid(project),
        title,
        description,
        status: status.parse().map_err(StoreError::corrupt("task status"))?,
        parent_task_attempt: parent.map(AttemptId::from_uuid),
        created_at: Timestamp::from_millis(created_at),
        updated_at: Timestamp::from_millis(updated_at),
    };
    Ok(TaskCard {
        task,
        has_in_progress_attempt: running,
        last_attempt_failed: failed,
        executor,
        attempt_count,
    })
}

impl Store {
    /// Adds a task.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such project or parent.
    pub async fn create_task(&self, task: &Task) -> Result<TaskCard, StoreError> {
        self.create_task_with(task, Vec::new()).await
    }

    /// Adds a task that has these images.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such project, parent or image.
    pub async fn create_task_with(&self, task: &Task, images: Vec<ImageId>) -> Result<TaskCard, StoreError> {
        let task = task.clone();
        self.queue.write(move |tx| Box::pin(async move { create(tx, task, &images).await })).await
    }

    /// The task with this id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn get_task(&self, id: TaskId) -> Result<Task, StoreError> {
        Ok(self.get_card(id).await?.task)
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
        board(&mut self.read().await?, project).await
    }

    /// The tasks that came out of an attempt, newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_children(&self, parent: AttemptId) -> Result<Vec<TaskCard>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<CardRow> = on!(&mut db, |db| sqlx::query_as(select_cards!(
            "WHERE parent_task_attempt = $1 ORDER BY created_at DESC, id DESC"
        ))
        .bind(parent.as_uuid())
        .fetch_all(db)
        .await)
        .map_err(StoreError::query("list the tasks of an attempt"))?;
        rows.into_iter().map(read).collect()
    }

    /// The same as [`Store::list_cards`], and the position of the newest event that it shows.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn board(&self, project: ProjectId) -> Result<(Seq, Vec<TaskCard>), StoreError> {
        let mut moment = self.moment().await?;
        let cards = board(moment.db()?, project).await?;
        Ok((moment.end().await?, cards))
    }

    /// Changes a task as it stands when its turn comes, so that nothing that happened meanwhile is undone.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such task, parent or image.
    pub async fn update_task(
        &self,
        id: TaskId,
        mut change: UpdateTask,
        now: Timestamp,
    ) -> Result<TaskCard, StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let mut task = card(tx.db(), id).await?.task;
                    let (before, images) = (task.status, change.image_ids.take());
                    change.apply(&mut task, now);
                    update(tx, &task).await?;
                    if let Some(images) = images {
                        image::replace(tx, id, &images).await?;
                    }
                    let now = card(tx.db(), id).await?;
                    changed(tx, before, &now).await?;
                    Ok(now)
                })
            })
            .await
    }

    /// Opens a task that is closed, so that a turn can begin in it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such task.
    pub async fn reopen_task(&self, id: TaskId, now: Timestamp) -> Result<(), StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let before = card(tx.db(), id).await?;
                    let open = before.task.status.reopened();
                    if open != before.task.status {
                        set_status(tx, id, open, now).await?;
                        updated_since(tx, Some(&before)).await?;
                    }
                    Ok(())
                })
            })
            .await
    }
}

async fn board(db: &mut Connection, project: ProjectId) -> Result<Vec<TaskCard>, StoreError> {
    let rows: Vec<CardRow> = on!(db, |db| sqlx::query_as(select_cards!(
        "WHERE project_id = $1 AND status <> 'agent' ORDER BY created_at DESC, id DESC"
    ))
    .bind(project.as_uuid())
    .fetch_all(db)
    .await)
    .map_err(StoreError::query("list tasks"))?;
    rows.into_iter().map(read).collect()
}

/// Adds a task with its images, and tells so.
pub(crate) async fn create(tx: &mut WriteTx, task: Task, images: &[ImageId]) -> Result<TaskCard, StoreError> {
    insert(tx, &task).await?;
    let card = TaskCard {
        task,
        has_in_progress_attempt: false,
        last_attempt_failed: false,
        executor: String::new(),
        attempt_count: 0,
    };
    tx.append(&Fact::TaskCreated(card.clone())).await?;
    image::link(tx, card.task.id, images, Missing::Refuse).await?;
    Ok(card)
}

/// The task's card as it stands, in or out of a transaction.
pub(crate) async fn card(db: &mut Connection, id: TaskId) -> Result<TaskCard, StoreError> {
    let row: Option<CardRow> = on!(db, |db| sqlx::query_as(select_cards!("WHERE id = $1"))
        .bind(id.as_uuid())
        .fetch_optional(db)
        .await)
    .map_err(StoreError::query("get a task"))?;
    read(row.ok_or(StoreError::NotFound { what: "task" })?)
}

/// Tells that a task changed, with its card as it stands now.
pub(crate) async fn updated(tx: &mut WriteTx, id: TaskId) -> Result<TaskCard, StoreError> {
    let card = card(tx.db(), id).await?;
    tx.append(&Fact::TaskUpdated(card.clone())).await?;
    Ok(card)
}

/// The card of an attempt's task; a run has none.
pub(crate) async fn card_of(db: &mut Connection, id: Option<TaskId>) -> Result<Option<TaskCard>, StoreError> {
    match id {
        Some(id) => card(db, id).await.map(Some),
        None => Ok(None),
    }
}

/// Tells that the task changed, if its card is not what it was `before`.
pub(crate) async fn updated_since(
    tx: &mut WriteTx,
    before: Option<&TaskCard>,
) -> Result<Option<TaskCard>, StoreError> {
    let Some(before) = before else { return Ok(None) };
    let now = card(tx.db(), before.task.id).await?;
    if now != *before {
        changed(tx, before.task.status, &now).await?;
    }
    Ok(Some(now))
}

/// Tells that a task whose status was `before` changed. Who follows a board sees by the kind of event alone whether
/// the task came to it, stays on it or left it.
pub(crate) async fn changed(tx: &mut WriteTx, before: TaskStatus, now: &TaskCard) -> Result<(), StoreError> {
    let on_board = |status| status != TaskStatus::Agent;
    match (on_board(before), on_board(now.task.status)) {
        (true, true) | (false, false) => tx.append(&Fact::TaskUpdated(now.clone())).await,
        (false, true) => tx.append(&Fact::TaskCreated(now.clone())).await,
        (true, false) => {
            let Task { id, project_id, .. } = now.task;
            tx.append(&Fact::TaskDeleted { id, project_id, on_board: true }).await?;
            tx.append(&Fact::TaskCreated(now.clone())).await
        }
    }
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

/// Writes on the task's row what its attempts make of it: to be done after every change to one of them. The newest
/// attempt says who worked and whether it failed. Runs have no task to tell of them.
pub(crate) async fn tally(tx: &mut WriteTx, id: Option<TaskId>) -> Result<(), StoreError> {
    let Some(id) = id else { return Ok(()) };
    on!(tx.db(), |db| sqlx::query(
        "UPDATE task SET
             attempt_running = EXISTS (SELECT 1 FROM attempt a WHERE a.task_id = $1 AND a.status = 'running'),
             attempt_failed = coalesce((SELECT a.status = 'failed' FROM attempt a WHERE a.task_id = $1
                                        ORDER BY a.created_at DESC, a.id DESC LIMIT 1), FALSE),
             executor = coalesce((SELECT a.executor FROM attempt a WHERE a.task_id = $1
                                  ORDER BY a.created_at DESC, a.id DESC LIMIT 1), ''),
             attempt_count = (SELECT count(*) FROM attempt a WHERE a.task_id = $1)
         WHERE id = $1",
    )
    .bind(id.as_uuid())
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("count a task's attempts"))
}

/// A reference to nothing does not say which one it was, so the rarer of the two is looked up beforehand.
async fn check_parent(tx: &mut WriteTx, task: &Task) -> Result<(), StoreError> {
    match task.parent_task_attempt {
        Some(parent) => crate::attempt::get(tx.db(), parent).await.map(drop),
        None => Ok(()),
    }
}
