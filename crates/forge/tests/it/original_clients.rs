//! The older operations of the contract, replayed with the bodies that the original front end and the first client
//! library send: each has the effect that it has on the original server.
//!
//! Not replayed: what this server does not have yet (rebase, merge, push, pull requests, signing in at GitHub).

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

use crate::data;
use crate::ground::Ground;

/// A request, and what its answer has.
struct Call {
    /// `METHOD /path`; `{name}` is a value that an earlier answer had.
    request: &'static str,
    /// `null` for a request without a body.
    body: Value,
    /// What the answer's `data` has at these pointers.
    has: Value,
    /// Names for values of the answer's `data`: `name=pointer`.
    keep: &'static [&'static str],
}

fn call(request: &'static str, body: Value, has: Value) -> Call {
    Call { request, body, has, keep: &[] }
}

impl Call {
    fn keep(self, keep: &'static [&'static str]) -> Self {
        Self { keep, ..self }
    }
}

fn projects() -> Vec<Call> {
    let scripts = json!({"/dev_script": "echo dev", "/setup_script": null, "/copy_files": null});
    vec![
        call(
            "PUT /api/projects/{project}",
            json!({"name": "p", "setup_script": "true", "dev_script": "echo", "cleanup_script": "true", "copy_files": ".env"}),
            json!({"/setup_script": "true"}),
        ),
        // The form of the settings: `null` for an emptied field.
        call(
            "PUT /api/projects/{project}",
            json!({
                "name": "p", "git_repo_path": "{repository}", "setup_script": null, "dev_script": "echo dev",
                "cleanup_script": null, "copy_files": null,
            }),
            scripts.clone(),
        ),
        // Genie: one field. The original cleared all scripts, which nobody wanted.
        call("PUT /api/projects/{project}", json!({"default_base_branch": "main"}), scripts),
        call("GET /api/projects/{project}/search?q=a&mode=FileName", Value::Null, json!({})),
        call("GET /api/projects/{project}/branches", Value::Null, json!({"/0/name": "main"})),
    ]
}

fn tasks() -> Vec<Call> {
    let moved = |status: &str| {
        json!({
            "title": null, "description": null, "status": status, "parent_task_attempt": null, "image_ids": null,
        })
    };
    let kept = |status: &str| {
        json!({
            "/title": "renamed", "/description": "d", "/status": status, "/parent_task_attempt": "{attempt}",
        })
    };
    vec![
        call(
            "POST /api/tasks",
            json!({
                "project_id": "{project}", "title": "t", "description": null, "parent_task_attempt": null, "image_ids": null,
            }),
            json!({"/status": "todo", "/description": null}),
        )
        .keep(&["plain=/id"]),
        call(
            "POST /api/tasks",
            json!({
                "project_id": "{project}", "title": "sub", "description": "d", "parent_task_attempt": "{attempt}",
                "image_ids": null,
            }),
            json!({"/parent_task_attempt": "{attempt}"}),
        )
        .keep(&["subtask=/id"]),
        // The form, a card that is dragged, the dialogs that cancel and archive.
        call(
            "PUT /api/tasks/{subtask}",
            json!({
                "title": "renamed", "description": "d", "status": "todo", "parent_task_attempt": null, "image_ids": null,
            }),
            kept("todo"),
        ),
        call("PUT /api/tasks/{subtask}", moved("inprogress"), kept("inprogress")),
        call("PUT /api/tasks/{subtask}", moved("cancelled"), kept("cancelled")),
        call("PUT /api/tasks/{subtask}", moved("archived"), kept("archived")),
        call("PUT /api/tasks/{subtask}", json!({"description": ""}), json!({"/description": null})),
        call("GET /api/task-attempts/{attempt}/children", Value::Null, json!({"/children/0/id": "{subtask}"})),
        // The paths of the first client.
        call("GET /api/projects/{project}/tasks", Value::Null, json!({})),
        call("POST /api/projects/{project}/tasks", json!({"title": "u"}), json!({"/status": "todo"}))
            .keep(&["other=/id"]),
        call("PUT /api/projects/{project}/tasks/{other}", json!({"status": "in-review"}), json!({"/status": "inreview"})),
        call("DELETE /api/projects/{project}/tasks/{other}", Value::Null, json!(null)),
        call("GET /api/task-attempts?task_id={other}", Value::Null, json!([])),
    ]
}

fn starts() -> Vec<Call> {
    let body = |use_worktree: Value| {
        json!({
            "task": {
                "project_id": "{project}", "title": "chat", "description": "@say a", "parent_task_attempt": null,
                "image_ids": null,
            },
            "executor_profile_id": {"executor": "CLAUDE_CODE", "variant": null},
            "base_branch": "main",
            "use_worktree": use_worktree,
        })
    };
    let runs = json!({"/has_in_progress_attempt": true, "/attempt_count": 1, "/title": "chat"});
    vec![
        call("POST /api/tasks/create-and-start", body(Value::Null), runs.clone()),
        call("POST /api/tasks/create-and-start", body(json!(true)), runs.clone()),
        // The standing chat.
        call("POST /api/tasks/create-and-start", body(json!(false)), runs),
        call(
            "POST /api/task-attempts",
            json!({
                "task_id": "{plain}", "executor_profile_id": {"executor": "CLAUDE_CODE", "variant": null},
                "base_branch": "main", "use_worktree": false,
            }),
            json!({"/task_id": "{plain}"}),
        ),
        call(
            "POST /api/forge/agents",
            json!({"project_id": "{project}", "agent_type": "wish"}),
            json!({"/agent_type": "wish"}),
        ),
        call("GET /api/forge/agents?project_id={project}", Value::Null, json!({"/0/agent_type": "wish"})),
    ]
}

fn turns() -> Vec<Call> {
    vec![
        call(
            "POST /api/task-attempts/{attempt}/follow-up",
            json!({
                "prompt": "@say b", "variant": null, "image_ids": null, "retry_process_id": null, "force_when_dirty": null,
                "perform_git_reset": null,
            }),
            json!({"/run_reason": "codingagent", "/task_attempt_id": "{attempt}"}),
        )
        .keep(&["process=/id"]),
        call("POST /api/task-attempts/{attempt}/stop", Value::Null, json!({})),
        call("POST /api/task-attempts/{attempt}/follow-up", json!({"follow_up_prompt": "@say c"}), json!({})),
        call("POST /api/task-attempts/{attempt}/stop", Value::Null, json!({"/state": "finished"})),
        call(
            "POST /api/task-attempts/{attempt}/replace-process",
            json!({
                "process_id": "{process}", "prompt": "@say d", "variant": null, "force_when_dirty": false,
                "perform_git_reset": true,
            }),
            json!({"/deleted_count": 2}),
        ),
        call("POST /api/task-attempts/{attempt}/stop", Value::Null, json!({})),
    ]
}

fn drafts() -> Vec<Call> {
    vec![
        call(
            "PUT /api/task-attempts/{attempt}/draft?type=follow_up",
            json!({"prompt": "later", "variant": "PLAN"}),
            json!({"/prompt": "later", "/variant": "PLAN", "/queued": false}),
        ),
        // What did not change is left out; the default variant is `null`.
        call(
            "PUT /api/task-attempts/{attempt}/draft?type=follow_up",
            json!({"variant": null}),
            json!({"/prompt": "later", "/variant": null}),
        ),
        call(
            "PUT /api/task-attempts/{attempt}/draft?type=follow_up",
            json!({"prompt": null, "image_ids": null, "version": null}),
            json!({"/prompt": "later"}),
        ),
        call(
            "POST /api/task-attempts/{attempt}/draft?type=follow_up",
            json!({"prompt": "saved"}),
            json!({"/prompt": "saved"}),
        ),
        call(
            "PUT /api/task-attempts/{attempt}/draft?type=retry",
            json!({"retry_process_id": "{process}", "prompt": "again", "variant": null}),
            json!({"/retry_process_id": "{process}", "/prompt": "again"}),
        ),
        call("DELETE /api/task-attempts/{attempt}/draft?type=retry", Value::Null, json!(null)),
        call(
            "POST /api/task-attempts/{attempt}/draft/queue?type=follow_up",
            json!({"queued": false, "expected_queued": false, "expected_version": null}),
            json!({"/queued": false}),
        ),
    ]
}

fn branches() -> Vec<Call> {
    vec![
        call(
            "GET /api/task-attempts/{attempt}/branch-status",
            Value::Null,
            json!({"/target_branch_name": "main"}),
        ),
        call(
            "POST /api/task-attempts/{attempt}/change-target-branch",
            json!({"new_target_branch": "main"}),
            json!({"/new_target_branch": "main"}),
        ),
        call(
            "POST /api/task-attempts/{attempt}/change-target-branch",
            json!({"target_branch": "main"}),
            json!({}),
        ),
        call("POST /api/task-attempts/{attempt}/conflicts/abort", Value::Null, json!({})),
        call("POST /api/task-attempts/{attempt}/delete-file?file_path=a.txt", Value::Null, json!({})),
        call("POST /api/task-attempts/{attempt}/start-dev-server", Value::Null, json!({})),
        call("POST /api/task-attempts/{attempt}/stop", Value::Null, json!({})),
    ]
}

fn everything_else() -> Vec<Call> {
    vec![
        call("POST /api/tags", json!({"tag_name": "one", "content": "c"}), json!({"/content": "c"})).keep(&["tag=/id"]),
        call("PUT /api/tags/{tag}", json!({"tag_name": "two", "content": null}), json!({"/tag_name": "two", "/content": "c"})),
        call("DELETE /api/tags/{tag}", Value::Null, json!(null)),
        call(
            "POST /api/templates",
            json!({"name": "a b", "description": "why", "task_template": "text"}),
            json!({"/description": "why"}),
        )
        .keep(&["template=/id"]),
        call(
            "PUT /api/templates/{template}",
            json!({"name": "c", "description": null, "task_template": null}),
            json!({"/description": "why", "/task_template": "text"}),
        ),
        call("POST /api/approvals/create", json!({"message": "may I?", "context": null}), json!({})).keep(&["approval=/approval_id"]),
        call("POST /api/approvals/{approval}/respond", json!({"approved": true, "comment": null}), json!({})),
        call("PUT /api/forge/config", json!({"omni_enabled": false, "omni_config": null}), json!({"/omni_config": null})),
        call(
            "PUT /api/forge/projects/{project}/settings",
            json!({"omni_enabled": false, "omni_config": null}),
            json!({"/omni_enabled": false}),
        ),
        call(
            "POST /api/execution-runs",
            json!({"project_id": "{project}", "prompt": "@say a", "executor_profile_id": {"executor": "CLAUDE_CODE", "variant": null}, "base_branch": null}),
            json!({}),
        )
        .keep(&["run=/execution_run/id"]),
        call("POST /api/execution-runs/{run}/stop", Value::Null, json!({})),
        call("DELETE /api/tasks/{subtask}", Value::Null, json!(null)),
        call("DELETE /api/task-attempts/{attempt}", Value::Null, json!(null)),
        call("GET /api/execution-processes?task_attempt_id={attempt}", Value::Null, json!([])),
    ]
}

#[tokio::test]
async fn requests_of_original_clients_have_their_effect() {
    let ground = Ground::new().await;
    let mut known = BTreeMap::from([
        ("project".to_owned(), ground.project["id"].clone()),
        ("repository".to_owned(), ground.project["git_repo_path"].clone()),
    ]);
    replay(&ground, &mut known, projects()).await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    known.insert("attempt".to_owned(), json!(started.attempt()));
    for calls in [tasks(), starts(), turns(), drafts(), branches(), everything_else()] {
        replay(&ground, &mut known, calls).await;
    }
    send_settings_back(&ground).await;
}

/// The settings' pages send back what they read, with the nulls in it.
async fn send_settings_back(ground: &Ground) {
    let server = &ground.server;
    let config = data(server.get("/api/info").await)["config"].take();
    assert_eq!(data(server.put("/api/config", config.clone()).await), config);
    let profiles = data(server.get("/api/profiles").await)["content"].take();
    let sending = server.request(Method::PUT, "/api/profiles").header("content-type", "application/json");
    let answer = sending.body(profiles.as_str().unwrap().to_owned()).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(data(server.get("/api/profiles").await)["content"], profiles);
}

async fn replay(ground: &Ground, known: &mut BTreeMap<String, Value>, calls: Vec<Call>) {
    for Call { request, body, has, keep } in calls {
        let place = format!("{request} {body}");
        let (method, path) = request.split_once(' ').unwrap();
        let method: Method = method.parse().unwrap();
        let path = filled(&json!(path), known);
        let mut sending = ground.server.request(method, path.as_str().unwrap());
        sending = match &body {
            // The first client names the type of every body, and of none.
            Value::Null => sending.header("content-type", "application/json"),
            body => sending.json(&filled(body, known)),
        };
        let answer = sending.send().await.unwrap();
        let status = answer.status();
        let answer: Value = answer.json().await.unwrap();
        assert!(status.is_success(), "{place}: {status} {answer}");
        assert_eq!(answer["success"], true, "{place}: {answer}");
        let answered = &answer["data"];
        match &filled(&has, known) {
            Value::Object(expected) => {
                for (pointer, expected) in expected {
                    assert_eq!(answered.pointer(pointer), Some(expected), "{place}: {pointer} of {answered}");
                }
            }
            whole => assert_eq!(answered, whole, "{place}"),
        }
        for name in keep {
            let (name, pointer) = name.split_once('=').unwrap();
            let value =
                answered.pointer(pointer).unwrap_or_else(|| panic!("{place}: no {pointer} in {answered}"));
            known.insert(name.to_owned(), value.clone());
        }
    }
}

/// The value with what is known in place of each `{name}`.
fn filled(value: &Value, known: &BTreeMap<String, Value>) -> Value {
    match value {
        Value::String(text) => {
            let fill = |text: String, (name, value): (&String, &Value)| {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                text.replace(&format!("{{{name}}}"), &value)
            };
            known.iter().fold(text.clone(), fill).into()
        }
        Value::Array(items) => items.iter().map(|item| filled(item, known)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), filled(field, known))).collect()
        }
        other => other.clone(),
    }
}
