//! The driver against every recorded conversation: what it sees, what it sends, and that neither splits nor
//! restarts nor nonsense change anything.

use forge_agent::driver::{Driver, Failure, Finish, Outgoing, Seen};
use forge_agent::manner::Protocol;
use forge_agent::turn::Turn;
use forge_model::{End, Reason, Usage};
use proptest::prelude::*;

use crate::recorded::{self, Frame, Run};

fn told(seen: &[Seen]) -> Vec<String> {
    let tell = |seen: &Seen| match seen {
        Seen::Conversation(_) => "conversation".to_owned(),
        Seen::Message(text) => format!("message: {text}"),
        Seen::Permission(permission) => format!("permission: {} {}", permission.tool, permission.input),
        Seen::Withdrawn(_) => "withdrawn".to_owned(),
        Seen::Offers(_) => "offers".to_owned(),
        Seen::Finished(finish) => match &finish.failure {
            None => format!("finished: {}", finish.message.as_deref().unwrap_or_default()),
            Some(failure) => format!("failed: {failure:?}"),
        },
    };
    seen.iter().map(tell).collect()
}

fn lead_first(name: &str) -> (Vec<String>, Finish) {
    let run = recorded::runs("claude", name).remove(0);
    let mut led = run.lead();
    (told(&led.seen), Finish { usage: Usage::default(), ..led.driver.finish(run.end) })
}

fn done(message: &str) -> Finish {
    Finish { message: Some(message.into()), failure: None, usage: Usage::default() }
}

fn failed(message: Option<&str>, failure: Failure) -> Finish {
    Finish { message: message.map(str::to_owned), failure: Some(failure), usage: Usage::default() }
}

const WRITE: &str =
    r#"permission: Write {"content":"Hello from the stub model.\n","file_path":"/repo/hello.txt"}"#;

#[test]
fn a_first_turn_gives_the_conversation_and_the_last_words() {
    let (seen, finish) = lead_first("stream-edit-followup");
    let expected = [
        "offers",
        "conversation",
        "offers",
        "message: I will do step 1.",
        "message: Done: 1 step(s) played.",
        "finished: Done: 1 step(s) played.",
    ];
    assert_eq!(seen, expected);
    assert_eq!(finish, done("Done: 1 step(s) played."));
}

#[test]
fn a_resumed_conversation_keeps_its_id() {
    let runs = recorded::runs("claude", "stream-resume");
    let is_id = |seen: &Seen| matches!(seen, Seen::Conversation(_));
    let ids: Vec<Seen> = runs.iter().filter_map(|run| run.lead().seen.into_iter().find(is_id)).collect();
    assert_eq!(ids[0], Seen::Conversation(runs[1].turn.resume.clone().unwrap()));
    assert_eq!(ids[0], ids[1]);
}

#[test]
fn a_permission_is_asked_for_and_either_answer_goes_on_to_the_end() {
    for name in ["stream-permission-allow", "stream-permission-deny"] {
        let (seen, finish) = lead_first(name);
        assert!(seen.iter().any(|seen| seen == WRITE), "{seen:?}");
        assert_eq!(finish, done("Done: 1 step(s) played."));
    }
}

#[test]
fn an_interrupted_turn_says_so() {
    for (name, last) in [
        ("stream-interrupt-text", "tick 0 tick 1 tick 2 tick 3 "),
        ("stream-interrupt-tool", "I will do step 1."),
    ] {
        let (_, finish) = lead_first(name);
        assert_eq!(finish, failed(Some(last), Failure::Interrupted), "{name}");
    }
}

#[test]
fn failures_are_told_apart() {
    let (_, unauthorized) = lead_first("stream-error-401");
    let message = "Failed to authenticate. API Error: 401 stub: invalid API key".to_owned();
    assert_eq!(unauthorized, failed(None, Failure::NotLoggedIn { message }));

    let (_, nobody) = lead_first("stream-not-logged-in");
    let message = "Not logged in · Please run /login".to_owned();
    assert_eq!(nobody, failed(None, Failure::NotLoggedIn { message }));

    let (_, broken) = lead_first("stream-error-500");
    let Some(Failure::Model { status: Some(500), message }) = broken.failure else { panic!("{broken:?}") };
    assert!(message.starts_with("API Error: 500"), "{message}");

    let (seen, unknown) = lead_first("stream-resume-unknown");
    let message = "No conversation found with session ID: 11111111-2222-4333-8444-555555555555".to_owned();
    assert_eq!(unknown, failed(None, Failure::UnknownConversation { message }));
    assert_eq!(seen.len(), 1, "a conversation that is not there has no id: {seen:?}");
}

#[test]
fn a_second_message_in_a_running_turn_is_answered_with_it() {
    let run = recorded::runs("claude", "stream-second-message").remove(0);
    let mut driver = run.driver();
    let mut seen = Vec::new();
    for frame in &run.frames {
        match frame {
            Frame::In(message) => driver.sent(format!("{message}\n").as_bytes(), 0),
            Frame::Out(line) => seen.extend(driver.received(line, 0)),
            Frame::Err(line) => driver.complained(line),
        }
    }
    assert_eq!(told(&seen).last().unwrap(), "finished: Done: 1 step(s) played.");
}

#[test]
fn one_prompt_runs_are_understood_too() {
    let finish = |name: &str| {
        let run = recorded::runs("claude", name).remove(0);
        run.lead_silently().finish(run.end)
    };
    assert_eq!(finish("run-edit-resume").failure, None);
    assert_eq!(finish("run-interrupt-sigint").failure, Some(Failure::Interrupted));
    assert!(matches!(finish("run-error-401").failure, Some(Failure::NotLoggedIn { .. })));
    let killed = finish("run-interrupt-sigterm").failure.unwrap();
    assert!(matches!(&killed, Failure::Crashed { end: End::Exited { code: 143 }, .. }), "{killed:?}");
}

impl Run {
    /// Feeds the output of a program that needed no input.
    fn lead_silently(&self) -> Driver {
        let mut driver = self.driver();
        for frame in &self.frames {
            match frame {
                Frame::In(message) => panic!("{message} was not to be sent"),
                Frame::Out(line) => drop(driver.received(line, 0)),
                Frame::Err(line) => driver.complained(line),
            }
        }
        driver
    }
}

#[test]
fn a_program_that_ends_without_a_result_has_crashed_unless_it_was_stopped() {
    let run = recorded::runs("claude", "stream-permission-allow").remove(0);
    let mut driver = run.driver();
    driver.complained(b"error: unknown option '--verbose'\n");
    let mut reason = |end| driver.finish(end).failure.map(Reason::from).unwrap();
    assert_eq!(
        reason(End::Signaled { signal: 6 }),
        Reason::AgentCrashed { ended: "was ended by signal 6".into() }
    );
    assert_eq!(
        reason(End::Signaled { signal: 9 }),
        Reason::AgentKilled { ended: "was ended by signal 9".into() }
    );
    let message = "it ended with exit code 1 and said: error: unknown option '--verbose'".to_owned();
    assert_eq!(reason(End::Exited { code: 1 }), Reason::AgentFailed { message });
    assert_eq!(driver.finish(End::Stopped).failure, Some(Failure::Interrupted));
}

#[test]
fn an_interrupt_before_the_prompt_closes_the_program_instead() {
    let run = recorded::runs("claude", "stream-permission-allow").remove(0);
    let mut driver = run.driver();
    let Some((0, Outgoing::Write(initialize))) = driver.take() else { panic!("it begins with initialize") };
    driver.sent(&initialize, 0);
    driver.interrupt();
    driver.interrupt();
    assert_eq!(driver.take(), Some((1, Outgoing::Close)));
    driver.received(br#"{"type":"control_response","response":{"request_id":"forge-initialize"}}"#, 0);
    driver.received(b"\n", 0);
    assert_eq!(driver.take(), None);
    assert_eq!(driver.finish(End::Exited { code: 0 }).failure, Some(Failure::Interrupted));
}

#[test]
fn a_request_that_nobody_understands_is_refused_so_that_the_agent_goes_on() {
    let run = recorded::runs("claude", "stream-permission-allow").remove(0);
    let mut driver = run.driver();
    driver.take();
    driver.received(
        b"{\"type\":\"control_request\",\"request_id\":\"x\",\"request\":{\"subtype\":\"mcp_message\"}}\n",
        0,
    );
    let Some((1, Outgoing::Write(answer))) = driver.take() else { panic!("the request has to be answered") };
    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["response"]["subtype"], "error");
    assert_eq!(answer["response"]["request_id"], "x");
}

#[test]
fn a_permission_that_was_withdrawn_or_answered_is_not_answered_again() {
    let asked =
        b"{\"type\":\"control_request\",\"request_id\":\"x\",\"request\":{\"subtype\":\"can_use_tool\",\
        \"tool_name\":\"Bash\",\"input\":{\"n\":1.50}}}\n";
    let allow = forge_agent::driver::Decision::Allow { choice: None };
    let run = recorded::runs("claude", "stream-permission-allow").remove(0);
    let mut driver = run.driver();
    driver.take();
    assert_eq!(driver.received(asked, 0).len(), 1);
    driver.answer("x", &allow);
    let Some((1, Outgoing::Write(answer))) = driver.take() else {
        panic!("the permission has to be answered")
    };
    assert!(String::from_utf8(answer).unwrap().contains(r#""updatedInput":{"n":1.50}"#));
    driver.answer("x", &allow);
    assert_eq!(driver.take(), None);

    driver.received(asked, 0);
    driver.received(b"{\"type\":\"control_cancel_request\",\"request_id\":\"x\"}\n", 0);
    driver.answer("x", &allow);
    assert_eq!(driver.take(), None);
}

#[test]
fn a_restart_at_any_frame_sends_what_was_not_sent_and_nothing_twice() {
    for (agent, name) in recorded::led() {
        recorded::runs(&agent, &name).iter().for_each(Run::restart_anywhere);
    }
}

fn output(agent: &str, name: &str) -> (Run, Vec<u8>) {
    let run = recorded::runs(agent, name).remove(0);
    let lines = run.frames.iter().filter_map(|frame| match frame {
        Frame::Out(line) => Some(line.as_slice()),
        Frame::In(_) | Frame::Err(_) => None,
    });
    let bytes = lines.collect::<Vec<_>>().concat();
    (run, bytes)
}

fn receive(run: &Run, pieces: &[&[u8]]) -> Vec<Seen> {
    let mut driver = run.driver();
    pieces.iter().flat_map(|piece| driver.received(piece, 0)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_split_of_the_output_gives_the_same(
        (agent, name) in proptest::sample::select(recorded::all()),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..40),
    ) {
        let (run, bytes) = output(&agent, &name);
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        at.sort_unstable();
        let mut pieces = Vec::new();
        let mut rest = bytes.as_slice();
        for cut in at.iter().rev() {
            let (before, after) = rest.split_at(*cut);
            pieces.push(after);
            rest = before;
        }
        pieces.push(rest);
        pieces.reverse();
        prop_assert_eq!(receive(&run, &pieces), receive(&run, &[&bytes]));
    }

    #[test]
    fn broken_output_never_breaks_the_driver(
        (agent, name) in proptest::sample::select(recorded::all()),
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..200),
    ) {
        let (run, mut bytes) = output(&agent, &name);
        for (at, byte) in damage {
            // Some programs had nothing to say.
            let at = at.index(bytes.len() + 1);
            bytes.get_mut(at).into_iter().for_each(|there| *there = byte);
        }
        let mut driver = run.driver();
        driver.received(&bytes, 0);
        driver.sent(&bytes, 0);
        while driver.take().is_some() {}
        drop(driver.finish(run.end));
    }
}

#[test]
fn an_agent_that_was_kept_is_only_told_the_prompt_and_what_it_said_before_is_no_answer() {
    let result = b"{\"type\":\"result\",\"is_error\":false,\"result\":\"done\"}\n";
    let turn = Turn { warm: true, ..Turn::new(Protocol::Claude, "go on") };
    let mut driver = Driver::new(&turn);
    assert_eq!(driver.received(result, 0), []);
    let Some((0, Outgoing::Write(prompt))) = driver.take() else { panic!("the prompt has to be sent") };
    assert!(String::from_utf8_lossy(&prompt).contains("go on"));
    driver.sent(&prompt, 0);
    assert!(matches!(&*driver.received(result, 0), [Seen::Finished(_)]));
    assert_eq!(driver.take(), None);
}
