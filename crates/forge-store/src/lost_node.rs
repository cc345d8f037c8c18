//! The list of nodes, and the transfer of a lost node's attempts to this one.

use std::path::Path;

use forge_model::fsm::attempt::after_node_loss;
use forge_model::fsm::process::ended;
use forge_model::{Attempt, AttemptId, End, Fact, Home, NodeId, TaskMove, Timestamp};
use uuid::Uuid;

use crate::backend::on;
use crate::row::row;
use crate::write::WriteTx;
use crate::{Store, StoreError, attempt, follow_up, node, ports, process, start, task};

/// A node, and what it owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSummary {
    /// Its id.
    pub id: NodeId,
    /// Its name, for people.
    pub name: String,
    /// Whether it is the node of this server.
    pub is_own: bool,
    /// The number of its attempts and runs.
    pub attempts: i64,
    /// When its server last started.
    pub started_at: Timestamp,
}

row! {
    struct NodeRow {
        id: Uuid,
        name: String,
        updated_at: i64,
        attempts: i64,
    }
}

impl Store {
    /// Returns all nodes, the one that started last first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_nodes(&self) -> Result<Vec<NodeSummary>, StoreError> {
        let rows: Vec<NodeRow> = on!(&mut self.read().await?, |db| {
            sqlx::query_as(
            "SELECT id, name, updated_at, (SELECT COUNT(*) FROM attempt a WHERE a.node = node.id) AS attempts
             FROM node ORDER BY updated_at DESC, id"
        )
        .fetch_all(db)
        .await
        })
        .map_err(StoreError::query("list nodes"))?;
        let summary = |row: NodeRow| NodeSummary {
            id: NodeId::from_uuid(row.id),
            name: row.name,
            is_own: Some(row.id) == self.own_node(),
            attempts: row.attempts,
            started_at: Timestamp::from_millis(row.updated_at),
        };
        Ok(rows.into_iter().map(summary).collect())
    }

    /// Removes a node, abandons its starts and gives its attempts to `heir`. Those that run end, their queues are emptied,
    /// and their worktrees count as deleted: the next ones are made in the folder `worktrees`. Returns the attempts as they
    /// were.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such node, [`StoreError::Conflict`] when it is the heir.
    pub async fn forget_node(
        &self,
        id: NodeId,
        heir: Home,
        worktrees: String,
    ) -> Result<Vec<Attempt>, StoreError> {
        self.queue.write(move |tx| Box::pin(async move { forget(tx, id, &heir, &worktrees).await })).await
    }
}

async fn forget(
    tx: &mut WriteTx,
    id: NodeId,
    heir: &Home,
    worktrees: &str,
) -> Result<Vec<Attempt>, StoreError> {
    if id == heir.id {
        return Err(StoreError::Conflict { what: "a node cannot be its own heir" });
    }
    let starts: Vec<(Uuid,)> =
        on!(tx.db(), |db| sqlx::query_as("SELECT attempt_id FROM start_intent WHERE node = $1")
            .bind(id.as_uuid())
            .fetch_all(db)
            .await)
        .map_err(StoreError::query("list starts"))?;
    for (attempt,) in starts {
        let attempt = AttemptId::from_uuid(attempt);
        start::remove(tx, attempt).await?;
        ports::release(tx, attempt).await?;
    }
    let attempts: Vec<(Uuid,)> =
        on!(tx.db(), |db| sqlx::query_as("SELECT id FROM attempt WHERE node = $1 ORDER BY created_at, id")
            .bind(id.as_uuid())
            .fetch_all(db)
            .await)
        .map_err(StoreError::query("list attempts"))?;
    let mut before = Vec::with_capacity(attempts.len());
    for (attempt,) in attempts {
        before.push(inherit(tx, AttemptId::from_uuid(attempt), heir, worktrees).await?);
    }
    let removed = on!(tx.db(), |db| sqlx::query("DELETE FROM node WHERE id = $1")
        .bind(id.as_uuid())
        .execute(db)
        .await
        .map(|done| done.rows_affected()))
    .map_err(StoreError::query("forget a node"))?;
    StoreError::unless_found(removed, "node")?;
    Ok(before)
}

/// Gives an attempt to another node, without what is on the machine of its own. Returns it as it was.
async fn inherit(
    tx: &mut WriteTx,
    id: AttemptId,
    heir: &Home,
    worktrees: &str,
) -> Result<Attempt, StoreError> {
    let now = tx.now();
    let before = attempt::get(tx.db(), id).await?;
    let card = task::card_of(tx.db(), before.task_id).await?;
    node::own(tx.db(), heir.id.as_uuid(), id.as_uuid()).await?;
    for mut process in process::list(tx.db(), id).await? {
        if let Ok(state) = ended(process.state, End::Lost) {
            process.state = state;
            process.completed_at = Some(now);
            process.updated_at = now;
            process::update(tx, &process).await?;
            tx.append(&Fact::ProcessUpdated(process)).await?;
        }
    }
    let end = after_node_loss(&before.state);
    let after = Attempt {
        state: end.clone().unwrap_or_else(|| before.state.clone()),
        updated_at: if end.is_some() { now } else { before.updated_at },
        worktree: new_place(tx, &before, worktrees).await?,
        worktree_deleted: true,
        first_port: None,
        // The agent's own files are on the other machine: the next turn begins a conversation.
        conversation: None,
        set_up: false,
        node: Some(heir.clone()),
        ..before.clone()
    };
    attempt::update(tx, &after).await?;
    attempt::changed(tx, &before, &after).await?;
    if let (Some(_ended), Some(card)) = (end, &card) {
        let status = TaskMove::End.apply(card.task.status, attempt::another_runs(tx, &after).await?);
        if let Some(status) = status.filter(|status| *status != card.task.status) {
            task::set_status(tx, card.task.id, status, now).await?;
        }
    }
    task::updated_since(tx, card.as_ref()).await?;
    follow_up::clear(tx, id).await?;
    Ok(before)
}

/// Where the attempt's next worktree is made: under its old name, or under its id if another attempt has that.
async fn new_place(tx: &mut WriteTx, attempt: &Attempt, worktrees: &str) -> Result<String, StoreError> {
    let old = Path::new(&attempt.worktree);
    let name = old.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let path = format!("{worktrees}/{name}");
    match attempt::check_worktree(tx, &path).await {
        Ok(()) if !name.is_empty() => Ok(path),
        Ok(()) | Err(StoreError::WorktreeTaken { .. }) => Ok(format!("{worktrees}/{}", attempt.id)),
        Err(error) => Err(error),
    }
}
