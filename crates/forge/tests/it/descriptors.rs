//! Open files: the server takes as many as it may have, says when there are none left, and goes on when there are.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpStream;

use forge_testkit::server::Setup;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use serde_json::{Value, json};

use crate::ground::{Ground, Held, comes_true};
use crate::{FORGE, code, data};

/// As many shells have it: low, and not as high as it may be.
const LOW: &str = "ulimit -S -n 256; ulimit -H -n 1000";

fn limit(pid: u32, current: Option<u64>) {
    let maximum = getrlimit(Resource::Nofile).maximum;
    prlimit(Pid::from_raw(pid.cast_signed()), Resource::Nofile, Rlimit { current, maximum }).unwrap();
}

/// Whether the process has a file open whose path ends so.
fn opens(pid: u32, ending: &str) -> bool {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    let mut paths = open.filter_map(|entry| fs::read_link(entry.path()).ok());
    paths.any(|path| path.ends_with(ending))
}

/// Leaves the process one file that it may still open. The limit is on their numbers, of which the lowest is taken.
fn leave_one(pid: u32) {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    let open: BTreeSet<u64> = open.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    let first_free = (0..).find(|number| !open.contains(number)).unwrap();
    limit(pid, Some(first_free + 1));
}

#[tokio::test]
async fn without_open_files_starts_are_refused_callers_wait_and_all_goes_on_later() {
    let ground = Ground::new().await;
    let held = Held::at(ground.own("held"));
    let running = ground.start(&format!("@wait-fifo {}\n@edit a.txt one", held.path())).await;
    let server = ground.server.pid();
    comes_true("the agent is listened to", || opens(server, &format!("{}/log", running.process()))).await;

    leave_one(server);
    let (status, body) = ground.try_start(ground.body("@say hello")).await;
    assert_eq!((status, code(&body)), (503, "too_many_files"), "{body}");
    assert!(body["error_data"]["hint"].as_str().unwrap().contains("ulimit -n"), "{body}");
    let attempts = data(ground.server.get("/api/task-attempts").await);
    assert_eq!(attempts.as_array().unwrap().len(), 1, "{attempts}");

    // More callers than can be let in: the system keeps them until there is a place.
    let callers: Vec<_> =
        (0..20).map(|_| TcpStream::connect(("127.0.0.1", ground.server.port())).unwrap()).collect();
    comes_true("callers wait", || ground.server.log().contains("connections wait")).await;
    drop(callers);
    assert_eq!(data(ground.server.get("/api/projects").await)[0]["id"], ground.project["id"]);

    limit(server, getrlimit(Resource::Nofile).maximum);
    let another = ground.start("@edit b.txt two").await;
    held.let_go();
    for started in [&running, &another] {
        assert_eq!(ground.finished(started).await["outcome"], "succeeded");
    }
    ground.only_the_server_runs().await;
}

#[tokio::test]
async fn a_server_raises_its_limit_of_open_files_and_the_doctor_knows() {
    let server = Setup::new(FORGE).prelude(LOW).start().await;
    let limits = crate::read(format!("/proc/{}/limits", server.pid()));
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    assert_eq!(files.split_whitespace().nth(3), Some("1000"), "{files}");
    assert!(server.log().contains("at most 1000 files may be open"), "{}", server.log());

    #[expect(clippy::disallowed_methods, reason = "the program under test")]
    let mut shell = tokio::process::Command::new("/bin/sh");
    shell.arg("-c").arg(format!("{LOW}; exec '{FORGE}' doctor --json --data '{}'", server.data().display()));
    shell.env_clear().env("HOME", server.folder()).env("PATH", std::env::var_os("PATH").unwrap());
    let doctor = shell.output().await.unwrap();
    let said: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let check =
        said["checks"].as_array().unwrap().iter().find(|check| check["name"] == "open files").unwrap();
    assert_eq!(check["verdict"], json!("warn"), "{check}");
    assert_eq!(check["found"], "at most 1000 (256 until the server raises it)");
}
