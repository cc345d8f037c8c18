//! The description as JSON, and as a page for people that needs nothing from elsewhere.

use axum::http::header;
use axum::response::IntoResponse as _;

use super::{Operation, openapi};
use crate::http::envelope::{Bare, Plain};

pub(in crate::http) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("openapi", "/api/openapi.json", "This description, as OpenAPI 3.1", document),
        Operation::get("docs", "/docs", "This description, as a page", page).media("text/html"),
    ]
}

async fn document() -> Bare<serde_json::Value> {
    Bare(openapi())
}

/// It runs its own script and asks this server alone.
async fn page() -> Plain {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
             frame-ancestors 'none'",
        ),
    ];
    Plain((headers, include_str!("page.html")).into_response())
}
