//! Boards that were looked at, kept in memory: to read ten thousand rows for each look is most of what a look costs.
//!
//! The event log keeps them in step. A look first applies what was committed since the last one, so it is never older
//! than the database. How much is kept is bounded by bytes, not by how many there are. A board that is larger than that is
//! read for each look, by a few at a time: readers that stall hold a bounded number of copies.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use forge_model::{Fact, ProjectId, Seq, TaskCard, TaskId, TaskStatus, Timestamp};
use forge_store::{Store, StoreError};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::error::{Error, Result};

/// What all boards together may take.
const BYTES: usize = 16 * 1024 * 1024;

/// What a card takes beside its texts: itself, its place in the order, the index.
const CARD: usize = size_of::<TaskCard>() + 128;

/// Further behind than this, reading the rows anew is cheaper than what happened since.
const BEHIND: Seq = 2_000;

const PAGE: usize = 500;

/// How long a look waits for others before it reads the rows itself.
const PATIENCE: Duration = Duration::from_millis(50);

/// How many copies of large boards may be in memory.
const COPIES: usize = 2;

/// How long a look waits for one of them to be sent.
const WAIT: Duration = Duration::from_secs(10);

/// All boards that are kept.
pub(crate) struct Boards {
    kept: Mutex<Kept>,
    copies: Arc<Semaphore>,
    wait: Duration,
}

impl Default for Boards {
    fn default() -> Self {
        Self { kept: Mutex::default(), copies: Arc::new(Semaphore::new(COPIES)), wait: WAIT }
    }
}

/// The cards of a board, newest first.
#[derive(Debug)]
pub struct BoardCards {
    cards: Vec<Arc<TaskCard>>,
    copy: BoardCopy,
}

/// Keeps others from reading a large board as long as its cards are in use.
#[derive(Debug)]
pub struct BoardCopy {
    _permit: Option<OwnedSemaphorePermit>,
}

impl BoardCards {
    /// The cards, and what to hold as long as they are in use.
    #[must_use]
    pub fn into_parts(self) -> (Vec<Arc<TaskCard>>, BoardCopy) {
        (self.cards, self.copy)
    }
}

impl Deref for BoardCards {
    type Target = [Arc<TaskCard>];

    fn deref(&self) -> &Self::Target {
        &self.cards
    }
}

/// Every board is as it was when the event `at` was committed.
#[derive(Default)]
struct Kept {
    at: Seq,
    boards: HashMap<ProjectId, Board>,
    /// Boards that were too large to keep when they were last read.
    large: HashSet<ProjectId>,
    /// Counts looks, to tell which board was looked at last.
    looks: u64,
}

#[derive(Default)]
struct Board {
    /// In the order of a list.
    cards: BTreeMap<Place, Arc<TaskCard>>,
    places: HashMap<TaskId, Place>,
    bytes: usize,
    looked: u64,
}

/// What a look shows.
pub(crate) struct Look {
    /// The newest event that it shows: nothing before it is missing, nothing after it is in it.
    pub(crate) at: Seq,
    pub(crate) cards: BoardCards,
}

/// Newest first.
type Place = Reverse<(Timestamp, TaskId)>;

impl Boards {
    /// The cards of a project's board as they stand, newest first. None for a project that is not there.
    ///
    /// # Errors
    /// `board_busy` when the board is large and the copies that may be in memory are still being sent to others.
    pub(crate) async fn look(&self, store: &Store, project: ProjectId) -> Result<Look> {
        // A look that reads rows for another board, or waits for a database that is away, does not hold up the others.
        let mut kept = match timeout(PATIENCE, self.kept.lock()).await {
            Ok(kept) => kept,
            Err(_elapsed) => tokio::select! {
                biased;
                kept = self.kept.lock() => kept,
                permit = self.permit() => return self.read(store, project, permit?).await,
            },
        };
        if !kept.large.contains(&project) {
            kept.catch_up(store).await?;
            if !kept.boards.contains_key(&project) {
                kept.load(store, project).await?;
            }
            if let Some(cards) = kept.look(project) {
                return Ok(Look {
                    at: kept.at,
                    cards: BoardCards { cards, copy: BoardCopy { _permit: None } },
                });
            }
            // Deleted in this moment, or the events went before they were read.
        }
        drop(kept);
        self.read(store, project, self.permit().await?).await
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit> {
        match timeout(self.wait, Arc::clone(&self.copies).acquire_owned()).await {
            Ok(permit) => Ok(permit.map_err(|_closed| StoreError::Closed)?),
            Err(_elapsed) => Err(Error::unavailable(
                "board_busy",
                "the board is large, and it is still being sent to as many slow readers as are served at once",
            )
            .hint("try again, or delete tasks with long descriptions")),
        }
    }

    /// Reads a copy of its own.
    async fn read(&self, store: &Store, project: ProjectId, permit: OwnedSemaphorePermit) -> Result<Look> {
        let (at, cards) = store.board(project).await?;
        let is_large = cards.iter().map(weight).sum::<usize>() > BYTES;
        if !is_large {
            self.kept.lock().await.large.remove(&project);
        }
        let cards = cards.into_iter().map(Arc::new).collect();
        // A small copy does not keep others waiting for a reader that stalls.
        let copy = BoardCopy { _permit: is_large.then_some(permit) };
        Ok(Look { at, cards: BoardCards { cards, copy } })
    }
}

impl Kept {
    /// Applies what happened since the last look, or forgets all where that is too much.
    async fn catch_up(&mut self, store: &Store) -> Result<()> {
        let head = *store.head().borrow();
        if self.boards.is_empty() || head.saturating_sub(self.at) > BEHIND {
            self.forget(head);
        }
        while self.at < head && self.apply_page(store).await? {}
        Ok(())
    }

    async fn load(&mut self, store: &Store, project: ProjectId) -> Result<()> {
        let mut board = Board::default();
        for card in store.list_cards(project).await? {
            board.put(Arc::new(card));
        }
        self.boards.insert(project, board);
        // The rows may be younger than the events that were applied: all that is there by now makes both the same age.
        while self.apply_page(store).await? {}
        Ok(())
    }

    /// Applies the next events; false when there are none. What it cannot go on from is forgotten.
    async fn apply_page(&mut self, store: &Store) -> Result<bool> {
        let page = match store.events_after(self.at, PAGE).await {
            Ok(page) => page,
            Err(error) => {
                self.forget(*store.head().borrow());
                if let StoreError::Pruned { .. } = error {
                    return Ok(false);
                }
                return Err(error.into());
            }
        };
        for event in &page {
            self.at = event.seq;
            self.apply(&event.fact);
        }
        Ok(!page.is_empty())
    }

    fn forget(&mut self, at: Seq) {
        self.boards.clear();
        self.at = at;
    }

    fn apply(&mut self, fact: &Fact) {
        match fact {
            Fact::TaskCreated(card) | Fact::TaskUpdated(card) => {
                if let Some(board) = self.boards.get_mut(&card.task.project_id) {
                    board.put(Arc::new(card.clone()));
                }
            }
            Fact::TaskDeleted { id, project_id, .. } => {
                if let Some(board) = self.boards.get_mut(project_id) {
                    board.remove(*id);
                }
            }
            Fact::ProjectDeleted { id } => {
                self.boards.remove(id);
                self.large.remove(id);
            }
            _ => {}
        }
    }

    /// The board's cards. Afterwards no more is kept than may be.
    fn look(&mut self, project: ProjectId) -> Option<Vec<Arc<TaskCard>>> {
        self.looks += 1;
        let board = self.boards.get_mut(&project)?;
        board.looked = self.looks;
        let cards = board.cards.values().cloned().collect();
        while self.boards.values().map(|board| board.bytes).sum::<usize>() > BYTES {
            let oldest = self.boards.iter().min_by_key(|(_, board)| board.looked).map(|(id, _)| *id);
            if let Some(board) = oldest.and_then(|id| self.boards.remove(&id))
                && board.bytes > BYTES
            {
                self.large.extend(oldest);
            }
        }
        Some(cards)
    }
}

impl Board {
    /// Puts a card where it belongs, in place of what was known of its task.
    fn put(&mut self, card: Arc<TaskCard>) {
        let id = card.task.id;
        self.remove(id);
        if card.task.status == TaskStatus::Agent {
            return;
        }
        let place = Reverse((card.task.created_at, id));
        self.bytes += weight(&card);
        self.places.insert(id, place);
        self.cards.insert(place, card);
    }

    fn remove(&mut self, id: TaskId) {
        if let Some(card) = self.places.remove(&id).and_then(|place| self.cards.remove(&place)) {
            self.bytes -= weight(&card);
        }
    }
}

fn weight(card: &TaskCard) -> usize {
    let description = card.task.description.as_ref().map_or(0, String::len);
    CARD + card.task.title.len() + description + card.executor.len()
}

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;
