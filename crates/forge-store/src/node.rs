//! Nodes: the installations that use the database, and which of them owns an attempt.

use forge_model::{Attempt, AttemptId, NodeId, ProcessId, Timestamp};
use uuid::Uuid;

use crate::backend::{Connection, on};
use crate::write::WriteTx;
use crate::{Intent, Store, StoreError, json, migrate};

/// The node of attempts that no known data folder has: rows of older versions on a shared database.
const UNKNOWN: Uuid = Uuid::nil();

/// A node as the database knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRecord {
    /// Its id.
    pub id: NodeId,
    /// Its name, for people.
    pub name: String,
    /// The data folder's path.
    pub data_folder: String,
    /// The machine that the folder is on; empty where the system has no name for it.
    pub machine: String,
    /// The number of the id file in its filesystem: a copy has another one.
    pub inode: i64,
    /// Changes with each start.
    pub generation: Option<Uuid>,
}

/// The node that a store serves, and as what it was recorded when the server started.
#[derive(Debug)]
pub(crate) struct Claim {
    node: NodeId,
    generation: Option<Uuid>,
}

/// An attempt, or the start of one, that no node owns yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unowned {
    /// The attempt.
    pub attempt: AttemptId,
    /// Its worktree.
    pub worktree: String,
    /// Its processes.
    pub processes: Vec<ProcessId>,
}

impl Store {
    /// The id of the database itself.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn database_id(&self) -> Result<Uuid, StoreError> {
        let (id,) =
            on!(&mut self.read().await?, |db| sqlx::query_as("SELECT database_id FROM database_identity")
                .fetch_one(db)
                .await)
            .map_err(StoreError::query("read the database's id"))?;
        Ok(id)
    }

    /// What the database knows of a node, if it has seen it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find_node(&self, id: NodeId) -> Result<Option<NodeRecord>, StoreError> {
        let row: Option<(String, String, String, i64, Option<Uuid>)> = on!(&mut self.read().await?, |db| {
            sqlx::query_as("SELECT name, data_folder, machine, inode, generation FROM node WHERE id = $1")
                .bind(id.as_uuid())
                .fetch_optional(db)
                .await
        })
        .map_err(StoreError::query("find a node"))?;
        Ok(row.map(|(name, data_folder, machine, inode, generation)| NodeRecord {
            id,
            name,
            data_folder,
            machine,
            inode,
            generation,
        }))
    }

    /// Records a node, and that its server has the database from here on.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn serve_as(&self, node: &NodeRecord) -> Result<(), StoreError> {
        let (claim, node) = (Claim { node: node.id, generation: node.generation }, node.clone());
        self.queue.write(move |tx| Box::pin(async move { record(tx, &node).await })).await?;
        // Set once: a store serves one node.
        self.claim.get_or_init(|| claim);
        Ok(())
    }

    /// Attempts and starts that no known node owns.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_unowned(&self) -> Result<Vec<Unowned>, StoreError> {
        let mut db = self.read().await?;
        let attempts: Vec<(Uuid, String)> = on!(&mut db, |db| sqlx::query_as(
            "SELECT id, worktree FROM attempt WHERE node IS NULL OR node = $1"
        )
        .bind(UNKNOWN)
        .fetch_all(db)
        .await)
        .map_err(StoreError::query("list attempts without a node"))?;
        let mut unowned = Vec::with_capacity(attempts.len());
        for (attempt, worktree) in attempts {
            let processes: Vec<(Uuid,)> =
                on!(&mut db, |db| sqlx::query_as("SELECT id FROM process WHERE attempt_id = $1")
                    .bind(attempt)
                    .fetch_all(db)
                    .await)
                .map_err(StoreError::query("list processes"))?;
            unowned.push(Unowned {
                attempt: AttemptId::from_uuid(attempt),
                worktree,
                processes: processes.into_iter().map(|(id,)| ProcessId::from_uuid(id)).collect(),
            });
        }
        let intents: Vec<(String,)> = on!(&mut db, |db| sqlx::query_as(
            "SELECT intent FROM start_intent WHERE node IS NULL OR node = $1"
        )
        .bind(UNKNOWN)
        .fetch_all(db)
        .await)
        .map_err(StoreError::query("list starts without a node"))?;
        for (text,) in intents {
            let intent: Intent = json::read("start", &text)?;
            unowned.push(Unowned {
                attempt: intent.attempt.id,
                worktree: intent.attempt.worktree,
                processes: intent.process.into_iter().map(|process| process.id).collect(),
            });
        }
        Ok(unowned)
    }

    /// Makes a node the owner of attempts. Those that still have none belong to a node that is not known.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn adopt(&self, node: NodeId, attempts: Vec<AttemptId>) -> Result<(), StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    for attempt in attempts {
                        own(tx.db(), node.as_uuid(), attempt.as_uuid()).await?;
                    }
                    leave_to_unknown(tx).await
                })
            })
            .await
    }

    /// The node whose server this is, once it is known.
    pub(crate) fn own_node(&self) -> Option<Uuid> {
        self.claim.get().map(|claim| claim.node.as_uuid())
    }

    /// Marks an attempt that another node owns: neither its row nor the log depends on who reads it.
    pub(crate) fn place(&self, attempt: &mut Attempt) {
        if let Some(home) = &mut attempt.node {
            home.is_elsewhere = Some(home.id.as_uuid()) != self.own_node();
        }
    }
}

impl Claim {
    /// Checks that the database is still this server's after it was lost for a while. Another node may have used it
    /// meanwhile, and serves no more: the lock is ours. A server of the same node may not.
    ///
    /// # Errors
    /// [`StoreError::Superseded`] when the node was started elsewhere, [`StoreError::Newer`] when a newer program
    /// changed the schema.
    pub(crate) async fn renew(&self, db: &mut Connection) -> Result<(), StoreError> {
        let row: Option<(Option<Uuid>, bool)> = on!(&mut *db, |db| {
            sqlx::query_as("SELECT generation, serving FROM node WHERE id = $1")
                .bind(self.node.as_uuid())
                .fetch_optional(db)
                .await
        })
        .map_err(StoreError::query("find a node"))?;
        let serving = match row {
            Some((generation, serving)) if generation == self.generation => serving,
            Some(_) | None => return Err(StoreError::Superseded),
        };
        if serving {
            return Ok(());
        }
        let (found, known) = (migrate::newest(&mut *db).await?, migrate::known());
        if found > known {
            return Err(StoreError::Newer { found, known });
        }
        tracing::warn!("another node used the database while the connection was lost; this one serves again");
        on!(db, |db| sqlx::query("UPDATE node SET serving = (id = $1)")
            .bind(self.node.as_uuid())
            .execute(db)
            .await
            .map(drop))
        .map_err(StoreError::query("record a node"))
    }
}

async fn record(tx: &mut WriteTx, node: &NodeRecord) -> Result<(), StoreError> {
    let now = tx.now().as_millis();
    on!(tx.db(), |db| sqlx::query("UPDATE node SET serving = FALSE").execute(db).await.map(drop))
        .map_err(StoreError::query("record a node"))?;
    on!(tx.db(), |db| sqlx::query(
        "INSERT INTO node (id, name, data_folder, machine, inode, generation, serving, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, TRUE, $7, $7)
         ON CONFLICT (id) DO UPDATE SET name = $2, data_folder = $3, machine = $4, inode = $5, generation = $6,
                                        serving = TRUE, updated_at = $7"
    )
    .bind(node.id.as_uuid())
    .bind(&node.name)
    .bind(&node.data_folder)
    .bind(&node.machine)
    .bind(node.inode)
    .bind(node.generation)
    .bind(now)
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("record a node"))
}

/// Writes the owner to the attempt, its processes and its start.
pub(crate) async fn own(db: &mut Connection, node: Uuid, attempt: Uuid) -> Result<(), StoreError> {
    for statement in [
        "UPDATE attempt SET node = $1 WHERE id = $2",
        "UPDATE process SET node = $1 WHERE attempt_id = $2",
        "UPDATE start_intent SET node = $1 WHERE attempt_id = $2",
    ] {
        on!(&mut *db, |db| sqlx::query(statement).bind(node).bind(attempt).execute(db).await.map(drop))
            .map_err(StoreError::query("adopt an attempt"))?;
    }
    Ok(())
}

async fn leave_to_unknown(tx: &mut WriteTx) -> Result<(), StoreError> {
    let now = Timestamp::now().as_millis();
    let mut left = 0;
    for statement in [
        "UPDATE attempt SET node = $1 WHERE node IS NULL",
        "UPDATE process SET node = $1 WHERE node IS NULL",
        "UPDATE start_intent SET node = $1 WHERE node IS NULL",
    ] {
        left += on!(tx.db(), |db| sqlx::query(statement)
            .bind(UNKNOWN)
            .execute(db)
            .await
            .map(|done| done.rows_affected()))
        .map_err(StoreError::query("adopt an attempt"))?;
    }
    if left == 0 {
        return Ok(());
    }
    on!(tx.db(), |db| sqlx::query(
        "INSERT INTO node (id, name, data_folder, machine, inode, serving, created_at, updated_at)
         VALUES ($1, 'unknown', '', '', 0, FALSE, $2, $2) ON CONFLICT (id) DO NOTHING"
    )
    .bind(UNKNOWN)
    .bind(now)
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("record a node"))
}

/// Gives the database an id of its own: a restored one is not the one that was backed up.
pub(crate) async fn renew_identity(db: &mut Connection) -> Result<(), StoreError> {
    on!(db, |db| sqlx::query("UPDATE database_identity SET database_id = $1")
        .bind(Uuid::new_v4())
        .execute(db)
        .await
        .map(drop))
    .map_err(StoreError::query("renew the database's id"))
}
