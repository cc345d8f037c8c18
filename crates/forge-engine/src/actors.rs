//! One actor per attempt that has something going on: the only place that changes an attempt after its start.
//!
//! An actor is made when it is asked something and goes when there is nothing to do, so their number follows what
//! runs and not how many attempts there ever were.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use forge_model::AttemptId;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;

use crate::actor::{self, Request};
use crate::engine::Engine;
use crate::error::{Error, Result};

type Map = HashMap<AttemptId, UnboundedSender<Request>>;

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
        let request = match map.get(&attempt) {
            // An actor that ended without leaving panicked; the store knows where it was, so a new one goes on.
            Some(actor) => match actor.send(request) {
                Ok(()) => return,
                Err(mpsc::error::SendError(request)) => request,
            },
            None => request,
        };
        let (sender, receiver) = mpsc::unbounded_channel();
        if sender.send(request).is_ok() {
            engine.inner.tasks.spawn(actor::run(engine.clone(), attempt, receiver));
            map.insert(attempt, sender);
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
