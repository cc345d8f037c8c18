//! What the stub answers to a request, and how that looks on the wire, in pieces or whole.

use std::path::{Path, PathBuf};

use scripted_agent::script::{self, Step};
use serde_json::{Value, json};
use uuid::Uuid;

/// One answer.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    Message(Message),
    Error { status: u16, text: String },
}

#[derive(Debug, PartialEq)]
pub(super) struct Message {
    text: String,
    /// The input of a use of the `Write` tool.
    write: Option<Value>,
    /// What has to let it through before it is given.
    gate: Option<PathBuf>,
}

impl Reply {
    pub(super) const fn text(text: String) -> Self {
        Self::Message(Message { text, write: None, gate: None })
    }
}

/// Plays the step that is next in the conversation.
pub(super) fn to(request: &Value) -> Reply {
    let messages = request.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let last_prompt = messages.iter().rposition(is_prompt).unwrap_or_default();
    let since: Vec<&Value> = messages.iter().skip(last_prompt).collect();
    let prompt = since.first().map(|message| texts(message)).unwrap_or_default();
    let mut played: usize = since.iter().map(|message| blocks(message, "tool_use").count()).sum();
    let (mut said, mut gate) = (Vec::new(), None);
    for step in script::steps(&prompt) {
        match step {
            Step::Say(text) if played == 0 => said.push(text),
            Step::Edit { .. } if played > 0 => played -= 1,
            Step::Edit { path, text } => {
                let write = json!({ "file_path": path, "content": format!("{text}\n") });
                said.push(format!("I will write {}.", path.display()));
                return Reply::Message(Message { text: said.join("\n"), write: Some(write), gate });
            }
            Step::WaitFifo(path) if played == 0 => gate = Some(path),
            Step::Error { status, text } => return Reply::Error { status: status.unwrap_or(400), text },
            _ => {}
        }
    }
    let text = if said.is_empty() { "Everything is done.".into() } else { said.join("\n") };
    Reply::Message(Message { text, write: None, gate })
}

/// Whether a person said it: results of tools come in the user's name too.
fn is_prompt(message: &Value) -> bool {
    message.get("role").is_some_and(|role| role == "user") && blocks(message, "tool_result").next().is_none()
}

fn blocks<'a>(message: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let content = message.get("content").and_then(Value::as_array).into_iter().flatten();
    content.filter(move |block| block.get("type").is_some_and(|found| found == kind))
}

fn texts(message: &Value) -> String {
    if let Some(text) = message.get("content").and_then(Value::as_str) {
        return text.to_owned();
    }
    let texts = blocks(message, "text").filter_map(|block| block.get("text")?.as_str());
    texts.collect::<Vec<_>>().join("\n")
}

impl Message {
    pub(super) fn gate(&self) -> Option<&Path> {
        self.gate.as_deref()
    }

    const fn stop_reason(&self) -> &'static str {
        if self.write.is_some() { "tool_use" } else { "end_turn" }
    }

    fn head(content: &[Value], stop_reason: Option<&str>) -> Value {
        json!({
            "id": format!("msg_{}", Uuid::new_v4().simple()), "type": "message", "role": "assistant",
            "model": "stub-model", "content": content, "stop_reason": stop_reason, "stop_sequence": null,
            "usage": { "input_tokens": 10, "output_tokens": 5 },
        })
    }

    fn tool_use(input: &Value) -> Value {
        json!({ "type": "tool_use", "id": format!("toolu_{}", Uuid::new_v4().simple()), "name": "Write", "input": input })
    }

    /// The answer to a request that does not stream.
    pub(super) fn whole(&self) -> Value {
        let mut content = vec![json!({ "type": "text", "text": self.text })];
        content.extend(self.write.as_ref().map(Self::tool_use));
        Self::head(&content, Some(self.stop_reason()))
    }

    /// The answer as server-sent events.
    pub(super) fn events(&self) -> String {
        let mut events = vec![json!({ "type": "message_start", "message": Self::head(&[], None) })];
        let text = json!({ "type": "text_delta", "text": self.text });
        events.extend(block_events(0, &json!({ "type": "text", "text": "" }), &text));
        if let Some(write) = &self.write {
            let input = json!({ "type": "input_json_delta", "partial_json": write.to_string() });
            events.extend(block_events(1, &Self::tool_use(&json!({})), &input));
        }
        events.push(json!({
            "type": "message_delta", "usage": { "output_tokens": 5 },
            "delta": { "stop_reason": self.stop_reason(), "stop_sequence": null },
        }));
        events.push(json!({ "type": "message_stop" }));
        events.iter().map(event).collect()
    }
}

fn block_events(index: usize, start: &Value, delta: &Value) -> [Value; 3] {
    [
        json!({ "type": "content_block_start", "index": index, "content_block": start }),
        json!({ "type": "content_block_delta", "index": index, "delta": delta }),
        json!({ "type": "content_block_stop", "index": index }),
    ]
}

fn event(message: &Value) -> String {
    let kind = message.get("type").and_then(Value::as_str).unwrap_or_default();
    format!("event: {kind}\ndata: {message}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str) -> Value {
        json!({ "role": "user", "content": [{ "type": "text", "text": text }] })
    }

    fn used_tool() -> [Value; 2] {
        [
            json!({ "role": "assistant", "content": [{ "type": "tool_use", "name": "Write" }] }),
            json!({ "role": "user", "content": [{ "type": "tool_result", "content": "ok" }] }),
        ]
    }

    fn written(reply: &Reply) -> Option<&str> {
        match reply {
            Reply::Message(Message { write: Some(write), .. }) => write["file_path"].as_str(),
            Reply::Message(_) | Reply::Error { .. } => None,
        }
    }

    #[test]
    fn steps_are_played_one_per_request_and_anew_for_each_prompt() {
        let mut messages = vec![user("@edit a.txt one\n@edit b.txt two\n@say both done")];
        let next = |messages: &[Value]| to(&json!({ "messages": messages }));
        assert_eq!(written(&next(&messages)), Some("a.txt"));
        messages.extend(used_tool());
        assert_eq!(written(&next(&messages)), Some("b.txt"));
        messages.extend(used_tool());
        assert_eq!(next(&messages), Reply::text("both done".into()));
        messages.push(user("@edit c.txt three"));
        assert_eq!(written(&next(&messages)), Some("c.txt"));
        messages.extend(used_tool());
        assert_eq!(next(&messages), Reply::text("Everything is done.".into()));
    }

    #[test]
    fn an_error_is_answered_with_its_status() {
        let reply = to(&json!({ "messages": [{ "role": "user", "content": "@error 529 busy" }] }));
        assert_eq!(reply, Reply::Error { status: 529, text: "busy".into() });
    }
}
