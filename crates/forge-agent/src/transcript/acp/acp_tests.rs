//! Entries that no recording has: plans, agents that call in others, tools of all kinds, what people say.

use forge_model::ProcessId;
use serde_json::{Value, json};

use crate::log::{Frame, Stream};
use crate::manner::Protocol;
use crate::transcript::Transcript;
use crate::turn::{Approvals, Turn};

/// A turn that is prompted already.
struct Told {
    transcript: Transcript,
    entries: Vec<Value>,
}

impl Told {
    fn new() -> Self {
        let turn = Turn { approvals: Approvals::Ask, ..Turn::new(Protocol::Acp, "go") };
        let mut told = Self { transcript: Transcript::new(&turn, ProcessId::random()), entries: Vec::new() };
        let prompt = json!([{ "type": "text", "text": "go" }]);
        told.push(
            Stream::Stdin,
            &json!({ "id": 1, "method": "session/prompt", "params": { "prompt": prompt } }),
        );
        told.entries.clear();
        told
    }

    fn push(&mut self, stream: Stream, message: &Value) {
        let bytes = format!("{message}\n").into_bytes();
        self.transcript.push(&Frame { seq: 1, at_ms: 5, stream, bytes });
        self.take();
    }

    fn take(&mut self) {
        for change in self.transcript.take() {
            // The prompt is the first entry.
            let at = usize::try_from(change.index).unwrap().saturating_sub(1);
            if at < self.entries.len() {
                self.entries[at] = json!(change.entry);
            } else {
                self.entries.push(json!(change.entry));
            }
        }
    }

    fn update(&mut self, update: &Value) {
        let params = json!({ "sessionId": "s", "update": update });
        self.push(Stream::Stdout, &json!({ "method": "session/update", "params": params }));
    }

    fn tool(&mut self, mut call: Value) -> &Value {
        call["sessionUpdate"] = json!("tool_call");
        call["toolCallId"] = json!(format!("c{}", self.entries.len()));
        self.update(&call);
        self.entries.last().unwrap()
    }

    fn last(&self) -> &Value {
        self.entries.last().unwrap()
    }
}

fn says(kind: &str, text: &str) -> Value {
    json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } })
}

#[test]
fn pieces_of_a_text_grow_one_entry_and_a_thought_is_another() {
    let mut told = Told::new();
    for (kind, text) in [
        ("agent_thought_chunk", "Hm, "),
        ("agent_thought_chunk", "yes."),
        ("agent_message_chunk", "I "),
        ("agent_message_chunk", "will."),
    ] {
        told.update(&says(kind, text));
    }
    let shown: Vec<_> =
        told.entries.iter().map(|entry| (&entry["entry_type"]["type"], &entry["content"])).collect();
    let expected = [(json!("thinking"), json!("Hm, yes.")), (json!("assistant_message"), json!("I will."))];
    assert_eq!(shown, expected.iter().map(|(kind, text)| (kind, text)).collect::<Vec<_>>());
}

#[test]
fn a_plan_is_one_entry_that_changes() {
    let mut told = Told::new();
    let plan = |status: &str| {
        let entry = json!({ "content": "write", "priority": "high", "status": status });
        json!({ "sessionUpdate": "plan", "entries": [entry] })
    };
    told.update(&plan("pending"));
    told.update(&says("agent_message_chunk", "Begun."));
    told.update(&plan("completed"));
    assert_eq!(told.entries.len(), 2);
    let tool = &told.entries[0]["entry_type"];
    assert_eq!(tool["tool_name"], "plan");
    let todo = json!({ "content": "write", "status": "completed", "priority": "high" });
    let expected = json!({ "action": "todo_management", "todos": [todo], "operation": "update" });
    assert_eq!(tool["action_type"], expected);
}

#[test]
fn each_kind_of_tool_is_told_as_what_it_does() {
    let mut told = Told::new();
    let mut action = |call: Value| told.tool(call)["entry_type"]["action_type"].clone();
    let read = action(json!({ "kind": "read", "title": "Read", "locations": [{ "path": "/repo/a.rs" }] }));
    assert_eq!(read, json!({ "action": "file_read", "path": "a.rs" }));
    let search = action(json!({ "kind": "search", "title": "grep", "rawInput": { "pattern": "fn" } }));
    assert_eq!(search, json!({ "action": "search", "query": "fn" }));
    let fetch = action(json!({ "kind": "fetch", "title": "Fetch https://x" }));
    assert_eq!(fetch, json!({ "action": "web_fetch", "url": "Fetch https://x" }));
    let deleted = action(json!({ "kind": "delete", "title": "rm", "rawInput": { "path": "/repo/a.rs" } }));
    assert_eq!(
        deleted,
        json!({ "action": "file_edit", "path": "a.rs", "changes": [{ "action": "delete" }] })
    );
    let moved = action(
        json!({ "kind": "move", "title": "mv", "rawInput": { "path": "a", "destination": "/repo/b" } }),
    );
    assert_eq!(moved["changes"], json!([{ "action": "rename", "new_path": "b" }]));
    let called = action(json!({ "kind": "think", "name": "Task", "rawInput": { "description": "look" } }));
    assert_eq!(called, json!({ "action": "task_create", "description": "look" }));
    let plan = action(json!({ "kind": "switch_mode", "title": "Ready?", "rawInput": { "plan": "1. go" } }));
    assert_eq!(plan, json!({ "action": "plan_presentation", "plan": "1. go" }));
    let other = action(json!({ "title": "mcp__db__query", "status": "completed", "rawInput": { "q": 1 },
        "rawOutput": { "rows": [1] } }));
    let result = json!({ "type": { "type": "json" }, "value": { "rows": [1] } });
    let expected =
        json!({ "action": "tool", "tool_name": "mcp:db:query", "arguments": { "q": 1 }, "result": result });
    assert_eq!(other, expected);
}

#[test]
fn several_files_of_one_tool_are_told_apart_by_their_diffs() {
    let mut told = Told::new();
    let diff = |path: &str, old: &str, new: &str| json!({ "type": "diff", "path": path, "oldText": old, "newText": new });
    let content = json!([diff("/repo/a", "1\n2\n", "1\n3\n"), diff("/repo/b", "", "new\n")]);
    let action =
        told.tool(json!({ "kind": "edit", "content": content }))["entry_type"]["action_type"].clone();
    assert_eq!(action["path"], "a");
    assert_eq!(action["changes"][0]["unified_diff"], "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-2\n+3\n");
    assert_eq!(action["changes"][1]["unified_diff"], "--- a/b\n+++ b/b\n@@ -0,0 +1,1 @@\n+new\n");
}

#[test]
fn a_tool_waits_for_a_person_and_why_it_was_denied_is_told() {
    let mut told = Told::new();
    told.tool(json!({ "kind": "execute", "title": "rm x", "status": "pending" }));
    let options =
        json!([{ "optionId": "y", "kind": "allow_once" }, { "optionId": "n", "kind": "reject_once" }]);
    let params = json!({ "toolCall": { "toolCallId": "c0" }, "options": options });
    told.push(Stream::Stdout, &json!({ "id": 0, "method": "session/request_permission", "params": params }));
    assert_eq!(told.last()["entry_type"]["status"]["status"], "pending_approval");
    let outcome = json!({ "outcome": "selected", "optionId": "n" });
    let meta = json!({ "forge": { "reason": "not here" } });
    told.push(Stream::Stdin, &json!({ "id": 0, "result": { "outcome": outcome, "_meta": meta } }));
    told.update(&json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c0", "status": "failed" }));
    assert_eq!(told.entries[0]["entry_type"]["status"], json!({ "status": "denied", "reason": "not here" }));
    assert_eq!(told.last()["entry_type"], json!({ "type": "user_feedback", "denied_tool": "rm x" }));
    assert_eq!(told.last()["content"], "not here");
}

#[test]
fn what_an_agent_that_was_called_in_does_says_by_whom() {
    let mut told = Told::new();
    let meta = json!({ "claudeCode": { "toolName": "Bash", "parentToolUseId": "task-1" } });
    let entry = told.tool(json!({ "kind": "execute", "title": "ls", "_meta": meta }));
    assert_eq!(entry["metadata"]["parent_tool_use_id"], "task-1");
    let mut said = says("agent_message_chunk", "Found it.");
    said["_meta"] = json!({ "claudeCode": { "parentToolUseId": "task-1" } });
    told.update(&said);
    assert_eq!(told.last()["metadata"]["parent_tool_use_id"], "task-1");
}

#[test]
fn what_could_not_be_set_is_told_unless_another_way_is_tried() {
    let asked = |id: u64, method: &str, option: &str| json!({ "id": id, "method": method, "params": { "configId": option } });
    let refused = |id: u64| json!({ "id": id, "error": { "code": -32601, "message": "what?" } });
    let mut told = Told::new();
    told.push(Stream::Stdin, &asked(2, "session/set_config_option", "model"));
    told.push(Stream::Stdout, &refused(2));
    told.push(Stream::Stdin, &asked(3, "session/set_model", ""));
    assert_eq!(told.entries, Vec::<Value>::new());
    told.push(Stream::Stdout, &refused(3));
    told.push(Stream::Stdin, &asked(4, "session/set_mode", ""));
    assert_eq!(told.last()["entry_type"]["type"], "error_message", "{:?}", told.entries);
    assert!(
        told.last()["content"].as_str().unwrap().starts_with("session/set_model: "),
        "{:?}",
        told.entries
    );
    told.push(Stream::Stdout, &refused(4));
    told.push(Stream::Stdin, &asked(5, "session/set_config_option", "mode"));
    assert_eq!(told.entries.len(), 1, "{:?}", told.entries);
}

#[test]
fn what_is_new_is_shown_as_it_came() {
    let mut told = Told::new();
    told.update(&json!({ "sessionUpdate": "dreams", "of": "sheep" }));
    assert!(told.last()["content"].as_str().unwrap().starts_with("Unrecognized JSON message: "));
    assert_eq!(told.last()["metadata"]["params"]["update"]["of"], "sheep");
    told.push(Stream::Stdout, &json!({ "method": "_new/thing", "params": {} }));
    assert_eq!(told.last()["metadata"]["method"], "_new/thing");
    told.push(Stream::Stdout, &json!("no message"));
    assert_eq!(told.entries.len(), 3);
}

#[test]
fn a_mode_that_the_agent_takes_by_itself_is_told_once() {
    let mut told = Told::new();
    for mode in ["plan", "plan", "act", "act"] {
        told.update(&json!({ "sessionUpdate": "current_mode_update", "currentModeId": mode }));
    }
    assert_eq!(told.entries.len(), 1);
    assert_eq!(told.last()["content"], "Mode: act");
}
