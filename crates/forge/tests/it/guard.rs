//! Who is refused, over real connections.

use forge_testkit::server::{Setup, TestServer};
use reqwest::Method;
use serde_json::json;

use crate::raw::{send, upgrade};
use crate::{FORGE, code};

#[tokio::test]
async fn a_page_of_another_site_is_refused_whatever_it_asks() {
    let server = TestServer::start(FORGE).await;
    for (method, path) in [
        (Method::GET, "/api/projects"),
        (Method::GET, "/api/events"),
        (Method::GET, "/health"),
        (Method::POST, "/api/projects"),
        (Method::DELETE, "/api/projects/35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42"),
        (Method::OPTIONS, "/api/projects"),
        (Method::GET, "/nowhere"),
    ] {
        let request = server.request(method.clone(), path).header("origin", "http://evil.example");
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 403, "{method} {path}");
        assert!(!response.headers().keys().any(|name| name.as_str().starts_with("access-control")));
        assert_eq!(code(&response.json().await.unwrap()), "origin_refused");
    }
}

#[tokio::test]
async fn a_page_of_ours_may_call() {
    let server = TestServer::start(FORGE).await;
    for host in ["localhost", "127.0.0.1", "[::1]"] {
        let origin = format!("http://{host}:{}", server.port());
        let request = server.request(Method::GET, "/api/projects").header("origin", &origin);
        assert_eq!(request.send().await.unwrap().status(), 200, "{origin}");
    }
}

#[tokio::test]
async fn a_rebound_name_is_refused() {
    let server = TestServer::start(FORGE).await;
    for host in
        ["evil.example:", "127.0.0.1.evil.example:", "localhost.evil.example:", "[::1]evil:", "[::1]:+"]
    {
        let head = format!("GET /api/projects HTTP/1.1\nHost: {host}{}", server.port());
        let (status, _, body) = send(&server, &head).await;
        assert_eq!((status, code(&body)), (403, "host_refused"), "{host}");
    }
    let (status, _, body) = send(&server, "GET /api/projects HTTP/1.0").await;
    assert_eq!((status, code(&body)), (403, "host_refused"));
}

#[tokio::test]
async fn page_on_forwarded_port_may_call() {
    let server = TestServer::start(FORGE).await;
    let head = "GET /api/projects HTTP/1.1\nHost: localhost:9000\nOrigin: http://localhost";
    assert_eq!(send(&server, &format!("{head}:9000")).await.0, 200);
    let (status, _, body) = send(&server, &format!("{head}:9001")).await;
    assert_eq!((status, code(&body)), (403, "origin_refused"));
}

#[tokio::test]
async fn a_name_that_was_allowed_is_let_in() {
    let server = Setup::new(FORGE).arg("--allow-host").arg("forge.example").start().await;
    let (status, _, _) = send(&server, "GET /api/projects HTTP/1.1\nHost: forge.example").await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn a_websocket_of_another_site_is_refused_before_it_opens() {
    let server = TestServer::start(FORGE).await;
    for origin in ["http://evil.example", "https://evil.example", "null"] {
        let (status, _, body) = send(&server, &upgrade(&server, &format!("Origin: {origin}"))).await;
        assert_eq!((status, code(&body)), (403, "origin_refused"), "{origin}");
    }
}

#[tokio::test]
async fn another_site_changes_nothing_though_it_hides_its_origin() {
    let server = TestServer::start(FORGE).await;
    let request = server.request(Method::POST, "/api/projects").header("sec-fetch-site", "cross-site");
    let response = request.json(&json!({"name": "p", "git_repo_path": "/x"})).send().await.unwrap();
    assert_eq!(response.status(), 403);
    assert_eq!(code(&response.json().await.unwrap()), "origin_refused");
}

#[tokio::test]
async fn a_path_that_climbs_reaches_nothing() {
    let server = TestServer::start(FORGE).await;
    let port = server.port();
    for path in [
        "/api/projects/../../etc/passwd",
        "/../../etc/passwd",
        "/api/projects/..%2f..%2f..%2fetc%2fpasswd",
        "/api/projects/%2e%2e/%2e%2e",
        "/api/task-attempts/..%5c..",
        "//etc/passwd",
    ] {
        let (status, _, body) = send(&server, &format!("GET {path} HTTP/1.1\nHost: localhost:{port}")).await;
        assert!(matches!(status, 400 | 404), "{path}: {status}");
        assert!(matches!(code(&body), "bad_id" | "unknown_path"), "{path}: {body}");
    }
}

#[tokio::test]
async fn beyond_loopback_nobody_is_answered_without_the_token() {
    let mut server = Setup::new(FORGE).arg("--host").arg("0.0.0.0").start().await;
    for (method, path) in
        [(Method::GET, "/api/projects"), (Method::GET, "/api/events"), (Method::POST, "/api/tasks")]
    {
        for token in [None, Some("wrong")] {
            let request = server.request(method.clone(), path);
            let request = if let Some(token) = token { request.bearer_auth(token) } else { request };
            let response = request.send().await.unwrap();
            assert_eq!((response.status().as_u16(), path), (401, path));
            assert_eq!(response.headers()["www-authenticate"], "Bearer");
            let body = response.json().await.unwrap();
            assert_eq!(code(&body), "token_required");
            assert!(body["error_data"]["hint"].as_str().unwrap().contains("token"));
        }
    }
    let (status, _, body) = send(&server, &upgrade(&server, "X-Nothing: y")).await;
    assert_eq!((status, code(&body)), (401, "token_required"));
    assert_eq!(server.get("/health").await.0, 200);
    server.use_token();
    assert_eq!(server.get("/api/projects").await.0, 200);
}

#[tokio::test]
async fn on_loopback_the_token_is_required_where_it_was_asked_for() {
    let server = Setup::new(FORGE).arg("--auth").start().await;
    let (status, body) = server.get("/api/projects").await;
    assert_eq!((status, code(&body)), (401, "token_required"));
    let server = Setup::new(FORGE).env("AUTH_REQUIRED", "true").start().await;
    assert_eq!(server.get("/api/projects").await.0, 401);
}

#[tokio::test]
async fn a_browsers_websocket_shows_the_token_as_a_protocol() {
    let server = Setup::new(FORGE).arg("--auth").start().await;
    let token = crate::read(server.data().join("token"));
    let offer = format!("Sec-WebSocket-Protocol: forge, forge.token.{}", token.trim());
    let (status, _, body) = send(&server, &upgrade(&server, &offer)).await;
    // It is let in, and then there is no such process.
    assert_eq!((status, code(&body)), (404, "not_found"));
}

#[tokio::test]
async fn the_token_never_reaches_the_log() {
    let mut server = Setup::new(FORGE).arg("--auth").start().await;
    server.use_token();
    assert_eq!(server.get("/api/projects").await.0, 200);
    let token = crate::read(server.data().join("token"));
    assert!(!server.log().contains(token.trim()));
}

#[tokio::test]
async fn a_page_that_was_allowed_is_answered_so_that_its_browser_lets_it_read() {
    let page = "https://page.example";
    let mut server = Setup::new(FORGE).arg("--auth").arg("--allow-origin").arg(page).start().await;
    let ask = server
        .request(Method::OPTIONS, "/api/tasks")
        .header("origin", page)
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "authorization,content-type");
    let answer = ask.send().await.unwrap();
    assert_eq!(answer.status(), 204, "browsers ask without the token");
    let headers = answer.headers();
    assert_eq!(
        (&headers["access-control-allow-origin"], &headers["vary"]),
        (&page.parse().unwrap(), &"origin".parse().unwrap())
    );
    assert!(headers["access-control-allow-methods"].to_str().unwrap().contains("DELETE"));
    let allowed = headers["access-control-allow-headers"].to_str().unwrap();
    for name in ["authorization", "content-type", "idempotency-key", "last-event-id"] {
        assert!(allowed.contains(name), "{name}");
    }

    let answer = server.request(Method::GET, "/api/projects").header("origin", page).send().await.unwrap();
    assert_eq!(answer.status(), 401, "the page can read why");
    assert_eq!(answer.headers()["access-control-allow-origin"], page);
    server.use_token();
    let answer = server.request(Method::GET, "/api/projects").header("origin", page).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(
        answer.headers()["access-control-expose-headers"],
        "x-request-id, x-next-cursor, link, retry-after"
    );
    assert!(!answer.headers().contains_key("cross-origin-resource-policy"));
    let answer = server.request(Method::GET, "/api/projects").send().await.unwrap();
    assert_eq!(answer.headers()["cross-origin-resource-policy"], "same-origin");
    assert!(!answer.headers().contains_key("access-control-allow-origin"));
}

#[tokio::test]
async fn https_under_a_name_that_was_allowed_is_ours() {
    let server = Setup::new(FORGE).arg("--allow-host").arg("forge.example").start().await;
    for (origin, expected) in [("https://forge.example", 200), ("https://evil.example", 403)] {
        let request = server.request(Method::GET, "/api/projects").header("origin", origin);
        assert_eq!(request.send().await.unwrap().status(), expected, "{origin}");
    }
}

/// Sends a request as another user of this machine.
#[expect(clippy::disallowed_methods, reason = "only a child process can be another user")]
fn as_nobody(port: u16, request: &str) -> String {
    let script = format!("exec 3<>/dev/tcp/127.0.0.1/{port}; printf '{request}' >&3; cat <&3");
    let mut command = std::process::Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c", &script]);
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

/// Only root can act as another user; anybody else has no second user to try it with.
#[tokio::test]
async fn other_user_is_refused_without_the_token() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let server = TestServer::start(FORGE).await;
    let host = format!("Host: 127.0.0.1:{}\\r\\nConnection: close", server.port());
    let body = r#"{"name":"x","git_repo_path":"/tmp/x","use_existing_repo":false}"#;
    let post = format!(
        "POST /api/projects HTTP/1.1\\r\\n{host}\\r\\nContent-Type: application/json\\r\\nContent-Length: {}\\r\\n\\r\\n{body}",
        body.len()
    );
    for request in [format!("GET /api/projects HTTP/1.1\\r\\n{host}\\r\\n\\r\\n"), post] {
        let answer = as_nobody(server.port(), &request);
        assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("other_user"), "{answer}");
    }
    assert_eq!(server.get("/api/projects").await.1["data"], json!([]));
}
