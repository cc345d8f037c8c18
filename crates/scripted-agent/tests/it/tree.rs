//! Signals, and the processes that the agent leaves behind.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;

use rustix::process::{Pid, Signal};

use crate::agent::Agent;

fn pid_in(path: &Path) -> Pid {
    let number = std::fs::read_to_string(path).unwrap().parse().unwrap();
    Pid::from_raw(number).unwrap()
}

#[test]
fn a_willing_agent_dies_of_the_signal_and_a_stubborn_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::start(folder.path(), &[]);
    agent.prompt("@print-pid pid\n@say ready\n@until-told");
    agent.until_said("ready");
    assert_eq!(pid_in(&folder.path().join("pid")), agent.pid());
    rustix::process::kill_process(agent.pid(), Signal::TERM).unwrap();
    assert_eq!(agent.close().signal(), Some(15));

    let mut agent = Agent::start(folder.path(), &[]);
    agent.prompt("@ignore-signals\n@say ready\n@until-told\n@say still here");
    agent.until_said("ready");
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        rustix::process::kill_process(agent.pid(), signal).unwrap();
    }
    agent.prompt("go on");
    assert_eq!(agent.until_result()["result"], "still here");
    assert!(agent.close().success());
}

/// As the kernel tells it: 0 for one that is outside of our namespace, which a call of the system cannot name.
fn session_of(pid: Pid) -> i32 {
    let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap();
    status.rsplit_once(')').unwrap().1.split_whitespace().nth(3).unwrap().parse().unwrap()
}

#[test]
fn children_are_in_the_agents_session_or_in_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::start(folder.path(), &[]);
    agent.prompt("@spawn plain\n@spawn-session session");
    agent.until_result();
    let plain = pid_in(&folder.path().join("plain"));
    let session = pid_in(&folder.path().join("session"));
    assert_eq!(session_of(plain), session_of(agent.pid()));
    assert_eq!(session_of(session), session.as_raw_nonzero().get());
    for pid in [plain, session] {
        rustix::process::kill_process(pid, Signal::KILL).unwrap();
    }
    assert!(agent.close().success());
}

#[test]
fn a_background_process_holds_the_output_of_an_agent_that_has_gone() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::start_with(folder.path(), &["--plain", "@background pid\n@say gone"]);
    assert!(agent.line().unwrap().starts_with(b"started process"));
    assert_eq!(agent.line().unwrap(), b"gone");
    rustix::process::kill_process(pid_in(&folder.path().join("pid")), Signal::KILL).unwrap();
    assert!(agent.close().success());
}
