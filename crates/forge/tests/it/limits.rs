//! Limits: over the limit an attempt stands in the queue, visibly and in order, and its turn comes.

use std::collections::HashSet;
use std::io::Write as _;

use forge_testkit::server::{Setup, TestServer};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::ground::Held;
use crate::many::start_at_once;
use crate::{FORGE, data, is_finished, project};

/// A server with these limits. The file has to live as long as the server may be started again.
async fn limited(limits: &str) -> (TestServer, NamedTempFile) {
    let mut config = NamedTempFile::new().unwrap();
    write!(config, "[limits]\n{limits}\n").unwrap();
    let server = Setup::new(FORGE).arg("--config").arg(config.path()).start().await;
    (server, config)
}

/// A task with an agent on it that does what `steps` say, now or when its turn comes.
pub(crate) async fn started(server: &TestServer, project: &Value, steps: &str) -> Value {
    let body = json!({
        "task": {"project_id": project["id"], "title": "t", "description": steps},
        "executor_profile_id": "CLAUDE_CODE",
    });
    let (status, answer) = server.post("/api/tasks/create-and-start", body).await;
    let expected = if answer["data"]["queued"] == true { 202 } else { 200 };
    assert_eq!((status, &answer["success"]), (expected, &json!(true)), "{answer}");
    answer["data"].clone()
}

/// An agent that works until its gate is opened.
fn gated(server: &TestServer, name: &str) -> String {
    format!("@wait-fifo {}", server.folder().join(name).display())
}

fn open(server: &TestServer, name: &str) {
    std::fs::write(server.folder().join(name), "").unwrap();
}

fn id(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_else(|| panic!("{key} of {value}")).to_owned()
}

async fn attempt(server: &TestServer, id: &str) -> Value {
    data(server.get(&format!("/api/task-attempts/{id}")).await)
}

/// The attempts in the order in which their agents were started.
async fn order_of_starts(server: &TestServer, count: usize) -> Vec<String> {
    let mut events = server.events(Some(0)).await;
    let mut order: Vec<String> = vec![];
    while order.len() < count {
        let process = events.next_of(&["execution_process_update"]).await.data;
        let attempt = id(&process, "task_attempt_id");
        if !order.contains(&attempt) {
            order.push(attempt);
        }
    }
    order
}

#[tokio::test]
async fn over_the_limit_an_attempt_stands_in_the_queue_and_the_answer_says_so() {
    let (server, _config) = limited("attempts = 1").await;
    let project = project(&server).await;
    let first = started(&server, &project, &gated(&server, "gate")).await;
    assert_eq!(first["queued"], false);

    let second = started(&server, &project, "@edit b.txt b").await;
    assert_eq!((&second["queued"], &second["execution_process_id"]), (&json!(true), &Value::Null));
    assert_eq!(second["status"], "todo", "nobody works on it yet");
    let waiting = &second["task_attempt"];
    assert_eq!((&waiting["status"], &waiting["state"]), (&json!("pending"), &json!("queued")));
    assert!(std::path::Path::new(waiting["worktree_path"].as_str().unwrap()).join(".git").exists());

    let body = json!({"task_id": first["id"], "executor_profile_id": "CLAUDE_CODE"});
    let (status, third) = server.post("/api/task-attempts", body).await;
    assert_eq!((status, &third["data"]["queued"]), (202, &json!(true)), "{third}");
    assert_eq!((&first["queue_position"], &second["queue_position"]), (&Value::Null, &json!(1)));
    assert_eq!(third["data"]["queue_position"], 2);

    open(&server, "gate");
    let second = server.until_attempt(&id(&second, "attempt_id"), is_finished).await;
    assert_eq!(second["status"], "completed");
    let task = data(server.get(&format!("/api/tasks/{}", id(&second, "task_id"))).await);
    assert_eq!(task["status"], "inreview");
}

#[tokio::test]
async fn attempt_that_waits_for_person_holds_no_slot() {
    let (mut server, _config) = limited("attempts = 1").await;
    let project = project(&server).await;
    let asking = started(&server, &project, "@ask Bash\n@edit a.txt one").await;
    let mut events = server.events(Some(0)).await;
    let approval = events.next_of(&["approval_update"]).await.data;
    let second = started(&server, &project, &gated(&server, "gate")).await;
    let running = server.until_attempt(&id(&second, "attempt_id"), |one| one["state"] == "running").await;
    assert_eq!(attempt(&server, &id(&asking, "attempt_id")).await["state"], "running", "{running}");
    // It waits for a person after a restart, too, and a third has to wait for the second.
    server.kill_9().await;
    server.restart().await;
    let third = started(&server, &project, "@edit c.txt three").await;
    assert_eq!(third["queued"], true, "{third}");
    let path = format!("/api/approvals/{}/respond", id(&approval, "id"));
    assert_eq!(server.post(&path, json!({"approved": true})).await.0, 200);
    let first = server.until_attempt(&id(&asking, "attempt_id"), is_finished).await;
    assert_eq!(first["outcome"], "succeeded", "it goes on beside the second");
    assert_eq!(attempt(&server, &id(&third, "attempt_id")).await["state"], "queued");
    open(&server, "gate");
    for waiting in [&second, &third] {
        let ended = server.until_attempt(&id(waiting, "attempt_id"), is_finished).await;
        assert_eq!(ended["outcome"], "succeeded", "{ended}");
    }
}

#[tokio::test]
async fn who_came_first_runs_first_also_after_a_crash() {
    let (mut server, _config) = limited("attempts = 1").await;
    let project = project(&server).await;
    let mut attempts = vec![id(&started(&server, &project, &gated(&server, "gate")).await, "attempt_id")];
    for number in 0..5 {
        let one = started(&server, &project, &format!("@edit f{number} x")).await;
        attempts.push(id(&one, "attempt_id"));
    }
    server.kill_9().await;
    server.restart().await;
    for waiting in &attempts[1..] {
        assert_eq!(attempt(&server, waiting).await["state"], "queued");
    }
    open(&server, "gate");
    for one in &attempts {
        assert_eq!(server.until_attempt(one, is_finished).await["status"], "completed");
    }
    assert_eq!(order_of_starts(&server, attempts.len()).await, attempts);
}

#[tokio::test]
async fn two_hundred_at_once_run_ten_at_a_time_in_their_order_and_all_finish() {
    const LIMIT: usize = 10;
    const ALL: usize = 200;
    let (server, _config) = limited(&format!("attempts = {LIMIT}")).await;
    let project = project(&server).await;
    let gate = Held::at(server.folder().join("gate"));
    let body = json!({
        "task": {"project_id": project["id"], "title": "t", "description": format!("@wait-fifo {}", gate.path())},
        "executor_profile_id": "CLAUDE_CODE",
    });
    let answers = start_at_once(&server, ALL, &body).await;
    let queued = answers.iter().filter(|(status, answer)| *status == 202 && answer["data"]["queued"] == true);
    let begun = answers.iter().filter(|(status, answer)| *status == 200 && answer["data"]["queued"] == false);
    assert_eq!((begun.count(), queued.count()), (LIMIT, ALL - LIMIT), "{answers:?}");

    let attempts = data(server.get("/api/task-attempts").await);
    let mut queue: Vec<_> =
        attempts.as_array().unwrap().iter().filter(|one| one["state"] == "queued").collect();
    assert_eq!((attempts.as_array().unwrap().len(), queue.len()), (ALL, ALL - LIMIT));
    assert_eq!(server.metric("forge_attempts_queued").await, Some(190.0));
    // Who came in the same millisecond may come in any order, but it is always the same.
    queue.sort_by_key(|one| (id(one, "created_at"), id(one, "id")));
    let queue: Vec<String> = queue.into_iter().map(|one| id(one, "id")).collect();

    gate.let_go();
    let mut events = server.events(Some(0)).await;
    let (mut running, mut most, mut finished) = (HashSet::new(), 0, HashSet::new());
    let mut order: Vec<String> = vec![];
    while finished.len() < ALL {
        let change = events.next_of(&["task_attempt_update"]).await.data;
        let one = id(&change, "id");
        if change["state"] == "running" {
            if running.insert(one.clone()) && queue.contains(&one) {
                order.push(one);
            }
        } else if is_finished(&change) {
            assert_eq!(change["status"], "completed", "{change}");
            running.remove(&one);
            finished.insert(one);
        }
        most = most.max(running.len());
    }
    assert_eq!(most, LIMIT, "the limit is kept, and used");
    // Room is given in the order of the queue. Of those who have it at the same moment any may be the first to be seen.
    for (seen, one) in order.iter().enumerate() {
        let place = queue.iter().position(|queued| queued == one).unwrap();
        let late = queue[..place].iter().filter(|before| !order[..seen].contains(before)).count();
        assert!(late < LIMIT, "{late} of those before number {place} began after it");
    }
}

#[tokio::test]
async fn who_is_stopped_in_the_queue_never_runs() {
    let (server, _config) = limited("attempts = 1").await;
    let project = project(&server).await;
    let first = started(&server, &project, &gated(&server, "gate")).await;
    let second = id(&started(&server, &project, "@edit b.txt b").await, "attempt_id");
    let third = id(&started(&server, &project, "@edit c.txt c").await, "attempt_id");
    data(server.post(&format!("/api/task-attempts/{second}/stop"), json!({})).await);
    let stopped = attempt(&server, &second).await;
    assert_eq!((&stopped["status"], &stopped["state"]), (&json!("killed"), &json!("finished")));
    open(&server, "gate");
    server.until_attempt(&third, is_finished).await;
    server.until_attempt(&id(&first, "attempt_id"), is_finished).await;
    let processes = data(server.get(&format!("/api/execution-processes?task_attempt_id={second}")).await);
    assert_eq!(processes, json!([]));
}

#[tokio::test]
async fn a_follow_up_waits_for_room_as_a_start_does() {
    let (server, _config) = limited("attempts = 1").await;
    let project = project(&server).await;
    let first = id(&started(&server, &project, "@edit a.txt a").await, "attempt_id");
    server.until_attempt(&first, is_finished).await;
    let second = started(&server, &project, &gated(&server, "gate")).await;
    assert_eq!(second["queued"], false);
    let (status, answer) = server
        .post(&format!("/api/task-attempts/{first}/follow-up"), json!({"prompt": "@edit b.txt b"}))
        .await;
    assert_eq!((status, &answer["data"]["queued"]), (202, &json!(true)), "{answer}");
    assert_eq!(attempt(&server, &first).await["state"], "queued");
    open(&server, "gate");
    let first = server.until_attempt(&first, is_finished).await;
    assert_eq!(
        crate::read(std::path::Path::new(first["worktree_path"].as_str().unwrap()).join("b.txt")).trim(),
        "b"
    );
}

#[tokio::test]
async fn a_full_project_does_not_hold_up_another() {
    let (server, _config) = limited("attempts_per_project = 1").await;
    let one = project(&server).await;
    let path = server.folder().join("another");
    let body = json!({"name": "q", "git_repo_path": path, "use_existing_repo": false});
    let other = data(server.post("/api/projects", body).await);
    let running = started(&server, &one, &gated(&server, "gate")).await;
    let waiting = started(&server, &one, "@edit b.txt b").await;
    assert_eq!((&running["queued"], &waiting["queued"]), (&json!(false), &json!(true)));
    let beside = id(&started(&server, &other, "@edit c.txt c").await, "attempt_id");
    assert_eq!(server.until_attempt(&beside, is_finished).await["status"], "completed");
    open(&server, "gate");
    server.until_attempt(&id(&waiting, "attempt_id"), is_finished).await;
}
