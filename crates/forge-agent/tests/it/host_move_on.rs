//! A program that goes on as another process: one ends, the next begins, and nobody starts anything.

use std::time::Duration;

use forge_agent::client::{AskError, Found, Wait, find, kill_remains};
use forge_agent::host::{End, Outcome};
use forge_agent::log::Stream;
use rustix::process::{Signal, kill_process};
use tokio_util::task::TaskTracker;

use crate::host_kit::{Started, bounded, lives, sh, spec, start};

#[tokio::test]
async fn each_part_has_its_own_log_its_own_count_and_its_own_end() {
    let mut first = start(&spec("cat", &[])).await;
    first.connection.write(0, b"one\n".to_vec()).await.unwrap();
    first.until("one\n").await;
    let mut second = first.move_on("second").await.unwrap();

    let end = first.end().await;
    assert_eq!(end.outcome, Outcome::Exited { code: 0 });
    assert!(!end.stopped && end.log_complete);
    assert!(matches!(first.find().await, Found::Ended(found) if found == end));
    assert_eq!(second.program(), first.program());
    assert_eq!(second.connection.attached().next_ordinal, 0);
    assert_eq!(second.connection.attached().head, 0);

    second.connection.write(0, b"two\n".to_vec()).await.unwrap();
    second.until("two\n").await;
    let again = second.attach().await;
    assert_eq!(again.attached().next_ordinal, 1);
    let mut third = second.move_on("third").await.unwrap();
    assert_eq!(bounded(again.ended()).await, Ok(second.end().await));
    third.connection.write(0, b"three\n".to_vec()).await.unwrap();
    third.connection.close_stdin(1).await.unwrap();
    assert_eq!(third.end().await.outcome, Outcome::Exited { code: 0 });
    for (process, said) in [(&first, "one\n"), (&second, "two\n"), (&third, "three\n")] {
        assert_eq!(process.stdout(), said);
        assert_eq!(process.bytes(Stream::Stdin), said.as_bytes());
    }
    assert!(matches!(third.find().await, Found::Ended(_)));
}

#[tokio::test]
async fn who_asks_a_part_that_is_over_does_nothing_to_the_next() {
    let mut first = start(&spec("cat", &[])).await;
    let mut second = first.move_on("second").await.unwrap();
    first.end().await;
    first.connection.stop(Duration::ZERO).await.unwrap();
    assert_eq!(first.connection.write(0, b"lost\n".to_vec()).await, Err(AskError::Ended));
    second.connection.write(0, b"heard\n".to_vec()).await.unwrap();
    second.connection.close_stdin(1).await.unwrap();
    let end = second.end().await;
    assert_eq!((end.outcome, end.stopped), (Outcome::Exited { code: 0 }, false));
    assert_eq!(second.stdout(), "heard\n");
}

#[tokio::test]
async fn a_program_that_is_not_between_two_lines_stays_the_process_that_it_is() {
    let mut process = start(&sh("printf half; read a; echo whole; exec cat")).await;
    process.until("half").await;
    assert_eq!(process.move_on("second").await.err(), Some(AskError::NotMoved));
    process.connection.write(0, b"\n".to_vec()).await.unwrap();
    process.until("whole\n").await;
    let moved = process.move_on("second").await.unwrap();
    moved.connection.close_stdin(0).await.unwrap();

    // More than the pipe holds, for one that does not read.
    let deaf = start(&sh("exec sleep 1000")).await;
    deaf.connection.write(0, vec![b'x'; 1 << 20]).await.unwrap();
    assert_eq!(deaf.move_on("third").await.err(), Some(AskError::NotMoved));
    deaf.connection.stop(Duration::ZERO).await.unwrap();
    assert!(bounded(deaf.connection.ended()).await.unwrap().stopped);
}

#[tokio::test]
async fn a_directory_that_has_a_process_is_not_taken() {
    let mut process = start(&spec("cat", &[])).await;
    std::fs::create_dir(process.dir.with_file_name("taken")).unwrap();
    std::fs::write(process.dir.with_file_name("taken").join("log"), "somebody's").unwrap();
    assert_eq!(process.move_on("taken").await.err(), Some(AskError::NotMoved));
    process.connection.close_stdin(0).await.unwrap();
    assert_eq!(process.end().await.outcome, Outcome::Exited { code: 0 });
    let theirs = std::fs::read(process.dir.with_file_name("taken").join("log")).unwrap();
    assert_eq!(theirs, b"somebody's");
}

#[tokio::test]
async fn what_a_killed_host_left_is_found_by_the_last_part_too() {
    let mut first = start(&sh("(setsid sh -c 'echo daemon=$$.; sleep 1000; :' &); exec cat")).await;
    let daemon = first.pid("daemon").await;
    let second = first.move_on("second").await.unwrap();
    let third = second.move_on("third").await.unwrap();
    kill_process(third.host(), Signal::KILL).unwrap();
    assert!(bounded(third.connection.ended()).await.is_err());
    assert!(matches!(third.find().await, Found::Lost));
    assert!(matches!(first.find().await, Found::Ended(_)));
    assert!(lives(daemon));
    assert!(bounded(kill_remains(&third.dir)).await.unwrap() >= 1);
    assert!(!lives(daemon) && !lives(third.program()));
}

/// The end of a program that waits no longer than this; it may be there before we are.
async fn end_of(process: &Started, wait: Wait) -> End {
    let moved = process.move_on_for("second", wait).await;
    assert!(matches!(moved, Ok(_) | Err(AskError::Ended)), "{:?}", moved.err());
    let dir = process.dir.with_file_name("second");
    match bounded(find(&TaskTracker::new(), &dir)).await.unwrap() {
        Found::Running(connection) => bounded(connection.ended()).await.unwrap(),
        Found::Ended(end) => end,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn who_is_told_nothing_is_let_go_and_who_is_told_something_stays() {
    let wait = Wait { idle: Duration::from_millis(1), grace: Duration::from_secs(100) };
    let first = start(&sh("while read line; do echo $line; done; exit 3")).await;
    let end = end_of(&first, wait).await;
    assert_eq!((end.outcome, end.stopped), (Outcome::Exited { code: 3 }, true));

    let stubborn = start(&sh("exec sleep 1000")).await;
    let wait = Wait { grace: Duration::ZERO, ..wait };
    let end = end_of(&stubborn, wait).await;
    assert_eq!(end.outcome, Outcome::Signaled { signal: Signal::KILL.as_raw() });

    let told = start(&spec("cat", &[])).await;
    let long = Wait { idle: Duration::from_secs(3600), ..wait };
    let mut second = told.move_on_for("second", long).await.unwrap();
    second.connection.write(0, b"hello\n".to_vec()).await.unwrap();
    second.until("hello").await;
    second.connection.close_stdin(1).await.unwrap();
    assert_eq!(second.end().await.outcome, Outcome::Exited { code: 0 });
}
