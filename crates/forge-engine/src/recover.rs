//! What a server does first: finish or undo what a crash left half-made, and go on with everything that runs.

use std::collections::HashSet;
use std::fs;
use std::time::Duration;

use forge_agent::client::{self, Found};
use forge_model::{AttemptState, ProcessId};
use forge_store::Intent;

use crate::actor::{Adopted, Request};
use crate::engine::Engine;
use crate::error::{Error, Result};

/// How long to wait for what can be undone at once, before the server serves without.
const PATIENCE: Duration = Duration::from_secs(5);

impl Engine {
    pub(crate) async fn recover(&self) -> Result<()> {
        for intent in self.inner.store.list_intents().await? {
            let id = intent.attempt.id;
            if let Err(error) = self.recover_start(intent).await {
                // A repository that is gone or locked must not keep the server from serving the others. The intent
                // stays, and the next start tries again.
                tracing::error!(attempt.id = %id, error = %error, "the start of attempt {id} cannot be cleared up");
            }
        }
        self.recover_pool().await?;
        self.recover_images().await?;
        self.sweep().await?;
        let running = self.inner.store.list_running_processes().await?;
        let unfinished = self.inner.store.list_unfinished_attempts().await?;
        tracing::info!(attempts = unfinished.len(), "going on with {} attempts", unfinished.len());
        for attempt in &unfinished {
            self.inner.slots.occupy(attempt.id, attempt.project_id);
        }
        for process in running {
            // Entered here and not by the actor, so that nobody who asks at once takes the log for finished.
            let running = self.inner.live.enter(process.id);
            let adopted = Adopted { running, launched: None };
            self.inner.actors.send(self, process.attempt_id, Request::Adopt(Box::new(adopted)));
        }
        for attempt in unfinished {
            self.inner.actors.send(self, attempt.id, Request::Wake);
        }
        for attempt in self.inner.store.list_queued_attempts().await? {
            if let AttemptState::Queued { since } = attempt.state {
                self.inner.slots.wait(attempt.id, attempt.project_id, since);
            }
        }
        self.wake_next();
        for attempt in self.inner.store.list_waiting_attempts().await? {
            self.inner.actors.send(self, attempt, Request::Wake);
        }
        self.compress_old_logs().await
    }

    /// A start whose process runs, or has run, is finished; any other is undone.
    async fn recover_start(&self, intent: Intent) -> Result<()> {
        let id = intent.attempt.id;
        match self.found(&intent).await? {
            Found::Running(_) | Found::Ended(_) | Found::Lost => {
                self.inner.store.commit_start(&intent).await?;
                tracing::info!(attempt.id = %id, "attempt {id} was started; its rows are written now");
            }
            Found::NeverStarted => {
                // In a task of its own: a git of the crashed start may hang in a hook, and must not keep the server
                // from serving everybody else.
                let engine = self.clone();
                let undo = self.inner.tasks.spawn(async move { engine.undo_crashed(&intent).await });
                if let Ok(undone) = tokio::time::timeout(PATIENCE, undo).await {
                    undone.unwrap_or_else(|failed| {
                        Err(Error::internal("undoing ended badly").because(failed))
                    })?;
                }
            }
        }
        Ok(())
    }

    async fn undo_crashed(&self, intent: &Intent) -> Result<()> {
        let id = intent.attempt.id;
        let project = self.get_project(intent.attempt.project_id).await?;
        self.undo_start(&self.repository(&project).await?, intent).await?;
        tracing::info!(attempt.id = %id, "attempt {id} was not started; what there was of it is removed");
        Ok(())
    }

    async fn found(&self, intent: &Intent) -> Result<Found> {
        // One that stands in the queue has no process yet, and nobody was told of it.
        let Some(process) = &intent.process else { return Ok(Found::NeverStarted) };
        Ok(client::find(&self.inner.tasks, &self.inner.folder.process(process.id)).await?)
    }

    /// Throws away the folders of processes that no row knows, and what was thrown away before. An agent that was kept in
    /// one is ended first.
    async fn sweep(&self) -> Result<()> {
        let mut known: HashSet<ProcessId> = self.inner.store.list_process_ids().await?.into_iter().collect();
        // A start that could not be cleared up has a process without a row, which may even run.
        let intents = self.inner.store.list_intents().await?;
        known.extend(intents.into_iter().filter_map(|intent| Some(intent.process?.id)));
        let mut orphans = Vec::new();
        let listed = fs::read_dir(self.inner.folder.processes()).into_iter().flatten().flatten();
        for entry in listed {
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.parse::<ProcessId>().ok());
            // Only what has the name of a process is ours.
            if id.is_some_and(|id| !known.contains(&id)) {
                orphans.push(entry.path());
            }
        }
        // All at once: an agent that was kept takes its time to go.
        let ended = orphans.iter().map(|dir| self.end_orphan(dir));
        for ended in futures::future::join_all(ended).await {
            ended?;
        }
        self.empty_trash();
        Ok(())
    }
}
