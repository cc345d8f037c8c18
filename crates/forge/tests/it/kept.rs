//! Agents that are kept between turns: the next one costs no start, and nothing else is different.

use std::fs;
use std::path::{Path, PathBuf};

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use reqwest::Method;
use serde_json::{Value, json};

use crate::ground::{Ground, Held, Started, comes_true, names};
use crate::{FORGE, data};

async fn ground(setup: Setup) -> Ground {
    Ground::on(setup, TempRepo::new(), json!({})).await
}

/// Long enough for any test.
async fn keeping() -> Ground {
    ground(Setup::new(FORGE).keeping(30.0)).await
}

/// Runs a turn to its end, and gives back its process and the number of the program that took it.
async fn turn(ground: &Ground, started: &Started, steps: &str) -> (Value, u32) {
    turn_with(ground, started, json!({}), steps).await
}

/// The same with more than a prompt.
async fn turn_with(ground: &Ground, started: &Started, mut body: Value, steps: &str) -> (Value, u32) {
    let file = ground.own(&format!("pid-{}", uuid::Uuid::new_v4()));
    body["prompt"] = json!(format!("@print-pid {}\n{steps}", file.display()));
    let path = format!("/api/task-attempts/{}/follow-up", started.attempt());
    let (status, body) = ground.server.post(&path, body).await;
    assert_eq!((status, &body["data"]["status"]), (200, &json!("running")), "{body}");
    ground.finished(started).await;
    (body["data"].clone(), pid(&file))
}

/// An attempt whose first turn is over, and the number of its program.
async fn first(ground: &Ground, steps: &str) -> (Started, u32) {
    let file = ground.own(&format!("pid-{}", uuid::Uuid::new_v4()));
    let started = ground.start(&format!("@print-pid {}\n{steps}", file.display())).await;
    ground.finished(&started).await;
    (started, pid(&file))
}

fn pid(file: &Path) -> u32 {
    fs::read_to_string(file).unwrap().trim().parse().unwrap()
}

fn lives(ground: &Ground, pid: u32) -> bool {
    ground.server.family().pids().contains(&pid)
}

/// Waits until no folder is left of a process that has no row.
async fn no_folder_is_left(ground: &Ground, started: &[&Started]) {
    let mut known = Vec::new();
    for started in started {
        known
            .extend(ground.processes(started).await.iter().map(|one| one["id"].as_str().unwrap().to_owned()));
    }
    known.sort();
    let folder = ground.server.data().join("processes");
    comes_true("only processes with a row have a folder", || names(&folder) == known).await;
}

#[tokio::test]
async fn the_next_turn_is_taken_by_the_same_program_and_has_its_own_log_and_transcript() {
    let ground = keeping().await;
    let (started, agent) = first(&ground, "@edit a.txt one\n@say first").await;
    assert!(lives(&ground, agent));
    let (second, again) = turn(&ground, &started, "@recall\n@edit b.txt two\n@say second").await;
    assert_eq!(again, agent);
    let (third, again) = turn(&ground, &started, "@say third").await;
    assert_eq!(again, agent);

    let processes = ground.processes(&started).await;
    let ids: Vec<_> = processes.iter().map(|process| &process["id"]).collect();
    assert_eq!(ids[1..], [&second["id"], &third["id"]]);
    for (process, said, others) in [
        (0, "first", ["second", "third"]),
        (1, "second", ["xyzzy", "third"]),
        (2, "third", ["first", "second"]),
    ] {
        let process = &processes[process];
        assert_eq!(process["status"], "completed", "{process}");
        assert_eq!(process["exit_code"], 0);
        let printed = ground.printed(process).await;
        assert!(printed.contains(&format!("\"text\":\"{said}\"")), "{printed}");
        assert!(others.iter().all(|other| !printed.contains(&format!("\"text\":\"{other}\""))), "{printed}");
        let mut transcript = ground.server.transcript(process["id"].as_str().unwrap()).await;
        let entries = transcript.rest().await;
        let shown: Vec<_> =
            entries.iter().map(|entry| entry["content"].as_str().unwrap_or_default()).collect();
        assert_eq!(shown.last(), Some(&said), "{shown:?}");
        assert!(others.iter().all(|other| !shown.contains(other)), "{shown:?}");
    }
    assert!(ground.printed(&processes[1]).await.contains("I remember: "));
    assert_eq!(ground.git_in(&started, &["rev-list", "--count", "main..HEAD"]).trim(), "2");
    assert_eq!(ground.git_in(&started, &["status", "--porcelain"]), "");
}

#[tokio::test]
async fn an_agent_that_went_between_turns_is_started_anew_and_remembers() {
    let ground = keeping().await;
    let (started, agent) = first(&ground, "@say the word is xyzzy").await;
    ground.server.family().kill_9(agent);
    ground.server.family().gone(agent).await;
    let (second, again) = turn(&ground, &started, "@recall").await;
    assert_ne!(again, agent);
    assert!(ground.printed(&second).await.contains("xyzzy"));
}

#[tokio::test]
async fn an_agent_that_failed_is_not_kept_and_one_with_another_variant_is_another() {
    let ground = keeping().await;
    let (started, agent) = first(&ground, "@say hello").await;
    let path = format!("/api/task-attempts/{}/follow-up", started.attempt());
    let body = json!({"prompt": "@say planned\n@recall", "variant": "PLAN"});
    let process = data(ground.server.post(&path, body).await);
    ground.finished(&started).await;
    assert!(!lives(&ground, agent), "only one agent is in a worktree");
    assert!(ground.printed(&process).await.contains("I remember: "));
    let (_, failed) = turn(&ground, &started, "@error 500 no").await;
    ground.server.family().gone(failed).await;
    no_folder_is_left(&ground, &[&started]).await;
}

#[tokio::test]
async fn another_model_or_mode_is_told_to_the_same_program() {
    let ground = keeping().await;
    let (started, agent) = first(&ground, "@say hello").await;
    let offers = format!("/api/task-attempts/{}/offers", started.attempt());
    let before = data(ground.server.get(&offers).await);
    let steps = [
        (json!({"model": "opus", "mode": "plan"}), ("opus", "plan")),
        (json!({}), ("opus", "plan")),
        (json!({"model": "haiku", "mode": "default"}), ("haiku", "default")),
    ];
    for (body, (model, mode)) in steps {
        let is_named = body["model"].is_string();
        let (process, again) = turn_with(&ground, &started, body, "@recall").await;
        assert_eq!(again, agent, "{model} {mode}");
        let printed = ground.printed(&process).await;
        assert!(
            printed.contains(&format!("\"model\":\"{model}\",\"permissionMode\":\"{mode}\"")),
            "{printed}"
        );
        let entries = ground.server.transcript(process["id"].as_str().unwrap()).await.rest().await.to_vec();
        let of = |kind: &str| {
            let is_it = move |entry: &&Value| entry["entry_type"]["type"] == kind;
            entries.iter().filter(is_it).map(|entry| entry["content"].as_str().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(of("user_message").len(), 1, "{entries:#?}");
        let remarks: Vec<_> =
            of("system_message").into_iter().filter(|said| said.starts_with("Set ")).collect();
        let expected: &[String] = if is_named { &[format!("Set model to `{model}`")] } else { &[] };
        assert_eq!(remarks, expected, "only what is another is told");
        let now = data(ground.server.get(&offers).await);
        assert_eq!((&now["model"], &now["mode"]), (&json!(model), &json!(mode)));
        assert_eq!((&now["commands"], &now["models"]), (&before["commands"], &before["models"]));
    }
    // Nobody can be told to choose again by itself.
    let (_, again) = turn_with(&ground, &started, json!({"variant": "DEFAULT"}), "@say more").await;
    assert_ne!(again, agent);
}

#[tokio::test]
async fn who_waits_too_long_is_let_go() {
    let ground = ground(Setup::new(FORGE).keeping(0.000_1)).await;
    let (started, agent) = first(&ground, "@say hello").await;
    ground.only_the_server_runs().await;
    assert!(!lives(&ground, agent));
    no_folder_is_left(&ground, &[&started]).await;
    let (_, again) = turn(&ground, &started, "@say again").await;
    assert_ne!(again, agent);
}

#[tokio::test]
async fn as_many_are_kept_as_may_be_and_those_that_waited_longest_go() {
    let ground = ground(Setup::new(FORGE).keeping(30.0).config("keep_agents = 4")).await;
    let mut agents = Vec::new();
    for _ in 0..30 {
        agents.push(first(&ground, "@say hello").await);
    }
    let last: Vec<u32> = agents[26..].iter().map(|(_, agent)| *agent).collect();
    let alive =
        || agents.iter().map(|(_, agent)| *agent).filter(|agent| lives(&ground, *agent)).collect::<Vec<_>>();
    comes_true("only the last four are kept", || alive() == last).await;
    let (_, again) = turn(&ground, &agents[29].0, "@say again").await;
    assert_eq!(again, agents[29].1);
}

#[tokio::test]
async fn an_attempt_that_is_deleted_or_stopped_takes_its_agent_with_it() {
    let ground = keeping().await;
    let (deleted, first_agent) = first(&ground, "@edit a.txt one").await;
    let (stopped, second_agent) = first(&ground, "@edit a.txt one").await;
    assert!(lives(&ground, first_agent) && lives(&ground, second_agent));
    let path = format!("/api/task-attempts/{}", deleted.attempt());
    assert_eq!(ground.server.delete(&path).await.0, 200);
    assert!(!lives(&ground, first_agent), "before the worktree goes");
    assert!(!deleted.worktree().exists());
    ground.stop(&stopped).await;
    assert!(!lives(&ground, second_agent));
    no_folder_is_left(&ground, &[&stopped]).await;
}

#[tokio::test]
async fn a_server_that_goes_in_order_lets_its_agents_go() {
    let mut ground = keeping().await;
    let (_, agent) = first(&ground, "@say hello").await;
    assert!(ground.server.terminate().await.success());
    ground.server.family().gone(agent).await;
}

#[tokio::test]
async fn a_server_that_was_killed_between_turns_ends_who_was_kept_and_goes_on_with_another() {
    let mut ground = keeping().await;
    let (started, agent) = first(&ground, "@say the word is xyzzy").await;
    ground.server.kill_9().await;
    assert!(lives(&ground, agent));
    // Ended in the background: a frozen host does not delay the start.
    ground.server.restart().await;
    ground.server.family().gone(agent).await;
    no_folder_is_left(&ground, &[&started]).await;
    let (second, again) = turn(&ground, &started, "@recall").await;
    assert_ne!(again, agent);
    assert!(ground.printed(&second).await.contains("xyzzy"));
}

#[tokio::test]
async fn a_server_that_was_killed_in_the_turn_of_a_kept_agent_goes_on_with_it() {
    let mut ground = keeping().await;
    let (started, agent) = first(&ground, "@say the word is xyzzy").await;
    let (file, held) = (ground.own("pid-second"), Held::at(ground.own("held")));
    let prompt = format!(
        "@print-pid {}\n@say begun\n@wait-fifo {}\n@recall\n@edit b.txt two",
        file.display(),
        held.path()
    );
    let (status, body) = ground.follow_up(&started, &prompt).await;
    assert_eq!(status, 200, "{body}");
    comes_true("the turn has begun", || file.exists()).await;
    ground.server.kill_9().await;
    ground.server.restart().await;
    held.let_go();
    let attempt = ground.finished(&started).await;
    assert_eq!(attempt["outcome"], "succeeded", "{attempt}");
    assert_eq!(pid(&file), agent);
    let printed = ground.printed(&body["data"]).await;
    assert_eq!(printed.matches("\"text\":\"begun\"").count(), 1, "{printed}");
    assert!(printed.contains("xyzzy"), "{printed}");
    assert_eq!(ground.processes(&started).await.len(), 2);
    let (_, after) = turn(&ground, &started, "@say third").await;
    assert!(lives(&ground, after));
}

async fn replace(ground: &Ground, started: &Started, process: &Value, prompt: &str) -> String {
    let path = format!("/api/task-attempts/{}/replace-process", started.attempt());
    let body = json!({"process_id": process["id"], "prompt": prompt});
    let answer = data(ground.server.post(&path, body).await);
    ground.finished(started).await;
    let process = json!({"id": answer["new_execution_id"]});
    ground.printed(&process).await
}

#[tokio::test]
async fn an_agent_that_was_kept_does_not_remember_a_turn_that_was_replaced() {
    let ground = keeping().await;
    let (started, agent) = first(&ground, "@say the word is xyzzy").await;
    let (second, again) = turn(&ground, &started, "@say never mind plugh").await;
    assert_eq!(again, agent);
    let printed = replace(&ground, &started, &second, "@say the place is plover\n@recall").await;
    assert!(!lives(&ground, agent));
    assert!(printed.contains("xyzzy") && !printed.contains("plugh"), "{printed}");

    // What took its place can be replaced in turn, and what comes then remembers what stands.
    let third = ground.processes(&started).await.pop().unwrap();
    let printed = replace(&ground, &started, &third, "@say instead fee\n@recall").await;
    assert!(
        printed.contains("xyzzy") && !printed.contains("plugh") && !printed.contains("plover"),
        "{printed}"
    );
    let (fourth, _) = turn(&ground, &started, "@recall").await;
    let printed = ground.printed(&fourth).await;
    assert!(printed.contains("xyzzy") && printed.contains("instead fee"), "{printed}");
    assert!(!printed.contains("plugh") && !printed.contains("plover"), "{printed}");
}

#[tokio::test]
async fn an_agent_that_cannot_go_back_begins_anew_with_what_was_said() {
    let ground = keeping().await;
    let (started, _) = first(&ground, "@say the word is xyzzy").await;
    let (second, _) = turn(&ground, &started, "@say never mind plugh").await;
    // As one that has no names for places leaves it.
    let file = ground.server.data().join("processes").join(started.process()).join("reached.json");
    let mut reached: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    reached["mark"] = Value::Null;
    fs::write(&file, reached.to_string()).unwrap();
    let printed = replace(&ground, &started, &second, "@recall").await;
    assert!(printed.contains("I remember nothing."), "{printed}");
    let processes = ground.processes(&started).await;
    let prompt = processes[1]["executor_action"]["typ"]["prompt"].as_str().unwrap();
    assert!(prompt.contains("You answered:\nthe word is xyzzy"), "{prompt}");
    assert!(prompt.ends_with("@recall") && !prompt.contains("plugh"), "{prompt}");
}

/// A server that dies where its next turn begins, with an agent that is kept for it; and the file that tells who took it.
async fn died_at(point: &str) -> (Ground, Started, u32, PathBuf) {
    let mut ground = ground(Setup::new(FORGE).keeping(30.0).env("FORGE_CRASH_AT", point)).await;
    let (started, agent) = first(&ground, "@say the word is xyzzy").await;
    let file = ground.own("pid-second");
    let path = format!("/api/task-attempts/{}/follow-up", started.attempt());
    let prompt = format!("@print-pid {}\n@recall\n@edit b.txt two", file.display());
    let body = json!({"prompt": prompt, "mode": "plan"});
    let request = ground.server.request(Method::POST, &path).json(&body);
    assert!(request.send().await.is_err(), "it dies before it answers");
    ground.server.ended().await;
    ground.server.unset_env("FORGE_CRASH_AT");
    (ground, started, agent, file)
}

/// The turn that the server died of came to its end, once.
async fn is_taken_once(ground: &Ground, started: &Started) {
    let attempt = ground.finished(started).await;
    assert_eq!(attempt["outcome"], "succeeded", "{attempt}");
    let processes = ground.processes(started).await;
    assert_eq!(processes.len(), 2);
    let printed = ground.printed(&processes[1]).await;
    assert!(printed.contains("xyzzy"), "{printed}");
    assert_eq!(printed.matches("\"type\":\"result\"").count(), 1, "{printed}");
    assert!(printed.contains("\"permissionMode\":\"plan\""), "{printed}");
    assert_eq!(ground.git_in(started, &["rev-list", "--count", "main..HEAD"]).trim(), "1");
}

#[tokio::test]
async fn a_turn_that_was_written_for_a_kept_agent_is_taken_by_it_when_the_server_is_back() {
    for point in ["turn-written", "turn-process-runs"] {
        let (mut ground, started, agent, file) = died_at(point).await;
        ground.server.restart().await;
        is_taken_once(&ground, &started).await;
        assert_eq!(pid(&file), agent, "{point}");
    }
}

#[tokio::test]
async fn a_turn_that_was_written_for_a_kept_agent_that_went_is_taken_by_another() {
    let (mut ground, started, agent, file) = died_at("turn-written").await;
    ground.server.family().kill_9(agent);
    ground.server.family().gone(agent).await;
    ground.server.restart().await;
    is_taken_once(&ground, &started).await;
    assert_ne!(pid(&file), agent);
}
