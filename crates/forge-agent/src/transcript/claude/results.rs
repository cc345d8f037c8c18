//! What tools gave back.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::transcript::diff::{self, Hunk};
use crate::transcript::entry::{
    ActionType, CommandResult, Entry, ExitStatus, FileChange, Metadata, ToolStatus, ToolUse,
};
use crate::transcript::text::{MOST_ASIDE, MOST_OUTPUT, MOST_TEXT, cut};
use crate::transcript::verbatim::tool_result;

/// What a tool gave back.
pub(super) struct Given<'a> {
    /// A text, or parts of which some are.
    pub(super) content: Option<&'a RawValue>,
    pub(super) is_error: bool,
    /// What the program itself has of it.
    pub(super) details: Option<&'a RawValue>,
}

impl Given<'_> {
    /// Puts it into the entry of the tool.
    pub(super) fn into_entry(self, entry: &mut Entry) {
        if let Some(ToolUse { action_type: ActionType::FileEdit { path, changes }, .. }) = entry.tool() {
            self.place(path, changes);
        }
        put(entry, &self.text(), self.is_error);
    }

    /// The diff with the file's own line numbers, where the program tells them.
    fn place(&self, path: &str, changes: &mut Vec<FileChange>) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Details {
            structured_patch: Vec<Hunk>,
        }
        let details = self.details.and_then(|details| serde_json::from_str::<Details>(details.get()).ok());
        if let Some(Details { structured_patch: hunks }) =
            details.filter(|found| !found.structured_patch.is_empty())
            && let [FileChange::Edit { .. }] = changes.as_slice()
        {
            let unified_diff = cut(&diff::of_hunks(path, &hunks), MOST_TEXT);
            *changes = vec![FileChange::Edit { unified_diff, has_line_numbers: true }];
        }
    }

    fn text(&self) -> String {
        let content = self.content.and_then(|content| serde_json::from_str(content.get()).ok());
        match content.unwrap_or_default() {
            Value::String(text) => text,
            Value::Array(parts) => {
                let texts: Vec<_> = parts.iter().map(part).collect();
                texts.join("\n")
            }
            Value::Null => String::new(),
            other => other.to_string(),
        }
    }
}

/// Puts the text that a tool gave back into its entry.
pub(in crate::transcript) fn put(entry: &mut Entry, text: &str, is_error: bool) {
    let Some(tool) = entry.tool() else { return };
    // Who was not allowed to begin cannot have failed.
    if !matches!(tool.status, ToolStatus::Denied { .. } | ToolStatus::TimedOut) {
        tool.status = if is_error { ToolStatus::Failed } else { ToolStatus::Success };
    }
    match &mut tool.action_type {
        ActionType::CommandRun { result, .. } => *result = Some(command_result(text, is_error)),
        ActionType::Tool { result, .. } => *result = Some(tool_result(text)),
        action => {
            let most = if matches!(action, ActionType::TaskCreate { .. }) { MOST_OUTPUT } else { MOST_ASIDE };
            if let Some(Metadata::Call(call)) = &mut entry.metadata {
                call.result = Some(text).filter(|text| !text.is_empty()).map(|text| cut(text, most));
            }
        }
    }
}

/// A part of a result: pictures and the like are only named.
fn part(part: &Value) -> String {
    let text = part.get("text").and_then(Value::as_str);
    let kind = || part.get("type").and_then(Value::as_str).unwrap_or("part");
    text.map_or_else(|| format!("[{}]", kind()), str::to_owned)
}

/// Claude Code tells the number of a failure in the text, Amp tells every number beside it.
fn command_result(text: &str, is_error: bool) -> CommandResult {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Told {
        output: String,
        exit_code: i64,
    }
    if text.starts_with('{')
        && let Ok(Told { output, exit_code: code }) = serde_json::from_str(text)
    {
        let exit_status = Some(ExitStatus::ExitCode { code });
        return CommandResult { exit_status, output: Some(cut(&output, MOST_OUTPUT)) };
    }
    let said = text.strip_prefix("Exit code ").filter(|_| is_error).and_then(|rest| {
        let (number, output) = rest.split_once('\n').unwrap_or((rest, ""));
        Some((number.trim().parse().ok()?, output))
    });
    let (exit_status, output) = match said {
        Some((code, output)) => (ExitStatus::ExitCode { code }, output),
        None => (ExitStatus::Success { success: !is_error }, text),
    };
    CommandResult { exit_status: Some(exit_status), output: Some(cut(output, MOST_OUTPUT)) }
}
