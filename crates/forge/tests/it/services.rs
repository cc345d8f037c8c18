//! Services elsewhere: nobody is called, and nothing pretends to have been.

use forge_testkit::server::TestServer;
use serde_json::json;

use crate::{FORGE, code, data};

#[tokio::test]
async fn signing_in_at_github_is_told_as_not_there_yet() {
    let server = TestServer::start(FORGE).await;
    for (path, body) in [("start", json!(null)), ("poll", json!({"device_code": "x"})), ("poll", json!(null))]
    {
        let (status, body) = server.post(&format!("/api/auth/github/device/{path}"), body).await;
        assert_eq!((status, code(&body)), (422, "not_available_yet"));
        assert!(body["error_data"]["hint"].as_str().unwrap().contains("gh auth login"), "{body}");
    }
    assert_eq!(data(server.get("/api/auth/github/check").await), "INVALID");
}

#[tokio::test]
async fn omni_is_not_enabled_and_no_release_is_asked_for() {
    let server = TestServer::start(FORGE).await;
    let get = async |path: &str| server.get(&format!("/api/forge/{path}")).await;
    assert_eq!(get("omni/status").await, (200, json!({"enabled": false, "config": null})));
    assert_eq!(get("omni/instances").await, (200, json!({"instances": []})));
    assert_eq!(get("omni/notifications").await, (200, json!({"notifications": []})));
    let account = json!({"host": "http://127.0.0.1:1", "api_key": "k"});
    let (status, verdict) = server.post("/api/forge/omni/validate", account).await;
    assert_eq!((status, &verdict["valid"], &verdict["instances"]), (200, &json!(false), &json!([])));
    assert!(verdict["error"].as_str().unwrap().contains("not enabled"), "{verdict}");
    assert_eq!(data(get("releases").await), json!([]));
}
