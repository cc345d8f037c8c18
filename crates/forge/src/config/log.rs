//! Where the server's own log goes.

use std::path::PathBuf;

use super::file::LogSection;
use crate::error::Error;

const MAX_BYTES: u64 = 10 << 20;
const OLDER: u32 = 4;
/// Smaller files would hold a handful of lines.
const LEAST_BYTES: u64 = 4 << 10;

/// A log in files of bounded size and number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogFile {
    /// The file that is written.
    pub(crate) path: PathBuf,
    /// It makes way for a new one before it is bigger than this.
    pub(crate) max_bytes: u64,
    /// How many of those before it are kept.
    pub(crate) older: u32,
}

/// The flag's file, or the configuration's; without either the log goes to standard error.
pub(super) fn read(flag: Option<PathBuf>, section: LogSection) -> Result<Option<LogFile>, Error> {
    let max_bytes = match section.max_bytes {
        Some(text) => match super::parse_bytes("log.max_bytes", &text)? {
            bytes if bytes < LEAST_BYTES => return Err(too_small(text)),
            bytes => bytes,
        },
        None => MAX_BYTES,
    };
    let Some(path) = flag.or(section.file) else { return Ok(None) };
    Ok(Some(LogFile { path: super::absolute(&path)?, max_bytes, older: section.older.unwrap_or(OLDER) }))
}

const fn too_small(value: String) -> Error {
    Error::Setting { name: "log.max_bytes", value, expected: "4 KiB or more" }
}
