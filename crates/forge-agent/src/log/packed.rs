//! A log that has ended, compressed: the same frames in blocks that each unpack alone, and an index of the blocks.
//!
//! After the file header come the blocks, the index with an entry of 48 bytes for each (first frame, offset, packed
//! length, plain length, tally of what came before), and a trailer of 32 bytes (offset of the index, number of blocks, last frame, magic). The file
//! takes the place of the plain one by a rename when it is whole and on the disk, so there is one log at any time.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::read::{LogReader, Page};
use super::tally::Tally;
use super::{
    FILE_HEADER, FRAME_HEADER, Frame, FrameHeader, INDEX_FILE, LOG_FILE, LogError, MAGIC, MAX_FRAME,
    PACKED_VERSION,
};

const DRAFT_FILE: &str = "log.draft";
const TRAILER: usize = 32;
const INDEX_ENTRY: usize = 24 + Tally::SIZE;
const END_MAGIC: [u8; 8] = *b"FORGEEND";

/// Bytes of output in a block: enough to compress well, little enough to unpack for one page.
const BLOCK: usize = 256 * 1024;

/// What a block may unpack to at most: one page of the shortest frames, or one frame of the longest.
const MAX_UNPACKED: usize = BLOCK * (FRAME_HEADER + 1) + MAX_FRAME;

/// Smaller logs are left as they are: there is little to win.
const WORTH_IT: u64 = 64 * 1024;

const LEVEL: i32 = 3;

/// Compresses the log of the process whose directory is `dir`, which must have ended. Returns whether it did: a small
/// log, one that is compressed already and one at which `go_on` said no stay as they are.
///
/// # Errors
/// When it cannot be read or written; then the log is what it was before.
pub fn pack(dir: &Path, go_on: impl Fn() -> bool) -> Result<bool, LogError> {
    let path = dir.join(LOG_FILE);
    let failed = |source| LogError::Pack { path: path.clone(), source };
    let mut reader = LogReader::open(dir)?;
    if reader.is_packed() || fs::metadata(&path).map_err(failed)?.len() < WORTH_IT {
        return Ok(false);
    }
    let draft = dir.join(DRAFT_FILE);
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(&draft).map_err(failed)?;
    let done = write(&mut reader, file, &path, go_on).and_then(|whole| {
        if whole {
            fs::rename(&draft, &path).map_err(failed)?;
            // The compressed log has its own. One that stays is not looked at and goes with the directory.
            let _removed = fs::remove_file(dir.join(INDEX_FILE));
        }
        Ok(whole)
    });
    if !matches!(done, Ok(true)) {
        // One that stays is written over by the next try.
        let _removed = fs::remove_file(&draft);
    }
    done
}

/// Writes all that `reader` has and puts it on the disk, unless told to leave off.
fn write(
    reader: &mut LogReader,
    file: File,
    path: &Path,
    go_on: impl Fn() -> bool,
) -> Result<bool, LogError> {
    let failed = |source| LogError::Pack { path: path.to_owned(), source };
    let mut draft = Draft::begin(file).map_err(failed)?;
    loop {
        if !go_on() {
            return Ok(false);
        }
        let page = reader.read_after(draft.last, BLOCK)?;
        if page.frames.is_empty() {
            break;
        }
        draft.append(&page).map_err(failed)?;
    }
    draft.finish().map_err(failed)?;
    Ok(true)
}

/// One block, as the index has it.
#[derive(Debug, Clone, Copy)]
struct Entry {
    first: u64,
    offset: u64,
    packed: u32,
    plain: u32,
    /// Of what came before it.
    tally: Tally,
}

/// A compressed log in the making.
struct Draft {
    file: BufWriter<File>,
    compressor: zstd::bulk::Compressor<'static>,
    index: Vec<Entry>,
    offset: u64,
    last: u64,
    tally: Tally,
}

impl Draft {
    fn begin(file: File) -> io::Result<Self> {
        let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
        compressor.include_checksum(true)?;
        let file = BufWriter::new(file);
        let mut draft =
            Self { file, compressor, index: Vec::new(), offset: 0, last: 0, tally: Tally::default() };
        let mut header = MAGIC.to_vec();
        header.extend_from_slice(&PACKED_VERSION.to_le_bytes());
        header.resize(FILE_HEADER, 0);
        draft.put(&header)?;
        Ok(draft)
    }

    fn append(&mut self, page: &Page) -> io::Result<()> {
        let (mut plain, before) = (Vec::new(), self.tally);
        for frame in &page.frames {
            let Frame { seq, at_ms, stream, ref bytes } = *frame;
            FrameHeader { seq, at_ms, len: bytes.len(), stream }.encode(&mut plain);
            plain.extend_from_slice(bytes);
            self.tally.pass(seq, stream, bytes);
        }
        if plain.len() > MAX_UNPACKED {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "its frames are too many for a block"));
        }
        let packed = self.compressor.compress(&plain)?;
        self.index.push(Entry {
            first: self.last + 1,
            offset: self.offset,
            packed: short(packed.len())?,
            plain: short(plain.len())?,
            tally: before,
        });
        self.last = page.next;
        self.put(&packed)
    }

    fn finish(mut self) -> io::Result<()> {
        let (index_at, count) = (self.offset, self.index.len() as u64);
        let mut tail = Vec::with_capacity(self.index.len() * INDEX_ENTRY + TRAILER);
        for entry in &self.index {
            tail.extend_from_slice(&entry.first.to_le_bytes());
            tail.extend_from_slice(&entry.offset.to_le_bytes());
            tail.extend_from_slice(&entry.packed.to_le_bytes());
            tail.extend_from_slice(&entry.plain.to_le_bytes());
            entry.tally.encode(&mut tail);
        }
        for number in [index_at, count, self.last] {
            tail.extend_from_slice(&number.to_le_bytes());
        }
        tail.extend_from_slice(&END_MAGIC);
        self.put(&tail)?;
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.offset += bytes.len() as u64;
        self.file.write_all(bytes)
    }
}

fn short(len: usize) -> io::Result<u32> {
    u32::try_from(len).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))
}

/// Reads a compressed log.
#[derive(Debug)]
pub(super) struct PackedReader {
    path: PathBuf,
    file: File,
    index: Vec<Entry>,
    last: u64,
    /// The block that was unpacked last, by its place in the index.
    open: Option<(usize, Vec<u8>)>,
}

impl PackedReader {
    pub(super) fn open(path: PathBuf, file: File) -> Result<Self, LogError> {
        match read_index(&file) {
            Ok((index, last)) => Ok(Self { path, file, index, last, open: None }),
            Err(source) => Err(LogError::Read { path, source }),
        }
    }

    pub(super) fn read_after(&mut self, seq: u64, max_bytes: usize) -> Result<Page, LogError> {
        self.page(seq, max_bytes).map_err(|source| LogError::Read { path: self.path.clone(), source })
    }

    fn page(&mut self, seq: u64, max_bytes: usize) -> io::Result<Page> {
        let mut page = Page { frames: Vec::new(), next: seq };
        let mut room = max_bytes;
        while page.next < self.last {
            let after = page.next;
            let number = self.block_of(after + 1).ok_or_else(damaged)?;
            for (header, bytes) in self.frames(number)?.skip_while(|(header, _)| header.seq <= after) {
                if (room == 0 || header.len > room) && !page.frames.is_empty() {
                    return Ok(page);
                }
                let FrameHeader { seq, at_ms, len, stream } = header;
                page.frames.push(Frame { seq, at_ms, stream, bytes: bytes.to_vec() });
                page.next = seq;
                room = room.saturating_sub(len);
            }
            if page.next == after {
                // The index promised more than the block holds: say so instead of looking for ever.
                return Err(damaged());
            }
        }
        Ok(page)
    }

    /// What was printed up to frame `seq`, or up to the last one if there are not so many; and which one that is.
    pub(super) fn tally(&mut self, seq: u64) -> Result<(u64, Tally), LogError> {
        let seq = seq.min(self.last);
        self.sum(seq)
            .map_err(|source| LogError::Read { path: self.path.clone(), source })
            .map(|sum| (seq, sum))
    }

    fn sum(&mut self, seq: u64) -> io::Result<Tally> {
        let Some(number) = self.block_of(seq) else { return Ok(Tally::default()) };
        let mut tally = self.index.get(number).ok_or_else(damaged)?.tally;
        for (header, bytes) in self.frames(number)?.take_while(|(header, _)| header.seq <= seq) {
            tally.pass(header.seq, header.stream, bytes);
        }
        Ok(tally)
    }

    /// The block that has frame `seq`; none has frame 0.
    fn block_of(&self, seq: u64) -> Option<usize> {
        self.index.partition_point(|entry| entry.first <= seq).checked_sub(1)
    }

    /// The frames of a block.
    fn frames(&mut self, number: usize) -> io::Result<Frames<'_>> {
        let entry = self.index.get(number).copied().ok_or_else(damaged)?;
        let is_open = self.open.as_ref().is_some_and(|(open, _)| *open == number);
        let block = match self.open.take().filter(|_| is_open) {
            Some((_, block)) => block,
            None => {
                let mut packed = vec![0; usize::try_from(entry.packed).map_err(io::Error::other)?];
                self.file.read_exact_at(&mut packed, entry.offset)?;
                let plain = usize::try_from(entry.plain).map_err(io::Error::other)?;
                zstd::bulk::decompress(&packed, plain)?
            }
        };
        let (_, block) = self.open.insert((number, block));
        Ok(Frames { block, seq: entry.first })
    }
}

/// The frames of an unpacked block, in order.
struct Frames<'a> {
    block: &'a [u8],
    seq: u64,
}

impl<'a> Iterator for Frames<'a> {
    type Item = (FrameHeader, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (header, rest) = self.block.split_at_checked(FRAME_HEADER)?;
        let header = FrameHeader::decode(header, self.seq)?;
        let (bytes, rest) = rest.split_at_checked(header.len)?;
        (self.block, self.seq) = (rest, self.seq + 1);
        Some((header, bytes))
    }
}

fn read_index(file: &File) -> io::Result<(Vec<Entry>, u64)> {
    let size = file.metadata()?.len();
    let trailer_at = size.checked_sub(TRAILER as u64).ok_or_else(damaged)?;
    let mut trailer = [0; TRAILER];
    file.read_exact_at(&mut trailer, trailer_at)?;
    let mut fields = Fields(&trailer);
    let (index_at, count, last) = (fields.long()?, fields.long()?, fields.long()?);
    let length = count.checked_mul(INDEX_ENTRY as u64).ok_or_else(damaged)?;
    if fields.0 != END_MAGIC || index_at.checked_add(length) != Some(trailer_at) {
        return Err(damaged());
    }
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, index_at)?;
    let mut fields = Fields(&bytes);
    let mut index = Vec::with_capacity(usize::try_from(count).map_err(io::Error::other)?);
    while !fields.0.is_empty() {
        let (first, offset) = (fields.long()?, fields.long()?);
        let (packed, plain) = (fields.short()?, fields.short()?);
        let entry = Entry { first, offset, packed, plain, tally: fields.tally()? };
        // Nothing is ever asked of memory that a block cannot need.
        let fits = offset.checked_add(entry.packed.into()).is_some_and(|end| end <= index_at)
            && usize::try_from(entry.plain).is_ok_and(|plain| plain <= MAX_UNPACKED);
        if !fits {
            return Err(damaged());
        }
        index.push(entry);
    }
    Ok((index, last))
}

/// Numbers in a row.
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl Fields<'_> {
    pub(crate) fn long(&mut self) -> io::Result<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(u64::from_le_bytes(*number))
    }

    pub(crate) fn short(&mut self) -> io::Result<u32> {
        let (number, rest) = self.0.split_first_chunk::<4>().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(u32::from_le_bytes(*number))
    }

    fn tally(&mut self) -> io::Result<Tally> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or_else(damaged)?;
        self.0 = rest;
        Tally::decode(bytes).ok_or_else(damaged)
    }
}

pub(crate) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the compressed file is damaged")
}

#[cfg(test)]
#[path = "packed_tests.rs"]
mod tests;
