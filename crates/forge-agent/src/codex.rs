//! Codex' app-server, both directions: `initialize`, a thread, a turn in it, approvals, interrupt, the end of the turn.
//!
//! What it is not told about is passed over: the program gains kinds of message with every release.

mod asked;
mod told;
mod wire;

use std::collections::{BTreeMap, VecDeque};

use forge_model::Usage;
use serde_json::Value;

use self::asked::Question;
use self::told::{Limits, Spent};
use crate::driver::{Decision, Failure, Finish, Offers, Outbox, Outgoing, Seen, Speak};
use crate::rpc::{self, Message, Version};
use crate::turn::{Approvals, Turn};

pub(crate) use self::asked::{name_of, unwrapped};
pub(crate) use self::wire::{arguments, takes_mode};

/// How many file changes are remembered until somebody asks about them.
const MOST_CHANGES: usize = 256;

/// One turn in a thread. A follow-up forks the thread, so that it stays as it was before the turn.
#[derive(Debug)]
pub(crate) struct Codex {
    turn: Turn,
    state: State,
    /// The thread, and the turn in it, in the program's words.
    thread: Option<String>,
    turn_id: Option<String>,
    last_message: Option<String>,
    /// What was wrong last, for a turn that ends without saying.
    last_error: Option<Value>,
    /// Whether the log shows the prompt.
    prompted: bool,
    interrupted: bool,
    interrupt_sent: bool,
    /// Whether the model answered in this turn: what is told to be used up before that is of turns before.
    answered: bool,
    spent: Spent,
    limits: Limits,
    offers: Offers,
    /// What files are to be changed, by the item: the question about it does not say.
    changes: VecDeque<(String, Value)>,
    pending: BTreeMap<String, Question>,
}

#[derive(Debug)]
enum State {
    Initializing,
    /// The thread is being started or forked.
    Opening,
    /// The prompt is under way.
    Prompted,
    Finished(Finish),
}

impl Codex {
    pub(crate) fn new(turn: &Turn, outbox: &mut Outbox) -> Self {
        let thread = turn.resume.clone().filter(|_| turn.warm);
        let state = match &thread {
            Some(thread) => {
                outbox.push(wire::turn_start(turn, thread));
                State::Prompted
            }
            None => {
                outbox.push(wire::initialize());
                State::Initializing
            }
        };
        Self {
            turn: turn.clone(),
            state,
            thread,
            turn_id: None,
            last_message: None,
            last_error: None,
            prompted: false,
            interrupted: false,
            interrupt_sent: false,
            answered: false,
            spent: Spent::default(),
            limits: Limits::default(),
            offers: Offers { modes: wire::modes(), ..Offers::default() },
            changes: VecDeque::new(),
            pending: BTreeMap::new(),
        }
    }
}

impl Speak for Codex {
    fn received(&mut self, line: &[u8], _at_ms: u64, outbox: &mut Outbox, seen: &mut Vec<Seen>) {
        match Message::parse(line) {
            Some(Message::Answer { id, outcome }) => {
                self.answered(id.as_str().unwrap_or_default(), outcome, outbox, seen);
            }
            Some(Message::Request { id, method, params }) => self.asked(&id, &method, params, outbox, seen),
            Some(Message::Notification { method, params }) => self.notified(&method, &params, outbox, seen),
            None => {}
        }
    }

    fn sent(&mut self, line: &[u8], outbox: &mut Outbox) {
        match Message::parse(line) {
            Some(Message::Request { id, method, .. }) => {
                // A request under this id is asked already, even if an older Forge worded it otherwise.
                outbox.retain(|waiting| !rpc::is_request(waiting, &id));
                if method == "turn/start" {
                    self.prompted = true;
                    if self.finish().is_none() {
                        self.state = State::Prompted;
                    }
                    outbox.retain(|waiting| *waiting != Outgoing::Close);
                } else if method == "turn/interrupt" {
                    (self.interrupted, self.interrupt_sent) = (true, true);
                }
            }
            Some(Message::Answer { id, .. }) => self.settled(&name_of(&id), outbox),
            _ => {}
        }
    }

    /// Only an interrupt closes a program that has not finished.
    fn closed(&mut self, _seen: &mut Vec<Seen>) {
        self.interrupted |= self.finish().is_none();
    }

    fn answer(&mut self, permission: &str, decision: &Decision, outbox: &mut Outbox) {
        if let Some(question) = self.pending.remove(permission) {
            outbox.push(question.answer(decision));
        }
    }

    fn interrupt(&mut self, outbox: &mut Outbox) {
        if self.interrupted || self.finish().is_some() {
            return;
        }
        self.interrupted = true;
        match self.state {
            // Nobody was told anything yet: there is nothing to interrupt, and nothing is to begin.
            State::Initializing | State::Opening => outbox.push(Outgoing::Close),
            State::Prompted | State::Finished(_) => self.interrupt_turn(outbox),
        }
    }

    fn awaits(&self) -> Option<&str> {
        match self.state {
            _ if self.interrupted => None,
            State::Initializing => Some("initialize"),
            State::Opening => Some(wire::open_by(&self.turn)),
            State::Prompted | State::Finished(_) => None,
        }
    }

    fn give_up(&mut self, failure: Failure, seen: &mut Vec<Seen>) {
        self.end(Some(failure), seen);
    }

    fn was_prompted(&self) -> bool {
        self.prompted
    }

    fn finish(&self) -> Option<Finish> {
        match &self.state {
            State::Finished(finish) => Some(finish.clone()),
            State::Initializing | State::Opening | State::Prompted => None,
        }
    }

    fn was_interrupted(&self) -> bool {
        self.interrupted
    }

    fn mark(&self) -> Option<String> {
        self.turn_id.clone()
    }

    fn last_message(&self) -> Option<String> {
        self.last_message.clone()
    }

    fn usage(&self) -> Usage {
        self.spent.usage()
    }
}

impl Codex {
    /// A request of ours has its answer.
    fn answered(
        &mut self,
        request: &str,
        outcome: Result<Value, rpc::Error>,
        outbox: &mut Outbox,
        seen: &mut Vec<Seen>,
    ) {
        match (request, outcome) {
            (wire::INITIALIZE, Ok(_)) if matches!(self.state, State::Initializing) && !self.interrupted => {
                if let Some(failure) = wire::unknown_mode(&self.turn) {
                    return self.end(Some(failure), seen);
                }
                self.state = State::Opening;
                outbox.push(wire::initialized());
                outbox.push(wire::open(&self.turn));
            }
            (wire::THREAD, Ok(result)) => self.opened(&result, outbox, seen),
            (wire::TURN, Ok(result)) => {
                if let Some(thread) = self.thread.clone().filter(|_| self.turn.warm) {
                    seen.push(Seen::Conversation(thread));
                    self.switched(seen);
                }
                self.begun(text(&result, "/turn/id"), outbox);
            }
            (wire::MODELS, Ok(result)) => {
                self.offers.models = told::models(&result);
                seen.push(Seen::Offers(self.offers.clone()));
            }
            (request, Err(error)) if self.waits_for(request) => {
                let failure = told::refused(error, self.turn.resume.is_some());
                self.end(Some(failure), seen);
            }
            _ => {}
        }
    }

    /// Whether the turn cannot go on without the answer to this request. One that was asked twice is refused the
    /// second time, which does no harm.
    fn waits_for(&self, request: &str) -> bool {
        match self.state {
            State::Initializing => request == wire::INITIALIZE,
            State::Opening => request == wire::THREAD,
            State::Prompted => request == wire::TURN,
            State::Finished(_) => false,
        }
    }

    fn opened(&mut self, result: &Value, outbox: &mut Outbox, seen: &mut Vec<Seen>) {
        let Some(thread) = text(result, "/thread/id") else { return };
        if self.thread.as_ref() == Some(&thread) {
            return;
        }
        seen.push(Seen::Conversation(thread.clone()));
        self.offers.model = text(result, "/model");
        self.offers.mode = Some(wire::sandbox(&self.turn).to_owned());
        seen.push(Seen::Offers(self.offers.clone()));
        if matches!(self.state, State::Opening) && !self.interrupted {
            self.state = State::Prompted;
            outbox.push(wire::turn_start(&self.turn, &thread));
            outbox.push(wire::list_models());
        }
        self.thread = Some(thread);
    }

    /// One that was kept took the turn with what it was told to work with; it told the rest before.
    fn switched(&mut self, seen: &mut Vec<Seen>) {
        self.offers.model = self.turn.model.clone();
        self.offers.mode = wire::mode(&self.turn).map(str::to_owned);
        if self.offers.model.is_some() || self.offers.mode.is_some() {
            seen.push(Seen::Offers(self.offers.clone()));
        }
    }

    /// The turn has a name, by which it can be interrupted.
    fn begun(&mut self, turn: Option<String>, outbox: &mut Outbox) {
        if self.turn_id.is_none() && turn.is_some() {
            self.turn_id = turn;
            if self.interrupted && matches!(self.state, State::Prompted) {
                self.interrupt_turn(outbox);
            }
        }
    }

    fn interrupt_turn(&mut self, outbox: &mut Outbox) {
        if let (Some(thread), Some(turn), false) = (&self.thread, &self.turn_id, self.interrupt_sent) {
            outbox.push(wire::interrupt(thread, turn));
            self.interrupt_sent = true;
        }
    }

    fn notified(&mut self, method: &str, params: &Value, outbox: &mut Outbox, seen: &mut Vec<Seen>) {
        if method == "account/rateLimits/updated" {
            return self.limits.update(params);
        }
        if method == "serverRequest/resolved" {
            let request = params.get("requestId").map(name_of).unwrap_or_default();
            if self.pending.contains_key(&request) {
                self.settled(&request, outbox);
                seen.push(Seen::Withdrawn(request));
            }
            return;
        }
        // Agents that the agent called in have threads of their own.
        if text(params, "/threadId").is_some_and(|thread| self.thread.as_ref() != Some(&thread)) {
            return;
        }
        match method {
            "turn/started" => self.begun(text(params, "/turn/id"), outbox),
            "thread/tokenUsage/updated" if self.answered && text(params, "/turnId") == self.turn_id => {
                self.spent.update(params);
            }
            "item/started" | "item/completed" => self.item(method == "item/completed", params, seen),
            "error" => self.last_error = params.get("error").cloned(),
            "turn/completed" => {
                let turn = text(params, "/turn/id");
                // In a program that was kept, the end of the turn before is no news.
                if turn.is_some() && turn == self.turn_id {
                    self.over(params.get("turn").unwrap_or(&Value::Null), seen);
                }
            }
            _ => {}
        }
    }

    fn item(&mut self, is_whole: bool, params: &Value, seen: &mut Vec<Seen>) {
        match params.pointer("/item/type").and_then(Value::as_str).unwrap_or_default() {
            "userMessage" => {}
            // These begin while the model still answers; tools begin when it has.
            "agentMessage" | "reasoning" | "plan" if !is_whole => {}
            "agentMessage" => {
                self.answered = true;
                if let Some(said) = text(params, "/item/text").filter(|said| !said.is_empty()) {
                    self.last_message = Some(said.clone());
                    seen.push(Seen::Message(said));
                }
            }
            kind => {
                self.answered = true;
                if kind == "fileChange" {
                    self.remember(params);
                }
            }
        }
    }

    fn remember(&mut self, params: &Value) {
        if let (Some(item), Some(changes)) = (text(params, "/item/id"), params.pointer("/item/changes")) {
            self.changes.retain(|(known, _)| *known != item);
            self.changes.push_back((item, changes.clone()));
            if self.changes.len() > MOST_CHANGES {
                self.changes.pop_front();
            }
        }
    }

    fn asked(&mut self, id: &Value, method: &str, params: Value, outbox: &mut Outbox, seen: &mut Vec<Seen>) {
        let item = text(&params, "/itemId");
        let changes = self.changes.iter().find(|(known, _)| Some(known) == item.as_ref());
        let changes = changes.map(|(_, changes)| changes);
        let Some((question, permission)) = Question::of(id, method, params, changes, &self.turn.cwd) else {
            return outbox.push(rpc::no_such_method(Version::Untold, id, method));
        };
        match self.turn.approvals {
            Approvals::Auto => outbox.push(question.answer(&Decision::Allow { choice: None })),
            Approvals::Ask => {
                self.pending.insert(permission.id.clone(), question);
                seen.push(Seen::Permission(permission));
            }
        }
    }

    /// Nobody waits for an answer to this permission any more.
    fn settled(&mut self, request: &str, outbox: &mut Outbox) {
        self.pending.remove(request);
        outbox.retain(|waiting| match waiting {
            Outgoing::Write(line) => {
                !matches!(Message::parse(line), Some(Message::Answer { id, .. }) if name_of(&id) == request)
            }
            Outgoing::Close => true,
        });
    }

    /// The program says that the turn is over, and how.
    fn over(&mut self, turn: &Value, seen: &mut Vec<Seen>) {
        let failure = match turn.get("status").and_then(Value::as_str) {
            Some("completed") => None,
            Some("interrupted") => Some(Failure::Interrupted),
            // A turn that does not say is not taken for a success.
            _ => {
                let error = turn.get("error").filter(|error| !error.is_null()).or(self.last_error.as_ref());
                Some(told::failure(error.unwrap_or(&Value::Null), &self.limits))
            }
        };
        self.end(failure, seen);
    }

    fn end(&mut self, failure: Option<Failure>, seen: &mut Vec<Seen>) {
        if self.finish().is_some() {
            return;
        }
        let finish = Finish { message: self.last_message(), failure, usage: self.spent.usage() };
        self.state = State::Finished(finish.clone());
        seen.push(Seen::Finished(finish));
    }
}

fn text(message: &Value, pointer: &str) -> Option<String> {
    message.pointer(pointer)?.as_str().map(str::to_owned)
}
