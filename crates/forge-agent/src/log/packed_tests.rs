//! Tests of compressed logs against the plain ones they were made of.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use proptest::prelude::*;

use super::super::{Frame, LOG_FILE, LogError, LogReader, LogWriter, Stream};
use super::{BLOCK, DRAFT_FILE, pack};

const STREAMS: [Stream; 5] =
    [Stream::Stdout, Stream::Stderr, Stream::Stdin, Stream::StdinClosed, Stream::Note];

fn put_log(dir: &Path, chunks: &[(Stream, Vec<u8>)]) -> Vec<u8> {
    let mut log = LogWriter::create(Vec::new(), None).unwrap();
    for (stream, bytes) in chunks {
        log.append(*stream, bytes).unwrap();
    }
    fs::write(dir.join(LOG_FILE), log.sink()).unwrap();
    log.sink().clone()
}

/// Lines of output, more than a few blocks of them.
fn lines() -> Vec<(Stream, Vec<u8>)> {
    (0..30_000)
        .map(|n| (STREAMS[n % 5], format!("this is line {n} of a long output\n").into_bytes()))
        .collect()
}

fn read_all(reader: &mut LogReader, mut after: u64, page: usize) -> Vec<Frame> {
    let mut all = Vec::new();
    loop {
        let read = reader.read_after(after, page).unwrap();
        if read.frames.is_empty() {
            assert_eq!(read.next, after);
            return all;
        }
        after = read.next;
        all.extend(read.frames);
    }
}

#[test]
fn a_compressed_log_has_the_same_frames_and_takes_less_room() {
    let dir = tempfile::tempdir().unwrap();
    let plain = put_log(dir.path(), &lines());
    let before = read_all(&mut LogReader::open(dir.path()).unwrap(), 0, usize::MAX);
    assert!(pack(dir.path(), || true).unwrap());
    let metadata = fs::metadata(dir.path().join(LOG_FILE)).unwrap();
    assert!(metadata.len() * 3 < plain.len() as u64, "{} of {}", metadata.len(), plain.len());
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "output is its owner's alone");
    let mut reader = LogReader::open(dir.path()).unwrap();
    assert!(reader.is_packed());
    assert_eq!(reader.last().unwrap(), 30_000);
    assert_eq!(read_all(&mut reader, 0, usize::MAX), before);
    assert!(!pack(dir.path(), || true).unwrap(), "once is enough");
    assert!(!dir.path().join(DRAFT_FILE).exists());
}

#[test]
fn a_reader_resumes_anywhere_with_pages_of_any_size() {
    let dir = tempfile::tempdir().unwrap();
    put_log(dir.path(), &lines());
    let before = read_all(&mut LogReader::open(dir.path()).unwrap(), 0, usize::MAX);
    assert!(pack(dir.path(), || true).unwrap());
    let mut reader = LogReader::open(dir.path()).unwrap();
    for after in [0, 1, 7_000, 7_001, 14_999, 29_998, 29_999, 30_000, 30_001, u64::MAX] {
        let expected = before.get(usize::try_from(after).unwrap_or(usize::MAX)..).unwrap_or_default();
        for page in [1_000_000, 64 * 1024] {
            assert_eq!(read_all(&mut reader, after, page), expected, "after {after}");
        }
        let one = reader.read_after(after, 1).unwrap().frames;
        assert_eq!(one, expected.get(..1).unwrap_or_default(), "at least one frame, however small the page");
    }
}

#[test]
fn a_reader_of_the_plain_log_reads_on_while_it_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    put_log(dir.path(), &lines());
    let mut old = LogReader::open(dir.path()).unwrap();
    let mut frames = old.read_after(0, 100_000).unwrap().frames;
    assert!(pack(dir.path(), || true).unwrap());
    let after = frames.last().unwrap().seq;
    frames.extend(read_all(&mut old, after, 100_000));
    assert!(frames.iter().zip(1..).all(|(frame, seq)| frame.seq == seq));
    assert_eq!(frames, read_all(&mut LogReader::open(dir.path()).unwrap(), 0, 100_000));
}

#[test]
fn one_who_is_told_to_leave_off_leaves_the_log_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let plain = put_log(dir.path(), &lines());
    let asked = std::cell::Cell::new(0);
    let twice = || asked.replace(asked.get() + 1) < 2;
    assert!(!pack(dir.path(), twice).unwrap());
    assert_eq!(fs::read(dir.path().join(LOG_FILE)).unwrap(), plain);
    assert!(!dir.path().join(DRAFT_FILE).exists());
}

#[test]
fn what_a_crash_left_is_written_over_and_a_torn_tail_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let plain = put_log(dir.path(), &lines());
    fs::write(dir.path().join(LOG_FILE), &plain[..plain.len() - 3]).unwrap();
    fs::write(dir.path().join(DRAFT_FILE), vec![7; 2 * plain.len()]).unwrap();
    assert!(pack(dir.path(), || true).unwrap());
    let frames = read_all(&mut LogReader::open(dir.path()).unwrap(), 0, usize::MAX);
    assert_eq!(frames.len(), 29_999);
}

#[test]
fn a_small_log_is_left_alone_and_a_missing_one_is_told() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(pack(dir.path(), || true), Err(LogError::Missing { .. })));
    put_log(dir.path(), &[(Stream::Stdout, vec![b'x'; 10_000])]);
    assert!(!pack(dir.path(), || true).unwrap());
    assert!(!LogReader::open(dir.path()).unwrap().is_packed());
}

#[test]
fn a_damaged_file_is_an_error_and_never_other_output() {
    let dir = tempfile::tempdir().unwrap();
    put_log(dir.path(), &lines());
    let before = read_all(&mut LogReader::open(dir.path()).unwrap(), 0, usize::MAX);
    assert!(pack(dir.path(), || true).unwrap());
    let whole = fs::read(dir.path().join(LOG_FILE)).unwrap();
    for place in (16..whole.len()).step_by(whole.len() / 97) {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x55;
        fs::write(dir.path().join(LOG_FILE), bytes).unwrap();
        let Ok(mut reader) = LogReader::open(dir.path()) else { continue };
        let mut after = 0;
        while let Ok(page) = reader.read_after(after, 100_000)
            && let Some(last) = page.frames.last()
        {
            let from = usize::try_from(after).unwrap();
            assert_eq!(page.frames, before[from..usize::try_from(last.seq).unwrap()], "damaged at {place}");
            after = page.next;
        }
    }
    for cut in [0, 15, 16, 40, whole.len() - 1] {
        fs::write(dir.path().join(LOG_FILE), &whole[..cut]).unwrap();
        let read = LogReader::open(dir.path()).and_then(|mut reader| reader.read_after(0, 1));
        assert!(read.is_err() || read.is_ok_and(|page| page.frames.is_empty()), "cut at {cut}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_frames_come_back(sizes in prop::collection::vec((0..5_usize, 0..2 * BLOCK), 1..12), page in 1..BLOCK) {
        let mut chunks: Vec<_> = sizes.iter().map(|(kind, size)| (STREAMS[*kind], vec![b'a'; *size])).collect();
        chunks.push((Stream::Stdout, vec![b'z'; 70_000]));
        let dir = tempfile::tempdir().unwrap();
        put_log(dir.path(), &chunks);
        let before = read_all(&mut LogReader::open(dir.path()).unwrap(), 0, page);
        prop_assert!(pack(dir.path(), || true).unwrap());
        let after = read_all(&mut LogReader::open(dir.path()).unwrap(), 0, page);
        prop_assert_eq!(before, after);
    }
}
