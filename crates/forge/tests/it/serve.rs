//! How a server begins and ends.

use forge_testkit::server::{DEADLINE, TestServer};
use serde_json::json;

use crate::{FORGE, read};

#[tokio::test]
async fn the_port_is_told_while_it_serves_and_not_after() {
    let mut server = TestServer::start(FORGE).await;
    let file = server.data().join("port");
    assert_eq!(read(&file).trim(), server.port().to_string());
    assert!(server.terminate().await.success());
    assert!(!file.exists());
}

#[tokio::test]
async fn health_is_told_with_and_without_the_envelope() {
    let server = TestServer::start(FORGE).await;
    let (status, body) = server.get("/health").await;
    assert_eq!((status, &body["status"], &body["service"]), (200, &json!("ok"), &json!("forge-app")));
    let (status, body) = server.get("/api/health").await;
    assert_eq!(status, 200);
    assert_eq!(body, json!({"success": true, "data": "OK", "error_data": null, "message": null}));
}

#[tokio::test]
async fn it_ends_while_streams_are_open() {
    let mut server = TestServer::start(FORGE).await;
    let mut events = server.events(None).await;
    assert_eq!(events.next().await.event, "hello");
    assert!(server.terminate().await.success());
    assert_eq!(events.try_next().await.unwrap_err(), "the event stream ended");
}

#[tokio::test]
async fn a_second_server_on_the_same_folder_is_refused_and_harms_nothing() {
    let server = TestServer::start(FORGE).await;
    let (code, error) = forge(&["serve", "--port", "0", "--data", server.data().to_str().unwrap()]).await;
    assert_eq!(code, 1, "{error}");
    assert!(error.starts_with("error: ") || error.contains("\nerror: "), "{error}");
    assert_eq!(read(server.data().join("port")).trim(), server.port().to_string());
    assert_eq!(server.get("/api/health").await.0, 200);
}

#[tokio::test]
async fn a_port_that_is_taken_is_named_with_what_to_do() {
    let server = TestServer::start(FORGE).await;
    let (port, data) = (server.port().to_string(), server.folder().join("other"));
    let (code, error) = forge(&["serve", "--port", &port, "--data", data.to_str().unwrap()]).await;
    assert_eq!(code, 1, "{error}");
    assert!(error.contains(&format!("error: port {port} on 127.0.0.1 is taken")), "{error}");
    assert!(error.contains("hint: ") && error.contains("--port"), "{error}");
}

#[tokio::test]
async fn wrong_usage_ends_with_2() {
    assert_eq!(forge(&["serve", "--prot", "1"]).await.0, 2);
    assert_eq!(forge(&["nothing"]).await.0, 2);
}

#[tokio::test]
async fn a_configuration_with_an_unknown_key_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.toml");
    std::fs::write(&config, "prot = 1\n").unwrap();
    let (code, error) = forge(&["serve", "--config", config.to_str().unwrap()]).await;
    assert_eq!(code, 1);
    assert!(error.contains("error: ") && error.contains("caused by: ") && error.contains("prot"), "{error}");
}

#[tokio::test]
async fn settings_that_cannot_work_are_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let (config, file) = (folder.path().join("config.toml"), folder.path().join("file"));
    std::fs::write(&file, "").unwrap();
    let below = file.join("below");
    for (text, told) in [
        ("branch_prefix = 'a/b'", "branch_prefix"),
        ("grace_seconds = 100000", "grace_seconds"),
        ("[executors.NOBODY]\ncommand = ['x']", "NOBODY"),
        ("[executors.CLAUDE_CODE]\ncommand = []", "is empty"),
        (&format!("worktrees = '{}'", below.display()), "below"),
    ] {
        std::fs::write(&config, text).unwrap();
        let data = folder.path().join("data");
        let args =
            ["serve", "--port", "0", "--config", config.to_str().unwrap(), "--data", data.to_str().unwrap()];
        let (code, error) = forge(&args).await;
        assert_eq!(code, 1, "{text}: {error}");
        assert!(error.contains("error: ") && error.contains(told) && error.contains("hint: "), "{error}");
    }
    let (code, error) = forge(&["serve", "--port", "0", "--data", below.to_str().unwrap()]).await;
    assert_eq!(code, 1);
    assert!(error.contains("below") && error.contains("hint: "), "{error}");
}

#[tokio::test]
async fn a_log_filter_that_cannot_be_read_is_refused_at_the_start() {
    let path = std::env::var_os("PATH").unwrap();
    let env = [("PATH", path.as_os_str()), ("FORGE_LOG", "forge=loud=very".as_ref())];
    let output = crate::forge(&["serve", "--port", "0"], &env).await;
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("FORGE_LOG is `forge=loud=very`") && error.contains("hint: "), "{error}");
}

#[tokio::test]
async fn the_help_names_what_the_environment_can_say() {
    let path = std::env::var_os("PATH").unwrap();
    let output = crate::forge(&["serve", "--help"], &[("PATH", &path)]).await;
    let help = String::from_utf8(output.stdout).unwrap();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["FORGE_LOG", "~/.local/share/forge", "AUTH_REQUIRED=true or false", "BACKEND_PORT", "HOST"] {
        assert!(help.contains(part), "{part} is missing: {help}");
    }
}

#[tokio::test]
async fn beyond_this_machine_it_says_where_it_is_reached_and_where_the_token_is() {
    use tokio::io::{AsyncBufReadExt as _, BufReader};
    let folder = tempfile::tempdir().unwrap();
    #[expect(clippy::disallowed_methods, reason = "the program under test")]
    let mut command = tokio::process::Command::new(FORGE);
    command.args(["serve", "--port", "0", "--host", "0.0.0.0", "--data"]).arg(folder.path());
    command.env("HOME", folder.path()).stdout(std::process::Stdio::piped()).kill_on_drop(true);
    let mut server = command.spawn().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut next =
        async || tokio::time::timeout(DEADLINE, lines.next_line()).await.unwrap().unwrap().unwrap();
    let first = next().await;
    let port = first.strip_prefix("Forge listens on http://127.0.0.1:").unwrap().to_owned();
    assert!(next().await.contains(&format!("Other machines reach it at port {port}")));
    assert_eq!(next().await, format!("Callers need the token in {}", folder.path().join("token").display()));
    server.kill().await.unwrap();
}

/// Exit code and standard error of a command that ends by itself.
async fn forge(args: &[&str]) -> (i32, String) {
    let path = std::env::var_os("PATH").unwrap();
    let output = crate::forge(args, &[("PATH", &path)]).await;
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}
