//! Output that is no tidy text.

use forge_testkit::server::{Printed, TestServer};
use forge_testkit::turnstile::Turnstile;

use super::{has_ended, printing, text};
use crate::{FORGE, is_finished, project, started};

/// The same log, read once it is over.
async fn again(server: &TestServer, process: &str) -> Vec<Printed> {
    server.until_process(process, has_ended).await;
    server.logs(process, 0).await.rest().await
}

#[tokio::test]
async fn bytes_that_are_no_text_are_marked_and_the_rest_is_kept() {
    let server = TestServer::start(FORGE).await;
    let process = printing(&server, r"printf 'a\377b\303(c\355\240\200d\0e\n'; printf 'f\340\200'").await;
    let live = server.logs(&process, 0).await.rest().await;
    let expected = String::from_utf8_lossy(b"a\xffb\xc3(c\xed\xa0\x80d\0e\nf\xe0\x80").into_owned();
    assert_eq!(text(&live), expected);
    assert_eq!(again(&server, &process).await, live);
}

#[tokio::test]
async fn a_character_that_is_printed_byte_by_byte_comes_whole() {
    let server = TestServer::start(FORGE).await;
    let gate = Turnstile::new(&server.folder().join("gate"));
    // A smile on one stream, the beginning of an ü on the other in its midst.
    let bytes = [r"\360", r"\237", r"\230", r"\200!"].map(|byte| format!("printf '{byte}'"));
    let script = bytes.join(&format!("; printf '\\303' >&2; {}; ", gate.wait()));
    let process = printing(&server, &script).await;
    let mut live = server.logs(&process, 0).await;
    let mut all = Vec::new();
    for _ in 0..3 {
        let mut printed = Vec::new();
        while printed.len() < 2 {
            printed.extend(live.next().await.unwrap());
        }
        assert_eq!(text(&printed), "", "half a character is no text");
        all.extend(printed);
        gate.open();
    }
    all.extend(live.rest().await);
    assert_eq!(text(&all), "\u{1f600}!");
    let errors: String =
        all.iter().filter(|entry| entry.stream == "STDERR").map(|entry| &*entry.text).collect();
    assert_eq!(errors, "\u{fffd}\u{fffd}\u{fffd}");
    for position in 0..=7 {
        let rest = server.logs(&process, position).await.rest().await;
        let place = usize::try_from(position).unwrap();
        assert_eq!(rest, all[place..], "after {position}");
    }
    assert_eq!(again(&server, &process).await, all);
}

#[tokio::test]
async fn a_line_of_a_megabyte_comes_whole() {
    let server = TestServer::start(FORGE).await;
    let process = printing(&server, "head -c 1000000 /dev/zero | tr '\\0' x; echo; echo end").await;
    let live = text(&server.logs(&process, 0).await.rest().await);
    let expected = format!("{}\nend\n", "x".repeat(1_000_000));
    assert!(live == expected, "{} bytes of {}", live.len(), expected.len());
    assert!(text(&again(&server, &process).await) == expected);
}

#[tokio::test]
async fn an_agent_may_say_a_megabyte_in_one_line() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@flood 1 1000000\n@edit a.txt one").await;
    let attempt = server.until_attempt(started["attempt_id"].as_str().unwrap(), is_finished).await;
    assert_eq!(attempt["outcome"], "succeeded", "{attempt}");
    let process = started["execution_process_id"].as_str().unwrap();
    let all = text(&again(&server, process).await);
    let line = all.lines().find(|line| line.len() > 1_000_000).unwrap();
    let said: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!(said["message"]["content"][0]["text"].as_str().unwrap().len(), 1_000_000);
}
