//! Tasks over REST. The paths below a project are an older client's spelling of the same calls.

use axum::extract::State;
use axum::http::StatusCode;
use forge_engine::Engine;
use forge_model::{ProjectId, TaskId};
use serde::Deserialize;

use super::compat::{CreateAndStart, NewTask, TaskChange};
use super::envelope::{Answer, answer, done, ok};
use super::extract::{Body, Id, IdBelow, IdempotencyKey, Query};
use super::problem::Problem;
use super::wire;

#[derive(Deserialize)]
pub(super) struct OfProject {
    project_id: ProjectId,
}

pub(super) async fn list(State(engine): State<Engine>, Query(of): Query<OfProject>) -> Answer {
    let cards = engine.list_tasks(of.project_id).await?;
    ok(cards.iter().map(|card| wire::Task::from(&**card)).collect::<Vec<_>>())
}

pub(super) async fn list_of_project(State(engine): State<Engine>, Id(project_id): Id<ProjectId>) -> Answer {
    list(State(engine), Query(OfProject { project_id })).await
}

pub(super) async fn create(State(engine): State<Engine>, Body(task): Body<NewTask>) -> Answer {
    ok(wire::Task::from(&engine.create_task(task.into_command(None)?).await?))
}

pub(super) async fn create_in_project(
    State(engine): State<Engine>,
    Id(project): Id<ProjectId>,
    Body(task): Body<NewTask>,
) -> Answer {
    ok(wire::Task::from(&engine.create_task(task.into_command(Some(project))?).await?))
}

pub(super) async fn create_and_start(
    State(engine): State<Engine>,
    IdempotencyKey(key): IdempotencyKey,
    Body(body): Body<CreateAndStart>,
) -> Answer {
    let started = engine.start_attempt(body.into_command(None, key)?).await?;
    answer(wire::status_of(&started), wire::StartedTask::from(&started))
}

pub(super) async fn create_and_start_in_project(
    State(engine): State<Engine>,
    Id(project): Id<ProjectId>,
    IdempotencyKey(key): IdempotencyKey,
    Body(body): Body<CreateAndStart>,
) -> Answer {
    let started = engine.start_attempt(body.into_command(Some(project), key)?).await?;
    answer(wire::status_of(&started), wire::StartedAttempt::from(&started))
}

pub(super) async fn get(State(engine): State<Engine>, Id(id): Id<TaskId>) -> Answer {
    ok(wire::Task::from(&engine.get_task(id).await?))
}

pub(super) async fn update(
    State(engine): State<Engine>,
    Id(id): Id<TaskId>,
    Body(change): Body<TaskChange>,
) -> Answer {
    ok(wire::Task::from(&engine.update_task(id, change.into_command()?).await?))
}

/// 202: the worktrees are removed after the answer.
pub(super) async fn delete(State(engine): State<Engine>, Id(id): Id<TaskId>) -> Answer {
    engine.delete_task(id).await?;
    done(StatusCode::ACCEPTED)
}

pub(super) async fn get_in_project(
    State(engine): State<Engine>,
    IdBelow(project, id): IdBelow<TaskId>,
) -> Answer {
    check_project(&engine, project, id).await?;
    get(State(engine), Id(id)).await
}

pub(super) async fn update_in_project(
    State(engine): State<Engine>,
    IdBelow(project, id): IdBelow<TaskId>,
    change: Body<TaskChange>,
) -> Answer {
    check_project(&engine, project, id).await?;
    update(State(engine), Id(id), change).await
}

pub(super) async fn delete_in_project(
    State(engine): State<Engine>,
    IdBelow(project, id): IdBelow<TaskId>,
) -> Answer {
    check_project(&engine, project, id).await?;
    delete(State(engine), Id(id)).await
}

/// Below another project there is no such task.
async fn check_project(engine: &Engine, project: ProjectId, id: TaskId) -> Result<(), Problem> {
    if engine.get_task(id).await?.task.project_id == project {
        return Ok(());
    }
    let message = format!("there is no task {id} in project {project}");
    Err(Problem::new(StatusCode::NOT_FOUND, "not_found", message).hint("ask for it at /api/tasks/{id}"))
}
