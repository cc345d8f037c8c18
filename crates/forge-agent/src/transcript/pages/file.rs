//! The blocks of a transcript in their file: each compressed by itself, and a table of them at the end.
//!
//! After a header of 16 bytes (magic, version) come the blocks, the table with a row of 40 bytes for each, and a trailer
//! of 24 bytes (where the table begins, how many rows, magic).

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Block, Record};
use crate::log::{Fields, LogError, damaged};

const FILE: &str = "transcript";
const DRAFT: &str = "transcript.draft";
const MAGIC: [u8; 8] = *b"FORGETXT";
const END_MAGIC: [u8; 8] = *b"FORGEEND";
/// Raised when the form of the file changes, or that of entries: what is stored otherwise is then folded anew.
const VERSION: u64 = 2;
const HEADER: u64 = 16;
const ROW: usize = 40;
const TRAILER: usize = 24;
const LEVEL: i32 = 1;
/// Nothing is ever asked of memory that a block cannot need.
const LARGEST: u32 = 256 << 20;

/// One block, as the table has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    /// How far in the log it reaches.
    pub(super) position: u64,
    /// The lowest number of an entry in it.
    pub(super) lowest: u64,
    /// How many entries there are by its end.
    pub(super) next: u64,
    offset: u64,
    packed: u32,
    plain: u32,
}

/// The file, while it is written and after.
#[derive(Debug)]
pub(super) struct BlockFile {
    path: PathBuf,
    file: File,
}

impl BlockFile {
    /// Begins a file in a process's folder.
    pub(super) fn create(dir: &Path) -> io::Result<Self> {
        let path = dir.join(DRAFT);
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(true).mode(0o600).open(&path)?;
        Ok(Self { path, file })
    }

    /// The file that was finished, and its table; none that is not whole.
    pub(super) fn open(dir: &Path) -> Option<(Self, Vec<Row>)> {
        let path = dir.join(FILE);
        let file = File::open(&path).ok()?;
        let rows = read_table(&file).ok()?;
        Some((Self { path, file }, rows))
    }

    pub(super) fn read(&self, row: Row) -> Result<Block, LogError> {
        self.try_read(row).map_err(|source| LogError::Read { path: self.path.clone(), source })
    }

    fn try_read(&self, row: Row) -> io::Result<Block> {
        let size = |length: u32| usize::try_from(length).map_err(io::Error::other);
        let mut packed = vec![0; size(row.packed)?];
        self.file.read_exact_at(&mut packed, row.offset)?;
        let plain = zstd::bulk::decompress(&packed, size(row.plain)?)?;
        let (mut fields, mut records) = (Fields(&plain), Vec::new());
        while !fields.0.is_empty() {
            let (index, made, changed) = (fields.long()?, fields.long()?, fields.long()?);
            let length = size(fields.short()?)?;
            let (json, rest) = fields.0.split_at_checked(length).ok_or_else(damaged)?;
            fields.0 = rest;
            let json: Arc<str> = std::str::from_utf8(json).map_err(|_not_text| damaged())?.into();
            records.push(Record { index, made, changed, json });
        }
        Ok(Block { position: row.position, records })
    }

    /// Writes a block behind those of `rows`; gives back its row. After an error nothing has happened.
    pub(super) fn append(&self, rows: &[Row], block: &Block, next: u64) -> io::Result<Row> {
        let mut plain = Vec::new();
        for Record { index, made, changed, json } in &block.records {
            for number in [index, made, changed] {
                plain.extend_from_slice(&number.to_le_bytes());
            }
            plain.extend_from_slice(&short(json.len())?.to_le_bytes());
            plain.extend_from_slice(json.as_bytes());
        }
        let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
        compressor.include_checksum(true)?;
        let packed = compressor.compress(&plain)?;
        let offset = end_of(rows);
        self.file.write_all_at(&packed, offset)?;
        let lowest = block.records.first().map_or(next, |record| record.index);
        let (packed, plain) = (short(packed.len())?, short(plain.len())?);
        Ok(Row { position: block.position, lowest, next, offset, packed, plain })
    }

    /// Writes what makes the file whole, puts it on the disk and gives it its name.
    pub(super) fn seal(&self, rows: &[Row]) -> io::Result<()> {
        let mut header = MAGIC.to_vec();
        header.extend_from_slice(&VERSION.to_le_bytes());
        self.file.write_all_at(&header, 0)?;
        let table = end_of(rows);
        let mut tail = Vec::with_capacity(rows.len() * ROW + TRAILER);
        for row in rows {
            for number in [row.position, row.lowest, row.next, row.offset] {
                tail.extend_from_slice(&number.to_le_bytes());
            }
            tail.extend_from_slice(&row.packed.to_le_bytes());
            tail.extend_from_slice(&row.plain.to_le_bytes());
        }
        tail.extend_from_slice(&table.to_le_bytes());
        tail.extend_from_slice(&(rows.len() as u64).to_le_bytes());
        tail.extend_from_slice(&END_MAGIC);
        self.file.write_all_at(&tail, table)?;
        // What a write that failed left behind the end.
        self.file.set_len(table + tail.len() as u64)?;
        self.file.sync_all()?;
        fs::rename(&self.path, self.path.with_file_name(FILE))
    }
}

/// Where the next block begins.
fn end_of(rows: &[Row]) -> u64 {
    rows.last().map_or(HEADER, |last| last.offset + u64::from(last.packed))
}

fn short(length: usize) -> io::Result<u32> {
    let fits = u32::try_from(length).ok().filter(|length| *length <= LARGEST);
    fits.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a block is too long"))
}

fn read_table(file: &File) -> io::Result<Vec<Row>> {
    let mut header = [0; 16];
    file.read_exact_at(&mut header, 0)?;
    if header.split_last_chunk() != Some((&MAGIC, &VERSION.to_le_bytes())) {
        return Err(damaged());
    }
    let trailer_at = file.metadata()?.len().checked_sub(TRAILER as u64).ok_or_else(damaged)?;
    let mut trailer = [0; TRAILER];
    file.read_exact_at(&mut trailer, trailer_at)?;
    let mut fields = Fields(&trailer);
    let (table, count) = (fields.long()?, fields.long()?);
    let length = count.checked_mul(ROW as u64).ok_or_else(damaged)?;
    if fields.0 != END_MAGIC || table.checked_add(length) != Some(trailer_at) {
        return Err(damaged());
    }
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, table)?;
    let (mut fields, mut rows) = (Fields(&bytes), Vec::new());
    while !fields.0.is_empty() {
        let (position, lowest, next, offset) =
            (fields.long()?, fields.long()?, fields.long()?, fields.long()?);
        let row = Row { position, lowest, next, offset, packed: fields.short()?, plain: fields.short()? };
        let fits = offset.checked_add(row.packed.into()).is_some_and(|end| end <= table);
        if !fits || row.plain > LARGEST {
            return Err(damaged());
        }
        rows.push(row);
    }
    Ok(rows)
}
