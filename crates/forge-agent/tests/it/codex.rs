//! Codex' driver against every recorded conversation.

use forge_agent::driver::{Failure, Seen};

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
