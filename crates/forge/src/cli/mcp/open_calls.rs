//! The calls of the bridge that are under way: a bounded number, those that wait apart from the others.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::{Fault, Line, Server, UNREACHABLE, refusal};

/// So many calls may be under way at once, and so many wait beside them; further ones wait for a place.
pub(super) const MOST_CALLS: usize = 64;

/// So many lines are read ahead of the calls that have a place, so that a cancellation behind them is heard.
const MOST_OPEN: usize = 1024;

/// What is under way.
pub(super) struct OpenCalls {
    server: Arc<Server>,
    answers: mpsc::Sender<Value>,
    places: Arc<Semaphore>,
    running: JoinSet<()>,
    /// By their age.
    open: BTreeMap<u64, OpenCall>,
    started: u64,
}

struct OpenCall {
    id: Option<Value>,
    task: AbortHandle,
    /// Of one that waits: has it answered at once.
    give_up: Option<CancellationToken>,
}

impl OpenCalls {
    pub(super) fn new(server: Arc<Server>, answers: mpsc::Sender<Value>) -> Self {
        let places = Arc::new(Semaphore::new(MOST_CALLS));
        Self { server, answers, places, running: JoinSet::new(), open: BTreeMap::new(), started: 0 }
    }

    /// Sends a line to the server. Clients forget calls that wait without a word, so where too many wait, the oldest is
    /// given up; any other call waits for a place.
    pub(super) async fn start(&mut self, line: Line, id: Option<Value>, waits: bool) {
        self.forget_finished();
        let places = if waits {
            self.give_up_oldest();
            None
        } else {
            while self.open.len() >= MOST_OPEN && self.running.join_next().await.is_some() {
                self.forget_finished();
            }
            Some(Arc::clone(&self.places))
        };
        self.started += 1;
        let number = self.started;
        let give_up = waits.then(CancellationToken::new);
        let given_up = give_up.clone().unwrap_or_default();
        let (server, answers, of) = (Arc::clone(&self.server), self.answers.clone(), id.clone());
        let task = self.running.spawn(async move {
            let place = match places {
                Some(places) => places.acquire_owned().await.ok(),
                None => None,
            };
            let answer = tokio::select! {
                answer = server.ask(line) => answer,
                () = given_up.cancelled() => of.map(|id| refusal(&id, UNREACHABLE, &too_many())),
            };
            if let Some(answer) = answer {
                // When nobody reads any more, the program has ended.
                drop(answers.send(answer).await);
            }
            drop(place);
        });
        self.open.insert(number, OpenCall { id, task, give_up });
    }

    /// Stops waiting for a call. The server stops one that only reads; what it changes, it finishes.
    pub(super) fn cancel(&mut self, request: &Value) {
        self.forget_finished();
        for call in self.open.values().filter(|call| call.id.as_ref() == Some(request)) {
            call.task.abort();
        }
    }

    /// Gives up what waits, and has the rest answered.
    pub(super) async fn finish(mut self) {
        for call in self.open.values().filter(|call| call.give_up.is_some()) {
            call.task.abort();
        }
        while self.running.join_next().await.is_some() {}
    }

    fn forget_finished(&mut self) {
        while self.running.try_join_next().is_some() {}
        self.open.retain(|_, call| !call.task.is_finished());
    }

    fn give_up_oldest(&self) {
        let waiting = self.open.values().filter_map(|call| call.give_up.as_ref());
        let waiting: Vec<_> = waiting.filter(|give_up| !give_up.is_cancelled()).collect();
        if waiting.len() >= MOST_CALLS
            && let Some(oldest) = waiting.first()
        {
            oldest.cancel();
        }
    }
}

fn too_many() -> Fault {
    let message =
        format!("more than {MOST_CALLS} calls wait, and this is the oldest; call again if you still need it");
    Fault { message, data: Value::Null }
}
