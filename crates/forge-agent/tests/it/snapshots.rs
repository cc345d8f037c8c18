//! What Forge makes of every recorded conversation, as text that a person has read: `tests/data/snapshots`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use forge_agent::driver::{Driver, Finish, Seen};
use forge_agent::log::{Frame as LogFrame, Stream};
use forge_agent::transcript::{ToolRequest, Transcript};
use forge_model::{ProcessId, Usage};
use serde_json::{Value, json};

use crate::recorded::{self, Frame, Run};
use crate::recorded_acp;

/// How much of a text is shown.
const MOST: usize = 200;

/// The log that the host would have kept.
pub(crate) fn log(run: &Run) -> Vec<LogFrame> {
    let frame = |(seq, frame): (u64, &Frame)| {
        let (stream, bytes) = match frame {
            Frame::In(message) => (Stream::Stdin, format!("{message}\n").into_bytes()),
            Frame::Out(line) => (Stream::Stdout, line.clone()),
            Frame::Err(line) => (Stream::Stderr, line.clone()),
        };
        LogFrame { seq, at_ms: 5, stream, bytes }
    };
    (1..).zip(&run.frames).map(frame).collect()
}

/// What a client has in the end that takes what there is after each `pace` frames.
pub(crate) fn fold(run: &Run, frames: &[LogFrame], pace: usize) -> Vec<Value> {
    let mut transcript = Transcript::new(&run.turn, ProcessId::from_uuid(uuid::Uuid::nil()));
    let mut entries = Vec::new();
    for frames in frames.chunks(pace) {
        frames.iter().for_each(|frame| transcript.push(frame));
        apply(&mut transcript, &mut entries);
    }
    transcript.finish(None);
    apply(&mut transcript, &mut entries);
    entries
}

fn apply(transcript: &mut Transcript, entries: &mut Vec<Value>) {
    for change in transcript.take() {
        let (at, entry) = (usize::try_from(change.index).unwrap(), json!(change.entry));
        assert_eq!(change.is_new, at == entries.len(), "entries come in order, once as new");
        if change.is_new { entries.push(entry) } else { entries[at] = entry }
    }
}

/// What the driver saw of the same, and what the turn came to.
pub(crate) fn see(run: &Run) -> (Vec<Seen>, Finish) {
    let mut driver = Driver::new(&run.turn);
    let mut seen = Vec::new();
    for frame in log(run) {
        match frame.stream {
            Stream::Stdin => driver.sent(&frame.bytes, frame.at_ms),
            Stream::Stdout => seen.extend(driver.received(&frame.bytes, frame.at_ms)),
            _ => driver.complained(&frame.bytes),
        }
    }
    let finish = driver.finish(run.end);
    (seen, finish)
}

fn snapshot(agent: &str, name: &str) -> String {
    let mut text = String::new();
    for run in recorded::runs(agent, name) {
        let how = if run.turn.warm { " in the same program" } else { "" };
        writeln!(text, "# a turn{how}").unwrap();
        for entry in fold(&run, &log(&run), 1) {
            writeln!(text, "{}", line(&entry)).unwrap();
        }
        let (seen, finish) = see(&run);
        for seen in seen {
            writeln!(text, "> {}", tell(&seen)).unwrap();
        }
        writeln!(text, "= {}", came_to(&finish)).unwrap();
    }
    text
}

/// An entry in a line.
fn line(entry: &Value) -> String {
    let kind = &entry["entry_type"];
    let content = quoted(entry["content"].as_str().unwrap());
    let parent = match entry["metadata"]["parent_tool_use_id"].as_str() {
        Some(parent) => format!(" (of {parent})"),
        None => String::new(),
    };
    match kind["type"].as_str().unwrap() {
        "tool_use" => {
            let mut action = kind["action_type"].clone();
            let name = action.as_object_mut().unwrap().remove("action").unwrap();
            let status = kind["status"]["status"].as_str().unwrap();
            let why = match kind["status"]["reason"].as_str() {
                Some(reason) => format!(" ({reason})"),
                None => String::new(),
            };
            let result = match entry["metadata"]["result"].as_str() {
                Some(result) => format!(" → {}", quoted(result)),
                None => String::new(),
            };
            let tool = kind["tool_name"].as_str().unwrap();
            let shown = shortened(&action);
            format!("{tool} {status}{why}: {} {shown}{result}{parent}", name.as_str().unwrap())
        }
        "error_message" if kind["error_type"]["type"] == "setup_required" => {
            format!("error (set up): {content}")
        }
        "user_feedback" => format!("user_feedback to {}: {content}", kind["denied_tool"].as_str().unwrap()),
        kind => format!("{kind}{parent}: {content}"),
    }
}

fn tell(seen: &Seen) -> String {
    match seen {
        Seen::Conversation(id) => format!("conversation {id}"),
        Seen::Message(text) => format!("message {}", quoted(text)),
        Seen::Permission(permission) => {
            let choices: Vec<String> = permission
                .choices
                .iter()
                .map(|choice| format!("{}={}", choice.id, json!(choice.kind).as_str().unwrap()))
                .collect();
            let (tool, title) = (&permission.tool, quoted(&permission.title));
            let ToolRequest { verb, object } = ToolRequest::of(permission, "/repo");
            let asked = format!("{verb} {}", quoted(&object));
            format!("permission {} {tool} {title} ({asked}) [{}]", permission.id, choices.join(" "))
        }
        Seen::Withdrawn(id) => format!("withdrawn {id}"),
        Seen::Offers(offers) => {
            let ids = |offers: &[forge_agent::driver::Offer]| {
                offers.iter().map(|offer| offer.id.as_str()).collect::<Vec<_>>().join(" ")
            };
            let (commands, modes, models) = (ids(&offers.commands), ids(&offers.modes), ids(&offers.models));
            let now = |now: &Option<String>| now.clone().unwrap_or_else(|| "?".into());
            format!(
                "offers commands [{commands}] modes {} [{modes}] models {} [{models}]",
                now(&offers.mode),
                now(&offers.model)
            )
        }
        Seen::Finished(finish) => format!("finished {}", came_to(finish)),
    }
}

fn came_to(finish: &Finish) -> String {
    let Usage { input_tokens, cached_tokens, output_tokens, cost_micros } = finish.usage;
    let cost = cost_micros.map_or_else(String::new, |cost| format!(" ${}", cost as f64 / 1e6));
    let usage = format!("{input_tokens}+{cached_tokens} in, {output_tokens} out{cost}");
    let message = finish.message.as_deref().map_or_else(|| "nothing".into(), quoted);
    match &finish.failure {
        None => format!("{message} ({usage})"),
        Some(failure) => format!("{failure:?}, last words {message} ({usage})"),
    }
}

/// Texts in data are shortened too.
fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(cut(text)),
        Value::Array(values) => values.iter().map(shortened).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), shortened(value))).collect()
        }
        other => other.clone(),
    }
}

fn quoted(text: &str) -> String {
    format!("{:?}", cut(text))
}

fn cut(text: &str) -> String {
    let mut shown = text.to_owned();
    shown.truncate(shown.floor_char_boundary(MOST));
    if shown.len() < text.len() {
        write!(shown, "… +{}", text.len() - shown.len()).unwrap();
    }
    shown
}

/// Compares each with the file, or writes it where `UPDATE` is set.
fn check(agent: &str, prefix: &str) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/snapshots")).join(agent);
    let mut different = Vec::new();
    let names = recorded::names(agent, prefix);
    assert!(!names.is_empty(), "there are recordings of {agent}");
    for name in names {
        let file = folder.join(&name).with_extension("txt");
        let now = snapshot(agent, &name);
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, now).unwrap();
        } else if fs::read_to_string(&file).unwrap_or_default() != now {
            different.push(format!("{}:\n{now}", file.display()));
        }
    }
    assert!(different.is_empty(), "UPDATE=1 accepts what is different now:\n{}", different.join("\n"));
}

#[test]
fn codex_conversations_read_as_reviewed() {
    check("codex", "server-");
}

#[test]
fn claude_conversations_read_as_reviewed() {
    check("claude", "");
}

#[test]
fn one_prompt_conversations_read_as_reviewed() {
    for (agent, _) in recorded::all().into_iter().filter(|(_, name)| name == "run-edit-resume") {
        check(&agent, "run-");
    }
    check("opencode", "serve-");
}

#[test]
fn conversations_over_acp_read_as_reviewed() {
    for agent in recorded_acp::AGENTS {
        check(agent, "acp-");
    }
}
