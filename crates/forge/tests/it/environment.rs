//! What scripts and agents are told of the attempt they work for.

use std::collections::BTreeMap;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use serde_json::json;

use crate::ground::{Ground, Started};
use crate::read;

const NAMES: [&str; 9] = [
    "FORGE_PROJECT_ID",
    "FORGE_TASK_ID",
    "FORGE_ATTEMPT_ID",
    "FORGE_BRANCH",
    "FORGE_WORKTREE",
    "FORGE_API_URL",
    "FORGE_TMP",
    "FORGE_CACHE",
    "FORGE_PORT",
];

/// The variables of the contract among `NAME=value` lines.
fn variables(text: &str) -> BTreeMap<String, String> {
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    let told = pairs.filter(|(name, _)| NAMES.contains(name) || name.starts_with("FORGE_PORT_"));
    told.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The ports that an attempt of these variables may use.
fn ports(variables: &BTreeMap<String, String>) -> Vec<u16> {
    let is_port = |name: &str| name == "FORGE_PORT" || name.starts_with("FORGE_PORT_");
    variables.iter().filter(|(name, _)| is_port(name)).map(|(_, port)| port.parse().unwrap()).collect()
}

async fn of_setup_script(ground: &Ground, started: &Started) -> BTreeMap<String, String> {
    variables(&ground.printed(&ground.processes(started).await[0]).await)
}

#[tokio::test]
async fn scripts_and_agents_are_told_the_same_of_their_attempt() {
    let script = "env | grep ^FORGE_";
    let ground = Ground::with(json!({"setup_script": script, "cleanup_script": script})).await;
    let steps: Vec<_> = NAMES.iter().map(|name| format!("@env {name}")).collect();
    let started = ground.start(&format!("@edit a.txt one\n{}\n@env FORGE_PORT_9", steps.join("\n"))).await;
    ground.finished(&started).await;
    let setup = of_setup_script(&ground, &started).await;
    let processes = ground.processes(&started).await;
    let cleanup = variables(&ground.printed(&processes[2]).await);
    assert_eq!(setup, cleanup);

    let expected = [
        ("FORGE_PROJECT_ID", ground.project_id().to_owned()),
        ("FORGE_TASK_ID", started.task().to_owned()),
        ("FORGE_ATTEMPT_ID", started.attempt().to_owned()),
        ("FORGE_BRANCH", started.branch().to_owned()),
        ("FORGE_WORKTREE", started.worktree().to_str().unwrap().to_owned()),
        ("FORGE_API_URL", ground.server.url("")),
    ];
    for (name, value) in expected {
        assert_eq!(setup[name], value, "{name}");
    }
    assert_eq!(ports(&setup).len(), 10);
    let said = ground.printed(&processes[1]).await;
    for name in NAMES.iter().copied().chain(["FORGE_PORT_9"]) {
        let line = format!("{name}={}", setup[name]);
        assert!(said.contains(&line), "the agent was not told {line}: {said}");
    }
}

#[tokio::test]
async fn the_told_url_is_that_of_the_server() {
    let script = "exec 3<>/dev/tcp/127.0.0.1/${FORGE_API_URL##*:}
        printf 'GET /health HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n' \"${FORGE_API_URL#http://}\" >&3
        cat <&3";
    let ground = Ground::with(json!({"setup_script": script})).await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    let printed = ground.printed(&ground.processes(&started).await[0]).await;
    assert!(printed.starts_with("HTTP/1.1 200"), "{printed}");
}

#[tokio::test]
async fn two_attempts_share_a_cache_and_nothing_else() {
    let script =
        "env | grep ^FORGE_; touch \"$FORGE_TMP/mine\"; echo one >>\"$FORGE_CACHE/ours\"; ls \"$FORGE_TMP\"";
    let ground = Ground::with(json!({"setup_script": script})).await;
    let (first, second) = (ground.start("@until-told").await, ground.start("@until-told").await);
    let mut seen = Vec::new();
    for started in [&first, &second] {
        // Their agents run, so their scripts are through.
        let agents = |attempt: &serde_json::Value| attempt["stage"] == "agent";
        ground.server.until_attempt(started.attempt(), agents).await;
        let printed = ground.printed(&ground.processes(started).await[0]).await;
        assert!(printed.ends_with("\nmine\n"), "{printed}");
        seen.push(variables(&printed));
    }
    let mut all: Vec<u16> = seen.iter().flat_map(ports).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 20, "no port is given twice: {all:?}");
    assert_ne!(seen[0]["FORGE_TMP"], seen[1]["FORGE_TMP"]);
    assert_eq!(seen[0]["FORGE_CACHE"], seen[1]["FORGE_CACHE"]);
    assert_eq!(read(format!("{}/ours", seen[0]["FORGE_CACHE"])), "one\none\n");
    ground.stop(&first).await;
    ground.stop(&second).await;
}

#[tokio::test]
async fn a_follow_up_finds_the_same_ports_and_folders() {
    let ground = Ground::with(json!({"setup_script": "env | grep ^FORGE_"})).await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    let setup = of_setup_script(&ground, &started).await;
    assert_eq!(ground.follow_up(&started, "@env FORGE_PORT\n@env FORGE_TMP").await.0, 200);
    ground.finished(&started).await;
    let said = ground.printed(&ground.processes(&started).await[2]).await;
    for name in ["FORGE_PORT", "FORGE_TMP"] {
        assert!(said.contains(&format!("{name}={}", setup[name])), "{said}");
    }
}

#[tokio::test]
async fn what_points_elsewhere_is_not_inherited() {
    let names = ["GIT_DIR", "GIT_INDEX_FILE", "PORT", "BACKEND_PORT", "HOST", "FORGE_DATA", "CLAUDECODE"];
    let env = |name: &str| if name == "HOST" { "127.0.0.1" } else { "0" };
    let setup = names.iter().fold(Setup::new(crate::FORGE), |setup, name| match *name {
        // The server's own git must work, and its data lies where the test kit says.
        "GIT_DIR" | "GIT_INDEX_FILE" => setup.env(*name, "/nowhere"),
        "FORGE_DATA" => setup.env(*name, "/nowhere/data"),
        name => setup.env(name, env(name)),
    });
    let script = "env";
    let ground = Ground::on(setup, TempRepo::new(), json!({"setup_script": script})).await;
    let started = ground.start("@edit a.txt one\n@commit by the agent itself").await;
    assert_eq!(ground.finished(&started).await["status"], "completed");
    let told = ground.printed(&ground.processes(&started).await[0]).await;
    for name in names {
        assert!(
            !told.lines().any(|line| line.starts_with(&format!("{name}="))),
            "{name} is inherited: {told}"
        );
    }
}
