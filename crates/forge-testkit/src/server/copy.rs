//! A client that keeps a copy of a document, and takes nothing that is not strictly right.

use futures::StreamExt as _;
use serde_json::{Map, Value, json};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use super::{DEADLINE, TestServer, field};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A copy of a document, and the socket that keeps it up to date.
pub struct Copy {
    /// The path of its stream, with all that is asked but where to begin.
    path: String,
    /// The document's only key.
    root: String,
    document: Value,
    socket: Socket,
    position: Option<i64>,
    /// What the last frame changed; none when it held everything.
    changed: Option<String>,
    snapshots: usize,
    frames: usize,
    finished: bool,
    close_code: Option<u16>,
}

impl Copy {
    /// Opens the stream at `path`, of a document whose key is `root`.
    pub async fn open(server: &TestServer, root: &str, path: &str) -> Self {
        Self {
            path: path.to_owned(),
            root: root.to_owned(),
            document: empty(root),
            socket: connect(server, path).await,
            position: None,
            changed: None,
            snapshots: 0,
            frames: 0,
            finished: false,
            close_code: None,
        }
    }

    /// Opens the stream again and goes on where it was.
    pub async fn resume(&mut self, server: &TestServer) {
        let Some(position) = self.position else { return self.join(server).await };
        let also = if self.path.contains('?') { '&' } else { '?' };
        let path = format!("{}{also}after={position}", self.path);
        self.socket = connect(server, &path).await;
    }

    /// Opens the stream again and begins anew.
    pub async fn join(&mut self, server: &TestServer) {
        self.document = empty(&self.root);
        self.position = None;
        self.socket = connect(server, &self.path).await;
    }

    /// Applies the next frame. False when the socket has closed.
    pub async fn next(&mut self) -> bool {
        // For the whole wait: a ping is no frame.
        let deadline = Instant::now() + DEADLINE;
        loop {
            let message = tokio::time::timeout_at(deadline, self.socket.next()).await;
            match message.expect("something is heard of the document") {
                Some(Ok(Message::Text(text))) => {
                    let frame = serde_json::from_str(&text).expect("frames are JSON");
                    self.apply(&frame);
                    return true;
                }
                Some(Ok(Message::Close(frame))) => self.close_code = frame.map(|frame| frame.code.into()),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return false,
            }
        }
    }

    /// Applies frames until the copy is as `wanted`.
    pub async fn until(&mut self, wanted: impl Fn(&Map<String, Value>) -> bool) {
        while !wanted(self.all()) {
            assert!(self.next().await, "the stream ended before the copy was as wanted");
        }
    }

    /// Applies frames until the socket closes.
    pub async fn rest(&mut self) {
        while self.next().await {}
    }

    fn apply(&mut self, frame: &Value) {
        if frame.get("finished").is_some() {
            assert_eq!(*frame, json!({"finished": true}));
            self.finished = true;
            return;
        }
        assert!(!self.finished, "a frame after the end: {frame}");
        let position = field(frame, "/position").as_i64().expect("frames tell their position");
        let [operation] = field(frame, "/JsonPatch").as_array().expect("frames carry patches").as_slice()
        else {
            panic!("a frame of more or less than one operation: {frame}")
        };
        if operation["path"] == format!("/{}", self.root) {
            self.snapshots += 1;
            self.changed = None;
        } else {
            self.changed =
                operation["path"].as_str().and_then(|path| Some(path.rsplit_once('/')?.1.to_owned()));
            assert!(self.position < Some(position), "a frame of {position} after {:?}", self.position);
        }
        patch(&mut self.document, operation).unwrap_or_else(|why| panic!("{why}: {operation}"));
        self.position = Some(position);
        self.frames += 1;
    }

    /// What is in it, by id.
    #[must_use]
    pub fn all(&self) -> &Map<String, Value> {
        field(&self.document, &format!("/{}", self.root)).as_object().expect("an object")
    }

    /// Whether something in it is as `wanted`, where nothing was before the last frame.
    pub fn has_now(&self, wanted: impl Fn(&Value) -> bool) -> bool {
        match &self.changed {
            Some(id) => self.all().get(id).is_some_and(wanted),
            None => self.all().values().any(wanted),
        }
    }

    /// Where to go on.
    #[must_use]
    pub const fn position(&self) -> Option<i64> {
        self.position
    }

    /// How many frames held all of the document.
    #[must_use]
    pub const fn snapshots(&self) -> usize {
        self.snapshots
    }

    /// How many frames there were.
    #[must_use]
    pub const fn frames(&self) -> usize {
        self.frames
    }

    /// Whether the server said that there is no more.
    #[must_use]
    pub const fn finished(&self) -> bool {
        self.finished
    }

    /// The code with which the server closed.
    #[must_use]
    pub const fn close_code(&self) -> Option<u16> {
        self.close_code
    }
}

fn empty(root: &str) -> Value {
    json!({ root: {} })
}

async fn connect(server: &TestServer, path: &str) -> Socket {
    let url = server.url(path).replacen("http", "ws", 1);
    let mut request = url.into_client_request().expect("a WebSocket URL");
    if let Some(token) = &server.token {
        let value = format!("Bearer {token}").parse().expect("a header");
        request.headers_mut().insert("authorization", value);
    }
    // A board of ten thousand is one frame.
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    let opening = tokio_tungstenite::connect_async_with_config(request, Some(config), false);
    let opened = tokio::time::timeout(DEADLINE, opening).await;
    opened.expect("an answer in time").expect("a socket").0
}

/// RFC 6902 on objects, and stricter: what is added must not be there.
fn patch(document: &mut Value, operation: &Value) -> Result<(), String> {
    let path = field(operation, "/path").as_str().ok_or("no path")?;
    let (parent, key) = path.rsplit_once('/').ok_or("not a pointer")?;
    let key = key.replace("~1", "/").replace("~0", "~");
    let parent = document.pointer_mut(parent).and_then(Value::as_object_mut).ok_or("nothing to put it in")?;
    let value = operation.get("value").cloned();
    match (field(operation, "/op").as_str(), parent.contains_key(&key), value) {
        (Some("add"), false, Some(value)) | (Some("replace"), true, Some(value)) => {
            parent.insert(key, value);
            Ok(())
        }
        (Some("remove"), true, None) => {
            parent.remove(&key);
            Ok(())
        }
        (Some("add"), true, _) => Err("what is added is there".into()),
        (Some("replace" | "remove"), false, _) => Err("what is changed is not there".into()),
        (op, ..) => Err(format!("not an operation: {op:?}")),
    }
}
