//! Claude Code's stream-json, both directions: `initialize`, the prompt, permissions, interrupt, result.
//!
//! What it is not told about is passed over: the program gains kinds of message with every release.

mod wire;

use std::collections::BTreeMap;

use forge_model::{Timestamp, Usage};
use serde_json::Value;
use serde_json::value::RawValue;

use self::wire::Incoming;
use crate::driver::{
    Choice, ChoiceKind, Decision, Failure, Finish, Outbox, Outgoing, Permission, Seen, Speak,
};
use crate::turn::{Approvals, Turn};

/// One turn with the program. One that was kept after the turn before is only told the prompt.
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
    usage: Usage,
    /// Permissions that wait for an answer.
    pending: BTreeMap<String, Pending>,
    /// When the limit is reset that the program told of.
    resets_at: Option<Timestamp>,
}

/// What an answer to a permission has to repeat: the input, and for one that is remembered what the program suggested.
#[derive(Debug)]
struct Pending {
    input: Box<RawValue>,
    suggested: Option<Box<RawValue>>,
}

/// The choices of a permission that the program can remember. It has no names of its own for them.
const ALLOW: &str = "allow";
const ALLOW_ALWAYS: &str = "allow_always";
const DENY: &str = "deny";

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
        _ if turn.mode.is_some() => turn.mode.as_deref().unwrap_or_default(),
        _ if settings.get("plan").and_then(Value::as_bool) == Some(true) => "plan",
        Approvals::Auto => "acceptEdits",
        Approvals::Ask => "default",
    };
    let mut args = vec!["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    args.extend(["--permission-prompt-tool", "stdio", "--permission-mode", mode]);
    let model = turn.model.as_deref().or_else(|| settings.get("model").and_then(Value::as_str));
    if let Some(model) = model.filter(|model| !model.is_empty()) {
        args.extend(["--model", model]);
    }
    if let Some(conversation) = &turn.resume {
        // Under an id of its own: the conversation stays as it was before the turn, so that another turn can take its
        // place.
        args.extend(["--resume", conversation, "--fork-session"]);
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
            model_error: None,
            interrupted: false,
            usage: Usage::default(),
            pending: BTreeMap::new(),
            resets_at: None,
        }
    }
}

impl Speak for Claude {
    fn received(&mut self, line: &[u8], _at_ms: u64, outbox: &mut Outbox, seen: &mut Vec<Seen>) {
        let Some(incoming) = Incoming::parse(line) else { return };
        match incoming {
            Incoming::Answered { request, offers } if request == wire::INITIALIZE => {
                seen.extend(offers.map(Seen::Offers));
                self.initialized(outbox);
            }
            Incoming::Answered { .. } => {}
            Incoming::Limited { resets_at } => self.resets_at = Some(resets_at),
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
            Incoming::Asked(asked) => self.asked(asked, outbox, seen),
            Incoming::AskedUnknown { request } => outbox.push(wire::refuse_request(&request)),
            Incoming::Withdrawn { request } => {
                self.settled(&request, outbox);
                seen.push(Seen::Withdrawn(request));
            }
            Incoming::Result(_) if matches!(self.state, State::Kept) => {}
            Incoming::Result(result) => {
                self.usage += result.usage;
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
        if let Some(Pending { input, suggested }) = self.pending.remove(permission) {
            let remembers =
                matches!(decision, Decision::Allow { choice: Some(choice) } if choice == ALLOW_ALWAYS);
            let suggested = suggested.as_deref().filter(|_| remembers);
            outbox.push(wire::answer(permission, &input, suggested, decision));
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

    fn asked(&mut self, asked: wire::Asked, outbox: &mut Outbox, seen: &mut Vec<Seen>) {
        let wire::Asked { request, tool, call, input, suggested } = asked;
        match self.approvals {
            Approvals::Auto => {
                outbox.push(wire::answer(&request, &input, None, &Decision::Allow { choice: None }));
            }
            Approvals::Ask => {
                let shown = serde_json::from_str(input.get()).unwrap_or(Value::Null);
                let choices = if suggested.is_some() { choices() } else { Vec::new() };
                self.pending.insert(request.clone(), Pending { input, suggested });
                let title = tool.clone();
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
            match Failure::of_model(result.status, message) {
                Failure::RateLimited { message, resets_at: None } => {
                    Failure::RateLimited { message, resets_at: self.resets_at }
                }
                other => other,
            }
        };
        // What the program itself says about its failure is no description of the work.
        let message = self.last_message().filter(|_| self.model_error.is_none());
        Finish { message, failure: Some(failure), usage: self.usage }
    }
}

/// What a person can choose where the program says how it would remember a yes.
fn choices() -> Vec<Choice> {
    let choice = |id: &str, name: &str, kind| Choice { id: id.to_owned(), name: name.to_owned(), kind };
    vec![
        choice(ALLOW, "Yes", ChoiceKind::AllowOnce),
        choice(ALLOW_ALWAYS, "Yes, and do not ask again in this turn", ChoiceKind::AllowAlways),
        choice(DENY, "No", ChoiceKind::RejectOnce),
    ]
}
