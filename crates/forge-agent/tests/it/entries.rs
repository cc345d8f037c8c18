//! The transcripts of every recorded conversation: what they say, and that neither splits nor nonsense change it.

use forge_agent::log::Frame as LogFrame;
use proptest::prelude::*;
use serde_json::Value;

use crate::recorded;
use crate::snapshots::{fold, log};

/// The entries of all processes of a recording.
fn entries(name: &str) -> Vec<Value> {
    recorded::runs("claude", name).iter().flat_map(|run| fold(run, &log(run), 1)).collect()
}

/// An entry in a line.
fn line(entry: &Value) -> String {
    let kind = &entry["entry_type"];
    let tool = match kind["status"]["status"].as_str() {
        Some(status) => format!(" {} {status}", kind["action_type"]["action"].as_str().unwrap()),
        None => String::new(),
    };
    let mut content = entry["content"].as_str().unwrap().to_owned();
    content.truncate(content.floor_char_boundary(60));
    format!("{}{tool}: {content}", kind["type"].as_str().unwrap())
}

fn lines(name: &str) -> Vec<String> {
    entries(name).iter().map(line).collect()
}

#[test]
fn an_edit_and_a_follow_up_read_as_they_went() {
    let expected = [
        "user_message: Create the greeting file. [[write hello.txt|Hello from the s",
        "system_message: System initialized with model: stub-model",
        r#"system_message: [claude-code:unrecognized_model] {"model":"stub-model","quer"#,
        "assistant_message: I will do step 1.",
        "tool_use file_edit success: `hello.txt`",
        "assistant_message: Done: 1 step(s) played.",
    ];
    assert_eq!(lines("stream-edit-followup")[..6], expected);
    let all = entries("stream-edit-followup");
    let edit = all.iter().find(|entry| entry["metadata"]["name"] == "Edit").unwrap();
    let change = &edit["entry_type"]["action_type"]["changes"][0];
    assert_eq!(change["has_line_numbers"], true);
    let diff = "--- a/hello.txt\n+++ b/hello.txt\n@@ -1,1 +1,1 @@\n-Hello from the stub model.\n+Hello again from the stub model.\n";
    assert_eq!(change["unified_diff"], diff);
}

#[test]
fn partial_messages_become_the_same_entries_as_whole_ones() {
    let whole: Vec<_> =
        lines("stream-edit-followup").into_iter().filter(|line| !line.starts_with("user_")).collect();
    // The prompt was an argument there, and a second process answers the follow-up.
    let partial = lines("run-edit-resume");
    assert_eq!(partial[..4], whole[..4]);
}

#[test]
fn a_refusal_an_interrupt_and_a_failure_are_told() {
    let denied = lines("stream-permission-deny");
    assert!(denied.contains(&"tool_use file_edit denied: `hello.txt`".to_owned()), "{denied:?}");
    assert!(denied.contains(&"user_feedback: The operator refused this.".to_owned()), "{denied:?}");
    let by_rule = lines("run-approval-denied");
    assert!(by_rule.contains(&"tool_use file_edit denied: `hello.txt`".to_owned()), "{by_rule:?}");
    let interrupted = lines("stream-interrupt-text");
    assert!(
        interrupted.contains(&"system_message: [Request interrupted by user]".to_owned()),
        "{interrupted:?}"
    );
    let failed = entries("stream-error-401");
    let errors: Vec<_> =
        failed.iter().filter(|entry| entry["entry_type"]["type"] == "error_message").collect();
    // What the program printed on standard error before is none.
    assert_eq!(errors.len(), 1, "{failed:?}");
    assert_eq!(errors[0]["entry_type"]["error_type"]["type"], "setup_required");
}

#[test]
fn nothing_in_the_recordings_is_unknown() {
    for name in recorded::names("claude", "") {
        let unknown: Vec<_> = lines(&name).into_iter().filter(|line| line.contains("Unrecognized")).collect();
        assert_eq!(unknown, Vec::<String>::new(), "{name}");
    }
}

/// The same bytes in other frames. What a person wrote is kept in its place among what was printed.
pub(crate) fn split(frames: &[LogFrame], sizes: &[usize]) -> Vec<LogFrame> {
    let mut sizes = sizes.iter().copied().cycle();
    let mut pieces = Vec::new();
    for frame in frames {
        let mut rest = frame.bytes.as_slice();
        while !rest.is_empty() {
            let (piece, others) = rest.split_at(sizes.next().unwrap_or(1).min(rest.len()));
            pieces.push(LogFrame { bytes: piece.to_vec(), ..frame.clone() });
            rest = others;
        }
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_split_gives_the_same_entries(
        (agent, name) in proptest::sample::select(recorded::all()),
        sizes in proptest::collection::vec(1_usize..400, 1..20),
        pace in 1_usize..200,
    ) {
        for run in recorded::runs(&agent, &name) {
            let frames = log(&run);
            prop_assert_eq!(fold(&run, &split(&frames, &sizes), pace), fold(&run, &frames, usize::MAX));
        }
    }

    #[test]
    fn broken_bytes_never_break_a_transcript(
        (agent, name) in proptest::sample::select(recorded::all()),
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<proptest::sample::Index>(), any::<u8>()), 1..200),
        pace in 1_usize..200,
    ) {
        let run = recorded::runs(&agent, &name).remove(0);
        let mut frames = log(&run);
        prop_assume!(!frames.is_empty());
        for (frame, at, byte) in damage {
            let bytes = &mut frame.get_mut(&mut frames).bytes;
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        prop_assert_eq!(fold(&run, &frames, pace), fold(&run, &frames, usize::MAX));
    }
}
