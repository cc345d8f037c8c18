//! Much output of every ugly kind, while five readers come, go, stall and resume.

use std::fs;

use forge_testkit::server::{Logs, TestServer};
use forge_testkit::turnstile::Turnstile;
use futures::future::join_all;
use tokio::sync::watch;

use super::{Dice, has_ended, printing, text};
use crate::FORGE;

/// What the server may need beyond what it has at rest, in kilobytes: no output fits that often as there are readers.
const MOST_GROWTH: u64 = 44_000;

/// The most that the server has ever held, in kilobytes.
fn peak(server: &TestServer) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.split_whitespace().next().unwrap().parse().unwrap()
}

/// What is printed: blocks that end with a line, and their text.
struct Deluge {
    text: String,
    /// Where the text of each block ends.
    ends: Vec<usize>,
}

/// One reader: what it must come to have, and how far it is.
struct Reader<'a> {
    expected: &'a str,
    read: usize,
    position: u64,
}

impl Reader<'_> {
    /// Takes a frame; false at the end of the log, which is told in words and with a close frame.
    async fn take(&mut self, logs: &mut Logs) -> bool {
        let Some(printed) = logs.next().await else {
            assert_eq!((logs.finished(), logs.close_code()), (true, Some(1000)));
            assert_eq!(self.read, self.expected.len());
            return false;
        };
        let (new, rest) = (text(&printed), &self.expected.as_bytes()[self.read..]);
        assert!(rest.starts_with(new.as_bytes()), "other output after {} bytes", self.read);
        self.read += new.len();
        self.position = logs.position();
        true
    }
}

/// Prints block by block. The next comes when the first reader has the one before; the others are anywhere by then.
async fn first(
    server: &TestServer,
    process: &str,
    deluge: &Deluge,
    gate: &Turnstile,
    done: watch::Sender<usize>,
) {
    let mut reader = Reader { expected: &deluge.text, read: 0, position: 0 };
    let mut dice = Dice(1);
    let mut blocks = 0;
    gate.open();
    loop {
        let mut logs = server.logs(process, reader.position).await;
        for _ in 0..dice.roll(9) {
            if !reader.take(&mut logs).await {
                return;
            }
            if deluge.ends.get(blocks) == Some(&reader.read) {
                blocks += 1;
                done.send_replace(blocks);
                gate.open();
            }
        }
    }
}

/// Comes, perhaps reads nothing for some blocks, reads a little, drops the connection, and comes again.
async fn come_and_go(
    server: &TestServer,
    process: &str,
    deluge: &Deluge,
    seed: u64,
    mut done: watch::Receiver<usize>,
) {
    let mut reader = Reader { expected: &deluge.text, read: 0, position: 0 };
    let mut dice = Dice(seed);
    loop {
        let mut logs = server.logs(process, reader.position).await;
        if dice.roll(4) == 1 {
            let later = *done.borrow() + usize::try_from(dice.roll(20)).unwrap();
            let later = later.min(deluge.ends.len());
            done.wait_for(|done| *done >= later).await.unwrap();
        }
        for _ in 0..dice.roll(9) {
            if !reader.take(&mut logs).await {
                return;
            }
        }
    }
}

/// Prints `blocks`, each of which ends with a line, to five readers and one that is late.
async fn pour(blocks: Vec<Vec<u8>>) {
    let server = TestServer::start(FORGE).await;
    let gate = Turnstile::new(&server.folder().join("gate"));
    let dir = server.folder().join("blocks");
    fs::create_dir(&dir).unwrap();
    let mut deluge = Deluge { text: String::new(), ends: vec![] };
    for (number, block) in blocks.iter().enumerate() {
        fs::write(dir.join(number.to_string()), block).unwrap();
        deluge.text.push_str(&String::from_utf8_lossy(block));
        deluge.ends.push(deluge.text.len());
    }
    let last = blocks.len() - 1;
    let script = format!("for n in $(seq 0 {last}); do {}; cat {}/$n; done", gate.wait(), dir.display());
    let process = printing(&server, &script).await;
    let at_rest = peak(&server);
    let (done, progress) = watch::channel(0);
    let others =
        join_all((2..=5).map(|seed| come_and_go(&server, &process, &deluge, seed, progress.clone())));
    tokio::join!(first(&server, &process, &deluge, &gate, done), others);
    server.until_process(&process, has_ended).await;
    let mut late = Reader { expected: &deluge.text, read: 0, position: 0 };
    let mut logs = server.logs(&process, 0).await;
    while late.take(&mut logs).await {}
    let grown = peak(&server) - at_rest;
    assert!(grown <= MOST_GROWTH, "the server grew by {grown} kB");
}

#[tokio::test]
async fn two_hundred_thousand_lines_reach_every_reader_in_little_memory() {
    let lines = |block: usize| (1..=2000).map(move |line| format!("{:063}\n", block * 2000 + line));
    pour((0..100).map(|block| lines(block).collect::<String>().into_bytes()).collect()).await;
}

#[tokio::test]
async fn bytes_that_are_no_text_reach_every_reader_alike() {
    // Beginnings, middles and ends of characters, in every order, and bytes that are in none.
    let bytes = [
        b"a".as_slice(),
        b"\xe2\x82\xac",
        b"\xe2\x82",
        b"\xf0\x9f\x98",
        b"\x80",
        b"\xff",
        b"\xc3",
        b"\xed\xa0",
    ];
    let mut dice = Dice(7);
    let mut block = || {
        let sides = bytes.len() as u64;
        let pieces = (0..50_000).map(|_| bytes[usize::try_from(dice.roll(sides) - 1).unwrap()]);
        let mut block: Vec<u8> = pieces.flatten().copied().collect();
        block.push(b'\n');
        block
    };
    pour((0..20).map(|_| block()).collect()).await;
}

#[tokio::test]
async fn lines_of_a_megabyte_reach_every_reader_in_little_memory() {
    // Of three bytes each, so that pages end within them.
    let line = format!("{}\n", "€".repeat(350_000)).into_bytes();
    pour(vec![line; 8]).await;
}
