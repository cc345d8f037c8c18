//! Closing a task: nothing of it runs afterwards, and nothing begins by itself.

use forge_testkit::gate::Gate;
use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use serde_json::{Value, json};

use crate::ground::{Ground, Started};
use crate::mcp::call;
use crate::{FORGE, data};

async fn close(ground: &Ground, started: &Started, status: &str) -> Value {
    let path = format!("/api/tasks/{}", started.task());
    data(ground.server.put(&path, json!({"status": status})).await)
}

async fn attempt(ground: &Ground, started: &Started) -> Value {
    data(ground.server.get(&format!("/api/task-attempts/{}", started.attempt())).await)
}

#[tokio::test]
async fn closed_task_stops_its_agent() {
    let ground = Ground::new().await;
    for status in ["cancelled", "done", "archived"] {
        let started = ground.start("@say begun\n@until-told").await;
        ground.server.logs(started.process(), 0).await.until("begun").await;
        assert_eq!(ground.follow_up(&started, "@say never").await.0, 202);
        let task = close(&ground, &started, status).await;
        assert_eq!((&task["status"], &task["has_in_progress_attempt"]), (&json!(status), &json!(false)));
        assert_eq!(attempt(&ground, &started).await["outcome"], "stopped");
        assert_eq!(ground.processes(&started).await.len(), 1);
        assert_eq!(ground.task_status(&started).await, status);
    }
    ground.only_the_server_runs().await;
}

#[tokio::test]
async fn queued_attempt_of_closed_task_never_starts() {
    let setup = Setup::new(FORGE).config("[limits]\nattempts = 1\n");
    let ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let gate = Gate::new(ground.own("gate"));
    let first = ground.start(&format!("@wait-fifo {}", gate.path().display())).await;
    let (status, answer) = ground.try_start(ground.body("@edit a.txt one")).await;
    assert_eq!(status, 202, "{answer}");
    let waiting = Started { answer: answer["data"].clone() };
    let task = close(&ground, &waiting, "cancelled").await;
    assert_eq!(task["status"], "cancelled");
    assert_eq!(attempt(&ground, &waiting).await["outcome"], "stopped");
    gate.open().await;
    assert_eq!(ground.finished(&first).await["outcome"], "succeeded");
    // The next one has the room that the first leaves: nobody holds a place before it.
    let next = ground.start("@edit b.txt two").await;
    assert_eq!(ground.finished(&next).await["outcome"], "succeeded");
    assert_eq!(ground.processes(&waiting).await.len(), 0);
    assert_eq!(ground.task_status(&waiting).await, "cancelled");
}

#[tokio::test]
async fn follow_up_reopens_closed_task() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    close(&ground, &started, "done").await;
    data(ground.follow_up(&started, "@edit b.txt two").await);
    ground.until_prompt(&started, "@edit b.txt two").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(ground.task_status(&started).await, "inreview");
}

#[tokio::test]
async fn tool_closes_no_task_at_work_unasked() {
    let ground = Ground::new().await;
    let started = ground.start("@say begun\n@until-told").await;
    ground.server.logs(started.process(), 0).await.until("begun").await;
    let change = json!({"task_id": started.task(), "status": "done"});
    let refused = call(&ground.server, "update_task", change.clone()).await.unwrap_err();
    assert_eq!(refused["details"]["code"], "task_at_work", "{refused}");
    assert_eq!(attempt(&ground, &started).await["state"], "running");
    let mut stop = change;
    stop["stop"] = json!(true);
    let closed = call(&ground.server, "update_task", stop).await.unwrap();
    assert_eq!(closed["task"]["status"], "done");
    assert_eq!(attempt(&ground, &started).await["outcome"], "stopped");
}

#[tokio::test]
async fn refused_draft_leaves_task_closed() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    close(&ground, &started, "done").await;
    let path = format!("/api/task-attempts/{}/draft/queue?type=follow_up", started.attempt());
    let (status, body) = ground.server.post(&path, json!({"queued": true})).await;
    assert_eq!(status, 409, "an empty draft is not sent: {body}");
    assert_eq!(ground.task_status(&started).await, "done");
}
