//! Taking away the worktrees that nobody uses any more. What is in them is saved, and a follow-up brings them back.
//!
//! The row comes first and the folder second: a crash in between leaves a folder, which is taken the next time.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use forge_agent::deadline::Deadline;
use forge_model::{Attempt, AttemptId, Project, ProjectId, TaskId, TaskStatus, Timestamp};

use crate::actor::Request;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::inside::{self, Inside};
use crate::snapshots::{COLLECTED, not_saved};
use crate::worktree_root::root_of;

/// How long there is between two collections.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How late a collection may be after the machine was suspended.
const CHECK: Duration = Duration::from_secs(60 * 60);

/// How long worktrees are kept. None is for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// After an attempt was last used.
    pub idle: Option<Duration>,
    /// After its task was done, cancelled or put away.
    pub closed: Option<Duration>,
    /// Of snapshots, after they were taken.
    pub snapshots: Option<Duration>,
}

/// What a collection did, or would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collection {
    /// Worktrees that were taken away, and the bytes they took.
    pub taken: Vec<(Attempt, u64)>,
    /// Worktrees whose time has come and that are left, and why.
    pub left: Vec<(Attempt, String)>,
    /// Registrations of worktrees of ours whose folders were gone.
    pub unregistered: Vec<PathBuf>,
    /// How many snapshots had expired.
    pub snapshots: usize,
}

/// What became of one worktree.
pub(crate) enum Taken {
    Gone,
    Left(String),
}

impl Engine {
    /// Takes away the worktrees whose time has come, or only tells which.
    ///
    /// # Errors
    /// When the database cannot be read. What goes wrong with one worktree leaves that one.
    pub async fn collect(&self, dry_run: bool) -> Result<Collection> {
        // In a task of its own: a caller that hangs up must not end it half-way.
        let engine = self.clone();
        let collected = self.inner.tasks.spawn(async move { engine.collect_all(dry_run).await });
        collected
            .await
            .unwrap_or_else(|failed| Err(Error::internal("a collection ended badly").because(failed)))
    }

    async fn collect_all(&self, dry_run: bool) -> Result<Collection> {
        let _alone = self.inner.collecting.lock().await;
        let mut collection = Collection::default();
        let attempts = self.inner.store.list_attempts_and_runs(None).await?;
        let known: HashMap<AttemptId, Attempt> =
            attempts.into_iter().map(|attempt| (attempt.id, attempt)).collect();
        let projects = self.inner.store.list_projects().await?;
        collection.snapshots += self.expire_former(&projects, &known, dry_run).await;
        for project in projects {
            // With the attempts of other nodes: their snapshots stay.
            match self.expire_snapshots(&project, &known, dry_run).await {
                Ok(count) => collection.snapshots += count,
                Err(error) => {
                    tracing::warn!(project.id = %project.id, error = %error, "snapshots of {} are kept", project.name);
                }
            }
            let own = |attempt: &&Attempt| attempt.project_id == project.id && !attempt.is_unreachable();
            let mut attempts: Vec<Attempt> = known.values().filter(own).cloned().collect();
            attempts.sort_unstable_by_key(|attempt| Reverse((attempt.created_at, attempt.id)));
            if !dry_run {
                self.repair(&project, &attempts, &mut collection).await;
            }
            let closed = self.closed_since(project.id).await?;
            for attempt in attempts {
                if self.inner.closing.is_cancelled() {
                    return Ok(collection);
                }
                if self.is_due(&attempt, &closed) && is_folder(Path::new(&attempt.worktree)) {
                    self.collect_one(attempt, dry_run, &mut collection).await?;
                }
            }
        }
        tracing::info!(
            taken = collection.taken.len(),
            left = collection.left.len(),
            snapshots = collection.snapshots,
            dry_run,
            "worktrees whose time has come were collected"
        );
        Ok(collection)
    }

    async fn collect_one(&self, attempt: Attempt, dry_run: bool, into: &mut Collection) -> Result<()> {
        let bytes = self.count(vec![PathBuf::from(&attempt.worktree)]).await?;
        let taken = if dry_run {
            Ok(self.occupant(&attempt).await?.map_or(Taken::Gone, Taken::Left))
        } else {
            let seen = attempt.updated_at;
            self.inner.actors.ask(self, attempt.id, |answer| Request::Collect(seen, answer)).await
        };
        match taken {
            Ok(Taken::Gone) => into.taken.push((attempt, bytes)),
            Ok(Taken::Left(why)) => into.left.push((attempt, why)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => into.left.push((attempt, error.to_string())),
        }
        Ok(())
    }

    /// For the attempt's actor, which knows that nothing runs in it: saves what is in the worktree, writes that it
    /// is gone, and moves it away.
    pub(crate) async fn take_away(&self, attempt: &mut Attempt) -> Result<Taken> {
        if self.inner.store.is_anothers_worktree(attempt).await? {
            return Ok(Taken::Left("another attempt has it".to_owned()));
        }
        if let Some(why) = self.occupant(attempt).await? {
            return Ok(Taken::Left(why));
        }
        let project = self.get_project(attempt.project_id).await?;
        let repo = self.repository(&project).await?;
        let worktree = repo.open_worktree(Path::new(&attempt.worktree)).await?;
        worktree.settle().await?;
        if !worktree.is_unfinished() {
            let name = format!("{COLLECTED}{}", Timestamp::now().as_millis());
            if let Some(unsaved) = self.snapshot(&project, attempt, &name).await? {
                return Ok(Taken::Left(not_saved(&unsaved, attempt).to_string()));
            }
            // Somebody may have come while it was saved.
            if let Some(why) = self.occupant(attempt).await? {
                return Ok(Taken::Left(why));
            }
        }
        *attempt = self.inner.store.take_worktree(attempt.id).await?;
        self.inner.crash.pass("collect-written");
        self.move_away(&repo, attempt).await?;
        // The next turn gets a new one.
        self.discard_beside_worktree(attempt.id).await?;
        self.empty_trash_beside(attempt);
        Ok(Taken::Gone)
    }

    /// Why the folder must not be touched, if somebody is in it.
    async fn occupant(&self, attempt: &Attempt) -> Result<Option<String>> {
        let path = PathBuf::from(&attempt.worktree);
        let looked = self.inner.tasks.spawn_blocking(move || inside::look(&path)).await;
        match looked
            .map_err(|failed| Error::internal("a look at the processes ended badly").because(failed))?
        {
            Inside::Nobody => Ok(None),
            Inside::Process(pid) => Ok(Some(format!("process {pid} works in it"))),
            Inside::Unknown => Ok(Some("this system does not tell whether a process works in it".to_owned())),
        }
    }

    /// Removes the registrations of worktrees whose folders somebody else removed, unless their disk is not mounted.
    async fn repair(&self, project: &Project, attempts: &[Attempt], into: &mut Collection) {
        let mut gone = Vec::new();
        for attempt in attempts.iter().filter(|attempt| attempt.state.is_finished()) {
            let path = PathBuf::from(&attempt.worktree);
            if std::fs::symlink_metadata(&path).is_err() && self.check_root(root_of(attempt)).await.is_ok() {
                gone.push(path);
            }
        }
        if gone.is_empty() {
            return;
        }
        let repaired = match self.repository(project).await {
            Ok(repo) => repo.unregister_gone(&gone).await.map_err(Error::from),
            Err(error) => Err(error),
        };
        match repaired {
            Ok(paths) => into.unregistered.extend(paths),
            Err(error) => {
                tracing::warn!(project.id = %project.id, error = %error, "worktrees of {} are not tidied", project.name);
            }
        }
    }

    /// The tasks that are done with, and since when.
    async fn closed_since(&self, project: ProjectId) -> Result<HashMap<TaskId, Timestamp>> {
        let cards = self.inner.store.list_cards(project).await?;
        let tasks = cards.into_iter().map(|card| card.task);
        let closed = tasks.filter(|task| match task.status {
            TaskStatus::Done | TaskStatus::Cancelled | TaskStatus::Archived => true,
            TaskStatus::Todo | TaskStatus::InProgress | TaskStatus::InReview | TaskStatus::Agent => false,
        });
        Ok(closed.map(|task| (task.id, task.updated_at)).collect())
    }

    fn is_due(&self, attempt: &Attempt, closed: &HashMap<TaskId, Timestamp>) -> bool {
        let retention = self.inner.options.retention;
        let idle = is_over(retention.idle, attempt.updated_at);
        let closed = attempt
            .task_id
            .and_then(|task| closed.get(&task))
            .is_some_and(|closed_at| is_over(retention.closed, attempt.updated_at.max(*closed_at)));
        attempt.state.is_finished() && (idle || closed)
    }

    /// Collects, and forgets old events and approvals, now and once a day, until the server goes. What no row knows has been
    /// looked at when the server starts.
    pub(crate) fn collect_daily(&self) {
        let engine = self.clone();
        self.inner.tasks.spawn(async move {
            loop {
                if let Err(error) = engine.collect_all(false).await {
                    tracing::warn!(error = %error, "worktrees could not be collected");
                }
                if let Err(error) = engine.prune_events().await {
                    tracing::warn!(error = %error, "old events could not be forgotten");
                }
                if let Err(error) = engine.prune_approvals().await {
                    tracing::warn!(error = %error, "old approvals could not be forgotten");
                }
                if engine.closed_within(DAY).await {
                    return;
                }
                if let Err(error) = engine.expire_orphans().await {
                    tracing::warn!(error = %error, "what no row knows could not be removed");
                }
            }
        });
    }

    async fn closed_within(&self, time: Duration) -> bool {
        tokio::select! {
            () = self.inner.closing.cancelled() => true,
            () = Deadline::after(time).reached(CHECK) => false,
        }
    }
}

pub(crate) fn is_over(time: Option<Duration>, since: Timestamp) -> bool {
    let Some(time) = time.and_then(|time| i64::try_from(time.as_millis()).ok()) else { return false };
    Timestamp::now().as_millis().saturating_sub(since.as_millis()) >= time
}

fn is_folder(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|entry| entry.is_dir())
}

/// Whose worktree it is, for the actor.
pub(crate) const fn used_since(attempt: &Attempt, seen: Timestamp) -> bool {
    attempt.updated_at.as_millis() != seen.as_millis()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_for_ever_is_never_due_and_what_is_kept_no_time_always() {
        let now = Timestamp::now();
        assert!(!is_over(None, Timestamp::from_millis(0)));
        assert!(!is_over(Some(Duration::MAX), Timestamp::from_millis(0)));
        assert!(is_over(Some(Duration::ZERO), now));
        assert!(!is_over(Some(DAY), now));
        assert!(is_over(Some(DAY), Timestamp::from_millis(now.as_millis() - 86_400_001)));
    }
}
