//! Calls under way, so that `notifications/cancelled` can name one. A session is a name that `initialize` hands out;
//! nothing else belongs to it, and one of an earlier server is as good.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// The calls of all sessions.
#[derive(Clone, Default)]
pub(crate) struct McpCalls(Arc<Mutex<Running>>);

#[derive(Default)]
struct Running {
    calls: HashMap<CallName, (u64, CancellationToken)>,
    started: u64,
}

/// A session and the id of a request in it, as JSON: `1` is not `"1"`.
#[derive(Clone, PartialEq, Eq, Hash)]
struct CallName {
    session: String,
    request: String,
}

impl CallName {
    fn new(session: &str, request: &Value) -> Self {
        Self { session: session.to_owned(), request: request.to_string() }
    }
}

/// A call that can be canceled until this is dropped.
pub(super) struct McpCall {
    calls: McpCalls,
    name: CallName,
    number: u64,
}

impl McpCalls {
    /// Notes that a call is under way; canceling it cancels the token.
    pub(super) fn begin(&self, session: &str, request: &Value, stop: CancellationToken) -> McpCall {
        let name = CallName::new(session, request);
        let mut running = self.lock();
        running.started += 1;
        let number = running.started;
        running.calls.insert(name.clone(), (number, stop));
        drop(running);
        McpCall { calls: self.clone(), name, number }
    }

    /// Cancels a call; one that is over, or of another session, is left alone.
    pub(super) fn cancel(&self, session: &str, request: &Value) {
        if let Some((_, stop)) = self.lock().calls.get(&CallName::new(session, request)) {
            stop.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for McpCall {
    fn drop(&mut self) {
        let mut running = self.calls.lock();
        // A client may have used the same id again meanwhile.
        if running.calls.get(&self.name).is_some_and(|(number, _)| *number == self.number) {
            running.calls.remove(&self.name);
        }
    }
}
