//! The event log, as streams read it: a page after a position, then wait for the head to move.

use forge_model::{Event, Seq};
use tokio::sync::watch;

use crate::engine::Engine;
use crate::error::Result;

impl Engine {
    /// The newest event's place; changes when something was committed.
    #[must_use]
    pub fn head(&self) -> watch::Receiver<Seq> {
        self.inner.store.head()
    }

    /// The events after a place, at most `limit` of them, in order.
    ///
    /// # Errors
    /// When some of them are not kept any more, or the database cannot be read.
    pub async fn events_after(&self, after: Seq, limit: usize) -> Result<Vec<Event>> {
        Ok(self.inner.store.events_after(after, limit).await?)
    }
}
