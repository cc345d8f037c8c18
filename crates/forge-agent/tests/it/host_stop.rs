//! Interrupt, stop and end: nothing of a process's tree is ever left.

use std::time::Duration;

use forge_agent::client::kill_remains;
use forge_agent::host::Outcome;
use forge_agent::log::Stream;

use crate::host_kit::{launcher_after, lives, sh, start, start_with, willing, willing_after};

const LONG: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn an_interrupt_reaches_the_program_and_is_no_stop() {
    let mut process = start(&willing(7)).await;
    process.until("ready").await;
    process.connection.interrupt().await.unwrap();
    let end = process.end().await;
    assert_eq!((end.outcome, end.stopped), (Outcome::Exited { code: 7 }, false));
    assert!(process.stdout().contains("told"));
}

#[tokio::test]
async fn an_interrupt_reaches_a_program_whose_server_ignores_interrupts() {
    let mut process = start_with(&launcher_after("trap '' INT QUIT"), &willing(0)).await;
    process.until("ready").await;
    process.connection.interrupt().await.unwrap();
    assert_eq!(process.end().await.outcome, Outcome::Exited { code: 0 });
}

#[tokio::test]
async fn a_willing_program_ends_by_itself_long_before_its_grace() {
    let mut process = start(&willing(0)).await;
    process.until("ready").await;
    process.connection.stop(LONG).await.unwrap();
    let end = process.end().await;
    assert_eq!((end.outcome, end.stopped), (Outcome::Exited { code: 0 }, true));
    assert!(process.stdout().contains("told"));
    // To stop what has ended is fine.
    assert_eq!(process.connection.stop(LONG).await, Ok(()));
}

#[tokio::test]
async fn a_stubborn_program_is_killed_with_all_its_children_when_its_grace_is_over() {
    let script = "trap '' INT TERM HUP; sh -c 'echo child=$$.; sleep 1000; :' & \
                  setsid sh -c 'echo session=$$.; sleep 1000; :' & echo ready; while :; do sleep 1000; done";
    let mut process = start(&sh(script)).await;
    let (child, session) = (process.pid("child").await, process.pid("session").await);
    process.until("ready").await;
    process.connection.stop(Duration::from_millis(20)).await.unwrap();
    let end = process.end().await;
    assert_eq!((end.outcome, end.stopped), (Outcome::Signaled { signal: 9 }, true));
    assert!(![process.program(), child, session].into_iter().any(lives));
}

#[tokio::test]
async fn a_crowd_of_daemons_is_killed_to_the_last_one() {
    let script = "i=0; while [ $i -lt 150 ]; do (setsid sleep 1000 &); i=$((i+1)); done; echo ready; read go";
    let mut process = start(&sh(script)).await;
    process.until("ready").await;
    process.connection.stop(Duration::ZERO).await.unwrap();
    process.end().await;
    assert_eq!(kill_remains(&process.dir).await.unwrap(), 0);
}

#[tokio::test]
async fn a_second_stop_shortens_the_grace_and_never_lengthens_it() {
    let mut process = start(&sh("trap '' INT; echo ready; while :; do sleep 1000; done")).await;
    process.until("ready").await;
    process.connection.stop(LONG).await.unwrap();
    process.connection.stop(Duration::ZERO).await.unwrap();
    process.connection.stop(LONG).await.unwrap();
    assert_eq!(process.end().await.outcome, Outcome::Signaled { signal: 9 });
}

#[tokio::test]
async fn children_with_a_session_of_their_own_and_daemons_end_with_a_willing_program() {
    let children = r#"
subprocess.Popen(["setsid", "sh", "-c", "echo session=$$.; sleep 1000; :"])
subprocess.run(["sh", "-c", "(trap '' TERM; setsid sh -c 'echo daemon=$$.; sleep 1000; :' &)"])"#;
    let mut process = start(&willing_after(children, 0)).await;
    let (session, daemon) = (process.pid("session").await, process.pid("daemon").await);
    assert!(lives(session) && lives(daemon));
    process.until("ready").await;
    process.connection.stop(LONG).await.unwrap();
    let end = process.end().await;
    assert_eq!((end.outcome, end.stopped), (Outcome::Exited { code: 0 }, true));
    assert!(!lives(session) && !lives(daemon));
}

#[tokio::test]
async fn a_grandchild_that_holds_the_output_open_does_not_delay_the_end() {
    let script =
        "(setsid sh -c 'trap \"\" INT TERM; echo left=$$.; sleep 1000; :' &); read go; echo bye; exit 5";
    let mut process = start(&sh(script)).await;
    let left = process.pid("left").await;
    process.connection.close_stdin(0).await.unwrap();
    let end = process.end().await;
    assert_eq!((end.outcome, end.stopped), (Outcome::Exited { code: 5 }, false));
    assert!(process.stdout().ends_with("bye\n"));
    assert!(!lives(left));
    let note = String::from_utf8(process.bytes(Stream::Note)).unwrap();
    assert!(note.contains("left behind"), "{note}");
}

#[tokio::test]
async fn a_background_child_that_let_go_of_the_output_is_killed_too() {
    let script = "sh -c 'echo left=$$.; exec >/dev/null 2>&1 </dev/null; sleep 1000; :' & read go";
    let mut process = start(&sh(script)).await;
    let left = process.pid("left").await;
    process.connection.close_stdin(0).await.unwrap();
    process.end().await;
    assert!(!lives(left));
}

#[tokio::test]
async fn orphans_are_reaped_while_the_program_runs() {
    // The orphan ends at once; its number is free only when someone has reaped it.
    let script = "orphan=$(sh -c 'true & echo $!'); while [ -d /proc/$orphan ]; do read again </dev/null; done; \
                  echo reaped; read go";
    let mut process = start(&sh(script)).await;
    process.until("reaped").await;
    process.connection.write(0, b"go\n".to_vec()).await.unwrap();
    assert_eq!(process.end().await.outcome, Outcome::Exited { code: 0 });
}

#[tokio::test]
async fn a_program_killed_by_a_signal_is_told_from_one_that_exits() {
    let mut process = start(&sh("kill -SEGV $$")).await;
    let end = process.end().await;
    assert_eq!((end.outcome, end.stopped), (Outcome::Signaled { signal: 11 }, false));
}
