//! A full disk: clear refusals, nothing half-made, no agent lost, and all goes on when there is room again.
//!
//! A limit on the size of files stands for the disk. It needs no right that a container may lack, it makes writing fail
//! half-way as a full disk does, for one process or for all that the server starts, and it can be taken back.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use serde_json::{Value, json};

use crate::ground::{Ground, Held, comes_true, names};
use crate::{FORGE, code, data};

/// There is room for the database, and for files that are no bigger than this.
const LITTLE: u64 = 4 << 20;
const BIG: usize = 6 << 20;

/// A disk that is full sends no signal; the limit does, which kills who does not ignore it.
fn setup() -> Setup {
    Setup::new(FORGE).prelude("trap '' XFSZ")
}

/// From here on no file that the process writes, and those that it starts, may get bigger.
fn fill(pid: u32, bytes: u64) {
    limit(pid, Some(bytes));
}

fn free(pid: u32) {
    limit(pid, getrlimit(Resource::Fsize).maximum);
}

fn limit(pid: u32, current: Option<u64>) {
    let pid = Pid::from_raw(pid.cast_signed());
    let maximum = getrlimit(Resource::Fsize).maximum;
    prlimit(pid, Resource::Fsize, Rlimit { current, maximum }).unwrap();
}

/// Says that the disk is full, and what to do.
fn is_full((status, body): &(u16, Value)) {
    assert_eq!((*status, code(body)), (503, "disk_full"), "{body}");
    assert!(body["error_data"]["hint"].as_str().unwrap().contains("free some space"), "{body}");
}

/// Bytes that git cannot make smaller.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..count.div_ceil(8)).flat_map(|_| next()).take(count).collect()
}

#[tokio::test]
async fn a_start_on_a_full_disk_is_refused_and_leaves_nothing() {
    let repo = TempRepo::new();
    repo.write("big", "x".repeat(BIG));
    repo.commit("Add something big");
    let ground = Ground::on(setup(), repo, json!({})).await;
    let server = ground.server.pid();

    // Nothing can be written: not even that a start was wanted. What there is can still be read.
    fill(server, 0);
    is_full(&ground.try_start(ground.body("@say hello")).await);
    let task = json!({"project_id": ground.project["id"], "title": "t"});
    is_full(&ground.server.post("/api/tasks", task).await);
    assert_eq!(data(ground.server.get("/api/projects").await)[0]["id"], ground.project["id"]);

    // The files of the worktree cannot.
    fill(server, LITTLE);
    is_full(&ground.try_start(ground.body("@say hello")).await);
    ground.nothing_is_left().await;

    // It fills up in the middle, and what was made cannot be taken back either, until there is room.
    free(server);
    let held = Held::at(ground.own("held"));
    let entered = ground.own("entered");
    let hook = ground.repo.path().join(".git/hooks/post-checkout");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, format!("#!/bin/sh\ntouch '{}'\ncat '{}'\n", entered.display(), held.path())).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let fills_up = async {
        comes_true("the start stands in the hook", || entered.exists()).await;
        fill(server, 0);
        held.let_go();
    };
    let (answer, ()) = tokio::join!(ground.try_start(ground.body("@say hello")), fills_up);
    is_full(&answer);
    assert_eq!(data(ground.server.get("/api/task-attempts").await), json!([]));
    free(server);
    let left = || ground.repo.git(&["branch", "--list", "forge/*"]);
    comes_true("the branch is taken back", || left().is_empty()).await;
    comes_true("the process is taken back", || names(&ground.server.data().join("processes")).is_empty())
        .await;
    comes_true("the mark is taken back", || {
        !ground.repo.git(&["config", "--list"]).contains("forge-attempt")
    })
    .await;
    ground.nothing_is_left().await;

    let started = ground.start("@edit a.txt one").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
}

#[tokio::test]
async fn what_runs_while_the_disk_is_full_is_not_lost_and_goes_on_when_there_is_room() {
    let ground = Ground::on(setup(), TempRepo::new(), json!({})).await;
    let server = ground.server.pid();
    let gates = ["ends", "commits", "prints"].map(|name| Held::at(ground.own(name)));
    let paths = gates.each_ref().map(|gate| gate.path().to_owned());
    let [ends, commits, prints] = gates;
    let of_end = ground.start(&format!("@wait-fifo {}", paths[0])).await;
    let of_commit = ground.start(&format!("@wait-fifo {}", paths[1])).await;
    let of_log = ground.start(&format!("@wait-fifo {}\n@flood 5000 100", paths[2])).await;
    let host = |process: &str| ground.server.family().host(process).unwrap();

    // The log: the agent waits with what it prints.
    let its_host = host(of_log.process());
    fill(its_host, 256 << 10);
    prints.let_go();
    let says = |words: &str| ground.server.log().contains(words);
    let stalled = format!("the log of process {} cannot be written", of_log.process());
    comes_true("the log stalls", || says(&stalled)).await;
    free(its_host);
    assert_eq!(ground.finished(&of_log).await["outcome"], "succeeded");
    let printed = ground.printed(&ground.processes(&of_log).await[0]).await;
    let numbers = printed.split("line ").skip(1).filter_map(|line| line.split(' ').next()?.parse().ok());
    let mut numbers: Vec<u32> = numbers.collect();
    // The last line is also the turn's result.
    numbers.dedup();
    assert!(numbers.iter().copied().eq(1..=5000), "{} lines", numbers.len());

    // Git's objects: the commit waits.
    let big = noise(BIG);
    fs::write(of_commit.worktree().join("big"), &big).unwrap();
    fill(server, LITTLE);
    commits.let_go();
    let waits = format!("the commit of attempt {} waits", of_commit.attempt());
    comes_true("the commit waits", || says(&waits)).await;
    let path = format!("/api/task-attempts/{}", of_commit.attempt());
    let waiting = data(ground.server.get(&path).await);
    assert_eq!((&waiting["state"], &waiting["stage"]), (&json!("running"), &json!("commit")));

    // The database: that an agent has ended cannot be written.
    fill(server, 0);
    let its_host = host(of_end.process());
    ends.let_go();
    ground.server.family().gone(its_host).await;
    let path = format!("/api/task-attempts/{}", of_end.attempt());
    assert_eq!(data(ground.server.get(&path).await)["state"], "running");

    free(server);
    for started in [&of_commit, &of_end] {
        assert_eq!(ground.finished(started).await["outcome"], "succeeded");
    }
    let size = ground.repo.git(&["cat-file", "-s", &format!("{}:big", of_commit.branch())]);
    assert_eq!(size, BIG.to_string());
    ground.only_the_server_runs().await;
}
