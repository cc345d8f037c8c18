//! `Project` and the branches of its repository.

use forge_model::{ProjectId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::spec::documented;

documented!(Project<'_>, Branch<'_>);

/// A git repository that Forge works on.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Project<'a> {
    id: ProjectId,
    name: &'a str,
    git_repo_path: &'a str,
    setup_script: Option<&'a str>,
    dev_script: Option<&'a str>,
    cleanup_script: Option<&'a str>,
    copy_files: Option<&'a str>,
    commit_prompt: Option<&'a str>,
    /// The branch that work begins at where none is named; `null`: the one that the repository has checked out.
    default_base_branch: Option<&'a str>,
    /// Whether submodules are fetched from the addresses that the repository names.
    fetch_submodules: bool,
    /// Whether Forge commits without the `pre-commit` and `commit-msg` hooks.
    skip_commit_hooks: bool,
    /// Whether Forge leaves its commits unsigned even if git's settings ask for signatures.
    skip_commit_signing: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> From<&'a forge_model::Project> for Project<'a> {
    fn from(project: &'a forge_model::Project) -> Self {
        Self {
            id: project.id,
            name: &project.name,
            git_repo_path: &project.git_repo_path,
            setup_script: project.setup_script.as_deref(),
            dev_script: project.dev_script.as_deref(),
            cleanup_script: project.cleanup_script.as_deref(),
            copy_files: project.copy_files.as_deref(),
            commit_prompt: project.commit_prompt.as_deref(),
            default_base_branch: project.default_base_branch.as_deref(),
            fetch_submodules: project.fetch_submodules,
            skip_commit_hooks: project.skip_commit_hooks,
            skip_commit_signing: project.skip_commit_signing,
            created_at: project.created_at,
            updated_at: project.updated_at,
        }
    }
}

/// A branch of a repository.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Branch<'a> {
    name: &'a str,
    is_current: bool,
    is_remote: bool,
    last_commit_date: Timestamp,
}

impl<'a> From<&'a forge_engine::Branch> for Branch<'a> {
    fn from(branch: &'a forge_engine::Branch) -> Self {
        Self {
            name: &branch.name,
            is_current: branch.is_current,
            is_remote: branch.is_remote,
            last_commit_date: branch.last_commit_at,
        }
    }
}
