//! Tags, under both names that clients know them by.

use forge_testkit::server::{Setup, TestServer};
use serde_json::{Value, json};

use crate::database::{Database, on_each_database};
use crate::{FORGE, code, data};

const NOWHERE: &str = "35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42";

on_each_database! {
    a_tag_is_made_found_changed_and_deleted;
}

fn words(tags: &Value, field: &str) -> Vec<String> {
    tags.as_array().unwrap().iter().map(|tag| tag[field].as_str().unwrap().to_owned()).collect()
}

async fn a_tag_is_made_found_changed_and_deleted(database: Database) {
    let (setup, _postgres) = database.under(Setup::new(FORGE));
    let server = setup.start().await;
    let first = data(server.get("/api/tags").await);
    assert_eq!(words(&first, "tag_name"), ["add_unit_tests", "bug_analysis", "code_refactoring"]);
    assert!(words(&first, "content").iter().all(|content| content.contains("- [ ] ")), "{first}");

    let tag = data(server.post("/api/tags", json!({"tag_name": "Häuser", "content": " as it is "})).await);
    assert_eq!((&tag["content"], &tag["description"]), (&json!(" as it is "), &Value::Null));
    let path = format!("/api/tags/{}", tag["id"].as_str().unwrap());
    assert_eq!(data(server.get(&path).await), tag);
    for (search, found) in [("HÄUS", 1), ("_", 3), ("nothing", 0), ("%25", 0), ("", 4)] {
        let found_there = data(server.get(&format!("/api/tags?search={search}")).await);
        assert_eq!(found_there.as_array().unwrap().len(), found, "{search}");
    }
    let changed = data(server.put(&path, json!({"content": "other"})).await);
    assert_eq!((&changed["tag_name"], &changed["content"]), (&json!("Häuser"), &json!("other")));
    let taken = server.put(&path, json!({"tag_name": "bug_analysis"})).await;
    assert_eq!((taken.0, code(&taken.1)), (409, "conflict"));
    assert_eq!(data(server.delete(&path).await), Value::Null);
    for gone in [server.get(&path).await, server.put(&path, json!({})).await, server.delete(&path).await] {
        assert_eq!((gone.0, code(&gone.1)), (404, "not_found"));
    }
}

#[tokio::test]
async fn what_is_no_tag_is_refused() {
    let server = TestServer::start(FORGE).await;
    let long = "x".repeat(101);
    for (name, content, expected) in [
        ("", "c", "tag_name_invalid"),
        ("two words", "c", "tag_name_invalid"),
        ("line\nbreak", "c", "tag_name_invalid"),
        (long.as_str(), "c", "tag_name_invalid"),
        ("name", " \n", "tag_content_empty"),
    ] {
        let (status, body) = server.post("/api/tags", json!({"tag_name": name, "content": content})).await;
        assert_eq!((status, code(&body)), (422, expected), "{name:?} {content:?}");
    }
    let (status, body) = server.post("/api/tags", json!({"tag_name": "x"})).await;
    assert_eq!((status, code(&body)), (422, "wrong_shape"));
    let (status, body) = server.post("/api/tags", json!({"tag_name": "bug_analysis", "content": "c"})).await;
    assert_eq!((status, code(&body)), (409, "conflict"));
    let first = data(server.get("/api/tags").await);
    let path = format!("/api/tags/{}", first[0]["id"].as_str().unwrap());
    let (status, body) = server.put(&path, json!({"tag_name": "a b"})).await;
    assert_eq!((status, code(&body)), (422, "tag_name_invalid"));
    let (status, body) = server.get("/api/tags/x").await;
    assert_eq!((status, code(&body)), (400, "bad_id"));
    assert_eq!(data(server.get("/api/tags").await), first);
}

#[tokio::test]
async fn templates_are_tags_in_another_spelling() {
    let server = TestServer::start(FORGE).await;
    let body = json!({"name": "Bug  report", "description": "why", "task_template": "text"});
    let template = data(server.post("/api/templates", body).await);
    let id = template["id"].as_str().unwrap();
    let (path, tag) = (format!("/api/templates/{id}"), format!("/api/tags/{id}"));
    for (field, value) in [
        ("name", "Bug_report"),
        ("tag_name", "Bug_report"),
        ("description", "why"),
        ("task_template", "text"),
        ("content", "text"),
    ] {
        assert_eq!(template[field], value, "{field}");
    }
    assert_eq!(data(server.get(&path).await), template);
    assert_eq!(data(server.get(&tag).await)["content"], "text");
    let listed = data(server.get(&format!("/api/templates?global=true&projectId={NOWHERE}")).await);
    assert_eq!(listed.as_array().unwrap().len(), 4);
    let fields = json!({"title": "t", "description": "d"});
    let changed = data(server.put(&path, json!({"task_template": fields})).await);
    assert_eq!((&changed["task_template"], &changed["name"]), (&fields, &json!("Bug_report")));
    let text = data(server.get(&tag).await)["content"].as_str().unwrap().to_owned();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), fields);
    let kept = data(server.put(&path, json!({"description": null, "content": "c"})).await);
    assert_eq!((&kept["description"], &kept["task_template"]), (&json!("why"), &json!("c")));
    assert_eq!(data(server.put(&path, json!({"description": ""})).await)["description"], Value::Null);
    for missing in
        [json!({"name": "x"}), json!({"task_template": "x"}), json!({"name": "x", "task_template": 1})]
    {
        let (status, body) = server.post("/api/templates", missing).await;
        assert_eq!((status, code(&body)), (422, "wrong_shape"), "{body}");
    }
    assert_eq!(data(server.delete(&path).await), Value::Null);
    let (status, body) = server.get(&path).await;
    assert_eq!((status, code(&body)), (404, "not_found"));
}
