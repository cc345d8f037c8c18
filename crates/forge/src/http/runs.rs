//! Execution runs over REST: work without a task.

use axum::extract::State;
use axum::http::StatusCode;
use forge_engine::Engine;
use forge_model::{AttemptId, ProjectId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::compat::{FollowUpBody, NewRun};
use super::envelope::{Answer, answer, done, ok};
use super::extract::{Body, Id, IdempotencyKey, Query};
use super::keep::Restore;
use super::pages::{First, Pages, Place};
use super::spec::Operation;
use super::{attempts, run_logs, wire};

const QUEUED: &str = "It stands in the queue";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("listExecutionRuns", "/api/execution-runs", "Runs, newest first", list),
        Operation::post("createExecutionRun", "/api/execution-runs", "Starts a run", start).also(202, QUEUED),
        Operation::get("getExecutionRun", "/api/execution-runs/{id}", "One run", get),
        Operation::delete(
            "deleteExecutionRun",
            "/api/execution-runs/{id}",
            "Deletes a run. Its branch and what was in its worktree are kept, unless they shall go as well",
            delete,
        ),
        Operation::post(
            "followUpExecutionRun",
            "/api/execution-runs/{id}/follow-up",
            "Goes on with the conversation",
            follow_up,
        )
        .also(202, QUEUED),
        Operation::post(
            "interruptExecutionRun",
            "/api/execution-runs/{id}/interrupt",
            "Lets the agent end its turn, without ending it; answers when the turn is over",
            interrupt,
        ),
        Operation::post(
            "stopExecutionRun",
            "/api/execution-runs/{id}/stop",
            "Stops what runs; answers when nothing of it runs any more",
            stop,
        ),
        Operation::get(
            "listExecutionRunProcesses",
            "/api/execution-runs/{id}/processes",
            "The processes of a run, oldest first",
            processes,
        ),
        Operation::get(
            "listExecutionRunSnapshots",
            "/api/execution-runs/{id}/snapshots",
            "What was saved of the worktree, newest first",
            snapshots,
        ),
        Operation::post(
            "restoreExecutionRunSnapshot",
            "/api/execution-runs/{id}/restore",
            "Makes the worktree what a snapshot has; what is in it is saved first",
            restore,
        ),
        Operation::get(
            "streamExecutionRunLogs",
            "/api/execution-runs/{id}/logs/ws",
            "What the run's newest agent printed and prints",
            run_logs::stream,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct OfProject {
    /// Of one project only.
    project_id: Option<ProjectId>,
}

async fn list(
    State(engine): State<Engine>,
    Query(of): Query<OfProject>,
    pages: Pages,
) -> Answer<Vec<wire::Run<'static>>> {
    let runs = engine.list_runs(of.project_id).await?;
    let page = pages.of(&runs, First::Newest, |run| Place(run.created_at, run.id.as_uuid()));
    page.answer(page.items.iter().map(wire::Run::from).collect::<Vec<_>>())
}

/// 200 when it runs, 202 when it stands in the queue.
async fn start(
    State(engine): State<Engine>,
    IdempotencyKey(key): IdempotencyKey,
    Body(body): Body<NewRun>,
) -> Answer<wire::StartedRun<'static>> {
    let started = engine.start_run(body.into_command(key)?).await?;
    let status = if started.process.is_some() { StatusCode::OK } else { StatusCode::ACCEPTED };
    let position = engine.queue_position(started.run.id);
    answer(status, wire::StartedRun::new(&started, position))
}

async fn get(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer<wire::Run<'static>> {
    ok(wire::Run::from(&engine.get_run(id).await?))
}

#[derive(Deserialize, JsonSchema)]
struct Removal {
    /// Whether branch and snapshots go as well.
    #[serde(default)]
    discard: bool,
}

async fn delete(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Query(removal): Query<Removal>,
) -> Answer<()> {
    engine.delete_run(id, removal.discard).await?;
    done()
}

/// 200 with the process when it runs, 202 with its place when it waits.
async fn follow_up(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Body(body): Body<FollowUpBody>,
) -> Answer<wire::FollowedUp<'static>> {
    // One that is not there is told before anything about the body.
    engine.get_run(id).await?;
    attempts::send(&engine, id, body).await
}

async fn interrupt(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer<wire::Run<'static>> {
    ok(wire::Run::from(&engine.interrupt_run(id).await?))
}

async fn stop(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer<wire::StoppedRun<'static>> {
    ok(wire::StoppedRun::from(&engine.stop_run(id).await?))
}

async fn processes(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
) -> Answer<Vec<wire::Process<'static>>> {
    let profile = engine.get_run(id).await?.profile;
    let processes = engine.list_run_processes(id).await?;
    ok(processes.iter().map(|process| wire::Process::new(process, Some(&profile))).collect::<Vec<_>>())
}

async fn snapshots(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
) -> Answer<Vec<wire::Snapshot<'static>>> {
    let snapshots = engine.list_run_snapshots(id).await?;
    ok(snapshots.iter().map(wire::Snapshot::from).collect::<Vec<_>>())
}

async fn restore(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Body(body): Body<Restore>,
) -> Answer<wire::Run<'static>> {
    ok(wire::Run::from(&engine.restore_run(id, body.snapshot).await?))
}
