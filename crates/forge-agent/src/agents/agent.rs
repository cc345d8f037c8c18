//! One agent's description: what it is called, how it is started and spoken to, what it can be told, and how to see
//! that it is there and logged in.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::setting::{COMMON, Kind, Part, Setting};
use crate::manner::{Manner, Protocol};
use crate::one_shot::DIALECTS;
use crate::profiles::{DEFAULT_VARIANT, Settings};
use crate::turn::Turn;
use crate::{claude, codex};

/// The variant that asks nobody.
const ALLOW_ALL: &str = "ALLOW_ALL";

/// One agent, as its description says.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// The wire's name: it is no part of the description, but what that is filed under.
    #[serde(skip)]
    pub name: String,
    /// What people call it.
    #[serde(default)]
    pub title: String,
    /// Other names of it that are in use, spelt as the wire's.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// What it can do beside what all can.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// The page about it: an address, or a file of Forge's repository.
    pub docs: Option<String>,
    /// How it is spoken to.
    pub manner: Manner,
    /// What is run.
    pub program: Program,
    /// The settings that a variant of it may have, beside those of all.
    #[serde(default)]
    pub settings: BTreeMap<String, Setting>,
    /// How to see that somebody is logged in.
    #[serde(default)]
    pub login: Login,
    /// The file that names its MCP servers, where there is one that Forge can write.
    pub mcp: Option<McpFile>,
    /// Its variants.
    #[serde(default)]
    pub variants: BTreeMap<String, Settings>,
}

/// What is run as the agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The program, as it is found on `PATH`, and its arguments. `{prompt}` stands for the prompt, where the protocol takes
    /// it so.
    pub command: Vec<String>,
    /// Arguments more for a follow-up; `{}` stands for the conversation's id.
    #[serde(default)]
    pub resume: Vec<String>,
    /// Programs that it runs itself, and that have to be there too.
    #[serde(default)]
    pub needs: Vec<String>,
    /// What it is told in its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The npm package that holds it.
    pub npm: Option<String>,
    /// The version that Forge is tested with.
    pub tested: Option<String>,
    /// The oldest version that Forge can speak to, where that is known.
    pub min_version: Option<String>,
    /// How a person gets it, where that is not `npm install -g` of the package.
    pub install: Option<String>,
}

/// How to see that somebody is logged in, without asking the agent. A file begins with `~/`, `$XDG_CONFIG_HOME/` or
/// `$XDG_DATA_HOME/`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Login {
    /// Variables that are enough, if one of them is set.
    pub env: Vec<String>,
    /// Files that are enough, if one of them is there.
    pub files: Vec<String>,
    /// Files that may say who is logged in: if one is there and nothing better is known, nothing is known.
    pub maybe: Vec<String>,
    /// What a person does to log in.
    pub how: Option<String>,
}

/// Where an agent keeps its MCP servers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpFile {
    /// The file, written as those of [`Login`].
    pub file: String,
    /// The key of the servers, at the top of the file.
    pub key: String,
    /// TOML and not JSON.
    #[serde(default)]
    pub toml: bool,
    /// A server's program and its arguments are one list, and not `command` and `args`.
    #[serde(default)]
    pub one_list: bool,
    /// What a server that is a program has to say beside.
    #[serde(default)]
    pub also: serde_json::Map<String, Value>,
}

impl Agent {
    /// Gives a description its name, and what goes without saying.
    pub(super) fn named(name: String, described: Self) -> Self {
        let mut agent = described;
        if agent.title.is_empty() {
            agent.title.clone_from(&name);
        }
        agent.name = name;
        let sets = |agent: &Self, part| agent.settings.values().any(|setting| setting.sets == Some(part));
        if agent.manner.protocol == Protocol::Acp {
            for (part, name, about) in [
                (Part::Model, "model", "The model, in its own words."),
                (Part::Mode, "mode", "The mode it works in, in its own words."),
            ] {
                if !sets(&agent, part) && !agent.settings.contains_key(name) {
                    agent.settings.insert(
                        name.to_owned(),
                        Setting { sets: Some(part), ..Setting::plain(Kind::Text, about) },
                    );
                }
            }
            if agent.allowing().is_none() {
                let setting = Setting {
                    allows_all: Some(Value::Bool(true)),
                    ..Setting::plain(Kind::Switch, "Asks nobody: every tool is allowed.")
                };
                agent.settings.insert("allow_all".to_owned(), setting);
            }
        }
        agent.variants.entry(DEFAULT_VARIANT.to_owned()).or_default();
        if let Some((name, value)) = agent.allowing() {
            agent
                .variants
                .entry(ALLOW_ALL.to_owned())
                .or_insert_with(|| Settings::from_iter([(name, value)]));
        }
        agent
    }

    /// The setting that allows everything, and what it has to be.
    fn allowing(&self) -> Option<(String, Value)> {
        let of = |(name, setting): (&String, &Setting)| Some((name.clone(), setting.allows_all.clone()?));
        self.settings.iter().find_map(of)
    }

    /// What is wrong with a description, and what to do about it.
    pub(super) fn check(&mut self) -> Result<(), (String, String)> {
        if self.program.command.first().is_none_or(|program| program.trim().is_empty()) {
            return Err(("has no program".into(), "write program.command = [\"my-agent\", \"acp\"]".into()));
        }
        self.check_lines()?;
        for (name, setting) in &self.settings {
            setting
                .check()
                .map_err(|(problem, hint)| (format!("has a setting `{name}` that {problem}"), hint))?;
        }
        for (variant, settings) in &self.variants {
            for (name, value) in settings {
                let expected = match self.setting(name) {
                    None => Some("a setting of it: there is none of this name".to_owned()),
                    Some(setting) => (!setting.may_be(value)).then(|| setting.expected()),
                };
                if let Some(expected) = expected {
                    return Err((
                        format!("has a variant {variant}, where `{name}` has to be {expected}"),
                        "mend it, or leave it out".into(),
                    ));
                }
            }
        }
        Ok(())
    }

    /// A prompt that does not stand among the arguments goes to standard input.
    fn check_lines(&mut self) -> Result<(), (String, String)> {
        if self.manner.protocol != Protocol::Lines {
            return Ok(());
        }
        let lines = &mut self.manner.lines;
        lines.stdin |= !self.program.command.iter().any(|word| word.contains("{prompt}"));
        match lines.like.as_deref() {
            Some(like) if !DIALECTS.iter().any(|(known, _)| *known == like) => {
                let known: Vec<&str> = DIALECTS.iter().map(|(known, _)| *known).collect();
                let hint = format!("manner.lines.like is one of {}", known.join(", "));
                Err((format!("prints lines like `{like}`, which nobody knows"), hint))
            }
            _ => Ok(()),
        }
    }

    /// Its names, as [`Agents::find`](super::Agents::find) looks for them.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }

    /// What a setting of this name may be, if there is one.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&Setting> {
        self.settings.get(name).or_else(|| COMMON.get(name))
    }

    /// Every setting that a variant of it may have, with its name.
    pub fn settings(&self) -> impl Iterator<Item = (&str, &Setting)> {
        self.settings.iter().chain(COMMON.iter()).map(|(name, setting)| (name.as_str(), setting))
    }

    /// The arguments for a turn, but for those of settings.
    #[must_use]
    pub fn arguments(&self, turn: &Turn) -> Vec<String> {
        let command = self.program.command.iter().skip(1);
        let mut args: Vec<String> = match self.manner.protocol {
            Protocol::Claude => command.cloned().chain(claude::arguments(turn)).collect(),
            Protocol::Lines => command.map(|word| word.replace("{prompt}", &turn.prompt)).collect(),
            Protocol::Codex => command.cloned().chain(codex::arguments(turn)).collect(),
            Protocol::Acp => command.cloned().collect(),
        };
        if let Some(conversation) = &turn.resume {
            args.extend(self.program.resume.iter().map(|word| word.replace("{}", conversation)));
        }
        args
    }
}
