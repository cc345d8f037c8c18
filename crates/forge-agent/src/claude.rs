//! Claude Code's stream-json, both directions: `initialize`, the prompt, permissions, interrupt, result.
//!
//! What it is not told about is passed over: the program gains kinds of message with every release.

mod asked;
mod wire;

use std::collections::BTreeMap;

use forge_model::{Timestamp, Usage};
use serde_json::Value;

use self::asked::{Asked, Question};
use self::wire::Incoming;
use crate::driver::{Decision, Failure, Finish, Offers, Outbox, Outgoing, Seen, Speak};
use crate::turn::{Approvals, Turn};

/// One turn with the program. One that was kept after the turn before is only told the prompt.
#[derive(Debug)]
pub(crate) struct Claude {
    turn: Turn,
    state: State,
    conversation: Option<String>,
    last_message: Option<String>,
    /// The last thing that the agent itself said or did.
    mark: Option<String>,
    /// The program's own word for what is wrong with the model's API.
    model_error: Option<String>,
    /// Whether the log shows the prompt.
    prompted: bool,
    interrupted: bool,
    usage: Usage,
    /// Whether the account may not be used now, and when it may again.
    is_limited: bool,
    resets_at: Option<Timestamp>,
    offers: Offers,
    /// Permissions that wait for an answer.
    pending: BTreeMap<String, Question>,
}

#[derive(Debug)]
enum State {
    Initializing,
    /// Kept from the turn before, and told what to work with from here on: these are to be answered before the prompt.
    Switching(Vec<&'static str>),
    /// Kept from the turn before, and not yet told the prompt: what it says is no part of this turn.
    Kept,
    Working,
    Finished(Finish),
}

/// The arguments of the program for a turn. As root it refuses to bypass permissions, so `Auto` is answering.
pub(crate) fn arguments(turn: &Turn) -> Vec<String> {
    let settings = &turn.settings;
    let mode = match turn.approvals {
        _ if turn.mode.is_some() => turn.mode.as_deref().unwrap_or_default(),
        _ if settings.get("plan").and_then(Value::as_bool) == Some(true) => "plan",
        Approvals::Auto => "acceptEdits",
        Approvals::Ask => "default",
    };
    let mut args = vec!["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    // What it writes is shown while it is being written.
    args.push("--include-partial-messages");
    args.extend(["--permission-prompt-tool", "stdio", "--permission-mode", mode]);
    let model = turn.model.as_deref().or_else(|| settings.get("model").and_then(Value::as_str));
    if let Some(model) = model.filter(|model| !model.is_empty()) {
        args.extend(["--model", model]);
    }
    if let Some(conversation) = &turn.resume {
        // Under an id of its own: the conversation stays as it was before the turn, so that another turn can take its
        // place.
        args.extend(["--resume", conversation, "--fork-session"]);
        if let Some(mark) = &turn.resume_at {
            args.extend(["--resume-session-at", mark]);
        }
    }
    args.into_iter().map(str::to_owned).collect()
}

/// Whether a program that runs can be told to work in the turn's mode. To ask nobody it has to be started.
pub(crate) fn takes_mode(turn: &Turn) -> bool {
    turn.mode.as_deref() != Some("bypassPermissions")
}

impl Claude {
    pub(crate) fn new(turn: &Turn, outbox: &mut Outbox) -> Self {
        let state = if turn.warm {
            let model = turn.model.as_deref().map(|model| (wire::MODEL, wire::set_model(model)));
            let mode = turn.mode.as_deref().map(|mode| (wire::MODE, wire::set_mode(mode)));
            let mut awaited = Vec::new();
            for (request, line) in model.into_iter().chain(mode) {
                awaited.push(request);
                outbox.push(line);
            }
            if awaited.is_empty() {
                outbox.push(wire::prompt(turn));
                State::Kept
            } else {
                State::Switching(awaited)
            }
        } else {
            outbox.push(wire::initialize());
            State::Initializing
        };
        Self {
            turn: turn.clone(),
            state,
            conversation: None,
            last_message: None,
            mark: None,
            model_error: None,
            prompted: false,
            interrupted: false,
            usage: Usage::default(),
            is_limited: false,
            resets_at: None,
            offers: Offers::default(),
            pending: BTreeMap::new(),
        }
    }
}

impl Speak for Claude {
    fn received(&mut self, line: &[u8], _at_ms: u64, outbox: &mut Outbox, seen: &mut Vec<Seen>) {
        let Some(incoming) = Incoming::parse(line) else { return };
        match incoming {
            Incoming::Answered { request, answer, .. } if request == wire::INITIALIZE => {
                self.initialized(&answer, outbox, seen);
            }
            Incoming::Answered { request, refusal, .. } => self.switched(&request, refusal, outbox, seen),
            Incoming::Begun { conversation, model, mode } => {
                if self.conversation.as_ref() != Some(&conversation) {
                    self.conversation = Some(conversation.clone());
                    seen.push(Seen::Conversation(conversation));
                }
                self.works_with(model, mode, seen);
            }
            Incoming::Said { text, model_error, mark } => {
                self.mark = mark;
                self.model_error = model_error;
                if !text.is_empty() {
                    self.last_message = Some(text.clone());
                    seen.push(Seen::Message(text));
                }
            }
            Incoming::Asked(asked) => self.asked(asked, outbox, seen),
            Incoming::AskedUnknown { request } => outbox.push(wire::refuse_request(&request)),
            Incoming::Withdrawn { request } => {
                self.settled(&request, outbox);
                seen.push(Seen::Withdrawn(request));
            }
            Incoming::Limited { resets_at } => (self.is_limited, self.resets_at) = (true, resets_at),
            Incoming::Result(_) if matches!(self.state, State::Kept | State::Switching(_)) => {}
            Incoming::Result(result) => {
                self.usage += result.usage;
                self.usage.cost_micros = result.cost.of_turn(self.turn.resume.is_some());
                let finish = self.outcome(result);
                self.end(finish, seen);
            }
        }
    }

    /// Matched by kind and request id, not by wording: a driver of another version may have worded it otherwise, and
    /// nothing is said twice.
    fn sent(&mut self, line: &[u8], outbox: &mut Outbox) {
        let Some(sent) = wire::Sent::parse(line) else { return };
        outbox.retain(|waiting| match waiting {
            Outgoing::Write(line) => wire::Sent::parse(line).as_ref() != Some(&sent),
            Outgoing::Close => true,
        });
        match sent {
            wire::Sent::Prompt => {
                self.prompted = true;
                self.state = State::Working;
                outbox.retain(|waiting| *waiting != Outgoing::Close);
            }
            wire::Sent::Interrupt => self.interrupted = true,
            wire::Sent::Request { .. } => {}
            wire::Sent::Answer { request } => self.settled(&request, outbox),
        }
    }

    /// Only an interrupt closes a program that has not finished.
    fn closed(&mut self, _seen: &mut Vec<Seen>) {
        self.interrupted |= self.finish().is_none();
    }

    fn answer(&mut self, permission: &str, decision: &Decision, outbox: &mut Outbox) {
        if let Some(question) = self.pending.remove(permission) {
            outbox.push(question.answer(permission, decision));
        }
    }

    fn interrupt(&mut self, outbox: &mut Outbox) {
        match self.state {
            _ if self.interrupted => return,
            State::Finished(_) => return,
            // A prompt that goes with it to one that was kept goes first.
            State::Working | State::Kept => outbox.push(wire::interrupt()),
            // The prompt was not even sent: there is nothing to interrupt, and nothing is to begin.
            State::Initializing | State::Switching(_) => outbox.push(Outgoing::Close),
        }
        self.interrupted = true;
    }

    fn awaits(&self) -> Option<&str> {
        match &self.state {
            _ if self.interrupted => None,
            State::Initializing => Some("initialize"),
            State::Switching(awaited) => awaited.first().map(|request| wire::asks(request)),
            State::Kept | State::Working | State::Finished(_) => None,
        }
    }

    fn give_up(&mut self, failure: Failure, seen: &mut Vec<Seen>) {
        self.end(Finish { message: None, failure: Some(failure), usage: self.usage }, seen);
    }

    fn was_prompted(&self) -> bool {
        self.prompted
    }

    fn finish(&self) -> Option<Finish> {
        match &self.state {
            State::Finished(finish) => Some(finish.clone()),
            State::Initializing | State::Switching(_) | State::Kept | State::Working => None,
        }
    }

    fn was_interrupted(&self) -> bool {
        self.interrupted
    }

    fn mark(&self) -> Option<String> {
        self.mark.clone()
    }

    fn last_message(&self) -> Option<String> {
        self.last_message.clone()
    }

    fn usage(&self) -> Usage {
        self.usage
    }
}

impl Claude {
    fn initialized(&mut self, answer: &Value, outbox: &mut Outbox, seen: &mut Vec<Seen>) {
        if let Some(offers) = wire::offers(answer) {
            self.offers = offers;
            seen.push(Seen::Offers(self.offers.clone()));
        }
        if matches!(self.state, State::Initializing) && !self.interrupted {
            self.state = State::Working;
            outbox.push(wire::prompt(&self.turn));
        }
    }

    /// One that was kept has answered what it was told to work with. The prompt is not for one that works otherwise: a mode
    /// is there to keep it from something.
    fn switched(
        &mut self,
        request: &str,
        refusal: Option<String>,
        outbox: &mut Outbox,
        seen: &mut Vec<Seen>,
    ) {
        let State::Switching(awaited) = &mut self.state else { return };
        let Some(at) = awaited.iter().position(|known| *known == request) else { return };
        awaited.remove(at);
        if let Some(message) = refusal {
            self.give_up(Failure::Agent { message }, seen);
        } else if awaited.is_empty() && !self.interrupted {
            self.state = State::Kept;
            outbox.push(wire::prompt(&self.turn));
        }
    }

    fn end(&mut self, finish: Finish, seen: &mut Vec<Seen>) {
        self.state = State::Finished(finish.clone());
        seen.push(Seen::Finished(finish));
    }

    /// The program tells what it works with at every prompt that it takes. One that was kept told what there is to choose
    /// from to the turn that started it.
    fn works_with(&mut self, model: Option<String>, mode: Option<String>, seen: &mut Vec<Seen>) {
        let is_news = (&self.offers.model, &self.offers.mode) != (&model, &mode);
        (self.offers.model, self.offers.mode) = (model, mode);
        if is_news && (self.turn.warm || !self.offers.modes.is_empty()) {
            seen.push(Seen::Offers(self.offers.clone()));
        }
    }

    fn asked(&mut self, asked: Asked, outbox: &mut Outbox, seen: &mut Vec<Seen>) {
        let (question, permission) = Question::of(asked);
        match self.turn.approvals {
            Approvals::Auto => outbox.push(question.allow_all(&permission.id)),
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
                !matches!(wire::Sent::parse(line), Some(wire::Sent::Answer { request: other }) if other == request)
            }
            Outgoing::Close => true,
        });
    }

    fn outcome(&self, result: wire::Result) -> Finish {
        if !result.is_error {
            let message = result.text.filter(|text| !text.is_empty()).or_else(|| self.last_message());
            return Finish { message, failure: None, usage: self.usage };
        }
        let message = result.text.unwrap_or_else(|| result.errors.join("\n"));
        let message = if message.is_empty() { result.subtype } else { message };
        let failure = if result.aborted {
            Failure::Interrupted
        } else if message.starts_with("No conversation found") {
            Failure::UnknownConversation { message }
        } else {
            match (self.model_error.as_deref(), Failure::of_model(result.status, message.clone())) {
                (Some("authentication_failed"), _) => Failure::NotLoggedIn { message },
                (Some("billing_error"), _) => Failure::OutOfQuota { message },
                (_, Failure::RateLimited { resets_at, .. }) => {
                    Failure::RateLimited { message, resets_at: self.resets_at.or(resets_at) }
                }
                (Some("rate_limit"), _) => Failure::RateLimited { message, resets_at: self.resets_at },
                _ if self.is_limited => Failure::RateLimited { message, resets_at: self.resets_at },
                (_, other) => other,
            }
        };
        // What the program itself says about its failure is no description of the work.
        let message = self.last_message().filter(|_| self.model_error.is_none());
        Finish { message, failure: Some(failure), usage: self.usage }
    }
}
