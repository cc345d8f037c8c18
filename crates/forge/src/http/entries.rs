//! Output chunks as log entries: one entry per chunk, counted from 0. Bytes become text only here, and a character
//! that was cut between two chunks of a stream is put together again.

use forge_engine::{Chunk, OutputStream, Tail, Tally};
use serde::Serialize;

/// What has been seen of a process's output.
#[derive(Default)]
pub(super) struct Entries {
    count: u64,
    position: u64,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// One entry.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Entry {
    #[serde(skip)]
    pub(super) index: u64,
    /// Where in the log it stands.
    #[serde(skip)]
    pub(super) position: u64,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) content: String,
}

impl Entries {
    /// Goes on where so much was printed: a character that was cut there is finished by what follows.
    pub(super) fn after(before: &Tally) -> Self {
        Self {
            count: before.printed,
            position: before.last_printed,
            stdout: cut(&before.stdout),
            stderr: cut(&before.stderr),
        }
    }

    /// The entry of the next chunk. It is there even when it is empty for now, so that the count does not depend
    /// on where a reader began.
    pub(super) fn push(&mut self, chunk: Chunk) -> Entry {
        let (kind, cut) = match chunk.stream {
            OutputStream::Stdout => ("STDOUT", &mut self.stdout),
            OutputStream::Stderr => ("STDERR", &mut self.stderr),
        };
        let content = decode(cut, chunk.bytes);
        self.position = chunk.seq;
        self.entry(kind, content)
    }

    /// What was cut and never continued, once there is no more.
    pub(super) fn finish(&mut self) -> Vec<Entry> {
        let mut last = Vec::new();
        for (kind, cut) in
            [("STDOUT", std::mem::take(&mut self.stdout)), ("STDERR", std::mem::take(&mut self.stderr))]
        {
            if !cut.is_empty() {
                self.position += 1;
                last.push(self.entry(kind, String::from_utf8_lossy(&cut).into_owned()));
            }
        }
        last
    }

    fn entry(&mut self, kind: &'static str, content: String) -> Entry {
        let index = self.count;
        self.count += 1;
        Entry { index, position: self.position, kind, content }
    }
}

/// What is not whole at the end of a stream. Its last bytes tell: a character begins with a byte that is in no other.
fn cut(tail: &Tail) -> Vec<u8> {
    let mut cut = Vec::new();
    decode(&mut cut, tail.as_bytes().to_vec());
    cut
}

/// Text of `cut` and `bytes`; a character that is not whole at the end is kept in `cut`.
fn decode(cut: &mut Vec<u8>, bytes: Vec<u8>) -> String {
    let joined = if cut.is_empty() {
        bytes
    } else {
        cut.extend_from_slice(&bytes);
        std::mem::take(cut)
    };
    let joined = match String::from_utf8(joined) {
        Ok(text) => return text,
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(joined.len());
    let mut chunks = joined.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        text.push_str(chunk.valid());
        if chunk.invalid().is_empty() {
            continue;
        }
        let is_unfinished =
            std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
        if is_unfinished && chunks.peek().is_none() {
            *cut = chunk.invalid().to_vec();
        } else {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use forge_model::Timestamp;

    use super::*;

    fn chunk(seq: u64, stream: OutputStream, bytes: &[u8]) -> Chunk {
        Chunk { seq, at: Timestamp::from_millis(0), stream, bytes: bytes.to_vec() }
    }

    fn text(entries: &[Entry], kind: &str) -> String {
        entries.iter().filter(|entry| entry.kind == kind).map(|entry| entry.content.as_str()).collect()
    }

    #[test]
    fn any_cut_of_the_bytes_gives_the_same_text() {
        let bytes =
            "a€b\u{10FFFF}ü\n".bytes().chain([0xff, b'x', 0xe2, 0x82, b'y', 0xf0, 0x9f]).collect::<Vec<_>>();
        let whole = String::from_utf8_lossy(&bytes);
        for first in 0..=bytes.len() {
            for second in first..=bytes.len() {
                let mut entries = Entries::default();
                let parts = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                let mut all: Vec<_> = (1..)
                    .zip(parts)
                    .map(|(seq, part)| entries.push(chunk(seq, OutputStream::Stdout, part)))
                    .collect();
                all.extend(entries.finish());
                assert_eq!(text(&all, "STDOUT"), whole, "{first} {second}");
            }
        }
    }

    #[test]
    fn the_streams_do_not_mend_each_other() {
        let mut entries = Entries::default();
        let euro = "€".as_bytes();
        let mut all = vec![
            entries.push(chunk(1, OutputStream::Stdout, &euro[..1])),
            entries.push(chunk(3, OutputStream::Stderr, b"e")),
            entries.push(chunk(4, OutputStream::Stdout, &euro[1..])),
            entries.push(chunk(5, OutputStream::Stderr, &euro[..2])),
        ];
        all.extend(entries.finish());
        assert_eq!(text(&all, "STDOUT"), "€");
        assert_eq!(text(&all, "STDERR"), "e\u{FFFD}");
        let places: Vec<_> = all.iter().map(|entry| (entry.index, entry.position)).collect();
        assert_eq!(places, [(0, 1), (1, 3), (2, 4), (3, 5), (4, 6)]);
    }
}
