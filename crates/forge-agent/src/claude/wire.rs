//! The messages themselves: what is read of those that come, and the text of those that go.

use std::borrow::Cow;

use forge_model::Usage;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::driver::{Decision, Outgoing, micros};

/// The id of the first request, by which its answer is known.
pub(super) const INITIALIZE: &str = "forge-initialize";

/// What the program said, as far as it matters here.
#[derive(Debug)]
pub(super) enum Incoming {
    /// It answered a request of ours.
    Answered { request: String },
    /// A turn of this conversation begins.
    Begun { conversation: String },
    /// A text of the agent itself, not of one that it called in.
    Said { text: String, model_error: Option<String>, mark: Option<String> },
    /// It wants to use a tool.
    Asked { request: String, tool: String, call: Option<String>, input: Box<RawValue> },
    /// It wants something that we never offered, and waits.
    AskedUnknown { request: String },
    /// It does not want what it asked for any more.
    Withdrawn { request: String },
    /// The turn is over.
    Result(Result),
}

/// How the program says that a turn ended.
#[derive(Debug)]
pub(super) struct Result {
    pub(super) is_error: bool,
    pub(super) aborted: bool,
    pub(super) status: Option<u16>,
    pub(super) subtype: String,
    pub(super) text: Option<String>,
    pub(super) errors: Vec<String>,
    pub(super) usage: Usage,
}

/// A line, taken apart once. What is inside of a field is read only where it matters.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    parent_tool_use_id: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    uuid: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Said<'a> {
    #[serde(borrow)]
    content: Vec<Block<'a>>,
}

/// A part of what an agent says.
#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct ControlRequest {
    request_id: String,
    request: Requested,
}

#[derive(Deserialize)]
struct Requested {
    subtype: String,
    tool_name: Option<String>,
    tool_use_id: Option<String>,
    input: Option<Box<RawValue>>,
}

impl Incoming {
    /// Reads a line; most are of no interest, and some are no JSON at all.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let parsed: Line<'_> = serde_json::from_slice(line).ok()?;
        let kind = &*parsed.kind;
        match kind {
            "assistant" => return said(&parsed),
            "control_request" => return Some(request(serde_json::from_slice(line).ok()?)),
            "control_cancel_request" | "control_response" | "result" | "system" => {}
            _ => return None,
        }
        let message: Value = serde_json::from_slice(line).ok()?;
        match kind {
            "control_cancel_request" => Some(Self::Withdrawn { request: text(&message, "/request_id")? }),
            "control_response" => Some(Self::Answered { request: text(&message, "/response/request_id")? }),
            "result" => Some(Self::Result(result(&message))),
            _ if message.get("subtype")? == "init" => {
                Some(Self::Begun { conversation: text(&message, "/session_id")? })
            }
            _ => None,
        }
    }
}

fn request(message: ControlRequest) -> Incoming {
    let request = message.request_id;
    match message.request {
        Requested { subtype, tool_name: Some(tool), tool_use_id: call, input: Some(input) }
            if subtype == "can_use_tool" =>
        {
            Incoming::Asked { request, tool, call, input }
        }
        Requested { .. } => Incoming::AskedUnknown { request },
    }
}

fn said(line: &Line<'_>) -> Option<Incoming> {
    if line.parent_tool_use_id.is_some_and(|parent| parent.get() != "null") {
        return None;
    }
    let Said { content } = serde_json::from_str(line.message?.get()).ok()?;
    let texts = content.into_iter().filter(|block| block.kind.as_deref() == Some("text"));
    Some(Incoming::Said {
        text: texts.filter_map(|block| block.text).collect::<Vec<_>>().join("\n"),
        model_error: line.error.and_then(|error| serde_json::from_str(error.get()).ok()),
        mark: line.uuid.and_then(|uuid| serde_json::from_str(uuid.get()).ok()),
    })
}

fn result(message: &Value) -> Result {
    let errors = message.get("errors").and_then(Value::as_array).into_iter().flatten();
    let status = message.get("api_error_status").and_then(Value::as_u64);
    Result {
        // A result that does not say is not taken for a success.
        is_error: message.get("is_error").and_then(Value::as_bool).unwrap_or(true),
        aborted: text(message, "/terminal_reason").is_some_and(|reason| reason.starts_with("aborted")),
        status: status.and_then(|status| u16::try_from(status).ok()),
        subtype: text(message, "/subtype").unwrap_or_default(),
        text: text(message, "/result"),
        errors: errors.filter_map(Value::as_str).map(str::to_owned).collect(),
        usage: usage(message),
    }
}

/// What the turn used up. Writing the model's cache is reading on the first time.
fn usage(message: &Value) -> Usage {
    let count =
        |name: &str| message.pointer("/usage").and_then(|usage| usage.get(name)?.as_u64()).unwrap_or(0);
    let cost = message.get("total_cost_usd").and_then(Value::as_f64);
    Usage {
        input_tokens: count("input_tokens") + count("cache_creation_input_tokens"),
        cached_tokens: count("cache_read_input_tokens"),
        output_tokens: count("output_tokens"),
        cost_micros: cost.and_then(micros),
    }
}

fn text(message: &Value, pointer: &str) -> Option<String> {
    message.pointer(pointer)?.as_str().map(str::to_owned)
}

/// What was said to the program, as far as it matters here.
#[derive(Debug)]
pub(super) enum Sent {
    Prompt,
    Interrupt,
    Answer { request: String },
}

impl Sent {
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let message: Value = serde_json::from_slice(line).ok()?;
        match message.get("type")?.as_str()? {
            "user" => Some(Self::Prompt),
            "control_request" if text(&message, "/request/subtype")? == "interrupt" => Some(Self::Interrupt),
            "control_response" => Some(Self::Answer { request: text(&message, "/response/request_id")? }),
            _ => None,
        }
    }
}

pub(super) fn initialize() -> Outgoing {
    line(&json!({
        "type": "control_request", "request_id": INITIALIZE, "request": { "subtype": "initialize" },
    }))
}

pub(super) fn prompt(prompt: &str) -> Outgoing {
    line(&json!({
        "type": "user",
        "message": { "role": "user", "content": [{ "type": "text", "text": prompt }] },
    }))
}

pub(super) fn interrupt() -> Outgoing {
    line(&json!({
        "type": "control_request", "request_id": "forge-interrupt", "request": { "subtype": "interrupt" },
    }))
}

/// The input goes back as it came, digit by digit: parsing and printing could change a number.
pub(super) fn answer(request: &str, input: &RawValue, decision: &Decision) -> Outgoing {
    let request = json!(request);
    let response = match decision {
        Decision::Allow { .. } => format!(r#"{{"behavior":"allow","updatedInput":{input}}}"#),
        Decision::Deny { message, .. } => json!({ "behavior": "deny", "message": message }).to_string(),
    };
    let success = format!(r#"{{"subtype":"success","request_id":{request},"response":{response}}}"#);
    Outgoing::Write(format!("{{\"type\":\"control_response\",\"response\":{success}}}\n").into_bytes())
}

pub(super) fn refuse_request(request: &str) -> Outgoing {
    line(&json!({
        "type": "control_response",
        "response": { "subtype": "error", "request_id": request, "error": "this is not supported" },
    }))
}

fn line(message: &Value) -> Outgoing {
    Outgoing::Write(format!("{message}\n").into_bytes())
}
