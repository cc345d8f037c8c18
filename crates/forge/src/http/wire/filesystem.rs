//! Folders, repositories and the attempts that work in them.

use forge_model::{AttemptId, ProjectId, TaskId};
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::spec::documented;

documented!(Listing, Repository, Container<'_>, Opened);

/// What is in a folder: folders first, then files, each by name.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Listing {
    entries: Vec<Entry>,
    current_path: String,
    /// Whether there are more than are told.
    truncated: bool,
}

/// A file or folder.
#[derive(Serialize, JsonSchema)]
struct Entry {
    name: String,
    path: String,
    is_directory: bool,
    is_git_repo: bool,
    /// Not looked at.
    last_modified: Option<u64>,
    /// `directory` or `file`.
    #[serde(rename = "type")]
    kind: &'static str,
}

impl From<forge_engine::Listing> for Listing {
    fn from(listing: forge_engine::Listing) -> Self {
        let entry = |entry: forge_engine::FolderEntry| Entry {
            kind: if entry.is_directory { "directory" } else { "file" },
            name: entry.name,
            path: entry.path,
            is_directory: entry.is_directory,
            is_git_repo: entry.is_git_repo,
            last_modified: None,
        };
        Self {
            entries: listing.entries.into_iter().map(entry).collect(),
            current_path: listing.path,
            truncated: listing.truncated,
        }
    }
}

/// A repository that was found.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Repository {
    name: String,
    path: String,
    is_directory: bool,
    is_git_repo: bool,
    /// Seconds since its folder changed.
    last_modified: u64,
    /// `directory`.
    #[serde(rename = "type")]
    kind: &'static str,
}

impl From<forge_engine::Repository> for Repository {
    fn from(repository: forge_engine::Repository) -> Self {
        Self {
            name: repository.name,
            path: repository.path,
            is_directory: true,
            is_git_repo: true,
            last_modified: repository.unchanged_for.as_secs(),
            kind: "directory",
        }
    }
}

/// Who works at a path.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Container<'a> {
    /// The attempt; `null` where it is a run without a task.
    attempt_id: Option<AttemptId>,
    task_id: Option<TaskId>,
    /// The run without a task; `null` where it is an attempt.
    execution_run_id: Option<AttemptId>,
    project_id: ProjectId,
    /// The top of the worktree.
    container_id: &'a str,
    /// There is none: attempts work in worktrees.
    image: Option<&'a str>,
    branch: &'a str,
}

impl<'a> From<&'a forge_model::Attempt> for Container<'a> {
    fn from(attempt: &'a forge_model::Attempt) -> Self {
        Self {
            attempt_id: attempt.task_id.map(|_| attempt.id),
            task_id: attempt.task_id,
            execution_run_id: attempt.task_id.is_none().then_some(attempt.id),
            project_id: attempt.project_id,
            container_id: &attempt.worktree,
            image: None,
            branch: &attempt.branch,
        }
    }
}

/// How an editor was opened.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Opened {
    /// What to open in a browser where the editor runs elsewhere; `null` where it was started by the server.
    url: Option<String>,
}

impl From<forge_engine::Opened> for Opened {
    fn from(opened: forge_engine::Opened) -> Self {
        Self { url: opened.url }
    }
}
