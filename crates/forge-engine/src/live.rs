//! Which processes run, and how far their output is: what readers of output wait on.
//!
//! An entry is there before the row says that the process runs and goes after the row says that it ended, so a
//! reader that finds none has a log that will not grow. It stays when whoever watches the process fails or the
//! server goes: then the process runs on, and nobody may be told that it ended.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use forge_model::ProcessId;
use tokio::sync::watch;

type Map = HashMap<ProcessId, watch::Sender<u64>>;

/// The running processes.
#[derive(Default, Clone)]
pub(crate) struct Live {
    map: Arc<Mutex<Map>>,
}

/// One running process, for whoever watches it.
pub(crate) struct Running {
    id: ProcessId,
    head: watch::Sender<u64>,
}

impl Live {
    /// The entry of a process, made where there is none yet.
    pub(crate) fn enter(&self, id: ProcessId) -> Running {
        Running { id, head: self.lock(|map| map.entry(id).or_default().clone()) }
    }

    /// Takes the entry out: the row says that the process has ended. Readers hear it when nobody watches it any
    /// more either.
    pub(crate) fn leave(&self, id: ProcessId) {
        self.lock(|map| map.remove(&id));
    }

    /// The position of the output's end, which moves while the process runs.
    pub(crate) fn follow(&self, id: ProcessId) -> Option<watch::Receiver<u64>> {
        self.lock(|map| map.get(&id).map(watch::Sender::subscribe))
    }

    /// How many run.
    pub(crate) fn count(&self) -> usize {
        self.lock(|map| map.len())
    }

    fn lock<T>(&self, f: impl FnOnce(&mut Map) -> T) -> T {
        f(&mut self.map.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Running {
    pub(crate) const fn id(&self) -> ProcessId {
        self.id
    }

    /// What the readers of the output wait on, for whoever hears first that there is more.
    pub(crate) const fn head(&self) -> &watch::Sender<u64> {
        &self.head
    }
}
