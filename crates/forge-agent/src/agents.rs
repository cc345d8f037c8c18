//! Every agent that Forge knows, as data: `agents/*.toml` of this crate, and those that a user describes in the same shape.

mod agent;
mod installed;
mod meaning;
mod program;
mod setting;
mod version;

use std::collections::BTreeMap;
use std::sync::Arc;

use forge_model::nearest;

pub use agent::{Agent, Login, McpFile, Program};
pub use installed::WrongVersion;
pub use meaning::Meaning;
pub use program::{Command, NotInstalled, Search, look_up};
pub use setting::{Kind, Part, Setting};
pub use version::version;

/// The descriptions that come with Forge: the contract's executors first, in its order.
const BUILT_IN: [(&str, &str); 17] = [
    ("CLAUDE_CODE", include_str!("../agents/claude_code.toml")),
    ("AMP", include_str!("../agents/amp.toml")),
    ("GEMINI", include_str!("../agents/gemini.toml")),
    ("CODEX", include_str!("../agents/codex.toml")),
    ("OPENCODE", include_str!("../agents/opencode.toml")),
    ("QWEN_CODE", include_str!("../agents/qwen_code.toml")),
    ("CURSOR_AGENT", include_str!("../agents/cursor_agent.toml")),
    ("COPILOT", include_str!("../agents/copilot.toml")),
    ("GOOSE", include_str!("../agents/goose.toml")),
    ("KIMI", include_str!("../agents/kimi.toml")),
    ("CLINE", include_str!("../agents/cline.toml")),
    ("KILO", include_str!("../agents/kilo.toml")),
    ("GROK", include_str!("../agents/grok.toml")),
    ("VIBE", include_str!("../agents/vibe.toml")),
    ("DROID", include_str!("../agents/droid.toml")),
    ("PI", include_str!("../agents/pi.toml")),
    ("OPENHANDS", include_str!("../agents/openhands.toml")),
];

/// Every agent there is. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Agents(Arc<[Arc<Agent>]>);

/// There is no agent of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no executor `{name}`")]
pub struct UnknownExecutor {
    /// What was asked for.
    pub name: String,
    /// What may help.
    pub hint: String,
}

/// A user's description of an agent that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the agent `{name}` {problem}")]
pub struct BadAgent {
    /// The agent.
    pub name: String,
    /// What is wrong with it.
    pub problem: String,
    /// What to do about it.
    pub hint: String,
}

impl Agents {
    /// Those that come with Forge.
    ///
    /// # Errors
    /// When one of them cannot be read, which is a fault of the build.
    pub fn built_in() -> Result<Self, BadAgent> {
        let read = |(name, text): (&str, &str)| match toml::from_str(text) {
            Ok(agent) => Ok(Arc::new(Agent::named(name.to_owned(), agent))),
            Err(error) => Err(BadAgent {
                name: name.to_owned(),
                problem: format!("comes with Forge and cannot be read: {error}"),
                hint: "this Forge was built wrong: take another".to_owned(),
            }),
        };
        Ok(Self(BUILT_IN.into_iter().map(read).collect::<Result<_, _>>()?))
    }

    /// Those that come with Forge, and a user's own after them.
    ///
    /// # Errors
    /// When one of them cannot be.
    pub fn with(own: BTreeMap<String, Agent>) -> Result<Self, BadAgent> {
        let mut all = Self::built_in()?.0.to_vec();
        for (name, agent) in own {
            let bad = |problem: &str, hint: String| BadAgent {
                name: name.clone(),
                problem: problem.to_owned(),
                hint,
            };
            let wire = spelt(&name);
            let is_plain = |char: char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_';
            if wire.is_empty() || wire.len() > 80 || !wire.chars().all(is_plain) {
                let hint = "name it with letters, digits and `_`, such as MY_AGENT".to_owned();
                return Err(bad("has a name that cannot be", hint));
            }
            let mut agent = Agent::named(wire, agent);
            if let Some(there) =
                all.iter().find(|there| there.names().any(|known| agent.names().any(|own| own == known)))
            {
                let hint = format!(
                    "choose another name; to run another program as {0}, write [executors.{0}] with its command",
                    there.name
                );
                return Err(bad(&format!("has a name of {}", there.name), hint));
            }
            agent.check().map_err(|(problem, hint)| bad(&problem, hint))?;
            all.push(Arc::new(agent));
        }
        Ok(Self(all.into()))
    }

    /// Every agent: the contract's first, a user's own last.
    #[must_use]
    pub fn all(&self) -> &[Arc<Agent>] {
        &self.0
    }

    /// The agent of this name, in any case and with `-`, `_` or spaces.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, name: &str) -> Result<&Arc<Agent>, UnknownExecutor> {
        let wanted = spelt(name);
        self.0.iter().find(|agent| agent.names().any(|known| known == wanted)).ok_or_else(|| {
            let names = self.0.iter().map(|agent| agent.name.as_str());
            let hint = match nearest(&wanted, names.clone()) {
                Some(meant) => format!("did you mean {meant}?"),
                None => format!("known executors: {}", names.collect::<Vec<_>>().join(", ")),
            };
            UnknownExecutor { name: name.chars().take(80).collect(), hint }
        })
    }
}

/// `claude-code` and `Claude Code` are `CLAUDE_CODE`.
fn spelt(name: &str) -> String {
    name.trim().replace(['-', ' '], "_").to_ascii_uppercase()
}

#[cfg(test)]
#[path = "agents_tests.rs"]
mod tests;
