//! A client of a process's transcript: keeps the entries as the server says.

use serde_json::Value;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::{Logs, field};

/// An open socket, and what came over it.
pub struct Transcript {
    logs: Logs,
    /// The entries as they are now.
    pub entries: Vec<Value>,
    position: u64,
    finished: bool,
}

impl Transcript {
    pub(super) const fn new(logs: Logs, entries: Vec<Value>, position: u64) -> Self {
        Self { logs, entries, position, finished: false }
    }

    /// Takes the next frame, and gives it as it came; none when the socket has closed. Panics when the frame does
    /// not fit: entries come in order, and only those are replaced that are there.
    pub async fn next(&mut self) -> Option<Utf8Bytes> {
        let text = self.logs.next_frame().await?;
        let frame: Value = serde_json::from_str(&text).expect("frames are JSON");
        if frame.get("finished").is_some() {
            self.finished = true;
            return Some(text);
        }
        self.position = field(&frame, "/position").as_u64().expect("frames tell their position");
        for operation in field(&frame, "/JsonPatch").as_array().expect("frames carry patches") {
            assert_eq!(field(operation, "/value/type"), "NORMALIZED_ENTRY");
            let path = field(operation, "/path").as_str().expect("a path");
            let at: usize = path.strip_prefix("/entries/").expect("an entry").parse().expect("a number");
            let entry = field(operation, "/value/content").clone();
            match field(operation, "/op").as_str().expect("an operation") {
                "add" => {
                    assert_eq!(at, self.entries.len(), "new entries come in order");
                    self.entries.push(entry);
                }
                "replace" => *self.entries.get_mut(at).expect("an entry that is there") = entry,
                other => panic!("{other}"),
            }
        }
        Some(text)
    }

    /// Everything up to the end.
    pub async fn rest(&mut self) -> &[Value] {
        while self.next().await.is_some() {}
        &self.entries
    }

    /// Goes on until there are so many entries.
    pub async fn until(&mut self, count: usize) {
        while self.entries.len() < count {
            assert!(self.next().await.is_some(), "the transcript ended with {} entries", self.entries.len());
        }
    }

    /// Where to resume.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Whether the server said that there is no more, and with which code it closed.
    #[must_use]
    pub fn end(&self) -> (bool, Option<u16>) {
        (self.finished, self.logs.close_code())
    }
}
