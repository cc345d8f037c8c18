//! REST, WebSocket, SSE and MCP over the engine: decode, ask the engine, encode. No rule lives here.

mod approvals;
mod attempts;
mod branches;
mod compat;
mod config;
mod diffs;
mod documents;
mod drafts;
mod entries;
mod envelope;
mod events;
mod extract;
mod filesystem;
mod form;
mod guard;
mod health;
mod images;
mod keep;
mod mcp;
mod metrics;
mod nodes;
mod pages;
mod pieces;
mod printed;
mod problem;
mod processes;
mod profiles;
mod projects;
mod raw_logs;
mod raw_pages;
mod request;
mod run_logs;
mod runs;
mod services;
mod settings;
mod shape;
mod socket;
mod sound;
mod spec;
mod standing;
mod tags;
mod tasks;
mod tolerated;
mod transcript_pages;
mod transcripts;
mod turns;
mod upgrade;
mod usage;
mod wire;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::FromRef;
use axum::middleware::{from_fn, from_fn_with_state};
use forge_engine::Engine;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_http::catch_panic::CatchPanicLayer;

pub(crate) use guard::Guard;
pub(crate) use mcp::McpCalls;
pub(crate) use spec::openapi;

use spec::Area;

/// What requests work with.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) engine: Engine,
    /// Streams end when this is cancelled.
    pub(crate) stopping: CancellationToken,
    /// Whatever has to end before the engine does.
    pub(crate) tasks: TaskTracker,
    /// Whether calls need the token.
    pub(crate) auth_required: bool,
    pub(crate) mcp_calls: McpCalls,
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
    /// Whether the caller is on this machine, and the user who runs the server or root.
    pub(crate) is_own_user: bool,
    /// Its place among the connections that may be open; a WebSocket holds on to it.
    pub(crate) place: Arc<dyn Send + Sync>,
}

/// Every path there is.
pub(crate) fn router(app: App, guard: Guard) -> Router {
    let checked = from_fn_with_state(Arc::new(guard), guard::check);
    let finished = from_fn_with_state(app.tasks.clone(), request::finish);
    spec::routes(areas())
        .with_state(app)
        .fallback(problem::unknown_path)
        .method_not_allowed_fallback(problem::wrong_method)
        .layer(finished)
        .layer(checked)
        .layer(CatchPanicLayer::custom(problem::panicked))
        .layer(from_fn(request::answer))
}

/// Everything that can be asked, by what it is about. Routes and documents are made from this list alone.
fn areas() -> Vec<Area> {
    vec![
        Area::new("server", "Whether it serves, and what it counts", health::operations()),
        Area::new("configuration", "The person's settings, and what the server is", config::operations()),
        Area::new(
            "executors",
            "Which agents there are, their variants and MCP servers",
            profiles::operations(),
        ),
        Area::new("files", "Folders, repositories and editors of this machine", filesystem::operations()),
        Area::new("services", "Services elsewhere", services::operations()),
        Area::new("events", "What happens, as it happens", events::operations()),
        Area::new("projects", "Git repositories", projects::operations()),
        Area::new("tasks", "What is wanted", tasks::operations()),
        Area::new("attempts", "Tries: a branch, a worktree and a conversation each", attempts::operations()),
        Area::new("drafts", "Prompts that are being written", drafts::operations()),
        Area::new("turns", "Replacing turns, and what runs beside them", turns::operations()),
        Area::new("branches", "What attempts have done, and what becomes of it", branches::operations()),
        Area::new("diffs", "What attempts change, as they do", diffs::operations()),
        Area::new("processes", "Programs that run in attempts, and what they print", processes::operations()),
        Area::new("usage", "Tokens and money", usage::operations()),
        Area::new("runs", "Work without a task", runs::operations()),
        Area::new("approvals", "What somebody asks a person before going on", approvals::operations()),
        Area::new("mcp", "The same for agents, over the Model Context Protocol", mcp::operations()),
        Area::new("keeping", "Snapshots, what is taken on the disk, and taking it away", keep::operations()),
        Area::new("nodes", "Installations that share a database", nodes::operations()),
        Area::new("copies", "Boards and lists that clients keep a copy of", documents::operations()),
        Area::new("tags", "Texts that are put into tasks by name", tags::operations()),
        Area::new("images", "What agents are shown", images::operations()),
        Area::new("agents", "Conversations that a project always has", standing::operations()),
        Area::new("settings", "Whom to tell", settings::operations()),
        Area::new("documents", "This description", spec::page_operations()),
    ]
}
