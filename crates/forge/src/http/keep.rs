//! Snapshots, what is taken on the disk, and taking away what nobody uses, over REST.

use axum::extract::State;
use forge_engine::Engine;
use forge_model::{AttemptId, ProjectId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::envelope::{Answer, ok};
use super::extract::{Body, Id, OptionalBody};
use super::spec::Operation;
use super::wire;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(
            "listSnapshots",
            "/api/task-attempts/{id}/snapshots",
            "What was saved of the worktree, newest first",
            snapshots,
        ),
        Operation::post(
            "restoreSnapshot",
            "/api/task-attempts/{id}/restore",
            "Makes the worktree what a snapshot has; what is in it is saved first",
            restore,
        ),
        Operation::get(
            "getTaskAttemptDisk",
            "/api/task-attempts/{id}/disk",
            "What an attempt takes on the disk",
            attempt_disk,
        ),
        Operation::get(
            "getProjectDisk",
            "/api/projects/{id}/disk",
            "What a project takes on the disk",
            project_disk,
        ),
        Operation::post(
            "collect",
            "/api/gc",
            "Takes away worktrees that nobody uses; they are saved first",
            collect,
        ),
    ]
}

/// What to put back.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Restore {
    /// A snapshot's name.
    pub(super) snapshot: String,
}

/// How to collect.
#[derive(Deserialize, JsonSchema)]
struct Collect {
    /// Only tell what would be taken away.
    #[serde(default)]
    dry_run: bool,
}

async fn snapshots(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
) -> Answer<Vec<wire::Snapshot<'static>>> {
    let snapshots = engine.list_snapshots(id).await?;
    ok(snapshots.iter().map(wire::Snapshot::from).collect::<Vec<_>>())
}

async fn restore(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Body(body): Body<Restore>,
) -> Answer<wire::Attempt<'static>> {
    // A run has shapes of its own.
    engine.get_task_attempt(id).await?;
    ok(wire::Attempt::from(&engine.restore(id, body.snapshot).await?))
}

async fn attempt_disk(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer<wire::Disk> {
    ok(wire::Disk::from(engine.attempt_disk(id).await?))
}

async fn project_disk(State(engine): State<Engine>, Id(id): Id<ProjectId>) -> Answer<wire::Disk> {
    ok(wire::Disk::from(engine.project_disk(id).await?))
}

async fn collect(
    State(engine): State<Engine>,
    OptionalBody(body): OptionalBody<Collect>,
) -> Answer<wire::Collection<'static>> {
    ok(wire::Collection::new(&engine.collect(body.dry_run).await?, body.dry_run))
}
