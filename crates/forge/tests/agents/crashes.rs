//! The server is killed without warning, and the agent's turn does not suffer.

use forge_testkit::agents::Agent;

use crate::place::{May, Place};

pub(crate) async fn a_turn_goes_on_over_a_crash_of_the_server(agent: &'static Agent) {
    let mut place = Place::new(agent).await;
    let pause = place.model.pause("thinks");
    let prompt = format!(
        "Greet twice. [[write a.txt|one]] {} [[write b.txt|two]] [[say Both are done.]]",
        pause.step()
    );
    let started = place.start(&prompt, May::All).await;
    // The first file is written, and the model thinks about the second.
    pause.reached().await;
    place.server.kill_9().await;
    place.server.restart().await;
    pause.open().await;
    let attempt = place.succeeded(&started).await;
    assert_eq!(place.commits(&attempt), 1);
    assert_eq!((place.file(&attempt, "a.txt"), place.file(&attempt, "b.txt")), ("one".into(), "two".into()));
    nothing_is_doubled(&place, &started.process, &["a.txt", "b.txt"], "Both are done.").await;
    place.assert_told_once("Greet twice.");
}

pub(crate) async fn a_question_outlives_a_crash_of_the_server(agent: &'static Agent) {
    let mut place = Place::new(agent).await;
    let (prompt, file) = place.needs_permission();
    let started = place.start(prompt, May::Ask).await;
    let asked = place.question().await;
    place.server.kill_9().await;
    place.server.restart().await;
    let still = place.question().await;
    assert_eq!(still["id"], asked["id"]);
    assert_eq!(place.questions().await.len(), 1);
    place.answer(&still, true).await;
    let attempt = place.succeeded(&started).await;
    assert_eq!((place.commits(&attempt), place.file(&attempt, file).as_str()), (1, "Hello"));
    nothing_is_doubled(&place, &started.process, &[file], "That was it.").await;
    place.assert_told_once("Greet.");
}

/// One process, in whose transcript each file is written once, and the last words are said once.
async fn nothing_is_doubled(place: &Place, process: &str, files: &[&str], words: &str) {
    let entries = place.entries(process).await;
    for file in files {
        let uses = entries.iter().filter(|entry| {
            entry["entry_type"]["type"] == "tool_use" && entry["entry_type"].to_string().contains(file)
        });
        assert_eq!(uses.count(), 1, "{file}: {entries:#?}");
    }
    let says = |entry: &&serde_json::Value| {
        entry["entry_type"]["type"] == "assistant_message"
            && entry["content"].as_str().unwrap().contains(words)
    };
    assert_eq!(entries.iter().filter(says).count(), 1, "{entries:#?}");
}
