//! What a server asks at its start: what goes on, and what the folders it finds belong to.

use forge_model::{AttemptId, ProcessId, Task};
use uuid::Uuid;

use crate::backend::on;
use crate::{IntentTask, Store, StoreError};

impl Store {
    /// The attempts of this node that have a follow-up in their queue.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_waiting_attempts(&self) -> Result<Vec<AttemptId>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<(Uuid,)> = on!(&mut db, |db| sqlx::query_as(
            "SELECT DISTINCT attempt_id FROM follow_up
             WHERE attempt_id IN (SELECT a.id FROM attempt a WHERE a.node IS NULL OR a.node = $1)
             ORDER BY attempt_id"
        )
        .bind(self.own_node())
        .fetch_all(db)
        .await)
        .map_err(StoreError::query("list follow-ups"))?;
        Ok(rows.into_iter().map(|(id,)| AttemptId::from_uuid(id)).collect())
    }

    /// Every process there is a row of.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_process_ids(&self) -> Result<Vec<ProcessId>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<(Uuid,)> =
            on!(&mut db, |db| sqlx::query_as("SELECT id FROM process").fetch_all(db).await)
                .map_err(StoreError::query("list processes"))?;
        Ok(rows.into_iter().map(|(id,)| ProcessId::from_uuid(id)).collect())
    }
}

impl IntentTask {
    /// The task, be it new or not.
    #[must_use]
    pub const fn task(&self) -> &Task {
        match self {
            Self::New(task) | Self::Existing(task) => task,
        }
    }
}
