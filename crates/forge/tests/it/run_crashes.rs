//! The server dies while a run is started, goes on or ends; the next one comes to the same end.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::database::{Database, on_each_database};
use crate::life::{Bed, answered, sent};
use crate::{data, is_finished};

const VARIABLE: &str = "FORGE_CRASH_AT";

fn start(bed: &Bed, steps: &str) -> RequestBuilder {
    let body = json!({"project_id": bed.project, "prompt": steps, "executor_profile_id": "CLAUDE_CODE"});
    bed.server.request(Method::POST, "/api/execution-runs").header("idempotency-key", "once").json(&body)
}

fn id(run: &Value) -> String {
    run["id"].as_str().unwrap().to_owned()
}

async fn runs(bed: &Bed) -> Vec<Value> {
    data(bed.server.get("/api/execution-runs").await).as_array().unwrap().clone()
}

/// Starts a server that dies at the point.
async fn arm(bed: &mut Bed, point: &str) {
    bed.server.set_env(VARIABLE, point);
    bed.crash().await;
}

async fn recover(bed: &mut Bed) {
    bed.server.unset_env(VARIABLE);
    bed.server.restart().await;
}

on_each_database! {
    a_run_that_was_only_meant_leaves_nothing: undoes("start-intended");
    a_run_with_a_worktree_and_no_agent_leaves_nothing: undoes("start-worktree-made");
    a_run_whose_agent_works_is_finished: finishes("start-process-runs");
    a_run_that_was_written_and_not_answered_stands: finishes("start-committed");
    a_runs_turn_that_was_written_is_begun: goes_on("turn-written");
    a_runs_turn_whose_agent_works_is_not_begun_again: goes_on("turn-process-runs");
    a_runs_end_that_was_seen_and_not_written_is_seen_again: ends("process-ended");
    a_runs_end_that_was_written_for_the_process_alone_is_gone_on_from: ends("process-end-written");
    a_runs_removal_that_was_begun_can_be_finished: is_removed("delete-worktree-removed");
    a_removed_run_leaves_no_folder: is_removed("delete-written");
    a_run_outlives_its_server;
}

async fn undoes(database: Database, point: &str) {
    let mut bed = Bed::on(database).await;
    arm(&mut bed, point).await;
    let request = start(&bed, "@edit a.txt one");
    bed.dies_of(request).await;
    recover(&mut bed).await;
    assert_eq!(runs(&bed).await, Vec::<Value>::new());
    bed.assert_whole(&[]).await;
    repeats(&bed).await;
}

async fn finishes(database: Database, point: &str) {
    let mut bed = Bed::on(database).await;
    arm(&mut bed, point).await;
    let request = start(&bed, "@edit a.txt one");
    bed.dies_of(request).await;
    recover(&mut bed).await;
    assert_eq!(runs(&bed).await.len(), 1);
    repeats(&bed).await;
}

/// The same call again makes or finds the one run, which comes to its end.
async fn repeats(bed: &Bed) {
    let first = sent(start(bed, "@edit a.txt one")).await;
    assert_eq!(sent(start(bed, "@edit a.txt one")).await, first);
    let run = bed.server.until_run(&id(&first["execution_run"]), is_finished).await;
    assert_eq!(run["outcome"], "succeeded", "{run:#}");
    assert_eq!(runs(bed).await.len(), 1);
    bed.assert_whole(&[]).await;
}

async fn goes_on(database: Database, point: &str) {
    let mut bed = Bed::on(database).await;
    let run = id(&sent(start(&bed, "@edit a.txt one")).await["execution_run"]);
    bed.server.until_run(&run, is_finished).await;
    arm(&mut bed, point).await;
    let path = format!("/api/execution-runs/{run}/follow-up");
    let request =
        bed.server.request(Method::POST, &path).json(&json!({"prompt": "@recall\n@edit b.txt two"}));
    bed.dies_of(request).await;
    recover(&mut bed).await;
    let finished = bed.server.until_run(&run, is_finished).await;
    assert_eq!(finished["outcome"], "succeeded", "{finished:#}");
    let processes = data(bed.server.get(&format!("/api/execution-runs/{run}/processes")).await);
    assert_eq!(processes.as_array().unwrap().len(), 2, "{processes:#}");
    let said = bed.said(processes[1]["id"].as_str().unwrap()).await;
    assert!(said[0].contains("@edit a.txt one"), "it goes on with the conversation: {said:?}");
    bed.assert_whole(&[]).await;
}

async fn ends(database: Database, point: &str) {
    let mut bed = Bed::on(database).await;
    arm(&mut bed, point).await;
    let run = sent(start(&bed, "@edit a.txt one")).await["execution_run"].clone();
    bed.server.ended().await;
    recover(&mut bed).await;
    let finished = bed.server.until_run(&id(&run), is_finished).await;
    assert_eq!((&finished["outcome"], &finished["status"]), (&json!("succeeded"), &json!("completed")));
    let processes = data(bed.server.get(&format!("/api/execution-runs/{}/processes", id(&run))).await);
    let process = processes[0]["id"].as_str().unwrap();
    let saved = format!("refs/forge/attempts/{}/{process}:a.txt", id(&run));
    assert_eq!(bed.repo.git(&["show", &saved]), "one", "what it did is saved, though nothing commits it");
    bed.assert_whole(&[]).await;
}

async fn is_removed(database: Database, point: &str) {
    let mut bed = Bed::on(database).await;
    let run = sent(start(&bed, "@edit a.txt one")).await["execution_run"].clone();
    bed.server.until_run(&id(&run), is_finished).await;
    arm(&mut bed, point).await;
    let path = format!("/api/execution-runs/{}", id(&run));
    let request = bed.server.request(Method::DELETE, &path);
    bed.dies_of(request).await;
    recover(&mut bed).await;
    let (status, _) = answered(bed.server.request(Method::DELETE, &path)).await;
    assert_eq!(status, if point == "delete-written" { 404 } else { 200 });
    let saved = format!("refs/forge/attempts/{}/deleted:a.txt", id(&run));
    assert_eq!(bed.repo.git(&["show", &saved]), "one");
    bed.assert_whole(&[run["branch"].as_str().unwrap().to_owned()]).await;
}

async fn a_run_outlives_its_server(database: Database) {
    let mut bed = Bed::on(database).await;
    let gate = bed.gate("gate");
    let steps = format!("@say before\n@wait-fifo {}\n@say after", gate.path().display());
    let started = sent(start(&bed, &steps)).await;
    let (run, process) = (id(&started["execution_run"]), id(&started["execution_process"]));
    bed.server.logs(&process, 0).await.until("before").await;
    bed.crash().await;
    let row = data(bed.server.get(&format!("/api/execution-runs/{run}")).await);
    assert_eq!(row["status"], "running");
    gate.open().await;
    let finished = bed.server.until_run(&run, is_finished).await;
    assert_eq!(finished["outcome"], "succeeded", "{finished:#}");
    assert_eq!(bed.said(&process).await, ["before", "after"]);
    bed.assert_whole(&[]).await;
}
