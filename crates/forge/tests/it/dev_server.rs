//! Dev servers run beside the turns, outlive the server, and there is one of them for a project.

use serde_json::{Value, json};

use crate::ground::{Ground, Held, Started, comes_true};
use crate::life::pid;
use crate::{code, data};

/// Says its id and its ports, does so again when it is told to, and stays.
const SCRIPT: &str =
    "echo $$ > \"$FORGE_TMP/dev.pid\"; echo \"serving on $PORT\"; cat go; echo again; exec sleep 600";

async fn ground() -> Ground {
    Ground::with(json!({"dev_script": SCRIPT})).await
}

async fn serve(ground: &Ground, started: &Started) -> (u16, Value) {
    ground
        .server
        .post(&format!("/api/task-attempts/{}/start-dev-server", started.attempt()), json!(null))
        .await
}

async fn process(ground: &Ground, id: &Value) -> Value {
    data(ground.server.get(&format!("/api/execution-processes/{}", id.as_str().unwrap())).await)
}

async fn idle(ground: &Ground) -> Started {
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    started
}

/// A dev server that has begun, and its process.
async fn serving(ground: &Ground, started: &Started) -> (Value, u32, Held) {
    let held = Held::at(started.worktree().join("go"));
    let server = data(serve(ground, started).await);
    let file = ground.server.data().join("tmp").join(started.attempt()).join("dev.pid");
    ground.server.logs(server["id"].as_str().unwrap(), 0).await.until("serving on").await;
    (server, pid(&file), held)
}

#[tokio::test]
async fn it_runs_beside_the_agent_and_both_go_on() {
    let ground = ground().await;
    let held = Held::at(ground.own("held"));
    let started = ground.start(&format!("@wait-fifo {}", held.path())).await;
    let (server, pid, go) = serving(&ground, &started).await;
    assert_eq!(
        (&server["run_reason"], &server["status"]),
        (&json!("devserver"), &json!("running")),
        "{server}"
    );
    let port = server["port"].as_u64().unwrap();
    assert_eq!(server["url"], format!("http://localhost:{port}"));
    ground.server.logs(server["id"].as_str().unwrap(), 0).await.until(&format!("serving on {port}")).await;
    held.let_go();
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(ground.follow_up(&started, "@edit a.txt one").await.0, 200);
    ground.finished(&started).await;
    assert_eq!(process(&ground, &server["id"]).await["status"], "running");
    assert_eq!(ground.task_status(&started).await, "inreview", "it is no turn");
    go.let_go();
    ground.server.logs(server["id"].as_str().unwrap(), 0).await.until("again").await;

    let stop = format!("/api/execution-processes/{}/stop", server["id"].as_str().unwrap());
    assert_eq!(data(ground.server.post(&stop, json!(null)).await)["status"], "killed");
    ground.server.family().gone(pid).await;
    assert_eq!(ground.kinds(&started).await, ["codingagent", "devserver", "codingagent"]);
}

#[tokio::test]
async fn stopping_it_leaves_the_turn_and_stopping_the_attempt_ends_both() {
    let ground = ground().await;
    let held = Held::at(ground.own("held"));
    let started = ground.start(&format!("@wait-fifo {}", held.path())).await;
    let (server, pid, go) = serving(&ground, &started).await;
    let stop = format!("/api/execution-processes/{}/stop", server["id"].as_str().unwrap());
    data(ground.server.post(&stop, json!(null)).await);
    ground.server.family().gone(pid).await;
    assert_eq!(ground.processes(&started).await[0]["status"], "running");
    go.let_go();
    std::fs::remove_file(started.worktree().join("go")).unwrap();
    let (server, pid, _go) = serving(&ground, &started).await;
    assert_eq!(ground.stop(&started).await["outcome"], "stopped");
    ground.server.family().gone(pid).await;
    comes_true("only the server runs", || ground.server.family().pids() == [ground.server.pid()]).await;
    assert_eq!(process(&ground, &server["id"]).await["status"], "killed");
    held.let_go();
}

#[tokio::test]
async fn a_project_has_one_and_it_goes_with_its_attempt() {
    let ground = ground().await;
    let (first, second) = (idle(&ground).await, idle(&ground).await);
    let (one, pid, _go) = serving(&ground, &first).await;
    let (other, other_pid, _other_go) = serving(&ground, &second).await;
    ground.server.family().gone(pid).await;
    assert_eq!(process(&ground, &one["id"]).await["status"], "killed");
    assert_ne!(one["port"], other["port"]);
    data(ground.server.delete(&format!("/api/task-attempts/{}", second.attempt())).await);
    ground.server.family().gone(other_pid).await;
    assert!(!second.worktree().exists());
}

#[tokio::test]
async fn it_outlives_the_server_and_is_known_again() {
    let mut ground = ground().await;
    let started = idle(&ground).await;
    let (server, pid, go) = serving(&ground, &started).await;
    ground.server.kill_9().await;
    ground.server.restart().await;
    assert!(ground.server.family().pids().contains(&pid));
    assert_eq!(process(&ground, &server["id"]).await["status"], "running");
    go.let_go();
    ground.server.logs(server["id"].as_str().unwrap(), 0).await.until("again").await;
    // What ended while nobody looked is seen as well.
    ground.server.kill_9().await;
    ground.server.family().kill_9(pid);
    ground.server.restart().await;
    let ended = ground
        .server
        .until_process(server["id"].as_str().unwrap(), |process| process["status"] != "running")
        .await;
    assert_eq!((&ended["state"], &ended["signal"]), (&json!("signaled"), &json!(9)), "{ended}");
}

#[tokio::test]
async fn nothing_is_put_back_beside_it_and_a_turn_that_is_replaced_ends_it() {
    let ground = ground().await;
    let started = idle(&ground).await;
    let (server, pid, go) = serving(&ground, &started).await;
    let snapshot = crate::snapshots::newest(&ground, &started, "turn").await;
    let (status, body) = crate::snapshots::restore(&ground, &started, &snapshot).await;
    assert_eq!((status, code(&body)), (409, "dev_server_running"), "{body}");
    let abort = format!("/api/task-attempts/{}/conflicts/abort", started.attempt());
    let (status, body) = ground.server.post(&abort, json!(null)).await;
    assert_eq!((status, code(&body)), (409, "dev_server_running"), "{body}");
    assert_eq!(process(&ground, &server["id"]).await["status"], "running");
    // A fifo in the worktree cannot be saved.
    go.let_go();
    let replace = format!("/api/task-attempts/{}/replace-process", started.attempt());
    data(ground.server.post(&replace, json!({"prompt": "@say instead"})).await);
    assert_eq!(process(&ground, &server["id"]).await["status"], "killed");
    ground.server.family().gone(pid).await;
    ground.finished(&started).await;
}

#[tokio::test]
async fn without_a_script_there_is_none_and_that_is_said() {
    let ground = Ground::new().await;
    let started = idle(&ground).await;
    let (status, refused) = serve(&ground, &started).await;
    assert_eq!((status, code(&refused)), (422, "no_dev_script"));
    assert_eq!(ground.processes(&started).await.len(), 1);
    let nobody = format!("/api/task-attempts/{}/start-dev-server", uuid::Uuid::new_v4());
    assert_eq!(ground.server.post(&nobody, json!(null)).await.0, 404);
}

#[tokio::test]
async fn an_agent_without_a_set_up_helper_says_so() {
    let ground = Ground::new().await;
    let started = idle(&ground).await;
    let path = format!("/api/task-attempts/{}/run-agent-setup", started.attempt());
    let refused = async |body| {
        let (status, body) = ground.server.post(&path, body).await;
        (status, code(&body).to_owned())
    };
    let known = json!({"executor_profile_id": {"executor": "CLAUDE_CODE"}});
    assert_eq!(refused(known).await, (422, "setup_not_supported".into()));
    let unknown = json!({"executor_profile_id": "NOBODY"});
    assert_eq!(refused(unknown).await, (422, "executor_unknown".into()));
    assert_eq!(refused(json!({})).await, (422, "wrong_shape".into()));
}
