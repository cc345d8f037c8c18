//! The reading side of a log, whether its host still writes it or it was compressed since.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::index::Index;
use super::packed::PackedReader;
use super::plain::PlainReader;
use super::tally::Tally;
use super::{FILE_HEADER, Frame, LOG_FILE, LogError, MAGIC, PACKED_VERSION};

/// Frames of a log, from one position to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub frames: Vec<Frame>,
    /// Where to read on: the last frame of the page, or the position asked for if there was none.
    pub next: u64,
}

/// Reads one log. Each follower has its own reader, so that reading on costs only what is new.
#[derive(Debug)]
pub struct LogReader {
    form: Form,
}

#[derive(Debug)]
enum Form {
    Plain(PlainReader),
    Packed(PackedReader),
}

impl LogReader {
    /// Opens the log of the process whose directory is `dir`.
    ///
    /// A reader keeps the file that it opened: compression puts another in its place and takes nothing from it.
    pub fn open(dir: &Path) -> Result<Self, LogError> {
        let path = dir.join(LOG_FILE);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(LogError::Missing { path }),
            Err(source) => return Err(LogError::Read { path, source }),
        };
        let form = match is_packed(&file) {
            Ok(true) => Form::Packed(PackedReader::open(path, file)?),
            Ok(false) => Form::Plain(PlainReader::new(path, file, Index::open(dir))),
            Err(source) => return Err(LogError::Read { path, source }),
        };
        Ok(Self { form })
    }

    /// The frames after `seq` that are there by now: at least one if there is any, then as many as fit `max_bytes`.
    pub fn read_after(&mut self, seq: u64, max_bytes: usize) -> Result<Page, LogError> {
        match &mut self.form {
            Form::Plain(log) => log.read_after(seq, max_bytes),
            Form::Packed(log) => log.read_after(seq, max_bytes),
        }
    }

    /// The number of the last whole frame in the file; 0 in an empty log.
    pub fn last(&mut self) -> Result<u64, LogError> {
        self.tally(u64::MAX).map(|(last, _)| last)
    }

    /// What was printed up to frame `seq`, or up to the last one if there are not so many; and which one that is.
    pub fn tally(&mut self, seq: u64) -> Result<(u64, Tally), LogError> {
        match &mut self.form {
            Form::Plain(log) => log.tally(seq),
            Form::Packed(log) => log.tally(seq),
        }
    }

    pub(super) fn is_packed(&self) -> bool {
        matches!(self.form, Form::Packed(_))
    }
}

/// A file that is too short to say what it is can only be one that a host has begun.
fn is_packed(file: &File) -> io::Result<bool> {
    let mut header = [0; FILE_HEADER];
    let count = file.read_at(&mut header, 0)?;
    let known = MAGIC.iter().chain(&PACKED_VERSION.to_le_bytes()).eq(header.iter().take(MAGIC.len() + 4));
    Ok(count == FILE_HEADER && known)
}
