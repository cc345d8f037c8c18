//! Memory that a server returns to the system when the work is done.

use forge_testkit::server::TestServer;
use futures::future::join_all;
use serde_json::json;

use crate::data;
use crate::ground::{Ground, comes_true};

const TASKS: usize = 10_000;
const CLIENTS: usize = 8;

/// A server that listed ten thousand tasks keeps this at most, in MiB; 15 were measured. The program itself does not count:
/// it is much larger when it is not optimized.
const MOST: usize = 48;

async fn make(server: &TestServer, project: &str, tasks: usize) {
    for number in 0..tasks {
        let task = json!({"project_id": project, "title": format!("Task {number}"), "description": "Do it."});
        data(server.post("/api/tasks", task).await);
    }
}

/// What the server has allocated and not returned, in MiB.
fn allocated(server: &TestServer) -> usize {
    let status = crate::read(format!("/proc/{}/status", server.pid()));
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<usize>().unwrap() >> 10
}

#[tokio::test]
async fn server_returns_memory_of_long_list() {
    let ground = Ground::new().await;
    let (server, project) = (&ground.server, ground.project_id());
    join_all((0..CLIENTS).map(|_| make(server, project, TASKS / CLIENTS))).await;
    let path = format!("/api/tasks?project_id={project}");
    for _ in 0..10 {
        let listed = data(server.get(&path).await);
        assert_eq!(listed.as_array().unwrap().len(), TASKS);
    }
    println!("{} MiB are allocated", allocated(server));
    comes_true("memory is returned", || allocated(server) <= MOST).await;
}
