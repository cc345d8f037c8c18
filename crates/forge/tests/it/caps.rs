//! Caps as a caller sees them.

use std::fs;

use forge_testkit::server::{Setup, TestServer};
use serde_json::{Value, json};

use crate::{FORGE, data, forge, is_finished, project, started};

async fn caps_of(server: &TestServer) -> (Value, String) {
    caps_of_started(server, &start(server).await).await
}

async fn start(server: &TestServer) -> Value {
    let project = project(server).await;
    let started = started(server, &project, "@say hello").await;
    server.until_attempt(started["attempt_id"].as_str().unwrap(), is_finished).await;
    started
}

async fn caps_of_started(server: &TestServer, started: &Value) -> (Value, String) {
    let process = started["execution_process_id"].as_str().unwrap();
    let caps = data(server.get(&format!("/api/execution-processes/{process}/caps")).await);
    (caps, process.to_owned())
}

fn config(cgroup: &std::path::Path) -> String {
    let cgroup = cgroup.display();
    format!("[caps]\nmemory = \"4 GiB\"\nprocesses = 512\ncpus = 1.5\ncgroup = \"{cgroup}\"\n")
}

#[tokio::test]
async fn the_caps_of_the_configuration_reach_the_program_and_the_caller_is_told() {
    let group = tempfile::tempdir().unwrap();
    fs::write(group.path().join("cgroup.controllers"), "cpu memory pids").unwrap();
    let server = Setup::new(FORGE).config(config(group.path())).start().await;
    let (caps, process) = caps_of(&server).await;
    let memory = 4_u64 << 30;
    assert_eq!(caps, json!({"memory": memory, "processes": 512, "cpus": 1.5, "enforced": true, "why": null}));
    let own = group.path().join(format!("forge-{process}"));
    assert_eq!(fs::read_to_string(own.join("memory.max")).unwrap(), memory.to_string());
    assert_eq!(fs::read_to_string(own.join("cpu.max")).unwrap(), "150000 100000");
}

#[tokio::test]
async fn caps_that_cannot_be_enforced_are_told_and_the_agent_works() {
    let group = tempfile::tempdir().unwrap();
    let mut server = Setup::new(FORGE).config(config(&group.path().join("none"))).start().await;
    let started = start(&server).await;
    let (caps, _) = caps_of_started(&server, &started).await;
    assert_eq!((&caps["enforced"], &caps["processes"]), (&json!(false), &json!(512)));
    assert!(caps["why"].as_str().unwrap().contains("none"), "{caps}");
    assert_eq!(server.log().matches("the caps of processes are not enforced").count(), 1);
    let warning = &started["warnings"][0];
    assert_eq!(warning["code"], "caps_not_enforced", "{started}");
    assert!(warning["hint"].as_str().unwrap().contains("cgroup"), "{warning}");
    // The attempt has it, also after a restart.
    server.kill_9().await;
    server.restart().await;
    let path = format!("/api/task-attempts/{}/branch-status", started["attempt_id"].as_str().unwrap());
    assert_eq!(data(server.get(&path).await)["warnings"], json!([warning["message"]]));
}

#[tokio::test]
async fn without_caps_there_are_none() {
    let server = TestServer::start(FORGE).await;
    assert_eq!(caps_of(&server).await.0, Value::Null);
}

#[tokio::test]
async fn a_cap_that_is_no_number_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    fs::write(&file, "[caps]\nmemory = \"plenty\"\n").unwrap();
    let output = forge(&["serve", "--config", file.to_str().unwrap()], &[]).await;
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("caps.memory is `plenty`"), "{error}");
}
