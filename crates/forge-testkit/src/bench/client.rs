//! A client that keeps its connections, as real ones do.

use anyhow::{Result, bail};
use reqwest::Method;
use serde_json::{Value, json};

use crate::server::TestServer;

#[derive(Debug, Clone)]
pub(super) struct Client {
    http: reqwest::Client,
    url: String,
}

impl Client {
    pub(super) fn new(server: &TestServer) -> Result<Self> {
        Ok(Self { http: reqwest::Client::builder().no_proxy().build()?, url: server.url("") })
    }

    pub(super) async fn get(&self, path: &str) -> Result<Value> {
        self.call(Method::GET, path, None).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        self.call(Method::POST, path, Some(body)).await
    }

    /// The whole answer, unread.
    pub(super) async fn bytes(&self, path: &str) -> Result<usize> {
        let answer = self.http.get(format!("{}{path}", self.url)).send().await?.error_for_status()?;
        Ok(answer.bytes().await?.len())
    }

    async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value> {
        let mut request = self.http.request(method, format!("{}{path}", self.url));
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await?;
        let status = answer.status();
        let mut body: Value = answer.json().await?;
        if !status.is_success() {
            bail!("{path} answered {status}: {body}");
        }
        Ok(body.get_mut("data").map(Value::take).unwrap_or_default())
    }

    /// A task with an agent on it that does what `steps` say.
    pub(super) async fn start(&self, project: &str, steps: &str) -> Result<Started> {
        let body = json!({
            "task": {"project_id": project, "title": "Measure this", "description": steps},
            "executor_profile_id": {"executor": "CLAUDE_CODE"},
            "base_branch": "main",
        });
        let started = self.post("/api/tasks/create-and-start", &body).await?;
        Ok(Started { attempt: text(&started, "attempt_id"), process: text(&started, "execution_process_id") })
    }
}

/// What runs.
#[derive(Debug, Clone)]
pub(super) struct Started {
    pub(super) attempt: String,
    pub(super) process: String,
}

/// A field that is there.
pub(super) fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}
