//! Claude Code's stream-json as entries. A message that is not known is an entry all the same, word for word.

mod message;
pub(super) mod results;
mod streamed;
pub(super) mod tools;

use std::collections::BTreeMap;

use serde_json::Value;

use self::message::{Block, Line, RawLine};
use self::streamed::Streamed;
use super::book::Book;
use super::entry::{Call, Entry, EntryType, ErrorType, Metadata, ToolStatus, ToolUse, Words};
use super::fold::{Fold, Questions};
use super::text::{MOST_ASIDE, MOST_OUTPUT, MOST_TEXT, cut, fits};
use super::verbatim::{is_readable, plain, raw, set, unknown};
use crate::turn::{Turn, without_preface};

/// How many names of tools and of questions about them are remembered.
const MOST_NAMES: usize = 8192;
/// What a router for other models prints around the agent's own words.
const NOISE: [&str; 2] =
    ["Service not running, starting service", "claude code router service has been successfully stopped"];

/// What has to be remembered of one process.
#[derive(Debug)]
pub(super) struct Claude {
    questions: Questions,
    /// What stands before the person's request in the prompt.
    preface: Option<String>,
    /// The folder that the agent works in.
    root: Option<String>,
    model: Option<String>,
    /// The entries of tools, by the agent's names for them.
    tools: BTreeMap<String, u64>,
    /// The tools that wait for an answer, by the question.
    asked: BTreeMap<String, u64>,
    streamed: Streamed,
    /// What was told as an error last: the result says it again.
    last_error: Option<String>,
    interrupted: bool,
}

impl Claude {
    pub(super) fn new(turn: &Turn, questions: Questions) -> Self {
        Self {
            questions,
            preface: turn.preface.clone(),
            root: None,
            model: None,
            tools: BTreeMap::new(),
            asked: BTreeMap::new(),
            streamed: Streamed::new(),
            last_error: None,
            interrupted: false,
        }
    }
}

impl Fold for Claude {
    fn received(&mut self, line: &[u8], at_ms: u64, book: &mut Book) {
        let Ok(parsed) = serde_json::from_slice::<Line<'_>>(line) else { return noise_or_plain(line, book) };
        match parsed.kind.or_empty() {
            "assistant" => self.said(&parsed, line, book),
            "user" => self.heard(&parsed, line, book),
            "stream_event" => self.streamed.push(&parsed, book),
            "system" => self.system(&value(line), book),
            "result" => self.result(&value(line), book),
            "control_request" => self.asks(&value(line), at_ms, book),
            "control_cancel_request" => {
                self.settle(text(&value(line), "/request_id"), ToolStatus::Created, book);
            }
            "rate_limit_event" => limits(&value(line), line, book),
            // What the program and its driver have to say to each other.
            "control_response" | "keep_alive" | "tool_progress" => {}
            _ => unknown(line, book),
        }
    }

    fn sent(&mut self, line: &[u8], _at_ms: u64, book: &mut Book) {
        let Ok(parsed) = serde_json::from_slice::<Line<'_>>(line) else { return };
        match parsed.kind.or_empty() {
            "user" => {
                for block in &parsed.message.content {
                    if let Some(text) = block.text.get() {
                        let request = without_preface(text, self.preface.as_deref());
                        book.add(words(EntryType::UserMessage, "text", request, &parsed));
                    }
                }
            }
            "control_response" => self.answered(&value(line), book),
            _ => {}
        }
    }
}

impl Claude {
    fn said(&mut self, line: &Line<'_>, bytes: &[u8], book: &mut Book) {
        if let Some(model) = line.message.model.as_deref() {
            self.begin(model, book);
        }
        for (at, block) in line.message.content.iter().enumerate() {
            let entry = match block.kind.or_empty() {
                "text" if line.error.get().is_some() => {
                    self.fail(block.text.or_empty(), line.error.or_empty() == "authentication_failed", book);
                    continue;
                }
                "text" => words(EntryType::AssistantMessage, "text", block.text.or_empty(), line),
                "thinking" => words(EntryType::Thinking, "thinking", block.thinking.or_empty(), line),
                "tool_use" | "server_tool_use" => {
                    self.uses(block, line, book);
                    continue;
                }
                kind => {
                    unknown_part(kind, bytes, at, book);
                    continue;
                }
            };
            let entry = self.streamed.finish(entry, line.parent_tool_use_id.get(), book);
            if let Some(entry) = entry.filter(|entry| !entry.content.is_empty()) {
                book.add(entry);
            }
        }
    }

    /// What the program passes on to the agent: results, what a person said, what another agent is to do.
    fn heard(&mut self, line: &Line<'_>, bytes: &[u8], book: &mut Book) {
        for (at, block) in line.message.content.iter().enumerate() {
            match block.kind.or_empty() {
                "tool_result" => self.gave_back(block, line, bytes, at, book),
                "text" if block.text.or_empty().starts_with("[Request interrupted") => {
                    self.interrupted = true;
                    book.add(words(EntryType::SystemMessage, "text", block.text.or_empty(), line));
                }
                "text" => {
                    let text = block.text.or_empty();
                    match remark(text) {
                        Some(remark) => book.add(words(EntryType::SystemMessage, "text", remark, line)),
                        None => book.add(words(EntryType::UserMessage, "text", text, line)),
                    }
                }
                kind => unknown_part(kind, bytes, at, book),
            }
        }
    }

    fn uses(&mut self, block: &Block<'_>, line: &Line<'_>, book: &mut Book) {
        let (id, name) = (block.id.or_empty(), block.name.or_empty());
        let tools::Described { name: shown, action, content } =
            tools::describe(name, block.input, self.root.as_deref());
        let size = block.input.map_or(0, |input| input.get().len());
        let call = Call {
            id: id.to_owned(),
            name: name.to_owned(),
            input: block
                .input
                .filter(|input| fits(size, MOST_OUTPUT) && is_readable(input.get()))
                .map(ToOwned::to_owned),
            size,
            parent: line.parent_tool_use_id.get().map(str::to_owned),
            result: None,
        };
        let tool = ToolUse { tool_name: shown, action_type: action, status: ToolStatus::Created };
        let entry = Entry::new(EntryType::ToolUse(Box::new(tool)), content)
            .with(Metadata::Call(Box::new(call)))
            .at(line.timestamp.get());
        // The same call told again is the same call.
        if let Some(index) = self.tools.get(id) {
            let told = entry.clone();
            if book.change(*index, |entry| *entry = told) {
                return;
            }
        }
        let index = book.open(entry);
        self.tools.insert(id.to_owned(), index);
        if self.tools.len() > MOST_NAMES {
            self.tools.retain(|_, index| book.get(*index).is_some());
        }
    }

    fn gave_back(&mut self, block: &Block<'_>, line: &Line<'_>, bytes: &[u8], at: usize, book: &mut Book) {
        let result = results::Given {
            content: block.content,
            is_error: block.is_error.unwrap_or(false),
            details: line.tool_use_result,
        };
        let known = self.tools.remove(block.tool_use_id.or_empty());
        match known.filter(|index| book.change(*index, |entry| result.into_entry(entry))) {
            Some(index) => book.close(index),
            None => unknown_part("tool_result", bytes, at, book),
        }
    }

    /// The model, once; the program's own remarks have none.
    fn begin(&mut self, model: &str, book: &mut Book) {
        if self.model.as_deref() != Some(model) && !model.starts_with('<') {
            self.model = Some(model.to_owned());
            let text = format!("System initialized with model: {}", cut(model, MOST_ASIDE));
            book.add(Entry::new(EntryType::SystemMessage, text));
        }
    }

    fn system(&mut self, message: &Value, book: &mut Book) {
        match text(message, "/subtype").unwrap_or_default() {
            "init" => {
                self.root = text(message, "/cwd").map(str::to_owned);
                if let Some(model) = text(message, "/model") {
                    self.begin(model, book);
                }
                return;
            }
            // Progress of background tasks: the tool that started one has an entry, and so has its result.
            "status" | "task_started" | "task_progress" | "task_notification" => return,
            "permission_denied" => {
                let reason = text(message, "/message").map(|reason| cut(reason, MOST_OUTPUT));
                let tool = text(message, "/tool_use_id").and_then(|id| self.tools.get(id));
                if tool.is_some_and(|tool| set(*tool, ToolStatus::Denied { reason }, book)) {
                    return;
                }
            }
            _ => {}
        }
        let kind = text(message, "/subtype").unwrap_or("message");
        let told = ["/message", "/description", "/summary", "/error"].iter().find_map(|at| text(message, at));
        let content = match told {
            Some(told) => format!("System: {kind}: {}", cut(told, MOST_OUTPUT)),
            None => format!("System: {kind}"),
        };
        book.add(raw(Entry::new(EntryType::SystemMessage, content), &message.to_string()));
    }

    /// How the turn ended: what it came to was said already.
    fn result(&mut self, message: &Value, book: &mut Book) {
        if message.get("is_error").and_then(Value::as_bool) == Some(false) {
            return;
        }
        if text(message, "/terminal_reason").is_some_and(|reason| reason.starts_with("aborted")) {
            if !self.interrupted {
                book.add(Entry::new(EntryType::SystemMessage, "The turn was interrupted."));
            }
            return;
        }
        let errors = message.get("errors").and_then(Value::as_array).into_iter().flatten();
        let errors: Vec<&str> = errors.filter_map(Value::as_str).collect();
        let told = text(message, "/result").map_or_else(|| errors.join("\n"), str::to_owned);
        let told = if told.is_empty() { text(message, "/subtype").unwrap_or("failed") } else { &told };
        let login = message.get("api_error_status").and_then(Value::as_u64) == Some(401);
        self.fail(told, login, book);
    }

    fn fail(&mut self, told: &str, login: bool, book: &mut Book) {
        if self.last_error.as_deref() == Some(told) {
            return;
        }
        self.last_error = Some(told.to_owned());
        let kind = if login { ErrorType::SetupRequired } else { ErrorType::Other };
        book.add(Entry::error(kind, cut(told, MOST_TEXT)));
    }

    /// The agent asks whether it may use a tool.
    fn asks(&mut self, message: &Value, at_ms: u64, book: &mut Book) {
        let tool = text(message, "/request/tool_use_id").and_then(|id| self.tools.get(id)).copied();
        let (Some(tool), Some(request)) = (tool, text(message, "/request_id")) else { return };
        if self.questions.are_asked() {
            set(tool, self.questions.pending(request, at_ms), book);
        }
        self.asked.insert(request.to_owned(), tool);
        if self.asked.len() > MOST_NAMES {
            self.asked.pop_first();
        }
    }

    /// Somebody, or Forge itself, answered.
    fn answered(&mut self, message: &Value, book: &mut Book) {
        let request = text(message, "/response/request_id");
        if text(message, "/response/response/behavior") != Some("deny") {
            self.settle(request, ToolStatus::Created, book);
            return;
        }
        let told = text(message, "/response/response/message").filter(|told| !told.is_empty());
        let reason = told.map(|told| cut(told, MOST_OUTPUT));
        let denied = self.settle(request, ToolStatus::Denied { reason: reason.clone() }, book);
        if let Some(denied_tool) = denied {
            let content = reason.unwrap_or_else(|| "User denied this tool use request".into());
            book.add(Entry::new(EntryType::UserFeedback { denied_tool }, content));
        }
    }

    /// A question has its answer; gives back the name of the tool.
    fn settle(&mut self, request: Option<&str>, status: ToolStatus, book: &mut Book) -> Option<String> {
        let tool = self.asked.remove(request?)?;
        if status != ToolStatus::Created || self.questions.are_asked() {
            set(tool, status, book);
        }
        match &book.get(tool)?.entry_type {
            EntryType::ToolUse(tool) => Some(tool.tool_name.clone()),
            _ => None,
        }
    }
}

fn words(entry_type: EntryType, kind: &'static str, text: &str, line: &Line<'_>) -> Entry {
    let content = cut(text, MOST_TEXT);
    let parent = line.parent_tool_use_id.get().map(str::to_owned);
    let metadata = Metadata::Words(Words { kind, text: content.clone(), parent });
    Entry::new(entry_type, content).with(metadata).at(line.timestamp.get())
}

/// What the program itself says of something that it was told to do, such as to use another model.
fn remark(text: &str) -> Option<&str> {
    text.strip_prefix("<local-command-stdout>")?.strip_suffix("</local-command-stdout>")
}

/// What is left of what the account may use: said where it is not enough.
fn limits(message: &Value, line: &[u8], book: &mut Book) {
    let Some(status) = text(message, "/rate_limit_info/status") else { return unknown(line, book) };
    let what = text(message, "/rate_limit_info/rateLimitType").unwrap_or("usage");
    let said = match status {
        "allowed" => return,
        "rejected" => format!("The limit {what} is reached."),
        _ => format!("The limit {what} is nearly reached."),
    };
    book.add(raw(Entry::new(EntryType::SystemMessage, said), &message.to_string()));
}

/// What a router for other models prints around the agent's own words says nothing.
fn noise_or_plain(line: &[u8], book: &mut Book) {
    let text = String::from_utf8_lossy(line);
    if !NOISE.iter().any(|noise| text.contains(noise)) {
        plain(line, book);
    }
}

fn unknown_part(kind: &str, line: &[u8], at: usize, book: &mut Book) {
    let parts = serde_json::from_slice::<RawLine<'_>>(line).map(|line| line.message.content);
    let part = parts.ok().and_then(|parts| parts.get(at).map(|part| part.get())).unwrap_or("null");
    let content =
        format!("Unrecognized part of a message: {} {}", cut(kind, MOST_ASIDE), cut(part, MOST_OUTPUT));
    book.add(raw(Entry::new(EntryType::SystemMessage, content), part));
}

fn value(line: &[u8]) -> Value {
    serde_json::from_slice(line).unwrap_or_default()
}

fn text<'a>(message: &'a Value, pointer: &str) -> Option<&'a str> {
    message.pointer(pointer)?.as_str()
}
