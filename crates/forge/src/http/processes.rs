//! Processes over REST.

use axum::extract::State;
use forge_engine::{Capped, Engine, ErrorKind};
use forge_model::{AttemptId, Process, ProcessId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::envelope::{Answer, ok};
use super::extract::{Id, Query};
use super::pages::{First, Pages, Place};
use super::spec::{Operation, documented};
use super::{raw_logs, raw_pages, transcript_pages, transcripts, wire};

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = vec![
        Operation::get(
            "listExecutionProcesses",
            "/api/execution-processes",
            "The processes of an attempt, oldest first",
            list,
        ),
        Operation::get("getExecutionProcess", "/api/execution-processes/{id}", "One process", get),
        Operation::get(
            "getProcessCaps",
            "/api/execution-processes/{id}/caps",
            "What it may use at most",
            caps,
        ),
        Operation::post(
            "stopExecutionProcess",
            "/api/execution-processes/{id}/stop",
            "Stops a process and all that it started",
            stop,
        ),
        Operation::get(
            "streamRawLogs",
            "/api/execution-processes/{id}/raw-logs/ws",
            "What a process printed and prints",
            raw_logs::stream,
        ),
        Operation::get(
            "streamNormalizedLogs",
            "/api/execution-processes/{id}/normalized-logs/ws",
            "What an agent said and did, as entries that are added and replaced",
            transcripts::stream,
        ),
    ];
    operations.extend(raw_pages::operations());
    operations.extend(transcript_pages::operations());
    operations
}

#[derive(Deserialize, JsonSchema)]
struct OfAttempt {
    task_attempt_id: AttemptId,
    /// Whether processes are shown whose turn another one took the place of.
    #[serde(default)]
    show_soft_deleted: bool,
}

async fn list(
    State(engine): State<Engine>,
    Query(of): Query<OfAttempt>,
    pages: Pages,
) -> Answer<Vec<wire::Process<'static>>> {
    let (profile, mut processes) = match engine.get_attempt(of.task_attempt_id).await {
        Ok(attempt) => (Some(attempt.profile), engine.list_processes(of.task_attempt_id).await?),
        Err(error) if error.kind() == ErrorKind::NotFound => (None, vec![]),
        Err(error) => return Err(error.into()),
    };
    processes.retain(|process| of.show_soft_deleted || !process.dropped);
    let place = |process: &Process| Place(process.started_at, process.id.as_uuid());
    let page = pages.of(&processes, First::Oldest, place);
    let shown = page.items.iter().map(|process| wire::Process::new(process, profile.as_ref()));
    page.answer(shown.collect::<Vec<_>>())
}

async fn get(State(engine): State<Engine>, Id(id): Id<ProcessId>) -> Answer<wire::Process<'static>> {
    let process = engine.get_process(id).await?;
    let profile = engine.get_attempt(process.attempt_id).await?.profile;
    ok(wire::Process::new(&process, Some(&profile)))
}

/// What a process may use at most. Without caps nothing is enforced, and nothing is missing.
#[derive(Serialize, JsonSchema)]
struct CapsOf {
    memory: Option<u64>,
    processes: Option<u64>,
    cpus: Option<f64>,
    enforced: bool,
    why: Option<String>,
}

documented!(CapsOf);

async fn caps(State(engine): State<Engine>, Id(id): Id<ProcessId>) -> Answer<Option<CapsOf>> {
    ok(engine.process_caps(id).await?.map(|Capped { caps, enforced, why }| CapsOf {
        memory: caps.memory,
        processes: caps.processes,
        cpus: caps.cpu_millis.map(|millis| millis as f64 / 1000.0),
        enforced,
        why,
    }))
}

async fn stop(State(engine): State<Engine>, Id(id): Id<ProcessId>) -> Answer<wire::Process<'static>> {
    let process = engine.stop_process(id).await?;
    let profile = engine.get_attempt(process.attempt_id).await?.profile;
    ok(wire::Process::new(&process, Some(&profile)))
}
