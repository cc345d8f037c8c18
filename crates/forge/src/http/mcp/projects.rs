//! Projects over MCP.

use forge_engine::Engine;
use forge_model::{ProjectId, Timestamp};
use serde::Serialize;

use super::tools::{Effect, Tool};
use crate::http::compat::tools::Nothing;
use crate::http::problem::Problem;

pub(super) fn tools() -> Vec<Tool> {
    vec![Tool::new(
        "list_projects",
        "Lists the projects, which are git repositories, newest first. Other tools want a project's id.",
        Effect::Looks,
        list,
    )]
}

#[derive(Serialize)]
struct Listed {
    projects: Vec<Project>,
    count: usize,
}

#[derive(Serialize)]
struct Project {
    id: ProjectId,
    name: String,
    git_repo_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    setup_script: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cleanup_script: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dev_script: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<forge_model::Project> for Project {
    fn from(project: forge_model::Project) -> Self {
        Self {
            id: project.id,
            name: project.name,
            git_repo_path: project.git_repo_path,
            setup_script: project.setup_script,
            cleanup_script: project.cleanup_script,
            dev_script: project.dev_script,
            created_at: project.created_at,
            updated_at: project.updated_at,
        }
    }
}

async fn list(engine: Engine, Nothing {}: Nothing) -> Result<Listed, Problem> {
    let projects: Vec<_> = engine.list_projects().await?.into_iter().map(Project::from).collect();
    Ok(Listed { count: projects.len(), projects })
}
