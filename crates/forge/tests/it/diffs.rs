//! The files that an attempt changes, as a stream.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::{DEADLINE, Setup};
use futures::StreamExt as _;
use futures::future::join_all;
use serde_json::{Map, Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};
use uuid::Uuid;

use crate::branches::encoded;
use crate::ground::{Ground, Started};
use crate::{FORGE, code, data};

/// A reader that does with the frames what the existing front end does.
struct Reader {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    entries: Map<String, Value>,
    position: i64,
    /// The operations of all frames, in order.
    heard: Vec<(String, String)>,
    finished: bool,
    close_code: Option<u16>,
}

impl Reader {
    async fn open(ground: &Ground, started: &Started, query: &str) -> Self {
        let path = format!("/api/task-attempts/{}/diff/ws{query}", started.attempt());
        let opening = tokio_tungstenite::connect_async(ground.server.url(&path).replacen("http", "ws", 1));
        let socket = tokio::time::timeout(DEADLINE, opening).await.unwrap().unwrap().0;
        Self { socket, entries: Map::new(), position: 0, heard: vec![], finished: false, close_code: None }
    }

    /// Applies the next frame; false when the socket has closed.
    async fn next(&mut self) -> bool {
        // For the whole wait: a ping is no frame.
        let deadline = tokio::time::Instant::now() + DEADLINE;
        loop {
            let message = tokio::time::timeout_at(deadline, self.socket.next()).await;
            match message.expect("something is heard of the diff") {
                Some(Ok(Message::Text(text))) => {
                    self.apply(&serde_json::from_str(&text).unwrap());
                    return true;
                }
                Some(Ok(Message::Close(frame))) => self.close_code = frame.map(|frame| frame.code.into()),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return false,
            }
        }
    }

    fn apply(&mut self, frame: &Value) {
        if *frame == json!({"finished": true}) {
            self.finished = true;
            return;
        }
        let position = frame["position"].as_i64().unwrap();
        assert!(self.position <= position, "positions do not go back");
        self.position = position;
        let [operation] = frame["JsonPatch"].as_array().unwrap().as_slice() else { panic!("{frame}") };
        let (op, path) = (operation["op"].as_str().unwrap(), operation["path"].as_str().unwrap());
        self.heard.push((op.to_owned(), path.to_owned()));
        if (op, path) == ("replace", "/entries") {
            self.entries = operation["value"].as_object().unwrap().clone();
            return;
        }
        let key = path.strip_prefix("/entries/").unwrap();
        assert!(!key.contains('/'), "a path is one key");
        let key = key.replace("~1", "/").replace("~0", "~");
        match op {
            "add" => drop(self.entries.insert(key, operation["value"].clone())),
            "remove" => assert!(self.entries.remove(&key).is_some(), "what is removed was there: {key}"),
            other => panic!("{other}"),
        }
    }

    async fn until(&mut self, wanted: impl Fn(&Map<String, Value>) -> bool) {
        while !wanted(&self.entries) {
            assert!(self.next().await, "the stream ended too early");
        }
    }

    fn file(&self, path: &str) -> &Value {
        let entry = self.entries.get(path).unwrap_or_else(|| panic!("{path} is not told"));
        assert_eq!(entry["type"], "DIFF");
        &entry["content"]
    }
}

async fn finished(ground: &Ground, steps: &str) -> Started {
    let started = ground.start(steps).await;
    ground.finished(&started).await;
    started
}

#[tokio::test]
async fn files_of_every_kind_come_in_the_contracts_shape() {
    let repo = TempRepo::new().with_file("a/changed~.txt", "1\n2\n").with_file("gone.txt", "g\n");
    repo.write("run.sh", "#!\n");
    repo.write("moved.txt", "1\n2\n3\n4\n5\n6\n");
    repo.commit("Files");
    let ground = Ground::on(Setup::new(FORGE), repo, json!({})).await;
    let started = finished(&ground, "@edit agent_out.txt hello").await;
    let at = |name: &str| started.worktree().join(name);
    fs::write(at("a/changed~.txt"), "1\nzwei\n").unwrap();
    fs::remove_file(at("gone.txt")).unwrap();
    fs::set_permissions(at("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(at("moved.txt"), at("line\nbreak.txt")).unwrap();
    fs::write(at("bytes"), [0, 255]).unwrap();
    fs::write(at("large"), vec![b'x'; 2 * 1024 * 1024 + 1]).unwrap();
    fs::write(started.worktree().join(OsStr::from_bytes(b"caf\xe9")), "c\n").unwrap();

    let mut reader = Reader::open(&ground, &started, "").await;
    reader.until(|entries| entries.len() == 8).await;

    let expected = json!({
        "change": "added", "oldPath": null, "newPath": "agent_out.txt", "oldContent": null, "newContent": "hello\n",
        "contentOmitted": false, "additions": 1, "deletions": 0,
    });
    assert_eq!(*reader.file("agent_out.txt"), expected);
    let changed = reader.file("a/changed~.txt");
    assert_eq!((&changed["change"], &changed["oldContent"]), (&json!("modified"), &json!("1\n2\n")));
    assert_eq!((&changed["additions"], &changed["deletions"]), (&json!(1), &json!(1)));
    let gone = reader.file("gone.txt");
    assert_eq!(
        (&gone["change"], &gone["newPath"], &gone["deletions"]),
        (&json!("deleted"), &Value::Null, &json!(1))
    );
    assert_eq!(reader.file("run.sh")["change"], "permissionChange");
    let moved = reader.file("line\nbreak.txt");
    assert_eq!((&moved["change"], &moved["oldPath"]), (&json!("renamed"), &json!("moved.txt")));
    let bytes = reader.file("bytes");
    assert_eq!((&bytes["newContent"], &bytes["contentOmitted"]), (&Value::Null, &json!(false)));
    let large = reader.file("large");
    assert_eq!((&large["newContent"], &large["contentOmitted"]), (&Value::Null, &json!(true)));
    // A name that is no text is told as git tells it, and can be sent back so.
    assert_eq!(reader.file("\"caf\\351\"")["newContent"], "c\n");
    let path = encoded("\"caf\\351\"");
    let path = format!("/api/task-attempts/{}/delete-file?file_path={path}", started.attempt());
    data(ground.server.post(&path, json!(null)).await);
    reader.until(|entries| entries.len() == 7).await;

    let mut stats = Reader::open(&ground, &started, "?stats_only=true").await;
    stats.until(|entries| entries.len() == 7).await;
    for (path, entry) in &stats.entries {
        let content = &entry["content"];
        assert_eq!((&content["oldContent"], &content["newContent"]), (&Value::Null, &Value::Null), "{path}");
        assert_eq!(content["contentOmitted"], true, "{path}");
        assert_eq!(content["additions"], reader.file(path)["additions"], "{path}");
        assert_eq!(content["deletions"], reader.file(path)["deletions"], "{path}");
    }
}

#[tokio::test]
async fn fifteen_hundred_files_come_to_all_who_look() {
    let ground = Ground::new().await;
    let started = finished(&ground, "@say nothing").await;
    for number in 0..1500 {
        fs::write(started.worktree().join(format!("file{number}")), format!("line\n{number}\n")).unwrap();
    }
    let began = Instant::now();
    let readers = join_all((0..4).map(async |_| {
        let mut reader = Reader::open(&ground, &started, "").await;
        reader.until(|entries| entries.len() == 1500).await;
        reader
    }))
    .await;
    println!("1,500 files to four readers in {:?}", began.elapsed());
    for reader in &readers {
        assert_eq!(reader.entries, readers[0].entries);
        assert_eq!(reader.file("file1499")["newContent"], "line\n1499\n");
    }
}

#[tokio::test]
async fn each_turn_is_told_and_only_what_changed_in_it() {
    let ground = Ground::new().await;
    let started = finished(&ground, "@edit stays.txt 1\n@edit changes.txt 1\n@edit goes.txt 1").await;
    let mut reader = Reader::open(&ground, &started, "").await;
    reader.until(|entries| entries.len() == 3).await;
    let heard = reader.heard.len();
    ground.follow_up(&started, "@edit changes.txt 2\n@delete goes.txt\n@edit comes.txt 1").await;
    reader
        .until(|entries| {
            !entries.contains_key("goes.txt")
                && entries.contains_key("comes.txt")
                && entries["changes.txt"]["content"]["newContent"] == "2\n"
        })
        .await;
    ground.finished(&started).await;
    assert!(!reader.heard[heard..].iter().any(|(_, path)| path.contains("stays")), "{:?}", reader.heard);
    let all = reader.entries.clone();

    // Whoever comes back is sent everything again, in place of what it has.
    let mut again = Reader::open(&ground, &started, &format!("?after={}", reader.position)).await;
    again.entries.insert("stale.txt".into(), json!({}));
    again.until(|entries| *entries == all).await;
    assert_eq!(again.heard[0], ("replace".to_owned(), "/entries".to_owned()));

    // A worktree that is gone leaves what the branch has.
    fs::remove_dir_all(started.worktree()).unwrap();
    let mut branch = Reader::open(&ground, &started, "").await;
    branch.until(|entries| *entries == all).await;

    // The end of the attempt is the end of its streams.
    data(ground.server.delete(&format!("/api/task-attempts/{}", started.attempt())).await);
    for reader in [&mut reader, &mut again, &mut branch] {
        while reader.next().await {}
        assert_eq!((reader.finished, reader.close_code), (true, Some(1000)));
    }
}

#[tokio::test]
async fn what_cannot_be_compared_is_refused_before_the_socket_opens() {
    let ground = Ground::new().await;
    let started = finished(&ground, "@edit a.txt 1").await;
    let upgrade = async |path: &str| {
        let request = ground.server.request(reqwest::Method::GET, path);
        let request = request.header("connection", "upgrade").header("upgrade", "websocket");
        let request = request.header("sec-websocket-version", "13");
        let response = request.header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==").send().await.unwrap();
        let status = response.status().as_u16();
        (status, response.json::<Value>().await.unwrap_or_default())
    };
    let (status, body) = upgrade(&format!("/api/task-attempts/{}/diff/ws", Uuid::new_v4())).await;
    assert_eq!((status, code(&body)), (404, "not_found"));
    ground.repo.git(&["checkout", "--quiet", "-b", "other"]);
    ground.repo.git(&["branch", "--delete", "--force", "main"]);
    let path = format!("/api/task-attempts/{}/diff/ws", started.attempt());
    let (status, body) = upgrade(&path).await;
    assert_eq!((status, code(&body)), (409, "branch_gone"));
    // Told another target, it works again.
    let change = json!({"new_target_branch": "other"});
    data(
        ground
            .server
            .post(&format!("/api/task-attempts/{}/change-target-branch", started.attempt()), change)
            .await,
    );
    let mut reader = Reader::open(&ground, &started, "").await;
    reader.until(|entries| entries.contains_key("a.txt")).await;
}

#[tokio::test]
async fn whatever_git_is_doing_a_stream_ends_with_its_attempt() {
    let ground = Ground::new().await;
    let started = finished(&ground, "@say nothing").await;
    for number in 0..300 {
        fs::write(started.worktree().join(format!("file{number}")), "line\n").unwrap();
    }
    let mut readers = join_all((0..6).map(async |_| Reader::open(&ground, &started, "").await)).await;
    // A change that all of them look at, and the end while they do.
    let change = json!({"new_target_branch": "main"});
    data(
        ground
            .server
            .post(&format!("/api/task-attempts/{}/change-target-branch", started.attempt()), change)
            .await,
    );
    data(ground.server.delete(&format!("/api/task-attempts/{}", started.attempt())).await);
    for reader in &mut readers {
        while reader.next().await {}
        assert_eq!((reader.finished, reader.close_code), (true, Some(1000)));
    }
    ground.only_the_server_runs().await;
}
