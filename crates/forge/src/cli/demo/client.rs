//! The demo's HTTP client: calls, one log stream, and waiting for an attempt's end by the event stream.

use anyhow::{Context as _, bail};
use futures::StreamExt as _;
use serde::Deserialize;
use serde_json::Value;
use tokio_tungstenite::tungstenite::Message;

use super::super::say;
use super::text;

#[derive(Deserialize)]
struct Envelope {
    data: Value,
    message: Option<String>,
}

/// A client of the demo's own server.
pub(super) struct Client {
    url: String,
    http: reqwest::Client,
}

impl Client {
    pub(super) fn new(url: String) -> Self {
        // A proxy has no business between us and ourselves.
        let http = reqwest::Client::builder().no_proxy().build().unwrap_or_default();
        Self { url, http }
    }

    pub(super) async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.data(path, self.http.get(format!("{}{path}", self.url))).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.data(path, self.http.post(format!("{}{path}", self.url)).json(body)).await
    }

    async fn data(&self, path: &str, request: reqwest::RequestBuilder) -> anyhow::Result<Value> {
        let envelope: Envelope = request.send().await.context("no answer")?.json().await?;
        match envelope.message {
            None => Ok(envelope.data),
            Some(message) => bail!("{path}: {message}"),
        }
    }

    /// Prints what a process prints until it ends.
    pub(super) async fn follow(&self, process: &str) -> anyhow::Result<()> {
        let url = self.url.replacen("http", "ws", 1);
        let url = format!("{url}/api/execution-processes/{process}/raw-logs/ws");
        let (mut socket, _response) = tokio_tungstenite::connect_async(url).await?;
        let mut printed = String::new();
        while let Some(message) = socket.next().await {
            let Message::Text(frame) = message? else { continue };
            let frame: Value = serde_json::from_str(&frame)?;
            for operation in list(&frame, "/JsonPatch") {
                if text(operation, "/value/type") == "STDOUT" {
                    printed.push_str(text(operation, "/value/content"));
                }
            }
            while let Some((line, rest)) = printed.split_once('\n') {
                say_line(line);
                printed = rest.to_owned();
            }
        }
        Ok(())
    }

    /// The attempt once nothing of it runs. Listens before it looks, so that nothing happens in between.
    pub(super) async fn until_finished(&self, id: &str) -> anyhow::Result<Value> {
        let mut events = self.http.get(format!("{}/api/events", self.url)).send().await?.bytes_stream();
        loop {
            let attempt = self.get(&format!("/api/task-attempts/{id}")).await?;
            if text(&attempt, "/state") == "finished" {
                return Ok(attempt);
            }
            events.next().await.context("the event stream ended")??;
        }
    }

    /// Stops what still runs.
    pub(super) async fn stop_all(&self) -> anyhow::Result<()> {
        let attempts = self.get("/api/task-attempts").await?;
        for attempt in list(&attempts, "") {
            if text(attempt, "/state") != "finished" {
                let path = format!("/api/task-attempts/{}/stop", text(attempt, "/id"));
                self.post(&path, &Value::Null).await?;
            }
        }
        Ok(())
    }
}

/// An agent's line is JSON; people are shown what it says and does.
fn say_line(line: &str) {
    let Ok(message) = serde_json::from_str::<Value>(line) else { return };
    if text(&message, "/type") != "assistant" {
        return;
    }
    for part in list(&message, "/message/content") {
        match text(part, "/type") {
            "text" => say(format_args!("   │ {}", text(part, "/text"))),
            "tool_use" => {
                say(format_args!("   │ {} {}", text(part, "/name"), text(part, "/input/file_path")));
            }
            _ => {}
        }
    }
}

fn list<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}
