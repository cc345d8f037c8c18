//! Claude Code's stream-json, both directions: `initialize`, the prompt, permissions, interrupt, result.
//!
//! What it is not told about is passed over: the program gains kinds of message with every release.

mod wire;

use std::collections::BTreeMap;

use forge_model::Usage;
use serde_json::Value;
use serde_json::value::RawValue;

use self::wire::Incoming;
use crate::driver::{Decision, Failure, Finish, Outbox, Outgoing, Permission, Seen, Speak};
use crate::turn::{Approvals, Turn};

/// One turn with the program. One that was kept after the turn before is only told the prompt.
#[derive(Debug)]
pub(crate) struct Claude {
    prompt: String,
    approvals: Approvals,
    state: State,
    conversation: Option<String>,
    last_message: Option<String>,
    /// The last thing that the agent itself said or did.
    mark: Option<String>,
    /// The program's own word for what is wrong with the model's API.
    model_error: Option<String>,
    interrupted: bool,
    usage: Usage,
    /// What turns before this one cost; the program counts on where it goes on.
    spent_micros: u64,
    /// Permissions that wait for an answer, with the input that the answer has to repeat.
    pending: BTreeMap<String, Box<RawValue>>,
}

#[derive(Debug)]
enum State {
    Initializing,
    /// Kept from the turn before, and not yet told the prompt: what it says is no part of this turn.
    Kept,
    Working,
    Finished(Finish),
}

/// The arguments of the program for a turn. As root it refuses to bypass permissions, so `Auto` is answering.
pub(crate) fn arguments(turn: &Turn) -> Vec<String> {
    let settings = &turn.settings;
    let mode = match turn.approvals {
        _ if settings.get("plan").and_then(Value::as_bool) == Some(true) => "plan",
        Approvals::Auto => "acceptEdits",
        Approvals::Ask => "default",
    };
    let mut args = vec!["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    args.extend(["--permission-prompt-tool", "stdio", "--permission-mode", mode]);
    if let Some(model) = settings.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) {
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

impl Claude {
    pub(crate) fn new(turn: &Turn, outbox: &mut Outbox) -> Self {
        let state = if turn.warm { State::Kept } else { State::Initializing };
        outbox.push(if turn.warm { wire::prompt(&turn.prompt) } else { wire::initialize() });
        Self {
            prompt: turn.prompt.clone(),
            approvals: turn.approvals,
            state,
            conversation: None,
            last_message: None,
            mark: None,
            model_error: None,
            interrupted: false,
            usage: Usage::default(),
            spent_micros: turn.spent_micros.unwrap_or(0),
            pending: BTreeMap::new(),
        }
    }
}

impl Speak for Claude {
    fn received(&mut self, line: &[u8], _at_ms: u64, outbox: &mut Outbox, seen: &mut Vec<Seen>) {
        let Some(incoming) = Incoming::parse(line) else { return };
        match incoming {
            Incoming::Answered { request } if request == wire::INITIALIZE => self.initialized(outbox),
            Incoming::Answered { .. } => {}
            Incoming::Begun { conversation } => {
                if self.conversation.as_ref() != Some(&conversation) {
                    self.conversation = Some(conversation.clone());
                    seen.push(Seen::Conversation(conversation));
                }
            }
            Incoming::Said { text, model_error, mark } => {
                self.mark = mark;
                self.model_error = model_error;
                if !text.is_empty() {
                    self.last_message = Some(text.clone());
                    seen.push(Seen::Message(text));
                }
            }
            Incoming::Asked { request, tool, call, input } => {
                self.asked(request, tool, call, input, outbox, seen);
            }
            Incoming::AskedUnknown { request } => outbox.push(wire::refuse_request(&request)),
            Incoming::Withdrawn { request } => {
                self.settled(&request, outbox);
                seen.push(Seen::Withdrawn(request));
            }
            Incoming::Result(_) if matches!(self.state, State::Kept) => {}
            Incoming::Result(result) => {
                let cost = result.usage.cost_micros;
                // One that began to count anew has less than was spent.
                let cost_micros = cost.map(|sum| sum.checked_sub(self.spent_micros).unwrap_or(sum));
                self.usage += Usage { cost_micros, ..result.usage };
                let finish = self.outcome(result);
                self.state = State::Finished(finish.clone());
                seen.push(Seen::Finished(finish));
            }
        }
    }

    fn sent(&mut self, line: &[u8], outbox: &mut Outbox) {
        match wire::Sent::parse(line) {
            Some(wire::Sent::Prompt) => {
                self.state = State::Working;
                outbox.retain(|waiting| *waiting != Outgoing::Close);
            }
            Some(wire::Sent::Interrupt) => self.interrupted = true,
            Some(wire::Sent::Answer { request }) => self.settled(&request, outbox),
            None => {}
        }
    }

    /// Only an interrupt closes a program that has not finished.
    fn closed(&mut self) {
        self.interrupted |= self.finish().is_none();
    }

    fn answer(&mut self, permission: &str, decision: &Decision, outbox: &mut Outbox) {
        if let Some(input) = self.pending.remove(permission) {
            outbox.push(wire::answer(permission, &input, decision));
        }
    }

    fn interrupt(&mut self, outbox: &mut Outbox) {
        match self.state {
            _ if self.interrupted => return,
            State::Finished(_) => return,
            // A prompt that goes with it to one that was kept goes first.
            State::Working | State::Kept => outbox.push(wire::interrupt()),
            // The prompt was not even sent: there is nothing to interrupt, and nothing is to begin.
            State::Initializing => outbox.push(Outgoing::Close),
        }
        self.interrupted = true;
    }

    fn finish(&self) -> Option<Finish> {
        match &self.state {
            State::Finished(finish) => Some(finish.clone()),
            State::Initializing | State::Kept | State::Working => None,
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
    fn initialized(&mut self, outbox: &mut Outbox) {
        if matches!(self.state, State::Initializing) && !self.interrupted {
            self.state = State::Working;
            outbox.push(wire::prompt(&self.prompt));
        }
    }

    fn asked(
        &mut self,
        request: String,
        tool: String,
        call: Option<String>,
        input: Box<RawValue>,
        outbox: &mut Outbox,
        seen: &mut Vec<Seen>,
    ) {
        match self.approvals {
            Approvals::Auto => outbox.push(wire::answer(&request, &input, &Decision::Allow { choice: None })),
            Approvals::Ask => {
                let shown = serde_json::from_str(input.get()).unwrap_or(Value::Null);
                self.pending.insert(request.clone(), input);
                let title = tool.clone();
                let choices = Vec::new();
                let permission = Permission { id: request, tool, title, input: shown, call, choices };
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
        } else if self.model_error.as_deref() == Some("authentication_failed") {
            Failure::NotLoggedIn { message }
        } else if message.starts_with("No conversation found") {
            Failure::UnknownConversation { message }
        } else {
            Failure::of_model(result.status, message)
        };
        // What the program itself says about its failure is no description of the work.
        let message = self.last_message().filter(|_| self.model_error.is_none());
        Finish { message, failure: Some(failure), usage: self.usage }
    }
}
