//! Reads a log as its host writes it: pages after a position, in bounded memory, while the log grows.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::index::{Index, Place};
use super::read::Page;
use super::tally::Tally;
use super::{FILE_HEADER, FRAME_HEADER, Frame, FrameHeader, LogError, MAGIC, VERSION};

/// How much is fetched at once while frames are only passed over, and while they are collected.
const SCAN_BLOCK: usize = 8 * 1024;
const READ_BLOCK: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct PlainReader {
    path: PathBuf,
    file: File,
    index: Index,
    /// Where reading went on last; a follower continues here.
    here: Place,
    block: Block,
}

impl PlainReader {
    pub(super) fn new(path: PathBuf, file: File, index: Index) -> Self {
        Self { path, file, index, here: Place::first(), block: Block::default() }
    }

    /// The frames after `seq` that are there by now: at least one if there is any, then as many as fit `max_bytes`.
    pub(super) fn read_after(&mut self, seq: u64, max_bytes: usize) -> Result<Page, LogError> {
        let mut page = Page { frames: Vec::new(), next: seq };
        let size = self.size()?;
        let wanted = seq.saturating_add(1);
        let Some(mut place) = self.reach(wanted, size)?.filter(|place| place.seq == wanted) else {
            return Ok(page);
        };
        let mut room = max_bytes;
        while let Some(header) = self.header_at(place, size, READ_BLOCK)? {
            if header.len > room && !page.frames.is_empty() {
                break;
            }
            let bytes = self.bytes_at(place.offset + FRAME_HEADER as u64, header.len)?;
            place = place.after(header, &bytes);
            self.here = place;
            room = room.saturating_sub(header.len);
            page.next = header.seq;
            page.frames.push(Frame { seq: header.seq, at_ms: header.at_ms, stream: header.stream, bytes });
            if room == 0 {
                break;
            }
        }
        Ok(page)
    }

    /// What was printed up to frame `seq`, or up to the last one if there are not so many; and which one that is.
    pub(super) fn tally(&mut self, seq: u64) -> Result<(u64, Tally), LogError> {
        let size = self.size()?;
        let place = self.reach(seq.saturating_add(1), size)?.unwrap_or(Place::first());
        Ok((place.seq - 1, place.tally))
    }

    /// The place of frame `seq`, or of the one behind the last if the file does not reach that far. None in a file
    /// that has hardly begun.
    fn reach(&mut self, seq: u64, size: u64) -> Result<Option<Place>, LogError> {
        if !self.begins_well(size)? {
            return Ok(None);
        }
        let mut place = self.nearest(seq, size)?;
        while place.seq < seq
            && let Some(header) = self.header_at(place, size, SCAN_BLOCK)?
        {
            let needed = Tally::needs(header.len);
            let end = place.offset + header.whole() as u64;
            let last = self.block.get(&self.file, end - needed as u64, needed, SCAN_BLOCK);
            let last = last.map_err(|source| LogError::Read { path: self.path.clone(), source })?;
            place = place.after(header, last);
        }
        self.here = place;
        Ok(Some(place))
    }

    /// A known place at or before frame `seq`, as near as there is one.
    fn nearest(&mut self, seq: u64, size: u64) -> Result<Place, LogError> {
        let here = Some(self.here).filter(|here| here.seq <= seq).unwrap_or(Place::first());
        if here.seq == seq {
            return Ok(here);
        }
        let Some(noted) = self.index.before(seq).filter(|noted| noted.seq > here.seq) else {
            return Ok(here);
        };
        // After a power cut the index may know of more than the log has.
        let is_there = noted.offset == size || self.header_at(noted, size, SCAN_BLOCK)?.is_some();
        Ok(if is_there { noted } else { here })
    }

    /// Whether the file header is there; a host killed while it wrote it leaves a part.
    fn begins_well(&mut self, size: u64) -> Result<bool, LogError> {
        if self.here.seq > 1 {
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
        let Some(body) = place.offset.checked_add(FRAME_HEADER as u64).filter(|body| *body <= size) else {
            return Ok(None);
        };
        // No more than there is: a follower reads one line after the other, and room has to be cleared first.
        let fetch = usize::try_from(size - place.offset).map_or(fetch, |there| there.min(fetch));
        let read = self.block.get(&self.file, place.offset, FRAME_HEADER, fetch);
        let bytes = read.map_err(|source| LogError::Read { path: self.path.clone(), source })?;
        let header = FrameHeader::decode(bytes, place.seq);
        Ok(header.filter(|header| body + header.len as u64 <= size))
    }

    fn bytes_at(&mut self, offset: u64, len: usize) -> Result<Vec<u8>, LogError> {
        let read = self.block.copy(&self.file, offset, len);
        read.map_err(|source| LogError::Read { path: self.path.clone(), source })
    }

    fn size(&self) -> Result<u64, LogError> {
        let metadata = self.file.metadata();
        metadata.map(|m| m.len()).map_err(|source| LogError::Read { path: self.path.clone(), source })
    }
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

    /// The bytes themselves; what is fetched already is not fetched again.
    fn copy(&self, file: &File, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let start = offset.checked_sub(self.offset).and_then(|start| usize::try_from(start).ok());
        let known = start.and_then(|start| self.bytes.get(start..)).unwrap_or_default();
        let known = known.get(..len).unwrap_or(known);
        let mut bytes = Vec::with_capacity(len);
        bytes.extend_from_slice(known);
        bytes.resize(len, 0);
        file.read_exact_at(bytes.get_mut(known.len()..).unwrap_or_default(), offset + known.len() as u64)?;
        Ok(bytes)
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
