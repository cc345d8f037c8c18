//! Connections that wait for a request. When no place is left, the one that has waited longest makes room.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio_util::sync::CancellationToken;

/// All connections without a request under way, by the order in which they began to wait.
#[derive(Clone, Default)]
pub(super) struct IdleConnections {
    waiting: Arc<Mutex<Waiting>>,
    became_idle: Arc<Notify>,
}

#[derive(Default)]
struct Waiting {
    next: u64,
    by_turn: BTreeMap<u64, CancellationToken>,
}

/// One connection: idle, or busy with a number of requests.
pub(super) struct ConnectionActivity {
    all: IdleConnections,
    evicted: CancellationToken,
    state: Mutex<Activity>,
}

#[derive(Default)]
struct Activity {
    turn: Option<u64>,
    requests: usize,
}

/// A request under way, until its answer is sent.
pub(super) struct BusyGuard(Arc<ConnectionActivity>);

impl IdleConnections {
    /// Adds a connection, which is idle at first.
    pub(super) fn add(&self) -> Arc<ConnectionActivity> {
        let (evicted, state) = (CancellationToken::new(), Mutex::default());
        let connection = Arc::new(ConnectionActivity { all: self.clone(), evicted, state });
        connection.wait(&mut lock(&connection.state));
        connection
    }

    /// Waits until a connection begins to wait for a request.
    pub(super) fn became_idle(&self) -> Notified<'_> {
        self.became_idle.notified()
    }

    /// Asks the connection that has been idle for the longest time to close.
    pub(super) fn evict(&self) {
        let oldest = lock(&self.waiting).by_turn.pop_first();
        if let Some((_, connection)) = oldest {
            connection.cancel();
        }
    }
}

impl ConnectionActivity {
    /// Marks the connection as busy until the guard is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> BusyGuard {
        let mut state = lock(&self.state);
        state.requests += 1;
        if let Some(turn) = state.turn.take() {
            lock(&self.all.waiting).by_turn.remove(&turn);
        }
        BusyGuard(Arc::clone(self))
    }

    /// Waits until the connection has to make room.
    pub(super) async fn evicted(&self) {
        self.evicted.cancelled().await;
    }

    fn wait(&self, state: &mut Activity) {
        let mut waiting = lock(&self.all.waiting);
        let turn = waiting.next;
        waiting.next += 1;
        waiting.by_turn.insert(turn, self.evicted.clone());
        state.turn = Some(turn);
        self.all.became_idle.notify_waiters();
    }
}

impl Drop for ConnectionActivity {
    fn drop(&mut self) {
        if let Some(turn) = lock(&self.state).turn {
            lock(&self.all.waiting).by_turn.remove(&turn);
        }
    }
}

impl Drop for BusyGuard {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.requests -= 1;
        if state.requests == 0 {
            self.0.wait(&mut state);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An answer's body that keeps its connection busy until it is sent.
pub(super) struct BusyBody {
    body: Body,
    _busy: BusyGuard,
}

impl BusyBody {
    pub(super) const fn new(body: Body, busy: BusyGuard) -> Self {
        Self { body, _busy: busy }
    }
}

impl HttpBody for BusyBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_idle_connection_is_evicted_and_busy_ones_are_not() {
        let all = IdleConnections::default();
        let [first, second, third] = [(); 3].map(|()| all.add());
        let busy = first.begin();
        all.evict();
        assert!(!first.evicted.is_cancelled() && second.evicted.is_cancelled());
        drop(busy);
        // It was idle later than the third.
        all.evict();
        assert!(!first.evicted.is_cancelled() && third.evicted.is_cancelled());
        drop(first);
        all.evict();
        assert!(lock(&all.waiting).by_turn.is_empty());
    }
}
