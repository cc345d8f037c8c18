//! What WebSockets tell, asked for with a plain GET: raw output in pages and as text, and the diff.

use reqwest::Method;
use serde_json::{Value, json};

use crate::data;
use crate::ground::{Ground, Started};

async fn page(ground: &Ground, process: &str, query: &str) -> Value {
    data(ground.server.get(&format!("/api/execution-processes/{process}/raw-logs{query}")).await)
}

/// The text, and where it ends.
async fn text(ground: &Ground, process: &str, query: &str) -> (String, u64) {
    let path = format!("/api/execution-processes/{process}/output{query}");
    let answer = ground.server.request(Method::GET, &path).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "text/plain; charset=utf-8");
    let position = answer.headers()["x-position"].to_str().unwrap().parse().unwrap();
    (answer.text().await.unwrap(), position)
}

fn contents(page: &Value) -> String {
    page["entries"].as_array().unwrap().iter().map(|entry| entry["content"].as_str().unwrap()).collect()
}

/// A setup script that printed this, and the agent that came after it.
async fn scripted(script: &str) -> (Ground, Started, String) {
    let ground = Ground::with(json!({"setup_script": script})).await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    let process = ground.processes(&started).await[0]["id"].as_str().unwrap().to_owned();
    (ground, started, process)
}

#[tokio::test]
async fn output_of_script_is_read_in_pages() {
    let (ground, _started, process) = scripted("for n in 1 2 3 4 5; do echo $n; sleep 0.02; done").await;
    let mut live = ground.server.logs(&process, 0).await;
    let expected: Vec<_> = live.rest().await.into_iter().map(|entry| entry.text).collect();
    let whole = page(&ground, &process, "").await;
    assert_eq!((contents(&whole), &whole["finished"]), (expected.concat(), &json!(true)));
    assert_eq!(contents(&whole), "1\n2\n3\n4\n5\n");

    let (mut after, mut read) = (0, Vec::new());
    loop {
        let one = page(&ground, &process, &format!("?limit=1&after={after}")).await;
        after = one["position"].as_u64().unwrap();
        read.extend(one["entries"].as_array().unwrap().clone());
        if one["finished"] == true {
            break;
        }
        assert_eq!(one["entries"].as_array().unwrap().len(), 1);
    }
    assert_eq!(json!(read), whole["entries"]);
    let (status, body) =
        ground.server.get(&format!("/api/execution-processes/{process}/raw-logs?limit=0")).await;
    assert_eq!(status, 400, "{body}");
}

#[tokio::test]
async fn last_lines_of_output_are_plain_text() {
    let (ground, _started, process) = scripted("seq 1 5000; printf 'no end'").await;
    let (all, position) = text(&ground, &process, "").await;
    assert_eq!(all.lines().count(), 5001);
    assert_eq!(text(&ground, &process, "?tail=3").await, ("4999\n5000\nno end".to_owned(), position));
    assert_eq!(text(&ground, &process, "?tail=0").await.0, "");
    assert_eq!(text(&ground, &process, "?tail=9999").await.0, all);
    assert_eq!(text(&ground, &process, &format!("?after={position}")).await.0, "");
}

#[tokio::test]
async fn output_of_running_process_is_not_waited_for() {
    let ground = Ground::new().await;
    let started = ground.start("@say begun\n@until-told").await;
    ground.server.logs(started.process(), 0).await.until("begun").await;
    let first = page(&ground, started.process(), "").await;
    assert!(contents(&first).contains("begun"), "{first}");
    assert_eq!(first["finished"], false);
    let (so_far, position) = text(&ground, started.process(), "").await;
    assert_eq!((so_far, json!(position)), (contents(&first), first["position"].clone()));
    let none = page(&ground, started.process(), &format!("?after={position}")).await;
    assert_eq!((&none["entries"], &none["position"]), (&json!([]), &json!(position)));
    ground.stop(&started).await;
    assert_eq!(page(&ground, started.process(), "").await["finished"], true);
}

#[tokio::test]
async fn diff_is_told_without_a_stream() {
    let (ground, started, _process) = scripted("true").await;
    std::fs::write(started.worktree().join("b.txt"), "untracked\n").unwrap();
    let path = format!("/api/task-attempts/{}/diff", started.attempt());
    let files = data(ground.server.get(&path).await)["entries"].clone();
    assert_eq!(files.as_object().unwrap().keys().collect::<Vec<_>>(), ["a.txt", "b.txt"]);
    let content = &files["a.txt"]["content"];
    assert_eq!((&content["change"], &content["newContent"]), (&json!("added"), &json!("one\n")));
    assert_eq!(content["additions"], 1);
    let brief = data(ground.server.get(&format!("{path}?stats_only=true")).await)["entries"].clone();
    assert_eq!(brief["b.txt"]["content"]["contentOmitted"], true);
    assert_eq!(brief["b.txt"]["content"]["newContent"], Value::Null);
}
