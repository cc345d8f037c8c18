//! Servers come and go: a process is found again, in whatever state it is.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::parent_id;

use forge_agent::client::{Found, Lost, find, kill_remains};
use forge_agent::host::Outcome;
use rustix::process::{Signal, kill_process};
use tokio_util::task::TaskTracker;

use crate::host_kit::{bounded, launcher, lives, sh, spec, start};

#[tokio::test]
async fn a_process_outlives_its_server_and_is_found_again() {
    let mut process = start(&sh("read a; echo got $a; read b; echo got $b")).await;
    process.connection.write(0, b"one\n".to_vec()).await.unwrap();
    process.until("got one").await;
    let again = process.attach().await;
    assert_eq!(again.attached().pid, process.connection.attached().pid);
    assert_eq!(again.attached().next_ordinal, 1);
    assert_eq!(again.attached().started_at, process.connection.attached().started_at);
    assert_eq!(*again.head().borrow(), process.frames.last().unwrap().seq);
    again.write(1, b"two\n".to_vec()).await.unwrap();
    let end = process.end().await;
    assert_eq!(bounded(again.ended()).await, Ok(end));
    assert_eq!(process.stdout(), "got one\ngot two\n");
}

/// As the kernel tells them: 0 for one that is outside of our namespace, which a call of the system cannot name.
fn parent_and_session(pid: i32) -> (i32, i32) {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = status.rsplit_once(')').unwrap().1.split_whitespace().collect();
    (fields[1].parse().unwrap(), fields[3].parse().unwrap())
}

#[tokio::test]
async fn the_host_is_nobodys_child_and_ignores_what_is_meant_for_the_server() {
    let mut process = start(&spec("cat", &[])).await;
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        kill_process(process.host(), signal).unwrap();
    }
    let (parent, session) = parent_and_session(process.host().as_raw_nonzero().get());
    let own = i32::try_from(std::process::id()).unwrap();
    assert_ne!(parent, own);
    assert_ne!(session, parent_and_session(own).1);
    assert_ne!(parent_id(), process.connection.attached().host_pid);
    process.connection.write(0, b"still here".to_vec()).await.unwrap();
    process.connection.close_stdin(1).await.unwrap();
    assert_eq!(process.end().await.outcome, Outcome::Exited { code: 0 });
    assert_eq!(process.stdout(), "still here");
}

#[tokio::test]
async fn a_dropped_connection_ends_its_task_and_leaves_the_process_running() {
    let launcher = launcher();
    let mut process = crate::host_kit::start_with(&launcher, &spec("cat", &[])).await;
    let kept = process.attach().await;
    process.connection = kept;
    launcher.tasks.close();
    bounded(launcher.tasks.wait()).await;
    process.connection.close_stdin(0).await.unwrap();
    assert_eq!(process.end().await.outcome, Outcome::Exited { code: 0 });
}

#[tokio::test]
async fn an_ended_process_tells_its_result_ever_after() {
    let mut process = start(&sh("exit 4")).await;
    let end = process.end().await;
    for _ in 0..2 {
        match process.find().await {
            Found::Ended(found) => assert_eq!(found, end),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_process_whose_host_was_killed_is_lost_and_what_is_left_of_it_can_be_killed() {
    let mut process =
        start(&sh("(setsid sh -c 'echo daemon=$$.; sleep 1000; :' &); echo output; exec sleep 1000")).await;
    process.until("output").await;
    let daemon = process.pid("daemon").await;
    kill_process(process.host(), Signal::KILL).unwrap();
    assert_eq!(bounded(process.connection.ended()).await, Err(Lost));
    assert!(matches!(process.find().await, Found::Lost));
    process.read();
    assert!(process.stdout().contains("output\n"));
    assert!(lives(process.program()) && lives(daemon));
    // The program, its daemon, and the `sleep` of that if it was there yet.
    assert!(bounded(kill_remains(&process.dir)).await.unwrap() >= 2);
    assert!(!lives(process.program()) && !lives(daemon));
    assert_eq!(bounded(kill_remains(&process.dir)).await.unwrap(), 0);
}

#[tokio::test]
async fn a_host_that_is_frozen_is_neither_lost_nor_ended() {
    let mut process = start(&spec("cat", &[])).await;
    kill_process(process.host(), Signal::STOP).unwrap();
    let (tasks, dir) = (TaskTracker::new(), process.dir.clone());
    let mut looking = Box::pin(find(&tasks, &dir));
    tokio::select! {
        biased;
        found = &mut looking => panic!("{found:?}"),
        () = std::future::ready(()) => {}
    }
    kill_process(process.host(), Signal::CONT).unwrap();
    assert!(matches!(bounded(looking).await.unwrap(), Found::Running(_)));
    process.connection.close_stdin(0).await.unwrap();
    process.end().await;
}

#[tokio::test]
async fn a_directory_without_a_process_was_never_started() {
    let dir = tempfile::tempdir().unwrap();
    for path in [dir.path().to_owned(), dir.path().join("missing")] {
        assert!(matches!(find(&TaskTracker::new(), &path).await.unwrap(), Found::NeverStarted));
    }
}

#[tokio::test]
async fn a_client_that_is_newer_or_broken_is_refused_and_does_no_harm() {
    let mut process = start(&spec("cat", &[])).await;
    let mut newer = UnixStream::connect(process.dir.join("socket")).unwrap();
    let request = br#"{"id":5,"ask":{"type":"dance","tempo":120}}"#;
    let lengths = [u32::try_from(request.len()).unwrap().to_le_bytes(), [0; 4]].concat();
    newer.write_all(&[&lengths[..], request].concat()).unwrap();
    let (mut heard, mut byte) = (Vec::new(), [0]);
    while !heard.ends_with(br#""id":5,"refusal":{"type":"unsupported"}"#) {
        newer.read_exact(&mut byte).unwrap();
        heard.extend(byte);
    }
    let broken = UnixStream::connect(process.dir.join("socket")).unwrap();
    (&broken).write_all(&[0xff; 64]).unwrap();
    // The host hangs up on what it cannot follow.
    let _reset = (&broken).read_to_end(&mut heard);
    process.connection.write(0, b"unharmed".to_vec()).await.unwrap();
    process.connection.close_stdin(1).await.unwrap();
    assert_eq!(process.end().await.outcome, Outcome::Exited { code: 0 });
    assert_eq!(process.stdout(), "unharmed");
}
