//! Settings of Forge as a whole and of single projects, over REST.

use axum::extract::State;
use forge_engine::Engine;
use forge_model::ProjectId;

use super::compat::SettingsChange;
use super::envelope::{Answer, ok};
use super::extract::{Body, Id};
use super::spec::Operation;
use super::wire;

pub(super) fn operations() -> Vec<Operation> {
    const OF_PROJECT: &str = "/api/forge/projects/{id}/settings";
    vec![
        Operation::get("getForgeConfig", "/api/forge/config", "What is set for all projects", get),
        Operation::put("updateForgeConfig", "/api/forge/config", "Sets it; what is missing stays", update),
        Operation::get("getProjectSettings", OF_PROJECT, "What is set for a project", get_of_project),
        Operation::put(
            "updateProjectSettings",
            OF_PROJECT,
            "Sets it; what is missing stays",
            update_of_project,
        ),
    ]
}

async fn get(State(engine): State<Engine>) -> Answer<wire::Settings<'static>> {
    ok(wire::Settings::from(&engine.get_settings(None).await?))
}

async fn update(
    State(engine): State<Engine>,
    Body(change): Body<SettingsChange>,
) -> Answer<wire::Settings<'static>> {
    ok(wire::Settings::from(&engine.update_settings(None, change.into()).await?))
}

async fn get_of_project(
    State(engine): State<Engine>,
    Id(project): Id<ProjectId>,
) -> Answer<wire::Settings<'static>> {
    ok(wire::Settings::from(&engine.get_settings(Some(project)).await?))
}

async fn update_of_project(
    State(engine): State<Engine>,
    Id(project): Id<ProjectId>,
    Body(change): Body<SettingsChange>,
) -> Answer<wire::Settings<'static>> {
    ok(wire::Settings::from(&engine.update_settings(Some(project), change.into()).await?))
}
