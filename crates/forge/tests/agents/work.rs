//! What an agent is for: it works, it is told more, it is stopped.

use std::collections::BTreeSet;

use forge_testkit::agents::Agent;
use serde_json::{Value, json};

use crate::place::{May, Place, data, worktree};

const FIRST: &str = "Create the greeting. [[write hello.txt|Hello from the stub.]] [[say I greeted.]]";
// Read first: some agents refuse to edit what they have not read in this process.
const NEXT: &str =
    "Change it now. [[read hello.txt]] [[edit hello.txt|Hello from|Hello again from]] [[say I changed it.]]";

pub(crate) async fn it_edits_and_its_work_is_committed_and_told(agent: &'static Agent) {
    let place = Place::new(agent).await;
    let started = place.start(FIRST, May::All).await;
    let attempt = place.succeeded(&started).await;
    assert_eq!(
        (place.commits(&attempt), place.file(&attempt, "hello.txt").as_str()),
        (1, "Hello from the stub.")
    );

    let entries = place.entries(&started.process).await;
    let is_edit = |entry: &&Value| entry["entry_type"]["action_type"]["action"] == "file_edit";
    let edits: Vec<_> = entries.iter().filter(is_edit).collect();
    assert_eq!(edits.len(), 1, "{entries:#?}");
    let edit = &edits[0]["entry_type"];
    assert_eq!(
        (&edit["type"], &edit["status"]["status"]),
        (&json!("tool_use"), &json!("success")),
        "{edit:#}"
    );
    assert_eq!(edit["action_type"]["path"], "hello.txt", "{edit:#}");
    assert!(edit["action_type"]["changes"].to_string().contains("Hello from the stub."), "{edit:#}");
    let last = entries.iter().rfind(|entry| entry["entry_type"]["type"] == "assistant_message");
    assert_eq!(last.unwrap()["content"].as_str().unwrap().trim(), "I greeted.", "{entries:#?}");
}

pub(crate) async fn a_follow_up_goes_on_with_the_conversation(agent: &'static Agent) {
    goes_on(&Place::new(agent).await).await;
}

pub(crate) async fn another_program_takes_the_conversation_up(agent: &'static Agent) {
    goes_on(&Place::keeping_none(agent).await).await;
}

async fn goes_on(place: &Place) {
    let started = place.start(FIRST, May::All).await;
    place.succeeded(&started).await;
    let process = place.follow_up(&started, NEXT).await;
    let attempt = place.succeeded(&started).await;
    assert_eq!(
        (place.commits(&attempt), place.file(&attempt, "hello.txt").as_str()),
        (2, "Hello again from the stub.")
    );
    assert!(place.was_told("Create the greeting."), "the model hears what was said before");
    let entries = place.entries(&process).await;
    let texts: Vec<_> = entries.iter().map(|entry| entry["content"].as_str().unwrap().trim()).collect();
    assert!(texts.contains(&"I changed it."), "{texts:?}");
    assert!(!texts.contains(&"I greeted."), "what was said before is not told again: {texts:?}");
    let ends: Vec<_> =
        place.processes(&started).await.iter().map(|process| process["status"].clone()).collect();
    assert_eq!(ends, ["completed", "completed"]);
}

pub(crate) async fn another_model_is_told_to_the_program_that_waits(agent: &'static Agent) {
    // Gemini takes only what it knows; the others take any.
    let model = "gemini-2.5-pro";
    let place = Place::new(agent).await;
    let started = place.start(FIRST, May::All).await;
    place.succeeded(&started).await;
    assert!(!place.model.models().contains(&model.to_owned()), "{:?}", place.model.models());
    let path = format!("/api/task-attempts/{}/follow-up", started.attempt);
    let process = data(place.server.post(&path, json!({"prompt": NEXT, "model": model})).await);
    let attempt = place.succeeded(&started).await;
    assert_eq!(place.file(&attempt, "hello.txt"), "Hello again from the stub.");
    assert_eq!(place.model.models().last().unwrap(), model);
    let folder = place.server.data().join("processes").join(process["id"].as_str().unwrap());
    let turn: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("turn.json")).unwrap()).unwrap();
    assert_eq!(turn["warm"], json!(true), "no other program was started for it");
    let entries = place.entries(process["id"].as_str().unwrap()).await;
    let said: Vec<_> = entries.iter().filter(|entry| entry["entry_type"]["type"] == "user_message").collect();
    assert_eq!(said.len(), 1, "{entries:#?}");
}

pub(crate) async fn what_its_turns_used_up_is_counted(agent: &'static Agent) {
    let place = Place::new(agent).await;
    let started = place.start(FIRST, May::All).await;
    place.succeeded(&started).await;
    let path = format!("/api/task-attempts/{}/usage", started.attempt);
    let count = |usage: &Value, what: &str| usage[what].as_u64().unwrap();
    let first = data(place.server.get(&path).await);
    assert!(count(&first, "input_tokens") > 0 && count(&first, "output_tokens") > 0, "{first:#}");
    assert_eq!(place.processes(&started).await[0]["usage"], first);

    place.follow_up(&started, NEXT).await;
    place.succeeded(&started).await;
    let both = data(place.server.get(&path).await);
    let second = place.processes(&started).await[1]["usage"].clone();
    for what in ["input_tokens", "cached_tokens", "output_tokens"] {
        assert_eq!(count(&both, what), count(&first, what) + count(&second, what), "{what} of {second:#}");
    }
    assert!(count(&second, "output_tokens") > 0, "{second:#}");
    // Those that tell a cost tell that of the conversation.
    let cost = |usage: &Value| usage["cost_usd"].as_f64();
    assert_eq!(cost(&first).map(|cost| cost > 0.0), cost(&second).map(|cost| cost > 0.0), "{both:#}");
}

pub(crate) async fn an_interrupt_ends_the_turn_and_the_conversation_goes_on(agent: &'static Agent) {
    let place = Place::new(agent).await;
    let started = place.start(FIRST, May::All).await;
    place.succeeded(&started).await;
    let pause = place.model.pause("thinks");
    if agent.speaks_late {
        place.follow_up(&started, &format!("Think first. {}", pause.step())).await;
        pause.reached().await;
    } else {
        let process = place.follow_up(&started, "Count slowly. [[slow 100]]").await;
        place.server.logs(&process, 0).await.until("tick").await;
    }
    place.post(&started, "interrupt").await;
    let attempt = place.finished(&started).await;
    assert_eq!(attempt["outcome"], "stopped", "{attempt:#}");
    place.follow_up(&started, NEXT).await;
    let attempt = place.succeeded(&started).await;
    assert_eq!(place.file(&attempt, "hello.txt"), "Hello again from the stub.");
    // Not what was interrupted: some agents forget that.
    assert!(place.was_told("Create the greeting."), "the model hears what was said before");
}

pub(crate) async fn an_interrupt_ends_the_command_that_runs(agent: &'static Agent) {
    let place = Place::new(agent).await;
    let gate = forge_testkit::gate::Gate::new(place.server.folder().join("gate"));
    // Not a bare `sleep`, which Claude Code refuses.
    let command =
        format!("echo $$ > pid; echo here > '{}'; for n in 1 2 3; do sleep 100; done", gate.path().display());
    let started = place.start(&format!("Run it. [[run {command}]]"), May::All).await;
    gate.reached().await;
    place.post(&started, "interrupt").await;
    let attempt = place.finished(&started).await;
    assert_eq!(attempt["outcome"], "stopped", "{attempt:#}");
    let pid = std::fs::read_to_string(worktree(&attempt).join("pid")).unwrap();
    place.server.family().gone(pid.trim().parse().unwrap()).await;
}

pub(crate) async fn a_stop_leaves_nothing_running_and_keeps_what_was_written(agent: &'static Agent) {
    let place = Place::new(agent).await;
    let pause = place.model.pause("thinks");
    let prompt = format!("Greet. [[write a.txt|one]] {} [[say never said]]", pause.step());
    let started = place.start(&prompt, May::All).await;
    pause.reached().await;
    place.post(&started, "stop").await;
    let attempt = place.finished(&started).await;
    assert_eq!(attempt["outcome"], "stopped", "{attempt:#}");
    assert_eq!(place.processes(&started).await[0]["status"], "killed");
    assert_eq!(std::fs::read_to_string(worktree(&attempt).join("a.txt")).unwrap().trim(), "one");
    // A host has a little to do after it told of the end.
    place.server.family().settle(place.server.pid(), &BTreeSet::new()).await;
}
