//! Which slots there are, and whether anybody is at a start.

use std::sync::{Mutex, MutexGuard, PoisonError};

use forge_git::{Oid, Slot};
use tokio::sync::watch;

use super::PoolOptions;

/// The slots of all projects.
#[derive(Default)]
pub(crate) struct Pool {
    /// Those whose branch was not used for the longest time come first.
    slots: Mutex<Vec<Slot>>,
    starts: watch::Sender<usize>,
    /// One slot is made at a time.
    turn: tokio::sync::Mutex<()>,
}

/// A start under way. Nothing is made in advance as long as there is one.
pub(crate) struct Start<'a>(&'a Pool);

impl Pool {
    pub(crate) fn begin_start(&self) -> Start<'_> {
        self.starts.send_modify(|starts| *starts += 1);
        Start(self)
    }

    /// Waits until nobody makes a slot and nobody is at a start.
    pub(super) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        let turn = self.turn.lock().await;
        // It fails only without a sender, and that is in here.
        drop(self.starts.subscribe().wait_for(|starts| *starts == 0).await);
        turn
    }

    pub(super) fn enter(&self, slot: Slot) {
        self.slots().push(slot);
    }

    /// Takes out a slot with this label, best with this commit. What is left of the label was used just now.
    pub(super) fn take(&self, label: &str, commit: &Oid) -> Option<Slot> {
        let mut slots = self.slots();
        let with_commit = slots.iter().rposition(|slot| slot.label() == label && slot.oid() == commit);
        let found = with_commit.or_else(|| slots.iter().rposition(|slot| slot.label() == label))?;
        let taken = slots.remove(found);
        // A sort keeps the order of what it does not tell apart.
        slots.sort_by_key(|slot| slot.label() == label);
        Some(taken)
    }

    pub(super) fn count(&self, label: &str) -> usize {
        self.slots().iter().filter(|slot| slot.label() == label).count()
    }

    /// Takes out the slots of other branches that have to go for one more of this size. None when it would not fit
    /// even then.
    pub(super) fn make_room(&self, options: &PoolOptions, label: &str, bytes: u64) -> Option<Vec<Slot>> {
        let mut slots = self.slots();
        let own: Vec<Slot> = slots.iter().filter(|slot| slot.label() == label).cloned().collect();
        if own.len() >= options.max_slots || size(&own).saturating_add(bytes) > options.max_bytes {
            return None;
        }
        let mut gone = Vec::new();
        while slots.len() >= options.max_slots || size(&slots).saturating_add(bytes) > options.max_bytes {
            let oldest = slots.iter().position(|slot| slot.label() != label)?;
            gone.push(slots.remove(oldest));
        }
        Some(gone)
    }

    /// Takes out what is more than there may be.
    pub(super) fn shrink(&self, options: &PoolOptions) -> Vec<Slot> {
        let mut slots = self.slots();
        let most = if options.size == 0 { 0 } else { options.max_slots };
        let mut gone = Vec::new();
        while slots.len() > most || size(&slots) > options.max_bytes {
            gone.push(slots.remove(0));
        }
        gone
    }

    /// Takes out the slots that are as `wanted`.
    pub(super) fn remove(&self, wanted: impl Fn(&Slot) -> bool) -> Vec<Slot> {
        self.slots().extract_if(.., |slot| wanted(slot)).collect()
    }

    fn slots(&self) -> MutexGuard<'_, Vec<Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size(slots: &[Slot]) -> u64 {
    slots.iter().map(Slot::bytes).fold(0, u64::saturating_add)
}

impl Drop for Start<'_> {
    fn drop(&mut self) {
        self.0.starts.send_modify(|starts| *starts -= 1);
    }
}
