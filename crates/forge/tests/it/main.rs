//! The real program on real sockets.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what goes wrong in a test fails it; JSON is looked into by name"
)]

mod acp;
mod agents;
mod approvals;
mod architecture;
mod branches;
mod caps;
mod chaos;
mod closed_tasks;
mod commits;
mod compatible;
mod compression;
mod connections;
mod contract;
mod contract_fuzz;
mod corpus;
mod crash;
mod crash_points;
mod database;
mod day;
mod default_branch;
mod demo;
mod descriptors;
mod dev_server;
mod dice;
mod diffs;
mod disk;
mod doctor;
mod documents;
mod drafts;
mod environment;
mod errors;
mod filesystem;
mod follow_up;
mod full_disk;
mod fuzz;
mod gc;
mod golden;
mod ground;
mod guard;
mod hanging;
mod hostile;
mod idle;
mod images;
mod interrupt;
mod kept;
mod life;
mod limits;
mod log_file;
mod lost_commit;
mod many;
mod mcp;
mod mcp_approvals;
mod mcp_bridge;
mod mcp_config;
mod mcp_tools;
mod memory;
mod metrics;
mod moved;
mod nodes;
mod original_clients;
mod origins;
mod own_branch;
mod pages;
mod permissions;
mod pool;
mod postgres;
mod profiles;
mod raw;
mod raw_pages;
mod remove;
mod replace;
mod resume;
mod retention;
mod run_crashes;
mod run_output;
mod runs;
mod saving;
mod secrets;
mod serve;
mod services;
mod settings;
mod setup;
mod shapes;
mod shutdown;
mod snapshots;
mod spellings;
mod standing;
mod start;
mod stop;
mod stored;
mod streams;
mod tags;
mod talker;
mod transcripts;
mod unmounted;
mod updates;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Output, Stdio};

use forge_testkit::server::{DEADLINE, TestServer};
use serde_json::{Value, json};

/// The program under test.
const FORGE: &str = env!("CARGO_BIN_EXE_forge");

/// What a program reads of a refusal. The envelope has its four keys whatever happened.
fn code(body: &Value) -> &str {
    let keys: Vec<_> = body.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["data", "error_data", "message", "success"], "{body}");
    assert_eq!((&body["success"], &body["data"]), (&json!(false), &Value::Null), "{body}");
    assert!(!body["message"].as_str().unwrap().is_empty(), "{body}");
    assert_eq!(body["error_data"]["request_id"].as_str().unwrap().len(), 36, "{body}");
    body["error_data"]["code"].as_str().unwrap()
}

/// The answer's `data`, which has to be a success.
fn data((status, body): (u16, Value)) -> Value {
    assert_eq!((status, &body["success"]), (200, &json!(true)), "{body}");
    assert_eq!((&body["error_data"], &body["message"]), (&Value::Null, &Value::Null));
    body["data"].clone()
}

/// A project with a repository of its own.
async fn project(server: &TestServer) -> Value {
    let path = server.folder().join("repository");
    let body = json!({"name": "p", "git_repo_path": path, "use_existing_repo": false});
    data(server.post("/api/projects", body).await)
}

/// A task with an agent on it that does what `steps` say.
async fn started(server: &TestServer, project: &Value, steps: &str) -> Value {
    let body = json!({
        "task": {"project_id": project["id"], "title": "t", "description": steps},
        "executor_profile_id": {"executor": "CLAUDE_CODE", "variant": "DEFAULT"},
        "base_branch": "main",
    });
    data(server.post("/api/tasks/create-and-start", body).await)
}

/// An attempt of which nothing runs any more.
fn is_finished(attempt: &Value) -> bool {
    attempt["state"] == "finished"
}

/// A run of the program that ends by itself.
async fn forge(args: &[&str], env: &[(&str, &OsStr)]) -> Output {
    ended(FORGE, args, env).await
}

/// The same of another program, such as a shell that starts Forge.
async fn ended(program: &str, args: &[&str], env: &[(&str, &OsStr)]) -> Output {
    #[expect(clippy::disallowed_methods, reason = "the program under test")]
    let mut command = tokio::process::Command::new(program);
    let home = tempfile::tempdir().unwrap();
    command.args(args).env_clear().env("HOME", home.path()).stdin(Stdio::null()).kill_on_drop(true);
    command.envs(env.iter().copied());
    tokio::time::timeout(DEADLINE, command.output()).await.expect("it ends by itself").unwrap()
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).unwrap()
}
