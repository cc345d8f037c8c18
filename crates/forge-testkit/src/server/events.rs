//! A client of the event stream.

use std::collections::VecDeque;
use std::io::BufRead as _;

use futures::StreamExt as _;
use futures::stream::BoxStream;
use serde_json::Value;
use tokio::time::Instant;

use super::DEADLINE;

/// One server-sent message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The position to resume at, where the message carries it.
    pub id: Option<i64>,
    /// The same as it was sent; not every stream counts.
    pub place: Option<String>,
    /// Its kind.
    pub event: String,
    /// What it says.
    pub data: Value,
}

/// An open event stream.
pub struct Events {
    chunks: BoxStream<'static, reqwest::Result<Vec<u8>>>,
    /// The lines of the message that is being heard.
    block: Vec<u8>,
    ready: VecDeque<Message>,
}

impl Events {
    /// Sends the request and waits until the stream is open: what happens from then on is heard.
    pub async fn open(request: reqwest::RequestBuilder) -> Self {
        let response = tokio::time::timeout(DEADLINE, request.send()).await;
        let response = response.expect("an answer in time").expect("an answer");
        assert_eq!(response.status(), 200, "the event stream opens");
        let chunks = response.bytes_stream().map(|chunk| chunk.map(|bytes| bytes.to_vec())).boxed();
        Self { chunks, block: Vec::new(), ready: VecDeque::new() }
    }

    /// The next message.
    pub async fn next(&mut self) -> Message {
        self.try_next().await.unwrap_or_else(|why| panic!("{why}"))
    }

    /// The next message, or why there is none.
    pub async fn try_next(&mut self) -> Result<Message, String> {
        // For the whole wait: a comment that keeps the connection alive is no message.
        let deadline = Instant::now() + DEADLINE;
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Ok(message);
            }
            match tokio::time::timeout_at(deadline, self.chunks.next()).await {
                Err(_elapsed) => return Err("nothing was heard from the event stream".into()),
                Ok(None) => return Err("the event stream ended".into()),
                Ok(Some(Err(error))) => return Err(format!("the event stream broke: {error}")),
                Ok(Some(Ok(bytes))) => self.take(&bytes),
            }
        }
    }

    /// The next message of one of these kinds.
    pub async fn next_of(&mut self, events: &[&str]) -> Message {
        loop {
            let message = self.next().await;
            if events.contains(&message.event.as_str()) {
                return message;
            }
        }
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            bytes.read_until(b'\n', &mut self.block).expect("memory can be read");
            if self.block.ends_with(b"\n\n") {
                let block = String::from_utf8(std::mem::take(&mut self.block)).expect("events are UTF-8");
                self.ready.extend(parse(&block));
            }
        }
    }
}

/// Comments and hints say nothing.
fn parse(block: &str) -> Option<Message> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    Some(Message {
        data: serde_json::from_str(field("data")?).expect("events carry JSON"),
        event: field("event").unwrap_or("message").to_owned(),
        // Places of transcripts name a process, too; all others are numbers.
        id: field("id").filter(|id| !id.contains(':')).map(|id| id.parse().expect("event ids are numbers")),
        place: field("id").map(str::to_owned),
    })
}
