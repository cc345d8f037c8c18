//! Agents that take one prompt and print lines: plain commands, and those whose lines are read by rules.

use forge_agent::driver::{Driver, Failure, Outgoing, Seen};
use forge_agent::log::{Frame, Stream};
use forge_agent::manner::{Lines, Protocol};
use forge_agent::one_shot::DIALECTS;
use forge_agent::rules::Rule;
use forge_agent::transcript::Transcript;
use forge_agent::turn::Turn;
use forge_model::{End, ProcessId};
use serde_json::{Value, json};

use crate::recorded;
use crate::snapshots::{fold, log};

#[derive(serde::Deserialize)]
struct File {
    rules: Vec<Rule>,
}

fn turn(lines: Lines) -> Turn {
    let mut turn = Turn::new(Protocol::Lines, "first line\nsecond line");
    turn.manner.lines = lines;
    turn
}

/// What the driver sees and the transcript shows of what a program prints.
fn run(turn: &Turn, printed: &str) -> (Driver, Vec<Seen>, Vec<Value>) {
    let mut driver = Driver::new(turn);
    let seen = driver.received(printed.as_bytes(), 0);
    let mut transcript = Transcript::new(turn, ProcessId::random());
    let bytes = printed.as_bytes().to_vec();
    transcript.push(&Frame { seq: 1, at_ms: 0, stream: Stream::Stdout, bytes });
    transcript.finish(None);
    let entries = transcript.take().into_iter().map(|change| json!(change.entry)).collect();
    (driver, seen, entries)
}

fn told(entries: &[Value]) -> Vec<String> {
    let line = |entry: &Value| {
        let kind = entry["entry_type"]["type"].as_str().unwrap();
        format!("{kind}: {}", entry["content"].as_str().unwrap())
    };
    entries.iter().map(line).collect()
}

fn exited(code: i32) -> End {
    End::Exited { code }
}

#[test]
fn a_plain_command_says_what_it_prints() {
    let plain = turn(Lines::default());
    let (mut driver, seen, entries) = run(&plain, "Thinking…\n\n\x1b[1mDone.\x1b[0m\n{\"a\": 1}\n");
    assert_eq!(seen, [Seen::Message("Thinking…".into())]);
    let expected =
        ["user_message: first line\nsecond line", "assistant_message: Thinking…\n\nDone.\n{\"a\": 1}\n"];
    assert_eq!(told(&entries), expected);
    let finish = driver.finish(exited(0));
    assert_eq!(finish.failure, None);
    assert!(finish.message.unwrap().ends_with("{\"a\": 1}"));

    let (mut driver, ..) = run(&plain, "");
    assert!(matches!(driver.finish(exited(0)).failure, Some(Failure::Agent { .. })), "it did nothing");
    let (mut driver, ..) = run(&plain, "oh\n");
    driver.complained(b"no such file");
    let crashed = driver.finish(exited(2)).failure.unwrap();
    assert_eq!(crashed, Failure::Crashed { end: exited(2), complaint: "no such file".into() });
    let (mut driver, ..) = run(&plain, "oh\n");
    driver.interrupt();
    assert_eq!(driver.take(), Some((0, Outgoing::Close)), "there is nothing else that it could be told");
    assert_eq!(driver.finish(exited(0)).failure, Some(Failure::Interrupted));
}

#[test]
fn a_prompt_on_standard_input_goes_line_by_line_and_ends_it() {
    let turn = turn(Lines { stdin: true, ..Lines::default() });
    let mut driver = Driver::new(&turn);
    assert_eq!(driver.take(), Some((0, Outgoing::Write(b"first line\n".to_vec()))));
    driver.sent(b"first line\n", 0);
    // A server that comes after this one sends what the log does not show.
    let mut driver = Driver::new(&turn);
    driver.sent(b"first line\n", 0);
    assert_eq!(driver.take(), Some((1, Outgoing::Write(b"second line\n".to_vec()))));
    assert_eq!(driver.take(), Some((2, Outgoing::Close)));
    assert_eq!(driver.take(), None);
}

/// What a user writes for an agent of their own.
const MINE: &str = r#"
[[rules]]
is = "conversation"
id = "/chat"

[[rules]]
when = { "/say" = "*" }
is = "said"
text = "/say"

[[rules]]
when = { "/run" = "*" }
is = "tool"
id = "/n"
name = "=bash"
input = "/run"

[[rules]]
when = { "/ran" = "*" }
is = "result"
id = "/n"
output = "/ran"
code = "/code"
failed = { "/code" = { not = 0 } }

[[rules]]
when = { "/bad" = { begins = "HTTP" } }
is = "error"
text = "/bad"

[[rules]]
when = { "/used" = "*" }
is = "usage"
tokens = { input = "/used/0", output = "/used/1", cost = "/used/2" }
"#;

#[test]
fn an_agent_of_a_user_is_read_by_their_rules() {
    let File { rules } = toml::from_str(MINE).unwrap();
    let mine = turn(Lines { rules, ..Lines::default() });
    let printed = r#"Starting up
{"chat": "c1", "say": "Hello"}
{"n": 1, "run": {"command": "ls"}}
{"n": 1, "ran": "a.txt", "code": 2}
{"what": "is this"}
{"used": [10, 2, 0.5]}
{"used": [5, 1, 0.25]}
"#;
    let (mut driver, seen, entries) = run(&mine, printed);
    assert_eq!(seen, [Seen::Conversation("c1".into()), Seen::Message("Hello".into())]);
    let expected = [
        "user_message: first line\nsecond line",
        "system_message: Starting up\n",
        "assistant_message: Hello",
        "tool_use: `ls`",
        r#"system_message: Unrecognized JSON message: {"what": "is this"}"#,
    ];
    assert_eq!(told(&entries), expected);
    let tool = &entries[3]["entry_type"];
    assert_eq!(tool["status"]["status"], "failed");
    let result = json!({"exit_status": {"type": "exit_code", "code": 2}, "output": "a.txt"});
    assert_eq!(tool["action_type"]["result"], result);
    let finish = driver.finish(exited(0));
    assert_eq!(finish.failure, None);
    assert_eq!((finish.usage.input_tokens, finish.usage.cost_micros), (15, Some(750_000)));

    // What it returns is not trusted: an error that was told is one.
    let (mut driver, _, entries) = run(&mine, "{\"bad\": \"HTTP 401\"}\n");
    assert_eq!(entries[1]["entry_type"]["error_type"]["type"], "setup_required");
    assert!(matches!(driver.finish(exited(0)).failure, Some(Failure::NotLoggedIn { .. })));
    // A rule that misspells something is refused, and not passed over.
    assert!(toml::from_str::<File>("[[rules]]\nis = \"said\"\ntxt = \"/say\"").is_err());
}

#[test]
fn the_lines_of_every_agent_are_known() {
    for (name, text) in DIALECTS {
        let file = toml::from_str::<File>(text);
        assert!(file.is_ok_and(|file| !file.rules.is_empty()), "{name}");
    }
    for (agent, name) in recorded::all() {
        if !name.starts_with("run-") && !name.starts_with("serve-") {
            continue;
        }
        for run in recorded::runs(&agent, &name) {
            let entries = fold(&run, &log(&run), 1);
            let unknown: Vec<_> =
                told(&entries).into_iter().filter(|line| line.contains("Unrecognized")).collect();
            assert_eq!(unknown, Vec::<String>::new(), "{agent} {name}");
        }
    }
}
