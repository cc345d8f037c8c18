//! Another turn in the place of one: worktree and conversation go back to what they were, and nothing is lost.

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use reqwest::Method;
use serde_json::{Value, json};

use crate::ground::{Ground, Held, Started};
use crate::life::{Bed, answered, sent};
use crate::{FORGE, code, data};

fn path(started: &Started) -> String {
    format!("/api/task-attempts/{}/replace-process", started.attempt())
}

async fn replace(ground: &Ground, started: &Started, body: Value) -> (u16, Value) {
    ground.server.post(&path(started), body).await
}

/// All of them, those that were dropped too.
async fn all(ground: &Ground, started: &Started) -> Vec<Value> {
    let path =
        format!("/api/execution-processes?task_attempt_id={}&show_soft_deleted=true", started.attempt());
    data(ground.server.get(&path).await).as_array().unwrap().clone()
}

fn dropped(processes: &[Value]) -> Vec<bool> {
    processes.iter().map(|process| process["dropped"].as_bool().unwrap()).collect()
}

async fn snapshots(ground: &Ground, started: &Started) -> Vec<Value> {
    let path = format!("/api/task-attempts/{}/snapshots", started.attempt());
    let all = data(ground.server.get(&path).await);
    all.as_array().unwrap().iter().filter(|one| one["what"] == "before_replace").cloned().collect()
}

async fn turn(ground: &Ground, started: &Started, prompt: &str) -> Value {
    let (status, body) = ground.follow_up(started, prompt).await;
    assert_eq!(status, 200, "{body}");
    ground.finished(started).await;
    body["data"].clone()
}

fn file(started: &Started, name: &str) -> Option<String> {
    std::fs::read_to_string(started.worktree().join(name)).ok()
}

#[tokio::test]
async fn the_last_turn_is_replaced_by_another_on_what_was_before_it() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one\n@say first").await;
    ground.finished(&started).await;
    let first = ground.repo.git(&["rev-parse", started.branch()]);
    let second = turn(&ground, &started, "@edit b.txt two\n@edit a.txt spoiled").await;
    let spoiled = ground.repo.git(&["rev-parse", started.branch()]);
    let main = ground.repo.git(&["rev-parse", "main"]);
    let body = json!({"process_id": second["id"], "prompt": "@recall\n@edit c.txt three"});
    let answer = data(replace(&ground, &started, body).await);
    assert_eq!(
        (&answer["deleted_count"], &answer["target_before_oid"]),
        (&json!(1), &json!(first)),
        "{answer}"
    );
    assert_eq!((&answer["git_reset_needed"], &answer["git_reset_applied"]), (&json!(true), &json!(true)));
    assert_eq!((&answer["new_execution_id"], &answer["run_reason"]), (&answer["id"], &json!("codingagent")));
    assert_eq!((&answer["before_head_commit"], &answer["status"]), (&json!(first), &json!("running")));
    ground.finished(&started).await;
    assert_eq!((file(&started, "a.txt").as_deref(), file(&started, "b.txt")), (Some("one\n"), None));
    assert_eq!(ground.repo.git(&["rev-list", "--count", &format!("{first}..{}", started.branch())]), "1");
    assert_eq!(ground.repo.git(&["rev-parse", "main"]), main);
    let printed = ground.printed(&answer).await;
    assert!(printed.contains("@edit a.txt one") && !printed.contains("b.txt"), "{printed}");

    assert_eq!(dropped(&all(&ground, &started).await), [false, true, false]);
    let shown: Vec<_> =
        ground.processes(&started).await.iter().map(|process| process["id"].clone()).collect();
    assert_eq!(shown, [json!(started.process()), answer["id"].clone()]);
    // What was replaced can be put back.
    let saved = snapshots(&ground, &started).await;
    let tree = |commit: &str| ground.repo.git(&["rev-parse", &format!("{commit}^{{tree}}")]);
    let oid = saved[0]["oid"].as_str().unwrap();
    assert_eq!((saved.len(), tree(oid)), (1, tree(&spoiled)), "nothing was uncommitted");
    let restore = format!("/api/task-attempts/{}/restore", started.attempt());
    data(ground.server.post(&restore, json!({"snapshot": saved[0]["name"]})).await);
    assert_eq!(file(&started, "b.txt").as_deref(), Some("two\n"));
}

#[tokio::test]
async fn the_first_turn_is_replaced_by_one_that_knows_nothing_of_it() {
    let ground = Ground::with(json!({"setup_script": "echo made > made-by-setup.txt"})).await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    turn(&ground, &started, "@edit b.txt two").await;
    let agent = ground.processes(&started).await[1].clone();
    assert_eq!(agent["run_reason"], "codingagent");
    let body = json!({"process_id": agent["id"], "prompt": "@recall\n@edit c.txt three"});
    let answer = data(replace(&ground, &started, body).await);
    assert_eq!(answer["deleted_count"], 2);
    let action = &answer["executor_action"]["typ"];
    assert_eq!(action["type"], "CodingAgentInitialRequest");
    assert_eq!(action["prompt"], "@recall\n@edit c.txt three", "the task is not told again");
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!((file(&started, "a.txt"), file(&started, "b.txt")), (None, None));
    assert_eq!(
        file(&started, "made-by-setup.txt").as_deref(),
        Some("made\n"),
        "it was there before the turn"
    );
    let printed = ground.printed(&answer).await;
    assert!(!printed.contains("one"), "{printed}");
    assert_eq!(dropped(&all(&ground, &started).await), [false, true, true, false]);
    assert_eq!(ground.kinds(&started).await, ["setupscript", "codingagent"], "the script does not run again");
}

#[tokio::test]
async fn a_turn_that_runs_is_stopped_saved_and_replaced_by_who_names_nothing() {
    let ground = Ground::new().await;
    let held = Held::at(ground.own("held"));
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    let (_, running) =
        ground.follow_up(&started, &format!("@edit b.txt half\n@wait-fifo {}", held.path())).await;
    ground.server.logs(running["data"]["id"].as_str().unwrap(), 0).await.until("b.txt").await;
    crate::ground::comes_true("the agent has written", || file(&started, "b.txt").is_some()).await;
    // As the older client sends it.
    let body = json!({"executor_profile_id": {"executor": "CLAUDE_CODE", "variant": null}, "prompt": "@edit c.txt three"});
    let answer = data(replace(&ground, &started, body).await);
    assert_eq!(
        (&answer["deleted_count"], &answer["git_reset_applied"]),
        (&json!(1), &json!(true)),
        "{answer}"
    );
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(file(&started, "b.txt"), None);
    let processes = all(&ground, &started).await;
    assert_eq!((processes.len(), dropped(&processes)), (3, vec![false, true, false]));
    assert_eq!(processes[1]["status"], "killed");
    let saved = snapshots(&ground, &started).await;
    let saved = saved[0]["oid"].as_str().unwrap();
    assert_eq!(ground.repo.git(&["show", &format!("{saved}:b.txt")]), "half", "what it had written is kept");
    held.let_go();
}

#[tokio::test]
async fn what_waits_comes_after_what_replaces() {
    let ground = Ground::new().await;
    let held = Held::at(ground.own("held"));
    let started = ground.start(&format!("@say begun\n@wait-fifo {}", held.path())).await;
    assert_eq!(ground.follow_up(&started, "@say waited").await.0, 202);
    let answer = data(replace(&ground, &started, json!({"prompt": "@say instead"})).await);
    assert_eq!(answer["executor_action"]["typ"]["prompt"], "@say instead");
    ground.finished(&started).await;
    let prompts: Vec<_> = ground.processes(&started).await;
    let prompts: Vec<_> =
        prompts.iter().map(|process| &process["executor_action"]["typ"]["prompt"]).collect();
    assert_eq!(prompts, ["@say instead", "@say waited"]);
    held.let_go();
}

#[tokio::test]
async fn what_is_not_committed_is_told_to_who_asks_and_stays_for_who_says_so() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    std::fs::write(started.worktree().join("mine.txt"), "mine").unwrap();
    let body = json!({"prompt": "@say x", "force_when_dirty": false});
    let (status, refused) = replace(&ground, &started, body).await;
    assert_eq!((status, code(&refused)), (409, "worktree_dirty"));
    assert_eq!(
        (all(&ground, &started).await.len(), file(&started, "mine.txt").as_deref()),
        (1, Some("mine"))
    );
    let body = json!({"prompt": "@say x", "force_when_dirty": false, "perform_git_reset": false});
    let answer = data(replace(&ground, &started, body).await);
    assert_eq!((&answer["git_reset_needed"], &answer["git_reset_applied"]), (&json!(true), &json!(false)));
    ground.finished(&started).await;
    assert_eq!(file(&started, "mine.txt").as_deref(), Some("mine"));
    assert_eq!(file(&started, "a.txt").as_deref(), Some("one\n"));
    assert_eq!(dropped(&all(&ground, &started).await), [true, false]);
}

#[tokio::test]
async fn what_the_turn_before_left_uncommitted_is_there_again() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt half\n@crash").await;
    assert_eq!(ground.finished(&started).await["outcome"], "failed");
    let second = turn(&ground, &started, "@edit a.txt spoiled\n@edit b.txt too").await;
    let body = json!({"process_id": second["id"], "prompt": "@edit c.txt three", "force_when_dirty": true});
    data(replace(&ground, &started, body).await);
    ground.finished(&started).await;
    assert_eq!((file(&started, "a.txt").as_deref(), file(&started, "b.txt")), (Some("half\n"), None));
}

#[tokio::test]
async fn a_follow_up_that_retries_does_the_same_and_its_draft_is_done_with() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    let draft = format!("/api/task-attempts/{}/draft?type=retry", started.attempt());
    let body = json!({"prompt": "@edit b.txt two", "retry_process_id": started.process()});
    data(ground.server.put(&draft, body.clone()).await);
    let path = format!("/api/task-attempts/{}/follow-up", started.attempt());
    let answer = data(ground.server.post(&path, body).await);
    assert_eq!((&answer["status"], &answer["deleted_count"]), (&json!("running"), &json!(1)), "{answer}");
    ground.finished(&started).await;
    assert_eq!((file(&started, "a.txt"), file(&started, "b.txt").as_deref()), (None, Some("two\n")));
    assert_eq!(data(ground.server.get(&draft).await)["retry_process_id"], Value::Null);
}

#[tokio::test]
async fn what_cannot_be_replaced_is_refused_and_nothing_happens() {
    let ground = Ground::with(json!({"setup_script": "test -e ready"})).await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    let refusal = async |body| {
        let (status, body) = replace(&ground, &started, body).await;
        (status, code(&body).to_owned())
    };
    assert_eq!(refusal(json!({"prompt": "x"})).await, (409, "nothing_to_replace".into()));
    let script = json!({"prompt": "x", "process_id": started.process()});
    assert_eq!(refusal(script).await, (422, "not_a_turn".into()));
    std::fs::write(started.worktree().join("ready"), "").unwrap();
    let first = turn(&ground, &started, "@edit b.txt two").await;
    assert_eq!(first["run_reason"], "setupscript");
    assert_eq!(refusal(json!({"prompt": " "})).await, (422, "prompt_empty".into()));
    assert_eq!(refusal(json!({})).await, (422, "wrong_shape".into()));
    let other = json!({"prompt": "x", "executor_profile_id": "CODEX"});
    assert_eq!(refusal(other).await, (422, "executor_differs".into()));
    let foreign = json!({"prompt": "x", "process_id": uuid::Uuid::new_v4()});
    assert_eq!(refusal(foreign).await, (404, "not_found".into()));
    assert_eq!(dropped(&all(&ground, &started).await), [false, false, false]);
    let agent = all(&ground, &started).await[2]["id"].clone();
    data(replace(&ground, &started, json!({"prompt": "@say x", "process_id": agent})).await);
    ground.finished(&started).await;
    let again = json!({"prompt": "x", "process_id": agent});
    assert_eq!(refusal(again).await, (409, "process_dropped".into()));
    let nobody = format!("/api/task-attempts/{}/replace-process", uuid::Uuid::new_v4());
    assert_eq!(ground.server.post(&nobody, json!({"prompt": "x"})).await.0, 404);
}

/// An attempt of one turn whose worktree was taken away, so that the setup script runs again.
async fn collected() -> (Ground, Started) {
    let setup = Setup::new(FORGE).config("[gc]\nworktree_days = 0.0\n");
    let fields = json!({"setup_script": "echo ran >> ../setups; test ! -e ../broken"});
    let ground = Ground::on(setup, TempRepo::new(), fields).await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    let done = data(ground.server.post("/api/gc", json!({})).await);
    assert_eq!(done["collected"].as_array().unwrap().len(), 1, "{done}");
    (ground, started)
}

#[tokio::test]
async fn the_setup_script_of_the_turn_that_replaces_is_no_part_of_what_is_dropped() {
    let (ground, started) = collected().await;
    let answer = data(replace(&ground, &started, json!({"prompt": "@edit b.txt two"})).await);
    assert_eq!((&answer["run_reason"], &answer["deleted_count"]), (&json!("setupscript"), &json!(1)));
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    let processes = all(&ground, &started).await;
    assert_eq!(dropped(&processes), [false, true, false, false]);
    assert_eq!(processes[3]["executor_action"]["typ"]["prompt"], "@edit b.txt two");
    assert_eq!((file(&started, "a.txt"), file(&started, "b.txt").as_deref()), (None, Some("two\n")));
}

#[tokio::test]
async fn a_turn_that_replaces_waits_when_its_setup_script_fails_and_is_sent_once() {
    let (ground, started) = collected().await;
    let beside = |name: &str| started.worktree().with_file_name(name);
    let (setups, broken) = (beside("setups"), beside("broken"));
    std::fs::write(&broken, "").unwrap();
    data(replace(&ground, &started, json!({"prompt": "@recall\n@edit b.txt two"})).await);
    let failed = ground.finished(&started).await;
    assert_eq!(failed["reason"]["code"], "setup_failed", "{failed}");
    // An answer to this comes after all that the end of the script led to.
    let interrupt = format!("/api/task-attempts/{}/interrupt", started.attempt());
    data(ground.server.post(&interrupt, json!(null)).await);
    assert_eq!(crate::read(&setups).lines().count(), 2, "it is not tried again and again");
    let queue = format!("/api/task-attempts/{}/follow-ups", started.attempt());
    let waiting = data(ground.server.get(&queue).await);
    assert_eq!(waiting.as_array().unwrap().len(), 1, "{waiting}");

    // What a person did meanwhile is not taken back.
    std::fs::write(started.worktree().join("mine.txt"), "mine").unwrap();
    std::fs::remove_file(&broken).unwrap();
    assert_eq!(ground.follow_up(&started, "@edit c.txt three").await.0, 202);
    ground.until_prompt(&started, "@edit c.txt three").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    let processes = all(&ground, &started).await;
    assert_eq!(dropped(&processes), [false, true, false, false, false, false]);
    let printed = ground.printed(&processes[4]).await;
    assert!(!printed.contains("one"), "the conversation is that before the turn: {printed}");
    let there = ["a.txt", "b.txt", "c.txt", "mine.txt"].map(|name| file(&started, name).is_some());
    assert_eq!(there, [false, true, true, true]);
}

#[tokio::test]
async fn who_stops_meanwhile_wins() {
    let bed = Bed::with(Setup::new(FORGE).config("grace_seconds = 600")).await;
    let run = bed.started("@ignore-signals\n@say deaf\n@until-told").await;
    bed.server.logs(&run.process, 0).await.until("deaf").await;
    let replace = format!("/api/task-attempts/{}/replace-process", run.attempt);
    let replace = bed.server.request(Method::POST, &replace).json(&json!({"prompt": "@say instead"}));
    let stop = async {
        bed.server.until_attempt(&run.attempt, |attempt| attempt["state"] == "stopping").await;
        let stop = sent(bed.stop(&run));
        let kill = async {
            let queue = format!("/api/task-attempts/{}/follow-ups", run.attempt);
            while !data(bed.server.get(&queue).await).as_array().unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
            bed.server.family().kill_9(bed.server.family().host(&run.process).unwrap());
        };
        tokio::join!(stop, kill).0
    };
    let (replaced, stopped) = tokio::join!(answered(replace), stop);
    assert_eq!((replaced.0, code(&replaced.1)), (409, "attempt_stopped"));
    assert_eq!(stopped["state"], "finished", "{stopped}");
    assert_eq!(bed.processes(&run.attempt).await.len(), 1);
}

#[tokio::test]
async fn replacement_does_not_commit_files_the_turn_ignored() {
    let ground = Ground::new().await;
    let started =
        ground.start("@edit .gitignore .env\\nmodules/\n@edit .env KEY=1\n@edit modules/x.js junk").await;
    ground.finished(&started).await;
    assert_eq!(file(&started, ".env").as_deref(), Some("KEY=1\n"));
    let (status, body) = replace(&ground, &started, json!({"prompt": "@edit app.js two"})).await;
    assert_eq!(status, 200, "{body}");
    ground.finished(&started).await;
    let committed = ground.repo.git(&["show", "--name-only", "--format=", started.branch()]);
    assert_eq!(committed, "app.js");
    let saved = snapshots(&ground, &started).await;
    let saved = |path: &str| format!("{}:{path}", saved[0]["oid"].as_str().unwrap());
    assert_eq!(ground.repo.git(&["show", &saved(".env")]), "KEY=1");
    assert_eq!(ground.repo.git(&["show", &saved("modules/x.js")]), "junk");
}
