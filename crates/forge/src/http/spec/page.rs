//! The description as JSON, and as a page for people that needs nothing from elsewhere.

use axum::http::header;
use axum::response::IntoResponse as _;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Operation, openapi};
use crate::http::areas;
use crate::http::envelope::{Bare, Plain};

pub(in crate::http) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("openapi", "/api/openapi.json", "This description, as OpenAPI 3.1", document),
        Operation::get("listRoutes", "/api/routes", "Every operation in a line", routes),
        Operation::get(
            "webManifest",
            "/site.webmanifest",
            "What a browser calls the page it is asked to keep",
            manifest,
        )
        .media("application/manifest+json"),
        Operation::get("docs", "/docs", "This description, as a page", page).media("text/html"),
    ]
}

async fn document() -> Bare<serde_json::Value> {
    Bare(openapi())
}

/// Everything that can be asked, without shapes.
#[derive(Serialize, JsonSchema)]
struct Routes {
    version: &'static str,
    routes: Vec<Route>,
}

/// One operation.
#[derive(Serialize, JsonSchema)]
struct Route {
    method: String,
    path: &'static str,
    /// What clients call it.
    operation: &'static str,
    summary: &'static str,
}

async fn routes() -> Bare<Routes> {
    let operations = areas().into_iter().flat_map(|area| area.operations);
    let routes = operations.map(|Operation { id, method, path, summary, .. }| Route {
        method: method.to_uppercase(),
        path,
        operation: id,
        summary,
    });
    Bare(Routes { version: env!("CARGO_PKG_VERSION"), routes: routes.collect() })
}

async fn manifest() -> Plain {
    let manifest = serde_json::json!({
        "name": "Forge", "short_name": "Forge", "start_url": "/", "display": "standalone", "icons": [],
    });
    let kind = [(header::CONTENT_TYPE, "application/manifest+json")];
    Plain((kind, manifest.to_string()).into_response())
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
