//! The configuration, what the server tells about itself, and sounds.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use forge_testkit::server::{Setup, TestServer};
use reqwest::Method;
use serde_json::{Value, json};

use crate::ground::Ground;
use crate::{FORGE, code, data, read};

const CONFIG: &str = "/api/config";

async fn config(server: &TestServer) -> Value {
    data(server.get(CONFIG).await)
}

#[tokio::test]
async fn a_part_of_the_configuration_is_changed_and_survives_a_crash() {
    let mut server = TestServer::start(FORGE).await;
    let first = config(&server).await;
    assert_eq!(first["config_version"], "v7");
    assert_eq!(first["executor_profile"], json!({"executor": "CLAUDE_CODE", "variant": null}));
    assert_eq!(first["git_branch_prefix"], "forge");
    assert_eq!(first["notifications"]["sound_file"], "GENIE_NOTIFY1");

    let change = json!({
        "theme": "DARK",
        "editor": {"editor_type": "CUSTOM", "custom_command": "vi"},
        "executor_profile": "claude-code:plan",
        "a_newer_client": {"ratio": 1.5, "big": 18_446_744_073_709_551_615_u64, "none": null},
    });
    let changed = data(server.put(CONFIG, change).await);
    let mut expected = first.clone();
    expected["theme"] = json!("DARK");
    expected["editor"]["editor_type"] = json!("CUSTOM");
    expected["editor"]["custom_command"] = json!("vi");
    expected["executor_profile"] = json!({"executor": "CLAUDE_CODE", "variant": "PLAN"});
    expected["a_newer_client"] = json!({"ratio": 1.5, "big": 18_446_744_073_709_551_615_u64, "none": null});
    assert_eq!(changed, expected);

    server.kill_9().await;
    server.restart().await;
    assert_eq!(config(&server).await, expected);
    // Null clears, missing keeps.
    let cleared = data(server.put(CONFIG, json!({"editor": {"custom_command": null}})).await);
    assert_eq!(cleared["editor"]["custom_command"], Value::Null);
    assert_eq!(cleared["editor"]["editor_type"], "CUSTOM");
    // A client that sends all of what it read changes nothing.
    assert_eq!(data(server.put(CONFIG, cleared.clone()).await), cleared);
}

#[tokio::test]
async fn secrets_are_told_to_nobody_and_kept_when_their_mask_comes_back() {
    let server = TestServer::start(FORGE).await;
    let secret = json!({"github": {"pat": "ghp_first", "oauth_token": "gho_second", "username": "me"}});
    let reply = data(server.put(CONFIG, secret).await);
    let kept =
        || serde_json::from_str::<Value>(&read(server.data().join("config.json"))).unwrap()["github"].clone();
    for told in [reply.clone(), config(&server).await, data(server.get("/api/info").await)["config"].clone()]
    {
        let github = &told["github"];
        assert_eq!(
            (&github["pat"], &github["oauth_token"], &github["username"]),
            (&json!("********"), &json!("********"), &json!("me"))
        );
    }
    data(server.put(CONFIG, reply).await);
    assert_eq!((&kept()["pat"], &kept()["oauth_token"]), (&json!("ghp_first"), &json!("gho_second")));
    data(server.put(CONFIG, json!({"github": {"pat": "ghp_other", "oauth_token": null}})).await);
    assert_eq!((&kept()["pat"], &kept()["oauth_token"]), (&json!("ghp_other"), &Value::Null));
    let mode = fs::metadata(server.data().join("config.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "others could read the secrets");
    for word in ["ghp_", "gho_"] {
        assert!(!server.log().contains(word), "a secret is in the log");
    }
}

#[tokio::test]
async fn what_the_configuration_cannot_be_is_refused_whole() {
    let server = TestServer::start(FORGE).await;
    let before = config(&server).await;
    let cases = [
        (json!({"theme": "DARK", "git_branch_prefix": "a/b"}), "git_branch_prefix"),
        (json!({"theme": "DARK", "git_branch_prefix": null}), "git_branch_prefix"),
        (json!({"theme": "PINK"}), "one of LIGHT, DARK, SYSTEM"),
        (json!({"editor": {"editor_type": "VIM"}}), "editor.editor_type"),
        (json!({"editor": "VS_CODE"}), "editor"),
        (json!({"onboarding_acknowledged": "true"}), "true or false"),
        (json!({"executor_profile": {"executor": "CLAUDE_CODE", "variant": "PLAM"}}), "no variant `PLAM`"),
        (json!({"executor_profile": {"executor": "NOBODY"}}), "no executor `NOBODY`"),
        (json!({"theme": "DARK", "padding": "x".repeat(1_200_000)}), "1 MiB"),
        (json!([]), "an object"),
    ];
    for (change, said) in cases {
        let (status, body) = server.put(CONFIG, change.clone()).await;
        assert_eq!(status, 422, "{change}");
        code(&body);
        assert!(body["message"].as_str().unwrap().contains(said), "{body}");
        assert!(body["error_data"]["hint"].is_string(), "{body}");
    }
    let (_, body) = server.put(CONFIG, json!({"executor_profile": "CLAUDE_CODE:PLAM"})).await;
    assert_eq!(body["error_data"]["hint"], "did you mean PLAN?");
    assert_eq!(config(&server).await, before);
    assert!(!server.data().join("config.json").exists(), "a refusal writes nothing");
}

#[tokio::test]
async fn changes_at_once_are_all_kept() {
    let mut server = TestServer::start(FORGE).await;
    let puts = (0..30).map(|n| server.put(CONFIG, json!({format!("key{n}"): n})));
    for answer in futures::future::join_all(puts).await {
        data(answer);
    }
    server.kill_9().await;
    server.restart().await;
    let all = config(&server).await;
    for n in 0..30 {
        assert_eq!(all[format!("key{n}")], n);
    }
}

#[tokio::test]
async fn a_file_that_is_not_understood_is_kept_aside() {
    let mut server = TestServer::start(FORGE).await;
    let before = config(&server).await;
    server.terminate().await;
    fs::write(server.data().join("config.json"), "{ half").unwrap();
    fs::write(server.data().join("profiles.json"), "{\"executors\": {\"NOBODY\": {}}}").unwrap();
    server.restart().await;
    assert_eq!(config(&server).await, before);
    data(server.put(CONFIG, json!({"theme": "DARK"})).await);
    assert_eq!(read(server.data().join("config.json.unreadable")), "{ half");
    assert!(read(server.data().join("profiles.json.unreadable")).contains("NOBODY"));
}

#[tokio::test]
async fn the_branch_prefix_is_that_of_the_next_attempt() {
    let ground = Ground::new().await;
    data(ground.server.put(CONFIG, json!({"git_branch_prefix": "mine"})).await);
    let started = ground.start("@say hello").await;
    assert!(started.branch().starts_with("mine/"), "{}", started.branch());
    ground.finished(&started).await;
}

#[tokio::test]
async fn the_server_tells_what_it_is_and_what_it_can_start() {
    let server = TestServer::start(FORGE).await;
    let info = data(server.get("/api/info").await);
    assert_eq!(info["config"], config(&server).await);
    assert_eq!(info["analytics_user_id"], "");
    for name in ["os_type", "os_version", "os_architecture", "bitness"] {
        assert!(info["environment"][name].is_string(), "{name}");
    }
    let executors = info["executors"].as_object().unwrap();
    for name in ["AMP", "CLAUDE_CODE", "CODEX", "COPILOT", "CURSOR_AGENT", "GEMINI", "OPENCODE", "QWEN_CODE"]
    {
        assert!(executors.contains_key(name), "{name}");
    }
    assert_eq!(info["executors"]["CLAUDE_CODE"]["PLAN"], json!({"CLAUDE_CODE": {"plan": true}}));
    let variants = executors.values().map(|variants| variants.as_object().unwrap().len()).sum::<usize>();
    assert_eq!(info["executor_profiles"].as_array().unwrap().len(), variants);
    assert_eq!(info["capabilities"]["CLAUDE_CODE"], json!(["SESSION_FORK"]));
    assert_eq!(info["capabilities"]["CURSOR_AGENT"], json!(["SETUP_HELPER"]));
    assert_eq!(info["capabilities"]["COPILOT"], json!([]));
    let available = |name: &str| {
        let all = info["availability"].as_array().unwrap();
        all.iter().find(|one| one["executor"] == name).unwrap()["available"].clone()
    };
    assert_eq!((available("CLAUDE_CODE"), available("AMP")), (json!(true), json!(false)));
}

#[tokio::test]
async fn every_sound_of_the_configuration_can_be_played() {
    let server = TestServer::start(FORGE).await;
    let names = "ABSTRACT_SOUND1 ABSTRACT_SOUND2 ABSTRACT_SOUND3 ABSTRACT_SOUND4 GENIE_NOTIFY1 GENIE_NOTIFY2 PHONE_VIBRATION";
    let mut heard = Vec::new();
    for name in names.split(' ') {
        data(server.put(CONFIG, json!({"notifications": {"sound_file": name}})).await);
        let response = server.request(Method::GET, &format!("/api/sounds/{name}")).send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "audio/wav");
        let bytes = response.bytes().await.unwrap();
        assert_eq!((&bytes[..4], &bytes[8..16]), (&b"RIFF"[..], &b"WAVEfmt "[..]));
        let told = u32::from_le_bytes(bytes[40..44].try_into().unwrap());
        assert_eq!(usize::try_from(told).unwrap(), bytes.len() - 44);
        assert!(!heard.contains(&bytes), "{name} sounds like another");
        heard.push(bytes);
    }
    let (status, body) = server.get("/api/sounds/GENIE_NOTIFY").await;
    assert_eq!((status, code(&body)), (400, "sound_unknown"));
    assert!(body["error_data"]["hint"].as_str().unwrap().contains("GENIE_NOTIFY"), "{body}");
    assert_eq!(server.get("/api/sounds/..%2Fconfig").await.0, 400);
}

#[tokio::test]
async fn whether_a_token_is_needed_is_told_without_one() {
    let open = TestServer::start(FORGE).await;
    assert_eq!(open.get("/api/forge/auth-required").await, (200, json!({"auth_required": false})));
    let closed = Setup::new(FORGE).arg("--auth").start().await;
    assert_eq!(closed.get("/api/forge/auth-required").await, (200, json!({"auth_required": true})));
    for path in [CONFIG, "/api/info", "/api/profiles", "/api/forge/auth-required/x"] {
        assert_eq!(closed.get(path).await.0, 401, "{path}");
    }
}
