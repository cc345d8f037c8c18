//! REST, WebSocket and SSE over the engine: decode, ask the engine, encode. No rule lives here.

mod attempts;
mod compat;
mod entries;
mod envelope;
mod events;
mod extract;
mod guard;
mod health;
mod keep;
mod metrics;
mod problem;
mod processes;
mod projects;
mod raw_logs;
mod request;
mod shape;
mod socket;
mod tasks;
mod wire;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::FromRef;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use forge_engine::Engine;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_http::catch_panic::CatchPanicLayer;

pub(crate) use guard::Guard;

/// What requests work with.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) engine: Engine,
    /// Streams end when this is cancelled.
    pub(crate) stopping: CancellationToken,
    /// Whatever has to end before the engine does.
    pub(crate) tasks: TaskTracker,
}

impl FromRef<App> for Engine {
    fn from_ref(app: &App) -> Self {
        app.engine.clone()
    }
}

/// The connection that a request came by.
#[derive(Clone)]
pub(crate) struct Connection {
    /// Our end of it.
    pub(crate) local: SocketAddr,
    /// Its place among the connections that may be open; a WebSocket holds on to it.
    pub(crate) place: Arc<OwnedSemaphorePermit>,
}

/// Every path there is.
pub(crate) fn router(app: App, guard: Guard) -> Router {
    let checked = from_fn_with_state(Arc::new(guard), guard::check);
    let finished = from_fn_with_state(app.tasks.clone(), request::finish);
    routes()
        .with_state(app)
        .fallback(problem::unknown_path)
        .method_not_allowed_fallback(problem::wrong_method)
        .layer(finished)
        .layer(checked)
        .layer(CatchPanicLayer::custom(problem::panicked))
        .layer(from_fn(request::answer))
}

fn routes() -> Router<App> {
    Router::new()
        .route("/health", get(health::forge))
        .route("/metrics", get(metrics::metrics))
        .route("/api/health", get(health::api))
        .route("/api/events", get(events::stream))
        .route("/api/projects", get(projects::list).post(projects::create))
        .route("/api/projects/{id}", get(projects::get).put(projects::update).delete(projects::delete))
        .route("/api/projects/{id}/branches", get(projects::branches))
        .route("/api/projects/{id}/tasks", get(tasks::list_of_project).post(tasks::create_in_project))
        .route("/api/projects/{id}/tasks/create-and-start", post(tasks::create_and_start_in_project))
        .route(
            "/api/projects/{id}/tasks/{task_id}",
            get(tasks::get_in_project).put(tasks::update_in_project).delete(tasks::delete_in_project),
        )
        .route("/api/tasks", get(tasks::list).post(tasks::create))
        .route("/api/tasks/create-and-start", post(tasks::create_and_start))
        .route("/api/tasks/{id}", get(tasks::get).put(tasks::update).delete(tasks::delete))
        .route("/api/tasks/{id}/attempts/start", post(attempts::start_of_task))
        .route("/api/task-attempts", get(attempts::list).post(attempts::start))
        .route("/api/task-attempts/{id}", get(attempts::get).delete(attempts::delete))
        .route("/api/task-attempts/{id}/follow-up", post(attempts::follow_up))
        .route("/api/task-attempts/{id}/follow-ups", get(attempts::follow_ups))
        .route("/api/task-attempts/{id}/stop", post(attempts::stop))
        .route("/api/task-attempts/{id}/snapshots", get(keep::snapshots))
        .route("/api/task-attempts/{id}/restore", post(keep::restore))
        .route("/api/task-attempts/{id}/disk", get(keep::attempt_disk))
        .route("/api/projects/{id}/disk", get(keep::project_disk))
        .route("/api/gc", post(keep::collect))
        .route("/api/execution-processes", get(processes::list))
        .route("/api/execution-processes/{id}", get(processes::get))
        .route("/api/execution-processes/{id}/caps", get(processes::caps))
        .route("/api/execution-processes/{id}/stop", post(processes::stop))
        .route("/api/execution-processes/{id}/raw-logs/ws", get(raw_logs::stream))
}
