//! Stops: what was asked to stop is gone with all its children when the answer comes, however it resists.

use std::path::Path;

use forge_testkit::server::Setup;
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::ground::comes_true;
use crate::life::{Bed, Run, answered, id, pid, sent};
use crate::{FORGE, code};

/// A grace that no test lives to see the end of: what ends under it ended by itself.
async fn patient() -> Bed {
    Bed::with(Setup::new(FORGE).config("grace_seconds = 600")).await
}

/// A grace that is over at once.
async fn impatient() -> Bed {
    Bed::with(Setup::new(FORGE).config("grace_seconds = 0")).await
}

/// An agent that has come to the end of these steps and waits to be told more.
async fn waiting(bed: &Bed, steps: &str) -> Run {
    let run = bed.started(&format!("{steps}\n@say ready\n@until-told")).await;
    bed.server.logs(&run.process, 0).await.until("ready").await;
    run
}

async fn is_stopped(bed: &Bed, run: &Run) {
    let attempt = bed.attempt(run).await;
    let words = ["state", "status", "outcome"].map(|key| attempt[key].as_str().unwrap().to_owned());
    assert_eq!(words, ["finished", "killed", "stopped"]);
    let process = bed.processes(&run.attempt).await.pop().unwrap();
    assert_eq!((&process["status"], &process["state"]), (&json!("killed"), &json!("stopped")));
    assert_eq!(bed.task_status(run).await, "inreview");
}

fn assert_gone(bed: &Bed, files: &[&Path]) {
    let left = bed.server.family().pids();
    for file in files {
        assert!(!left.contains(&pid(file)), "{} lives on", file.display());
    }
}

#[tokio::test]
async fn a_willing_agent_is_gone_long_before_its_grace_is_over() {
    let bed = patient().await;
    let own = bed.path("own");
    let run = waiting(&bed, &format!("@print-pid {}\n@edit a.txt one", own.display())).await;
    let answer = sent(bed.stop(&run)).await;
    assert_eq!(answer["outcome"], "stopped");
    assert_gone(&bed, &[&own]);
    is_stopped(&bed, &run).await;
    let worktree = bed.attempt(&run).await["worktree_path"].as_str().unwrap().to_owned();
    assert_eq!(crate::read(Path::new(&worktree).join("a.txt")), "one\n", "what it did is still there");
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn a_stubborn_agent_is_killed_when_its_grace_is_over() {
    let bed = Bed::with(Setup::new(FORGE).config("grace_seconds = 1")).await;
    let own = bed.path("own");
    let run = waiting(&bed, &format!("@print-pid {}\n@ignore-signals", own.display())).await;
    sent(bed.stop(&run)).await;
    assert_gone(&bed, &[&own]);
    is_stopped(&bed, &run).await;
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn nothing_of_the_tree_is_left_when_a_stop_is_answered() {
    for (steps, bed) in [("", patient().await), ("@ignore-signals", impatient().await)] {
        let files = ["own", "plain", "session", "background"].map(|name| bed.path(name));
        let [own, plain, session, background] = files.each_ref().map(|path| path.display());
        let run = waiting(
            &bed,
            &format!(
                "{steps}\n@print-pid {own}\n@spawn {plain}\n@spawn-session {session}\n@background {background}"
            ),
        )
        .await;
        sent(bed.stop(&run)).await;
        assert_gone(&bed, &files.each_ref().map(std::path::PathBuf::as_path));
        is_stopped(&bed, &run).await;
        bed.assert_whole(&[]).await;
    }
}

/// A script that leaves a process which no longer has a parent nor a session in common with it, and deaf at that.
fn daemon(bed: &Bed, then: &str) -> String {
    let file = bed.path("daemon").display().to_string();
    let deaf = format!(
        "trap \"\" INT TERM HUP; echo $$ > {file}.part; mv {file}.part {file}; echo > {file}.ready; sleep 600"
    );
    format!("(setsid sh -c '{deaf}; true' < /dev/null > /dev/null 2>&1 &)\nread x < {file}.ready\n{then}")
}

#[tokio::test]
async fn a_process_that_made_itself_a_daemon_is_stopped_with_its_script() {
    let bed = patient().await;
    let (_ready, began) = (bed.gate("daemon.ready"), bed.gate("began"));
    let then = format!("echo > {}; sleep 600", began.path().display());
    bed.change(json!({"setup_script": daemon(&bed, &then)})).await;
    let run = bed.started("@say never").await;
    began.reached().await;
    sent(bed.stop(&run)).await;
    assert_gone(&bed, &[&bed.path("daemon")]);
    is_stopped(&bed, &run).await;
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn a_process_that_made_itself_a_daemon_ends_with_its_script() {
    let bed = patient().await;
    let _ready = bed.gate("daemon.ready");
    bed.change(json!({"setup_script": daemon(&bed, "true")})).await;
    let run = bed.started("@say set up").await;
    assert_eq!(bed.finished(&run).await["outcome"], "succeeded");
    assert_gone(&bed, &[&bed.path("daemon")]);
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn an_agent_that_ends_leaves_no_child_behind() {
    let bed = patient().await;
    let files = ["plain", "session", "background"].map(|name| bed.path(name));
    let [plain, session, background] = files.each_ref().map(|path| path.display());
    let steps =
        format!("@spawn {plain}\n@spawn-session {session}\n@background {background}\n@edit a.txt one");
    let run = bed.started(&steps).await;
    assert_eq!(bed.finished(&run).await["outcome"], "succeeded");
    assert_gone(&bed, &files.each_ref().map(std::path::PathBuf::as_path));
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn ten_stops_at_once_are_one_and_all_are_answered() {
    let bed = Bed::with(Setup::new(FORGE).config("grace_seconds = 1")).await;
    let run = waiting(&bed, "@ignore-signals").await;
    let answers = join_all((0..10).map(|_| sent(bed.stop(&run)))).await;
    for answer in &answers {
        assert_eq!(answer, &answers[0]);
    }
    assert_eq!(answers[0]["outcome"], "stopped");
    is_stopped(&bed, &run).await;
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn a_stop_of_what_has_finished_changes_nothing() {
    let bed = patient().await;
    let run = bed.started("@edit a.txt one").await;
    let before = bed.finished(&run).await;
    let mut stopped = before.clone();
    stopped["removed_follow_ups"] = json!([]);
    assert_eq!(sent(bed.stop(&run)).await, stopped);
    assert_eq!(sent(stop_process(&bed, &run.process)).await["status"], "completed");
    assert_eq!(bed.attempt(&run).await, before);
    bed.assert_whole(&[]).await;
}

fn stop_process(bed: &Bed, process: &str) -> reqwest::RequestBuilder {
    bed.server.request(Method::POST, &format!("/api/execution-processes/{process}/stop"))
}

#[tokio::test]
async fn a_process_is_stopped_by_its_own_id_and_its_attempt_with_it() {
    let bed = patient().await;
    let run = waiting(&bed, "").await;
    let process = sent(stop_process(&bed, &run.process)).await;
    assert_eq!((&process["id"], &process["status"]), (&json!(run.process), &json!("killed")));
    is_stopped(&bed, &run).await;
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn a_stop_takes_what_waits_in_the_queue_with_it() {
    let bed = patient().await;
    let run = waiting(&bed, "").await;
    let path = format!("/api/task-attempts/{}/follow-ups", run.attempt);
    for prompt in ["@say never", "@say neither"] {
        sent(bed.follow_up(&run, prompt)).await;
    }
    assert_eq!(crate::data(bed.server.get(&path).await).as_array().unwrap().len(), 2);
    let stopped = sent(bed.stop(&run)).await;
    let removed = stopped["removed_follow_ups"].as_array().unwrap();
    let prompts: Vec<_> = removed.iter().map(|removed| removed["prompt"].as_str().unwrap()).collect();
    assert_eq!(prompts, ["@say never", "@say neither"]);
    assert_eq!((&removed[0]["why"], &removed[0]["returned_to_draft"]), (&json!("stopped"), &json!(null)));
    assert_eq!(crate::data(bed.server.get(&path).await), json!([]));
    is_stopped(&bed, &run).await;
    assert_eq!(bed.processes(&run.attempt).await.len(), 1, "nothing of the queue was run");
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn a_stopped_attempt_goes_on_with_a_follow_up() {
    let bed = patient().await;
    let run = waiting(&bed, "@edit a.txt one").await;
    sent(bed.stop(&run)).await;
    let second = id(&sent(bed.follow_up(&run, "@recall\n@edit b.txt two")).await);
    assert_eq!(bed.finished(&run).await["outcome"], "succeeded");
    assert!(bed.said(&second).await[0].contains("@edit a.txt one"), "it remembers what it was told");
    assert_eq!(bed.committed(&run, "a.txt").await, "one");
    assert_eq!(bed.committed(&run, "b.txt").await, "two");
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn a_follow_up_to_what_is_being_stopped_is_refused() {
    let bed = Bed::with(Setup::new(FORGE).config("grace_seconds = 600")).await;
    let run = waiting(&bed, "@ignore-signals").await;
    let follow = async {
        bed.server.until_attempt(&run.attempt, |attempt| attempt["state"] == "stopping").await;
        answered(bed.follow_up(&run, "@say never")).await
    };
    let (status, refusal) = tokio::select! {
        answer = bed.stop(&run).send() => panic!("{answer:?} although the agent is deaf"),
        answer = follow => answer,
    };
    assert_eq!((status, code(&refusal)), (409, "attempt_stopping"));
}

#[tokio::test]
async fn a_hung_setup_script_is_stopped_and_the_agent_does_not_begin() {
    let bed = patient().await;
    let began = bed.gate("began");
    bed.change(json!({"setup_script": format!("echo > {}; sleep 600", began.path().display())})).await;
    let run = bed.started("@say never").await;
    began.reached().await;
    sent(bed.stop(&run)).await;
    is_stopped(&bed, &run).await;
    let kinds: Vec<Value> =
        bed.processes(&run.attempt).await.iter().map(|p| p["run_reason"].clone()).collect();
    assert_eq!(kinds, ["setupscript"]);
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn a_stop_during_a_commit_lets_the_commit_finish_and_nothing_after_it() {
    let bed = patient().await;
    let (began, go) = bed.hold_commits();
    bed.change(json!({"cleanup_script": "echo never > cleanup.txt"})).await;
    let run = bed.started("@edit a.txt one").await;
    began.reached().await;
    let (answer, ()) = tokio::join!(sent(bed.stop(&run)), async {
        bed.server.until_attempt(&run.attempt, |attempt| attempt["state"] == "stopping").await;
        go.open().await;
    });
    assert_eq!(answer["outcome"], "stopped");
    assert_eq!((bed.committed(&run, "a.txt").await, bed.commits(&run).await), ("one".to_owned(), 1));
    assert_eq!(bed.processes(&run.attempt).await.len(), 1, "the cleanup script does not begin");
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn a_hook_that_hangs_can_be_stopped_and_no_work_is_lost() {
    let bed = impatient().await;
    let (began, _never) = bed.hold_commits();
    let run = bed.started("@edit a.txt one").await;
    began.reached().await;
    assert_eq!(sent(bed.stop(&run)).await["outcome"], "stopped");
    assert_eq!(bed.commits(&run).await, 0);
    let worktree = bed.attempt(&run).await["worktree_path"].as_str().unwrap().to_owned();
    assert_eq!(crate::read(Path::new(&worktree).join("a.txt")), "one\n");
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn stop_is_heard_while_worktree_is_saved() {
    let bed = impatient().await;
    let go = bed.gate("go");
    let steps = format!("@edit a.txt one\n@say ready\n@wait-fifo {}", go.path().display());
    let run = bed.started(&steps).await;
    bed.server.logs(&run.process, 0).await.until("ready").await;
    // No snapshot is taken as long as this is held.
    let lock = std::fs::File::open(bed.repo.path().join(".git/forge-lock")).unwrap();
    lock.lock().unwrap();
    go.open().await;
    // The commit is made, and then the turn waits for its snapshot.
    comes_true("the turn is committed", || {
        bed.repo.git(&["log", "--format=%s", "--all"]).lines().count() > 1
    })
    .await;
    assert_eq!(sent(bed.stop(&run)).await["state"], "finished");
    drop(lock);
    let worktree = bed.attempt(&run).await["worktree_path"].as_str().unwrap().to_owned();
    assert_eq!(crate::read(Path::new(&worktree).join("a.txt")), "one\n");
    bed.assert_whole(&[]).await;
}
