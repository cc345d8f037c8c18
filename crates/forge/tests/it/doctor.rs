//! `forge doctor` on machines that have what is needed, and on some that have not.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use forge_testkit::postgres::TestPostgres;
use forge_testkit::server::{Setup, TestServer};
use serde_json::Value;
use tokio::net::TcpListener;

use crate::ground::names;
use crate::{FORGE, ended, forge};

/// Its exit code, and what it found by name.
async fn doctor(data: &Path, more: &[&str], path: &OsStr) -> (i32, Value) {
    let data = data.to_str().unwrap();
    let args = [&["doctor", "--json", "--data", data], more].concat();
    let output = forge(&args, &[("PATH", path), ("ANTHROPIC_API_KEY", OsStr::new("sk-secret"))]).await;
    assert!(!String::from_utf8_lossy(&output.stdout).contains("sk-secret"));
    let body: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code().unwrap(), body)
}

fn check<'a>(body: &'a Value, name: &str) -> &'a Value {
    let found = body["checks"].as_array().unwrap().iter().find(|check| check["name"] == name);
    let check = found.unwrap_or_else(|| panic!("no {name} in {body:#}"));
    assert!(check["verdict"] == "ok" || check["hint"].is_string(), "{check} says what to do");
    check
}

fn usual_path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap()
}

/// A folder with a `claude` that does this, before the usual programs.
fn with_claude(folder: &Path, line: &str) -> std::ffi::OsString {
    let file = folder.join("claude");
    fs::write(&file, format!("#!/bin/sh\n{line}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let mut path = folder.as_os_str().to_owned();
    path.push(":");
    path.push(usual_path());
    path
}

#[tokio::test]
async fn a_machine_that_has_everything_is_well_and_nothing_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let path = with_claude(folder.path(), "echo '9.9.9 (Claude Code)'");
    let (exit, body) = doctor(&data, &["--port", "0"], &path).await;
    assert_eq!((exit, &body["ok"]), (0, &Value::Bool(true)), "{body:#}");
    for name in ["git", "database", "server", "port", "CLAUDE_CODE"] {
        assert_eq!(check(&body, name)["verdict"], "ok", "{name}");
    }
    let agent = check(&body, "CLAUDE_CODE")["found"].as_str().unwrap();
    assert!(agent.starts_with("9.9.9 (Claude Code)") && agent.ends_with(", logged in"), "{agent}");
    assert!(check(&body, "more agents")["found"].as_str().unwrap().contains("OPENHANDS"));
    for name in ["data folder", "worktrees", "open files", "caps"] {
        assert_ne!(check(&body, name)["verdict"], "fail", "{name}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "only the agent that was there");
}

#[tokio::test]
async fn a_table_for_people_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = with_claude(folder.path(), "exit 3");
    let data = folder.path().join("data");
    let args = ["doctor", "--port", "0", "--data", data.to_str().unwrap()];
    let output = forge(&args, &[("PATH", &path)]).await;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let agent = text.lines().position(|line| line.starts_with("warn  CLAUDE_CODE")).unwrap();
    assert!(text.lines().nth(agent + 1).unwrap().trim_start().starts_with("-> run `"), "{text}");
}

#[tokio::test]
async fn without_git_it_fails_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (exit, body) = doctor(&folder.path().join("data"), &["--port", "0"], folder.path().as_os_str()).await;
    assert_eq!((exit, &body["ok"]), (1, &Value::Bool(false)));
    assert_eq!(check(&body, "git")["verdict"], "fail");
    assert_eq!(check(&body, "CLAUDE_CODE")["verdict"], "warn", "Forge runs without agents");
}

#[tokio::test]
async fn unknown_git_identity_is_warning() {
    let folder = tempfile::tempdir().unwrap();
    let (path, data) = (usual_path(), folder.path().join("data"));
    let args = ["doctor", "--json", "--port", "0", "--data", data.to_str().unwrap()];
    for (settings, verdict, found) in [
        ("", "warn", "commits are by `Forge`"),
        ("[user]\n\tname = Ada\n", "warn", "commits are by `Forge`"),
        ("[user]\n\tname = Ada\n\temail = ada@example.org\n", "ok", "Ada <ada@example.org>"),
    ] {
        fs::write(folder.path().join(".gitconfig"), settings).unwrap();
        let output = forge(&args, &[("PATH", &path), ("HOME", folder.path().as_os_str())]).await;
        let body: Value = serde_json::from_slice(&output.stdout).unwrap();
        let identity = check(&body, "git identity");
        assert_eq!(identity["verdict"], verdict, "{settings}: {identity}");
        assert!(identity["found"].as_str().unwrap().contains(found), "{settings}: {identity}");
        for key in ["--global user.name", "--global user.email"] {
            assert_eq!(identity["hint"].to_string().contains(key), verdict == "warn", "{identity}");
        }
        assert!(output.status.success(), "{body:#}");
    }
}

/// A limit on the size of files stands for the disk, as in `full_disk`.
async fn doctor_on_full_disk(data: &Path) -> Value {
    let data = data.display();
    let script = format!("trap '' XFSZ; ulimit -f 1; exec '{FORGE}' doctor --json --port 0 --data '{data}'");
    let output = ended("sh", &["-c", &script], &[("PATH", &usual_path())]).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn full_disk_fails_with_hint() {
    let mut server = TestServer::start(FORGE).await;
    let data = server.data();
    server.terminate().await;
    // The second time, it finds what the first one left of the database.
    for _ in 0..2 {
        let body = doctor_on_full_disk(&data).await;
        for name in ["data folder", "worktrees"] {
            let told = check(&body, name);
            assert_eq!(told["verdict"], "fail", "{told}");
            assert!(told["hint"].as_str().unwrap().contains("free some space"), "{told}");
        }
        for name in ["git", "database"] {
            assert_eq!(check(&body, name)["verdict"], "ok", "{body:#}");
        }
        let left = |folder: &Path| names(folder).iter().any(|name| name.contains("forge-doctor"));
        assert!(!left(&data) && !left(&data.join("worktrees")));
    }
    // A database that a killed server left needs room to be read.
    server.restart().await;
    server.kill_9().await;
    let body = doctor_on_full_disk(&data).await;
    let hint = check(&body, "database")["hint"].as_str().unwrap();
    assert!(hint.contains("whether the disk is full"), "{body:#}");
}

#[tokio::test]
async fn a_data_folder_that_cannot_be_and_a_damaged_database_fail() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let (exit, body) = doctor(&file.join("data"), &["--port", "0"], &usual_path()).await;
    assert_eq!((exit, &check(&body, "data folder")["verdict"]), (1, &Value::from("fail")));

    fs::write(folder.path().join("forge.db"), "this is no database, but long enough for a header".repeat(50))
        .unwrap();
    let (exit, body) = doctor(folder.path(), &["--port", "0"], &usual_path()).await;
    assert_eq!((exit, &check(&body, "database")["verdict"]), (1, &Value::from("fail")));
}

#[tokio::test]
async fn unmounted_disk_of_worktrees_is_reported() {
    let mut server = TestServer::start(FORGE).await;
    server.kill_9().await;
    let (_, body) = doctor(&server.data(), &["--port", "0"], &usual_path()).await;
    assert_ne!(check(&body, "worktrees")["verdict"], "fail", "{body:#}");
    fs::rename(server.data().join("worktrees"), server.data().join("away")).unwrap();
    let (exit, body) = doctor(&server.data(), &["--port", "0"], &usual_path()).await;
    assert_eq!((exit, &check(&body, "worktrees")["verdict"]), (1, &Value::from("fail")), "{body:#}");
    let hint = check(&body, "worktrees")["hint"].as_str().unwrap();
    assert!(hint.starts_with("mount the disk"), "{hint}");
}

#[tokio::test]
async fn a_running_server_is_found_and_its_database_is_looked_at_beside_it() {
    let server = TestServer::start(FORGE).await;
    let port = server.port().to_string();
    let (exit, body) = doctor(&server.data(), &["--port", &port], &usual_path()).await;
    assert_eq!(exit, 0, "{body:#}");
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(check(&body, "server")["found"], format!("version {version} runs on port {port}"));
    assert_eq!(check(&body, "port")["found"], format!("{port} is taken by Forge {version}"));
    assert!(check(&body, "database")["found"].as_str().unwrap().starts_with("sound, schema "));
    assert_eq!(server.get("/api/health").await.0, 200);
}

#[tokio::test]
async fn a_postgresql_server_is_told_by_version_schema_and_speed_or_why_it_cannot_be_reached() {
    let mut postgres = TestPostgres::start();
    let folder = tempfile::tempdir().unwrap();
    let (path, url) = (usual_path(), postgres.url().replace("postgres@", "postgres:hunter2@"));
    let args = ["doctor", "--json", "--port", "0", "--data", folder.path().to_str().unwrap()];
    let examine = async || {
        let output = forge(&args, &[("PATH", &path), ("DATABASE_URL", OsStr::new(&url))]).await;
        let (out, err) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert!(!out.contains("hunter2") && !err.contains("hunter2"), "{out}{err}");
        (output.status.code().unwrap(), serde_json::from_str::<Value>(&out).unwrap())
    };
    let (exit, body) = examine().await;
    let found = check(&body, "database")["found"].as_str().unwrap().to_owned();
    assert_eq!(exit, 0, "{body:#}");
    for word in [
        "postgres://postgres@localhost/",
        "PostgreSQL ",
        "no TLS",
        " ms; ",
        "the first start makes its schema",
    ] {
        assert!(found.contains(word), "{word}: {found}");
    }
    let server = Setup::new(FORGE).env("DATABASE_URL", postgres.url()).start().await;
    let (_, body) = examine().await;
    assert!(check(&body, "database")["found"].as_str().unwrap().contains("; schema "), "{body:#}");
    drop(server);
    postgres.stop();
    let (exit, body) = examine().await;
    let check = check(&body, "database");
    assert_eq!((exit, check["verdict"].as_str()), (1, Some("fail")), "{body:#}");
    assert!(check["found"].as_str().unwrap().contains("cannot be reached"), "{check}");
    assert!(check["hint"].as_str().unwrap().contains("DATABASE_URL"), "{check}");
}

#[tokio::test]
async fn a_port_that_another_program_has_fails() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let deaf = async {
        loop {
            // Hangs up on whoever asks: no Forge.
            drop(listener.accept().await);
        }
    };
    let data = folder.path().join("data");
    let (path, args) = (usual_path(), ["--port", &port]);
    let (exit, body) = tokio::select! {
        seen = doctor(&data, &args, &path) => seen,
        () = deaf => unreachable!(),
    };
    assert_eq!((exit, &check(&body, "port")["verdict"]), (1, &Value::from("fail")));
}

#[tokio::test]
async fn port_of_another_data_folders_server_fails() {
    let server = TestServer::start(FORGE).await;
    let port = server.url("").rsplit(':').next().unwrap().trim_matches('/').to_owned();
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("data");
    let (path, args) = (usual_path(), ["--port", port.as_str()]);
    let (exit, body) = doctor(&other, &args, &path).await;
    let told = check(&body, "port");
    assert_eq!((exit, &told["verdict"]), (1, &Value::from("fail")));
    assert!(told["found"].as_str().unwrap().contains("with another data folder"), "{told}");
    // As serve finds.
    let serve = ["serve", "--port", &port, "--data", other.to_str().unwrap()];
    let output = forge(&serve, &[("PATH", &path)]).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let (_exit, body) = doctor(&server.data(), &args, &path).await;
    assert_eq!(check(&body, "port")["verdict"], "ok", "it is this folder's own server");
}
