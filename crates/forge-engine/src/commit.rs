//! Committing what a process changed, and saving what is in a worktree under a hidden ref.

use std::path::Path;

use forge_git::{CommitRules, Error as GitError, Oid, Repo, SUBJECT, SetupSnapshots, Snapshot, Worktree};
use forge_model::fsm::attempt::Committed;
use forge_model::{Action, Attempt, Process, ProcessId, ProcessKind, Project};
use tokio_util::sync::CancellationToken;

use crate::actor::GO_ON;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::own_branch::{apart, reconnected};
use crate::reached::RECAP;
use crate::snapshots::{AFTER_SETUP, BEFORE_SETUP, prefix};

/// The longest commit message that is made of an agent's words.
const LONGEST_MESSAGE: usize = 4096;
/// The longest subject, in characters.
const LONGEST_SUBJECT: usize = 72;

impl Engine {
    pub(crate) async fn worktree(&self, project: &Project, attempt: &Attempt) -> Result<Worktree> {
        self.check_disk(attempt).await?;
        let repo = self.repository(project).await?;
        let worktree = reconnected(&repo, attempt).await.map_err(|error| match error {
            GitError::PathNotFound { .. } => {
                let message = format!("the attempt's worktree {} is gone", attempt.worktree);
                Error::conflict("worktree_gone", message)
                    .hint("the attempt's branch still has its commits; start another attempt from it")
            }
            other => Error::from(other),
        })?;
        Ok(worktree.with_rules(rules(project)))
    }

    /// Commits what stands in the worktree. Done twice, it gives the same answer: whether the branch has moved is
    /// seen against the commit that stood when the process began, not against this call. Told to stop, it kills a
    /// hook that hangs. What may pass, such as a full disk, it waits for.
    pub(crate) async fn commit(
        &self,
        project: &Project,
        attempt: &Attempt,
        process: &Process,
        message: &str,
        stop: &CancellationToken,
    ) -> Done {
        let id = attempt.id;
        loop {
            let error = match self.try_commit(project, attempt, process, message, stop).await {
                Ok(done) => return done,
                Err(error) => error,
            };
            if !error.may_pass() {
                tracing::warn!(attempt.id = %id, error = %error, "attempt {id} could not be committed");
                return Done::failed(&error);
            }
            // The work stands in the worktree meanwhile, and whoever does not want to wait can stop the attempt.
            tracing::warn!(attempt.id = %id, error = %error, "the commit of attempt {id} waits: {error}");
            let gives_up = tokio::select! {
                () = stop.cancelled() => true,
                closing = self.pause() => closing,
            };
            if gives_up {
                return Done::failed(&error);
            }
        }
    }

    async fn try_commit(
        &self,
        project: &Project,
        attempt: &Attempt,
        process: &Process,
        message: &str,
        stop: &CancellationToken,
    ) -> Result<Done> {
        let worktree = self.worktree_for_commit(project, attempt).await?;
        if !worktree.is_on(&attempt.branch).await? {
            return Err(apart(&worktree, attempt));
        }
        worktree.until(stop).commit_all(message).await?;
        let head = worktree.head().await?.to_string();
        self.inner.crash.pass("commit-made");
        let changed = process.before_head_commit.as_deref() != Some(head.as_str());
        let committed = if changed { Committed::Changed } else { Committed::Unchanged };
        Ok(Done { committed, head: Some(head) })
    }

    /// The worktree, whose commits leave out what the setup script left.
    pub(crate) async fn worktree_for_commit(&self, project: &Project, attempt: &Attempt) -> Result<Worktree> {
        let worktree = self.worktree(project, attempt).await?;
        let leave_out = left_by_setup(worktree.repo(), attempt).await?;
        Ok(worktree.with_rules(CommitRules { leave_out, ..rules(project) }))
    }

    /// Keeps what a setup script left, so that commits leave it out. `after` is the snapshot that was taken after this
    /// process of the script, if it had changes.
    pub(crate) async fn keep_leftovers(
        &self,
        project: &Project,
        attempt: &Attempt,
        process: ProcessId,
        after: Option<Oid>,
    ) -> Result<()> {
        let worktree = self.worktree(project, attempt).await?;
        let (repo, prefix) = (worktree.repo(), prefix(attempt.id));
        let refs = repo.hidden_refs(&prefix).await?;
        let named = |name: &str| refs.iter().find(|hidden| hidden.name == name);
        let oid = |name: &str| Some(named(name)?.oid.clone());
        let (before, earlier) = (oid(BEFORE_SETUP), oid(AFTER_SETUP));
        // A start runs the script in a worktree in which nobody worked yet. Otherwise, without a snapshot of what was there
        // before, everything counts as work.
        let is_first = self
            .inner
            .store
            .list_processes(attempt.id)
            .await?
            .first()
            .is_some_and(|first| first.id == process);
        let left = match after.filter(|_| before.is_some() || is_first) {
            Some(after) => worktree.separate_leftovers(&SetupSnapshots { before, earlier, after }).await?,
            None => None,
        };
        match (left, named(AFTER_SETUP)) {
            (Some(left), _) => repo.make_hidden_ref(&format!("{prefix}{AFTER_SETUP}"), &left).await?,
            (None, Some(earlier)) => repo.remove_hidden_refs(&prefix, vec![earlier.clone()]).await?,
            (None, None) => {}
        }
        Ok(())
    }

    /// Removes the snapshot of what was in the worktree before an earlier run of the setup script.
    pub(crate) async fn remove_before_setup(&self, project: &Project, attempt: &Attempt) -> Result<()> {
        let (repo, prefix) = (self.repository(project).await?, prefix(attempt.id));
        let mut refs = repo.hidden_refs(&prefix).await?;
        refs.retain(|hidden| hidden.name == BEFORE_SETUP);
        Ok(repo.remove_hidden_refs(&prefix, refs).await?)
    }

    /// Saves everything in the worktree, untracked files too, and tells what git could not save. A worktree that is
    /// gone has nothing to save.
    pub(crate) async fn snapshot(
        &self,
        project: &Project,
        attempt: &Attempt,
        name: &str,
    ) -> Result<Option<String>> {
        let saved = self.snapshot_until(project, attempt, name, &CancellationToken::new()).await?;
        Ok(saved.and_then(|saved| saved.unsaved))
    }

    /// The same; gives up when told to stop, and returns the snapshot.
    pub(crate) async fn snapshot_until(
        &self,
        project: &Project,
        attempt: &Attempt,
        name: &str,
        stop: &CancellationToken,
    ) -> Result<Option<Snapshot>> {
        self.check_disk(attempt).await?;
        if !Path::new(&attempt.worktree).exists() {
            return Ok(None);
        }
        let worktree = self.worktree(project, attempt).await?.until(stop);
        let reference = format!("refs/forge/attempts/{}/{name}", attempt.id);
        let message = format!("{SUBJECT}{} at {name}", attempt.branch);
        Ok(Some(worktree.snapshot(&reference, &message).await?))
    }
}

/// The snapshot of what the setup script left uncommitted; none if it left nothing.
pub(crate) async fn left_by_setup(repo: &Repo, attempt: &Attempt) -> Result<Option<Oid>> {
    let refs = repo.hidden_refs(&prefix(attempt.id)).await?;
    Ok(refs.into_iter().find(|hidden| hidden.name == AFTER_SETUP).map(|hidden| hidden.oid))
}

/// How a project's commits are made.
fn rules(project: &Project) -> CommitRules {
    CommitRules {
        skip_hooks: project.skip_commit_hooks,
        skip_signing: project.skip_commit_signing,
        leave_out: None,
    }
}

/// What came of a commit, and the commit that stands now.
pub(crate) struct Done {
    pub(crate) committed: Committed,
    pub(crate) head: Option<String>,
}

impl Done {
    pub(crate) fn failed(error: &dyn std::error::Error) -> Self {
        Self { committed: Committed::Refused { message: error.to_string() }, head: None }
    }
}

/// The message of a turn's commit: the subject says what was asked for, the body what the agent answered.
pub(crate) fn message(subject: &str, said: Option<&str>) -> String {
    match said.map(str::trim) {
        Some(said) if !said.is_empty() && said != subject => format!("{subject}\n\n{}", cut(said)),
        Some(_) | None => subject.to_owned(),
    }
}

/// The subject of a turn's commit: the task's title for the first commit of an attempt, the first line of the prompt for
/// later ones.
pub(crate) fn subject(title: &str, process: &Process, processes: &[Process]) -> String {
    let before = processes.iter().take_while(|other| other.id != process.id);
    let mut turns = before.filter(|other| other.kind == ProcessKind::CodingAgent && !other.dropped);
    let has_commits = turns
        .any(|turn| turn.after_head_commit.is_some() && turn.after_head_commit != turn.before_head_commit);
    let prompt = match &process.action {
        // Not what a person wrote.
        Action::Turn { prompt, .. } if has_commits && prompt != GO_ON && !prompt.starts_with(RECAP) => {
            first_line(prompt)
        }
        Action::Turn { .. } | Action::Script { .. } => None,
    };
    prompt.or_else(|| first_line(title)).unwrap_or_else(|| "Save changes".to_owned())
}

/// The first line with words, as short as a subject is.
fn first_line(text: &str) -> Option<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = text.lines().map(words).find(|line| !line.is_empty())?;
    let Some((end, _)) = line.char_indices().nth(LONGEST_SUBJECT) else { return Some(line) };
    // One character is for the sign that something follows.
    let (kept, _) = line.char_indices().nth(LONGEST_SUBJECT - 1)?;
    let kept = line.get(..kept).unwrap_or(&line);
    let at_word = line.get(..end).and_then(|start| start.rfind(' ')).filter(|at| *at > kept.len() / 2);
    Some(format!("{}…", line.get(..at_word.unwrap_or(kept.len())).unwrap_or(kept)))
}

pub(crate) fn cleanup_message(attempt: &Attempt) -> String {
    format!("Cleanup script changes for task attempt {}", attempt.id)
}

fn cut(text: &str) -> String {
    if text.len() <= LONGEST_MESSAGE {
        return text.to_owned();
    }
    let mut end = LONGEST_MESSAGE;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}...", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let cut = cut(&"é".repeat(3000));
        assert_eq!(cut, format!("{}...", "é".repeat(2048)));
        assert_eq!(super::cut("short"), "short");
    }

    #[test]
    fn subject_is_cut_at_word() {
        assert_eq!(first_line("\n  Fix\tthe   login \nand more").unwrap(), "Fix the login");
        assert_eq!(first_line(" \n"), None);
        assert_eq!(first_line(&"é".repeat(72)).unwrap(), "é".repeat(72));
        assert_eq!(first_line(&"é".repeat(73)).unwrap(), format!("{}…", "é".repeat(71)));
        let words = first_line(&"word ".repeat(20)).unwrap();
        assert_eq!(words, format!("{}…", "word ".repeat(14).trim_end()));
    }

    #[test]
    fn message_has_body_only_for_more() {
        assert_eq!(message("Add login", Some(" Added it. \n")), "Add login\n\nAdded it.");
        assert_eq!(message("Add login", Some("Add login")), "Add login");
        assert_eq!(message("Add login", None), "Add login");
    }
}
