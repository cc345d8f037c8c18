//! How a process ended, and the file that says so after its host is gone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

const RESULT_FILE: &str = "result";
const DRAFT_FILE: &str = "result.draft";

/// Room claimed for the result when the process starts, so that a disk that fills up later cannot refuse it.
const ROOM: usize = 512;

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    pub outcome: Outcome,
    /// Someone asked for the stop; the outcome alone does not tell.
    pub stopped: bool,
    /// When the program was gone, in milliseconds since 1970.
    pub ended_at: u64,
    /// The last frame of the log.
    pub last_seq: u64,
    /// False if the log could not be written and the process was stopped before it could again.
    pub log_complete: bool,
}

/// What the operating system says about the program's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    Exited { code: i32 },
    Signaled { signal: i32 },
}

impl End {
    /// Claims the room for the result in `dir`.
    pub(crate) fn reserve(dir: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut draft =
            options.write(true).create(true).truncate(true).mode(0o600).open(dir.join(DRAFT_FILE))?;
        draft.write_all(&[b' '; ROOM])
    }

    /// Gives the room back, for a process that never started.
    pub(crate) fn unreserve(dir: &Path) -> io::Result<()> {
        fs::remove_file(dir.join(DRAFT_FILE))
    }

    /// Records the result in `dir`: as a whole or not at all.
    pub(crate) fn record(&self, dir: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec(self)?;
        text.resize(text.len().max(ROOM), b' ');
        let mut draft = OpenOptions::new().write(true).open(dir.join(DRAFT_FILE))?;
        draft.write_all(&text)?;
        draft.sync_data()?;
        fs::rename(dir.join(DRAFT_FILE), dir.join(RESULT_FILE))
    }

    /// The result in `dir`, if there is one.
    pub(crate) fn find(dir: &Path) -> io::Result<Option<Self>> {
        match File::open(dir.join(RESULT_FILE)) {
            Ok(file) => Ok(Some(serde_json::from_reader(io::BufReader::new(file))?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}
