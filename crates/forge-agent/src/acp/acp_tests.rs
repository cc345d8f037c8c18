//! Turns over the Agent Client Protocol that no recording has: what agents refuse, and what is waited for.

use forge_model::End;
use serde_json::{Value, json};

use crate::driver::{Decision, Driver, Failure, MOST_WORDS, Offer, Offers, Outgoing, Seen};
use crate::manner::{Protocol, Quirks};
use crate::turn::{Approvals, Attachment, Turn};

/// An agent that does as it is told here.
struct Agent {
    driver: Driver,
    seen: Vec<Seen>,
}

impl Agent {
    fn new(turn: &Turn) -> Self {
        Self { driver: Driver::new(turn), seen: Vec::new() }
    }

    /// What is sent next; the log shows it at once.
    fn next(&mut self) -> Value {
        match self.driver.take() {
            Some((_, Outgoing::Write(line))) => {
                self.driver.sent(&line, 0);
                serde_json::from_slice(&line).unwrap()
            }
            other => panic!("{other:?} is no message"),
        }
    }

    fn asked(&mut self, method: &str) -> Value {
        let message = self.next();
        assert_eq!(message["method"], method, "{message}");
        message
    }

    fn says_at(&mut self, at_ms: u64, message: &Value) {
        self.seen.extend(self.driver.received(format!("{message}\n").as_bytes(), at_ms));
    }

    fn says(&mut self, message: &Value) {
        self.says_at(1000, message);
    }

    fn updates(&mut self, update: &Value) {
        self.says(&json!({ "method": "session/update", "params": { "sessionId": "s", "update": update } }));
    }

    fn answers(&mut self, method: &str, result: &Value) {
        let id = self.asked(method)["id"].clone();
        self.says(&json!({ "id": id, "result": result }));
    }

    fn refuses(&mut self, method: &str, code: i64, message: &str) {
        let id = self.asked(method)["id"].clone();
        self.says(&json!({ "id": id, "error": { "code": code, "message": message } }));
    }

    fn initializes(&mut self) {
        let can = json!({ "loadSession": true, "promptCapabilities": { "image": true } });
        self.answers("initialize", &json!({ "protocolVersion": 1, "agentCapabilities": can }));
    }

    /// Up to the prompt.
    fn begins(turn: &Turn) -> Self {
        let mut agent = Self::new(turn);
        agent.initializes();
        agent.answers("session/new", &json!({ "sessionId": "s" }));
        agent
    }

    fn failure(&self) -> Option<Failure> {
        match self.seen.last() {
            Some(Seen::Finished(finish)) => finish.failure.clone(),
            other => panic!("it has not finished: {other:?}"),
        }
    }
}

fn turn() -> Turn {
    Turn { approvals: Approvals::Ask, ..Turn::new(Protocol::Acp, "go") }
}

fn with(quirks: Quirks) -> Turn {
    let mut turn = turn();
    turn.manner.quirks = quirks;
    turn
}

fn ask(id: &Value) -> Value {
    let options =
        json!([{ "optionId": "y", "kind": "allow_once" }, { "optionId": "n", "kind": "reject_once" }]);
    let call =
        json!({ "toolCallId": "c", "title": "rm", "kind": "execute", "rawInput": { "command": "rm x" } });
    json!({ "id": id, "method": "session/request_permission", "params": { "toolCall": call, "options": options } })
}

#[test]
fn an_agent_of_another_version_is_not_spoken_to() {
    let mut agent = Agent::new(&turn());
    agent.answers("initialize", &json!({ "protocolVersion": 2 }));
    assert!(matches!(agent.failure(), Some(Failure::WrongVersion { .. })));
    assert_eq!(agent.driver.take(), None);
}

#[test]
fn a_conversation_that_is_gone_is_named() {
    let mut agent = Agent::new(&Turn { resume: Some("s".into()), ..turn() });
    agent.initializes();
    agent.refuses("session/load", -32602, "Session not found: s");
    assert!(matches!(agent.failure(), Some(Failure::UnknownConversation { .. })));

    let mut cannot = Agent::new(&Turn { resume: Some("s".into()), ..turn() });
    cannot.answers("initialize", &json!({ "protocolVersion": 1, "agentCapabilities": {} }));
    assert!(matches!(cannot.failure(), Some(Failure::UnknownConversation { .. })));
}

#[test]
fn who_wants_a_login_is_named_one_if_it_is_known_and_only_once() {
    let quirks = Quirks { login: Some("api-key".into()), ..Quirks::default() };
    let mut agent = Agent::new(&with(quirks));
    agent.initializes();
    agent.refuses("session/new", -32000, "Authentication required");
    let login = agent.next();
    assert_eq!(login["params"], json!({ "methodId": "api-key" }));
    agent.says(&json!({ "id": login["id"], "result": {} }));
    agent.refuses("session/new", -32000, "Authentication required");
    assert!(matches!(agent.failure(), Some(Failure::NotLoggedIn { .. })));
}

#[test]
fn a_conversation_is_loaded_in_the_next_minute_where_it_must_be() {
    let quirks = Quirks { load_next_minute: true, ..Quirks::default() };
    let mut agent = Agent::new(&Turn { resume: Some("s".into()), ..with(quirks) });
    let id = agent.asked("initialize")["id"].clone();
    let told = json!({ "protocolVersion": 1, "agentCapabilities": { "loadSession": true } });
    agent.says_at(130_000, &json!({ "id": id, "result": told }));
    assert_eq!(agent.driver.take(), None);
    assert_eq!(agent.driver.wake_at(), Some(180_000));
    agent.driver.woke(179_999);
    assert_eq!(agent.driver.take(), None);
    agent.driver.woke(180_000);
    agent.asked("session/load");
}

#[test]
fn who_does_not_answer_before_the_prompt_is_given_up_and_told_of() {
    let fails_at = |mut agent: Agent, method: &str| {
        agent.asked(method);
        // Whoever waits tells what time it is: a server that was away has not waited.
        assert_eq!(agent.driver.wake_at(), Some(0));
        assert_eq!(agent.driver.woke(500_000), []);
        assert_eq!(agent.driver.wake_at(), Some(505_000), "{method}");
        // What it tells meanwhile is a sign of life.
        agent.says_at(501_000, &json!({ "method": "session/update", "params": {} }));
        assert_eq!(agent.driver.wake_at(), Some(506_000), "{method}");
        let seen = agent.driver.woke(506_000);
        let Some(Seen::Finished(finish)) = seen.last() else { panic!("{seen:?}") };
        let Some(Failure::Silent { message }) = &finish.failure else { panic!("{finish:?}") };
        assert!(message.contains(&format!("`{method}` within 5 s")), "{message}");
        assert_eq!(agent.driver.take().map(|(_, outgoing)| outgoing), Some(Outgoing::Close));
    };
    let turn = with(Quirks { opening_ms: Some(5000), ..Quirks::default() });
    let initialized = |turn: &Turn| {
        let mut agent = Agent::new(turn);
        agent.initializes();
        agent
    };
    fails_at(Agent::new(&turn), "initialize");
    fails_at(initialized(&turn), "session/new");
    fails_at(initialized(&Turn { resume: Some("s".into()), ..turn.clone() }), "session/load");
    fails_at(Agent::begins(&Turn { mode: Some("plan".into()), ..turn.clone() }), "session/set_mode");
    let kept = Turn { resume: Some("s".into()), warm: true, model: Some("m".into()), ..turn };
    fails_at(Agent::new(&kept), "session/set_config_option");

    let mut usual = Agent::new(&self::turn());
    usual.asked("initialize");
    usual.driver.woke(1);
    assert_eq!(usual.driver.wake_at(), Some(120_001));
}

#[test]
fn a_question_under_an_id_that_was_used_before_is_another() {
    let mut agent = Agent::begins(&turn());
    agent.asked("session/prompt");
    let question = |agent: &Agent| match agent.seen.last() {
        Some(Seen::Permission(permission)) => permission.id.clone(),
        other => panic!("{other:?} is no question"),
    };
    agent.says(&ask(&json!(7)));
    let first = question(&agent);
    agent.driver.answer(&first, &Decision::Allow { choice: None });
    assert_eq!(agent.next()["id"], 7);
    agent.says(&ask(&json!(7)));
    let second = question(&agent);
    assert_ne!(second, first);
    agent.driver.answer(&first, &Decision::Allow { choice: None });
    assert_eq!(agent.driver.take(), None, "the answer to the one is none to the other");
    agent.driver.answer(&second, &Decision::Deny { choice: None, message: "no".into() });
    let answer = agent.next();
    assert_eq!((&answer["id"], &answer["result"]["outcome"]["optionId"]), (&json!(7), &json!("n")));

    // One that was not answered, neither: it is not asked any more.
    agent.says(&ask(&json!(8)));
    let given_up = question(&agent);
    agent.says(&ask(&json!(8)));
    let withdrawn = Seen::Withdrawn(given_up);
    assert!(agent.seen.contains(&withdrawn) && agent.seen.last() != Some(&withdrawn), "{:?}", agent.seen);
}

#[test]
fn who_tries_for_ever_is_given_up_and_why_is_told() {
    let quirks = Quirks { silence_ms: Some(5000), ..Quirks::default() };
    let mut agent = Agent::begins(&with(quirks));
    agent.asked("session/prompt");
    agent.driver.woke(1000);
    assert_eq!(agent.driver.wake_at(), Some(6000));
    // A tool may take its time.
    agent.updates(&json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "status": "in_progress" }));
    assert_eq!(agent.driver.wake_at(), None);
    agent.updates(&json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed" }));
    let retry = json!({ "method": "_session/retrying", "params": { "detail": "HTTP 500" } });
    agent.says_at(5999, &retry);
    assert_eq!(agent.driver.wake_at(), Some(6000));
    let seen = agent.driver.woke(6000);
    let Some(Seen::Finished(finish)) = seen.last() else { panic!("{seen:?}") };
    assert!(matches!(finish.failure, Some(Failure::Model { status: Some(500), .. })), "{finish:?}");
    assert_eq!(agent.driver.take().map(|(_, outgoing)| outgoing), Some(Outgoing::Close));
}

#[test]
fn who_is_asked_to_stop_gets_no_answers_any_more() {
    let mut agent = Agent::begins(&turn());
    agent.asked("session/prompt");
    agent.says(&ask(&json!("q")));
    agent.driver.interrupt();
    agent.asked("session/cancel");
    assert_eq!(
        agent.next(),
        json!({ "jsonrpc": "2.0", "id": "q", "result": { "outcome": { "outcome": "cancelled" } } })
    );
    // What it still asks is answered the same.
    agent.says(&ask(&json!(7)));
    assert_eq!(agent.next()["result"]["outcome"]["outcome"], "cancelled");
    assert_eq!(agent.driver.wake_at(), None, "how long it may take to stop is for others to say");
}

#[test]
fn a_question_is_answered_once_and_not_after_it_was_withdrawn() {
    let mut agent = Agent::begins(&turn());
    agent.asked("session/prompt");
    agent.says(&ask(&json!(7)));
    let Some(Seen::Permission(permission)) = agent.seen.last() else { panic!("{:?}", agent.seen) };
    assert_eq!((permission.id.as_str(), permission.tool.as_str()), ("7", "rm"));
    assert_eq!(permission.input, json!({ "command": "rm x" }));
    agent.driver.answer("7", &Decision::Deny { choice: None, message: "no".into() });
    let answer = agent.next();
    assert_eq!((&answer["id"], &answer["result"]["outcome"]["optionId"]), (&json!(7), &json!("n")));
    agent.driver.answer("7", &Decision::Allow { choice: None });
    assert_eq!(agent.driver.take(), None);

    agent.says(&ask(&json!(8)));
    agent.says(&json!({ "method": "$/cancel_request", "params": { "requestId": 8 } }));
    assert_eq!(agent.seen.last(), Some(&Seen::Withdrawn("8".into())));
    agent.driver.answer("8", &Decision::Allow { choice: None });
    assert_eq!(agent.driver.take(), None);
}

#[test]
fn what_nobody_offered_is_refused_and_what_cannot_be_set_is_left() {
    let turn = Turn { model: Some("m".into()), mode: Some("x".into()), ..turn() };
    let mut agent = Agent::begins(&turn);
    agent.says(&json!({ "id": "w", "method": "fs/write_text_file", "params": {} }));
    agent.refuses("session/set_config_option", -32601, "what?");
    let refused = agent.next();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("w"), &json!(-32601)));
    agent.refuses("session/set_model", -32601, "what?");
    agent.answers("session/set_mode", &json!({}));
    assert!(agent.driver.refused_model());
    agent.asked("session/prompt");
}

#[test]
fn an_agent_that_refuses_the_mode_is_not_prompted() {
    let mut plans = turn();
    plans.settings.insert("plan".into(), json!(true));
    let named = Turn { mode: Some("plan".into()), ..turn() };
    for turn in [&named, &plans, &Turn { resume: Some("s".into()), warm: true, ..named.clone() }] {
        let mut agent = if turn.warm { Agent::new(turn) } else { Agent::begins(turn) };
        agent.refuses("session/set_mode", -32601, "what?");
        agent.refuses("session/set_config_option", -32602, "no such option");
        let Some(Failure::Agent { message }) = agent.failure() else { panic!("{:?}", agent.seen) };
        assert!(message.contains("mode") && message.contains("no such option"), "{message}");
        assert_eq!(agent.driver.take(), None);
        assert!(!agent.driver.was_prompted());
    }
    // What nobody asked for keeps nobody from the work.
    let mut usual = turn();
    usual.manner.modes.ask = Some("careful".into());
    let mut agent = Agent::begins(&usual);
    agent.refuses("session/set_mode", -32602, "no such mode");
    agent.refuses("session/set_config_option", -32602, "no such option");
    agent.asked("session/prompt");
    assert!(agent.driver.was_prompted());
}

/// What a driver makes of a log that ends with the end of the agent's input at this time.
fn closed_at(turn: &Turn, log: &[(u64, bool, Value)], at_ms: u64) -> (Driver, Vec<Seen>) {
    let mut driver = Driver::new(turn);
    for (at_ms, ours, message) in log {
        let line = format!("{message}\n");
        if *ours {
            driver.sent(line.as_bytes(), *at_ms);
        } else {
            driver.received(line.as_bytes(), *at_ms);
        }
    }
    let seen = driver.closed(at_ms);
    (driver, seen)
}

#[test]
fn a_log_tells_an_agent_that_was_given_up_from_one_that_was_interrupted() {
    let turn = with(Quirks { opening_ms: Some(5000), ..Quirks::default() });
    let asked = |id: u64, method: &str| json!({ "id": id, "method": method, "params": {} });
    let opening = [
        (1000, true, asked(1, "initialize")),
        (3000, false, json!({ "method": "_stranger/news", "params": {} })),
    ];
    let (mut driver, seen) = closed_at(&turn, &opening, 7999);
    assert!(driver.was_interrupted() && seen.is_empty(), "{seen:?}");
    assert_eq!(driver.finish(End::Exited { code: 0 }).failure, Some(Failure::Interrupted));
    let (mut driver, seen) = closed_at(&turn, &opening, 8000);
    assert!(!driver.was_interrupted() && matches!(seen.last(), Some(Seen::Finished(_))), "{seen:?}");
    let failure = driver.finish(End::Exited { code: 0 }).failure;
    assert!(
        matches!(&failure, Some(Failure::Silent { message }) if message.contains("`initialize`")),
        "{failure:?}"
    );
    let (driver, _) = closed_at(&turn, &[], 8000);
    assert!(driver.was_interrupted(), "it was not even asked");

    let mut working = opening.to_vec();
    working.extend([
        (3000, false, json!({ "id": 1, "result": { "protocolVersion": 1 } })),
        (3000, true, asked(2, "session/new")),
        (3000, false, json!({ "id": 2, "result": { "sessionId": "s" } })),
        (3000, true, asked(3, "session/prompt")),
    ]);
    let (mut driver, seen) = closed_at(&turn, &working, 3001);
    assert!(matches!(seen.last(), Some(Seen::Finished(_))), "{seen:?}");
    let failure = driver.finish(End::Stopped).failure;
    assert!(matches!(failure, Some(Failure::Silent { .. })), "{failure:?}");
    working.push((4000, true, json!({ "method": "session/cancel", "params": {} })));
    let (mut driver, _) = closed_at(&turn, &working, 9000);
    assert_eq!(driver.finish(End::Stopped).failure, Some(Failure::Interrupted));
}

#[test]
fn an_answer_that_crosses_the_next_question_under_its_id_does_not_answer_that() {
    let mut agent = Agent::begins(&turn());
    agent.asked("session/prompt");
    agent.says(&ask(&json!(7)));
    agent.driver.answer("7", &Decision::Allow { choice: None });
    let Some((_, Outgoing::Write(first))) = agent.driver.take() else { panic!("it is answered") };
    agent.says(&ask(&json!(7)));
    agent.driver.sent(&first, 1000);
    agent.driver.answer("7#2", &Decision::Deny { choice: None, message: "no".into() });
    assert_eq!(agent.next()["result"]["outcome"]["optionId"], "n");
    // A number and a text that read the same are two.
    agent.says(&ask(&json!("7")));
    agent.says(&ask(&json!(7)));
    assert!(!agent.seen.iter().any(|seen| matches!(seen, Seen::Withdrawn(_))), "{:?}", agent.seen);
    agent.driver.answer("7#3", &Decision::Allow { choice: None });
    assert_eq!(agent.next()["id"], "7");
    agent.driver.answer("7#4", &Decision::Allow { choice: None });
    assert_eq!(agent.next()["id"], 7);

    let mut auto = Agent::begins(&Turn { approvals: Approvals::Auto, ..turn() });
    auto.asked("session/prompt");
    auto.says(&ask(&json!(7)));
    let Some((_, Outgoing::Write(first))) = auto.driver.take() else { panic!("it is answered") };
    auto.says(&ask(&json!(7)));
    auto.driver.sent(&first, 1000);
    assert_eq!(auto.next()["id"], 7, "the second is answered, too");
}

#[test]
fn an_agent_that_was_kept_is_only_told_the_prompt() {
    let image = Attachment { path: "a.png".into(), mime: "image/png".into(), data: Some("AA==".into()) };
    let turn = Turn { resume: Some("s".into()), warm: true, attachments: vec![image], ..turn() };
    let mut agent = Agent::new(&turn);
    // The answer to the turn before, which comes late, is no answer to this one.
    agent.says(&json!({ "id": 1, "result": { "stopReason": "end_turn" } }));
    assert_eq!(agent.seen, []);
    let prompt = agent.asked("session/prompt");
    assert_eq!(prompt["params"]["prompt"][1]["type"], "image");
    agent.updates(
        &json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "Yes." } }),
    );
    agent.updates(&json!({ "sessionUpdate": "current_mode_update", "currentModeId": "plan" }));
    let changed = Offers { mode: Some("plan".into()), ..Offers::default() };
    assert_eq!(agent.seen, [Seen::Offers(changed.clone())], "only what is new");
    let modes = vec![Offer { id: "plan".into(), ..Offer::default() }];
    let before = Offers { modes: modes.clone(), mode: Some("code".into()), ..Offers::default() };
    assert_eq!(changed.after(before), Offers { modes, mode: Some("plan".into()), ..Offers::default() });
    agent.says(&json!({ "id": prompt["id"], "result": { "stopReason": "end_turn" } }));
    assert_eq!(agent.failure(), None);
}

#[test]
fn a_turn_ends_as_the_agent_says() {
    let ends = |reason: &str| {
        let mut agent = Agent::begins(&turn());
        let id = agent.asked("session/prompt")["id"].clone();
        agent.updates(
            &json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "Hm." } }),
        );
        agent.says(&json!({ "id": id, "result": { "stopReason": reason } }));
        agent.failure()
    };
    assert_eq!(ends("end_turn"), None);
    assert_eq!(ends("cancelled"), Some(Failure::Interrupted));
    assert_eq!(ends("refusal"), Some(Failure::Refused { message: "Hm.".into() }));
    assert!(matches!(ends("max_tokens"), Some(Failure::Agent { .. })));
    assert!(matches!(ends("something new"), Some(Failure::Agent { .. })));
}

#[test]
fn a_failure_told_as_an_answer_is_a_failure_and_what_only_begins_so_is_not() {
    let quirks = Quirks { errors_as_text: vec!["Error: ".into()], ..Quirks::default() };
    let ends = |texts: &[&str]| {
        let mut agent = Agent::begins(&with(quirks.clone()));
        let id = agent.asked("session/prompt")["id"].clone();
        for text in texts {
            let content = json!({ "type": "text", "text": text });
            agent.updates(&json!({ "sessionUpdate": "agent_message_chunk", "content": content }));
        }
        agent.says(&json!({ "id": id, "result": { "stopReason": "end_turn" } }));
        let Some(Seen::Finished(finish)) = agent.seen.pop() else { panic!("{:?}", agent.seen) };
        finish
    };
    let failed = ends(&["This reply is ", "Error: HTTP 500"]);
    assert!(matches!(failed.failure, Some(Failure::Model { status: Some(500), .. })), "{failed:?}");
    assert_eq!(failed.message.as_deref(), Some("This reply is"));
    let fine = ends(&["It said: ", "Error: ", "no such file. I made one."]);
    assert_eq!(fine.failure, None);
}

#[test]
fn of_a_text_without_end_only_the_beginning_is_kept() {
    let mut agent = Agent::begins(&turn());
    let prompt = agent.asked("session/prompt")["id"].clone();
    for _ in 0..3 {
        let text = "ä".repeat(MOST_WORDS / 4 + 1) + "b";
        agent.updates(&json!({
            "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text },
        }));
    }
    agent.says(&json!({ "id": prompt, "result": { "stopReason": "end_turn" } }));
    let Some(Seen::Finished(finish)) = agent.seen.last() else { panic!("it has not finished") };
    let said = finish.message.as_deref().unwrap();
    assert!(said.starts_with('ä') && (MOST_WORDS - 1..=MOST_WORDS).contains(&said.len()), "{}", said.len());
    assert_eq!(finish.failure, None);
}

#[test]
fn what_was_said_before_the_last_try_does_not_count() {
    let quirks = Quirks { retries: vec!["Retry".into()], ..Quirks::default() };
    let mut agent = Agent::begins(&with(quirks));
    let id = agent.asked("session/prompt")["id"].clone();
    for text in ["This reply is ", "Retrying (attempt 1/1)", "This reply is ", "Retry finished"] {
        let content = json!({ "type": "text", "text": text });
        agent.updates(&json!({ "sessionUpdate": "agent_message_chunk", "content": content }));
    }
    agent.says(&json!({ "id": id, "result": { "stopReason": "end_turn" } }));
    assert!(matches!(agent.failure(), Some(Failure::Agent { .. })));
}

#[test]
fn a_request_that_an_older_forge_worded_otherwise_is_not_sent_again() {
    let mut agent = Agent::new(&turn());
    agent
        .driver
        .sent(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"old\":true}}\n", 0);
    assert_eq!(agent.driver.take(), None);
    agent.says(&json!({ "id": 1, "result": { "protocolVersion": 1 } }));
    agent.asked("session/new");
}

#[test]
fn an_interrupt_before_the_prompt_closes_the_program_instead() {
    let mut agent = Agent::new(&turn());
    let id = agent.asked("initialize")["id"].clone();
    agent.driver.interrupt();
    agent.driver.interrupt();
    assert_eq!(agent.driver.take().map(|(_, outgoing)| outgoing), Some(Outgoing::Close));
    agent.says(&json!({ "id": id, "result": { "protocolVersion": 1 } }));
    assert_eq!(agent.driver.take(), None);
}
