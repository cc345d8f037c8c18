//! An orderly end of the server: it goes at once, nobody is left waiting, agents go on and the next server has them.

use std::process::Stdio;

use forge_testkit::server::{DEADLINE, Setup};
use serde_json::json;

use crate::life::{Bed, Printer, answered};
use crate::{FORGE, code, read};

#[tokio::test]
async fn agents_go_on_when_the_server_ends_and_the_next_one_has_them() {
    let mut bed = Bed::new().await;
    let printers = [bed.printer("one", 3).await, bed.printer("two", 3).await];
    let pids = printers.each_ref().map(Printer::pid);
    assert!(bed.server.terminate().await.success());
    assert!(!bed.server.data().join("port").exists(), "the port file says where nobody listens");
    for printer in &printers {
        printer.gates[0].open().await;
    }
    bed.server.restart().await;
    for (printer, pid) in printers.iter().zip(pids) {
        assert_eq!(printer.pid(), pid);
        printer.assert_runs(&bed).await;
        printer.gates[1].open().await;
        printer.printed(&bed, 2).await;
    }
    assert!(bed.server.terminate().await.success());
    bed.server.restart().await;
    for printer in &printers {
        printer.finish(&bed, 2).await;
    }
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn every_stream_is_ended_and_not_called_finished() {
    let mut bed = Bed::new().await;
    let printer = bed.printer("one", 1).await;
    let mut events = bed.server.events(None).await;
    let mut logs = bed.server.logs(&printer.run.process, 0).await;
    let before = logs.until("line 39").await;
    bed.server.ask_to_end();
    assert_eq!(logs.next().await, None);
    assert_eq!((logs.finished(), logs.close_code()), (false, Some(1001)));
    let end = loop {
        if let Err(end) = events.try_next().await {
            break end;
        }
    };
    assert_eq!(end, "the event stream ended", "and did not break");
    assert!(bed.server.ended().await.success());
    bed.server.restart().await;
    let mut resumed = bed.server.logs(&printer.run.process, logs.position()).await;
    printer.finish(&bed, 0).await;
    let rest = resumed.rest().await;
    let rest: String =
        rest.iter().filter(|entry| entry.stream == "STDOUT").map(|entry| entry.text.as_str()).collect();
    let whole = bed.server.logs(&printer.run.process, 0).await.rest().await;
    let whole: String =
        whole.iter().filter(|entry| entry.stream == "STDOUT").map(|entry| entry.text.as_str()).collect();
    assert_eq!(before + &rest, whole);
}

#[tokio::test]
async fn who_waits_for_a_stop_is_told_that_the_server_goes() {
    let mut bed = Bed::with(Setup::new(FORGE).config("grace_seconds = 600")).await;
    let run = bed.started("@ignore-signals\n@say deaf\n@until-told").await;
    bed.server.logs(&run.process, 0).await.until("deaf").await;
    let (answer, ()) = tokio::join!(answered(bed.stop(&run)), async {
        bed.server.until_attempt(&run.attempt, |attempt| attempt["state"] == "stopping").await;
        bed.server.ask_to_end();
    });
    assert_eq!((answer.0, code(&answer.1)), (503, "shutting_down"));
    assert!(bed.server.ended().await.success());
    std::fs::write(bed.path("home/.config/forge/config.toml"), "grace_seconds = 0").unwrap();
    bed.server.restart().await;
    assert_eq!(
        bed.finished(&run).await["outcome"],
        "stopped",
        "what was asked of the last server is done by this"
    );
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn a_commit_that_hangs_does_not_keep_the_server() {
    let mut bed = Bed::new().await;
    let (began, go) = bed.hold_commits();
    let printer = bed.printer("one", 0).await;
    began.reached().await;
    assert!(bed.server.terminate().await.success());
    bed.server.restart().await;
    assert_eq!(bed.attempt(&printer.run).await["stage"], "commit");
    go.open().await;
    printer.assert_finished(&bed).await;
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn a_second_server_names_the_first_and_harms_nothing_that_runs() {
    let bed = Bed::new().await;
    let printer = bed.printer("one", 1).await;
    #[expect(clippy::disallowed_methods, reason = "the program under test")]
    let mut second = tokio::process::Command::new(FORGE);
    second.args(["serve", "--port", "0", "--data"]).arg(bed.server.data());
    second.env("HOME", bed.path("home")).stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(DEADLINE, second.output()).await.expect("it ends by itself").unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains(&format!("process {}", bed.server.pid())), "{error}");
    assert!(error.contains("hint: "), "{error}");
    assert_eq!(output.stdout, b"", "it never said that it listens");
    assert_eq!(read(bed.server.data().join("port")).trim(), bed.server.port().to_string());
    assert_eq!(bed.server.get("/api/health").await.1["data"], json!("OK"));
    printer.finish(&bed, 0).await;
    bed.assert_whole(&[]).await;
}
