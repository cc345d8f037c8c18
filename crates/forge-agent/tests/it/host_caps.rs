//! Caps: what is written where for a program, and what is told when it cannot be.
//!
//! A directory that looks like a cgroup stands in for one: few machines let a test make a real one.

use std::fs;
use std::path::Path;

use forge_agent::host::{Capped, Caps, Outcome, try_caps};
use forge_agent::log::Stream;

use crate::host_kit::{sh, start, willing};

/// Something that looks like a cgroup with these controllers.
fn group(controllers: &str) -> tempfile::TempDir {
    let group = tempfile::tempdir().unwrap();
    fs::write(group.path().join("cgroup.controllers"), controllers).unwrap();
    group
}

fn caps(group: &Path) -> Caps {
    Caps {
        memory: Some(64 * 1024 * 1024),
        processes: Some(32),
        cpu_millis: Some(1_500),
        cgroup: Some(group.to_owned()),
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[tokio::test]
async fn a_capped_program_has_a_group_with_its_limits_which_the_host_enters_to_start_it() {
    let parent = group("cpuset cpu io memory pids");
    let mut spec = willing(0);
    spec.caps = caps(parent.path());
    let mut started = start(&spec).await;
    started.until("ready").await;
    let own = parent.path().join("forge-process");
    assert_eq!(read(&parent.path().join("cgroup.subtree_control")), "+memory +pids +cpu");
    assert_eq!(read(&own.join("memory.max")), "67108864");
    assert_eq!(read(&own.join("pids.max")), "32");
    assert_eq!(read(&own.join("cpu.max")), "150000 100000");
    assert_eq!(read(&own.join("cgroup.procs")), started.host().as_raw_nonzero().to_string());
    let told = Capped::find(&started.dir).unwrap().unwrap();
    assert_eq!(told, Capped { caps: spec.caps.clone(), enforced: true, why: None });
    started.connection.interrupt().await.unwrap();
    assert_eq!(started.end().await.outcome, Outcome::Exited { code: 0 });
}

#[tokio::test]
async fn a_stop_kills_by_the_group_too_and_a_death_by_memory_is_told() {
    let parent = group("memory pids cpu");
    let mut spec = sh("trap '' INT; echo ready; while :; do read line || exec sleep 1000; done");
    spec.caps = caps(parent.path());
    let mut started = start(&spec).await;
    started.until("ready").await;
    let own = parent.path().join("forge-process");
    fs::write(own.join("memory.events"), "oom 3\noom_kill 2\n").unwrap();
    started.connection.stop(std::time::Duration::ZERO).await.unwrap();
    started.end().await;
    assert_eq!(read(&own.join("cgroup.kill")), "1");
    let notes = String::from_utf8(started.bytes(Stream::Note)).unwrap();
    assert!(notes.contains("killed 2 processes that needed more memory"), "{notes}");
}

#[tokio::test]
async fn where_caps_cannot_be_enforced_the_program_runs_and_it_is_told_why() {
    let parent = group("memory");
    let mut spec = sh("echo ran");
    spec.caps = caps(parent.path());
    let mut started = start(&spec).await;
    assert_eq!(started.end().await.outcome, Outcome::Exited { code: 0 });
    assert_eq!(started.stdout(), "ran\n");
    let told = Capped::find(&started.dir).unwrap().unwrap();
    assert!(!told.enforced);
    assert!(told.why.unwrap().contains("the pids controller is not available"));
    let left: Vec<_> = fs::read_dir(parent.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["cgroup.controllers"], "nothing was made");
    let missing = parent.path().join("missing");
    assert!(try_caps(&caps(&missing)).unwrap_err().contains("missing"));
}

#[tokio::test]
async fn without_caps_nothing_is_made_and_nothing_is_told() {
    let parent = group("memory pids cpu");
    let mut spec = sh("true");
    spec.caps.cgroup = Some(parent.path().to_owned());
    let mut started = start(&spec).await;
    started.end().await;
    assert_eq!(Capped::find(&started.dir).unwrap(), None);
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
}
