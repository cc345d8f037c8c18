//! Executors' variants and MCP servers over REST.

use axum::extract::State;
use forge_engine::{Engine, McpChange};
use forge_model::{Profile, ProjectId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::compat::system::{McpBody, profiles};
use super::envelope::{Answer, ok};
use super::extract::{Body, Id, Name, Query, Text};
use super::spec::Operation;
use super::wire::{Executor, McpReply, Profiles, ProjectProfiles};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(
            "listExecutors",
            "/api/agents",
            "Every agent: whether it is installed and logged in here, and what to do where not",
            list,
        ),
        Operation::get(
            "getExecutorSchema",
            "/api/agents/{name}/schema",
            "What a variant of an agent may set, as a JSON schema to draw a form from",
            schema,
        ),
        Operation::get("getExecutorProfiles", "/api/profiles", "Every variant of every executor", get),
        Operation::put(
            "updateExecutorProfiles",
            "/api/profiles",
            "Makes the profiles these: the whole document, of any content type",
            update,
        ),
        Operation::get(
            "getProjectProfiles",
            "/api/forge/projects/{id}/profiles",
            "The profiles that a project's attempts can be started with",
            of_project,
        ),
        Operation::post(
            "trustProjectVariant",
            "/api/forge/projects/{id}/profiles/trust",
            "Confirms a variant that a project's repository adds, so that attempts can use it",
            trust,
        ),
        Operation::get(
            "getMcpConfig",
            "/api/mcp-config",
            "The MCP servers that an executor's own program knows, with keys masked",
            mcp,
        ),
        Operation::post(
            "updateMcpConfig",
            "/api/mcp-config",
            "Makes the MCP servers of an executor's own program these; a mask keeps its key",
            update_mcp,
        ),
    ]
}

async fn list(State(engine): State<Engine>) -> Answer<Vec<Executor>> {
    ok(engine.list_agents().await?.iter().map(Executor::from).collect::<Vec<_>>())
}

async fn schema(State(engine): State<Engine>, Name(name): Name) -> Answer<Value> {
    ok(engine.agent_schema(&name)?)
}

async fn get(State(engine): State<Engine>) -> Answer<Profiles<'static>> {
    ok(Profiles::of(&engine))
}

async fn update(State(engine): State<Engine>, Text(body): Text) -> Answer<String> {
    engine.replace_profiles(&profiles(&body)?).await?;
    ok("Executor profiles updated successfully")
}

async fn of_project(State(engine): State<Engine>, Id(id): Id<ProjectId>) -> Answer<ProjectProfiles> {
    ok(ProjectProfiles::from(engine.project_profiles(id).await?))
}

/// The variant to confirm.
#[derive(Deserialize, JsonSchema)]
struct TrustBody {
    /// The executor, such as `CLAUDE_CODE`.
    executor: String,
    /// One of the project's `repository_variants`, or a short name of it.
    variant: String,
    /// The variant's `digest` as it was read. If the repository has changed it since, nothing is confirmed (409).
    digest: Option<String>,
}

async fn trust(
    State(engine): State<Engine>,
    Id(id): Id<ProjectId>,
    Body(body): Body<TrustBody>,
) -> Answer<ProjectProfiles> {
    let profile = Profile { executor: body.executor, variant: Some(body.variant) };
    ok(ProjectProfiles::from(engine.trust_variant(id, &profile, body.digest.as_deref()).await?))
}

#[derive(Deserialize, JsonSchema)]
struct OfExecutor {
    /// The executor, such as `CLAUDE_CODE`.
    executor: String,
}

async fn mcp(State(engine): State<Engine>, Query(of): Query<OfExecutor>) -> Answer<McpReply> {
    ok(McpReply::from(engine.mcp_config(&of.executor).await?))
}

async fn update_mcp(
    State(engine): State<Engine>,
    Query(of): Query<OfExecutor>,
    Body(body): Body<McpBody>,
) -> Answer<String> {
    let McpChange { before, after } =
        engine.set_mcp_servers(&of.executor, body.servers.into_iter().collect()).await?;
    ok(match (before, after) {
        (0, 0) => "No MCP servers configured".to_owned(),
        (0, after) => format!("Added {after} MCP server(s)"),
        (before, after) if before == after => {
            format!("Updated MCP server configuration ({after} server(s))")
        }
        (before, after) => format!("Updated MCP server configuration (was {before}, now {after})"),
    })
}
