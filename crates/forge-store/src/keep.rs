//! Worktrees that are taken away and made again.

use std::ops::RangeInclusive;

use forge_model::{Attempt, AttemptId, Fact};

use crate::backend::on;
use crate::write::WriteTx;
use crate::{Store, StoreError, attempt, ports, task};

impl Store {
    /// Whether another attempt has the worktree at the path of one whose own was taken away. Older versions could give
    /// the same path twice.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn is_anothers_worktree(&self, of: &Attempt) -> Result<bool, StoreError> {
        if !of.worktree_deleted {
            return Ok(false);
        }
        let mut db = self.read().await?;
        on!(&mut db, |db| sqlx::query(
            "SELECT 1 FROM attempt WHERE worktree = $1 AND id <> $2 AND worktree_deleted = FALSE LIMIT 1"
        )
        .bind(&of.worktree)
        .bind(of.id.as_uuid())
        .fetch_optional(db)
        .await
        .map(|row| row.is_some()))
        .map_err(StoreError::query("look for a worktree"))
    }

    /// Writes that an attempt has no worktree any more, and gives back its ports. When it last changed stays: nobody
    /// worked on it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn take_worktree(&self, id: AttemptId) -> Result<Attempt, StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let mut attempt = attempt::get(tx.db(), id).await?;
                    attempt.worktree_deleted = true;
                    attempt.first_port = None;
                    written(tx, attempt).await
                })
            })
            .await
    }

    /// Writes that an attempt has a worktree again, in which nothing is set up, and gives it ports in `range`.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn return_worktree(
        &self,
        id: AttemptId,
        range: RangeInclusive<u16>,
        is_free: impl Fn(u16) -> bool + Send + 'static,
    ) -> Result<Attempt, StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let mut attempt = attempt::get(tx.db(), id).await?;
                    attempt.worktree_deleted = false;
                    attempt.set_up = false;
                    attempt.updated_at = tx.now();
                    if attempt.first_port.is_none() {
                        attempt.first_port = ports::claim(tx, id, range, is_free).await?;
                    }
                    written(tx, attempt).await
                })
            })
            .await
    }
}

async fn written(tx: &mut WriteTx, attempt: Attempt) -> Result<Attempt, StoreError> {
    let before = task::card_of(tx.db(), attempt.task_id).await?;
    attempt::update(tx, &attempt).await?;
    tx.append(&Fact::AttemptUpdated(attempt.clone())).await?;
    task::updated_since(tx, before.as_ref()).await?;
    Ok(attempt)
}
