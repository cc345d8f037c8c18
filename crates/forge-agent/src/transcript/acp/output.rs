//! What tools gave back, wherever agents put it.

use serde_json::Value;

use crate::acp::update::ToolCall;

/// What a command printed, and the number it returned.
pub(super) struct Printed {
    pub(super) text: Option<String>,
    pub(super) code: Option<i64>,
}

/// What a command printed. The agent's own account of it is the last resort: it is meant for the model.
pub(super) fn printed(call: &ToolCall) -> Printed {
    let raw = call.output.as_ref();
    let code = call.exit_code.or_else(|| raw.and_then(exit_code));
    let streamed = Some(&call.printed).filter(|printed| !printed.is_empty()).cloned();
    // Before it runs, some show there what it is given.
    let shown = || {
        let begun = call.status.is_some();
        call.text.clone().filter(|text| begun && !(call.is_open() && text.starts_with(['{', '['])))
    };
    let text = streamed.or_else(|| raw.and_then(stdout)).or_else(shown).map(without_end);
    Printed { text: text.filter(|text| !text.is_empty() || !call.is_open()), code }
}

/// What was printed, without a last line by which some tell the model how the command ended.
fn without_end(mut text: String) -> String {
    if let Some(at) = text.rfind("<shellId: ").filter(|_| text.ends_with('>')) {
        text.truncate(at.saturating_sub(1));
    }
    text
}

/// What any other tool gave back, as text.
pub(super) fn result_text(call: &ToolCall) -> Option<String> {
    let shown = call.text.clone().filter(|text| !text.is_empty());
    let printed = Some(&call.printed).filter(|printed| !printed.is_empty()).cloned();
    shown.or_else(|| call.output.as_ref().and_then(stdout)).or(printed)
}

fn exit_code(raw: &Value) -> Option<i64> {
    let places = [
        "/exit_code",
        "/exitCode",
        "/metadata/exit",
        "/metadata/exitCode",
        "/observation/exit_code",
        "/observation/metadata/exit_code",
        "/contents/0/exitCode",
    ];
    places.iter().find_map(|at| raw.pointer(at)?.as_i64())
}

/// What was printed, byte by byte.
fn bytes(parts: &[Value]) -> Option<String> {
    let bytes: Option<Vec<u8>> = parts.iter().map(|byte| byte.as_u64()?.try_into().ok()).collect();
    Some(String::from_utf8_lossy(&bytes?).into_owned())
}

/// The text of an output. What is a list of texts is one after the other.
fn stdout(raw: &Value) -> Option<String> {
    match raw {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) if parts.iter().all(Value::is_u64) => bytes(parts),
        Value::Array(parts) => {
            let texts: Vec<String> = parts.iter().filter_map(stdout).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        Value::Object(fields) => {
            let field = |name: &str| fields.get(name).and_then(stdout);
            let both = || {
                let (out, err) = (field("stdout")?, field("stderr").unwrap_or_default());
                let between = if out.is_empty() || err.is_empty() || out.ends_with('\n') { "" } else { "\n" };
                Some(format!("{out}{between}{err}"))
            };
            let names = [
                "output",
                "output_for_prompt",
                "text",
                "content",
                "observation",
                "result",
                "message",
                "error",
            ];
            let found = both().or_else(|| names.iter().find_map(|name| field(name)));
            // An error beside an empty result is what there is to tell.
            found.map(|text| if text.is_empty() { field("error").unwrap_or(text) } else { text })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}
