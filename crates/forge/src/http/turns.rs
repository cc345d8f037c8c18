//! Interrupting and replacing a turn, what waits for one, and what runs beside turns.

use axum::extract::State;
use axum::http::StatusCode;
use forge_engine::Engine;
use forge_model::{AttemptId, FollowUpId};

use super::compat::{FollowUpChange, ReplaceBody, SetupBody};
use super::envelope::{Answer, answer, done, ok};
use super::extract::{Body, Id, IdBelow};
use super::spec::Operation;
use super::wire;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post(
            "interruptTaskAttempt",
            "/api/task-attempts/{id}/interrupt",
            "Lets the agent end its turn, without ending it; answers when the turn is over",
            interrupt,
        ),
        Operation::get(
            "getTaskAttemptOffers",
            "/api/task-attempts/{id}/offers",
            "The commands, modes and models that the agent lets a person choose from",
            offers,
        ),
        Operation::put(
            "updateFollowUp",
            "/api/task-attempts/{id}/follow-ups/{follow_up_id}",
            "Changes a prompt that waits for its turn",
            change_follow_up,
        ),
        Operation::delete(
            "deleteFollowUp",
            "/api/task-attempts/{id}/follow-ups/{follow_up_id}",
            "Takes a prompt out of the queue",
            remove_follow_up,
        ),
        Operation::post(
            "replaceTaskAttemptProcess",
            "/api/task-attempts/{id}/replace-process",
            "Puts another turn in the place of one: the worktree and the conversation go back to what they were before",
            replace,
        )
        .also(202, "The attempt stands in the queue; the turn is replaced when it comes"),
        Operation::post(
            "startDevServer",
            "/api/task-attempts/{id}/start-dev-server",
            "Runs the project's dev script, in place of the project's dev server that runs",
            start_dev_server,
        ),
        Operation::post(
            "runAgentSetup",
            "/api/task-attempts/{id}/run-agent-setup",
            "Runs what sets an agent up, for agents that have such a thing",
            run_agent_setup,
        ),
    ]
}

async fn interrupt(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer<wire::Attempt<'static>> {
    // A run has shapes of its own.
    engine.get_task_attempt(id).await?;
    ok(wire::Attempt::from(&engine.interrupt_attempt(id).await?))
}

async fn offers(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer<wire::Offers<'static>> {
    ok(wire::Offers::from(&engine.offers(id).await?))
}

async fn change_follow_up(
    State(engine): State<Engine>,
    IdBelow(id, follow_up): IdBelow<FollowUpId, AttemptId>,
    Body(body): Body<FollowUpChange>,
) -> Answer<wire::FollowUp<'static>> {
    ok(wire::FollowUp::from(&engine.change_follow_up(id, follow_up, body.into_command()).await?))
}

async fn remove_follow_up(
    State(engine): State<Engine>,
    IdBelow(id, follow_up): IdBelow<FollowUpId, AttemptId>,
) -> Answer<()> {
    engine.remove_follow_up(id, follow_up).await?;
    done()
}

async fn replace(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Body(body): Body<ReplaceBody>,
) -> Answer<wire::Replaced<'static>> {
    let replaced = engine.replace_process(id, body.into_command()?).await?;
    let profile = engine.get_attempt(id).await?.profile;
    answer(status_of(&replaced), wire::Replaced::new(&replaced, &profile))
}

/// 202 while it waits.
pub(super) const fn status_of(replaced: &forge_engine::Replaced) -> StatusCode {
    if replaced.process.is_some() { StatusCode::OK } else { StatusCode::ACCEPTED }
}

async fn start_dev_server(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
) -> Answer<wire::DevServer<'static>> {
    let server = engine.start_dev_server(id).await?;
    let profile = engine.get_attempt(id).await?.profile;
    ok(wire::DevServer::new(&server, &profile))
}

async fn run_agent_setup(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Body(body): Body<SetupBody>,
) -> Answer<()> {
    engine.run_agent_setup(id, &body.into_profile()?).await?;
    done()
}
