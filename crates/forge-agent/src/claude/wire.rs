//! The messages themselves: what is read of those that come, and the text of those that go.

use std::borrow::Cow;

use forge_model::{Timestamp, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::asked::Asked;
use crate::driver::{Offer, Offers, Outgoing, micros};
use crate::turn::{Attachment, Turn};

/// The id of the first request, by which its answer is known.
pub(super) const INITIALIZE: &str = "forge-initialize";
/// Those of what a program that was kept is told. They are answered before its prompt, so the next turn can have the same.
pub(super) const MODEL: &str = "forge-model";
pub(super) const MODE: &str = "forge-mode";

/// What the program said, as far as it matters here.
#[derive(Debug)]
pub(super) enum Incoming {
    /// It answered a request of ours, or refused it; the first answer says what there is to choose from.
    Answered { request: String, answer: Value, refusal: Option<String> },
    /// A turn of this conversation begins, with this model and in this mode.
    Begun { conversation: String, model: Option<String>, mode: Option<String> },
    /// A text of the agent itself, not of one that it called in.
    Said { text: String, model_error: Option<String>, mark: Option<String> },
    /// It wants to use a tool.
    Asked(Asked),
    /// It wants something that we never offered, and waits.
    AskedUnknown { request: String },
    /// It does not want what it asked for any more.
    Withdrawn { request: String },
    /// The account may use no more until then.
    Limited { resets_at: Option<Timestamp> },
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
    /// What the turn used up, without what it cost.
    pub(super) usage: Usage,
    pub(super) cost: Cost,
}

/// What a conversation cost, over all its turns.
#[derive(Debug, Default)]
pub(super) struct Cost {
    dollars: Option<f64>,
    /// The price of all tokens of the conversation, and of those of this turn, in that of a token that is read.
    all: f64,
    turn: f64,
}

impl Cost {
    /// What the turn cost. The program tells the sum over the conversation, also where it was resumed; a turn's share
    /// of it is that of its tokens.
    pub(super) fn of_turn(&self, resumes: bool) -> Option<u64> {
        let share = if resumes && self.all > 0.0 { (self.turn / self.all).clamp(0.0, 1.0) } else { 1.0 };
        micros(self.dollars? * share)
    }
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
    description: Option<String>,
    #[serde(default)]
    permission_suggestions: Option<Vec<Value>>,
}

impl Incoming {
    /// Reads a line; most are of no interest, and some are no JSON at all.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let parsed: Line<'_> = serde_json::from_slice(line).ok()?;
        let kind = &*parsed.kind;
        match kind {
            "assistant" => return said(&parsed),
            "control_request" => return Some(request(serde_json::from_slice(line).ok()?)),
            "control_cancel_request" | "control_response" | "rate_limit_event" | "result" | "system" => {}
            _ => return None,
        }
        let message: Value = serde_json::from_slice(line).ok()?;
        match kind {
            "control_cancel_request" => Some(Self::Withdrawn { request: text(&message, "/request_id")? }),
            "control_response" => {
                let answer = message.pointer("/response/response").cloned().unwrap_or_default();
                let refused = text(&message, "/response/subtype").is_some_and(|kind| kind == "error");
                let why =
                    || text(&message, "/response/error").unwrap_or_else(|| "It did not say why.".into());
                let (request, refusal) = (text(&message, "/response/request_id")?, refused.then(why));
                Some(Self::Answered { request, answer, refusal })
            }
            "rate_limit_event" => limited(&message),
            "result" => Some(Self::Result(result(&message))),
            _ if message.get("subtype")? == "init" => {
                let (model, mode) = (text(&message, "/model"), text(&message, "/permissionMode"));
                Some(Self::Begun { conversation: text(&message, "/session_id")?, model, mode })
            }
            _ => None,
        }
    }
}

fn request(message: ControlRequest) -> Incoming {
    let request = message.request_id;
    match message.request {
        Requested {
            subtype,
            tool_name: Some(tool),
            tool_use_id: call,
            input: Some(input),
            description,
            permission_suggestions,
        } if subtype == "can_use_tool" => {
            let suggestions = permission_suggestions.unwrap_or_default();
            Incoming::Asked(Asked { request, tool, call, input, description, suggestions })
        }
        Requested { .. } => Incoming::AskedUnknown { request },
    }
}

/// Most of these say that there is enough left.
fn limited(message: &Value) -> Option<Incoming> {
    let info = message.get("rate_limit_info")?;
    let seconds = info.get("resetsAt").and_then(Value::as_i64);
    let resets_at = seconds.map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1000)));
    (info.get("status")? == "rejected").then_some(Incoming::Limited { resets_at })
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
        cost: cost(message),
    }
}

/// What the turn used up. Writing the model's cache is reading on the first time.
fn usage(message: &Value) -> Usage {
    let count =
        |name: &str| message.pointer("/usage").and_then(|usage| usage.get(name)?.as_u64()).unwrap_or(0);
    Usage {
        input_tokens: count("input_tokens") + count("cache_creation_input_tokens"),
        cached_tokens: count("cache_read_input_tokens"),
        output_tokens: count("output_tokens"),
        cost_micros: None,
    }
}

/// The price of tokens in that of one that is read: the same for all models of the provider.
fn price(tokens: &Value, [read, wrote, cached, caching]: [&str; 4]) -> f64 {
    let count = |name: &str| tokens.get(name).and_then(Value::as_f64).unwrap_or(0.0);
    count(read) + 5.0 * count(wrote) + 0.1 * count(cached) + 1.25 * count(caching)
}

fn cost(message: &Value) -> Cost {
    let of_turn = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
    let of_model = ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];
    let models = message.get("modelUsage").and_then(Value::as_object);
    Cost {
        dollars: message.get("total_cost_usd").and_then(Value::as_f64),
        all: models.into_iter().flat_map(|models| models.values()).map(|model| price(model, of_model)).sum(),
        turn: message.get("usage").map_or(0.0, |usage| price(usage, of_turn)),
    }
}

/// What the program lets a person choose from, as it answers the first request.
pub(super) fn offers(answer: &Value) -> Option<Offers> {
    answer.get("commands")?;
    Some(Offers {
        commands: offered(answer, "commands", "name", "name"),
        modes: modes(),
        mode: text(answer, "/current_permission_mode"),
        models: offered(answer, "models", "value", "displayName"),
        model: None,
    })
}

fn offered(answer: &Value, list: &str, id: &str, name: &str) -> Vec<Offer> {
    let listed = answer.get(list).and_then(Value::as_array).into_iter().flatten();
    let offer = |listed: &Value| {
        let text = |at: &str| listed.get(at).and_then(Value::as_str).map(str::to_owned);
        let description = text("description").filter(|text| !text.is_empty());
        Some(Offer { id: text(id)?, name: text(name).or_else(|| text(id))?, description })
    };
    listed.filter_map(offer).collect()
}

/// The modes that it can work in. The one that asks nothing at all is not among them: it refuses it as root.
fn modes() -> Vec<Offer> {
    let mode = |id: &str, name: &str, does: &str| Offer {
        id: id.into(),
        name: name.into(),
        description: Some(does.into()),
    };
    vec![
        mode("default", "Ask", "Asks before it changes something."),
        mode("acceptEdits", "Accept edits", "Changes files without asking."),
        mode("plan", "Plan", "Plans, and changes nothing until the plan is allowed."),
    ]
}

fn text(message: &Value, pointer: &str) -> Option<String> {
    message.pointer(pointer)?.as_str().map(str::to_owned)
}

/// What was said to the program, as far as it matters here.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sent {
    Prompt,
    Interrupt,
    /// A request of ours, by its id.
    Request {
        request: String,
    },
    Answer {
        request: String,
    },
}

impl Sent {
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let message: Value = serde_json::from_slice(line).ok()?;
        match message.get("type")?.as_str()? {
            "user" => Some(Self::Prompt),
            "control_request" if text(&message, "/request/subtype")? == "interrupt" => Some(Self::Interrupt),
            "control_request" => Some(Self::Request { request: text(&message, "/request_id")? }),
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

/// The prompt, with the images that go with it. Other files are named in it, and read by the agent itself.
pub(super) fn prompt(turn: &Turn) -> Outgoing {
    let mut content = vec![json!({ "type": "text", "text": turn.prompt })];
    let image = |Attachment { mime, data, .. }: &Attachment| {
        let data = data.as_ref().filter(|_| mime.starts_with("image/"))?;
        let source = json!({ "type": "base64", "media_type": mime, "data": data });
        Some(json!({ "type": "image", "source": source }))
    };
    content.extend(turn.attachments.iter().filter_map(image));
    line(&json!({ "type": "user", "message": { "role": "user", "content": content } }))
}

/// What a program that runs already is asked for under this id.
pub(super) fn asks(request: &str) -> &'static str {
    if request == MODEL { "set_model" } else { "set_permission_mode" }
}

/// Has a program that runs already use another model.
pub(super) fn set_model(model: &str) -> Outgoing {
    let request = json!({ "subtype": "set_model", "model": model });
    line(&json!({ "type": "control_request", "request_id": MODEL, "request": request }))
}

/// Has a program that runs already work in another mode.
pub(super) fn set_mode(mode: &str) -> Outgoing {
    let request = json!({ "subtype": "set_permission_mode", "mode": mode });
    line(&json!({ "type": "control_request", "request_id": MODE, "request": request }))
}

pub(super) fn interrupt() -> Outgoing {
    line(&json!({
        "type": "control_request", "request_id": "forge-interrupt", "request": { "subtype": "interrupt" },
    }))
}

/// Allows a tool. The input goes back as it came, digit by digit: parsing and printing could change a number.
pub(super) fn allow(request: &str, input: &RawValue, remembers: &[Value]) -> Outgoing {
    let remembers = match remembers {
        [] => String::new(),
        some => format!(r#","updatedPermissions":{}"#, Value::from(some)),
    };
    answer(request, &format!(r#"{{"behavior":"allow","updatedInput":{input}{remembers}}}"#))
}

pub(super) fn deny(request: &str, message: &str) -> Outgoing {
    answer(request, &json!({ "behavior": "deny", "message": message }).to_string())
}

fn answer(request: &str, response: &str) -> Outgoing {
    let request = json!(request);
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
