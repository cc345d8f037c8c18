//! What a process printed and prints, as text, from any position on: what the streams of output share.

use forge_engine::Output;

use super::entries::{Entries, Entry};
use super::problem::Problem;

const PAGE_BYTES: usize = 64 * 1024;

pub(super) struct Printed {
    output: Output,
    entries: Entries,
    /// What the client has.
    after: u64,
    /// How far the log was read; none before the first page.
    read: Option<u64>,
    ended: bool,
}

impl Printed {
    /// What comes after a position.
    pub(super) fn new(output: Output, after: u64) -> Self {
        Self { output, entries: Entries::default(), after, read: None, ended: false }
    }

    /// The next entries that the client does not have; waits while there are none. None when there will never be any.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<Entry>>, Problem> {
        loop {
            if self.ended {
                return Ok(None);
            }
            let read = self.resume()?;
            let mut entries: Vec<Entry> = match self.output.next(read, PAGE_BYTES).await? {
                Some(chunks) => {
                    self.read = chunks.last().map(|chunk| chunk.seq).or(self.read);
                    chunks.into_iter().map(|chunk| self.entries.push(chunk)).collect()
                }
                None => {
                    self.ended = true;
                    self.entries.finish()
                }
            };
            entries.retain(|entry| entry.position > self.after);
            if !entries.is_empty() {
                return Ok(Some(entries));
            }
        }
    }

    /// How far the log was read. A reader that comes back begins where it was.
    fn resume(&mut self) -> Result<u64, Problem> {
        if let Some(read) = self.read {
            return Ok(read);
        }
        let resumed = self.output.resume(self.after)?;
        self.entries = Entries::after(&resumed.before);
        self.read = Some(resumed.seq);
        Ok(resumed.seq)
    }
}
