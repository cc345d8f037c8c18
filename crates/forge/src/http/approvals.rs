//! Approvals over REST.

use axum::extract::State;
use axum::http::StatusCode;
use forge_engine::{Answered, Engine};
use forge_model::{Approval, ApprovalId};

use super::compat::{ApprovalAnswer, NewApproval};
use super::envelope::{Answer, Bare, ok};
use super::extract::{Body, Id};
use super::problem::Problem;
use super::spec::Operation;
use super::wire;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post(
            "createApprovalRequest",
            "/api/approvals/create",
            "Asks a person, and answers at once: the status tells later what was answered",
            create,
        ),
        Operation::get(
            "getPendingApprovals",
            "/api/approvals/pending",
            "What waits for an answer, oldest first, with who asks",
            pending,
        ),
        Operation::get("getApprovalStatus", "/api/approvals/{id}/status", "What came of an approval", status),
        Operation::post(
            "respondToApprovalRequest",
            "/api/approvals/{id}/respond",
            "Answers an approval. The first answer stands: who comes later gets 409, and that answer in error_data",
            respond,
        ),
    ]
}

async fn create(State(engine): State<Engine>, Body(body): Body<NewApproval>) -> Answer<wire::Asked<'static>> {
    ok(wire::Asked::from(&engine.ask(body.into_command()).await?))
}

async fn pending(State(engine): State<Engine>) -> Answer<Vec<wire::PendingApproval<'static>>> {
    let approvals = engine.list_pending_approvals().await?;
    ok(approvals.iter().map(wire::PendingApproval::from).collect::<Vec<_>>())
}

async fn status(State(engine): State<Engine>, Id(id): Id<ApprovalId>) -> Answer<wire::Approval<'static>> {
    ok(wire::Approval::from(&engine.get_approval(id).await?))
}

async fn respond(
    State(engine): State<Engine>,
    Id(id): Id<ApprovalId>,
    Body(body): Body<ApprovalAnswer>,
) -> Result<Bare<wire::Responded>, Problem> {
    // One that is not there is told before anything about the body.
    engine.get_approval(id).await?;
    match engine.answer(id, body.into_command()?).await? {
        Answered::Now(approval) => Ok(Bare(wire::Responded::from(&approval))),
        Answered::Before(approval) => Err(answered_before(&approval)),
    }
}

/// What whoever answers too late is told.
pub(super) fn answered_before(approval: &Approval) -> Problem {
    let status = approval.status.as_str();
    let standing = match serde_json::to_value(wire::Approval::from(approval)) {
        Ok(standing) => standing,
        Err(error) => return Problem::internal(error),
    };
    let message = format!("the approval has its answer already: {status}");
    Problem::new(StatusCode::CONFLICT, "approval_answered", message)
        .hint("the first answer stands; `approval` beside this has it")
        .detail("status", status)
        .detail("approval", standing)
}
