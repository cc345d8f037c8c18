//! Copies of boards and lists: whenever a reader joins, drops or comes back, its copy is what GET answers.

use forge_testkit::postgres::TestPostgres;
use forge_testkit::server::{Copy, DEADLINE, Setup, TestServer};
use futures::future::join_all;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use crate::dice::Dice;
use crate::ground::Ground;
use crate::{FORGE, code, data, is_finished, project};

const LAST: &str = "the last of them";

fn board_of(project: &Value) -> String {
    format!("/api/tasks/stream/ws?project_id={}", project["id"].as_str().unwrap())
}

/// What GET answers, by id.
async fn listed(server: &TestServer, path: &str) -> Map<String, Value> {
    let list = data(server.get(path).await);
    let by_id = |item: &Value| (item["id"].as_str().unwrap().to_owned(), item.clone());
    list.as_array().unwrap().iter().map(by_id).collect()
}

async fn tasks_of(server: &TestServer, project: &Value) -> Map<String, Value> {
    listed(server, &format!("/api/tasks?project_id={}", project["id"].as_str().unwrap())).await
}

async fn new_task(server: &TestServer, project: &Value, title: &str) -> String {
    let task = data(server.post("/api/tasks", json!({"project_id": project["id"], "title": title})).await);
    task["id"].as_str().unwrap().to_owned()
}

async fn another_project(server: &TestServer) -> Value {
    let path = server.folder().join("another");
    let body = json!({"name": "another", "git_repo_path": path, "use_existing_repo": false});
    data(server.post("/api/projects", body).await)
}

fn has_last(tasks: &Map<String, Value>) -> bool {
    tasks.values().any(|task| task["title"] == LAST)
}

/// Makes, changes and deletes tasks of two projects, until `left` is used up.
async fn change(server: &TestServer, projects: &[Value; 2], seed: u64, left: &watch::Sender<usize>) {
    let take = |left: &mut usize| left.checked_sub(1).inspect(|less| *left = *less).is_some();
    // The connection is kept: ten thousand of them are a test of something else.
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let (mut dice, mut tasks) = (Dice::new(seed), Vec::<String>::new());
    let statuses = ["todo", "inprogress", "inreview", "done", "agent", "archived"];
    while left.send_if_modified(take) {
        let request = match dice.roll(20) {
            0..5 => {
                let project = &projects[usize::from(dice.roll(4) == 0)];
                let body = json!({"project_id": project["id"], "title": format!("{seed}: {}", tasks.len())});
                http.post(server.url("/api/tasks")).json(&body)
            }
            roll if !tasks.is_empty() => {
                let at = dice.roll(tasks.len());
                let url = server.url(&format!("/api/tasks/{}", tasks[at]));
                match roll {
                    5..12 => http.put(url).json(&json!({"title": format!("changed {}", dice.roll(1_000))})),
                    12..16 => http.put(url).json(&json!({"status": dice.pick(&statuses).unwrap()})),
                    _ => {
                        tasks.swap_remove(at);
                        http.delete(url)
                    }
                }
            }
            _ => continue,
        };
        let answer = tokio::time::timeout(DEADLINE, request.send()).await.unwrap().unwrap();
        assert!(answer.status().is_success(), "{}", answer.status());
        let answer: Value = answer.json().await.unwrap();
        if let Some(id) = answer["data"]["id"].as_str().filter(|id| !tasks.iter().any(|known| known == id)) {
            tasks.push(id.to_owned());
        }
    }
}

/// Reads, drops and comes back whenever chance wants, until the last task is there.
async fn read(server: &TestServer, project: &Value, seed: u64, left: &watch::Sender<usize>) -> Copy {
    let mut dice = Dice::new(seed);
    // Some join only when much has happened.
    let join_at = *left.borrow() * (10 - dice.roll(10)) / 10;
    left.subscribe().wait_for(|left| *left <= join_at).await.unwrap();
    let mut copy = Copy::open(server, "tasks", &board_of(project)).await;
    loop {
        for _ in 0..dice.roll(500) {
            assert!(copy.next().await, "the stream ended");
            if copy.has_now(|task| task["title"] == LAST) {
                return copy;
            }
        }
        match dice.roll(12) {
            0 => copy.join(server).await,
            1..9 => copy.resume(server).await,
            _ => {}
        }
    }
}

async fn copies_equal_the_board(setup: Setup, changes: usize) {
    let server = setup.start().await;
    let projects = [project(&server).await, another_project(&server).await];
    for number in 0..20 {
        new_task(&server, &projects[0], &format!("before {number}")).await;
    }
    let left = watch::Sender::new(changes);
    let readers = join_all((0..20).map(|seed| read(&server, &projects[0], seed, &left)));
    let write = async {
        join_all((0..8).map(|seed| change(&server, &projects, 100 + seed, &left))).await;
        new_task(&server, &projects[0], LAST).await;
    };
    let (copies, ()) = tokio::join!(readers, write);
    let tasks = tasks_of(&server, &projects[0]).await;
    assert!(tasks.len() > 20, "{} tasks", tasks.len());
    for (number, copy) in copies.iter().enumerate() {
        assert_eq!(*copy.all(), tasks, "reader {number}");
    }
    let frames: usize = copies.iter().map(Copy::frames).sum();
    assert!(frames > changes, "the readers saw {frames} changes");
}

#[tokio::test]
async fn twenty_copies_of_a_board_are_it_after_ten_thousand_changes() {
    copies_equal_the_board(Setup::new(FORGE), 10_000).await;
}

#[tokio::test]
async fn twenty_copies_of_a_board_are_it_on_postgresql_too() {
    let postgres = TestPostgres::start();
    copies_equal_the_board(Setup::new(FORGE).env("DATABASE_URL", postgres.url()), 1_500).await;
}

#[tokio::test]
async fn a_copy_resumed_at_any_moment_goes_on_without_a_snapshot() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let path = format!("/api/projects/{}/tasks/stream/ws", project["id"].as_str().unwrap());
    let mut copy = Copy::open(&server, "tasks", &path).await;
    copy.next().await;
    assert_eq!((copy.snapshots(), copy.all().len()), (1, 0));
    let mut tasks = Vec::new();
    for number in 0..12 {
        tasks.push(new_task(&server, &project, &number.to_string()).await);
        let path = |id: &str| format!("/api/tasks/{id}");
        if number % 4 == 1 {
            data(server.put(&path(&tasks[0]), json!({"title": format!("changed {number}")})).await);
        } else if number % 4 == 2 {
            assert_eq!(server.delete(&path(&tasks.remove(1))).await.0, 202);
        } else if number % 4 == 3 {
            data(server.put(&path(&tasks[1]), json!({"status": "agent"})).await);
        }
        // Nothing of it was read: all of it comes now.
        copy.resume(&server).await;
        let expected = tasks_of(&server, &project).await;
        copy.until(|all| *all == expected).await;
    }
    assert_eq!(copy.snapshots(), 1);
    // From the very beginning, the log alone makes the document.
    let mut whole = Copy::open(&server, "tasks", &format!("{path}?after=0")).await;
    let expected = tasks_of(&server, &project).await;
    whole.until(|all| *all == expected).await;
    assert_eq!((whole.snapshots(), whole.position()), (0, copy.position()));
    // A place that this log does not have is no place to go on from.
    for beyond in ["1000000", "18446744073709551615"] {
        let mut copy = Copy::open(&server, "tasks", &format!("{path}?after={beyond}")).await;
        copy.next().await;
        assert_eq!((copy.snapshots(), copy.all()), (1, &expected));
    }
}

#[tokio::test]
async fn a_copy_outlives_the_server() {
    let mut server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let mut copy = Copy::open(&server, "tasks", &board_of(&project)).await;
    new_task(&server, &project, "one").await;
    copy.until(|all| all.len() == 1).await;
    new_task(&server, &project, "two").await;
    server.kill_9().await;
    copy.rest().await;
    server.restart().await;
    new_task(&server, &project, "three").await;
    copy.resume(&server).await;
    copy.until(|all| all.len() == 3).await;
    assert_eq!((copy.all(), copy.snapshots()), (&tasks_of(&server, &project).await, 1));
    server.ask_to_end();
    copy.rest().await;
    assert!(server.ended().await.success());
    assert_eq!((copy.close_code(), copy.finished()), (Some(1001), false));
    server.restart().await;
    copy.resume(&server).await;
    new_task(&server, &project, "four").await;
    copy.until(|all| all.len() == 4).await;
    assert_eq!(copy.snapshots(), 1);
}

#[tokio::test]
async fn a_copy_whose_events_are_forgotten_is_made_anew() {
    let mut server = Setup::new(FORGE).config("[events]\nkeep = 10\ndays = 0\n").start().await;
    let project = project(&server).await;
    let mut copy = Copy::open(&server, "tasks", &board_of(&project)).await;
    new_task(&server, &project, "one").await;
    copy.until(|all| all.len() == 1).await;
    for number in 0..30 {
        new_task(&server, &project, &number.to_string()).await;
    }
    // The server looks when it starts.
    server.kill_9().await;
    server.restart().await;
    server.until_metric("forge_events_pruned_total", |gone| gone > 0.0).await;
    copy.resume(&server).await;
    copy.until(|all| all.len() == 31).await;
    assert_eq!((copy.snapshots(), copy.all()), (2, &tasks_of(&server, &project).await));
    copy.resume(&server).await;
    new_task(&server, &project, LAST).await;
    copy.until(has_last).await;
    assert_eq!(copy.snapshots(), 2);
}

#[tokio::test]
async fn a_slow_reader_costs_a_page_and_misses_nothing() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let id = new_task(&server, &project, "big").await;
    let mut copies = Vec::new();
    for _ in 0..3 {
        let mut copy = Copy::open(&server, "tasks", &board_of(&project)).await;
        copy.next().await;
        copies.push(copy);
    }
    let text = "x".repeat(50_000);
    let before = server.metric("forge_process_resident_bytes").await.unwrap();
    for number in 0..300 {
        let body = json!({"description": format!("{number} {text}")});
        data(server.put(&format!("/api/tasks/{id}"), body).await);
    }
    // 30 MB of frames for each of three readers who have read none of it.
    let grown = server.metric("forge_process_resident_bytes").await.unwrap() - before;
    assert!(grown < 60e6, "three readers who do not read cost {grown} bytes");
    assert!(server.metric("forge_event_reader_lag").await.unwrap() > 100.0);
    new_task(&server, &project, LAST).await;
    let tasks = tasks_of(&server, &project).await;
    for copy in &mut copies {
        copy.until(has_last).await;
        assert_eq!((copy.all(), copy.frames(), copy.snapshots()), (&tasks, 302, 1));
    }
}

#[tokio::test]
async fn a_board_ends_with_its_project_and_knows_nothing_of_others() {
    let server = TestServer::start(FORGE).await;
    let (ours, other) = (project(&server).await, another_project(&server).await);
    let mut copy = Copy::open(&server, "tasks", &board_of(&ours)).await;
    let mut projects = Copy::open(&server, "projects", "/api/projects/stream/ws").await;
    projects.until(|all| all.len() == 2).await;
    let foreign = new_task(&server, &other, "foreign").await;
    let mine = new_task(&server, &ours, "mine").await;
    assert_eq!(server.delete(&format!("/api/tasks/{foreign}")).await.0, 202);
    let agent = new_task(&server, &ours, "a conversation").await;
    data(server.put(&format!("/api/tasks/{agent}"), json!({"status": "agent"})).await);
    data(server.put(&format!("/api/tasks/{agent}"), json!({"title": "still one"})).await);
    data(server.put(&format!("/api/tasks/{mine}"), json!({"title": LAST})).await);
    copy.until(has_last).await;
    // Snapshot, two that came, one that left, one that changed.
    assert_eq!((copy.frames(), copy.all()), (5, &tasks_of(&server, &ours).await));
    let path = |project: &Value| format!("/api/projects/{}", project["id"].as_str().unwrap());
    data(server.put(&path(&other), json!({"name": "renamed"})).await);
    projects.until(|all| all.values().any(|project| project["name"] == "renamed")).await;
    assert_eq!(*projects.all(), listed(&server, "/api/projects").await);
    data(server.delete(&path(&ours)).await);
    copy.rest().await;
    assert!(copy.finished() && copy.all().is_empty());
    assert_eq!(copy.close_code(), Some(1000));
    projects.until(|all| all.len() == 1).await;
    assert_eq!((projects.all(), projects.snapshots()), (&listed(&server, "/api/projects").await, 1));
}

#[tokio::test]
async fn a_copy_of_processes_is_them_through_turns_and_variants() {
    let ground = Ground::with(json!({"setup_script": "true", "cleanup_script": "true"})).await;
    let server = &ground.server;
    let started = ground.start("@write a.txt 1\n@say one").await;
    let list = format!("/api/execution-processes?task_attempt_id={}", started.attempt());
    let path = list.replace('?', "/stream/ws?");
    let mut copy = Copy::open(server, "execution_processes", &path).await;
    copy.next().await;
    let mut late = Copy::open(server, "execution_processes", &path).await;
    late.next().await;
    ground.finished(&started).await;
    let follow_up = format!("/api/task-attempts/{}/follow-up", started.attempt());
    for variant in ["PLAN", "DEFAULT"] {
        let body = json!({"prompt": "@write b.txt 2", "variant": variant});
        data(server.post(&follow_up, body).await);
        server.until_attempt(started.attempt(), is_finished).await;
        let expected = listed(server, &list).await;
        copy.until(|all| *all == expected).await;
        copy.resume(server).await;
    }
    let expected = listed(server, &list).await;
    assert!(expected.len() >= 3, "{expected:#?}");
    late.resume(server).await;
    late.until(|all| *all == expected).await;
    assert_eq!((copy.snapshots(), late.snapshots()), (1, 1));
    // Whoever joins now has the same.
    copy.join(server).await;
    copy.next().await;
    assert_eq!(*copy.all(), expected);
    data(server.delete(&format!("/api/task-attempts/{}", started.attempt())).await);
    for copy in [&mut copy, &mut late] {
        copy.rest().await;
        assert!(copy.finished() && copy.all().is_empty());
        assert_eq!(copy.close_code(), Some(1000));
    }
}

#[tokio::test]
async fn stream_of_unknown_subject_stays_empty() {
    let ground = Ground::new().await;
    let deleted = ground.start("@say a").await;
    ground.finished(&deleted).await;
    data(ground.server.delete(&format!("/api/task-attempts/{}", deleted.attempt())).await);
    let unknown = uuid::Uuid::new_v4().to_string();
    let mut copies = Vec::new();
    let processes = "/api/execution-processes/stream/ws?task_attempt_id=";
    for (root, path) in [
        ("execution_processes", format!("{processes}{}", deleted.attempt())),
        ("execution_processes", format!("{processes}{unknown}")),
        ("tasks", format!("/api/tasks/stream/ws?project_id={unknown}")),
        ("tasks", format!("/api/projects/{unknown}/tasks/stream/ws")),
        ("drafts", format!("/api/drafts/stream/ws?project_id={unknown}")),
    ] {
        let mut copy = Copy::open(&ground.server, root, &path).await;
        copy.next().await;
        assert!(copy.all().is_empty(), "{path}");
        copies.push(copy);
    }
    let open = "forge_streams_open{kind=\"documents\"}";
    assert_eq!(ground.server.metric(open).await, Some(5.0));
    // Another reader has seen a later event: the others stay open.
    let mut board = Copy::open(&ground.server, "tasks", &board_of(&ground.project)).await;
    let task = new_task(&ground.server, &ground.project, LAST).await;
    board.until(|tasks| tasks.contains_key(&task)).await;
    assert_eq!(ground.server.metric(open).await, Some(6.0));
}

#[tokio::test]
async fn list_of_unknown_subject_is_empty() {
    let server = TestServer::start(FORGE).await;
    let unknown = uuid::Uuid::new_v4();
    for path in [
        format!("/api/task-attempts?task_id={unknown}"),
        format!("/api/task-attempts?task_id={unknown}&limit=3"),
        format!("/api/execution-processes?task_attempt_id={unknown}"),
        format!("/api/tasks?project_id={unknown}"),
        format!("/api/execution-runs?project_id={unknown}"),
        format!("/api/forge/agents?project_id={unknown}"),
    ] {
        assert_eq!(data(server.get(&path).await), json!([]), "{path}");
    }
    let (status, body) = server.get(&format!("/api/projects/{unknown}/tasks")).await;
    assert_eq!((status, code(&body)), (404, "not_found"));
}

#[tokio::test]
async fn wrong_socket_address_is_refused_before_upgrade() {
    let server = TestServer::start(FORGE).await;
    let cases = [
        ("/api/tasks/stream/ws", 400, "bad_query"),
        ("/api/tasks/stream/ws?project_id=x", 400, "bad_query"),
        ("/api/projects/x/tasks/stream/ws", 400, "bad_id"),
        ("/api/execution-processes/stream/ws", 400, "bad_query"),
        ("/api/projects/stream/ws?after=-1", 400, "bad_query"),
        ("/api/projects/stream/ws?after=x", 400, "bad_query"),
    ];
    for (path, expected, word) in cases {
        let request = server.request(reqwest::Method::GET, path);
        let request = request.header("connection", "upgrade").header("upgrade", "websocket");
        let request = request.header("sec-websocket-version", "13");
        let request = request.header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let body: Value = response.json().await.unwrap();
        assert_eq!((status, code(&body)), (expected, word), "{path}: {body}");
    }
    let (status, body) = server.get("/api/projects/stream/ws").await;
    assert_eq!((status, code(&body)), (400, "websocket_expected"));
}

#[tokio::test]
async fn readers_share_what_they_read_and_a_board_costs_as_much_however_long_it_is() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let reads = || async { server.metric("forge_store_reads_total").await.unwrap() };
    let path = format!("/api/tasks?project_id={}", project["id"].as_str().unwrap());
    let mut costs = Vec::new();
    for count in [1, 10, 200] {
        for number in 0..count {
            new_task(&server, &project, &number.to_string()).await;
        }
        data(server.get(&path).await);
        let before = reads().await;
        data(server.get(&path).await);
        costs.push(reads().await - before);
    }
    assert!(costs.iter().all(|cost| *cost <= 1.0), "looks at boards asked the database {costs:?} times");
    let mut copies = Vec::new();
    for _ in 0..20 {
        let mut copy = Copy::open(&server, "tasks", &board_of(&project)).await;
        copy.next().await;
        copies.push(copy);
    }
    let before = reads().await;
    for number in 0..100 {
        new_task(&server, &project, &number.to_string()).await;
    }
    new_task(&server, &project, LAST).await;
    for copy in &mut copies {
        copy.until(has_last).await;
    }
    let cost = reads().await - before;
    assert!(cost <= 150.0, "20 readers of 101 changes asked the database {cost} times");
}

#[tokio::test]
async fn a_replaced_turn_leaves_the_copy_unless_all_are_asked_for() {
    let ground = Ground::new().await;
    let server = &ground.server;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    let shown = format!("/api/execution-processes?task_attempt_id={}", started.attempt());
    let whole = format!("{shown}&show_soft_deleted=true");
    let mut copies = Vec::new();
    // Two of each: one that stays and one that comes back.
    for list in [&shown, &shown, &whole, &whole] {
        let path = list.replace('?', "/stream/ws?");
        let mut copy = Copy::open(server, "execution_processes", &path).await;
        copy.next().await;
        copies.push((copy, list));
    }
    for prompt in ["@edit b.txt two", "@edit c.txt three"] {
        assert_eq!(ground.follow_up(&started, prompt).await.0, 200);
        ground.finished(&started).await;
        let replace = format!("/api/task-attempts/{}/replace-process", started.attempt());
        data(server.post(&replace, json!({"prompt": format!("{prompt} again")})).await);
        ground.finished(&started).await;
        for (number, (copy, list)) in copies.iter_mut().enumerate() {
            if number % 2 == 1 {
                copy.resume(server).await;
            }
            let expected = listed(server, list).await;
            copy.until(|all| *all == expected).await;
        }
    }
    let lengths: Vec<_> = copies.iter().map(|(copy, _)| copy.all().len()).collect();
    assert_eq!(lengths, [3, 3, 5, 5]);
    // Who stayed was told of each alone. Who came back may have been told before it went: it gets everything anew.
    let snapshots: Vec<_> = copies.iter().map(|(copy, _)| copy.snapshots()).collect();
    assert_eq!(snapshots, [1, 3, 1, 1]);
}
