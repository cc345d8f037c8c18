//! Claude Code's stream-json, from the first message to the exit.

use serde_json::{Value, json};

use crate::agent::Agent;

#[test]
fn a_turn_runs_from_initialize_to_result_and_closing_ends_the_agent() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::start(folder.path(), &[]);
    agent.send(
        &json!({ "type": "control_request", "request_id": "one", "request": { "subtype": "initialize" } }),
    );
    let first: Value = serde_json::from_slice(&agent.line().unwrap()).unwrap();
    assert_eq!(first["response"]["request_id"], "one");

    agent.prompt("Write a greeting.\n@say on it\n@edit notes/hello.txt Hello\\nthere\n@say done");
    let init: Value = serde_json::from_slice(&agent.line().unwrap()).unwrap();
    assert_eq!((&init["type"], &init["subtype"]), (&json!("system"), &json!("init")));
    let tool = agent.until(|message| {
        let block = &message["message"]["content"][0];
        (block["type"] == "tool_use").then(|| block.clone())
    });
    assert_eq!((&tool["name"], &tool["input"]["file_path"]), (&json!("Write"), &json!("notes/hello.txt")));
    let result = agent.until_result();
    assert_eq!((&result["is_error"], &result["result"]), (&json!(false), &json!("done")));
    assert_eq!(result["session_id"], init["session_id"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("notes/hello.txt")).unwrap(), "Hello\nthere\n");
    assert!(agent.close().success());
}

#[test]
fn a_resumed_conversation_recalls_the_earlier_prompts() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::start(folder.path(), &[]);
    agent.prompt("first\n@recall");
    agent.until_said("I remember nothing.");
    let id = agent.until_result()["session_id"].as_str().unwrap().to_owned();
    agent.close();

    let mut agent = Agent::start(folder.path(), &["--resume", &id]);
    agent.prompt("second\n@recall");
    let result = agent.until_result();
    assert_eq!(
        (&result["result"], &result["session_id"]),
        (&json!("I remember: first\n@recall"), &json!(id))
    );

    let mut forked = Agent::start(folder.path(), &["--resume", &id, "--fork-session"]);
    forked.prompt("third");
    assert_ne!(forked.until_result()["session_id"], json!(id));
}

#[test]
fn an_unknown_conversation_is_an_error_result_and_exit_code_1() {
    let folder = tempfile::tempdir().unwrap();
    for id in ["7d9f5bd5-96ab-4b6c-8f6e-3c7a3b7e4a11", "../escape"] {
        let mut agent = Agent::start(folder.path(), &["--resume", id]);
        let result = agent.until_result();
        assert_eq!((&result["subtype"], &result["num_turns"]), (&json!("error_during_execution"), &json!(0)));
        assert_eq!(agent.close().code(), Some(1));
    }
}

#[test]
fn a_permission_is_asked_for_and_the_answer_said() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::start(folder.path(), &[]);
    agent.prompt("@ask Bash\n@ask Bash");
    for answer in [json!({ "behavior": "allow" }), json!({ "behavior": "deny", "message": "not now" })] {
        let request = agent.until(|message| (message["type"] == "control_request").then(|| message.clone()));
        assert_eq!(request["request"]["subtype"], "can_use_tool");
        agent.send(&json!({ "type": "control_response", "response": {
            "subtype": "success", "request_id": request["request_id"], "response": answer,
        } }));
        agent.until_said(match answer["behavior"].as_str() {
            Some("allow") => "Bash was allowed",
            _ => "Bash was denied: not now",
        });
    }
    agent.until_result();
}

#[test]
fn an_interrupt_ends_the_turn_but_not_the_conversation() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::start(folder.path(), &[]);
    for waiting in ["@until-told", "@wait-fifo gate", "@chatter gate", "@ask Bash"] {
        agent.prompt(&format!("@say waiting\n{waiting}\n@say never said"));
        agent.until_said("waiting");
        agent.interrupt();
        assert_eq!(agent.until_result()["terminal_reason"], "aborted_streaming");
    }
    agent.prompt("@say still here");
    assert_eq!(agent.until_result()["result"], "still here");
    assert!(agent.close().success());
}

#[test]
fn a_message_that_was_waited_for_joins_the_turn() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::start(folder.path(), &[]);
    agent.prompt("@say waiting\n@until-told");
    agent.until_said("waiting");
    agent.prompt("@say told");
    assert_eq!(agent.until_result()["result"], "told");
}

#[test]
fn a_message_in_the_middle_of_a_turn_gets_its_own_turn_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::start(folder.path(), &[]);
    agent.prompt("@wait-fifo gate\n@say first");
    agent.prompt("@say second");
    std::fs::write(folder.path().join("gate"), "go").unwrap();
    assert_eq!(agent.until_result()["result"], "first");
    assert_eq!(agent.until_result()["result"], "second");
}

#[test]
fn chatter_goes_on_until_somebody_writes_to_the_gate() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::start(folder.path(), &[]);
    agent.prompt("@chatter gate\n@say over");
    for line in 1..=3 {
        agent.until_said(&format!("line {line}"));
    }
    std::fs::write(folder.path().join("gate"), "go").unwrap();
    assert_eq!(agent.until_result()["result"], "over");
}

#[test]
fn an_error_is_a_result_and_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::start(folder.path(), &[]);
    agent.prompt("@error 401 no key");
    let result = agent.until_result();
    assert_eq!((&result["is_error"], &result["api_error_status"]), (&json!(true), &json!(401)));
    assert_eq!(agent.close().code(), Some(1));
}

#[test]
fn a_flood_is_numbered_and_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::start(folder.path(), &[]);
    agent.prompt("@flood 5000 40");
    for number in 1..=5000 {
        let text =
            agent.until(|message| message["message"]["content"][0]["text"].as_str().map(str::to_owned));
        assert_eq!(text, format!("{:.<40}", format!("line {number} ")));
    }
    agent.until_result();
}

#[test]
fn an_option_that_the_real_program_does_not_have_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let agent = Agent::start(folder.path(), &["--no-such-option"]);
    assert_eq!(agent.close().code(), Some(1));
}
