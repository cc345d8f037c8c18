//! How an agent is spoken to, as data: its protocol, what it does otherwise than others, the names of its modes.
//!
//! It is part of a [`Turn`](crate::turn::Turn) and is kept with the process, so that a log is always read in the manner
//! in which it came to be.

use serde::{Deserialize, Serialize};

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
pub struct Quirks {}

/// What the modes of an agent are called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Modes {}

impl Manner {
    /// A manner without anything special.
    #[must_use]
    pub const fn plain(protocol: Protocol) -> Self {
        Self { protocol, keeps: false, quirks: Quirks {}, modes: Modes {} }
    }
}
