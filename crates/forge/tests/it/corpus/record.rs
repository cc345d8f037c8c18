//! Writes a corpus, and reads from a server the answers that a corpus records.

use std::fs;
use std::path::Path;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::{Setup, TestServer};
use serde_json::{Map, Value, json};

use super::{Paths, copy, database, open, pretty};
use crate::ground::{Ground, Started};
use crate::{FORGE, data};

/// What a server makes anew, or what is no part of a data folder's history.
const LEFT_OUT: [&str; 11] = [
    "lock",
    "port",
    "token",
    "forge.db",
    "forge.db-wal",
    "forge.db-shm",
    "worktrees",
    "tmp",
    "trash",
    "cache",
    "programs",
];
/// Fields that tell the time of the recovery.
const TIMES: [&str; 3] = ["updated_at", "completed_at", "answered_at"];

/// Writes the corpus of this version: the data folder of a server that was killed together with its agents.
pub(super) async fn write(version: &Path) {
    let fields = json!({"setup_script": "echo set up", "cleanup_script": "echo cleaned up >&2"});
    let mut ground = Ground::on(Setup::new(FORGE), TempRepo::new(), fields).await;
    let finished = ground.start("@say hello\n@think hm\n@ask Bash\n@edit a.txt one").await;
    let approval = pending(&ground).await;
    let path = format!("/api/approvals/{approval}/respond");
    data(ground.server.post(&path, json!({"status": "approved"})).await);
    ground.finished(&finished).await;
    data(ground.follow_up(&finished, "@recall\n@bad-utf8\n@edit a.txt two").await);
    ground.finished(&finished).await;
    let failed = ground.start("@say sorry\n@exit 3").await;
    ground.finished(&failed).await;
    let lost = ground.start("@say working\n@until-told").await;
    ground.server.until_attempt(lost.attempt(), |attempt| attempt["stage"] == "agent").await;
    let agent = ground.processes(&lost).await.pop().unwrap();
    ground.server.logs(agent["id"].as_str().unwrap(), 0).await.until("working").await;
    assert_eq!(ground.follow_up(&lost, "@say later").await.0, 202, "it is queued");
    let asking = ground.start("@ask Edit\n@say allowed").await;
    let waiting = pending(&ground).await;

    let paths = Paths::of(&ground.server, &ground.repo);
    let ids = |all: &[&Started]| Value::from_iter(all.iter().map(|started| started.attempt()));
    let mut expected = json!({
        "paths": {"folder": paths.folder, "repo": paths.repo},
        "ids": {
            "finished": ids(&[&finished, &failed]),
            "interrupted": ids(&[&lost, &asking]),
            "approvals": {"finished": [approval], "interrupted": [waiting]},
            "last_event": last_event(&ground).await,
        },
    });
    for name in ["finished", "events"] {
        expected[name] = part(&ground.server, name, &expected, &paths).await;
    }
    // The agents end with the server, as when the machine loses power.
    ground.server.kill_9().await;
    ground.server.family().kill();
    fs::create_dir_all(version).unwrap();
    let hide = |text: &str| paths.hide(text);
    for entry in fs::read_dir(ground.server.data()).unwrap() {
        let name = entry.unwrap().file_name();
        if !LEFT_OUT.iter().any(|left_out| name == *left_out) {
            copy(&ground.server.data().join(&name), &version.join("data").join(&name), &hide);
        }
    }
    let sql = database::dump(&ground.server.data().join("forge.db")).await;
    fs::write(version.join("forge.sql"), hide(&sql)).unwrap();
    let (server, _repo, paths) = open(version).await;
    expected["interrupted"] = part(&server, "interrupted", &expected, &paths).await;
    fs::write(version.join("expected.json"), pretty(&expected) + "\n").unwrap();
}

/// The only approval that waits.
async fn pending(ground: &Ground) -> String {
    let mut events = ground.server.events(None).await;
    loop {
        let waiting = data(ground.server.get("/api/approvals/pending").await);
        if let Some(id) = waiting[0]["id"].as_str() {
            return id.to_owned();
        }
        events.next_of(&["approval_update"]).await;
    }
}

/// The position of the newest event.
async fn last_event(ground: &Ground) -> i64 {
    let last = "the last change";
    let path = format!("/api/projects/{}", ground.project_id());
    let mut events = ground.server.events(None).await;
    data(ground.server.put(&path, json!({"name": last})).await);
    loop {
        let message = events.next().await;
        if message.data["name"] == last {
            return message.id.unwrap();
        }
    }
}

/// The answers of a part, with the paths hidden.
pub(super) async fn part(server: &TestServer, name: &str, expected: &Value, paths: &Paths) -> Value {
    let ids = &expected["ids"];
    let mut answers = match name {
        "events" => events(server, ids["last_event"].as_i64().unwrap()).await,
        _ => attempts(server, name, ids).await,
    };
    if name == "interrupted" {
        strip(&mut answers);
    }
    // Logs have the paths of the server that wrote them.
    let of_writer = |name: &str| expected["paths"][name].as_str().unwrap().to_owned();
    let writer = Paths { folder: of_writer("folder"), repo: of_writer("repo") };
    serde_json::from_str(&writer.hide(&paths.hide(&answers.to_string()))).unwrap()
}

async fn attempts(server: &TestServer, name: &str, ids: &Value) -> Value {
    let mut answers = Map::new();
    for id in ids[name].as_array().unwrap() {
        let id = id.as_str().unwrap();
        let attempt = server.until_attempt(id, |attempt| attempt["state"] == "finished").await;
        let task = data(server.get(&format!("/api/tasks/{}", attempt["task_id"].as_str().unwrap())).await);
        let follow_ups = data(server.get(&format!("/api/task-attempts/{id}/follow-ups")).await);
        let draft = data(server.get(&format!("/api/task-attempts/{id}/draft?type=follow_up")).await);
        let mut processes = Vec::new();
        for process in data(server.get(&format!("/api/execution-processes?task_attempt_id={id}")).await)
            .as_array()
            .unwrap()
        {
            let id = process["id"].as_str().unwrap();
            // A script has none.
            let path = format!("/api/execution-processes/{id}/entries?limit=1000");
            let entries = server.get(&path).await.1["data"].clone();
            let printed = server.logs(id, 0).await.rest().await;
            let log: Vec<_> =
                printed.into_iter().map(|printed| json!([printed.stream, printed.text])).collect();
            processes.push(json!({"process": process, "entries": entries, "log": log}));
        }
        answers.insert(
            id.to_owned(),
            json!({"attempt": attempt, "task_status": task["status"], "follow_ups": follow_ups, "draft": draft, "processes": processes}),
        );
    }
    for id in ids["approvals"][name].as_array().unwrap() {
        let id = id.as_str().unwrap();
        answers.insert(id.to_owned(), data(server.get(&format!("/api/approvals/{id}/status")).await));
    }
    answers.into()
}

async fn events(server: &TestServer, last: i64) -> Value {
    let (mut stream, mut all) = (server.events(Some(0)).await, Vec::new());
    loop {
        let message = stream.next().await;
        let is_last = message.id >= Some(last);
        // Not the patches, which say the same once more.
        if message.event != "json_patch" {
            let about = ["id", "status", "state"].map(|field| message.data[field].clone());
            all.push(json!([message.id, message.event, about]));
        }
        if is_last {
            return all.into();
        }
    }
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !TIMES.contains(&name.as_str()));
            fields.values_mut().for_each(strip);
        }
        Value::Array(all) => all.iter_mut().for_each(strip),
        _ => {}
    }
}
