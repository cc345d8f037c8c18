//! The client of the Agent Client Protocol against every recorded conversation of fifteen agents.

use forge_agent::driver::{Driver, Failure, Finish, Seen};
use forge_agent::log::{Frame as LogFrame, Stream};
use forge_agent::transcript::Transcript;
use forge_model::ProcessId;
use proptest::prelude::*;
use serde_json::Value;

use crate::entries::split;
use crate::recorded::{self, Frame, Run};
use crate::recorded_acp::AGENTS;
use crate::snapshots::{fold, log};

/// All recordings.
fn all() -> Vec<(&'static str, String)> {
    let names = |agent| recorded::names(agent, "acp-").into_iter().map(move |name| (agent, name));
    AGENTS.into_iter().flat_map(names).collect()
}

/// Those in which the recorder did what Forge does. In the others it offered files and terminals, or prompted an agent
/// that was busy.
fn led() -> Vec<(&'static str, String)> {
    let unlike = ["acp-client-fs", "acp-second-prompt"];
    all().into_iter().filter(|(_, name)| !unlike.contains(&name.as_str())).collect()
}

#[test]
fn every_recorded_conversation_is_led_as_the_recorder_led_it() {
    for (agent, name) in led() {
        for run in recorded::runs(agent, &name) {
            let mut led = run.lead();
            let finish = led.driver.finish(run.end);
            let ended = led.seen.contains(&Seen::Finished(finish.clone()));
            // These try again for longer than the recorder waited.
            let tries_on = name == "acp-error-500" && ["grok", "vibe", "droid"].contains(&agent);
            assert_eq!(ended, !tries_on, "{agent}/{name}: {:?}", led.seen);
            assert!(
                tries_on || is_as_it_should_be(agent, &name, &run, &finish),
                "{agent}/{name}: {finish:?}"
            );
        }
    }
}

fn is_as_it_should_be(agent: &str, name: &str, run: &Run, finish: &Finish) -> bool {
    let failure = finish.failure.as_ref();
    match name {
        // It says nothing at all.
        "acp-error-401" if agent == "pi" => matches!(failure, Some(Failure::Agent { .. })),
        "acp-error-401" => matches!(failure, Some(Failure::NotLoggedIn { .. })),
        "acp-error-500" if ["pi", "kimi", "cline"].contains(&agent) => {
            matches!(failure, Some(Failure::Agent { .. }))
        }
        "acp-error-500" => matches!(failure, Some(Failure::Model { .. })),
        // It never asks, so the recorder had nothing to wait for.
        "acp-cancel-permission" if agent == "pi" => failure.is_none(),
        name if name.starts_with("acp-cancel") && !run.turn.warm => failure == Some(&Failure::Interrupted),
        _ => {
            let tells = !["cline", "droid", "kimi", "pi"].contains(&agent);
            let said = finish.message.as_deref().is_some_and(|message| !message.contains("Thought:"));
            failure.is_none() && said && tells == (finish.usage.output_tokens > 0)
        }
    }
}

#[test]
fn the_turns_of_a_conversation_cost_together_what_the_agent_says_that_it_cost() {
    for name in ["acp-edit-followup", "acp-load", "acp-resume", "acp-cancel-text"] {
        let runs = recorded::runs("claude-acp", name);
        assert_eq!(runs.len(), 2, "{name}");
        let costs: Vec<u64> =
            runs.iter().map(|run| run.lead().driver.finish(run.end).usage.cost_micros.unwrap()).collect();
        let mut told = runs[1].frames.iter().filter_map(|frame| match frame {
            Frame::Out(line) => {
                let line: Value = serde_json::from_slice(line).unwrap_or_default();
                line.pointer("/params/update/cost/amount")?.as_f64()
            }
            Frame::In(_) | Frame::Err(_) => None,
        });
        let told = told.next_back().unwrap();
        assert!(costs[1] > 0, "{name}: {costs:?}");
        assert_eq!(costs[0] + costs[1], (told * 1e6).round() as u64, "{name}: {costs:?}");
    }
}

#[test]
fn a_restart_at_any_frame_sends_what_was_not_sent_and_nothing_twice() {
    for (_, name) in led().iter().filter(|(agent, _)| *agent == "gemini") {
        recorded::runs("gemini", name).iter().for_each(Run::restart_anywhere);
    }
    // One of each is enough for what differs: ids that are texts, updates before the call, modes, options, models.
    for agent in AGENTS {
        for name in ["acp-permission-command", "acp-cancel-permission", "acp-load"] {
            recorded::runs(agent, name).iter().for_each(Run::restart_anywhere);
        }
    }
}

/// What the driver sees of a log.
fn see(run: &Run, frames: &[LogFrame]) -> Vec<Seen> {
    let mut driver = Driver::new(&run.turn);
    let mut seen = Vec::new();
    for frame in frames {
        match frame.stream {
            Stream::Stdin => driver.sent(&frame.bytes, frame.at_ms),
            Stream::Stdout => seen.extend(driver.received(&frame.bytes, frame.at_ms)),
            _ => driver.complained(&frame.bytes),
        }
    }
    while driver.take().is_some() {}
    seen
}

/// What tells a person nothing.
const SILENT: [&str; 6] = [
    "usage_update",
    "session_info_update",
    "available_commands_update",
    "config_option_update",
    "current_mode_update",
    "user_message_chunk",
];

/// Whether a line may be left out of a transcript.
fn is_silent(run: &Run, line: &[u8]) -> bool {
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        return line.iter().all(u8::is_ascii_whitespace);
    };
    let method = message["method"].as_str().unwrap_or_default();
    let update = &message["params"]["update"];
    let kind = update["sessionUpdate"].as_str().unwrap_or_default();
    let silent = &run.turn.manner.quirks.silent;
    match method {
        // The answers to what the agent was asked.
        "" => message.get("id").is_some(),
        "session/update" => SILENT.contains(&kind) || update["content"]["text"] == "",
        // What was told last is not told again.
        "_session/retrying" => true,
        method => {
            silent.iter().any(|beginning| method.starts_with(beginning.as_str()))
                || ["fs/", "terminal/", "$/"].iter().any(|beginning| method.starts_with(beginning))
        }
    }
}

/// Every line of the agent in this turn is shown, or is of a kind that is known to say nothing.
fn nothing_is_lost(run: &Run, frames: &[LogFrame]) {
    let mut transcript = Transcript::new(&run.turn, ProcessId::from_uuid(uuid::Uuid::nil()));
    let mut prompted = false;
    for frame in frames {
        transcript.push(frame);
        let shown = !transcript.take().is_empty();
        let text = String::from_utf8_lossy(&frame.bytes);
        prompted |= frame.stream == Stream::Stdin && text.contains("session/prompt");
        let whole = frame.stream == Stream::Stdout && frame.bytes.ends_with(b"\n") && prompted;
        assert!(!whole || shown || is_silent(run, &frame.bytes), "{text} is lost");
    }
}

#[test]
fn no_line_of_any_agent_is_lost() {
    for (agent, name) in all() {
        for run in recorded::runs(agent, &name) {
            nothing_is_lost(&run, &log(&run));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_split_gives_the_same_entries_and_the_same_driver(
        (agent, name) in proptest::sample::select(all()),
        sizes in proptest::collection::vec(1_usize..400, 1..20),
        pace in 1_usize..200,
    ) {
        for run in recorded::runs(agent, &name) {
            let frames = log(&run);
            let pieces = split(&frames, &sizes);
            prop_assert_eq!(fold(&run, &pieces, pace), fold(&run, &frames, usize::MAX));
            prop_assert_eq!(see(&run, &pieces), see(&run, &frames));
        }
    }

    #[test]
    fn broken_lines_break_nothing_and_are_shown(
        (agent, name) in proptest::sample::select(all()),
        damage in proptest::collection::vec(
            (any::<proptest::sample::Index>(), any::<proptest::sample::Index>(), any::<u8>(), any::<bool>()),
            1..60,
        ),
    ) {
        for run in recorded::runs(agent, &name) {
            let mut frames = log(&run);
            for (frame, at, byte, cut) in &damage {
                let LogFrame { stream: Stream::Stdout, bytes, .. } = frame.get_mut(&mut frames) else { continue };
                // The end of the line stays: another line would hide behind this one.
                let last = bytes.len() - 1;
                let at = at.index(last.max(1)).min(last);
                if *cut {
                    bytes.drain(at..last);
                } else if at < last && *byte != b'\n' {
                    bytes[at] = *byte;
                }
            }
            nothing_is_lost(&run, &frames);
            see(&run, &frames);
        }
    }
}
