//! The server dies at every place where it stands between two steps; the next one comes to the same end.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use forge_engine::Engine;
use forge_testkit::server::Setup;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::database::{Database, on_each_database};
use crate::ground::comes_true;
use crate::life::{Bed, Printer, Run, answered, sent};
use crate::{FORGE, code, forge, is_finished, permissions, pool, read};

const VARIABLE: &str = "FORGE_CRASH_AT";

/// A server that dies at a point, and an agent that has nothing to do with it.
struct Crash {
    bed: Bed,
    witness: Printer,
}

impl Crash {
    async fn armed(mut bed: Bed, point: &str) -> Self {
        let witness = bed.printer("witness", 3).await;
        bed.server.set_env(VARIABLE, point);
        bed.crash().await;
        Self { bed, witness }
    }

    /// Sees the server die by itself.
    async fn dies(&mut self) {
        use std::os::unix::process::ExitStatusExt as _;
        assert_eq!(self.bed.server.ended().await.signal(), Some(9), "it died of something else");
    }

    /// Starts a server that goes on. The witness has printed when there was none.
    async fn recovered(&mut self) {
        self.witness.gates[0].open().await;
        self.bed.server.unset_env(VARIABLE);
        self.bed.server.restart().await;
        self.witness.assert_runs(&self.bed).await;
        self.witness.gates[1].open().await;
        self.witness.printed(&self.bed, 2).await;
    }

    /// Sees that nothing is left over, nor anything missing of what the witness did.
    async fn is_whole(&self, removed: &[String]) {
        self.witness.finish(&self.bed, 2).await;
        self.bed.assert_whole(removed).await;
    }
}

/// Where the server dies, in tests of this name.
macro_rules! dies_at {
    ($($name:ident: $point:literal, $test:ident;)*) => {
        const COVERED: &[&str] = &[$($point),*];
        on_each_database! { $($name: $test($point);)* }
    };
}

dies_at! {
    a_start_that_was_only_meant_leaves_nothing: "start-intended", undoes_the_start;
    a_start_with_a_worktree_and_no_agent_leaves_nothing: "start-worktree-made", undoes_the_start;
    a_start_whose_agent_runs_is_finished: "start-process-runs", finishes_the_start;
    a_start_that_was_written_and_not_answered_stands: "start-committed", finishes_the_start;
    follow_up_begins_after_crash_on_stopped_attempt: "turn-queued", begins_after_stop;
    a_turn_that_was_written_is_begun: "turn-written", begins_the_turn;
    a_turn_whose_agent_runs_is_not_begun_again: "turn-process-runs", begins_the_turn;
    an_agent_that_was_kept_and_not_known_of_is_ended: "agent-kept", goes_on_without_who_was_kept;
    kept_agent_is_ended_when_its_turn_is_not_written: "kept-furnished", ends_who_was_furnished;
    an_end_that_was_seen_and_not_written_is_seen_again: "process-ended", finishes_the_turn;
    an_end_that_was_written_for_the_process_alone_is_gone_on_from: "process-end-written", finishes_the_turn;
    a_commit_that_was_made_and_not_written_is_not_made_again: "commit-made", finishes_the_turn;
    a_stop_that_was_written_and_not_done_is_done: "stop-written", finishes_the_stop;
    a_removal_that_was_begun_can_be_finished: "delete-worktree-removed", removes_again;
    deletion_killed_after_its_mark_is_finished: "delete-marked", removes_again;
    a_removal_whose_rows_are_gone_leaves_no_folder: "delete-written", is_removed;
    a_start_that_took_a_spare_leaves_neither: "pool-spare-taken", undoes_the_start_with_a_spare;
    a_spare_that_was_made_and_not_told_of_is_found: "pool-spare-made", finds_the_spare;
    what_was_saved_before_it_was_to_be_overwritten_is_there: "restore-saved", puts_back_again;
    a_worktree_that_was_to_be_taken_away_is_taken_when_the_server_is_back: "collect-written", collects_again;
    what_was_saved_before_a_turn_was_replaced_is_there: "replace-saved", replaces_again;
    a_worktree_that_was_taken_back_for_a_turn_that_did_not_begin_is_not_taken_back_further: "replace-rewound", replaces_again;
    a_dev_server_that_was_written_is_started: "dev-server-written", starts_the_dev_server;
    an_answer_that_was_written_and_not_told_is_told: "approval-answered", tells_the_answer;
    node_that_was_not_recorded_serves_again: "node-intended", serves_again;
    node_that_was_recorded_serves_again: "node-claimed", serves_again;
    attempt_of_closed_task_is_stopped: "task-closed", stops_what_was_closed;
}

on_each_database! {
    the_agent_after_a_setup_script_runs_once_wherever_the_server_dies;
    the_cleanup_script_runs_once_after_a_commit_that_nobody_wrote_down;
    a_turn_that_is_being_stopped_for_another_is_replaced_wherever_the_server_dies;
}

#[test]
fn every_point_is_tried() {
    assert_eq!(COVERED, Engine::crash_points());
}

/// Runs a server that dies at a point before it serves.
async fn dies_at_start(bed: &Bed, data: &Path, point: &str) {
    use std::os::unix::process::ExitStatusExt as _;
    let (path, url) = (std::env::var_os("PATH").unwrap(), bed.database_url());
    let mut env = vec![("PATH", path.as_os_str()), (VARIABLE, OsStr::new(point))];
    env.extend(url.as_deref().map(|url| ("DATABASE_URL", OsStr::new(url))));
    let output = forge(&["serve", "--port", "0", "--data", data.to_str().unwrap()], &env).await;
    assert_eq!(output.status.signal(), Some(9), "{}", String::from_utf8_lossy(&output.stderr));
}

async fn serves_again(database: Database, point: &str) {
    let bed = Bed::on(database).await;
    let mut crash = Crash { witness: bed.printer("witness", 3).await, bed };
    crash.bed.server.kill_9().await;
    let (folder, new) = (crash.bed.server.data(), crash.bed.path("new"));
    // A folder that the database knows, the same one unbound, and one that serves for the first time.
    for _ in 0..2 {
        dies_at_start(&crash.bed, &folder, point).await;
    }
    let unbound = forge(&["node", "rebind", "--data", folder.to_str().unwrap()], &[]).await;
    assert!(unbound.status.success(), "{unbound:?}");
    for data in [&folder, &new] {
        dies_at_start(&crash.bed, data, point).await;
        // The next start is not refused: it gets as far as the last of these points.
        dies_at_start(&crash.bed, data, "node-claimed").await;
    }
    crash.recovered().await;
    crash.is_whole(&[]).await;
}

/// The same call with the same key.
fn start(bed: &Bed) -> RequestBuilder {
    bed.start("@edit a.txt one").header("idempotency-key", "once")
}

async fn crashed_start(database: Database, point: &str) -> Crash {
    let mut crash = Crash::armed(Bed::on(database).await, point).await;
    let request = start(&crash.bed);
    crash.bed.dies_of(request).await;
    crash.recovered().await;
    crash
}

async fn undoes_the_start(database: Database, point: &str) {
    let crash = crashed_start(database, point).await;
    crash.bed.assert_whole(&[]).await;
    assert_eq!(crash.bed.tasks().await.len(), 1, "only the witness's");
    repeats_the_start(crash).await;
}

async fn finishes_the_start(database: Database, point: &str) {
    let crash = crashed_start(database, point).await;
    assert_eq!(crash.bed.tasks().await.len(), 2, "the witness's, and the one that was started");
    repeats_the_start(crash).await;
}

async fn repeats_the_start(crash: Crash) {
    let run = Run::of(&sent(start(&crash.bed)).await);
    assert_eq!(Run::of(&sent(start(&crash.bed)).await), run, "one key, one attempt");
    let attempt = crash.bed.finished(&run).await;
    assert_eq!(attempt["outcome"], "succeeded", "{attempt:#}");
    assert_eq!(crash.bed.commits(&run).await, 1);
    assert_eq!(crash.bed.tasks().await.len(), 2);
    crash.is_whole(&[]).await;
}

async fn begins_the_turn(database: Database, point: &str) {
    let bed = Bed::on(database).await;
    let run = bed.started("@edit a.txt one").await;
    bed.finished(&run).await;
    let mut crash = Crash::armed(bed, point).await;
    let request = crash.bed.follow_up(&run, "@edit b.txt two\n@recall\n@say second");
    crash.bed.dies_of(request).await;
    crash.recovered().await;
    let attempt = crash.bed.finished(&run).await;
    assert_eq!(attempt["outcome"], "succeeded", "{attempt:#}");
    let processes = crash.bed.processes(&run.attempt).await;
    assert_eq!(processes.len(), 2, "{processes:#?}");
    let said = crash.bed.said(processes[1]["id"].as_str().unwrap()).await;
    assert!(said[0].contains("@edit a.txt one"), "it goes on with the conversation: {said:?}");
    assert_eq!(said[1..], ["second"]);
    assert_eq!(crash.bed.commits(&run).await, 2);
    crash.is_whole(&[]).await;
}

async fn begins_after_stop(database: Database, point: &str) {
    let bed = Bed::on(database).await;
    let run = bed.started("@say begun\n@until-told").await;
    bed.server.logs(&run.process, 0).await.until("begun").await;
    sent(bed.stop(&run)).await;
    assert_eq!(bed.finished(&run).await["outcome"], "stopped");
    let mut crash = Crash::armed(bed, point).await;
    let request = crash.bed.follow_up(&run, "@edit b.txt two");
    crash.bed.dies_of(request).await;
    crash.recovered().await;
    let attempt =
        crash.bed.server.until_attempt(&run.attempt, |attempt| attempt["outcome"] == "succeeded").await;
    let processes = crash.bed.processes(&run.attempt).await;
    assert_eq!(processes.len(), 2, "{attempt:#}: {processes:#?}");
    assert_eq!(crash.bed.committed(&run, "b.txt").await, "two");
    crash.is_whole(&[]).await;
}

async fn finishes_the_turn(database: Database, point: &str) {
    let mut crash = Crash::armed(Bed::on(database).await, point).await;
    let run = crash.bed.started("@edit a.txt one\n@say changed a").await;
    crash.dies().await;
    crash.recovered().await;
    let attempt = crash.bed.finished(&run).await;
    assert_eq!(attempt["outcome"], "succeeded", "{attempt:#}");
    assert_eq!(crash.bed.commits(&run).await, 1);
    let process = &crash.bed.processes(&run.attempt).await[0];
    assert_eq!((&process["status"], &process["exit_code"]), (&json!("completed"), &json!(0)));
    let head = crash.bed.repo.git(&["rev-parse", &run.branch]);
    assert_eq!(process["after_head_commit"], head);
    assert_eq!(crash.bed.repo.git(&["log", "-1", "--format=%b", &run.branch]), "changed a");
    crash.is_whole(&[]).await;
}

async fn stops_what_was_closed(database: Database, point: &str) {
    let mut crash = Crash::armed(Bed::on(database).await, point).await;
    let run = crash.bed.started("@say begun\n@until-told").await;
    crash.bed.server.logs(&run.process, 0).await.until("begun").await;
    let path = format!("/api/tasks/{}", run.task);
    let request = crash.bed.server.request(Method::PUT, &path).json(&json!({"status": "cancelled"}));
    crash.bed.dies_of(request).await;
    crash.recovered().await;
    assert_eq!(crash.bed.finished(&run).await["outcome"], "stopped");
    assert_eq!(sent(crash.bed.server.request(Method::GET, &path)).await["status"], "cancelled");
    crash.is_whole(&[]).await;
}

async fn goes_on_without_who_was_kept(database: Database, point: &str) {
    let bed = Bed::with_on(database, Setup::new(FORGE).keeping(30.0)).await;
    let mut crash = Crash::armed(bed, point).await;
    let run = crash.bed.started("@edit a.txt one").await;
    crash.dies().await;
    crash.bed.server.set_keeping(0.0);
    crash.recovered().await;
    let attempt = crash.bed.finished(&run).await;
    assert_eq!(attempt["outcome"], "succeeded", "{attempt:#}");
    sent(crash.bed.follow_up(&run, "@edit b.txt two\n@recall")).await;
    crash.bed.finished(&run).await;
    assert_eq!(crash.bed.commits(&run).await, 2);
    let processes = crash.bed.processes(&run.attempt).await;
    let said = crash.bed.said(processes[1]["id"].as_str().unwrap()).await;
    assert!(said.iter().any(|text| text.contains("I remember: ")), "{said:?}");
    crash.is_whole(&[]).await;
}

async fn ends_who_was_furnished(database: Database, point: &str) {
    let bed = Bed::with_on(database, Setup::new(FORGE).keeping(30.0)).await;
    let mut crash = Crash::armed(bed, point).await;
    let run = crash.bed.started("@edit a.txt one").await;
    let before = crash.bed.finished(&run).await;
    let request = crash.bed.follow_up(&run, "@edit b.txt two\n@recall");
    crash.bed.dies_of(request).await;
    crash.bed.server.set_keeping(0.0);
    crash.recovered().await;
    // It begins by itself, a moment after the server is back.
    let done = |attempt: &Value| is_finished(attempt) && attempt["updated_at"] != before["updated_at"];
    let attempt = crash.bed.server.until_attempt(&run.attempt, done).await;
    assert_eq!(attempt["outcome"], "succeeded", "{attempt:#}");
    assert_eq!(crash.bed.commits(&run).await, 2);
    let processes = crash.bed.processes(&run.attempt).await;
    assert_eq!(processes.len(), 2, "{processes:#?}");
    let said = crash.bed.said(processes[1]["id"].as_str().unwrap()).await;
    assert!(said.iter().any(|text| text.contains("I remember: ")), "{said:?}");
    crash.is_whole(&[]).await;
}

async fn finishes_the_stop(database: Database, point: &str) {
    let mut crash = Crash::armed(Bed::on(database).await, point).await;
    let run = crash.bed.started("@until-told").await;
    let request = crash.bed.stop(&run);
    crash.bed.dies_of(request).await;
    crash.recovered().await;
    let attempt = crash.bed.finished(&run).await;
    assert_eq!((&attempt["outcome"], &attempt["status"]), (&json!("stopped"), &json!("killed")));
    assert_eq!(crash.bed.processes(&run.attempt).await[0]["state"], "stopped");
    crash.is_whole(&[]).await;
}

async fn tells_the_answer(database: Database, point: &str) {
    let mut crash = Crash::armed(Bed::on(database).await, point).await;
    let run = permissions::dies_with_an_answer(&mut crash.bed).await;
    crash.recovered().await;
    assert_eq!(crash.bed.finished(&run).await["outcome"], "succeeded");
    assert_eq!(crash.bed.said(&run.process).await, ["Bash was allowed"]);
    assert_eq!(crash.bed.commits(&run).await, 1);
    crash.is_whole(&[]).await;
}

fn remove(bed: &Bed, run: &Run) -> RequestBuilder {
    bed.server.request(Method::DELETE, &format!("/api/task-attempts/{}", run.attempt))
}

async fn removes_again(database: Database, point: &str) {
    let bed = Bed::on(database).await;
    let run = bed.started("@edit a.txt one").await;
    bed.finished(&run).await;
    let mut crash = Crash::armed(bed, point).await;
    let request = remove(&crash.bed, &run);
    crash.bed.dies_of(request).await;
    crash.recovered().await;
    let (status, refusal) = answered(crash.bed.follow_up(&run, "@say hello")).await;
    assert_eq!((status, code(&refusal)), (409, "worktree_gone"), "nothing runs where nothing is");
    let snapshots =
        || crash.bed.repo.git(&["for-each-ref", "--format=%(refname:lstrip=4)", "refs/forge/attempts"]);
    // The attempt has its row, so the collection at the start of the server takes the mark back.
    comes_true("the mark is gone", || !snapshots().lines().any(|name| name == "deleted")).await;
    assert!(snapshots().contains("before-delete-"), "{}", snapshots());
    sent(remove(&crash.bed, &run)).await;
    assert_eq!(crash.bed.repo.git(&["show", &format!("{}:a.txt", run.branch)]), "one", "the branch stays");
    crash.is_whole(std::slice::from_ref(&run.branch)).await;
}

async fn is_removed(database: Database, point: &str) {
    let bed = Bed::on(database).await;
    let run = bed.started("@edit a.txt one").await;
    bed.finished(&run).await;
    let mut crash = Crash::armed(bed, point).await;
    let request = remove(&crash.bed, &run);
    crash.bed.dies_of(request).await;
    crash.recovered().await;
    assert_eq!(answered(remove(&crash.bed, &run)).await.0, 404);
    crash.is_whole(std::slice::from_ref(&run.branch)).await;
}

/// A server that dies at the point, where no witness of its own can be, and one that goes on.
async fn without_a_witness(bed: &mut Bed, point: &str, steps: &str) -> Run {
    bed.server.set_env(VARIABLE, point);
    bed.crash().await;
    let run = bed.started(steps).await;
    bed.server.ended().await;
    bed.server.unset_env(VARIABLE);
    bed.server.restart().await;
    assert_eq!(bed.finished(&run).await["outcome"], "succeeded", "at {point}");
    run
}

async fn kinds(bed: &Bed, run: &Run) -> Vec<Value> {
    bed.processes(&run.attempt).await.iter().map(|process| process["run_reason"].clone()).collect()
}

/// With a spare for the next start, and no more settings than that: it takes one that there is.
async fn armed_with_a_spare(database: Database, point: &str) -> Crash {
    let mut bed = Bed::on(database).await;
    bed.set_pool("min_files = 1").await;
    let witness = bed.printer("witness", 3).await;
    pool::until_spares(&bed, 1).await;
    bed.server.set_env(VARIABLE, point);
    bed.crash().await;
    Crash { bed, witness }
}

async fn undoes_the_start_with_a_spare(database: Database, point: &str) {
    let mut crash = armed_with_a_spare(database, point).await;
    let request = start(&crash.bed);
    crash.bed.dies_of(request).await;
    crash.recovered().await;
    assert_eq!(pool::entries(&crash.bed).len(), 0);
    crash.bed.assert_whole(&[]).await;
    assert_eq!(crash.bed.tasks().await.len(), 1, "only the witness's");
    repeats_the_start(crash).await;
}

async fn finds_the_spare(database: Database, point: &str) {
    let mut crash = armed_with_a_spare(database, point).await;
    // Whether the answer comes before the spare is made is nobody's business.
    let answer = start(&crash.bed).send();
    let (_, ()) = tokio::join!(answer, crash.dies());
    crash.recovered().await;
    let spare = pool::only_spare(&crash.bed).await;
    let run = Run::of(&sent(start(&crash.bed)).await);
    crash.bed.finished(&run).await;
    let next = crash.bed.started("@edit b.txt two").await;
    assert_eq!(pool::inode(&crash.bed.worktree(&next).await), spare.inode);
    crash.bed.finished(&next).await;
    assert_eq!(crash.bed.tasks().await.len(), 3);
    crash.is_whole(&[]).await;
}

/// Makes a file that nobody commits, and gives back the worktree.
fn left_a_file(attempt: &Value) -> PathBuf {
    let worktree = PathBuf::from(attempt["worktree_path"].as_str().unwrap());
    fs::write(worktree.join("untracked.txt"), "mine").unwrap();
    worktree
}

async fn snapshots(bed: &Bed, run: &Run) -> Vec<Value> {
    let path = format!("/api/task-attempts/{}/snapshots", run.attempt);
    sent(bed.server.request(Method::GET, &path)).await.as_array().unwrap().clone()
}

fn restore(bed: &Bed, run: &Run, snapshot: &Value) -> RequestBuilder {
    let path = format!("/api/task-attempts/{}/restore", run.attempt);
    bed.server.request(Method::POST, &path).json(&json!({"snapshot": snapshot["name"]}))
}

async fn puts_back_again(database: Database, point: &str) {
    let bed = Bed::on(database).await;
    let run = bed.started("@edit a.txt one").await;
    let worktree = left_a_file(&bed.finished(&run).await);
    let turn = snapshots(&bed, &run).await.remove(0);
    let mut crash = Crash::armed(bed, point).await;
    let request = restore(&crash.bed, &run, &turn);
    crash.bed.dies_of(request).await;
    crash.recovered().await;
    assert_eq!(read(worktree.join("untracked.txt")), "mine", "nothing was overwritten yet");
    let saved = snapshots(&crash.bed, &run).await.remove(0);
    assert_eq!(saved["what"], "before_restore");
    sent(restore(&crash.bed, &run, &turn)).await;
    assert!(!worktree.join("untracked.txt").exists());
    sent(restore(&crash.bed, &run, &saved)).await;
    assert_eq!(read(worktree.join("untracked.txt")), "mine");
    crash.is_whole(&[]).await;
}

async fn collects_again(database: Database, point: &str) {
    // By a closed task: what is idle is taken as soon as a server starts, and this one shall live till it is asked.
    let bed = Bed::with_on(database, Setup::new(FORGE).config("[gc]\nclosed_days = 0.0\n")).await;
    let run = bed.started("@edit a.txt one").await;
    let worktree = left_a_file(&bed.finished(&run).await);
    let mut crash = Crash::armed(bed, point).await;
    let task = format!("/api/tasks/{}", run.task);
    crash.bed.server.put(&task, json!({"status": "done"})).await;
    let request = crash.bed.server.request(Method::POST, "/api/gc").json(&json!({}));
    crash.bed.dies_of(request).await;
    assert!(worktree.exists(), "the row came first");
    crash.recovered().await;
    comes_true("the folder is gone", || !worktree.exists()).await;
    crash.bed.server.put(&task, json!({"status": "inreview"})).await;
    let saved = snapshots(&crash.bed, &run).await.remove(0);
    assert_eq!(saved["what"], "collected");
    sent(restore(&crash.bed, &run, &saved)).await;
    assert_eq!(read(worktree.join("untracked.txt")), "mine");
    crash.is_whole(&[]).await;
}

/// The same points as in a follow-up, from one stage of the chain to the next.
async fn the_agent_after_a_setup_script_runs_once_wherever_the_server_dies(database: Database) {
    for point in ["turn-written", "turn-process-runs"] {
        let mut bed = Bed::on(database).await;
        bed.change(json!({"setup_script": "echo >> set-up.txt"})).await;
        let run = without_a_witness(&mut bed, point, "@edit a.txt one").await;
        assert_eq!(kinds(&bed, &run).await, ["setupscript", "codingagent"], "at {point}");
        assert_eq!(bed.commits(&run).await, 1);
        let shown = bed.repo.git(&["show", "--format=", "--name-only", &run.branch]);
        assert_eq!(shown, "a.txt", "the script's file is left out");
        bed.assert_whole(&[]).await;
    }
}

async fn the_cleanup_script_runs_once_after_a_commit_that_nobody_wrote_down(database: Database) {
    for point in ["process-ended", "process-end-written", "commit-made", "turn-written", "turn-process-runs"]
    {
        let mut bed = Bed::on(database).await;
        bed.change(json!({"cleanup_script": "echo >> tidy.txt"})).await;
        let run = without_a_witness(&mut bed, point, "@edit a.txt one").await;
        assert_eq!(kinds(&bed, &run).await, ["codingagent", "cleanupscript"], "at {point}");
        assert_eq!((bed.committed(&run, "tidy.txt").await, bed.commits(&run).await), (String::new(), 2));
        bed.assert_whole(&[]).await;
    }
}

fn replace(bed: &Bed, run: &Run, process: Option<&str>, steps: &str) -> RequestBuilder {
    let path = format!("/api/task-attempts/{}/replace-process", run.attempt);
    bed.server.request(Method::POST, &path).json(&json!({"process_id": process, "prompt": steps}))
}

/// What the attempt's processes are, and whether they count.
async fn counted(bed: &Bed, run: &Run) -> Vec<(Value, bool)> {
    let processes = bed.processes(&run.attempt).await;
    processes
        .iter()
        .map(|process| (process["status"].clone(), !process["dropped"].as_bool().unwrap()))
        .collect()
}

async fn replaces_again(database: Database, point: &str) {
    let bed = Bed::on(database).await;
    let run = bed.started("@edit a.txt one").await;
    bed.finished(&run).await;
    let second = sent(bed.follow_up(&run, "@edit b.txt two")).await;
    let before = bed.finished(&run).await;
    let worktree = left_a_file(&before);
    let mut crash = Crash::armed(bed, point).await;
    let request = replace(&crash.bed, &run, second["id"].as_str(), "@edit c.txt three\n@recall");
    crash.bed.dies_of(request).await;
    crash.recovered().await;
    // It begins by itself, a moment after the server is back.
    let done = |attempt: &Value| is_finished(attempt) && attempt["updated_at"] != before["updated_at"];
    let attempt = crash.bed.server.until_attempt(&run.attempt, done).await;
    assert_eq!(attempt["outcome"], "succeeded", "{attempt:#}");
    let completed = json!("completed");
    let expected = [(completed.clone(), true), (completed.clone(), false), (completed, true)];
    assert_eq!(counted(&crash.bed, &run).await, expected, "it began once");
    assert_eq!(crash.bed.commits(&run).await, 2);
    assert_eq!(crash.bed.committed(&run, "c.txt").await, "three");
    for gone in ["b.txt", "untracked.txt"] {
        assert!(!worktree.join(gone).exists(), "{gone}");
    }
    let processes = crash.bed.processes(&run.attempt).await;
    let said = crash.bed.said(processes[2]["id"].as_str().unwrap()).await;
    assert!(said.iter().any(|text| text.contains("a.txt")), "{said:?}");
    assert!(!said.iter().any(|text| text.contains("b.txt")), "{said:?}");
    // Of the first time, when all of it was there.
    let saved = snapshots(&crash.bed, &run).await;
    let saved = saved.iter().rfind(|saved| saved["what"] == "before_replace").unwrap();
    sent(restore(&crash.bed, &run, saved)).await;
    assert_eq!(
        (read(worktree.join("untracked.txt")), read(worktree.join("b.txt"))),
        ("mine".into(), "two\n".into())
    );
    crash.is_whole(&[]).await;
}

async fn a_turn_that_is_being_stopped_for_another_is_replaced_wherever_the_server_dies(database: Database) {
    for point in ["stop-written", "process-ended", "process-end-written", "replace-saved", "turn-written"] {
        let mut bed = Bed::on(database).await;
        let run = bed.started("@edit a.txt one").await;
        bed.finished(&run).await;
        let running = sent(bed.follow_up(&run, "@edit b.txt two\n@say written\n@until-told")).await;
        let running = running["id"].as_str().unwrap().to_owned();
        bed.server.logs(&running, 0).await.until("written").await;
        bed.server.set_env(VARIABLE, point);
        bed.crash().await;
        let request = replace(&bed, &run, None, "@edit c.txt three");
        bed.dies_of(request).await;
        bed.server.unset_env(VARIABLE);
        bed.server.restart().await;
        let attempt =
            bed.server.until_attempt(&run.attempt, |attempt| attempt["outcome"] == "succeeded").await;
        let expected = [(json!("completed"), true), (json!("killed"), false), (json!("completed"), true)];
        assert_eq!(counted(&bed, &run).await, expected, "at {point}: {attempt:#}");
        assert_eq!((bed.committed(&run, "c.txt").await, bed.commits(&run).await), ("three".into(), 2));
        bed.assert_whole(&[]).await;
    }
}

async fn starts_the_dev_server(database: Database, point: &str) {
    let bed = Bed::on(database).await;
    bed.change(json!({"dev_script": "echo serving; exec sleep 600"})).await;
    let run = bed.started("@edit a.txt one").await;
    bed.finished(&run).await;
    let mut crash = Crash::armed(bed, point).await;
    let path = format!("/api/task-attempts/{}/start-dev-server", run.attempt);
    let request = crash.bed.server.request(Method::POST, &path);
    crash.bed.dies_of(request).await;
    crash.recovered().await;
    let processes = crash.bed.processes(&run.attempt).await;
    assert_eq!((processes.len(), &processes[1]["status"]), (2, &json!("running")), "{processes:#?}");
    crash.bed.server.logs(processes[1]["id"].as_str().unwrap(), 0).await.until("serving").await;
    sent(crash.bed.stop(&run)).await;
    assert_eq!(crash.bed.processes(&run.attempt).await[1]["status"], "killed");
    crash.is_whole(&[]).await;
}
