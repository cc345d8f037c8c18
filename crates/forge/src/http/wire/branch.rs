//! `BranchStatus`, commits, relations and diffs.

use forge_engine::{ChangeKind, Operation, WorktreeStatus};
use forge_model::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::later::Merge;
use super::{Attempt, Task};
use crate::http::spec::documented;

documented!(BranchStatus<'_>, CommitInfo<'_>, CommitCompare<'_>, Relations<'_>, NewTarget<'_>, FoundFile<'_>);

/// How a branch stands to its target, and its checkout to the branch.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct BranchStatus<'a> {
    commits_behind: Option<u64>,
    commits_ahead: Option<u64>,
    /// Whether tracked files differ from the commit that stands; none when there is no checkout.
    has_uncommitted_changes: Option<bool>,
    head_oid: Option<&'a str>,
    uncommitted_count: Option<usize>,
    untracked_count: Option<usize>,
    target_branch_name: &'a str,
    remote_commits_behind: Option<u64>,
    remote_commits_ahead: Option<u64>,
    /// What was made of the branch, newest first; nothing yet.
    merges: Vec<Merge>,
    is_rebase_in_progress: bool,
    /// What git is in the middle of: `rebase`, `merge`, `cherry_pick`, `revert` or `patches`.
    conflict_op: Option<&'static str>,
    conflicted_files: Vec<String>,
    /// The same as `commits_ahead`.
    ahead: Option<u64>,
    /// The same as `commits_behind`.
    behind: Option<u64>,
    /// The same as `conflicted_files`.
    conflicts: Vec<String>,
    /// In a word: `conflicts`, `diverged`, `ahead`, `behind`, `up_to_date`, or `unknown` when a branch is gone.
    status: &'static str,
    /// The branch that was compared with.
    compared_with: &'a str,
    /// Why HEAD of the worktree is not on the attempt's branch while nothing runs, and the way out; none when it is.
    head_problem: Option<HeadProblem<'a>>,
    /// What is not saved, committed or copied in the worktree, which programs git does not run there, and caps that are
    /// not enforced.
    warnings: &'a [String],
    /// Whether a remote was asked: it never is, so what is told of one is what was last fetched.
    fetched: bool,
}

/// Why HEAD of a worktree is not on the attempt's branch.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct HeadProblem<'a> {
    /// `head_detached_from_branch`.
    code: &'static str,
    message: String,
    hint: Option<&'a str>,
}

impl<'a> BranchStatus<'a> {
    fn new(
        target: &'a str,
        compared_with: &'a str,
        divergence: Option<forge_engine::Divergence>,
        head_oid: Option<&'a str>,
        checkout: Option<&WorktreeStatus>,
    ) -> Self {
        let (ahead, behind) =
            divergence.map_or((None, None), |apart| (Some(apart.ahead), Some(apart.behind)));
        let operation = checkout.and_then(|checkout| checkout.operation);
        let conflicted = checkout.map(|checkout| checkout.conflicted.as_slice()).unwrap_or_default();
        let conflicted: Vec<_> = conflicted.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        Self {
            commits_behind: behind,
            commits_ahead: ahead,
            has_uncommitted_changes: checkout.map(|checkout| checkout.uncommitted > 0),
            head_oid,
            uncommitted_count: checkout.map(|checkout| checkout.uncommitted),
            untracked_count: checkout.map(|checkout| checkout.untracked),
            target_branch_name: target,
            remote_commits_behind: None,
            remote_commits_ahead: None,
            merges: Vec::new(),
            is_rebase_in_progress: operation == Some(Operation::Rebase),
            conflict_op: operation.map(operation_word),
            conflicts: conflicted.clone(),
            status: match (ahead, behind) {
                _ if !conflicted.is_empty() => "conflicts",
                (Some(0), Some(0)) => "up_to_date",
                (Some(_), Some(0)) => "ahead",
                (Some(0), Some(_)) => "behind",
                (Some(_), Some(_)) => "diverged",
                (None, _) | (_, None) => "unknown",
            },
            conflicted_files: conflicted,
            ahead,
            behind,
            compared_with,
            head_problem: None,
            warnings: &[],
            fetched: false,
        }
    }
}

impl<'a> From<&'a forge_engine::BranchStatus> for BranchStatus<'a> {
    fn from(status: &'a forge_engine::BranchStatus) -> Self {
        let target = &status.attempt.target_branch;
        let head_problem = status.problem.as_ref().map(|problem| HeadProblem {
            code: problem.code(),
            message: problem.to_string(),
            hint: problem.hint_text(),
        });
        let head = status.head.as_deref();
        let told = Self::new(target, target, status.divergence, head, status.worktree.as_ref());
        Self { head_problem, warnings: &status.warnings, ..told }
    }
}

impl<'a> BranchStatus<'a> {
    /// Of the checkout in a project's folder, to the branch `base` of its remote.
    pub(in crate::http) fn of_project(status: &'a forge_engine::ProjectStatus, base: &'a str) -> Self {
        let head = status.head.as_deref();
        let told = Self::new(base, &status.compared_with, status.divergence, head, Some(&status.checkout));
        Self { remote_commits_ahead: told.ahead, remote_commits_behind: told.behind, ..told }
    }
}

const fn operation_word(operation: Operation) -> &'static str {
    match operation {
        Operation::Rebase => "rebase",
        Operation::Merge => "merge",
        Operation::CherryPick => "cherry_pick",
        Operation::Revert => "revert",
        Operation::Patches => "patches",
    }
}

/// What a commit says of itself.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct CommitInfo<'a> {
    sha: &'a str,
    /// The first line of its message.
    subject: &'a str,
    author: &'a str,
    author_email: &'a str,
    authored_at: Timestamp,
}

impl<'a> From<&'a forge_engine::CommitInfo> for CommitInfo<'a> {
    fn from(commit: &'a forge_engine::CommitInfo) -> Self {
        Self {
            sha: commit.oid.as_str(),
            subject: &commit.subject,
            author: &commit.author,
            author_email: &commit.author_email,
            authored_at: Timestamp::from_millis(commit.authored_at_ms),
        }
    }
}

/// How a commit stands to the attempt's HEAD.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct CommitCompare<'a> {
    head_oid: &'a str,
    /// The commit.
    target_oid: &'a str,
    /// How many commits HEAD has that the commit does not have.
    ahead_from_head: u64,
    /// How many it lacks.
    behind_from_head: u64,
    /// Whether HEAD goes on from the commit.
    is_linear: bool,
    files_changed: u64,
    insertions: u64,
    deletions: u64,
}

impl<'a> From<&'a forge_engine::Compared> for CommitCompare<'a> {
    fn from(compared: &'a forge_engine::Compared) -> Self {
        let comparison = &compared.comparison;
        Self {
            head_oid: &compared.head,
            target_oid: &compared.commit,
            ahead_from_head: comparison.divergence.ahead,
            behind_from_head: comparison.divergence.behind,
            is_linear: comparison.divergence.behind == 0,
            files_changed: comparison.files_changed,
            insertions: comparison.insertions,
            deletions: comparison.deletions,
        }
    }
}

/// Where an attempt came from, and what came out of it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskRelationships")]
pub(in crate::http) struct Relations<'a> {
    parent_task: Option<Task<'a>>,
    /// The same as `parent_task`.
    parent: Option<Task<'a>>,
    current_attempt: Attempt<'a>,
    children: Vec<Task<'a>>,
}

impl<'a> From<&'a forge_engine::Relations> for Relations<'a> {
    fn from(relations: &'a forge_engine::Relations) -> Self {
        Self {
            parent_task: relations.parent.as_ref().map(Task::from),
            parent: relations.parent.as_ref().map(Task::from),
            current_attempt: Attempt::from(&relations.attempt),
            children: relations.children.iter().map(Task::from).collect(),
        }
    }
}

/// The branch that the work shall go to.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChangedTarget")]
pub(in crate::http) struct NewTarget<'a> {
    new_target_branch: &'a str,
    /// The same as `new_target_branch`.
    target_branch: &'a str,
    /// How many commits the attempt is ahead of it, and behind.
    status: [u64; 2],
}

impl<'a> From<&'a forge_engine::BranchStatus> for NewTarget<'a> {
    fn from(status: &'a forge_engine::BranchStatus) -> Self {
        let target = &status.attempt.target_branch;
        let apart = status.divergence.map_or([0, 0], |apart| [apart.ahead, apart.behind]);
        Self { new_target_branch: target, target_branch: target, status: apart }
    }
}

/// A file or folder of a project.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SearchResult")]
pub(in crate::http) struct FoundFile<'a> {
    path: &'a str,
    is_file: bool,
    /// What it was found by: `FileName`, `DirectoryName` or `FullPath`.
    match_type: &'static str,
}

impl<'a> From<&'a forge_engine::Found> for FoundFile<'a> {
    fn from(found: &'a forge_engine::Found) -> Self {
        let (is_file, match_type) = match found.matched {
            forge_engine::Matched::FileName => (true, "FileName"),
            forge_engine::Matched::DirectoryName => (false, "DirectoryName"),
            forge_engine::Matched::FullPath => (true, "FullPath"),
        };
        Self { path: &found.path, is_file, match_type }
    }
}

/// A file that differs, as it stands in the diff stream.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct DiffEntry<'a> {
    /// `DIFF`.
    #[serde(rename = "type")]
    kind: &'static str,
    content: Diff<'a>,
}

/// A file that differs.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct Diff<'a> {
    /// `added`, `deleted`, `modified`, `renamed` or `permissionChange`.
    change: &'static str,
    old_path: Option<&'a str>,
    new_path: Option<&'a str>,
    /// None where there is no file, where it is no text, and where it was left out.
    old_content: Option<&'a str>,
    new_content: Option<&'a str>,
    content_omitted: bool,
    additions: Option<u64>,
    deletions: Option<u64>,
}

impl<'a> From<&'a forge_engine::ShownDiff> for DiffEntry<'a> {
    fn from(diff: &'a forge_engine::ShownDiff) -> Self {
        let content = Diff {
            change: match diff.kind {
                ChangeKind::Added => "added",
                ChangeKind::Deleted => "deleted",
                ChangeKind::Modified => "modified",
                ChangeKind::Renamed => "renamed",
                ChangeKind::PermissionChange => "permissionChange",
            },
            old_path: diff.old_path.as_deref(),
            new_path: diff.new_path.as_deref(),
            old_content: diff.old.as_deref(),
            new_content: diff.new.as_deref(),
            content_omitted: diff.omitted,
            additions: diff.lines.map(|(added, _)| added),
            deletions: diff.lines.map(|(_, deleted)| deleted),
        };
        Self { kind: "DIFF", content }
    }
}
