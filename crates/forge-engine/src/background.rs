//! Work in a worktree that goes on while the actor hears what is asked, and ends in time when the attempt is to stop.

use std::time::Duration;

use tokio::task::{JoinError, JoinHandle};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::engine::Engine;

/// Work that was begun.
pub(crate) struct Background<T> {
    task: JoinHandle<T>,
    stop: CancellationToken,
    /// When its time is over, once it was asked to stop.
    stop_at: Option<Instant>,
}

impl<T: Send + 'static> Background<T> {
    /// Begins it. It ends soon after the token is cancelled.
    pub(crate) fn begin<F>(engine: &Engine, work: impl FnOnce(CancellationToken) -> F) -> Self
    where
        F: Future<Output = T> + Send + 'static,
    {
        let stop = CancellationToken::new();
        Self { task: engine.inner.tasks.spawn(work(stop.clone())), stop, stop_at: None }
    }

    /// Leaves it so much time to end.
    pub(crate) fn end_within(&mut self, grace: Duration) {
        self.stop_at = Some(Instant::now() + grace);
    }

    /// Ends it with whoever holds this.
    pub(crate) fn end_with(&self) -> DropGuard {
        self.stop.clone().drop_guard()
    }

    /// Waits for its end. Nothing is lost when this is dropped half-way.
    pub(crate) async fn done(&mut self) -> Result<T, JoinError> {
        if let Some(stop_at) = self.stop_at {
            tokio::select! {
                done = &mut self.task => return done,
                () = tokio::time::sleep_until(stop_at) => self.stop.cancel(),
            }
        }
        (&mut self.task).await
    }
}
