//! Codex' app-server, both directions, as entries: what the contract shows of its items, live while they go on.
//!
//! What is not known is an entry all the same, word for word.

mod items;
mod message;

use std::collections::BTreeMap;

use serde_json::Value;

use self::items::{Described, describe};
use self::message::{interim, is_silent, notice};
use super::book::Book;
use super::entry::{
    ActionType, Call, CommandResult, Entry, EntryType, ErrorType, Metadata, ToolStatus, ToolUse, Words,
};
use super::fold::{Fold, Questions};
use super::text::{MOST_OUTPUT, MOST_TEXT, cut, fits};
use super::verbatim::{plain, raw, set, unknown};
use crate::codex::name_of;
use crate::rpc::{Error, Message};
use crate::turn::{Turn, without_preface};

/// How many names of items and of questions about them are remembered.
const MOST_NAMES: usize = 8192;

/// The requests that are questions about tools.
const QUESTIONS: [&str; 4] = [
    "item/commandExecution/requestApproval",
    "item/fileChange/requestApproval",
    "item/permissions/requestApproval",
    "mcpServer/elicitation/request",
];

/// What has to be remembered of one process.
#[derive(Debug)]
pub(super) struct Codex {
    questions: Questions,
    /// The folder that the agent works in.
    root: String,
    /// What the prompt begins with that is not the person's.
    preface: Option<String>,
    /// The thread that this is the transcript of; other ones are of agents that it called in.
    thread: Option<String>,
    /// By which item an agent was called in, by its thread.
    callers: BTreeMap<String, String>,
    /// The entries of items, by the program's names for them: a change of several files has several.
    items: BTreeMap<String, Vec<u64>>,
    /// The entries that wait for an answer, by the question.
    asked: BTreeMap<String, Vec<u64>>,
    /// What was told as an error last: the end of the turn says it again.
    last_error: Option<String>,
}

impl Codex {
    pub(super) fn new(turn: &Turn, questions: Questions) -> Self {
        Self {
            questions,
            root: turn.cwd.clone(),
            preface: turn.preface.clone(),
            thread: turn.resume.clone().filter(|_| turn.warm),
            callers: BTreeMap::new(),
            items: BTreeMap::new(),
            asked: BTreeMap::new(),
            last_error: None,
        }
    }
}

impl Fold for Codex {
    fn received(&mut self, line: &[u8], at_ms: u64, book: &mut Book) {
        match Message::parse(line) {
            None => plain(line, book),
            Some(Message::Answer { outcome: Ok(result), .. }) => self.answered(&result, book),
            Some(Message::Answer { outcome: Err(Error { message, .. }), .. }) => {
                self.fail(&message, false, book);
            }
            Some(Message::Request { id, method, params }) if QUESTIONS.contains(&method.as_str()) => {
                self.asks(&name_of(&id), &method, &params, at_ms, book);
            }
            Some(Message::Request { .. }) => unknown(line, book),
            Some(Message::Notification { method, params }) => self.notified(&method, &params, line, book),
        }
    }

    fn sent(&mut self, line: &[u8], _at_ms: u64, book: &mut Book) {
        match Message::parse(line) {
            Some(Message::Request { method, params, .. })
                if matches!(method.as_str(), "turn/start" | "turn/steer") =>
            {
                let input = params.get("input").and_then(Value::as_array).into_iter().flatten();
                let texts = input.filter_map(|part| part.get("text")?.as_str());
                for text in texts {
                    let request = without_preface(text, self.preface.as_deref());
                    book.add(words(EntryType::UserMessage, request, None));
                }
            }
            Some(Message::Answer { id, outcome: Ok(result) }) => self.decided(&name_of(&id), &result, book),
            _ => {}
        }
    }
}

impl Codex {
    /// The thread is there, and what model it is with.
    fn answered(&mut self, result: &Value, book: &mut Book) {
        let (Some(thread), Some(model)) = (text(result, "/thread/id"), text(result, "/model")) else {
            return;
        };
        self.thread = Some(thread.to_owned());
        if let Some(root) = text(result, "/cwd") {
            self.root = root.to_owned();
        }
        let effort = text(result, "/reasoningEffort").map(|effort| format!("  reasoning effort: {effort}"));
        let banner = format!("model: {model}{}", effort.unwrap_or_default());
        book.add(Entry::new(EntryType::SystemMessage, cut(&banner, MOST_OUTPUT)));
    }

    fn notified(&mut self, method: &str, params: &Value, line: &[u8], book: &mut Book) {
        match method {
            "item/started" => self.item(params, false, book),
            "item/completed" => self.item(params, true, book),
            "item/agentMessage/delta" => self.grow(EntryType::AssistantMessage, params, book),
            "item/reasoning/summaryTextDelta" | "item/reasoning/textDelta" => {
                self.grow(EntryType::Thinking, params, book);
            }
            "item/reasoning/summaryPartAdded" => self.part(params, book),
            "item/commandExecution/outputDelta" => self.printed(params, book),
            "item/plan/delta" => self.planned(params, book),
            "item/fileChange/patchUpdated" => self.patched(params, book),
            "turn/plan/updated" => book.add(items::todos(params)),
            "error" => {
                let error = params.get("error").unwrap_or(&Value::Null);
                if params.get("willRetry") == Some(&Value::Bool(true)) {
                    book.add(Entry::error(ErrorType::Other, cut(&interim(error), MOST_OUTPUT)));
                } else {
                    self.failed(error, book);
                }
            }
            "turn/completed" => self.over(params, book),
            "serverRequest/resolved" => {
                let request = params.get("requestId").map(name_of).unwrap_or_default();
                for entry in self.asked.remove(&request).unwrap_or_default() {
                    set(entry, ToolStatus::Created, book);
                }
            }
            _ => match notice(method, params) {
                Some(said) => book.add(Entry::new(EntryType::SystemMessage, cut(&said, MOST_OUTPUT))),
                None if is_silent(method) => {}
                None => unknown(line, book),
            },
        }
    }

    /// An item that begins, or is as it stays.
    fn item(&mut self, params: &Value, is_whole: bool, book: &mut Book) {
        let item = params.get("item").unwrap_or(&Value::Null);
        let id = text(item, "/id").unwrap_or_default();
        let parent = self.parent(params);
        if let Some(threads) = item.get("receiverThreadIds").and_then(Value::as_array) {
            for thread in threads.iter().filter_map(Value::as_str) {
                self.callers.insert(thread.to_owned(), id.to_owned());
            }
            while self.callers.len() > MOST_NAMES {
                self.callers.pop_first();
            }
        }
        match describe(item, &self.root) {
            Described::Nothing => {}
            Described::Words(kind, said) => self.said(id, words(kind, &said, parent), is_whole, book),
            Described::Tools(tools) => {
                let call = |name: &str| call_of(item, id, name, parent.clone());
                let entries: Vec<Entry> = tools
                    .into_iter()
                    .map(|(tool, content)| {
                        let metadata = Metadata::Call(Box::new(call(&tool.tool_name)));
                        Entry::new(EntryType::ToolUse(Box::new(tool)), content).with(metadata)
                    })
                    .collect();
                self.show(id, entries, is_whole, book);
            }
            Described::Unknown => {
                let content = format!("Unrecognized item: {}", cut(&item.to_string(), MOST_OUTPUT));
                let entry = raw(Entry::new(EntryType::SystemMessage, content), &item.to_string());
                self.show(id, vec![entry], is_whole, book);
            }
        }
    }

    /// Puts the entries of an item in place of those that it had.
    fn show(&mut self, id: &str, entries: Vec<Entry>, is_whole: bool, book: &mut Book) {
        let mut known = self.items.remove(id).unwrap_or_default().into_iter();
        let mut shown = Vec::new();
        for entry in entries {
            let index = match known.next().filter(|index| book.get(*index).is_some()) {
                Some(index) => {
                    book.change(index, |before| replace(before, entry));
                    index
                }
                None => book.open(entry),
            };
            shown.push(index);
        }
        shown.extend(known);
        if is_whole {
            shown.into_iter().for_each(|index| book.close(index));
            return;
        }
        self.items.insert(id.to_owned(), shown);
        if self.items.len() > MOST_NAMES {
            self.items.retain(|_, entries| entries.iter().any(|index| book.get(*index).is_some()));
        }
    }

    fn said(&mut self, id: &str, mut entry: Entry, is_whole: bool, book: &mut Book) {
        if entry.content.is_empty() {
            // What grew is all there is of it; where nothing did, nothing is said yet, or nothing at all.
            let grown = self.items.get(id).and_then(|entries| book.get(*entries.first()?));
            match grown.filter(|_| is_whole) {
                Some(grown) => entry = grown.clone(),
                None => return,
            }
        }
        self.show(id, vec![entry], is_whole, book);
    }

    /// A piece of a text that grows.
    fn grow(&mut self, kind: EntryType, params: &Value, book: &mut Book) {
        let (id, piece) = named_piece(params);
        let parent = self.parent(params);
        let grown = self.items.get(id).and_then(|entries| entries.first()).is_some_and(|index| {
            book.change(*index, |entry| {
                if fits(entry.content.len() + piece.len(), MOST_TEXT) {
                    entry.content.push_str(piece);
                }
            })
        });
        if !grown && !piece.is_empty() && !self.items.contains_key(id) {
            self.show(id, vec![words(kind, piece, parent)], false, book);
        }
    }

    /// The next part of a thought begins.
    fn part(&self, params: &Value, book: &mut Book) {
        let (id, _) = named_piece(params);
        if let Some(index) = self.items.get(id).and_then(|entries| entries.first()) {
            book.change(*index, |entry| entry.content.push_str("\n\n"));
        }
    }

    /// A piece of what a command prints.
    fn printed(&self, params: &Value, book: &mut Book) {
        let (id, piece) = named_piece(params);
        let Some(index) = self.items.get(id).and_then(|entries| entries.first()) else { return };
        book.change(*index, |entry| {
            if let Some(ToolUse { action_type: ActionType::CommandRun { result, .. }, .. }) = entry.tool() {
                let result = result.get_or_insert(CommandResult { exit_status: None, output: None });
                let output = result.output.get_or_insert_default();
                if fits(output.len() + piece.len(), MOST_OUTPUT) {
                    output.push_str(piece);
                }
            }
        });
    }

    fn planned(&self, params: &Value, book: &mut Book) {
        let (id, piece) = named_piece(params);
        let Some(index) = self.items.get(id).and_then(|entries| entries.first()) else { return };
        book.change(*index, |entry| {
            if let Some(ToolUse { action_type: ActionType::PlanPresentation { plan }, .. }) = entry.tool()
                && fits(plan.len() + piece.len(), MOST_TEXT)
            {
                plan.push_str(piece);
                entry.content.push_str(piece);
            }
        });
    }

    /// What a change of files is to be was told anew.
    fn patched(&mut self, params: &Value, book: &mut Book) {
        let item = serde_json::json!({
            "type": "fileChange", "id": params.get("itemId"), "changes": params.get("changes"), "status": "inProgress",
        });
        let changed = serde_json::json!({ "item": item, "threadId": params.get("threadId") });
        self.item(&changed, false, book);
    }

    fn asks(&mut self, request: &str, method: &str, params: &Value, at_ms: u64, book: &mut Book) {
        let item = text(params, "/itemId").unwrap_or_default();
        let mut entries = self.items.get(item).cloned().unwrap_or_default();
        entries.retain(|index| book.get(*index).is_some());
        if entries.is_empty() {
            // What is asked about is no item: the question stands for itself.
            let entry = items::question(request, method, params);
            entries.push(book.open(entry));
        }
        if self.questions.are_asked() {
            let pending = self.questions.pending(request, at_ms);
            entries.iter().for_each(|index| {
                set(*index, pending.clone(), book);
            });
        }
        self.asked.insert(request.to_owned(), entries);
        if self.asked.len() > MOST_NAMES {
            self.asked.pop_first();
        }
    }

    /// Somebody, or Forge itself, answered.
    fn decided(&mut self, request: &str, result: &Value, book: &mut Book) {
        let Some(entries) = self.asked.remove(request) else { return };
        let refused = match result.get("decision") {
            Some(Value::String(decision)) => matches!(decision.as_str(), "decline" | "cancel"),
            Some(decision) => {
                decision.pointer("/applyNetworkPolicyAmendment/network_policy_amendment/action")
                    == Some(&Value::String("deny".into()))
            }
            None => {
                let nothing = result.get("permissions").and_then(Value::as_object);
                nothing.is_some_and(serde_json::Map::is_empty)
                    || text(result, "/action").is_some_and(|action| action != "accept")
            }
        };
        let reason =
            text(result, "/reason").filter(|told| !told.is_empty()).map(|told| cut(told, MOST_OUTPUT));
        let is_item = result.get("decision").is_some();
        let status = match (refused, is_item) {
            (true, _) => ToolStatus::Denied { reason: reason.clone() },
            (false, true) => ToolStatus::Created,
            (false, false) => ToolStatus::Success,
        };
        let mut denied_tool = None;
        for index in entries {
            set(index, status.clone(), book);
            if let Some(Entry { entry_type: EntryType::ToolUse(tool), .. }) = book.get(index) {
                denied_tool.get_or_insert_with(|| tool.tool_name.clone());
            }
        }
        if let Some(denied_tool) = denied_tool.filter(|_| refused) {
            let content = reason.unwrap_or_else(|| "User denied this tool use request".into());
            book.add(Entry::new(EntryType::UserFeedback { denied_tool }, content));
        }
    }

    fn over(&mut self, params: &Value, book: &mut Book) {
        let ours = text(params, "/threadId").is_none_or(|thread| self.thread.as_deref() == Some(thread));
        let turn = params.get("turn").unwrap_or(&Value::Null);
        match text(turn, "/status").unwrap_or_default() {
            "interrupted" if ours => {
                book.add(Entry::new(EntryType::SystemMessage, "The turn was interrupted."));
            }
            "failed" => self.failed(turn.get("error").unwrap_or(&Value::Null), book),
            _ => {}
        }
    }

    fn failed(&mut self, error: &Value, book: &mut Book) {
        let info = error.get("codexErrorInfo").unwrap_or(&Value::Null);
        let status = info.as_object().and_then(|info| info.values().next()?.get("httpStatusCode")?.as_u64());
        let login = info == "unauthorized" || status == Some(401);
        let told = text(error, "/message").filter(|told| !told.is_empty());
        self.fail(told.unwrap_or("The turn failed."), login, book);
    }

    fn fail(&mut self, told: &str, login: bool, book: &mut Book) {
        if self.last_error.as_deref() == Some(told) {
            return;
        }
        self.last_error = Some(told.to_owned());
        let kind = if login { ErrorType::SetupRequired } else { ErrorType::Other };
        book.add(Entry::error(kind, cut(told, MOST_TEXT)));
    }

    /// The item by which the agent that speaks was called in; none for the agent itself.
    fn parent(&self, params: &Value) -> Option<String> {
        let thread = text(params, "/threadId").filter(|thread| self.thread.as_deref() != Some(thread))?;
        // A log that begins in the middle does not tell which thread is the agent's own.
        self.thread.as_ref()?;
        Some(self.callers.get(thread).cloned().unwrap_or_else(|| thread.to_owned()))
    }
}

/// The entry as it is now. A refusal stays: that the tool did not run after it is no news.
fn replace(before: &mut Entry, mut now: Entry) {
    let was = before.tool().map(|tool| tool.status.clone());
    if let (Some(was), Some(tool)) = (was, now.tool()) {
        match (&was, &tool.status) {
            (
                ToolStatus::Denied { .. },
                ToolStatus::Denied { .. } | ToolStatus::Failed | ToolStatus::Created,
            )
            | (ToolStatus::PendingApproval { .. }, ToolStatus::Created) => tool.status = was,
            _ => {}
        }
        keep_output(before.tool().as_deref(), tool);
    }
    *before = now;
}

/// What a command printed is not always told again at its end.
fn keep_output(before: Option<&ToolUse>, now: &mut ToolUse) {
    let Some(ToolUse { action_type: ActionType::CommandRun { result: Some(printed), .. }, .. }) = before
    else {
        return;
    };
    if let ActionType::CommandRun { result, .. } = &mut now.action_type {
        let result = result.get_or_insert(CommandResult { exit_status: None, output: None });
        if result.output.is_none() {
            result.output.clone_from(&printed.output);
        }
    }
}

fn call_of(item: &Value, id: &str, name: &str, parent: Option<String>) -> Call {
    let input = items::input(item);
    let size = input.get().len();
    let (id, name) = (id.to_owned(), name.to_owned());
    Call { id, name, input: Some(input).filter(|_| fits(size, MOST_OUTPUT)), size, parent, result: None }
}

fn words(entry_type: EntryType, text: &str, parent: Option<String>) -> Entry {
    let content = cut(text, MOST_TEXT);
    let kind = if matches!(entry_type, EntryType::Thinking) { "thinking" } else { "text" };
    let metadata = Metadata::Words(Words { kind, text: content.clone(), parent });
    Entry::new(entry_type, content).with(metadata)
}

/// The item that a piece belongs to, and the piece.
fn named_piece(params: &Value) -> (&str, &str) {
    (text(params, "/itemId").unwrap_or_default(), text(params, "/delta").unwrap_or_default())
}

fn text<'a>(message: &'a Value, pointer: &str) -> Option<&'a str> {
    message.pointer(pointer)?.as_str()
}
