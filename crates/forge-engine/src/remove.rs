//! Removing: what is in a worktree is saved first, what is removed is renamed out of the way, and deleting happens
//! behind everybody's back.

use std::fs;
use std::path::{Path, PathBuf};

use forge_git::{BranchFate, Error as GitError, Repo};
use forge_model::{Attempt, AttemptId, ProcessId, ProjectId, TaskId, Timestamp};
use forge_store::StoreError;

use crate::actor::Request;
use crate::attempts::here;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::folder;
use crate::snapshots::{BEFORE_DELETE, gone_is_conflict, not_saved, prefix};
use crate::worktree_root::root_of;

/// What becomes of an attempt's work when the attempt is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The branch stays, and what was not committed is saved.
    Keep,
    /// Nothing stays.
    Discard,
}

impl Engine {
    /// Removes an attempt: its worktree, its processes and their logs. The branch stays, and what was in the
    /// worktree is kept under `refs/forge/attempts/<id>/`.
    ///
    /// # Errors
    /// When it runs, or its worktree cannot be saved.
    pub async fn delete_attempt(&self, id: AttemptId) -> Result<()> {
        self.get_attempt_here(id).await?;
        self.inner.actors.ask(self, id, |answer| Request::Delete(Fate::Keep, answer)).await
    }

    /// Removes an attempt and all that it came to: its branch and what was saved of its worktree too. Nothing brings
    /// that back.
    ///
    /// # Errors
    /// When it runs, or its branch is checked out elsewhere.
    pub async fn discard_attempt(&self, id: AttemptId) -> Result<()> {
        self.get_attempt_here(id).await?;
        self.inner.actors.ask(self, id, |answer| Request::Delete(Fate::Discard, answer)).await
    }

    /// Removes a task and all its attempts.
    ///
    /// # Errors
    /// When an attempt of it runs.
    pub async fn delete_task(&self, id: TaskId) -> Result<()> {
        let attempts = self.list_attempts(Some(id)).await?;
        attempts.iter().try_for_each(here)?;
        idle(&attempts, "task")?;
        for attempt in attempts {
            self.delete_attempt(attempt.id).await?;
        }
        Ok(self.inner.store.delete_task(id).await?)
    }

    /// Removes a project with all its tasks and runs. The repository stays.
    ///
    /// # Errors
    /// When an attempt in it runs.
    pub async fn delete_project(&self, id: ProjectId) -> Result<()> {
        let project = self.get_project(id).await?;
        let attempts = self.inner.store.list_attempts_and_runs(Some(id)).await?;
        attempts.iter().try_for_each(here)?;
        idle(&attempts, "project")?;
        for attempt in attempts {
            self.delete_attempt(attempt.id).await?;
        }
        self.discard(&self.inner.folder.cache(id)).await?;
        // Before the row: nobody finds the repository any more when it is gone.
        self.remember_repository(&project).await?;
        self.inner.store.delete_project(id).await?;
        self.forget_spares(id);
        self.empty_trash();
        Ok(())
    }

    /// For the attempt's actor, which knows that nothing runs in it.
    pub(crate) async fn remove_attempt(&self, attempt: &Attempt, fate: Fate) -> Result<()> {
        self.check_disk(attempt).await?;
        let removed = match fate {
            Fate::Keep => self.remove_worktree(attempt).await,
            Fate::Discard => self.discard_work(attempt).await,
        };
        if let Err(error) = removed {
            // Where the worktree was taken away, somebody else put there what there is.
            let is_left = !attempt.worktree_deleted && fs::symlink_metadata(&attempt.worktree).is_ok();
            match error.code() {
                "worktree_gone" if is_left => return Err(unknown_folder(attempt)),
                "worktree_gone" | "repository_gone" => {}
                _ => return Err(error),
            }
            if is_left {
                // Without its repository it cannot be saved, so it stays where it is.
                let id = attempt.id;
                tracing::warn!(attempt.id = %id, error = %error, "{} of attempt {id} is left", attempt.worktree);
            }
        }
        self.inner.crash.pass("delete-worktree-removed");
        let repo = self.repository(&self.get_project(attempt.project_id).await?).await.ok();
        if let Some(repo) = &repo {
            repo.forget_record(Path::new(&attempt.worktree));
        }
        // Before the rows: nobody finds it any more when they are gone. Those of processes a server finds that starts.
        self.discard_beside_worktree(attempt.id).await?;
        let processes = self.inner.store.list_processes(attempt.id).await?;
        if let Some(repo) = &repo {
            self.mark_snapshots(repo, attempt.id).await?;
        }
        self.inner.crash.pass("delete-marked");
        processes.iter().for_each(|process| self.mark_deleted(process.id));
        let deleted = self.inner.store.delete_attempt(attempt.id).await;
        match deleted {
            Ok(()) => {}
            Err(error @ (StoreError::Unknown | StoreError::Closed)) => return Err(error.into()),
            Err(error) => {
                processes.iter().for_each(|process| self.unmark_deleted(process.id));
                if let Some(repo) = &repo
                    && let Err(error) = self.unmark_snapshots(repo, attempt.id).await
                {
                    let id = attempt.id;
                    tracing::warn!(attempt.id = %id, error = %error, "snapshots of attempt {id} stay marked until the next collection");
                }
                return Err(error.into());
            }
        }
        self.inner.crash.pass("delete-written");
        for process in processes {
            self.discard(&self.inner.folder.process(process.id)).await?;
        }
        self.empty_trash_beside(attempt);
        Ok(())
    }

    /// Saves what is in the worktree, takes it from its repository and moves it out of the way.
    async fn remove_worktree(&self, attempt: &Attempt) -> Result<()> {
        let project = self.get_project(attempt.project_id).await?;
        let repo = self.repository(&project).await.map_err(gone_is_conflict)?;
        if self.inner.store.is_anothers_worktree(attempt).await? {
            return Ok(());
        }
        let name = format!("{BEFORE_DELETE}{}", Timestamp::now().as_millis());
        if let Some(unsaved) = self.snapshot(&project, attempt, &name).await? {
            return Err(not_saved(&unsaved, attempt));
        }
        self.move_away(&repo, attempt).await
    }

    /// Takes the worktree, the branch and the snapshots from the repository.
    async fn discard_work(&self, attempt: &Attempt) -> Result<()> {
        let project = self.get_project(attempt.project_id).await?;
        let repo = self.repository(&project).await.map_err(gone_is_conflict)?;
        if !self.inner.store.is_anothers_worktree(attempt).await? {
            match self.move_away(&repo, attempt).await {
                // Where the worktree was taken away, somebody else put there what there is.
                Err(error) if error.code() == "worktree_gone" && attempt.worktree_deleted => {}
                Err(error) if error.code() == "worktree_gone" => self.discard_folder(&repo, attempt).await?,
                moved => moved?,
            }
        }
        repo.delete_branch_if_unused(&attempt.branch).await?;
        Ok(repo.delete_hidden_refs(&prefix(attempt.id)).await?)
    }

    /// Moves a folder in the place of a worktree into the trash, whatever became of it. A link is moved, not its target.
    async fn discard_folder(&self, repo: &Repo, attempt: &Attempt) -> Result<()> {
        let path = Path::new(&attempt.worktree);
        if !path.starts_with(self.inner.folder.worktrees()) {
            return Err(unknown_folder(attempt));
        }
        rename_away(path, &self.trash_beside(attempt)?).await?;
        repo.unregister_gone(&[path.to_owned()]).await?;
        Ok(())
    }

    /// Takes a worktree whose content is saved from its repository and moves it out of the way.
    pub(crate) async fn move_away(&self, repo: &Repo, attempt: &Attempt) -> Result<()> {
        let path = Path::new(&attempt.worktree);
        match repo.remove_worktree(path, &self.trash_beside(attempt)?, BranchFate::Keep).await {
            Err(GitError::NotAWorktree { .. }) if !path.exists() => Ok(()),
            removed => Ok(removed?),
        }
    }

    /// Moves a folder of ours into the trash. One that is not there is gone already.
    pub(crate) async fn discard(&self, path: &Path) -> Result<()> {
        rename_away(path, &self.inner.folder.trash().join(ProcessId::random().to_string())).await
    }

    /// A place for a worktree in the trash of its own folder: a rename must not cross filesystems.
    pub(crate) fn trash_beside(&self, attempt: &Attempt) -> Result<PathBuf> {
        let trash = folder::worktree_trash(root_of(attempt));
        if fs::symlink_metadata(&attempt.worktree).is_ok() {
            folder::make(&trash)?;
        }
        Ok(trash.join(ProcessId::random().to_string()))
    }

    /// Deletes what lies in the trash, in the background. What a crash leaves there goes at the next start.
    pub(crate) fn empty_trash(&self) {
        self.empty_trash_in(self.inner.folder.worktrees());
    }

    /// The same after something of an attempt was moved there, whose worktree may be in a former folder.
    pub(crate) fn empty_trash_beside(&self, attempt: &Attempt) {
        self.empty_trash_in(root_of(attempt));
    }

    pub(crate) fn empty_trash_in(&self, worktrees: &Path) {
        let trashes = [self.inner.folder.trash(), folder::worktree_trash(worktrees)];
        self.inner.tasks.spawn_blocking(move || trashes.iter().for_each(empty));
    }
}

/// Moves a folder. One that does not exist is gone already.
async fn rename_away(path: &Path, to: &Path) -> Result<()> {
    match tokio::fs::rename(path, to).await {
        Ok(()) => Ok(()),
        Err(error) if is_gone(&error) => Ok(()),
        Err(source) => {
            let message = format!("the folder {} cannot be moved away: {source}", path.display());
            Err(Error::lacking(&message).unwrap_or_else(|| {
                Error::unavailable("folder_not_writable", message)
                    .hint("see who owns it, and whether the disk is full")
            }))
        }
    }
}

/// Why an attempt is not deleted whose folder git does not know.
fn unknown_folder(attempt: &Attempt) -> Error {
    let message = format!(
        "{} is no longer a worktree of the repository, so its content cannot be saved",
        attempt.worktree
    );
    Error::conflict("worktree_unknown", message)
        .hint("move what you need out of the folder, then delete the attempt with `?discard=true`")
}

fn idle(attempts: &[Attempt], what: &str) -> Result<()> {
    match attempts.iter().find(|attempt| !attempt.state.is_finished()) {
        Some(run) if run.is_run() => {
            Err(Error::conflict("attempt_running", format!("the {what} has runs that are at work"))
                .hint(format!("stop the execution run {} first", run.id)))
        }
        Some(attempt) => Err(Error::conflict("attempt_running", format!("the {what} has attempts that run"))
            .hint(format!("stop attempt {} first", attempt.id))),
        None => Ok(()),
    }
}

/// Nor can anything be below what is not a folder.
fn is_gone(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

pub(crate) fn empty(trash: &PathBuf) {
    for entry in fs::read_dir(trash).into_iter().flatten().flatten() {
        let path = entry.path();
        let removed = if path.is_dir() && !path.is_symlink() {
            fs::remove_dir_all(&path)
        } else {
            fs::remove_file(&path)
        };
        // Two may empty it at once, and one of them finds things gone.
        if let Err(error) = removed
            && !is_gone(&error)
        {
            tracing::warn!(path = %path.display(), %error, "{} stays in the trash", path.display());
        }
    }
}
