//! Every kind of agent that Forge knows by name, as data: its settings, its built-in variants, what it can do, and the
//! file that names its MCP servers. Which of them can be started is [`crate::executor`]'s to say.

use forge_model::nearest;

/// A kind of agent.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// The wire's name.
    pub name: &'static str,
    /// Another name of it that is in use.
    alias: Option<&'static str>,
    /// What it can do beside what all can.
    pub capabilities: &'static [&'static str],
    /// The settings that a variant of it may have, beside those of all.
    settings: &'static [(&'static str, Setting)],
    /// The file that names its MCP servers.
    pub mcp: McpFile,
}

/// What a setting may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    Switch,
    Text,
    Texts,
    OneOf(&'static [&'static str]),
}

/// Where an agent keeps its MCP servers.
#[derive(Debug, PartialEq, Eq)]
pub struct McpFile {
    /// What the path begins at.
    pub base: Base,
    /// The rest of the path.
    pub path: &'static str,
    /// The key of the servers, at the top of the file.
    pub key: &'static str,
    /// TOML and not JSON.
    pub is_toml: bool,
}

/// A folder of the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// Where everything of the user's lies.
    Home,
    /// Where the user's settings lie.
    ConfigHome,
}

/// There is no agent of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no executor `{name}`")]
pub struct UnknownExecutor {
    /// What was asked for.
    pub name: String,
    /// What may help.
    pub hint: String,
}

use Setting::{OneOf, Switch, Text, Texts};

const FORKS: &[&str] = &["SESSION_FORK"];

/// Settings that every kind of agent has.
pub(crate) const COMMON: &[(&str, Setting)] = &[
    ("append_prompt", Text),
    ("base_command_override", Text),
    ("additional_params", Texts),
    ("wait_for_limit", Switch),
];

static KINDS: [Kind; 8] = [
    Kind {
        name: "CLAUDE_CODE",
        alias: None,
        capabilities: FORKS,
        settings: &[
            ("claude_code_router", Switch),
            ("plan", Switch),
            ("approvals", Switch),
            ("model", Text),
            ("dangerously_skip_permissions", Switch),
        ],
        mcp: json(Base::Home, ".claude.json", "mcpServers"),
    },
    Kind {
        name: "AMP",
        alias: None,
        capabilities: FORKS,
        settings: &[("dangerously_allow_all", Switch)],
        mcp: json(Base::ConfigHome, "amp/settings.json", "amp.mcpServers"),
    },
    Kind {
        name: "GEMINI",
        alias: None,
        capabilities: FORKS,
        settings: &[("model", OneOf(&["default", "flash"])), ("yolo", Switch)],
        mcp: json(Base::Home, ".gemini/settings.json", "mcpServers"),
    },
    Kind {
        name: "CODEX",
        alias: None,
        capabilities: FORKS,
        settings: &[
            ("sandbox", OneOf(&["auto", "read-only", "workspace-write", "danger-full-access"])),
            ("ask_for_approval", OneOf(&["unless-trusted", "on-failure", "on-request", "never"])),
            ("oss", Switch),
            ("model", Text),
            ("model_reasoning_effort", OneOf(&["low", "medium", "high"])),
            ("model_reasoning_summary", OneOf(&["auto", "concise", "detailed", "none"])),
            ("model_reasoning_summary_format", OneOf(&["none", "experimental"])),
            ("profile", Text),
            ("base_instructions", Text),
            ("include_plan_tool", Switch),
            ("include_apply_patch_tool", Switch),
        ],
        mcp: McpFile { base: Base::Home, path: ".codex/config.toml", key: "mcp_servers", is_toml: true },
    },
    Kind {
        name: "OPENCODE",
        alias: None,
        capabilities: &[],
        settings: &[("model", Text), ("agent", Text)],
        mcp: json(Base::ConfigHome, "opencode/opencode.json", "mcp"),
    },
    Kind {
        name: "QWEN_CODE",
        alias: None,
        capabilities: FORKS,
        settings: &[("yolo", Switch)],
        mcp: json(Base::Home, ".qwen/settings.json", "mcpServers"),
    },
    Kind {
        name: "CURSOR_AGENT",
        alias: Some("CURSOR"),
        capabilities: &["SETUP_HELPER"],
        settings: &[("force", Switch), ("model", Text)],
        mcp: json(Base::Home, ".cursor/mcp.json", "mcpServers"),
    },
    Kind {
        name: "COPILOT",
        alias: None,
        capabilities: &[],
        settings: &[
            ("model", Text),
            ("allow_all_tools", Switch),
            ("allow_tool", Text),
            ("deny_tool", Text),
            ("add_dir", Texts),
            ("disable_mcp_server", Texts),
        ],
        mcp: json(Base::Home, ".copilot/mcp-config.json", "mcpServers"),
    },
];

const fn json(base: Base, path: &'static str, key: &'static str) -> McpFile {
    McpFile { base, path, key, is_toml: false }
}

impl Kind {
    /// Every kind there is.
    pub fn all() -> &'static [Self] {
        &KINDS
    }

    /// The kind of this name, in any case and with `-`, `_` or spaces.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(name: &str) -> Result<&'static Self, UnknownExecutor> {
        let wanted = name.trim().replace(['-', ' '], "_");
        let is_it = |known: &str| known.eq_ignore_ascii_case(&wanted);
        KINDS.iter().find(|kind| is_it(kind.name) || kind.alias.is_some_and(is_it)).ok_or_else(|| {
            let names = KINDS.iter().map(|kind| kind.name);
            let hint = match nearest(&wanted, names.clone()) {
                Some(meant) => format!("did you mean {meant}?"),
                None => format!("known executors: {}", names.collect::<Vec<_>>().join(", ")),
            };
            UnknownExecutor { name: name.chars().take(80).collect(), hint }
        })
    }

    pub(crate) fn setting(&self, name: &str) -> Option<Setting> {
        self.settings.iter().chain(COMMON).find(|(known, _)| *known == name).map(|(_, setting)| *setting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_finds_its_executor_and_a_slip_is_told() {
        for name in ["CURSOR_AGENT", "cursor", "cursor-agent", "Cursor Agent"] {
            assert_eq!(Kind::find(name).unwrap().name, "CURSOR_AGENT", "{name}");
        }
        assert_eq!(Kind::find("gemni").unwrap_err().hint, "did you mean GEMINI?");
        assert!(Kind::find("EMACS_DOCTOR").unwrap_err().hint.contains("CLAUDE_CODE, AMP"));
    }

    #[test]
    fn what_can_be_started_is_known_here() {
        for executor in crate::executor::Executor::all() {
            assert_eq!(Kind::find(executor.name).unwrap().name, executor.name);
        }
    }
}
