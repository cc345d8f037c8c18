//! Processes over REST.

use axum::extract::State;
use forge_engine::{Capped, Engine};
use forge_model::{AttemptId, ProcessId};
use serde::{Deserialize, Serialize};

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

/// What a process may use at most. Without caps nothing is enforced, and nothing is missing.
#[derive(Serialize)]
struct CapsOf {
    memory: Option<u64>,
    processes: Option<u64>,
    cpus: Option<f64>,
    enforced: bool,
    why: Option<String>,
}

pub(super) async fn caps(State(engine): State<Engine>, Id(id): Id<ProcessId>) -> Answer {
    ok(engine.process_caps(id).await?.map(|Capped { caps, enforced, why }| CapsOf {
        memory: caps.memory,
        processes: caps.processes,
        cpus: caps.cpu_millis.map(|millis| millis as f64 / 1000.0),
        enforced,
        why,
    }))
}

pub(super) async fn stop(State(engine): State<Engine>, Id(id): Id<ProcessId>) -> Answer {
    let process = engine.stop_process(id).await?;
    let profile = engine.get_attempt(process.attempt_id).await?.profile;
    ok(wire::Process::new(&process, Some(&profile)))
}
