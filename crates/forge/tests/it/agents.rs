//! The agents of a machine: told without being started, refused where they are not there, and added by a user without a
//! line of Rust.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use forge_testkit::repo::TempRepo;
use forge_testkit::server::{Setup, TestServer};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::ground::Ground;
use crate::{FORGE, code, data, forge, read};

const AGENTS: &str = "/api/agents";

/// An agent as a stranger would write it: it speaks the Agent Client Protocol, notes what it is told, writes a file, and
/// tells what the conversation has cost, ten cents for each turn.
const ACP_AGENT: &str = r#"#!/bin/sh
field() {
    printf '%s' "$line" | sed -n 's/.*"'"$1"'":\("\([^"\\]\|\\.\)*"\|[0-9]*\).*/\1/p'
}
send() {
    printf '{"jsonrpc":"2.0",%s}\n' "$1"
}
while read -r line; do
    id=$(field id)
    case "$line" in
    *'"initialize"'*) send "\"id\":$id,\"result\":{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true}}" ;;
    *'"session/new"'*) send "\"id\":$id,\"result\":{\"sessionId\":\"stranger-1\"}" ;;
    *'"session/load"'*) send "\"id\":$id,\"result\":{}" ;;
    *'"session/prompt"'*)
        printf '{"argv":"%s","extra":"%s","prompt":%s}\n' "$*" "$EXTRA" "$(field text)" >>"$NOTES"
        echo hello >>greeting.txt
        said='{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done it."}}'
        send "\"method\":\"session/update\",\"params\":{\"sessionId\":\"stranger-1\",\"update\":$said}"
        cost='{"sessionUpdate":"usage_update","cost":{"amount":0.'$(sed -n '$=' greeting.txt)',"currency":"USD"}}'
        send "\"method\":\"session/update\",\"params\":{\"sessionId\":\"stranger-1\",\"update\":$cost}"
        send "\"id\":$id,\"result\":{\"stopReason\":\"end_turn\"}"
        ;;
    *'"method"'*) [ -z "$id" ] || send "\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no such method\"}" ;;
    esac
done
"#;

/// A folder of programs, which is all that a server finds.
struct Machine {
    folder: TempDir,
}

impl Machine {
    /// With what Forge itself needs.
    fn bare() -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(machine.bin()).unwrap();
        for name in ["git", "bash", "sh", "sed"] {
            let path = std::env::var_os("PATH").unwrap();
            let found =
                std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
            symlink(found.unwrap(), machine.bin().join(name)).unwrap();
        }
        machine
    }

    fn bin(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    /// A program of this text.
    fn put(&self, name: &str, text: &str) -> &Self {
        let file = self.bin().join(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// A program as npm installs it.
    fn install(&self, name: &str, package: &str, version: &str) -> &Self {
        let folder = self.folder.path().join("lib/node_modules").join(package);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("package.json"), json!({"name": package, "version": version}).to_string())
            .unwrap();
        let noted = self.folder.path().join("started");
        let line = format!("#!/bin/sh\necho \"$0 $*\" >>'{}'\nexit 1\n", noted.display());
        fs::write(folder.join("cli"), line).unwrap();
        fs::set_permissions(folder.join("cli"), fs::Permissions::from_mode(0o755)).unwrap();
        drop(fs::remove_file(self.bin().join(name)));
        symlink(folder.join("cli"), self.bin().join(name)).unwrap();
        self
    }

    /// What was started that nobody wished for.
    fn started(&self) -> String {
        fs::read_to_string(self.folder.path().join("started")).unwrap_or_default()
    }

    fn setup(&self) -> Setup {
        Setup::new(FORGE).without_agent().env("PATH", self.bin())
    }
}

async fn agent(server: &TestServer, name: &str) -> Value {
    let all = data(server.get(AGENTS).await);
    let found = all.as_array().unwrap().iter().find(|agent| agent["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {all}")).clone()
}

fn put_file(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "{}").unwrap();
}

#[tokio::test]
async fn every_agent_is_told_with_what_to_do_and_none_is_started() {
    let machine = Machine::bare();
    machine
        .install("gemini", "@google/gemini-cli", "0.61.0")
        .install("qwen", "@qwen-code/qwen-code", "0.24.4")
        .install("claude", "@anthropic-ai/claude-code", "1.0.9")
        .install("npx", "npm", "10.0.0")
        .put("copilot", "#!/bin/sh\nexit 1\n");
    let server = machine.setup().env("GEMINI_API_KEY", "sk-secret").start().await;
    let all = data(server.get(AGENTS).await);
    let contract = [
        "CLAUDE_CODE",
        "AMP",
        "GEMINI",
        "CODEX",
        "OPENCODE",
        "QWEN_CODE",
        "CURSOR_AGENT",
        "COPILOT",
        "GOOSE",
    ];
    for (agent, name) in all.as_array().unwrap().iter().zip(contract) {
        assert_eq!(agent["name"], name);
    }
    assert!(!all.to_string().contains("sk-secret"));

    let gemini = agent(&server, "GEMINI").await;
    let path = machine.bin().join("gemini");
    for (key, value) in [
        ("title", json!("Gemini CLI")),
        ("protocol", json!("acp")),
        ("available", json!(true)),
        ("lacks", json!(null)),
        ("installed", json!(true)),
        ("path", json!(path)),
        ("version", json!("0.61.0")),
        ("tested_version", json!("0.61.0")),
        ("logged_in", json!("yes")),
        ("how_to_fix", json!(null)),
        ("variants", json!(["ALLOW_ALL", "FLASH", "GENIE"])),
        ("capabilities", json!(["SESSION_FORK"])),
        ("docs", json!("docs/agents/gemini.md")),
    ] {
        assert_eq!(gemini[key], value, "{key}");
    }

    // Logged in by a file, and as good as not.
    let qwen = agent(&server, "QWEN_CODE").await;
    assert_eq!((&qwen["logged_in"], &qwen["available"]), (&json!("no"), &json!(true)));
    assert!(qwen["how_to_fix"].as_str().unwrap().contains("`qwen`"), "{qwen}");
    put_file(&server.folder().join("home/.qwen/settings.json"));
    assert_eq!(agent(&server, "QWEN_CODE").await["logged_in"], "unknown");
    put_file(&server.folder().join("home/.qwen/oauth_creds.json"));
    let qwen = agent(&server, "QWEN_CODE").await;
    assert_eq!((&qwen["logged_in"], &qwen["how_to_fix"]), (&json!("yes"), &json!(null)));

    let claude = agent(&server, "CLAUDE_CODE").await;
    assert_eq!((&claude["lacks"]["code"], &claude["version"]), (&json!("wrong_version"), &json!("1.0.9")));
    assert!(claude["how_to_fix"].as_str().unwrap().contains("@latest"), "{claude}");
    let copilot = agent(&server, "COPILOT").await;
    assert_eq!((&copilot["installed"], &copilot["version"]), (&json!(true), &json!(null)));
    let codex = agent(&server, "CODEX").await;
    assert_eq!((&codex["installed"], &codex["lacks"]["code"]), (&json!(false), &json!("not_installed")));
    assert!(codex["how_to_fix"].as_str().unwrap().contains("npm install -g @openai/codex"), "{codex}");
    assert_eq!(machine.started(), "");
}

#[tokio::test]
async fn the_settings_of_an_agent_are_a_schema_to_draw_a_form_from() {
    let server = TestServer::start(FORGE).await;
    for agent in data(server.get(AGENTS).await).as_array().unwrap() {
        let path = format!("{AGENTS}/{}/schema", agent["name"].as_str().unwrap());
        let schema = data(server.get(&path).await);
        assert_eq!(
            (&schema["type"], &schema["$schema"]),
            (&json!("object"), &json!("http://json-schema.org/draft-07/schema#"))
        );
        for name in ["append_prompt", "base_command_override", "additional_params", "env"] {
            assert!(schema["properties"][name]["description"].is_string(), "{path} {name}");
        }
    }
    let codex = data(server.get("/api/agents/codex/schema").await);
    let sandbox = json!(["auto", "read-only", "workspace-write", "danger-full-access", null]);
    assert_eq!(codex["properties"]["sandbox"]["enum"], sandbox);
    assert_eq!(codex["properties"]["oss"]["type"], json!(["boolean", "null"]));
    let (status, answer) = server.get("/api/agents/CODX/schema").await;
    assert_eq!((status, code(&answer)), (422, "executor_unknown"));
    assert_eq!(answer["error_data"]["hint"], "did you mean CODEX?");
}

#[tokio::test]
async fn nothing_is_downloaded_without_the_users_wish() {
    let machine = Machine::bare();
    machine.install("npx", "npm", "10.0.0");
    for (config, expected) in [
        ("", (503, "not_installed", "")),
        ("downloads = true", (200, "", "--package @google/gemini-cli@0.61.0 gemini")),
    ] {
        let ground = Ground::on(machine.setup().config(config), TempRepo::new(), json!({})).await;
        let mut body = ground.body("hello");
        body["executor_profile_id"] = json!("GEMINI");
        let (status, answer) = ground.try_start(body).await;
        let (expected_status, expected_code, started) = expected;
        assert_eq!(status, expected_status, "{answer}");
        let told = agent(&ground.server, "GEMINI").await;
        assert_eq!(told["downloads"], json!(status == 200), "{told}");
        if status == 200 {
            let attempt = answer["data"]["attempt_id"].as_str().unwrap();
            ground.server.until_attempt(attempt, crate::is_finished).await;
        } else {
            assert_eq!(code(&answer), expected_code);
            assert!(answer["error_data"]["hint"].as_str().unwrap().contains("downloads = true"), "{answer}");
            ground.nothing_is_left().await;
        }
        assert!(machine.started().contains(started), "{}", machine.started());
        assert_eq!(machine.started().is_empty(), started.is_empty());
    }
}

#[tokio::test]
async fn a_program_that_is_too_old_is_refused_and_nothing_is_left() {
    let machine = Machine::bare();
    machine.install("claude", "@anthropic-ai/claude-code", "1.0.9");
    let ground = Ground::on(machine.setup(), TempRepo::new(), json!({})).await;
    let (status, answer) = ground.try_start(ground.body("hello")).await;
    assert_eq!((status, code(&answer)), (503, "wrong_version"));
    assert!(answer["error_data"]["hint"].as_str().unwrap().contains("npm install"), "{answer}");
    ground.nothing_is_left().await;
    assert_eq!(machine.started(), "");
}

#[tokio::test]
async fn a_user_adds_an_agent_in_the_configuration_file() {
    let machine = Machine::bare();
    machine.put("stranger", ACP_AGENT);
    let notes = machine.folder.path().join("notes");
    let config = "[agents.stranger]\nmanner.protocol = 'acp'\nprogram.command = ['stranger', '--acp']\n";
    let setup = machine.setup().config(config).env("NOTES", &notes);
    let mut ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    assert_eq!(agent(&ground.server, "STRANGER").await["variants"], json!(["ALLOW_ALL", "GENIE"]));
    // Its variants are kept as any other's.
    let mut document = data(ground.server.get("/api/profiles").await)["executors"].clone();
    let mine = json!({"STRANGER": {"additional_params": ["--fast"], "env": {"EXTRA": "1"}, "append_prompt": "Be brief."}});
    document["STRANGER"]["MINE"] = mine;
    data(ground.server.put("/api/profiles", json!({"executors": document})).await);
    ground.server.kill_9().await;
    ground.server.restart().await;

    let mut body = ground.body("greet");
    body["executor_profile_id"] = json!("stranger:mine");
    let answer = data(ground.try_start(body).await);
    let attempt = answer["attempt_id"].as_str().unwrap();
    let finished = ground.server.until_attempt(attempt, crate::is_finished).await;
    assert_eq!(finished["status"], "completed", "{finished}");
    let path = format!("/api/task-attempts/{attempt}/follow-up");
    data(ground.server.post(&path, json!({"prompt": "once more"})).await);
    ground.server.until_attempt(attempt, crate::is_finished).await;

    let noted: Vec<Value> = read(&notes).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(noted.len(), 2, "{noted:#?}");
    for note in &noted {
        assert_eq!((&note["argv"], &note["extra"]), (&json!("--acp --fast"), &json!("1")));
    }
    let first = noted[0]["prompt"].as_str().unwrap();
    assert!(first.starts_with("Be brief.\n\n---\n\n") && first.ends_with("greet"), "{first}");
    assert_eq!(noted[1]["prompt"], "once more");
    // What the person asked for is what the person sees.
    let processes =
        data(ground.server.get(&format!("/api/execution-processes?task_attempt_id={attempt}")).await);
    assert!(!processes.to_string().contains("Be brief"), "{processes}");
    let process = processes[0]["id"].as_str().unwrap();
    let mut transcript = ground.server.transcript(process).await;
    let said: Vec<_> = transcript.rest().await.iter().map(|entry| entry["content"].clone()).collect();
    assert_eq!(said.last().unwrap(), "Done it.", "{said:?}");
    assert!(said.iter().any(|said| said.as_str().unwrap().ends_with("greet")), "{said:?}");
    assert!(!said.iter().any(|said| said.as_str().unwrap().contains("Be brief")), "{said:?}");
    let branch = finished["branch"].as_str().unwrap();
    assert_eq!(ground.repo.git(&["show", &format!("{branch}:greeting.txt")]), "hello\nhello");
}

#[tokio::test]
async fn a_turn_costs_what_its_conversation_costs_more() {
    for keeps in ["false", "true"] {
        let machine = Machine::bare();
        machine.put("stranger", ACP_AGENT);
        let manner = format!("manner = {{ protocol = 'acp', keeps = {keeps} }}");
        let config = format!("[agents.stranger]\n{manner}\nprogram.command = ['stranger']\n");
        let setup = machine.setup().config(config).env("NOTES", machine.folder.path().join("notes"));
        let ground = Ground::on(setup, TempRepo::new(), json!({})).await;
        let mut body = ground.body("greet");
        body["executor_profile_id"] = json!("STRANGER");
        let answer = data(ground.try_start(body).await);
        let attempt = answer["attempt_id"].as_str().unwrap();
        ground.server.until_attempt(attempt, crate::is_finished).await;
        for _ in 0..2 {
            let path = format!("/api/task-attempts/{attempt}/follow-up");
            data(ground.server.post(&path, json!({"prompt": "once more"})).await);
            ground.server.until_attempt(attempt, crate::is_finished).await;
        }
        let processes =
            data(ground.server.get(&format!("/api/execution-processes?task_attempt_id={attempt}")).await);
        let costs: Vec<_> =
            processes.as_array().unwrap().iter().map(|process| &process["usage"]["cost_usd"]).collect();
        assert_eq!(costs, [0.1, 0.1, 0.1], "{keeps}: {processes:#}");
        let used = data(ground.server.get(&format!("/api/task-attempts/{attempt}/usage")).await);
        assert_eq!(used["cost_usd"], 0.3);
    }
}

#[tokio::test]
async fn a_user_adds_a_plain_command_in_the_configuration_file() {
    let machine = Machine::bare();
    machine.put("tool", "#!/bin/sh\nprintf '%s\\n' \"$2\" >told.txt\necho \"I was told: $2\"\n");
    let config =
        "[agents.tool]\nmanner.protocol = 'lines'\nprogram.command = ['tool', '--prompt', '{prompt}']\n";
    let ground = Ground::on(machine.setup().config(config), TempRepo::new(), json!({})).await;
    let mut body = ground.body("it's \"quoted\" $HOME");
    body["executor_profile_id"] = json!("TOOL");
    let answer = data(ground.try_start(body).await);
    let attempt = answer["attempt_id"].as_str().unwrap();
    let finished = ground.server.until_attempt(attempt, crate::is_finished).await;
    assert_eq!(finished["status"], "completed", "{finished}");
    let branch = finished["branch"].as_str().unwrap();
    let told = ground.repo.git(&["show", &format!("{branch}:told.txt")]);
    assert!(told.ends_with("it's \"quoted\" $HOME"), "{told}");
}

#[tokio::test]
async fn a_description_that_cannot_be_is_refused_at_the_start_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    let cases = [
        (
            "port = 0\n[agents.MINE]\nmanner.protocol = 'telnet'\n",
            &["config.toml", "line 3", "telnet", "acp"][..],
        ),
        (
            "[agents.MINE]\nmanner.protocol = 'acp'\nprogram.comand = ['x']\n",
            &["line 3", "comand", "command"],
        ),
        (
            "[agents.MINE]\nmanner.protocol = 'acp'\nprogram.command = []\n",
            &["`MINE`", "has no program", "program.command ="],
        ),
        (
            "[agents.GEMINI]\nmanner.protocol = 'acp'\nprogram.command = ['x']\n",
            &["has a name of GEMINI", "[executors.GEMINI]"],
        ),
        ("[executors.GEMNI]\ncommand = ['x']\n", &["`GEMNI`", "did you mean GEMINI?"]),
    ];
    for (text, expected) in cases {
        fs::write(&file, text).unwrap();
        let data = folder.path().join("data");
        let args = ["serve", "--config", file.to_str().unwrap(), "--data", data.to_str().unwrap()];
        let output = forge(&args, &[]).await;
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{told}");
        for word in expected {
            assert!(told.contains(word), "{word}: {told}");
        }
    }
}
