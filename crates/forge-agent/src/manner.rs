//! How an agent is spoken to, as data: its protocol, what it does otherwise than others, the names of its modes.
//!
//! It is part of a [`Turn`](crate::turn::Turn) and is kept with the process, so that a log is always read in the manner
//! in which it came to be.

use serde::{Deserialize, Serialize};

use crate::rules::Rule;

/// How an agent is spoken to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manner {
    /// The language it speaks.
    pub protocol: Protocol,
    /// Whether it can be told another prompt when a turn is over, so that it is worth keeping.
    #[serde(default)]
    pub keeps: bool,
    /// What it does otherwise than others.
    #[serde(default)]
    pub quirks: Quirks,
    /// What its modes are called.
    #[serde(default)]
    pub modes: Modes,
    /// How it is spoken to in lines, where it is.
    #[serde(default)]
    pub lines: Lines,
}

/// The language an agent speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Claude Code's stream-json with control messages.
    Claude,
    /// Codex' app-server.
    Codex,
    /// The Agent Client Protocol, version 1.
    Acp,
    /// One prompt, lines of JSON, an exit code.
    Lines,
}

/// What an agent does otherwise than others that speak its protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quirks {
    /// How texts begin by which the agent tells of a failure as if it were an answer.
    pub errors_as_text: Vec<String>,
    /// How texts begin that are the program's own remarks and no answer of the agent.
    pub asides: Vec<String>,
    /// How texts begin by which the program tells that it tries again: what was said before does not count.
    pub retries: Vec<String>,
    /// What stands before the answer in a text that repeats how the agent came to it.
    pub answer_after: Option<String>,
    /// How the names of messages begin that the agent adds to its protocol and nobody needs to see.
    pub silent: Vec<String>,
    /// It cannot be shown images.
    pub blind: bool,
    /// The way of logging in to name to an agent that wants to be told one before a conversation begins.
    pub login: Option<String>,
    /// A conversation is lost when it is loaded in the same minute of the clock in which it was saved.
    pub load_next_minute: bool,
    /// What the agent tells at the end of a turn is what the whole conversation used up.
    pub usage_of_conversation: bool,
    /// For how long it may neither say anything nor use a tool before it is given up.
    pub silence_ms: Option<u64>,
    /// For how long it may leave unanswered what it is asked before its prompt; none is two minutes.
    pub opening_ms: Option<u64>,
    /// Commands that it runs go on when the turn is interrupted, for as long as the program lives.
    pub leaves_commands: bool,
}

/// What the modes of an agent are called. `name=value` is an option of the conversation that takes a mode's place.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Modes {
    /// Asks before it changes something.
    pub ask: Option<String>,
    /// Asks as little as possible.
    pub auto: Option<String>,
    /// Plans and changes nothing.
    pub plan: Option<String>,
}

/// How an agent is spoken to that takes one prompt and prints lines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lines {
    /// The prompt goes to its standard input; else it stands among the arguments.
    pub stdin: bool,
    /// The agent whose lines it prints, one of [`DIALECTS`](crate::one_shot::DIALECTS).
    pub like: Option<String>,
    /// How its lines are read, before those of `like`. Without any, what it prints is what it says.
    pub rules: Vec<Rule>,
}

impl Lines {
    const NONE: Self = Self { stdin: false, like: None, rules: Vec::new() };
}

impl Quirks {
    const NONE: Self = Self {
        errors_as_text: Vec::new(),
        asides: Vec::new(),
        retries: Vec::new(),
        answer_after: None,
        silent: Vec::new(),
        blind: false,
        login: None,
        load_next_minute: false,
        usage_of_conversation: false,
        silence_ms: None,
        opening_ms: None,
        leaves_commands: false,
    };

    /// Whether a text is the program's own and no part of an answer.
    pub(crate) fn is_aside(&self, text: &str) -> bool {
        self.is_retry(text) || begins(text, &self.asides)
    }

    /// Whether a text tells that the agent tries again.
    pub(crate) fn is_retry(&self, text: &str) -> bool {
        begins(text, &self.retries)
    }

    /// Whether a text tells of a failure as if it were an answer.
    pub(crate) fn is_error(&self, text: &str) -> bool {
        begins(text, &self.errors_as_text)
    }

    /// Whether a message is one that nobody needs to see.
    pub(crate) fn is_silent(&self, method: &str) -> bool {
        begins(method, &self.silent)
    }

    /// The part of a text that is meant for people.
    pub(crate) fn answer_in<'a>(&self, text: &'a str) -> &'a str {
        let after = self.answer_after.as_ref().and_then(|mark| text.split_once(mark.as_str()));
        after.map_or(text, |(_, answer)| answer)
    }
}

impl Modes {
    const NONE: Self = Self { ask: None, auto: None, plan: None };
}

impl Manner {
    /// A manner without anything special.
    #[must_use]
    pub const fn plain(protocol: Protocol) -> Self {
        Self { protocol, keeps: false, quirks: Quirks::NONE, modes: Modes::NONE, lines: Lines::NONE }
    }
}

fn begins(text: &str, any: &[String]) -> bool {
    any.iter().any(|beginning| text.trim_start().starts_with(beginning.as_str()))
}
