//! The real Claude Code program, against a model that does what its prompt says, through the whole server.

use forge_testkit::claude;
use forge_testkit::repo::TempRepo;
use forge_testkit::server::{Setup, TestServer};
use forge_testkit::stub_model::StubModel;
use forge_testkit::turnstile::Turnstile;
use serde_json::{Value, json};

use crate::{FORGE, data, is_finished, started};

/// A server whose `claude` is the real one, and a project.
struct Place {
    server: TestServer,
    project: Value,
    repo: TempRepo,
    model: StubModel,
    _home: tempfile::TempDir,
}

impl Place {
    async fn new() -> Self {
        let model = StubModel::start().unwrap();
        let home = tempfile::tempdir().unwrap();
        let variables: Vec<_> = claude::environment(&model, home.path())
            .into_iter()
            .map(|(name, value)| format!("{name}='{value}'"))
            .collect();
        let program = claude::program().unwrap();
        let line = format!("exec env {} '{}' \"$@\"", variables.join(" "), program.display());
        // A stop that takes the grace instead of the program's own end would never come to an end here.
        let config = home.path().join("forge.toml");
        std::fs::write(&config, "grace_seconds = 600\n").unwrap();
        let server = Setup::new(FORGE).agent(line).arg("--config").arg(config).start().await;
        let repo = TempRepo::new();
        let body = json!({"name": "p", "git_repo_path": repo.path(), "use_existing_repo": true});
        let project = data(server.post("/api/projects", body).await);
        Self { server, project, repo, model, _home: home }
    }

    /// The attempt, at its end.
    async fn finished(&self, started: &Value) -> Value {
        self.server.until_attempt(started["attempt_id"].as_str().unwrap(), is_finished).await
    }

    /// The titles of the commits on the attempt's branch, newest first.
    fn commits(&self, attempt: &Value) -> String {
        let range = format!("main..{}", attempt["branch"].as_str().unwrap());
        self.repo.git(&["log", "--format=%s", &range])
    }

    fn file(&self, attempt: &Value, name: &str) -> String {
        self.repo.git(&["show", &format!("{}:{name}", attempt["branch"].as_str().unwrap())])
    }

    async fn processes(&self, attempt: &Value) -> Value {
        let id = attempt["id"].as_str().unwrap();
        data(self.server.get(&format!("/api/execution-processes?task_attempt_id={id}")).await)
    }
}

#[tokio::test]
async fn it_edits_its_work_is_committed_and_a_follow_up_goes_on_with_the_conversation() {
    let place = Place::new().await;
    let started = started(&place.server, &place.project, "@edit hello.txt Hello\n@say I greeted.").await;
    let attempt = place.finished(&started).await;
    assert_eq!((&attempt["outcome"], &attempt["reason"]), (&json!("succeeded"), &Value::Null));
    assert_eq!(
        (place.commits(&attempt), place.file(&attempt, "hello.txt")),
        ("I greeted.".into(), "Hello".into())
    );
    let task = data(place.server.get(&format!("/api/tasks/{}", started["id"].as_str().unwrap())).await);
    assert_eq!(task["status"], "inreview");

    let before = place.model.requests().len();
    let path = format!("/api/task-attempts/{}/follow-up", attempt["id"].as_str().unwrap());
    let body = json!({"prompt": "@edit bye.txt Bye\n@say I said bye."});
    data(place.server.post(&path, body).await);
    let attempt = place.finished(&started).await;
    assert_eq!(attempt["outcome"], "succeeded", "{attempt}");
    assert_eq!(place.commits(&attempt), "I said bye.\nI greeted.");
    assert_eq!(place.file(&attempt, "bye.txt"), "Bye");
    let carried = place.model.requests()[before]["messages"].to_string();
    assert!(carried.contains("@edit hello.txt Hello"), "the model hears what was said before: {carried}");
    let processes = place.processes(&attempt).await;
    let ends: Vec<_> = processes.as_array().unwrap().iter().map(|process| &process["status"]).collect();
    assert_eq!(ends, ["completed", "completed"]);
}

#[tokio::test]
async fn it_goes_on_over_a_crash_of_the_server() {
    let mut place = Place::new().await;
    let gate = Turnstile::new(&place.server.folder().join("gate"));
    let steps = format!(
        "@edit a.txt one\n@wait-fifo {}\n@edit b.txt two\n@say Both are done.",
        place.server.folder().join("gate").display()
    );
    let started = started(&place.server, &place.project, &steps).await;
    let mut logs = place.server.logs(started["execution_process_id"].as_str().unwrap(), 0).await;
    // The first file is written, and the model thinks about the second.
    logs.until("tool_result").await;
    place.server.kill_9().await;
    place.server.restart().await;
    gate.open();
    let attempt = place.finished(&started).await;
    assert_eq!((&attempt["outcome"], &attempt["reason"]), (&json!("succeeded"), &Value::Null));
    assert_eq!(place.commits(&attempt), "Both are done.");
    assert_eq!(place.file(&attempt, "b.txt"), "two");
    let requests = place.model.requests();
    let conversation = requests.last().unwrap()["messages"].to_string();
    assert_eq!(conversation.matches("@edit a.txt one").count(), 1, "told once: {conversation}");
}

#[tokio::test]
async fn it_stops_when_asked_and_what_it_wrote_is_kept() {
    let place = Place::new().await;
    let path = place.server.folder().join("gate");
    let _gate = Turnstile::new(&path);
    let steps = format!("@edit a.txt one\n@wait-fifo {}\n@say never said", path.display());
    let started = started(&place.server, &place.project, &steps).await;
    let mut logs = place.server.logs(started["execution_process_id"].as_str().unwrap(), 0).await;
    logs.until("tool_result").await;
    let path = format!("/api/task-attempts/{}/stop", started["attempt_id"].as_str().unwrap());
    data(place.server.post(&path, json!(null)).await);
    let attempt = place.finished(&started).await;
    assert_eq!(attempt["outcome"], "stopped", "{attempt}");
    assert_eq!(place.processes(&attempt).await[0]["status"], "killed");
    let worktree = std::path::Path::new(attempt["container_ref"].as_str().unwrap());
    assert_eq!(crate::read(worktree.join("a.txt")), "one\n");
    assert_eq!(place.server.family().pids(), [place.server.pid()]);
}

#[tokio::test]
async fn a_model_that_refuses_the_key_is_told_apart_from_one_that_fails() {
    let place = Place::new().await;
    for (steps, code, words) in [
        ("@error 401 no such key", "not_logged_in", "no such key"),
        ("@error 500 out of order", "agent_failed", "out of order"),
    ] {
        let started = started(&place.server, &place.project, steps).await;
        let attempt = place.finished(&started).await;
        assert_eq!((&attempt["outcome"], &attempt["reason"]["code"]), (&json!("failed"), &json!(code)));
        let message = attempt["reason"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{message}");
        let process = &place.processes(&attempt).await[0];
        assert_eq!((&process["status"], &process["reason"]["code"]), (&json!("failed"), &json!(code)));
    }
}
