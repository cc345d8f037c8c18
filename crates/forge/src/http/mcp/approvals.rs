//! Approvals over MCP: what agents ask before they go on, and the answers.

use forge_engine::{Answered, Engine, Waiting};
use forge_model::Approval;
use serde::{Serialize, Serializer};

use super::tools::{Effect, Tool};
use crate::http::approvals::answered_before;
use crate::http::compat::tools::{ApprovalToAnswer, WhichApprovals};
use crate::http::problem::Problem;
use crate::http::wire;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "list_approvals",
            "Lists what agents ask before they go on, oldest first: verb and object, the attempt, its task and project, \
             and the choices that they take. With wait_seconds it answers as soon as something is asked.",
            Effect::Looks,
            list,
        ),
        Tool::new(
            "answer_approval",
            "Answers what an agent asks: with one of its own choices, or yes or no and why. The first answer stands; a \
             later one is an error that tells it.",
            Effect::Changes,
            answer,
        ),
    ]
}

#[derive(Serialize)]
struct Listed {
    approvals: Vec<Asked>,
    count: usize,
}

/// An approval as REST lists it.
struct Asked(Waiting);

impl Serialize for Asked {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        wire::PendingApproval::from(&self.0).serialize(serializer)
    }
}

async fn list(engine: Engine, which: WhichApprovals) -> Result<Listed, Problem> {
    let (of, wait) = which.into_question()?;
    let approvals: Vec<_> = engine.wait_for_approvals(of, wait).await?.into_iter().map(Asked).collect();
    Ok(Listed { count: approvals.len(), approvals })
}

/// An approval with the answer that stands.
struct Standing(Approval);

impl Serialize for Standing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        wire::Approval::from(&self.0).serialize(serializer)
    }
}

#[derive(Serialize)]
struct Done {
    approval: Standing,
}

async fn answer(engine: Engine, answer: ApprovalToAnswer) -> Result<Done, Problem> {
    match engine.answer(answer.approval_id, answer.into_command()).await? {
        Answered::Now(approval) => Ok(Done { approval: Standing(approval) }),
        Answered::Before(approval) => Err(answered_before(&approval)),
    }
}
