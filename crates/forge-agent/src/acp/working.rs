//! What the agent tells, and asks, while it works.

use serde_json::Value;

use super::update::{Said, ToolCall, Update};
use super::wire::Asked;
use super::{Acp, MOST_TOOLS};
use crate::driver::{MOST_WORDS, Outbox, Outgoing, Permission, Seen};
use crate::rpc::Message;
use crate::turn::Approvals;

impl Acp {
    pub(super) fn updated(&mut self, mut params: Value, at_ms: u64, seen: &mut Vec<Seen>) {
        self.meter.beside(&params);
        let Some(update) = Update::parse(&mut params) else { return };
        match update {
            Update::Commands(commands) => self.offered.commands(commands),
            Update::Mode(mode) => self.offered.mode(mode),
            Update::Options(options) => self.offered.options(&options),
            Update::Usage(usage) => return self.meter.update(&usage),
            Update::Info | Update::Heard(_) => return,
            Update::Said(_) | Update::Tool(_) | Update::Plan(_) if !self.prompted => return,
            Update::Said(said) => {
                self.busy_at = at_ms;
                return self.says(said, seen);
            }
            Update::Tool(call) => {
                self.busy_at = at_ms;
                self.spoken(seen);
                self.worked = true;
                self.uses(*call);
                return;
            }
            Update::Plan(_) => {
                self.busy_at = at_ms;
                return;
            }
        }
        self.offer(seen);
    }

    fn says(&mut self, said: Said, seen: &mut Vec<Seen>) {
        if let Some(usage) = &said.usage {
            self.meter.message(usage);
        }
        if said.thought || said.parent.is_some() {
            return self.spoken(seen);
        }
        let quirks = &self.turn.manner.quirks;
        let (is_aside, is_retry) = (quirks.is_aside(&said.text), quirks.is_retry(&said.text));
        let is_error = quirks.is_error(&said.text);
        if is_retry {
            self.worked = false;
            self.retries = Some(said.text.trim().to_owned());
        }
        if is_aside {
            return self.spoken(seen);
        }
        if is_error {
            self.spoken(seen);
        }
        // What goes on after it is an ordinary text that happens to begin so.
        self.said.is_error = is_error;
        if said.message.is_some() && self.said.message != said.message {
            self.spoken(seen);
            self.said.message = said.message;
        }
        self.worked |= !said.text.trim().is_empty();
        // Some say all in one piece: its beginning is kept even if it is too long.
        let room = said.text.floor_char_boundary(MOST_WORDS.saturating_sub(self.said.now.len()));
        self.said.now.push_str(said.text.get(..room).unwrap_or_default());
    }

    /// A text has ended, as nothing more can be added to it.
    pub(super) fn spoken(&mut self, seen: &mut Vec<Seen>) {
        let said = std::mem::take(&mut self.said.now);
        let said = self.turn.manner.quirks.answer_in(&said).trim();
        if !said.is_empty() {
            self.said.last = Some(said.to_owned());
            seen.push(Seen::Message(said.to_owned()));
        }
    }

    fn uses(&mut self, call: ToolCall) {
        match self.tools.iter_mut().find(|known| known.id == call.id) {
            Some(known) => {
                known.merge(call);
                // Nobody asks about what is done.
                if !known.is_open() {
                    known.forget();
                }
            }
            None => self.tools.push_back(call),
        }
        if self.tools.len() > MOST_TOOLS {
            self.tools.pop_front();
        }
    }

    pub(super) fn asks(
        &mut self,
        request: Value,
        mut params: Value,
        outbox: &mut Outbox,
        seen: &mut Vec<Seen>,
    ) {
        if self.asked.remove(&self.names.last(&request)).is_some() {
            // Whoever asks something else under an id has given up what was asked under it.
            seen.push(Seen::Withdrawn(self.names.last(&request)));
        }
        let id = self.names.next(&request);
        let (asked, call) = Asked::parse(request, &mut params);
        self.spoken(seen);
        self.worked = true;
        if self.interrupted || self.turn.approvals == Approvals::Auto {
            outbox.push(if self.interrupted { asked.cancelled(None) } else { asked.allowed() });
            return self.answering.push_back((asked.request, id));
        }
        let call = call.map(|call| self.meant(call)).unwrap_or_default();
        let title = call.title.clone().or_else(|| call.name.clone()).unwrap_or_else(|| "A tool".into());
        seen.push(Seen::Permission(Permission {
            id: id.clone(),
            tool: call.name.clone().or_else(|| call.kind.clone()).unwrap_or_else(|| title.clone()),
            title,
            input: call.asked_for(),
            call: Some(call.id).filter(|call| !call.is_empty()),
            choices: asked.choices.clone(),
        }));
        self.asked.insert(id, asked);
    }

    /// The tool that a question is about, with all that was told of it before.
    fn meant(&mut self, call: ToolCall) -> ToolCall {
        let known = self.tools.iter().any(|known| known.id == call.id);
        // A question of its own, about what the agent is about to do.
        let open = self.tools.iter().rev().find(|known| known.is_open());
        if let Some(open) = open.filter(|_| !known && call.is_bare()) {
            return open.clone();
        }
        let id = call.id.clone();
        self.uses(call);
        self.tools.iter().find(|known| known.id == id).cloned().unwrap_or_default()
    }

    /// Takes it that the log shows an answer under this id. True where it answers a question that another was asked after, so
    /// that this one still waits.
    pub(super) fn answers_older(&mut self, request: &Value) -> bool {
        let at = self.answering.iter().position(|(known, _)| known == request);
        let answered = at.and_then(|at| self.answering.remove(at));
        answered.is_some_and(|(_, name)| name != self.names.last(request))
    }

    /// Nobody waits for an answer to this question any more.
    pub(super) fn settled(&mut self, request: &Value, outbox: &mut Outbox) -> Option<Asked> {
        outbox.retain(|waiting| !is_answer(waiting, request));
        self.asked.remove(&self.names.last(request))
    }

    /// Questions are not answered any more once the turn is to end.
    pub(super) fn withdraw(&mut self, outbox: &mut Outbox) {
        for (name, asked) in std::mem::take(&mut self.asked) {
            outbox.push(asked.cancelled(None));
            self.answering.push_back((asked.request, name));
        }
    }

    pub(super) fn offer(&mut self, seen: &mut Vec<Seen>) {
        let offers = self.offered.offers();
        if offers != self.offers {
            self.offers = offers.clone();
            seen.push(Seen::Offers(offers));
        }
    }
}

fn is_answer(waiting: &Outgoing, request: &Value) -> bool {
    let Outgoing::Write(line) = waiting else { return false };
    matches!(Message::parse(line), Some(Message::Answer { id, .. }) if id == *request)
}
