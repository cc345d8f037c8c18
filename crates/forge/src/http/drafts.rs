//! Drafts over REST.

use axum::extract::State;
use forge_engine::Engine;
use forge_model::AttemptId;

use super::compat::{DraftBody, QueueBody, WhichDraft};
use super::envelope::{Answer, done, ok};
use super::extract::{Body, Id, Query};
use super::spec::Operation;
use super::wire;

pub(super) fn operations() -> Vec<Operation> {
    const PATH: &str = "/api/task-attempts/{id}/draft";
    vec![
        Operation::get("getDraft", PATH, "A draft; an empty one where nobody wrote it", get),
        Operation::put("updateDraft", PATH, "Changes a draft", save),
        Operation::post("saveDraft", PATH, "Changes a draft; an older spelling", save),
        Operation::delete(
            "deleteDraft",
            PATH,
            "Empties a draft; one that is queued leaves the queue",
            delete,
        ),
        Operation::post(
            "queueDraftExecution",
            "/api/task-attempts/{id}/draft/queue",
            "Sends a draft as soon as nothing runs, or does not any more",
            queue,
        ),
    ]
}

async fn get(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Query(which): Query<WhichDraft>,
) -> Answer<wire::Draft<'static>> {
    ok(wire::Draft::from(&engine.get_draft(id, which.kind()).await?))
}

async fn save(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Query(which): Query<WhichDraft>,
    Body(body): Body<DraftBody>,
) -> Answer<wire::Draft<'static>> {
    ok(wire::Draft::from(&engine.save_draft(id, which.kind(), body.into_command()).await?))
}

async fn delete(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Query(which): Query<WhichDraft>,
) -> Answer<()> {
    engine.clear_draft(id, which.kind()).await?;
    done()
}

async fn queue(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Query(which): Query<WhichDraft>,
    Body(body): Body<QueueBody>,
) -> Answer<wire::QueuedDraft<'static>> {
    let queued = engine.queue_draft(id, which.kind(), body.into_command()?).await?;
    let profile = engine.get_attempt(id).await?.profile;
    ok(wire::QueuedDraft::new(&queued, &profile))
}
