//! A process's log, also of one that is about to be started and has none yet.

use std::path::{Path, PathBuf};

use forge_agent::log::{LogError, LogReader, Page, Tally};

use crate::error::Result;

/// Reads pages of a log. Small reads of a file that is mostly in memory: done where they are asked for.
pub(crate) struct Reader {
    dir: PathBuf,
    log: Option<LogReader>,
}

impl Reader {
    pub(crate) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), log: None }
    }

    /// The frames after `seq`; none while there is no log.
    pub(crate) fn read_after(&mut self, seq: u64, max_bytes: usize) -> Result<Page> {
        match self.open()? {
            Some(log) => Ok(log.read_after(seq, max_bytes)?),
            None => Ok(Page { frames: vec![], next: seq }),
        }
    }

    /// What was printed up to frame `seq`, or up to the last one there is; and which one that is.
    pub(crate) fn tally(&mut self, seq: u64) -> Result<(u64, Tally)> {
        match self.open()? {
            Some(log) => Ok(log.tally(seq)?),
            None => Ok((0, Tally::default())),
        }
    }

    fn open(&mut self) -> Result<Option<&mut LogReader>> {
        if self.log.is_none() {
            self.log = match LogReader::open(&self.dir) {
                Ok(log) => Some(log),
                Err(LogError::Missing { .. }) => None,
                Err(error) => return Err(error.into()),
            };
        }
        Ok(self.log.as_mut())
    }
}
