//! What a variant may set: of which kind it is, and what it does to the launch.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

/// A setting of an agent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// What it may be.
    pub kind: Kind,
    /// What it does, for a person.
    #[serde(default)]
    pub about: String,
    /// The words that it may be one of.
    #[serde(default)]
    pub words: Vec<String>,
    /// What words are in the agent's own; an empty one is not told.
    #[serde(default)]
    pub means: BTreeMap<String, String>,
    /// Arguments of the program, if it is set; `{}` stands for what it is. For a list, once for each.
    #[serde(default)]
    pub args: Vec<String>,
    /// Arguments of the program, if it is not set.
    #[serde(default)]
    pub args_if_off: Vec<String>,
    /// What the environment gets, if it is set; `{}` stands for what it is.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// What the environment gets, if it is not set.
    #[serde(default)]
    pub env_if_off: BTreeMap<String, String>,
    /// Files of the worktree with instructions that the agent does not read by itself if it is not set. The prompt names the
    /// first of them that exists.
    #[serde(default)]
    pub instructions_if_off: Vec<String>,
    /// What of a turn it is.
    pub sets: Option<Part>,
    /// What it has to be so that everything is allowed.
    pub allows_all: Option<Value>,
    /// What is run in place of the agent's program, if it is set.
    #[serde(default)]
    pub command: Vec<String>,
    /// The npm package that holds that.
    pub npm: Option<String>,
}

/// What a setting may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// On or off.
    Switch,
    /// Any text.
    Text,
    /// A list of texts.
    Texts,
    /// Texts by name.
    Pairs,
    /// One of some words.
    OneOf,
}

/// What of a turn a setting is, where the protocol tells the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The model.
    Model,
    /// The mode.
    Mode,
}

/// Settings that every agent has.
pub(super) static COMMON: LazyLock<BTreeMap<String, Setting>> = LazyLock::new(|| {
    let of = |name: &str, kind, about| (name.to_owned(), Setting::plain(kind, about));
    BTreeMap::from([
        of("append_prompt", Kind::Text, "What the agent is told before the first request."),
        of(
            "base_command_override",
            Kind::Text,
            "What is run in place of the program, as a shell would split it.",
        ),
        of("additional_params", Kind::Texts, "Arguments more for the program."),
        of("env", Kind::Pairs, "Variables more for the program."),
        of("wait_for_limit", Kind::Switch, "Goes on by itself when a limit of the account is reset."),
    ])
});

impl Setting {
    /// One that does nothing by itself.
    pub(super) fn plain(kind: Kind, about: &str) -> Self {
        Self {
            kind,
            about: about.to_owned(),
            words: Vec::new(),
            means: BTreeMap::new(),
            args: Vec::new(),
            args_if_off: Vec::new(),
            env: BTreeMap::new(),
            env_if_off: BTreeMap::new(),
            instructions_if_off: Vec::new(),
            sets: None,
            allows_all: None,
            command: Vec::new(),
            npm: None,
        }
    }

    /// Whether the launch does something about it; what it does nothing about is the protocol's to read.
    pub(super) fn is_launchs(&self) -> bool {
        let has_args = !(self.args.is_empty() && self.args_if_off.is_empty());
        has_args || !self.env.is_empty() || !self.command.is_empty() || self.sets.is_some()
    }

    /// Whether it can have this value.
    #[must_use]
    pub fn may_be(&self, value: &Value) -> bool {
        match self.kind {
            Kind::Switch => value.is_boolean(),
            Kind::Text => value.is_string(),
            Kind::Texts => value.as_array().is_some_and(|texts| texts.iter().all(Value::is_string)),
            Kind::Pairs => value.as_object().is_some_and(|pairs| pairs.values().all(Value::is_string)),
            Kind::OneOf => value.as_str().is_some_and(|word| self.words.iter().any(|known| known == word)),
        }
    }

    /// What it can be, in words.
    #[must_use]
    pub fn expected(&self) -> String {
        match self.kind {
            Kind::Switch => "true or false".into(),
            Kind::Text => "text".into(),
            Kind::Texts => "a list of texts".into(),
            Kind::Pairs => "texts by name".into(),
            Kind::OneOf => format!("one of {}", self.words.join(", ")),
        }
    }

    /// What it can be, as a JSON schema.
    #[must_use]
    pub fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Switch => json!({"type": ["boolean", "null"]}),
            Kind::Text => json!({"type": ["string", "null"]}),
            Kind::Texts => json!({"type": ["array", "null"], "items": {"type": "string"}}),
            Kind::Pairs => json!({"type": ["object", "null"], "additionalProperties": {"type": "string"}}),
            Kind::OneOf => {
                let words = self.words.iter().map(|word| Value::from(word.as_str())).chain([Value::Null]);
                json!({"type": ["string", "null"], "enum": words.collect::<Vec<_>>()})
            }
        };
        if let Some(schema) = schema.as_object_mut()
            && !self.about.is_empty()
        {
            schema.insert("description".to_owned(), self.about.as_str().into());
        }
        schema
    }

    /// What is wrong with its description, and what to do about it.
    pub(super) fn check(&self) -> Result<(), (String, String)> {
        if (self.kind == Kind::OneOf) == self.words.is_empty() {
            return Err((
                "has no words to choose from, or needs none".into(),
                "write kind = \"one_of\" together with words = [\"a\", \"b\"]".into(),
            ));
        }
        if let Some(value) = self.allows_all.as_ref().filter(|value| !self.may_be(value)) {
            return Err((format!("never is {value}"), format!("allows_all has to be {}", self.expected())));
        }
        Ok(())
    }
}
