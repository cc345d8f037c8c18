//! Attempts over REST.

use axum::extract::State;
use axum::http::StatusCode;
use forge_engine::{Engine, FollowedUp};
use forge_model::{AttemptId, TaskId};
use serde::Deserialize;

use super::compat::{FollowUpBody, StartBody};
use super::envelope::{Answer, answer, done, ok};
use super::extract::{Body, Id, IdempotencyKey, Query};
use super::wire;

#[derive(Deserialize)]
pub(super) struct OfTask {
    task_id: Option<TaskId>,
}

pub(super) async fn list(State(engine): State<Engine>, Query(of): Query<OfTask>) -> Answer {
    let attempts = engine.list_attempts(of.task_id).await?;
    ok(attempts.iter().map(wire::Attempt::from).collect::<Vec<_>>())
}

pub(super) async fn start(
    State(engine): State<Engine>,
    IdempotencyKey(key): IdempotencyKey,
    Body(body): Body<StartBody>,
) -> Answer {
    let started = engine.start_attempt(body.into_command(None, key)?).await?;
    answer(wire::status_of(&started), wire::StartedAttempt::from(&started))
}

/// An older client's spelling of [`start`].
pub(super) async fn start_of_task(
    State(engine): State<Engine>,
    Id(task): Id<TaskId>,
    IdempotencyKey(key): IdempotencyKey,
    Body(body): Body<StartBody>,
) -> Answer {
    let started = engine.start_attempt(body.into_command(Some(task), key)?).await?;
    answer(wire::status_of(&started), wire::StartedAttempt::from(&started))
}

pub(super) async fn get(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer {
    ok(wire::Attempt::from(&engine.get_attempt(id).await?))
}

#[derive(Deserialize)]
pub(super) struct Removal {
    /// Whether branch and snapshots go as well.
    #[serde(default)]
    discard: bool,
}

pub(super) async fn delete(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Query(removal): Query<Removal>,
) -> Answer {
    if removal.discard {
        engine.discard_attempt(id).await?;
    } else {
        engine.delete_attempt(id).await?;
    }
    done(StatusCode::OK)
}

/// 200 with the process when it runs, 202 with its place when it waits.
pub(super) async fn follow_up(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Body(body): Body<FollowUpBody>,
) -> Answer {
    match engine.follow_up(id, body.into_command()?).await? {
        FollowedUp::Started(process) => {
            let profile = engine.get_attempt(id).await?.profile;
            ok(wire::Process::new(&process, Some(&profile)))
        }
        FollowedUp::Queued { follow_up, ahead } => {
            answer(StatusCode::ACCEPTED, wire::Queued::new(&follow_up, ahead))
        }
    }
}

pub(super) async fn follow_ups(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer {
    let follow_ups = engine.list_follow_ups(id).await?;
    ok(follow_ups.iter().map(wire::FollowUp::from).collect::<Vec<_>>())
}

pub(super) async fn stop(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer {
    ok(wire::Attempt::from(&engine.stop_attempt(id).await?))
}
