//! How long events are kept, and what a reader is told who comes too late.

use forge_testkit::postgres::TestPostgres;
use forge_testkit::server::Setup;
use serde_json::json;

use crate::{FORGE, code, data, project};

/// Keeps the ten newest, however young the others are.
fn setup() -> Setup {
    Setup::new(FORGE).config("[events]\nkeep = 10\ndays = 0\n")
}

async fn old_events_are_forgotten(setup: Setup) {
    let mut server = setup.start().await;
    let project = project(&server).await;
    for number in 2..=31 {
        let body = json!({"project_id": project["id"], "title": format!("{number}")});
        data(server.post("/api/tasks", body).await);
    }
    assert_eq!(server.metric("forge_events_pruned_total").await, Some(0.0));
    // The server looks when it starts.
    assert!(server.terminate().await.success());
    server.restart().await;
    server.until_metric("forge_events_pruned_total", |gone| gone == 21.0).await;
    assert_eq!(server.metric("forge_event_head").await, Some(31.0));
    for late in [0, 5, 20] {
        let (status, body) = server.get(&format!("/api/events?after={late}")).await;
        assert_eq!((status, code(&body)), (410, "events_pruned"), "{body}");
        assert!(body["error_data"]["hint"].as_str().unwrap().contains("read everything anew"), "{body}");
    }
    let mut events = server.events(Some(21)).await;
    for number in 22..=31 {
        let message = events.next_of(&["task_update"]).await;
        assert_eq!(message.data["title"], format!("{number}"));
    }
    let path = format!("/api/tasks?project_id={}", project["id"].as_str().unwrap());
    assert_eq!(data(server.get(&path).await).as_array().unwrap().len(), 30, "rows are not events");
}

#[tokio::test]
async fn old_events_are_forgotten_and_a_reader_that_needs_them_is_told() {
    old_events_are_forgotten(setup()).await;
}

#[tokio::test]
async fn old_events_are_forgotten_on_postgresql_too() {
    let postgres = TestPostgres::start();
    old_events_are_forgotten(setup().env("DATABASE_URL", postgres.url())).await;
}
