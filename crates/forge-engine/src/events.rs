//! The event log, as streams read it: a page after a position, then wait for the head to move.

use std::sync::Arc;
use std::time::Duration;

use forge_model::{Seq, Timestamp};
use tokio::sync::watch;

use crate::engine::Engine;
use crate::error::Result;
use crate::recent::Told;

/// How much of the event log is kept: what either rule keeps. A reader that comes back later than that is told to
/// begin anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventRetention {
    /// So many of the newest.
    pub newest: u32,
    /// Everything that is younger. None is everything.
    pub younger_than: Option<Duration>,
}

/// Something as it was at a moment: whoever goes on with the events after `at` misses nothing and gets nothing twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsOf<T> {
    /// The newest event that it shows.
    pub at: Seq,
    /// What it was.
    pub what: T,
}

impl Engine {
    /// Forgets the events whose time is over.
    pub(crate) async fn prune_events(&self) -> Result<()> {
        let kept = self.inner.options.events;
        let Some(age) = kept.younger_than.and_then(|age| i64::try_from(age.as_millis()).ok()) else {
            return Ok(());
        };
        // Numbers have no gaps, so a short log is told by its newest, and an idle server writes nothing.
        if *self.head().borrow() <= Seq::from(kept.newest) {
            return Ok(());
        }
        let before = Timestamp::from_millis(Timestamp::now().as_millis().saturating_sub(age));
        // Some at a time, so that others write in between.
        while !self.inner.closing.is_cancelled() {
            let gone = self.inner.store.prune_events(i64::from(kept.newest), before).await?;
            self.inner.metrics.events_pruned(gone);
            if gone == 0 {
                break;
            }
        }
        Ok(())
    }

    /// The newest event's place; changes when something was committed.
    #[must_use]
    pub fn head(&self) -> watch::Receiver<Seq> {
        self.inner.store.head()
    }

    /// The events after a place, at most `limit` of them, in order.
    ///
    /// # Errors
    /// When some of them are not kept any more, or the database cannot be read.
    pub async fn events_after(&self, after: Seq, limit: usize) -> Result<Vec<Arc<Told>>> {
        Ok(self.inner.recent.after(&self.inner.store, after, limit).await?)
    }
}
