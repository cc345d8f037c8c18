//! Entries by their number: those that may still change are kept, the others are handed on.

use std::collections::BTreeMap;

use super::entry::{Entry, EntryType};
use super::text::was_cut;

/// How much of entries that may still change is kept; the oldest are let go first.
const MOST_BYTES: usize = 8 << 20;
const MOST: usize = 4096;

/// An entry that is new, or different from what was handed on before.
#[derive(Debug, Clone)]
pub struct Change {
    /// Its place in the transcript, from 0.
    pub index: u64,
    /// Whether it was not handed on before.
    pub is_new: bool,
    /// The entry as it is now.
    pub entry: Entry,
}

/// The entries of one transcript.
#[derive(Debug, Default)]
pub(super) struct Book {
    next: u64,
    done: Vec<Change>,
    open: BTreeMap<u64, Open>,
    weight: usize,
    /// Whether the last message is an error.
    failed: bool,
}

#[derive(Debug)]
struct Open {
    entry: Entry,
    weight: usize,
    /// Whether it was handed on, and whether it is different since.
    sent: bool,
    changed: bool,
}

impl Book {
    /// Appends an entry that stays as it is.
    pub(super) fn add(&mut self, mut entry: Entry) {
        entry.cut |= was_cut();
        let index = self.number();
        self.failed = is_error(&entry);
        self.done.push(Change { index, is_new: true, entry });
    }

    /// Appends an entry that may change.
    pub(super) fn open(&mut self, entry: Entry) -> u64 {
        self.failed = false;
        self.open_beside(entry)
    }

    /// Appends an entry that may change, of diagnostics printed beside the conversation: an error before it is still the
    /// last message.
    pub(super) fn open_beside(&mut self, mut entry: Entry) -> u64 {
        entry.cut |= was_cut();
        let index = self.number();
        let weight = entry.weight();
        self.weight += weight;
        self.open.insert(index, Open { entry, weight, sent: false, changed: true });
        while (self.weight > MOST_BYTES && self.open.len() > 1) || self.open.len() > MOST {
            let Some(oldest) = self.open.keys().next().copied() else { break };
            self.close(oldest);
        }
        index
    }

    /// Changes an entry; false when it cannot be changed any more.
    pub(super) fn change(&mut self, index: u64, change: impl FnOnce(&mut Entry)) -> bool {
        let Some(open) = self.open.get_mut(&index) else { return false };
        change(&mut open.entry);
        open.entry.cut |= was_cut();
        open.changed = true;
        let weight = open.entry.weight();
        self.weight = self.weight - open.weight + weight;
        open.weight = weight;
        true
    }

    pub(super) fn get(&self, index: u64) -> Option<&Entry> {
        self.open.get(&index).map(|open| &open.entry)
    }

    /// From now on the entry stays as it is.
    pub(super) fn close(&mut self, index: u64) {
        let Some(Open { entry, weight, sent, changed }) = self.open.remove(&index) else { return };
        self.weight -= weight;
        if changed {
            self.done.push(Change { index, is_new: !sent, entry });
        }
    }

    /// The entries that may still change.
    pub(super) fn opened(&self) -> Vec<u64> {
        self.open.keys().copied().collect()
    }

    /// What is new or different since this was last asked, each entry once and in order.
    pub(super) fn take(&mut self) -> Vec<Change> {
        let mut changes = std::mem::take(&mut self.done);
        for (index, open) in self.open.iter_mut().filter(|(_, open)| open.changed) {
            changes.push(Change { index: *index, is_new: !open.sent, entry: open.entry.clone() });
            (open.sent, open.changed) = (true, false);
        }
        changes.sort_by_key(|change| change.index);
        changes
    }

    /// Whether the last message is an error; diagnostics do not count.
    pub(super) const fn ends_with_error(&self) -> bool {
        self.failed
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }
}

const fn is_error(entry: &Entry) -> bool {
    matches!(entry.entry_type, EntryType::ErrorMessage { .. })
}
