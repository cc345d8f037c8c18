//! What the store counts of itself.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::{Store, StoreError};

/// What is counted while it works.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    writes: AtomicU64,
    failed: AtomicU64,
    busy: AtomicU64,
    away: AtomicU64,
    waited: AtomicU64,
    reads: AtomicU64,
    commits: AtomicU64,
    worked: AtomicU64,
}

/// What the store has counted up to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreMeasured {
    /// Changes that were asked for and answered, kept or not.
    pub writes: u64,
    /// Those that failed: refused for what is there, or for what the database said.
    pub failed: u64,
    /// Those of them that failed because somebody else held the database.
    pub busy: u64,
    /// Those of them that failed because the database was away.
    pub away: u64,
    /// How long they stood in the queue, together.
    pub waited: Duration,
    /// Transactions of the database in which they were done, several in one while others waited.
    pub commits: u64,
    /// How long these took, together.
    pub worked: Duration,
    /// Times that something was read, mostly by one statement each.
    pub reads: u64,
    /// Connections for reading that are open.
    pub readers_open: u32,
    /// Those of them that are in use.
    pub readers_busy: u32,
}

impl Counters {
    pub(crate) fn answered(&self, waited: Duration, error: Option<&StoreError>) {
        self.writes.fetch_add(1, Relaxed);
        self.waited.fetch_add(micros(waited), Relaxed);
        let Some(error) = error else { return };
        self.failed.fetch_add(1, Relaxed);
        match error {
            StoreError::Busy { .. } => {
                self.busy.fetch_add(1, Relaxed);
            }
            StoreError::Away { .. } => {
                self.away.fetch_add(1, Relaxed);
            }
            _ => {}
        }
    }

    pub(crate) fn read(&self) {
        self.reads.fetch_add(1, Relaxed);
    }

    pub(crate) fn committed(&self, worked: Duration) {
        self.commits.fetch_add(1, Relaxed);
        self.worked.fetch_add(micros(worked), Relaxed);
    }
}

impl Store {
    /// What it has counted up to now.
    #[must_use]
    pub fn measured(&self) -> StoreMeasured {
        let counters = &self.counters;
        let (readers_open, readers_busy) = self.readers.count();
        StoreMeasured {
            writes: counters.writes.load(Relaxed),
            failed: counters.failed.load(Relaxed),
            busy: counters.busy.load(Relaxed),
            away: counters.away.load(Relaxed),
            waited: Duration::from_micros(counters.waited.load(Relaxed)),
            commits: counters.commits.load(Relaxed),
            worked: Duration::from_micros(counters.worked.load(Relaxed)),
            reads: counters.reads.load(Relaxed),
            readers_open,
            readers_busy,
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
