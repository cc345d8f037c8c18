//! What is special about recordings of Codex' app-server: its requests have other ids than the recorder's, and one
//! process takes several turns.

use std::collections::BTreeMap;

use forge_agent::driver::{Decision, Driver, Outgoing};
use forge_agent::turn::Turn;
use serde_json::{Value, json};

use crate::recorded::{Frame, Logged, Run};

/// The driver's ids for the recorder's requests.
#[derive(Default)]
pub(crate) struct Ids(BTreeMap<String, &'static str>);

impl Ids {
    pub(crate) fn rename(&mut self, record: &mut Value) {
        if record.get("msg").is_none() {
            return;
        }
        let dir = record["dir"].as_str().unwrap().to_owned();
        let message = &mut record["msg"];
        let id = message["id"].to_string();
        match (dir.as_str(), message["method"].as_str()) {
            ("in", Some(method)) if message.get("id").is_some() => {
                let ours = match method {
                    "initialize" => "forge-initialize",
                    "thread/start" | "thread/resume" => "forge-thread",
                    "turn/start" => "forge-turn",
                    "turn/interrupt" => "forge-interrupt",
                    "turn/steer" => "steer",
                    other => panic!("{other} is not known here"),
                };
                message["id"] = json!(ours);
                self.0.insert(id, ours);
            }
            ("out", None) if message.get("id").is_some() => message["id"] = json!(self.0[&id]),
            _ => {}
        }
    }
}

/// The turns of a process: each after the first finds the program running, with its thread open.
pub(crate) fn turns(run: Run) -> Vec<Run> {
    let end = run.end;
    let mut turns = vec![Run { frames: Vec::new(), ..run }];
    let mut thread = None;
    for frame in run.frames {
        if let Frame::In(message) = &frame {
            let method = message["method"].as_str().unwrap_or_default();
            let now = turns.last_mut().unwrap();
            if method == "thread/resume" {
                now.turn.resume = message["params"]["threadId"].as_str().map(str::to_owned);
            }
            if method == "turn/start" {
                let resume = message["params"]["threadId"].as_str().map(str::to_owned);
                let prompt = message["params"]["input"][0]["text"].as_str().unwrap().to_owned();
                if thread.is_some() {
                    let turn = Turn { resume: resume.clone(), warm: true, ..now.turn.clone() };
                    turns.push(Run { turn, frames: Vec::new(), end });
                }
                turns.last_mut().unwrap().turn.prompt = prompt;
                thread = resume;
            }
        }
        turns.last_mut().unwrap().frames.push(frame);
    }
    turns
}

/// What the driver sends next, after what it sends beside what the recorder did: it wants to know the models.
pub(crate) fn next(driver: &mut Driver, log: &mut Vec<Logged>) -> Option<Outgoing> {
    loop {
        match driver.take()?.1 {
            Outgoing::Write(line)
                if serde_json::from_slice::<Value>(&line).unwrap()["method"] == "model/list" =>
            {
                driver.sent(&line, 0);
                log.push(Logged::In(line));
            }
            other => return Some(other),
        }
    }
}

/// The recorder had other settings and resumed threads where the driver forks them.
pub(crate) fn assert_same(ours: &Value, recorded: &Value) {
    assert_eq!(ours["id"], recorded["id"]);
    match recorded["method"].as_str() {
        Some("thread/resume") => {
            assert_eq!(ours["method"], "thread/fork");
            assert_eq!(ours["params"]["threadId"], recorded["params"]["threadId"]);
        }
        Some("turn/start" | "turn/interrupt") => assert_eq!(ours, recorded),
        Some(method) => assert_eq!(ours["method"], method),
        None => assert_eq!(ours["result"]["decision"], recorded["result"]["decision"]),
    }
}

/// Gives the driver the decisions of people that lie behind a recorded message.
pub(crate) fn decide(driver: &mut Driver, message: &Value) {
    if message["method"] == "turn/interrupt" {
        driver.interrupt();
    }
    let decision = match message["result"]["decision"].as_str() {
        Some("accept") => Decision::Allow { choice: None },
        Some(_) => Decision::Deny { choice: None, message: String::new() },
        None => return,
    };
    driver.answer(&message["id"].to_string(), &decision);
}
