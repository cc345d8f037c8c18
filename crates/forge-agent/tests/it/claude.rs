//! Claude Code's driver beyond what is recorded: choices, plans, limits, costs, what there is to choose from.

use forge_agent::driver::{ChoiceKind, Decision, Driver, Failure, Finish, Outgoing, Permission, Seen};
use forge_agent::manner::Protocol;
use forge_agent::turn::{Approvals, Attachment, Turn};
use forge_model::Timestamp;
use serde_json::{Value, json};

fn turn() -> Turn {
    Turn { approvals: Approvals::Ask, ..Turn::new(Protocol::Claude, "do it") }
}

/// A driver that has said what it has to say at the beginning.
fn begun(turn: &Turn) -> (Driver, Vec<Value>) {
    let mut driver = Driver::new(turn);
    let mut said = sent(&mut driver);
    hear(&mut driver, &json!({"type": "control_response", "response": {"request_id": "forge-initialize"}}));
    said.extend(sent(&mut driver));
    (driver, said)
}

fn sent(driver: &mut Driver) -> Vec<Value> {
    let mut all = Vec::new();
    while let Some((_, Outgoing::Write(line))) = driver.take() {
        driver.sent(&line, 0);
        all.push(serde_json::from_slice(&line).unwrap());
    }
    all
}

fn hear(driver: &mut Driver, message: &Value) -> Vec<Seen> {
    driver.received(format!("{message}\n").as_bytes(), 0)
}

fn asks(tool: &str, suggestions: &Value) -> Value {
    json!({"type": "control_request", "request_id": "r", "request": {"subtype": "can_use_tool", "tool_name": tool,
        "input": {"n": 1.5}, "description": "npm test", "permission_suggestions": suggestions}})
}

fn permission(driver: &mut Driver, message: &Value) -> Permission {
    match hear(driver, message).remove(0) {
        Seen::Permission(permission) => permission,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_answer_for_the_session_is_remembered_by_the_program_and_nowhere_else() {
    let (mut driver, _) = begun(&turn());
    let rule = json!({"type": "addRules", "behavior": "allow", "destination": "localSettings",
        "rules": [{"toolName": "Bash", "ruleContent": "npm test:*"}]});
    let asked = permission(&mut driver, &asks("Bash", &json!([rule])));
    assert_eq!(asked.title, "npm test");
    let names: Vec<_> = asked.choices.iter().map(|choice| (choice.name.as_str(), choice.kind)).collect();
    let expected = [
        ("Allow once", ChoiceKind::AllowOnce),
        ("Allow `Bash(npm test:*)` in this session", ChoiceKind::AllowAlways),
        ("Reject", ChoiceKind::RejectOnce),
    ];
    assert_eq!(names, expected);
    driver.answer("r", &Decision::Allow { choice: Some(asked.choices[1].id.clone()) });
    let answer = sent(&mut driver).remove(0)["response"]["response"].clone();
    assert_eq!(answer["updatedInput"], json!({"n": 1.5}));
    assert_eq!(answer["updatedPermissions"][0]["destination"], "session");
    assert_eq!(answer["updatedPermissions"][0]["rules"], rule["rules"]);

    // Where the program suggests nothing, there is nothing to remember.
    let asked = permission(&mut driver, &asks("Bash", &json!([])));
    assert_eq!(asked.choices.len(), 2);
    driver.answer("r", &Decision::Allow { choice: None });
    assert_eq!(sent(&mut driver)[0]["response"]["response"].get("updatedPermissions"), None);
}

#[test]
fn a_plan_is_begun_with_or_without_asking_about_edits() {
    let (mut driver, _) = begun(&turn());
    let asked = permission(&mut driver, &asks("ExitPlanMode", &Value::Null));
    assert_eq!(asked.choices.len(), 3);
    driver.answer("r", &Decision::Allow { choice: Some(asked.choices[1].id.clone()) });
    let edits = json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]);
    assert_eq!(sent(&mut driver)[0]["response"]["response"]["updatedPermissions"], edits);

    let (mut driver, _) = begun(&Turn { approvals: Approvals::Auto, ..turn() });
    assert_eq!(hear(&mut driver, &asks("ExitPlanMode", &Value::Null)), []);
    assert_eq!(sent(&mut driver)[0]["response"]["response"]["updatedPermissions"], edits);
}

#[test]
fn a_limit_says_until_when() {
    let resets_at = Some(Timestamp::from_millis(1_794_812_484_000));
    let (mut driver, _) = begun(&turn());
    let fine = json!({"type": "rate_limit_event", "rate_limit_info": {"status": "allowed", "resetsAt": 1}});
    assert_eq!(hear(&mut driver, &fine), []);
    let full = json!({"type": "rate_limit_event",
        "rate_limit_info": {"status": "rejected", "resetsAt": 1_794_812_484, "rateLimitType": "five_hour"}});
    hear(&mut driver, &full);
    let result = json!({"type": "result", "is_error": true, "result": "You've hit your limit"});
    let seen = hear(&mut driver, &result);
    let [Seen::Finished(finish)] = seen.as_slice() else { panic!("{seen:?}") };
    let message = "You've hit your limit".to_owned();
    assert_eq!(finish.failure, Some(Failure::RateLimited { message, resets_at }));
}

#[test]
fn a_resumed_conversation_costs_what_its_new_turn_does() {
    let result = |read: u64, all: u64, dollars: f64| {
        json!({"type": "result", "is_error": false, "result": "ok", "total_cost_usd": dollars,
            "usage": {"input_tokens": read, "output_tokens": 16},
            "modelUsage": {"m": {"inputTokens": all, "outputTokens": if read == all { 16 } else { 27 }}}})
    };
    let cost = |turn: &Turn, message: &Value| {
        let (mut driver, _) = begun(turn);
        match hear(&mut driver, message).remove(0) {
            Seen::Finished(finish) => finish.usage.cost_micros,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(cost(&turn(), &result(12135, 12135, 0.04886)), Some(48_860));
    // As recorded: the turn before cost 0.0323.
    let resumed = Turn { resume: Some("c".into()), ..turn() };
    assert_eq!(cost(&resumed, &result(12135, 20155, 0.08116)), Some(48_860));
}

#[test]
fn what_there_is_to_choose_from_is_told() {
    let mut driver = Driver::new(&turn());
    sent(&mut driver);
    let answer = json!({"commands": [{"name": "review", "description": "Looks at it."}],
        "models": [{"value": "opus", "displayName": "Opus", "description": "Best."}]});
    let answered = json!({"type": "control_response",
        "response": {"request_id": "forge-initialize", "response": answer}});
    assert!(matches!(hear(&mut driver, &answered).as_slice(), [Seen::Offers(_)]));
    let init = json!({"type": "system", "subtype": "init", "session_id": "c", "model": "claude-opus-5-5",
        "permissionMode": "plan"});
    let seen = hear(&mut driver, &init);
    let Seen::Offers(offers) = &seen[1] else { panic!("{seen:?}") };
    assert_eq!((offers.commands[0].id.as_str(), offers.models[0].name.as_str()), ("review", "Opus"));
    assert_eq!((offers.model.as_deref(), offers.mode.as_deref()), (Some("claude-opus-5-5"), Some("plan")));
    assert!(offers.modes.iter().any(|mode| mode.id == "plan"));
    assert_eq!(hear(&mut driver, &init), [], "the same is not told again");
}

#[test]
fn images_go_with_the_prompt_and_a_kept_program_is_told_its_new_model_and_mode() {
    let image = Attachment {
        path: ".forge-images/a.png".into(),
        mime: "image/png".into(),
        data: Some("AAAA".into()),
    };
    let mention = Attachment { path: "src/lib.rs".into(), mime: "text/plain".into(), data: None };
    let warm = Turn {
        attachments: vec![image, mention],
        warm: true,
        resume: Some("c".into()),
        model: Some("opus".into()),
        mode: Some("plan".into()),
        ..turn()
    };
    let mut driver = Driver::new(&warm);
    let said = sent(&mut driver);
    assert_eq!(said.len(), 2, "the prompt is for one that works so: {said:?}");
    assert_eq!(said[0]["request"], json!({"subtype": "set_model", "model": "opus"}));
    assert_eq!(said[1]["request"], json!({"subtype": "set_permission_mode", "mode": "plan"}));
    // In any order: the program takes longer for some.
    let done = |id: &Value| json!({"type": "control_response", "response": {"subtype": "success", "request_id": id}});
    assert_eq!(hear(&mut driver, &done(&said[1]["request_id"])), []);
    assert_eq!(sent(&mut driver), Vec::<Value>::new());
    assert_eq!(hear(&mut driver, &done(&said[0]["request_id"])), []);
    let said = sent(&mut driver);
    let source = json!({"type": "base64", "media_type": "image/png", "data": "AAAA"});
    let expected = json!([{"type": "text", "text": "do it"}, {"type": "image", "source": source}]);
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0]["message"]["content"], expected);
}

#[test]
fn a_kept_program_that_refuses_a_mode_is_not_prompted() {
    let warm = Turn { warm: true, resume: Some("c".into()), mode: Some("odd".into()), ..turn() };
    let mut driver = Driver::new(&warm);
    let said = sent(&mut driver);
    let refused = json!({"type": "control_response", "response": {
        "subtype": "error", "request_id": said[0]["request_id"], "error": "must be one of plan"}});
    let seen = hear(&mut driver, &refused);
    let Some(Seen::Finished(finish)) = seen.last() else { panic!("{seen:?}") };
    assert_eq!(finish.failure, Some(Failure::Agent { message: "must be one of plan".into() }));
    assert_eq!(sent(&mut driver), Vec::<Value>::new());
    assert!(!driver.was_prompted(), "another can be started for it");
}

#[test]
fn a_program_that_answers_nothing_is_given_up() {
    let warm = Turn { warm: true, resume: Some("c".into()), mode: Some("plan".into()), ..turn() };
    for (turn, method) in [(turn(), "initialize"), (warm, "set_permission_mode")] {
        let mut driver = Driver::new(&turn);
        sent(&mut driver);
        assert_eq!((driver.wake_at(), driver.woke(1000)), (Some(0), vec![]));
        assert_eq!((driver.wake_at(), driver.woke(120_999)), (Some(121_000), vec![]));
        let seen = driver.woke(121_000);
        let Some(Seen::Finished(Finish { failure: Some(Failure::Silent { message }), .. })) = seen.last()
        else {
            panic!("{seen:?}")
        };
        assert!(message.contains(&format!("`{method}` within 120 s")), "{message}");
        assert_eq!(driver.take().map(|(_, outgoing)| outgoing), Some(Outgoing::Close));
    }
    // How long it works is not for the protocol to say.
    let (driver, _) = begun(&turn());
    assert_eq!(driver.wake_at(), None);
}

#[test]
fn prompt_worded_otherwise_in_log_is_not_repeated() {
    let older = [
        json!({"type": "control_request", "request_id": "forge-initialize", "request": {"subtype": "initialize", "hooks": {}}}),
        json!({"type": "user", "message": {"role": "user", "content": "do it "}}),
    ];
    let mut driver = Driver::new(&turn());
    driver.sent(format!("{}\n", older[0]).as_bytes(), 0);
    hear(&mut driver, &json!({"type": "control_response", "response": {"request_id": "forge-initialize"}}));
    driver.sent(format!("{}\n", older[1]).as_bytes(), 0);
    assert_eq!(sent(&mut driver), [] as [Value; 0], "both were said by an older version");
    assert!(driver.was_prompted());
}
