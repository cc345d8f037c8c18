//! A request of an agent as a verb and an object: one vocabulary for the tools of all agents.

use serde_json::Value;
use serde_json::value::to_raw_value;

use super::acp::patch;
use super::claude::tools;
use super::entry::{ActionType, FileChange};
use super::text::{self, MOST_ASIDE, below, cut};
use crate::codex::unwrapped;
use crate::driver::Permission;

/// A tool that waits for an answer, as people read it in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRequest {
    /// `read`, `edit`, `delete`, `move`, `run`, `search`, `fetch`, `delegate`, `implement` (a plan), `grant`
    /// (permissions), `answer` (a question of an MCP server) or `use` (any other tool).
    pub verb: &'static str,
    /// The file, command, query or tool.
    pub object: String,
}

impl ToolRequest {
    /// The request of a permission; paths below `root`, where the agent works, are shown from there.
    #[must_use]
    pub fn of(permission: &Permission, root: &str) -> Self {
        text::begin(false);
        let Permission { tool, title, input, .. } = permission;
        let raw = to_raw_value(input).ok();
        let described = tools::describe(tool, raw.as_deref(), Some(root));
        let (verb, object) = match described.action {
            ActionType::FileRead { path } => ("read", path),
            ActionType::FileEdit { path, changes } => (change(&changes), path),
            ActionType::CommandRun { command, .. } => ("run", command),
            ActionType::Search { query } => ("search", query),
            ActionType::WebFetch { url } => ("fetch", url),
            ActionType::TaskCreate { description } => ("delegate", description),
            ActionType::PlanPresentation { plan } => ("implement", first_line(&plan)),
            ActionType::Tool { tool_name, .. } => of_kind(tool, tool_name, title),
            ActionType::TodoManagement { .. } | ActionType::Other { .. } => ("use", described.name),
        };
        let object = match verb {
            _ if !object.trim().is_empty() => object,
            "read" | "edit" | "delete" | "move" => files(input, root),
            "run" => command(input),
            _ => String::new(),
        };
        let object = if object.trim().is_empty() { title } else { object.trim() };
        let object = if verb == "run" { unwrapped(object) } else { below(object, Some(root)) };
        // A database holds no NUL, and nobody reads one.
        Self { verb, object: cut(&object.replace('\0', ""), MOST_ASIDE) }
    }
}

fn change(changes: &[FileChange]) -> &'static str {
    match changes.first() {
        Some(FileChange::Delete) => "delete",
        Some(FileChange::Rename { .. }) => "move",
        Some(FileChange::Write { .. } | FileChange::Edit { .. }) | None => "edit",
    }
}

/// A tool that is known by its kind only. An empty object is looked for in the input.
fn of_kind(tool: &str, name: String, title: &str) -> (&'static str, String) {
    let empty = String::new();
    match tool.to_ascii_lowercase().as_str() {
        "read_file" | "read_files" | "view_file" | "open" => ("read", empty),
        "apply_patch" | "patch" | "write_to_file" | "replace_in_file" | "create_file" | "notebookedit"
        | "update" | "str_replace" => ("edit", empty),
        "delete" | "delete_file" | "remove" => ("delete", empty),
        "move" | "rename" | "move_file" => ("move", empty),
        "execute" | "exec" | "terminal" | "run_commands" | "execute_command" | "execute_bash"
        | "local_shell" | "run_command" => ("run", empty),
        "search" | "codebase_search" => ("search", empty),
        "fetch" => ("fetch", empty),
        "permissions" => ("grant", title.to_owned()),
        "mcp" => ("answer", title.to_owned()),
        _ => ("use", name),
    }
}

/// The files that an input names, whether it is one or a list of changes.
fn files(input: &Value, root: &str) -> String {
    let patch = ["input", "patch", "patchText"].iter().find_map(|name| input.get(name)?.as_str());
    if let Some((path, _)) = patch.and_then(|patch| patch::read(patch, root)) {
        return path;
    }
    let listed = ["changes", "diffs", "paths", "files"].iter().find_map(|name| input.get(name)?.as_array());
    let path = |value: &Value| value.get("path").unwrap_or(value).as_str().map(str::to_owned);
    let paths = listed.into_iter().flatten().filter_map(path);
    paths.map(|path| below(&path, Some(root)).to_owned()).collect::<Vec<_>>().join(", ")
}

fn command(input: &Value) -> String {
    let given = ["command", "cmd", "commands"].iter().find_map(|name| input.get(name));
    match given {
        Some(Value::String(command)) => command.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        _ => String::new(),
    }
}

fn first_line(text: &str) -> String {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(tool: &str, title: &str, input: Value) -> (&'static str, String) {
        let (tool, title) = (tool.to_owned(), title.to_owned());
        let permission = Permission { id: "1".into(), tool, title, input, call: None, choices: vec![] };
        let ToolRequest { verb, object } = ToolRequest::of(&permission, "/repo");
        (verb, object)
    }

    #[test]
    fn tools_of_all_agents_have_one_vocabulary() {
        let cases = [
            ("Write", json!({"file_path": "/repo/a.txt", "content": "x"}), "edit", "a.txt"),
            ("Bash", json!({"command": "ls -la"}), "run", "ls -la"),
            ("bash", json!({"command": "/bin/bash -lc 'ls -la'"}), "run", "ls -la"),
            ("execute", json!({"command": ["git", "push"]}), "run", "git push"),
            ("edit", json!({"changes": [{"path": "/repo/a"}, {"path": "/etc/b"}]}), "edit", "a, /etc/b"),
            (
                "apply_patch",
                json!({"input": "*** Begin Patch\n*** Add File: b\n+x\n*** End Patch"}),
                "edit",
                "b",
            ),
            ("delete", json!({"paths": ["/repo/a"]}), "delete", "a"),
            ("WebFetch", json!({"url": "http://x"}), "fetch", "http://x"),
            ("Task", json!({"description": "look"}), "delegate", "look"),
            ("ExitPlanMode", json!({"plan": "\n# Plan\n1. x"}), "implement", "# Plan"),
            ("mcp__db__drop", json!({"table": "t"}), "use", "mcp:db:drop"),
            ("permissions", json!({}), "grant", "the title"),
            ("execute", json!({}), "run", "the title"),
        ];
        for (tool, input, verb, object) in cases {
            assert_eq!(request(tool, "the title", input), (verb, object.to_owned()), "{tool}");
        }
    }

    #[test]
    fn object_has_no_nul_and_bounded_length() {
        let (_, object) = request("Bash", "t", json!({"command": "a\0b".repeat(5000)}));
        assert!(object.len() < 2 * MOST_ASIDE && !object.contains('\0'), "{}", object.len());
    }
}
