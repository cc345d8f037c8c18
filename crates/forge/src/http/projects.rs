//! Projects over REST.

use axum::extract::State;
use forge_engine::Engine;
use forge_model::{Project, ProjectId};

use super::compat::{NewProject, ProjectChange};
use super::envelope::{Answer, done, ok};
use super::extract::{Body, Id};
use super::pages::{First, Pages, Place};
use super::spec::Operation;
use super::wire;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("listProjects", "/api/projects", "Every project, newest first", list),
        Operation::post("createProject", "/api/projects", "Takes a repository in, or makes one", create),
        Operation::get("getProject", "/api/projects/{id}", "One project", get),
        Operation::put(
            "updateProject",
            "/api/projects/{id}",
            "Changes a project; a field left out keeps its value",
            update,
        ),
        Operation::delete(
            "deleteProject",
            "/api/projects/{id}",
            "Deletes a project, not its repository",
            delete,
        ),
        Operation::get(
            "listProjectBranches",
            "/api/projects/{id}/branches",
            "Its branches, the current one first",
            branches,
        ),
    ]
}

async fn list(State(engine): State<Engine>, pages: Pages) -> Answer<Vec<wire::Project<'static>>> {
    let projects = engine.list_projects().await?;
    let place = |project: &Project| Place(project.created_at, project.id.as_uuid());
    let page = pages.of(&projects, First::Newest, place);
    page.answer(page.items.iter().map(wire::Project::from).collect::<Vec<_>>())
}

async fn create(
    State(engine): State<Engine>,
    Body(project): Body<NewProject>,
) -> Answer<wire::Project<'static>> {
    ok(wire::Project::from(&engine.create_project(project.into_command()?).await?))
}

async fn get(State(engine): State<Engine>, Id(id): Id<ProjectId>) -> Answer<wire::Project<'static>> {
    ok(wire::Project::from(&engine.get_project(id).await?))
}

async fn update(
    State(engine): State<Engine>,
    Id(id): Id<ProjectId>,
    Body(change): Body<ProjectChange>,
) -> Answer<wire::Project<'static>> {
    ok(wire::Project::from(&engine.update_project(id, change.into_command()?).await?))
}

async fn delete(State(engine): State<Engine>, Id(id): Id<ProjectId>) -> Answer<()> {
    engine.delete_project(id).await?;
    done()
}

async fn branches(State(engine): State<Engine>, Id(id): Id<ProjectId>) -> Answer<Vec<wire::Branch<'static>>> {
    let branches = engine.list_branches(id).await?;
    ok(branches.iter().map(wire::Branch::from).collect::<Vec<_>>())
}
