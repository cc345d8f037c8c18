//! What Claude Code asks for: the question as people read it, and the answers that it takes.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::wire;
use crate::driver::{Choice, ChoiceKind, Decision, Outgoing, Permission};

/// The tool by which the agent shows its plan and wants to begin.
const PLAN: &str = "ExitPlanMode";

const ALLOW: &str = "allow";
const SESSION: &str = "allow_always";
const DENY: &str = "deny";

/// A tool that waits for an answer.
#[derive(Debug)]
pub(super) struct Question {
    /// What the answer has to repeat, as it came.
    input: Box<RawValue>,
    is_plan: bool,
    /// What makes the program not ask again in this session, in its own words.
    remembers: Vec<Value>,
}

/// What the program says when it asks.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) request: String,
    pub(super) tool: String,
    pub(super) call: Option<String>,
    pub(super) input: Box<RawValue>,
    pub(super) description: Option<String>,
    pub(super) suggestions: Vec<Value>,
}

impl Question {
    pub(super) fn of(asked: Asked) -> (Self, Permission) {
        let Asked { request, tool, call, input, description, mut suggestions } = asked;
        let is_plan = tool == PLAN;
        if is_plan {
            suggestions = vec![json!({ "type": "setMode", "mode": "acceptEdits" })];
        }
        // It is to be remembered for as long as the conversation is, and not in files of the user's or the project's.
        for suggestion in suggestions.iter_mut().filter_map(Value::as_object_mut) {
            suggestion.insert("destination".into(), json!("session"));
        }
        let question = Self { input, is_plan, remembers: suggestions };
        let shown = serde_json::from_str(question.input.get()).unwrap_or(Value::Null);
        let title = description.filter(|text| !text.is_empty()).unwrap_or_else(|| tool.clone());
        let choices = question.choices();
        (question, Permission { id: request, tool, title, input: shown, call, choices })
    }

    fn choices(&self) -> Vec<Choice> {
        let choice = |id: &str, name: String, kind| Choice { id: id.into(), name, kind };
        let once = if self.is_plan { "Begin, and ask about changes" } else { "Allow once" };
        let never = if self.is_plan { "Go on planning" } else { "Reject" };
        let mut choices = vec![choice(ALLOW, once.into(), ChoiceKind::AllowOnce)];
        if !self.remembers.is_empty() {
            let name = if self.is_plan {
                "Begin, and allow edits in this session".into()
            } else {
                let what: Vec<String> = self.remembers.iter().map(remembered).collect();
                format!("Allow {} in this session", what.join(", "))
            };
            choices.push(choice(SESSION, name, ChoiceKind::AllowAlways));
        }
        choices.push(choice(DENY, never.into(), ChoiceKind::RejectOnce));
        choices
    }

    /// The answer that the program is sent. Where nobody is asked, a plan that is allowed is carried out without asking.
    pub(super) fn answer(&self, request: &str, decision: &Decision) -> Outgoing {
        match decision {
            Decision::Allow { choice } if choice.as_deref() == Some(SESSION) => {
                wire::allow(request, &self.input, &self.remembers)
            }
            Decision::Allow { .. } => wire::allow(request, &self.input, &[]),
            Decision::Deny { message, .. } => wire::deny(request, message),
        }
    }

    /// The answer where everything is allowed.
    pub(super) fn allow_all(&self, request: &str) -> Outgoing {
        let remembers = if self.is_plan { &self.remembers[..] } else { &[] };
        wire::allow(request, &self.input, remembers)
    }
}

/// What a suggestion of the program allows, in words.
fn remembered(suggestion: &Value) -> String {
    let text = |name: &str| suggestion.get(name).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "setMode" if text("mode") == "acceptEdits" => "all edits".into(),
        "setMode" => format!("everything that the mode {} does", text("mode")),
        "addRules" => {
            let rules = suggestion.get("rules").and_then(Value::as_array).into_iter().flatten();
            let rule = |rule: &Value| {
                let tool = rule.get("toolName").and_then(Value::as_str).unwrap_or_default();
                match rule.get("ruleContent").and_then(Value::as_str) {
                    Some(content) => format!("`{tool}({content})`"),
                    None => format!("`{tool}`"),
                }
            };
            rules.map(rule).collect::<Vec<_>>().join(", ")
        }
        "addDirectories" => {
            let folders = suggestion.get("directories").and_then(Value::as_array).into_iter().flatten();
            let folders: Vec<&str> = folders.filter_map(Value::as_str).collect();
            format!("work in {}", folders.join(", "))
        }
        _ => "the like".into(),
    }
}
