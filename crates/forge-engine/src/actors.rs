//! One actor per attempt that has something going on: the only place that changes an attempt after its start.
//!
//! An actor is made when it is asked something and goes when there is nothing to do, so their number follows what
//! runs and not how many attempts there ever were.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forge_model::AttemptId;
use forge_store::StoreError;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::{oneshot, watch};

use crate::actor::{self, Request};
use crate::engine::Engine;
use crate::error::{Error, Result};

type Map = HashMap<AttemptId, Handle>;

/// How an actor is reached.
struct Handle {
    requests: UnboundedSender<Request>,
    stops: Stops,
}

/// How many stops were asked for and are not heard yet: an actor that saves a worktree hears of nothing else.
#[derive(Clone)]
pub(crate) struct Stops(Arc<watch::Sender<usize>>);

impl Stops {
    fn new() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }

    /// Counts a request if it is a stop, before the actor can hear of it.
    fn count(&self, request: &mut Request) {
        if let Request::Stop(unheard, _) = request {
            self.0.send_modify(|waiting| *waiting += 1);
            *unheard = Unheard(Some(self.clone()));
        }
    }

    /// Whether one is asked for.
    pub(crate) fn is_asked(&self) -> bool {
        *self.0.borrow() > 0
    }

    /// Waits until one is asked for.
    pub(crate) async fn asked(&self) {
        // The sender is ours, so it is not gone.
        drop(self.0.subscribe().wait_for(|waiting| *waiting > 0).await);
    }
}

/// A stop that its actor has not heard; dropped when it has, or when it is refused.
#[derive(Default)]
pub(crate) struct Unheard(Option<Stops>);

impl Drop for Unheard {
    fn drop(&mut self) {
        if let Some(Stops(waiting)) = &self.0 {
            waiting.send_modify(|waiting| *waiting = waiting.saturating_sub(1));
        }
    }
}

/// Requests that an actor has not handled yet.
pub(crate) struct Inbox {
    requests: UnboundedReceiver<Request>,
    /// Whether the actor wakes by itself when it has handled all of them.
    wakes: bool,
}

impl Inbox {
    /// Lets the actor try again what it could not do.
    pub(crate) const fn wake_later(&mut self) {
        self.wakes = true;
    }

    /// The next request, if there is one.
    pub(crate) fn take(&mut self) -> Option<Request> {
        let wakes = std::mem::take(&mut self.wakes);
        match self.requests.try_recv() {
            Ok(request) => {
                self.wakes = wakes;
                Some(request)
            }
            Err(_none) => wakes.then_some(Request::Wake),
        }
    }

    /// Waits for the next request; none when nobody can ask any more.
    pub(crate) async fn next(&mut self) -> Option<Request> {
        match self.take() {
            Some(request) => Some(request),
            None => self.requests.recv().await,
        }
    }

    fn is_empty(&self) -> bool {
        self.requests.is_empty() && !self.wakes
    }
}

/// The actors that are awake.
#[derive(Default)]
pub(crate) struct Actors {
    map: Mutex<Map>,
}

impl Actors {
    /// Asks the attempt's actor and waits for its answer.
    pub(crate) async fn ask<T>(
        &self,
        engine: &Engine,
        attempt: AttemptId,
        request: impl FnOnce(oneshot::Sender<Result<T>>) -> Request,
    ) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        self.send(engine, attempt, request(answer));
        tokio::select! {
            biased;
            answer = answered => answer.unwrap_or_else(|_closed| {
                Err(Error::unavailable("shutting_down", "the server is shutting down")
                    .hint("ask again when it is back"))
            }),
            // The actor goes on when the database is back.
            () = engine.inner.store.unresolved_for_long() => Err(StoreError::Unknown.into()),
        }
    }

    /// Hands a request over. Under the lock, so that an actor that is about to go either sees it or is gone.
    pub(crate) fn send(&self, engine: &Engine, attempt: AttemptId, mut request: Request) {
        let mut map = self.lock();
        let request = match map.get(&attempt) {
            // An actor that ended without leaving panicked; the store knows where it was, so a new one goes on.
            Some(actor) => {
                actor.stops.count(&mut request);
                match actor.requests.send(request) {
                    Ok(()) => return,
                    Err(mpsc::error::SendError(request)) => request,
                }
            }
            None => request,
        };
        let (requests, receiver) = mpsc::unbounded_channel();
        let inbox = Inbox { requests: receiver, wakes: false };
        let stops = Stops::new();
        let mut request = request;
        stops.count(&mut request);
        if requests.send(request).is_ok() {
            engine.inner.tasks.spawn(actor::run(engine.clone(), attempt, inbox, stops.clone()));
            map.insert(attempt, Handle { requests, stops });
        }
    }

    /// Takes the actor out, unless somebody has just asked it something.
    pub(crate) fn leave(&self, attempt: AttemptId, inbox: &Inbox) -> bool {
        let mut map = self.lock();
        let unasked = inbox.is_empty();
        if unasked {
            map.remove(&attempt);
        }
        unasked
    }

    fn lock(&self) -> MutexGuard<'_, Map> {
        self.map.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn stop_counts_until_heard_or_refused() {
        let stops = Stops::new();
        let mut request = Request::Stop(Unheard::default(), oneshot::channel().0);
        stops.count(&mut request);
        stops.asked().await;
        drop(request);
        assert!(stops.asked().now_or_never().is_none());
    }
}
