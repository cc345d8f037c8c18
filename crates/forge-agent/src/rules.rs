//! How the lines of an agent are read, as data: which of them says what, and where in them it stands.
//!
//! An agent that prints one JSON object per line needs no code: its rules name the members that tell its lines apart
//! and those that hold the text, the tool, the error. Every rule that fits a line is applied, in order.

use std::collections::BTreeMap;

use forge_model::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::driver::micros;

/// What has to stand where, by JSON pointer: a value, one of a list, anything (`"*"`), `{ not = … }` or
/// `{ begins = "…" }`.
pub type Members = BTreeMap<String, Value>;

/// What a line says.
///
/// What is named by a place is a JSON pointer into the line; `=text` stands for itself. With `each`, places are looked
/// for in the element first and then in the line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rule {
    /// What the line has to have.
    #[serde(skip_serializing_if = "Members::is_empty")]
    pub when: Members,
    /// The list whose elements say something each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each: Option<String>,
    /// What the element has to have.
    #[serde(skip_serializing_if = "Members::is_empty")]
    pub of: Members,
    /// What it is.
    pub is: Kind,
    /// The text: of what was said, of an error, of a remark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The text is a piece, which is joined to those before it.
    #[serde(skip_serializing_if = "is_false")]
    pub grows: bool,
    /// The name of the text, the tool's use or the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the tool is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// What the tool gave back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What a command returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// How it is seen that it failed.
    #[serde(skip_serializing_if = "Members::is_empty")]
    pub failed: Members,
    /// How it is seen that it was not allowed.
    #[serde(skip_serializing_if = "Members::is_empty")]
    pub denied: Members,
    /// HTTP's status of an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The error is not the end: the agent tries again, or goes on.
    #[serde(skip_serializing_if = "is_false")]
    pub interim: bool,
    /// What was used up.
    #[serde(skip_serializing_if = "Tokens::is_none")]
    pub tokens: Tokens,
}

/// What a rule makes of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It says nothing to anybody.
    #[default]
    Ignore,
    /// The agent says something.
    Said,
    /// The agent thinks.
    Thought,
    /// The agent uses a tool.
    Tool,
    /// A tool has ended.
    Result,
    /// Something is wrong.
    Error,
    /// A remark that is neither the agent's nor a person's.
    Remark,
    /// What was used up.
    Usage,
    /// The name of the conversation, under which it can be resumed.
    Conversation,
    /// The turn is over: what was wrong before is no more, unless this has failed.
    End,
    /// The turn was interrupted.
    Interrupted,
}

/// Where it stands what was used up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tokens {
    /// Tokens that the model read.
    pub input: Option<String>,
    /// Tokens that it took from its cache.
    pub cached: Option<String>,
    /// Those are among the ones it read.
    pub input_has_cached: bool,
    /// Tokens that it wrote.
    pub output: Option<String>,
    /// What it cost, in US dollars.
    pub cost: Option<String>,
    /// It is what was used up so far, and not in addition.
    pub total: bool,
    /// It is what the whole conversation used up, also in a turn that resumes it.
    pub of_conversation: bool,
}

impl Tokens {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }

    const fn sum(&self) -> Sum {
        match (self.of_conversation, self.total) {
            (true, _) => Sum::Conversation,
            (false, true) => Sum::Turn,
            (false, false) => Sum::Part,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// What a count is the sum of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sum {
    /// Itself: it comes to the others.
    Part,
    /// All of this turn so far.
    Turn,
    /// All of the conversation so far.
    Conversation,
}

/// What a line said.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Said {
    Text { thought: bool, id: Option<String>, text: String, grows: bool },
    Tool { id: String, name: String, input: Option<Value> },
    Result { id: String, output: String, code: Option<i64>, how: Ended },
    Error { text: String, status: Option<u16>, interim: bool },
    Remark(String),
    Usage { usage: Usage, sum: Sum },
    Conversation(String),
    End { failed: bool, text: Option<String> },
    Interrupted,
}

/// How a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Well,
    Badly,
    Denied,
}

/// What a line says by the rules; none when no rule knows it.
pub(crate) fn read(rules: &[Rule], line: &Value) -> Option<Vec<Said>> {
    let mut said = Vec::new();
    let mut is_known = false;
    for rule in rules.iter().filter(|rule| has(line, &rule.when)) {
        let elements: Vec<&Value> = match &rule.each {
            None => vec![line],
            Some(each) => line.pointer(each).and_then(Value::as_array).into_iter().flatten().collect(),
        };
        for (at, element) in elements.into_iter().enumerate().filter(|(_, element)| has(element, &rule.of)) {
            // A name that any line may have does not tell what the line is.
            is_known |= rule.is != Kind::Conversation;
            said.extend(Places { rule, line, element, at }.read());
        }
    }
    is_known.then_some(said)
}

/// The name of the conversation, which lines tell that nobody knows, too.
pub(crate) fn conversation(rules: &[Rule], line: &Value) -> Option<String> {
    let mut named = rules.iter().filter(|rule| rule.is == Kind::Conversation && has(line, &rule.when));
    named.find_map(|rule| Places { rule, line, element: line, at: 0 }.text(rule.id.as_ref()))
}

fn has(value: &Value, members: &Members) -> bool {
    members.iter().all(|(place, expected)| fits(value.pointer(place), expected))
}

fn fits(there: Option<&Value>, expected: &Value) -> bool {
    let there = there.filter(|there| !there.is_null());
    match expected {
        Value::String(any) if any == "*" => there.is_some(),
        Value::Array(some) => some.iter().any(|expected| fits(there, expected)),
        Value::Object(test) => test.iter().all(|(test, expected)| match test.as_str() {
            "not" => !fits(there, expected),
            "begins" => {
                let text = there.and_then(Value::as_str).unwrap_or_default();
                expected.as_str().is_some_and(|beginning| text.starts_with(beginning))
            }
            _ => false,
        }),
        expected => there == Some(expected),
    }
}

/// A rule, and where its places are looked for.
struct Places<'a> {
    rule: &'a Rule,
    line: &'a Value,
    element: &'a Value,
    at: usize,
}

impl Places<'_> {
    fn read(&self) -> Option<Said> {
        let rule = self.rule;
        let seen = |members: &Members| {
            !members.is_empty() && (has(self.element, members) || has(self.line, members))
        };
        let failed = seen(&rule.failed);
        Some(match rule.is {
            Kind::Ignore => return None,
            Kind::Said | Kind::Thought => {
                let thought = rule.is == Kind::Thought;
                let (id, text) = (self.text(rule.id.as_ref()), self.text(rule.text.as_ref())?);
                Said::Text { thought, id, text, grows: rule.grows }
            }
            Kind::Tool => {
                let input = self.value(rule.input.as_ref());
                // Some put what a tool is given into a text.
                let inside = input.as_ref().and_then(Value::as_str);
                let inside = inside.and_then(|text| serde_json::from_str(text).ok());
                let name = self.text(rule.name.as_ref()).unwrap_or_else(|| "tool".into());
                Said::Tool { id: self.id()?, name, input: inside.or(input) }
            }
            Kind::Result => {
                let how = match (seen(&rule.denied), failed) {
                    (true, _) => Ended::Denied,
                    (false, true) => Ended::Badly,
                    (false, false) => Ended::Well,
                };
                let code = self.value(rule.code.as_ref()).and_then(|code| code.as_i64());
                let output = self.text(rule.output.as_ref()).unwrap_or_default();
                Said::Result { id: self.id()?, output, code, how }
            }
            Kind::Error => {
                let status = self.value(rule.status.as_ref()).and_then(|status| status.as_u64());
                let status = status.and_then(|status| u16::try_from(status).ok());
                let text = self.text(rule.text.as_ref()).unwrap_or_else(|| self.element.to_string());
                Said::Error { text, status, interim: rule.interim }
            }
            Kind::Remark => Said::Remark(self.text(rule.text.as_ref())?),
            Kind::Usage => Said::Usage { usage: self.usage(), sum: rule.tokens.sum() },
            Kind::Conversation => Said::Conversation(self.text(rule.id.as_ref())?),
            Kind::End => Said::End { failed, text: self.text(rule.text.as_ref()) },
            Kind::Interrupted => Said::Interrupted,
        })
    }

    fn usage(&self) -> Usage {
        let tokens = &self.rule.tokens;
        let count = |place: &Option<String>| {
            self.value(place.as_ref()).and_then(|count| count.as_u64()).unwrap_or_default()
        };
        let (read, cached_tokens) = (count(&tokens.input), count(&tokens.cached));
        Usage {
            input_tokens: if tokens.input_has_cached { read.saturating_sub(cached_tokens) } else { read },
            cached_tokens,
            output_tokens: count(&tokens.output),
            cost_micros: self.value(tokens.cost.as_ref()).and_then(|cost| micros(cost.as_f64()?)),
        }
    }

    /// The name of a tool's use. Elements that have none of their own are told apart by their place.
    fn id(&self) -> Option<String> {
        let place = self.rule.id.as_ref()?;
        if self.rule.each.is_none() || self.element.pointer(place).is_some() {
            return self.text(Some(place));
        }
        Some(format!("{}#{}", text_of(self.line.pointer(place)?), self.at))
    }

    fn value(&self, place: Option<&String>) -> Option<Value> {
        let place = place?;
        if let Some(itself) = place.strip_prefix('=') {
            return Some(Value::String(itself.to_owned()));
        }
        let found = self.element.pointer(place).or_else(|| self.line.pointer(place));
        found.filter(|found| !found.is_null()).cloned()
    }

    fn text(&self, place: Option<&String>) -> Option<String> {
        Some(text_of(&self.value(place)?)).filter(|text| !text.is_empty())
    }
}

/// Data as text: parts of a message are joined, pictures and the like only named.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let part = |part: &Value| match (part, part.get("text")) {
                (Value::String(text), _) | (_, Some(Value::String(text))) => text.clone(),
                _ => {
                    let kind = part.get("type").and_then(Value::as_str);
                    kind.map_or_else(|| part.to_string(), |kind| format!("[{kind}]"))
                }
            };
            parts.iter().map(part).collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
