//! Agents that speak the Agent Client Protocol, as a user describes them: what the recorded ones do not do.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::ground::{Ground, Started};
use crate::{FORGE, data, read};

/// It notes each request with the program's number, knows one way to set a model, and asks twice under one id where its
/// prompt wants that.
const AGENT: &str = r#"#!/bin/sh
field() {
    printf '%s' "$line" | sed -n 's/.*"'"$1"'":\("\([^"\\]\|\\.\)*"\|[0-9]*\).*/\1/p'
}
send() {
    printf '{"jsonrpc":"2.0",%s}\n' "$1"
}
note() {
    printf '%s %s\n' "$$" "$1" >>"$NOTES"
}
ask() {
    options='[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]'
    call="{\"toolCallId\":\"$1\",\"title\":\"$1\",\"kind\":\"execute\",\"rawInput\":{\"command\":\"$1\"}}"
    send "\"id\":7,\"method\":\"session/request_permission\",\"params\":{\"sessionId\":\"s\",\"toolCall\":$call,\"options\":$options}"
    read -r line
    note "$1 $(field optionId)"
}
while read -r line; do
    id=$(field id)
    case "$line" in
    *'"initialize"'*) send "\"id\":$id,\"result\":{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true}}" ;;
    *'"session/new"'*) send "\"id\":$id,\"result\":{\"sessionId\":\"s\"}" ;;
    *'"session/load"'*) send "\"id\":$id,\"result\":{}" ;;
    *'"session/set_model"'*) note "model $(field modelId)"; send "\"id\":$id,\"result\":{}" ;;
    *'"session/set_mode"'*) note "mode $(field modeId)"; send "\"id\":$id,\"result\":{}" ;;
    *'"session/prompt"'*)
        note prompt
        case "$line" in *twice*) ask first; ask second ;; esac
        said='{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done it."}}'
        send "\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":$said}"
        send "\"id\":$id,\"result\":{\"stopReason\":\"end_turn\"}"
        ;;
    *'"method"'*) [ -z "$id" ] || send "\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no such method\"}" ;;
    esac
done
"#;

/// A server that has an agent of this text, with more about it in its description.
struct Place {
    ground: Ground,
    folder: TempDir,
}

impl Place {
    async fn new(agent: &str, more: &str) -> Self {
        Self::with(agent, more, json!({})).await
    }

    /// The same, for a project with these fields.
    async fn with(agent: &str, more: &str, fields: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("agent");
        fs::write(&file, agent).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        let command = json!([file]);
        let config =
            format!("[agents.stranger]\nmanner.protocol = 'acp'\nprogram.command = {command}\n{more}\n");
        let setup = Setup::new(FORGE).keeping(30.0).config(config).env("NOTES", folder.path().join("notes"));
        Self { ground: Ground::on(setup, TempRepo::new(), fields).await, folder }
    }

    async fn start(&self, prompt: &str) -> Started {
        self.ground.start_as("STRANGER", prompt).await
    }

    /// What the agent noted, with the number of the program that did.
    fn notes(&self) -> Vec<(u32, String)> {
        let notes = read(self.folder.path().join("notes"));
        let note = |line: &str| {
            let (pid, what) = line.split_once(' ').unwrap();
            (pid.parse().unwrap(), what.to_owned())
        };
        notes.lines().map(note).collect()
    }

    fn noted(&self) -> Vec<String> {
        self.notes().into_iter().map(|(_, what)| what).collect()
    }

    /// The only question that waits, once it is this one.
    async fn question(&self, message: &str) -> String {
        let mut events = self.ground.server.events(None).await;
        loop {
            let pending = data(self.ground.server.get("/api/approvals/pending").await);
            if let Some(one) = pending.as_array().unwrap().iter().find(|one| one["message"] == message) {
                return one["id"].as_str().unwrap().to_owned();
            }
            events.next_of(&["approval_update"]).await;
        }
    }

    async fn answer(&self, question: &str, approved: bool) {
        let path = format!("/api/approvals/{question}/respond");
        data(self.ground.server.post(&path, json!({"approved": approved})).await);
    }

    async fn entries(&self, process: &Value) -> Vec<Value> {
        self.ground.server.transcript(process["id"].as_str().unwrap()).await.rest().await.to_vec()
    }
}

#[tokio::test]
async fn an_agent_that_never_answers_ends_its_turn_as_a_failure_that_says_what_to_do() {
    let place = Place::new("#!/bin/sh\nexec cat >/dev/null\n", "manner.quirks.opening_ms = 300").await;
    let started = place.start("hello").await;
    let mut live = place.ground.server.transcript(started.process()).await;
    let attempt = place.ground.finished(&started).await;
    assert_eq!(attempt["reason"]["code"], "agent_failed", "{attempt}");
    let message = attempt["reason"]["message"].as_str().unwrap();
    assert!(message.contains("did not answer `initialize` within 1 s"), "{message}");
    assert!(message.contains("Run it in a terminal"), "{message}");
    let entries = live.rest().await;
    assert!(is_named(entries, &attempt, "other"), "{entries:#?}");
}

/// Whether a transcript ends with why the turn failed and what to do about it, as the attempt has them.
fn is_named(entries: &[Value], attempt: &Value, kind: &str) -> bool {
    let told = |field: &str| attempt["reason"][field].as_str().unwrap().to_owned();
    let last = entries.last().unwrap();
    let content = last["content"].as_str().unwrap();
    last["entry_type"] == json!({"type": "error_message", "error_type": {"type": kind}})
        && content.contains(&told("message"))
        && content.ends_with(&told("hint"))
}

#[tokio::test]
async fn an_agent_that_is_gone_when_its_turn_comes_is_named_in_a_transcript_too() {
    let fields = json!({"setup_script": "rm \"$(dirname \"$NOTES\")/agent\""});
    let place = Place::with(AGENT, "", fields).await;
    let started = place.start("hello").await;
    let attempt = place.ground.finished(&started).await;
    assert_eq!(attempt["reason"]["code"], "not_installed", "{attempt}");
    let processes = place.ground.processes(&started).await;
    let entries = place.entries(&processes[1]).await;
    assert_eq!(entries.len(), 1, "{entries:#?}");
    assert!(is_named(&entries, &attempt, "setup_required"), "{entries:#?}");
}

#[tokio::test]
async fn an_agent_that_was_given_up_is_told_of_as_that_also_after_a_crash() {
    let mut place = Place::new("#!/bin/sh\nexec cat >/dev/null\n", "manner.quirks.opening_ms = 300").await;
    place.ground.server.set_env("FORGE_CRASH_AT", "process-ended");
    place.ground.server.kill_9().await;
    place.ground.server.restart().await;
    let mut body = place.ground.body("hello");
    body["executor_profile_id"] = json!({ "executor": "STRANGER" });
    let start = place.ground.server.request(Method::POST, "/api/tasks/create-and-start");
    // Whether it still answers does not matter.
    drop(start.header("Idempotency-Key", "once").json(&body).send().await);
    place.ground.server.ended().await;
    place.ground.server.unset_env("FORGE_CRASH_AT");
    place.ground.server.restart().await;
    let started = Started { answer: data(place.ground.try_start_under("once", &body).await) };
    let attempt = place.ground.finished(&started).await;
    assert_eq!(attempt["reason"]["code"], "agent_failed", "{attempt}");
    let message = attempt["reason"]["message"].as_str().unwrap();
    assert!(message.contains("did not answer `initialize` within 1 s"), "{message}");
}

/// An agent that does something else when it is to use another model.
fn with_model(answer: &str) -> String {
    let usual = r#"note "model $(field modelId)"; send "\"id\":$id,\"result\":{}""#;
    assert!(AGENT.contains(usual));
    AGENT.replace(usual, &format!(r#"note "model $(field modelId)"; {answer}"#))
}

#[tokio::test]
async fn a_model_that_was_refused_is_told_of_and_asked_for_again() {
    let refuses = r#"send "\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no such method\"}""#;
    let place = Place::new(&with_model(refuses), "manner.keeps = true").await;
    let started = place.start("hello").await;
    place.ground.finished(&started).await;
    let path = format!("/api/task-attempts/{}/follow-up", started.attempt());
    for _ in 0..2 {
        let process =
            data(place.ground.server.post(&path, json!({"prompt": "more", "model": "large"})).await);
        let attempt = place.ground.finished(&started).await;
        assert_eq!(attempt["outcome"], "succeeded", "{attempt}");
        let entries = place.entries(&process).await;
        let refusal = |entry: &Value| entry["content"].as_str().unwrap().starts_with("session/set_model: ");
        assert_eq!(entries.iter().filter(|entry| refusal(entry)).count(), 1, "{entries:#?}");
    }
    assert_eq!(place.noted(), ["prompt", "model \"large\"", "prompt", "model \"large\"", "prompt"]);
    let notes = place.notes();
    assert!(notes.iter().all(|(pid, _)| *pid == notes[0].0), "one program took all turns: {notes:?}");
}

#[tokio::test]
async fn an_agent_that_was_kept_and_went_before_its_prompt_is_started_anew() {
    // Its first program does not live to be told another model.
    let dies = r#"[ "$(wc -l <"$NOTES")" -gt 2 ] || exit 1; send "\"id\":$id,\"result\":{}""#;
    let place = Place::new(&with_model(dies), "manner.keeps = true").await;
    let started = place.start("hello").await;
    place.ground.finished(&started).await;
    let path = format!("/api/task-attempts/{}/follow-up", started.attempt());
    data(place.ground.server.post(&path, json!({"prompt": "more", "model": "large"})).await);
    let attempt = place.ground.finished(&started).await;
    assert_eq!(attempt["outcome"], "succeeded", "{attempt}");
    assert_eq!(place.noted(), ["prompt", "model \"large\"", "model \"large\"", "prompt"]);
    assert_eq!(place.ground.processes(&started).await.len(), 2);
}

#[tokio::test]
async fn a_question_under_an_id_that_was_answered_before_is_asked_anew_also_after_a_crash() {
    let mut place = Place::new(AGENT, "").await;
    let started = place.start("ask twice").await;
    let first = place.question("first").await;
    place.answer(&first, true).await;
    let second = place.question("second").await;
    assert_ne!(second, first);
    place.ground.server.kill_9().await;
    place.ground.server.restart().await;
    assert_eq!(place.question("second").await, second, "it is the same question when the log is read again");
    assert_eq!(place.noted(), ["prompt", "first \"y\""]);
    place.answer(&second, false).await;
    let attempt = place.ground.finished(&started).await;
    assert_eq!(attempt["outcome"], "succeeded", "{attempt}");
    assert_eq!(place.noted(), ["prompt", "first \"y\"", "second \"n\""]);
    let processes = place.ground.processes(&started).await;
    let entries = place.entries(&processes[0]).await;
    let status = |title: &str| {
        let is_it = |entry: &&Value| entry["metadata"]["tool_call_id"] == title;
        let entry = entries.iter().rfind(is_it).unwrap_or_else(|| panic!("no {title} in {entries:#?}"));
        entry["entry_type"]["status"]["status"].clone()
    };
    assert_ne!(status("first"), "denied");
    assert_eq!(status("second"), "denied", "{entries:#?}");
}

#[tokio::test]
async fn an_agent_that_was_kept_is_told_of_another_model_and_mode() {
    let place = Place::new(AGENT, "manner.keeps = true").await;
    let started = place.start("hello").await;
    place.ground.finished(&started).await;
    let path = format!("/api/task-attempts/{}/follow-up", started.attempt());
    let body = json!({"prompt": "more", "model": "large", "mode": "plan"});
    let process = data(place.ground.server.post(&path, body).await);
    let attempt = place.ground.finished(&started).await;
    assert_eq!(attempt["outcome"], "succeeded", "{attempt}");
    assert_eq!(place.noted(), ["prompt", "model \"large\"", "mode \"plan\"", "prompt"]);
    let notes = place.notes();
    assert!(notes.iter().all(|(pid, _)| *pid == notes[0].0), "one program took both turns: {notes:?}");
    // It was tried another way first; nobody needs to see that.
    let entries = place.entries(&process).await;
    let is_error = |entry: &Value| entry["entry_type"]["type"] == "error_message";
    assert!(!entries.iter().any(is_error), "{entries:#?}");
    let offers =
        data(place.ground.server.get(&format!("/api/task-attempts/{}/offers", started.attempt())).await);
    assert_eq!((&offers["model"], &offers["mode"]), (&json!("large"), &json!("plan")));
}
