//! Tasks over REST. The paths below a project are an older client's spelling of the same calls.

use axum::extract::State;
use axum::http::StatusCode;
use forge_engine::Engine;
use forge_model::{ProjectId, TaskId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::compat::{CreateAndStart, NewTask, TaskChange, attempt_as_task};
use super::envelope::{Answer, answer, done, ok};
use super::extract::{Body, Id, IdBelow, IdempotencyKey, Query};
use super::pages::{First, Pages, Place};
use super::problem::Problem;
use super::spec::Operation;
use super::wire;

const QUEUED: &str = "The attempt stands in the queue";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("listTasks", "/api/tasks", "The tasks of a project, newest first", list),
        Operation::post("createTask", "/api/tasks", "Makes a task", create),
        Operation::post(
            "createAndStartTask",
            "/api/tasks/create-and-start",
            "Makes a task and starts an attempt of it, both or neither",
            create_and_start,
        )
        .also(202, QUEUED),
        Operation::get("getTask", "/api/tasks/{id}", "One task", get),
        Operation::put(
            "updateTask",
            "/api/tasks/{id}",
            "Changes a task; a field left out or null keeps its value",
            update,
        ),
        Operation::delete("deleteTask", "/api/tasks/{id}", "Deletes a task with its attempts", delete),
        Operation::get(
            "listProjectTasks",
            "/api/projects/{id}/tasks",
            "The tasks of a project; an older spelling",
            list_of_project,
        ),
        Operation::post(
            "createProjectTask",
            "/api/projects/{id}/tasks",
            "Makes a task; an older spelling",
            create_in_project,
        ),
        Operation::post(
            "createAndStartProjectTask",
            "/api/projects/{id}/tasks/create-and-start",
            "Makes a task and starts an attempt; an older spelling, whose `id` is the attempt's",
            create_and_start_in_project,
        )
        .also(202, QUEUED),
        Operation::get(
            "getProjectTask",
            "/api/projects/{id}/tasks/{task_id}",
            "One task; an older spelling",
            get_in_project,
        ),
        Operation::put(
            "updateProjectTask",
            "/api/projects/{id}/tasks/{task_id}",
            "Changes a task; an older spelling",
            update_in_project,
        ),
        Operation::delete(
            "deleteProjectTask",
            "/api/projects/{id}/tasks/{task_id}",
            "Deletes a task; an older spelling",
            delete_in_project,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct OfProject {
    project_id: ProjectId,
}

async fn list(
    State(engine): State<Engine>,
    Query(of): Query<OfProject>,
    pages: Pages,
) -> Answer<Vec<wire::Task<'static>>> {
    let (cards, copy) = engine.list_tasks(of.project_id).await?.into_parts();
    let page = pages.of(&cards, First::Newest, |card| Place(card.task.created_at, card.task.id.as_uuid()));
    page.answer_in_pieces(page.items.to_vec(), move |card, piece| {
        // Other readers of a large board wait until this one is sent.
        let _held = &copy;
        serde_json::to_writer(piece, &wire::Task::from(&**card))
    })
}

async fn list_of_project(
    State(engine): State<Engine>,
    Id(project_id): Id<ProjectId>,
    pages: Pages,
) -> Answer<Vec<wire::Task<'static>>> {
    engine.get_project(project_id).await?;
    list(State(engine), Query(OfProject { project_id }), pages).await
}

async fn create(State(engine): State<Engine>, Body(task): Body<NewTask>) -> Answer<wire::Task<'static>> {
    ok(wire::Task::from(&engine.create_task(task.into_command(None)?).await?))
}

async fn create_in_project(
    State(engine): State<Engine>,
    Id(project): Id<ProjectId>,
    Body(task): Body<NewTask>,
) -> Answer<wire::Task<'static>> {
    ok(wire::Task::from(&engine.create_task(task.into_command(Some(project))?).await?))
}

async fn create_and_start(
    State(engine): State<Engine>,
    IdempotencyKey(key): IdempotencyKey,
    Body(body): Body<CreateAndStart>,
) -> Answer<wire::StartedTask<'static>> {
    let use_worktree = body.use_worktree();
    let started = engine.start_attempt(body.into_command(None, key)?).await?;
    let position = engine.queue_position(started.attempt.id);
    let warnings = engine.start_warnings(&started).await;
    answer(wire::status_of(&started), wire::StartedTask::new(&started, position, use_worktree, warnings))
}

async fn create_and_start_in_project(
    State(engine): State<Engine>,
    Id(project): Id<ProjectId>,
    IdempotencyKey(key): IdempotencyKey,
    Body(body): Body<CreateAndStart>,
) -> Answer<wire::StartedAttempt<'static>> {
    let use_worktree = body.use_worktree();
    let started = engine.start_attempt(body.into_command(Some(project), key)?).await?;
    let position = engine.queue_position(started.attempt.id);
    let warnings = engine.start_warnings(&started).await;
    answer(wire::status_of(&started), wire::StartedAttempt::new(&started, position, use_worktree, warnings))
}

async fn get(State(engine): State<Engine>, Id(id): Id<TaskId>) -> Answer<wire::Task<'static>> {
    let found = attempt_as_task::get(&engine, id).await?;
    ok(wire::Task::of(&found.card, found.attempt.as_ref()))
}

async fn update(
    State(engine): State<Engine>,
    Id(id): Id<TaskId>,
    Body(change): Body<TaskChange>,
) -> Answer<wire::Task<'static>> {
    let found = attempt_as_task::update(&engine, id, change).await?;
    ok(wire::Task::of(&found.card, found.attempt.as_ref()))
}

/// 202: the worktrees are removed after the answer.
async fn delete(State(engine): State<Engine>, Id(id): Id<TaskId>) -> Answer<(), 202> {
    engine.delete_task(id).await?;
    done()
}

async fn get_in_project(
    State(engine): State<Engine>,
    IdBelow(project, id): IdBelow<TaskId>,
) -> Answer<wire::Task<'static>> {
    check_project(&engine, project, id).await?;
    get(State(engine), Id(id)).await
}

async fn update_in_project(
    State(engine): State<Engine>,
    IdBelow(project, id): IdBelow<TaskId>,
    change: Body<TaskChange>,
) -> Answer<wire::Task<'static>> {
    check_project(&engine, project, id).await?;
    update(State(engine), Id(id), change).await
}

async fn delete_in_project(
    State(engine): State<Engine>,
    IdBelow(project, id): IdBelow<TaskId>,
) -> Answer<(), 202> {
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
