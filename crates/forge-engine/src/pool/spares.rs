//! Which spares there are, how many are wanted, and whether anybody is at a start.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use forge_git::{Oid, Spare};
use tokio::sync::watch;

use super::PoolOptions;

/// Starts that are no further apart belong to one burst.
const BURST: Duration = Duration::from_secs(60);
/// How long the size of a burst is remembered.
const REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

/// The spares of all projects.
#[derive(Default)]
pub(crate) struct Pool {
    /// What starts wanted lately, by label.
    demand: Mutex<HashMap<String, Demand>>,
    /// Those whose branch was not used for the longest time come first.
    spares: Mutex<Vec<Spare>>,
    starts: watch::Sender<usize>,
    /// One spare is made at a time.
    turn: tokio::sync::Mutex<()>,
}

/// How many starts came close together, as long as spares were missing for some of them.
struct Demand {
    /// In the burst that goes on.
    starts: usize,
    last: Instant,
    /// In the largest burst.
    most: usize,
    most_at: Instant,
}

impl Demand {
    /// The starts in the largest burst, unless it is long ago.
    fn lately(&self, now: Instant) -> usize {
        if now.duration_since(self.most_at) < REMEMBERED { self.most } else { 0 }
    }
}

/// A start under way. Nothing is made in advance as long as there is one.
pub(crate) struct Start<'a>(&'a Pool);

impl Pool {
    pub(crate) fn begin_start(&self) -> Start<'_> {
        self.starts.send_modify(|starts| *starts += 1);
        Start(self)
    }

    /// Waits until nobody makes a spare and nobody is at a start.
    pub(super) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        let turn = self.turn.lock().await;
        // It fails only without a sender, and that is in here.
        drop(self.starts.subscribe().wait_for(|starts| *starts == 0).await);
        turn
    }

    pub(super) fn enter(&self, spare: Spare) {
        self.spares().push(spare);
    }

    /// Takes out a spare with this label, best with this commit. What is left of the label was used just now.
    pub(super) fn take(&self, label: &str, commit: &Oid) -> Option<Spare> {
        let taken = self.take_any(label, commit);
        self.count_start(label, taken.is_none(), Instant::now());
        taken
    }

    fn count_start(&self, label: &str, is_missed: bool, now: Instant) {
        let mut demand = self.demand.lock().unwrap_or_else(PoisonError::into_inner);
        demand.retain(|_, demand| now.duration_since(demand.last) < REMEMBERED);
        let new = Demand { starts: 0, last: now, most: 0, most_at: now };
        let demand = demand.entry(label.to_owned()).or_insert(new);
        demand.starts = if now.duration_since(demand.last) < BURST { demand.starts + 1 } else { 1 };
        demand.last = now;
        if is_missed && demand.starts > demand.lately(now) {
            (demand.most, demand.most_at) = (demand.starts, now);
        }
    }

    /// How many spares with this label the next starts will want: `size`, or as many as came close together and did
    /// not all find one.
    pub(super) fn wanted(&self, label: &str, size: usize) -> usize {
        let demand = self.demand.lock().unwrap_or_else(PoisonError::into_inner);
        demand.get(label).map_or(size, |demand| demand.lately(Instant::now()).max(size))
    }

    fn take_any(&self, label: &str, commit: &Oid) -> Option<Spare> {
        let mut spares = self.spares();
        let with_commit = spares.iter().rposition(|spare| spare.label() == label && spare.oid() == commit);
        let found = with_commit.or_else(|| spares.iter().rposition(|spare| spare.label() == label))?;
        let taken = spares.remove(found);
        // A sort keeps the order of what it does not tell apart.
        spares.sort_by_key(|spare| spare.label() == label);
        Some(taken)
    }

    pub(super) fn count(&self, label: &str) -> usize {
        self.spares().iter().filter(|spare| spare.label() == label).count()
    }

    /// The folders of the spares that are as `wanted`.
    pub(super) fn folders(&self, wanted: impl Fn(&Spare) -> bool) -> Vec<PathBuf> {
        self.spares().iter().filter(|spare| wanted(spare)).map(|spare| spare.dir().to_owned()).collect()
    }

    /// Takes out the spares of other branches that have to go for one more of this size. None when it would not fit
    /// even then. A branch that has its usual number takes nothing from others.
    pub(super) fn make_room(&self, options: &PoolOptions, label: &str, bytes: u64) -> Option<Vec<Spare>> {
        let mut spares = self.spares();
        let own: Vec<Spare> = spares.iter().filter(|spare| spare.label() == label).cloned().collect();
        if own.len() >= options.max_spares || size(&own).saturating_add(bytes) > options.max_bytes {
            return None;
        }
        let mut gone = Vec::new();
        while spares.len() >= options.max_spares || size(&spares).saturating_add(bytes) > options.max_bytes {
            let others = spares.iter().position(|spare| spare.label() != label);
            let oldest = others.filter(|_| own.len() < options.size)?;
            gone.push(spares.remove(oldest));
        }
        Some(gone)
    }

    /// Takes out what is more than there may be.
    pub(super) fn shrink(&self, options: &PoolOptions) -> Vec<Spare> {
        let mut spares = self.spares();
        let most = if options.size == 0 { 0 } else { options.max_spares };
        let mut gone = Vec::new();
        while spares.len() > most || size(&spares) > options.max_bytes {
            gone.push(spares.remove(0));
        }
        gone
    }

    /// Takes out the spares that are as `wanted`.
    pub(super) fn remove(&self, wanted: impl Fn(&Spare) -> bool) -> Vec<Spare> {
        self.spares().extract_if(.., |spare| wanted(spare)).collect()
    }

    fn spares(&self) -> MutexGuard<'_, Vec<Spare>> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size(spares: &[Spare]) -> u64 {
    spares.iter().map(Spare::bytes).fold(0, u64::saturating_add)
}

impl Drop for Start<'_> {
    fn drop(&mut self) {
        self.0.starts.send_modify(|starts| *starts -= 1);
    }
}
