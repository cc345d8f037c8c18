//! Codex' items as what they are to people: words, commands, changes of files, tools.

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::text;
use crate::codex::unwrapped;
use crate::transcript::entry::{
    ActionType, Call, CommandResult, Entry, EntryType, ExitStatus, FileChange, Metadata, Todo, ToolStatus,
    ToolUse,
};
use crate::transcript::text::{MOST_ASIDE, MOST_OUTPUT, MOST_TEXT, below, cut, fits};
use crate::transcript::verbatim::tool_result;

/// Nobody looks at a longer list.
const MOST_TODOS: usize = 100;

/// What an item is to people.
pub(super) enum Described {
    /// It was shown already.
    Nothing,
    Words(EntryType, String),
    /// The tools, with what is said of each in a line.
    Tools(Vec<(ToolUse, String)>),
    Unknown,
}

pub(super) fn describe(item: &Value, root: &str) -> Described {
    let told = |at: &str| text(item, at).unwrap_or_default();
    let status = status(item);
    match told("/type") {
        // What was sent was shown when it was sent.
        "userMessage" => Described::Nothing,
        "hookPrompt" => note(item.get("fragments").map(parts).unwrap_or_default()),
        "agentMessage" => Described::Words(EntryType::AssistantMessage, told("/text").to_owned()),
        "reasoning" => Described::Words(EntryType::Thinking, thought(item)),
        "plan" => {
            let plan = cut(told("/text"), MOST_TEXT);
            one("plan", ActionType::PlanPresentation { plan: plan.clone() }, status, plan)
        }
        "commandExecution" => {
            let command = cut(unwrapped(told("/command")), MOST_OUTPUT);
            let content = ticked(&command);
            one("bash", ActionType::CommandRun { command, result: command_result(item) }, status, content)
        }
        "fileChange" => Described::Tools(changes(item, root, &status)),
        "mcpToolCall" => served(item, status),
        "dynamicToolCall" => {
            let said = item.get("contentItems").filter(|items| !items.is_null()).map(parts);
            tool(told("/tool"), item.get("arguments"), said, status)
        }
        "collabAgentToolCall" => agents(item, status),
        "webSearch" => {
            let url = cut(told("/query"), MOST_OUTPUT);
            let content = ticked(&url);
            // It is told once it is done, too: there is no status in it.
            one("web_search", ActionType::WebFetch { url }, ended(item), content)
        }
        "imageView" => {
            let path = below(told("/path"), Some(root)).to_owned();
            let content = ticked(&path);
            one("view_image", ActionType::FileRead { path }, ToolStatus::Success, content)
        }
        "imageGeneration" => {
            let prompt = json!({ "prompt": told("/revisedPrompt") });
            let saved = text(item, "/savedPath").map(str::to_owned);
            tool("image_generation", Some(&prompt), saved, status)
        }
        "sleep" => {
            let description =
                format!("Waits {} ms", item.get("durationMs").and_then(Value::as_u64).unwrap_or(0));
            one("sleep", ActionType::Other { description: description.clone() }, ended(item), description)
        }
        "subAgentActivity" => note(format!("Agent {}: {}", told("/agentPath"), told("/kind"))),
        "enteredReviewMode" => note(format!("Review: {}", told("/review"))),
        "exitedReviewMode" => Described::Words(EntryType::AssistantMessage, told("/review").to_owned()),
        "contextCompaction" => note("The conversation was made shorter.".into()),
        _ => Described::Unknown,
    }
}

/// A list of things to do.
pub(super) fn todos(params: &Value) -> Entry {
    let steps = params.get("plan").and_then(Value::as_array).into_iter().flatten();
    let todo = |step: &Value| Todo {
        content: cut(text(step, "/step").unwrap_or_default(), MOST_ASIDE),
        status: match text(step, "/status").unwrap_or_default() {
            "inProgress" => "in_progress".into(),
            other => cut(other, MOST_ASIDE),
        },
        priority: None,
    };
    let todos = steps.take(MOST_TODOS).map(todo).collect();
    let action_type = ActionType::TodoManagement { todos, operation: "update" };
    let tool = ToolUse { tool_name: "plan".into(), action_type, status: ToolStatus::Success };
    let said = text(params, "/explanation").filter(|said| !said.is_empty()).unwrap_or("Plan updated");
    Entry::new(EntryType::ToolUse(Box::new(tool)), cut(said, MOST_OUTPUT))
}

/// A question that is about no item.
pub(super) fn question(request: &str, method: &str, params: &Value) -> Entry {
    let tool_name = match method {
        "item/permissions/requestApproval" => "permissions".to_owned(),
        "mcpServer/elicitation/request" => {
            format!("mcp:{}", text(params, "/serverName").unwrap_or_default())
        }
        "item/fileChange/requestApproval" => "edit".to_owned(),
        _ => "bash".to_owned(),
    };
    let said = ["/reason", "/message", "/command"].iter().find_map(|at| text(params, at));
    let content = cut(said.unwrap_or(&tool_name), MOST_OUTPUT);
    let arguments = kept(params);
    let size = arguments.as_ref().map_or(0, |arguments| arguments.get().len());
    let action_type =
        ActionType::Tool { tool_name: tool_name.clone(), arguments: arguments.clone(), result: None };
    let id = text(params, "/itemId").unwrap_or(request).to_owned();
    let call = Call { id, name: tool_name.clone(), input: arguments, size, parent: None, result: None };
    let tool = ToolUse { tool_name, action_type, status: ToolStatus::Created };
    Entry::new(EntryType::ToolUse(Box::new(tool)), content).with(Metadata::Call(Box::new(call)))
}

/// What an item was given, without what it came to.
pub(super) fn input(item: &Value) -> Box<RawValue> {
    let names: &[&str] = match text(item, "/type").unwrap_or_default() {
        "commandExecution" => &["command", "cwd"],
        "fileChange" => &["changes"],
        "webSearch" => &["query", "action"],
        "collabAgentToolCall" => &["tool", "prompt", "model", "receiverThreadIds"],
        "mcpToolCall" | "dynamicToolCall" => {
            return kept(item.get("arguments").unwrap_or(&Value::Null)).unwrap_or_default();
        }
        _ => &["path", "text", "durationMs", "revisedPrompt"],
    };
    let given = names.iter().filter_map(|name| Some(((*name).to_owned(), item.get(*name)?.clone())));
    to_raw_value(&Value::Object(given.collect())).unwrap_or_default()
}

fn one(name: &str, action_type: ActionType, status: ToolStatus, content: String) -> Described {
    Described::Tools(vec![(ToolUse { tool_name: name.to_owned(), action_type, status }, content)])
}

fn note(text: String) -> Described {
    Described::Words(EntryType::SystemMessage, text)
}

fn tool(name: &str, arguments: Option<&Value>, result: Option<String>, status: ToolStatus) -> Described {
    let arguments = arguments.filter(|given| !given.is_null()).and_then(kept);
    let result = result.map(|result| tool_result(&result));
    let action = ActionType::Tool { tool_name: name.to_owned(), arguments, result };
    let content = if name.starts_with("mcp:") { name.to_owned() } else { format!("Tool: {}", ticked(name)) };
    one(name, action, status, content)
}

fn served(item: &Value, status: ToolStatus) -> Described {
    let name = |at: &str| text(item, at).unwrap_or_default();
    let said = text(item, "/error/message").map(str::to_owned);
    let structured = item.pointer("/result/structuredContent").filter(|given| !given.is_null());
    let said = said.or_else(|| structured.map(Value::to_string));
    let said = said.or_else(|| item.pointer("/result/content").map(parts));
    tool(&format!("mcp:{}:{}", name("/server"), name("/tool")), item.get("arguments"), said, status)
}

/// Other agents that are set to work, told, waited for.
fn agents(item: &Value, status: ToolStatus) -> Described {
    let (name, prompt) = (text(item, "/tool").unwrap_or_default(), text(item, "/prompt"));
    match (name, prompt) {
        ("spawnAgent", Some(prompt)) => {
            let description = cut(prompt, MOST_OUTPUT);
            let content = format!("Task: {}", ticked(&description));
            one(name, ActionType::TaskCreate { description }, status, content)
        }
        _ => tool(name, prompt.map(|prompt| json!({ "prompt": prompt })).as_ref(), None, status),
    }
}

fn status(item: &Value) -> ToolStatus {
    match text(item, "/status").unwrap_or_default() {
        "completed" => ToolStatus::Success,
        "failed" | "interrupted" => ToolStatus::Failed,
        "declined" => ToolStatus::Denied { reason: None },
        _ => ended(item),
    }
}

/// Items without a status say when they were done.
fn ended(item: &Value) -> ToolStatus {
    match item.get("completedAtMs") {
        Some(Value::Number(_)) => ToolStatus::Success,
        _ => ToolStatus::Created,
    }
}

fn command_result(item: &Value) -> Option<CommandResult> {
    let code = item.get("exitCode").and_then(Value::as_i64);
    let output = text(item, "/aggregatedOutput").map(|output| cut(output, MOST_OUTPUT));
    if code.is_none() && output.is_none() {
        return None;
    }
    Some(CommandResult { exit_status: code.map(|code| ExitStatus::ExitCode { code }), output })
}

/// The change of each file. Codex tells the content of a new file, and a diff with the file's own line numbers of one
/// that was there.
fn changes(item: &Value, root: &str, status: &ToolStatus) -> Vec<(ToolUse, String)> {
    let changes = item.get("changes").and_then(Value::as_array).into_iter().flatten();
    let change = |change: &Value| {
        let path = cut(below(text(change, "/path").unwrap_or_default(), Some(root)), MOST_OUTPUT);
        let told = text(change, "/diff").unwrap_or_default();
        let mut changes = Vec::new();
        match text(change, "/kind/type").unwrap_or_default() {
            "add" => changes.push(FileChange::Write { content: cut(told, MOST_TEXT) }),
            "delete" => changes.push(FileChange::Delete),
            _ => {
                if let Some(moved) = text(change, "/kind/move_path") {
                    changes.push(FileChange::Rename { new_path: below(moved, Some(root)).to_owned() });
                }
                if !told.is_empty() {
                    let unified_diff = cut(&headed(&path, told), MOST_TEXT);
                    changes.push(FileChange::Edit { unified_diff, has_line_numbers: true });
                }
            }
        }
        let content = ticked(&path);
        let action_type = ActionType::FileEdit { path, changes };
        (ToolUse { tool_name: "edit".into(), action_type, status: status.clone() }, content)
    };
    changes.map(change).collect()
}

fn headed(path: &str, diff: &str) -> String {
    if diff.starts_with("--- ") {
        return diff.to_owned();
    }
    let path = path.trim_start_matches('/');
    format!("--- a/{path}\n+++ b/{path}\n{diff}")
}

/// What was thought: what the model sums up of it, or all of it where it does not.
fn thought(item: &Value) -> String {
    let texts = |name: &str| {
        let parts = item.get(name).and_then(Value::as_array).into_iter().flatten();
        let texts = parts.filter_map(|part| part.as_str().or_else(|| text(part, "/text")));
        texts.collect::<Vec<_>>().join("\n\n")
    };
    Some(texts("summary")).filter(|summary| !summary.is_empty()).unwrap_or_else(|| texts("content"))
}

/// The texts of a result; pictures and the like are only named.
fn parts(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten();
    let part = |part: &Value| {
        let kind = text(part, "/type").unwrap_or("part");
        text(part, "/text").map_or_else(|| format!("[{kind}]"), str::to_owned)
    };
    parts.map(part).collect::<Vec<_>>().join("\n")
}

fn kept(value: &Value) -> Option<Box<RawValue>> {
    to_raw_value(value).ok().filter(|raw| fits(raw.get().len(), MOST_OUTPUT))
}

fn ticked(text: &str) -> String {
    format!("`{text}`")
}
