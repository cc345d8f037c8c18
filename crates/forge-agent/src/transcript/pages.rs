//! A transcript as it is kept: folded once, in blocks of what changed, beside the log that it was folded from.
//!
//! A block holds what became of entries between the block before it and a position of the log, each entry once, as it
//! was by then, and with the positions at which it was made and last changed. So whoever has everything up to any
//! position goes on from there, whether it is the end of a block or not; and what grows word by word is stored a few
//! times, not once for each word. The block that is being filled is in memory, and so are the few before it, which
//! readers who keep up are about to ask for.
//!
//! The file is written aside and gets its name when the transcript is over. One that a killed server left is made
//! anew: the log has everything, and folding it gives the same.

mod file;
mod folder;

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::file::{BlockFile, Row};
pub use self::folder::Folder;
use crate::log::LogError;

/// How much of the blocks written last is kept in memory for those who follow closely.
const RECENT: usize = 4;
/// A page of entries that is so long is cut short; there is always at least one.
const PAGE_BYTES: usize = 4 << 20;

/// An entry as it was stored, or is about to be.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Record {
    index: u64,
    /// The position at which it was made; 0 where that was before its block.
    made: u64,
    /// The position at which it last changed.
    changed: u64,
    json: Arc<str>,
}

/// What changed up to a position.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    position: u64,
    records: Vec<Record>,
}

/// An entry that is new, or different from before, as it is written on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its place in the transcript, from 0.
    pub index: u64,
    /// Whether it was not there before.
    pub is_new: bool,
    /// The entry as it is now.
    pub json: Arc<str>,
}

/// Entries that are new or different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// Each entry once, in the order of their numbers.
    pub changes: Vec<Change>,
    /// The place from which a reader goes on that has these.
    pub position: u64,
}

/// What there is after a position.
#[derive(Debug, PartialEq, Eq)]
pub enum After {
    /// This, and perhaps more.
    Some(Changes),
    /// Nothing yet.
    NotYet,
    /// Nothing, and nothing will come.
    Over,
}

/// Some entries in a row, as they are now.
#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    /// The number of the first.
    pub first: u64,
    /// The entries, as they are written on the wire.
    pub entries: Vec<Arc<str>>,
    /// How many the transcript has.
    pub total: u64,
}

/// A transcript that is read, whether it still grows or not. Shared by all who read it.
#[derive(Debug)]
pub struct Pages {
    file: BlockFile,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    rows: Vec<Row>,
    recent: VecDeque<Arc<Block>>,
    /// What changed since the last block.
    pending: BTreeMap<u64, Record>,
    /// How far the log is folded.
    position: u64,
    /// How many entries there are.
    total: u64,
    over: bool,
}

impl Pages {
    /// The transcript in a process's folder that was folded to its end; none where there is none, or none that this
    /// program can read.
    #[must_use]
    pub fn open(dir: &Path) -> Option<Self> {
        let (file, rows) = BlockFile::open(dir)?;
        let (position, total) = rows.last().map_or((0, 0), |last| (last.position, last.next));
        let state = State { rows, position, total, over: true, ..State::default() };
        Some(Self { file, state: Mutex::new(state) })
    }

    /// The next of what is new or different to somebody who has everything up to `position`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn after(&self, position: u64) -> Result<After, LogError> {
        let mut reached = position;
        loop {
            let state = self.lock();
            let at = state.rows.partition_point(|row| row.position <= reached);
            let Some(row) = state.rows.get(at).copied() else {
                let changes: Vec<_> = since(state.pending.values(), position).collect();
                return Ok(match state.over {
                    _ if !changes.is_empty() => After::Some(Changes { changes, position: state.position }),
                    true => After::Over,
                    false => After::NotYet,
                });
            };
            let recent = state.recent.iter().find(|block| block.position == row.position).cloned();
            drop(state);
            let block = match recent {
                Some(block) => block,
                None => Arc::new(self.file.read(row)?),
            };
            let changes: Vec<_> = since(block.records.iter(), position).collect();
            if !changes.is_empty() {
                return Ok(After::Some(Changes { changes, position: row.position }));
            }
            reached = row.position;
        }
    }

    /// The last entries before number `before`, or of all, `limit` at most.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn before(&self, before: Option<u64>, limit: u64) -> Result<Page, LogError> {
        let state = self.lock();
        let total = state.total;
        let end = before.unwrap_or(total).min(total);
        let mut first = end.saturating_sub(limit);
        let mut found: BTreeMap<u64, Arc<str>> = BTreeMap::new();
        let mut bytes = 0;
        let mut add = |records: &mut dyn Iterator<Item = &Record>, first: u64| {
            for record in records.filter(|record| (first..end).contains(&record.index)) {
                // From the newest block to the oldest: what is known already is newer.
                found.entry(record.index).or_insert_with(|| {
                    bytes += record.json.len();
                    record.json.clone()
                });
            }
            bytes
        };
        add(&mut state.pending.values(), first);
        let rows: Vec<(Row, u64, Option<Arc<Block>>)> = (state.rows.iter().enumerate().rev())
            .filter(|(_, row)| row.lowest < end && row.next > first)
            .map(|(at, row)| {
                let begins = at.checked_sub(1).and_then(|at| state.rows.get(at)).map_or(0, |row| row.next);
                let recent = state.recent.iter().find(|block| block.position == row.position);
                (*row, begins, recent.cloned())
            })
            .collect();
        drop(state);
        for (row, begins, recent) in rows {
            let block = match recent {
                Some(block) => block,
                None => Arc::new(self.file.read(row)?),
            };
            if add(&mut block.records.iter(), first) > PAGE_BYTES && begins < end {
                // Everything from here on is found, and enough.
                first = first.max(begins);
                break;
            }
        }
        let entries: Vec<_> = found.split_off(&first).into_values().collect();
        Ok(Page { first, entries, total })
    }

    /// How far the log is folded.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.lock().position
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What of the records is news to somebody who has everything up to `position`.
fn since<'a>(records: impl Iterator<Item = &'a Record>, position: u64) -> impl Iterator<Item = Change> {
    records.filter(move |record| record.changed > position).map(move |record| Change {
        index: record.index,
        is_new: record.made > position,
        json: record.json.clone(),
    })
}

#[cfg(test)]
#[path = "pages/pages_tests.rs"]
mod tests;
