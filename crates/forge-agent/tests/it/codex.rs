//! Codex' driver and transcript: every recorded conversation, and what is not recorded.

use forge_agent::driver::{Choice, ChoiceKind, Decision, Driver, Failure, Finish, Outgoing, Seen};
use forge_agent::log::{Frame, Stream};
use forge_agent::manner::Protocol;
use forge_agent::transcript::Transcript;
use forge_agent::turn::{Approvals, Attachment, Turn, WorksWith};
use forge_model::{ProcessId, Timestamp};
use serde_json::{Value, json};

use crate::recorded;

#[test]
fn every_recorded_conversation_is_led_as_the_recorder_led_it() {
    for name in recorded::names("codex", "server-") {
        // The recorder steered a running turn, which Forge does not.
        if name == "server-steer" {
            continue;
        }
        for run in recorded::runs("codex", &name) {
            let mut led = run.lead();
            let finish = led.driver.finish(run.end);
            assert!(led.seen.contains(&Seen::Finished(finish.clone())), "{name}: {:?}", led.seen);
            let expected = match name.as_str() {
                "server-error-401" => matches!(finish.failure, Some(Failure::NotLoggedIn { .. })),
                "server-error-500" => {
                    matches!(finish.failure, Some(Failure::Model { status: Some(500), .. }))
                }
                name if name.starts_with("server-interrupt") && !run.turn.warm => {
                    finish.failure == Some(Failure::Interrupted)
                }
                _ => finish.failure.is_none() && finish.usage.output_tokens > 0,
            };
            assert!(expected, "{name}: {finish:?}");
        }
    }
}

fn turn() -> Turn {
    Turn { approvals: Approvals::Ask, ..Turn::new(Protocol::Codex, "do it") }
}

#[test]
fn a_request_that_an_older_forge_worded_otherwise_is_not_sent_again() {
    let mut talk = Talk::new(&turn());
    let client = json!({"name": "forge", "title": "Forge", "version": "0.0.0"});
    let older = json!({"id": "forge-initialize", "method": "initialize", "params": {"clientInfo": client}});
    talk.driver.sent(format!("{older}\n").as_bytes(), 0);
    assert_eq!(talk.driver.take(), None);
    talk.hear(&json!({"id": "forge-initialize", "result": {}}));
    let sent = talk.sent();
    let methods: Vec<_> = sent.iter().map(|message| message["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["initialized", "thread/start"]);
    let twice = json!({"code": -32600, "message": "Already initialized"});
    assert_eq!(talk.hear(&json!({"id": "forge-initialize", "error": twice})), []);
    let seen = talk.hear(&json!({"id": "forge-thread", "error": {"code": -32600, "message": "no"}}));
    assert!(matches!(seen.as_slice(), [Seen::Finished(Finish { failure: Some(_), .. })]), "{seen:?}");
}

/// A conversation: what the driver says and sees, and the transcript of it.
struct Talk {
    driver: Driver,
    transcript: Transcript,
    seq: u64,
    entries: Vec<Value>,
}

impl Talk {
    fn new(turn: &Turn) -> Self {
        let transcript = Transcript::new(turn, ProcessId::from_uuid(uuid::Uuid::nil()));
        Self { driver: Driver::new(turn), transcript, seq: 0, entries: Vec::new() }
    }

    /// One whose turn has begun.
    fn begun(turn: &Turn) -> Self {
        let mut talk = Self::new(turn);
        talk.sent();
        talk.hear(&json!({"id": "forge-initialize", "result": {}}));
        talk.sent();
        talk.hear(
            &json!({"id": "forge-thread", "result": {"thread": {"id": "t"}, "model": "m", "cwd": "/repo"}}),
        );
        talk.sent();
        talk.hear(&json!({"id": "forge-turn", "result": {"turn": {"id": "u"}}}));
        talk
    }

    fn frame(&mut self, stream: Stream, bytes: Vec<u8>) {
        self.seq += 1;
        self.transcript.push(&Frame { seq: self.seq, at_ms: 5, stream, bytes });
        for change in self.transcript.take() {
            let at = usize::try_from(change.index).unwrap();
            if change.is_new {
                self.entries.push(json!(change.entry));
            } else {
                self.entries[at] = json!(change.entry);
            }
        }
    }

    fn sent(&mut self) -> Vec<Value> {
        let mut all = Vec::new();
        while let Some((_, Outgoing::Write(line))) = self.driver.take() {
            self.driver.sent(&line, 0);
            all.push(serde_json::from_slice(&line).unwrap());
            self.frame(Stream::Stdin, line);
        }
        all
    }

    fn hear(&mut self, message: &Value) -> Vec<Seen> {
        let line = format!("{message}\n").into_bytes();
        let seen = self.driver.received(&line, 5);
        self.frame(Stream::Stdout, line);
        seen
    }

    fn notify(&mut self, method: &str, mut params: Value) -> Vec<Seen> {
        if params.get("threadId").is_none() {
            params["threadId"] = json!("t");
        }
        self.hear(&json!({"method": method, "params": params}))
    }

    fn item(&mut self, method: &str, item: &Value) -> Value {
        self.notify(method, json!({"item": item, "turnId": "u"}));
        self.entries.last().cloned().unwrap_or_default()
    }

    fn over(&mut self, turn: &Value) -> Finish {
        let seen = self.notify("turn/completed", json!({"turn": turn}));
        match seen.as_slice() {
            [Seen::Finished(finish)] => finish.clone(),
            other => panic!("{other:?}"),
        }
    }
}

fn opened(turn: &Turn) -> Value {
    let mut talk = Talk::new(turn);
    talk.sent();
    talk.hear(&json!({"id": "forge-initialize", "result": {}}));
    talk.sent().remove(1)
}

#[test]
fn settings_say_what_may_be_done_and_when_it_asks() {
    let with = |approvals, settings: Value| {
        let settings = settings.as_object().unwrap().clone();
        let params = opened(&Turn { approvals, settings, ..turn() })["params"].clone();
        format!("{} {}", params["sandbox"].as_str().unwrap(), params["approvalPolicy"].as_str().unwrap())
    };
    assert_eq!(with(Approvals::Ask, json!({})), "workspace-write untrusted");
    assert_eq!(with(Approvals::Auto, json!({})), "danger-full-access never");
    assert_eq!(with(Approvals::Ask, json!({"sandbox": "auto"})), "workspace-write untrusted");
    let asks = json!({"sandbox": "read-only", "ask_for_approval": "on-failure"});
    assert_eq!(with(Approvals::Ask, asks), "read-only on-request");
    let trusts = json!({"ask_for_approval": "unless-trusted"});
    assert_eq!(with(Approvals::Ask, trusts), "workspace-write untrusted");

    let settings = json!({"model": "a", "model_reasoning_effort": "high", "base_instructions": "be brief"});
    let settings = settings.as_object().unwrap().clone();
    let mode = Some("read-only".to_owned());
    let params = opened(&Turn { settings, model: Some("b".into()), mode, ..turn() })["params"].clone();
    assert_eq!((&params["model"], &params["sandbox"]), (&json!("b"), &json!("read-only")));
    assert_eq!(params["config"]["model_reasoning_effort"], "high");
    assert_eq!(params["baseInstructions"], "be brief");
}

#[test]
fn worktree_is_untrusted_unless_repository_settings_is_set() {
    let level = |settings: Value, resume: Option<&str>| {
        let settings = settings.as_object().unwrap().clone();
        let cwd = "/data/work trees/a.b".to_owned();
        let turn = Turn { settings, cwd: cwd.clone(), resume: resume.map(Into::into), ..turn() };
        opened(&turn)["params"]["config"]["projects"][&cwd]["trust_level"].clone()
    };
    for resume in [None, Some("t")] {
        assert_eq!(level(json!({}), resume), "untrusted");
        assert_eq!(level(json!({"repository_settings": false}), resume), "untrusted");
        assert_eq!(level(json!({"repository_settings": true}), resume), "trusted");
    }
}

#[test]
fn a_mode_that_is_none_is_refused_and_lifts_no_sandbox() {
    let typo = Turn { mode: Some("read_only".into()), ..turn() };
    let mut talk = Talk::new(&typo);
    talk.sent();
    let seen = talk.hear(&json!({"id": "forge-initialize", "result": {}}));
    let [Seen::Finished(Finish { failure: Some(Failure::Agent { message }), .. })] = seen.as_slice() else {
        panic!("{seen:?}")
    };
    assert!(message.contains("`read_only`") && message.contains("read-only"), "{message}");
    assert_eq!(talk.sent(), Vec::<Value>::new());
    // An open thread is not told of it, whatever the variant's sandbox is.
    assert!(!typo.can_be_told(&WorksWith::default()));
    for sandbox in ["read-only", "auto"] {
        let settings = json!({"sandbox": sandbox}).as_object().unwrap().clone();
        let resume = Some("t".to_owned());
        let mut talk = Talk::new(&Turn { warm: true, resume, settings, ..typo.clone() });
        assert_eq!(talk.sent()[0]["params"].get("sandboxPolicy"), None, "{sandbox}");
    }
}

#[test]
fn a_program_that_answers_nothing_is_given_up() {
    let fork = Turn { resume: Some("t".into()), ..turn() };
    for (turn, method) in [(turn(), "initialize"), (turn(), "thread/start"), (fork, "thread/fork")] {
        let mut talk = Talk::new(&turn);
        talk.sent();
        if method != "initialize" {
            talk.hear(&json!({"id": "forge-initialize", "result": {}}));
            talk.sent();
        }
        assert_eq!((talk.driver.wake_at(), talk.driver.woke(1000)), (Some(0), vec![]));
        let seen = talk.driver.woke(121_000);
        let [Seen::Finished(Finish { failure: Some(Failure::Silent { message }), .. })] = seen.as_slice()
        else {
            panic!("{seen:?}")
        };
        assert!(message.contains(&format!("`{method}` within 120 s")), "{message}");
        assert_eq!(talk.driver.take().map(|(_, outgoing)| outgoing), Some(Outgoing::Close));
    }
}

#[test]
fn a_follow_up_forks_the_thread_and_files_go_with_a_prompt() {
    let image = Attachment { path: "a.png".into(), mime: "image/png".into(), data: Some("AAAA".into()) };
    let mention = Attachment { path: "b.rs".into(), mime: "text/plain".into(), data: None };
    let turn = Turn { resume: Some("old".into()), attachments: vec![image, mention], ..turn() };
    let fork = opened(&turn);
    assert_eq!((&fork["method"], &fork["params"]["threadId"]), (&json!("thread/fork"), &json!("old")));

    let warm = Turn { warm: true, mode: Some("read-only".into()), model: Some("m".into()), ..turn };
    let mut talk = Talk::new(&warm);
    let said = talk.sent();
    assert_eq!(said.len(), 1, "{said:?}");
    let params = &said[0]["params"];
    assert_eq!((&params["threadId"], &params["model"]), (&json!("old"), &json!("m")));
    assert_eq!(params["sandboxPolicy"], json!({"type": "readOnly"}));
    assert_eq!(params["input"][1], json!({"type": "localImage", "path": "/repo/a.png"}));
    assert_eq!(params["input"][2], json!({"type": "mention", "name": "b.rs", "path": "/repo/b.rs"}));
    // What the turn before left to be said is no part of this one.
    let late = json!({"method": "turn/completed", "params": {"threadId": "old", "turn": {"id": "before", "status": "completed"}}});
    assert_eq!(talk.hear(&late), []);
    assert_eq!(talk.driver.take(), None);
}

#[test]
fn after_many_changes_the_last_is_still_known_whatever_it_is_called() {
    let mut talk = Talk::begun(&turn());
    // Names that fall: the last comes first by name.
    for name in (0..300).rev().map(|number| format!("{number:03}")) {
        let change = json!({"path": format!("/repo/{name}.txt"), "kind": {"type": "add"}, "diff": "a\n"});
        talk.item("item/started", &json!({"type": "fileChange", "id": name, "changes": [change]}));
    }
    let params = json!({"threadId": "t", "itemId": "000"});
    let seen = talk.hear(&json!({"id": 7, "method": "item/fileChange/requestApproval", "params": params}));
    let [Seen::Permission(asked)] = seen.as_slice() else { panic!("{seen:?}") };
    assert_eq!(asked.title, "000.txt");
}

#[test]
fn a_question_is_answered_by_the_choice_and_a_refusal_says_why() {
    let mut talk = Talk::begun(&turn());
    let change = json!({"path": "/repo/a.txt", "kind": {"type": "update", "move_path": null}, "diff": "@@ -1 +1 @@\n-a\n+b\n"});
    let item = json!({"type": "fileChange", "id": "i", "changes": [change], "status": "inProgress"});
    let edit = talk.item("item/started", &item);
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(edit["entry_type"]["action_type"]["changes"][0]["unified_diff"], diff);
    let ask = json!({"id": 7, "method": "item/fileChange/requestApproval", "params": {"threadId": "t", "itemId": "i"}});
    let seen = talk.hear(&ask);
    let [Seen::Permission(asked)] = seen.as_slice() else { panic!("{seen:?}") };
    assert_eq!((asked.id.as_str(), asked.tool.as_str(), asked.title.as_str()), ("7", "edit", "a.txt"));
    assert_eq!(asked.call.as_deref(), Some("i"));
    assert_eq!(talk.entries.last().unwrap()["entry_type"]["status"]["status"], "pending_approval");
    talk.driver.answer("7", &Decision::Deny { choice: None, message: "not that file".into() });
    assert_eq!(talk.sent(), [json!({"id": 7, "result": {"decision": "decline", "reason": "not that file"}})]);
    let status = json!({"status": "denied", "reason": "not that file"});
    let at = talk.entries.len() - 2;
    assert_eq!(talk.entries[at]["entry_type"]["status"], status);
    assert_eq!(talk.entries[at + 1]["entry_type"]["type"], "user_feedback");
    let mut declined = item;
    declined["status"] = json!("declined");
    talk.item("item/completed", &declined);
    assert_eq!(talk.entries[at]["entry_type"]["status"], status, "what a person said stays");

    let decisions = json!(["accept", {"acceptWithExecpolicyAmendment": {"execpolicy_amendment": ["npm", "test"]}}, "cancel"]);
    let ask = json!({"id": 8, "method": "item/commandExecution/requestApproval",
        "params": {"threadId": "t", "itemId": "c", "command": "/bin/bash -lc 'npm test'", "availableDecisions": decisions}});
    let seen = talk.hear(&ask);
    let [Seen::Permission(asked)] = seen.as_slice() else { panic!("{seen:?}") };
    let Choice { id, name, kind } = &asked.choices[2];
    assert_eq!(
        (name.as_str(), *kind),
        ("Always allow commands that begin with `npm test`", ChoiceKind::AllowAlways)
    );
    talk.driver.answer("8", &Decision::Allow { choice: Some(id.clone()) });
    let answer = talk.sent().remove(0);
    assert_eq!(answer["result"]["decision"], decisions[1]);
}

#[test]
fn what_nobody_waits_for_any_more_is_withdrawn_and_the_unknown_is_refused() {
    let mut talk = Talk::begun(&turn());
    let ask = json!({"id": "q", "method": "item/permissions/requestApproval",
        "params": {"threadId": "t", "itemId": "p", "permissions": {"network": {"enabled": true}}, "reason": "to fetch"}});
    talk.hear(&ask);
    assert_eq!(talk.entries.last().unwrap()["content"], "to fetch");
    let resolved = talk.notify("serverRequest/resolved", json!({"requestId": "q"}));
    assert_eq!(resolved, [Seen::Withdrawn("q".into())]);
    talk.driver.answer("q", &Decision::Allow { choice: None });
    assert_eq!(talk.sent(), Vec::<Value>::new());

    talk.hear(&json!({"id": 9, "method": "item/tool/requestUserInput", "params": {"threadId": "t"}}));
    assert_eq!(talk.sent()[0]["error"]["code"], -32601);
    assert!(talk.entries.last().unwrap()["content"].as_str().unwrap().starts_with("Unrecognized"));

    // Where everything is allowed, nobody is asked.
    let mut talk = Talk::begun(&Turn { approvals: Approvals::Auto, ..turn() });
    assert_eq!(talk.hear(&ask), []);
    let granted = json!({"permissions": {"network": {"enabled": true}}, "scope": "turn"});
    assert_eq!(talk.sent().last().unwrap()["result"], granted);
}

#[test]
fn an_interrupt_waits_for_the_turn_to_have_a_name() {
    let mut talk = Talk::new(&Turn { warm: true, resume: Some("t".into()), ..turn() });
    talk.sent();
    talk.driver.interrupt();
    assert_eq!(talk.sent(), Vec::<Value>::new());
    talk.hear(&json!({"id": "forge-turn", "result": {"turn": {"id": "u"}}}));
    let interrupt = talk.sent().remove(0);
    assert_eq!(interrupt["params"], json!({"threadId": "t", "turnId": "u"}));
    talk.driver.interrupt();
    talk.notify("turn/started", json!({"turn": {"id": "u"}}));
    assert_eq!(talk.sent(), Vec::<Value>::new(), "once is enough");
    // Of an answer that was broken off nothing is known; what is told is of the turn before.
    let told = json!({"inputTokens": 100, "outputTokens": 7});
    talk.notify(
        "thread/tokenUsage/updated",
        json!({"turnId": "u", "tokenUsage": {"total": told, "last": told}}),
    );
    let finish = talk.over(&json!({"id": "u", "status": "interrupted"}));
    assert_eq!(finish.failure, Some(Failure::Interrupted));
    assert!(finish.usage.is_empty(), "{finish:?}");
}

#[test]
fn failures_have_their_cause() {
    let fail = |info: Value| {
        let mut talk = Talk::begun(&turn());
        let limits = json!({"primary": {"usedPercent": 100, "resetsAt": 1_794_812_484}, "secondary": {"usedPercent": 3, "resetsAt": 1}});
        talk.hear(&json!({"method": "account/rateLimits/updated", "params": {"rateLimits": limits}}));
        let error = json!({"message": "no", "codexErrorInfo": info});
        talk.over(&json!({"id": "u", "status": "failed", "error": error})).failure.unwrap()
    };
    let message = || "no".to_owned();
    assert_eq!(fail(json!("unauthorized")), Failure::NotLoggedIn { message: message() });
    let resets_at = Some(Timestamp::from_millis(1_794_812_484_000));
    assert_eq!(fail(json!("usageLimitExceeded")), Failure::RateLimited { message: message(), resets_at });
    assert_eq!(fail(json!("cyberPolicy")), Failure::Refused { message: message() });
    let dropped = json!({"responseStreamDisconnected": {"httpStatusCode": null}});
    assert_eq!(fail(dropped), Failure::Model { status: None, message: message() });
    let busy = json!({"httpConnectionFailed": {"httpStatusCode": 503}});
    assert_eq!(fail(busy), Failure::Model { status: Some(503), message: message() });
    assert_eq!(fail(json!("somethingNew")), Failure::Agent { message: message() });

    let refuse = |turn: &Turn, message: &str| {
        let mut talk = Talk::new(turn);
        talk.sent();
        talk.hear(&json!({"id": "forge-initialize", "result": {}}));
        talk.sent();
        let error = json!({"code": -32600, "message": message});
        match talk.hear(&json!({"id": "forge-thread", "error": error})).remove(0) {
            Seen::Finished(finish) => finish.failure.unwrap(),
            other => panic!("{other:?}"),
        }
    };
    let old = refuse(&turn(), "Invalid request: unknown variant `thread/start`");
    assert!(matches!(old, Failure::WrongVersion { .. }), "{old:?}");
    let gone = refuse(&Turn { resume: Some("x".into()), ..turn() }, "no rollout found for thread id x");
    assert!(matches!(gone, Failure::UnknownConversation { .. }), "{gone:?}");
}

#[test]
fn items_read_as_what_they_are() {
    let mut talk = Talk::begun(&turn());
    let shown = |entry: &Value| {
        let kind = &entry["entry_type"];
        format!(
            "{} {} {}",
            kind["tool_name"].as_str().unwrap_or("-"),
            kind["action_type"]["action"].as_str().unwrap_or_else(|| kind["type"].as_str().unwrap()),
            entry["content"].as_str().unwrap()
        )
    };
    let mut whole = |item: Value| shown(&talk.item("item/completed", &item));
    let thought = json!({"type": "reasoning", "id": "1", "summary": ["first", "second"], "content": []});
    assert_eq!(whole(thought), "- thinking first\n\nsecond");
    let served = json!({"type": "mcpToolCall", "id": "2", "server": "db", "tool": "query", "arguments": {"n": 1}, "status": "completed",
        "result": {"content": [{"type": "text", "text": "[1]"}]}});
    assert_eq!(whole(served), "mcp:db:query tool mcp:db:query");
    assert_eq!(
        whole(json!({"type": "webSearch", "id": "3", "query": "rust"})),
        "web_search web_fetch `rust`"
    );
    assert_eq!(
        whole(json!({"type": "imageView", "id": "4", "path": "/repo/a.png"})),
        "view_image file_read `a.png`"
    );
    let spawned = json!({"type": "collabAgentToolCall", "id": "5", "tool": "spawnAgent", "prompt": "look", "receiverThreadIds": ["child"], "status": "completed"});
    assert_eq!(whole(spawned), "spawnAgent task_create Task: `look`");
    assert_eq!(whole(json!({"type": "plan", "id": "6", "text": "1. do"})), "plan plan_presentation 1. do");
    assert!(whole(json!({"type": "hologram", "id": "7"})).starts_with("- system_message Unrecognized item"));

    let said = json!({"threadId": "child", "turnId": "v", "item": {"type": "agentMessage", "id": "8", "text": "found"}});
    assert_eq!(
        talk.notify("item/completed", said),
        [],
        "an agent that was called in does not speak for this one"
    );
    assert_eq!(talk.entries.last().unwrap()["metadata"]["parent_tool_use_id"], "5");

    let plan = json!({"turnId": "u", "plan": [{"step": "a", "status": "inProgress"}]});
    talk.notify("turn/plan/updated", plan);
    let todos = &talk.entries.last().unwrap()["entry_type"]["action_type"];
    assert_eq!(todos["todos"][0]["status"], "in_progress");

    let command = |status: &str| json!({"type": "commandExecution", "id": "9", "command": "bash -lc 'ls'", "status": status});
    talk.item("item/started", &command("inProgress"));
    talk.notify("item/commandExecution/outputDelta", json!({"itemId": "9", "delta": "a\n"}));
    let live = talk.entries.last().unwrap()["entry_type"].clone();
    assert_eq!(
        (&live["action_type"]["result"]["output"], &live["status"]["status"]),
        (&json!("a\n"), &json!("created"))
    );
    let done = talk.item("item/completed", &command("completed"));
    assert_eq!(done["entry_type"]["action_type"]["result"]["output"], "a\n", "what was printed stays");

    talk.notify("thread/levitated", json!({"n": 1}));
    assert!(
        talk.entries.last().unwrap()["content"].as_str().unwrap().starts_with("Unrecognized JSON message")
    );
}
