//! The Agent Client Protocol as entries.
//!
//! What is told before the prompt is history of the conversation: the turns before have it. What nobody needs to see
//! is named in [`is_silent`] and by the agent's manner; everything else that is not understood is shown as it came.

mod action;
mod output;
pub(super) mod patch;
mod tools;

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::book::Book;
use super::entry::{ActionType, Entry, EntryType, ErrorType, Metadata, Todo, ToolStatus, ToolUse, Words};
use super::fold::{Fold, Questions};
use super::text::{MOST_ASIDE, MOST_OUTPUT, MOST_TEXT, cut};
use super::verbatim::{plain, unknown};
use crate::acp::update::{Said, ToolCall, Update, retry, text};
use crate::acp::wire::{self, Names};
use crate::driver::{ChoiceKind, Failure};
use crate::manner::Quirks;
use crate::rpc::{Error, Message, NO_SUCH_METHOD};
use crate::turn::{Turn, without_preface};

/// How many tools are remembered with all that was told of them; those that are done are let go first.
const MOST_TOOLS: usize = 64;
/// Nobody looks at a longer list.
const MOST_TODOS: usize = 100;

/// What has to be remembered of one process.
#[derive(Debug)]
pub(super) struct Acp {
    questions: Questions,
    quirks: Quirks,
    root: String,
    prompt: String,
    /// What the prompt begins with that is not the person's.
    preface: Option<String>,
    /// Our requests, by their ids.
    requests: BTreeMap<String, Request>,
    /// What the agent knows no such way to set, as long as another may follow: what it is, and the words for it.
    refused: Option<(String, String)>,
    prompted: bool,
    cancelled: bool,
    /// The text that grows.
    says: Option<Growing>,
    tools: VecDeque<Tool>,
    plan: Option<u64>,
    names: Names,
    /// The agent's questions that wait for an answer, by their names.
    asked: BTreeMap<String, Asked>,
    model: Option<String>,
    /// The entry that names it, as long as nothing was asked.
    banner: Option<u64>,
    mode: Option<String>,
    /// Whether it has said or done anything in this turn.
    worked: bool,
    last_retry: Option<String>,
}

#[derive(Debug)]
struct Request {
    method: String,
    /// What it sets.
    sets: Option<String>,
    /// The model, where it sets that.
    model: Option<String>,
}

#[derive(Debug)]
struct Growing {
    index: u64,
    thought: bool,
    message: Option<String>,
    parent: Option<String>,
}

#[derive(Debug)]
struct Tool {
    index: u64,
    call: ToolCall,
    /// What a person has to say about it, where that counts for more than what the agent says.
    held: Option<ToolStatus>,
}

#[derive(Debug)]
struct Asked {
    tool: String,
    choices: Vec<(String, ChoiceKind)>,
}

impl Acp {
    pub(super) fn new(turn: &Turn, questions: Questions) -> Self {
        Self {
            questions,
            quirks: turn.manner.quirks.clone(),
            root: turn.cwd.clone(),
            prompt: turn.prompt.clone(),
            preface: turn.preface.clone(),
            requests: BTreeMap::new(),
            refused: None,
            prompted: false,
            cancelled: false,
            says: None,
            tools: VecDeque::new(),
            plan: None,
            names: Names::default(),
            asked: BTreeMap::new(),
            model: None,
            banner: None,
            mode: None,
            worked: false,
            last_retry: None,
        }
    }
}

impl Fold for Acp {
    fn received(&mut self, line: &[u8], at_ms: u64, book: &mut Book) {
        match Message::parse(line) {
            Some(Message::Notification { method, mut params }) if method == "session/update" => {
                match Update::parse(&mut params) {
                    Some(update) => self.updated(update, book),
                    None => {
                        self.spoken(book);
                        unknown(line, book);
                    }
                }
            }
            Some(Message::Request { id, method, mut params }) if method == "session/request_permission" => {
                self.asks(&id, &mut params, at_ms, line, book);
            }
            Some(Message::Answer { id, outcome }) => self.answered(&id, outcome, line, book),
            Some(Message::Notification { method, params }) => match retry(&method, &params) {
                Some(reason) => self.retries(&reason, book),
                None if self.is_silent(&method) => {}
                None => unknown(line, book),
            },
            Some(Message::Request { method, .. }) if self.is_silent(&method) => {}
            Some(Message::Request { .. }) => unknown(line, book),
            None => plain(line, book),
        }
    }

    fn sent(&mut self, line: &[u8], _at_ms: u64, book: &mut Book) {
        match Message::parse(line) {
            Some(Message::Request { id, method, params }) => {
                let sets = wire::set_by(&method, &params);
                if let Some((_, told)) = self.refused.take_if(|(refused, _)| sets.as_ref() != Some(refused)) {
                    book.add(Entry::error(ErrorType::Other, told));
                }
                self.refused = None;
                if method == "session/prompt" {
                    self.prompts(&params, book);
                }
                let model = wire::model_to_set(&method, &params);
                self.requests.insert(wire::name_of(&id), Request { method, sets, model });
            }
            Some(Message::Notification { method, .. }) if method == "session/cancel" => self.cancelled = true,
            Some(Message::Answer { id, outcome: Ok(answer) }) => {
                self.decided(&id, &answer, book);
            }
            _ => {}
        }
    }
}

/// Messages that an agent and its client have to say to each other and that tell a person nothing.
fn is_silent(method: &str) -> bool {
    // What files and terminals an agent asks for was not offered, and is refused.
    method.starts_with("fs/") || method.starts_with("terminal/") || method.starts_with("$/")
}

impl Acp {
    fn is_silent(&self, method: &str) -> bool {
        is_silent(method) || self.quirks.is_silent(method)
    }

    fn prompts(&mut self, params: &Value, book: &mut Book) {
        (self.prompted, self.cancelled, self.worked) = (true, false, false);
        self.spoken(book);
        if let Some(banner) = self.banner.take() {
            book.close(banner);
        }
        self.plan = None;
        let blocks = params.get("prompt").and_then(Value::as_array).into_iter().flatten();
        let texts = blocks.filter_map(|block| match block.get("type")?.as_str()? {
            "text" => {
                text(block, "/text").map(|text| without_preface(&text, self.preface.as_deref()).to_owned())
            }
            "resource_link" => Some(format!("[{}]({})", text(block, "/name")?, text(block, "/uri")?)),
            kind => Some(format!("[{}]", text(block, "/mimeType").unwrap_or_else(|| kind.to_owned()))),
        });
        let content = cut(&texts.collect::<Vec<_>>().join("\n"), MOST_TEXT);
        book.add(words(EntryType::UserMessage, content, None));
    }

    fn updated(&mut self, update: Update, book: &mut Book) {
        match update {
            Update::Usage(_) | Update::Info | Update::Commands(_) | Update::Options(_) => {}
            Update::Mode(mode) => {
                let known = self.mode.replace(mode.clone());
                if self.prompted && known.is_some_and(|known| known != mode) {
                    self.spoken(book);
                    let content = format!("Mode: {}", cut(&mode, MOST_ASIDE));
                    book.add(Entry::new(EntryType::SystemMessage, content));
                }
            }
            _ if !self.prompted => {}
            Update::Said(said) => self.says(said, book),
            Update::Heard(heard) => {
                // Our own prompt, told back.
                if !self.prompt.contains(heard.trim()) {
                    self.spoken(book);
                    book.add(words(EntryType::UserMessage, cut(&heard, MOST_TEXT), None));
                }
            }
            Update::Tool(call) => {
                self.spoken(book);
                self.worked = true;
                self.uses(*call, book);
            }
            Update::Plan(entries) => {
                self.spoken(book);
                self.plans(&entries, book);
            }
        }
    }

    fn says(&mut self, said: Said, book: &mut Book) {
        if said.text.is_empty() {
            return;
        }
        let grows = self.says.as_ref().filter(|growing| {
            growing.thought == said.thought
                && growing.parent == said.parent
                && (growing.message == said.message || said.message.is_none())
                // The rest goes on in another entry, also where texts are folded whole: numbers stay what they are.
                && book
                    .get(growing.index)
                    .is_some_and(|entry| entry.content.len() + said.text.len() <= MOST_TEXT)
        });
        let remark = self.quirks.is_aside(&said.text) && !said.thought;
        let is_error = self.quirks.is_error(&said.text) && !said.thought;
        if let Some(growing) = grows.filter(|_| !remark && !is_error) {
            book.change(growing.index, |entry| entry.content.push_str(&said.text));
            self.worked |= !said.text.trim().is_empty();
            return;
        }
        self.spoken(book);
        if remark {
            self.worked &= !self.quirks.is_retry(&said.text);
            return book.add(Entry::new(EntryType::SystemMessage, cut(said.text.trim(), MOST_TEXT)));
        }
        self.worked |= !said.thought && !said.text.trim().is_empty();
        let kind = if said.thought {
            EntryType::Thinking
        } else if is_error {
            EntryType::ErrorMessage { error_type: error_type(&Failure::of_model(None, said.text.as_str())) }
        } else {
            EntryType::AssistantMessage
        };
        let Said { text, thought, message, parent, .. } = said;
        let text = if thought { text } else { self.quirks.answer_in(&text).to_owned() };
        let entry = match &parent {
            Some(_) => words(kind, cut(&text, MOST_TEXT), parent.clone()),
            None => Entry::new(kind, cut(&text, MOST_TEXT)),
        };
        self.says = Some(Growing { index: book.open(entry), thought, message, parent });
    }

    /// A text has ended: something else was told.
    fn spoken(&mut self, book: &mut Book) {
        if let Some(growing) = self.says.take() {
            book.close(growing.index);
        }
    }

    fn retries(&mut self, reason: &str, book: &mut Book) {
        if self.last_retry.as_deref() != Some(reason) {
            self.spoken(book);
            self.last_retry = Some(reason.to_owned());
            let content = format!("The agent tries again: {}", cut(reason, MOST_OUTPUT));
            book.add(Entry::new(EntryType::SystemMessage, content));
        }
    }

    /// The plan is told anew each time; there is one entry for it in a turn.
    fn plans(&mut self, entries: &[Value], book: &mut Book) {
        let short = |entry: &Value, at: &str| text(entry, at).map(|text| cut(&text, MOST_ASIDE));
        let todo = |entry: &Value| Todo {
            content: short(entry, "/content").unwrap_or_default(),
            status: short(entry, "/status").unwrap_or_default(),
            priority: short(entry, "/priority"),
        };
        let todos = entries.iter().take(MOST_TODOS).map(todo).collect();
        let tool = ToolUse {
            tool_name: "plan".into(),
            action_type: ActionType::TodoManagement { todos, operation: "update" },
            status: ToolStatus::Success,
        };
        let entry = Entry::new(EntryType::ToolUse(Box::new(tool)), "Plan updated");
        let told = entry.clone();
        if !self.plan.is_some_and(|index| book.change(index, |entry| *entry = told)) {
            self.plan = Some(book.open(entry));
        }
    }
}

/// Answers to what the agent was asked.
impl Acp {
    fn answered(&mut self, id: &Value, outcome: Result<Value, Error>, line: &[u8], book: &mut Book) {
        let Some(Request { method, sets, model }) = self.requests.remove(&wire::name_of(id)) else {
            return unknown(line, book);
        };
        match (outcome, sets) {
            (Err(error), Some(sets)) if error.code == NO_SUCH_METHOD => {
                self.refused = Some((sets, cut(&format!("{method}: {}", wire::told(&error)), MOST_TEXT)));
            }
            (outcome, _) => self.told(&method, model, outcome, book),
        }
    }

    fn told(&mut self, method: &str, model: Option<String>, outcome: Result<Value, Error>, book: &mut Book) {
        match outcome {
            Err(error) if !(self.cancelled && method == "session/prompt") => {
                self.spoken(book);
                let told = match method {
                    "session/prompt" => wire::told(&error),
                    other => format!("{other}: {}", wire::told(&error)),
                };
                book.add(Entry::error(error_type(&wire::failure(&error)), cut(&told, MOST_TEXT)));
            }
            Ok(result) if method == "session/prompt" => self.ended(&result, book),
            Ok(result) => self.begins(&result, model, book),
            Err(_) => self.interrupted(book),
        }
    }

    /// The model and the mode, where an answer tells them. Not every agent tells the model that it was set to.
    fn begins(&mut self, told: &Value, set: Option<String>, book: &mut Book) {
        let options = told.get("configOptions").and_then(Value::as_array).into_iter().flatten();
        let mut option = options.filter(|option| option.get("id").is_some_and(|id| id == "model"));
        let model = option.find_map(|option| text(option, "/currentValue"));
        let model = model.or_else(|| text(told, "/models/currentModelId")).or(set);
        self.mode = text(told, "/modes/currentModeId").or_else(|| self.mode.take());
        if let Some(model) = model.filter(|model| self.model.as_ref() != Some(model)) {
            let content = format!("System initialized with model: {}", cut(&model, MOST_ASIDE));
            let told = content.clone();
            if !self.banner.is_some_and(|banner| book.change(banner, |entry| entry.content = told)) {
                self.banner = Some(book.open(Entry::new(EntryType::SystemMessage, content)));
            }
            self.model = Some(model);
        }
    }

    /// How the turn ended: what it came to was said already.
    fn ended(&mut self, result: &Value, book: &mut Book) {
        self.spoken(book);
        let told = match text(result, "/stopReason").as_deref() {
            _ if self.cancelled => return self.interrupted(book),
            Some("end_turn") if self.worked => return,
            // After a refusal, or because the agent wanted to.
            Some("cancelled") => return,
            Some("end_turn") => "The agent ended its turn without an answer.".to_owned(),
            Some("refusal") => "The model refused.".to_owned(),
            Some("max_tokens") => "The model reached the most that it may write in an answer.".to_owned(),
            Some("max_turn_requests") => {
                "The agent reached the most steps that it may take in a turn.".to_owned()
            }
            Some(other) => format!("The agent stopped: {}", cut(other, MOST_ASIDE)),
            None => "The agent ended its turn and did not say how.".to_owned(),
        };
        book.add(Entry::error(ErrorType::Other, told));
    }

    fn interrupted(&mut self, book: &mut Book) {
        self.spoken(book);
        book.add(Entry::new(EntryType::SystemMessage, "The turn was interrupted."));
    }
}

fn error_type(failure: &Failure) -> ErrorType {
    match failure {
        Failure::NotLoggedIn { .. } => ErrorType::SetupRequired,
        _ => ErrorType::Other,
    }
}

fn words(entry_type: EntryType, content: String, parent: Option<String>) -> Entry {
    let kind = if matches!(entry_type, EntryType::Thinking) { "thinking" } else { "text" };
    let metadata = Metadata::Words(Words { kind, text: content.clone(), parent });
    Entry::new(entry_type, content).with(metadata)
}

#[cfg(test)]
#[path = "acp/acp_tests.rs"]
mod tests;
