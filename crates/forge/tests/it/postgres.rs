//! The whole server on PostgreSQL: it starts, outlives crashes of its own and of the database, and says what is wrong.

use std::ffi::OsStr;

use forge_testkit::postgres::TestPostgres;
use forge_testkit::server::{Setup, TestServer};
use serde_json::{Value, json};

use crate::{FORGE, code, data, is_finished, project, started};

async fn serve(postgres: &TestPostgres) -> TestServer {
    Setup::new(FORGE).env("DATABASE_URL", postgres.url()).start().await
}

fn attempt(started: &Value) -> &str {
    started["attempt_id"].as_str().unwrap()
}

/// Lets an agent go on that waits.
async fn stop(server: &TestServer, started: &Value) -> Value {
    let path = format!("/api/task-attempts/{}/stop", attempt(started));
    data(server.post(&path, json!(null)).await);
    server.until_attempt(attempt(started), is_finished).await
}

/// What a command says, with its exit code.
async fn forge(args: &[&str], url: &str) -> (i32, String) {
    let path = std::env::var_os("PATH").unwrap();
    let output = crate::forge(args, &[("PATH", &path), ("DATABASE_URL", OsStr::new(url))]).await;
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

#[tokio::test]
async fn an_attempt_is_started_and_finished() {
    let postgres = TestPostgres::start();
    let server = serve(&postgres).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say hello\n@edit a.txt text").await;
    let finished = server.until_attempt(attempt(&started), is_finished).await;
    assert_eq!(finished["status"], "completed", "{finished}");
    let task = data(server.get(&format!("/api/tasks/{}", started["id"].as_str().unwrap())).await);
    assert_eq!(task["status"], "inreview");
    assert!(!server.data().join("forge.db").exists(), "nothing is kept in a file");
}

#[tokio::test]
async fn agents_are_not_told_where_forge_keeps_its_rows() {
    let postgres = TestPostgres::start();
    let server = serve(&postgres).await;
    let project = project(&server).await;
    let path = format!("/api/projects/{}", project["id"].as_str().unwrap());
    let script = "test -z \"${DATABASE_URL+set}\"";
    data(server.put(&path, json!({"setup_script": script})).await);
    let started = started(&server, &project, "@say hello").await;
    let finished = server.until_attempt(attempt(&started), is_finished).await;
    assert_eq!(finished["status"], "completed", "{finished}");
}

#[tokio::test]
async fn a_crash_of_the_server_loses_no_agent_and_no_event() {
    let postgres = TestPostgres::start();
    let mut server = serve(&postgres).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say before\n@until-told").await;
    let mut events = server.events(Some(0)).await;
    let before = events.next_of(&["execution_process_update"]).await;
    server.kill_9().await;
    server.restart().await;
    let mut again = server.events(Some(0)).await;
    assert_eq!(again.next_of(&["execution_process_update"]).await, before);
    let path = format!("/api/task-attempts/{}", attempt(&started));
    assert_eq!(data(server.get(&path).await)["state"], "running");
    let position = before.id.unwrap();
    stop(&server, &started).await;
    let mut rest = server.events(Some(position)).await;
    let mut message = rest.next().await;
    while message.id.is_none() {
        message = rest.next().await;
    }
    assert_eq!(message.id, Some(position + 1));
}

#[tokio::test]
async fn a_second_server_on_the_same_database_is_refused_and_harms_nothing() {
    let postgres = TestPostgres::start();
    let server = serve(&postgres).await;
    let other = server.folder().join("other");
    let args = ["serve", "--port", "0", "--data", other.to_str().unwrap()];
    let (code, said) = forge(&args, &postgres.url()).await;
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("error: another forge server uses the database"), "{said}");
    assert!(said.contains("hint: ") && said.contains("DATABASE_URL"), "{said}");
    project(&server).await;
}

#[tokio::test]
async fn a_wrong_address_is_told_clearly_and_without_the_password() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let cases = [
        ("mysql://me:hunter2@localhost/forge", "does not begin with postgres://"),
        ("postgres://me:hunter2@localhost:port/forge", "cannot be read"),
        (&format!("postgres://me:hunter2@localhost/forge?host={folder}"), "No such file or directory"),
    ];
    for (url, complaint) in cases {
        let (code, said) = forge(&["serve", "--port", "0", "--data", folder], url).await;
        assert_eq!(code, 1, "{said}");
        assert!(said.contains("error: ") && said.contains("hint: "), "{said}");
        assert!(said.contains(complaint) && !said.contains("hunter2"), "{said}");
        assert!(!said.contains("pool timed out"), "the cause is told: {said}");
    }
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused_with_what_to_do() {
    let postgres = TestPostgres::start_with_tls();
    let folder = tempfile::tempdir().unwrap();
    let url = postgres.tls_url("sslmode=verify-full").replace("postgres@", "postgres:hunter2@");
    let args = ["serve", "--port", "0", "--data", folder.path().to_str().unwrap()];
    let (code, said) = forge(&args, &url).await;
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("cannot be reached safely") && said.contains("certificate"), "{said}");
    assert!(said.contains("hint: ") && said.contains("sslrootcert") && !said.contains("hunter2"), "{said}");
}

#[tokio::test]
async fn a_database_that_goes_away_and_comes_back_is_used_again() {
    let mut postgres = TestPostgres::start();
    let server = serve(&postgres).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say before\n@until-told").await;
    postgres.stop();
    let (status, body) = server.get("/api/projects").await;
    assert_eq!((status, code(&body)), (503, "database_away"), "{body}");
    let task = json!({"project_id": project["id"], "title": "late"});
    let (status, body) = server.post("/api/tasks", task.clone()).await;
    assert_eq!((status, code(&body)), (503, "database_away"), "{body}");
    assert!(!body["message"].as_str().unwrap().contains("pool timed out"), "the cause is told: {body}");
    let (status, body) = server.get("/health").await;
    assert_eq!((status, &body["status"]), (503, &json!("unavailable")), "{body}");
    assert_eq!(code(&server.get("/api/health").await.1), "database_away");
    postgres.run();
    assert_eq!(server.get("/health").await.0, 200);
    data(server.post("/api/tasks", task).await);
    let finished = stop(&server, &started).await;
    assert_eq!(finished["status"], "killed", "{finished}");
}

#[tokio::test]
async fn an_agent_that_ends_while_the_database_is_away_is_seen_to_have_ended() {
    let mut postgres = TestPostgres::start();
    let server = serve(&postgres).await;
    let project = project(&server).await;
    let fifo = server.folder().join("fifo");
    make_fifo(&fifo).await;
    let steps = format!("@say before\n@wait-fifo {}\n@edit a.txt text\n@say after", fifo.display());
    let started = started(&server, &project, &steps).await;
    let process = started["execution_process_id"].as_str().unwrap();
    let mut logs = server.logs(process, 0).await;
    logs.until("before").await;
    postgres.stop();
    // Written when the agent reads it.
    tokio::fs::write(&fifo, "go on\n").await.unwrap();
    let path = format!("/api/task-attempts/{}/stop", attempt(&started));
    let (status, body) = server.post(&path, json!(null)).await;
    assert_eq!(status, 503, "{body}");
    postgres.run();
    let finished = server.until_attempt(attempt(&started), is_finished).await;
    assert_eq!(finished["status"], "completed", "{finished}");
    // Who followed the output all the while was never told that it had ended.
    logs.until("after").await;
}

/// A file on which the agent waits until somebody writes into it.
async fn make_fifo(path: &std::path::Path) {
    #[expect(clippy::disallowed_methods, reason = "the standard library makes no fifos")]
    let made = tokio::process::Command::new("mkfifo").arg(path).status().await.unwrap();
    assert!(made.success());
}

#[tokio::test]
async fn the_database_is_backed_up_while_it_serves_and_moved_to_a_file() {
    let postgres = TestPostgres::start();
    let server = serve(&postgres).await;
    let mine = project(&server).await;
    let file = server.folder().join("backup.db");
    let file = file.to_str().unwrap();
    assert_eq!(forge(&["db", "backup", file], &postgres.url()).await.0, 0);
    let (code, said) = forge(&["db", "backup", file], &postgres.url()).await;
    assert_eq!(code, 1, "{said}");
    let (code, said) = forge(&["db", "restore", file], &postgres.url()).await;
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("another forge server uses the database"), "{said}");

    let mut moved = TestServer::start(FORGE).await;
    assert!(moved.terminate().await.success());
    std::fs::remove_file(moved.data().join("forge.db")).unwrap();
    let folder = moved.data();
    let args = ["db", "restore", file, "--data", folder.to_str().unwrap()];
    let (code, said) = forge(&args, "").await;
    assert_eq!(code, 0, "{said}");
    let (code, said) = forge(&args, "").await;
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("there is a database already"), "{said}");
    moved.restart().await;
    assert_eq!(data(moved.get("/api/projects").await), json!([mine]));
}

#[tokio::test]
async fn a_file_is_backed_up_while_it_serves_and_moved_to_a_server() {
    let server = TestServer::start(FORGE).await;
    let mine = project(&server).await;
    let (folder, file) = (server.data(), server.folder().join("backup.db"));
    let file = file.to_str().unwrap();
    let (code, said) = forge(&["db", "backup", file, "--data", folder.to_str().unwrap()], "").await;
    assert_eq!(code, 0, "{said}");
    data(server.post("/api/tasks", json!({"project_id": mine["id"], "title": "it serves on"})).await);
    let postgres = TestPostgres::start();
    let (code, said) = forge(&["db", "restore", file], &postgres.url()).await;
    assert_eq!(code, 0, "{said}");
    assert_eq!(data(serve(&postgres).await.get("/api/projects").await), json!([mine]));
}

#[tokio::test]
async fn what_a_migration_would_do_is_told_and_done() {
    let postgres = TestPostgres::start();
    let check = ["db", "migrate", "--check"];
    let (code, said) = forge(&check, &postgres.url()).await;
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("to be made: change 1, init"), "{said}");
    let (code, said) = forge(&["db", "migrate"], &postgres.url()).await;
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("made: change 1, init") && said.contains("made: change 2, cards"), "{said}");
    let (code, said) = forge(&check, &postgres.url()).await;
    assert_eq!((code, said.trim()), (0, "The schema is up to date"));
}
