//! Whether the server is there.

use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use super::envelope::{self, Answer};

/// Without the envelope, as clients expect it of this path alone.
pub(super) async fn forge() -> Response {
    axum::Json(json!({
        "status": "ok",
        "service": "forge-app",
        "version": env!("CARGO_PKG_VERSION"),
        "message": "Forge application ready",
    }))
    .into_response()
}

/// In the envelope.
pub(super) async fn api() -> Answer {
    envelope::ok("OK")
}
