//! Keys that the environment or a variant names: in nothing that is kept, and yet with the program that needs them.

use std::fs;
use std::path::Path;

use forge_testkit::gate::Gate;
use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use serde_json::json;

use crate::ground::Ground;
use crate::{FORGE, data};

const KEY: &str = "sk-test-4f1c9e0b7a2d8365";
const OF_VARIANT: &str = "variant\\key \"17\" with corners";

/// Files below a folder that hold one of these.
fn holding(folder: &Path, wanted: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(holding(&path, wanted));
        } else if path.is_file() {
            // The server is at work: what it has just removed holds nothing.
            let bytes = match fs::read(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                read => read.unwrap(),
            };
            let has = |text: &String| bytes.windows(text.len()).any(|window| window == text.as_bytes());
            found.extend(
                wanted.iter().filter(|text| has(text)).map(|text| format!("{} has {text}", path.display())),
            );
        }
    }
    found
}

/// An agent that tells its keys in every way: what it was asked, cut in two, in what a tool gave back, as a complaint, at
/// the end of its output; and then what it got as an answer to a permission, by its length.
const AGENT: &str = r#"
    read -r _; echo '{"type":"control_response","response":{"request_id":"forge-initialize"}}'
    read -r prompt
    case $prompt in *"$TEST_API_KEY"*) asked=whole;; *) asked=cut;; esac
    echo "{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"asked $asked\"}]}}"
    printf '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"it is %s' "${TEST_API_KEY:0:9}"
    printf '%s, really"}]}}\n' "${TEST_API_KEY:9}"
    echo '{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"curl '"$TEST_API_KEY"'"}}]}}'
    echo '{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t","input":{"command":"curl '"$TEST_API_KEY"'"}}}'
    read -r answer
    case $answer in *"curl $TEST_API_KEY"*) allowed=whole;; *) allowed=cut;; esac
    echo '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"token: '"$TEST_API_KEY"'"}]}}'
    escaped=${VARIANT_SECRET//\\/\\\\}; escaped=${escaped//\"/\\\"}
    echo '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"allowed '"$allowed $escaped"'"}]}}'
    echo "key $TEST_API_KEY and $VARIANT_SECRET" >&2
    echo '{"type":"result","subtype":"success","is_error":false,"result":"done with '"$TEST_API_KEY"'"}'
    cat >/dev/null
    printf '%s' "$TEST_API_KEY"
    printf '%s' "${TEST_API_KEY:0:12}" >&2"#;

#[tokio::test]
async fn keys_are_in_nothing_that_is_kept_and_the_program_has_them() {
    let repo = TempRepo::new();
    let agent = repo.beside("agent.bash");
    fs::write(&agent, AGENT).unwrap();
    let setup = Setup::new(FORGE).agent(format!("exec bash {}", agent.display())).env("TEST_API_KEY", KEY);
    let mut ground = Ground::on(setup, repo, json!({})).await;
    let told = data(ground.server.get("/api/profiles").await);
    let mut profiles = json!({"executors": told["executors"]});
    // It asks all the same, and is answered by Forge.
    let mut keyed = profiles["executors"]["CLAUDE_CODE"]["ALLOW_ALL"].clone();
    keyed["CLAUDE_CODE"]["env"] = json!({"VARIANT_SECRET": OF_VARIANT});
    profiles["executors"]["CLAUDE_CODE"]["KEYED"] = keyed;
    let (status, body) = ground.server.put("/api/profiles", profiles).await;
    assert_eq!(status, 200, "{body}");
    let mut body = ground.body(&format!("Use {KEY} for it"));
    body["executor_profile_id"]["variant"] = json!("KEYED");
    let started = crate::ground::Started { answer: data(ground.try_start(body).await) };
    let finished = ground.finished(&started).await;
    assert_eq!(finished["status"], "completed", "{finished}");
    let entries = ground.server.transcript(started.process()).await.rest().await.to_vec();
    let told: Vec<String> = entries.iter().map(ToString::to_string).collect();
    let told = told.join("\n");
    assert!(told.contains("Use [hidden TEST_API_KEY "), "{told}");
    assert!(told.contains("asked whole"), "the program is told what it was asked: {told}");
    assert!(
        told.contains("allowed whole [hidden VARIANT_SECRET "),
        "and gets back what it asked for: {told}"
    );
    assert!(told.contains("it is [hidden TEST_API_KEY "), "{told}");
    assert!(told.contains("token: [hidden TEST_API_KEY "), "{told}");
    assert!(told.contains("key [hidden TEST_API_KEY "), "{told}");
    // A true beginning of a key is no key.
    let raw = format!("{:?}", ground.server.logs(started.process(), 0).await.rest().await);
    assert!(raw.contains(KEY.split_at(12).0) && !raw.contains(KEY), "{raw}");
    let task = data(ground.server.get(&format!("/api/tasks/{}", started.task())).await);
    assert!(task["description"].as_str().unwrap().starts_with("Use [hidden TEST_API_KEY "), "{task}");

    // After a crash the turn is known again by its hidden form, and nothing is told twice.
    ground.server.kill_9().await;
    ground.server.restart().await;
    let again = ground.server.transcript(started.process()).await.rest().await.to_vec();
    assert_eq!(again, entries);
    ground.server.kill_9().await;
    let escaped = serde_json::to_string(OF_VARIANT).unwrap();
    let wanted = [KEY.to_owned(), OF_VARIANT.to_owned(), escaped.trim_matches('"').to_owned()];
    let mut found = holding(&ground.server.data(), &wanted);
    // The person's own settings are the one place where a variant's keys are meant to be.
    found.retain(|place| !place.contains("profiles.json has"));
    assert_eq!(found, Vec::<String>::new());
}

#[tokio::test]
async fn a_prompt_with_a_key_is_told_once_over_a_crash() {
    let setup = Setup::new(FORGE).env("TEST_API_KEY", KEY);
    let mut ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let gate = Gate::new(ground.own("gate"));
    let steps = format!("Use {KEY}.\n@say {KEY}\n@wait-fifo {}\n@say done", gate.path().display());
    let started = ground.start(&steps).await;
    ground.server.transcript(started.process()).await.until(3).await;
    ground.server.kill_9().await;
    ground.server.restart().await;
    gate.open().await;
    assert_eq!(ground.finished(&started).await["status"], "completed");
    let entries = ground.server.transcript(started.process()).await.rest().await.to_vec();
    let told = |kind: &str| entries.iter().filter(|entry| entry["entry_type"]["type"] == kind).count();
    assert_eq!((told("user_message"), told("assistant_message")), (1, 2), "{entries:?}");
}

/// An agent that says a key in two pieces, neither of which is one, and changes a file.
const IN_PIECES: &str = r#"
    send() { printf '{"jsonrpc":"2.0",%s}\n' "$1"; }
    says() {
        said="{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"$1\"}}"
        send "\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":$said}"
    }
    while read -r line; do
        [[ $line =~ \"id\":([^,}]*) ]] && id=${BASH_REMATCH[1]} || id=
        case $line in
        *'"initialize"'*) send "\"id\":$id,\"result\":{\"protocolVersion\":1}" ;;
        *'"session/new"'*) send "\"id\":$id,\"result\":{\"sessionId\":\"s\"}" ;;
        *'"session/prompt"'*)
            echo one > a.txt
            says "It is ${TEST_API_KEY:0:9}"
            says "${TEST_API_KEY:9}, really."
            send "\"id\":$id,\"result\":{\"stopReason\":\"end_turn\"}" ;;
        esac
    done"#;

/// The log has the pieces; what is made of them has no key.
#[tokio::test]
async fn a_key_that_is_said_in_pieces_is_in_neither_transcript_nor_commit() {
    let repo = TempRepo::new();
    let agent = repo.beside("agent.bash");
    fs::write(&agent, IN_PIECES).unwrap();
    let command = json!(["bash", agent]);
    let config = format!("[agents.PIECES]\nmanner.protocol = 'acp'\nprogram.command = {command}");
    let setup = Setup::new(FORGE).config(config).env("TEST_API_KEY", KEY);
    let mut ground = Ground::on(setup, repo, json!({})).await;
    let mut body = ground.body("Tell it");
    body["executor_profile_id"] = json!("PIECES");
    let started = crate::ground::Started { answer: data(ground.try_start(body).await) };
    let finished = ground.finished(&started).await;
    assert_eq!(finished["status"], "completed", "{finished}");
    let messages = ground.repo.git(&["log", "--all", "--format=%B"]);
    assert!(messages.contains("It is [hidden TEST_API_KEY ") && !messages.contains(KEY), "{messages}");
    let entries = ground.server.transcript(started.process()).await.rest().await.to_vec();
    let told: String = entries.iter().map(ToString::to_string).collect();
    assert!(told.contains("It is [hidden TEST_API_KEY ") && !told.contains(KEY), "{told}");
    ground.server.kill_9().await;
    assert_eq!(holding(&ground.server.data(), &[KEY.to_owned()]), Vec::<String>::new());
}
