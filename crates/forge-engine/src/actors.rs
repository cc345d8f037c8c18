//! One actor per attempt that has something going on: the only place that changes an attempt after its start.
//!
//! An actor is made when it is asked something and goes when there is nothing to do, so their number follows what
//! runs and not how many attempts there ever were.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forge_model::AttemptId;
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

    fn ask(&self) {
        self.0.send_modify(|waiting| *waiting += 1);
    }

    /// Takes one into account.
    pub(crate) fn heard(&self) {
        self.0.send_modify(|waiting| *waiting = waiting.saturating_sub(1));
    }

    /// Waits until one is asked for.
    pub(crate) async fn asked(&self) {
        // The sender is ours, so it is not gone.
        drop(self.0.subscribe().wait_for(|waiting| *waiting > 0).await);
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
        answered.await.unwrap_or_else(|_closed| {
            Err(Error::unavailable("shutting_down", "the server is shutting down")
                .hint("ask again when it is back"))
        })
    }

    /// Hands a request over. Under the lock, so that an actor that is about to go either sees it or is gone.
    pub(crate) fn send(&self, engine: &Engine, attempt: AttemptId, request: Request) {
        let mut map = self.lock();
        let is_stop = matches!(request, Request::Stop(_));
        let request = match map.get(&attempt) {
            // An actor that ended without leaving panicked; the store knows where it was, so a new one goes on.
            Some(actor) => {
                // Before the actor can hear of it.
                if is_stop {
                    actor.stops.ask();
                }
                match actor.requests.send(request) {
                    Ok(()) => return,
                    Err(mpsc::error::SendError(request)) => request,
                }
            }
            None => request,
        };
        let (requests, receiver) = mpsc::unbounded_channel();
        let stops = Stops::new();
        if requests.send(request).is_ok() {
            if is_stop {
                stops.ask();
            }
            engine.inner.tasks.spawn(actor::run(engine.clone(), attempt, receiver, stops.clone()));
            map.insert(attempt, Handle { requests, stops });
        }
    }

    /// Takes the actor out, unless somebody has just asked it something.
    pub(crate) fn leave(&self, attempt: AttemptId, requests: &UnboundedReceiver<Request>) -> bool {
        let mut map = self.lock();
        let unasked = requests.is_empty();
        if unasked {
            map.remove(&attempt);
        }
        unasked
    }

    fn lock(&self) -> MutexGuard<'_, Map> {
        self.map.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
