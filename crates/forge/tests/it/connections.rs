//! Connections that never say or never read anything: they cost little and keep nobody else out.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use forge_testkit::server::TestServer;

use crate::FORGE;

fn connect(server: &TestServer) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

#[tokio::test]
async fn silent_connections_make_room_for_callers() {
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
