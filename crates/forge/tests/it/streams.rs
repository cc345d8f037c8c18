//! Streams: join, drop and resume, and get everything once and in order.

use forge_testkit::server::{Events, Message, Printed, Setup, TestServer};
use reqwest::Method;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use crate::{FORGE, data, is_finished, project, started};

/// Makes tasks, so that there are events.
async fn make_tasks(server: &TestServer, project: &Value, count: usize) {
    for number in 0..count {
        let body = json!({"project_id": project["id"], "title": format!("task {number}")});
        data(server.post("/api/tasks", body).await);
    }
}

/// Typed messages up to the title.
async fn read_until(server: &TestServer, after: Option<i64>, title: &str) -> Vec<Message> {
    let mut events = server.events(after).await;
    let mut all = Vec::new();
    loop {
        let message = events.next().await;
        let is_last = message.id.is_some() && message.data["title"] == title;
        all.push(message);
        if is_last {
            return all;
        }
    }
}

#[tokio::test]
async fn from_the_beginning_every_event_comes_once_and_in_order() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    // More than two pages.
    make_tasks(&server, &project, 600).await;
    let messages = read_until(&server, Some(0), "task 599").await;
    let ids: Vec<_> = messages.iter().filter_map(|message| message.id).collect();
    let last = *ids.last().unwrap();
    assert_eq!(ids, (1..=last).collect::<Vec<_>>());
    let titles: Vec<_> = messages
        .iter()
        .filter(|message| message.event == "task_update")
        .map(|message| message.data["title"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(titles, (0..600).map(|number| format!("task {number}")).collect::<Vec<_>>());
}

#[tokio::test]
async fn who_resumes_anywhere_gets_the_rest_and_nothing_twice() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    make_tasks(&server, &project, 20).await;
    let all = read_until(&server, Some(0), "task 19").await;
    let last = all.last().unwrap().id.unwrap();
    for after in 0..last {
        let rest = read_until(&server, Some(after), "task 19").await;
        let ends_at = all.iter().position(|message| message.id == Some(after));
        let expected = ends_at.map_or(all.as_slice(), |position| &all[position + 1..]);
        assert_eq!(rest, expected, "after {after}");
        let request = server.request(Method::GET, "/api/events").header("last-event-id", after);
        let mut events = Events::open(request).await;
        assert_eq!(events.next().await, expected[0], "after {after}");
    }
}

#[tokio::test]
async fn who_begins_now_is_told_where_that_is() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let mut events = server.events(None).await;
    let hello = events.next().await;
    assert_eq!((hello.event.as_str(), &hello.data["position"]), ("hello", &json!(hello.id.unwrap())));
    make_tasks(&server, &project, 1).await;
    let message = events.next_of(&["task_update"]).await;
    assert_eq!((message.id, &message.data["title"]), (Some(hello.id.unwrap() + 1), &json!("task 0")));
}

#[tokio::test]
async fn a_position_of_another_log_begins_now() {
    let server = TestServer::start(FORGE).await;
    let mut events = server.events(Some(1_000_000)).await;
    assert_eq!(events.next().await.event, "hello");
}

#[tokio::test]
async fn events_resume_over_a_crash_of_the_server() {
    let mut server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    make_tasks(&server, &project, 3).await;
    let before = read_until(&server, Some(0), "task 2").await;
    server.kill_9().await;
    server.restart().await;
    assert_eq!(read_until(&server, Some(0), "task 2").await, before);
}

#[tokio::test]
async fn every_change_has_its_typed_name_and_an_attempt_the_title_of_its_task() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say hello").await;
    let attempt = started["attempt_id"].as_str().unwrap();
    let status = server.until_attempt(attempt, is_finished).await["status"].clone();
    let task = format!("/api/tasks/{}", started["id"].as_str().unwrap());
    data(server.put(&task, json!({"title": "another title"})).await);
    data(server.delete(&format!("/api/task-attempts/{attempt}")).await);
    assert_eq!(server.delete(&task).await.0, 202);
    data(server.delete(&format!("/api/projects/{}", project["id"].as_str().unwrap())).await);
    let mut events = server.events(Some(0)).await;
    let mut seen = std::collections::BTreeMap::<String, Message>::new();
    while !seen.contains_key("project_deleted") {
        let message = events.next().await;
        if message.event == "json_patch" {
            assert_eq!((message.id, message.data.as_array().unwrap().len()), (None, 1));
        } else {
            assert!(message.id.is_some());
            seen.insert(message.event.clone(), message);
        }
    }
    let names: Vec<_> = seen.keys().map(String::as_str).collect();
    let expected = [
        "execution_process_deleted",
        "execution_process_update",
        "project_deleted",
        "project_update",
        "task_attempt_deleted",
        "task_attempt_update",
        "task_deleted",
        "task_update",
    ];
    assert_eq!(names, expected);
    let told = &seen["task_attempt_update"].data;
    assert_eq!((&told["id"], &told["task_id"]), (&started["attempt_id"], &started["id"]));
    assert_eq!((&told["title"], &told["status"]), (&json!("t"), &status));
    // The title is the one that the task had then, for who listens then as for who comes later.
    assert_eq!(seen["task_update"].data["title"], "another title");
}

#[tokio::test]
async fn who_asks_for_a_project_hears_of_it_alone() {
    let server = TestServer::start(FORGE).await;
    let ours = project(&server).await;
    let path = server.folder().join("another");
    let body = json!({"name": "another", "git_repo_path": path, "use_existing_repo": false});
    let other = data(server.post("/api/projects", body).await);
    // More than a page of others' events in between.
    make_tasks(&server, &other, 300).await;
    let attempt = started(&server, &other, "@say foreign").await["attempt_id"].clone();
    server.until_attempt(attempt.as_str().unwrap(), is_finished).await;
    data(server.delete(&format!("/api/task-attempts/{}", attempt.as_str().unwrap())).await);
    let attempt = started(&server, &ours, "@say ours").await["attempt_id"].clone();
    server.until_attempt(attempt.as_str().unwrap(), is_finished).await;
    make_tasks(&server, &ours, 1).await;
    let id = ours["id"].as_str().unwrap();
    let request = server.request(Method::GET, &format!("/api/events?after=0&project_id={id}"));
    let mut events = Events::open(request).await;
    let mut heard = Vec::new();
    while heard.last().is_none_or(|message: &Message| message.data["title"] != "task 0") {
        let message = events.next().await;
        heard.extend(message.id.is_some().then_some(message));
    }
    let whose = |message: &Message| match message.event.as_str() {
        "project_update" => message.data["id"].clone(),
        "execution_process_update" if message.data["task_attempt_id"] == attempt => ours["id"].clone(),
        _ => message.data["project_id"].clone(),
    };
    for message in &heard {
        assert_eq!(whose(message), ours["id"], "{message:?}");
    }
    assert!(heard.iter().any(|message| message.event == "execution_process_update"));
}

/// What was printed, as one text.
fn text(printed: &[Printed]) -> String {
    printed.iter().filter(|entry| entry.stream == "STDOUT").map(|entry| entry.text.as_str()).collect()
}

#[tokio::test]
async fn a_log_is_read_live_then_finished_and_closed() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say one\n@say two").await;
    let mut logs = server.logs(started["execution_process_id"].as_str().unwrap(), 0).await;
    let printed = logs.rest().await;
    assert!(logs.finished());
    assert_eq!(logs.close_code(), Some(1000));
    let indexes: Vec<_> = printed.iter().map(|entry| entry.index).collect();
    assert_eq!(indexes, (0..printed.len() as u64).collect::<Vec<_>>());
    let text = text(&printed);
    assert!(text.contains("one") && text.contains("two"), "{text}");
}

#[tokio::test]
async fn a_log_resumed_anywhere_gives_the_rest_under_the_same_numbers() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say ü€\n@bad-utf8\n@flood 500 100\n@say end").await;
    server.until_attempt(started["attempt_id"].as_str().unwrap(), is_finished).await;
    let process = started["execution_process_id"].as_str().unwrap();
    let mut whole = server.logs(process, 0).await;
    let mut all = Vec::new();
    let mut breaks = Vec::new();
    while let Some(printed) = whole.next().await {
        all.extend(printed);
        breaks.push((whole.position(), all.len()));
    }
    for (position, length) in breaks {
        let rest = server.logs(process, position).await.rest().await;
        assert_eq!(rest, all[length..], "after {position}");
    }
}

#[tokio::test]
async fn a_log_goes_on_where_it_was_when_the_server_crashed() {
    let mut server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let steps = "@say before\n@until-told\n@say after";
    let started = started(&server, &project, steps).await;
    let process = started["execution_process_id"].as_str().unwrap();
    let mut logs = server.logs(process, 0).await;
    let before = logs.until("before").await;
    let position = logs.position();
    server.kill_9().await;
    server.restart().await;
    let mut resumed = server.logs(process, position).await;
    let path = format!("/api/task-attempts/{}/stop", started["attempt_id"].as_str().unwrap());
    data(server.post(&path, json!(null)).await);
    let rest = text(&resumed.rest().await);
    let whole = text(&server.logs(process, 0).await.rest().await);
    assert_eq!(before + &rest, whole);
}

#[tokio::test]
async fn a_log_socket_is_told_that_the_server_stops_and_the_agent_goes_on() {
    let mut server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say before\n@until-told").await;
    let process = started["execution_process_id"].as_str().unwrap();
    let mut logs = server.logs(process, 0).await;
    logs.until("before").await;
    let (ended, _) = tokio::join!(server.terminate(), logs.rest());
    assert!(ended.success());
    assert_eq!((logs.finished(), logs.close_code()), (false, Some(1001)));
    assert!(!server.family().pids().is_empty(), "the agent goes on");
    server.restart().await;
    let path = format!("/api/execution-processes/{process}");
    assert_eq!(data(server.get(&path).await)["status"], "running");
}

#[tokio::test]
async fn a_browser_that_shows_the_token_as_a_protocol_gets_the_log() {
    let mut server = Setup::new(FORGE).arg("--auth").start().await;
    server.use_token();
    let project = project(&server).await;
    let started = started(&server, &project, "@say hello").await;
    let process = started["execution_process_id"].as_str().unwrap();
    let url =
        server.url(&format!("/api/execution-processes/{process}/raw-logs/ws")).replacen("http", "ws", 1);
    let token = crate::read(server.data().join("token"));
    let mut request = url.into_client_request().unwrap();
    let offer = format!("forge, forge.token.{}", token.trim()).parse().unwrap();
    request.headers_mut().insert("sec-websocket-protocol", offer);
    let (_socket, response) = tokio_tungstenite::connect_async(request).await.unwrap();
    assert_eq!(response.headers()["sec-websocket-protocol"], "forge");
}

#[tokio::test]
async fn event_stream_sends_the_requested_format_only() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    make_tasks(&server, &project, 3).await;
    let head = read_until(&server, Some(0), "task 2").await.last().unwrap().id.unwrap();
    let read = async |format: &str| {
        let path = format!("/api/events?after=0&format={format}");
        let mut events = Events::open(server.request(Method::GET, &path)).await;
        let mut all = Vec::new();
        while all.last().is_none_or(|message: &Message| message.id != Some(head)) {
            all.push(events.next().await);
        }
        all
    };
    let (patches, named) = (read("json_patch").await, read("events").await);
    assert!(patches.iter().all(|message| message.event == "json_patch"), "{patches:?}");
    assert!(named.iter().all(|message| message.event != "json_patch"), "{named:?}");
    for messages in [patches, named] {
        let ids: Vec<_> = messages.iter().filter_map(|message| message.id).collect();
        assert_eq!(ids, (1..=head).collect::<Vec<_>>(), "each message says where to continue");
    }
    let (status, refusal) = server.get("/api/events?format=xml").await;
    assert_eq!((status, crate::code(&refusal)), (400, "bad_query"), "{refusal}");
}
