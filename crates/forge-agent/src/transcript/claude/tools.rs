//! What tools do, by their names and what they are given: Claude Code's, and other agents' names for the same.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::transcript::diff::{self, Edit};
use crate::transcript::entry::{ActionType, FileChange, Todo};
use crate::transcript::text::{MOST_ASIDE, MOST_OUTPUT, MOST_TEXT, below, cut, fits};

/// What a tool does, and how that is said in a line.
pub(in crate::transcript) struct Described {
    /// The name to show.
    pub(in crate::transcript) name: String,
    pub(in crate::transcript) action: ActionType,
    pub(in crate::transcript) content: String,
}

/// What the tool `name` does with `input`, seen from the folder that the agent works in.
pub(in crate::transcript) fn describe(name: &str, input: Option<&RawValue>, root: Option<&str>) -> Described {
    let given = Given(input.and_then(|input| serde_json::from_str(input.get()).ok()).unwrap_or_default());
    let path = given.path(root);
    let (action, content) = match given.known(name) {
        "Read" | "read" | "read_file" | "view" => {
            (ActionType::FileRead { path: path.clone() }, ticked(&path))
        }
        "Edit" | "edit" | "edit_file" | "replace" | "search_replace" | "str_replace" | "MultiEdit"
        | "multi_edit" => edited(path, &given.edits()),
        "Write" | "write" | "create_file" | "write_file" | "create" | "Create" => {
            let text = given.text(&["content", "file_text", "new_text"]);
            let change = FileChange::Write { content: cut(text, MOST_TEXT) };
            let content = ticked(&path);
            (ActionType::FileEdit { path, changes: vec![change] }, content)
        }
        "Bash"
        | "bash"
        | "shell"
        | "Execute"
        | "exec_command"
        | "run_shell_command"
        | "run_terminal_command" => {
            let command = cut(given.text(&["command", "cmd", "command_line"]), MOST_OUTPUT);
            let content = ticked(&command);
            (ActionType::CommandRun { command, result: None }, content)
        }
        "Grep" | "grep" | "Glob" | "glob" | "grep_search" | "search_file_content" => {
            let query = given.short(&["pattern", "filePattern"]);
            let content = ticked(&query);
            (ActionType::Search { query }, content)
        }
        "WebFetch" | "read_web_page" | "WebSearch" | "web_search" => {
            let url = given.short(&["url", "query"]);
            let content = ticked(&url);
            (ActionType::WebFetch { url }, content)
        }
        "Task" | "task" | "Agent" => {
            let description = given.short(&["description", "prompt"]);
            let content = format!("Task: {}", ticked(&description));
            (ActionType::TaskCreate { description }, content)
        }
        "ExitPlanMode" | "exit_plan_mode" => {
            let plan = cut(given.text(&["plan"]), MOST_TEXT);
            (ActionType::PlanPresentation { plan: plan.clone() }, plan)
        }
        "TodoWrite" | "todo_write" => {
            let action = ActionType::TodoManagement { todos: given.todos(), operation: "write" };
            (action, "TODO list updated".into())
        }
        "TodoRead" | "todo_read" => {
            let action = ActionType::TodoManagement { todos: vec![], operation: "read" };
            (action, "TODO list read".into())
        }
        "LS" | "ls" | "list_directory" | "list_dir" => other(format!("List directory: {}", ticked(&path))),
        "Oracle" | "oracle" => other(format!("Oracle: {}", ticked(&given.short(&["task"])))),
        "Mermaid" | "mermaid" => other("Mermaid diagram".into()),
        "CodebaseSearchAgent" | "codebase_search_agent" => {
            other(format!("Search of the code: {}", ticked(&given.short(&["query"]))))
        }
        "UndoEdit" | "undo_edit" => other(format!("Undo of the last edit: {}", ticked(&path))),
        _ => return any(name, input),
    };
    Described { name: name.to_owned(), action, content }
}

/// A tool that nothing is known about, or one of an MCP server.
fn any(name: &str, input: Option<&RawValue>) -> Described {
    let served = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
    let name = match served {
        Some((server, tool)) => format!("mcp:{server}:{tool}"),
        None => name.to_owned(),
    };
    let arguments = input.filter(|input| fits(input.get().len(), MOST_OUTPUT)).map(ToOwned::to_owned);
    let content = if served.is_some() { name.clone() } else { format!("Tool: {}", ticked(&name)) };
    Described { action: ActionType::Tool { tool_name: name.clone(), arguments, result: None }, name, content }
}

fn edited(path: String, edits: &[Edit<'_>]) -> (ActionType, String) {
    let unified_diff = cut(&diff::of_edits(&path, edits), MOST_TEXT);
    let content = ticked(&path);
    let change = FileChange::Edit { unified_diff, has_line_numbers: false };
    // Some only say which file it is.
    let changes = if edits.is_empty() { Vec::new() } else { vec![change] };
    (ActionType::FileEdit { path, changes }, content)
}

fn other(description: String) -> (ActionType, String) {
    (ActionType::Other { description: description.clone() }, description)
}

fn ticked(text: &str) -> String {
    format!("`{text}`")
}

/// What a tool was given. A field that is missing, or no text, is empty.
struct Given(Value);

impl Given {
    fn text(&self, names: &[&str]) -> &str {
        text_of(&self.0, names)
    }

    fn short(&self, names: &[&str]) -> String {
        cut(self.text(names), MOST_OUTPUT)
    }

    fn path(&self, root: Option<&str>) -> String {
        let names = ["file_path", "path", "notebook_path", "filePath", "target_file"];
        cut(below(self.text(&names), root), MOST_OUTPUT)
    }

    /// The name under which a tool is known here: others put theirs into groups, or do several things by one.
    fn known<'a>(&self, name: &'a str) -> &'a str {
        let name = name.rsplit('.').next().unwrap_or(name);
        match (name, self.text(&["command"])) {
            ("editor" | "file_editor" | "str_replace_editor" | "text_editor", "view") => "view",
            ("editor" | "file_editor" | "str_replace_editor" | "text_editor", "create") => "create",
            ("editor" | "file_editor" | "str_replace_editor" | "text_editor", _) => {
                if text_of(&self.0, OLD).is_empty() { "create" } else { "edit" }
            }
            _ => name,
        }
    }

    fn edits(&self) -> Vec<Edit<'_>> {
        let edits = ["edits", "changes"].iter().find_map(|name| self.0.get(*name)?.as_array());
        match edits {
            Some(edits) => edits.iter().map(edit_of).collect(),
            None => Some(edit_of(&self.0)).filter(|edit| edit.before != edit.after).into_iter().collect(),
        }
    }

    fn todos(&self) -> Vec<Todo> {
        let todos = self.0.get("todos").and_then(Value::as_array);
        let todo = |todo: &Value| Todo {
            content: cut(text_of(todo, &["content"]), MOST_ASIDE),
            status: cut(text_of(todo, &["status"]), MOST_ASIDE),
            priority: todo.get("priority").and_then(Value::as_str).map(|text| cut(text, MOST_ASIDE)),
        };
        todos.into_iter().flatten().take(MOST_TODOS).map(todo).collect()
    }
}

/// What a part of a file is called before and after.
const OLD: &[&str] = &["old_string", "old_str", "oldString", "old_text", "oldText", "before"];
const NEW: &[&str] = &["new_string", "new_str", "newString", "new_text", "newText", "after"];

/// Nobody looks at a longer list.
const MOST_TODOS: usize = 100;

fn text_of<'a>(value: &'a Value, names: &[&str]) -> &'a str {
    let mut texts = names.iter().filter_map(|name| value.get(*name).and_then(Value::as_str));
    texts.next().unwrap_or_default()
}

fn edit_of(value: &Value) -> Edit<'_> {
    Edit { before: text_of(value, OLD), after: text_of(value, NEW) }
}
