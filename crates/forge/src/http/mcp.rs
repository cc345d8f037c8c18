//! MCP over HTTP: each POST is a message, or several, and is answered by itself. Nothing is kept between them but the
//! calls under way, so a restart loses no session.

mod approvals;
mod calls;
mod hints;
mod projects;
mod rpc;
mod runs;
mod tasks;
mod tools;

use std::convert::Infallible;

use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use forge_engine::Engine;
use futures::future::join_all;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::App;
use super::envelope::ErrorData;
use super::extract::{not_json, says_json, whole};
use super::problem::{Problem, only};
use super::request::{self, HungUp, RequestId};
use super::spec::{Draft, Input, Operation, Output};
use rpc::{Call, Fault, Incoming};

pub(crate) use calls::McpCalls;

/// The versions of the protocol that are spoken, oldest first.
const VERSIONS: [&str; 4] = [OLDEST, "2025-03-26", "2025-06-18", NEWEST];
const OLDEST: &str = "2024-11-05";
const NEWEST: &str = "2025-11-25";
/// Where each request of a client without a handshake (2026-07-28 and later) names its version.
const REQUEST_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Whoever has more to say sends more than one request.
const MOST_AT_ONCE: usize = 100;
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

pub(super) fn operations() -> Vec<Operation> {
    let about =
        "A message of the Model Context Protocol, or several; docs/mcp.md tells the tools that there are";
    vec![Operation::post("mcp", "/mcp", about, speak)]
}

async fn speak(
    State(app): State<App>,
    RequestId(request): RequestId,
    HungUp(hung_up): HungUp,
    version: Version,
    session: Session,
    Message(bytes): Message,
) -> Reply {
    let App { engine, mcp_calls: calls, .. } = app;
    let caller = Caller { engine, calls, request, hung_up, version: version.0, session: session.0 };
    match serde_json::from_slice(&bytes) {
        Err(error) => Reply::of(rpc::refuse(&Value::Null, &Fault::not_json(&error))),
        Ok(Value::Array(messages)) if messages.is_empty() || messages.len() > MOST_AT_ONCE => {
            let fault =
                Fault::not_a_message(format!("from 1 to {MOST_AT_ONCE} messages fit into one request"));
            Reply::of(rpc::refuse(&Value::Null, &fault))
        }
        Ok(Value::Array(messages)) => {
            let answers = join_all(messages.into_iter().map(|message| caller.hear(message))).await;
            let answers: Vec<_> = answers.into_iter().flatten().map(|(answer, _)| answer).collect();
            if answers.is_empty() { Reply::Silence } else { Reply::Answer(StatusCode::OK, answers.into()) }
        }
        Ok(message) => {
            let is_hello = message.get("method").is_some_and(|method| method == "initialize");
            match caller.hear(message).await {
                Some((answer, _)) if is_hello && answer.get("result").is_some() => {
                    Reply::Welcome(Uuid::new_v4(), answer)
                }
                Some(answer) => Reply::of(answer),
                None => Reply::Silence,
            }
        }
    }
}

/// Who speaks.
struct Caller {
    engine: Engine,
    calls: McpCalls,
    /// The request's id, for the log.
    request: String,
    hung_up: CancellationToken,
    /// The version that was agreed on, where the caller says it again.
    version: Option<String>,
    /// The session that `initialize` named, where the caller says it again.
    session: Option<String>,
}

impl Caller {
    /// The answer to one message; none to one that wants none.
    async fn hear(&self, message: Value) -> Option<(Value, StatusCode)> {
        match rpc::read(message) {
            Incoming::Silent => None,
            Incoming::Cancel(request) => {
                if let Some(session) = &self.session {
                    self.calls.cancel(session, &request);
                }
                None
            }
            Incoming::Broken { id, fault } => Some(rpc::refuse(&id, &fault)),
            Incoming::Call(call) => {
                let stop = self.hung_up.child_token();
                let session = self.session.as_deref();
                let _running = session.map(|session| self.calls.begin(session, &call.id, stop.clone()));
                let answered = self.answer(&call, &stop).await;
                // Nobody waits for the answer to a call that was canceled.
                (!stop.is_cancelled()).then(|| match answered {
                    Ok(result) => rpc::answer(&call.id, &result),
                    Err(fault) => rpc::refuse(&call.id, &fault),
                })
            }
        }
    }

    async fn answer(&self, call: &Call, stop: &CancellationToken) -> Result<Value, Fault> {
        if call.method == "initialize" {
            return initialize(call);
        }
        // A client that gets this refusal of a request of its own version begins with `initialize` instead.
        let of_request = call.params.get("_meta").and_then(|meta| meta.get(REQUEST_VERSION)?.as_str());
        if let Some(version) =
            [of_request, self.version.as_deref()].into_iter().flatten().find(|one| !VERSIONS.contains(one))
        {
            return Err(Fault::unspoken(version, &VERSIONS));
        }
        match call.method.as_str() {
            "ping" => Ok(json!({})),
            "tools/list" => list(call),
            "tools/call" => self.call(call, stop).await,
            other => Err(Fault::no_such_method(other)),
        }
    }

    async fn call(&self, call: &Call, stop: &CancellationToken) -> Result<Value, Fault> {
        let name = call.text("name")?;
        let tools = tools::all();
        let tool = tools.iter().find(|tool| tool.name == name).ok_or_else(|| {
            let names: Vec<_> = tools.iter().map(|tool| tool.name).collect();
            let meant = forge_model::nearest(name, names.iter().copied());
            let meant = meant.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
            let message = format!("there is no tool {}{meant}", rpc::short(name));
            Fault::wrong_params(message).with(json!({ "tools": names }))
        })?;
        let arguments = match call.params.get("arguments") {
            None | Some(Value::Null) => json!({}),
            Some(arguments @ Value::Object(_)) => arguments.clone(),
            Some(_) => return Err(Fault::wrong_params("`arguments` has to be an object")),
        };
        let called = tool.call(self.engine.clone(), arguments.clone());
        let answered = if tool.only_looks() {
            let called = stop.run_until_cancelled(called).await;
            called.ok_or_else(|| Fault::not_a_message("the call was canceled"))?
        } else {
            called.await
        };
        let (text, is_error) = match answered {
            Ok(text) => (text, false),
            Err(problem) => (self.told(&hints::for_tools(problem, &arguments)), true),
        };
        Ok(json!({ "content": [{ "type": "text", "text": text }], "isError": is_error }))
    }

    /// A problem as agents read it. What the envelope has as `error_data` stands in `details`.
    fn told(&self, problem: &Problem) -> String {
        request::log(problem);
        let details = ErrorData::of(problem, &self.request);
        let told = json!({ "success": false, "error": problem.message, "details": details });
        format!("{told:#}")
    }
}

/// A version that is known is spoken; instead of a newer one, our newest. An older one is refused.
fn initialize(call: &Call) -> Result<Value, Fault> {
    let asked = call.text("protocolVersion")?;
    let spoken = match VERSIONS.into_iter().find(|known| *known == asked) {
        Some(known) => known,
        // Versions are dates, which sort as text does.
        None if asked > OLDEST => NEWEST,
        None => {
            return Err(Fault::wrong_params("that version of the protocol is too old").with(json!({
                "requested_protocol": rpc::short(asked),
                "minimum_supported_protocol": OLDEST,
                "supported_protocols": VERSIONS,
            })));
        }
    };
    Ok(json!({
        "protocolVersion": spoken,
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "automagik-forge", "title": "Forge", "version": env!("CARGO_PKG_VERSION") },
        "instructions": tools::instructions(),
    }))
}

/// All of them at once: there is no second page to ask for.
fn list(call: &Call) -> Result<Value, Fault> {
    if call.params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
        return Err(Fault::wrong_params("`cursor` is not one that a page ended with"));
    }
    let tools: Vec<_> = tools::all().iter().map(tools::Tool::describe).collect();
    Ok(json!({ "tools": tools }))
}

/// What the header says about the version of the protocol.
struct Version(Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for Version {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        // One that cannot be read is one that is not spoken.
        let said = only(&parts.headers, &PROTOCOL_VERSION).unwrap_or(Some("in that header"));
        Ok(Self(said.map(str::to_owned)))
    }
}

impl Input for Version {
    fn describe(draft: &mut Draft<'_>) {
        let about = "The version that `initialize` answered with.";
        draft.header(PROTOCOL_VERSION.as_str(), about, &json!({ "type": "string" }));
    }
}

/// The session that the header names.
struct Session(Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for Session {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        Ok(Self(only(&parts.headers, &SESSION_ID)?.map(str::to_owned)))
    }
}

impl Input for Session {
    fn describe(draft: &mut Draft<'_>) {
        let about =
            "The session that the answer to `initialize` named: `notifications/cancelled` reaches its calls.";
        draft.header(SESSION_ID.as_str(), about, &json!({ "type": "string" }));
    }
}

/// The bytes of a body that says it is JSON.
struct Message(Vec<u8>);

impl<S: Send + Sync> FromRequest<S> for Message {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        let is_json = says_json(request.headers());
        let body = whole(request).await?;
        if is_json { Ok(Self(body)) } else { Err(not_json()) }
    }
}

impl Input for Message {
    fn describe(draft: &mut Draft<'_>) {
        draft.json_body::<rpc::Messages>(true);
    }
}

/// What a request comes to.
enum Reply {
    Answer(StatusCode, Value),
    /// To `initialize`, with a name for the session.
    Welcome(Uuid, Value),
    /// Nothing that was sent wants an answer.
    Silence,
}

impl Reply {
    fn of((answer, status): (Value, StatusCode)) -> Self {
        Self::Answer(status, answer)
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        match self {
            Self::Answer(status, answer) => (status, axum::Json(answer)).into_response(),
            Self::Welcome(session, answer) => {
                ([(SESSION_ID, session.to_string())], axum::Json(answer)).into_response()
            }
            Self::Silence => StatusCode::ACCEPTED.into_response(),
        }
    }
}

impl Output for Reply {
    fn describe(draft: &mut Draft<'_>) {
        draft.answers_bare::<rpc::Answers>(200);
        draft.answers_nothing(202);
        draft.answers_bare::<rpc::Answers>(400);
    }
}
