//! Projects over REST.

use axum::extract::State;
use axum::http::StatusCode;
use forge_engine::Engine;
use forge_model::ProjectId;

use super::compat::{NewProject, ProjectChange};
use super::envelope::{Answer, done, ok};
use super::extract::{Body, Id};
use super::wire;

pub(super) async fn list(State(engine): State<Engine>) -> Answer {
    let projects = engine.list_projects().await?;
    ok(projects.iter().map(wire::Project::from).collect::<Vec<_>>())
}

pub(super) async fn create(State(engine): State<Engine>, Body(project): Body<NewProject>) -> Answer {
    ok(wire::Project::from(&engine.create_project(project.into_command()?).await?))
}

pub(super) async fn get(State(engine): State<Engine>, Id(id): Id<ProjectId>) -> Answer {
    ok(wire::Project::from(&engine.get_project(id).await?))
}

pub(super) async fn update(
    State(engine): State<Engine>,
    Id(id): Id<ProjectId>,
    Body(change): Body<ProjectChange>,
) -> Answer {
    ok(wire::Project::from(&engine.update_project(id, change.into_command()?).await?))
}

pub(super) async fn delete(State(engine): State<Engine>, Id(id): Id<ProjectId>) -> Answer {
    engine.delete_project(id).await?;
    done(StatusCode::OK)
}

pub(super) async fn branches(State(engine): State<Engine>, Id(id): Id<ProjectId>) -> Answer {
    let branches = engine.list_branches(id).await?;
    ok(branches.iter().map(wire::Branch::from).collect::<Vec<_>>())
}
