//! What the server counts of itself, as a scraper reads it.

use std::collections::BTreeMap;

use forge_testkit::server::{Setup, TestServer};
use reqwest::Method;
use serde_json::json;

use crate::{FORGE, code, data, is_finished, project, started};

async fn text(server: &TestServer) -> String {
    let (status, body) = server.get("/metrics").await;
    assert_eq!(status, 200, "{body}");
    body.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_line_is_told_about_and_every_name_is_ours() {
    let server = TestServer::start(FORGE).await;
    let response = server.request(Method::GET, "/metrics").send().await.unwrap();
    let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
    assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
    let mut kinds = BTreeMap::new();
    for line in text(&server).await.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert_eq!(kinds.insert(name.to_owned(), kind.to_owned()), None, "{name} is told twice");
        } else if !line.starts_with("# HELP ") {
            let (sample, value) = line.rsplit_once(' ').unwrap();
            value.parse::<f64>().unwrap();
            let name = sample.split('{').next().unwrap();
            let family = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
            let known = kinds.contains_key(name)
                || family
                    .and_then(|family| kinds.get(family))
                    .is_some_and(|kind| kind == "histogram" || kind == "summary");
            assert!(known && name.starts_with("forge_"), "{line}");
        }
    }
    assert!(kinds.len() >= 10, "{kinds:?}");
    let version = format!("forge_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
    assert_eq!(server.metric(&version).await, Some(1.0));
    for own in ["resident_bytes", "open_files", "threads"] {
        assert!(server.metric(&format!("forge_process_{own}")).await.unwrap() > 0.0, "{own}");
    }
}

#[tokio::test]
async fn starts_are_counted_by_what_they_came_to_and_how_long_each_part_took() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    for _ in 0..2 {
        let attempt = started(&server, &project, "@say hello").await;
        server.until_attempt(attempt["attempt_id"].as_str().unwrap(), is_finished).await;
    }
    let body = json!({
        "task": {"project_id": project["id"], "title": "t"},
        "executor_profile_id": {"executor": "CLAUDE_CODE"},
        "base_branch": "there-is-none",
    });
    let (_, refused) = server.post("/api/tasks/create-and-start", body).await;
    let refused = format!("forge_starts_total{{result=\"{}\"}}", code(&refused));
    assert_eq!(server.metric("forge_starts_total{result=\"ok\"}").await, Some(2.0));
    assert_eq!(server.metric(&refused).await, Some(1.0));
    for (phase, count) in
        [("prepare", 3.0), ("intent", 2.0), ("worktree", 2.0), ("launch", 2.0), ("commit", 2.0)]
    {
        let name = |part: &str| format!("forge_start_phase_seconds_{part}{{phase=\"{phase}\"");
        assert_eq!(server.metric(&format!("{}}}", name("count"))).await, Some(count), "{phase}");
        assert_eq!(server.metric(&format!("{},le=\"+Inf\"}}", name("bucket"))).await, Some(count), "{phase}");
        assert!(server.metric(&format!("{}}}", name("sum"))).await.unwrap() > 0.0, "{phase}");
    }
}

#[tokio::test]
async fn what_runs_and_what_waits_is_counted_and_gone_when_it_is_gone() {
    let server = Setup::new(FORGE).config("[limits]\nattempts = 1\n").start().await;
    let project = project(&server).await;
    let first = started(&server, &project, "@until-told").await;
    let second = crate::limits::started(&server, &project, "@say hello").await;
    let numbers = ["forge_attempts_running", "forge_attempts_queued", "forge_hosts"];
    for number in numbers {
        assert_eq!(server.metric(number).await, Some(1.0), "{number}");
    }
    let id = first["attempt_id"].as_str().unwrap();
    data(server.post(&format!("/api/task-attempts/{id}/stop"), json!({})).await);
    server.until_attempt(second["attempt_id"].as_str().unwrap(), is_finished).await;
    for number in numbers {
        server.until_metric(number, |value| value == 0.0).await;
    }
}

#[tokio::test]
async fn streams_are_counted_while_they_are_open_and_their_bytes_for_ever() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let attempt = started(&server, &project, "@flood 1000 100\n@say all of it\n@until-told").await;
    let id = attempt["attempt_id"].as_str().unwrap();
    let mut logs = server.logs(attempt["execution_process_id"].as_str().unwrap(), 0).await;
    let mut events = server.events(Some(0)).await;
    events.next().await;
    logs.until("all of it").await;
    assert_eq!(server.metric("forge_streams_open{kind=\"raw_logs\"}").await, Some(1.0));
    assert_eq!(server.metric("forge_streams_open{kind=\"events\"}").await, Some(1.0));
    data(server.post(&format!("/api/task-attempts/{id}/stop"), json!({})).await);
    logs.rest().await;
    drop((logs, events));
    server.until_metric("forge_streams_open{kind=\"raw_logs\"}", |value| value == 0.0).await;
    server.until_metric("forge_streams_open{kind=\"events\"}", |value| value == 0.0).await;
    assert!(server.metric("forge_log_stream_bytes_total").await.unwrap() > 100_000.0);
    assert!(server.metric("forge_event_head").await.unwrap() > 3.0);
}

#[tokio::test]
async fn a_reader_that_does_not_read_is_seen_as_behind_until_it_goes() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let stalled = server.request(Method::GET, "/api/events?after=0").send().await.unwrap();
    // More than the socket and everything in between can hold.
    let long = "x".repeat(200_000);
    for number in 0..60 {
        let body = json!({"project_id": project["id"], "title": format!("{number}"), "description": long});
        data(server.post("/api/tasks", body).await);
    }
    server.until_metric("forge_event_reader_lag", |lag| lag > 10.0).await;
    drop(stalled);
    server.until_metric("forge_event_reader_lag", |lag| lag == 0.0).await;
}

#[tokio::test]
async fn writes_are_counted_with_how_long_they_waited_and_what_they_came_to() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let (writes, commits) =
        (server.metric("forge_store_writes_total").await, server.metric(COMMITS).await.unwrap());
    for number in 0..3 {
        let body = json!({"project_id": project["id"], "title": format!("{number}")});
        data(server.post("/api/tasks", body).await);
    }
    let nowhere = json!({"project_id": "35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42", "title": "t"});
    let (status, _) = server.post("/api/tasks", nowhere).await;
    assert_eq!(status, 404);
    assert_eq!(server.metric("forge_store_writes_total").await, writes.map(|writes| writes + 4.0));
    assert!(server.metric(COMMITS).await.unwrap() > commits);
    assert_eq!(
        server.metric("forge_store_write_wait_seconds_count").await,
        writes.map(|writes| writes + 4.0)
    );
    assert!(server.metric("forge_store_transaction_seconds_sum").await.unwrap() > 0.0);
    for (why, count) in [("refused", 1.0), ("busy", 0.0), ("away", 0.0)] {
        let name = format!("forge_store_write_failures_total{{why=\"{why}\"}}");
        assert_eq!(server.metric(&name).await, Some(count), "{why}");
    }
    assert!(server.metric("forge_store_readers{state=\"idle\"}").await.unwrap() > 0.0);
}

const COMMITS: &str = "forge_store_transaction_seconds_count";

#[tokio::test]
async fn who_may_not_call_the_api_may_not_read_the_numbers() {
    let mut server = Setup::new(FORGE).arg("--auth").start().await;
    assert_eq!(server.get("/metrics").await.0, 401);
    server.use_token();
    assert_eq!(server.get("/metrics").await.0, 200);
    let foreign = server.request(Method::GET, "/metrics").header("host", "evil.example");
    assert_eq!(foreign.send().await.unwrap().status(), 403);
}
