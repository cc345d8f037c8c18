//! What is not understood is an entry all the same, word for word.

use serde_json::value::RawValue;

use super::book::Book;
use super::entry::{Entry, EntryType, Metadata};
use super::text::{MOST_OUTPUT, MOST_TEXT, cut, without_colours};

/// A line that is no message of the protocol.
pub(super) fn plain(line: &[u8], book: &mut Book) {
    let text = without_colours(line);
    let text = text.trim_end();
    if serde_json::from_slice::<&RawValue>(line).is_ok() {
        unknown(line, book);
    } else if !text.is_empty() {
        book.add(Entry::new(EntryType::SystemMessage, cut(text, MOST_TEXT)));
    }
}

/// A message that nobody here knows.
pub(super) fn unknown(line: &[u8], book: &mut Book) {
    let text = String::from_utf8_lossy(line);
    let content = format!("Unrecognized JSON message: {}", cut(&text, MOST_OUTPUT));
    let entry = Entry::new(EntryType::SystemMessage, content);
    let kept = Some(text).filter(|text| text.len() <= MOST_OUTPUT);
    book.add(match kept.and_then(|text| RawValue::from_string(text.into_owned()).ok()) {
        Some(message) => entry.with(Metadata::Raw(message)),
        None => entry,
    });
}
