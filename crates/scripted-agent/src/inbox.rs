//! What reaches the agent while it works: messages on standard input, and FIFOs that somebody wrote to.

use std::collections::VecDeque;
use std::io::BufRead as _;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// One thing that reached the agent.
#[derive(Debug, PartialEq)]
pub(crate) enum Heard {
    Prompt(String),
    Answer { request: String, response: Value },
    Initialize { request: String },
    Interrupt { request: String },
    SetModel { request: String, model: String },
    SetMode { request: String, mode: String },
    FifoWritten,
    Closed,
}

pub(crate) struct Inbox {
    receiver: Receiver<Heard>,
    sender: Sender<Heard>,
    put_off: VecDeque<Heard>,
}

impl Inbox {
    /// Listens to standard input, from a thread of its own, if the agent is one that listens.
    pub(crate) fn open(listens: bool, plain: bool) -> Self {
        let (sender, receiver) = channel();
        let out = sender.clone();
        thread::spawn(move || {
            if listens {
                for line in std::io::stdin().lock().split(b'\n').map_while(Result::ok) {
                    let heard = if plain { Some(plain_prompt(&line)) } else { understand(&line) };
                    if heard.is_some_and(|heard| out.send(heard).is_err()) {
                        return;
                    }
                }
            }
            // Fails only if the agent has gone already.
            drop(out.send(Heard::Closed));
        });
        Self { receiver, sender, put_off: VecDeque::new() }
    }

    /// Keeps something for later: [`Inbox::next`] gives it out first.
    pub(crate) fn put_off(&mut self, heard: Heard) {
        self.put_off.push_back(heard);
    }

    pub(crate) fn next(&mut self) -> Heard {
        match self.put_off.pop_front() {
            Some(heard) => heard,
            None => self.next_new(),
        }
    }

    /// Waits for something that was not there before.
    pub(crate) fn next_new(&self) -> Heard {
        self.receiver.recv().unwrap_or(Heard::Closed)
    }

    /// What is there already, without waiting.
    pub(crate) fn glance(&self) -> Option<Heard> {
        self.receiver.try_recv().ok()
    }

    /// What comes within this time.
    pub(crate) fn next_within(&self, time: Duration) -> Option<Heard> {
        self.receiver.recv_timeout(time).ok()
    }

    /// Reports when somebody has written to the FIFO, or when there is nothing to wait for.
    pub(crate) fn watch_fifo(&self, path: PathBuf) {
        let sender = self.sender.clone();
        thread::spawn(move || {
            // Read to its end: whoever writes would otherwise find the FIFO closed again.
            drop(std::fs::read(path));
            drop(sender.send(Heard::FifoWritten));
        });
    }
}

fn plain_prompt(line: &[u8]) -> Heard {
    Heard::Prompt(String::from_utf8_lossy(line).into_owned())
}

/// Lines that make no sense are passed over, as the real program does.
fn understand(line: &[u8]) -> Option<Heard> {
    let message: Value = serde_json::from_slice(line).ok()?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match message.get("type")?.as_str()? {
        "user" => Some(Heard::Prompt(prompt_text(message.pointer("/message/content")?))),
        "control_request" => {
            let request = text(message.get("request_id")?)?;
            match message.pointer("/request/subtype")?.as_str()? {
                "initialize" => Some(Heard::Initialize { request }),
                "interrupt" => Some(Heard::Interrupt { request }),
                "set_model" => {
                    Some(Heard::SetModel { request, model: text(message.pointer("/request/model")?)? })
                }
                "set_permission_mode" => {
                    Some(Heard::SetMode { request, mode: text(message.pointer("/request/mode")?)? })
                }
                _ => None,
            }
        }
        "control_response" => Some(Heard::Answer {
            request: text(message.pointer("/response/request_id")?)?,
            response: message.pointer("/response/response").cloned().unwrap_or_default(),
        }),
        _ => None,
    }
}

fn prompt_text(content: &Value) -> String {
    match content {
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        other => other.as_str().unwrap_or_default().to_owned(),
    }
}
