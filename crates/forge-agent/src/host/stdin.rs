//! The program's standard input: writes in order, each taken once, queued without bound on time but with one on size.

use std::collections::VecDeque;
use std::io;

use tokio::net::unix::pipe;

use super::wire::Refusal;
use crate::log::MAX_FRAME;

/// How much may wait for a program that does not read.
const MAX_QUEUED: usize = 2 * MAX_FRAME;

/// Writes wait here until the program reads them, so that nothing else ever waits for it.
pub(crate) struct Stdin {
    /// `None` once closed, or if the program has none.
    pipe: Option<pipe::Sender>,
    queue: VecDeque<Vec<u8>>,
    /// How much of the first of the queue is written.
    written: usize,
    queued: usize,
    closing: bool,
    next_ordinal: u64,
}

/// What to do with a write.
pub(crate) enum Verdict {
    /// It is the next one.
    Take,
    /// It was taken before.
    Known,
    Refuse(Refusal),
}

impl Stdin {
    pub(crate) fn new(pipe: Option<pipe::Sender>) -> Self {
        Self { pipe, queue: VecDeque::new(), written: 0, queued: 0, closing: false, next_ordinal: 0 }
    }

    pub(crate) fn next_ordinal(&self) -> u64 {
        self.next_ordinal
    }

    /// Judges a write of `len` bytes with this ordinal.
    pub(crate) fn judge(&self, ordinal: u64, len: usize) -> Verdict {
        if ordinal < self.next_ordinal {
            Verdict::Known
        } else if ordinal > self.next_ordinal {
            Verdict::Refuse(Refusal::OutOfOrder { expected: self.next_ordinal })
        } else if self.pipe.is_none() || self.closing {
            Verdict::Refuse(Refusal::StdinClosed)
        } else if self.queued + len > MAX_QUEUED {
            Verdict::Refuse(Refusal::StdinFull)
        } else {
            Verdict::Take
        }
    }

    /// Takes the next write.
    pub(crate) fn push(&mut self, bytes: Vec<u8>) {
        self.next_ordinal += 1;
        self.queued += bytes.len();
        self.queue.push_back(bytes);
    }

    /// Takes the end of input: it follows what is queued.
    pub(crate) fn close(&mut self) {
        self.next_ordinal += 1;
        self.closing = true;
        self.close_if_done();
    }

    /// Whether all that was written is read, and more could be.
    pub(crate) fn is_idle(&self) -> bool {
        self.pipe.is_some() && !self.closing && self.queue.is_empty()
    }

    /// Counts from the beginning again.
    pub(crate) fn restart(&mut self) {
        self.next_ordinal = 0;
    }

    /// Whether there is something to write as soon as the pipe has room.
    pub(crate) fn waiting(&self) -> bool {
        self.pipe.is_some() && !self.queue.is_empty()
    }

    pub(crate) async fn writable(&self) -> io::Result<()> {
        match &self.pipe {
            Some(pipe) => pipe.writable().await,
            None => std::future::pending().await,
        }
    }

    /// Writes as much as the pipe takes. An error means that the program has closed its end; the bytes it did not
    /// read are given up, and their number returned.
    pub(crate) fn flush(&mut self) -> Result<(), usize> {
        while let (Some(pipe), Some(first)) = (&self.pipe, self.queue.front()) {
            match pipe.try_write(first.get(self.written..).unwrap_or_default()) {
                Ok(count) => {
                    self.written += count;
                    self.queued -= count;
                    if self.written == first.len() {
                        self.queue.pop_front();
                        self.written = 0;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(self.abandon()),
            }
        }
        self.close_if_done();
        Ok(())
    }

    fn close_if_done(&mut self) {
        if self.closing && self.queue.is_empty() {
            self.pipe = None;
        }
    }

    fn abandon(&mut self) -> usize {
        self.pipe = None;
        self.queue.clear();
        std::mem::take(&mut self.queued)
    }
}
