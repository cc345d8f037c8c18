//! A process's output, read page by page from its log file.

use forge_agent::log::{Frame, Stream, Tally};
use forge_model::{ProcessId, Timestamp};
use tokio::sync::watch;

use crate::engine::Engine;
use crate::error::Result;
use crate::log::Reader;

/// Where a chunk was printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Bytes that were printed in one go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Its place in the process's log, from which a reader resumes.
    pub seq: u64,
    /// When it was read from the program.
    pub at: Timestamp,
    /// Where it was printed.
    pub stream: OutputStream,
    /// The bytes as they came.
    pub bytes: Vec<u8>,
}

/// Reads a process's output; keeps nothing in memory but a page.
pub struct Output {
    reader: Reader,
    /// Moves while the process runs; none when it has ended.
    live: Option<watch::Receiver<u64>>,
}

impl Engine {
    /// What a process printed, and onwards while it runs.
    ///
    /// # Errors
    /// When the process or its log is not there.
    pub async fn output(&self, id: ProcessId) -> Result<Output> {
        // In this order: a process that ends in between has a log that is read to its end.
        let live = self.inner.live.follow(id);
        self.get_process_here(id).await?;
        Ok(Output { reader: Reader::new(&self.inner.folder.process(id)), live })
    }

    /// What a process has printed up to now, and whether that is all: then it has ended.
    ///
    /// # Errors
    /// When the process or its log is not there.
    pub async fn output_so_far(&self, id: ProcessId) -> Result<(Output, bool)> {
        // In this order: what a process printed before its end is in its log.
        let has_ended = self.get_process_here(id).await?.end().is_some();
        Ok((Output { reader: Reader::new(&self.inner.folder.process(id)), live: None }, has_ended))
    }
}

/// Where a reader goes on that has the first part of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resumed {
    /// The place to read after.
    pub seq: u64,
    /// What came up to there.
    pub before: Tally,
}

impl Output {
    /// Finds a place, or the end of what there is if that comes first, without reading what is before it.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn resume(&mut self, after: u64) -> Result<Resumed> {
        let (seq, before) = self.reader.tally(after)?;
        Ok(Resumed { seq, before })
    }

    /// The next chunks after a place, about `max_bytes` of them. Waits while there are none and the process runs;
    /// none when it has ended and everything was read.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub async fn next(&mut self, mut after: u64, max_bytes: usize) -> Result<Option<Vec<Chunk>>> {
        loop {
            // Marked as seen before the log is read: what is appended behind the reader's back wakes it again.
            if let Some(live) = &mut self.live {
                live.borrow_and_update();
            }
            let page = self.reader.read_after(after, max_bytes)?;
            let read_on = page.next > after;
            after = page.next;
            let chunks: Vec<Chunk> = page.frames.into_iter().filter_map(chunk).collect();
            if !chunks.is_empty() {
                return Ok(Some(chunks));
            }
            if read_on {
                continue;
            }
            let Some(live) = &mut self.live else { return Ok(None) };
            if live.changed().await.is_err() {
                self.live = None;
            }
        }
    }
}

fn chunk(frame: Frame) -> Option<Chunk> {
    let stream = match frame.stream {
        Stream::Stdout => OutputStream::Stdout,
        Stream::Stderr => OutputStream::Stderr,
        Stream::Stdin | Stream::StdinClosed | Stream::Note => return None,
    };
    let at = Timestamp::from_millis(frame.at_ms.cast_signed());
    Some(Chunk { seq: frame.seq, at, stream, bytes: frame.bytes })
}
