//! What turns used up, over REST.

use axum::extract::State;
use forge_engine::Engine;
use forge_model::{AttemptId, ProjectId, TaskId};

use super::envelope::{Answer, ok};
use super::extract::Id;
use super::spec::Operation;
use super::wire;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(
            "getTaskAttemptUsage",
            "/api/task-attempts/{id}/usage",
            "What all turns of an attempt used up",
            of_attempt,
        ),
        Operation::get(
            "getTaskUsage",
            "/api/tasks/{id}/usage",
            "What all attempts of a task used up",
            of_task,
        ),
        Operation::get(
            "getProjectUsage",
            "/api/projects/{id}/usage",
            "What all attempts and runs of a project used up",
            of_project,
        ),
    ]
}

async fn of_attempt(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer<wire::Usage> {
    ok(wire::Usage::from(engine.get_attempt(id).await?.usage))
}

async fn of_task(State(engine): State<Engine>, Id(id): Id<TaskId>) -> Answer<wire::Usage> {
    ok(wire::Usage::from(engine.task_usage(id).await?))
}

async fn of_project(State(engine): State<Engine>, Id(id): Id<ProjectId>) -> Answer<wire::Usage> {
    ok(wire::Usage::from(engine.project_usage(id).await?))
}
