//! Finished logs are compressed, and no reader notices.

use std::fs;
use std::path::{Path, PathBuf};

use forge_testkit::server::{Printed, TestServer};
use serde_json::{Value, json};

use crate::{FORGE, data, is_finished, project, started};

/// Where the version of a log file is, and what it is after compression.
fn is_compressed(log: &Path) -> bool {
    fs::read(log).unwrap().get(8) == Some(&3)
}

/// The ids of attempt and process, and where the log is.
fn parts<'a>(server: &TestServer, started: &'a Value) -> (&'a str, &'a str, PathBuf) {
    let id = |name: &str| started[name].as_str().unwrap();
    let process = id("execution_process_id");
    (id("attempt_id"), process, server.data().join("processes").join(process).join("log"))
}

/// A log as a host leaves it.
fn plain_log(lines: &[String]) -> Vec<u8> {
    let mut log = b"FORGELOG\x01\0\0\0\0\0\0\0".to_vec();
    for (line, seq) in lines.iter().zip(1_u64..) {
        log.extend([seq.to_le_bytes(), 1_u64.to_le_bytes()].concat());
        log.extend([u32::try_from(line.len()).unwrap().to_le_bytes(), [1, 0, 0, 0]].concat());
        log.extend(line.as_bytes());
    }
    log
}

fn text(printed: &[Printed]) -> String {
    printed.iter().map(|entry| entry.text.as_str()).collect()
}

#[tokio::test]
async fn a_reader_across_the_end_one_after_it_and_one_that_resumes_get_the_same() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@flood 20000 100\n@say all of it\n@until-told").await;
    let (attempt, process, log) = parts(&server, &started);
    let mut across = server.logs(process, 0).await;
    // It has read a part when the log is replaced under it.
    let mut seen = across.next().await.unwrap();
    server.logs(process, 0).await.until("all of it").await;
    data(server.post(&format!("/api/task-attempts/{attempt}/stop"), json!({})).await);
    server.until_metric("forge_logs_compressed_total", |count| count == 1.0).await;
    assert!(is_compressed(&log));
    let half = across.position();
    seen.extend(across.rest().await);
    assert!(across.finished());

    let mut late = server.logs(process, 0).await;
    let all = late.rest().await;
    assert!(late.finished());
    assert_eq!(seen, all);
    assert!(text(&all).lines().count() > 20_000);
    let mut resumed = server.logs(process, half).await;
    let rest = resumed.rest().await;
    assert_eq!(rest, all[all.len() - rest.len()..]);
    assert!(!rest.is_empty() && rest.len() < all.len());
}

#[tokio::test]
async fn what_a_killed_server_left_plain_is_compressed_by_the_next_and_reads_the_same() {
    let mut server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say hello").await;
    let (attempt, process, log) = parts(&server, &started);
    server.until_attempt(attempt, is_finished).await;
    server.kill_9().await;
    // As if it had been killed on the way: a draft that is not whole beside a log that nobody has touched.
    let lines: Vec<String> = (0..10_000).map(|number| format!("line {number}\n")).collect();
    fs::write(&log, plain_log(&lines)).unwrap();
    fs::write(log.with_extension("draft"), "not whole").unwrap();
    server.restart().await;
    let mut at_once = server.logs(process, 0).await;
    assert_eq!(text(&at_once.rest().await), lines.concat());
    server.until_metric("forge_logs_compressed_total", |count| count == 1.0).await;
    assert!(is_compressed(&log) && !log.with_extension("draft").exists());
    assert_eq!(text(&server.logs(process, 0).await.rest().await), lines.concat());
}

#[tokio::test]
async fn a_small_log_stays_as_it_is() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let small = started(&server, &project, "@say hello").await;
    let (attempt, _, small_log) = parts(&server, &small);
    server.until_attempt(attempt, is_finished).await;
    let large = started(&server, &project, "@flood 20000 100").await;
    let (_, _, large_log) = parts(&server, &large);
    // One at a time, in the order of their ends: when the second is done, the first has had its turn.
    server.until_metric("forge_logs_compressed_total", |count| count == 1.0).await;
    assert!(is_compressed(&large_log) && !is_compressed(&small_log));
}
