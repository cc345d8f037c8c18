//! A start makes everything and answers with it, or makes nothing and says why.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::ground::{Ground, Held, comes_true};
use crate::{FORGE, code, data, read};

/// Status and code of a refusal that also says what to do.
fn refusal((status, body): &(u16, Value)) -> (u16, &str) {
    let code = code(body);
    assert!(body["error_data"]["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{body}");
    (*status, code)
}

fn message(answer: &(u16, Value)) -> &str {
    answer.1["message"].as_str().unwrap()
}

#[tokio::test]
async fn what_a_start_answers_with_is_there_and_runs() {
    let ground = Ground::new().await;
    let pid_file = ground.own("pid");
    let started = ground.start(&format!("@print-pid {}\n@until-told", pid_file.display())).await;
    for id in [started.task(), started.attempt(), started.process()] {
        assert!(uuid::Uuid::parse_str(id).is_ok(), "{id}");
    }
    let branch = started.branch();
    let name = branch.strip_prefix("forge/").unwrap();
    assert_eq!(name, format!("{}-add-login", started.short()));
    assert_eq!(started.worktree(), ground.server.data().join("worktrees").join(name));
    assert_eq!(ground.git_in(&started, &["symbolic-ref", "--short", "HEAD"]), branch);
    assert_eq!(ground.repo.git(&["rev-parse", branch]), ground.repo.git(&["rev-parse", "main"]));
    let mark = ground.repo.git(&["config", "--get", &format!("branch.{branch}.forge-attempt")]);
    assert_eq!(mark, started.attempt());
    comes_true("the agent tells its process", || pid_file.exists()).await;
    let works_in = fs::read_link(format!("/proc/{}/cwd", read(&pid_file))).unwrap();
    assert_eq!(works_in, started.worktree().canonicalize().unwrap());
    let process = data(ground.server.get(&format!("/api/execution-processes/{}", started.process())).await);
    assert_eq!((&process["status"], &process["run_reason"]), (&json!("running"), &json!("codingagent")));
    ground.stop(&started).await;
    ground.only_the_server_runs().await;
}

#[tokio::test]
async fn an_attempt_of_a_task_that_was_there_moves_the_task() {
    let ground = Ground::new().await;
    let body = json!({"project_id": ground.project["id"], "title": "t", "description": "@until-told"});
    let task = data(ground.server.post("/api/tasks", body).await);
    let body = json!({"task_id": task["id"], "executor_profile_id": "CLAUDE_CODE", "base_branch": "main"});
    let started = data(ground.server.post("/api/task-attempts", body).await);
    assert_eq!(started["task"]["status"], "inprogress");
    let path = format!("/api/task-attempts/{}/stop", started["id"].as_str().unwrap());
    data(ground.server.post(&path, json!(null)).await);
    let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    assert_eq!(data(ground.server.get(&path).await)["status"], "inreview");
}

#[tokio::test]
async fn without_a_base_branch_a_start_begins_where_the_repository_stands() {
    let ground = Ground::new().await;
    ground.repo.git(&["checkout", "--quiet", "-b", "side"]);
    let tip = ground.repo.commit("On the side");
    let mut body = ground.body("@say hello");
    body.as_object_mut().unwrap().remove("base_branch");
    let started = data(ground.try_start(body).await);
    assert_eq!(started["task_attempt"]["target_branch"], "side");
    let branch = started["task_attempt"]["branch"].as_str().unwrap();
    assert_eq!(ground.repo.git(&["rev-parse", branch]), tip);
}

#[tokio::test]
async fn a_base_branch_that_is_not_there_is_refused() {
    let ground = Ground::new().await;
    for base in ["mian", "--help", "main..main", "refs/heads/none", "main\nx", "forge/\u{1F680}"] {
        let mut body = ground.body("@say hello");
        body["base_branch"] = json!(base);
        let answer = ground.try_start(body).await;
        assert_eq!(refusal(&answer), (422, "branch_not_found"), "{base:?}: {}", answer.1);
    }
    ground.nothing_is_left().await;
}

#[tokio::test]
async fn an_executor_that_nobody_knows_is_refused_by_name() {
    let ground = Ground::new().await;
    let mut body = ground.body("@say hello");
    body["executor_profile_id"] = json!({"executor": "NO_SUCH_AGENT"});
    let answer = ground.try_start(body).await;
    assert_eq!(refusal(&answer), (422, "executor_unknown"));
    assert!(message(&answer).contains("NO_SUCH_AGENT"), "{}", answer.1);
    assert!(answer.1["error_data"]["hint"].as_str().unwrap().contains("CLAUDE_CODE"), "{}", answer.1);
    ground.nothing_is_left().await;
}

/// Finds a program that the tests' own PATH has.
fn program(name: &str) -> std::path::PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file()).unwrap()
}

#[tokio::test]
async fn an_agent_that_is_not_installed_is_refused_with_how_to_install_it() {
    // Neither the agent nor what could download it.
    let bare = tempfile::tempdir().unwrap();
    for name in ["git", "bash", "sh"] {
        symlink(program(name), bare.path().join(name)).unwrap();
    }
    let setup = Setup::new(FORGE).without_agent().env("PATH", bare.path());
    let ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let answer = ground.try_start(ground.body("@say hello")).await;
    assert_eq!(refusal(&answer), (503, "not_installed"));
    assert!(answer.1["error_data"]["hint"].as_str().unwrap().contains("npm install"), "{}", answer.1);
    let log = ground.server.log();
    let line = log.lines().find(|line| line.contains("not_installed")).unwrap();
    assert!(line.contains(" WARN "), "the machine lacks something, nothing is broken: {line}");
    ground.nothing_is_left().await;
}

#[tokio::test]
async fn an_agent_that_the_system_does_not_take_leaves_nothing() {
    let ground = Ground::new().await;
    // It is there and may be run, so that the start gets as far as it can.
    fs::write(ground.own("bin/claude"), "#!/nowhere/interpreter\n").unwrap();
    let answer = ground.try_start(ground.body("@say hello")).await;
    assert_eq!(refusal(&answer), (503, "program_not_runnable"));
    ground.nothing_is_left().await;
}

#[tokio::test]
async fn a_worktree_root_that_cannot_be_written_is_refused() {
    let ground = Ground::new().await;
    // Root may write anywhere, but not into a file.
    let root = ground.server.data().join("worktrees");
    fs::remove_dir_all(&root).unwrap();
    fs::write(&root, "").unwrap();
    let answer = ground.try_start(ground.body("@say hello")).await;
    assert_eq!(refusal(&answer), (503, "folder_not_writable"));
    assert!(message(&answer).contains(root.to_str().unwrap()), "{}", answer.1);
    fs::remove_file(&root).unwrap();
    ground.nothing_is_left().await;
}

#[tokio::test]
async fn a_folder_for_the_process_that_cannot_be_made_leaves_nothing() {
    let ground = Ground::new().await;
    let processes = ground.server.data().join("processes");
    fs::remove_dir(&processes).unwrap();
    fs::write(&processes, "").unwrap();
    let answer = ground.try_start(ground.body("@say hello")).await;
    assert_eq!(refusal(&answer), (503, "folder_not_writable"));
    fs::remove_file(&processes).unwrap();
    ground.nothing_is_left().await;
}

#[tokio::test]
async fn a_repository_that_lost_its_commits_is_refused() {
    let ground = Ground::new().await;
    fs::remove_dir_all(ground.repo.path().join(".git")).unwrap();
    ground.repo.git(&["init", "--quiet"]);
    for base in [json!("main"), Value::Null] {
        let mut body = ground.body("@say hello");
        body["base_branch"] = base;
        assert_eq!(refusal(&ground.try_start(body).await), (422, "no_commits"));
    }
    assert_eq!(ground.repo.git(&["for-each-ref"]), "");
    ground.folders_are_empty().await;
    ground.only_the_server_runs().await;
}

#[tokio::test]
async fn a_project_whose_folder_is_gone_is_refused() {
    let ground = Ground::new().await;
    let elsewhere = ground.repo.beside("elsewhere");
    fs::rename(ground.repo.path(), &elsewhere).unwrap();
    let answer = ground.try_start(ground.body("@say hello")).await;
    assert_eq!(refusal(&answer), (422, "path_not_found"));
    assert!(message(&answer).contains(ground.repo.path().to_str().unwrap()), "{}", answer.1);
    fs::rename(&elsewhere, ground.repo.path()).unwrap();
    ground.nothing_is_left().await;
}

#[tokio::test]
async fn a_branch_in_the_way_of_the_prefix_is_refused_by_name() {
    let repo = TempRepo::new();
    repo.git(&["branch", "forge"]);
    let ground = Ground::on(Setup::new(FORGE), repo, json!({})).await;
    let answer = ground.try_start(ground.body("@say hello")).await;
    assert_eq!(refusal(&answer), (409, "prefix_taken"));
    assert!(message(&answer).contains("`forge`"), "{}", answer.1);
    ground.nothing_is_left().await;
}

#[tokio::test]
async fn a_title_without_a_word_is_refused() {
    let ground = Ground::new().await;
    for title in ["", "  ", "\n\t"] {
        let mut body = ground.body("@say hello");
        body["task"]["title"] = json!(title);
        assert_eq!(refusal(&ground.try_start(body).await), (422, "title_empty"), "{title:?}");
    }
    ground.nothing_is_left().await;
}

#[tokio::test]
async fn a_submodule_that_cannot_be_cloned_leaves_nothing() {
    let repo = TempRepo::new();
    let inner = repo.beside("inner");
    repo.git(&["clone", "--quiet", repo.path().to_str().unwrap(), inner.to_str().unwrap()]);
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.to_str().unwrap()]);
    repo.commit("Add a submodule");
    let ground = Ground::on(Setup::new(FORGE), repo, json!({"fetch_submodules": true})).await;
    fs::remove_dir_all(&inner).unwrap();
    fs::remove_dir_all(ground.repo.path().join(".git/modules/inner")).unwrap();
    let answer = ground.try_start(ground.body("@say hello")).await;
    assert_eq!(refusal(&answer), (503, "submodules_failed"));
    ground.nothing_is_left().await;
}

/// The standing chat of the original front end declines a worktree.
#[tokio::test]
async fn declined_worktree_is_made_with_warning() {
    let ground = Ground::new().await;
    let mut body = ground.body("@say hello");
    body["use_worktree"] = json!(false);
    let started = data(ground.try_start(body.clone()).await);
    assert_eq!(started["warnings"][0]["code"], "worktree_made");
    assert!(Path::new(started["task_attempt"]["worktree_path"].as_str().unwrap()).is_dir());
    let again = json!({
        "task_id": started["id"], "executor_profile_id": "CLAUDE_CODE", "base_branch": "main", "use_worktree": false,
    });
    assert_eq!(
        data(ground.server.post("/api/task-attempts", again).await)["warnings"][0]["code"],
        "worktree_made"
    );
    body["use_worktree"] = json!(true);
    assert_eq!(data(ground.try_start(body).await)["warnings"], json!([]));
}

#[tokio::test]
async fn a_project_or_task_that_nobody_knows_is_not_found() {
    let ground = Ground::new().await;
    let mut body = ground.body("@say hello");
    body["task"]["project_id"] = json!(uuid::Uuid::new_v4());
    assert_eq!(ground.try_start(body).await.0, 404);
    let body = json!({"task_id": uuid::Uuid::new_v4(), "executor_profile_id": "CLAUDE_CODE"});
    assert_eq!(ground.server.post("/api/task-attempts", body).await.0, 404);
    ground.nothing_is_left().await;
}

/// A hook that holds a start when its worktree is made, and says so.
fn hold_checkout(ground: &Ground, held: &Held, reached: &Path) {
    let hook = ground.repo.path().join(".git/hooks/post-checkout");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, format!("#!/bin/sh\n>'{}'\ncat '{}'\n", reached.display(), held.path())).unwrap();
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn a_project_is_not_deleted_under_a_start() {
    let ground = Ground::new().await;
    let (held, reached) = (Held::at(ground.own("held")), ground.own("reached"));
    hold_checkout(&ground, &held, &reached);
    let path = format!("/api/projects/{}", ground.project_id());
    let deleting = async {
        comes_true("the start makes its worktree", || reached.exists()).await;
        let deleted = ground.server.delete(&path).await;
        held.let_go();
        deleted
    };
    let (answer, deleted) = tokio::join!(ground.try_start(ground.body("@say hello")), deleting);
    assert_eq!((deleted.0, answer.0), (409, 200), "{} {}", deleted.1, answer.1);
    assert_eq!(deleted.1["message"], "a start of it is under way");
    let attempt = answer.1["data"]["attempt_id"].as_str().unwrap();
    ground.server.until_attempt(attempt, crate::is_finished).await;
    assert_eq!(ground.server.delete(&path).await.0, 200);
}

#[tokio::test]
async fn who_hangs_up_during_a_start_leaves_it_whole() {
    let ground = Ground::new().await;
    let (held, reached) = (Held::at(ground.own("held")), ground.own("reached"));
    hold_checkout(&ground, &held, &reached);
    tokio::select! {
        answer = ground.try_start(ground.body("@edit a.txt one")) => panic!("it was held: {answer:?}"),
        () = comes_true("the start makes its worktree", || reached.exists()) => {}
    }
    let mut events = ground.server.events(None).await;
    held.let_go();
    let attempt = events.next_of(&["task_attempt_update"]).await.data;
    let ended = ground.server.until_attempt(attempt["id"].as_str().unwrap(), crate::is_finished).await;
    assert_eq!(ended["outcome"], "succeeded");
}

#[tokio::test]
async fn the_same_key_gives_the_same_answer_though_much_has_happened() {
    let ground = Ground::new().await;
    let body = ground.body("@edit a.txt one");
    let first = ground.try_start_under("k", &body).await;
    assert_eq!(first.0, 200, "{}", first.1);
    let attempt = first.1["data"]["attempt_id"].as_str().unwrap();
    ground.server.until_attempt(attempt, crate::is_finished).await;
    assert_eq!(ground.try_start_under("k", &body).await, first);
    assert_eq!(data(ground.server.get("/api/task-attempts").await).as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn twenty_at_once_with_one_key_make_one_attempt() {
    let ground = Ground::new().await;
    let body = ground.body("@say hello");
    let answers = join_all((0..20).map(|_| ground.try_start_under("k", &body))).await;
    assert_eq!(answers[0].0, 200, "{}", answers[0].1);
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(data(ground.server.get("/api/task-attempts").await).as_array().unwrap().len(), 1);
    assert_eq!(ground.repo.git(&["worktree", "list"]).lines().count(), 2);
}

#[tokio::test]
async fn a_key_is_good_for_one_call_only() {
    let ground = Ground::new().await;
    assert_eq!(ground.try_start_under("k", &ground.body("@say one")).await.0, 200);
    let mut others = vec![ground.body("@say two"), ground.body("@say one"), ground.body("@say one")];
    others[1]["task"]["title"] = json!("Another title");
    others[2]["base_branch"] = Value::Null;
    for other in others {
        let answer = ground.try_start_under("k", &other).await;
        assert_eq!(refusal(&answer), (422, "idempotency_key_reused"), "{other}");
    }
    assert_eq!(data(ground.server.get("/api/task-attempts").await).as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_key_whose_start_failed_can_be_used_again() {
    let ground = Ground::new().await;
    let mut body = ground.body("@say hello");
    body["base_branch"] = json!("later");
    assert_eq!(ground.try_start_under("k", &body).await.0, 422);
    ground.repo.git(&["branch", "later"]);
    let claude = ground.own("bin/claude");
    let good = read(&claude);
    fs::write(&claude, "#!/nowhere/interpreter\n").unwrap();
    assert_eq!(ground.try_start_under("k", &body).await.0, 503);
    fs::write(&claude, good).unwrap();
    assert_eq!(ground.try_start_under("k", &body).await.0, 200);
}

#[tokio::test]
async fn start_refuses_endless_branch_name_at_once() {
    let ground = Ground::new().await;
    let tip = ground.repo.git(&["rev-parse", "HEAD"]);
    for number in 0..300 {
        ground.repo.git(&["update-ref", &format!("refs/heads/feature/ordinary-name-{number}"), tip.trim()]);
    }
    let mut body = ground.body("@say hello");
    body["base_branch"] = json!("a".repeat(1_500_000));
    let (status, answer) = ground.try_start(body).await;
    assert_eq!((status, code(&answer)), (422, "name_invalid"), "{answer}");
    assert!(answer.to_string().len() < 2000);
    assert_eq!(data(ground.server.get("/api/task-attempts").await), json!([]));
}

#[tokio::test]
async fn key_is_same_call_in_every_spelling() {
    let config = "[executors.CURSOR_AGENT]\ncommand = [\"sleep\", \"30\"]\n";
    let server = Setup::new(FORGE).config(config).start().await;
    let project = crate::project(&server).await;
    let mut attempts = Vec::new();
    for (executor, variant) in [
        ("CURSOR", None),
        ("CURSOR", Some("DEFAULT")),
        ("CURSOR_AGENT", Some("genie")),
        ("cursor-agent", None),
    ] {
        let body = serde_json::json!({
            "task": {"project_id": project["id"], "title": "t", "description": "x"},
            "executor_profile_id": {"executor": executor, "variant": variant},
            "base_branch": "main",
        });
        let request = server.request(reqwest::Method::POST, "/api/tasks/create-and-start");
        let answer = request.header("Idempotency-Key", "k").json(&body).send().await.unwrap();
        let started = data((answer.status().as_u16(), answer.json().await.unwrap()));
        attempts.push(started["attempt_id"].clone());
    }
    attempts.dedup();
    assert_eq!(attempts.len(), 1, "{attempts:?}");
}
