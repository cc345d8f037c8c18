//! Everything that is wrong with a request is told in the envelope, with the right status.

use forge_testkit::server::TestServer;
use reqwest::Method;
use serde_json::{Value, json};

use crate::raw::{send, upgrade};
use crate::{FORGE, code};

const UNKNOWN: &str = "35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42";

#[tokio::test]
async fn an_id_that_is_none_is_a_bad_request() {
    let server = TestServer::start(FORGE).await;
    for path in [
        "/api/projects/x",
        "/api/tasks/1",
        "/api/task-attempts/-",
        "/api/execution-processes/%00",
        "/api/tasks/%ff",
    ] {
        let (status, body) = server.get(path).await;
        assert_eq!((status, code(&body)), (400, "bad_id"), "{path}");
    }
}

#[tokio::test]
async fn an_id_that_nobody_has_is_not_found() {
    let server = TestServer::start(FORGE).await;
    for path in [
        format!("/api/projects/{UNKNOWN}"),
        format!("/api/projects/{UNKNOWN}/branches"),
        format!("/api/tasks/{UNKNOWN}"),
        format!("/api/task-attempts/{UNKNOWN}"),
        format!("/api/task-attempts/{UNKNOWN}/follow-ups"),
        format!("/api/execution-processes/{UNKNOWN}"),
    ] {
        let (status, body) = server.get(&path).await;
        assert_eq!((status, code(&body)), (404, "not_found"), "{path}");
        assert!(body["error_data"]["hint"].is_string(), "{body}");
    }
    for path in ["task-attempts", "execution-processes"] {
        let (status, body) = server.post(&format!("/api/{path}/{UNKNOWN}/stop"), json!(null)).await;
        assert_eq!((status, code(&body)), (404, "not_found"), "{path}");
    }
    let (status, _, body) = send(&server, &upgrade(&server, "X-Nothing: y")).await;
    assert_eq!((status, code(&body)), (404, "not_found"));
}

#[tokio::test]
async fn an_unknown_path_is_not_found_and_never_a_page() {
    let server = TestServer::start(FORGE).await;
    for path in ["/api/nothing", "/api", "/nothing", "/api/projects/", "/index.html"] {
        let (status, body) = server.get(path).await;
        assert_eq!((status, code(&body)), (404, "unknown_path"), "{path}");
    }
}

#[tokio::test]
async fn a_wrong_method_is_named_with_the_right_ones() {
    let server = TestServer::start(FORGE).await;
    let response = server.request(Method::PATCH, "/api/projects").send().await.unwrap();
    assert_eq!(response.status(), 405);
    let allowed = response.headers()["allow"].to_str().unwrap().to_owned();
    assert!(allowed.contains("GET") && allowed.contains("POST"), "{allowed}");
    assert_eq!(code(&response.json().await.unwrap()), "wrong_method");
}

#[tokio::test]
async fn a_body_that_is_no_json_is_a_bad_request() {
    let server = TestServer::start(FORGE).await;
    for body in ["{", "", "{'name': 1}", r#"{"name": "p", "git_repo_path": "/x"}}"#] {
        let request =
            server.request(Method::POST, "/api/projects").header("content-type", "application/json");
        let response = request.body(body).send().await.unwrap();
        assert_eq!(response.status(), 400, "{body}");
        assert_eq!(code(&response.json().await.unwrap()), "bad_json");
    }
}

#[tokio::test]
async fn a_body_that_does_not_say_it_is_json_is_not_read() {
    let server = TestServer::start(FORGE).await;
    for kind in ["text/plain", "application/x-www-form-urlencoded"] {
        let request = server.request(Method::POST, "/api/projects").header("content-type", kind);
        let response = request.body("{}").send().await.unwrap();
        assert_eq!(response.status(), 415, "{kind}");
        assert_eq!(code(&response.json().await.unwrap()), "not_json");
    }
}

#[tokio::test]
async fn json_of_another_shape_is_told_what_is_missing() {
    let server = TestServer::start(FORGE).await;
    let id = format!("`project_id` has to be an id such as {UNKNOWN}");
    let start = "/api/tasks/create-and-start";
    let untitled = json!({"task": {"project_id": UNKNOWN}, "executor_profile_id": "CLAUDE_CODE"});
    let branch = json!({"task_id": UNKNOWN, "executor_profile_id": "CLAUDE_CODE", "base_branch": 7});
    let cases: [(&str, Value, &str); 12] = [
        ("/api/projects", json!({"name": "p"}), "`git_repo_path` is missing"),
        ("/api/projects", json!({"name": 7, "git_repo_path": "/x"}), "`name` has to be text"),
        (
            "/api/projects",
            json!({"name": "p", "git_repo_path": "/x\0y"}),
            "`git_repo_path` has to be text without NUL characters",
        ),
        ("/api/projects", json!(["p", "/x"]), "an object is expected"),
        ("/api/tasks", json!({"project_id": UNKNOWN}), "`title` is missing"),
        ("/api/tasks", json!({"title": "t"}), "`project_id` is missing"),
        ("/api/tasks", json!({"title": "t", "project_id": "x"}), &id),
        ("/api/task-attempts", json!({"task_id": UNKNOWN}), "`executor_profile_id` is missing"),
        ("/api/task-attempts", branch, "`base_branch` has to be text"),
        (start, json!({"executor_profile_id": "CLAUDE_CODE"}), "`task` is missing"),
        (start, untitled, "`task.title` is missing"),
        (start, json!([]), "an object is expected"),
    ];
    for (path, body, message) in cases {
        let (status, answer) = server.post(path, body).await;
        assert_eq!((status, code(&answer)), (422, "wrong_shape"), "{path}");
        assert_eq!(answer["message"], message);
        assert!(answer["error_data"]["hint"].is_string(), "{answer}");
    }
}

#[tokio::test]
async fn a_query_without_what_is_needed_is_a_bad_request() {
    let server = TestServer::start(FORGE).await;
    let id = format!("`project_id` has to be an id such as {UNKNOWN}");
    for (path, message) in [
        ("/api/tasks", "`project_id` is missing"),
        ("/api/tasks?project_id=x", &id),
        ("/api/execution-processes", "`task_attempt_id` is missing"),
        ("/api/events?after=x", "`after` has to be a whole number"),
    ] {
        let (status, body) = server.get(path).await;
        assert_eq!((status, code(&body)), (400, "bad_query"), "{path}");
        assert_eq!(body["message"], message);
        assert!(body["error_data"]["hint"].is_string(), "{body}");
    }
    let request = server.request(Method::GET, "/api/events").header("last-event-id", "x");
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 400);
    assert_eq!(code(&response.json().await.unwrap()), "bad_header");
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_too_large() {
    let server = TestServer::start(FORGE).await;
    let task = |length| json!({"project_id": UNKNOWN, "title": "t", "description": "x".repeat(length)});
    for length in [2 * 1024 * 1024, 20 * 1024 * 1024] {
        let (status, body) = server.post("/api/tasks", task(length)).await;
        assert_eq!((status, code(&body)), (413, "too_large"));
    }
    let (status, body) = server.post("/api/tasks", task(2 * 1024 * 1024 - 200)).await;
    assert_eq!((status, code(&body)), (413, "description_too_large"));
    let (status, body) = server.post("/api/tasks", task(1024 * 1024)).await;
    assert_eq!((status, code(&body)), (404, "not_found"));
}

#[tokio::test]
async fn a_log_asked_for_without_a_websocket_is_refused() {
    let server = TestServer::start(FORGE).await;
    let (status, body) = server.get(&format!("/api/execution-processes/{UNKNOWN}/raw-logs/ws")).await;
    assert_eq!((status, code(&body)), (400, "websocket_expected"));
    assert!(body["error_data"]["hint"].as_str().unwrap().contains("ws://"), "{body}");
}

#[tokio::test]
async fn a_name_can_be_changed_but_not_taken_away() {
    let server = TestServer::start(FORGE).await;
    let project = crate::project(&server).await;
    let path = format!("/api/projects/{}", project["id"].as_str().unwrap());
    let (status, body) = server.put(&path, json!({"name": " "})).await;
    assert_eq!((status, &body["message"]), (422, &json!("a project needs a name")));
    let (status, body) = server.put(&path, json!({"name": "x".repeat(1_001)})).await;
    assert_eq!((status, code(&body)), (422, "too_long"));
    let task =
        crate::data(server.post("/api/tasks", json!({"project_id": project["id"], "title": "t"})).await);
    let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    let (status, body) = server.put(&path, json!({"title": " "})).await;
    assert_eq!((status, &body["message"]), (422, &json!("a task needs a title")));
    assert_eq!(crate::data(server.get(&path).await)["title"], "t");
}

#[tokio::test]
async fn what_a_caller_sends_does_not_make_lines_in_the_log() {
    let server = TestServer::start(FORGE).await;
    let file = server.folder().join("a\nERROR forged");
    std::fs::write(&file, "").unwrap();
    let body = json!({"name": "p", "git_repo_path": file.join("repository"), "use_existing_repo": false});
    let (status, body) = server.post("/api/projects", body).await;
    assert_eq!((status, code(&body)), (503, "folder_not_writable"));
    let log = server.log();
    assert!(!log.lines().any(|line| line.starts_with("ERROR forged")), "{log}");
    let line = log.lines().find(|line| line.contains("folder_not_writable")).unwrap();
    assert!(line.contains(r"a\nERROR forged") && line.contains(" WARN "), "{line}");
}

#[tokio::test]
async fn every_answer_has_an_id_of_its_own() {
    let server = TestServer::start(FORGE).await;
    let mut ids = Vec::new();
    for path in ["/health", "/api/projects", "/api/nothing"] {
        let response = server.request(Method::GET, path).send().await.unwrap();
        ids.push(response.headers()["x-request-id"].to_str().unwrap().to_owned());
    }
    ids.dedup();
    assert_eq!(ids.len(), 3);
}
