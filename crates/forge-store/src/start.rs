//! Starts: the intent is written, then acted on, then recorded. A crash leaves an intent for recovery to
//! find, and nothing that a client could see.

use std::ops::RangeInclusive;

use forge_model::{Attempt, AttemptId, Begun, Fact, ImageId, Process, ProjectId, Task, TaskMove, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::backend::{Connection, on};
use crate::image::{self, Missing};
use crate::write::WriteTx;
use crate::{Store, StoreError, attempt, json, ports, process, task};

/// A start that was decided and is not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// The attempt to be.
    pub attempt: Attempt,
    /// The task it is for; a run has none.
    pub task: Option<IntentTask>,
    /// The first process; none for an attempt that stands in the queue.
    pub process: Option<Process>,
    /// The key that a client may ask again with.
    pub idempotency_key: Option<String>,
    /// Tells whether a second request with the same key asks for the same thing.
    pub fingerprint: String,
    /// When it was decided.
    pub created_at: Timestamp,
    /// The images that a new task gets.
    #[serde(default)]
    pub images: Vec<ImageId>,
}

/// What a start does to its task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentTask {
    /// It is made with the start.
    New(Task),
    /// It exists, with the status that it had when the start began. When the start is done, its status moves on from what
    /// it is then; the rest stays.
    Existing(Task),
}

/// What a start with a key was answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What was asked; see [`Intent::fingerprint`].
    pub fingerprint: String,
    /// What was answered.
    pub started: Begun,
}

const UNDER_WAY: &str = "a start with this idempotency key is under way";
const ANSWERED: &str = "a start with this idempotency key is done already";

impl Store {
    /// Writes down what is about to be done, and gives the attempt a block of ports in `range` that no other
    /// attempt has and whose every port `is_free`. Answers with the intent, which then has the block's first
    /// port; it has none when no block is left.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when a start with the same key is under way or done, [`StoreError::NotFound`] when
    /// the project is gone, or the task or an image that should be there, [`StoreError::WorktreeTaken`] when an attempt
    /// has the worktree's path, also one whose worktree was taken away. Project and task cannot be deleted until the
    /// start is done or abandoned.
    pub async fn begin_start(
        &self,
        intent: &Intent,
        range: RangeInclusive<u16>,
        is_free: impl Fn(u16) -> bool + Send + 'static,
    ) -> Result<Intent, StoreError> {
        let mut intent = intent.clone();
        self.queue
            .write_patiently(move |tx| {
                Box::pin(async move {
                    if let Some(key) = &intent.idempotency_key
                        && answer(tx.db(), key).await?.is_some()
                    {
                        return Err(StoreError::Conflict { what: ANSWERED });
                    }
                    check_subject(tx, intent.attempt.project_id, intent.task.as_ref()).await?;
                    attempt::check_worktree(tx, &intent.attempt.worktree).await?;
                    for image in &intent.images {
                        image::check(tx, *image).await?;
                    }
                    intent.attempt.first_port = ports::claim(tx, intent.attempt.id, range, is_free).await?;
                    insert(tx, &intent).await?;
                    Ok(intent)
                })
            })
            .await
    }

    /// Every start of this node that was begun and is neither done nor abandoned, oldest first.
    ///
    /// # Errors
    /// When the database fails, or an intent cannot be read.
    pub async fn list_intents(&self) -> Result<Vec<Intent>, StoreError> {
        let rows: Vec<(String,)> = on!(&mut self.read().await?, |db| sqlx::query_as(
            "SELECT intent FROM start_intent
             WHERE node IS NULL OR node = $1
             ORDER BY created_at, attempt_id"
        )
        .bind(self.own_node())
        .fetch_all(db)
        .await)
        .map_err(StoreError::query("list starts"))?;
        rows.into_iter().map(|(text,)| json::read("start", &text)).collect()
    }

    /// Forgets a start, and gives its ports back. One that is not there is forgotten already.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn abandon_start(&self, attempt: AttemptId) -> Result<(), StoreError> {
        self.queue
            .write_patiently(move |tx| {
                Box::pin(async move {
                    if remove(tx, attempt).await? {
                        ports::release(tx, attempt).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    /// Records that a start was done: from here on its task, attempt and process are there for everybody.
    /// `intent` is what [`Store::begin_start`] answered, with what was learnt since.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when the start was abandoned or its project or task is gone, [`StoreError::TaskClosed`]
    /// when a person has closed the task since the start began.
    pub async fn commit_start(&self, intent: &Intent) -> Result<Begun, StoreError> {
        let intent = intent.clone();
        self.queue.write_patiently(move |tx| Box::pin(async move { commit(tx, intent).await })).await
    }

    /// What a start with this key was answered with, if there was one.
    ///
    /// # Errors
    /// When the database fails, or the answer cannot be read.
    pub async fn find_answer(&self, key: &str) -> Result<Option<Answer>, StoreError> {
        answer(&mut self.read().await?, key).await
    }

    /// Forgets the answers that were given before `time`, and tells how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn prune_answers(&self, time: Timestamp) -> Result<u64, StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    on!(tx.db(), |db| sqlx::query("DELETE FROM start_answer WHERE created_at < $1")
                        .bind(time.as_millis())
                        .execute(db)
                        .await
                        .map(|done| done.rows_affected()))
                    .map_err(StoreError::query("forget old answers"))
                })
            })
            .await
    }
}

/// The starts of all nodes that are not done, in or out of a transaction.
pub(crate) async fn intents(db: &mut Connection) -> Result<Vec<Intent>, StoreError> {
    let rows: Vec<(String,)> =
        on!(db, |db| sqlx::query_as("SELECT intent FROM start_intent ORDER BY created_at, attempt_id")
            .fetch_all(db)
            .await)
        .map_err(StoreError::query("list starts"))?;
    rows.into_iter().map(|(text,)| json::read("start", &text)).collect()
}

async fn commit(tx: &mut WriteTx, intent: Intent) -> Result<Begun, StoreError> {
    if !remove(tx, intent.attempt.id).await? {
        return Err(StoreError::NotFound { what: "start" });
    }
    let before = match &intent.task {
        Some(IntentTask::Existing(task)) => Some(task::card(tx.db(), task.id).await?.task),
        Some(IntentTask::New(_)) | None => None,
    };
    match (&intent.task, &before) {
        (Some(IntentTask::New(task)), _) => task::insert(tx, task).await?,
        // Decided by the row as it is now: the task may have changed since the start began.
        (Some(IntentTask::Existing(task)), Some(now)) => {
            if now.status.is_closed() && !task.status.is_closed() {
                return Err(StoreError::TaskClosed);
            }
            // A start in the queue leaves the task as it is, unless it is closed.
            let open = now.status.reopened();
            let begun =
                TaskMove::Begin.apply(open, true).filter(|_| intent.process.is_some()).unwrap_or(open);
            if begun != now.status || intent.process.is_some() {
                task::set_status(tx, task.id, begun, task.updated_at.max(now.updated_at)).await?;
            }
        }
        (Some(IntentTask::Existing(_)) | None, _) => {}
    }
    attempt::insert(tx, &intent.attempt).await?;
    if let Some(process) = &intent.process {
        process::insert(tx, process).await?;
    }
    // The card is read when all rows are there, so that the first event about the task tells all of it.
    let task = task::card_of(tx.db(), intent.attempt.task_id).await?;
    if let Some(card) = &task {
        match before {
            Some(before) => task::changed(tx, before.status, card).await?,
            None => tx.append(&Fact::TaskCreated(card.clone())).await?,
        }
        image::link(tx, card.task.id, &intent.images, Missing::Skip).await?;
    }
    let started = Begun { task, attempt: intent.attempt, process: intent.process };
    tx.append(&Fact::AttemptCreated(started.attempt.clone())).await?;
    if let Some(process) = &started.process {
        tx.append(&Fact::ProcessCreated(process.clone())).await?;
    }
    if let Some(key) = &intent.idempotency_key {
        insert_answer(tx, key, &intent.fingerprint, &started).await?;
    }
    Ok(started)
}

/// That what a start is for is there.
async fn check_subject(
    tx: &mut WriteTx,
    project: ProjectId,
    task: Option<&IntentTask>,
) -> Result<(), StoreError> {
    let found = on!(tx.db(), |db| sqlx::query("SELECT 1 FROM project WHERE id = $1")
        .bind(project.as_uuid())
        .fetch_optional(db)
        .await
        .map(|row| row.is_some()))
    .map_err(StoreError::query("look for a project"))?;
    if !found {
        return Err(StoreError::NotFound { what: "project" });
    }
    match task {
        Some(IntentTask::Existing(task)) => task::card(tx.db(), task.id).await.map(drop),
        Some(IntentTask::New(_)) | None => Ok(()),
    }
}

/// That no start is under way for this project or task.
pub(crate) async fn check_idle(tx: &mut WriteTx, id: Uuid) -> Result<(), StoreError> {
    let busy = on!(tx.db(), |db| sqlx::query(
        "SELECT 1 FROM start_intent WHERE project_id = $1 OR task_id = $1 LIMIT 1"
    )
    .bind(id)
    .fetch_optional(db)
    .await
    .map(|row| row.is_some()))
    .map_err(StoreError::query("look for starts"))?;
    if busy {
        return Err(StoreError::Conflict { what: "a start of it is under way" });
    }
    Ok(())
}

async fn insert(tx: &mut WriteTx, intent: &Intent) -> Result<(), StoreError> {
    let text = json::write("start", intent)?;
    let task = match &intent.task {
        Some(IntentTask::Existing(task)) => Some(task.id.as_uuid()),
        Some(IntentTask::New(_)) | None => None,
    };
    on!(tx.db(), |db| {
        sqlx::query(
        "INSERT INTO start_intent (attempt_id, project_id, task_id, idempotency_key, intent, created_at, node)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(intent.attempt.id.as_uuid())
    .bind(intent.attempt.project_id.as_uuid())
    .bind(task)
    .bind(&intent.idempotency_key)
    .bind(&text)
    .bind(intent.created_at.as_millis())
    .bind(intent.attempt.node.as_ref().map(|node| node.id.as_uuid()))
    .execute(db)
    .await
    .map(drop)
    })
    .map_err(StoreError::query("begin a start"))
    .map_err(|error| error.or_conflict(UNDER_WAY))
}

/// Whether there was one to remove.
pub(crate) async fn remove(tx: &mut WriteTx, attempt: AttemptId) -> Result<bool, StoreError> {
    on!(tx.db(), |db| sqlx::query("DELETE FROM start_intent WHERE attempt_id = $1")
        .bind(attempt.as_uuid())
        .execute(db)
        .await
        .map(|done| done.rows_affected() > 0))
    .map_err(StoreError::query("end a start"))
}

async fn insert_answer(
    tx: &mut WriteTx,
    key: &str,
    fingerprint: &str,
    started: &Begun,
) -> Result<(), StoreError> {
    let text = json::write("answer", started)?;
    let now = tx.now().as_millis();
    on!(tx.db(), |db| sqlx::query(
        "INSERT INTO start_answer (idempotency_key, fingerprint, started, created_at)
         VALUES ($1, $2, $3, $4)",
    )
    .bind(key)
    .bind(fingerprint)
    .bind(&text)
    .bind(now)
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("keep an answer"))
    .map_err(|error| error.or_conflict(ANSWERED))
}

/// The answer, in or out of a transaction.
async fn answer(db: &mut Connection, key: &str) -> Result<Option<Answer>, StoreError> {
    let row: Option<(String, String)> = on!(db, |db| sqlx::query_as(
        "SELECT fingerprint, started FROM start_answer WHERE idempotency_key = $1"
    )
    .bind(key)
    .fetch_optional(db)
    .await)
    .map_err(StoreError::query("find an answer"))?;
    let Some((fingerprint, started)) = row else {
        return Ok(None);
    };
    Ok(Some(Answer { fingerprint, started: json::read("answer", &started)? }))
}
