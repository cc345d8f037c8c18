//! What the server counts of itself. Counting costs an addition; whoever asks gets numbers and decides how to print them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use forge_model::{Seq, Usage};
use forge_store::StoreMeasured;

use crate::engine::Engine;

/// The upper bounds of the buckets in which durations are counted, in seconds; a last one takes all above.
const BOUNDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// The parts of a start, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Prepare,
    Intent,
    Worktree,
    Launch,
    Commit,
}

impl Phase {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Prepare, "prepare"),
        (Self::Intent, "intent"),
        (Self::Worktree, "worktree"),
        (Self::Launch, "launch"),
        (Self::Commit, "commit"),
    ];
}

/// A kind of stream that clients keep open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamKind {
    /// Server-sent events.
    Events,
    /// The output of a process.
    RawLogs,
    /// Documents that are kept up to date by patches: boards, processes, projects, drafts.
    Documents,
    /// What an agent said and did.
    Transcripts,
    /// What an attempt changes in its worktree.
    Diffs,
    /// The output of work without a task.
    RunLogs,
}

impl StreamKind {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Events, "events"),
        (Self::RawLogs, "raw_logs"),
        (Self::Documents, "documents"),
        (Self::Transcripts, "transcripts"),
        (Self::Diffs, "diffs"),
        (Self::RunLogs, "run_logs"),
    ];

    const fn reads_events(self) -> bool {
        matches!(self, Self::Events | Self::Documents)
    }

    const fn reads_logs(self) -> bool {
        matches!(self, Self::RawLogs | Self::Transcripts | Self::RunLogs)
    }
}

/// Everything that is counted.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    phases: [Histogram; Phase::ALL.len()],
    started: AtomicU64,
    refused: Mutex<BTreeMap<&'static str, u64>>,
    streams: [AtomicI64; StreamKind::ALL.len()],
    log_bytes: AtomicU64,
    compressed: AtomicU64,
    transcripts: AtomicU64,
    pruned: AtomicU64,
    used: Mutex<Usage>,
    /// Where each open reader of the event log is.
    readers: Mutex<BTreeMap<u64, Seq>>,
    next_reader: AtomicU64,
}

#[derive(Debug, Default)]
struct Histogram {
    buckets: [AtomicU64; BOUNDS.len() + 1],
    micros: AtomicU64,
}

/// Durations by bucket.
#[derive(Debug, Clone, PartialEq)]
pub struct Durations {
    /// How many took no longer than a bound in seconds, by bound.
    pub within: Vec<(f64, u64)>,
    /// How many there were.
    pub count: u64,
    /// What they took together, in seconds.
    pub sum: f64,
}

/// What the server has counted up to now.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// How long each part of starts took.
    pub start_phases: Vec<(&'static str, Durations)>,
    /// Attempts that were started, or put in the queue.
    pub started: u64,
    /// Starts that were refused or failed, by error code.
    pub not_started: Vec<(&'static str, u64)>,
    /// The newest event's place.
    pub event_head: Seq,
    /// How many events the slowest open reader is behind.
    pub event_lag: Seq,
    /// Processes that run, each with a host.
    pub hosts: usize,
    /// What the turns used up that ended since the server was started.
    pub used: Usage,
    /// Attempts that have room to run.
    pub attempts_running: usize,
    /// Attempts that wait for it.
    pub attempts_queued: usize,
    /// Open streams by kind.
    pub streams: Vec<(&'static str, i64)>,
    /// Bytes sent on streams of output.
    pub log_bytes: u64,
    /// Logs that were compressed.
    pub compressed: u64,
    /// Transcripts that were folded to their end and stored.
    pub transcripts: u64,
    /// Events that were forgotten.
    pub events_pruned: u64,
    /// What the store has counted.
    pub store: StoreMeasured,
}

/// An open stream: counted as long as it lives.
#[derive(Debug)]
pub struct OpenStream {
    metrics: Arc<Metrics>,
    kind: StreamKind,
    reader: u64,
}

/// Times a part of a start until it is dropped.
pub(crate) struct Timed<'a> {
    histogram: Option<&'a Histogram>,
    since: Instant,
}

impl Engine {
    /// What the server has counted up to now.
    #[must_use]
    pub fn measured(&self) -> Measured {
        let metrics = &self.inner.metrics;
        let event_head = *self.inner.store.head().borrow();
        let slowest = lock(&metrics.readers).values().min().copied();
        let (attempts_running, attempts_queued) = self.inner.slots.count();
        Measured {
            start_phases: Phase::ALL
                .iter()
                .zip(&metrics.phases)
                .map(|((_, name), histogram)| (*name, histogram.read()))
                .collect(),
            started: metrics.started.load(Relaxed),
            not_started: lock(&metrics.refused).iter().map(|(code, count)| (*code, *count)).collect(),
            event_head,
            event_lag: slowest.map_or(0, |slowest| event_head.saturating_sub(slowest).max(0)),
            hosts: self.inner.live.count(),
            used: *lock(&metrics.used),
            attempts_running,
            attempts_queued,
            streams: StreamKind::ALL
                .iter()
                .zip(&metrics.streams)
                .map(|((_, name), open)| (*name, open.load(Relaxed)))
                .collect(),
            log_bytes: metrics.log_bytes.load(Relaxed),
            compressed: metrics.compressed.load(Relaxed),
            transcripts: metrics.transcripts.load(Relaxed),
            events_pruned: metrics.pruned.load(Relaxed),
            store: self.inner.store.measured(),
        }
    }

    /// Counts a stream as open until what is given back is dropped. `at` is where its reader begins.
    #[must_use]
    pub fn open_stream(&self, kind: StreamKind, at: Seq) -> OpenStream {
        let metrics = Arc::clone(&self.inner.metrics);
        if let Some(open) = metrics.streams.get(kind as usize) {
            open.fetch_add(1, Relaxed);
        }
        let reader = metrics.next_reader.fetch_add(1, Relaxed);
        let stream = OpenStream { metrics, kind, reader };
        stream.at(at);
        stream
    }
}

impl OpenStream {
    /// The reader of events has come to this place.
    pub fn at(&self, seq: Seq) {
        if self.kind.reads_events() {
            lock(&self.metrics.readers).insert(self.reader, seq);
        }
    }

    /// So much was sent; of output it is counted.
    pub fn sent(&self, bytes: usize) {
        if self.kind.reads_logs() {
            self.metrics.log_bytes.fetch_add(bytes as u64, Relaxed);
        }
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        if let Some(open) = self.metrics.streams.get(self.kind as usize) {
            open.fetch_sub(1, Relaxed);
        }
        lock(&self.metrics.readers).remove(&self.reader);
    }
}

impl Metrics {
    pub(crate) fn time(&self, phase: Phase) -> Timed<'_> {
        Timed { histogram: self.phases.get(phase as usize), since: Instant::now() }
    }

    /// Counts what a start came to.
    pub(crate) fn start_ended(&self, failed: Option<&'static str>) {
        match failed {
            None => {
                self.started.fetch_add(1, Relaxed);
            }
            // Codes are words of the program, never of a caller: there are few.
            Some(code) => *lock(&self.refused).entry(code).or_default() += 1,
        }
    }

    pub(crate) fn transcript_stored(&self) {
        self.transcripts.fetch_add(1, Relaxed);
    }

    pub(crate) fn log_compressed(&self) {
        self.compressed.fetch_add(1, Relaxed);
    }

    /// Adds what a turn used up.
    pub(crate) fn used(&self, usage: Usage) {
        *lock(&self.used) += usage;
    }

    pub(crate) fn events_pruned(&self, count: u64) {
        self.pruned.fetch_add(count, Relaxed);
    }
}

impl Drop for Timed<'_> {
    fn drop(&mut self) {
        if let Some(histogram) = self.histogram {
            histogram.count(self.since.elapsed());
        }
    }
}

impl Histogram {
    fn count(&self, took: Duration) {
        let seconds = took.as_secs_f64();
        let bucket = BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(BOUNDS.len());
        if let Some(bucket) = self.buckets.get(bucket) {
            bucket.fetch_add(1, Relaxed);
        }
        self.micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Relaxed);
    }

    fn read(&self) -> Durations {
        let mut count = 0;
        let mut within = Vec::with_capacity(BOUNDS.len());
        for (index, bucket) in self.buckets.iter().enumerate() {
            count += bucket.load(Relaxed);
            within.extend(BOUNDS.get(index).map(|bound| (*bound, count)));
        }
        Durations { within, count, sum: Duration::from_micros(self.micros.load(Relaxed)).as_secs_f64() }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_in_every_bucket_that_reaches_so_far() {
        let histogram = Histogram::default();
        for millis in [1, 3, 3, 700, 60_000] {
            histogram.count(Duration::from_millis(millis));
        }
        let read = histogram.read();
        let at = |bound: f64| read.within.iter().find(|(b, _)| *b == bound).map(|(_, count)| *count);
        assert_eq!(
            [at(0.001), at(0.0025), at(0.005), at(0.5), at(1.0), at(10.0)],
            [1, 1, 3, 3, 4, 4].map(Some)
        );
        assert_eq!(read.count, 5);
        assert!((read.sum - 60.707).abs() < 1e-9, "{}", read.sum);
    }

    #[test]
    fn every_phase_and_kind_has_its_own_place() {
        for (index, (phase, _)) in Phase::ALL.into_iter().enumerate() {
            assert_eq!(phase as usize, index);
        }
        for (index, (kind, _)) in StreamKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, index);
        }
    }
}
