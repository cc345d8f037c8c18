//! What a run prints, as plain frames: whole, from any position on, and of the agent that worked last.

use serde_json::{Value, json};

use crate::ground::{Ground, Held};
use crate::runs::{Started, start};

struct Frame {
    stream: &'static str,
    text: String,
    position: u64,
    process: String,
}

/// The frames that come until the socket closes, which has to be after `finished`.
async fn frames(ground: &Ground, path: &str) -> Vec<Frame> {
    let mut socket = ground.server.logs_at(path).await;
    let (mut frames, mut finished) = (Vec::new(), false);
    while let Some(text) = socket.next_frame().await {
        assert!(!finished, "nothing comes after the end");
        let frame: Value = serde_json::from_str(&text).unwrap();
        if frame == json!({"finished": true}) {
            finished = true;
            continue;
        }
        frames.push(of(&frame));
    }
    assert!(finished, "the end is told");
    assert_eq!(socket.close_code(), Some(1000));
    frames
}

fn of(frame: &Value) -> Frame {
    let stream = if frame.get("Stdout").is_some() { "Stdout" } else { "Stderr" };
    assert_eq!(frame.as_object().unwrap().len(), 3, "{frame}");
    Frame {
        stream,
        text: frame[stream].as_str().unwrap().to_owned(),
        position: frame["position"].as_u64().unwrap(),
        process: frame["execution_process_id"].as_str().unwrap().to_owned(),
    }
}

fn stdout(frames: &[Frame]) -> String {
    frames.iter().filter(|frame| frame.stream == "Stdout").map(|frame| frame.text.as_str()).collect()
}

/// What the raw log of a process says.
async fn raw(ground: &Ground, process: &str) -> String {
    let printed = ground.server.logs(process, 0).await.rest().await;
    printed.into_iter().filter(|entry| entry.stream == "STDOUT").map(|entry| entry.text).collect()
}

#[tokio::test]
async fn a_run_is_heard_live_and_afterwards_from_any_position_on() {
    let ground = Ground::new().await;
    let held = Held::at(ground.own("gate"));
    let steps = format!("@say début €\n@bad-utf8\n@wait-fifo {}\n@flood 500 80\n@say fin", held.path());
    let run: Started = start(&ground, &steps).await;
    let mut live = ground.server.logs_at(&run.path("/logs/ws")).await;
    let (mut heard, mut position) = (String::new(), 0);
    while !heard.contains("début €") {
        let frame = of(&serde_json::from_str(&live.next_frame().await.unwrap()).unwrap());
        assert_eq!((frame.stream, frame.process.as_str()), ("Stdout", run.process()));
        assert!(frame.position > position);
        position = frame.position;
        heard.push_str(&frame.text);
    }
    // A reader that broke off goes on where it was, while it still prints.
    drop(live);
    held.let_go();
    let rest = frames(&ground, &run.path(&format!("/logs/ws?after={position}"))).await;
    heard.push_str(&stdout(&rest));
    run.finished(&ground).await;
    let whole = raw(&ground, run.process()).await;
    assert!(whole.contains("fin"));
    assert_eq!(heard, whole);

    let all = frames(&ground, &run.path("/logs/ws")).await;
    assert_eq!(stdout(&all), whole);
    assert!(all.is_sorted_by(|a, b| a.position < b.position));
    for cut in all.iter().map(|frame| frame.position) {
        let before: String =
            stdout(&all.iter().filter(|frame| frame.position <= cut).map(copy).collect::<Vec<_>>());
        let after = frames(&ground, &run.path(&format!("/logs/ws?after={cut}"))).await;
        assert_eq!(before + &stdout(&after), whole, "after {cut}");
    }
    assert!(frames(&ground, &run.path("/logs/ws?after=99999999")).await.is_empty());
}

fn copy(frame: &Frame) -> Frame {
    Frame { text: frame.text.clone(), process: frame.process.clone(), ..*frame }
}

#[tokio::test]
async fn the_newest_agent_is_heard_unless_another_is_named() {
    let ground = Ground::new().await;
    let run = start(&ground, "@say first").await;
    run.finished(&ground).await;
    assert_eq!(run.follow_up(&ground, "@say second").await.0, 200);
    run.finished(&ground).await;
    let processes = run.processes(&ground).await;
    let ids: Vec<&str> = processes.iter().map(|process| process["id"].as_str().unwrap()).collect();
    let newest = frames(&ground, &run.path("/logs/ws")).await;
    assert!(newest.iter().all(|frame| frame.process == ids[1]));
    assert_eq!(stdout(&newest), raw(&ground, ids[1]).await);
    let first = frames(&ground, &run.path(&format!("/logs/ws?execution_process_id={}", ids[0]))).await;
    assert!(first.iter().all(|frame| frame.process == ids[0]));
    assert_eq!(stdout(&first), raw(&ground, ids[0]).await);
    let (status, _) = ground.server.get(&run.path("/logs/ws")).await;
    assert!((400..500).contains(&status), "a plain GET is refused: {status}");
}
