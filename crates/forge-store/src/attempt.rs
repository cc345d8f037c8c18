//! Attempts.

use forge_model::{Attempt, AttemptId, Fact, Home, NodeId, Profile, ProjectId, TaskId, Timestamp};
use uuid::Uuid;

use crate::backend::{Connection, on};
use crate::row::row;
use crate::usage::UsageRow;
use crate::write::WriteTx;
use crate::{Store, StoreError, json, ports, process, task};

macro_rules! select_attempts {
    ($rest:literal) => {
        concat!(
            "SELECT id, task_id, project_id, prompt, executor, variant, branch, target_branch, worktree,
                    worktree_deleted, first_port, conversation, set_up, state, created_at, updated_at,
                    input_tokens, cached_tokens, output_tokens, cost_micros, node,
                    (SELECT n.name FROM node n WHERE n.id = attempt.node) AS node_name
             FROM attempt ",
            $rest
        )
    };
}

row! {
    struct AttemptRow {
        id: Uuid,
        task_id: Option<Uuid>,
        project_id: Uuid,
        prompt: Option<String>,
        executor: String,
        variant: Option<String>,
        branch: String,
        target_branch: String,
        worktree: String,
        worktree_deleted: bool,
        first_port: Option<i32>,
        conversation: Option<String>,
        set_up: bool,
        state: String,
        created_at: i64,
        updated_at: i64,
        node: Option<Uuid>,
        node_name: Option<String>,
    }
    + usage: UsageRow
}

impl TryFrom<AttemptRow> for Attempt {
    type Error = StoreError;

    /// Whether the attempt is elsewhere, the store decides that reads it.
    fn try_from(row: AttemptRow) -> Result<Self, Self::Error> {
        let node = row.node.map(|id| Home {
            id: NodeId::from_uuid(id),
            name: row.node_name.unwrap_or_default(),
            is_elsewhere: false,
        });
        let port = row.first_port.map(u16::try_from).transpose();
        Ok(Self {
            id: AttemptId::from_uuid(row.id),
            task_id: row.task_id.map(TaskId::from_uuid),
            project_id: ProjectId::from_uuid(row.project_id),
            prompt: row.prompt,
            profile: Profile { executor: row.executor, variant: row.variant },
            branch: row.branch,
            target_branch: row.target_branch,
            worktree: row.worktree,
            worktree_deleted: row.worktree_deleted,
            first_port: port.map_err(StoreError::corrupt("port"))?,
            conversation: row.conversation,
            set_up: row.set_up,
            state: json::read("attempt state", &row.state)?,
            node,
            created_at: Timestamp::from_millis(row.created_at),
            updated_at: Timestamp::from_millis(row.updated_at),
            usage: row.usage.into(),
        })
    }
}

impl Store {
    /// The attempt with this id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn get_attempt(&self, id: AttemptId) -> Result<Attempt, StoreError> {
        self.placed(get(&mut self.read().await?, id).await?)
    }

    /// The attempts of a task, or of all of them, newest first. Runs are no task's.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_attempts(&self, task: Option<TaskId>) -> Result<Vec<Attempt>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<AttemptRow> = match task {
            Some(task) => on!(&mut db, |db| sqlx::query_as(select_attempts!(
                "WHERE task_id = $1 ORDER BY created_at DESC, id DESC"
            ))
            .bind(task.as_uuid())
            .fetch_all(db)
            .await),
            None => on!(&mut db, |db| sqlx::query_as(select_attempts!(
                "WHERE task_id IS NOT NULL ORDER BY created_at DESC, id DESC"
            ))
            .fetch_all(db)
            .await),
        }
        .map_err(StoreError::query("list attempts"))?;
        self.placed_all(rows)
    }

    /// The runs of a project, or all of them, newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_runs(&self, project: Option<ProjectId>) -> Result<Vec<Attempt>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<AttemptRow> = match project {
            Some(project) => on!(&mut db, |db| sqlx::query_as(select_attempts!(
                "WHERE task_id IS NULL AND project_id = $1 ORDER BY created_at DESC, id DESC"
            ))
            .bind(project.as_uuid())
            .fetch_all(db)
            .await),
            None => on!(&mut db, |db| sqlx::query_as(select_attempts!(
                "WHERE task_id IS NULL ORDER BY created_at DESC, id DESC"
            ))
            .fetch_all(db)
            .await),
        }
        .map_err(StoreError::query("list runs"))?;
        self.placed_all(rows)
    }

    /// The attempts of a project, or all of them, newest first, runs among them: whatever has a worktree.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_attempts_and_runs(
        &self,
        project: Option<ProjectId>,
    ) -> Result<Vec<Attempt>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<AttemptRow> = match project {
            Some(project) => on!(&mut db, |db| sqlx::query_as(select_attempts!(
                "WHERE project_id = $1 ORDER BY created_at DESC, id DESC"
            ))
            .bind(project.as_uuid())
            .fetch_all(db)
            .await),
            None => on!(&mut db, |db| sqlx::query_as(select_attempts!("ORDER BY created_at DESC, id DESC"))
                .fetch_all(db)
                .await),
        }
        .map_err(StoreError::query("list attempts"))?;
        self.placed_all(rows)
    }

    /// The attempt whose worktree is at this path, or around it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn find_attempt_at(&self, path: &str) -> Result<Attempt, StoreError> {
        let mut db = self.read().await?;
        let row: Option<AttemptRow> = on!(&mut db, |db| sqlx::query_as(select_attempts!(
            "WHERE worktree = $1 OR substr($1, 1, length(worktree) + 1) = worktree || '/'
             ORDER BY length(worktree) DESC, created_at DESC LIMIT 1"
        ))
        .bind(path)
        .fetch_optional(db)
        .await)
        .map_err(StoreError::query("find an attempt"))?;
        self.placed(row.ok_or(StoreError::NotFound { what: "attempt" })?.try_into()?)
    }

    /// Some attempts of a task, or of all of them, newest first: at most `limit` that come after the one that was made
    /// `before` and has this id, be it there or not.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn page_of_attempts(
        &self,
        task: Option<TaskId>,
        before: Option<(Timestamp, AttemptId)>,
        limit: usize,
    ) -> Result<Vec<Attempt>, StoreError> {
        let mut db = self.read().await?;
        let (at, id) = before.map_or((i64::MAX, Uuid::max()), |(at, id)| (at.as_millis(), id.as_uuid()));
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows: Vec<AttemptRow> = match task {
            Some(task) => on!(&mut db, |db| sqlx::query_as(select_attempts!(
                "WHERE (created_at, id) < ($1, $2) AND task_id = $4 ORDER BY created_at DESC, id DESC LIMIT $3"
            ))
            .bind(at)
            .bind(id)
            .bind(limit)
            .bind(task.as_uuid())
            .fetch_all(db)
            .await),
            None => on!(&mut db, |db| sqlx::query_as(select_attempts!(
                "WHERE (created_at, id) < ($1, $2) AND task_id IS NOT NULL
                 ORDER BY created_at DESC, id DESC LIMIT $3"
            ))
            .bind(at)
            .bind(id)
            .bind(limit)
            .fetch_all(db)
            .await),
        }
        .map_err(StoreError::query("list attempts"))?;
        self.placed_all(rows)
    }

    /// The attempts of this node that are at work, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_unfinished_attempts(&self) -> Result<Vec<Attempt>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<AttemptRow> = on!(&mut db, |db| sqlx::query_as(select_attempts!(
            "WHERE status = 'running' AND (node IS NULL OR node = $1) ORDER BY created_at, id"
        ))
        .bind(self.own_node())
        .fetch_all(db)
        .await)
        .map_err(StoreError::query("list attempts"))?;
        self.placed_all(rows)
    }

    /// The attempts of this node that wait for others to end, in no order.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_queued_attempts(&self) -> Result<Vec<Attempt>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<AttemptRow> = on!(&mut db, |db| sqlx::query_as(select_attempts!(
            "WHERE status = 'pending' AND (node IS NULL OR node = $1)"
        ))
        .bind(self.own_node())
        .fetch_all(db)
        .await)
        .map_err(StoreError::query("list attempts"))?;
        self.placed_all(rows)
    }

    fn placed(&self, mut attempt: Attempt) -> Result<Attempt, StoreError> {
        self.place(&mut attempt);
        Ok(attempt)
    }

    fn placed_all(&self, rows: Vec<AttemptRow>) -> Result<Vec<Attempt>, StoreError> {
        rows.into_iter().map(|row| self.placed(row.try_into()?)).collect()
    }

    /// Changes an attempt to what is given, but for its state, which only [`Store::advance`] moves. Answers
    /// with it as it stands then.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn update_attempt(&self, attempt: &Attempt) -> Result<Attempt, StoreError> {
        let mut attempt = attempt.clone();
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let stored = get(tx.db(), attempt.id).await?;
                    let before = task::card_of(tx.db(), attempt.task_id).await?;
                    attempt.state = stored.state.clone();
                    update(tx, &attempt).await?;
                    changed(tx, &stored, &attempt).await?;
                    task::updated_since(tx, before.as_ref()).await?;
                    Ok(attempt)
                })
            })
            .await
    }
}

/// The attempt as it stands, in or out of a transaction. Whether it is elsewhere is not told.
pub(crate) async fn get(db: &mut Connection, id: AttemptId) -> Result<Attempt, StoreError> {
    let row: Option<AttemptRow> = on!(db, |db| sqlx::query_as(select_attempts!("WHERE id = $1"))
        .bind(id.as_uuid())
        .fetch_optional(db)
        .await)
    .map_err(StoreError::query("get an attempt"))?;
    row.ok_or(StoreError::NotFound { what: "attempt" })?.try_into()
}

/// That no attempt has this path. Who lost its worktree there gets it back there, so the path stays its own.
pub(crate) async fn check_worktree(tx: &mut WriteTx, path: &str) -> Result<(), StoreError> {
    let taken = on!(tx.db(), |db| sqlx::query("SELECT 1 FROM attempt WHERE worktree = $1 LIMIT 1")
        .bind(path)
        .fetch_optional(db)
        .await
        .map(|row| row.is_some()))
    .map_err(StoreError::query("look for a worktree"))?;
    if taken { Err(StoreError::WorktreeTaken { path: path.to_owned() }) } else { Ok(()) }
}

/// Adds the row, and to what its task's row tells of it, if it has one.
pub(crate) async fn insert(tx: &mut WriteTx, attempt: &Attempt) -> Result<(), StoreError> {
    let state = json::write("attempt state", &attempt.state)?;
    on!(tx.db(), |db| sqlx::query(
        "INSERT INTO attempt (id, task_id, project_id, prompt, executor, variant, branch, target_branch,
                              worktree, worktree_deleted, first_port, conversation, set_up, status, state,
                              created_at, updated_at, node)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
    )
    .bind(attempt.id.as_uuid())
    .bind(attempt.task_id.map(TaskId::as_uuid))
    .bind(attempt.project_id.as_uuid())
    .bind(&attempt.prompt)
    .bind(&attempt.profile.executor)
    .bind(&attempt.profile.variant)
    .bind(&attempt.branch)
    .bind(&attempt.target_branch)
    .bind(&attempt.worktree)
    .bind(attempt.worktree_deleted)
    .bind(attempt.first_port.map(i32::from))
    .bind(&attempt.conversation)
    .bind(attempt.set_up)
    .bind(attempt.status())
    .bind(&state)
    .bind(attempt.created_at.as_millis())
    .bind(attempt.updated_at.as_millis())
    .bind(attempt.node.as_ref().map(|node| node.id.as_uuid()))
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("add an attempt"))
    .map_err(|error| error.or_not_found("project").or_conflict("an attempt with this id is there already"))?;
    task::tally(tx, attempt.task_id).await
}

/// Changes the row, and what its task's row tells of it; whose it is and when it was made stay. One that has no ports any more gives back
/// those it had.
pub(crate) async fn update(tx: &mut WriteTx, attempt: &Attempt) -> Result<(), StoreError> {
    if attempt.first_port.is_none() {
        ports::release(tx, attempt.id).await?;
    }
    let state = json::write("attempt state", &attempt.state)?;
    let changed = on!(tx.db(), |db| sqlx::query(
        "UPDATE attempt SET executor = $2, variant = $3, branch = $4, target_branch = $5, worktree = $6,
                            worktree_deleted = $7, first_port = $8, conversation = $9, set_up = $10,
                            status = $11, state = $12, updated_at = $13
         WHERE id = $1",
    )
    .bind(attempt.id.as_uuid())
    .bind(&attempt.profile.executor)
    .bind(&attempt.profile.variant)
    .bind(&attempt.branch)
    .bind(&attempt.target_branch)
    .bind(&attempt.worktree)
    .bind(attempt.worktree_deleted)
    .bind(attempt.first_port.map(i32::from))
    .bind(&attempt.conversation)
    .bind(attempt.set_up)
    .bind(attempt.status())
    .bind(&state)
    .bind(attempt.updated_at.as_millis())
    .execute(db)
    .await
    .map(|done| done.rows_affected()))
    .map_err(StoreError::query("change an attempt"))?;
    StoreError::unless_found(changed, "attempt")?;
    task::tally(tx, attempt.task_id).await
}

/// Tells that an attempt changed. Its processes are shown with its profile, so a new one changes them too.
pub(crate) async fn changed(tx: &mut WriteTx, before: &Attempt, now: &Attempt) -> Result<(), StoreError> {
    tx.append(&Fact::AttemptUpdated(now.clone())).await?;
    if now.profile != before.profile {
        for process in process::list(tx.db(), now.id).await? {
            tx.append(&Fact::ProcessUpdated(process)).await?;
        }
    }
    Ok(())
}

/// Whether an attempt of the same task is at work beside this one.
pub(crate) async fn another_runs(tx: &mut WriteTx, attempt: &Attempt) -> Result<bool, StoreError> {
    let (others,): (i64,) = on!(tx.db(), |db| sqlx::query_as(
        "SELECT COUNT(*) FROM attempt WHERE task_id = $1 AND id <> $2 AND status = 'running'"
    )
    .bind(attempt.task_id.map(TaskId::as_uuid))
    .bind(attempt.id.as_uuid())
    .fetch_one(db)
    .await)
    .map_err(StoreError::query("count attempts"))?;
    Ok(others > 0)
}

/// Refuses while an attempt that is or belongs to `id` is at work, or waits to be: its rows must not go before it.
pub(crate) async fn none_runs(tx: &mut WriteTx, id: Uuid) -> Result<(), StoreError> {
    let (running,): (i64,) = on!(tx.db(), |db| sqlx::query_as(
        "SELECT COUNT(*) FROM attempt
         WHERE (project_id = $1 OR task_id = $1 OR id = $1) AND status IN ('running', 'pending')"
    )
    .bind(id)
    .fetch_one(db)
    .await)
    .map_err(StoreError::query("count attempts"))?;
    if running > 0 {
        return Err(StoreError::Conflict { what: "an attempt of it runs" });
    }
    Ok(())
}
