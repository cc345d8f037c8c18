//! Whether the server is there.

use schemars::JsonSchema;
use serde::Serialize;

use super::envelope::{Answer, Bare, ok};
use super::metrics;
use super::spec::Operation;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("healthCheck", "/health", "Whether it serves, without the envelope", forge),
        Operation::get("apiHealth", "/api/health", "Whether it serves", api),
        Operation::get(
            "metrics",
            "/metrics",
            "What the server has counted, as Prometheus reads it",
            metrics::metrics,
        )
        .media("text/plain"),
    ]
}

/// That the server serves.
#[derive(Serialize, JsonSchema)]
struct Health {
    status: &'static str,
    service: &'static str,
    version: &'static str,
    message: &'static str,
}

/// Without the envelope, as clients expect it of this path alone.
async fn forge() -> Bare<Health> {
    Bare(Health {
        status: "ok",
        service: "forge-app",
        version: env!("CARGO_PKG_VERSION"),
        message: "Forge application ready",
    })
}

/// In the envelope.
async fn api() -> Answer<String> {
    ok("OK")
}
