//! Texts that grow while the agent writes them: one entry each, which the whole message replaces at the end.

use super::message::{Line, StreamEvent};
use crate::transcript::book::Book;
use crate::transcript::entry::{Entry, EntryType};
use crate::transcript::text::{MOST_TEXT, fits};

/// How many texts grow at once, at most: a message has a few parts, and a few agents may be at work.
const MOST: usize = 64;

/// The texts that grow.
#[derive(Debug)]
pub(super) struct Streamed(Vec<Part>);

#[derive(Debug)]
struct Part {
    parent: Option<String>,
    /// Its place in the message.
    block: u64,
    thinking: bool,
    index: u64,
}

impl Streamed {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Takes a piece of a text.
    pub(super) fn push(&mut self, line: &Line<'_>, book: &mut Book) {
        let event = line.event.and_then(|event| serde_json::from_str::<StreamEvent<'_>>(event.get()).ok());
        let Some(event) = event else { return };
        let parent = line.parent_tool_use_id.get();
        let (text, thinking) = match (event.kind.or_empty(), event.delta.kind.or_empty()) {
            ("message_start", _) => return self.leave(parent, book),
            ("content_block_delta", "text_delta") => (event.delta.text.or_empty(), false),
            ("content_block_delta", "thinking_delta") => (event.delta.thinking.or_empty(), true),
            _ => return,
        };
        let grows = self.0.iter().find(|part| {
            part.parent.as_deref() == parent && part.block == event.index && part.thinking == thinking
        });
        if let Some(part) = grows {
            book.change(part.index, |entry| {
                if fits(entry.content.len() + text.len(), MOST_TEXT) {
                    entry.content.push_str(text);
                }
            });
        } else if !text.is_empty() {
            let kind = if thinking { EntryType::Thinking } else { EntryType::AssistantMessage };
            let index = book.open(Entry::new(kind, text));
            self.0.push(Part { parent: parent.map(str::to_owned), block: event.index, thinking, index });
            if self.0.len() > MOST {
                book.close(self.0.remove(0).index);
            }
        }
    }

    /// Puts the whole text in place of the one that grew; gives it back where none did.
    pub(super) fn finish(&mut self, entry: Entry, parent: Option<&str>, book: &mut Book) -> Option<Entry> {
        let thinking = matches!(entry.entry_type, EntryType::Thinking);
        let at = self.0.iter().position(|part| part.parent.as_deref() == parent && part.thinking == thinking);
        let Some(part) = at.map(|at| self.0.remove(at)) else { return Some(entry) };
        let mut whole = Some(entry);
        book.change(part.index, |growing| {
            if let Some(entry) = whole.take() {
                *growing = entry;
            }
        });
        book.close(part.index);
        whole
    }

    /// A message begins: what the one before it left unfinished stays as it is.
    fn leave(&mut self, parent: Option<&str>, book: &mut Book) {
        self.0.retain(|part| {
            let same = part.parent.as_deref() == parent;
            if same {
                book.close(part.index);
            }
            !same
        });
    }
}
