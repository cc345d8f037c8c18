//! The Agent Client Protocol, version 1, as its client.
//!
//! `initialize`, then a conversation is begun or taken up again, its model and mode are set, and it is prompted, once.
//! One request is under way at a time until then. What the agent tells before the prompt is sent is history.

mod opening;
mod session;
pub(crate) mod update;
mod usage;
pub(crate) mod wire;
mod working;

use std::collections::{BTreeMap, VecDeque};

use forge_model::Usage;
use serde_json::{Value, json};

use self::session::{Session, Set};
use self::update::{ToolCall, text};
use self::usage::Meter;
use self::wire::{Asked, Names};
use crate::driver::{Decision, Failure, Finish, Offers, Outbox, Outgoing, Seen, Speak};
use crate::rpc::{self, Error, Message, Version};
use crate::turn::Turn;

pub(crate) use self::opening::takes_mode;

/// How many tools are remembered, for the questions about them.
const MOST_TOOLS: usize = 64;
const MINUTE_MS: u64 = 60_000;

/// One turn.
#[derive(Debug)]
pub(crate) struct Acp {
    turn: Turn,
    state: State,
    /// The id of the request whose answer is waited for. They count from 1 in each turn: an agent is only kept once
    /// everything that it was asked in the turns before is answered.
    request: u64,
    session: Option<String>,
    /// How the conversation is begun, or taken up again.
    open_by: &'static str,
    /// Whether the log shows the prompt.
    prompted: bool,
    sees: bool,
    offered: Session,
    offers: Offers,
    to_set: VecDeque<Set>,
    names: Names,
    asked: BTreeMap<String, Asked>,
    /// The questions whose answers the log does not show yet, with the ids of their requests.
    answering: VecDeque<(Value, String)>,
    tools: VecDeque<ToolCall>,
    said: Said,
    /// Whether it has said or done anything.
    worked: bool,
    /// Why it tries again, in its own words.
    retries: Option<String>,
    denied: bool,
    refused_model: bool,
    interrupted: bool,
    meter: Meter,
    /// When it last got on with its work; 0 where nobody has told the time since it was asked for something.
    busy_at: u64,
}

#[derive(Debug)]
enum State {
    Initializing,
    LoggingIn,
    /// A conversation of before is loaded at this time.
    Waiting(u64),
    Opening,
    Setting,
    Working,
    Finished(Finish),
}

/// What the agent says.
#[derive(Debug, Default)]
struct Said {
    now: String,
    /// Whether that is how the agent tells of a failure.
    is_error: bool,
    message: Option<String>,
    last: Option<String>,
}

impl Acp {
    pub(crate) fn new(turn: &Turn, outbox: &mut Outbox) -> Self {
        let mut acp = Self {
            turn: turn.clone(),
            state: State::Initializing,
            request: 0,
            session: None,
            open_by: "session/new",
            prompted: false,
            sees: false,
            offered: Session::default(),
            offers: Offers::default(),
            to_set: VecDeque::new(),
            names: Names::default(),
            asked: BTreeMap::new(),
            answering: VecDeque::new(),
            tools: VecDeque::new(),
            said: Said::default(),
            worked: false,
            retries: None,
            denied: false,
            refused_model: false,
            interrupted: false,
            meter: Meter::new(turn.spent_before()),
            busy_at: 0,
        };
        match turn.resume.clone().filter(|_| turn.warm) {
            Some(session) => {
                acp.session = Some(session);
                // What it can do it told in the turn that it was started for.
                acp.sees = !turn.manner.quirks.blind;
                acp.choose();
                acp.advance(outbox);
            }
            None => acp.ask("initialize", &wire::initialize(), outbox),
        }
        acp
    }
}

impl Speak for Acp {
    fn received(&mut self, line: &[u8], at_ms: u64, outbox: &mut Outbox, seen: &mut Vec<Seen>) {
        match Message::parse(line) {
            Some(Message::Request { id, method, params }) if method == "session/request_permission" => {
                self.busy_at = at_ms;
                self.asks(id, params, outbox, seen);
            }
            // Nothing was offered, so nothing is due.
            Some(Message::Request { id, method, .. }) => {
                outbox.push(rpc::no_such_method(Version::Two, &id, &method));
            }
            Some(Message::Notification { method, params }) if method == "session/update" => {
                self.updated(params, at_ms, seen);
            }
            Some(Message::Notification { method, params }) if method == "$/cancel_request" => {
                let request = params.get("requestId").unwrap_or(&Value::Null);
                let name = self.names.last(request);
                if self.settled(request, outbox).is_some() {
                    seen.push(Seen::Withdrawn(name));
                }
            }
            Some(Message::Notification { method, params }) => {
                self.retries = update::retry(&method, &params).or_else(|| self.retries.take());
            }
            Some(Message::Answer { id, outcome }) if id == self.request => {
                self.answered(outcome, at_ms, outbox, seen);
            }
            Some(Message::Answer { .. }) | None => {}
        }
    }

    fn sent(&mut self, line: &[u8], outbox: &mut Outbox) {
        match Message::parse(line) {
            Some(Message::Request { id, method, .. }) => {
                // A request under this id is asked already, even if an older Forge worded it otherwise.
                outbox.retain(|waiting| !rpc::is_request(waiting, &id));
                if let (State::Waiting(_), "session/load", Some(id)) =
                    (&self.state, method.as_str(), id.as_u64())
                {
                    // The log does not show that a server before this one waited, only what it did then.
                    (self.state, self.request) = (State::Opening, id);
                }
                if method == "session/prompt" {
                    self.prompted = true;
                    self.meter.prompted();
                }
            }
            Some(Message::Notification { method, .. }) if method == "session/cancel" => {
                self.interrupted = true;
                self.withdraw(outbox);
            }
            Some(Message::Answer { id, outcome }) => {
                if self.answers_older(&id) {
                    return;
                }
                let settled = self.settled(&id, outbox);
                self.denied |= settled.is_some_and(|asked| asked.refuses(&outcome.unwrap_or_default()));
            }
            Some(Message::Notification { .. }) | None => {}
        }
    }

    /// One that works is interrupted by a message: whoever closes it without one has given it up.
    fn closed(&mut self, seen: &mut Vec<Seen>) {
        match self.state {
            State::Finished(_) => {}
            State::Working if self.prompted && !self.interrupted => self.fall_silent(seen),
            _ => self.interrupted = true,
        }
    }

    fn answer(&mut self, permission: &str, decision: &Decision, outbox: &mut Outbox) {
        if let Some(asked) = self.asked.remove(permission) {
            self.denied |= matches!(decision, Decision::Deny { .. });
            outbox.push(asked.decided(decision));
            self.answering.push_back((asked.request, permission.to_owned()));
        }
    }

    fn interrupt(&mut self, outbox: &mut Outbox) {
        match (&self.state, &self.session) {
            _ if self.interrupted => return,
            (State::Finished(_), _) => return,
            (State::Working, Some(session)) => {
                outbox.push(wire::cancel(session));
                self.withdraw(outbox);
            }
            // The prompt was not even sent: there is nothing to interrupt, and nothing is to begin.
            _ => outbox.push(Outgoing::Close),
        }
        self.interrupted = true;
    }

    fn awaits(&self) -> Option<&str> {
        match self.state {
            // How long it may take to stop is not for the protocol to say.
            _ if self.interrupted => None,
            State::Initializing => Some("initialize"),
            State::LoggingIn => Some("authenticate"),
            State::Opening => Some(self.open_by),
            State::Setting => self.to_set.front().map(|set| set.method),
            State::Waiting(_) | State::Working | State::Finished(_) => None,
        }
    }

    fn give_up(&mut self, failure: Failure, seen: &mut Vec<Seen>) {
        self.end(Some(failure), seen);
    }

    fn was_prompted(&self) -> bool {
        self.prompted
    }

    fn refused_model(&self) -> bool {
        self.refused_model
    }

    fn wake_at(&self) -> Option<u64> {
        let within = match self.state {
            _ if self.interrupted => return None,
            State::Waiting(until) => return Some(until),
            State::Working if self.asked.is_empty() && !self.tools.iter().any(ToolCall::is_open) => {
                self.turn.manner.quirks.silence_ms?
            }
            _ => return None,
        };
        // Whoever asks next tells what time it is.
        Some(if self.busy_at == 0 { 0 } else { self.busy_at.saturating_add(within) })
    }

    fn woke(&mut self, now_ms: u64, outbox: &mut Outbox, seen: &mut Vec<Seen>) {
        if self.wake_at().is_none_or(|at| now_ms < at) {
            return;
        }
        match self.state {
            State::Waiting(_) => self.open(outbox),
            _ if self.busy_at == 0 => self.busy_at = now_ms,
            _ => self.fall_silent(seen),
        }
    }

    fn finish(&self) -> Option<Finish> {
        match &self.state {
            State::Finished(finish) => Some(finish.clone()),
            _ => None,
        }
    }

    fn was_interrupted(&self) -> bool {
        self.interrupted
    }

    fn last_message(&self) -> Option<String> {
        let now = Some(self.said.now.trim()).filter(|now| !now.is_empty());
        now.map(str::to_owned).or_else(|| self.said.last.clone())
    }

    fn usage(&self) -> Usage {
        self.meter.usage(self.turn.manner.quirks.usage_of_conversation)
    }
}

/// From one request to the next.
impl Acp {
    fn ask(&mut self, method: &str, params: &Value, outbox: &mut Outbox) {
        self.request += 1;
        self.busy_at = 0;
        outbox.push(rpc::request(Version::Two, &json!(self.request), method, params));
    }

    fn answered(
        &mut self,
        outcome: Result<Value, Error>,
        at_ms: u64,
        outbox: &mut Outbox,
        seen: &mut Vec<Seen>,
    ) {
        match (&self.state, outcome) {
            (State::Working, outcome) if self.prompted => {
                let failure = match outcome {
                    Ok(result) => self.outcome(&result),
                    Err(error) => {
                        self.forget_complaint();
                        Some(wire::failure(&error))
                    }
                };
                self.end(if self.interrupted { Some(Failure::Interrupted) } else { failure }, seen);
            }
            _ if self.interrupted => {}
            (State::Initializing, Ok(told)) => self.initialized(&told, at_ms, outbox, seen),
            (State::LoggingIn, Ok(_)) => self.open(outbox),
            (State::Opening, Ok(told)) => self.opened(&told, outbox, seen),
            (State::Opening, Err(error)) => {
                if wire::wants_login(&error) && self.logs_in(outbox) {
                    return;
                }
                let resumes = self.turn.resume.is_some();
                let failure = if resumes { wire::failure_to_resume(&error) } else { wire::failure(&error) };
                self.end(Some(failure), seen);
            }
            (State::Initializing | State::LoggingIn, Err(error)) => {
                self.end(Some(wire::failure(&error)), seen);
            }
            (State::Setting, outcome) => {
                match (outcome, self.to_set.pop_front()) {
                    (Ok(told), Some(set)) => self.offered.was_set(set, &told),
                    (Err(_), Some(Set { or: Some(or), .. })) => self.to_set.push_front(*or),
                    // The work can be done with another model, but a mode is there to keep it from something.
                    (Err(_), Some(set)) if set.is_model() => self.refused_model = true,
                    (Err(error), Some(_)) if self.names_mode() => {
                        let message = format!("The agent does not take the mode: {}", wire::told(&error));
                        return self.end(Some(Failure::Agent { message }), seen);
                    }
                    (_, _) => {}
                }
                self.offer(seen);
                self.advance(outbox);
            }
            (State::Waiting(_) | State::Working | State::Finished(_), _) => {}
        }
    }

    /// It was waited for long enough.
    fn fall_silent(&mut self, seen: &mut Vec<Seen>) {
        let failure = match self.retries.take() {
            Some(retries) => Failure::of_model(None, retries),
            None => Failure::Silent { message: "The agent neither said nor did anything.".into() },
        };
        self.end(Some(failure), seen);
    }

    /// The turn is over. What is still asked is not waited for any more.
    fn end(&mut self, failure: Option<Failure>, seen: &mut Vec<Seen>) {
        self.spoken(seen);
        seen.extend(std::mem::take(&mut self.asked).into_keys().map(Seen::Withdrawn));
        let finish = Finish { message: self.said.last.clone(), failure, usage: self.usage() };
        self.state = State::Finished(finish.clone());
        seen.push(Seen::Finished(finish));
    }

    /// What the answer to the prompt means.
    fn outcome(&mut self, result: &Value) -> Option<Failure> {
        self.meter.result(result);
        let message = |text: &str| Some(Failure::Agent { message: text.to_owned() });
        match text(result, "/stopReason").as_deref() {
            Some("end_turn") => self.unsaid(),
            // A refused tool ends the turn of some, and that is what was wanted.
            Some("cancelled") if self.denied => None,
            Some("cancelled") => Some(Failure::Interrupted),
            Some("refusal") => {
                let said = self.last_message();
                let message = said.unwrap_or_else(|| "The model refused and did not say why.".into());
                Some(Failure::Refused { message })
            }
            Some("max_tokens") => message("The model reached the most that it may write in an answer."),
            Some("max_turn_requests") => {
                message("The agent reached the most steps that it may take in a turn.")
            }
            Some(other) => message(&format!("The agent stopped: {other}")),
            None => {
                Some(Failure::Protocol { message: "The agent ended its turn and did not say how.".into() })
            }
        }
    }

    /// What the program itself says about its failure is no description of the work.
    fn forget_complaint(&mut self) {
        if !matches!(Failure::of_model(None, self.said.now.as_str()), Failure::Agent { .. }) {
            self.said.now.clear();
        }
    }

    /// Some agents end a turn as if all were well when the model failed: they say so, or nothing at all.
    fn unsaid(&mut self) -> Option<Failure> {
        if self.said.is_error {
            let failure = Failure::of_model(None, self.said.now.trim());
            self.said.now.clear();
            return Some(failure);
        }
        if self.worked {
            return None;
        }
        let message = "The agent ended its turn without an answer";
        Some(match &self.retries {
            Some(retries) => Failure::of_model(None, format!("{message}: {retries}")),
            None => Failure::Agent { message: format!("{message}.") },
        })
    }
}

#[cfg(test)]
#[path = "acp/acp_tests.rs"]
mod tests;
