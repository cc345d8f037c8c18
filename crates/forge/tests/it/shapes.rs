//! One attempt from start to review as clients see it: the contract's shapes, on the real thing.

use forge_testkit::server::TestServer;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{FORGE, code, data, is_finished, project, started};

/// Every key of the sample is there; a null in the sample may be anything.
fn assert_shape(value: &Value, sample: &Value) {
    for (key, expected) in sample.as_object().unwrap() {
        let found = value.get(key).unwrap_or_else(|| panic!("{key} is missing in {value}"));
        if !expected.is_null() {
            assert_eq!(found, expected, "{key}");
        }
    }
}

#[tokio::test]
async fn a_project_is_made_listed_changed_and_deleted() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    assert_shape(
        &project,
        &json!({
            "id": null, "name": "p", "git_repo_path": null, "setup_script": null, "dev_script": null,
            "cleanup_script": null, "copy_files": null, "commit_prompt": null, "default_base_branch": null, "fetch_submodules": false,
            "skip_commit_hooks": false, "skip_commit_signing": false,
            "created_at": null, "updated_at": null,
        }),
    );
    assert_eq!(data(server.get("/api/projects").await), json!([project]));
    let path = format!("/api/projects/{}", project["id"].as_str().unwrap());
    assert_eq!(data(server.get(&path).await), project);
    let changed = data(server.put(&path, json!({"setup_script": "true"})).await);
    assert_eq!((&changed["name"], &changed["setup_script"]), (&json!("p"), &json!("true")));
    let kept = data(server.put(&path, json!({"default_base_branch": "main"})).await);
    assert_eq!((&kept["setup_script"], &kept["default_base_branch"]), (&json!("true"), &json!("main")));
    let cleared = data(server.put(&path, json!({"setup_script": null})).await);
    assert_eq!(cleared["setup_script"], Value::Null);
    let branches = data(server.get(&format!("{path}/branches")).await);
    assert_shape(
        &branches[0],
        &json!({
            "name": "main", "is_current": true, "is_remote": false, "last_commit_date": null,
        }),
    );
    assert_eq!(data(server.delete(&path).await), Value::Null);
    assert_eq!(server.get(&path).await.0, 404);
}

#[tokio::test]
async fn a_start_answers_with_everything_that_runs() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say hello\n@edit a.txt one").await;
    assert_shape(
        &started,
        &json!({
            "id": null, "project_id": project["id"], "title": "t", "description": "@say hello\n@edit a.txt one",
            "status": "inprogress", "parent_task_attempt": null, "dev_server_id": null, "created_at": null,
            "updated_at": null, "has_in_progress_attempt": true, "has_merged_attempt": false,
            "last_attempt_failed": false, "executor": "CLAUDE_CODE", "attempt_count": 1,
        }),
    );
    let attempt = &started["task_attempt"];
    assert_eq!((&attempt["id"], &attempt["task_id"]), (&started["attempt_id"], &started["id"]));
    assert_eq!(started["attempts"], json!([attempt]));
    assert_eq!((&attempt["target_branch"], &attempt["status"]), (&json!("main"), &json!("running")));
    assert!(attempt["branch"].as_str().unwrap().starts_with("forge/"));
    assert!(std::path::Path::new(attempt["container_ref"].as_str().unwrap()).is_dir());
    let process = &started["execution_process"];
    assert_eq!(process["id"], started["execution_process_id"]);
    assert_eq!(
        process["executor_action"]["typ"],
        json!({
            "type": "CodingAgentInitialRequest", "prompt": "t\n\n@say hello\n@edit a.txt one",
            "executor_profile_id": {"executor": "CLAUDE_CODE"},
        })
    );

    let ended = server.until_attempt(attempt["id"].as_str().unwrap(), is_finished).await;
    assert_eq!((&ended["status"], &ended["outcome"]), (&json!("completed"), &json!("succeeded")));
    let id = started["id"].as_str().unwrap();
    let task = server.until_task(id, |task| task["status"] == "inreview").await;
    assert_eq!(task["has_in_progress_attempt"], false);
    let path = format!("/api/execution-processes?task_attempt_id={}", attempt["id"].as_str().unwrap());
    let processes = data(server.get(&path).await);
    assert_shape(
        &processes[0],
        &json!({
            "run_reason": "codingagent", "status": "completed", "exit_code": 0, "state": "exited",
            "dropped": false, "execution_run_id": null,
        }),
    );
    assert!(processes[0]["after_head_commit"].is_string());
}

#[tokio::test]
async fn the_same_key_makes_one_attempt_whoever_repeats_it() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let body = json!({
        "title": "t", "description": "@say once", "executor_profile_id": "claude-code",
        "base_branch": "main", "project_id": project["id"],
    });
    let path = "/api/tasks/create-and-start";
    let mut answers = Vec::new();
    for _ in 0..2 {
        let request = server.request(Method::POST, path).header("idempotency-key", "k").json(&body);
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        answers.push(answer["data"]["attempt_id"].clone());
    }
    assert!(answers[0].is_string());
    assert_eq!(answers[0], answers[1]);
    assert_eq!(data(server.get("/api/task-attempts").await).as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn below_the_project_a_start_answers_with_the_attempt() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let path = format!("/api/projects/{}/tasks", project["id"].as_str().unwrap());
    let body = json!({"title": "t", "description": "@say hi", "executor_profile_id": "CLAUDE_CODE"});
    let attempt = data(server.post(&format!("{path}/create-and-start"), body).await);
    assert_eq!(attempt["id"], attempt["attempt_id"]);
    assert_eq!(attempt["task_id"], attempt["task"]["id"]);
    assert_eq!(data(server.get(&path).await)[0]["id"], attempt["task_id"]);
}

#[tokio::test]
async fn an_agent_that_is_not_there_is_a_clear_refusal() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let body = json!({
        "task": {"project_id": project["id"], "title": "t"}, "executor_profile_id": "NO_SUCH_AGENT",
    });
    let (status, answer) = server.post("/api/tasks/create-and-start", body).await;
    assert_eq!(status, 422, "{answer}");
    code(&answer);
    let path = format!("/api/tasks?project_id={}", project["id"].as_str().unwrap());
    assert_eq!(data(server.get(&path).await), json!([]));
}

#[tokio::test]
async fn a_follow_up_goes_on_and_a_second_one_waits() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say hello\n@until-told").await;
    let id = started["attempt_id"].as_str().unwrap();
    let path = format!("/api/task-attempts/{id}");
    let (status, body) = server.post(&format!("{path}/follow-up"), json!({"prompt": "@say more"})).await;
    assert_eq!((status, &body["data"]["queued"]), (202, &json!(true)), "{body}");
    let queue = data(server.get(&format!("{path}/follow-ups")).await);
    assert_eq!(queue[0], body["data"]["follow_up"]);
    let stopped = data(server.post(&format!("{path}/stop"), json!(null)).await);
    assert_eq!(stopped["id"], started["attempt_id"]);
    let ended = server.until_attempt(id, is_finished).await;
    assert_eq!(ended["status"], "killed");
}

#[tokio::test]
async fn a_task_is_deleted_with_202() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let body = json!({"project_id": project["id"], "title": "t", "image_ids": null, "status": "done"});
    let task = data(server.post("/api/tasks", body).await);
    assert_eq!(task["status"], "todo");
    let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    let changed = data(server.put(&path, json!({"status": "in-progress"})).await);
    assert_eq!((&changed["status"], &changed["title"]), (&json!("inprogress"), &json!("t")));
    let (status, body) = server.delete(&path).await;
    assert_eq!((status, &body["success"]), (202, &json!(true)));
    assert_eq!(server.get(&path).await.0, 404);
}

#[tokio::test]
async fn older_spellings_do_the_same() {
    let server = TestServer::start(FORGE).await;
    let path = server.folder().join("repository");
    let body = json!({"name": "p", "repo_path": path, "use_existing_repo": false});
    let project = data(server.post("/api/projects", body).await);
    let tasks = format!("/api/projects/{}/tasks", project["id"].as_str().unwrap());
    let task = data(server.post(&tasks, json!({"title": "t", "description": "@say hi"})).await);
    let id = task["id"].as_str().unwrap();

    let start = json!({"executor": "claude-code", "base_branch": "main"});
    let attempt = data(server.post(&format!("/api/tasks/{id}/attempts/start"), start).await);
    assert_eq!((&attempt["id"], &attempt["task_id"]), (&attempt["attempt_id"], &task["id"]));
    server.until_attempt(attempt["id"].as_str().unwrap(), is_finished).await;
    server.until_task(id, |task| task["status"] == "inreview").await;

    let path = format!("{tasks}/{id}");
    assert_eq!(data(server.get(&path).await)["id"], task["id"]);
    assert_eq!(data(server.put(&path, json!({"title": "u"})).await)["title"], "u");
    let elsewhere = format!("/api/projects/{id}/tasks/{id}");
    for (status, body) in [server.get(&elsewhere).await, server.delete(&elsewhere).await] {
        assert_eq!((status, code(&body)), (404, "not_found"));
    }
    let (status, body) = server.get(&format!("{tasks}/x")).await;
    assert_eq!((status, code(&body)), (400, "bad_id"));
    assert_eq!(server.delete(&path).await.0, 202);
    assert_eq!(server.get(&path).await.0, 404);
}

#[tokio::test]
async fn unknown_names_are_refused_with_the_nearest() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let task = json!({"project_id": project["id"], "title": "t", "descripton": "d"});
    let start = json!({
        "task": {"project_id": project["id"], "title": "t"},
        "executor_profile_id": "CLAUDE_CODE",
        "base_brnach": "main",
    });
    let nested = json!({
        "task": {"project_id": project["id"], "tittle": "t"}, "executor_profile_id": "CLAUDE_CODE",
    });
    for (path, body, field, meant) in [
        ("/api/tasks", task, "descripton", "description"),
        ("/api/tasks/create-and-start", start, "base_brnach", "base_branch"),
        ("/api/tasks/create-and-start", nested, "task.tittle", "title"),
    ] {
        let (status, body) = server.post(path, body).await;
        assert_eq!((status, code(&body)), (422, "unknown_field"), "{body}");
        assert!(body["message"].as_str().unwrap().contains(&format!("`{field}`")), "{body}");
        assert_eq!(body["error_data"]["hint"], format!("did you mean `{meant}`?"));
    }
    let path = format!("/api/tasks?project_id={}&limt=3", project["id"].as_str().unwrap());
    let (status, body) = server.get(&path).await;
    assert_eq!((status, code(&body)), (400, "unknown_parameter"), "{body}");
    assert_eq!(body["error_data"]["hint"], "did you mean `limit`?");
    let (status, body) = server.get("/api/projects?colour=red").await;
    assert_eq!((status, code(&body)), (400, "unknown_parameter"), "{body}");
    assert!(body["error_data"]["hint"].as_str().unwrap().contains("cursor"), "{body}");
    // What an older client sends back, and what a browser adds.
    let path = format!("/api/projects/{}?_=1", project["id"].as_str().unwrap());
    let whole = data(server.get(&path).await);
    let mut change = json!({"name": "renamed"});
    for name in ["id", "created_at", "updated_at"] {
        change[name] = whole[name].clone();
    }
    assert_eq!(data(server.put(&path, change).await)["name"], "renamed");
}
