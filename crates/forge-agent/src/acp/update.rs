//! What an agent tells while it works, taken apart for the driver and for the transcript alike.
//!
//! Agents say the same things in different places: names of tools, what commands print and how they end are looked for
//! where each of them is known to put it.

use serde_json::{Value, json};

use crate::driver::Offer;

/// How much of what a command prints piece by piece is kept: more than is shown.
const MOST_PRINTED: usize = 256 * 1024;

/// One `session/update`.
#[derive(Debug)]
pub(crate) enum Update {
    /// A piece of what the agent says, or thinks.
    Said(Said),
    /// A piece of what a person said, told back.
    Heard(String),
    /// A tool, as far as it is told.
    Tool(Box<ToolCall>),
    /// The agent's plan, all of it.
    Plan(Vec<Value>),
    /// The commands that can stand at the beginning of a prompt.
    Commands(Vec<Offer>),
    /// The mode that it works in from here on.
    Mode(String),
    /// The options of the conversation, all of them.
    Options(Value),
    /// How much of the model's memory is used, and what that cost.
    Usage(Value),
    /// What the conversation is called.
    Info,
}

/// A piece of what the agent says, or thinks.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) thought: bool,
    /// Pieces of the same message have the same name, where the agent names them.
    pub(crate) message: Option<String>,
    /// The tool by which the agent that says it was called in.
    pub(crate) parent: Option<String>,
    /// What the message used up.
    pub(crate) usage: Option<Value>,
}

/// A tool that the agent uses, as far as it is told.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolCall {
    pub(crate) id: String,
    /// The agent's name for the tool itself.
    pub(crate) name: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) kind: Option<String>,
    pub(crate) status: Option<Status>,
    pub(crate) input: Option<Value>,
    pub(crate) diffs: Vec<Diff>,
    /// What it shows.
    pub(crate) text: Option<String>,
    pub(crate) paths: Vec<String>,
    pub(crate) output: Option<Value>,
    /// What a command printed, piece by piece.
    pub(crate) printed: String,
    pub(crate) exit_code: Option<i64>,
    pub(crate) parent: Option<String>,
}

/// How far a tool is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Open,
    Completed,
    Failed,
}

/// A file, or a part of one, before and after.
#[derive(Debug, Clone)]
pub(crate) struct Diff {
    pub(crate) path: String,
    pub(crate) before: Option<String>,
    pub(crate) after: String,
}

impl Update {
    /// Takes the parameters of a `session/update` apart; none where they are not understood.
    pub(crate) fn parse(params: &mut Value) -> Option<Self> {
        let update = params.get_mut("update")?;
        let said = |update: &Value, thought| {
            Some(Self::Said(Said {
                text: block(update.get("content")?)?,
                thought,
                message: text(update, "/messageId").or_else(|| text(update, "/_meta/goose/messageId")),
                parent: text(update, "/_meta/claudeCode/parentToolUseId"),
                usage: update.pointer("/_meta/usage").cloned(),
            }))
        };
        match update.get("sessionUpdate")?.as_str()? {
            "agent_message_chunk" => said(update, false),
            "agent_thought_chunk" => said(update, true),
            "user_message_chunk" => Some(Self::Heard(block(update.get("content")?)?)),
            "tool_call" | "tool_call_update" => Some(Self::Tool(Box::new(ToolCall::parse(update)?))),
            "plan" => match update.get_mut("entries")?.take() {
                Value::Array(entries) => Some(Self::Plan(entries)),
                _ => None,
            },
            "available_commands_update" => {
                let commands = update.get("availableCommands")?.as_array()?;
                Some(Self::Commands(commands.iter().filter_map(|command| offer(command, "name")).collect()))
            }
            "current_mode_update" => Some(Self::Mode(text(update, "/currentModeId")?)),
            "config_option_update" => Some(Self::Options(update.get_mut("configOptions")?.take())),
            "usage_update" => Some(Self::Usage(update.take())),
            "session_info_update" => Some(Self::Info),
            _ => None,
        }
    }
}

impl ToolCall {
    /// Takes a tool apart, as updates and questions about it tell it.
    pub(crate) fn parse(told: &mut Value) -> Option<Self> {
        let id = text(told, "/toolCallId")?;
        let title = text(told, "/title").filter(|title| !title.is_empty());
        let mut call = Self {
            name: name(told, &id, title.as_deref()),
            title,
            kind: text(told, "/kind"),
            status: text(told, "/status").map(|status| Status::of(&status)),
            input: told.get_mut("rawInput").map(Value::take).filter(|input| !is_nothing(input)),
            paths: paths(told),
            output: told.get_mut("rawOutput").map(Value::take).filter(|output| !output.is_null()),
            printed: printed(told),
            parent: text(told, "/_meta/claudeCode/parentToolUseId"),
            exit_code: told.pointer("/_meta/terminal_exit/exit_code").and_then(Value::as_i64),
            diffs: Vec::new(),
            text: None,
            id,
        };
        if let Some(content) = told.get("content").and_then(Value::as_array) {
            call.diffs = content.iter().filter_map(Diff::of).collect();
            let shown: Vec<_> = content.iter().filter_map(|part| block(part.get("content")?)).collect();
            // Where there is only a diff, nothing is said about what is shown besides.
            call.text = Some(shown.join("\n")).filter(|_| content.is_empty() || !shown.is_empty());
        }
        if call.status == Some(Status::Completed) && call.output.as_ref().is_some_and(failed) {
            call.status = Some(Status::Failed);
        }
        Some(call)
    }

    /// Adds what was told later. What is not told again stays as it was.
    pub(crate) fn merge(&mut self, newer: Self) {
        fn put<T>(old: &mut Option<T>, new: Option<T>) {
            if new.is_some() {
                *old = new;
            }
        }
        put(&mut self.title, newer.title);
        // Some say `other` where they only ask about what they have told the kind of.
        let known = self.kind.is_some();
        put(&mut self.kind, newer.kind.filter(|kind| kind != "other" || !known));
        put(&mut self.status, newer.status);
        put(&mut self.input, newer.input);
        put(&mut self.text, newer.text);
        put(&mut self.output, newer.output);
        put(&mut self.exit_code, newer.exit_code);
        put(&mut self.parent, newer.parent);
        self.name = self.name.take().or(newer.name);
        if !newer.diffs.is_empty() {
            self.diffs = newer.diffs;
        }
        if !newer.paths.is_empty() {
            self.paths = newer.paths;
        }
        if self.printed.len() < MOST_PRINTED {
            self.printed.push_str(&newer.printed);
        }
    }

    /// Lets go of everything but who it is and how far.
    pub(crate) fn forget(&mut self) {
        *self = Self { id: std::mem::take(&mut self.id), status: self.status, ..Self::default() };
    }

    /// What a person is asked about: what the tool is given, else what is shown of it.
    pub(crate) fn asked_for(&self) -> Value {
        if let Some(input) = &self.input {
            return input.clone();
        }
        let mut shown = serde_json::Map::new();
        if let Some(text) = self.text.as_ref().filter(|text| !text.is_empty()) {
            shown.insert("text".into(), json!(text));
        }
        if !self.paths.is_empty() {
            shown.insert("paths".into(), json!(self.paths));
        }
        if !self.diffs.is_empty() {
            let diff =
                |diff: &Diff| json!({ "path": diff.path, "oldText": diff.before, "newText": diff.after });
            shown.insert("diffs".into(), self.diffs.iter().map(diff).collect());
        }
        Value::Object(shown)
    }

    /// Whether nothing is told but a name and a title: a question about something told before.
    pub(crate) fn is_bare(&self) -> bool {
        self.input.is_none() && self.diffs.is_empty() && self.text.is_none() && self.paths.is_empty()
    }

    pub(crate) fn is_open(&self) -> bool {
        self.status.is_none_or(|status| status == Status::Open)
    }
}

impl Status {
    fn of(told: &str) -> Self {
        match told {
            "completed" => Self::Completed,
            "failed" | "cancelled" | "canceled" | "rejected" => Self::Failed,
            _ => Self::Open,
        }
    }
}

impl Diff {
    fn of(part: &Value) -> Option<Self> {
        let is_diff = part.get("type")? == "diff";
        Some(Self {
            path: text(part, "/path").filter(|_| is_diff)?,
            before: text(part, "/oldText"),
            after: text(part, "/newText").unwrap_or_default(),
        })
    }
}

/// Why the agent tries again, where an agent tells it in a message of its own.
pub(crate) fn retry(method: &str, params: &Value) -> Option<String> {
    if text(params, "/update/sessionUpdate").as_deref() == Some("retry_state") {
        let tries = text(params, "/update/type").as_deref() == Some("retrying");
        return text(params, "/update/reason").filter(|_| tries);
    }
    text(params, "/detail").filter(|_| method.ends_with("/retrying"))
}

/// The text of a block of content; what is no text is named.
fn block(content: &Value) -> Option<String> {
    let named = |at: &str| text(content, at);
    Some(match content.get("type")?.as_str()? {
        "text" => named("/text")?,
        "resource_link" => {
            let uri = named("/uri")?;
            format!("[{}]({uri})", named("/name").unwrap_or_else(|| uri.clone()))
        }
        "resource" => named("/resource/text").or_else(|| named("/resource/uri"))?,
        kind @ ("image" | "audio") => format!("[{kind}]"),
        _ => return None,
    })
}

/// The agent's name for a tool, wherever it is: beside the call, in its id (`read_file__call_1`, `read_file-17`), or at
/// the beginning of its title (`run_commands: make`).
fn name(told: &Value, id: &str, title: Option<&str>) -> Option<String> {
    let beside = [
        "/name",
        "/_meta/claudeCode/toolName",
        "/_meta/goose/toolCall/toolName",
        "/_meta/x.ai~1tool/name",
        "/_meta/toolName",
        "/_meta/tool_name",
        "/rawOutput/tool_name",
    ];
    let is_name = |text: &&str| {
        text.starts_with(|first: char| first.is_ascii_alphabetic())
            && text.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
    };
    let in_id = || {
        let (name, rest) = id.split_once("__").or_else(|| id.rsplit_once('-'))?;
        let counts = rest.starts_with("call") || rest.chars().all(|char| char.is_ascii_digit());
        Some(name).filter(|_| counts).filter(is_name)
    };
    let in_title = || title?.split(": ").next().filter(is_name);
    let found = beside.iter().find_map(|at| text(told, at));
    found.or_else(|| in_id().or_else(in_title).map(str::to_owned))
}

fn paths(told: &Value) -> Vec<String> {
    let locations = told.get("locations").and_then(Value::as_array).into_iter().flatten();
    locations.filter_map(|location| text(location, "/path")).collect()
}

/// What a command has printed since the last update.
fn printed(told: &Value) -> String {
    let whole = ["/_meta/terminal_output/data", "/_meta/terminal_output_delta/data"];
    if let Some(data) = whole.iter().find_map(|at| text(told, at)) {
        return data;
    }
    let chunks = told.pointer("/_meta/toolNotification/params/chunks").and_then(Value::as_array);
    chunks.into_iter().flatten().filter_map(|chunk| text(chunk, "/output")).collect()
}

/// Whether an output says that the tool did not do what it was there for: for some, it is complete all the same.
fn failed(output: &Value) -> bool {
    let says = |at: &str, what: bool| output.pointer(at).and_then(Value::as_bool) == Some(what);
    says("/success", false)
        || says("/0/success", false)
        || says("/isError", true)
        || says("/observation/is_error", true)
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty)
}

/// Something to choose, whose id is under this name.
pub(crate) fn offer(told: &Value, id: &str) -> Option<Offer> {
    let id = told.get(id)?.as_str()?.to_owned();
    let name = text(told, "/name").unwrap_or_else(|| id.clone());
    Some(Offer { id, name, description: text(told, "/description").filter(|text| !text.is_empty()) })
}

pub(crate) fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().map(str::to_owned)
}
