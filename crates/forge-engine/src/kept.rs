//! Agents that wait between two turns, so that the next one costs no start.
//!
//! To the store and to everybody who reads, a turn is a process with a folder, a log and an end of its own. So a program whose
//! turn is over goes on as the process that the next turn will be: the folder is there and its host listens in it, but there
//! is no row. Only the attempt's actor uses it or ends it. Whoever finds one after a crash ends it, and where no server comes
//! its host lets it go.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use forge_agent::client::{self, Connection, Found, Lost, Wait};
use forge_model::{AttemptId, ProcessId};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::actor::Request;
use crate::engine::Engine;
use crate::error::Result;
use crate::launch::Began;

/// How agents are kept between turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keeping {
    /// How long one waits for its next turn; no time keeps none.
    pub idle: Duration,
    /// How many wait at most. The one that has waited longest goes first.
    pub most: usize,
}

/// An agent that waits for its next turn.
pub(crate) struct KeptAgent {
    /// What the process of that turn will be called.
    pub(crate) process: ProcessId,
    pub(crate) connection: Connection,
    /// What the program was started as.
    pub(crate) began: Began,
    /// The conversation that it has open.
    pub(crate) conversation: Option<String>,
}

/// All that wait.
#[derive(Default)]
pub(crate) struct KeptAgents {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    agents: HashMap<AttemptId, Entry>,
    closed: bool,
}

struct Entry {
    agent: KeptAgent,
    since: Instant,
    /// Ends the task that sees it go.
    _seen: DropGuard,
}

impl KeptAgents {
    pub(crate) fn take(&self, attempt: AttemptId) -> Option<KeptAgent> {
        self.lock(|state| state.agents.remove(&attempt)).map(|entry| entry.agent)
    }

    /// Takes it if it is this one that waits.
    pub(crate) fn take_as(&self, attempt: AttemptId, process: ProcessId) -> Option<KeptAgent> {
        self.lock(|state| {
            let is_it = state.agents.get(&attempt).is_some_and(|entry| entry.agent.process == process);
            is_it.then(|| state.agents.remove(&attempt)).flatten()
        })
        .map(|entry| entry.agent)
    }

    /// Takes all, and no more come.
    fn close(&self) -> Vec<KeptAgent> {
        let agents = self.lock(|state| {
            state.closed = true;
            std::mem::take(&mut state.agents)
        });
        agents.into_values().map(|entry| entry.agent).collect()
    }

    /// False where the server is going, and nobody waits any more.
    fn put(&self, attempt: AttemptId, agent: KeptAgent, seen: DropGuard) -> bool {
        self.lock(|state| {
            if !state.closed {
                state.agents.insert(attempt, Entry { agent, since: Instant::now(), _seen: seen });
            }
            !state.closed
        })
    }

    /// Those that have waited longest, beyond as many as may.
    fn beyond(&self, most: usize) -> Vec<(AttemptId, ProcessId)> {
        self.lock(|state| {
            let mut all: Vec<_> = state.agents.iter().collect();
            all.sort_by_key(|(_, entry)| entry.since);
            let excess = all.len().saturating_sub(most);
            all.into_iter().take(excess).map(|(attempt, entry)| (*attempt, entry.agent.process)).collect()
        })
    }

    fn lock<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Engine {
    /// How long an agent waits that is kept; none where none is.
    pub(crate) fn wait(&self) -> Option<Wait> {
        let Keeping { idle, most } = self.inner.options.keep;
        (!idle.is_zero() && most > 0).then_some(Wait { idle, grace: self.inner.options.grace })
    }

    /// Lets an agent wait for the next turn of its attempt.
    pub(crate) async fn keep(&self, attempt: AttemptId, agent: KeptAgent) {
        let (taken, process, connection) =
            (CancellationToken::new(), agent.process, agent.connection.clone());
        if !self.inner.kept.put(attempt, agent, taken.clone().drop_guard()) {
            dismiss(&connection, self.inner.options.grace).await;
            return;
        }
        let engine = self.clone();
        self.inner.tasks.spawn(async move {
            tokio::select! {
                () = taken.cancelled() => {}
                _ended = connection.ended() => {
                    engine.inner.actors.send(&engine, attempt, Request::EndKept(process));
                }
            }
        });
        for (attempt, process) in self.inner.kept.beyond(self.inner.options.keep.most) {
            self.inner.actors.send(self, attempt, Request::EndKept(process));
        }
    }

    /// Ends an agent that waits; done when nothing of it is left.
    pub(crate) async fn end_kept(&self, agent: KeptAgent) -> Result<()> {
        let dir = self.inner.folder.process(agent.process);
        self.end_waiting(agent.connection, &dir).await
    }

    /// Ends an agent that was kept in a folder that no row knows, and throws the folder away.
    pub(crate) async fn end_orphan(&self, dir: &Path) -> Result<()> {
        match client::find(&self.inner.tasks, dir).await? {
            Found::Running(connection) => self.end_waiting(connection, dir).await,
            Found::Lost => {
                client::kill_remains(dir).await?;
                self.discard(dir).await
            }
            Found::Ended(_) | Found::NeverStarted => self.discard(dir).await,
        }
    }

    async fn end_waiting(&self, connection: Connection, dir: &Path) -> Result<()> {
        let grace = self.inner.options.grace;
        // One that is told that nothing more comes goes by itself, as after any turn.
        let closed = connection.close_stdin(0).await.is_ok();
        if !closed || tokio::time::timeout(grace, connection.ended()).await.is_err() {
            // That it cannot be asked means that it has ended.
            let _asked = connection.stop(grace).await;
        }
        if connection.ended().await == Err(Lost) {
            client::kill_remains(dir).await?;
        }
        drop(connection);
        self.discard(dir).await
    }

    /// Asks all that wait to go, without waiting for it: their hosts see to it.
    pub(crate) async fn dismiss_kept(&self) {
        for agent in self.inner.kept.close() {
            dismiss(&agent.connection, self.inner.options.grace).await;
        }
    }
}

/// Asks an agent that waits to go.
async fn dismiss(connection: &Connection, grace: Duration) {
    // Whoever cannot be asked is gone or is found by the next server.
    let _closed = connection.close_stdin(0).await;
    let _stopped = connection.stop(grace).await;
}
