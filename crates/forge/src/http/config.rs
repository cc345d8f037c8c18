//! The configuration, and what is told about the server, over REST.

use axum::extract::State;
use forge_engine::Engine;
use schemars::JsonSchema;
use serde::Serialize;

use super::App;
use super::envelope::{Answer, Bare, ok};
use super::extract::Body;
use super::sound;
use super::spec::Operation;
use super::wire::{Config, ConfigChange, Info};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(
            "getSystemInfo",
            "/api/info",
            "The configuration, the machine, and every executor with its variants",
            info,
        ),
        Operation::get("getConfig", "/api/config", "The configuration, with secrets masked", get),
        Operation::put(
            "updateConfig",
            "/api/config",
            "Changes the configuration; what is missing stays, a mask keeps its secret",
            update,
        ),
        Operation::get("getNotificationSound", "/api/sounds/{sound}", "A sound", sound::get)
            .media("audio/wav"),
        Operation::get(
            "getAuthRequired",
            "/api/forge/auth-required",
            "Whether calls need the token; itself needs none",
            auth_required,
        ),
    ]
}

async fn info(State(engine): State<Engine>) -> Answer<Info> {
    ok(Info::of(&engine).await?)
}

async fn get(State(engine): State<Engine>) -> Answer<Config> {
    ok(Config(engine.config()))
}

async fn update(State(engine): State<Engine>, Body(change): Body<ConfigChange>) -> Answer<Config> {
    ok(Config(engine.update_config(change.0).await?))
}

/// Whether calls need the token.
#[derive(Serialize, JsonSchema)]
struct AuthRequired {
    auth_required: bool,
}

async fn auth_required(State(app): State<App>) -> Bare<AuthRequired> {
    Bare(AuthRequired { auth_required: app.auth_required })
}
