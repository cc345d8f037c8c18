//! Tests of the log's two sides together.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use proptest::prelude::*;

use super::{
    FILE_HEADER, FRAME_HEADER, Frame, INDEX_FILE, LOG_FILE, LogError, LogReader, LogWriter, MAGIC, Stream,
    Tally, pack,
};

fn written(chunks: &[(Stream, &[u8])]) -> Vec<u8> {
    let mut log = LogWriter::create(Vec::new(), None).unwrap();
    for (stream, bytes) in chunks {
        log.append(*stream, bytes).unwrap();
    }
    log.sink().clone()
}

fn reader_of(bytes: &[u8]) -> (tempfile::TempDir, LogReader) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(LOG_FILE), bytes).unwrap();
    let reader = LogReader::open(dir.path()).unwrap();
    (dir, reader)
}

fn contents(frames: &[Frame]) -> Vec<(u64, Stream, Vec<u8>)> {
    frames.iter().map(|frame| (frame.seq, frame.stream, frame.bytes.clone())).collect()
}

#[test]
fn what_is_written_is_read_byte_for_byte() {
    let chunks: [(Stream, &[u8]); 5] = [
        (Stream::Stdout, b"one\n"),
        (Stream::Stderr, &[0xff, 0x00, 0xfe]),
        (Stream::Stdin, b"{}\n"),
        (Stream::StdinClosed, b""),
        (Stream::Note, "a note".as_bytes()),
    ];
    let (_dir, mut reader) = reader_of(&written(&chunks));
    let page = reader.read_after(0, usize::MAX).unwrap();
    let expected: Vec<_> =
        (1..).zip(chunks).map(|(seq, (stream, bytes))| (seq, stream, bytes.to_vec())).collect();
    assert_eq!(contents(&page.frames), expected);
    assert_eq!((page.next, reader.last().unwrap()), (5, 5));
}

#[test]
fn a_log_torn_at_any_byte_is_read_to_its_last_whole_frame() {
    let payloads: [&[u8]; 4] = [b"first", b"", &[0; 40], b"the last one"];
    let chunks = payloads.map(|bytes| (Stream::Stdout, bytes));
    let whole = written(&chunks);
    let mut ends = vec![FILE_HEADER];
    for bytes in payloads {
        ends.push(ends.last().unwrap() + FRAME_HEADER + bytes.len());
    }
    for cut in 0..=whole.len() {
        let expected = ends.iter().filter(|end| **end <= cut).count().saturating_sub(1);
        // After a power cut zeros or garbage can follow; at the end of a frame they must not pass for another one.
        let tails: &[&[u8]] = if ends.contains(&cut) { &[&[], &[0; 64], &[0xff; 64]] } else { &[&[]] };
        for tail in tails {
            let (_dir, mut reader) = reader_of(&[&whole[..cut], tail].concat());
            assert_eq!(reader.read_after(0, usize::MAX).unwrap().frames.len(), expected, "cut at {cut}");
            assert_eq!(reader.last().unwrap(), expected as u64, "cut at {cut}");
        }
    }
}

#[test]
fn a_reader_waits_at_a_torn_frame_and_goes_on_when_it_is_finished() {
    let whole = written(&[(Stream::Stdout, b"first"), (Stream::Stdout, b"second")]);
    let (dir, mut reader) = reader_of(&whole[..whole.len() - 3]);
    assert_eq!(reader.read_after(0, usize::MAX).unwrap().next, 1);
    assert_eq!(reader.read_after(1, usize::MAX).unwrap().frames, []);
    fs::write(dir.path().join(LOG_FILE), &whole).unwrap();
    let page = reader.read_after(1, usize::MAX).unwrap();
    assert_eq!(contents(&page.frames), [(2, Stream::Stdout, b"second".to_vec())]);
}

#[test]
fn a_page_holds_at_least_one_frame_and_no_more_than_fits() {
    let (_dir, mut reader) = reader_of(&written(&[(Stream::Stdout, &[7; 100]), (Stream::Stdout, &[8; 100])]));
    assert_eq!(reader.read_after(0, 1).unwrap().next, 1);
    assert_eq!(reader.read_after(0, 150).unwrap().next, 1);
    assert_eq!(reader.read_after(0, 200).unwrap().next, 2);
    assert_eq!(reader.read_after(2, 200).unwrap().next, 2);
    assert_eq!(reader.read_after(99, 200).unwrap().next, 99);
}

#[test]
fn a_late_position_of_a_long_log_is_found_from_either_side() {
    let mut log = LogWriter::create(Vec::new(), None).unwrap();
    for number in 0..60_000_u32 {
        log.append(Stream::Stdout, &number.to_le_bytes()).unwrap();
    }
    let (_dir, mut reader) = reader_of(log.sink());
    for seq in [59_998_u64, 3, 30_000, 0, 59_999, 12_345] {
        let page = reader.read_after(seq, 4).unwrap();
        let number = u32::try_from(seq).unwrap();
        assert_eq!(contents(&page.frames), [(seq + 1, Stream::Stdout, number.to_le_bytes().to_vec())]);
    }
    assert_eq!(reader.last().unwrap(), 60_000);
}

#[test]
fn a_missing_a_foreign_and_a_future_log_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(LogReader::open(dir.path()), Err(LogError::Missing { .. })));
    let (_dir, mut reader) = reader_of(b"#!/bin/sh\necho this is no log\n");
    assert!(matches!(reader.read_after(0, 1), Err(LogError::NotALog { .. })));
    let mut future = written(&[]);
    future[8] = 9;
    let (_dir, mut reader) = reader_of(&future);
    assert!(matches!(reader.read_after(0, 1), Err(LogError::UnknownVersion { version: 9, .. })));
}

/// Frames of every kind, in pieces that cut characters, enough for a few places in an index.
fn long_log(dir: &Path) -> Vec<(Stream, Vec<u8>)> {
    let kinds = [Stream::Stdout, Stream::Stdin, Stream::Stderr, Stream::Stdout, Stream::Note];
    let text = "€ü\u{10FFFF}x".repeat(9_000);
    let sizes = [1_usize, 2, 700, 5, 3_000, 40_000, 1, 0].iter().cycle();
    let chunks: Vec<_> = (0..300)
        .zip(sizes)
        .map(|(number, size)| (kinds[number % 5], text.as_bytes()[number..number + size].to_vec()))
        .collect();
    let file = fs::File::create(dir.join(LOG_FILE)).unwrap();
    let mut log = LogWriter::create(file, Some(dir.join(INDEX_FILE))).unwrap();
    for (stream, bytes) in &chunks {
        log.append(*stream, bytes).unwrap();
    }
    chunks
}

/// Whether each place of the log, reached at once, is what it is when everything before is read.
fn assert_tallies(dir: &Path, chunks: &[(Stream, Vec<u8>)]) {
    let mut tally = Tally::default();
    for (after, seq) in (0..=chunks.len()).zip(0_u64..) {
        let mut reader = LogReader::open(dir).unwrap();
        assert_eq!(reader.tally(seq).unwrap(), (seq, tally), "up to {seq}");
        let next = chunks.get(after).map(|(stream, bytes)| (seq + 1, *stream, bytes.clone()));
        assert_eq!(contents(&reader.read_after(seq, 1).unwrap().frames).first(), next.as_ref());
        if let Some((stream, bytes)) = chunks.get(after) {
            tally.pass(seq + 1, *stream, bytes);
        }
    }
    let mut reader = LogReader::open(dir).unwrap();
    let last = chunks.len() as u64;
    assert_eq!(reader.tally(last + 9).unwrap(), (last, tally));
    assert_eq!(reader.last().unwrap(), last);
}

#[test]
fn any_place_is_reached_with_an_index_without_and_compressed() {
    let dir = tempfile::tempdir().unwrap();
    let chunks = long_log(dir.path());
    assert_tallies(dir.path(), &chunks);
    let index = fs::read(dir.path().join(INDEX_FILE)).unwrap();
    assert!(index.len() >= 3 * 48, "{}", index.len());
    fs::remove_file(dir.path().join(INDEX_FILE)).unwrap();
    assert_tallies(dir.path(), &chunks);
    fs::write(dir.path().join(INDEX_FILE), &index).unwrap();
    assert!(pack(dir.path(), || true).unwrap());
    assert!(!dir.path().join(INDEX_FILE).exists());
    assert_tallies(dir.path(), &chunks);
}

#[test]
fn a_place_is_reached_without_reading_what_is_before_it() {
    let dir = tempfile::tempdir().unwrap();
    let chunks = long_log(dir.path());
    // A hole in the first frames, by which whoever reads them would be stopped.
    let path = dir.path().join(LOG_FILE);
    let mut bytes = fs::read(&path).unwrap();
    bytes[FILE_HEADER..200_000].fill(0);
    fs::write(&path, bytes).unwrap();
    let mut reader = LogReader::open(dir.path()).unwrap();
    let page = reader.read_after(chunks.len() as u64 - 1, 1).unwrap();
    assert_eq!(page.frames[0].bytes, chunks.last().unwrap().1);
    assert_eq!(LogReader::open(dir.path()).unwrap().last().unwrap(), chunks.len() as u64);
}

#[test]
fn an_index_that_is_torn_or_damaged_or_ahead_of_the_log_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let chunks = long_log(dir.path());
    let index = fs::read(dir.path().join(INDEX_FILE)).unwrap();
    let all = contents(&LogReader::open(dir.path()).unwrap().read_after(0, usize::MAX).unwrap().frames);
    let check = |index: &[u8], frames: &[(u64, Stream, Vec<u8>)]| {
        fs::write(dir.path().join(INDEX_FILE), index).unwrap();
        let mut reader = LogReader::open(dir.path()).unwrap();
        assert_eq!(reader.last().unwrap(), frames.len() as u64);
        let mut reader = LogReader::open(dir.path()).unwrap();
        let late = frames.len() as u64 - 1;
        assert_eq!(contents(&reader.read_after(late, 1).unwrap().frames), frames[frames.len() - 1..]);
    };
    for cut in [0, 1, 47, 48, 50, index.len() - 1] {
        check(&index[..cut], &all);
        check(&[&index[..cut], &[0; 100]].concat(), &all);
    }
    for place in (0..index.len()).step_by(7) {
        let mut damaged = index.clone();
        damaged[place] ^= 0x11;
        check(&damaged, &all);
    }
    // A power cut took the end of the log, not that of the index.
    let log = fs::read(dir.path().join(LOG_FILE)).unwrap();
    fs::write(dir.path().join(LOG_FILE), &log[..300_000]).unwrap();
    fs::remove_file(dir.path().join(INDEX_FILE)).unwrap();
    let left = contents(&LogReader::open(dir.path()).unwrap().read_after(0, usize::MAX).unwrap().frames);
    assert!(left.len() < chunks.len());
    check(&index, &left);
}

/// A disk that takes the header at once, then a few bytes at a time and is full every now and then.
struct FullDisk {
    bytes: Vec<u8>,
    calls: usize,
}

impl Write for FullDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.starts_with(&MAGIC) {
            self.bytes.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        self.calls += 1;
        if self.calls.is_multiple_of(3) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let count = bytes.len().min(5);
        self.bytes.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_neither_loses_nor_doubles_a_byte() {
    let mut log = LogWriter::create(FullDisk { bytes: Vec::new(), calls: 0 }, None).unwrap();
    let chunks: [&[u8]; 3] = [b"the first chunk", b"the second one", b"and the third"];
    for bytes in chunks {
        let before = log.head();
        if log.append(Stream::Stdout, bytes).is_err() {
            assert_eq!(log.head(), before);
        }
        while log.retry().is_err() {}
        assert_eq!(log.head(), before + 1);
    }
    let (_dir, mut reader) = reader_of(&log.sink().bytes);
    let read: Vec<_> =
        reader.read_after(0, usize::MAX).unwrap().frames.into_iter().map(|f| f.bytes).collect();
    assert_eq!(read, chunks);
}

proptest! {
    #[test]
    fn any_bytes_after_the_header_are_read_without_a_panic(tail in proptest::collection::vec(any::<u8>(), 0..200)) {
        let (_dir, mut reader) = reader_of(&[written(&[(Stream::Stdout, b"x")]), tail].concat());
        prop_assert_eq!(reader.read_after(0, usize::MAX).unwrap().frames[0].bytes.clone(), b"x");
        prop_assert!(reader.last().unwrap() >= 1);
    }
}
