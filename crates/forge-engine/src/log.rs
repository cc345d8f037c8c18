//! A process's log, also of one that is about to be started and has none yet.

use std::path::{Path, PathBuf};

use forge_agent::log::{LogError, LogReader, Page};

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
        let log = match self.log.take() {
            Some(log) => log,
            None => match LogReader::open(&self.dir) {
                Ok(log) => log,
                Err(LogError::Missing { .. }) => return Ok(Page { frames: vec![], next: seq }),
                Err(error) => return Err(error.into()),
            },
        };
        Ok(self.log.insert(log).read_after(seq, max_bytes)?)
    }
}
