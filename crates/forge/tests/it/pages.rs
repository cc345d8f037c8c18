//! Lists in pages, while they grow.

use forge_testkit::server::TestServer;
use reqwest::Method;
use serde_json::{Value, json};

use crate::ground::Ground;
use crate::{FORGE, code, data, is_finished, project};

/// The ids on a page, and where the next one is.
async fn page(server: &TestServer, path: &str) -> (Vec<String>, Option<String>) {
    let response = server.request(Method::GET, path).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    let header = |name| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    let (cursor, link) = (header("x-next-cursor"), header("link"));
    let next = link.map(|link| {
        let next = link.strip_prefix('<').unwrap().strip_suffix(">; rel=\"next\"").unwrap().to_owned();
        assert!(next.contains(&format!("cursor={}", cursor.as_ref().unwrap())), "{next}");
        next
    });
    assert_eq!(next.is_some(), cursor.is_some());
    let body: Value = response.json().await.unwrap();
    assert_eq!(body.as_object().unwrap().len(), 4, "the envelope has its four keys");
    (ids(&body["data"]), next)
}

fn ids(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

/// Every page from `path` on.
async fn walk(server: &TestServer, path: &str, limit: usize) -> Vec<String> {
    let mark = if path.contains('?') { '&' } else { '?' };
    let (mut all, mut next) = (Vec::new(), Some(format!("{path}{mark}limit={limit}")));
    while let Some(path) = next {
        let (ids, then) = page(server, &path).await;
        assert!(ids.len() == limit || then.is_none(), "{path}: {ids:?}");
        all.extend(ids);
        next = then;
    }
    all
}

async fn new_task(server: &TestServer, project: &Value, title: &str) -> String {
    let task = data(server.post("/api/tasks", json!({"project_id": project["id"], "title": title})).await);
    task["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn pages_of_tasks_are_the_list_while_it_grows_and_shrinks() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let id = project["id"].as_str().unwrap();
    for number in 0..23 {
        new_task(&server, &project, &number.to_string()).await;
    }
    let path = format!("/api/tasks?project_id={id}");
    let older = format!("/api/projects/{id}/tasks");
    let before = ids(&data(server.get(&path).await));
    for limit in [1, 7, 22, 23, 24, 1_000_000] {
        let limit = usize::min(limit, 1_000);
        assert_eq!(walk(&server, &path, limit).await, before);
        assert_eq!(walk(&server, &older, limit).await, before);
    }
    let (mut all, mut next) = page(&server, &format!("{path}&limit=5")).await;
    // What the page ended with goes, and others come.
    assert_eq!(server.delete(&format!("/api/tasks/{}", all[4])).await.0, 202);
    while let Some(path) = next {
        new_task(&server, &project, "later").await;
        let (ids, then) = page(&server, &path).await;
        all.extend(ids);
        next = then;
    }
    assert_eq!(all, before);
    let (_, next) = page(&server, &format!("{path}&limit=5")).await;
    let cursor_alone = next.unwrap().replace("limit=5&", "");
    assert_eq!(page(&server, &cursor_alone).await.0.len(), before.len() + 4 - 1 - 5);
}

#[tokio::test]
async fn every_list_comes_in_pages() {
    let ground = Ground::with(json!({"setup_script": "true", "cleanup_script": "true"})).await;
    let server = &ground.server;
    project(server).await;
    let started = ground.start("@write a.txt 1").await;
    ground.finished(&started).await;
    let follow_up = format!("/api/task-attempts/{}/follow-up", started.attempt());
    data(server.post(&follow_up, json!({"prompt": "@write b.txt 2"})).await);
    server.until_attempt(started.attempt(), is_finished).await;
    ground.finished(&ground.start("@say two").await).await;
    for steps in ["@say one", "@say two"] {
        let profile = json!({"executor": "CLAUDE_CODE"});
        let run = json!({"project_id": ground.project_id(), "prompt": steps, "executor_profile_id": profile});
        data(server.post("/api/execution-runs", run).await);
    }
    let processes = format!("/api/execution-processes?task_attempt_id={}", started.attempt());
    let lists =
        [("/api/projects", 2), ("/api/task-attempts", 2), ("/api/execution-runs", 2), (&processes, 3)];
    for (path, least) in lists {
        let whole = ids(&data(server.get(path).await));
        assert!(whole.len() >= least, "{path}: {whole:?}");
        for limit in 1..=whole.len() + 1 {
            assert_eq!(walk(server, path, limit).await, whole, "{path} by {limit}");
        }
    }
}

#[tokio::test]
async fn what_is_no_page_is_refused() {
    let server = TestServer::start(FORGE).await;
    let cases = [
        ("limit=0", "bad_query"),
        ("limit=-1", "bad_query"),
        ("limit=x", "bad_query"),
        ("cursor=", "bad_cursor"),
        ("cursor=x", "bad_cursor"),
        ("limit=5&cursor=1.2", "bad_cursor"),
        ("cursor=ffffffffffffffffffff.35a403e31f0c4b6e9a510c2d7a1f9b42", "bad_cursor"),
    ];
    for list in ["/api/projects", "/api/task-attempts"] {
        for (query, word) in cases {
            let (status, body) = server.get(&format!("{list}?{query}")).await;
            assert_eq!((status, code(&body)), (400, word), "{list}?{query}");
        }
        let (ids, next) = page(&server, &format!("{list}?limit=4294967295")).await;
        assert!(ids.is_empty() && next.is_none());
    }
}
