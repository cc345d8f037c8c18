//! Execution runs: work without a task, which starts, survives and ends as an attempt does, and that no list of
//! attempts shows.

use std::fs;
use std::path::{Path, PathBuf};

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use reqwest::Method;
use serde_json::{Value, json};

use crate::ground::{Ground, Held};
use crate::{FORGE, code, data, is_finished};

const UNKNOWN: &str = "35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42";

/// What a start is sent.
fn body(ground: &Ground, steps: &str) -> Value {
    json!({"project_id": ground.project_id(), "prompt": steps, "executor_profile_id": {"executor": "CLAUDE_CODE"}})
}

async fn try_start(ground: &Ground, body: Value) -> (u16, Value) {
    ground.server.post("/api/execution-runs", body).await
}

/// A run whose agent does what `steps` say.
pub(crate) async fn start(ground: &Ground, steps: &str) -> Started {
    Started { answer: data(try_start(ground, body(ground, steps)).await) }
}

pub(crate) struct Started {
    answer: Value,
}

impl Started {
    fn id(&self) -> &str {
        self.answer["execution_run"]["id"].as_str().unwrap()
    }

    pub(crate) fn process(&self) -> &str {
        self.answer["execution_process"]["id"].as_str().unwrap()
    }

    fn branch(&self) -> &str {
        self.answer["execution_run"]["branch"].as_str().unwrap()
    }

    fn worktree(&self) -> PathBuf {
        self.answer["execution_run"]["container_ref"].as_str().unwrap().into()
    }

    pub(crate) fn path(&self, below: &str) -> String {
        format!("/api/execution-runs/{}{below}", self.id())
    }

    pub(crate) async fn finished(&self, ground: &Ground) -> Value {
        ground.server.until_run(self.id(), is_finished).await
    }

    pub(crate) async fn processes(&self, ground: &Ground) -> Vec<Value> {
        data(ground.server.get(&self.path("/processes")).await).as_array().unwrap().clone()
    }

    pub(crate) async fn follow_up(&self, ground: &Ground, prompt: &str) -> (u16, Value) {
        ground.server.post(&self.path("/follow-up"), json!({"prompt": prompt})).await
    }
}

async fn listed(ground: &Ground, query: &str) -> Vec<Value> {
    data(ground.server.get(&format!("/api/execution-runs{query}")).await).as_array().unwrap().clone()
}

async fn ids(ground: &Ground, query: &str) -> Vec<String> {
    listed(ground, query).await.iter().map(|run| run["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_run_works_without_a_task_or_scripts_and_nothing_is_committed_for_it() {
    let scripts = json!({"setup_script": "echo > ../setup-ran", "cleanup_script": "echo > ../cleanup-ran"});
    let ground = Ground::with(scripts).await;
    let mut events = ground.server.events(None).await;
    let run = start(&ground, "  @edit a.txt one\n@say done  ").await;
    let told = &run.answer["execution_run"];
    assert_eq!(run.branch(), format!("run/{}", run.id().get(..8).unwrap()));
    assert_eq!(
        run.worktree().file_name().unwrap().to_str().unwrap(),
        format!("run-{}", run.id().get(..8).unwrap())
    );
    assert_eq!(
        (&told["target_branch"], &told["prompt"]),
        (&json!("main"), &json!("@edit a.txt one\n@say done"))
    );
    assert_eq!(
        (&told["executor"], &told["variant"], &told["status"]),
        (&json!("CLAUDE_CODE"), &Value::Null, &json!("running"))
    );

    let finished = run.finished(&ground).await;
    assert_eq!((&finished["status"], &finished["outcome"]), (&json!("completed"), &json!("succeeded")));
    assert_eq!(data(ground.server.get(&run.path("")).await), finished);
    let processes = run.processes(&ground).await;
    let [process] = &processes[..] else { panic!("{processes:#?}") };
    assert_eq!((&process["run_reason"], &process["id"]), (&json!("codingagent"), &json!(run.process())));
    assert_eq!((&process["task_attempt_id"], &process["execution_run_id"]), (&Value::Null, &json!(run.id())));
    assert_eq!(process["executor_action"]["typ"]["prompt"], "@edit a.txt one\n@say done");
    assert_eq!(
        data(ground.server.get(&format!("/api/execution-processes/{}", run.process())).await),
        *process
    );

    // What it left is where it left it, and safe.
    assert_eq!(crate::read(run.worktree().join("a.txt")), "one\n");
    assert_eq!(ground.repo.git(&["rev-list", "--count", &format!("main..{}", run.branch())]), "0");
    let saved = format!("refs/forge/attempts/{}/{}:a.txt", run.id(), run.process());
    assert_eq!(ground.repo.git(&["show", &saved]), "one");
    let worktrees = ground.server.data().join("worktrees");
    assert!(!worktrees.join("setup-ran").exists() && !worktrees.join("cleanup-ran").exists());

    // No list of tasks or attempts shows it.
    assert_eq!(data(ground.server.get("/api/task-attempts").await), json!([]));
    let tasks = format!("/api/tasks?project_id={}", ground.project_id());
    assert_eq!(data(ground.server.get(&tasks).await), json!([]));
    assert_eq!(ids(&ground, "").await, [run.id()]);
    assert_eq!(ids(&ground, &format!("?project_id={}", ground.project_id())).await, [run.id()]);

    // It is told under its own names.
    let names = ["execution_run_update", "task_attempt_update", "task_update", "json_patch"];
    let created = events.next_of(&names).await;
    let path = format!("/execution_runs/{}", run.id());
    assert_eq!((&created.data[0]["op"], &created.data[0]["path"]), (&json!("add"), &json!(path)));
    let created = events.next_of(&names).await;
    assert_eq!((created.event.as_str(), &created.data["id"]), ("execution_run_update", &json!(run.id())));
    let process = events.next_of(&["execution_process_update"]).await;
    assert_eq!(process.data["execution_run_id"], run.id());
}

#[tokio::test]
async fn a_run_is_asked_for_in_each_spelling_and_refused_without_leaving_anything() {
    let ground = Ground::new().await;
    let project = ground.project_id();
    let bad = [
        (422, "wrong_shape", json!({"project_id": project, "executor_profile_id": "CLAUDE_CODE"})),
        (422, "wrong_shape", json!({"project_id": project, "prompt": "p"})),
        (422, "prompt_empty", json!({"project_id": project, "prompt": " \n", "executor": "CLAUDE_CODE"})),
        (422, "executor_unknown", json!({"project_id": project, "prompt": "p", "executor": "NOBODY"})),
        (
            422,
            "branch_not_found",
            json!({"project_id": project, "prompt": "p", "executor": "CLAUDE_CODE", "base_branch": "no"}),
        ),
        (404, "not_found", json!({"project_id": UNKNOWN, "prompt": "p", "executor": "CLAUDE_CODE"})),
    ];
    for (status, expected, body) in bad {
        let (answered, refusal) = try_start(&ground, body.clone()).await;
        assert_eq!((answered, code(&refusal)), (status, expected), "{body}");
    }
    assert_eq!(ids(&ground, "").await, Vec::<String>::new());
    ground.nothing_is_left().await;
    assert_eq!(ground.server.get("/api/execution-runs?project_id=x").await.0, 400);

    let flat = json!({"project_id": project, "prompt": "@say hi", "executor": "claude-code", "variant": "plan", "base_branch": "main"});
    let run = Started { answer: data(try_start(&ground, flat).await) };
    assert_eq!(run.answer["execution_run"]["executor"], "CLAUDE_CODE");
    assert_eq!(run.answer["execution_run"]["variant"], "PLAN");
    run.finished(&ground).await;
}

#[tokio::test]
async fn a_branch_in_the_way_of_all_runs_is_named_and_nothing_is_left() {
    let ground = Ground::on(Setup::new(FORGE), TempRepo::new(), json!({})).await;
    ground.repo.git(&["branch", "run"]);
    let (status, refusal) = try_start(&ground, body(&ground, "@say hi")).await;
    assert_eq!((status, code(&refusal)), (409, "prefix_taken"), "{refusal}");
    ground.repo.git(&["branch", "-D", "run"]);
    assert_eq!(ids(&ground, "").await, Vec::<String>::new());
    ground.nothing_is_left().await;
}

#[tokio::test]
async fn a_run_goes_on_waits_is_stopped_and_is_deleted() {
    let ground = Ground::new().await;
    let run = start(&ground, "@edit a.txt one").await;
    run.finished(&ground).await;
    let (status, answer) = run.follow_up(&ground, "@recall\n@say second\n@until-told").await;
    assert_eq!((status, &answer["data"]["execution_run_id"]), (200, &json!(run.id())), "{answer}");
    assert_eq!(answer["data"]["executor_action"]["typ"]["type"], "CodingAgentFollowUpRequest");
    let second = answer["data"]["id"].as_str().unwrap();
    // It remembers.
    ground.server.logs(second, 0).await.until("@edit a.txt one").await;
    let (status, answer) = run.follow_up(&ground, "@say third").await;
    assert_eq!((status, &answer["data"]["queued"]), (202, &json!(true)));
    let (status, refusal) = ground.server.delete(&run.path("")).await;
    assert_eq!((status, code(&refusal)), (409, "attempt_running"));
    let stopped = data(ground.server.post(&run.path("/stop"), json!(null)).await);
    assert_eq!((&stopped["status"], &stopped["outcome"]), (&json!("killed"), &json!("stopped")));
    assert_eq!(
        data(ground.server.post(&run.path("/stop"), json!(null)).await)["id"],
        run.id(),
        "once more is nothing"
    );
    let processes = run.processes(&ground).await;
    assert_eq!(processes.len(), 2, "what waited is dropped with a stop");

    assert_eq!(ground.server.delete(&run.path("")).await.0, 200);
    assert_eq!(ground.server.get(&run.path("")).await.0, 404);
    assert!(!run.worktree().exists());
    let saved = format!("refs/forge/attempts/{}/deleted:a.txt", run.id());
    assert_eq!(ground.repo.git(&["show", &saved]), "one", "what nobody committed is kept");
    assert!(!ground.repo.git(&["branch", "--list", run.branch()]).is_empty());
    ground.folders_are_empty().await;
    ground.only_the_server_runs().await;

    let other = start(&ground, "@edit b.txt two").await;
    other.finished(&ground).await;
    assert_eq!(ground.server.delete(&other.path("?discard=true")).await.0, 200);
    assert_eq!(ground.repo.git(&["branch", "--list", other.branch()]), "");
    assert_eq!(ground.repo.git(&["for-each-ref", &format!("refs/forge/attempts/{}", other.id())]), "");
}

#[tokio::test]
async fn an_interrupted_run_ends_its_turn_and_goes_on_when_told_to() {
    let ground = Ground::new().await;
    let run = start(&ground, "@edit a.txt one\n@say begun\n@until-told\n@edit b.txt two").await;
    let process = run.processes(&ground).await[0]["id"].as_str().unwrap().to_owned();
    ground.server.logs(&process, 0).await.until("begun").await;
    let interrupted = data(ground.server.post(&run.path("/interrupt"), json!(null)).await);
    assert_eq!((&interrupted["id"], &interrupted["outcome"]), (&json!(run.id()), &json!("stopped")));
    assert!(run.worktree().join("a.txt").exists() && !run.worktree().join("b.txt").exists());
    let (status, answer) = run.follow_up(&ground, "@recall").await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(run.finished(&ground).await["outcome"], "succeeded");
    assert!(ground.printed(&answer["data"]).await.contains("@say begun"), "it remembers");
}

#[tokio::test]
async fn an_attempt_is_no_run_and_what_is_not_there_is_404() {
    let ground = Ground::new().await;
    let attempt = ground.start("@say hi").await;
    ground.finished(&attempt).await;
    for id in [attempt.attempt(), UNKNOWN] {
        for below in ["", "/processes"] {
            let (status, refusal) = ground.server.get(&format!("/api/execution-runs/{id}{below}")).await;
            assert_eq!((status, code(&refusal)), (404, "not_found"));
        }
        for below in ["/stop", "/interrupt", "/follow-up"] {
            let path = format!("/api/execution-runs/{id}{below}");
            let (status, refusal) = ground.server.post(&path, json!({})).await;
            assert_eq!((status, code(&refusal)), (404, "not_found"), "{below}");
        }
        assert_eq!(ground.server.delete(&format!("/api/execution-runs/{id}")).await.0, 404);
    }
    assert_eq!(ground.server.get("/api/execution-runs/x").await.0, 400);
    assert_eq!(
        data(ground.server.get(&format!("/api/task-attempts/{}", attempt.attempt())).await)["id"],
        attempt.attempt()
    );
}

#[tokio::test]
async fn what_a_run_left_is_put_back() {
    let ground = Ground::new().await;
    let run = start(&ground, "@edit a.txt one").await;
    run.finished(&ground).await;
    let snapshots = data(ground.server.get(&run.path("/snapshots")).await);
    assert_eq!(
        (&snapshots[0]["what"], &snapshots[0]["execution_process_id"]),
        (&json!("turn"), &json!(run.process()))
    );
    fs::write(run.worktree().join("a.txt"), "spoilt").unwrap();
    let body = json!({"snapshot": snapshots[0]["name"]});
    let put_back = data(ground.server.post(&run.path("/restore"), body).await);
    assert_eq!(put_back["prompt"], "@edit a.txt one");
    assert_eq!(crate::read(run.worktree().join("a.txt")), "one\n");
    let snapshots = data(ground.server.get(&run.path("/snapshots")).await);
    assert_eq!(snapshots[0]["what"], "before_restore", "what was spoilt is kept as well");
    // It has a shape of its own, and is not told in that of attempts.
    let (status, refusal) = ground.server.get(&format!("/api/task-attempts/{}", run.id())).await;
    assert_eq!((status, code(&refusal)), (404, "not_found"));
    assert!(refusal["error_data"]["hint"].as_str().unwrap().contains("/api/execution-runs"), "{refusal}");
    for (path, body) in [("stop", json!(null)), ("restore", json!({"snapshot": "x"}))] {
        let path = format!("/api/task-attempts/{}/{path}", run.id());
        assert_eq!(ground.server.post(&path, body).await.0, 404, "{path}");
    }
}

#[tokio::test]
async fn one_key_makes_one_run_and_is_not_a_tasks() {
    let ground = Ground::new().await;
    let send = async |path: &str, body: &Value| {
        let request = ground.server.request(Method::POST, path).header("idempotency-key", "once");
        let response = request.json(body).send().await.unwrap();
        (response.status().as_u16(), response.json::<Value>().await.unwrap())
    };
    let wanted = body(&ground, "@edit a.txt one");
    let answers = futures::future::join_all((0..8).map(|_| send("/api/execution-runs", &wanted))).await;
    let answers: Vec<Value> = answers.into_iter().map(data).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:#?}");
    assert_eq!(listed(&ground, "").await.len(), 1);
    let (status, refusal) = send("/api/tasks/create-and-start", &ground.body("@edit a.txt one")).await;
    assert_eq!((status, code(&refusal)), (422, "idempotency_key_reused"));
    let (status, refusal) = send("/api/execution-runs", &body(&ground, "@edit b.txt two")).await;
    assert_eq!((status, code(&refusal)), (422, "idempotency_key_reused"));
}

#[tokio::test]
async fn runs_count_against_the_limit_and_wait_for_their_turn() {
    let setup = Setup::new(FORGE).config("[limits]\nattempts = 1\n");
    let ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let held = Held::at(ground.own("gate"));
    let attempt = ground.start(&format!("@wait-fifo {}", held.path())).await;
    let (status, answer) = try_start(&ground, body(&ground, "@edit a.txt one")).await;
    assert_eq!((status, &answer["data"]["queued"]), (202, &json!(true)), "{answer}");
    assert_eq!(answer["data"]["execution_process"], Value::Null);
    let run = Started { answer: answer["data"].clone() };
    assert_eq!(run.answer["execution_run"]["status"], "pending");
    let refused = ground.server.request(Method::GET, &run.path("/logs/ws"));
    let refused = refused
        .header("connection", "upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
        .send()
        .await
        .unwrap();
    assert_eq!(refused.status(), 404, "nothing was printed yet");
    held.let_go();
    ground.finished(&attempt).await;
    assert_eq!(run.finished(&ground).await["outcome"], "succeeded");
    assert_eq!(run.processes(&ground).await.len(), 1);
}

#[tokio::test]
async fn a_runs_worktree_is_taken_only_when_nobody_uses_it_and_comes_back_as_it_was() {
    let setup = Setup::new(FORGE).config("[gc]\nworktree_days = 0.0\n");
    let ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let gc = async || data(ground.server.post("/api/gc", json!({})).await);
    let held = Held::at(ground.own("gate"));
    let run = start(&ground, &format!("@edit a.txt one\n@wait-fifo {}", held.path())).await;
    ground.server.logs(run.process(), 0).await.until("a.txt").await;
    assert_eq!(gc().await["collected"], json!([]), "it runs");
    assert!(run.worktree().join(".git").exists());
    held.let_go();
    run.finished(&ground).await;

    // Somebody looks around in it.
    let go = Held::at(ground.own("visitor"));
    #[expect(clippy::disallowed_methods, reason = "a person's shell")]
    let mut visitor = tokio::process::Command::new("sh")
        .args(["-c", "cat \"$0\"", go.path()])
        .current_dir(run.worktree())
        .spawn()
        .unwrap();
    let done = gc().await;
    assert_eq!(done["collected"], json!([]), "{done}");
    assert_eq!(done["left"][0]["task_attempt_id"], run.id(), "{done}");
    go.let_go();
    visitor.wait().await.unwrap();

    let done = gc().await;
    assert_eq!(done["collected"][0]["task_attempt_id"], run.id(), "{done}");
    assert!(!run.worktree().exists());
    let row = data(ground.server.get(&run.path("")).await);
    assert_eq!(row["worktree_deleted"], true);
    assert_eq!(run.follow_up(&ground, "@edit b.txt two").await.0, 200);
    assert_eq!(run.finished(&ground).await["worktree_deleted"], false);
    let file = |name| crate::read(run.worktree().join(name));
    assert_eq!(
        (file("a.txt"), file("b.txt")),
        ("one\n".into(), "two\n".into()),
        "what nobody committed is back"
    );
}

#[tokio::test]
async fn a_project_is_deleted_with_its_runs_but_not_while_one_works() {
    let ground = Ground::new().await;
    let finished = start(&ground, "@edit a.txt one").await;
    finished.finished(&ground).await;
    let working = start(&ground, "@until-told").await;
    let project = format!("/api/projects/{}", ground.project_id());
    let (status, refusal) = ground.server.delete(&project).await;
    assert_eq!((status, code(&refusal)), (409, "attempt_running"));
    assert!(refusal["error_data"]["hint"].as_str().unwrap().contains(working.id()), "{refusal}");
    assert!(finished.worktree().exists(), "nothing was begun");
    // Its repository cannot be exchanged under it either.
    let elsewhere = TempRepo::new();
    let (status, refusal) = ground.server.put(&project, json!({"git_repo_path": elsewhere.path()})).await;
    assert_eq!((status, code(&refusal)), (409, "project_has_attempts"), "{refusal}");

    data(ground.server.post(&working.path("/stop"), json!(null)).await);
    let mut events = ground.server.events(None).await;
    assert_eq!(ground.server.delete(&project).await.0, 200);
    let mut gone = Vec::new();
    while gone.len() < 2 {
        gone.push(events.next_of(&["execution_run_deleted"]).await.data["id"].as_str().unwrap().to_owned());
    }
    gone.sort();
    let mut expected = vec![finished.id().to_owned(), working.id().to_owned()];
    expected.sort();
    assert_eq!(gone, expected);
    assert_eq!(ids(&ground, "").await, Vec::<String>::new());
    ground.folders_are_empty().await;
    ground.only_the_server_runs().await;
    let saved = format!("refs/forge/attempts/{}/deleted:a.txt", finished.id());
    assert_eq!(ground.repo.git(&["show", &saved]), "one");
}

#[tokio::test]
async fn an_agent_of_a_run_is_told_its_run_and_no_task() {
    // As in the environment of a server that an agent started.
    let setup = Setup::new(FORGE).env("FORGE_TASK_ID", "another-task");
    let ground = Ground::on(setup, TempRepo::new(), json!({"copy_files": ".env"})).await;
    fs::write(ground.repo.path().join(".env"), "SECRET=1").unwrap();
    let run = start(&ground, "@env FORGE_EXECUTION_RUN_ID\n@env FORGE_ATTEMPT_ID\n@env FORGE_TASK_ID").await;
    run.finished(&ground).await;
    let printed = ground.printed(&run.processes(&ground).await[0]).await;
    assert!(printed.contains(&format!("FORGE_EXECUTION_RUN_ID={}", run.id())), "{printed}");
    assert!(printed.contains(&format!("FORGE_ATTEMPT_ID={}", run.id())), "{printed}");
    assert!(!printed.contains("another-task"), "{printed}");
    assert!(Path::new(&run.worktree()).join(".env").exists(), "what attempts get copied, runs get too");
}
