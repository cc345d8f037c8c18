//! What of an attempt's start did not come out as configured: files that were not copied, and caps that are not enforced.

use std::path::Path;

use forge_agent::host::Capped;
use forge_git::{CopyOutcome, Repo, copy_files};
use forge_model::{AttemptId, Process, Project, Started};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::whole::{self, off_runtime};

/// How to make the system enforce caps.
pub(crate) const CAPS_HINT: &str = "run Forge in a cgroup of its own that it may share out (systemd: Delegate=yes), or name one as [caps] cgroup";
/// How many files and patterns are named that were not copied.
const MOST_NAMED: usize = 20;

/// One thing that is not as the project or the configuration wants it, though the attempt runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptWarning {
    /// `file_not_copied` or `caps_not_enforced`.
    pub code: &'static str,
    /// A sentence with what happened.
    pub message: String,
    /// What a person can do about it.
    pub hint: &'static str,
}

impl AttemptWarning {
    fn not_copied(message: String) -> Self {
        let hint =
            "correct `copy_files` of the project, or add the files to its folder, for the next attempt";
        Self { code: "file_not_copied", message, hint }
    }

    fn not_enforced(why: &str) -> Self {
        let message = format!("The caps of [caps] are not enforced: {why}.");
        Self { code: "caps_not_enforced", message, hint: CAPS_HINT }
    }
}

impl Engine {
    /// Copies the project's `copy_files` to a new worktree, and records what was not copied as long as the worktree exists.
    pub(crate) async fn copy_ignored(
        &self,
        project: &Project,
        attempt: AttemptId,
        repo: &Repo,
        worktree: &Path,
    ) -> Result<()> {
        let outcomes = match &project.copy_files {
            Some(patterns) => copy_files(repo.path(), worktree, patterns).await?,
            None => Vec::new(),
        };
        let mut problems: Vec<_> = outcomes.iter().filter_map(CopyOutcome::problem).collect();
        if let more @ 1.. = problems.len().saturating_sub(MOST_NAMED) {
            problems.truncate(MOST_NAMED);
            problems.push(format!("`copy_files`: {more} more files or patterns were not copied."));
        }
        for problem in &problems {
            tracing::warn!(attempt.id = %attempt, "attempt {attempt}: {problem}");
        }
        let record = self.inner.folder.not_copied(attempt);
        if problems.is_empty() {
            // One of a former worktree may be left, which somebody else removed.
            return self.discard(&record).await;
        }
        let text = serde_json::to_string(&problems).map_err(|source| {
            Error::internal("the files that were not copied cannot be recorded").because(source)
        })?;
        off_runtime(move || whole::write(&record, &text)).await
    }

    /// Discards the files of Forge's own that an attempt has as long as its worktree exists.
    pub(crate) async fn discard_beside_worktree(&self, attempt: AttemptId) -> Result<()> {
        self.discard(&self.inner.folder.tmp(attempt)).await?;
        self.discard(&self.inner.folder.not_copied(attempt)).await
    }

    /// What of a start did not come out as configured.
    pub async fn start_warnings(&self, started: &Started) -> Vec<AttemptWarning> {
        self.warnings_with(started.attempt.id, started.process.as_ref()).await
    }

    /// The same as sentences, with the caps of the newest process.
    pub(crate) async fn warnings_of(&self, attempt: AttemptId) -> Result<Vec<String>> {
        let newest = self.inner.store.list_processes(attempt).await?.pop();
        let warnings = self.warnings_with(attempt, newest.as_ref()).await;
        Ok(warnings.into_iter().map(|warning| warning.message).collect())
    }

    /// A record that cannot be read only costs its warnings.
    async fn warnings_with(&self, attempt: AttemptId, process: Option<&Process>) -> Vec<AttemptWarning> {
        let record = self.inner.folder.not_copied(attempt);
        let dir = process.map(|process| self.inner.folder.process(process.id));
        let read = off_runtime(move || {
            let problems = match whole::read(&record)? {
                Some(text) => serde_json::from_str::<Vec<String>>(&text).map_err(|source| {
                    Error::internal("the files that were not copied cannot be read").because(source)
                })?,
                None => Vec::new(),
            };
            let mut warnings: Vec<_> = problems.into_iter().map(AttemptWarning::not_copied).collect();
            let capped = dir
                .map_or(Ok(None), |dir| Capped::find(&dir))
                .map_err(|source| Error::internal("the caps of a process cannot be read").because(source))?;
            if let Some(Capped { enforced: false, why, .. }) = capped {
                warnings.push(AttemptWarning::not_enforced(
                    &why.unwrap_or_else(|| "the cause is not known".to_owned()),
                ));
            }
            Ok(warnings)
        });
        read.await.unwrap_or_else(|error: Error| {
            tracing::warn!(attempt.id = %attempt, error = %error, "warnings of attempt {attempt} cannot be read: {error}");
            Vec::new()
        })
    }
}
