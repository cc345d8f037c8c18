//! An attempt's branch: how it stands to its target, its commits, and what may be changed of it beside a turn.

use std::path::{Path, PathBuf};

use forge_git::{
    AtRisk, CommitInfo, Comparison, Divergence, Error as GitError, Oid, Repo, Status, Worktree, path_text,
};
use forge_model::{Attempt, AttemptId, ProjectId, TaskCard, Timestamp};
use tokio_util::sync::CancellationToken;

use crate::actor::Request;
use crate::attempts::here;
use crate::commit::left_by_setup;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::origin::target_warning;
use crate::own_branch::{apart, renamed};
use crate::snapshots::{BEFORE_CHANGE, gone_is_conflict, save};

/// How many files a warning names.
const MOST_NAMED: usize = 5;

/// What can be changed of an attempt beside its turns.
pub(crate) enum Change {
    /// The branch that the work shall go to.
    Target(String),
    /// A file of the worktree goes.
    DeleteFile(PathBuf),
    /// What git is in the middle of is given up.
    Abort,
}

/// How an attempt's branch stands.
#[derive(Debug)]
pub struct BranchStatus {
    /// The attempt.
    pub attempt: Attempt,
    /// How far it is from its target; none when one of the two branches is gone.
    pub divergence: Option<Divergence>,
    /// How the worktree stands; none when it is gone.
    pub worktree: Option<Status>,
    /// The commit that stands: the worktree's, or else the branch's.
    pub head: Option<String>,
    /// Why HEAD of the worktree is beside the branch, and the way out; none when it is on it.
    pub problem: Option<Error>,
    /// Warnings: files that are not saved, committed or copied, programs that git does not run, caps that are not enforced.
    pub warnings: Vec<String>,
}

/// How the checkout in a project's own folder stands.
#[derive(Debug, Clone)]
pub struct ProjectStatus {
    /// What is checked out, and what differs from it.
    pub checkout: Status,
    /// The remote's branch that it is compared with, such as `origin/main`.
    pub compared_with: String,
    /// The commit that is checked out; none before the first one.
    pub head: Option<String>,
    /// How far it is from that, by what was last fetched; none when nothing is known of that branch.
    pub divergence: Option<Divergence>,
}

/// How a commit stands to an attempt's HEAD.
#[derive(Debug, Clone)]
pub struct Compared {
    /// The attempt's HEAD.
    pub head: String,
    /// The commit.
    pub commit: String,
    /// How they stand to each other.
    pub comparison: Comparison,
}

/// Where an attempt came from, and what came out of it.
#[derive(Debug, Clone)]
pub struct Relations {
    /// The attempt.
    pub attempt: Attempt,
    /// The task whose attempt the attempt's own task came out of.
    pub parent: Option<TaskCard>,
    /// The tasks that came out of the attempt, newest first.
    pub children: Vec<TaskCard>,
}

impl Engine {
    /// How an attempt's branch stands to its target, and its worktree to its branch.
    ///
    /// # Errors
    /// When the attempt or its repository is not there.
    pub async fn branch_status(&self, id: AttemptId) -> Result<BranchStatus> {
        let (mut attempt, repo) = self.attempt_in_repository(id).await?;
        if let Some(branch) = renamed(&repo, &attempt).await? {
            attempt.branch = branch;
        }
        let worktree = opened(&repo, &attempt).await?;
        let status = async {
            match &worktree {
                Some(worktree) => {
                    let left = left_in(worktree, &attempt);
                    let (status, warnings, left) = tokio::join!(worktree.status(), worktree.warnings(), left);
                    let mut warnings = warnings?;
                    warnings.extend(left?);
                    Ok((Some(status?), warnings))
                }
                None => Ok::<_, Error>((None, Vec::new())),
            }
        };
        let (divergence, status, of_start) = tokio::join!(
            repo.divergence(&attempt.branch, &attempt.target_branch),
            status,
            self.warnings_of(attempt.id)
        );
        let (divergence, (status, mut warnings)) = (divergence?, status?);
        warnings.extend(of_start?);
        if divergence.is_none() {
            warnings.extend(target_warning(&repo, &attempt.target_branch).await?);
        }
        let is_running = !attempt.state.is_finished();
        let is_on = |status: &Status| status.branch.as_ref() == Some(&attempt.branch);
        let problem = match (&worktree, &status) {
            (Some(worktree), Some(status)) if !is_running && !is_on(status) => {
                Some(apart(worktree, &attempt))
            }
            _ => None,
        };
        let worktree = status;
        let head = match &worktree {
            Some(status) => status.head.clone(),
            None => repo.resolve(&attempt.branch).await.ok().map(|tip| tip.oid),
        };
        let head = head.map(|oid| oid.to_string());
        Ok(BranchStatus { divergence, attempt, worktree, head, problem, warnings })
    }

    /// How the checkout in a project's folder stands to a branch of its remote, by what is known here: nothing is
    /// fetched.
    ///
    /// # Errors
    /// When the project or its repository is not there, or `base` is no name of a branch.
    pub async fn project_status(&self, id: ProjectId, base: &str) -> Result<ProjectStatus> {
        let repo = self.repository(&self.get_project(id).await?).await.map_err(gone_is_conflict)?;
        let compared_with = format!("origin/{base}");
        let (divergence, checkout) = tokio::join!(repo.divergence_from_remote(&compared_with), repo.status());
        let checkout = checkout?;
        let head = checkout.head.as_ref().map(ToString::to_string);
        Ok(ProjectStatus { divergence: divergence?, checkout, head, compared_with })
    }

    /// What a commit of the attempt's repository says of itself.
    ///
    /// # Errors
    /// When the attempt or the commit is not there.
    pub async fn commit_info(&self, id: AttemptId, sha: &str) -> Result<CommitInfo> {
        let (_, repo) = self.attempt_in_repository(id).await?;
        Ok(repo.commit_info(sha).await?)
    }

    /// How a commit stands to the attempt's HEAD.
    ///
    /// # Errors
    /// When the attempt, its branch or the commit is not there.
    pub async fn compare_commit(&self, id: AttemptId, sha: &str) -> Result<Compared> {
        let (attempt, repo) = self.attempt_in_repository(id).await?;
        let commit = repo.commit_info(sha).await?.oid;
        let head = match opened(&repo, &attempt).await? {
            Some(worktree) => worktree.head().await?,
            None => tip(&repo, &attempt).await?,
        };
        let comparison = repo.compare(&commit, &head).await?;
        Ok(Compared { head: head.to_string(), commit: commit.to_string(), comparison })
    }

    /// Where an attempt came from, and what came out of it.
    ///
    /// # Errors
    /// When the attempt is not there.
    pub async fn relations(&self, id: AttemptId) -> Result<Relations> {
        let attempt = self.get_task_attempt(id).await?;
        let children = self.inner.store.list_children(id).await?;
        let parent = self.parent_of(&attempt).await?;
        Ok(Relations { attempt, parent, children })
    }

    /// The task whose attempt the attempt's task came out of. A run has no task, and so came out of none.
    async fn parent_of(&self, attempt: &Attempt) -> Result<Option<TaskCard>> {
        let Some(task) = attempt.task_id else { return Ok(None) };
        let Some(parent) = self.inner.store.get_task(task).await?.parent_task_attempt else {
            return Ok(None);
        };
        match self.get_attempt(parent).await?.task_id {
            Some(task) => Ok(Some(self.inner.store.get_card(task).await?)),
            None => Ok(None),
        }
    }

    /// Says which branch the attempt's work shall go to. Answers with how it stands to that.
    ///
    /// # Errors
    /// When the attempt or the branch is not there.
    pub async fn change_target_branch(&self, id: AttemptId, target: &str) -> Result<BranchStatus> {
        self.get_task_attempt(id).await?;
        let target = target.trim().to_owned();
        self.inner.actors.ask(self, id, |answer| Request::Change(Change::Target(target), answer)).await?;
        self.branch_status(id).await
    }

    /// Deletes a file of the worktree and commits that. What is in the worktree is saved first.
    ///
    /// # Errors
    /// When the attempt runs, or the path is not that of a file in its worktree.
    pub async fn delete_file(&self, id: AttemptId, path: &str) -> Result<Attempt> {
        self.get_task_attempt(id).await?;
        let path = path_text::read(path);
        self.inner.actors.ask(self, id, |answer| Request::Change(Change::DeleteFile(path), answer)).await
    }

    /// Gives up the rebase, merge, cherry-pick or revert that the worktree is in the middle of; where there is none,
    /// nothing is done. What is in the worktree is saved first.
    ///
    /// # Errors
    /// When the attempt runs, its worktree is gone, or git cannot abort.
    pub async fn abort_conflicts(&self, id: AttemptId) -> Result<Attempt> {
        self.get_task_attempt(id).await?;
        self.inner.actors.ask(self, id, |answer| Request::Change(Change::Abort, answer)).await
    }

    /// For the attempt's actor.
    pub(crate) async fn check_target(&self, attempt: &Attempt, target: &str) -> Result<()> {
        if target == attempt.branch {
            return Err(Error::invalid(
                "target_is_own_branch",
                "an attempt's work cannot go to its own branch",
            )
            .hint("name another branch"));
        }
        let project = self.get_project(attempt.project_id).await?;
        self.repository(&project).await.map_err(gone_is_conflict)?.resolve(target).await?;
        Ok(())
    }

    /// For the attempt's actor, which knows that nothing runs in it.
    pub(crate) async fn delete_saved(
        &self,
        attempt: &Attempt,
        path: &Path,
        stop: &CancellationToken,
    ) -> Result<()> {
        let worktree = self.settled(attempt, stop).await?;
        worktree.may_delete(path).await?;
        // A rebase is told of as what it is, by who would commit in the middle of it.
        if worktree.operation().is_none() && !worktree.is_on(&attempt.branch).await? {
            let message = format!("the worktree is not on the attempt's branch {}", attempt.branch);
            return Err(Error::conflict("branch_not_checked_out", message).hint(format!(
                "run `git switch {}` in {}, then ask again",
                attempt.branch, attempt.worktree
            )));
        }
        let saved = save_now(&worktree, attempt, &AtRisk::default()).await?;
        let message = format!("Delete file: {}", path_text::write(path));
        worktree.delete_file(path, &message, &saved).await?;
        Ok(())
    }

    /// For the attempt's actor, which knows that nothing runs in it.
    pub(crate) async fn abort_saved(&self, attempt: &Attempt, stop: &CancellationToken) -> Result<()> {
        let worktree = self.settled(attempt, stop).await?;
        if worktree.operation().is_some() {
            let risk = worktree.at_risk_of_abort().await?;
            save_now(&worktree, attempt, &risk).await?;
            worktree.abort().await?;
        }
        Ok(())
    }

    /// The worktree, when nothing of a server that died works in it any more.
    async fn settled(&self, attempt: &Attempt, stop: &CancellationToken) -> Result<Worktree> {
        let project = self.get_project(attempt.project_id).await?;
        let worktree = self.worktree(&project, attempt).await.map_err(gone_is_conflict)?.until(stop);
        worktree.settle().await?;
        Ok(worktree)
    }

    pub(crate) async fn attempt_in_repository(&self, id: AttemptId) -> Result<(Attempt, Repo)> {
        let attempt = self.get_task_attempt(id).await?;
        here(&attempt)?;
        let project = self.get_project(attempt.project_id).await?;
        let repo = self.repository(&project).await.map_err(gone_is_conflict)?;
        Ok((attempt, repo))
    }
}

/// The warning that commits leave out what the setup script left in the worktree; none if it left nothing.
async fn left_in(worktree: &Worktree, attempt: &Attempt) -> Result<Option<String>> {
    let Some(snapshot) = left_by_setup(worktree.repo(), attempt).await? else { return Ok(None) };
    let left = worktree.leftovers(&snapshot, MOST_NAMED).await?;
    let named: Vec<_> = left.paths.iter().map(|path| path.display().to_string()).collect();
    let named = match (named.join(", "), left.unchecked) {
        (named, 0) if named.is_empty() => return Ok(None),
        (named, 0) => named,
        (named, more) if named.is_empty() => format!("up to {more} files"),
        (named, more) => format!("{named} and up to {more} more"),
    };
    Ok(Some(format!("Commits leave out what the setup script changed and nobody changed since: {named}.")))
}

/// The worktree, if it is there.
pub(crate) async fn opened(repo: &Repo, attempt: &Attempt) -> Result<Option<Worktree>> {
    match repo.open_worktree(Path::new(&attempt.worktree)).await {
        Ok(worktree) => Ok(Some(worktree)),
        Err(GitError::PathNotFound { .. } | GitError::NotAWorktree { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

async fn tip(repo: &Repo, attempt: &Attempt) -> Result<Oid> {
    match repo.resolve(&attempt.branch).await {
        Err(error @ GitError::BranchNotFound { .. }) => {
            Err(Error::conflict("branch_gone", error.to_string())
                .hint("make the branch again, from a snapshot under refs/forge/attempts or from a commit"))
        }
        resolved => Ok(resolved?.oid),
    }
}

/// Saves everything in the worktree, and the ignored files at risk, under the name of the moment.
async fn save_now(worktree: &Worktree, attempt: &Attempt, risk: &AtRisk) -> Result<Oid> {
    let name = format!("{BEFORE_CHANGE}{}", Timestamp::now().as_millis());
    save(worktree, attempt, &name, risk).await
}
