//! A project: one git repository that tasks are done in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Patch, ProjectId, Timestamp};

/// A git repository and what to run around the work in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// What people call it.
    pub name: String,
    /// Where the repository lies, absolute.
    pub git_repo_path: String,
    /// Bash that runs in a new worktree before the agent.
    pub setup_script: Option<String>,
    /// Bash that runs the project for a person to look at.
    pub dev_script: Option<String>,
    /// Bash that runs after an agent changed something.
    pub cleanup_script: Option<String>,
    /// Files that git ignores and a worktree needs all the same, by comma or line.
    pub copy_files: Option<String>,
    /// What to ask for a commit message with.
    pub commit_prompt: Option<String>,
    /// The branch that work begins at where none is named; none is the one that the repository has checked out.
    pub default_base_branch: Option<String>,
    /// Whether submodules are fetched from the addresses that the repository names.
    #[serde(default)]
    pub fetch_submodules: bool,
    /// Whether Forge commits without the `pre-commit` and `commit-msg` hooks.
    #[serde(default)]
    pub skip_commit_hooks: bool,
    /// Whether Forge leaves its commits unsigned even if git's settings ask for signatures.
    #[serde(default)]
    pub skip_commit_signing: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Where a new project's repository comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepositoryOrigin {
    /// The folder is a repository already.
    Existing,
    /// The folder is made into one.
    New,
}

/// Asks for a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateProject {
    /// What people call it.
    pub name: String,
    /// Where the repository lies or shall lie.
    pub git_repo_path: String,
    /// Whether the repository is there.
    pub origin: RepositoryOrigin,
    /// See [`Project::setup_script`].
    pub setup_script: Option<String>,
    /// See [`Project::dev_script`].
    pub dev_script: Option<String>,
    /// See [`Project::cleanup_script`].
    pub cleanup_script: Option<String>,
    /// See [`Project::copy_files`].
    pub copy_files: Option<String>,
    /// See [`Project::commit_prompt`].
    pub commit_prompt: Option<String>,
    /// See [`Project::default_base_branch`].
    pub default_base_branch: Option<String>,
    /// See [`Project::fetch_submodules`].
    pub fetch_submodules: bool,
    /// See [`Project::skip_commit_hooks`].
    pub skip_commit_hooks: bool,
    /// See [`Project::skip_commit_signing`].
    pub skip_commit_signing: bool,
}

/// Changes of a project. A field that is left out keeps its value. `null` keeps the name, the path and
/// `fetch_submodules`, and clears every other field: the original front end's form sends it for an emptied field. So does a blank text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UpdateProject {
    /// A new name.
    pub name: Patch<String>,
    /// A new place of the repository.
    pub git_repo_path: Patch<String>,
    /// See [`Project::setup_script`].
    pub setup_script: Patch<String>,
    /// See [`Project::dev_script`].
    pub dev_script: Patch<String>,
    /// See [`Project::cleanup_script`].
    pub cleanup_script: Patch<String>,
    /// See [`Project::copy_files`].
    pub copy_files: Patch<String>,
    /// See [`Project::commit_prompt`].
    pub commit_prompt: Patch<String>,
    /// The branch that work begins at where none is named; it has to be there. `null` is the one that the repository
    /// has checked out.
    pub default_base_branch: Patch<String>,
    /// Whether submodules are fetched, over https and ssh, from the addresses that the repository names.
    pub fetch_submodules: Patch<bool>,
    /// Whether Forge commits without the `pre-commit` and `commit-msg` hooks (`git commit --no-verify`).
    pub skip_commit_hooks: Patch<bool>,
    /// Whether Forge leaves its commits unsigned; `false`: it signs them if git's settings ask for that.
    pub skip_commit_signing: Patch<bool>,
}
