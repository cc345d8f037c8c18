//! Requests byte by byte, for what a well-behaved client would not send.

use forge_testkit::server::{DEADLINE, TestServer};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Status, headers and body of the answer to a request as it stands here, without its last empty line.
pub(crate) async fn send(server: &TestServer, head: &str) -> (u16, String, Value) {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).await.unwrap();
    let connection = if head.contains("Upgrade: ") { "upgrade, close" } else { "close" };
    let request = format!("{}\r\nConnection: {connection}\r\n\r\n", head.replace('\n', "\r\n"));
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let read = tokio::time::timeout(DEADLINE, stream.read_to_end(&mut answer)).await;
    read.expect("the whole answer in time").unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_ascii_lowercase(), serde_json::from_str(body).unwrap_or(Value::Null))
}

/// The head of a WebSocket's opening.
pub(crate) fn upgrade(server: &TestServer, more: &str) -> String {
    let port = server.port();
    format!(
        "GET /api/execution-processes/35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42/raw-logs/ws HTTP/1.1\n\
         Host: localhost:{port}\nUpgrade: websocket\nSec-WebSocket-Version: 13\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n{more}"
    )
}

/// Status and text of an answer's head; whatever follows is not waited for.
pub(crate) async fn head(server: &TestServer, head: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).await.unwrap();
    stream.write_all(format!("{}\r\n\r\n", head.replace('\n', "\r\n")).as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let whole = async {
        while !answer.windows(4).any(|end| end == b"\r\n\r\n") {
            assert_ne!(
                stream.read_buf(&mut answer).await.unwrap(),
                0,
                "the connection closed without an answer"
            );
        }
    };
    tokio::time::timeout(DEADLINE, whole).await.expect("an answer in time");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
}
