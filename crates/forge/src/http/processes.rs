//! Processes over REST.

use axum::extract::State;
use forge_engine::Engine;
use forge_model::{AttemptId, ProcessId};
use serde::Deserialize;

use super::envelope::{Answer, ok};
use super::extract::{Id, Query};
use super::wire;

#[derive(Deserialize)]
pub(super) struct OfAttempt {
    task_attempt_id: AttemptId,
}

pub(super) async fn list(State(engine): State<Engine>, Query(of): Query<OfAttempt>) -> Answer {
    let profile = engine.get_attempt(of.task_attempt_id).await?.profile;
    let processes = engine.list_processes(of.task_attempt_id).await?;
    ok(processes.iter().map(|process| wire::Process::new(process, Some(&profile))).collect::<Vec<_>>())
}

pub(super) async fn get(State(engine): State<Engine>, Id(id): Id<ProcessId>) -> Answer {
    let process = engine.get_process(id).await?;
    let profile = engine.get_attempt(process.attempt_id).await?.profile;
    ok(wire::Process::new(&process, Some(&profile)))
}

pub(super) async fn stop(State(engine): State<Engine>, Id(id): Id<ProcessId>) -> Answer {
    let process = engine.stop_process(id).await?;
    let profile = engine.get_attempt(process.attempt_id).await?.profile;
    ok(wire::Process::new(&process, Some(&profile)))
}
