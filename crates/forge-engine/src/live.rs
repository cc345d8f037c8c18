//! Which processes run, and how far their output is: what readers of output wait on.
//!
//! An entry is there before the row says that the process runs and goes after the row says that it ended, so a
//! reader that finds none has a log that will not grow.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use forge_model::ProcessId;
use tokio::sync::watch;

type Map = HashMap<ProcessId, watch::Receiver<u64>>;

/// The running processes.
#[derive(Default, Clone)]
pub(crate) struct Live {
    map: Arc<Mutex<Map>>,
}

/// One running process. Dropping it wakes every reader for the last time.
pub(crate) struct Running {
    id: ProcessId,
    live: Live,
    head: watch::Sender<u64>,
}

impl Live {
    pub(crate) fn enter(&self, id: ProcessId) -> Running {
        let (head, follow) = watch::channel(0);
        self.lock(|map| map.insert(id, follow));
        Running { id, live: self.clone(), head }
    }

    /// The position of the output's end, which moves while the process runs.
    pub(crate) fn follow(&self, id: ProcessId) -> Option<watch::Receiver<u64>> {
        self.lock(|map| map.get(&id).cloned())
    }

    fn lock<T>(&self, f: impl FnOnce(&mut Map) -> T) -> T {
        f(&mut self.map.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Running {
    pub(crate) const fn id(&self) -> ProcessId {
        self.id
    }

    pub(crate) fn moved(&self, head: u64) {
        self.head.send_if_modified(|old| {
            let newer = head > *old;
            *old = head.max(*old);
            newer
        });
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.live.lock(|map| map.remove(&self.id));
    }
}
