//! How a server begins and ends.

use forge_testkit::server::TestServer;
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

/// Exit code and standard error of a command that ends by itself.
async fn forge(args: &[&str]) -> (i32, String) {
    let path = std::env::var_os("PATH").unwrap();
    let output = crate::forge(args, &[("PATH", &path)]).await;
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}
