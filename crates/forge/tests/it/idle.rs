//! Who has nothing to do does nothing: no timer, no polling, not one wake-up.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use forge_testkit::server::DEADLINE;

use crate::ground::{Ground, Held, comes_true};

/// Who polls more seldom than this is not found out.
const WINDOW: Duration = Duration::from_secs(3);

/// What the threads of a process have used and how often each was scheduled, by thread.
fn used(pid: u32) -> BTreeMap<String, (String, String)> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    let look = |thread: fs::DirEntry| {
        let stat = fs::read_to_string(thread.path().join("stat")).ok()?;
        // Behind the name, which may hold anything: utime and stime are the 12th and 13th.
        let (_, fields) = stat.rsplit_once(") ")?;
        let ticks = fields.split(' ').skip(11).take(2).collect::<Vec<_>>().join(" ");
        let status = fs::read_to_string(thread.path().join("status")).ok()?;
        let switches = status.lines().filter(|line| line.contains("ctxt_switches")).collect::<Vec<_>>();
        Some((thread.file_name().into_string().unwrap(), (ticks, switches.join(" "))))
    };
    threads.filter_map(look).collect()
}

/// Waits until these have done nothing at all for a while. The only wait for time there is: that nothing happens
/// cannot be seen in any other way. Who has just become idle may still have something to put away, so it is looked
/// again.
async fn do_nothing(pids: &[(&str, u32)]) {
    let all = || pids.iter().map(|(_, pid)| used(*pid)).collect::<Vec<_>>();
    let mut windows = tokio::time::interval(WINDOW);
    windows.tick().await;
    let (mut before, mut now) = (Vec::new(), all());
    let looking = async {
        while before != now {
            windows.tick().await;
            before = std::mem::replace(&mut now, all());
        }
    };
    let looked = tokio::time::timeout(DEADLINE, looking).await;
    assert!(looked.is_ok(), "{pids:?} are never idle: {before:#?} {now:#?}");
}

#[tokio::test]
async fn who_only_wakes_up_now_and_then_is_found_out() {
    #[expect(clippy::disallowed_methods, reason = "somebody who polls")]
    let mut shell = tokio::process::Command::new("sh");
    shell.args(["-c", "while sleep 0.1; do :; done"]).kill_on_drop(true);
    let shell = shell.spawn().unwrap();
    let pid = shell.id().unwrap();
    for _ in 0..3 {
        let before = used(pid);
        comes_true("it is seen to wake up", || used(pid) != before).await;
    }
}

#[tokio::test]
async fn a_server_whose_agents_are_done_or_silent_and_their_hosts_do_nothing() {
    let ground = Ground::new().await;
    let done = ground.start("@edit a.txt one").await;
    ground.finished(&done).await;
    let gate = Held::at(ground.own("gate"));
    let waiting = ground.start(&format!("@say waiting\n@wait-fifo {}", gate.path())).await;
    ground.server.logs(waiting.process(), 0).await.until("waiting").await;
    let host = ground.server.family().host(waiting.process()).unwrap();
    do_nothing(&[("server", ground.server.pid()), ("host", host)]).await;
    gate.let_go();
    assert_eq!(ground.finished(&waiting).await["outcome"], "succeeded");
}
