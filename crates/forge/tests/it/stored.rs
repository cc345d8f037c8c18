//! Transcripts as they are kept: folded once, read in pages and by many, whole after any crash.

use std::path::PathBuf;

use forge_testkit::gate::Gate;
use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::ground::{Ground, Started};
use crate::{FORGE, code, data};

const STORED: &str = "forge_transcripts_stored_total";

/// Where a process's transcript is kept.
fn kept(ground: &Ground, started: &Started) -> PathBuf {
    ground.server.data().join("processes").join(started.process()).join("transcript")
}

async fn page(ground: &Ground, started: &Started, query: &str) -> Value {
    let path = format!("/api/execution-processes/{}/entries{query}", started.process());
    data(ground.server.get(&path).await)
}

/// All entries, read from the end backwards.
async fn paged(ground: &Ground, started: &Started, limit: usize) -> Vec<Value> {
    let (mut all, mut query) = (Vec::new(), format!("?limit={limit}"));
    loop {
        let page = page(ground, started, &query).await;
        let entries = page["entries"].as_array().unwrap();
        assert!(!entries.is_empty() && entries.len() <= limit, "{page}");
        all.splice(0..0, entries.iter().cloned());
        let Some(before) = page["before"].as_u64() else {
            assert_eq!(page["total"], all.len());
            let numbers = all.iter().map(|entry| entry["index"].clone());
            assert!(numbers.eq((0..all.len()).map(Value::from)), "{all:?}");
            return all.into_iter().map(|mut entry| entry["entry"].take()).collect();
        };
        query = format!("?limit={limit}&before={before}");
    }
}

#[tokio::test]
async fn entries_are_read_from_the_end_backwards() {
    let ground = Ground::new().await;
    let gate = Gate::new(ground.own("gate"));
    let steps: String = (0..12).map(|n| format!("@say {n}\n@edit {n}.txt {n}\n")).collect();
    let started = ground.start(&format!("{steps}@wait-fifo {}\n@say last", gate.path().display())).await;
    let mut live = ground.server.transcript(started.process()).await;
    live.until(2 + 2 * 12).await;
    // While it runs: what there is by now.
    assert_eq!(paged(&ground, &started, 5).await.len(), live.entries.len());
    gate.open().await;
    let whole = live.rest().await.to_vec();
    ground.finished(&started).await;
    for limit in [1, 7, 1000] {
        assert_eq!(paged(&ground, &started, limit).await, whole);
    }
    let last = page(&ground, &started, "?limit=1").await;
    assert_eq!(last["entries"][0]["entry"]["content"], "last");
    assert_eq!(page(&ground, &started, "?before=0").await["entries"], json!([]));

    let base = format!("/api/execution-processes/{}/entries", started.process());
    let (status, body) = ground.server.get(&format!("{base}?limit=0")).await;
    assert_eq!((status, code(&body)), (400, "bad_query"));
    assert_eq!(data(ground.server.get(&format!("{base}/2")).await)["entry"], whole[2]);
    let (status, body) = ground.server.get(&format!("{base}/{}", whole.len())).await;
    assert_eq!((status, code(&body)), (404, "not_found"));
    let (status, body) = ground.server.get(&format!("{base}/last")).await;
    assert_eq!((status, code(&body)), (400, "bad_number"));
    let (status, body) = ground.server.get(&base.replace(started.process(), started.task())).await;
    assert_eq!((status, code(&body)), (404, "not_found"));
}

/// A bash script that speaks as Claude Code does.
fn agent(lines: &str) -> String {
    format!(
        "read -r _; echo '{{\"type\":\"control_response\",\"response\":{{\"request_id\":\"forge-initialize\"}}}}'\n\
         read -r _\n{lines}\n\
         echo '{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"done\"}}'\ncat >/dev/null"
    )
}

#[tokio::test]
async fn an_output_that_is_too_long_is_cut_and_fetched_whole() {
    let lines = r#"
        echo '{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"cat big"}}]}}'
        printf '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"'
        head -c 300000 /dev/zero | tr '\0' x
        printf '"}]}}\n'"#;
    let ground = Ground::on(Setup::new(FORGE).agent(agent(lines)), TempRepo::new(), json!({})).await;
    let started = ground.start("cat").await;
    ground.finished(&started).await;
    let entries = paged(&ground, &started, 100).await;
    let at = entries.iter().position(|entry| entry["cut"] == true).unwrap();
    let output = |entry: &Value| entry["entry_type"]["action_type"]["result"]["output"].clone();
    assert!(output(&entries[at]).as_str().unwrap().len() < 40_000);
    assert!(entries.iter().enumerate().all(|(other, entry)| (other == at) == entry.get("cut").is_some()));
    let path = format!("/api/execution-processes/{}/entries/{at}", started.process());
    let whole = data(ground.server.get(&path).await);
    assert_eq!((&whole["index"], output(&whole["entry"])), (&json!(at), json!("x".repeat(300_000))));
    assert_eq!(whole["entry"].get("cut"), None);
    assert_eq!(whole["entry"]["entry_type"]["status"], entries[at]["entry_type"]["status"]);
}

#[tokio::test]
async fn a_transcript_is_kept_when_its_process_has_ended_and_made_anew_where_it_is_lost() {
    let mut ground = Ground::new().await;
    let started = ground.start("@flood 3000 100\n@edit a.txt one").await;
    ground.finished(&started).await;
    let whole = ground.server.transcript(started.process()).await.rest().await.to_vec();
    assert_eq!(whole.len(), 3000 + 3);
    let file = kept(&ground, &started);
    ground.server.until_metric(STORED, |count| count == 1.0).await;
    assert!(file.exists());
    // What is read after a restart is what was kept: the log is not even there.
    ground.server.kill_9().await;
    let log = file.with_file_name("log");
    let aside = file.with_file_name("aside");
    std::fs::rename(&log, &aside).unwrap();
    ground.server.restart().await;
    assert!(ground.server.transcript(started.process()).await.rest().await == whole);
    // One that a crash or a disk spoilt is made anew.
    ground.server.kill_9().await;
    std::fs::rename(&aside, &log).unwrap();
    for spoil in [None, Some(&b"FORGETXT"[..]), Some(&[0; 4096])] {
        match spoil {
            None => std::fs::remove_file(&file).unwrap(),
            Some(bytes) => std::fs::write(&file, bytes).unwrap(),
        }
        std::fs::write(file.with_extension("draft"), b"half of one").unwrap();
        ground.server.restart().await;
        assert!(ground.server.transcript(started.process()).await.rest().await == whole);
        ground.server.until_metric(STORED, |count| count == 1.0).await;
        ground.server.kill_9().await;
    }
    ground.server.restart().await;
    assert!(paged(&ground, &started, 1000).await == whole);
}

#[tokio::test]
async fn why_a_turn_failed_is_in_the_transcript_of_a_server_that_died_before_it_was_kept() {
    for point in ["process-ended", "process-end-written"] {
        let setup = Setup::new(FORGE).env("FORGE_CRASH_AT", point);
        let mut ground = Ground::on(setup, TempRepo::new(), json!({})).await;
        let gate = Gate::new(ground.own("gate"));
        let started = ground.start(&format!("@say one\n@wait-fifo {}\n@exit 3", gate.path().display())).await;
        gate.open().await;
        ground.server.ended().await;
        // It may have come just so far.
        drop(std::fs::remove_file(kept(&ground, &started)));
        ground.server.unset_env("FORGE_CRASH_AT");
        ground.server.restart().await;
        ground.finished(&started).await;
        let whole = paged(&ground, &started, 3).await;
        let told =
            "The turn failed: the agent ended with exit code 3 in the middle of its turn\nWhat to do: ";
        assert!(whole.last().unwrap()["content"].as_str().unwrap().starts_with(told), "{whole:#?}");
        assert_eq!(ground.server.transcript(started.process()).await.rest().await, whole);
        ground.server.until_metric(STORED, |count| count == 1.0).await;
        ground.server.kill_9().await;
        ground.server.restart().await;
        assert_eq!(ground.server.transcript(started.process()).await.rest().await, whole);
    }
}

/// Readers that join at any time, one that is slow, and crashes of the server in between: all have the same in the end,
/// and it is what is kept.
#[tokio::test]
async fn two_hundred_readers_of_a_flood_and_one_that_sleeps_miss_nothing() {
    const LINES: usize = 300;
    let ground = Ground::new().await;
    let (first, second) = (Gate::new(ground.own("first")), Gate::new(ground.own("second")));
    let steps = format!(
        "@flood {LINES} 500\n@wait-fifo {}\n@flood {LINES} 500\n@wait-fifo {}\n@say end",
        first.path().display(),
        second.path().display()
    );
    let started = ground.start(&steps).await;
    let mut slow = ground.server.transcript(started.process()).await;
    slow.until(1).await;
    let mut early = join_all((0..100).map(|_| ground.server.transcript(started.process()))).await;
    first.open().await;
    early[0].until(LINES + 100).await;
    let mut late = join_all((0..100).map(|_| ground.server.transcript(started.process()))).await;
    second.open().await;
    let whole = early[0].rest().await.to_vec();
    assert_eq!(whole.len(), 2 * LINES + 3);
    let rest = early.iter_mut().skip(1).chain(&mut late).map(async |reader| reader.rest().await == whole);
    assert!(join_all(rest).await.into_iter().all(|same| same));
    assert!(slow.rest().await == whole, "who slept has everything when it wakes up");
    ground.finished(&started).await;
    assert!(paged(&ground, &started, 1000).await == whole);
}

#[tokio::test]
async fn what_turns_used_up_is_told_for_each_and_summed() {
    let lines = r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"done","total_cost_usd":0.25,"usage":{"input_tokens":10,"cache_creation_input_tokens":2,"cache_read_input_tokens":300,"output_tokens":7}}'; cat >/dev/null; exit 0"#;
    let mut ground = Ground::on(Setup::new(FORGE).agent(agent(lines)), TempRepo::new(), json!({})).await;
    let started = ground.start("one").await;
    ground.finished(&started).await;
    let usage = async |ground: &Ground, path: String| data(ground.server.get(&format!("{path}/usage")).await);
    let attempt = format!("/api/task-attempts/{}", started.attempt());
    let task = format!("/api/tasks/{}", started.task());
    let project = format!("/api/projects/{}", ground.project_id());
    let process = data(ground.server.get(&format!("/api/execution-processes/{}", started.process())).await);
    let one = process["usage"].clone();
    assert_eq!(
        (&one["cached_tokens"], &one["output_tokens"], &one["cost_usd"]),
        (&json!(300), &json!(7), &json!(0.25))
    );
    assert!(one["input_tokens"].as_u64().unwrap() >= 10, "{one}");
    for path in [&attempt, &task, &project] {
        assert_eq!(usage(&ground, path.clone()).await, one, "{path}");
    }
    data(ground.follow_up(&started, "two").await);
    ground.finished(&started).await;
    let again = ground.start("three").await;
    ground.finished(&again).await;
    ground.server.kill_9().await;
    ground.server.restart().await;
    for (path, turns) in [(&attempt, 2), (&task, 2), (&project, 3)] {
        let sum = usage(&ground, path.clone()).await;
        assert_eq!(
            (&sum["output_tokens"], &sum["cost_usd"]),
            (&json!(7 * turns), &json!(0.25 * f64::from(turns))),
            "{path}"
        );
    }
    let told = data(ground.server.get(&attempt).await);
    assert_eq!((&told["output_tokens"], &told["cache_read_tokens"]), (&json!(14), &json!(600)));
    let started = ground.start("four").await;
    ground.finished(&started).await;
    let metrics =
        ground.server.request(reqwest::Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("forge_tokens_total{kind=\"output\"} 7\n"), "{metrics}");
}
