//! Taking an attempt's worktree and branch back to what they were before a turn.

use forge_git::{Oid, Rewind, Worktree};
use forge_model::{Attempt, Process, ProcessKind, Project, Retry, Timestamp, WorktreeReset};
use tokio_util::sync::CancellationToken;

use crate::commit::left_by_setup;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::snapshots::{BEFORE_REPLACE, prefix, save};

/// What was done to a worktree before a turn takes the place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rewound {
    /// The commit that stood before the turn.
    pub(crate) target: Option<String>,
    /// Whether anything was different.
    pub(crate) needed: bool,
    /// Whether it is as before now.
    pub(crate) applied: bool,
}

impl Engine {
    /// For the attempt's actor, which knows that nothing runs in it. What is in the worktree is saved first. Done again
    /// after a crash, it comes to the same end.
    pub(crate) async fn rewind(
        &self,
        project: &Project,
        attempt: &Attempt,
        retry: &Retry,
        stop: &CancellationToken,
    ) -> Result<Rewound> {
        let processes = self.inner.store.list_processes(attempt.id).await?;
        let replaced = processes.iter().find(|process| process.id == retry.process_id);
        let replaced = replaced.ok_or_else(|| Error::not_found("process", retry.process_id))?;
        let worktree = self.worktree(project, attempt).await?.until(stop);
        worktree.settle().await?;
        let target = replaced.before_head_commit.clone();
        let stands = worktree.head().await?.to_string();
        let needed = target.as_ref() != Some(&stands)
            || worktree.has_unfiltered_files()
            || worktree.is_dirty().await?;
        let commit: Oid = match (&target, retry.worktree) {
            (Some(target), WorktreeReset::Reset) if needed => {
                target.parse().map_err(|_bad| Error::internal("a commit's name cannot be read"))?
            }
            (Some(_) | None, WorktreeReset::Reset | WorktreeReset::Keep) => {
                return Ok(Rewound { target, needed, applied: false });
            }
        };
        let time = Timestamp::now().as_millis();
        let saved = format!("{BEFORE_REPLACE}{time}");
        let files = left_before(&worktree, attempt, &processes, replaced, &commit).await?;
        let risk = worktree.at_risk(&files, &commit).await?;
        save(&worktree, attempt, &saved, &risk).await?;
        self.inner.crash.pass("replace-saved");
        let to = Rewind {
            branch: attempt.branch.clone(),
            files,
            commit,
            risk,
            tip: format!("{}branch-{saved}", prefix(attempt.id)),
        };
        worktree.rewind(&to).await?;
        self.inner.crash.pass("replace-rewound");
        Ok(Rewound { target, needed, applied: true })
    }
}

/// The commit with the files that the turn found: what the process before it left uncommitted is among them. If nobody
/// knows that, what the setup script left is among them: the script does not run again.
async fn left_before(
    worktree: &Worktree,
    attempt: &Attempt,
    processes: &[Process],
    replaced: &Process,
    commit: &Oid,
) -> Result<Oid> {
    let counts = |process: &&Process| !process.dropped && process.kind != ProcessKind::DevServer;
    let before = processes.iter().take_while(|process| process.id != replaced.id).filter(counts).last();
    let name = before.map(|before| before.id.to_string());
    let refs = worktree.repo().hidden_refs(&prefix(attempt.id)).await?;
    let left = refs.into_iter().find(|hidden| Some(&hidden.name) == name.as_ref());
    // Over other commits than those that it was made on, it would undo them.
    if let Some(left) = left.filter(|hidden| hidden.parent.as_ref() == Some(commit)) {
        return Ok(left.oid);
    }
    match left_by_setup(worktree.repo(), attempt).await? {
        Some(snapshot) => Ok(worktree.lay_leftovers(&snapshot, commit).await?),
        None => Ok(commit.clone()),
    }
}
