//! Nodes: each installation handles its own attempts, and a data folder is used with its own database.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::Duration;

use forge_testkit::postgres::TestPostgres;
use forge_testkit::server::{Setup, TestServer};
use serde_json::{Value, json};

use crate::dice::{Dice, times};
use crate::{FORGE, code, data, is_finished, project, started};

fn id<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap()
}

/// What a command says, with its exit code.
async fn forge(args: &[&str], env: &[(&str, &OsStr)]) -> (i32, String) {
    let path = std::env::var_os("PATH").unwrap();
    let mut all = vec![("PATH", path.as_os_str())];
    all.extend(env);
    let output = crate::forge(args, &all).await;
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

async fn serve_at(folder: &Path, env: &[(&str, &OsStr)]) -> (i32, String) {
    forge(&["serve", "--port", "0", "--data", folder.to_str().unwrap()], env).await
}

async fn attempt(server: &TestServer, id: &str) -> Value {
    data(server.get(&format!("/api/task-attempts/{id}")).await)
}

fn copy(from: &Path, to: &Path) {
    #[expect(clippy::disallowed_methods, reason = "what people copy folders with")]
    let copied = std::process::Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(copied.success());
}

#[tokio::test]
async fn attempt_of_other_node_is_unreachable_and_refused() {
    let postgres = TestPostgres::start();
    let setup = || Setup::new(FORGE).env("DATABASE_URL", postgres.url());
    let mut first = setup().start().await;
    let project = project(&first).await;
    let started = started(&first, &project, "@say before\n@until-told").await;
    let (attempt_id, process) = (id(&started, "attempt_id"), id(&started, "execution_process_id"));
    assert_eq!(attempt(&first, attempt_id).await["unreachable"], false);
    first.kill_9().await;

    let mut second = setup().start().await;
    let seen = attempt(&second, attempt_id).await;
    assert_eq!((&seen["state"], &seen["unreachable"]), (&json!("unreachable"), &json!(true)), "{seen}");
    assert!(id(&seen, "node").ends_with(first.data().to_str().unwrap()), "{seen}");
    let path = format!("/api/task-attempts/{attempt_id}");
    for (what, body) in [("stop", json!(null)), ("follow-up", json!({"prompt": "more"}))] {
        let (status, body) = second.post(&format!("{path}/{what}"), body).await;
        assert_eq!((status, code(&body)), (409, "attempt_on_other_node"), "{what}: {body}");
    }
    for refused in [
        second.get(&format!("{path}/branch-status")).await,
        second.delete(&path).await,
        second.delete(&format!("/api/tasks/{}", id(&started, "id"))).await,
        second.delete(&format!("/api/projects/{}", id(&project, "id"))).await,
    ] {
        assert_eq!((refused.0, code(&refused.1)), (409, "attempt_on_other_node"), "{}", refused.1);
    }
    assert_eq!(second.family().host(process), None, "the second node starts no agent");
    second.terminate().await;

    first.restart().await;
    assert_eq!(attempt(&first, attempt_id).await["state"], "running");
    data(first.post(&format!("{path}/stop"), json!(null)).await);
    assert_eq!(first.until_attempt(attempt_id, is_finished).await["status"], "killed");
}

#[tokio::test]
async fn copied_data_folder_is_refused_until_renamed() {
    let mut server = TestServer::start(FORGE).await;
    server.terminate().await;
    let copied = server.folder().join("copied");
    copy(&server.data(), &copied);
    let (exit, said) = serve_at(&copied, &[]).await;
    assert_eq!(exit, 1, "{said}");
    assert!(said.contains("is a copy") && said.contains("forge node new-id"), "{said}");
    let (exit, said) = forge(&["node", "new-id", "--data", copied.to_str().unwrap()], &[]).await;
    assert_eq!(exit, 0, "{said}");
    server.restart().await;
    server.terminate().await;
    // A folder that was moved is the same one.
    let moved = server.folder().join("moved");
    fs::rename(server.data(), &moved).unwrap();
    fs::rename(&moved, server.data()).unwrap();
    server.restart().await;
}

#[tokio::test]
async fn other_database_is_refused_and_harms_no_agent() {
    let postgres = TestPostgres::start();
    let mut server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say kept\n@until-told").await;
    let process = id(&started, "execution_process_id").to_owned();
    server.kill_9().await;
    let url = postgres.url();
    let env = [("DATABASE_URL", OsStr::new(&url))];
    let (exit, said) = serve_at(&server.data(), &env).await;
    assert_eq!(exit, 1, "{said}");
    assert!(said.contains("belongs to the database") && said.contains("forge node rebind"), "{said}");

    // On purpose: the agent that this database does not know runs on, and its log is kept.
    let folder = server.data();
    let (exit, said) = forge(&["node", "rebind", "--data", folder.to_str().unwrap()], &[]).await;
    assert_eq!(exit, 0, "{said}");
    server.set_env("DATABASE_URL", &url);
    server.restart().await;
    let marked = folder.join("processes").join(&process).join("orphaned");
    while !marked.exists() {
        assert_eq!(server.get("/health").await.0, 200);
    }
    server.terminate().await;
    assert!(server.family().host(&process).is_some(), "the agent runs on");
    assert!(folder.join("processes").join(&process).join("log").exists());

    // Back to the database that knows it.
    let (exit, said) = forge(&["node", "rebind", "--data", folder.to_str().unwrap()], &[]).await;
    assert_eq!(exit, 0, "{said}");
    server.unset_env("DATABASE_URL");
    server.restart().await;
    assert_eq!(attempt(&server, id(&started, "attempt_id")).await["state"], "running");
    assert!(!marked.exists());
}

#[tokio::test]
async fn older_copy_of_database_is_refused() {
    let mut server = TestServer::start(FORGE).await;
    server.terminate().await;
    let (database, older) = (server.data().join("forge.db"), server.folder().join("older.db"));
    fs::copy(&database, &older).unwrap();
    server.restart().await;
    project(&server).await;
    server.terminate().await;
    for end in ["-wal", "-shm"] {
        drop(fs::remove_file(server.data().join(format!("forge.db{end}"))));
    }
    fs::copy(&older, &database).unwrap();
    let (exit, said) = serve_at(&server.data(), &[]).await;
    assert_eq!(exit, 1, "{said}");
    assert!(said.contains("older copy") && said.contains("forge node rebind"), "{said}");
}

#[tokio::test]
async fn odd_folders_and_frozen_hosts_do_not_stop_serving() {
    let mut server = Setup::new(FORGE).keeping(5.0).start().await;
    let project = project(&server).await;
    let done = started(&server, &project, "@edit a.txt 1").await;
    server.until_attempt(id(&done, "attempt_id"), is_finished).await;
    let running = started(&server, &project, "@until-told").await;
    let host = server.family().host(id(&running, "execution_process_id")).unwrap();
    let odd = server.data().join("processes/0b5a4ad2-5b63-4d9c-8a2c-0a1d7f1f2b33");
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join("result"), r#"{"outcome":{"kind":"frozen"},"stopped":false}"#).unwrap();
    signal(host, "STOP");
    server.kill_9().await;
    server.restart().await;
    assert_eq!(server.get("/health").await.0, 200);
    assert!(odd.join("result").exists(), "the odd folder is kept");
    signal(host, "CONT");
    let path = format!("/api/task-attempts/{}/stop", id(&running, "attempt_id"));
    while server.post(&path, json!(null)).await.0 != 200 {}
    server.until_attempt(id(&running, "attempt_id"), is_finished).await;
}

fn signal(pid: u32, name: &str) {
    #[expect(clippy::disallowed_methods, reason = "freezes one process that the test started")]
    let sent = std::process::Command::new("kill").arg(format!("-{name}")).arg(pid.to_string()).status();
    assert!(sent.unwrap().success());
}

/// One installation of the storm.
struct Installation {
    server: TestServer,
    project: String,
    /// What was answered with success.
    attempts: Vec<String>,
}

#[tokio::test]
async fn two_nodes_taking_turns_recover_their_own() {
    let (seed, rounds) = (12, times("FORGE_NODE_ROUNDS", 20));
    println!("seed {seed}, {rounds} rounds");
    let postgres = TestPostgres::start();
    let mut dice = Dice::new(seed);
    let mut nodes = Vec::new();
    for _ in 0..2 {
        let launches = "echo \"$PWD\" >> \"$HOME/launches\"";
        let setup = Setup::new(FORGE).env("DATABASE_URL", postgres.url());
        let agent = format!("{launches}; exec '{FORGE}' scripted-agent \"$@\"");
        let mut server = setup.agent(agent).start().await;
        let project = id(&project(&server).await, "id").to_owned();
        server.kill_9().await;
        nodes.push(Installation { server, project, attempts: Vec::new() });
    }
    for round in 0..rounds {
        for turn in 0..nodes.len() {
            let others: Vec<String> = nodes
                .iter()
                .enumerate()
                .filter(|(n, _)| *n != turn)
                .flat_map(|(_, node)| node.attempts.clone())
                .collect();
            let node = &mut nodes[turn];
            node.server.restart().await;
            if let Some(other) = dice.pick(&others) {
                let seen = attempt(&node.server, other).await;
                assert_eq!(seen["state"], "unreachable", "round {round}: {seen}");
            }
            if let Some(own) = dice.pick(&node.attempts) {
                let seen = attempt(&node.server, own).await;
                assert_eq!(seen["state"], "running", "round {round}: {seen}");
            }
            let body = json!({
                "task": {"project_id": node.project, "title": "t", "description": "@until-told"},
                "executor_profile_id": {"executor": "CLAUDE_CODE", "variant": "DEFAULT"},
                "base_branch": "main",
            });
            let kill_after = Duration::from_millis(u64::try_from(dice.roll(120)).unwrap());
            let start =
                node.server.request(reqwest::Method::POST, "/api/tasks/create-and-start").json(&body).send();
            if let Ok(Ok(answer)) = tokio::time::timeout(kill_after, start).await
                && answer.status() == 200
                && let Ok(started) = answer.json::<Value>().await
            {
                node.attempts.push(id(&started["data"], "attempt_id").to_owned());
            }
            node.server.kill_9().await;
        }
    }
    for node in &mut nodes {
        node.server.restart().await;
        let listed = data(node.server.get("/api/task-attempts").await);
        let own: Vec<&Value> =
            listed.as_array().unwrap().iter().filter(|one| one["unreachable"] == false).collect();
        for attempt in &node.attempts {
            assert!(own.iter().any(|one| one["id"] == attempt.as_str()), "attempt {attempt} is lost");
        }
        let mut launches = BTreeMap::<String, usize>::new();
        for line in crate::read(node.server.folder().join("home/launches")).lines() {
            *launches.entry(line.to_owned()).or_default() += 1;
        }
        for one in own {
            let one = node.server.until_attempt(id(one, "id"), |seen| seen["state"] == "running").await;
            assert_eq!(
                launches.get(id(&one, "worktree_path")),
                Some(&1),
                "each agent is started once: {one}"
            );
        }
        node.server.kill_9().await;
    }
}
