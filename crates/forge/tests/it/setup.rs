//! The chain around an agent: setup script, agent, commit, cleanup script, and what each of them may come to.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use serde_json::{Value, json};

use crate::ground::{Ground, Started, comes_true, names};
use crate::{FORGE, code, data, read};

/// The commits of an attempt's branch beyond `main`, newest first.
fn commits(ground: &Ground, started: &Started) -> Vec<String> {
    let range = format!("main..{}", started.branch());
    ground.repo.git(&["log", "--format=%s", &range]).lines().map(str::to_owned).collect()
}

/// A file as a ref of the repository has it.
fn file_at(ground: &Ground, revision: &str, path: &str) -> String {
    ground.repo.git(&["show", &format!("{revision}:{path}")])
}

fn reason(attempt: &Value) -> &str {
    attempt["reason"]["code"].as_str().unwrap_or_else(|| panic!("no reason: {attempt}"))
}

#[tokio::test]
async fn the_agent_comes_after_the_setup_script_and_the_cleanup_script_after_its_work() {
    let scripts = json!({"setup_script": "echo ready >setup.txt", "cleanup_script": "cat a.txt >b.txt"});
    let ground = Ground::with(scripts).await;
    let started = ground.start("@edit a.txt one\n@say Add a").await;
    assert_eq!(started.answer["execution_process"]["run_reason"], "setupscript");
    let ended = ground.finished(&started).await;
    assert_eq!((&ended["status"], &ended["outcome"]), (&json!("completed"), &json!("succeeded")));
    assert_eq!(ground.kinds(&started).await, ["setupscript", "codingagent", "cleanupscript"]);
    let cleanup = format!("Cleanup script changes for task attempt {}", started.attempt());
    assert_eq!(commits(&ground, &started), [cleanup.as_str(), "Add login"]);
    assert_eq!(file_at(&ground, started.branch(), "b.txt"), "one");
    assert_eq!(ground.git_in(&started, &["status", "--porcelain"]), "?? setup.txt");
    assert_eq!(ground.task_status(&started).await, "inreview");
}

#[tokio::test]
async fn a_setup_script_that_fails_fails_the_attempt_and_tells_what_it_printed() {
    let ground = Ground::with(json!({"setup_script": "echo to out; echo to err >&2; exit 3"})).await;
    let started = ground.start("@say hello").await;
    let ended = ground.finished(&started).await;
    assert_eq!((&ended["status"], reason(&ended)), (&json!("failed"), "setup_failed"));
    assert!(ended["reason"]["message"].as_str().unwrap().contains("exit code 3"), "{ended}");
    assert_eq!(ground.task_status(&started).await, "inreview");
    let processes = ground.processes(&started).await;
    assert_eq!(processes.len(), 1, "the agent does not run");
    assert_eq!((&processes[0]["status"], &processes[0]["exit_code"]), (&json!("failed"), &json!(3)));
    let printed = ground.printed(&processes[0]).await;
    assert!(printed.contains("to out\n") && printed.contains("to err\n"), "{printed}");
}

#[tokio::test]
async fn after_a_failed_setup_a_follow_up_sets_up_again_and_tells_the_agent_all() {
    let ground = Ground::with(json!({"setup_script": "test -e ready"})).await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    fs::write(started.worktree().join("ready"), "").unwrap();
    let (status, process) = ground.follow_up(&started, "@edit b.txt two").await;
    assert_eq!((status, &process["data"]["run_reason"]), (200, &json!("setupscript")), "{process}");
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(ground.kinds(&started).await, ["setupscript", "setupscript", "codingagent"]);
    let processes = ground.processes(&started).await;
    let prompt = &processes[2]["executor_action"]["typ"]["prompt"];
    assert_eq!(prompt, "Add login\n\n@edit a.txt one\n\n@edit b.txt two");
    assert_eq!(file_at(&ground, started.branch(), "a.txt"), "one");
    assert_eq!(file_at(&ground, started.branch(), "b.txt"), "two");
}

#[tokio::test]
async fn a_setup_script_that_goes_on_failing_is_not_run_for_ever() {
    let ground = Ground::with(json!({"setup_script": "exit 1"})).await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    assert_eq!(ground.follow_up(&started, "@say more").await.0, 200);
    let ended = ground.finished(&started).await;
    assert_eq!(reason(&ended), "setup_failed");
    assert_eq!(ground.kinds(&started).await, ["setupscript", "setupscript"]);
    // And who deletes it does not begin it anew.
    let path = format!("/api/task-attempts/{}", started.attempt());
    assert_eq!(ground.server.delete(&path).await.0, 200);
}

#[tokio::test]
async fn a_setup_script_that_was_done_is_not_done_again() {
    let ground = Ground::with(json!({"setup_script": "echo run >>runs"})).await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    assert_eq!(ground.follow_up(&started, "@say more").await.0, 200);
    ground.finished(&started).await;
    assert_eq!(read(started.worktree().join("runs")), "run\n");
}

#[tokio::test]
async fn a_hung_setup_script_can_be_stopped() {
    // A grace that no test could wait for: what hangs goes because it is asked to.
    let config = tempfile::NamedTempFile::new().unwrap();
    fs::write(&config, "grace_seconds = 6000\n").unwrap();
    let setup = Setup::new(FORGE).arg("--config").arg(config.path());
    let script = json!({"setup_script": "echo begun; sleep 6000 & echo hung >hung; wait"});
    let ground = Ground::on(setup, TempRepo::new(), script).await;
    let started = ground.start("@say hello").await;
    ground.server.logs(started.process(), 0).await.until("begun").await;
    comes_true("the script hangs", || started.worktree().join("hung").exists()).await;
    let stopped = ground.stop(&started).await;
    assert_eq!((&stopped["status"], &stopped["state"]), (&json!("killed"), &json!("finished")));
    assert_eq!(ground.kinds(&started).await, ["setupscript"]);
    assert_eq!(ground.task_status(&started).await, "inreview");
    ground.only_the_server_runs().await;
}

#[tokio::test]
async fn the_cleanup_script_runs_only_after_a_change() {
    let ground = Ground::with(json!({"cleanup_script": "echo cleaned >cleaned.txt"})).await;
    let started = ground.start("@say I looked and changed nothing").await;
    let ended = ground.finished(&started).await;
    assert_eq!(ended["outcome"], "succeeded");
    assert_eq!(ground.kinds(&started).await, ["codingagent"]);
    assert_eq!(commits(&ground, &started), Vec::<String>::new());
    // The next turn changes something.
    assert_eq!(ground.follow_up(&started, "@edit a.txt one").await.0, 200);
    ground.finished(&started).await;
    assert_eq!(ground.kinds(&started).await, ["codingagent", "codingagent", "cleanupscript"]);
    assert_eq!(file_at(&ground, started.branch(), "cleaned.txt"), "cleaned");
}

#[tokio::test]
async fn a_cleanup_script_that_fails_is_told_and_its_work_kept() {
    let script = json!({"cleanup_script": "echo half >b.txt; echo no formatter; exit 4"});
    let ground = Ground::with(script).await;
    let started = ground.start("@edit a.txt one\n@say Add a").await;
    let ended = ground.finished(&started).await;
    assert_eq!((&ended["status"], reason(&ended)), (&json!("failed"), "cleanup_failed"));
    assert!(ended["reason"]["message"].as_str().unwrap().contains("exit code 4"), "{ended}");
    assert_eq!(ground.task_status(&started).await, "inreview");
    assert_eq!(file_at(&ground, started.branch(), "a.txt"), "one");
    assert_eq!(file_at(&ground, started.branch(), "b.txt"), "half");
    let processes = ground.processes(&started).await;
    assert!(ground.printed(&processes[1]).await.contains("no formatter"));
}

#[tokio::test]
async fn a_hook_that_refuses_the_commit_is_told_and_the_work_kept() {
    let ground = Ground::new().await;
    let hook = ground.repo.path().join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\necho 'line 7 is too long' >&2\nexit 1\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let started = ground.start("@edit a.txt one\n@say Add a").await;
    let ended = ground.finished(&started).await;
    assert_eq!((&ended["status"], reason(&ended)), (&json!("failed"), "commit_refused"));
    assert!(ended["reason"]["message"].as_str().unwrap().contains("line 7 is too long"), "{ended}");
    assert_eq!(ground.task_status(&started).await, "inreview");
    assert_eq!(commits(&ground, &started), Vec::<String>::new());
    assert_eq!(read(started.worktree().join("a.txt")), "one\n");
    let saved = format!("refs/forge/attempts/{}/{}", started.attempt(), started.process());
    assert_eq!(file_at(&ground, &saved, "a.txt"), "one");
    // Once the hook is content, the next turn takes the work along.
    fs::remove_file(&hook).unwrap();
    assert_eq!(ground.follow_up(&started, "@say Mended").await.0, 200);
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(file_at(&ground, started.branch(), "a.txt"), "one");
}

#[tokio::test]
async fn start_at_attempts_branch_trusts_no_script() {
    let repo = TempRepo::new().with_file("tools/lint.sh", "true\n");
    repo.commit("Script");
    let hook = repo.path().join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\nsh tools/lint.sh\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let ground = Ground::on(Setup::new(FORGE), repo, json!({})).await;
    let first = ground.start("@edit tools/lint.sh false").await;
    assert_eq!(ground.finished(&first).await["outcome"], "succeeded");
    let mut body = ground.body("@edit a.txt one");
    body["base_branch"] = json!(first.branch());
    let second = Started { answer: data(ground.try_start(body).await) };
    assert_eq!(ground.finished(&second).await["outcome"], "succeeded");
    assert_eq!(file_at(&ground, second.branch(), "a.txt"), "one");
}

#[tokio::test]
async fn files_that_git_ignores_are_copied_where_the_project_says_so() {
    let repo = TempRepo::new().with_file(".gitignore", ".env\nconf/\nsecret\n");
    repo.commit("Ignore");
    let repo = repo.with_file(".env", "KEY=1\n").with_file("conf/a.toml", "a = 1\n").with_file("secret", "s");
    let fields = json!({"copy_files": ".env, conf/*.toml, missing, ../repo/secret",
        "setup_script": "cat .env conf/a.toml"});
    let ground = Ground::on(Setup::new(FORGE), repo, fields).await;
    let started = ground.start("@say hello").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    let processes = ground.processes(&started).await;
    assert_eq!(ground.printed(&processes[0]).await, "KEY=1\na = 1\n");
    assert!(!started.worktree().join("secret").exists());
    assert_eq!(commits(&ground, &started), Vec::<String>::new());
}

#[tokio::test]
async fn files_that_were_not_copied_are_warnings() {
    let repo = TempRepo::new().with_file(".gitignore", ".env\npipe\n");
    repo.commit("Ignore");
    let repo = repo.with_file(".env", "KEY=1\n");
    let pipe = repo.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
    let fields = json!({"copy_files": ".env, missing, ../secret, pipe"});
    let mut ground = Ground::on(Setup::new(FORGE), repo, fields).await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    let warnings = started.answer["warnings"].as_array().unwrap().clone();
    assert_eq!(warnings.len(), 3, "{warnings:#?}");
    for (warning, words) in warnings.iter().zip(["`missing` matches nothing", "`../secret`", "pipe was not"])
    {
        assert!(warning["message"].as_str().unwrap().contains(words), "{words}: {warning}");
        assert_eq!(warning["code"], "file_not_copied");
        assert!(warning["hint"].as_str().unwrap().contains("copy_files"), "{warning}");
    }
    // The attempt has them as long as its worktree exists, also after a restart.
    let messages: Value = warnings.iter().map(|warning| warning["message"].clone()).collect();
    ground.server.kill_9().await;
    ground.server.restart().await;
    let path = format!("/api/task-attempts/{}", started.attempt());
    assert_eq!(data(ground.server.get(&format!("{path}/branch-status")).await)["warnings"], messages);
    assert_eq!(ground.server.delete(&path).await.0, 200);
    assert_eq!(names(&ground.server.data().join("not-copied")), Vec::<String>::new());
}

/// The turn is what it came to, and not how the program had to be ended afterwards.
#[tokio::test]
async fn an_agent_that_does_not_leave_after_its_turn_is_ended_and_its_work_counts() {
    let setup = Setup::new(FORGE).config("grace_seconds = 1");
    let mut ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let started = ground.start("@stay\n@edit a.txt one").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(file_at(&ground, started.branch(), "a.txt"), "one");
    let started = ground.start("@stay\n@error 500 it broke").await;
    assert_eq!(reason(&ground.finished(&started).await), "model_failed");
    // And so it is where the server was not there when the turn ended.
    let held = crate::ground::Held::at(ground.own("held"));
    let started = ground.start(&format!("@stay\n@wait-fifo {}\n@edit a.txt two", held.path())).await;
    ground.server.kill_9().await;
    held.let_go();
    ground.server.restart().await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(file_at(&ground, started.branch(), "a.txt"), "two");
}

#[tokio::test]
async fn an_agent_that_fails_says_why_and_its_work_is_saved() {
    let ground = Ground::new().await;
    let cases = [
        ("@error the model is overloaded", "model_failed", "the model is overloaded", "exited"),
        ("@error the moon is full", "agent_failed", "the moon is full", "exited"),
        ("@error 401 bad key", "not_logged_in", "bad key", "exited"),
        ("@crash", "agent_crashed", "signal 6", "signaled"),
        ("@exit 3", "agent_crashed", "exit code 3", "exited"),
        ("@exit 0", "agent_crashed", "exit code 0", "exited"),
    ];
    for (step, code, told, state) in cases {
        let started = ground.start(&format!("@edit a.txt one\n{step}")).await;
        let ended = ground.finished(&started).await;
        assert_eq!((&ended["status"], reason(&ended)), (&json!("failed"), code), "{step}: {ended}");
        assert!(ended["reason"]["message"].as_str().unwrap().contains(told), "{step}: {ended}");
        assert!(!ended["reason"]["hint"].as_str().unwrap().is_empty(), "{step}");
        assert_eq!(ground.task_status(&started).await, "inreview", "{step}");
        let process = &ground.processes(&started).await[0];
        assert_eq!((&process["status"], &process["state"]), (&json!("failed"), &json!(state)), "{step}");
        let mut transcript = ground.server.transcript(started.process()).await;
        let entries = transcript.rest().await;
        let is_error = |entry: &&Value| entry["entry_type"]["type"] == "error_message";
        assert_eq!(entries.iter().filter(is_error).count(), 1, "{step}: {entries:#?}");
        let last = entries.last().unwrap();
        assert!(is_error(&last) && last["content"].as_str().unwrap().contains(told), "{step}: {last}");
        assert_eq!(commits(&ground, &started), Vec::<String>::new(), "{step}");
        let saved = format!("refs/forge/attempts/{}/{}", started.attempt(), started.process());
        assert_eq!(file_at(&ground, &saved, "a.txt"), "one", "{step}");
    }
    ground.only_the_server_runs().await;
}

#[tokio::test]
async fn an_agent_that_commits_by_itself_is_taken_at_its_word() {
    let ground = Ground::with(json!({"cleanup_script": "true"})).await;
    let started = ground.start("@edit a.txt one\n@commit My own words\n@say Done").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(commits(&ground, &started), ["My own words"]);
    assert_eq!(ground.kinds(&started).await, ["codingagent", "cleanupscript"]);
    let process = &ground.processes(&started).await[0];
    assert_eq!(process["after_head_commit"], ground.repo.git(&["rev-parse", started.branch()]));
    assert_eq!(process["before_head_commit"], ground.repo.git(&["rev-parse", "main"]));
}

#[tokio::test]
async fn project_refuses_hostile_copy_patterns() {
    let ground = Ground::new().await;
    let path = format!("/api/projects/{}", ground.project_id());
    for patterns in ["**/".repeat(300_000) + "x", "?".repeat(1_500_000), ["a"; 257].join("\n")] {
        let (status, answer) = ground.server.put(&path, json!({"copy_files": patterns})).await;
        assert_eq!((status, code(&answer)), (422, "copy_files_invalid"));
        assert!(answer.to_string().len() < 1000);
    }
    assert_eq!(data(ground.server.get(&path).await)["copy_files"], json!(null));
}
