//! Recorded conversations with the real program, as the driver would have had them.

use std::fs;
use std::path::Path;

use forge_agent::driver::{Decision, Driver, Outgoing, Seen};
use forge_agent::manner::Protocol;
use forge_agent::turn::{Approvals, Turn};
use forge_model::{End, Usage};
use serde_json::Value;

use crate::{recorded_acp as acp, recorded_codex as codex, snapshots};

/// One process of a recording.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) turn: Turn,
    pub(crate) frames: Vec<Frame>,
    pub(crate) end: End,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Frame {
    In(Value),
    Out(Vec<u8>),
    Err(Vec<u8>),
}

/// The names of all recordings of an agent that begin so.
pub(crate) fn names(agent: &str, prefix: &str) -> Vec<String> {
    let files = fs::read_dir(folder().join(agent)).unwrap();
    let files = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        files.filter_map(|file| file.strip_suffix(".jsonl").map(str::to_owned)).collect();
    names.retain(|name| name.starts_with(prefix));
    names.sort();
    names
}

/// Every recording: the agent, and the name.
pub(crate) fn all() -> Vec<(String, String)> {
    let folders = fs::read_dir(folder()).unwrap();
    let mut agents: Vec<String> =
        folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    agents.sort();
    let of = |agent: String| names(&agent, "").into_iter().map(move |name| (agent.clone(), name));
    agents.into_iter().flat_map(of).collect()
}

/// The recordings in which the driver says what the recorder said. It did more: it told an agent something while it
/// was at work, which Forge never does.
pub(crate) fn led() -> Vec<(String, String)> {
    let is_led = |name: &str| {
        let two_way = name.starts_with("stream-") || name.starts_with("server-");
        two_way && !["stream-second-message", "server-steer"].contains(&name)
    };
    all().into_iter().filter(|(_, name)| is_led(name)).collect()
}

/// The processes of a recording, one after the other.
pub(crate) fn runs(agent: &str, name: &str) -> Vec<Run> {
    let text = fs::read_to_string(folder().join(agent).join(name).with_extension("jsonl")).unwrap();
    // The recorder chose other ids for its own requests than the driver does.
    let text = text.replace("\"init-1\"", "\"forge-initialize\"").replace("\"int-1\"", "\"forge-interrupt\"");
    let mut runs = Vec::new();
    let mut ids = codex::Ids::default();
    for mut record in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        if name.starts_with("server-") {
            ids.rename(&mut record);
        }
        let line = || match record.get("msg") {
            Some(message) => format!("{message}\n").into_bytes(),
            None => format!("{}\n", record["text"].as_str().unwrap()).into_bytes(),
        };
        match (record["dir"].as_str().unwrap(), record["msg"]["event"].as_str()) {
            ("meta", Some("start")) => runs.push(begin(agent, name, &record["msg"]["argv"])),
            ("meta", Some("exit")) => last(&mut runs).end = ended(&record["msg"]["status"]),
            ("in", _) => last(&mut runs).say(record["msg"].clone()),
            ("out" | "sse", _) => last(&mut runs).frames.push(Frame::Out(line())),
            ("err", _) => last(&mut runs).frames.push(Frame::Err(line())),
            _ => {}
        }
    }
    let mut runs = match name.split_once('-') {
        Some(("server", _)) => runs.into_iter().flat_map(codex::turns).collect(),
        Some(("acp", _)) => runs.into_iter().flat_map(|run| acp::turns(agent, name, run)).collect(),
        _ => runs,
    };
    // They are turns of one conversation.
    let mut spent = Usage::default();
    for run in &mut runs {
        run.turn.spent = Some(spent);
        spent += snapshots::see(run).1.usage;
    }
    runs
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/recorded"))
}

fn last(runs: &mut [Run]) -> &mut Run {
    runs.last_mut().unwrap()
}

fn begin(agent: &str, name: &str, argv: &Value) -> Run {
    let argv: Vec<&str> = argv.as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    let resume = argv.iter().position(|arg| *arg == "--resume").map(|at| argv[at + 1].to_owned());
    let protocol = match (agent, name.split_once('-').unwrap().0) {
        ("claude", _) => Protocol::Claude,
        (_, "server") => Protocol::Codex,
        (_, "acp") => Protocol::Acp,
        _ => Protocol::Lines,
    };
    let mut turn = Turn { resume, approvals: Approvals::Ask, ..Turn::new(protocol, "") };
    if protocol == Protocol::Lines {
        let like = match (agent, name.split_once('-').unwrap().0) {
            (_, "serve") => "opencode-serve",
            ("kilo", _) => "opencode",
            ("qwen", _) => "stream-json",
            (agent, _) => agent,
        };
        turn.manner.lines.like = Some(like.to_owned());
        // The prompts of the recorder hold steps in brackets.
        turn.prompt =
            argv.iter().find(|arg| arg.contains("[[")).map_or_else(String::new, |arg| (*arg).to_owned());
    }
    Run { turn, frames: Vec::new(), end: End::Lost }
}

fn ended(status: &Value) -> End {
    let code = i32::try_from(status.as_i64().unwrap()).unwrap();
    if code < 0 { End::Signaled { signal: -code } } else { End::Exited { code } }
}

impl Run {
    fn say(&mut self, message: Value) {
        if message["type"] == "user" && self.turn.prompt.is_empty() {
            self.turn.prompt = message["message"]["content"][0]["text"].as_str().unwrap().to_owned();
        }
        self.frames.push(Frame::In(message));
    }

    pub(crate) fn driver(&self) -> Driver {
        Driver::new(&self.turn)
    }

    /// Has the driver lead the conversation: what it sends must be what the recorder sent. The recorder goes on
    /// talking after a turn, where Forge begins a new process; there the conversation ends.
    pub(crate) fn lead(&self) -> Led {
        let mut driver = self.driver();
        let mut log = Vec::new();
        let mut seen = Vec::new();
        let mut finished = false;
        for frame in &self.frames {
            match frame {
                Frame::In(_) if finished => break,
                Frame::In(message) => {
                    decide(&mut driver, message);
                    match codex::next(&mut driver, &mut log) {
                        Some(Outgoing::Write(line)) => {
                            let ours = serde_json::from_slice::<Value>(&line).unwrap();
                            match self.turn.manner.protocol {
                                Protocol::Codex => codex::assert_same(&ours, message),
                                Protocol::Acp => acp::assert_same(&ours, message),
                                _ => assert_eq!(ours, *message),
                            }
                            driver.sent(&line, 0);
                            log.push(Logged::In(line));
                        }
                        other => panic!("{message} was to be sent, not {other:?}"),
                    }
                }
                Frame::Out(line) => {
                    seen.extend(driver.received(line, 0));
                    finished |= matches!(seen.last(), Some(Seen::Finished(_)));
                    log.push(Logged::Out(line.clone()));
                }
                Frame::Err(line) => {
                    driver.complained(line);
                }
            }
        }
        let more = codex::next(&mut driver, &mut log);
        if finished {
            assert_eq!(more, None, "whether a program is kept is not the protocol's to say");
            driver.release();
            assert!(matches!(driver.take(), Some((_, Outgoing::Close))), "who is not kept is closed");
            drop(driver.closed(0));
            log.push(Logged::Close);
        }
        assert_eq!(driver.take(), None);
        Led { driver, seen, log }
    }
}

impl Run {
    /// Restarts the driver after each frame in turn: it must send what was not sent, and nothing twice.
    pub(crate) fn restart_anywhere(&self) {
        let whole = self.lead().log;
        let mut failure = None;
        for cut in 0..=whole.len() {
            let (before, after) = whole.split_at(cut);
            let mut driver = self.driver();
            for logged in before {
                logged.replay(&mut driver);
            }
            let mut place = before.iter().filter(|logged| !matches!(logged, Logged::Out(_))).count() as u64;
            for logged in after {
                if let Logged::Out(_) = logged {
                    logged.replay(&mut driver);
                    continue;
                }
                // People decide anew what they decided before.
                if let Logged::In(line) = logged {
                    decide(&mut driver, &serde_json::from_slice(line).unwrap());
                }
                let sent = driver.take().map(|(at, outgoing)| (at, Logged::from(outgoing)));
                assert_eq!(sent, Some((place, logged.clone())), "restarted after {cut} frames");
                logged.replay(&mut driver);
                place += 1;
            }
            assert_eq!(driver.take(), None, "restarted after {cut} frames");
            let now = driver.finish(self.end).failure;
            assert_eq!(*failure.get_or_insert_with(|| now.clone()), now);
        }
    }
}

/// Gives the driver the decisions of people that lie behind a recorded message.
pub(crate) fn decide(driver: &mut Driver, message: &Value) {
    codex::decide(driver, message);
    acp::decide(driver, message);
    if message["request"]["subtype"] == "interrupt" {
        driver.interrupt();
    }
    let response = &message["response"]["response"];
    let decision = match response["behavior"].as_str() {
        Some("allow") => Decision::Allow { choice: None },
        Some(_) => Decision::Deny { choice: None, message: response["message"].as_str().unwrap().to_owned() },
        None => return,
    };
    driver.answer(message["response"]["request_id"].as_str().unwrap(), &decision);
}

/// What came of a conversation that the driver led.
pub(crate) struct Led {
    pub(crate) driver: Driver,
    pub(crate) seen: Vec<Seen>,
    pub(crate) log: Vec<Logged>,
}

/// What the log of the process would hold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Logged {
    In(Vec<u8>),
    Out(Vec<u8>),
    Close,
}

impl From<Outgoing> for Logged {
    fn from(outgoing: Outgoing) -> Self {
        match outgoing {
            Outgoing::Write(line) => Self::In(line),
            Outgoing::Close => Self::Close,
        }
    }
}

impl Logged {
    pub(crate) fn replay(&self, driver: &mut Driver) {
        match self {
            Self::In(line) => driver.sent(line, 0),
            Self::Out(line) => {
                let seen = driver.received(line, 0);
                if seen.iter().any(|seen| matches!(seen, Seen::Finished(_))) {
                    driver.release();
                }
            }
            Self::Close => drop(driver.closed(0)),
        }
    }
}
