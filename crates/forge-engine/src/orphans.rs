//! Folders of processes that no row knows: idle agents of a server that was killed, deleted attempts, and the processes of
//! another database. The first two are removed; the others are kept for a retention period, running or not. So are the
//! images that no row knows.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use forge_agent::client::{self, Found};
use forge_model::{ProcessId, Timestamp};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::folder::Folder;
use crate::recover::PATIENCE;
use crate::whole;

/// Marks a folder whose rows are about to be deleted.
const DELETED: &str = "deleted";
/// Marks a folder that no row knows; since its last change.
const ORPHANED: &str = "orphaned";

impl Engine {
    /// Looks at the folders of processes that no row knows. They are examined in the background: a frozen host does not
    /// keep the server from serving.
    pub(crate) async fn sweep_orphans(&self) -> Result<()> {
        let known = self.known_processes().await?;
        let mut idle = Vec::new();
        for (id, dir) in process_folders(&self.inner.folder) {
            if known.contains(&id) {
                // Its row is back, or was not deleted.
                for mark in [ORPHANED, DELETED] {
                    drop(fs::remove_file(dir.join(mark)));
                }
            } else {
                let (engine, is_idle) = (self.clone(), client::is_idle(&dir));
                let swept = self.inner.tasks.spawn(async move {
                    engine.sweep_orphan(&dir).await.unwrap_or_else(|error| kept(&dir, &error));
                });
                idle.extend(is_idle.then_some(swept));
            }
        }
        let swept = self.inner.idle_agents_ended.clone();
        self.inner.tasks.spawn(async move {
            futures::future::join_all(idle).await;
            swept.cancel();
        });
        self.empty_trash();
        Ok(())
    }

    /// Removes what no row knew when the server started and whose retention period is over since.
    pub(crate) async fn expire_orphans(&self) -> Result<()> {
        let known = self.known_processes().await?;
        for (id, dir) in process_folders(&self.inner.folder) {
            if !known.contains(&id) && dir.join(ORPHANED).exists() {
                self.expire_orphan(&dir).await.unwrap_or_else(|error| kept(&dir, &error));
            }
        }
        self.expire_images();
        Ok(())
    }

    async fn known_processes(&self) -> Result<HashSet<ProcessId>> {
        let mut known: HashSet<ProcessId> = self.inner.store.list_process_ids().await?.into_iter().collect();
        // A start that could not be cleared up has a process without a row, which may even run.
        let intents = self.inner.store.list_intents().await?;
        known.extend(intents.into_iter().filter_map(|intent| Some(intent.process?.id)));
        Ok(known)
    }

    /// Waits until the idle agents of a killed server have exited, so that a turn does not start a second agent in the same
    /// worktree. A frozen one is not waited for long.
    pub(crate) async fn idle_agents_ended(&self) {
        drop(tokio::time::timeout(PATIENCE, self.inner.idle_agents_ended.cancelled()).await);
    }

    async fn sweep_orphan(&self, dir: &Path) -> Result<()> {
        if client::is_idle(dir) {
            return self.end_orphan(dir).await;
        }
        if dir.join(DELETED).exists() {
            self.discard(dir).await?;
            self.empty_trash();
            return Ok(());
        }
        mark_orphan(&dir.join(ORPHANED))?;
        self.expire_orphan(dir).await
    }

    async fn expire_orphan(&self, dir: &Path) -> Result<()> {
        let shown = dir.display();
        if matches!(client::find(&self.inner.tasks, dir).await?, Found::Running(_)) {
            tracing::warn!(dir = %shown, "a process that the database does not know runs in {shown}; it is left alone");
        } else if is_over(self.inner.options.orphans, &dir.join(ORPHANED)) {
            tracing::info!(dir = %shown, "{shown}, which no row knows, is removed: its retention period is over");
            self.discard(dir).await?;
            self.empty_trash();
        } else {
            tracing::warn!(dir = %shown, "no row knows the process in {shown}; its log is kept for [gc] orphan_days");
        }
        Ok(())
    }

    /// Says that a process's folder may be removed once its row is gone, also after a crash.
    pub(crate) fn mark_deleted(&self, id: ProcessId) {
        let dir = self.inner.folder.process(id);
        if dir.is_dir()
            && let Err(error) = whole::write(&dir.join(DELETED), "")
        {
            tracing::warn!(error = %error, "{} is kept if the server is killed now", dir.display());
        }
    }

    /// Says that the row stays.
    pub(crate) fn unmark_deleted(&self, id: ProcessId) {
        drop(fs::remove_file(self.inner.folder.process(id).join(DELETED)));
    }
}

/// The folders that no row knew when the server last started.
pub(crate) fn count(data: &Path) -> usize {
    let listed = fs::read_dir(data.join("processes")).into_iter().flatten().flatten();
    listed.filter(|entry| entry.path().join(ORPHANED).exists()).count()
}

fn kept(dir: &Path, error: &Error) {
    let shown = dir.display();
    tracing::warn!(dir = %shown, error = %error, "the folder {shown}, which no row knows, is kept");
}

/// Marks what no row knows, unless it is marked already.
pub(crate) fn mark_orphan(mark: &Path) -> Result<()> {
    if mark.exists() { Ok(()) } else { whole::write(mark, &format!("{}\n", Timestamp::now())) }
}

/// Only what has the name of a process is ours.
fn process_folders(folder: &Folder) -> Vec<(ProcessId, PathBuf)> {
    let listed = fs::read_dir(folder.processes()).into_iter().flatten().flatten();
    listed.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path()))).collect()
}

/// Whether the retention period of what is marked is over.
pub(crate) fn is_over(retention: Option<Duration>, mark: &Path) -> bool {
    let since = fs::metadata(mark).and_then(|file| file.modified());
    let age = since.ok().and_then(|since| SystemTime::now().duration_since(since).ok());
    retention.zip(age).is_some_and(|(retention, age)| age >= retention)
}
