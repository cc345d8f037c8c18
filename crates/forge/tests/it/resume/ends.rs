//! However and whenever a reader comes to the end of a log, it is told so.

use forge_testkit::server::{Logs, TestServer};
use forge_testkit::turnstile::Turnstile;
use futures::future::join_all;
use serde_json::json;

use super::{has_ended, printing, prints, text};
use crate::{FORGE, data, project, started};

/// Everything until the end, which has to be told in words and with a close frame.
async fn whole(mut logs: Logs) -> String {
    let all = logs.rest().await;
    assert_eq!((logs.finished(), logs.close_code()), (true, Some(1000)));
    text(&all)
}

#[tokio::test]
async fn who_joins_in_the_moment_of_the_end_gets_everything_and_the_end() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let gate = Turnstile::new(&server.folder().join("gate"));
    for _ in 0..5 {
        let process = prints(&server, &project, &format!("echo begin; {}; echo end", gate.wait())).await;
        let joining = join_all((0..20).map(async |number| {
            if number == 5 {
                gate.open();
            }
            whole(server.logs(&process, 0).await).await
        }));
        for all in joining.await {
            assert_eq!(all, "begin\nend\n");
        }
    }
}

#[tokio::test]
async fn a_process_that_prints_nothing_has_an_end_all_the_same() {
    let server = TestServer::start(FORGE).await;
    let gate = Turnstile::new(&server.folder().join("gate"));
    let process = printing(&server, gate.wait()).await;
    let live = server.logs(&process, 0).await;
    gate.open();
    assert_eq!(whole(live).await, "");
    server.until_process(&process, has_ended).await;
    assert_eq!(whole(server.logs(&process, 0).await).await, "");
}

#[tokio::test]
async fn a_process_that_is_stopped_has_an_end_for_its_readers() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let started = started(&server, &project, "@say begun\n@until-told").await;
    let mut logs = server.logs(started["execution_process_id"].as_str().unwrap(), 0).await;
    logs.until("begun").await;
    let path = format!("/api/task-attempts/{}/stop", started["attempt_id"].as_str().unwrap());
    data(server.post(&path, json!(null)).await);
    whole(logs).await;
}

#[tokio::test]
async fn a_server_that_goes_says_so_and_the_log_goes_on_with_the_next() {
    let mut server = TestServer::start(FORGE).await;
    let gate = Turnstile::new(&server.folder().join("gate"));
    let process = printing(&server, &format!("echo begin; {}; echo end", gate.wait())).await;
    let mut logs = server.logs(&process, 0).await;
    logs.until("begin\n").await;
    let (_, rest) = tokio::join!(server.terminate(), logs.rest());
    assert_eq!((rest, logs.finished(), logs.close_code()), (vec![], false, Some(1001)));
    gate.open();
    server.restart().await;
    assert_eq!(whole(server.logs(&process, logs.position()).await).await, "end\n");
}
