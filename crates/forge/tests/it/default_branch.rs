//! The branch that a project's work begins at where nobody names one.

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use serde_json::{Value, json};

use crate::database::{Database, on_each_database};
use crate::ground::{Ground, make_project};
use crate::{FORGE, code, data, is_finished};

on_each_database! {
    every_start_without_a_branch_begins_at_the_projects;
}

fn path(ground: &Ground) -> String {
    format!("/api/projects/{}", ground.project_id())
}

/// A repository that stands on `main` and has `next` beside it, one commit further.
fn repository() -> (TempRepo, String) {
    let repo = TempRepo::new();
    repo.git(&["checkout", "--quiet", "-b", "next"]);
    let tip = repo.commit("What comes next");
    repo.git(&["checkout", "--quiet", "main"]);
    (repo, tip)
}

async fn every_start_without_a_branch_begins_at_the_projects(database: Database) {
    let (setup, _postgres) = database.under(Setup::new(FORGE));
    let (repo, tip) = repository();
    let mut ground = Ground::on(setup, repo, json!({"setup_script": "true"})).await;
    assert_eq!(ground.project["default_base_branch"], Value::Null);
    let put = data(ground.server.put(&path(&ground), json!({"default_base_branch": " next "})).await);
    assert_eq!((&put["default_base_branch"], &put["setup_script"]), (&json!("next"), &json!("true")));
    ground.server.kill_9().await;
    ground.server.restart().await;
    let kept = data(ground.server.put(&path(&ground), json!({"name": "q"})).await);
    assert_eq!(kept["default_base_branch"], "next");
    assert_eq!(data(ground.server.get(&path(&ground)).await), kept);
    assert_eq!(data(ground.server.get("/api/projects").await), json!([kept]));

    // A task with its start, another attempt at it, and a run; blank is not named.
    let mut body = ground.body("@say hello");
    body["base_branch"] = Value::Null;
    let task = data(ground.try_start(body).await);
    let first = task["task_attempt"].clone();
    let again = json!({"task_id": task["id"], "executor_profile_id": "CLAUDE_CODE", "base_branch": " "});
    let second = data(ground.server.post("/api/task-attempts", again).await);
    let run = json!({
        "project_id": ground.project_id(), "prompt": "@say hello", "executor_profile_id": "CLAUDE_CODE",
    });
    let run = data(ground.server.post("/api/execution-runs", run).await)["execution_run"].clone();
    for begun in [&first, &second, &run] {
        assert_eq!(begun["target_branch"], "next", "{begun}");
        assert_eq!(ground.repo.git(&["rev-parse", begun["branch"].as_str().unwrap()]), tip, "{begun}");
    }
    // Who names one gets that; without a default it is the one that the repository stands on.
    let named = data(ground.try_start(ground.body("@say hello")).await);
    assert_eq!(named["task_attempt"]["target_branch"], "main");
    let cleared = data(ground.server.put(&path(&ground), json!({"default_base_branch": null})).await);
    assert_eq!(cleared["default_base_branch"], Value::Null);
    let mut body = ground.body("@say hello");
    body.as_object_mut().unwrap().remove("base_branch");
    let plain = data(ground.try_start(body).await);
    assert_eq!(plain["task_attempt"]["target_branch"], "main");
    for attempt in [&first["id"], &second["id"], &named["attempt_id"], &plain["attempt_id"]] {
        ground.server.until_attempt(attempt.as_str().unwrap(), is_finished).await;
    }
}

#[tokio::test]
async fn a_default_branch_that_is_not_there_is_refused() {
    let (repo, _) = repository();
    let ground = Ground::on(Setup::new(FORGE), repo, json!({"default_base_branch": "next"})).await;
    assert_eq!(ground.project["default_base_branch"], "next");
    for base in ["nxt", "--help", "main..next", "HEAD", "main\nx"] {
        let change = json!({"name": "other", "default_base_branch": base});
        let (status, answer) = ground.server.put(&path(&ground), change).await;
        assert_eq!((status, code(&answer)), (422, "branch_not_found"), "{base:?}");
    }
    // A project that moves takes its branch along, if there is one of that name.
    let (other, small) = (repository().0, TempRepo::new());
    let moved = |repo: &TempRepo| json!({"git_repo_path": repo.path()});
    let (status, answer) = ground.server.put(&path(&ground), moved(&small)).await;
    assert_eq!((status, code(&answer)), (422, "branch_not_found"));
    assert_eq!(data(ground.server.get(&path(&ground)).await), ground.project, "nothing was changed");
    let there = data(ground.server.put(&path(&ground), moved(&other)).await);
    assert_eq!(there["default_base_branch"], "next");

    // One that is deleted later: the start says so, and the project can still be changed.
    other.git(&["branch", "-D", "next"]);
    let mut body = ground.body("@say hello");
    body["base_branch"] = Value::Null;
    let (status, answer) = ground.try_start(body).await;
    assert_eq!((status, code(&answer)), (422, "branch_not_found"));
    data(ground.server.put(&path(&ground), json!({"name": "other"})).await);
    let blank = data(ground.server.put(&path(&ground), json!({"default_base_branch": " "})).await);
    assert_eq!(blank["default_base_branch"], Value::Null);
}

#[tokio::test]
async fn a_project_that_is_refused_for_its_branch_leaves_no_repository() {
    let ground = Ground::new().await;
    let folder = ground.own("new");
    let new = |base: &str| {
        json!({
            "name": "n", "git_repo_path": folder, "use_existing_repo": false, "default_base_branch": base,
        })
    };
    let (status, answer) = ground.server.post("/api/projects", new("next")).await;
    assert_eq!((status, code(&answer)), (422, "branch_not_found"));
    assert!(!folder.exists());
    let small = TempRepo::new();
    let body = json!({"name": "s", "git_repo_path": small.path(), "default_base_branch": "next"});
    let (status, answer) = ground.server.post("/api/projects", body).await;
    assert_eq!((status, code(&answer)), (422, "branch_not_found"));
    assert_eq!(data(ground.server.get("/api/projects").await).as_array().unwrap().len(), 1);
    let made = make_project(&ground.server, &folder, new("main")).await;
    assert_eq!(made["default_base_branch"], "main");
}
