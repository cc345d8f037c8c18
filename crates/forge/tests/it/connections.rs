//! Connections that never say or never read anything: they cost little and keep nobody else out.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::TestServer;
use serde_json::json;

use crate::ground::{Ground, comes_true, make_project};
use crate::{FORGE, data};

fn connect(server: &TestServer) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

#[tokio::test]
async fn silent_connections_make_room_for_callers() {
    forge_engine::files::raise().unwrap();
    let server = TestServer::start(FORGE).await;
    // One that has been answered before, and one in the middle of an answer.
    let request = format!("GET /health HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server.port());
    let mut stream = connect(&server);
    stream.write_all(request.replace("/health", "/api/events").as_bytes()).unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    let silent: Vec<_> = (0..1_100).map(|_| connect(&server)).collect();
    for _ in 0..3 {
        assert_eq!(server.get("/health").await.0, 200);
    }
    // The first silent one made room, the newest did not, and the stream goes on.
    let mut first = &silent[0];
    assert_eq!(first.read(&mut [0; 1]).unwrap(), 0);
    let mut newest = &silent[1_099];
    newest.write_all(request.as_bytes()).unwrap();
    newest.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    stream.set_nonblocking(true).unwrap();
    let more = stream.read(&mut [0; 4096]);
    assert!(!matches!(more, Ok(0)), "the stream was closed");
}

#[tokio::test]
async fn endless_header_is_refused() {
    let server = TestServer::start(FORGE).await;
    let mut stream = connect(&server);
    let head = format!("GET /health HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nX: ", server.port());
    stream.write_all(head.as_bytes()).unwrap();
    // The server may close before all of it is taken.
    let sent = stream.write_all(&[b'a'; 400_000]);
    let mut answer = String::new();
    let read = stream.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 431") || (sent.is_err() && read.is_err()), "{answer}");
}

/// A row of the server's memory, in MiB.
fn memory(server: &TestServer, row: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(row)).unwrap();
    line.split_whitespace().next().unwrap().parse::<usize>().unwrap() >> 10
}

#[tokio::test]
async fn stalled_board_readers_cost_little() {
    let ground = Ground::new().await;
    let server = &ground.server;
    let mut sockets = Vec::new();
    // The cards of the first board are kept in memory and shared. The second is too large for that: two readers at a time
    // have a copy, and one more is made when it is first looked at. Reading rows takes more than the cards for a moment.
    // A message for each of the readers would be two dozen times the board.
    for (bytes, tasks, served, copies) in [(200_000, 60, 12, 8), (1_000_000, 30, 2, 8)] {
        let repo = TempRepo::new();
        let project = make_project(server, repo.path(), json!({})).await["id"].as_str().unwrap().to_owned();
        for number in 0..tasks {
            let text = "x".repeat(bytes);
            let task = json!({"project_id": project, "title": number.to_string(), "description": text});
            data(server.post("/api/tasks", task).await);
        }
        // The peak is counted from here.
        std::fs::write(format!("/proc/{}/clear_refs", server.pid()), "5").unwrap();
        let before = memory(server, "VmRSS:");
        let mut board = Vec::new();
        for _ in 0..12 {
            let mut stream = connect(server);
            let request = format!(
                "GET /api/projects/{project}/tasks/stream/ws HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\
                 Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                 Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                server.port()
            );
            stream.write_all(request.as_bytes()).unwrap();
            board.push(stream);
        }
        // So many are being sent the board, and read no more than the beginning of it.
        let mut begun = vec![0; board.len()];
        comes_true("readers are served", || {
            for (stream, begun) in board.iter_mut().zip(&mut begun).filter(|(_, begun)| **begun < 1_024) {
                stream.set_nonblocking(true).unwrap();
                *begun += stream.read(&mut [0; 1_024]).unwrap_or_default();
            }
            begun.iter().filter(|begun| **begun >= 1_024).count() >= served
        })
        .await;
        // A list of another project is answered meanwhile.
        let path = format!("/api/tasks?project_id={}", ground.project_id());
        assert_eq!(data(server.get(&path).await), json!([]));
        let (peak, size) = (memory(server, "VmHWM:"), (bytes * tasks) >> 20);
        assert!(peak < before + copies * size + 32, "{before} → {peak} MiB; the board has {size} MiB");
        sockets.append(&mut board);
    }
}

#[tokio::test]
async fn too_long_description_is_refused() {
    let ground = Ground::new().await;
    let project = ground.project_id();
    let task = json!({"project_id": project, "title": "t", "description": "x".repeat((1 << 20) + 1)});
    let (status, refusal) = ground.server.post("/api/tasks", task).await;
    assert_eq!((status, refusal["error_data"]["code"].as_str()), (413, Some("description_too_large")));
    let task = data(ground.server.post("/api/tasks", json!({"project_id": project, "title": "t"})).await);
    let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    let (status, _) = ground.server.put(&path, json!({"description": "x".repeat((1 << 20) + 1)})).await;
    assert_eq!(status, 413);
    assert_eq!(data(ground.server.get(&path).await)["description"], json!(null));
}
