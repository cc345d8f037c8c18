//! The samples of the contract's appendix, captured from the original: each is answered with the same keys and kinds of
//! values, and with the same values where they do not depend on the machine. More keys are fine; fewer are not.

use forge_testkit::server::TestServer;
use serde_json::{Value, json};

use crate::ground::Ground;
use crate::{FORGE, code, data, is_finished, project, started};

/// `value` has every key of `sample`, each with a value of the same kind; what `same` names is equal. A null of the
/// sample may be anything.
fn like(sample: &Value, value: &Value, same: &[&str]) {
    for (key, expected) in sample.as_object().unwrap() {
        let found = value.get(key).unwrap_or_else(|| panic!("{key} is missing in {value}"));
        if same.contains(&key.as_str()) {
            assert_eq!(found, expected, "{key} in {value}");
        } else if !expected.is_null() {
            assert_eq!(kind(found), kind(expected), "{key} in {value}");
        }
    }
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn sample(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn id(value: &Value) -> &str {
    value["id"].as_str().unwrap()
}

/// A1, A2, A3.
#[tokio::test]
async fn projects_are_as_sampled() {
    let server = TestServer::start(FORGE).await;
    let (status, made) = server
        .post(
            "/api/projects",
            json!({"name": "p", "git_repo_path": server.folder().join("r"), "use_existing_repo": false}),
        )
        .await;
    assert_eq!(status, 200);
    let envelope = sample(r#"{"success":true,"data":{},"error_data":null,"message":null}"#);
    like(&envelope, &made, &["success", "error_data", "message"]);
    let a1 = r#"{"id":"38668057-8ad8","name":"p","git_repo_path":"/abs/repo","setup_script":null,"dev_script":null,
        "cleanup_script":null,"copy_files":null,"commit_prompt":null,"created_at":"2026-11-15T07:13:15.913Z",
        "updated_at":"2026-11-15T07:13:15.913Z"}"#;
    let nulls = ["name", "setup_script", "dev_script", "cleanup_script", "copy_files", "commit_prompt"];
    like(&sample(a1), &made["data"], &nulls);

    let again =
        json!({"name": "p", "git_repo_path": made["data"]["git_repo_path"], "use_existing_repo": true});
    let (status, refused) = server.post("/api/projects", again).await;
    // The original says 200 here. The sentence is ours; that there is one, and under which key, is the contract's.
    assert_eq!((status, code(&refused)), (409, "repository_taken"));
    let a2 =
        r#"{"success":false,"data":null,"message":"A project with this git repository path already exists"}"#;
    like(&sample(a2), &refused, &["success", "data"]);

    let branches = data(server.get(&format!("/api/projects/{}/branches", id(&made["data"]))).await);
    let a3 =
        r#"{"name":"main","is_current":true,"is_remote":false,"last_commit_date":"2026-11-15T07:13:13Z"}"#;
    like(&sample(a3), &branches[0], &["name", "is_current", "is_remote"]);
}

/// A4, A5, A6, A7, A11, A12, A13.
#[tokio::test]
async fn a_start_and_what_belongs_to_it_are_as_sampled() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say hello\n@edit a.txt one").await;
    let a4 = r#"{"id":"26ff6bbc","project_id":"38668057","title":"t","description":"d","status":"inprogress",
        "parent_task_attempt":null,"dev_server_id":null,"created_at":"2026-11-15T07:13:16.329Z",
        "updated_at":"2026-11-15T07:13:16Z","has_in_progress_attempt":true,"has_merged_attempt":false,
        "last_attempt_failed":false,"executor":"AMP:ALT","attempt_count":1}"#;
    let same = [
        "title",
        "status",
        "parent_task_attempt",
        "dev_server_id",
        "has_in_progress_attempt",
        "has_merged_attempt",
        "last_attempt_failed",
        "attempt_count",
    ];
    like(&sample(a4), &started, &same);

    let attempt = started["attempt_id"].as_str().unwrap();
    let path = format!("/api/task-attempts/{attempt}");
    let a5 = r#"{"id":"03837cb9","task_id":"26ff6bbc","container_ref":"/var/tmp/x","branch":"forge/0383-test-forge-metad",
        "target_branch":"main","executor":"AMP","worktree_deleted":false,"setup_completed_at":null,"input_tokens":null,
        "output_tokens":null,"cache_creation_tokens":null,"cache_read_tokens":null,
        "created_at":"2026-11-15T07:13:16.358Z","updated_at":"2026-11-15T07:13:16.409330395Z"}"#;
    like(&sample(a5), &data(server.get(&path).await), &["target_branch", "worktree_deleted"]);

    server.until_attempt(attempt, is_finished).await;
    let processes = data(server.get(&format!("/api/execution-processes?task_attempt_id={attempt}")).await);
    let a6 = r#"{"id":"bf130f56","task_attempt_id":"03837cb9","execution_run_id":null,"run_reason":"codingagent",
        "executor_action":{},"before_head_commit":"cd082d2b","after_head_commit":null,"status":"completed",
        "exit_code":null,"dropped":false,"started_at":"2026-11-15T07:13:16.457255800Z","completed_at":null,
        "created_at":"x","updated_at":"x"}"#;
    like(&sample(a6), &processes[0], &["run_reason", "execution_run_id", "dropped", "status"]);
    let typ = r#"{"type":"CodingAgentInitialRequest","prompt":"p","executor_profile_id":{"executor":"AMP"}}"#;
    like(&sample(typ), &processes[0]["executor_action"]["typ"], &["type"]);
    assert_eq!(processes[0]["executor_action"]["next_action"], Value::Null);

    let a11 = r#"{"task_attempt_id":"03837cb9","draft_type":"follow_up","retry_process_id":null,"prompt":"hey",
        "queued":false,"variant":"PLAN","image_ids":null,"version":1}"#;
    let body = json!({"prompt": "hey", "variant": "PLAN"});
    let draft = data(server.put(&format!("{path}/draft?type=follow_up"), body).await);
    like(&sample(a11), &draft, &["draft_type", "retry_process_id", "prompt", "queued", "variant", "version"]);

    let body = json!({"project_id": project["id"], "agent_type": "wish"});
    let agent = data(server.post("/api/forge/agents", body).await);
    let a13 = r#"{"id":"7275b951","project_id":"38668057","agent_type":"wish","task_id":"d104f6e2",
        "created_at":"2026-11-15 07:14:33","updated_at":"2026-11-15 07:14:33"}"#;
    like(&sample(a13), &agent, &["agent_type"]);
}

/// A7: what a branch looks like in the middle of a rebase that met a conflict.
#[tokio::test]
async fn a_branch_in_a_conflict_is_as_sampled() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt theirs").await;
    let attempt = ground.finished(&started).await;
    ground.repo.write("a.txt", "ours");
    ground.repo.commit("ours");
    let worktree = std::path::Path::new(attempt["worktree_path"].as_str().unwrap());
    let rebased = ground.repo.try_git_in(worktree, &["rebase", "main"]);
    assert!(!rebased.status.success(), "the rebase meets a conflict: {rebased:?}");
    let path = format!("/api/task-attempts/{}/branch-status", id(&attempt));
    let a7 = r#"{"commits_behind":1,"commits_ahead":1,"has_uncommitted_changes":false,"head_oid":"9da4b308",
        "uncommitted_count":1,"untracked_count":0,"target_branch_name":"main","remote_commits_behind":null,
        "remote_commits_ahead":null,"merges":[],"is_rebase_in_progress":true,"conflict_op":"rebase",
        "conflicted_files":["a.txt"]}"#;
    let same = [
        "target_branch_name",
        "merges",
        "is_rebase_in_progress",
        "conflict_op",
        "conflicted_files",
        "untracked_count",
    ];
    like(&sample(a7), &data(ground.server.get(&path).await), &same);
}

/// A17, A19: what a healthy run looks like to those who listen.
#[tokio::test]
async fn a_healthy_run_is_told_in_the_order_of_the_sample() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@edit a.txt one").await;
    server.until_task(id(&started), |task| task["status"] == "inreview").await;
    let mut events = server.events(Some(0)).await;
    let (task, process) =
        (format!("/tasks/{}", id(&started)), started["execution_process_id"].as_str().unwrap());
    let process = format!("/execution_processes/{process}");
    type Holds<'a> = &'a dyn Fn(&Value) -> bool;
    let wanted: [(&str, &str, Holds<'_>); 5] = [
        ("add", &task, &|_| true),
        ("add", &process, &|value| value["status"] == "running"),
        ("replace", &process, &|value| value["status"] == "completed" && value["exit_code"] == 0),
        ("replace", &task, &|value| {
            value["status"] == "inreview" && value["has_in_progress_attempt"] == false
        }),
        ("replace", &process, &|value| value["after_head_commit"].is_string()),
    ];
    // The last two are written together here, so either may come first.
    let mut seen = Vec::new();
    while seen.len() < wanted.len() {
        let message = events.next().await;
        if message.event != "json_patch" {
            continue;
        }
        let patch = message.data.as_array().unwrap();
        assert_eq!(patch.len(), 1, "{patch:?}");
        for (index, (op, path, holds)) in wanted.iter().enumerate() {
            if !seen.contains(&index)
                && patch[0]["op"] == *op
                && patch[0]["path"] == *path
                && holds(&patch[0]["value"])
            {
                seen.push(index);
            }
        }
    }
    assert_eq!(seen[..3], [0, 1, 2], "{seen:?}");
}
