//! Storing the transcripts of processes that have ended, and compressing their logs: in the background, one at a time.

use std::collections::HashSet;
use std::fs;

use forge_agent::log::{LogError, pack};
use forge_model::ProcessId;

use crate::engine::Engine;
use crate::error::Result;

impl Engine {
    /// Stores the transcript of a process whose row says that it has ended, and compresses its log, when its turn
    /// comes.
    pub(crate) fn compress_log(&self, id: ProcessId) {
        let engine = self.clone();
        self.inner.tasks.spawn(async move { engine.compress(id, true).await });
    }

    /// Compresses what an earlier server did not come to.
    pub(crate) async fn compress_old_logs(&self) -> Result<()> {
        // In this order: a process that begins in between is not known yet, one that ends is done by its actor.
        let known = self.inner.store.list_process_ids().await?;
        let running = self.inner.store.list_running_processes().await?;
        let running: HashSet<ProcessId> = running.into_iter().map(|process| process.id).collect();
        let engine = self.clone();
        self.inner.tasks.spawn(async move {
            for id in known.into_iter().filter(|id| !running.contains(id)) {
                // Their transcripts are folded when somebody asks for them: there may be very many.
                engine.compress(id, false).await;
            }
        });
        Ok(())
    }

    async fn compress(&self, id: ProcessId, fold: bool) {
        let closing = &self.inner.closing;
        let turn = tokio::select! {
            biased;
            () = closing.cancelled() => return,
            turn = self.inner.compressing.lock() => turn,
        };
        if fold && let Err(error) = self.store_transcript(id).await {
            tracing::debug!(process.id = %id, error = %error, "the transcript of process {id} is not stored yet");
        }
        let (dir, stop) = (self.inner.folder.process(id), closing.clone());
        // Whether its folder is still there: an attempt may be removed at any time, and takes its logs with it.
        let packed = tokio::task::spawn_blocking(move || match pack(&dir, || !stop.is_cancelled()) {
            Err(LogError::Missing { .. }) => Ok(false),
            Err(_) if fs::metadata(&dir).is_err() => Ok(false),
            packed => packed,
        });
        match packed.await {
            Ok(Ok(true)) => {
                self.inner.metrics.log_compressed();
                tracing::debug!(process.id = %id, "the log of process {id} is compressed");
            }
            Ok(Ok(false)) => {}
            Ok(Err(error)) => {
                tracing::warn!(process.id = %id, error = %error, "the log of process {id} stays as it is");
            }
            Err(error) => {
                tracing::error!(process.id = %id, error = %error, "compressing the log of process {id} failed");
            }
        }
        drop(turn);
    }
}
