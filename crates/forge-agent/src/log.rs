//! The log of one process: everything it printed and everything it was told, in the order it happened.
//!
//! The file is append-only and has one writer, the process host. It opens with a header of 16 bytes (magic, version)
//! and goes on with frames: 24 bytes of header (sequence number, time, length, stream), then the bytes as they came.
//! Sequence numbers count from 1 without a hole, so a frame header that does not carry the next number marks the place
//! where a killed host or a power cut tore the file: reading ends there, it never guesses.
//!
//! Beside it lies an index of places, by which a reader comes near any frame without reading what is before it. When
//! the process has ended, the server may replace both by one compressed file with the same frames.

mod index;
mod packed;
mod plain;
mod read;
mod tally;
mod write;

use std::io;
use std::path::PathBuf;

pub(crate) use index::INDEX_FILE;
pub use packed::pack;
pub(crate) use packed::{Fields, damaged};
pub use read::{LogReader, Page};
pub use tally::{Tail, Tally};
pub(crate) use write::{LogWriter, now_ms};

/// The name of the log in the directory of its process.
pub const LOG_FILE: &str = "log";

/// The longest payload of a frame. Output comes in far smaller pieces; one write to stdin is one frame.
pub const MAX_FRAME: usize = 16 * 1024 * 1024;

const MAGIC: [u8; 8] = *b"FORGELOG";
const VERSION: u32 = 1;
/// The version of a log that was compressed.
const PACKED_VERSION: u32 = 3;
const FILE_HEADER: usize = 16;
const FRAME_HEADER: usize = 24;

/// Where the bytes of a frame came from, or went to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// The program printed them.
    Stdout,
    /// The program printed them as diagnostics.
    Stderr,
    /// They were accepted for the program's standard input: one frame for each ordinal.
    Stdin,
    /// The end of standard input was accepted; no bytes. Takes an ordinal too.
    StdinClosed,
    /// A sentence of the host itself about something that happened to the process.
    Note,
}

impl Stream {
    fn code(self) -> u8 {
        match self {
            Self::Stdout => 1,
            Self::Stderr => 2,
            Self::Stdin => 3,
            Self::StdinClosed => 4,
            Self::Note => 5,
        }
    }

    fn from_code(code: u8) -> Option<Self> {
        match code {
            1 => Some(Self::Stdout),
            2 => Some(Self::Stderr),
            3 => Some(Self::Stdin),
            4 => Some(Self::StdinClosed),
            5 => Some(Self::Note),
            _ => None,
        }
    }
}

/// One chunk of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Position in the log, from 1.
    pub seq: u64,
    /// When the host took it, in milliseconds since 1970; never decreases within a log.
    pub at_ms: u64,
    pub stream: Stream,
    pub bytes: Vec<u8>,
}

/// Why a log cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    #[error("there is no log at {path}")]
    Missing { path: PathBuf },
    #[error("{path} is not a process log")]
    NotALog { path: PathBuf },
    #[error("{path} is a process log of version {version}, which this program does not know")]
    UnknownVersion { path: PathBuf, version: u32 },
    #[error("the log {path} cannot be read")]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the log {path} cannot be compressed")]
    Pack {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// What a frame says about itself ahead of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FrameHeader {
    seq: u64,
    at_ms: u64,
    len: usize,
    stream: Stream,
}

impl FrameHeader {
    /// How long the frame is, its header included.
    fn whole(self) -> usize {
        FRAME_HEADER + self.len
    }

    fn encode(self, into: &mut Vec<u8>) {
        into.extend_from_slice(&self.seq.to_le_bytes());
        into.extend_from_slice(&self.at_ms.to_le_bytes());
        into.extend_from_slice(&u32::try_from(self.len).unwrap_or(u32::MAX).to_le_bytes());
        into.extend_from_slice(&[self.stream.code(), 0, 0, 0]);
    }

    /// The header in `bytes` if it is that of frame `seq`; anything else is no frame.
    fn decode(bytes: &[u8], seq: u64) -> Option<Self> {
        let (number, rest) = bytes.split_first_chunk::<8>()?;
        let (at, rest) = rest.split_first_chunk::<8>()?;
        let (len, rest) = rest.split_first_chunk::<4>()?;
        let (&[code, 0, 0, 0], _) = rest.split_first_chunk::<4>()? else { return None };
        let len = usize::try_from(u32::from_le_bytes(*len)).ok()?;
        let header = Self {
            seq: u64::from_le_bytes(*number),
            at_ms: u64::from_le_bytes(*at),
            len,
            stream: Stream::from_code(code)?,
        };
        (header.seq == seq && len <= MAX_FRAME).then_some(header)
    }
}

#[cfg(test)]
#[path = "log/log_tests.rs"]
mod log_tests;
