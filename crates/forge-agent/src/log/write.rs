//! The writing side of a log: one writer, and a full disk loses nothing.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use super::index::{IndexWriter, Place};
use super::{FILE_HEADER, FrameHeader, MAGIC, Stream, VERSION};

/// The room kept for the next frame; what a rare large frame took beyond it is given back.
const KEPT_ROOM: usize = 128 * 1024;

/// Appends frames to a log.
///
/// A frame that cannot be written stays in memory and is finished, from the very byte where writing failed, by
/// [`LogWriter::retry`]. The caller stops taking in bytes meanwhile, which bounds that memory.
pub(crate) struct LogWriter<W> {
    sink: W,
    index: IndexWriter,
    /// Behind the last frame, written or not.
    end: Place,
    head: u64,
    at_ms: u64,
    unwritten: Vec<u8>,
    written: usize,
}

impl<W: Write> LogWriter<W> {
    /// Begins a log in an empty file. Its index is made at the path given, once it is worth one.
    pub(crate) fn create(sink: W, index: Option<PathBuf>) -> io::Result<Self> {
        let mut unwritten = Vec::with_capacity(KEPT_ROOM);
        unwritten.extend_from_slice(&MAGIC);
        unwritten.extend_from_slice(&VERSION.to_le_bytes());
        unwritten.resize(FILE_HEADER, 0);
        let (index, end) = (IndexWriter::new(index), Place::first());
        let mut log = Self { sink, index, end, head: 0, at_ms: 0, unwritten, written: 0 };
        log.retry()?;
        Ok(log)
    }

    /// Appends a frame. After an error it is kept for [`LogWriter::retry`], in its place in the order.
    pub(crate) fn append(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        self.at_ms = self.at_ms.max(now_ms());
        let header = FrameHeader { seq: self.end.seq, at_ms: self.at_ms, len: bytes.len(), stream };
        header.encode(&mut self.unwritten);
        self.unwritten.extend_from_slice(bytes);
        self.end = self.end.after(header, bytes);
        self.retry()
    }

    /// Writes what could not be written before, if anything.
    pub(crate) fn retry(&mut self) -> io::Result<()> {
        while let Some(rest) = self.unwritten.get(self.written..).filter(|rest| !rest.is_empty()) {
            match self.sink.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.unwritten.clear();
        self.unwritten.shrink_to(KEPT_ROOM);
        self.written = 0;
        self.head = self.end.seq - 1;
        self.index.reached(&self.end);
        Ok(())
    }

    /// The last frame that is in the file as a whole.
    pub(crate) fn head(&self) -> u64 {
        self.head
    }

    pub(crate) fn sink(&self) -> &W {
        &self.sink
    }
}

/// Milliseconds since 1970; 0 on a machine whose clock stands before that.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
