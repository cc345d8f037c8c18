//! Standing agents over REST.

use axum::extract::State;
use forge_engine::Engine;
use forge_model::ProjectId;
use schemars::JsonSchema;
use serde::Deserialize;

use super::compat::NewStandingAgent;
use super::envelope::{Answer, ok};
use super::extract::{Body, Query};
use super::spec::Operation;
use super::wire;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("getForgeAgents", "/api/forge/agents", "A project's standing agents", list),
        Operation::post(
            "createForgeAgent",
            "/api/forge/agents",
            "The project's standing agent of this type, made if there is none",
            ensure,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct AgentSearch {
    project_id: ProjectId,
    /// Those of this type only.
    agent_type: Option<String>,
}

async fn list(
    State(engine): State<Engine>,
    Query(of): Query<AgentSearch>,
) -> Answer<Vec<wire::StandingAgent<'static>>> {
    let agents = engine.list_standing_agents(of.project_id, of.agent_type.as_deref()).await?;
    ok(agents.iter().map(wire::StandingAgent::from).collect::<Vec<_>>())
}

async fn ensure(
    State(engine): State<Engine>,
    Body(new): Body<NewStandingAgent>,
) -> Answer<wire::StandingAgent<'static>> {
    ok(wire::StandingAgent::from(&engine.ensure_standing_agent(new.project_id, &new.agent_type).await?))
}
