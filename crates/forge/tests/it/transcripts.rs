//! What agents said and did, over the wire: in the contract's frames, live, resumed, and after the end.

use forge_testkit::gate::Gate;
use forge_testkit::repo::TempRepo;
use forge_testkit::server::{Events, Setup};
use forge_testkit::turnstile::Turnstile;
use reqwest::Method;
use serde_json::{Value, json};

use crate::ground::{Ground, Started};
use crate::{FORGE, code, data};

/// An agent that prints what the contract's sample was made of, a line each time it is let through.
const SAMPLE: [&str; 7] = [
    r#"{"type":"system","subtype":"init","model":"claude-x","session_id":"s","cwd":"/repo"}"#,
    r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I will edit a file"}]}}"#,
    r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"tu1","name":"Bash","input":{"command":"ls -la","description":null}}]}}"#,
    r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"tu1","content":"{\"output\":\"total 0\",\"exitCode\":0}"}]}}"#,
    "warn on stderr",
    r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"done"}]}}"#,
    r#"{"type":"result","subtype":"success","is_error":false,"result":"done"}"#,
];

/// Contract A14, but for what is wrong there: a command keeps its text, and a tool keeps what it was called with.
const FRAMES: [&str; 7] = [
    r#"{"op":"add","path":"/entries/0","value":{"type":"NORMALIZED_ENTRY","content":{"timestamp":null,"entry_type":{"type":"user_message"},"content":"hello","metadata":{"type":"text","text":"hello"}}}}"#,
    r#"{"op":"add","path":"/entries/1","value":{"type":"NORMALIZED_ENTRY","content":{"timestamp":null,"entry_type":{"type":"system_message"},"content":"System initialized with model: claude-x","metadata":null}}}"#,
    r#"{"op":"add","path":"/entries/2","value":{"type":"NORMALIZED_ENTRY","content":{"timestamp":null,"entry_type":{"type":"assistant_message"},"content":"I will edit a file","metadata":{"type":"text","text":"I will edit a file"}}}}"#,
    r#"{"op":"add","path":"/entries/3","value":{"type":"NORMALIZED_ENTRY","content":{"timestamp":null,"entry_type":{"type":"tool_use","tool_name":"Bash","action_type":{"action":"command_run","command":"ls -la","result":null},"status":{"status":"created"}},"content":"`ls -la`","metadata":{"type":"tool_use","id":"tu1","name":"Bash","input":{"command":"ls -la","description":null},"tool_call_id":"tu1"}}}}"#,
    r#"{"op":"replace","path":"/entries/3","value":{"type":"NORMALIZED_ENTRY","content":{"timestamp":null,"entry_type":{"type":"tool_use","tool_name":"Bash","action_type":{"action":"command_run","command":"ls -la","result":{"exit_status":{"type":"exit_code","code":0},"output":"total 0"}},"status":{"status":"success"}},"content":"`ls -la`","metadata":{"type":"tool_use","id":"tu1","name":"Bash","input":{"command":"ls -la","description":null},"tool_call_id":"tu1"}}}}"#,
    r#"{"op":"add","path":"/entries/4","value":{"type":"NORMALIZED_ENTRY","content":{"timestamp":null,"entry_type":{"type":"system_message"},"content":"warn on stderr\n","metadata":{"type":"stderr"}}}}"#,
    r#"{"op":"add","path":"/entries/5","value":{"type":"NORMALIZED_ENTRY","content":{"timestamp":null,"entry_type":{"type":"assistant_message"},"content":"done","metadata":{"type":"text","text":"done"}}}}"#,
];

#[tokio::test]
async fn the_frames_of_one_run_are_those_of_the_contract() {
    let repo = TempRepo::new();
    let gate = Turnstile::new(&repo.beside("gate"));
    let mut agent = String::from(
        "read -r _; echo '{\"type\":\"control_response\",\"response\":{\"request_id\":\"forge-initialize\"}}'\nread -r _\n",
    );
    for line in SAMPLE {
        let to = if line.starts_with('{') { "" } else { " >&2" };
        agent.push_str(&format!("{}; echo '{line}'{to}\n", gate.wait()));
    }
    agent.push_str("cat >/dev/null");
    let ground = Ground::on(Setup::new(FORGE).agent(agent), repo, json!({})).await;
    let mut body = ground.body("");
    body["task"] = json!({"project_id": ground.project["id"], "title": "hello"});
    let started = Started { answer: data(ground.try_start(body).await) };

    let mut live = ground.server.transcript(started.process()).await;
    let mut last = 0;
    for (place, expected) in FRAMES.iter().enumerate() {
        if place > 0 {
            gate.open();
        }
        let frame = live.next().await.unwrap();
        assert_eq!(*frame, format!(r#"{{"JsonPatch":[{expected}],"position":{}}}"#, live.position()));
        assert!(live.position() > last, "positions grow");
        last = live.position();
    }
    gate.open();
    assert_eq!(live.next().await.unwrap().as_str(), r#"{"finished":true}"#);
    assert_eq!(live.next().await, None);
    assert_eq!(live.end(), (true, Some(1000)));

    // Whoever comes later gets the same, in fewer frames.
    let mut later = ground.server.transcript(started.process()).await;
    assert_eq!(later.rest().await, live.entries);
    assert_eq!(later.end(), (true, Some(1000)));

    // Contract A15: the raw log has its own shape.
    let mut raw = ground.server.logs(started.process(), 0).await;
    let mut frames = String::new();
    while let Some(frame) = raw.next_frame().await {
        frames.push_str(&frame);
    }
    assert!(frames.contains(r#""value":{"type":"STDERR","content":"warn on stderr\n"}"#), "{frames}");
    assert!(frames.ends_with(r#"{"finished":true}"#), "{frames}");
}

#[tokio::test]
async fn only_agents_have_a_transcript() {
    let ground = Ground::with(json!({"setup_script": "echo hello"})).await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    let processes = ground.processes(&started).await;
    let path = |process: &Value| {
        format!("/api/execution-processes/{}/normalized-logs/ws", process["id"].as_str().unwrap())
    };
    let unknown = json!({"id": "35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42"});
    for (process, expected) in [(&processes[0], "no_transcript"), (&unknown, "not_found")] {
        let url = ground.server.url(&path(process)).replacen("http", "ws", 1);
        let Err(tokio_tungstenite::tungstenite::Error::Http(answer)) =
            tokio_tungstenite::connect_async(url).await
        else {
            panic!("{process} has no transcript")
        };
        let body: Value = serde_json::from_slice(answer.body().as_ref().unwrap()).unwrap();
        assert_eq!((answer.status().as_u16(), code(&body)), (404, expected));
    }
    let (_, plain) = ground.server.get(&path(&processes[1])).await;
    assert_eq!(code(&plain), "websocket_expected");
}

/// Kinds and contents of the entries that the scripted agent makes.
fn told(entries: &[Value]) -> Vec<(&str, &str)> {
    entries
        .iter()
        .map(|entry| (entry["entry_type"]["type"].as_str().unwrap(), entry["content"].as_str().unwrap()))
        .collect()
}

#[tokio::test]
async fn an_agent_reads_as_it_went() {
    let ground = Ground::new().await;
    let steps = "@think hm\n@say Here it goes.\n@edit a.txt one\n@bad-utf8\n@say Done.";
    let started = ground.start(steps).await;
    let mut transcript = ground.server.transcript(started.process()).await;
    let entries = transcript.rest().await;
    let told = told(entries);
    assert_eq!(told[0].0, "user_message");
    assert!(told[0].1.ends_with(steps), "{told:?}");
    assert_eq!(told[1], ("system_message", "System initialized with model: scripted"));
    assert_eq!(told[2], ("thinking", "hm"));
    assert_eq!(told[3], ("assistant_message", "Here it goes."));
    assert_eq!(told[4], ("tool_use", "`a.txt`"));
    assert_eq!(entries[4]["entry_type"]["status"], json!({"status": "success"}));
    let change = json!([{"action": "write", "content": "one\n"}]);
    assert_eq!(entries[4]["entry_type"]["action_type"]["changes"], change);
    assert_eq!(told[5].0, "system_message", "what is no text is told all the same: {told:?}");
    assert_eq!(told[6], ("assistant_message", "Done."));
    assert_eq!(told.len(), 7);
}

#[tokio::test]
async fn a_transcript_resumed_anywhere_comes_to_the_same() {
    let ground = Ground::new().await;
    let steps: String = (0..12).map(|n| format!("@say {n}\n@edit {n}.txt {n}\n")).collect();
    let started = ground.start(&steps).await;
    ground.finished(&started).await;
    let whole = ground.server.transcript(started.process()).await.rest().await.to_vec();
    assert_eq!(whole.len(), 2 + 2 * 12);
    let last = ground.server.logs(started.process(), 0).await.rest().await.len() as u64;
    for after in 0..last + 10 {
        let path = format!("/api/execution-processes/{}/normalized-logs/ws?after={after}", started.process());
        let mut socket = ground.server.logs_at(&path).await;
        let mut frames: Vec<Value> = Vec::new();
        while let Some(frame) = socket.next_frame().await {
            frames.push(serde_json::from_str(&frame).unwrap());
        }
        assert_eq!(frames.pop().unwrap(), json!({"finished": true}), "after {after}");
        let mut added = Vec::new();
        for operation in frames.iter().flat_map(|frame| frame["JsonPatch"].as_array().unwrap()) {
            let at: usize =
                operation["path"].as_str().unwrap().strip_prefix("/entries/").unwrap().parse().unwrap();
            assert_eq!(operation["value"]["content"], whole[at], "after {after}");
            added.extend((operation["op"] == "add").then_some(at));
        }
        // What is new is the end of the whole.
        assert!(added.iter().copied().eq(whole.len() - added.len()..whole.len()), "after {after}: {added:?}");
        assert!(after > 0 || added.len() == whole.len(), "{added:?}");
    }
}

#[tokio::test]
async fn readers_that_come_and_go_over_crashes_of_the_server_have_the_same_in_the_end() {
    let mut ground = Ground::new().await;
    let gate = Gate::new(ground.own("gate"));
    let started = ground.start(&format!("@chatter {}\n@edit a.txt one", gate.path().display())).await;
    let process = started.process().to_owned();
    let mut kept: Vec<(Vec<Value>, u64)> = vec![(Vec::new(), 0); 5];
    for round in 1..=4 {
        for (reader, (entries, position)) in kept.iter_mut().enumerate() {
            let mut transcript =
                ground.server.transcript_after(&process, std::mem::take(entries), *position).await;
            // Each at another place.
            transcript.until(round * 4 + reader).await;
            (*entries, *position) = (transcript.entries.clone(), transcript.position());
        }
        ground.server.kill_9().await;
        ground.server.restart().await;
    }
    gate.open().await;
    ground.finished(&started).await;
    let whole = ground.server.transcript(&process).await.rest().await.to_vec();
    assert_eq!(whole.last().unwrap()["content"], "`a.txt`");
    let lines: Vec<_> = whole[2..whole.len() - 1].iter().map(|entry| entry["content"].clone()).collect();
    assert_eq!(lines, (1..=lines.len()).map(|n| json!(format!("line {n}"))).collect::<Vec<_>>());
    for (entries, position) in kept {
        let mut transcript = ground.server.transcript_after(&process, entries, position).await;
        assert_eq!(transcript.rest().await, whole);
    }
}

#[tokio::test]
async fn a_flood_of_entries_arrives_whole_live_and_later() {
    const LINES: usize = 20_000;
    let ground = Ground::new().await;
    let gate = Gate::new(ground.own("gate"));
    let started = ground.start(&format!("@wait-fifo {}\n@flood {LINES}", gate.path().display())).await;
    let mut live = ground.server.transcript(started.process()).await;
    gate.open().await;
    live.rest().await;
    assert_eq!(live.entries.len(), LINES + 2);
    assert_eq!(live.entries[LINES + 1]["entry_type"]["type"], "assistant_message");
    let mut later = ground.server.transcript(started.process()).await;
    assert!(later.rest().await == live.entries, "what is read later is what was read live");
}

#[tokio::test]
async fn an_agent_is_read_along_as_server_sent_events() {
    let ground = Ground::new().await;
    let gate = Gate::new(ground.own("gate"));
    let started = ground.start(&format!("@say one\n@wait-fifo {}\n@say two", gate.path().display())).await;
    let path = format!("/api/task-attempts/{}/logs/stream", started.attempt());
    let mut events = Events::open(ground.server.request(Method::GET, &path)).await;
    let mut all = Vec::new();
    while all.last() != Some(&json!("one")) {
        let message = events.next().await;
        assert_eq!(message.data["type"], "log");
        assert_eq!(message.data["index"], all.len());
        all.push(message.data["content"].clone());
    }
    gate.open().await;
    let two = events.next().await;
    assert_eq!(
        (&two.data["content"], &two.data["entry"]["entry_type"]["type"]),
        (&json!("two"), &json!("assistant_message"))
    );
    let status = events.next().await;
    assert_eq!(status.data["type"], "status");
    assert_eq!(events.next().await.event, "finished");
    assert!(events.try_next().await.is_err(), "it ends");

    // Who comes back goes on where it was.
    let place = two.place.unwrap();
    let come_back = || ground.server.request(Method::GET, &path).header("last-event-id", &place);
    // There is nothing more of this turn: 204 keeps a browser from coming back for ever.
    assert_eq!(come_back().send().await.unwrap().status(), 204);
    // Places of one turn mean nothing in the next: who comes back then gets all of it.
    ground.finished(&started).await;
    let again = data(ground.follow_up(&started, "@say three").await);
    ground.finished(&started).await;
    let mut events = Events::open(come_back()).await;
    assert_eq!(events.next().await.data["content"], "@say three");
    let heard = events.next_of(&["message"]).await;
    assert!(heard.place.is_none_or(|place| place.starts_with(again["id"].as_str().unwrap())));
    let bad = ground.server.request(Method::GET, &path).header("last-event-id", "7").send().await.unwrap();
    assert_eq!(bad.status(), 400);
    let (status, unknown) = ground.server.get(&path.replace(started.attempt(), started.task())).await;
    assert_eq!((status, code(&unknown)), (404, "not_found"));
}

#[tokio::test]
async fn before_its_agent_has_begun_an_attempt_has_nothing_to_read_along() {
    let repo = TempRepo::new();
    let gate = Turnstile::new(&repo.beside("gate"));
    let ground = Ground::on(Setup::new(FORGE), repo, json!({"setup_script": gate.wait()})).await;
    let started = ground.start("@say hello").await;
    let (status, body) =
        ground.server.get(&format!("/api/task-attempts/{}/logs/stream", started.attempt())).await;
    assert_eq!((status, code(&body)), (404, "no_transcript"));
    gate.open();
    ground.finished(&started).await;
}

/// An older client has only the id that a start gave it, which is the attempt's, and calls it a task's.
#[tokio::test]
async fn an_attempt_is_read_told_more_and_stopped_under_its_own_id_as_if_it_were_a_task() {
    let ground = Ground::new().await;
    let started = ground.start("@say one").await;
    ground.finished(&started).await;
    let path = format!("/api/tasks/{}", started.attempt());
    let found = data(ground.server.get(&path).await);
    assert_eq!(found["id"], started.task());
    assert_eq!(found["task_attempt"]["id"], started.attempt());
    assert_eq!(found["task_attempt"]["status"], "completed");
    let plain = data(ground.server.get(&format!("/api/tasks/{}", started.task())).await);
    assert_eq!(plain.get("task_attempt"), None);

    let told = data(ground.server.put(&path, json!({"description": "@until-told"})).await);
    assert_eq!(told["task_attempt"]["status"], "running");
    let kept = data(ground.server.get(&path).await);
    assert_eq!(kept["description"], plain["description"], "the task itself stays as it was");
    let stopped = data(ground.server.put(&path, json!({"status": "cancelled"})).await);
    assert_eq!(stopped["task_attempt"]["status"], "killed");
    assert_ne!(stopped["status"], "cancelled", "the task itself stays as it was");
    assert_eq!(ground.processes(&started).await.len(), 2);

    let (status, refused) = ground.server.put(&path, json!({"title": "x"})).await;
    assert_eq!((status, code(&refused)), (422, "not_a_task"));
    let unknown = "/api/tasks/35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42";
    let (status, refused) = ground.server.put(unknown, json!({"status": "cancelled"})).await;
    assert_eq!((status, code(&refused)), (404, "not_found"));
}
