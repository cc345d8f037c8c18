//! Folders, repositories, and who works at a path, over REST.

use axum::extract::State;
use forge_engine::Engine;
use forge_model::{AttemptId, ProjectId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::compat::system::OpenBody;
use super::envelope::{Answer, ok};
use super::extract::{Id, OptionalBody, Query};
use super::spec::Operation;
use super::wire::{Container, Listing, Opened, Repository};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("listDirectory", "/api/filesystem/directory", "What is in a folder", directory),
        Operation::get(
            "listGitRepositories",
            "/api/filesystem/git-repos",
            "Repositories below a folder, or where people keep them; most recently changed first",
            repositories,
        ),
        Operation::get(
            "getContainerInfo",
            "/api/containers/info",
            "The attempt whose worktree is at a path, or around it",
            container,
        ),
        Operation::post(
            "openProjectInEditor",
            "/api/projects/{id}/open-editor",
            "Opens a project's folder, or a file in it, in the person's editor",
            open_project,
        ),
        Operation::post(
            "openTaskAttemptInEditor",
            "/api/task-attempts/{id}/open-editor",
            "Opens an attempt's worktree, or a file in it, in the person's editor",
            open_attempt,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct Below {
    /// A whole path, from `/` or `~` on.
    path: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct At {
    /// The whole path of a worktree, or of something in it.
    #[serde(rename = "ref")]
    path: String,
}

async fn directory(State(engine): State<Engine>, Query(below): Query<Below>) -> Answer<Listing> {
    ok(Listing::from(engine.list_directory(below.path.as_deref()).await?))
}

async fn repositories(State(engine): State<Engine>, Query(below): Query<Below>) -> Answer<Vec<Repository>> {
    let found = engine.find_repositories(below.path.as_deref()).await?;
    ok(found.into_iter().map(Repository::from).collect::<Vec<_>>())
}

async fn container(State(engine): State<Engine>, Query(at): Query<At>) -> Answer<Container<'static>> {
    ok(Container::from(&engine.find_attempt_at(&at.path).await?))
}

async fn open_project(
    State(engine): State<Engine>,
    Id(id): Id<ProjectId>,
    OptionalBody(body): OptionalBody<OpenBody>,
) -> Answer<Opened> {
    ok(Opened::from(engine.open_project_in_editor(id, body.into_command()).await?))
}

async fn open_attempt(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    OptionalBody(body): OptionalBody<OpenBody>,
) -> Answer<Opened> {
    ok(Opened::from(engine.open_attempt_in_editor(id, body.into_command()).await?))
}
