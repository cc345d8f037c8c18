//! The client of the Agent Client Protocol against every recorded conversation of fifteen agents.

use forge_agent::driver::{Failure, Seen};

use crate::recorded;
use crate::recorded_acp::AGENTS;

/// All recordings, but for those in which the recorder did what Forge never does: it offered files and terminals, or
/// prompted an agent that was busy.
fn led() -> Vec<(&'static str, String)> {
    let unlike = ["acp-client-fs", "acp-second-prompt"];
    let names = |agent| recorded::names(agent, "acp-").into_iter().map(move |name| (agent, name));
    AGENTS.into_iter().flat_map(names).filter(|(_, name)| !unlike.contains(&name.as_str())).collect()
}

#[test]
fn every_recorded_conversation_is_led_as_the_recorder_led_it() {
    for (agent, name) in led() {
        for run in recorded::runs(agent, &name) {
            println!("{agent}/{name}");
            let mut led = run.lead();
            let finish = led.driver.finish(run.end);
            println!("{finish:?}");
        }
    }
}

#[test]
fn a_restart_at_any_frame_sends_what_was_not_sent_and_nothing_twice() {
    for (agent, name) in led() {
        println!("{agent}/{name}");
        recorded::runs(agent, &name).iter().for_each(recorded::Run::restart_anywhere);
    }
}
