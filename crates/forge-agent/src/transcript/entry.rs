//! What a transcript is made of. The names on the wire are the contract's.

use forge_model::Timestamp;
use schemars::JsonSchema;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::text::MOST_TEXT;

/// One item of a transcript.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "NormalizedEntry")]
pub struct Entry {
    /// When it was said, where the agent tells.
    pub timestamp: Option<String>,
    /// What it is.
    pub entry_type: EntryType,
    /// The text to show.
    pub content: String,
    /// What the agent said word for word, as far as it is not too long; `{"type": "stderr"}` for a message that its
    /// program printed on standard error.
    #[schemars(with = "Option<Value>")]
    pub metadata: Option<Metadata>,
    /// Whether something was left out because it is too long: asked for by itself, the entry has it. The last of the
    /// fields, by which [`is_cut`] knows.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// Whether something is missing in an entry that was written as JSON.
#[must_use]
pub fn is_cut(entry: &str) -> bool {
    entry.ends_with(r#","cut":true}"#)
}

/// What an entry is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "NormalizedEntryType")]
pub enum EntryType {
    /// What the agent was told.
    UserMessage,
    /// Why a person did not let the agent use a tool.
    UserFeedback {
        /// The tool.
        denied_tool: String,
    },
    /// What the agent said.
    AssistantMessage,
    /// A tool that the agent used.
    ToolUse(Box<ToolUse>),
    /// What is neither the agent's nor a person's.
    SystemMessage,
    /// What went wrong.
    ErrorMessage {
        /// Who can do something about it.
        error_type: ErrorType,
    },
    /// What the agent thought.
    Thinking,
    /// Put in by clients while they wait; the server never sends it.
    Loading,
    /// Put in by clients behind the last entry; the server never sends it.
    NextAction {
        /// Whether the turn failed.
        failed: bool,
        /// How many processes there were.
        execution_processes: u64,
        /// Whether a person has to set something up first.
        needs_setup: bool,
    },
}

/// Who can do something about what went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "NormalizedEntryError")]
pub enum ErrorType {
    /// A person has to install or log in first.
    SetupRequired,
    /// Nothing of that kind.
    Other,
}

/// A tool that the agent used.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ToolUse {
    /// The agent's name for it; `mcp:server:tool` for one of an MCP server.
    pub tool_name: String,
    /// What it does.
    pub action_type: ActionType,
    /// How far it is.
    pub status: ToolStatus,
}

/// What a tool does.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
#[schemars(rename = "ToolAction")]
pub enum ActionType {
    /// Reads a file.
    FileRead {
        /// Below the worktree, where it lies there.
        path: String,
    },
    /// Changes a file.
    FileEdit {
        /// Below the worktree, where it lies there.
        path: String,
        /// What is different.
        changes: Vec<FileChange>,
    },
    /// Runs a command.
    CommandRun {
        /// The command.
        command: String,
        /// What came of it, once it has ended.
        result: Option<CommandResult>,
    },
    /// Looks for something.
    Search {
        /// What.
        query: String,
    },
    /// Reads a page of the web, or looks for one.
    WebFetch {
        /// The page, or what was looked for.
        url: String,
    },
    /// Any other tool.
    Tool {
        /// Its name.
        tool_name: String,
        /// What it was given.
        #[schemars(with = "Option<Value>")]
        arguments: Option<Box<RawValue>>,
        /// What it gave back.
        result: Option<ToolResult>,
    },
    /// Sets another agent to work.
    TaskCreate {
        /// On what.
        description: String,
    },
    /// Shows what the agent plans to do.
    PlanPresentation {
        /// The plan.
        plan: String,
    },
    /// Keeps the list of things to do.
    TodoManagement {
        /// The list.
        todos: Vec<Todo>,
        /// `write`, `read` or `update`.
        operation: &'static str,
    },
    /// What there is no better word for.
    Other {
        /// What it does.
        description: String,
    },
}

/// How far a tool is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum ToolStatus {
    /// It is at work, or about to be.
    Created,
    /// It did it.
    Success,
    /// It did not, or nobody heard of it again.
    Failed,
    /// It was not allowed to.
    Denied {
        /// Why.
        reason: Option<String>,
    },
    /// Somebody has to allow it.
    PendingApproval {
        /// What is to be answered.
        approval_id: String,
        /// When it was asked for.
        requested_at: Timestamp,
        /// When it counts as refused.
        timeout_at: Timestamp,
    },
    /// Nobody allowed it in time.
    TimedOut,
}

/// What is different in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum FileChange {
    /// It has this content now.
    Write {
        /// The whole of it.
        content: String,
    },
    /// It is gone.
    Delete,
    /// It has another name.
    Rename {
        /// Which.
        new_path: String,
    },
    /// Parts of it are different.
    Edit {
        /// Both sides, as `diff -u` shows them.
        unified_diff: String,
        /// Whether the line numbers in it are those of the file.
        has_line_numbers: bool,
    },
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CommandRunResult")]
pub struct CommandResult {
    /// How it ended, where that is known.
    pub exit_status: Option<ExitStatus>,
    /// What it printed.
    pub output: Option<String>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "CommandExitStatus")]
pub enum ExitStatus {
    /// What it returned.
    ExitCode {
        /// The number.
        code: i64,
    },
    /// Only whether it did what it was there for.
    Success {
        /// Whether.
        success: bool,
    },
}

/// What a tool gave back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolResult {
    /// How to show it.
    #[serde(rename = "type")]
    pub kind: ToolResultKind,
    /// The result.
    pub value: Value,
}

/// How a result is to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "ToolResultValueType")]
pub enum ToolResultKind {
    /// As text.
    Markdown,
    /// As data.
    Json,
}

/// A thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "TodoItem")]
pub struct Todo {
    /// What.
    pub content: String,
    /// How far it is, in the agent's words.
    pub status: String,
    /// How much it matters, where the agent says.
    pub priority: Option<String>,
}

/// What the agent said word for word.
#[derive(Debug, Clone)]
pub enum Metadata {
    /// A text, or a thought.
    Words(Words),
    /// A tool.
    Call(Box<Call>),
    /// Anything else.
    Raw(Box<RawValue>),
}

/// A text, or a thought, as a part of a message.
#[derive(Debug, Clone)]
pub struct Words {
    pub(super) kind: &'static str,
    pub(super) text: String,
    /// The tool by which the agent that says it was called in.
    pub(super) parent: Option<String>,
}

/// A tool, as the agent called it.
#[derive(Debug, Clone)]
pub struct Call {
    pub(super) id: String,
    pub(super) name: String,
    /// None when it is too long to be sent along.
    pub(super) input: Option<Box<RawValue>>,
    /// How long it is all the same.
    pub(super) size: usize,
    pub(super) parent: Option<String>,
    /// What it gave back, where the action has no place for it.
    pub(super) result: Option<String>,
}

impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = match self {
            Self::Raw(raw) => return raw.serialize(serializer),
            Self::Words(_) | Self::Call(_) => serializer.serialize_map(None)?,
        };
        let parent = match self {
            Self::Raw(_) => &None,
            Self::Words(words) => {
                map.serialize_entry("type", words.kind)?;
                map.serialize_entry(words.kind, &words.text)?;
                &words.parent
            }
            Self::Call(call) => {
                map.serialize_entry("type", "tool_use")?;
                map.serialize_entry("id", &call.id)?;
                map.serialize_entry("name", &call.name)?;
                map.serialize_entry("input", &call.input)?;
                map.serialize_entry("tool_call_id", &call.id)?;
                if let Some(result) = &call.result {
                    map.serialize_entry("result", result)?;
                }
                &call.parent
            }
        };
        if let Some(parent) = parent {
            map.serialize_entry("parent_tool_use_id", parent)?;
        }
        map.end()
    }
}

impl Entry {
    pub(super) fn new(entry_type: EntryType, content: impl Into<String>) -> Self {
        Self { timestamp: None, entry_type, content: content.into(), metadata: None, cut: false }
    }

    pub(super) fn error(error_type: ErrorType, content: impl Into<String>) -> Self {
        Self::new(EntryType::ErrorMessage { error_type }, content)
    }

    pub(super) fn with(mut self, metadata: Metadata) -> Self {
        self.metadata = Some(metadata);
        self
    }

    pub(super) fn at(mut self, timestamp: Option<&str>) -> Self {
        self.timestamp = timestamp.map(str::to_owned);
        self
    }

    pub(super) fn tool(&mut self) -> Option<&mut ToolUse> {
        match &mut self.entry_type {
            EntryType::ToolUse(tool) => Some(tool),
            _ => None,
        }
    }

    /// About how much memory it takes, when it is not folded whole: which entries are let go must not depend on it.
    pub(super) fn weight(&self) -> usize {
        let metadata = match &self.metadata {
            None => 0,
            Some(Metadata::Words(words)) => words.text.len().min(MOST_TEXT),
            // What a tool does is taken from its input, and not longer.
            Some(Metadata::Call(call)) => 2 * call.size.min(2 * MOST_TEXT),
            Some(Metadata::Raw(raw)) => raw.get().len().min(MOST_TEXT),
        };
        512 + self.content.len().min(MOST_TEXT) + metadata
    }
}
