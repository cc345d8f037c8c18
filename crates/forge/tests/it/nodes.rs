//! Nodes: each installation handles its own attempts, and a data folder is used with its own database.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::Duration;

use forge_testkit::postgres::TestPostgres;
use forge_testkit::repo::TempRepo;
use forge_testkit::server::{Setup, TestServer};
use serde_json::{Value, json};

use crate::dice::{Dice, times};
use crate::images::{PNG, upload};
use crate::mcp::call;
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
    let told = call(&second, "get_task_attempt", json!({"attempt_id": attempt_id})).await.unwrap();
    let told = &told["attempt"];
    assert_eq!((&told["state"], &told["node"]), (&seen["state"], &seen["node"]), "{told}");
    let mut events = second.events(Some(0)).await;
    let streamed = loop {
        let message = events.next().await;
        if message.data["id"] == attempt_id {
            break message.data;
        }
    };
    assert_eq!((&streamed["state"], &streamed["node"]), (&seen["state"], &seen["node"]), "{streamed}");
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
async fn forgotten_nodes_attempts_are_deleted_or_followed_up() {
    let postgres = TestPostgres::start();
    let setup = || Setup::new(FORGE).env("DATABASE_URL", postgres.url());
    let mut first = setup().start().await;
    let project = project(&first).await;
    let done = started(&first, &project, "@edit a.txt one").await;
    first.until_attempt(id(&done, "attempt_id"), is_finished).await;
    let running = started(&first, &project, "@say before\n@until-told").await;
    let process = id(&running, "execution_process_id");
    let follow_up = format!("/api/task-attempts/{}/follow-up", id(&running, "attempt_id"));
    assert_eq!(first.post(&follow_up, json!({"prompt": "more"})).await.0, 202);
    first.kill_9().await;
    // Its worktrees are not here, as on another machine.
    let (worktrees, away) = (first.data().join("worktrees"), first.folder().join("away"));
    fs::rename(&worktrees, &away).unwrap();

    let mut second = setup().start().await;
    let nodes = data(second.get("/api/forge/nodes").await);
    assert_eq!((&nodes[0]["is_own"], &nodes[0]["attempts"]), (&json!(true), &json!(0)), "{nodes}");
    assert_eq!((&nodes[1]["is_own"], &nodes[1]["attempts"]), (&json!(false), &json!(2)), "{nodes}");
    let forget = |node: &Value| format!("/api/forge/nodes/{}/forget", id(node, "id"));
    let (status, refused) = second.post(&forget(&nodes[0]), json!(null)).await;
    assert_eq!((status, code(&refused)), (409, "node_is_own"), "{refused}");
    assert_eq!(data(second.post(&forget(&nodes[1]), json!(null)).await)["attempts"], 2);
    assert_eq!(second.post(&forget(&nodes[1]), json!(null)).await.0, 404);
    assert_eq!(data(second.get("/api/forge/nodes").await).as_array().unwrap().len(), 1);

    let lost = attempt(&second, id(&running, "attempt_id")).await;
    assert_eq!((&lost["state"], &lost["outcome"]), (&json!("finished"), &json!("lost")), "{lost}");
    assert_eq!((&lost["unreachable"], &lost["worktree_deleted"]), (&json!(false), &json!(true)), "{lost}");
    let ended = data(second.get(&format!("/api/execution-processes/{process}")).await);
    assert_eq!(ended["state"], "lost", "{ended}");
    // What was printed there stayed there.
    let (status, none) = second.get(&format!("/api/execution-processes/{process}/entries")).await;
    assert_eq!((status, code(&none)), (404, "no_transcript"), "{none}");
    assert!(second.logs(process, 0).await.rest().await.is_empty());
    data(second.get(&format!("/api/task-attempts/{}/disk", id(&running, "attempt_id"))).await);
    assert_eq!(second.delete(&format!("/api/tasks/{}", id(&running, "id"))).await.0, 202);
    assert_eq!(second.get(&format!("/api/task-attempts/{}", id(&running, "attempt_id"))).await.0, 404);
    let path = format!("/api/task-attempts/{}", id(&done, "attempt_id"));
    data(second.post(&format!("{path}/follow-up"), json!({"prompt": "@edit b.txt two"})).await);
    let done = second.until_attempt(id(&done, "attempt_id"), is_finished).await;
    assert_eq!(done["outcome"], "succeeded", "{done}");
    let worktree = Path::new(id(&done, "worktree_path"));
    assert!(worktree.starts_with(second.data()), "{done}");
    assert_eq!(crate::read(worktree.join("a.txt")), "one\n");
    second.terminate().await;

    // The node comes back: it is refused, and runs nothing of what it had.
    let url = postgres.url();
    let (exit, said) = serve_at(&first.data(), &[("DATABASE_URL", OsStr::new(&url))]).await;
    assert_eq!(exit, 1, "{said}");
    assert!(said.contains("was forgotten") && said.contains("forge node rebind"), "{said}");
    let (exit, said) = forge(&["node", "rebind", "--data", first.data().to_str().unwrap()], &[]).await;
    assert_eq!(exit, 0, "{said}");
    fs::rename(&away, &worktrees).unwrap();
    let host = first.family().host(process).expect("nobody ended the agent");
    first.restart().await;
    assert_eq!(attempt(&first, id(&done, "id")).await["unreachable"], true);
    let marked = first.data().join("processes").join(process).join("orphaned");
    while !marked.exists() {
        assert_eq!(first.get("/health").await.0, 200);
    }
    assert_eq!(first.family().host(process), Some(host), "the agent is left alone");
}

#[tokio::test]
async fn snapshots_of_other_nodes_attempt_do_not_expire() {
    let postgres = TestPostgres::start();
    let setup = || Setup::new(FORGE).env("DATABASE_URL", postgres.url());
    let mut first = setup().start().await;
    let repo = TempRepo::new();
    let project = data(first.post("/api/projects", json!({"name": "p", "git_repo_path": repo.path()})).await);
    let started = started(&first, &project, "@edit a.txt one").await;
    let attempt_id = id(&started, "attempt_id");
    first.until_attempt(attempt_id, is_finished).await;
    first.kill_9().await;
    let prefix = format!("refs/forge/attempts/{attempt_id}");
    // A deletion leaves this mark when it is killed before the row is gone.
    repo.git(&["update-ref", &format!("{prefix}/deleted"), id(&started["task_attempt"], "branch")]);
    let snapshots = repo.git(&["for-each-ref", &prefix]);
    assert_eq!(snapshots.lines().count(), 2, "{snapshots}");

    let second = setup().config("[gc]\nsnapshot_days = 0.0\n").start().await;
    assert_eq!(data(second.post("/api/gc", json!({})).await)["snapshots"], 0);
    assert_eq!(repo.git(&["for-each-ref", &prefix]), snapshots);
}

#[tokio::test]
async fn server_keeps_to_own_attempts_after_other_served() {
    let mut postgres = TestPostgres::start();
    let setup = || Setup::new(FORGE).env("DATABASE_URL", postgres.url());
    let first = setup().start().await;
    let project = project(&first).await;
    let own = started(&first, &project, "@say mine\n@until-told").await;
    // Frozen, so that it does not take the database again before the other node does.
    let second = setup();
    signal(first.pid(), "STOP");
    postgres.stop();
    postgres.run();
    let mut second = second.start().await;
    let repo = TempRepo::new();
    let body = json!({"name": "q", "git_repo_path": repo.path()});
    let project = data(second.post("/api/projects", body).await);
    let foreign = started(&second, &project, "@say other\n@until-told").await;
    second.terminate().await;
    signal(first.pid(), "CONT");

    let path = |started: &Value| format!("/api/task-attempts/{}", id(started, "attempt_id"));
    let mut seen = first.get(&path(&own)).await;
    while seen.0 == 503 {
        seen = first.get(&path(&own)).await;
    }
    let (mine, theirs) = (data(seen), attempt(&first, id(&foreign, "attempt_id")).await);
    assert_eq!((&mine["state"], &mine["unreachable"]), (&json!("running"), &json!(false)), "{mine}");
    assert_eq!((&theirs["state"], &theirs["unreachable"]), (&json!("unreachable"), &json!(true)), "{theirs}");
    let refused = first.delete(&path(&foreign)).await;
    assert_eq!((refused.0, code(&refused.1)), (409, "attempt_on_other_node"), "{}", refused.1);
    // What writes is served too: the node has the database again.
    data(first.post(&format!("{}/stop", path(&own)), json!(null)).await);
    assert_eq!(first.until_attempt(id(&own, "attempt_id"), is_finished).await["status"], "killed");
    assert_eq!(attempt(&first, id(&foreign, "attempt_id")).await["state"], "unreachable");
    assert!(Path::new(id(&attempt(&first, id(&foreign, "attempt_id")).await, "worktree_path")).exists());
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
    // The inode of the id proves nothing: copies on some filesystems have the same.
    let cloned = server.folder().join("cloned");
    copy(&server.data(), &cloned);
    fs::remove_file(cloned.join("node-id")).unwrap();
    fs::hard_link(server.data().join("node-id"), cloned.join("node-id")).unwrap();
    let (exit, said) = serve_at(&cloned, &[]).await;
    assert_eq!(exit, 1, "{said}");
    assert!(said.contains("is a copy"), "{said}");
    fs::remove_dir_all(&cloned).unwrap();
    // A folder that was moved is the same one.
    let moved = server.folder().join("moved");
    fs::rename(server.data(), &moved).unwrap();
    fs::rename(&moved, server.data()).unwrap();
    server.restart().await;
}

#[tokio::test]
async fn copied_folder_is_refused_on_its_postgres() {
    let postgres = TestPostgres::start();
    let mut server = Setup::new(FORGE).env("DATABASE_URL", postgres.url()).start().await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say kept\n@until-told").await;
    let attempt_id = id(&started, "attempt_id").to_owned();
    server.kill_9().await;
    let url = postgres.url();
    let mut other = Setup::new(FORGE).env("DATABASE_URL", &url).start().await;
    other.terminate().await;
    let copied = other.data();
    fs::remove_dir_all(&copied).unwrap();
    copy(&server.data(), &copied);
    let env = [("DATABASE_URL", OsStr::new(&url))];
    let (exit, said) = serve_at(&copied, &env).await;
    assert_eq!(exit, 1, "{said}");
    assert!(said.contains("is a copy") && said.contains("forge node new-id"), "{said}");
    let (exit, said) = forge(&["node", "new-id", "--data", copied.to_str().unwrap()], &[]).await;
    assert_eq!(exit, 0, "{said}");

    // Under its own name, the copy leaves the attempt to the folder that it was copied from.
    other.restart().await;
    assert_eq!(attempt(&other, &attempt_id).await["state"], "unreachable");
    other.terminate().await;
    server.restart().await;
    assert_eq!(attempt(&server, &attempt_id).await["state"], "running");
    assert!(server.family().host(id(&started, "execution_process_id")).is_some(), "the agent runs on");
}

#[tokio::test]
async fn other_database_is_refused_and_harms_no_agent() {
    let postgres = TestPostgres::start();
    let mut server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say kept\n@until-told").await;
    let process = id(&started, "execution_process_id").to_owned();
    let image = upload(&server, "x.png", PNG).await;
    server.kill_9().await;
    let url = postgres.url();
    let env = [("DATABASE_URL", OsStr::new(&url))];
    let (exit, said) = serve_at(&server.data(), &env).await;
    assert_eq!(exit, 1, "{said}");
    assert!(said.contains("belongs to the database") && said.contains("forge node rebind"), "{said}");

    // On purpose: the agent that this database does not know runs on, and its log is kept. So are the images.
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
    let path = format!("/api/images/{}/file", id(&image, "id"));
    let shown = server.request(reqwest::Method::GET, &path).send().await.unwrap();
    assert_eq!(shown.bytes().await.unwrap(), PNG);
    let images = crate::ground::names(&server.data().join("images"));
    assert!(!images.iter().any(|name| name.ends_with(".orphaned")), "{images:?}");
}

#[tokio::test]
async fn mark_of_failed_deletion_is_removed() {
    let mut server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say kept").await;
    server.until_attempt(id(&started, "attempt_id"), is_finished).await;
    let folder = server.data().join("processes").join(id(&started, "execution_process_id"));
    server.kill_9().await;
    fs::write(folder.join("deleted"), "").unwrap();
    server.restart().await;
    assert!(!folder.join("deleted").exists());
    assert!(folder.join("log").exists());
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

/// One installation, the attempts whose start it answered, and the hosts of their agents.
struct Installation {
    server: TestServer,
    project: String,
    name: String,
    attempts: Vec<String>,
    /// The host's pid of each process that was seen running.
    hosts: BTreeMap<String, u32>,
}

impl Installation {
    async fn new(postgres: &TestPostgres) -> Self {
        let launches = "echo \"$PWD\" >> \"$HOME/launches\"";
        let agent = format!("{launches}; exec '{FORGE}' scripted-agent \"$@\"");
        let mut server = Setup::new(FORGE).env("DATABASE_URL", postgres.url()).agent(agent).start().await;
        let project = id(&project(&server).await, "id").to_owned();
        server.kill_9().await;
        let name = server.data().to_str().unwrap().to_owned();
        Self { server, project, name, attempts: Vec::new(), hosts: BTreeMap::new() }
    }

    /// Starts an attempt and kills the server after a while, whether or not it has answered.
    async fn start_and_kill(&mut self, kill_after: Duration) {
        let body = json!({
            "task": {"project_id": self.project, "title": "t", "description": "@until-told"},
            "executor_profile_id": {"executor": "CLAUDE_CODE", "variant": "DEFAULT"},
            "base_branch": "main",
        });
        let request = self.server.request(reqwest::Method::POST, "/api/tasks/create-and-start");
        if let Ok(Ok(answer)) = tokio::time::timeout(kill_after, request.json(&body).send()).await
            && answer.status() == 200
            && let Ok(started) = answer.json::<Value>().await
        {
            self.attempts.push(id(&started["data"], "attempt_id").to_owned());
        }
        self.server.kill_9().await;
    }

    /// Returns the own attempts. Each is running, under the host that it was first seen with.
    async fn own_attempts(&mut self) -> Vec<Value> {
        let listed = data(self.server.get("/api/task-attempts").await);
        let all = listed.as_array().unwrap();
        let mut own = Vec::new();
        for one in all.iter().filter(|one| id(one, "node").ends_with(&self.name)) {
            let one = self.server.until_attempt(id(one, "id"), |seen| seen["state"] == "running").await;
            assert_eq!(one["unreachable"], false, "{one}");
            let path = format!("/api/execution-processes?task_attempt_id={}", id(&one, "id"));
            let processes = data(self.server.get(&path).await);
            assert_eq!(processes.as_array().unwrap().len(), 1, "one agent per attempt: {processes}");
            let process = id(&processes[0], "id");
            let host = self.server.family().host(process).expect("the agent survived");
            let first = *self.hosts.entry(process.to_owned()).or_insert(host);
            assert_eq!(first, host, "the agent of {one} was replaced");
            own.push(one);
        }
        own
    }

    /// Asserts that all attempts of the other node are shown as its own, and that no agent runs for them here.
    async fn assert_unreachable(&self, other: &(String, Vec<String>)) {
        for attempt_id in &other.1 {
            let seen = attempt(&self.server, attempt_id).await;
            assert_eq!(
                (&seen["state"], &seen["unreachable"]),
                (&json!("unreachable"), &json!(true)),
                "{seen}"
            );
            assert!(id(&seen, "node").ends_with(&other.0), "{seen}");
        }
    }

    /// Asserts that each agent was launched once, and that unanswered starts left neither worktree nor launch behind.
    fn assert_launched_once(&self, own: &[Value]) {
        let mut launches = BTreeMap::<String, usize>::new();
        for line in crate::read(self.server.folder().join("home/launches")).lines() {
            *launches.entry(line.to_owned()).or_default() += 1;
        }
        let expected: BTreeMap<String, usize> =
            own.iter().map(|one| (id(one, "worktree_path").to_owned(), 1)).collect();
        assert_eq!(launches, expected);
        let worktrees: BTreeSet<String> = fs::read_dir(self.server.data().join("worktrees"))
            .unwrap()
            .map(|entry| entry.unwrap().path().to_str().unwrap().to_owned())
            .filter(|path| !path.contains("/."))
            .collect();
        assert_eq!(worktrees, expected.into_keys().collect());
    }
}

#[tokio::test]
async fn two_nodes_taking_turns_recover_their_own() {
    let (seed, rounds) = (12, times("FORGE_NODE_ROUNDS", 20));
    println!("seed {seed}, {rounds} rounds");
    let mut postgres = TestPostgres::start();
    let mut dice = Dice::new(seed);
    let mut nodes = [Installation::new(&postgres).await, Installation::new(&postgres).await];
    for round in 0..rounds {
        for turn in 0..nodes.len() {
            let other = &nodes[1 - turn];
            let others = (other.name.clone(), dice.pick(&other.attempts).cloned().into_iter().collect());
            let node = &mut nodes[turn];
            // Every third turn a server is killed before: while it enters as its node, recovers or begins to serve.
            if dice.roll(3) == 0 {
                let kill_after = Duration::from_millis(u64::try_from(dice.roll(200)).unwrap());
                println!("round {round}: node {turn} starts and is killed after {kill_after:?}");
                node.server.start_and_kill(kill_after).await;
            }
            if dice.roll(5) == 0 {
                println!("round {round}: the database is restarted");
                postgres.stop();
                postgres.run();
            }
            node.server.restart().await;
            // Every other turn the kill comes while the server ends what the last one left.
            if dice.roll(2) == 0 {
                println!("round {round}: node {turn} looks at all attempts");
                node.assert_unreachable(&others).await;
                node.own_attempts().await;
            }
            let kill_after = Duration::from_millis(u64::try_from(dice.roll(150)).unwrap());
            println!("round {round}: node {turn} is killed after {kill_after:?}");
            node.start_and_kill(kill_after).await;
        }
    }
    for turn in 0..nodes.len() {
        let others = (nodes[1 - turn].name.clone(), nodes[1 - turn].attempts.clone());
        let node = &mut nodes[turn];
        node.server.restart().await;
        node.assert_unreachable(&others).await;
        let own = node.own_attempts().await;
        for attempt in &node.attempts {
            assert!(own.iter().any(|one| one["id"] == attempt.as_str()), "attempt {attempt} is lost");
        }
        println!("node {turn}: {} answered, {} run", node.attempts.len(), own.len());
        node.assert_launched_once(&own);
        node.server.kill_9().await;
    }
}
