//! The guard alone: every spelling of us is let in, everything else is not.

use axum::body::Body;

use super::*;

fn guard(bound: &str) -> Guard {
    Guard {
        port: 8887,
        bound: bound.parse().unwrap(),
        hosts: vec!["forge.example".into(), "other.example:444".into()],
        origins: vec!["https://page.example".into()],
        token: None,
    }
}

fn code(guard: &Guard, method: Method, headers: &[(&str, &str)]) -> Option<&'static str> {
    code_of(guard, method, headers, true)
}

fn code_of(
    guard: &Guard,
    method: Method,
    headers: &[(&str, &str)],
    is_own_user: bool,
) -> Option<&'static str> {
    let mut request = Request::builder().method(method).uri("/api/projects");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let places = Arc::new(tokio::sync::Semaphore::new(1));
    let place = Arc::new(places.try_acquire_owned().unwrap());
    let local = SocketAddr::new(guard.bound, guard.port);
    let request = request.extension(Connection { local, is_own_user, place });
    let request = request.body(Body::empty()).unwrap();
    let checked = guard.check_source(&request).and_then(|_page| guard.check_caller(&request));
    checked.err().map(|problem| problem.code)
}

#[test]
fn other_user_needs_the_token() {
    let mut guard = guard("127.0.0.1");
    let (host, token) = (("host", "localhost:8887"), ("authorization", "Bearer abc"));
    assert_eq!(code_of(&guard, Method::GET, &[host], false), Some("other_user"));
    guard.token = Some(Token::fixed("abc"));
    assert_eq!(code_of(&guard, Method::GET, &[host], false), Some("token_required"));
    assert_eq!(code_of(&guard, Method::GET, &[host, token], false), None);
}

#[test]
fn every_name_of_this_machine_with_our_port_is_ours() {
    for host in ["localhost:8887", "LOCALHOST:8887", "127.0.0.1:8887", "127.8.9.1:8887", "[::1]:8887"] {
        assert_eq!(code(&guard("127.0.0.1"), Method::GET, &[("host", host)]), None, "{host}");
    }
    for host in ["forge.example", "forge.example:1234", "other.example:444", "Forge.Example"] {
        assert_eq!(code(&guard("127.0.0.1"), Method::GET, &[("host", host)]), None, "{host}");
    }
}

#[test]
fn a_name_that_is_not_ours_is_refused_wherever_it_points() {
    for host in [
        "evil.example:8887",
        "127.0.0.1.evil.example:8887",
        "localhost.evil.example:8887",
        "evil.example@127.0.0.1:8887",
        "127.0.0.1:8887@evil.example",
        "10.0.0.7:8887",
        "[::2]:8887",
        "other.example:445",
        "127.0.0.1:",
        "127.0.0.1:99999",
        "127.0.0.1:+8887",
        "127.0.0.1:8887:8887",
        "[::1]evil:8887",
        "[::1]evil",
        "[::1]:",
        "::1",
        "",
    ] {
        let refusal = code(&guard("127.0.0.1"), Method::GET, &[("host", host)]);
        assert_eq!(refusal, Some("host_refused"), "{host}");
    }
    assert_eq!(code(&guard("127.0.0.1"), Method::GET, &[]), Some("host_refused"));
}

#[test]
fn forwarded_port_is_ours_on_loopback_only() {
    for host in ["localhost", "localhost:9000", "127.0.0.1:9000", "[::1]:9000"] {
        let page = format!("http://{host}");
        assert_eq!(code(&guard("127.0.0.1"), Method::GET, &[("host", host)]), None, "{host}");
        let headers = [("host", host), ("origin", page.as_str())];
        assert_eq!(code(&guard("127.0.0.1"), Method::POST, &headers), None, "{host}");
        for origin in ["http://localhost:9001", "http://evil.example", "https://localhost:9000"] {
            let headers = [("host", host), ("origin", origin)];
            assert_eq!(code(&guard("127.0.0.1"), Method::GET, &headers), Some("origin_refused"), "{host}");
        }
        assert_eq!(code(&guard("10.0.0.7"), Method::GET, &[("host", host)]), Some("host_refused"), "{host}");
    }
}

#[test]
fn two_hosts_are_none() {
    let headers = [("host", "localhost:8887"), ("host", "evil.example")];
    assert_eq!(code(&guard("127.0.0.1"), Method::GET, &headers), Some("bad_header"));
}

#[test]
fn an_absolute_target_is_checked_as_the_host_is() {
    let request = Request::builder()
        .uri("http://evil.example:8887/api/projects")
        .header("host", "localhost:8887")
        .body(Body::empty())
        .unwrap();
    assert_eq!(guard("127.0.0.1").check_source(&request).unwrap_err().code, "host_refused");
}

#[test]
fn the_address_it_is_bound_to_is_ours() {
    assert_eq!(code(&guard("10.0.0.7"), Method::GET, &[("host", "10.0.0.7:8887")]), None);
    let refusal = code(&guard("0.0.0.0"), Method::GET, &[("host", "10.0.0.8:8887")]);
    assert_eq!(refusal, Some("host_refused"));
}

#[test]
fn a_page_of_ours_may_call_and_no_other() {
    let with = |method: Method, origin: &str| {
        code(&guard("127.0.0.1"), method, &[("host", "localhost:8887"), ("origin", origin)])
    };
    for origin in
        ["http://localhost:8887", "http://127.0.0.1:8887", "http://[::1]:8887", "https://page.example"]
    {
        assert_eq!(with(Method::POST, origin), None, "{origin}");
    }
    for origin in [
        "http://evil.example",
        "http://localhost:3000",
        "http://localhost",
        "https://localhost:8887",
        "http://localhost:8887.evil.example",
        "null",
        "",
        "file://",
    ] {
        assert_eq!(with(Method::GET, origin), Some("origin_refused"), "{origin}");
        assert_eq!(with(Method::POST, origin), Some("origin_refused"), "{origin}");
    }
}

#[test]
fn a_page_under_an_allowed_name_is_of_the_same_origin() {
    let headers = [("host", "forge.example:1234"), ("origin", "http://forge.example:1234")];
    assert_eq!(code(&guard("127.0.0.1"), Method::POST, &headers), None);
    let headers = [("host", "forge.example:1234"), ("origin", "http://forge.example:99")];
    assert_eq!(code(&guard("127.0.0.1"), Method::POST, &headers), Some("origin_refused"));
}

#[test]
fn https_under_an_allowed_name_is_ours() {
    let guard =
        Guard { hosts: vec!["forge.example".into(), "other.example:443".into()], ..guard("127.0.0.1") };
    let with = |origin: &str| {
        let request =
            Request::builder().uri("/api").header("host", "localhost:8887").header("origin", origin);
        guard.check_source(&request.body(Body::empty()).unwrap()).map_err(|problem| problem.code)
    };
    for origin in ["https://forge.example", "https://forge.example:8443", "https://other.example"] {
        assert_eq!(with(origin), Ok(None), "{origin}");
    }
    for origin in ["https://other.example:444", "https://forge.example.evil.example", "https://localhost"] {
        assert_eq!(with(origin), Err("origin_refused"), "{origin}");
    }
    assert_eq!(with("https://page.example"), Ok(Some(HeaderValue::from_static("https://page.example"))));
}

#[test]
fn another_site_changes_nothing_even_without_an_origin() {
    let headers = [("host", "localhost:8887"), ("sec-fetch-site", "cross-site")];
    assert_eq!(code(&guard("127.0.0.1"), Method::POST, &headers), Some("origin_refused"));
    assert_eq!(code(&guard("127.0.0.1"), Method::DELETE, &headers), Some("origin_refused"));
    assert_eq!(code(&guard("127.0.0.1"), Method::GET, &headers), None);
}

#[test]
fn the_token_is_taken_from_the_header_or_from_the_offered_protocols() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    std::fs::write(&path, "s3cret").unwrap();
    let guard = Guard { token: Some(Token::load_or_create(&path).unwrap()), ..guard("0.0.0.0") };
    let with =
        |name: &str, value: &str| code(&guard, Method::GET, &[("host", "localhost:8887"), (name, value)]);
    assert_eq!(with("authorization", "Bearer s3cret"), None);
    assert_eq!(with("authorization", "bearer s3cret"), None);
    assert_eq!(with("sec-websocket-protocol", "forge, forge.token.s3cret"), None);
    for value in ["s3cret", "Basic s3cret", "Bearer", "Bearer s3cre", "Bearer s3cret2"] {
        assert_eq!(with("authorization", value), Some("token_required"), "{value}");
    }
    assert_eq!(with("sec-websocket-protocol", "forge"), Some("token_required"));
    assert_eq!(with("x-nothing", "y"), Some("token_required"));
}
