//! What is special about recordings of the Agent Client Protocol: one process takes several turns, the recorder counts
//! its requests over all of them, and asks for more than the driver does.

use std::collections::BTreeMap;

use forge_agent::agents::Agents;
use forge_agent::driver::{Decision, Driver};
use forge_agent::manner::{Manner, Protocol};
use forge_agent::turn::{Approvals, Turn};
use serde_json::{Value, json};

use crate::recorded::{Frame, Run};

/// What the recorder asks for and the driver does not.
const BESIDE: [&str; 3] = ["authenticate", "session/list", "session/close"];

/// The agents that speak it.
pub(crate) const AGENTS: [&str; 15] = [
    "claude-acp",
    "cline",
    "codex-acp",
    "copilot",
    "droid",
    "gemini",
    "goose",
    "grok",
    "kilo",
    "kimi",
    "opencode",
    "openhands",
    "pi",
    "qwen",
    "vibe",
];

/// How the agent is spoken to. Claude Code and Codex are recorded by way of adapters, which Forge does without.
fn manner(agent: &str) -> Manner {
    let adapted = |modes: Value, quirks: Value| {
        serde_json::from_value(json!({ "protocol": "acp", "modes": modes, "quirks": quirks })).unwrap()
    };
    let name = match agent {
        "claude-acp" => {
            let modes = json!({ "ask": "default", "auto": "acceptEdits" });
            return adapted(modes, json!({ "silent": ["_auth/"] }));
        }
        "codex-acp" => {
            let high = "We’re currently experiencing high demand";
            let modes = json!({ "ask": "read-only", "auto": "agent" });
            return adapted(modes, json!({ "silent": ["_auth/"], "errors_as_text": [high] }));
        }
        "qwen" => "QWEN_CODE".to_owned(),
        agent => agent.to_uppercase(),
    };
    Agents::built_in().unwrap().find(&name).unwrap().manner.clone()
}

/// The turns of a process: each after the first finds the program running, with its conversation open.
pub(crate) fn turns(agent: &str, name: &str, run: Run) -> Vec<Run> {
    let asks = name.starts_with("acp-permission") || name == "acp-cancel-permission";
    let approvals = if asks { Approvals::Ask } else { Approvals::Auto };
    let model = (agent == "droid").then(|| "custom:stub-0".to_owned());
    let turn = Turn { manner: manner(agent), approvals, model, ..Turn::new(Protocol::Acp, "") };
    let end = run.end;
    let mut turns = vec![Run { turn, frames: Vec::new(), end }];
    // The recorder's ids, with ours for them where the driver asks the same.
    let mut ids: BTreeMap<String, Option<u64>> = BTreeMap::new();
    let (mut asked, mut busy) = (0, false);
    for frame in run.frames {
        let message = match &frame {
            Frame::In(message) => message.clone(),
            Frame::Out(line) => serde_json::from_slice(line).unwrap_or_default(),
            Frame::Err(_) => Value::Null,
        };
        let id = message["id"].to_string();
        let frame = match (frame, message["method"].as_str()) {
            (Frame::In(_), Some(method)) if BESIDE.contains(&method) => {
                ids.insert(id, None);
                continue;
            }
            (Frame::In(mut message), Some(method)) if message.get("id").is_some() => {
                let params = &message["params"];
                let session = params["sessionId"].as_str().map(str::to_owned);
                if method == "session/load" || method == "session/resume" {
                    turns.last_mut().unwrap().turn.resume = session.clone();
                }
                let now = &mut turns.last_mut().unwrap().turn;
                let prompt = params["prompt"][0]["text"].as_str();
                if let Some(prompt) = prompt.filter(|_| !busy) {
                    if !now.prompt.is_empty() {
                        let turn = Turn { resume: session, warm: true, model: None, ..now.clone() };
                        turns.push(Run { turn, frames: Vec::new(), end });
                        asked = 0;
                    }
                    turns.last_mut().unwrap().turn.prompt = prompt.to_owned();
                    busy = true;
                }
                asked += 1;
                ids.insert(id, Some(asked));
                message["id"] = json!(asked);
                Frame::In(message)
            }
            (Frame::Out(_), None) if message.get("id").is_some() => {
                let Some(ours) = ids[&id] else { continue };
                busy &= message["result"].get("stopReason").is_none() && message.get("error").is_none();
                let mut message = message;
                message["id"] = json!(ours);
                Frame::Out(format!("{message}\n").into_bytes())
            }
            (frame, _) => frame,
        };
        turns.last_mut().unwrap().frames.push(frame);
    }
    turns
}

/// The recorder calls itself otherwise, gave no reasons, had history told to it where it need not be, and set modes as
/// modes where only an option was offered.
pub(crate) fn assert_same(ours: &Value, recorded: &Value) {
    assert_eq!(ours["id"], recorded["id"], "{ours} in place of {recorded}");
    let method = |message: &Value| message["method"].as_str().unwrap_or_default().to_owned();
    match (method(ours).as_str(), method(recorded).as_str()) {
        ("initialize", "initialize") => {
            assert_eq!(ours["params"]["clientCapabilities"], recorded["params"]["clientCapabilities"]);
        }
        ("session/set_config_option", "session/set_mode") => {
            assert_eq!(ours["params"]["value"], recorded["params"]["modeId"]);
        }
        (now, then) => {
            let without_history = now == "session/resume" && then == "session/load";
            assert!(now == then || without_history, "{ours} in place of {recorded}");
            assert_eq!(ours["params"], recorded["params"]);
            assert_eq!(ours["result"]["outcome"], recorded["result"]["outcome"]);
            // The recorder wrote files for whoever asked it to, without having offered that.
            let wrote = recorded["result"] == json!({});
            assert!(
                wrote || ours["error"]["code"] == recorded["error"]["code"],
                "{ours} in place of {recorded}"
            );
        }
    }
}

/// Gives the driver the decisions of people, and the time, that lie behind a recorded message.
pub(crate) fn decide(driver: &mut Driver, message: &Value) {
    // The recorder waited by itself for the minute in which some agents can load a conversation.
    if message["method"] == "session/load"
        && let Some(at) = driver.wake_at()
    {
        driver.woke(at);
    }
    if message["method"] == "session/cancel" {
        driver.interrupt();
    }
    let Some(chosen) = message["result"]["outcome"]["optionId"].as_str() else { return };
    let denies = ["reject", "cancel"].iter().any(|word| chosen.contains(word));
    let decision = if denies {
        Decision::Deny { choice: None, message: String::new() }
    } else {
        Decision::Allow { choice: None }
    };
    let id = message["id"].as_str().map_or_else(|| message["id"].to_string(), str::to_owned);
    driver.answer(&id, &decision);
}
