//! Output: every byte, in order, whatever the program, the disk and the readers do.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::Path;

use forge_agent::host::Outcome;
use forge_agent::log::{LogReader, Stream};
use rustix::process::{Resource, Rlimit, getrlimit, prlimit};

use crate::host_kit::{bounded, launcher, launcher_after, sh, spec, start, start_in, start_with};

#[tokio::test]
async fn output_is_kept_byte_for_byte_and_streams_are_told_apart() {
    let mut process = start(&sh(r"printf '\377\000\376 no newline'; printf 'oops\n' >&2; exit 3")).await;
    let end = process.end().await;
    assert_eq!((end.outcome, end.stopped, end.log_complete), (Outcome::Exited { code: 3 }, false, true));
    assert_eq!(process.bytes(Stream::Stdout), b"\xff\0\xfe no newline");
    assert_eq!(process.bytes(Stream::Stderr), b"oops\n");
}

#[tokio::test]
async fn a_line_of_a_megabyte_arrives_whole() {
    let mut process = start(&sh("head -c 1000000 /dev/zero | tr '\\0' x; echo; echo after")).await;
    process.end().await;
    let stdout = process.stdout();
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!((lines.len(), lines[0].len(), lines[1]), (2, 1_000_000, "after"));
    assert!(lines[0].bytes().all(|byte| byte == b'x'));
}

#[tokio::test]
async fn a_line_printed_alone_is_announced_without_waiting_for_more() {
    let mut process = start(&sh("echo one; read go; echo two; read go; echo three")).await;
    for (ordinal, line) in (0..).zip(["one", "two"]) {
        process.until(line).await;
        process.connection.write(ordinal, b"go\n".to_vec()).await.unwrap();
    }
    process.end().await;
    assert_eq!(process.stdout(), "one\ntwo\nthree\n");
}

#[tokio::test]
async fn two_hundred_thousand_lines_arrive_complete_and_cost_the_host_no_memory() {
    let mut process = start(&sh("seq 1 200000; echo done; read go")).await;
    process.until("done\n").await;
    let status = format!("/proc/{}/status", process.host().as_raw_nonzero());
    let status = std::fs::read_to_string(status).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 16 * 1024, "the host took {peak} kB (a debug build counts too)");
    process.connection.close_stdin(0).await.unwrap();
    process.end().await;
    let expected: String = (1..=200_000).map(|number| format!("{number}\n")).collect();
    assert_eq!(process.stdout(), expected + "done\n");
}

#[tokio::test]
async fn a_client_that_does_not_read_slows_down_neither_program_nor_other_clients() {
    let mut process = start(&sh("read go; seq 1 200000")).await;
    let mut idle = UnixStream::connect(process.dir.join("socket")).unwrap();
    let other = process.attach().await;
    process.connection.write(0, b"go\n".to_vec()).await.unwrap();
    let end = process.end().await;
    assert_eq!(process.stdout().lines().count(), 200_000);
    assert_eq!(bounded(other.ended()).await, Ok(end));
    // It hears of the end too, late as it is.
    let mut heard = Vec::new();
    idle.read_to_end(&mut heard).unwrap();
    assert!(String::from_utf8_lossy(&heard).contains(r#""type":"ended""#));
}

#[tokio::test]
async fn readers_that_join_at_any_time_get_everything_once_and_in_order() {
    let mut process = start(&sh("seq 1 100000; read go")).await;
    let mut readers = Vec::new();
    for _ in 0..8 {
        let mut reader = LogReader::open(&process.dir).unwrap();
        let first = reader.read_after(0, 100_000).unwrap();
        readers.push((reader, first.frames, first.next));
        process.connection.head().changed().await.unwrap();
    }
    process.until("100000\n").await;
    process.connection.stop(std::time::Duration::ZERO).await.unwrap();
    process.end().await;
    for (mut reader, mut frames, mut next) in readers {
        loop {
            let page = reader.read_after(next, 10_000).unwrap();
            if page.frames.is_empty() {
                break;
            }
            frames.extend(page.frames);
            next = page.next;
        }
        assert_eq!(frames, process.frames);
    }
}

#[tokio::test]
async fn a_full_disk_holds_the_program_up_and_loses_nothing() {
    // A limit on the size of files stands for the full disk: writing fails and can be made to work again.
    let limited = launcher_after("trap '' XFSZ; ulimit -S -f 64");
    let mut process = start_with(&limited, &sh("seq 1 20000; echo done")).await;
    let reason = bounded(process.connection.stalled()).await;
    assert!(reason.contains("large"), "{reason}");
    let flows = tokio::time::timeout(std::time::Duration::ZERO, process.connection.flows());
    assert!(flows.await.is_err(), "it does not, as long as there is no room");
    process.read();
    assert!(!process.stdout().contains("done"));
    let maximum = getrlimit(Resource::Fsize).maximum;
    prlimit(Some(process.host()), Resource::Fsize, Rlimit { current: maximum, maximum }).unwrap();
    bounded(process.connection.flows()).await;
    let end = process.end().await;
    let expected: String = (1..=20_000).map(|number| format!("{number}\n")).collect();
    assert_eq!(process.stdout(), expected + "done\n");
    assert!(end.log_complete);
}

#[tokio::test]
async fn a_process_can_be_stopped_while_the_disk_is_full() {
    let limited = launcher_after("trap '' XFSZ; ulimit -S -f 64");
    let mut process = start_with(&limited, &spec("yes", &[])).await;
    bounded(process.connection.stalled()).await;
    assert!(process.connection.write(0, b"x".to_vec()).await.is_err());
    process.connection.stop(std::time::Duration::from_secs(60)).await.unwrap();
    let end = process.end().await;
    assert_eq!((end.outcome, end.stopped, end.log_complete), (Outcome::Signaled { signal: 2 }, true, false));
}

#[tokio::test]
async fn directories_with_long_and_strange_paths_work() {
    let long = ["a-rather-long-name-of-a-directory"; 8].join("/");
    for below in [long.as_str(), "spaces in it", "a\nnewline", "umlaut-ä", "quote'\"$(exit)"] {
        let mut process = start_in(&launcher(), &sh("cat"), Path::new(below)).await;
        let again = process.attach().await;
        again.write(0, b"hello".to_vec()).await.unwrap();
        again.close_stdin(1).await.unwrap();
        assert_eq!(process.end().await.outcome, Outcome::Exited { code: 0 });
        assert_eq!(process.stdout(), "hello");
    }
}
