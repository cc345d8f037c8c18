//! Folds the log of a process into a transcript: entries that people and programs read without knowing the agent.
//!
//! Pure, as drivers are: the frames of the log, both directions, go in; entries come out, numbered from 0, some of
//! them several times because they grew or were answered. The same bytes give the same entries however they were
//! cut into frames. Only entries that may still change are kept, and of those a bounded number.

mod acp;
mod book;
mod claude;
mod codex;
mod diff;
mod entry;
mod fold;
mod one_shot;
pub mod pages;
mod request;
mod text;
mod verbatim;

pub use book::Change;
pub use entry::{
    ActionType, Call, CommandResult, Entry, EntryType, ErrorType, ExitStatus, FileChange, Metadata, Todo,
    ToolResult, ToolResultKind, ToolStatus, ToolUse, Words, is_cut,
};
pub use request::ToolRequest;

use forge_model::{ProcessId, Reason};

use self::acp::Acp;
use self::book::Book;
use self::claude::Claude;
use self::codex::Codex;
use self::fold::{Fold, Questions};
use self::one_shot::OneShot;
use self::text::{MOST_TEXT, cut, without_colours};
use self::verbatim::raw;
use crate::driver::Lines;
use crate::log::{Frame, Stream};
use crate::manner::Protocol;
use crate::turn::Turn;

/// A longer line is told of, and no more: the raw log has it.
const LONGEST_LINE: usize = 16 << 20;
/// Diagnostics that come closer together than this are one entry.
const PAUSE_MS: u64 = 2000;
/// An entry of diagnostics that is longer is followed by another: it is sent again with every line.
const LONG_DIAGNOSTICS: usize = 8 * 1024;
/// The metadata of an entry of diagnostics.
const STDERR: &str = r#"{"type":"stderr"}"#;

/// The transcript of one process, while it is being read.
#[derive(Debug)]
pub struct Transcript {
    fold: Box<dyn Fold>,
    book: Book,
    stdout: Lines,
    stderr: Lines,
    stdin: Lines,
    diagnostics: Option<Diagnostics>,
    /// Whether nothing is left out.
    whole: bool,
}

/// The entry that the next line of standard error may join.
#[derive(Debug)]
struct Diagnostics {
    index: u64,
    at_ms: u64,
}

impl Transcript {
    /// The transcript of a turn, at its beginning. Where everything is allowed, no tool is shown as waiting for a
    /// person: nobody is asked.
    #[must_use]
    pub fn new(turn: &Turn, process: ProcessId) -> Self {
        let questions = Questions::new(process, turn);
        let fold: Box<dyn Fold> = match turn.manner.protocol {
            Protocol::Claude => Box::new(Claude::new(turn, questions)),
            Protocol::Codex => Box::new(Codex::new(turn, questions)),
            Protocol::Acp => Box::new(Acp::new(turn, questions)),
            Protocol::Lines => Box::new(OneShot::new(turn)),
        };
        let lines = || Lines::new(LONGEST_LINE);
        let (stdout, stderr, stdin) = (lines(), lines(), lines());
        Self { fold, book: Book::default(), stdout, stderr, stdin, diagnostics: None, whole: false }
    }

    /// The same, with texts of any length: for somebody who wants to have one entry whole.
    #[must_use]
    pub fn whole(turn: &Turn, process: ProcessId) -> Self {
        Self { whole: true, ..Self::new(turn, process) }
    }

    /// Takes the next frame of the log.
    pub fn push(&mut self, frame: &Frame) {
        text::begin(self.whole);
        let fold = &mut self.fold;
        let (book, bytes, at_ms) = (&mut self.book, &frame.bytes, frame.at_ms);
        match frame.stream {
            Stream::Stdout => self.stdout.push(bytes, |line| match line {
                Some(line) => fold.received(line, at_ms, book),
                None => too_long(book),
            }),
            Stream::Stdin => self.stdin.push(bytes, |line| match line {
                Some(line) => fold.sent(line, at_ms, book),
                None => too_long(book),
            }),
            Stream::Stderr => self.stderr.push(bytes, |line| match line {
                Some(line) => diagnose(&mut self.diagnostics, line, "\n", at_ms, book),
                None => too_long(book),
            }),
            Stream::Note => {
                let text = String::from_utf8_lossy(bytes);
                book.add(Entry::new(EntryType::SystemMessage, cut(&text, MOST_TEXT)));
            }
            Stream::StdinClosed => {}
        }
    }

    /// The process has ended and every frame was taken: what it left open is closed. Why its turn failed is told last,
    /// where the agent did not tell so itself.
    pub fn finish(&mut self, failed: Option<&Reason>) {
        text::begin(self.whole);
        let fold = &mut self.fold;
        let book = &mut self.book;
        let at_ms = self.diagnostics.as_ref().map_or(0, |open| open.at_ms);
        self.stdout.finish(|line| match line {
            Some(line) => fold.received(line, at_ms, book),
            None => too_long(book),
        });
        self.stderr.finish(|line| match line {
            Some(line) => diagnose(&mut self.diagnostics, line, "", at_ms, book),
            None => too_long(book),
        });
        fold.finish(book);
        for index in book.opened() {
            if matches!(book.get(index), Some(Entry { entry_type: EntryType::ToolUse(_), .. })) {
                book.change(index, |entry| {
                    if let Some(tool) = entry.tool()
                        && matches!(tool.status, ToolStatus::Created | ToolStatus::PendingApproval { .. })
                    {
                        tool.status = ToolStatus::Failed;
                    }
                });
            }
            book.close(index);
        }
        // Who interrupted the turn knows why it ended.
        if let Some(reason) = failed.filter(|reason| **reason != Reason::Interrupted)
            && !book.ends_with_error()
        {
            let told = format!("The turn failed: {reason}\nWhat to do: {}", reason.hint());
            book.add(Entry::error(error_type(reason), cut(&told, MOST_TEXT)));
        }
    }

    /// What is new or different since this was last asked: each entry once, new ones in the order of their numbers.
    pub fn take(&mut self) -> Vec<Change> {
        self.book.take()
    }
}

/// Who can do something about it.
const fn error_type(reason: &Reason) -> ErrorType {
    match reason {
        Reason::NotInstalled { .. } | Reason::WrongVersion { .. } | Reason::NotLoggedIn { .. } => {
            ErrorType::SetupRequired
        }
        _ => ErrorType::Other,
    }
}

fn too_long(book: &mut Book) {
    let text = "A line of more than 16 MiB was left out here; it is in the raw log.";
    book.add(Entry::new(EntryType::SystemMessage, text));
}

/// Adds a line of standard error. It is no error of the turn: agents print warnings and progress there, and why a turn
/// failed is an entry of its own.
fn diagnose(open: &mut Option<Diagnostics>, line: &[u8], end: &str, at_ms: u64, book: &mut Book) {
    let text = cut(&without_colours(line), MOST_TEXT) + end;
    let joined = open.as_mut().is_some_and(|diagnostics| {
        let near = at_ms.saturating_sub(diagnostics.at_ms) < PAUSE_MS;
        diagnostics.at_ms = at_ms;
        near && book.change(diagnostics.index, |entry| entry.content.push_str(&text))
    });
    if !joined {
        // What is only an empty line says nothing by itself.
        if text.trim().is_empty() {
            return;
        }
        if let Some(before) = open.take() {
            book.close(before.index);
        }
        let index = book.open_beside(raw(Entry::new(EntryType::SystemMessage, text), STDERR));
        *open = Some(Diagnostics { index, at_ms });
    }
    if let Some(diagnostics) = open
        && book.get(diagnostics.index).is_none_or(|entry| entry.content.len() >= LONG_DIAGNOSTICS)
    {
        book.close(diagnostics.index);
        *open = None;
    }
}

#[cfg(test)]
#[path = "transcript/transcript_tests.rs"]
mod tests;
