//! Places of a log that its host writes, in a file beside it, so that reading after any position begins near it.
//!
//! An entry of 48 bytes (number of the frame that begins there, offset, tally, sum) follows every 256 KiB of log, after
//! the log has them. It is a hint: one that is missing, torn or wrong costs a reader time, never a frame.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::tally::Tally;
use super::{FILE_HEADER, FrameHeader};

/// The name of the index in the directory of its process.
pub(crate) const INDEX_FILE: &str = "log.index";

/// How far the places are apart, at least.
const APART: u64 = 256 * 1024;

const ENTRY: usize = 16 + Tally::SIZE + 8;

/// A place between two frames: the number of the frame that begins there, and what came before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) seq: u64,
    pub(super) offset: u64,
    pub(super) tally: Tally,
}

impl Place {
    /// The place of the first frame.
    pub(super) fn first() -> Self {
        Self { seq: 1, offset: FILE_HEADER as u64, tally: Tally::default() }
    }

    /// The place behind the frame that begins here, given the last of its bytes.
    pub(super) fn after(mut self, header: FrameHeader, bytes: &[u8]) -> Self {
        self.tally.pass(header.seq, header.stream, bytes);
        Self { seq: self.seq + 1, offset: self.offset + header.whole() as u64, tally: self.tally }
    }

    fn encode(&self) -> Vec<u8> {
        let mut entry = Vec::with_capacity(ENTRY);
        entry.extend_from_slice(&self.seq.to_le_bytes());
        entry.extend_from_slice(&self.offset.to_le_bytes());
        self.tally.encode(&mut entry);
        let sum = sum(&entry);
        entry.extend_from_slice(&sum.to_le_bytes());
        entry
    }

    fn decode(entry: &[u8; ENTRY]) -> Option<Self> {
        let (place, stored) = entry.split_last_chunk::<8>()?;
        let (seq, rest) = place.split_first_chunk::<8>()?;
        let (offset, rest) = rest.split_first_chunk::<8>()?;
        let tally = Tally::decode(rest.first_chunk()?)?;
        let whole = sum(place) == u64::from_le_bytes(*stored);
        whole.then_some(Self { seq: u64::from_le_bytes(*seq), offset: u64::from_le_bytes(*offset), tally })
    }
}

/// FNV-1a: tells what was torn or never written from what was.
fn sum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Notes places as the log grows. The file is made with the first of them: most logs are short.
pub(super) struct IndexWriter {
    /// Given up with the first write that fails: what follows half an entry could not be found.
    path: Option<PathBuf>,
    file: Option<File>,
    noted: u64,
}

impl IndexWriter {
    pub(super) const fn new(path: Option<PathBuf>) -> Self {
        Self { path, file: None, noted: 0 }
    }

    /// Hears that the log is whole up to `place`.
    pub(super) fn reached(&mut self, place: &Place) {
        if place.offset < self.noted + APART {
            return;
        }
        self.noted = place.offset;
        let Some(path) = &self.path else { return };
        let file = match self.file.take() {
            Some(file) => Ok(file),
            None => File::options().write(true).create(true).truncate(true).mode(0o600).open(path),
        };
        match file.and_then(|mut file| file.write_all(&place.encode()).map(|()| file)) {
            Ok(file) => self.file = Some(file),
            Err(_) => self.path = None,
        }
    }
}

/// Finds places. Entries are looked up in the file, so that a reader costs the same however long the log is.
#[derive(Debug)]
pub(super) struct Index(Option<File>);

impl Index {
    /// The index in `dir`; a log that has none has been written before there were any, or is short.
    pub(super) fn open(dir: &Path) -> Self {
        Self(File::open(dir.join(INDEX_FILE)).ok())
    }

    /// The last place at or before frame `seq` that was noted.
    pub(super) fn before(&self, seq: u64) -> Option<Place> {
        let file = self.0.as_ref()?;
        let (mut low, mut high) = (0, file.metadata().ok()?.len() / ENTRY as u64);
        let mut found = None;
        while low < high {
            let middle = low + (high - low) / 2;
            // One that cannot be read is behind the end of what was written.
            match entry(file, middle).ok().flatten().filter(|place| place.seq <= seq) {
                Some(place) => {
                    found = Some(place);
                    low = middle + 1;
                }
                None => high = middle,
            }
        }
        found
    }
}

fn entry(file: &File, number: u64) -> io::Result<Option<Place>> {
    let mut bytes = [0; ENTRY];
    file.read_exact_at(&mut bytes, number * ENTRY as u64)?;
    Ok(Place::decode(&bytes))
}
