//! Tasks over REST. The paths below a project are an older client's spelling of the same calls.

use axum::extract::State;
use axum::http::StatusCode;
use forge_engine::Engine;
use forge_model::{ProjectId, TaskId, UpdateTask};
use serde::Deserialize;

use super::compat::{CreateAndStart, NewTask};
use super::envelope::{Answer, done, ok};
use super::extract::{Body, Id, IdempotencyKey, Query};
use super::wire;

#[derive(Deserialize)]
pub(super) struct OfProject {
    project_id: ProjectId,
}

pub(super) async fn list(State(engine): State<Engine>, Query(of): Query<OfProject>) -> Answer {
    let cards = engine.list_tasks(of.project_id).await?;
    ok(cards.iter().map(wire::Task::from).collect::<Vec<_>>())
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
    ok(wire::StartedTask::from(&engine.start_attempt(body.into_command(None, key)?).await?))
}

pub(super) async fn create_and_start_in_project(
    State(engine): State<Engine>,
    Id(project): Id<ProjectId>,
    IdempotencyKey(key): IdempotencyKey,
    Body(body): Body<CreateAndStart>,
) -> Answer {
    ok(wire::StartedAttempt::from(&engine.start_attempt(body.into_command(Some(project), key)?).await?))
}

pub(super) async fn get(State(engine): State<Engine>, Id(id): Id<TaskId>) -> Answer {
    ok(wire::Task::from(&engine.get_task(id).await?))
}

pub(super) async fn update(
    State(engine): State<Engine>,
    Id(id): Id<TaskId>,
    Body(command): Body<UpdateTask>,
) -> Answer {
    ok(wire::Task::from(&engine.update_task(id, command).await?))
}

/// 202: the worktrees are removed after the answer.
pub(super) async fn delete(State(engine): State<Engine>, Id(id): Id<TaskId>) -> Answer {
    engine.delete_task(id).await?;
    done(StatusCode::ACCEPTED)
}
