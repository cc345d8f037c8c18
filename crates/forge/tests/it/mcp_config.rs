//! MCP servers in agents' own settings files.

use std::fs;

use forge_testkit::server::TestServer;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{FORGE, code, data, read};

const CLAUDE: &str = "/api/mcp-config?executor=CLAUDE_CODE";
const CODEX: &str = "/api/mcp-config?executor=codex";

#[tokio::test]
async fn servers_are_changed_and_nothing_else_in_the_file() {
    let server = TestServer::start(FORGE).await;
    let path = server.folder().join("home/.claude.json");
    let told = data(server.get(CLAUDE).await);
    assert_eq!(told["config_path"], json!(path));
    let program = &told["mcp_config"]["preconfigured"]["forge"]["command"];
    let forge = json!({"command": program, "args": ["mcp", "--data", server.data()]});
    assert_eq!(
        told["mcp_config"],
        json!({
            "servers": {}, "servers_path": ["mcpServers"], "template": {"mcpServers": {}},
            "preconfigured": {"forge": forge}, "is_toml_config": false,
        })
    );
    assert!(!path.exists(), "looking makes nothing");
    assert_eq!(data(server.post(CLAUDE, json!({"servers": {}})).await), "No MCP servers configured");

    fs::write(&path, "{\n  \"z\": 1.0,\"numStartups\" : 7 }\n").unwrap();
    let one = json!({"command": "npx", "args": ["-y", "x"], "env": {"KEY": "sk-1"}, "timeout": 1.5});
    let two = json!({"type": "http", "url": "https://host/mcp", "headers": {"Authorization": "Bearer sk-2"}});
    let body = json!({"servers": {"one": one, "two": two}});
    assert_eq!(data(server.post(CLAUDE, body).await), "Added 2 MCP server(s)");
    let text = read(&path);
    assert!(text.starts_with("{\n  \"z\": 1.0,\"numStartups\" : 7"), "{text}");
    let written: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(written["mcpServers"], json!({"one": one, "two": two}));

    // Masked when told, and kept when the mask comes back.
    let mut shown = data(server.get(CLAUDE).await)["mcp_config"]["servers"].clone();
    assert_eq!(
        (&shown["one"]["env"]["KEY"], &shown["two"]["headers"]["Authorization"]),
        (&json!("********"), &json!("********"))
    );
    shown["one"]["command"] = json!("bunx");
    shown.as_object_mut().unwrap().remove("two");
    let message = data(server.post(CLAUDE, json!({"servers": shown})).await);
    assert_eq!(message, "Updated MCP server configuration (was 2, now 1)");
    let written: Value = serde_json::from_str(&read(&path)).unwrap();
    assert_eq!(written["mcpServers"]["one"]["env"]["KEY"], "sk-1");
    assert_eq!(written["mcpServers"]["one"]["command"], "bunx");
    assert!(!server.log().contains("sk-"), "a key is in the log");
}

#[tokio::test]
async fn toml_keeps_its_comments_and_links_stay_links() {
    let server = TestServer::start(FORGE).await;
    let home = server.folder().join("home");
    let real = server.folder().join("dotfiles.toml");
    fs::create_dir(home.join(".codex")).unwrap();
    fs::write(&real, "# mine\nmodel = \"o3\" # best\n\n[mcp_servers.old]\ncommand = \"x\"\n\n[tui]\na = 1\n")
        .unwrap();
    std::os::unix::fs::symlink(&real, home.join(".codex/config.toml")).unwrap();
    let told = data(server.get(CODEX).await);
    assert_eq!(told["mcp_config"]["servers"], json!({"old": {"command": "x"}}));
    assert_eq!(told["mcp_config"]["is_toml_config"], true);
    let new = json!({"command": "y", "args": ["a"], "env": {"K": "sk-3"}});
    data(server.post(CODEX, json!({"servers": {"new": new}})).await);
    let text = read(&real);
    assert!(text.starts_with("# mine\nmodel = \"o3\" # best\n") && text.contains("[tui]\na = 1\n"), "{text}");
    assert!(text.contains("[mcp_servers.new]") && !text.contains("old"), "{text}");
    assert!(fs::symlink_metadata(home.join(".codex/config.toml")).unwrap().is_symlink());
    let (status, body) = server.post(CODEX, json!({"servers": {"new": {"command": null}}})).await;
    assert_eq!((status, code(&body)), (422, "mcp_server_invalid"));
    assert_eq!(read(&real), text);
}

#[tokio::test]
async fn every_executor_has_its_file() {
    let server = TestServer::start(FORGE).await;
    let files = [
        ("CLAUDE_CODE", ".claude.json", "mcpServers"),
        ("AMP", ".config/amp/settings.json", "amp.mcpServers"),
        ("GEMINI", ".gemini/settings.json", "mcpServers"),
        ("CODEX", ".codex/config.toml", "mcp_servers"),
        ("OPENCODE", ".config/opencode/opencode.json", "mcp"),
        ("QWEN_CODE", ".qwen/settings.json", "mcpServers"),
        ("CURSOR", ".cursor/mcp.json", "mcpServers"),
        ("COPILOT", ".copilot/mcp-config.json", "mcpServers"),
        ("DROID", ".factory/mcp.json", "mcpServers"),
        ("KILO", ".config/kilo/kilo.json", "mcp"),
    ];
    for (executor, file, key) in files {
        let path = format!("/api/mcp-config?executor={executor}");
        data(server.post(&path, json!({"servers": {"s": {"command": "c"}}})).await);
        let text = read(server.folder().join("home").join(file));
        let written: Value = match text.parse::<toml::Table>() {
            Ok(table) => serde_json::to_value(table).unwrap(),
            Err(_) => serde_json::from_str(&text).unwrap(),
        };
        assert_eq!(written, json!({key: {"s": {"command": "c"}}}), "{executor}");
        assert_eq!(data(server.get(&path).await)["mcp_config"]["servers_path"], json!([key]));
    }
}

#[tokio::test]
async fn forge_itself_is_offered_as_each_file_names_a_program() {
    let server = TestServer::start(FORGE).await;
    let own = fs::canonicalize(FORGE).unwrap();
    let is_own = |program: &Value| fs::canonicalize(program.as_str().unwrap()).unwrap() == own;
    for executor in ["CLAUDE_CODE", "CODEX", "GEMINI", "COPILOT"] {
        let told = data(server.get(&format!("/api/mcp-config?executor={executor}")).await);
        let entry = &told["mcp_config"]["preconfigured"]["forge"];
        assert!(is_own(&entry["command"]), "{entry}");
        assert_eq!(entry["args"], json!(["mcp", "--data", server.data()]));
        assert_eq!(entry["tools"] == json!(["*"]), executor == "COPILOT", "{entry}");
    }
    for executor in ["OPENCODE", "KILO"] {
        let told = data(server.get(&format!("/api/mcp-config?executor={executor}")).await);
        let entry = &told["mcp_config"]["preconfigured"]["forge"];
        assert!(is_own(&entry["command"][0]), "{entry}");
        assert_eq!(entry["command"][1], "mcp");
        assert_eq!((&entry["type"], &entry["enabled"]), (&json!("local"), &json!(true)));
    }
}

#[tokio::test]
async fn what_cannot_be_done_to_servers_is_refused_and_the_file_stays() {
    let server = TestServer::start(FORGE).await;
    let path = server.folder().join("home/.claude.json");
    let text = "{\"mcpServers\": {\"s\": {\"env\": {\"K\": \"sk-1\"}}}}";
    fs::write(&path, text).unwrap();
    let cases = [
        (CLAUDE, json!({}), 422, "wrong_shape"),
        (CLAUDE, json!({"servers": null}), 422, "wrong_shape"),
        (CLAUDE, json!({"servers": []}), 422, "wrong_shape"),
        (CLAUDE, json!({"servers": {"s": "npx"}}), 422, "mcp_server_invalid"),
        (CLAUDE, json!({"servers": {"s": {"env": {"OTHER": "********"}}}}), 422, "mcp_key_unknown"),
        (CLAUDE, json!({"servers": {"t": {"env": {"K": "********"}}}}), 422, "mcp_key_unknown"),
        ("/api/mcp-config?executor=CLAUDECODE", json!({"servers": {}}), 422, "executor_unknown"),
        ("/api/mcp-config?executor=..%2F..%2Fetc", json!({"servers": {}}), 422, "executor_unknown"),
        ("/api/mcp-config", json!({"servers": {}}), 400, "bad_query"),
    ];
    for (path, body, status, expected) in cases {
        let answer = server.post(path, body.clone()).await;
        assert_eq!((answer.0, code(&answer.1)), (status, expected), "{path} {body}");
    }
    let (_, body) = server.get("/api/mcp-config?executor=CLAUDECODE").await;
    assert_eq!(body["error_data"]["hint"], "did you mean CLAUDE_CODE?");
    assert_eq!(read(&path), text);

    for broken in ["{\"mcpServers\": sk-1", "// a comment\n{}", "[]", "{\"mcpServers\": 1}"] {
        fs::write(&path, broken).unwrap();
        for answer in [server.get(CLAUDE).await, server.post(CLAUDE, json!({"servers": {}})).await] {
            assert_eq!((answer.0, code(&answer.1)), (409, "file_unreadable"), "{broken}");
            assert!(!answer.1.to_string().contains("sk-1"), "{}", answer.1);
        }
        assert_eq!(read(&path), broken);
    }
    let plain =
        server.request(Method::POST, CLAUDE).header("content-type", "text/plain").body("{\"servers\":{}}");
    assert_eq!(plain.send().await.unwrap().status(), 415);
}
