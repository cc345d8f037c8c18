//! A model that fails is named for what it is, however the agent puts it.

use forge_testkit::agents::{Agent, Trouble};
use serde_json::json;

use crate::place::{May, Place};

pub(crate) async fn a_refused_key_is_named(agent: &'static Agent) {
    let place = Place::without_key(agent).await;
    let hidden = agent.hides.contains(&Trouble::Key);
    named(&place, "Greet. [[write hello.txt|Hello]]", if hidden { "agent_failed" } else { "not_logged_in" })
        .await;
}

pub(crate) async fn a_failing_model_is_named(agent: &'static Agent) {
    let hidden = agent.hides.contains(&Trouble::Failure);
    let code = if hidden { "agent_failed" } else { "model_failed" };
    named(&Place::new(agent).await, "Fail. [[http 500]]", code).await;
}

pub(crate) async fn a_cut_connection_is_named(agent: &'static Agent) {
    named(&Place::new(agent).await, "Fail. [[drop]]", "model_failed").await;
}

async fn named(place: &Place, prompt: &str, code: &str) {
    let started = place.start(prompt, May::All).await;
    let attempt = place.finished(&started).await;
    assert_eq!(
        (&attempt["outcome"], &attempt["reason"]["code"]),
        (&json!("failed"), &json!(code)),
        "{attempt:#}"
    );
    let process = &place.processes(&started).await[0];
    assert_eq!(
        (&process["status"], &process["reason"]["code"]),
        (&json!("failed"), &json!(code)),
        "{process:#}"
    );
    assert_eq!(place.commits(&attempt), 0);
    let entries = place.entries(&started.process).await;
    let has_error = entries.iter().any(|entry| entry["entry_type"]["type"] == "error_message");
    assert!(has_error, "the transcript says so too: {entries:#?}");
}
