//! `kill -9` of the server while agents, scripts and commits are under way: everything goes on without it and the
//! next server finds all of it.

use std::fs;
use std::path::Path;

use forge_testkit::server::Setup;
use serde_json::json;

use crate::FORGE;
use crate::database::{Database, on_each_database};
use crate::life::{Bed, Printer, Run, id, pid, sent};

on_each_database! {
    three_agents_that_print_go_on_and_nothing_of_it_is_lost;
    a_reader_resumes_over_a_crash_without_a_gap;
    three_crashes_in_a_row_harm_no_more_than_one;
    an_agent_that_ends_while_there_is_no_server_is_committed_by_the_next;
    an_agent_that_fails_while_there_is_no_server_has_failed;
    a_commit_that_outlives_the_server_is_the_only_one;
    a_commit_that_dies_with_the_server_is_made_by_the_next;
    a_follow_up_goes_on_and_so_does_what_waits_behind_it;
    a_setup_script_goes_on_and_the_agent_follows;
    a_stubborn_agent_that_was_being_stopped_is_stopped_by_the_next_server;
    a_process_whose_host_is_killed_is_lost_and_nothing_of_it_lives_on;
    a_process_whose_host_is_killed_while_there_is_no_server_is_lost_too;
    a_start_that_cannot_be_undone_now_does_not_keep_the_server_from_its_work;
}

async fn three(bed: &Bed) -> [Printer; 3] {
    [bed.printer("one", 3).await, bed.printer("two", 3).await, bed.printer("three", 3).await]
}

async fn three_agents_that_print_go_on_and_nothing_of_it_is_lost(database: Database) {
    let mut bed = Bed::on(database).await;
    let printers = three(&bed).await;
    let pids = printers.each_ref().map(Printer::pid);
    bed.server.kill_9().await;
    for printer in &printers {
        printer.gates[0].open().await;
    }
    bed.server.restart().await;
    for (printer, pid) in printers.iter().zip(pids) {
        assert_eq!(printer.pid(), pid);
        printer.assert_runs(&bed).await;
        // Printed while there was no server, and while this one listens.
        printer.printed(&bed, 1).await;
        printer.gates[1].open().await;
        printer.printed(&bed, 2).await;
    }
    bed.assert_whole(&[]).await;
    for printer in &printers {
        printer.finish(&bed, 2).await;
        assert_eq!(bed.task_status(&printer.run).await, "inreview");
    }
    bed.assert_whole(&[]).await;
}

async fn a_reader_resumes_over_a_crash_without_a_gap(database: Database) {
    let mut bed = Bed::on(database).await;
    let printer = bed.printer("one", 1).await;
    let mut reader = bed.server.logs(&printer.run.process, 0).await;
    let mut before = reader.next().await.unwrap();
    let position = reader.position();
    bed.crash().await;
    printer.finish(&bed, 0).await;
    before.extend(bed.server.logs(&printer.run.process, position).await.rest().await);
    assert_eq!(before, bed.server.logs(&printer.run.process, 0).await.rest().await);
}

async fn three_crashes_in_a_row_harm_no_more_than_one(database: Database) {
    let mut bed = Bed::on(database).await;
    let printers = three(&bed).await;
    for gate in 0..3 {
        bed.crash().await;
        for printer in &printers {
            printer.gates[gate].open().await;
        }
    }
    for printer in &printers {
        printer.assert_finished(&bed).await;
    }
    bed.assert_whole(&[]).await;
}

async fn an_agent_that_ends_while_there_is_no_server_is_committed_by_the_next(database: Database) {
    // One that takes its time to go when its turn is over.
    let agent = format!(
        "'{FORGE}' scripted-agent \"$@\"; echo > \"$SCRIPTED_AGENT_HOME/over\"; read x < \"$SCRIPTED_AGENT_HOME/go\""
    );
    let mut bed = Bed::with_on(database, Setup::new(FORGE).agent(agent)).await;
    let (over, go) = (bed.gate("tmp/over"), bed.gate("tmp/go"));
    let printer = bed.printer("one", 0).await;
    over.reached().await;
    let host = bed.server.family().host(&printer.run.process).unwrap();
    bed.server.kill_9().await;
    go.open().await;
    bed.server.family().gone(host).await;
    bed.server.restart().await;
    printer.assert_finished(&bed).await;
    assert_eq!(bed.task_status(&printer.run).await, "inreview");
    bed.assert_whole(&[]).await;
}

async fn an_agent_that_fails_while_there_is_no_server_has_failed(database: Database) {
    let mut bed = Bed::on(database).await;
    let (go, pid_file) = (bed.gate("go"), bed.path("pid"));
    let steps =
        format!("@print-pid {}\n@say here\n@wait-fifo {}\n@exit 3", pid_file.display(), go.path().display());
    let run = bed.started(&steps).await;
    bed.server.logs(&run.process, 0).await.until("here").await;
    bed.server.kill_9().await;
    go.open().await;
    bed.server.family().gone(pid(&pid_file)).await;
    bed.server.restart().await;
    let attempt = bed.finished(&run).await;
    assert_eq!((&attempt["outcome"], &attempt["status"]), (&json!("failed"), &json!("failed")));
    assert_eq!(bed.processes(&run.attempt).await[0]["exit_code"], 3);
    bed.assert_whole(&[]).await;
}

async fn a_commit_that_outlives_the_server_is_the_only_one(database: Database) {
    let mut bed = Bed::on(database).await;
    let (began, go) = bed.hold_commits();
    let printer = bed.printer("one", 0).await;
    began.reached().await;
    bed.crash().await;
    let attempt = bed.attempt(&printer.run).await;
    assert_eq!((&attempt["state"], &attempt["stage"]), (&json!("running"), &json!("commit")));
    go.open().await;
    printer.assert_finished(&bed).await;
    bed.assert_whole(&[]).await;
}

async fn a_commit_that_dies_with_the_server_is_made_by_the_next(database: Database) {
    let mut bed = Bed::on(database).await;
    let (began, go) = bed.hold_commits();
    let printer = bed.printer("one", 0).await;
    began.reached().await;
    bed.server.kill_9().await;
    // Git and its hook too, which leaves the index locked.
    bed.server.family().kill();
    bed.server.restart().await;
    began.reached().await;
    go.open().await;
    printer.assert_finished(&bed).await;
    bed.assert_whole(&[]).await;
}

async fn a_follow_up_goes_on_and_so_does_what_waits_behind_it(database: Database) {
    let mut bed = Bed::on(database).await;
    let run = bed.started("@edit a.txt one").await;
    bed.finished(&run).await;
    let go = bed.gate("go");
    let steps = format!("@say second\n@wait-fifo {}\n@edit b.txt two", go.path().display());
    let second = id(&sent(bed.follow_up(&run, &steps)).await);
    for name in ["third", "fourth"] {
        let queued = sent(bed.follow_up(&run, &format!("@say {name}"))).await;
        assert_eq!(queued["queued"], true);
    }
    bed.server.logs(&second, 0).await.until("second").await;
    bed.crash().await;
    assert_eq!(bed.attempt(&run).await["state"], "running");
    bed.assert_whole(&[]).await;
    go.open().await;
    let attempt = bed.finished(&run).await;
    assert_eq!(attempt["outcome"], "succeeded", "{attempt:#}");
    let processes = bed.processes(&run.attempt).await;
    let mut said = Vec::new();
    for process in &processes[1..] {
        said.extend(bed.said(&id(process)).await);
    }
    assert_eq!(said, ["second", "third", "fourth"]);
    assert_eq!(bed.commits(&run).await, 2);
    bed.assert_whole(&[]).await;
}

async fn a_setup_script_goes_on_and_the_agent_follows(database: Database) {
    let mut bed = Bed::on(database).await;
    let (began, go) = (bed.gate("began"), bed.gate("go"));
    let script = format!(
        "echo > '{}'; read x < '{}'; echo done > set-up.txt; echo set up",
        began.path().display(),
        go.path().display()
    );
    bed.change(json!({"setup_script": script})).await;
    let run = bed.started("@edit a.txt one").await;
    began.reached().await;
    bed.crash().await;
    assert_eq!(bed.attempt(&run).await["stage"], "setup");
    bed.assert_whole(&[]).await;
    go.open().await;
    let attempt = bed.finished(&run).await;
    assert_eq!(attempt["outcome"], "succeeded");
    let kinds: Vec<_> = bed.processes(&run.attempt).await.iter().map(|p| p["run_reason"].clone()).collect();
    assert_eq!(kinds, ["setupscript", "codingagent"]);
    let left = Path::new(attempt["worktree_path"].as_str().unwrap()).join("set-up.txt");
    assert_eq!(fs::read_to_string(left).unwrap(), "done\n");
    assert_eq!(bed.repo.git(&["ls-tree", "--name-only", &run.branch, "set-up.txt"]), "");
    bed.assert_whole(&[]).await;
}

async fn a_stubborn_agent_that_was_being_stopped_is_stopped_by_the_next_server(database: Database) {
    let mut bed = Bed::with_on(database, Setup::new(FORGE).config("grace_seconds = 600")).await;
    let run = bed.started("@ignore-signals\n@say deaf\n@until-told").await;
    bed.server.logs(&run.process, 0).await.until("deaf").await;
    let stop = bed.stop(&run);
    let stopping = async {
        bed.server.until_attempt(&run.attempt, |attempt| attempt["state"] == "stopping").await;
    };
    // Nobody waits for the answer: the request is given up as soon as it is heard.
    tokio::select! {
        answer = stop.send() => panic!("{answer:?} although the agent is deaf"),
        () = stopping => {}
    }
    bed.server.kill_9().await;
    fs::write(bed.path("home/.config/forge/config.toml"), "grace_seconds = 0").unwrap();
    bed.server.restart().await;
    assert_eq!(bed.finished(&run).await["outcome"], "stopped");
    bed.assert_whole(&[]).await;
}

/// An agent with a child in a session of its own, both of which have told their ids.
async fn with_a_child(bed: &Bed) -> (Run, [u32; 2]) {
    let (own, child) = (bed.path("own"), bed.path("child"));
    let steps =
        format!("@print-pid {}\n@spawn-session {}\n@say here\n@until-told", own.display(), child.display());
    let run = bed.started(&steps).await;
    bed.server.logs(&run.process, 0).await.until("here").await;
    (run, [pid(&own), pid(&child)])
}

async fn is_lost(bed: &Bed, run: &Run, tree: [u32; 2]) {
    let attempt = bed.finished(run).await;
    assert_eq!((&attempt["outcome"], &attempt["status"]), (&json!("lost"), &json!("failed")));
    let process = &bed.processes(&run.attempt).await[0];
    assert_eq!((&process["state"], &process["status"]), (&json!("lost"), &json!("failed")));
    let left = bed.server.family().pids();
    assert!(!tree.iter().any(|pid| left.contains(pid)), "{tree:?} live on in {left:?}");
    bed.assert_whole(&[]).await;
    sent(bed.follow_up(run, "@edit a.txt one")).await;
    assert_eq!(bed.finished(run).await["outcome"], "succeeded");
    bed.assert_whole(&[]).await;
}

async fn a_process_whose_host_is_killed_is_lost_and_nothing_of_it_lives_on(database: Database) {
    let bed = Bed::on(database).await;
    let (run, tree) = with_a_child(&bed).await;
    bed.server.family().kill_9(bed.server.family().host(&run.process).unwrap());
    is_lost(&bed, &run, tree).await;
}

async fn a_process_whose_host_is_killed_while_there_is_no_server_is_lost_too(database: Database) {
    let mut bed = Bed::on(database).await;
    let (run, tree) = with_a_child(&bed).await;
    bed.server.kill_9().await;
    let host = bed.server.family().host(&run.process).unwrap();
    bed.server.family().kill_9(host);
    bed.server.family().gone(host).await;
    bed.server.restart().await;
    is_lost(&bed, &run, tree).await;
}

async fn a_start_that_cannot_be_undone_now_does_not_keep_the_server_from_its_work(database: Database) {
    let mut bed = Bed::on(database).await;
    let printer = bed.printer("one", 1).await;
    bed.server.set_env("FORGE_CRASH_AT", "start-worktree-made");
    bed.crash().await;
    let start = bed.start("@say never");
    bed.dies_of(start).await;
    bed.server.unset_env("FORGE_CRASH_AT");
    // As if the disk with the repository were not there.
    let (here, away) = (bed.repo.path().to_owned(), bed.repo.beside("away"));
    fs::rename(&here, &away).unwrap();
    bed.server.restart().await;
    printer.assert_runs(&bed).await;
    fs::rename(&away, &here).unwrap();
    bed.crash().await;
    printer.finish(&bed, 0).await;
    bed.assert_whole(&[]).await;
}
