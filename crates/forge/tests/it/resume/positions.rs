//! Positions that are none are refused; those that are not reached yet are waited for.

use forge_testkit::server::TestServer;
use forge_testkit::turnstile::Turnstile;
use reqwest::Method;

use super::{has_ended, printing, text};
use crate::{FORGE, code};

const NONE: [&str; 7] = ["-1", "x", "1.5", "%20", "0x10", "99999999999999999999999", "1,2"];

#[tokio::test]
async fn a_position_in_the_events_that_is_none_is_a_bad_request() {
    let server = TestServer::start(FORGE).await;
    for position in NONE {
        let (status, body) = server.get(&format!("/api/events?after={position}")).await;
        assert_eq!((status, code(&body)), (400, "bad_query"), "{position}");
        if position.starts_with('%') {
            continue;
        }
        let request = server.request(Method::GET, "/api/events").header("last-event-id", position);
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 400, "{position}");
        assert_eq!(code(&answer.json().await.unwrap()), "bad_header", "{position}");
    }
}

#[tokio::test]
async fn a_position_in_a_log_that_is_none_is_a_bad_request() {
    let server = TestServer::start(FORGE).await;
    let process = printing(&server, "echo one").await;
    for position in NONE {
        let path = format!("/api/execution-processes/{process}/raw-logs/ws?after={position}");
        let (status, body) = server.get(&path).await;
        assert_eq!((status, code(&body)), (400, "bad_query"), "{position}");
    }
}

#[tokio::test]
async fn who_asks_for_what_is_not_printed_yet_gets_it_when_it_is() {
    let server = TestServer::start(FORGE).await;
    let gate = Turnstile::new(&server.folder().join("gate"));
    let script = format!("for n in 1 2 3 4 5; do {}; echo $n; done", gate.wait());
    let process = printing(&server, &script).await;
    let mut watching = server.logs(&process, 0).await;
    gate.open();
    watching.until("1\n").await;
    // Three chunks ahead of what there is.
    let mut ahead = server.logs(&process, watching.position() + 2).await;
    for line in ["2\n", "3\n", "4\n", "5\n"] {
        gate.open();
        watching.until(line).await;
    }
    assert_eq!(text(&ahead.rest().await), "4\n5\n");
    assert!(ahead.finished());
}

#[tokio::test]
async fn beyond_the_end_of_a_finished_log_there_is_nothing_but_its_end() {
    let server = TestServer::start(FORGE).await;
    let process = printing(&server, "echo one").await;
    server.until_process(&process, has_ended).await;
    for position in [1, 2, 1_000_000, u64::MAX] {
        let mut logs = server.logs(&process, position).await;
        assert_eq!((logs.rest().await, logs.finished(), logs.close_code()), (vec![], true, Some(1000)));
    }
}
