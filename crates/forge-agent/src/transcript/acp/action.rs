//! What a tool does: by its kind, where the agent tells one, else by its name and what it is given.

use serde_json::Value;

use super::output::{Printed, printed, result_text};
use super::patch;
use crate::acp::update::{Diff, Status, ToolCall};
use crate::transcript::diff::{self, Edit};
use crate::transcript::entry::{ActionType, CommandResult, ExitStatus, FileChange, Todo};
use crate::transcript::text::{MOST_ASIDE, MOST_OUTPUT, MOST_TEXT, below, cut, fits};
use crate::transcript::verbatim::tool_result;

/// Nobody looks at a longer list.
const MOST_TODOS: usize = 100;

/// What a tool does, and how that is said in a line.
pub(super) struct Described {
    /// The name to show.
    pub(super) name: String,
    pub(super) action: ActionType,
    pub(super) content: String,
    /// What it gave back, where the action has no place for it.
    pub(super) result: Option<String>,
}

/// What a tool is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Edit,
    Delete,
    Move,
    Search,
    Execute,
    Fetch,
    SwitchMode,
    Todo,
    Task,
    Other,
}

/// What this call does, seen from the folder that the agent works in.
pub(super) fn describe(call: &ToolCall, root: &str) -> Described {
    let given = Given(call.input.as_ref().unwrap_or(&Value::Null));
    let title = call.title.as_deref().or(call.name.as_deref()).unwrap_or("tool");
    let path = || {
        let told =
            call.diffs.first().map(|diff| diff.path.as_str()).or(call.paths.first().map(String::as_str));
        let told = told.or_else(|| given.text(PATHS)).unwrap_or(title);
        cut(below(told, Some(root)), MOST_OUTPUT)
    };
    let query = |names: &[&str]| cut(given.text(names).unwrap_or(title), MOST_OUTPUT);
    let patched = given.text(&["input", "patch", "patchText"]).and_then(|text| patch::read(text, root));
    let (action, content) = match kind(call, &given) {
        _ if patched.is_some() => {
            let (path, changes) = patched.unwrap_or_default();
            edited(path, changes)
        }
        Kind::Read => {
            let path = path();
            let content = ticked(&path);
            (ActionType::FileRead { path }, content)
        }
        Kind::Edit => {
            let path = path();
            let changes = changes(call, &given, &path, root);
            edited(path, changes)
        }
        Kind::Delete => edited(path(), vec![FileChange::Delete]),
        Kind::Move => match given.text(&["new_path", "newPath", "destination", "to"]) {
            Some(to) => {
                let new_path = cut(below(to, Some(root)), MOST_OUTPUT);
                edited(path(), vec![FileChange::Rename { new_path }])
            }
            None => any(call, title),
        },
        Kind::Search => {
            let query = query(&["pattern", "query", "regex", "filePattern"]);
            let content = ticked(&query);
            (ActionType::Search { query }, content)
        }
        Kind::Execute => {
            let command = cut(&command(&given, title), MOST_OUTPUT);
            let content = ticked(&command);
            (ActionType::CommandRun { command, result: command_result(call) }, content)
        }
        Kind::Fetch => {
            let url = query(&["url", "query", "prompt"]);
            let content = ticked(&url);
            (ActionType::WebFetch { url }, content)
        }
        Kind::SwitchMode => match given.text(&["plan"]) {
            Some(plan) => {
                let plan = cut(plan, MOST_TEXT);
                (ActionType::PlanPresentation { plan: plan.clone() }, plan)
            }
            None => {
                let description = cut(title, MOST_OUTPUT);
                (ActionType::Other { description: description.clone() }, description)
            }
        },
        Kind::Todo => {
            let todos = given.todos();
            (ActionType::TodoManagement { todos, operation: "write" }, "TODO list updated".into())
        }
        Kind::Task => {
            let description = query(&["description", "prompt", "task", "message"]);
            let content = format!("Task: {}", ticked(&description));
            (ActionType::TaskCreate { description }, content)
        }
        Kind::Other => any(call, title),
    };
    let has_place = matches!(action, ActionType::CommandRun { .. } | ActionType::Tool { .. });
    let most = if matches!(action, ActionType::TaskCreate { .. }) { MOST_OUTPUT } else { MOST_ASIDE };
    let result = result_text(call).filter(|_| !has_place && !call.is_open()).map(|text| cut(&text, most));
    Described { name: shown(call, title), action, content, result }
}

/// The title is the name to show, unless it is only what the tool is given; that of an MCP server's tool is told as
/// others tell it.
fn shown(call: &ToolCall, title: &str) -> String {
    let served = title.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
    if let Some((server, tool)) = served {
        return format!("mcp:{server}:{tool}");
    }
    let given =
        |name: &&String| title.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(": {"));
    cut(call.name.as_ref().filter(given).map_or(title, String::as_str), MOST_ASIDE)
}

fn kind(call: &ToolCall, given: &Given<'_>) -> Kind {
    let name = call.name.as_deref().unwrap_or_default();
    match name {
        "Task" | "Agent" | "task" | "agent" | "spawn_agent" | "delegate" | "subagent" => return Kind::Task,
        _ if given.0.get("todos").is_some_and(Value::is_array) => return Kind::Todo,
        // It reads what nobody counts.
        "read_many_files" => return Kind::Other,
        _ => {}
    }
    match call.kind.as_deref().unwrap_or_default() {
        "read" => Kind::Read,
        "edit" => Kind::Edit,
        "delete" => Kind::Delete,
        "move" => Kind::Move,
        "search" => Kind::Search,
        "execute" => Kind::Execute,
        "fetch" => Kind::Fetch,
        "switch_mode" => Kind::SwitchMode,
        "think" => Kind::Other,
        _ if !call.diffs.is_empty() => Kind::Edit,
        _ => by_name(name),
    }
}

/// What tools do that are told without a kind.
fn by_name(name: &str) -> Kind {
    match name {
        "read" | "read_file" | "view" | "Read" => Kind::Read,
        "write" | "write_file" | "create" | "create_file" | "edit" | "edit_file" | "replace"
        | "search_replace" | "str_replace" | "str_replace_editor" | "text_editor" | "Write" | "Edit" => {
            Kind::Edit
        }
        "shell"
        | "bash"
        | "Bash"
        | "exec_command"
        | "run_command"
        | "run_commands"
        | "run_shell_command"
        | "run_terminal_command"
        | "terminal" => Kind::Execute,
        "grep" | "glob" | "search" | "search_files" | "Grep" | "Glob" => Kind::Search,
        "fetch" | "web_fetch" | "webfetch" | "web_search" | "WebFetch" | "WebSearch" => Kind::Fetch,
        _ => Kind::Other,
    }
}

fn edited(path: String, changes: Vec<FileChange>) -> (ActionType, String) {
    let content = ticked(&path);
    (ActionType::FileEdit { path, changes }, content)
}

fn any(call: &ToolCall, title: &str) -> (ActionType, String) {
    let name = shown(call, title);
    let input = call.input.as_ref().and_then(|input| serde_json::value::to_raw_value(input).ok());
    let arguments = input.filter(|input| fits(input.get().len(), MOST_OUTPUT));
    let told = || result_text(call).or_else(|| call.output.as_ref().map(ToString::to_string));
    let result = if call.is_open() { None } else { told().map(|text| tool_result(&text)) };
    let content = if name.starts_with("mcp:") { name.clone() } else { format!("Tool: {}", ticked(&name)) };
    (ActionType::Tool { tool_name: name, arguments, result }, content)
}

/// What is different in a file: as the agent shows it, else as it was asked for.
fn changes(call: &ToolCall, given: &Given<'_>, path: &str, root: &str) -> Vec<FileChange> {
    if !call.diffs.is_empty() {
        return call.diffs.iter().map(|diff| change(diff, call.diffs.len() == 1, root)).collect();
    }
    if let Some(content) = given.text(&["content", "file_text", "contents"]) {
        return vec![FileChange::Write { content: cut(content, MOST_TEXT) }];
    }
    let edits = given.edits();
    if edits.is_empty() {
        return Vec::new();
    }
    let unified_diff = cut(&diff::of_edits(path, &edits), MOST_TEXT);
    vec![FileChange::Edit { unified_diff, has_line_numbers: false }]
}

/// A file that was not there is written. Of several files each says its own name, which only a diff can.
fn change(told: &Diff, alone: bool, root: &str) -> FileChange {
    let before = told.before.as_deref().unwrap_or_default();
    if before.is_empty() && alone {
        return FileChange::Write { content: cut(&told.after, MOST_TEXT) };
    }
    let edits = [without_the_same(before, &told.after)];
    let unified_diff = cut(&diff::of_edits(below(&told.path, Some(root)), &edits), MOST_TEXT);
    FileChange::Edit { unified_diff, has_line_numbers: false }
}

/// Both sides without the lines at the beginning and at the end that are the same.
fn without_the_same<'a>(before: &'a str, after: &'a str) -> Edit<'a> {
    let same = |(old, new): &(&str, &str)| old == new;
    let lines = || before.split_inclusive('\n').zip(after.split_inclusive('\n'));
    let head: usize = lines().take_while(same).map(|(line, _)| line.len()).sum();
    let (before, after) = (before.get(head..).unwrap_or_default(), after.get(head..).unwrap_or_default());
    let lines = before.split_inclusive('\n').rev().zip(after.split_inclusive('\n').rev());
    let tail: usize = lines.take_while(same).map(|(line, _)| line.len()).sum();
    let until = |text: &'a str| text.get(..text.len() - tail).unwrap_or_default();
    Edit { before: until(before), after: until(after) }
}

fn command(given: &Given<'_>, title: &str) -> String {
    let listed = |value: &Value| -> Option<String> {
        let words: Vec<&str> = value.as_array()?.iter().filter_map(Value::as_str).collect();
        Some(words.join(" ")).filter(|words| !words.is_empty())
    };
    let told = given.text(&["command", "cmd", "command_line", "script"]).map(str::to_owned);
    let told = told.or_else(|| ["command", "cmd"].iter().find_map(|name| listed(given.0.get(*name)?)));
    let several = || {
        let commands = given.0.get("commands")?.as_array()?;
        let texts: Vec<&str> = commands.iter().filter_map(Value::as_str).collect();
        Some(texts.join("\n")).filter(|text| !text.is_empty())
    };
    // Behind the command some say where it runs, and what for.
    let titled = || title.split(" (").next().unwrap_or(title).trim_matches('`').to_owned();
    told.or_else(several).unwrap_or_else(titled)
}

fn command_result(call: &ToolCall) -> Option<CommandResult> {
    let Printed { text, code } = printed(call);
    let success = match call.status {
        None | Some(Status::Open) => None,
        Some(status) => Some(ExitStatus::Success { success: status == Status::Completed }),
    };
    // While it runs there is no number yet, whatever is told.
    let exit_status = success.map(|success| code.map_or(success, |code| ExitStatus::ExitCode { code }));
    let output = text.map(|text| cut(&text, MOST_OUTPUT));
    (exit_status.is_some() || output.is_some()).then_some(CommandResult { exit_status, output })
}

fn ticked(text: &str) -> String {
    format!("`{text}`")
}

/// The names under which tools are given a path.
const PATHS: &[&str] =
    &["file_path", "filePath", "path", "target_file", "notebook_path", "absolute_path", "fileName"];

/// What a tool was given. A field that is missing, or no text, is none.
struct Given<'a>(&'a Value);

impl<'a> Given<'a> {
    fn text(&self, names: &[&str]) -> Option<&'a str> {
        names.iter().find_map(|name| self.0.get(*name)?.as_str())
    }

    fn edits(&self) -> Vec<Edit<'a>> {
        let edit = |value: &'a Value| {
            let given = Given(value);
            let before =
                given.text(&["old_string", "old_str", "oldText", "oldString", "before", "search"])?;
            let after = given.text(&["new_string", "new_str", "newText", "newString", "after", "replace"])?;
            Some(Edit { before, after })
        };
        let listed = self.0.get("edits").and_then(Value::as_array);
        edit(self.0).into_iter().chain(listed.into_iter().flatten().filter_map(edit)).collect()
    }

    fn todos(&self) -> Vec<Todo> {
        let short = |todo: &Value, names: &[&str]| Given(todo).text(names).map(|text| cut(text, MOST_ASIDE));
        let todo = |todo: &Value| Todo {
            content: short(todo, &["content", "title", "text", "description"]).unwrap_or_default(),
            status: short(todo, &["status"]).unwrap_or_default(),
            priority: short(todo, &["priority"]),
        };
        let todos = self.0.get("todos").and_then(Value::as_array);
        todos.into_iter().flatten().take(MOST_TODOS).map(todo).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lines_that_differ_are_in_a_diff() {
        let Edit { before, after } = without_the_same("a\nb\nc\n", "a\nx\ny\nc\n");
        assert_eq!((before, after), ("b\n", "x\ny\n"));
        let Edit { before, after } = without_the_same("a\na\n", "a\na\na\n");
        assert_eq!((before, after), ("", "a\n"));
        let Edit { before, after } = without_the_same("same", "same");
        assert_eq!((before, after), ("", ""));
    }
}
