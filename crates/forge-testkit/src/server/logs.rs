//! A client of a process's raw log.

use futures::StreamExt as _;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes, protocol::CloseFrame};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use super::{DEADLINE, field};

/// An open log socket.
pub struct Logs {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    position: u64,
    finished: bool,
    close: Option<CloseFrame>,
}

/// One entry of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// Its number, from 0.
    pub index: u64,
    /// `STDOUT` or `STDERR`.
    pub stream: String,
    /// What was printed.
    pub text: String,
}

impl Logs {
    /// Opens the socket.
    pub async fn open(url: &str, token: Option<&str>) -> Self {
        let url = url.replacen("http", "ws", 1);
        let mut request = url.into_client_request().expect("a WebSocket URL");
        if let Some(token) = token {
            let value = format!("Bearer {token}").parse().expect("a header");
            request.headers_mut().insert("authorization", value);
        }
        let opened = tokio::time::timeout(DEADLINE, tokio_tungstenite::connect_async(request)).await;
        let (socket, _response) = opened.expect("an answer in time").expect("a socket");
        Self { socket, position: 0, finished: false, close: None }
    }

    /// The entries of the next frame; none when the socket has closed.
    pub async fn next(&mut self) -> Option<Vec<Printed>> {
        loop {
            let frame: Value = serde_json::from_str(&self.next_frame().await?).expect("frames are JSON");
            if frame.get("finished").is_some() {
                self.finished = true;
                continue;
            }
            self.position = field(&frame, "/position").as_u64().expect("frames tell their position");
            return Some(entries(&frame));
        }
    }

    /// The next frame as it came; none when the socket has closed.
    pub async fn next_frame(&mut self) -> Option<Utf8Bytes> {
        // For the whole wait: a ping is no entry.
        let deadline = Instant::now() + DEADLINE;
        loop {
            let message = tokio::time::timeout_at(deadline, self.socket.next()).await;
            match message.expect("something is heard from the log")?.ok()? {
                Message::Text(text) => return Some(text),
                Message::Close(frame) => self.close = frame,
                Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
    }

    /// Everything that comes until the socket closes.
    pub async fn rest(&mut self) -> Vec<Printed> {
        let mut all = Vec::new();
        while let Some(printed) = self.next().await {
            all.extend(printed);
        }
        all
    }

    /// Reads until `text` has been printed to standard output; gives everything that was, up to then.
    pub async fn until(&mut self, text: &str) -> String {
        let mut all = String::new();
        while !all.contains(text) {
            let printed = self.next().await;
            let printed = printed.unwrap_or_else(|| panic!("the log ended without {text:?}: {all}"));
            all.extend(printed.into_iter().filter(|entry| entry.stream == "STDOUT").map(|entry| entry.text));
        }
        all
    }

    /// Where to resume.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Whether the server said that there is no more.
    #[must_use]
    pub const fn finished(&self) -> bool {
        self.finished
    }

    /// The code with which the server closed.
    #[must_use]
    pub fn close_code(&self) -> Option<u16> {
        self.close.as_ref().map(|frame| frame.code.into())
    }
}

fn entries(frame: &Value) -> Vec<Printed> {
    let operations = field(frame, "/JsonPatch").as_array().expect("frames carry patches");
    operations
        .iter()
        .map(|operation| {
            let path = field(operation, "/path").as_str().expect("a path");
            Printed {
                index: path.strip_prefix("/entries/").expect("an entry").parse().expect("a number"),
                stream: field(operation, "/value/type").as_str().expect("a stream").to_owned(),
                text: field(operation, "/value/content").as_str().expect("a text").to_owned(),
            }
        })
        .collect()
}
