//! What was saved of an attempt's worktree, and putting it back.

use std::path::Path;

use forge_git::{AtRisk, Error as GitError, HiddenRef, Oid, Remake, Repo, SUBJECT, Worktree};
use forge_model::{Attempt, AttemptId, ProcessId, Project, Timestamp};
use tokio_util::sync::CancellationToken;

use crate::actor::Request;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::own_branch::reconnected;
use crate::start::{MARK, port_is_free, submodules};
use crate::worktree_root::root_of;

/// What snapshots are called that are taken before something changes the worktree: this and a time.
pub(crate) const BEFORE_RESTORE: &str = "before-restore-";
pub(crate) const BEFORE_REPLACE: &str = "before-replace-";
pub(crate) const COLLECTED: &str = "collected-";
pub(crate) const BEFORE_CHANGE: &str = "before-change-";
pub(crate) const BEFORE_DELETE: &str = "before-delete-";
/// The ref that marks the snapshots of an attempt whose row is gone. Older versions saved the worktree under it.
pub(crate) const DELETED: &str = "deleted";
/// The ref beside the snapshots that has what the setup script left: commits leave that out.
pub(crate) const AFTER_SETUP: &str = "after-setup";
/// The ref that has what was in the worktree before the setup script.
pub(crate) const BEFORE_SETUP: &str = "before-setup";

/// Prefixes of the names that end with the time.
const STAMPED: [(&str, Occasion); 5] = [
    (BEFORE_RESTORE, Occasion::BeforeRestore),
    (BEFORE_REPLACE, Occasion::BeforeReplace),
    (BEFORE_CHANGE, Occasion::BeforeChange),
    (BEFORE_DELETE, Occasion::Deleted),
    (COLLECTED, Occasion::Collected),
];

/// Everything that was in a worktree at one time, but for what is ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// What it is called: unique in its attempt.
    pub name: String,
    /// The commit that has it.
    pub oid: String,
    /// When it was saved.
    pub saved_at: Timestamp,
    /// Why.
    pub occasion: Occasion,
}

/// Why a snapshot was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// A turn ended with this process.
    Turn(ProcessId),
    /// A turn ended before anything ran in it. Older versions saved that.
    Unbegun,
    /// Another snapshot was put in its place.
    BeforeRestore,
    /// A turn took the place of another, and the worktree went back to what it was before that.
    BeforeReplace,
    /// A file was deleted, or an operation of git aborted, because somebody asked for it.
    BeforeChange,
    /// The worktree was taken away because nobody used it.
    Collected,
    /// Somebody began to delete the attempt.
    Deleted,
    /// Somebody else made it.
    Other,
}

impl Engine {
    /// What was saved of an attempt's worktree, newest first.
    ///
    /// # Errors
    /// When the attempt or its repository is not there.
    pub async fn list_snapshots(&self, id: AttemptId) -> Result<Vec<Snapshot>> {
        let attempt = self.get_attempt_here(id).await?;
        let repo = self.repository(&self.get_project(attempt.project_id).await?).await?;
        let processes = self.inner.store.list_processes(id).await?;
        let ended = |id| processes.iter().find(|process| process.id == id)?.completed_at;
        let refs = repo.hidden_refs(&prefix(id)).await?;
        let listed =
            refs.into_iter().filter(|hidden| ![BEFORE_SETUP, AFTER_SETUP].contains(&hidden.name.as_str()));
        let mut snapshots: Vec<Snapshot> = listed.map(|hidden| told(hidden, ended)).collect();
        snapshots.sort_by_key(|snapshot| std::cmp::Reverse(snapshot.saved_at));
        Ok(snapshots)
    }

    /// Puts the worktree back to what a snapshot has. What is in it now is saved first; the branch does not move. A
    /// worktree that is gone is made again.
    ///
    /// # Errors
    /// When the attempt runs, there is no such snapshot, or what is in the worktree now cannot be saved.
    pub async fn restore(&self, id: AttemptId, snapshot: String) -> Result<Attempt> {
        self.get_attempt_here(id).await?;
        self.inner.actors.ask(self, id, |answer| Request::Restore(snapshot, answer)).await
    }

    /// That the attempt's worktree can be where it was.
    async fn check_place(&self, attempt: &Attempt) -> Result<()> {
        self.check_root(root_of(attempt)).await?;
        if self.inner.store.is_anothers_worktree(attempt).await? {
            let message = format!("another attempt has its worktree at {}", attempt.worktree);
            return Err(
                Error::conflict("path_taken", message).hint("delete that attempt, or start another one")
            );
        }
        Ok(())
    }

    /// For the attempt's actor, which knows that nothing runs in it.
    pub(crate) async fn put_back(
        &self,
        attempt: &Attempt,
        name: &str,
        stop: &CancellationToken,
    ) -> Result<Attempt> {
        self.check_place(attempt).await?;
        let project = self.get_project(attempt.project_id).await?;
        let repo = self.repository(&project).await?.until(stop);
        let refs = repo.hidden_refs(&prefix(attempt.id)).await?;
        let snapshot = refs.into_iter().find(|hidden| hidden.name == name);
        let snapshot = snapshot.ok_or_else(|| {
            Error::not_found("snapshot", name).hint("GET /api/task-attempts/{id}/snapshots lists them")
        })?;
        let Some(worktree) = complete(&repo, attempt).await? else {
            return self.remake(&project, &repo, attempt, Some(snapshot.oid)).await;
        };
        worktree.settle().await?;
        let risk = worktree.at_risk(&snapshot.oid, &worktree.head().await?).await?;
        let name = format!("{BEFORE_RESTORE}{}", Timestamp::now().as_millis());
        save(&worktree, attempt, &name, &risk).await?;
        self.inner.crash.pass("restore-saved");
        worktree.restore(&snapshot.oid, &risk).await?;
        if attempt.worktree_deleted { self.returned(attempt.id).await } else { Ok(attempt.clone()) }
    }

    /// Makes the worktree again that was taken away. What was not committed in it comes back as well, if the branch
    /// still stands where it stood: over other commits it would undo them.
    pub(crate) async fn bring_back(
        &self,
        project: &Project,
        attempt: &Attempt,
        stop: &CancellationToken,
    ) -> Result<Attempt> {
        self.check_place(attempt).await?;
        let repo = self.repository(project).await?.until(stop);
        if complete(&repo, attempt).await?.is_some() {
            return self.returned(attempt.id).await;
        }
        let refs = repo.hidden_refs(&prefix(attempt.id)).await?;
        let taken = refs.into_iter().filter_map(|hidden| Some((stamp(&hidden.name, COLLECTED)?, hidden)));
        let newest = taken.max_by_key(|(time, _)| *time).map(|(_, hidden)| hidden);
        let mut files = None;
        if let Some(newest) = newest {
            let tip = repo.resolve(&attempt.branch).await?.oid;
            if newest.parent.as_ref() == Some(&tip) {
                files = Some(newest.oid);
            } else if newest.oid != tip {
                let (id, name) = (attempt.id, newest.name);
                tracing::warn!(attempt.id = %id, "the branch of attempt {id} has moved: {name} is not put back");
            }
        }
        self.remake(project, &repo, attempt, files).await
    }

    async fn remake(
        &self,
        project: &Project,
        repo: &Repo,
        attempt: &Attempt,
        files: Option<Oid>,
    ) -> Result<Attempt> {
        let remake = Remake {
            path: Path::new(&attempt.worktree).to_owned(),
            branch: attempt.branch.clone(),
            files,
            trash: self.trash_beside(attempt)?,
            submodules: submodules(project),
            // An attempt of a forgotten node has no record here, and its branch is an agent's work.
            trusted: match repo.resolve(&attempt.branch).await {
                Ok(tip) => repo.trusted_base(&attempt.branch, &tip, MARK).await?,
                // Told when it is made.
                Err(_gone) => None,
            },
        };
        let made = repo.remake_worktree(&remake).await;
        self.empty_trash_beside(attempt);
        let worktree = made.map_err(|error| match error {
            GitError::BranchNotFound { .. } => Error::conflict("branch_gone", error.to_string())
                .hint("make the branch again, from a snapshot under refs/forge/attempts or from a commit"),
            GitError::BranchInUse { .. } => {
                Error::conflict("branch_in_use", error.to_string()).hint("check out another branch there")
            }
            GitError::NameTaken { .. } => {
                let message = format!("something that Forge did not make lies at {}", attempt.worktree);
                Error::conflict("path_taken", message).hint("move it away")
            }
            other => other.into(),
        })?;
        self.copy_ignored(project, attempt.id, repo, worktree.path()).await?;
        self.returned(attempt.id).await
    }

    async fn returned(&self, id: AttemptId) -> Result<Attempt> {
        let ports = self.inner.options.first_port..=self.inner.options.last_port;
        Ok(self.inner.store.return_worktree(id, ports, port_is_free).await?)
    }
}

/// Where an attempt's snapshots are.
pub(crate) fn prefix(attempt: AttemptId) -> String {
    format!("refs/forge/attempts/{attempt}/")
}

/// The most bytes of ignored files that are saved before a worktree is reset.
const MOST_IGNORED: u64 = 256 * 1024 * 1024;

/// Saves everything in a worktree that is about to change, with the ignored files that the change puts at risk.
///
/// # Errors
/// When not all of it can be saved; the worktree must stay as it is then.
pub(crate) async fn save(worktree: &Worktree, attempt: &Attempt, name: &str, risk: &AtRisk) -> Result<Oid> {
    if risk.bytes > MOST_IGNORED {
        return Err(too_big(worktree, attempt, risk));
    }
    let message = format!("{SUBJECT}{} at {name}", attempt.branch);
    let saved = worktree.snapshot_with(&format!("{}{name}", prefix(attempt.id)), &message, risk).await?;
    match saved.unsaved {
        Some(unsaved) => Err(not_saved(&unsaved, attempt)),
        None => Ok(saved.oid),
    }
}

/// Why a worktree is not reset that has many bytes of ignored files at risk.
fn too_big(worktree: &Worktree, attempt: &Attempt, risk: &AtRisk) -> Error {
    let size =
        |path: &Path| std::fs::symlink_metadata(worktree.path().join(path)).map_or(0, |entry| entry.len());
    let largest = risk.files.iter().max_by_key(|path| size(path));
    let largest = largest.map_or_else(String::new, |path| format!(", the largest is {}", path.display()));
    let message = format!(
        "{} ignored files of {} MB would be overwritten or no longer be ignored{largest}; up to {} MB are saved",
        risk.files.len(),
        risk.bytes / 1_000_000,
        MOST_IGNORED / 1_000_000
    );
    Error::conflict("ignored_files_too_big", message)
        .hint(format!("move them out of {} or delete them, then ask again", attempt.worktree))
}

/// Why nothing is done to a worktree that has what git cannot save.
pub(crate) fn not_saved(unsaved: &str, attempt: &Attempt) -> Error {
    let told: Vec<&str> = unsaved.lines().filter(|line| !line.starts_with("hint:")).collect();
    let message = format!("not all that is in the worktree can be saved: {}", told.join("; "));
    Error::conflict("work_not_saved", message)
        .hint(format!("move what git names out of {}, then ask again", attempt.worktree))
}

/// The worktree, if there is one in which somebody may have worked.
async fn complete(repo: &Repo, attempt: &Attempt) -> Result<Option<Worktree>> {
    match reconnected(repo, attempt).await {
        Ok(worktree) if worktree.is_unfinished() => Ok(None),
        Ok(worktree) => Ok(Some(worktree)),
        Err(GitError::PathNotFound { .. } | GitError::NotAWorktree { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn told(hidden: HiddenRef, ended: impl Fn(ProcessId) -> Option<Timestamp>) -> Snapshot {
    let committed_at = Timestamp::from_millis(hidden.committed_at_ms);
    let (occasion, saved_at) = if let Ok(process) = hidden.name.parse::<ProcessId>() {
        (Occasion::Turn(process), ended(process))
    } else if let Some((occasion, time)) = stamped(&hidden.name) {
        (occasion, Some(time))
    } else {
        let occasion = match hidden.name.as_str() {
            DELETED => Occasion::Deleted,
            "end" => Occasion::Unbegun,
            _ => Occasion::Other,
        };
        (occasion, None)
    };
    // A worktree in which nothing had changed is saved as the commit it stands at, whose time is older.
    let saved_at = saved_at.unwrap_or(committed_at);
    Snapshot { name: hidden.name, oid: hidden.oid.to_string(), saved_at, occasion }
}

/// Why and when a snapshot was taken whose name says so. The names of others can end like a time too.
pub(crate) fn stamped(name: &str) -> Option<(Occasion, Timestamp)> {
    STAMPED.into_iter().find_map(|(kind, occasion)| Some((occasion, stamp(name, kind)?)))
}

fn stamp(name: &str, kind: &str) -> Option<Timestamp> {
    name.strip_prefix(kind)?.parse().ok().map(Timestamp::from_millis)
}

/// A repository that is gone does not fit the present state; it is not the caller's mistake.
pub(crate) fn gone_is_conflict(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Invalid => Error::conflict("repository_gone", error.to_string()),
        ErrorKind::NotFound
        | ErrorKind::Gone
        | ErrorKind::TooLarge
        | ErrorKind::Conflict
        | ErrorKind::Unavailable
        | ErrorKind::Internal => error,
    }
}
