//! Partial updates: which fields a `PUT` keeps, sets and clears.

use serde_json::{Value, json};

use crate::ground::Ground;
use crate::{code, data};

/// The front end of the original moves a card, renames a subtask and archives a task with these bodies.
#[tokio::test]
async fn null_keeps_fields_of_task() {
    let ground = Ground::new().await;
    let parent = ground.start("@say a").await;
    ground.finished(&parent).await;
    let subtask = json!({
        "project_id": ground.project["id"], "title": "sub", "description": "d",
        "parent_task_attempt": parent.attempt(), "image_ids": null,
    });
    let subtask = data(ground.server.post("/api/tasks", subtask).await);
    let path = format!("/api/tasks/{}", subtask["id"].as_str().unwrap());
    for (body, changed, value) in [
        (json!({"title": "renamed", "description": "d", "status": "todo"}), "title", "renamed"),
        (json!({"title": null, "description": null, "status": "inprogress"}), "status", "inprogress"),
        (json!({"title": null, "description": null, "status": "archived"}), "status", "archived"),
    ] {
        let mut body = body;
        (body["parent_task_attempt"], body["image_ids"]) = (Value::Null, Value::Null);
        let task = data(ground.server.put(&path, body).await);
        assert_eq!(task[changed], value);
        assert_eq!((&task["title"], &task["description"]), (&json!("renamed"), &json!("d")));
        assert_eq!(task["parent_task_attempt"], parent.attempt());
    }
}

#[tokio::test]
async fn empty_text_clears_fields_of_task() {
    let ground = Ground::new().await;
    let parent = ground.start("@say a").await;
    ground.finished(&parent).await;
    let body = json!({
        "project_id": ground.project["id"], "title": "t", "description": "d", "parent_task_attempt": parent.attempt(),
    });
    let task = data(ground.server.post("/api/tasks", body).await);
    let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    let cleared = data(ground.server.put(&path, json!({"description": "", "parent_task_attempt": ""})).await);
    assert_eq!((&cleared["description"], &cleared["parent_task_attempt"]), (&Value::Null, &Value::Null));
    for wrong in [json!({"title": ""}), json!({"parent_task_attempt": "x"})] {
        assert_eq!(ground.server.put(&path, wrong).await.0, 422);
    }
}

/// The original front end's form sends `null` for an emptied field; scripts send the one field that they change.
#[tokio::test]
async fn null_clears_project_scripts_and_keeps_names() {
    let scripts =
        json!({"setup_script": "a", "dev_script": "b", "cleanup_script": "c", "copy_files": ".env"});
    let ground = Ground::with(scripts).await;
    let path = format!("/api/projects/{}", ground.project_id());
    let kept = data(ground.server.put(&path, json!({"default_base_branch": "main"})).await);
    assert_eq!((&kept["setup_script"], &kept["copy_files"]), (&json!("a"), &json!(".env")));
    let form = json!({
        "name": null, "git_repo_path": null, "setup_script": null, "dev_script": "", "cleanup_script": "other",
        "fetch_submodules": null,
    });
    let saved = data(ground.server.put(&path, form).await);
    for name in ["name", "git_repo_path"] {
        assert_eq!(saved[name], ground.project[name]);
    }
    assert_eq!((&saved["setup_script"], &saved["dev_script"]), (&Value::Null, &Value::Null));
    assert_eq!((&saved["cleanup_script"], &saved["copy_files"]), (&json!("other"), &json!(".env")));
    let (status, body) = ground.server.put(&path, json!({"name": " "})).await;
    assert_eq!((status, code(&body)), (422, "name_empty"));
}

#[tokio::test]
async fn null_keeps_draft_but_not_its_variant() {
    let ground = Ground::new().await;
    let started = ground.start("@say a").await;
    ground.finished(&started).await;
    let path = format!("/api/task-attempts/{}/draft?type=follow_up", started.attempt());
    data(ground.server.put(&path, json!({"prompt": "next", "variant": "PLAN"})).await);
    let nulls = json!({"prompt": null, "image_ids": null, "retry_process_id": null, "version": null});
    let kept = data(ground.server.put(&path, nulls).await);
    assert_eq!((&kept["prompt"], &kept["variant"]), (&json!("next"), &json!("PLAN")));
    let cleared = data(ground.server.put(&path, json!({"prompt": "", "variant": null})).await);
    assert_eq!((&cleared["prompt"], &cleared["variant"]), (&json!(""), &Value::Null));
}
