//! Crash recovery: finishes or rolls back pending starts, reattaches to running processes.

use std::time::Duration;

use forge_agent::client::{self, Found};
use forge_model::{Attempt, AttemptState};
use forge_store::{Intent, StoreError};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::actor::{Adopted, Request};
use crate::actors::Unheard;
use crate::engine::Engine;
use crate::error::{Error, HOST_SILENT, Result};

/// How long to wait for what can be undone at once, before the server serves without.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

impl Engine {
    pub(crate) async fn recover(&self) -> Result<()> {
        // All at once, each in a task of its own: neither a frozen host nor a git that hangs in a hook, nor a repository
        // that is gone or locked, keeps the server from serving the others.
        let starts =
            self.inner.store.list_intents().await?.into_iter().map(|intent| self.spawn_recovery(intent));
        let starts = futures::future::join_all(starts.collect::<Vec<_>>());
        drop(tokio::time::timeout(PATIENCE, starts).await);
        self.recover_pool().await?;
        self.recover_images().await?;
        self.sweep_orphans().await?;
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
        for attempt in &unfinished {
            self.inner.actors.send(self, attempt.id, Request::Wake);
        }
        let queued = self.inner.store.list_queued_attempts().await?;
        for attempt in &queued {
            if let AttemptState::Queued { since } = attempt.state {
                self.inner.slots.wait(attempt.id, attempt.project_id, since);
            }
        }
        self.wake_next();
        for attempt in self.inner.store.list_waiting_attempts().await? {
            self.inner.actors.send(self, attempt, Request::Wake);
        }
        self.stop_closed(&unfinished).await?;
        self.stop_closed(&queued).await?;
        self.compress_old_logs().await
    }

    /// Stops the attempts of tasks that were closed by a server that was killed before it stopped them.
    async fn stop_closed(&self, unfinished: &[Attempt]) -> Result<()> {
        for attempt in unfinished {
            let Some(task) = attempt.task_id else { continue };
            if self.inner.store.get_task(task).await?.status.is_closed() {
                let (answer, _nobody) = oneshot::channel();
                self.inner.actors.send(self, attempt.id, Request::Stop(Unheard::default(), answer));
            }
        }
        Ok(())
    }

    fn spawn_recovery(&self, mut intent: Intent) -> JoinHandle<()> {
        let (engine, id) = (self.clone(), intent.attempt.id);
        // One of an older version names no node.
        intent.attempt.node.get_or_insert_with(|| self.inner.node.clone());
        self.inner.tasks.spawn(async move {
            loop {
                match engine.recover_start(&intent).await {
                    Ok(()) => return,
                    // What does not pass by itself is left to the next start of the server.
                    Err(error) if !error.may_pass() && error.code() != HOST_SILENT => {
                        return tracing::error!(attempt.id = %id, error = %error, "the start of attempt {id} cannot be cleared up");
                    }
                    Err(error) => {
                        tracing::warn!(attempt.id = %id, error = %error, "the start of attempt {id} is not cleared up yet");
                    }
                }
                if engine.pause().await {
                    return;
                }
            }
        })
    }

    /// A start whose process runs, or has run, is finished; any other is undone.
    async fn recover_start(&self, intent: &Intent) -> Result<()> {
        let id = intent.attempt.id;
        match self.found(intent).await? {
            found @ (Found::Running(_) | Found::Ended(_) | Found::Lost) => {
                let begun = match self.inner.store.commit_start(intent).await {
                    Err(StoreError::TaskClosed) => {
                        // Nothing of it may run when its folders go.
                        if let Found::Running(connection) = &found {
                            connection.stop(Duration::ZERO).await.map_err(|error| {
                                Error::unavailable(
                                    "attempt_stuck",
                                    format!("its agent does not stop: {error}"),
                                )
                            })?;
                            drop(connection.ended().await);
                        }
                        if let Some(process) = &intent.process {
                            client::kill_remains(&self.inner.folder.process(process.id)).await?;
                        }
                        return self.undo_crashed(intent).await;
                    }
                    committed => committed?,
                };
                tracing::info!(attempt.id = %id, "attempt {id} was started; its rows are written now");
                self.inner.slots.occupy(id, begun.attempt.project_id);
                self.inner.actors.send(self, id, Request::Wake);
                Ok(())
            }
            Found::NeverStarted => self.undo_crashed(intent).await,
        }
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
}
