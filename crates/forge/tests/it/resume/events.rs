//! The event stream.

use std::collections::BTreeSet;

use forge_testkit::server::{Events, Message, TestServer};
use futures::future::join_all;
use reqwest::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::Dice;
use crate::{FORGE, data, project};

/// The last of the tasks that a test makes.
const LAST: &str = "the last";

fn make_task(server: &TestServer, project: &Value, title: &str) -> reqwest::RequestBuilder {
    let body = json!({"project_id": project["id"], "title": title});
    server.request(Method::POST, "/api/tasks").json(&body)
}

async fn make_tasks(server: &TestServer, project: &Value, count: usize) {
    for number in 1..count {
        make_task(server, project, &format!("task {number}")).send().await.unwrap();
    }
    make_task(server, project, LAST).send().await.unwrap();
}

fn is_last(message: &Message) -> bool {
    message.event == "task_update" && message.data["title"] == LAST
}

/// Reads after a position, as a browser resumes, until the last task or at most so many messages.
async fn visit(server: &TestServer, after: i64, most: u64) -> Vec<Message> {
    let request = server.request(Method::GET, "/api/events?after=0").header("last-event-id", after);
    let mut events = Events::open(request).await;
    let mut heard = Vec::new();
    while (heard.len() as u64) < most && !heard.last().is_some_and(is_last) {
        heard.push(events.next().await);
    }
    heard
}

/// Comes and goes until the last task was told; gives the messages that it would keep, which are whole events.
async fn come_and_go(server: &TestServer, seed: u64) -> Vec<Message> {
    let mut dice = Dice(seed);
    let mut kept: Vec<Message> = Vec::new();
    while !kept.last().is_some_and(is_last) {
        let after = kept.iter().rev().find_map(|message| message.id).unwrap_or(0);
        let heard = visit(server, after, dice.roll(9)).await;
        let whole = heard.iter().rposition(|message| message.id.is_some()).map_or(0, |last| last + 1);
        kept.extend(heard.into_iter().take(whole));
    }
    kept
}

#[tokio::test]
async fn readers_that_come_and_go_while_things_happen_hear_everything_once() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let readers = join_all((1..=5).map(|seed| come_and_go(&server, seed)));
    let (heard, ()) = tokio::join!(readers, make_tasks(&server, &project, 60));
    let whole = visit(&server, 0, u64::MAX).await;
    let ids: Vec<_> = whole.iter().filter_map(|message| message.id).collect();
    assert_eq!(ids, (1..=ids.len() as i64).collect::<Vec<_>>());
    for (reader, heard) in heard.into_iter().enumerate() {
        assert_eq!(heard, whole, "reader {reader}");
    }
}

#[tokio::test]
async fn a_reader_that_does_not_read_holds_nobody_up_and_misses_nothing() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let mut idle = server.events(Some(0)).await;
    let mut quick = server.events(Some(0)).await;
    // More than fits between two sockets.
    let body = json!({"project_id": project["id"], "title": "long", "description": "d".repeat(40_000)});
    let mut long = Vec::new();
    for _ in 0..90 {
        let task = data(server.post("/api/tasks", body.clone()).await);
        long.push(task["id"].clone());
    }
    make_tasks(&server, &project, 1).await;
    for events in [&mut quick, &mut idle] {
        let mut heard = Vec::new();
        loop {
            let message = events.next_of(&["task_update"]).await;
            if is_last(&message) {
                break;
            }
            heard.push(message.data["id"].clone());
        }
        assert_eq!(heard, long);
    }
}

#[tokio::test]
async fn what_was_answered_before_a_crash_is_told_after_it_and_nothing_is_told_twice() {
    let mut server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let (mut kept, mut answered) = (Vec::<Message>::new(), BTreeSet::new());
    for round in 0..3 {
        let after = kept.last().and_then(|message| message.id).unwrap_or(0);
        let posting = async {
            // Until the server is gone.
            for number in 0.. {
                let title = format!("task {round}.{number}");
                match make_task(&server, &project, &title).send().await {
                    Ok(answer) if answer.status() == 200 => assert!(answered.insert(title)),
                    Ok(_) | Err(_) => return,
                }
            }
        };
        let reading = async {
            let mut events = server.events(Some(after)).await;
            for _ in 0..10 {
                kept.push(events.next_of(&["project_update", "task_update"]).await);
            }
            let pid = i32::try_from(server.pid()).ok().and_then(Pid::from_raw).unwrap();
            kill_process(pid, Signal::KILL).unwrap();
            // What was under way when it died has arrived, or never will.
            while let Ok(message) = events.try_next().await {
                kept.extend(message.id.is_some().then_some(message));
            }
        };
        tokio::join!(posting, reading);
        server.kill_9().await;
        server.restart().await;
    }
    make_tasks(&server, &project, 1).await;
    let after = kept.last().and_then(|message| message.id).unwrap();
    kept.extend(visit(&server, after, u64::MAX).await.into_iter().filter(|message| message.id.is_some()));
    let ids: Vec<_> = kept.iter().filter_map(|message| message.id).collect();
    assert_eq!(ids, (1..=ids.len() as i64).collect::<Vec<_>>());
    let titles: Vec<_> = kept.iter().filter_map(|message| message.data["title"].as_str()).collect();
    let told: BTreeSet<_> = titles.iter().map(|title| (*title).to_owned()).collect();
    assert_eq!(told.len(), titles.len(), "each once: {titles:?}");
    assert_eq!(answered.difference(&told).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[tokio::test]
async fn who_resumes_at_the_head_hears_what_comes_next() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let whole = server.events(Some(0)).await.next_of(&["project_update"]).await;
    let mut events = server.events(whole.id).await;
    make_tasks(&server, &project, 1).await;
    let next = events.next_of(&["hello", "task_update"]).await;
    assert_eq!((next.id, &next.data["title"]), (whole.id.map(|id| id + 1), &json!(LAST)));
}
