//! What a fold does not understand is kept word for word; and the few things that all folds do with entries.

use serde_json::Value;
use serde_json::value::RawValue;

use super::book::Book;
use super::entry::{Entry, EntryType, Metadata, ToolResult, ToolResultKind, ToolStatus};
use super::text::{MOST_OUTPUT, MOST_TEXT, cut, fits, without_colours};

/// What is no message at all.
pub(super) fn plain(line: &[u8], book: &mut Book) {
    let text = without_colours(line);
    let text = text.trim_end();
    if serde_json::from_slice::<&RawValue>(line).is_ok() {
        unknown(line, book);
    } else if !text.is_empty() {
        book.add(Entry::new(EntryType::SystemMessage, cut(text, MOST_TEXT)));
    }
}

/// A message of a kind that is not known.
pub(super) fn unknown(line: &[u8], book: &mut Book) {
    let text = String::from_utf8_lossy(line);
    let content = format!("Unrecognized JSON message: {}", cut(&text, MOST_OUTPUT));
    book.add(raw(Entry::new(EntryType::SystemMessage, content), &text));
}

/// The entry with the message itself beside it, if it is not too long.
pub(super) fn raw(entry: Entry, message: &str) -> Entry {
    let kept = Some(message).filter(|message| fits(message.len(), MOST_OUTPUT) && is_readable(message));
    match kept.and_then(|message| RawValue::from_string(message.to_owned()).ok()) {
        Some(message) => entry.with(Metadata::Raw(message)),
        None => entry,
    }
}

/// Whether every reader has room for its numbers: `1e999` is JSON, and none of a machine's numbers.
pub(super) fn is_readable(json: &str) -> bool {
    serde_json::from_str::<Value>(json).is_ok()
}

/// Says how far a tool is; false when that cannot be said any more.
pub(super) fn set(tool: u64, status: ToolStatus, book: &mut Book) -> bool {
    book.change(tool, |entry| {
        if let Some(tool) = entry.tool() {
            tool.status = status;
        }
    })
}

/// What a tool gave back: data where it is some, else text.
pub(super) fn tool_result(text: &str) -> ToolResult {
    let data = text.starts_with(['{', '[']) && fits(text.len(), MOST_OUTPUT);
    match data.then(|| serde_json::from_str(text).ok()).flatten() {
        Some(value) => ToolResult { kind: ToolResultKind::Json, value },
        None => ToolResult { kind: ToolResultKind::Markdown, value: cut(text, MOST_OUTPUT).into() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_out_of_range_is_not_kept() {
        let mut book = Book::default();
        plain(br#"{"tokens": 1e999}"#, &mut book);
        let told = book.take();
        assert!(told[0].entry.content.contains("1e999"));
        assert!(told[0].entry.metadata.is_none());
    }
}
