//! Snapshots, what is taken on the disk, and taking away what nobody uses, over REST.

use axum::extract::State;
use forge_engine::Engine;
use forge_model::{AttemptId, ProjectId};
use serde::Deserialize;

use super::envelope::{Answer, ok};
use super::extract::{Body, Id};
use super::wire;

#[derive(Deserialize)]
pub(super) struct Restore {
    snapshot: String,
}

#[derive(Deserialize)]
pub(super) struct Collect {
    #[serde(default)]
    dry_run: bool,
}

pub(super) async fn snapshots(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer {
    let snapshots = engine.list_snapshots(id).await?;
    ok(snapshots.iter().map(wire::Snapshot::from).collect::<Vec<_>>())
}

pub(super) async fn restore(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Body(body): Body<Restore>,
) -> Answer {
    ok(wire::Attempt::from(&engine.restore(id, body.snapshot).await?))
}

pub(super) async fn attempt_disk(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer {
    ok(wire::Disk::from(engine.attempt_disk(id).await?))
}

pub(super) async fn project_disk(State(engine): State<Engine>, Id(id): Id<ProjectId>) -> Answer {
    ok(wire::Disk::from(engine.project_disk(id).await?))
}

pub(super) async fn collect(State(engine): State<Engine>, Body(body): Body<Collect>) -> Answer {
    ok(wire::Collection::new(&engine.collect(body.dry_run).await?, body.dry_run))
}
