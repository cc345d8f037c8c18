//! The description of the API is what the server does: committed, served, and each operation of it tested.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use forge_testkit::server::TestServer;
use reqwest::Method;
use serde_json::Value;

use crate::{FORGE, forge, read};

pub(crate) fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// What the program says of itself.
pub(crate) async fn described() -> Value {
    let output = forge(&["openapi"], &[]).await;
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Method and path of every operation, with its id.
fn operations(document: &Value) -> BTreeMap<(String, String), String> {
    let mut found = BTreeMap::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            found.insert((path.clone(), method.to_uppercase()), id.to_owned());
        }
    }
    found
}

struct Row {
    method: String,
    path: String,
    operation: String,
    test: String,
}

fn table() -> Vec<Row> {
    let rows = read(docs().join("contract.md"));
    let rows = rows.lines().filter(|line| line.starts_with("| ")).skip(1);
    let rows = rows.map(|line| {
        let cells: Vec<_> =
            line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [method, path, operation, _part, test] = cells[..] else { panic!("{line}") };
        Row { method: method.into(), path: path.into(), operation: operation.into(), test: test.into() }
    });
    rows.collect()
}

#[tokio::test]
async fn the_table_of_operations_is_the_router() {
    let rows = table();
    let written: BTreeMap<_, _> =
        rows.iter().map(|row| ((row.path.clone(), row.method.clone()), row.operation.clone())).collect();
    assert_eq!(written.len(), rows.len(), "a row stands twice");
    assert_eq!(written, operations(&described().await), "docs/contract.md and the router differ");
}

#[test]
fn every_row_of_the_table_names_a_test_that_exists() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    for Row { method, path, test, .. } in table() {
        let (module, name) = test.rsplit_once("::").unwrap_or_else(|| panic!("{method} {path}: {test}"));
        let source = read(tests.join(format!("{}.rs", module.replace("::", "/"))));
        assert!(source.contains(&format!("fn {name}(")), "{method} {path}: there is no test {test}");
    }
}

/// `UPDATE=1` writes the file anew.
#[tokio::test]
async fn the_committed_description_is_what_the_program_says() {
    let output = forge(&["openapi"], &[]).await;
    let file = docs().join("openapi.json");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &output.stdout).unwrap();
    }
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said == read(file), "docs/openapi.json is not what the program says: UPDATE=1 writes it anew");
}

#[tokio::test]
async fn the_description_is_served_as_it_is_committed() {
    let server = TestServer::start(FORGE).await;
    let (status, served) = server.get("/api/openapi.json").await;
    assert_eq!(status, 200);
    assert_eq!(served, serde_json::from_str::<Value>(&read(docs().join("openapi.json"))).unwrap());
}

#[tokio::test]
async fn the_page_for_people_needs_nothing_from_elsewhere() {
    let server = TestServer::start(FORGE).await;
    let answer = server.request(Method::GET, "/docs").send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let policy = answer.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    let page = answer.text().await.unwrap();
    assert!(page.contains("/api/openapi.json"), "{page}");
    for elsewhere in ["http://", "https://", "src=\"//", "@import", "url("] {
        assert!(!page.contains(elsewhere), "the page has {elsewhere}");
    }
}

#[tokio::test]
async fn the_routes_are_those_of_the_description() {
    let server = TestServer::start(FORGE).await;
    let (status, told) = server.get("/api/routes").await;
    assert_eq!(status, 200);
    let word = |route: &Value, name: &str| route[name].as_str().unwrap().to_owned();
    let told: BTreeMap<_, _> = told["routes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|route| ((word(route, "path"), word(route, "method")), word(route, "operation")))
        .collect();
    assert_eq!(told, operations(&described().await));
}

#[tokio::test]
async fn a_browser_is_told_what_the_page_is_called() {
    let server = TestServer::start(FORGE).await;
    let answer = server.request(Method::GET, "/site.webmanifest").send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "application/manifest+json");
    assert_eq!(answer.json::<Value>().await.unwrap()["name"], "Forge");
}

/// Every operation is routed: none of them is answered as a path that is not there, or as a wrong method.
#[tokio::test]
async fn every_operation_of_the_description_is_answered() {
    let server = TestServer::start(FORGE).await;
    for (path, method) in operations(&described().await).keys() {
        let path = path
            .replace("{id}", UNKNOWN)
            .replace("{task_id}", UNKNOWN)
            .replace("{sound}", "x")
            .replace("{name}", "x")
            .replace("{index}", "0")
            .replace("{follow_up_id}", UNKNOWN);
        assert!(!path.contains('{'), "{path}");
        let request = server.request(method.parse().unwrap(), &path);
        let answer = request.send().await.unwrap();
        let (status, is_stream) = (answer.status().as_u16(), path == "/api/events");
        let text = if is_stream { String::new() } else { answer.text().await.unwrap() };
        assert!(status != 405 && !text.contains("unknown_path"), "{method} {path}: {status} {text}");
    }
}

const UNKNOWN: &str = "35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42";
