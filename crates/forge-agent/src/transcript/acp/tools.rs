//! The entries of tools, and what people say about them.

use serde_json::Value;

use super::{Acp, Asked, MOST_TOOLS, Tool, action};
use crate::acp::update::{Status, ToolCall, text};
use crate::acp::wire;
use crate::driver::ChoiceKind;
use crate::transcript::book::Book;
use crate::transcript::entry::{Call, Entry, EntryType, Metadata, ToolStatus, ToolUse};
use crate::transcript::text::{MOST_OUTPUT, cut, fits};
use crate::transcript::verbatim::unknown;

impl Acp {
    /// Adds what is told of a tool; gives back its place among those that may still change.
    pub(super) fn uses(&mut self, call: ToolCall, book: &mut Book) -> usize {
        let known = self.tools.iter().position(|tool| tool.call.id == call.id);
        let at = match known.and_then(|at| Some((at, self.tools.get_mut(at)?))) {
            Some((at, tool)) => {
                tool.call.merge(call);
                at
            }
            None => {
                if self.tools.len() >= MOST_TOOLS {
                    let done = self.tools.iter().position(|tool| !tool.call.is_open());
                    self.tools.remove(done.unwrap_or(0));
                }
                let index = book.open(Entry::new(EntryType::SystemMessage, ""));
                self.tools.push_back(Tool { index, call, held: None });
                self.tools.len() - 1
            }
        };
        self.show(at, book);
        at
    }

    /// Writes the entry of a tool anew.
    fn show(&self, at: usize, book: &mut Book) {
        let Some(Tool { index, call, held }) = self.tools.get(at) else { return };
        let status = held.clone().unwrap_or(match call.status {
            None | Some(Status::Open) => ToolStatus::Created,
            Some(Status::Completed) => ToolStatus::Success,
            Some(Status::Failed) => ToolStatus::Failed,
        });
        let action::Described { name, action, content, result } = action::describe(call, &self.root);
        let input = call.input.as_ref().and_then(|input| serde_json::value::to_raw_value(input).ok());
        let size = input.as_ref().map_or(0, |input| input.get().len());
        let metadata = Call {
            id: call.id.clone(),
            name: call.name.clone().unwrap_or_else(|| name.clone()),
            input: input.filter(|_| fits(size, MOST_OUTPUT)),
            size,
            parent: call.parent.clone(),
            result,
        };
        let tool = ToolUse { tool_name: name, action_type: action, status };
        let told =
            Entry::new(EntryType::ToolUse(Box::new(tool)), content).with(Metadata::Call(Box::new(metadata)));
        book.change(*index, |entry| *entry = told);
    }

    pub(super) fn asks(&mut self, id: &Value, params: &mut Value, at_ms: u64, line: &[u8], book: &mut Book) {
        self.spoken(book);
        self.worked = true;
        let name = self.names.next(id);
        let Some(call) = params.get_mut("toolCall").and_then(ToolCall::parse) else {
            return unknown(line, book);
        };
        let known = self.tools.iter().any(|tool| tool.call.id == call.id);
        let open = self.tools.iter().rposition(|tool| tool.call.is_open());
        // A question of its own, about what the agent is about to do.
        let at = match open.filter(|_| !known && call.is_bare()) {
            Some(at) => at,
            None => self.uses(call, book),
        };
        let options = params.get("options").and_then(Value::as_array).into_iter().flatten();
        let choices = options
            .filter_map(|option| Some((text(option, "/optionId")?, wire::kind(&text(option, "/kind")?)?)));
        let Some(tool) = self.tools.get_mut(at) else { return };
        if self.questions.are_asked() {
            tool.held = Some(self.questions.pending(&name, at_ms));
        }
        self.asked.insert(name, Asked { tool: tool.call.id.clone(), choices: choices.collect() });
        self.show(at, book);
    }

    /// Somebody, or Forge itself, answered.
    pub(super) fn decided(&mut self, request: &Value, answer: &Value, book: &mut Book) {
        let Some(asked) = self.asked.remove(&self.names.last(request)) else { return };
        let chosen = text(answer, "/outcome/optionId");
        let choice = asked.choices.iter().find(|(id, _)| Some(id) == chosen.as_ref());
        let denies =
            choice.is_none_or(|(_, kind)| matches!(kind, ChoiceKind::RejectOnce | ChoiceKind::RejectAlways));
        // Who interrupts a turn does not judge its tools.
        let denies = denies && !(self.cancelled && choice.is_none());
        let Some(at) = self.tools.iter().position(|tool| tool.call.id == asked.tool) else { return };
        let Some(tool) = self.tools.get_mut(at) else { return };
        let reason = text(answer, "/_meta/forge/reason").map(|reason| cut(&reason, MOST_OUTPUT));
        tool.held = denies.then(|| ToolStatus::Denied { reason: reason.clone() });
        self.show(at, book);
        if denies {
            let Some(EntryType::ToolUse(tool)) =
                self.tools.get(at).and_then(|tool| book.get(tool.index)).map(|entry| &entry.entry_type)
            else {
                return;
            };
            let denied_tool = tool.tool_name.clone();
            let content = reason.unwrap_or_else(|| "User denied this tool use request".into());
            book.add(Entry::new(EntryType::UserFeedback { denied_tool }, content));
        }
    }
}
