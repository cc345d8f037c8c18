//! From `initialize` to the prompt.

use serde_json::{Value, json};

use super::session::option_in;
use super::update::text;
use super::{Acp, MINUTE_MS, State, wire};
use crate::driver::{Failure, Outbox, Seen};
use crate::turn::{Approvals, Turn, WorksWith};

/// Whether an agent that works with this can be told to work in the turn's mode. What an option has switched on, a mode
/// does not switch off again.
pub(crate) fn takes_mode(turn: &Turn, now: &WorksWith) -> bool {
    let before = now.mode.as_deref().or_else(|| usual_mode(turn));
    [before, turn.mode.as_deref()].into_iter().flatten().all(|mode| option_in(mode).is_none())
}

/// The mode that an agent works in where nobody names one.
fn usual_mode(turn: &Turn) -> Option<&str> {
    let modes = &turn.manner.modes;
    match turn.approvals {
        _ if plans(turn) => Some(modes.plan.as_deref().unwrap_or("plan")),
        Approvals::Auto => modes.auto.as_deref(),
        Approvals::Ask => modes.ask.as_deref(),
    }
}

/// Whether the variant wants a plan and nothing done.
fn plans(turn: &Turn) -> bool {
    turn.settings.get("plan").and_then(Value::as_bool) == Some(true)
}

impl Acp {
    /// Whether somebody wants the work done in the mode that is to be set, and in no other.
    pub(super) fn names_mode(&self) -> bool {
        self.turn.mode.is_some() || plans(&self.turn)
    }

    pub(super) fn initialized(
        &mut self,
        told: &Value,
        at_ms: u64,
        outbox: &mut Outbox,
        seen: &mut Vec<Seen>,
    ) {
        let version = told.get("protocolVersion").unwrap_or(&Value::Null);
        if version.as_u64() != Some(wire::PROTOCOL) {
            let message = format!("It speaks version {version} of its protocol, and Forge speaks version 1.");
            return self.end(Some(Failure::WrongVersion { message }), seen);
        }
        let can =
            |at: &str| told.pointer(at).is_some_and(|can| !can.is_null() && can.as_bool() != Some(false));
        self.sees = can("/agentCapabilities/promptCapabilities/image");
        self.open_by = match &self.turn.resume {
            None => "session/new",
            Some(_) if can("/agentCapabilities/sessionCapabilities/resume") => "session/resume",
            Some(_) if can("/agentCapabilities/loadSession") => "session/load",
            Some(_) => {
                let message = "This agent cannot take up a conversation that it has left.".into();
                return self.end(Some(Failure::UnknownConversation { message }), seen);
            }
        };
        if self.open_by == "session/load" && self.turn.manner.quirks.load_next_minute {
            // When it was saved is not known, only that it was: in this minute at the latest.
            self.state = State::Waiting((at_ms / MINUTE_MS + 1).saturating_mul(MINUTE_MS));
        } else {
            self.open(outbox);
        }
    }

    /// Begins a conversation, or takes one up again.
    pub(super) fn open(&mut self, outbox: &mut Outbox) {
        self.state = State::Opening;
        let cwd = &self.turn.cwd;
        let params = match &self.turn.resume {
            Some(session) => json!({ "sessionId": session, "cwd": cwd, "mcpServers": [] }),
            None => json!({ "cwd": cwd, "mcpServers": [] }),
        };
        self.ask(self.open_by, &params, outbox);
    }

    /// Names the way of logging in to an agent that wants one named, if that is known; once.
    pub(super) fn logs_in(&mut self, outbox: &mut Outbox) -> bool {
        let Some(method) = self.turn.manner.quirks.login.take() else { return false };
        self.state = State::LoggingIn;
        self.ask("authenticate", &json!({ "methodId": method }), outbox);
        true
    }

    pub(super) fn opened(&mut self, told: &Value, outbox: &mut Outbox, seen: &mut Vec<Seen>) {
        let session = text(told, "/sessionId").or_else(|| self.turn.resume.clone());
        let Some(session) = session else {
            let message = "The agent began a conversation and did not say its name.".into();
            return self.end(Some(Failure::Protocol { message }), seen);
        };
        self.session = Some(session.clone());
        seen.push(Seen::Conversation(session));
        self.offered.opened(told);
        self.offer(seen);
        self.choose();
        self.advance(outbox);
    }

    /// What is to be set before the prompt.
    pub(super) fn choose(&mut self) {
        let Some(session) = self.session.as_deref() else { return };
        let setting = |name: &str| self.turn.settings.get(name);
        let usual = setting("model").and_then(Value::as_str).filter(|model| self.offered.has_model(model));
        if let Some(model) = self.turn.model.as_deref().or(usual) {
            self.to_set.push_back(self.offered.set_model(session, model));
        }
        // One that was kept works in the mode that it has.
        let usual = usual_mode(&self.turn).filter(|_| !self.turn.warm);
        if let Some(mode) = self.turn.mode.as_deref().or(usual) {
            self.to_set.push_back(self.offered.set_mode(session, mode));
        }
    }

    /// Sets what is next, or prompts once there is no more to set.
    pub(super) fn advance(&mut self, outbox: &mut Outbox) {
        if let Some(set) = self.to_set.front().cloned() {
            self.state = State::Setting;
            return self.ask(set.method, &set.params, outbox);
        }
        let Some(session) = &self.session else { return };
        self.state = State::Working;
        let prompt = wire::prompt(&self.turn, session, self.sees);
        self.ask("session/prompt", &prompt, outbox);
    }
}
