//! Attempts over REST.

use axum::extract::State;
use axum::http::StatusCode;
use forge_engine::{Engine, FollowedUp};
use forge_model::{Attempt, AttemptId, TaskId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::compat::{FollowUpBody, StartBody, Wanted};
use super::envelope::{Answer, answer, done, ok};
use super::extract::{Body, Id, IdempotencyKey, Query};
use super::pages::{First, Pages, Place};
use super::spec::Operation;
use super::{transcripts, turns, wire};

const QUEUED: &str = "It stands in the queue";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("listTaskAttempts", "/api/task-attempts", "Attempts, newest first", list),
        Operation::post("createTaskAttempt", "/api/task-attempts", "Starts an attempt of a task", start)
            .also(202, QUEUED),
        Operation::post(
            "startTaskAttempt",
            "/api/tasks/{id}/attempts/start",
            "Starts an attempt of a task; an older spelling",
            start_of_task,
        )
        .also(202, QUEUED),
        Operation::get("getTaskAttempt", "/api/task-attempts/{id}", "One attempt", get),
        Operation::delete("deleteTaskAttempt", "/api/task-attempts/{id}", "Deletes an attempt", delete),
        Operation::post(
            "followUpTaskAttempt",
            "/api/task-attempts/{id}/follow-up",
            "Goes on with the conversation",
            follow_up,
        )
        .also(202, QUEUED),
        Operation::get(
            "listFollowUps",
            "/api/task-attempts/{id}/follow-ups",
            "The prompts that wait for their turn",
            follow_ups,
        ),
        Operation::post(
            "stopTaskAttemptExecution",
            "/api/task-attempts/{id}/stop",
            "Stops what runs and empties the queue; answers when nothing of it runs any more",
            stop,
        ),
        Operation::get(
            "streamTaskAttemptLogs",
            "/api/task-attempts/{id}/logs/stream",
            "What the agent of the newest turn says, as server-sent events",
            transcripts::events,
        )
        .media("text/event-stream"),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct OfTask {
    /// Of one task only.
    task_id: Option<TaskId>,
}

async fn list(
    State(engine): State<Engine>,
    Query(of): Query<OfTask>,
    pages: Pages,
) -> Answer<Vec<wire::Attempt<'static>>> {
    let attempts = match pages.window() {
        Some((after, most)) => {
            let before = after.map(|Place(at, id)| (at, AttemptId::from_uuid(id)));
            engine.page_of_attempts(of.task_id, before, most).await?
        }
        None => engine.list_attempts(of.task_id).await?,
    };
    let place = |attempt: &Attempt| Place(attempt.created_at, attempt.id.as_uuid());
    let page = pages.of(&attempts, First::Newest, place);
    page.answer(page.items.iter().map(wire::Attempt::from).collect::<Vec<_>>())
}

async fn start(
    State(engine): State<Engine>,
    IdempotencyKey(key): IdempotencyKey,
    Body(body): Body<StartBody>,
) -> Answer<wire::StartedAttempt<'static>> {
    let use_worktree = body.use_worktree();
    let started = engine.start_attempt(body.into_command(None, key)?).await?;
    let position = engine.queue_position(started.attempt.id);
    let warnings = engine.start_warnings(&started).await;
    answer(wire::status_of(&started), wire::StartedAttempt::new(&started, position, use_worktree, warnings))
}

/// An older client's spelling of [`start`].
async fn start_of_task(
    State(engine): State<Engine>,
    Id(task): Id<TaskId>,
    IdempotencyKey(key): IdempotencyKey,
    Body(body): Body<StartBody>,
) -> Answer<wire::StartedAttempt<'static>> {
    let use_worktree = body.use_worktree();
    let started = engine.start_attempt(body.into_command(Some(task), key)?).await?;
    let position = engine.queue_position(started.attempt.id);
    let warnings = engine.start_warnings(&started).await;
    answer(wire::status_of(&started), wire::StartedAttempt::new(&started, position, use_worktree, warnings))
}

async fn get(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer<wire::Attempt<'static>> {
    ok(wire::Attempt::from(&engine.get_task_attempt(id).await?))
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
    if removal.discard {
        engine.discard_attempt(id).await?;
    } else {
        engine.delete_attempt(id).await?;
    }
    done()
}

/// 200 with the process when it runs, 202 with its place when it waits.
async fn follow_up(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Body(body): Body<FollowUpBody>,
) -> Answer<wire::FollowedUp<'static>> {
    send(&engine, id, body).await
}

pub(super) async fn send(
    engine: &Engine,
    id: AttemptId,
    body: FollowUpBody,
) -> Answer<wire::FollowedUp<'static>> {
    let command = match body.into_command()? {
        Wanted::Next(command) => command,
        Wanted::Instead(command) => {
            let replaced = engine.replace_process(id, command).await?;
            let profile = engine.get_attempt(id).await?.profile;
            let told = wire::FollowedUp::Replaced(wire::Replaced::new(&replaced, &profile));
            return answer(turns::status_of(&replaced), told);
        }
    };
    match engine.follow_up(id, command).await? {
        FollowedUp::Started(process) => {
            let profile = engine.get_attempt(id).await?.profile;
            ok(wire::FollowedUp::Started(wire::Process::new(&process, Some(&profile))))
        }
        FollowedUp::Queued { follow_up, ahead } => {
            let queued = wire::Queued::new(&follow_up, ahead, engine.queue_position(id));
            answer(StatusCode::ACCEPTED, wire::FollowedUp::Queued(queued))
        }
    }
}

async fn follow_ups(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
) -> Answer<Vec<wire::FollowUp<'static>>> {
    let follow_ups = engine.list_follow_ups(id).await?;
    ok(follow_ups.iter().map(wire::FollowUp::from).collect::<Vec<_>>())
}

async fn stop(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
) -> Answer<wire::StoppedTaskAttempt<'static>> {
    // A run has shapes of its own.
    engine.get_task_attempt(id).await?;
    ok(wire::StoppedTaskAttempt::from(&engine.stop_attempt(id).await?))
}
