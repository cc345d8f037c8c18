//! Deleting a project, a task or an attempt, with all that goes with it and an event for each.
//!
//! Ids are random, so an id names one thing only: whichever of the three it is, the same statements find what
//! goes.

use forge_model::{AttemptId, Fact, FollowUp, ProcessId, ProjectId, QueueExit, RemovedFollowUp, TaskId};
use uuid::Uuid;

use crate::backend::on;
use crate::follow_up::FollowUpRow;
use crate::write::WriteTx;
use crate::{Store, StoreError, approval, attempt, ports, standing, start, task};

impl Store {
    /// Deletes a project with its tasks, their attempts and processes.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none, [`StoreError::Conflict`] while an attempt in it runs or is being
    /// started.
    pub async fn delete_project(&self, id: ProjectId) -> Result<(), StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    attempt::none_runs(tx, id.as_uuid()).await?;
                    start::check_idle(tx, id.as_uuid()).await?;
                    clear(tx, id.as_uuid()).await?;
                    let gone = on!(tx.db(), |db| sqlx::query("DELETE FROM project WHERE id = $1")
                        .bind(id.as_uuid())
                        .execute(db)
                        .await
                        .map(|done| done.rows_affected()))
                    .map_err(StoreError::query("delete a project"))?;
                    StoreError::unless_found(gone, "project")?;
                    tx.append(&Fact::ProjectDeleted { id }).await
                })
            })
            .await
    }

    /// Deletes a task with its attempts and processes. Tasks that were made out of its attempts stay and lose
    /// their parent.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none, [`StoreError::Conflict`] while an attempt of it runs or is being
    /// started.
    pub async fn delete_task(&self, id: TaskId) -> Result<(), StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    task::card(tx.db(), id).await?;
                    attempt::none_runs(tx, id.as_uuid()).await?;
                    start::check_idle(tx, id.as_uuid()).await?;
                    clear(tx, id.as_uuid()).await
                })
            })
            .await
    }

    /// Deletes an attempt with its processes. Tasks that were made out of it stay and lose their parent.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn delete_attempt(&self, id: AttemptId) -> Result<(), StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let task = attempt::get(tx.db(), id).await?.task_id;
                    clear(tx, id.as_uuid()).await?;
                    task::tally(tx, task).await?;
                    match task {
                        Some(task) => task::updated(tx, task).await.map(drop),
                        None => Ok(()),
                    }
                })
            })
            .await
    }
}

/// Deletes the approvals, processes, follow-ups, attempts, standing agents and tasks that are or belong to `id`,
/// children first.
async fn clear(tx: &mut WriteTx, id: Uuid) -> Result<(), StoreError> {
    approval::delete_of(tx, id).await?;
    let processes: Vec<(Uuid, Uuid, Uuid, bool)> = on!(tx.db(), |db| sqlx::query_as(
        "SELECT p.id, p.attempt_id, a.project_id, a.task_id IS NULL
         FROM process p JOIN attempt a ON a.id = p.attempt_id
         WHERE a.project_id = $1 OR a.task_id = $1 OR a.id = $1 ORDER BY p.attempt_id, p.ordinal",
    )
    .bind(id)
    .fetch_all(db)
    .await)
    .map_err(StoreError::query("list processes"))?;
    let follow_ups: Vec<FollowUpRow> = on!(tx.db(), |db| sqlx::query_as(
        "SELECT f.id, f.attempt_id, f.prompt, f.variant, f.how, f.retry, f.interrupt, f.not_before,
                f.created_at
         FROM follow_up f JOIN attempt a ON a.id = f.attempt_id
         WHERE a.project_id = $1 OR a.task_id = $1 OR a.id = $1 ORDER BY f.attempt_id, f.ordinal",
    )
    .bind(id)
    .fetch_all(db)
    .await)
    .map_err(StoreError::query("list follow-ups"))?;
    for (process, attempt, project, in_run) in processes {
        tx.append(&Fact::ProcessDeleted {
            id: ProcessId::from_uuid(process),
            attempt_id: AttemptId::from_uuid(attempt),
            project_id: Some(ProjectId::from_uuid(project)),
            in_run,
        })
        .await?;
    }
    for follow_up in follow_ups {
        let follow_up = FollowUp::try_from(follow_up)?;
        let removed = RemovedFollowUp { follow_up, why: Some(QueueExit::Deleted), returned_to_draft: None };
        tx.append(&Fact::FollowUpRemoved(removed)).await?;
    }
    clear_attempts(tx, id).await?;
    standing::clear(tx, id).await?;
    clear_tasks(tx, id).await
}

/// Deletes attempts; their processes, follow-ups and drafts go with them.
async fn clear_attempts(tx: &mut WriteTx, id: Uuid) -> Result<(), StoreError> {
    let orphans = orphan(tx, id).await?;
    let attempts: Vec<(Uuid, Option<Uuid>, Uuid)> = on!(tx.db(), |db| sqlx::query_as(
        "DELETE FROM attempt WHERE project_id = $1 OR task_id = $1 OR id = $1
         RETURNING id, task_id, project_id",
    )
    .bind(id)
    .fetch_all(db)
    .await)
    .map_err(StoreError::query("delete attempts"))?;
    for (attempt, task, project) in attempts {
        let attempt = AttemptId::from_uuid(attempt);
        ports::release(tx, attempt).await?;
        tx.append(&Fact::AttemptDeleted {
            id: attempt,
            task_id: task.map(TaskId::from_uuid),
            project_id: Some(ProjectId::from_uuid(project)),
        })
        .await?;
    }
    for orphan in orphans {
        task::updated(tx, orphan).await?;
    }
    Ok(())
}

/// Takes their parent from the tasks that outlive it, and tells which these are.
async fn orphan(tx: &mut WriteTx, id: Uuid) -> Result<Vec<TaskId>, StoreError> {
    let now = tx.now().as_millis();
    let orphans: Vec<(Uuid,)> = on!(tx.db(), |db| sqlx::query_as(
        "UPDATE task SET parent_task_attempt = NULL, updated_at = $2
         WHERE parent_task_attempt IN (
             SELECT id FROM attempt WHERE project_id = $1 OR task_id = $1 OR id = $1
         )
           AND id <> $1 AND project_id <> $1
         RETURNING id",
    )
    .bind(id)
    .bind(now)
    .fetch_all(db)
    .await)
    .map_err(StoreError::query("part tasks from their parent"))?;
    Ok(orphans.into_iter().map(|(id,)| TaskId::from_uuid(id)).collect())
}

async fn clear_tasks(tx: &mut WriteTx, id: Uuid) -> Result<(), StoreError> {
    let tasks: Vec<(Uuid, Uuid, bool)> = on!(tx.db(), |db| sqlx::query_as(
        "DELETE FROM task WHERE project_id = $1 OR id = $1 RETURNING id, project_id, status <> 'agent'",
    )
    .bind(id)
    .fetch_all(db)
    .await)
    .map_err(StoreError::query("delete tasks"))?;
    for (task, project, on_board) in tasks {
        tx.append(&Fact::TaskDeleted {
            id: TaskId::from_uuid(task),
            project_id: ProjectId::from_uuid(project),
            on_board,
        })
        .await?;
    }
    Ok(())
}
