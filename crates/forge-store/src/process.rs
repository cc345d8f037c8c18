//! Processes.

use forge_model::{Attempt, AttemptId, Fact, Process, ProcessId, ProcessKind, ProcessState, Seq, Timestamp};
use uuid::Uuid;

use crate::backend::{Connection, on};
use crate::row::row;
use crate::usage::{UsageRow, number};
use crate::write::WriteTx;
use crate::{Store, StoreError, approval, attempt, json, usage};

const KINDS: [ProcessKind; 4] =
    [ProcessKind::SetupScript, ProcessKind::CodingAgent, ProcessKind::CleanupScript, ProcessKind::DevServer];

macro_rules! select_processes {
    ($rest:literal) => {
        concat!(
            "SELECT id, attempt_id, kind, action, state, reason, before_head_commit, after_head_commit,
                    dropped, started_at, completed_at, updated_at, input_tokens, cached_tokens, output_tokens,
                    cost_micros,
                    (SELECT a.task_id IS NULL FROM attempt a WHERE a.id = process.attempt_id) AS in_run
             FROM process ",
            $rest
        )
    };
}

row! {
    struct ProcessRow {
        id: Uuid,
        attempt_id: Uuid,
        kind: String,
        action: String,
        state: String,
        reason: Option<String>,
        before_head_commit: Option<String>,
        after_head_commit: Option<String>,
        dropped: bool,
        started_at: i64,
        completed_at: Option<i64>,
        updated_at: i64,
        in_run: bool,
    }
    + usage: UsageRow
}

impl TryFrom<ProcessRow> for Process {
    type Error = StoreError;

    fn try_from(row: ProcessRow) -> Result<Self, Self::Error> {
        let kind = KINDS.into_iter().find(|kind| kind.as_str() == row.kind);
        let reason = row.reason.map(|text| json::read("reason", &text)).transpose()?;
        Ok(Self {
            id: ProcessId::from_uuid(row.id),
            attempt_id: AttemptId::from_uuid(row.attempt_id),
            in_run: row.in_run,
            kind: kind.ok_or(row.kind).map_err(StoreError::corrupt("kind of process"))?,
            action: json::read("action", &row.action)?,
            state: json::read("process state", &row.state)?,
            reason,
            before_head_commit: row.before_head_commit,
            after_head_commit: row.after_head_commit,
            dropped: row.dropped,
            started_at: Timestamp::from_millis(row.started_at),
            completed_at: row.completed_at.map(Timestamp::from_millis),
            updated_at: Timestamp::from_millis(row.updated_at),
            usage: row.usage.into(),
        })
    }
}

impl Store {
    /// The process with this id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn get_process(&self, id: ProcessId) -> Result<Process, StoreError> {
        get(&mut self.read().await?, id).await
    }

    /// An attempt's processes, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_processes(&self, attempt: AttemptId) -> Result<Vec<Process>, StoreError> {
        list(&mut self.read().await?, attempt).await
    }

    /// The same with the attempt itself, and the position of the newest event that it shows.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such attempt.
    pub async fn processes_at_once(
        &self,
        attempt: AttemptId,
    ) -> Result<(Seq, Attempt, Vec<Process>), StoreError> {
        let mut moment = self.moment().await?;
        let found = attempt::get(moment.db()?, attempt).await;
        let processes = list(moment.db()?, attempt).await?;
        let at = moment.end().await?;
        let mut found = found?;
        self.place(&mut found);
        Ok((at, found, processes))
    }

    /// Every process of this node whose end is not recorded, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_running_processes(&self) -> Result<Vec<Process>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<ProcessRow> = on!(&mut db, |db| sqlx::query_as(select_processes!(
            "WHERE status = 'running' AND (node IS NULL OR node = $1) ORDER BY started_at, id"
        ))
        .bind(self.own_node())
        .fetch_all(db)
        .await)
        .map_err(StoreError::query("list processes"))?;
        rows.into_iter().map(Process::try_from).collect()
    }

    /// The dev servers that run in an attempt, in those of a task, or in those of a project.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_dev_servers(&self, of: Uuid) -> Result<Vec<Process>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<ProcessRow> = on!(&mut db, |db| sqlx::query_as(select_processes!(
            "WHERE status = 'running' AND kind = 'devserver'
               AND attempt_id IN (SELECT id FROM attempt WHERE id = $1 OR task_id = $1 OR project_id = $1)
             ORDER BY started_at, id"
        ))
        .bind(of)
        .fetch_all(db)
        .await)
        .map_err(StoreError::query("list dev servers"))?;
        rows.into_iter().map(Process::try_from).collect()
    }

    /// Adds a process that is no part of a turn.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such attempt, [`StoreError::Conflict`] when its id is taken.
    pub async fn add_process(&self, process: &Process) -> Result<(), StoreError> {
        let process = process.clone();
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    insert(tx, &process).await?;
                    tx.append(&Fact::ProcessCreated(process)).await
                })
            })
            .await
    }

    /// Changes a process to what is given, but for whether it is dropped.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none, [`StoreError::Conflict`] when it ended otherwise.
    pub async fn update_process(&self, process: &Process) -> Result<(), StoreError> {
        let process = process.clone();
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    update(tx, &process).await?;
                    tx.append(&Fact::ProcessUpdated(process)).await
                })
            })
            .await
    }
}

/// An attempt's processes, oldest first, in or out of a transaction.
pub(crate) async fn list(db: &mut Connection, attempt: AttemptId) -> Result<Vec<Process>, StoreError> {
    let rows: Vec<ProcessRow> =
        on!(db, |db| sqlx::query_as(select_processes!("WHERE attempt_id = $1 ORDER BY ordinal"))
            .bind(attempt.as_uuid())
            .fetch_all(db)
            .await)
        .map_err(StoreError::query("list processes"))?;
    rows.into_iter().map(Process::try_from).collect()
}

/// The process as it stands, in or out of a transaction.
pub(crate) async fn get(db: &mut Connection, id: ProcessId) -> Result<Process, StoreError> {
    let row: Option<ProcessRow> = on!(db, |db| sqlx::query_as(select_processes!("WHERE id = $1"))
        .bind(id.as_uuid())
        .fetch_optional(db)
        .await)
    .map_err(StoreError::query("get a process"))?;
    row.ok_or(StoreError::NotFound { what: "process" })?.try_into()
}

/// Adds the row alone.
pub(crate) async fn insert(tx: &mut WriteTx, process: &Process) -> Result<(), StoreError> {
    let action = json::write("action", &process.action)?;
    let state = json::write("process state", &process.state)?;
    let reason = process.reason.as_ref().map(|reason| json::write("reason", reason));
    on!(tx.db(), |db| sqlx::query(
        "INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason,
                              before_head_commit, after_head_commit, started_at, completed_at, updated_at, node)
         SELECT $1, $2, coalesce(max(ordinal), 0) + 1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
                (SELECT a.node FROM attempt a WHERE a.id = $2)
         FROM process WHERE attempt_id = $2",
    )
    .bind(process.id.as_uuid())
    .bind(process.attempt_id.as_uuid())
    .bind(process.kind.as_str())
    .bind(&action)
    .bind(process.status())
    .bind(&state)
    .bind(reason.transpose()?)
    .bind(&process.before_head_commit)
    .bind(&process.after_head_commit)
    .bind(process.started_at.as_millis())
    .bind(process.completed_at.map(Timestamp::as_millis))
    .bind(process.updated_at.as_millis())
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("add a process"))
    .map_err(|error| error.or_not_found("attempt").or_conflict("a process runs in the attempt already"))
}

/// Marks a turn's process and all later ones of its attempt as dropped, and tells so. Dev servers are part of no turn.
pub(crate) async fn drop_from(tx: &mut WriteTx, id: ProcessId) -> Result<Vec<Process>, StoreError> {
    let attempt_id = get(tx.db(), id).await?.attempt_id;
    let now = tx.now().as_millis();
    let rows: Vec<(i64, Uuid)> = on!(tx.db(), |db| sqlx::query_as(
        "UPDATE process SET dropped = TRUE, updated_at = $3
         WHERE attempt_id = $1 AND dropped = FALSE AND kind <> 'devserver'
           AND ordinal >= (SELECT first.ordinal FROM process first WHERE first.id = $2)
         RETURNING ordinal, id",
    )
    .bind(attempt_id.as_uuid())
    .bind(id.as_uuid())
    .bind(now)
    .fetch_all(db)
    .await)
    .map_err(StoreError::query("drop processes"))?;
    let mut rows = rows;
    rows.sort_unstable();
    let mut dropped = Vec::new();
    for (_, id) in rows {
        let process = get(tx.db(), ProcessId::from_uuid(id)).await?;
        tx.append(&Fact::ProcessUpdated(process.clone())).await?;
        dropped.push(process);
    }
    Ok(dropped)
}

/// Changes the row; what was run, for whom and since when stays. What one that has ended asked for is not waited for
/// any more.
pub(crate) async fn update(tx: &mut WriteTx, process: &Process) -> Result<(), StoreError> {
    let stored = get(tx.db(), process.id).await?;
    if stored.state != ProcessState::Running && stored.state != process.state {
        return Err(StoreError::Conflict { what: "the process has ended already, and otherwise" });
    }
    let state = json::write("process state", &process.state)?;
    let reason = process.reason.as_ref().map(|reason| json::write("reason", reason));
    on!(tx.db(), |db| sqlx::query(
        "UPDATE process SET status = $2, state = $3, reason = $4, before_head_commit = $5,
                            after_head_commit = $6, completed_at = $7, updated_at = $8,
                            input_tokens = $9, cached_tokens = $10, output_tokens = $11, cost_micros = $12
         WHERE id = $1",
    )
    .bind(process.id.as_uuid())
    .bind(process.status())
    .bind(&state)
    .bind(reason.transpose()?)
    .bind(&process.before_head_commit)
    .bind(&process.after_head_commit)
    .bind(process.completed_at.map(Timestamp::as_millis))
    .bind(process.updated_at.as_millis())
    .bind(number(process.usage.input_tokens))
    .bind(number(process.usage.cached_tokens))
    .bind(number(process.usage.output_tokens))
    .bind(process.usage.cost_micros.map(number))
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("change a process"))?;
    if process.end().is_none() {
        return Ok(());
    }
    if stored.end().is_none() {
        usage::add(tx, process.attempt_id, &process.usage).await?;
    }
    approval::time_out(tx, process.id).await
}
