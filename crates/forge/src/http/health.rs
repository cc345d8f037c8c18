//! Whether the server is there.

use axum::extract::State;
use axum::http::StatusCode;
use forge_engine::Engine;
use schemars::JsonSchema;
use serde::Serialize;

use super::envelope::{Answer, Bare, ok};
use super::metrics;
use super::spec::Operation;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("healthCheck", "/health", "Whether it serves, without the envelope", forge)
            .also(503, "The database does not answer"),
        Operation::get(
            "apiHealth",
            "/api/health",
            "Whether it serves; 503 while the database does not answer",
            api,
        ),
        Operation::get(
            "metrics",
            "/metrics",
            "What the server has counted, as Prometheus reads it",
            metrics::metrics,
        )
        .media("text/plain"),
    ]
}

/// Whether the server serves.
#[derive(Serialize, JsonSchema)]
struct Health {
    /// `ok` or `unavailable`.
    status: &'static str,
    service: &'static str,
    version: &'static str,
    message: String,
}

/// Without the envelope, as clients expect it of this path alone.
async fn forge(State(engine): State<Engine>) -> (StatusCode, Bare<Health>) {
    let (code, status, message) = match engine.is_ready().await {
        Ok(()) => (StatusCode::OK, "ok", "Forge application ready".to_owned()),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, "unavailable", error.to_string()),
    };
    (code, Bare(Health { status, service: "forge-app", version: env!("CARGO_PKG_VERSION"), message }))
}

/// In the envelope.
async fn api(State(engine): State<Engine>) -> Answer<String> {
    engine.is_ready().await?;
    ok("OK")
}
