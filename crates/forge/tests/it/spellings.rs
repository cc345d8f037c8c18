//! Where clients disagree, each spelling does the same: a test for each disagreement of the contract's summary.

use reqwest::Method;
use serde_json::{Value, json};

use crate::ground::Ground;
use crate::{code, data};

/// The field of a start's answer that tells the attempt's id, wherever a client looks for it.
fn attempt_ids(started: &Value) -> Vec<&Value> {
    vec![&started["attempt_id"], &started["task_attempt"]["id"], &started["attempts"][0]["id"]]
}

/// 1 and 2: below the project or beside it, flat or nested, a word or an object.
#[tokio::test]
async fn a_start_is_understood_in_every_shape() {
    let ground = Ground::new().await;
    let project = &ground.project["id"];
    let beside = "/api/tasks/create-and-start".to_owned();
    let below = format!("/api/projects/{}/tasks/create-and-start", ground.project_id());
    let nested = json!({"project_id": project, "title": "t", "description": "@say a"});
    for (path, body) in [
        (
            &beside,
            json!({"task": nested, "executor_profile_id": {"executor": "CLAUDE_CODE", "variant": null}, "base_branch": "main"}),
        ),
        (
            &beside,
            json!({"task": nested, "executor_profile_id": {"executor": "CLAUDE_CODE", "variant": "DEFAULT", "model": "m"}}),
        ),
        (
            &beside,
            json!({"project_id": project, "title": "t", "description": "@say a", "executor_profile_id": "CLAUDE_CODE"}),
        ),
        (
            &below,
            json!({"title": "t", "description": "@say a", "executor_profile_id": "claude-code", "base_branch": "main"}),
        ),
        (
            &below,
            json!({"task": {"title": "t", "description": "@say a"}, "executor_profile_id": {"profile": "CLAUDE_CODE"}, "use_worktree": true}),
        ),
    ] {
        let started = data(ground.server.post(path, body.clone()).await);
        let attempt = data(
            ground
                .server
                .get(&format!("/api/task-attempts/{}", started["attempt_id"].as_str().unwrap()))
                .await,
        );
        assert_eq!(attempt_ids(&started), [&attempt["id"], &attempt["id"], &attempt["id"]], "{body}");
        assert_eq!(
            (&attempt["executor"], &attempt["target_branch"]),
            (&json!("CLAUDE_CODE"), &json!("main")),
            "{body}"
        );
        assert_eq!((&started["task"]["id"], &started["task"]["title"]), (&attempt["task_id"], &json!("t")));
        let own = if path == &below { &attempt["id"] } else { &attempt["task_id"] };
        assert_eq!(&started["id"], own, "{body}");
        // 4: what later clients look for in an attempt.
        assert_eq!(attempt["project_id"], *project);
        assert_eq!(
            (&attempt["worktree_path"], &attempt["branch_name"]),
            (&attempt["container_ref"], &attempt["branch"])
        );
        assert!(["running", "completed"].contains(&attempt["status"].as_str().unwrap()), "{attempt}");
        assert_eq!(attempt["executor_profile_id"]["executor"], "CLAUDE_CODE");
    }
}

/// 3: the prompt of a follow-up.
#[tokio::test]
async fn a_follow_up_is_taken_under_both_names() {
    let ground = Ground::new().await;
    let started = ground.start("@say a").await;
    ground.finished(&started).await;
    let path = format!("/api/task-attempts/{}/follow-up", started.attempt());
    for (name, prompt) in [("prompt", "@say b"), ("follow_up_prompt", "@say c")] {
        let process = data(ground.server.post(&path, json!({ name: prompt })).await);
        assert_eq!(process["executor_action"]["typ"]["prompt"], prompt);
        ground.finished(&started).await;
    }
}

/// 3: the branch that an attempt is to be merged into.
#[tokio::test]
async fn a_target_branch_is_taken_under_both_names() {
    let ground = Ground::new().await;
    let started = ground.start("@say a").await;
    ground.finished(&started).await;
    ground.repo.git(&["branch", "one"]);
    ground.repo.git(&["branch", "two"]);
    let path = format!("/api/task-attempts/{}/change-target-branch", started.attempt());
    for (name, branch) in [("new_target_branch", "one"), ("target_branch", "two")] {
        let changed = data(ground.server.post(&path, json!({ name: branch })).await);
        assert_eq!(changed["new_target_branch"], branch);
        let attempt = data(ground.server.get(&format!("/api/task-attempts/{}", started.attempt())).await);
        assert_eq!((&attempt["target_branch"], &attempt["base_branch"]), (&json!(branch), &json!(branch)));
    }
}

/// 3: drafts are saved by PUT and by POST, and queued by two words.
#[tokio::test]
async fn a_draft_is_saved_and_queued_in_both_ways() {
    let ground = Ground::new().await;
    let started = ground.start("@say a").await;
    ground.finished(&started).await;
    let path = format!("/api/task-attempts/{}/draft", started.attempt());
    for (method, prompt) in [(Method::PUT, "@say b"), (Method::POST, "@say c")] {
        let request = ground.server.request(method.clone(), &format!("{path}?type=follow_up"));
        let answer = request.json(&json!({"prompt": prompt})).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{method}");
        let saved: Value = answer.json().await.unwrap();
        assert_eq!(saved["data"]["prompt"], prompt);
        assert!(saved["data"]["saved_at"].is_string() && saved["data"]["draft_id"].is_string(), "{saved}");
        assert_eq!(data(ground.server.get(&format!("{path}?type=follow_up")).await)["prompt"], prompt);
    }
    for (body, prompt) in
        [(json!({"queued": true}), "@say c"), (json!({"execute": true, "prompt": "@say d"}), "@say d")]
    {
        if prompt == "@say d" {
            data(ground.server.put(&format!("{path}?type=follow_up"), json!({"prompt": "@say other"})).await);
        }
        data(ground.server.post(&format!("{path}/queue?type=follow_up"), body).await);
        ground.until_prompt(&started, prompt).await;
        ground.finished(&started).await;
    }
}

/// 5 and 7: the default variant, and a status with and without a hyphen.
#[tokio::test]
async fn a_default_variant_and_a_status_are_read_in_each_spelling() {
    let ground = Ground::new().await;
    let body = json!({"project_id": ground.project["id"], "title": "t"});
    let task = data(ground.server.post("/api/tasks", body).await);
    let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    for (sent, kept) in
        [("in-progress", "inprogress"), ("inreview", "inreview"), ("in-review", "inreview"), ("todo", "todo")]
    {
        assert_eq!(data(ground.server.put(&path, json!({"status": sent})).await)["status"], kept);
    }
    for variant in [json!("DEFAULT"), json!("default"), Value::Null] {
        let mut body = ground.body("@say a");
        body["executor_profile_id"] = json!({"executor": "CLAUDE_CODE", "variant": variant});
        assert_eq!(data(ground.try_start(body).await)["executor"], "CLAUDE_CODE", "{variant}");
    }
}

/// 3: what waits for a later issue is read in both spellings too: a wrong body is told apart from what is not there yet.
#[tokio::test]
async fn what_is_not_available_yet_reads_both_spellings() {
    let ground = Ground::new().await;
    let started = ground.start("@say a").await;
    ground.finished(&started).await;
    let attempt = format!("/api/task-attempts/{}", started.attempt());
    for (path, body) in [
        ("rebase", json!({"new_base_branch": "main"})),
        ("rebase", json!({"base_branch": "main"})),
        ("pr", json!({"title": "t", "body": "b"})),
        ("pr", json!({"title": "t", "description": "b", "target_branch": "main"})),
    ] {
        let (status, answer) = ground.server.post(&format!("{attempt}/{path}"), body.clone()).await;
        assert_eq!((status, code(&answer)), (422, "not_available_yet"), "{path} {body}");
    }
    for (path, body) in [("rebase", json!({"base_branch": 1})), ("pr", json!({"description": "b"}))] {
        let (status, answer) = ground.server.post(&format!("{attempt}/{path}"), body.clone()).await;
        assert_eq!((status, code(&answer)), (422, "wrong_shape"), "{path} {body}");
    }
}

/// 1.18: a project by its older name, without saying that the repository is there.
#[tokio::test]
async fn a_repository_is_named_in_both_ways() {
    let ground = Ground::new().await;
    data(ground.server.delete(&format!("/api/projects/{}", ground.project_id())).await);
    let made = data(
        ground.server.post("/api/projects", json!({"name": "p", "repo_path": ground.repo.path()})).await,
    );
    assert_eq!(made["git_repo_path"], ground.project["git_repo_path"]);
}

/// 1.18: what an attempt and its commits are asked about has the names of each client.
#[tokio::test]
async fn what_is_told_of_an_attempt_has_the_names_of_each_client() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one").await;
    let attempt = ground.finished(&started).await;
    let path = format!("/api/task-attempts/{}", started.attempt());
    let status = data(ground.server.get(&format!("{path}/branch-status")).await);
    assert_eq!((&status["commits_ahead"], &status["ahead"]), (&json!(1), &json!(1)));
    assert_eq!((&status["commits_behind"], &status["behind"]), (&json!(0), &json!(0)));
    let sha = ground.repo.git(&["rev-parse", attempt["branch"].as_str().unwrap()]);
    let commit = data(ground.server.get(&format!("{path}/commit-info?sha={}", sha.trim())).await);
    assert!(
        commit["sha"].is_string() && commit["subject"].is_string() && commit["author"].is_string(),
        "{commit}"
    );
    let compared = data(ground.server.get(&format!("{path}/commit-compare?sha={}", sha.trim())).await);
    for name in [
        "head_oid",
        "target_oid",
        "ahead_from_head",
        "behind_from_head",
        "is_linear",
        "files_changed",
        "insertions",
        "deletions",
    ] {
        assert!(compared.get(name).is_some(), "{name} is missing in {compared}");
    }
    let family = data(ground.server.get(&format!("{path}/children")).await);
    for name in ["parent_task", "parent", "current_attempt", "children"] {
        assert!(family.get(name).is_some(), "{name} is missing in {family}");
    }
    let reached = ground
        .server
        .get(&format!("/api/containers/info?ref={}", attempt["worktree_path"].as_str().unwrap()))
        .await;
    assert_eq!(data(reached)["attempt_id"], attempt["id"]);
}
