//! Claude Code's stream-json, both directions: `initialize`, the prompt, permissions, interrupt, result.
//!
//! What it is not told about is passed over: the program gains kinds of message with every release.

mod wire;

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use self::wire::Incoming;
use crate::driver::{Approvals, Decision, Failure, Finish, Outbox, Outgoing, Permission, Seen, Turn};
use crate::profiles::Settings;

/// One turn with the program, which is closed when the turn is over: a follow-up resumes the conversation.
#[derive(Debug)]
pub(crate) struct Claude {
    prompt: String,
    approvals: Approvals,
    state: State,
    conversation: Option<String>,
    last_message: Option<String>,
    /// The program's own word for what is wrong with the model's API.
    model_error: Option<String>,
    interrupted: bool,
    /// Permissions that wait for an answer, with the input that the answer has to repeat.
    pending: BTreeMap<String, Box<RawValue>>,
}

#[derive(Debug)]
enum State {
    Initializing,
    Working,
    Finished(Finish),
}

/// The arguments of the program for a turn. As root it refuses to bypass permissions, so `Auto` is answering.
pub(crate) fn arguments(turn: &Turn, settings: &Settings) -> Vec<String> {
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
    let more = settings.get("additional_params").and_then(Value::as_array);
    args.extend(more.into_iter().flatten().filter_map(Value::as_str));
    if let Some(conversation) = &turn.resume {
        // Under an id of its own: the conversation stays as it was before the turn, so that another turn can take its
        // place.
        args.extend(["--resume", conversation, "--fork-session"]);
    }
    args.into_iter().map(str::to_owned).collect()
}

impl Claude {
    pub(crate) fn new(turn: &Turn, outbox: &mut Outbox) -> Self {
        outbox.push(wire::initialize());
        Self {
            prompt: turn.prompt.clone(),
            approvals: turn.approvals,
            state: State::Initializing,
            conversation: None,
            last_message: None,
            model_error: None,
            interrupted: false,
            pending: BTreeMap::new(),
        }
    }

    pub(crate) fn received(&mut self, line: &[u8], outbox: &mut Outbox, seen: &mut Vec<Seen>) {
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
            Incoming::Said { text, model_error } => {
                self.model_error = model_error;
                if !text.is_empty() {
                    self.last_message = Some(text.clone());
                    seen.push(Seen::Message(text));
                }
            }
            Incoming::Asked { request, tool, input } => self.asked(request, tool, input, outbox, seen),
            Incoming::AskedUnknown { request } => outbox.push(wire::refuse_request(&request)),
            Incoming::Withdrawn { request } => self.settled(&request, outbox),
            Incoming::Result(result) => {
                let finish = self.outcome(result);
                self.state = State::Finished(finish.clone());
                outbox.push(Outgoing::Close);
                seen.push(Seen::Finished(finish));
            }
        }
    }

    /// Draws from the log what a server before this one, or this one, told the program.
    pub(crate) fn sent(&mut self, line: &[u8], outbox: &mut Outbox) {
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
    pub(crate) fn closed(&mut self) {
        self.interrupted |= self.finish().is_none();
    }

    pub(crate) fn answer(&mut self, permission: &str, decision: &Decision, outbox: &mut Outbox) {
        if let Some(input) = self.pending.remove(permission) {
            outbox.push(wire::answer(permission, &input, decision));
        }
    }

    pub(crate) fn interrupt(&mut self, outbox: &mut Outbox) {
        match self.state {
            _ if self.interrupted => return,
            State::Finished(_) => return,
            State::Working => outbox.push(wire::interrupt()),
            // The prompt was not even sent: there is nothing to interrupt, and nothing is to begin.
            State::Initializing => outbox.push(Outgoing::Close),
        }
        self.interrupted = true;
    }

    pub(crate) fn finish(&self) -> Option<Finish> {
        match &self.state {
            State::Finished(finish) => Some(finish.clone()),
            State::Initializing | State::Working => None,
        }
    }

    pub(crate) const fn was_interrupted(&self) -> bool {
        self.interrupted
    }

    pub(crate) fn last_message(&self) -> Option<String> {
        self.last_message.clone()
    }

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
        input: Box<RawValue>,
        outbox: &mut Outbox,
        seen: &mut Vec<Seen>,
    ) {
        match self.approvals {
            Approvals::Auto => outbox.push(wire::answer(&request, &input, &Decision::Allow)),
            Approvals::Ask => {
                let shown = serde_json::from_str(input.get()).unwrap_or(Value::Null);
                self.pending.insert(request.clone(), input);
                seen.push(Seen::Permission(Permission { id: request, tool, input: shown }));
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
            return Finish { message, failure: None };
        }
        let message = result.text.unwrap_or_else(|| result.errors.join("\n"));
        let message = if message.is_empty() { result.subtype } else { message };
        let failure = if result.aborted {
            Failure::Interrupted
        } else if result.status == Some(401) || self.model_error.as_deref() == Some("authentication_failed") {
            Failure::NotLoggedIn { message }
        } else if let Some(status) = result.status {
            Failure::Model { status, message }
        } else if message.starts_with("No conversation found") {
            Failure::UnknownConversation { message }
        } else {
            Failure::Agent { message }
        };
        // What the program itself says about its failure is no description of the work.
        Finish { message: self.last_message().filter(|_| self.model_error.is_none()), failure: Some(failure) }
    }
}
