//! The lines of a program that takes one prompt, as entries: what they say is data, the [rules].
//!
//! A line that no rule knows is kept word for word. Where there are no rules, what is printed is what the agent says.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::to_raw_value;

use super::book::Book;
use super::claude::{results, tools};
use super::entry::{
    ActionType, Call, CommandResult, Entry, EntryType, ErrorType, ExitStatus, Metadata, ToolStatus, ToolUse,
    Words,
};
use super::fold::Fold;
use super::text::{MOST_OUTPUT, MOST_TEXT, cut, without_colours};
use super::verbatim::unknown;
use crate::driver::Failure;
use crate::one_shot::rules_of;
use crate::rules::{self, Ended, Rule, Said};
use crate::turn::{Turn, without_preface};

/// How many names of tools are remembered.
const MOST_NAMES: usize = 8192;
/// An entry of plain words that is so long is followed by another: it is sent anew with every line.
const LONG_WORDS: usize = 8 * 1024;

/// What has to be remembered of one process.
#[derive(Debug)]
pub(super) struct OneShot {
    rules: Vec<Rule>,
    /// The folder that the agent works in.
    root: String,
    /// The prompt, until it is shown: no line holds it.
    prompt: Option<String>,
    growing: Option<Growing>,
    /// What was said last: some say it again as a whole.
    recent: String,
    /// The entries of tools, by the agent's names for them.
    tools: BTreeMap<String, u64>,
    last_error: Option<String>,
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Voice {
    Said,
    Thought,
    /// What the program prints beside its messages.
    Aside,
}

/// A text that comes in pieces.
#[derive(Debug)]
struct Growing {
    voice: Voice,
    id: Option<String>,
    index: u64,
}

impl OneShot {
    pub(super) fn new(turn: &Turn) -> Self {
        Self {
            rules: rules_of(&turn.manner),
            root: turn.cwd.clone(),
            prompt: Some(without_preface(&turn.prompt, turn.preface.as_deref()).to_owned())
                .filter(|prompt| !prompt.is_empty()),
            growing: None,
            recent: String::new(),
            tools: BTreeMap::new(),
            last_error: None,
        }
    }
}

impl Fold for OneShot {
    fn received(&mut self, line: &[u8], _at_ms: u64, book: &mut Book) {
        self.begin(book);
        if self.rules.is_empty() {
            return self.printed(Voice::Said, line, book);
        }
        let Ok(message @ Value::Object(_)) = serde_json::from_slice(line) else {
            return self.printed(Voice::Aside, line, book);
        };
        match rules::read(&self.rules, &message) {
            Some(said) => said.into_iter().for_each(|said| self.said(said, book)),
            None => {
                self.leave(book);
                unknown(line, book);
            }
        }
    }

    /// The prompt is shown as a whole.
    fn sent(&mut self, _line: &[u8], _at_ms: u64, book: &mut Book) {
        self.begin(book);
    }

    fn finish(&mut self, book: &mut Book) {
        self.begin(book);
        self.leave(book);
    }
}

impl OneShot {
    fn begin(&mut self, book: &mut Book) {
        if let Some(prompt) = self.prompt.take() {
            book.add(words(EntryType::UserMessage, &prompt));
        }
    }

    /// A line that is no message.
    fn printed(&mut self, voice: Voice, line: &[u8], book: &mut Book) {
        let text = without_colours(line);
        let growing = self.growing.as_ref().map(|growing| growing.index);
        let long =
            growing.and_then(|index| book.get(index)).is_some_and(|entry| entry.content.len() >= LONG_WORDS);
        if text.trim().is_empty() && (long || growing.is_none()) {
            return self.leave(book);
        }
        if long {
            self.leave(book);
        }
        self.text(Piece { voice, id: None, text: &format!("{text}\n"), grows: true }, book);
    }

    fn said(&mut self, said: Said, book: &mut Book) {
        match said {
            Said::Text { thought, id, text, grows } => {
                let voice = if thought { Voice::Thought } else { Voice::Said };
                return self.text(Piece { voice, id, text: &text, grows }, book);
            }
            Said::Error { text, status, .. } if self.is_growing(&text, book) => {
                return self.failed_saying(&text, status, book);
            }
            Said::Usage { .. } | Said::Conversation(_) => return,
            _ => self.leave(book),
        }
        match said {
            Said::Tool { id, name, input } => self.uses(id, &name, input.as_ref(), book),
            Said::Result { id, output, code, how } => self.gave_back(&id, &output, code, how, book),
            Said::Error { text, status, .. } => self.fail(&text, status, book),
            Said::End { failed: true, text: Some(text) } => self.fail(&text, None, book),
            Said::Remark(text) => book.add(Entry::new(EntryType::SystemMessage, cut(&text, MOST_OUTPUT))),
            Said::Interrupted => {
                book.add(Entry::new(EntryType::SystemMessage, "The turn was interrupted."));
            }
            Said::Text { .. } | Said::Usage { .. } | Said::Conversation(_) | Said::End { .. } => {}
        }
    }

    fn text(&mut self, piece: Piece<'_>, book: &mut Book) {
        let Piece { voice, id, text, grows } = piece;
        let kind = match voice {
            Voice::Said => EntryType::AssistantMessage,
            Voice::Thought => EntryType::Thinking,
            Voice::Aside => EntryType::SystemMessage,
        };
        let joins = self.growing.as_ref().is_some_and(|growing| growing.voice == voice && growing.id == id);
        if !joins {
            self.leave(book);
            // The whole of what was told in pieces, after something else.
            if !grows && self.recent == text {
                return;
            }
            self.growing = Some(Growing { voice, id, index: book.open(words(kind, text)) });
        } else if let Some(Growing { index, .. }) = self.growing {
            book.change(index, |entry| {
                if !grows {
                    *entry = words(kind, text);
                } else if entry.content.len() + text.len() <= MOST_TEXT {
                    entry.content.push_str(text);
                }
            });
        }
        if !grows {
            self.leave(book);
        }
    }

    /// Whether this was said just now, in pieces.
    fn is_growing(&self, text: &str, book: &Book) -> bool {
        let entry = self.growing.as_ref().and_then(|growing| book.get(growing.index));
        entry.is_some_and(|entry| entry.content == text)
    }

    /// What looked like an answer is an error.
    fn failed_saying(&mut self, told: &str, status: Option<u16>, book: &mut Book) {
        self.last_error = Some(told.to_owned());
        if let Some(Growing { index, .. }) = self.growing.take() {
            book.change(index, |entry| *entry = error(told, status));
            book.close(index);
        }
    }

    /// What grew is whole.
    fn leave(&mut self, book: &mut Book) {
        if let Some(Growing { index, .. }) = self.growing.take() {
            if let Some(entry) = book.get(index) {
                self.recent = entry.content.clone();
            }
            book.close(index);
        }
    }

    fn uses(&mut self, id: String, name: &str, input: Option<&Value>, book: &mut Book) {
        let input = input.and_then(|input| to_raw_value(input).ok());
        let tools::Described { name: shown, action, content } =
            tools::describe(name, input.as_deref(), Some(&self.root));
        let size = input.as_ref().map_or(0, |input| input.get().len());
        let input = input.filter(|_| size <= MOST_OUTPUT);
        let call = Call { id: id.clone(), name: name.to_owned(), input, size, parent: None, result: None };
        let tool = ToolUse { tool_name: shown, action_type: action, status: ToolStatus::Created };
        let entry =
            Entry::new(EntryType::ToolUse(Box::new(tool)), content).with(Metadata::Call(Box::new(call)));
        // The same call told again is the same call.
        if let Some(index) = self.tools.get(&id) {
            let told = entry.clone();
            if book.change(*index, |entry| *entry = told) {
                return;
            }
        }
        self.tools.insert(id, book.open(entry));
        if self.tools.len() > MOST_NAMES {
            self.tools.retain(|_, index| book.get(*index).is_some());
        }
    }

    fn gave_back(&mut self, id: &str, output: &str, code: Option<i64>, how: Ended, book: &mut Book) {
        let Some(index) = self.tools.remove(id) else {
            // Of a tool that nobody heard of.
            let content = format!("Result: {}", cut(output, MOST_OUTPUT));
            return book.add(Entry::new(EntryType::SystemMessage, content));
        };
        book.change(index, |entry| {
            if let (Ended::Denied, Some(tool)) = (how, entry.tool()) {
                tool.status = ToolStatus::Denied { reason: Some(cut(output, MOST_OUTPUT)) };
            }
            results::put(entry, output, how != Ended::Well);
            if let Some(ToolUse { action_type: ActionType::CommandRun { result, .. }, .. }) = entry.tool()
                && let Some(code) = code
            {
                let output = result.take().and_then(|result| result.output);
                *result = Some(CommandResult { exit_status: Some(ExitStatus::ExitCode { code }), output });
            }
        });
        book.close(index);
    }

    fn fail(&mut self, told: &str, status: Option<u16>, book: &mut Book) {
        if self.last_error.as_deref() == Some(told) {
            return;
        }
        self.last_error = Some(told.to_owned());
        book.add(error(told, status));
    }
}

fn error(told: &str, status: Option<u16>) -> Entry {
    let login = matches!(Failure::of_model(status, told), Failure::NotLoggedIn { .. });
    let kind = if login { ErrorType::SetupRequired } else { ErrorType::Other };
    Entry::error(kind, cut(told, MOST_TEXT))
}

/// A text, or a piece of one.
struct Piece<'a> {
    voice: Voice,
    id: Option<String>,
    text: &'a str,
    grows: bool,
}

fn words(entry_type: EntryType, text: &str) -> Entry {
    let content = cut(text, MOST_TEXT);
    let kind = if matches!(entry_type, EntryType::Thinking) { "thinking" } else { "text" };
    let metadata = Metadata::Words(Words { kind, text: content.clone(), parent: None });
    Entry::new(entry_type, content).with(metadata)
}
