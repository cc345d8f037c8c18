//! Reads a log as its host writes it: pages after a position, in bounded memory, while the log grows.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::read::Page;
use super::{FILE_HEADER, FRAME_HEADER, Frame, FrameHeader, LogError, MAGIC, VERSION};

/// How much is fetched at once while frames are only passed over, and while they are collected.
const SCAN_BLOCK: usize = 8 * 1024;
const READ_BLOCK: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct PlainReader {
    path: PathBuf,
    file: File,
    places: Places,
    block: Block,
}

/// A place between two frames: the number of the frame that begins there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    seq: u64,
    offset: u64,
}

impl PlainReader {
    pub(super) fn new(path: PathBuf, file: File) -> Self {
        Self { path, file, places: Places::new(), block: Block::default() }
    }

    /// The frames after `seq` that are there by now: at least one if there is any, then as many as fit `max_bytes`.
    pub(super) fn read_after(&mut self, seq: u64, max_bytes: usize) -> Result<Page, LogError> {
        let mut page = Page { frames: Vec::new(), next: seq };
        let size = self.size()?;
        let Some(mut place) = self.skip_to(seq.saturating_add(1), size)? else { return Ok(page) };
        let mut room = max_bytes;
        while let Some(header) = self.header_at(place, size, READ_BLOCK)? {
            if header.len > room && !page.frames.is_empty() {
                break;
            }
            let bytes = self.bytes_at(place.offset + FRAME_HEADER as u64, header.len)?;
            room = room.saturating_sub(header.len);
            page.next = header.seq;
            page.frames.push(Frame { seq: header.seq, at_ms: header.at_ms, stream: header.stream, bytes });
            place = after(place, header);
            self.places.pass(place);
            if room == 0 {
                break;
            }
        }
        Ok(page)
    }

    /// The number of the last whole frame in the file; 0 in an empty log.
    pub(super) fn last(&mut self) -> Result<u64, LogError> {
        let size = self.size()?;
        let Some(mut place) = self.skip_to(self.places.last.seq, size)? else { return Ok(0) };
        while let Some(header) = self.header_at(place, size, SCAN_BLOCK)? {
            place = after(place, header);
            self.places.pass(place);
        }
        Ok(place.seq - 1)
    }

    /// The place of frame `seq`, if the file reaches that far.
    fn skip_to(&mut self, seq: u64, size: u64) -> Result<Option<Place>, LogError> {
        if !self.begins_well(size)? {
            return Ok(None);
        }
        let mut place = self.places.before(seq);
        while place.seq < seq {
            let Some(header) = self.header_at(place, size, SCAN_BLOCK)? else { return Ok(None) };
            place = after(place, header);
            self.places.pass(place);
        }
        Ok(Some(place))
    }

    /// Whether the file header is there; a host killed while it wrote it leaves a part.
    fn begins_well(&mut self, size: u64) -> Result<bool, LogError> {
        if self.places.last.seq > 1 {
            return Ok(true);
        }
        let whole = size >= FILE_HEADER as u64;
        let length = usize::try_from(size).unwrap_or(FILE_HEADER).min(FILE_HEADER);
        let header = self.bytes_at(0, length)?;
        let (magic, rest) = header.split_at_checked(MAGIC.len()).unwrap_or((&header, &[]));
        if !MAGIC.starts_with(magic) {
            return Err(LogError::NotALog { path: self.path.clone() });
        }
        match rest.split_first_chunk::<4>().map(|(version, _)| u32::from_le_bytes(*version)) {
            Some(version) if whole && version != VERSION => {
                Err(LogError::UnknownVersion { path: self.path.clone(), version })
            }
            _ => Ok(whole),
        }
    }

    /// The header of the frame at `place`, if the whole frame lies within `size`.
    fn header_at(&mut self, place: Place, size: u64, fetch: usize) -> Result<Option<FrameHeader>, LogError> {
        let body = place.offset + FRAME_HEADER as u64;
        if body > size {
            return Ok(None);
        }
        let read = self.block.get(&self.file, place.offset, FRAME_HEADER, fetch);
        let bytes = read.map_err(|source| LogError::Read { path: self.path.clone(), source })?;
        let header = FrameHeader::decode(bytes, place.seq);
        Ok(header.filter(|header| body + header.len as u64 <= size))
    }

    fn bytes_at(&mut self, offset: u64, len: usize) -> Result<Vec<u8>, LogError> {
        let read = match self.block.cached(offset, len) {
            Some(bytes) => Ok(bytes.to_vec()),
            None => {
                let mut bytes = vec![0; len];
                self.file.read_exact_at(&mut bytes, offset).map(|()| bytes)
            }
        };
        read.map_err(|source| LogError::Read { path: self.path.clone(), source })
    }

    fn size(&self) -> Result<u64, LogError> {
        let metadata = self.file.metadata();
        metadata.map(|m| m.len()).map_err(|source| LogError::Read { path: self.path.clone(), source })
    }
}

fn after(place: Place, header: FrameHeader) -> Place {
    Place { seq: place.seq + 1, offset: place.offset + (FRAME_HEADER + header.len) as u64 }
}

/// The part of the file fetched last. What is in the file never changes, so it never goes stale.
#[derive(Debug, Default)]
struct Block {
    offset: u64,
    bytes: Vec<u8>,
}

impl Block {
    fn cached(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let start = usize::try_from(offset.checked_sub(self.offset)?).ok()?;
        self.bytes.get(start..start.checked_add(len)?)
    }

    fn get(&mut self, file: &File, offset: u64, len: usize, fetch: usize) -> io::Result<&[u8]> {
        if self.cached(offset, len).is_none() {
            self.bytes.resize(fetch.max(len), 0);
            self.offset = offset;
            let count = file.read_at(&mut self.bytes, offset);
            self.bytes.truncate(*count.as_ref().unwrap_or(&0));
            count?;
        }
        self.cached(offset, len).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// Known places of the log: evenly spread, at most [`Places::MOST`] of them however long the log is.
#[derive(Debug)]
struct Places {
    known: Vec<Place>,
    apart: u64,
    /// Where reading went on last; a follower continues here.
    here: Place,
    /// The furthest place seen.
    last: Place,
}

impl Places {
    const MOST: usize = 1024;
    const FIRST: Place = Place { seq: 1, offset: FILE_HEADER as u64 };

    fn new() -> Self {
        Self { known: vec![Self::FIRST], apart: 256 * 1024, here: Self::FIRST, last: Self::FIRST }
    }

    fn pass(&mut self, place: Place) {
        self.here = place;
        if place.offset > self.last.offset {
            self.last = place;
        }
        if self.known.last().is_some_and(|known| place.offset >= known.offset + self.apart) {
            self.known.push(place);
        }
        if self.known.len() > Self::MOST {
            let mut index = 0_usize;
            self.known.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.apart *= 2;
        }
    }

    /// The nearest known place at or before frame `seq`.
    fn before(&self, seq: u64) -> Place {
        let index = self.known.partition_point(|place| place.seq <= seq);
        let known = self.known.get(index.saturating_sub(1)).copied().unwrap_or(Self::FIRST);
        let near = [self.here, self.last].into_iter().filter(|place| place.seq <= seq);
        near.fold(known, |best, place| if place.seq > best.seq { place } else { best })
    }
}
