//! What comes of single messages; whole conversations are in `tests/it/entries.rs`.

use serde_json::{Value, json};

use super::*;
use crate::turn::Approvals;

/// A log that is being written.
struct Log {
    transcript: Transcript,
    seq: u64,
    at_ms: u64,
}

impl Log {
    fn new() -> Self {
        Self::with(Approvals::Ask)
    }

    fn with(approvals: Approvals) -> Self {
        let transcript = Transcript::new(
            &Turn { approvals, ..Turn::new(Protocol::Claude, "") },
            ProcessId::from_uuid(uuid::Uuid::nil()),
        );
        Self { transcript, seq: 0, at_ms: 1000 }
    }

    fn frame(&mut self, stream: Stream, bytes: &[u8]) {
        self.seq += 1;
        let frame = Frame { seq: self.seq, at_ms: self.at_ms, stream, bytes: bytes.to_vec() };
        self.transcript.push(&frame);
    }

    /// What a line of the agent changes, as the wire has it.
    fn out(&mut self, message: &Value) -> Vec<Value> {
        self.frame(Stream::Stdout, format!("{message}\n").as_bytes());
        self.changes()
    }

    fn told(&mut self, message: &Value) -> Vec<Value> {
        self.frame(Stream::Stdin, format!("{message}\n").as_bytes());
        self.changes()
    }

    fn err(&mut self, text: &str) -> Vec<Value> {
        self.frame(Stream::Stderr, text.as_bytes());
        self.changes()
    }

    fn finish(&mut self) -> Vec<Value> {
        self.transcript.finish(None);
        self.changes()
    }

    fn changes(&mut self) -> Vec<Value> {
        let changes = self.transcript.take();
        let op = |change: &Change| if change.is_new { "add" } else { "replace" };
        changes.iter().map(|change| json!([op(change), change.index, change.entry])).collect()
    }

    /// Has the agent use a tool; gives the entry.
    fn uses(&mut self, name: &str, input: &Value) -> Value {
        let mut changes =
            self.out(&assistant(&json!({"type": "tool_use", "id": "tu1", "name": name, "input": input})));
        assert_eq!(changes.len(), 1, "{changes:?}");
        changes.remove(0)[2].take()
    }

    fn gives(&mut self, content: &Value, is_error: bool) -> Value {
        let mut changes = self.out(&result(content, is_error, &Value::Null));
        assert_eq!(changes.len(), 1, "{changes:?}");
        assert_eq!(changes[0][0], "replace");
        changes.remove(0)[2].take()
    }
}

fn assistant(block: &Value) -> Value {
    json!({"type": "assistant", "parent_tool_use_id": null, "message": {"role": "assistant", "content": [block]}})
}

fn result(content: &Value, is_error: bool, details: &Value) -> Value {
    let block =
        json!({"type": "tool_result", "tool_use_id": "tu1", "content": content, "is_error": is_error});
    json!({"type": "user", "message": {"role": "user", "content": [block]}, "tool_use_result": details})
}

/// Contract A14. Three differences, on purpose: the command keeps its text, and a tool keeps what it was called with.
#[test]
fn the_frames_of_one_run_are_those_of_the_contract() {
    let mut log = Log::new();
    let prompt =
        json!({"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "hello"}]}});
    let entry = |index: u64, kind: Value, content: &str, metadata: Value| json!(["add", index, {"timestamp": null, "entry_type": kind, "content": content, "metadata": metadata}]);
    let message = json!({"type": "user_message"});
    assert_eq!(log.told(&prompt), [entry(0, message, "hello", json!({"type": "text", "text": "hello"}))]);

    let init = json!({"type": "system", "subtype": "init", "model": "claude-x", "cwd": "/repo"});
    let banner = "System initialized with model: claude-x";
    assert_eq!(log.out(&init), [entry(1, json!({"type": "system_message"}), banner, Value::Null)]);

    let text = json!({"type": "text", "text": "I will edit a file"});
    let said = entry(2, json!({"type": "assistant_message"}), "I will edit a file", text.clone());
    assert_eq!(log.out(&assistant(&text)), [said]);

    let input = json!({"command": "ls -la", "description": null});
    let call = json!({"type": "tool_use", "id": "tu1", "name": "Bash", "input": input});
    let metadata =
        json!({"type": "tool_use", "id": "tu1", "name": "Bash", "input": input, "tool_call_id": "tu1"});
    let kind = |status: &str, result: Value| {
        json!({"type": "tool_use", "tool_name": "Bash", "status": {"status": status},
            "action_type": {"action": "command_run", "command": "ls -la", "result": result}})
    };
    let created = entry(3, kind("created", Value::Null), "`ls -la`", metadata.clone());
    assert_eq!(log.out(&assistant(&call)), [created]);

    let output = json!({"output": "total 0", "exitCode": 0}).to_string();
    let done = json!({"exit_status": {"type": "exit_code", "code": 0}, "output": "total 0"});
    let mut done = entry(3, kind("success", done), "`ls -la`", metadata);
    done[0] = json!("replace");
    assert_eq!(log.out(&result(&json!(output), false, &Value::Null)), [done]);

    // A third: what a program prints on standard error is no error of the turn.
    let kind = json!({"type": "system_message"});
    let metadata = json!({"type": "stderr"});
    assert_eq!(log.err("warn on stderr\n"), [entry(4, kind, "warn on stderr\n", metadata)]);
    assert_eq!(log.finish(), Vec::<Value>::new());
}

/// A tool, what it is given, what it does and how that is said.
fn check(name: &str, input: &Value, action: &Value, content: &str) {
    let mut log = Log::new();
    log.out(&json!({"type": "system", "subtype": "init", "cwd": "/repo"}));
    let entry = log.uses(name, input);
    assert_eq!(entry["entry_type"]["action_type"], *action, "{name}");
    assert_eq!(entry["content"], content, "{name}");
    assert_eq!(entry["metadata"]["input"], *input, "{name}");
    assert_eq!(entry["entry_type"]["status"], json!({"status": "created"}), "{name}");
    let done = log.gives(&json!("done"), false);
    assert_eq!(done["entry_type"]["status"], json!({"status": "success"}), "{name}");
}

#[test]
fn tools_for_files_are_known_by_what_they_do() {
    let read = |path: &str| json!({"action": "file_read", "path": path});
    check("Read", &json!({"file_path": "/repo/a.rs"}), &read("a.rs"), "`a.rs`");
    check("read", &json!({"path": "/else/a.rs"}), &read("/else/a.rs"), "`/else/a.rs`");
    let edit = |change: Value| json!({"action": "file_edit", "path": "a", "changes": [change]});
    let written = edit(json!({"action": "write", "content": "x\n"}));
    check("Write", &json!({"file_path": "/repo/a", "content": "x\n"}), &written, "`a`");
    let diff = |diff: &str| {
        let diff = format!("--- a/a\n+++ b/a\n{diff}");
        edit(json!({"action": "edit", "has_line_numbers": false, "unified_diff": diff}))
    };
    let input = json!({"file_path": "/repo/a", "old_string": "x", "new_string": "y"});
    check("Edit", &input, &diff("@@ -1,1 +1,1 @@\n-x\n+y\n"), "`a`");
    let input =
        json!({"file_path": "a", "edits": [{"old_string": "x", "new_string": ""}, {"new_string": "z"}]});
    check("MultiEdit", &input, &diff("@@ -1,1 +0,0 @@\n-x\n@@ -0,0 +1,1 @@\n+z\n"), "`a`");
}

#[test]
fn other_tools_are_known_by_what_they_do() {
    let run = |command: &str| json!({"action": "command_run", "command": command, "result": null});
    check("bash", &json!({"cmd": "ls"}), &run("ls"), "`ls`");
    // What has another shape than expected is shown without it.
    check("Bash", &json!({"command": ["ls"]}), &run(""), "``");
    let search = |query: &str| json!({"action": "search", "query": query});
    check("Grep", &json!({"pattern": "fn", "path": "/repo"}), &search("fn"), "`fn`");
    check("glob", &json!({"filePattern": "*.rs"}), &search("*.rs"), "`*.rs`");
    let fetch = |url: &str| json!({"action": "web_fetch", "url": url});
    check("WebFetch", &json!({"url": "http://x"}), &fetch("http://x"), "`http://x`");
    check("WebSearch", &json!({"query": "q"}), &fetch("q"), "`q`");
    let task = json!({"action": "task_create", "description": "look"});
    check(
        "Task",
        &json!({"subagent_type": "Explore", "description": "look", "prompt": "p"}),
        &task,
        "Task: `look`",
    );
    let plan = json!({"action": "plan_presentation", "plan": "1."});
    check("ExitPlanMode", &json!({"plan": "1."}), &plan, "1.");
    let todos = |operation: &str, todos: Value| json!({"action": "todo_management", "operation": operation, "todos": todos});
    let written = todos("write", json!([{"content": "c", "status": "pending", "priority": null}]));
    let input = json!({"todos": [{"content": "c", "status": "pending", "activeForm": "x"}]});
    check("TodoWrite", &input, &written, "TODO list updated");
    check("TodoRead", &json!({}), &todos("read", json!([])), "TODO list read");
    let listed = json!({"action": "other", "description": "List directory: `src`"});
    check("LS", &json!({"path": "/repo/src"}), &listed, "List directory: `src`");
    let tool = |name: &str, arguments: Value| json!({"action": "tool", "tool_name": name, "arguments": arguments, "result": null});
    check("mcp__db__query", &json!({"n": 1.50}), &tool("mcp:db:query", json!({"n": 1.50})), "mcp:db:query");
    check("CronCreate", &json!([1]), &tool("CronCreate", json!([1])), "Tool: `CronCreate`");
}

#[test]
fn results_tell_how_a_tool_ended() {
    let command = |content: Value, is_error: bool| {
        let mut log = Log::new();
        log.uses("Bash", &json!({"command": "ls"}));
        let entry = log.gives(&content, is_error);
        (
            entry["entry_type"]["status"]["status"].clone(),
            entry["entry_type"]["action_type"]["result"].clone(),
        )
    };
    let told = |status: Value, output: &str| json!({"exit_status": status, "output": output});
    let success = |success: bool| json!({"type": "success", "success": success});
    assert_eq!(command(json!("a\n"), false), (json!("success"), told(success(true), "a\n")));
    assert_eq!(command(json!("no"), true), (json!("failed"), told(success(false), "no")));
    let code = json!({"type": "exit_code", "code": 2});
    assert_eq!(command(json!("Exit code 2\nno"), true), (json!("failed"), told(code, "no")));
    let parts = json!([{"type": "text", "text": "a"}, {"type": "image", "source": {}}]);
    assert_eq!(command(parts, false), (json!("success"), told(success(true), "a\n[image]")));
    assert_eq!(command(Value::Null, false), (json!("success"), told(success(true), "")));

    let mut log = Log::new();
    log.uses("mcp__db__query", &json!({}));
    let result = log.gives(&json!("[1, 2]"), false)["entry_type"]["action_type"]["result"].clone();
    assert_eq!(result, json!({"type": {"type": "json"}, "value": [1, 2]}));
    log.uses("mcp__db__query", &json!({}));
    let result = log.gives(&json!("# two"), false)["entry_type"]["action_type"]["result"].clone();
    assert_eq!(result, json!({"type": {"type": "markdown"}, "value": "# two"}));

    log.uses("Read", &json!({"file_path": "a"}));
    let failed = log.gives(&json!("no such file"), true);
    assert_eq!(failed["entry_type"]["status"]["status"], "failed");
    assert_eq!(failed["metadata"]["result"], "no such file");
}

#[test]
fn an_edit_gets_the_line_numbers_that_the_program_tells() {
    let mut log = Log::new();
    log.uses("Edit", &json!({"file_path": "a", "old_string": "x", "new_string": "y"}));
    let hunk =
        json!({"oldStart": 7, "oldLines": 2, "newStart": 7, "newLines": 2, "lines": [" w", "-x", "+y"]});
    let changes = log.out(&result(&json!("ok"), false, &json!({"structuredPatch": [hunk]})));
    let change = &changes[0][2]["entry_type"]["action_type"]["changes"][0];
    assert_eq!(change["unified_diff"], "--- a/a\n+++ b/a\n@@ -7,2 +7,2 @@\n w\n-x\n+y\n");
    assert_eq!(change["has_line_numbers"], true);
}

#[test]
fn a_tool_waits_for_its_permission_and_is_denied_with_a_reason() {
    let mut log = Log::new();
    log.uses("Write", &json!({"file_path": "a", "content": "x"}));
    let ask = json!({"type": "control_request", "request_id": "r1",
        "request": {"subtype": "can_use_tool", "tool_name": "Write", "input": {}, "tool_use_id": "tu1"}});
    let asked = log.out(&ask);
    let pending = json!({"status": "pending_approval", "approval_id": forge_model::ApprovalId::of(ProcessId::from_uuid(uuid::Uuid::nil()), "r1"),
        "requested_at": "1970-01-01T00:00:01.000Z", "timeout_at": "1970-01-01T01:00:01.000Z"});
    assert_eq!((&asked[0][1], &asked[0][2]["entry_type"]["status"]), (&json!(0), &pending));
    let answer = |behavior: &str| {
        json!({"type": "control_response", "response": {"subtype": "success", "request_id": "r1",
            "response": {"behavior": behavior, "message": "not here"}}})
    };
    let allowed = log.told(&answer("allow"));
    assert_eq!(allowed[0][2]["entry_type"]["status"], json!({"status": "created"}));

    log.out(&ask);
    let denied = log.told(&answer("deny"));
    let status = json!({"status": "denied", "reason": "not here"});
    assert_eq!(denied[0][2]["entry_type"]["status"], status);
    assert_eq!(denied[1][2]["entry_type"], json!({"type": "user_feedback", "denied_tool": "Write"}));
    assert_eq!(denied[1][2]["content"], "not here");
    assert_eq!(log.gives(&json!("refused"), true)["entry_type"]["status"], status);

    // Where everything is allowed, nobody is asked.
    let mut log = Log::with(Approvals::Auto);
    log.uses("Write", &json!({"file_path": "a", "content": "x"}));
    assert_eq!(log.out(&ask), Vec::<Value>::new());
    assert_eq!(log.told(&answer("allow")), Vec::<Value>::new());
}

#[test]
fn a_tool_that_nobody_heard_of_again_has_failed() {
    let mut log = Log::new();
    log.uses("Bash", &json!({"command": "sleep 9"}));
    let changes = log.finish();
    assert_eq!(
        (&changes[0][0], &changes[0][2]["entry_type"]["status"]["status"]),
        (&json!("replace"), &json!("failed"))
    );
}

#[test]
fn why_a_turn_failed_is_told_last_where_the_agent_did_not_tell_it() {
    let silent = Reason::AgentFailed { message: "it did not answer".to_owned() };
    let last = |log: &mut Log, reason: &Reason| {
        log.changes();
        log.transcript.finish(Some(reason));
        log.changes().pop().map(|change| change[2].clone())
    };
    let mut log = Log::new();
    log.out(&assistant(&json!({"type": "text", "text": "hello"})));
    // A warning beside it says nothing of the turn.
    log.err("deprecated\n");
    let entry = last(&mut log, &silent).unwrap();
    assert_eq!(entry["entry_type"], json!({"type": "error_message", "error_type": {"type": "other"}}));
    let told = "The turn failed: the agent failed: it did not answer\nWhat to do: read the agent's output, then send a follow-up";
    assert_eq!(entry["content"], told);

    let missing = Reason::NotInstalled { message: "there is no such program".to_owned() };
    let entry = last(&mut Log::new(), &missing).unwrap();
    assert_eq!(entry["entry_type"]["error_type"]["type"], "setup_required");
    assert_eq!(last(&mut Log::new(), &Reason::Interrupted), None);

    let mut log = Log::new();
    log.out(&json!({"type": "result", "subtype": "success", "is_error": true, "result": "it broke"}));
    log.err("and so it ends\n");
    assert_eq!(last(&mut log, &silent), None, "the agent told it");
}

#[test]
fn what_is_not_known_is_kept_word_for_word() {
    let mut log = Log::new();
    let message = json!({"type": "rate_limit_event", "n": 1.50});
    let changes = log.out(&message);
    assert_eq!(changes[0][2]["entry_type"]["type"], "system_message");
    assert_eq!(changes[0][2]["metadata"], message);
    assert_eq!(changes[0][2]["content"], format!("Unrecognized JSON message: {message}"));

    let part = json!({"type": "hologram", "x": [1]});
    assert_eq!(log.out(&assistant(&part))[0][2]["metadata"], part);
    let orphan = result(&json!("for nobody"), false, &Value::Null);
    assert_eq!(log.out(&orphan)[0][2]["metadata"], orphan["message"]["content"][0]);
    // A field of the wrong shape does not hide the rest.
    let odd = json!({"type": "assistant", "timestamp": 5, "message": {"content": "just text", "model": [1]}});
    assert_eq!(log.out(&odd)[0][2]["content"], "just text");

    let compacted = json!({"type": "system", "subtype": "compact_boundary", "description": "made room"});
    assert_eq!(log.out(&compacted)[0][2]["content"], "System: compact_boundary: made room");
    log.frame(Stream::Stdout, b"\x1b[1mnot JSON\x1b[0m\r\n\n[1]\nService not running, starting service...\n");
    let contents: Vec<_> = log.changes().into_iter().map(|change| change[2]["content"].clone()).collect();
    assert_eq!(contents, ["not JSON", "Unrecognized JSON message: [1]"]);
    log.frame(Stream::Stdout, b"cut off");
    assert_eq!(log.changes(), Vec::<Value>::new());
    assert_eq!(log.finish()[0][2]["content"], "cut off");
    log.frame(Stream::Note, b"it used too much memory");
    assert_eq!(log.changes()[0][2]["content"], "it used too much memory");
}

#[test]
fn background_task_messages_are_no_entries() {
    let mut log = Log::new();
    for subtype in ["task_started", "task_progress", "task_notification"] {
        let message = json!({"type": "system", "subtype": subtype, "task_id": "b1", "description": "sleep 9",
            "status": "completed", "summary": "sleep 9"});
        assert_eq!(log.out(&message), Vec::<Value>::new(), "{subtype}");
    }
    let other = json!({"type": "system", "subtype": "compact_boundary"});
    assert_eq!(log.out(&other)[0][2]["content"], "System: compact_boundary");
}

#[test]
fn stderr_after_an_error_adds_no_second_one() {
    let mut log = Log::new();
    log.out(&json!({"type": "result", "is_error": true, "errors": ["overloaded"]}));
    log.err("node: warning\n");
    log.transcript.finish(Some(&Reason::AgentFailed { message: "overloaded".to_owned() }));
    let kinds: Vec<_> = log.changes().iter().map(|change| change[2]["entry_type"]["type"].clone()).collect();
    assert_eq!(kinds, Vec::<Value>::new(), "nothing is new at the end");
}

#[test]
fn stderr_lines_that_come_together_stand_together() {
    let mut log = Log::new();
    assert_eq!(log.err("\x1b[31mone\x1b[0m\n")[0][2]["content"], "one\n");
    log.at_ms += 1999;
    let joined = log.err("two\n");
    assert_eq!((&joined[0][0], &joined[0][2]["content"]), (&json!("replace"), &json!("one\ntwo\n")));
    log.at_ms += 2000;
    let apart = log.err("three\nfour");
    assert_eq!(
        (&apart[0][0], &apart[0][1], &apart[0][2]["content"]),
        (&json!("add"), &json!(1), &json!("three\n"))
    );
    assert_eq!(log.finish()[0][2]["content"], "three\nfour");

    let mut log = Log::new();
    let line = format!("{}\n", "x".repeat(3000));
    let changes = log.err(&line.repeat(4));
    let lengths: Vec<_> = changes.iter().map(|change| change[2]["content"].as_str().unwrap().len()).collect();
    assert_eq!(lengths, [9003, 3001], "a long one is followed by another");
}

#[test]
fn a_text_grows_in_its_place_until_it_is_whole() {
    let mut log = Log::new();
    let event = |event: Value| json!({"type": "stream_event", "event": event, "parent_tool_use_id": null});
    let delta = |index: u64, kind: &str, field: &str, text: &str| {
        event(json!({"type": "content_block_delta", "index": index, "delta": {"type": kind, field: text}}))
    };
    log.out(&event(json!({"type": "message_start", "message": {"id": "m"}})));
    assert_eq!(log.out(&delta(0, "thinking_delta", "thinking", "hm"))[0][0], "add");
    assert_eq!(log.out(&assistant(&json!({"type": "thinking", "thinking": "hmm"})))[0][2]["content"], "hmm");
    assert_eq!(log.out(&delta(1, "text_delta", "text", "a"))[0][1], 1);
    let grown = log.out(&delta(1, "text_delta", "text", "b"));
    assert_eq!(
        (&grown[0][0], &grown[0][1], &grown[0][2]["content"]),
        (&json!("replace"), &json!(1), &json!("ab"))
    );
    let whole = log.out(&assistant(&json!({"type": "text", "text": "abc"})));
    assert_eq!((whole.len(), &whole[0][1], &whole[0][2]["content"]), (1, &json!(1), &json!("abc")));
    // One that is broken off stays, and the next begins anew.
    log.out(&delta(2, "text_delta", "text", "brok"));
    log.out(&event(json!({"type": "message_start", "message": {"id": "n"}})));
    assert_eq!(log.out(&delta(0, "text_delta", "text", "new"))[0][1], 3);
}

#[test]
fn an_error_is_told_once_and_says_whether_a_person_has_to_log_in() {
    let mut log = Log::new();
    let mut said = assistant(&json!({"type": "text", "text": "API Error: 401"}));
    said["error"] = json!("authentication_failed");
    let told = log.out(&said);
    assert_eq!(
        told[0][2]["entry_type"],
        json!({"type": "error_message", "error_type": {"type": "setup_required"}})
    );
    let result =
        json!({"type": "result", "is_error": true, "result": "API Error: 401", "api_error_status": 401});
    assert_eq!(log.out(&result), Vec::<Value>::new());
    let other = json!({"type": "result", "is_error": true, "errors": ["a", "b"]});
    assert_eq!(log.out(&other)[0][2]["content"], "a\nb");
    let fine = json!({"type": "result", "is_error": false, "result": "done"});
    assert_eq!(log.out(&fine), Vec::<Value>::new());
    let aborted = json!({"type": "result", "is_error": true, "terminal_reason": "aborted_streaming"});
    assert_eq!(log.out(&aborted)[0][2]["content"], "The turn was interrupted.");
}

#[test]
fn what_is_too_long_is_cut_and_says_so() {
    let mut log = Log::new();
    let long = "x".repeat(1 << 20);
    let entry = log.uses("Write", &json!({"file_path": "a", "content": long}));
    assert_eq!(entry["metadata"]["input"], Value::Null);
    let written = entry["entry_type"]["action_type"]["changes"][0]["content"].as_str().unwrap().to_owned();
    assert!(written.ends_with(&format!("\n… {} more bytes are in the raw log", (1 << 20) - MOST_TEXT)));
    log.uses("Bash", &json!({"command": "ls"}));
    let output = log.gives(&json!(long), false)["entry_type"]["action_type"]["result"]["output"].clone();
    assert!(output.as_str().unwrap().len() < 40_000);
    log.frame(Stream::Stdout, &vec![b'x'; LONGEST_LINE + 1]);
    log.frame(Stream::Stdout, b"\n");
    assert!(log.changes()[0][2]["content"].as_str().unwrap().starts_with("A line of more than 16 MiB"));
}

#[test]
fn of_tools_that_never_end_a_bounded_number_is_kept() {
    let mut log = Log::new();
    for number in 0..5000 {
        let block =
            json!({"type": "tool_use", "id": number.to_string(), "name": "Bash", "input": {"command": "x"}});
        log.frame(Stream::Stdout, format!("{}\n", assistant(&block)).as_bytes());
    }
    let all = log.changes();
    assert_eq!(all.len(), 5000);
    assert_eq!(log.finish().len(), 4096);
}
