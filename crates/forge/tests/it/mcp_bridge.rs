//! `forge mcp`: the bridge from standard input and output to a server, which may die and come back.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use forge_testkit::server::{DEADLINE, Setup, TestServer};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

use crate::life::Bed;
use crate::mcp::content;
use crate::{FORGE, data};

/// A bridge that runs. Whatever it prints has to be JSON-RPC.
struct Bridge {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Bridge {
    fn start(data: &Path) -> Self {
        #[expect(clippy::disallowed_methods, reason = "the program under test")]
        let mut command = tokio::process::Command::new(FORGE);
        command.args(["mcp", "--data"]).arg(data).env_clear();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { input: child.stdin.take(), child, output }
    }

    async fn write(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).await.unwrap();
        input.write_all(b"\n").await.unwrap();
    }

    /// The next answer; none at the end.
    async fn next(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(DEADLINE, self.output.next_line()).await.expect("a line in time");
        let answer: Value = serde_json::from_str(&line.unwrap()?).unwrap();
        assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
        Some(answer)
    }

    async fn ask(&mut self, id: u32, method: &str, params: Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write(message.to_string().as_bytes()).await;
        let answer = self.next().await.unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, Value> {
        let answer = self.ask(1, "tools/call", json!({"name": tool, "arguments": arguments})).await;
        content(&answer["result"])
    }

    /// Ends the input, and waits for the end of the bridge.
    async fn end(mut self) -> Vec<Value> {
        drop(self.input.take());
        let mut rest = Vec::new();
        while let Some(answer) = self.next().await {
            rest.push(answer);
        }
        let ended = tokio::time::timeout(DEADLINE, self.child.wait()).await.expect("it ends with its input");
        assert!(ended.unwrap().success());
        rest
    }
}

#[tokio::test]
async fn an_agent_asks_and_is_answered_over_a_server_that_died_and_came_back() {
    let mut bed = Bed::new().await;
    let mut bridge = Bridge::start(&bed.server.data());
    let hello = bridge.ask(1, "initialize", json!({"protocolVersion": "2025-06-18"})).await;
    assert_eq!(hello["result"]["serverInfo"]["name"], "automagik-forge");
    bridge.write(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    let new = json!({
        "project_id": bed.project, "title": "t", "description": "@ask Bash\n@edit a.txt one",
        "executor": "CLAUDE_CODE",
    });
    let started = bridge.call("create_and_start_task", new).await.unwrap();
    let attempt = started["attempt_id"].as_str().unwrap().to_owned();

    bed.server.kill_9().await;
    let down = bridge.ask(2, "ping", json!({})).await;
    assert_eq!(down["error"]["code"], -32000);
    assert!(down["error"]["message"].as_str().unwrap().contains("forge serve"), "{down}");
    bed.server.restart().await;

    let approval = loop {
        let which = json!({"attempt_id": attempt, "wait_seconds": 20});
        let listed = bridge.call("list_approvals", which).await.unwrap();
        if listed["count"] == 1 {
            break listed["approvals"][0]["id"].clone();
        }
    };
    let yes = json!({"approval_id": approval, "approved": true});
    assert_eq!(bridge.call("answer_approval", yes).await.unwrap()["approval"]["status"], "approved");
    let attempt = bed.server.until_attempt(&attempt, crate::is_finished).await;
    assert_eq!(attempt["outcome"], "succeeded");
    assert_eq!(bridge.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn without_a_server_everything_that_is_asked_gets_an_error_and_nothing_hangs() {
    let folder = tempfile::tempdir().unwrap();
    let mut bridge = Bridge::start(folder.path());
    let answer = bridge.ask(1, "initialize", json!({"protocolVersion": "2025-06-18"})).await;
    assert_eq!(answer["error"]["code"], -32000);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("no server runs") && message.contains("forge serve"), "{message}");
    bridge.write(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    bridge.write(b"nonsense").await;
    assert_eq!(bridge.end().await.iter().map(|answer| &answer["id"]).collect::<Vec<_>>(), [&Value::Null]);
}

#[tokio::test]
async fn what_is_open_at_the_end_of_the_input_is_answered_first() {
    let bed = Bed::new().await;
    let mut bridge = Bridge::start(&bed.server.data());
    for id in 0..100 {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
        bridge.write(message.to_string().as_bytes()).await;
    }
    let mut ids: Vec<_> = bridge.end().await.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..100).collect::<Vec<_>>());
}

#[tokio::test]
async fn one_call_that_waits_holds_up_no_other() {
    let bed = Bed::new().await;
    let mut bridge = Bridge::start(&bed.server.data());
    let params = json!({"name": "list_approvals", "arguments": {"wait_seconds": 60}});
    let waits = json!({"jsonrpc": "2.0", "id": "waits", "method": "tools/call", "params": params});
    bridge.write(waits.to_string().as_bytes()).await;
    assert_eq!(bridge.ask(2, "ping", json!({})).await["result"], json!({}));
    let asked = data(bed.server.post("/api/approvals/create", json!({"message": "may I?"})).await);
    let answer = bridge.next().await.unwrap();
    assert_eq!(answer["id"], "waits");
    assert_eq!(content(&answer["result"]).unwrap()["approvals"][0]["id"], asked["id"]);
    bridge.end().await;
}

/// A call that waits for a minute, unless something is asked.
fn waiting(id: &Value) -> Vec<u8> {
    let params = json!({"name": "list_approvals", "arguments": {"wait_seconds": 60}});
    let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
    message.to_string().into_bytes()
}

#[tokio::test]
async fn canceled_call_is_not_answered() {
    let bed = Bed::new().await;
    let mut bridge = Bridge::start(&bed.server.data());
    bridge.write(&waiting(&json!("a"))).await;
    bridge.write(&waiting(&json!(7))).await;
    let params = json!({"requestId": "a", "reason": "took too long"});
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
    bridge.write(cancel.to_string().as_bytes()).await;
    assert_eq!(bridge.ask(1, "ping", json!({})).await["result"], json!({}));
    data(bed.server.post("/api/approvals/create", json!({"message": "may I?"})).await);
    assert_eq!(bridge.next().await.unwrap()["id"], 7);
    assert_eq!(bridge.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn input_end_ends_bridge_while_calls_wait() {
    let bed = Bed::new().await;
    let mut bridge = Bridge::start(&bed.server.data());
    for id in 0..10 {
        bridge.write(&waiting(&json!(id))).await;
    }
    assert_eq!(bridge.ask(11, "ping", json!({})).await["result"], json!({}));
    let begun = Instant::now();
    assert_eq!(bridge.end().await, Vec::<Value>::new());
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn abandoned_waits_leave_room_for_calls() {
    let bed = Bed::new().await;
    let mut bridge = Bridge::start(&bed.server.data());
    for id in 0..70 {
        bridge.write(&waiting(&json!(id))).await;
    }
    let ping = json!({"jsonrpc": "2.0", "id": "ping", "method": "ping"});
    bridge.write(ping.to_string().as_bytes()).await;
    let mut answers = Vec::new();
    for _ in 0..7 {
        answers.push(bridge.next().await.unwrap());
    }
    let (pings, given_up): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer["id"] == "ping");
    assert_eq!(pings.len(), 1, "{answers:?}");
    let mut ids: Vec<_> = given_up.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [0, 1, 2, 3, 4, 5], "the oldest are given up");
    assert!(given_up.iter().all(|answer| answer["error"]["code"] == -32000), "{given_up:?}");
    bridge.end().await;
}

#[tokio::test]
async fn hostile_lines_are_refused_one_by_one_and_the_bridge_goes_on() {
    let server = TestServer::start(FORGE).await;
    let mut bridge = Bridge::start(&server.data());
    let long = vec![b'x'; 10_000_000];
    let lines: [(&[u8], i32); 5] = [
        (b"nonsense", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\xff}", -32700),
        (&long, -32600),
        (b"[]", -32600),
        (b"null", -32600),
    ];
    for (line, number) in lines {
        bridge.write(b"").await;
        bridge.write(line).await;
        let answer = bridge.next().await.unwrap();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(number)), "{answer}");
    }
    assert_eq!(bridge.ask(2, "ping", json!({})).await["result"], json!({}));
    bridge.end().await;
}

#[tokio::test]
async fn the_token_is_found_beside_the_port_and_a_wrong_one_is_told() {
    let server = Setup::new(FORGE).arg("--auth").start().await;
    let mut bridge = Bridge::start(&server.data());
    assert_eq!(bridge.ask(1, "ping", json!({})).await["result"], json!({}));
    let right = crate::read(server.data().join("token"));
    std::fs::write(server.data().join("token"), "wrong\n").unwrap();
    let answer = bridge.ask(2, "ping", json!({})).await;
    assert_eq!(answer["error"]["code"], -32000);
    assert_eq!(answer["error"]["data"]["code"], "token_required");
    std::fs::write(server.data().join("token"), right).unwrap();
    assert_eq!(bridge.ask(3, "ping", json!({})).await["result"], json!({}));
    bridge.end().await;
}
