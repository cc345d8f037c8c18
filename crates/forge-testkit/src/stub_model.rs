//! A stand-in for the Anthropic Messages API, good enough for the real Claude Code program.
//!
//! The prompt is the script, in the scripted agent's own language: each `@edit` becomes a use of the `Write` tool,
//! `@say` the text before it or at the end, `@error` an HTTP error, and at a `@wait-fifo` the answer waits until a
//! [`Turnstile`](crate::turnstile::Turnstile) there is opened. The server keeps no conversation: from each request it works out
//! which step is next, so any number of programs can use one, and resume as they like.

mod reply;

use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use anyhow::{Context as _, Result};
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::net::unix::pipe;
use tokio::sync::oneshot;

use self::reply::Reply;

/// A running stub, on a free port of its own, until it is dropped.
#[derive(Debug)]
pub struct StubModel {
    url: String,
    requests: Requests,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<std::io::Result<()>>>,
}

type Requests = Arc<Mutex<Vec<Value>>>;

impl StubModel {
    /// Starts a stub in a thread of its own, so that tests without a runtime can use it too.
    ///
    /// # Errors
    /// When there is no port to listen on.
    pub fn start() -> Result<Self> {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("failed to listen for the stub model")?;
        listener.set_nonblocking(true)?;
        let url = format!("http://{}", listener.local_addr()?);
        let requests = Requests::default();
        let app = Router::new()
            .route("/v1/messages", post(answer))
            .route("/v1/messages/count_tokens", post(async || axum::Json(json!({ "input_tokens": 100 }))))
            .with_state(Arc::clone(&requests));
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            // All of it in here: a test that has a runtime may neither start another nor end one.
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener)?;
                tokio::select! {
                    served = axum::serve(listener, app) => served,
                    _ = stopped => Ok(()),
                }
            })
        });
        Ok(Self { url, requests, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What it was asked, oldest first: the bodies of the requests that offer tools, which are those of a turn.
    pub fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for StubModel {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic in there has failed the test already: no answer came.
            drop(thread.join());
        }
    }
}

async fn answer(State(requests): State<Requests>, axum::Json(body): axum::Json<Value>) -> Response {
    let offers_tools = body.get("tools").and_then(Value::as_array).is_some_and(|tools| !tools.is_empty());
    let reply = if offers_tools {
        let reply = reply::to(&body);
        requests.lock().unwrap_or_else(PoisonError::into_inner).push(body.clone());
        reply
    } else {
        // A title or a summary that the program wants for itself.
        Reply::text("A task".into())
    };
    if let Reply::Message(message) = &reply
        && let Some(gate) = message.gate()
    {
        wait_at(gate).await;
    }
    match reply {
        Reply::Error { status, text } => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let kind = if status == StatusCode::UNAUTHORIZED { "authentication_error" } else { "api_error" };
            let error = json!({ "type": "error", "error": { "type": kind, "message": text } });
            (status, axum::Json(error)).into_response()
        }
        Reply::Message(message) if body.get("stream") == Some(&json!(true)) => {
            ([(header::CONTENT_TYPE, "text/event-stream")], message.events()).into_response()
        }
        Reply::Message(message) => axum::Json(message.whole()).into_response(),
    }
}

/// Waits for one line; where there is no gate, or none any more, there is nothing to wait for.
async fn wait_at(gate: &Path) {
    let Ok(pipe) = pipe::OpenOptions::new().open_receiver(gate) else { return };
    let mut line = [0];
    while pipe.readable().await.is_ok() {
        match pipe.try_read(&mut line) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Ok(_) | Err(_) => return,
        }
    }
}
