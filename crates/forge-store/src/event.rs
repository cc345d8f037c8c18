//! Reading the event log.

use forge_model::{Event, Fact, Seq, Timestamp};
use futures::TryStreamExt as _;

use crate::backend::{Connection, on};
use crate::{Store, StoreError, json};

/// A page ends with the event that fills it: a reader costs this much, however long the texts of tasks are.
const PAGE_BYTES: usize = 1024 * 1024;

/// Nobody who writes waits for longer than so many take to go.
const PRUNED_AT_ONCE: i64 = 2_000;

impl Store {
    /// Up to `limit` events that come after the position `after`, in order, and fewer where they are long. None
    /// only when there are none.
    ///
    /// # Errors
    /// [`StoreError::Pruned`] when some of them are not kept any more; otherwise when the database fails, or an
    /// event cannot be read.
    pub async fn events_after(&self, after: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        let after = after.max(0);
        let mut db = self.read().await?;
        let mut rows = on!(&mut db, |db| sqlx::query_as::<_, (Seq, i64, String)>(
            "SELECT seq, at, fact FROM event WHERE seq > $1 ORDER BY seq LIMIT $2",
        )
        .bind(after)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch(db));
        let (mut page, mut bytes) = (Vec::new(), 0);
        while bytes < PAGE_BYTES
            && let Some((seq, at, fact)) = rows.try_next().await.map_err(StoreError::query("read events"))?
        {
            // The log has no gaps and its newest event is always kept, so the first of a page tells whether one was
            // before it.
            if page.is_empty() && seq > after.saturating_add(1) {
                return Err(StoreError::Pruned { first: seq });
            }
            bytes += fact.len();
            let mut fact = json::read("event", &fact)?;
            if let Fact::AttemptCreated(attempt) | Fact::AttemptUpdated(attempt) = &mut fact {
                self.place(attempt);
            }
            page.push(Event { seq, at: Timestamp::from_millis(at), fact });
        }
        Ok(page)
    }

    /// The position of the oldest event that is kept, 1 before there is any.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn first_seq(&self) -> Result<Seq, StoreError> {
        let mut db = self.read().await?;
        let (seq,) =
            on!(&mut db, |db| sqlx::query_as("SELECT coalesce(min(seq), 1) FROM event").fetch_one(db).await)
                .map_err(StoreError::query("find the oldest event"))?;
        Ok(seq)
    }

    /// Forgets events from the front that are neither among the newest nor younger than `before`, some at a time, and
    /// tells how many. The very newest is always kept: the next one gets the number after it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn prune_events(&self, keep_newest: i64, before: Timestamp) -> Result<u64, StoreError> {
        let keep = keep_newest.max(1);
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    // Clocks go back at times, so it is not the old ones that go but those before the first young one:
                    // the log must not get a gap.
                    on!(tx.db(), |db| sqlx::query(
                        "DELETE FROM event
                         WHERE seq <= (SELECT max(seq) FROM event) - $1
                           AND seq < (SELECT min(seq) FROM event) + $2
                           AND seq < coalesce((SELECT seq FROM event
                                               WHERE at >= $3 AND seq < (SELECT min(seq) FROM event) + $2
                                               ORDER BY seq LIMIT 1),
                                              (SELECT max(seq) FROM event))"
                    )
                    .bind(keep)
                    .bind(PRUNED_AT_ONCE)
                    .bind(before.as_millis())
                    .execute(db)
                    .await
                    .map(|done| done.rows_affected()))
                    .map_err(StoreError::query("forget old events"))
                })
            })
            .await
    }
}

/// The position of the newest event, 0 when there is none.
pub(crate) async fn newest(db: &mut Connection) -> Result<Seq, StoreError> {
    let (seq,) = on!(db, |db| sqlx::query_as("SELECT coalesce(max(seq), 0) FROM event").fetch_one(db).await)
        .map_err(StoreError::query("find the newest event"))?;
    Ok(seq)
}
