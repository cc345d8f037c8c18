//! Standing agents: one of a type, on no board; and the settings of projects.

use forge_testkit::repo::TempRepo;
use forge_testkit::server::{Setup, TestServer};
use futures::future::join_all;
use serde_json::{Value, json};

use crate::database::{Database, on_each_database};
use crate::ground::Ground;
use crate::{FORGE, code, data};

const NOWHERE: &str = "35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42";

on_each_database! {
    twenty_who_ask_at_once_get_one_agent;
}

async fn twenty_who_ask_at_once_get_one_agent(database: Database) {
    let (setup, _postgres) = database.under(Setup::new(FORGE));
    let ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let body = json!({"project_id": ground.project["id"], "agent_type": "wish"});
    let asked = join_all((0..20).map(|_| ground.server.post("/api/forge/agents", body.clone()))).await;
    let agents: Vec<Value> = asked.into_iter().map(data).collect();
    assert!(agents.iter().all(|agent| *agent == agents[0]), "{agents:?}");
    let list = format!("/api/forge/agents?project_id={}", ground.project_id());
    assert_eq!(data(ground.server.get(&list).await), json!([agents[0]]));
    assert_eq!(data(ground.server.get(&format!("{list}&agent_type=wish")).await), json!([agents[0]]));
    assert_eq!(data(ground.server.get(&format!("{list}&agent_type=review")).await), json!([]));
    let tasks = format!("/api/tasks?project_id={}", ground.project_id());
    assert_eq!(data(ground.server.get(&tasks).await), json!([]), "it is on no board");
    let path = format!("/api/tasks/{}", agents[0]["task_id"].as_str().unwrap());
    let task = data(ground.server.get(&path).await);
    assert_eq!((&task["title"], &task["status"]), (&json!("Genie"), &json!("agent")));

    // A conversation in it does not put it on the board either.
    let body = json!({"task_id": task["id"], "executor_profile_id": "CLAUDE_CODE", "base_branch": "main"});
    let started = data(ground.server.post("/api/task-attempts", body).await);
    ground.server.until_attempt(started["id"].as_str().unwrap(), crate::is_finished).await;
    assert_eq!(data(ground.server.get(&path).await)["status"], "agent");
    assert_eq!(data(ground.server.get(&tasks).await), json!([]));

    let (status, body) = ground.server.delete(&path).await;
    assert_eq!(status, 202, "{body}");
    assert_eq!(data(ground.server.get(&list).await), json!([]), "it goes with its task");
}

#[tokio::test]
async fn what_is_no_agent_is_refused() {
    let ground = Ground::new().await;
    let long = "x".repeat(101);
    for agent_type in ["", "  ", &long] {
        let body = json!({"project_id": ground.project["id"], "agent_type": agent_type});
        let (status, body) = ground.server.post("/api/forge/agents", body).await;
        assert_eq!((status, code(&body)), (422, "agent_type_invalid"));
    }
    let (status, body) =
        ground.server.post("/api/forge/agents", json!({"project_id": NOWHERE, "agent_type": "wish"})).await;
    assert_eq!((status, code(&body)), (404, "not_found"));
    let (status, body) = ground.server.get("/api/forge/agents").await;
    assert_eq!((status, code(&body)), (400, "bad_query"));
    ground.nothing_is_left().await;
}

#[tokio::test]
async fn a_secret_goes_in_and_does_not_come_out() {
    let mut ground = Ground::new().await;
    let of_project = format!("/api/forge/projects/{}/settings", ground.project_id());
    for path in ["/api/forge/config", &of_project] {
        assert_eq!(data(ground.server.get(path).await), json!({"omni_enabled": false, "omni_config": null}));
        let body = json!({"omni_enabled": true, "omni_config": {
            "enabled": true, "host": "https://omni.example", "api_key": "s3cr3t", "instance": "i",
            "recipient": "+49 30", "recipient_type": "PhoneNumber",
        }});
        let set = data(ground.server.put(path, body).await);
        let mut expected = json!({"omni_enabled": true, "omni_config": {
            "enabled": true, "host": "https://omni.example", "api_key": "********", "instance": "i",
            "recipient": "+49 30", "recipient_type": "PhoneNumber",
        }});
        assert_eq!(set, expected);
        // What was read is sent back with one change, as a form does.
        expected["omni_config"]["instance"] = json!("other");
        assert_eq!(data(ground.server.put(path, expected.clone()).await), expected);
        assert_eq!(data(ground.server.get(path).await), expected);
    }
    assert!(database_text(&ground.server).contains("s3cr3t"), "the key was kept behind its mask");
    ground.server.terminate().await;
    ground.server.restart().await;
    let mut events = ground.server.events(Some(0)).await;
    let mut told = 0;
    while told < 4 {
        let message = events.next().await;
        assert!(!message.data.to_string().contains("s3cr3t"), "{}", message.data);
        told += usize::from(message.event == "settings_update");
    }
    assert!(!ground.server.log().contains("s3cr3t"));
    let forgotten = data(ground.server.put(&of_project, json!({"omni_config": null})).await);
    assert_eq!(forgotten, json!({"omni_enabled": true, "omni_config": null}));
    let nowhere = format!("/api/forge/projects/{NOWHERE}/settings");
    for answer in [ground.server.get(&nowhere).await, ground.server.put(&nowhere, json!({})).await] {
        assert_eq!((answer.0, code(&answer.1)), (404, "not_found"));
    }
    let wrong = json!({"omni_config": {"recipient_type": "Pigeon"}});
    let (status, body) = ground.server.put("/api/forge/config", wrong).await;
    assert_eq!((status, code(&body)), (422, "wrong_shape"));
}

/// All that SQLite has written, as text.
fn database_text(server: &TestServer) -> String {
    ["forge.db", "forge.db-wal"]
        .map(|name| std::fs::read(server.data().join(name)).unwrap_or_default())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .join("\n")
}
