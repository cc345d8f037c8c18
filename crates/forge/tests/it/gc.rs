//! Worktrees that nobody uses go, and nothing with them.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use serde_json::{Value, json};

use crate::ground::{Ground, Started, comes_true, names};
use crate::snapshots::{files, newest, restore, snapshots};
use crate::{FORGE, code, data, read};

/// A server that takes away what is idle, on demand and when it starts.
async fn eager() -> Ground {
    eager_with(json!({})).await
}

async fn eager_with(fields: Value) -> Ground {
    let setup = Setup::new(FORGE).config("[gc]\nworktree_days = 0.0\n");
    Ground::on(setup, TempRepo::new(), fields).await
}

async fn gc(ground: &Ground) -> Value {
    data(ground.server.post("/api/gc", json!({})).await)
}

async fn attempt(ground: &Ground, started: &Started) -> Value {
    data(ground.server.get(&format!("/api/task-attempts/{}", started.attempt())).await)
}

/// An attempt that has finished, with a file that nobody committed.
async fn idle(ground: &Ground) -> Started {
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    fs::write(started.worktree().join("untracked.txt"), "mine").unwrap();
    started
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["task_attempt_id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_idle_worktree_goes_and_a_follow_up_brings_it_back_as_it_was() {
    let ground = eager_with(json!({"setup_script": "echo set up >> ../setups"})).await;
    let started = idle(&ground).await;
    let before = files(&started.worktree());
    let done = gc(&ground).await;
    assert_eq!(ids(&done["collected"]), [started.attempt()], "{done}");
    assert!(done["bytes"].as_u64().unwrap() > 0 && done["left"] == json!([]), "{done}");
    assert!(!started.worktree().exists());
    assert_eq!(attempt(&ground, &started).await["worktree_deleted"], true);
    assert_eq!(ground.repo.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(gc(&ground).await["collected"], json!([]), "once");
    let printed = ground.printed(&ground.processes(&started).await[1]).await;
    assert!(printed.contains("a.txt"), "what its processes printed stays");

    assert_eq!(ground.follow_up(&started, "@recall\n@wait-fifo ../go").await.0, 200);
    let back = attempt(&ground, &started).await;
    assert_eq!(
        (&back["worktree_deleted"], &back["worktree_path"]),
        (&json!(false), &json!(started.worktree()))
    );
    assert_eq!(files(&started.worktree()), before);
    let setups = started.worktree().join("../setups");
    comes_true("it is set up again", || read(&setups).lines().count() == 2).await;
    let go = started.worktree().join("../go");
    comes_true("the agent waits", || go.exists()).await;
    tokio::task::spawn_blocking(move || fs::write(go, "x").unwrap()).await.unwrap();
    ground.finished(&started).await;
    assert_eq!(ground.repo.git(&["show", &format!("{}:untracked.txt", started.branch())]), "mine");
}

#[tokio::test]
async fn a_worktree_that_was_taken_away_can_be_put_back() {
    let ground = eager().await;
    let started = idle(&ground).await;
    let before = files(&started.worktree());
    gc(&ground).await;
    let collected = newest(&ground, &started, "collected").await;
    let back = data(restore(&ground, &started, &collected).await);
    assert_eq!(back["worktree_deleted"], false);
    assert_eq!(files(&started.worktree()), before);
}

#[tokio::test]
async fn commits_that_came_to_the_branch_meanwhile_are_not_undone() {
    let ground = eager().await;
    let started = idle(&ground).await;
    gc(&ground).await;
    ground.repo.git(&["checkout", "--quiet", started.branch()]);
    ground.repo.write("merged.txt", "theirs");
    ground.repo.commit("Merged by somebody");
    let (status, body) = ground.follow_up(&started, "@say hello").await;
    assert_eq!((status, code(&body)), (409, "branch_in_use"), "{body}");
    ground.repo.git(&["checkout", "--quiet", "main"]);
    assert_eq!(ground.follow_up(&started, "@edit b.txt two").await.0, 200);
    ground.finished(&started).await;
    let committed = ground.repo.git(&["ls-tree", "--name-only", started.branch()]);
    assert_eq!(committed.lines().collect::<Vec<_>>(), ["README.md", "a.txt", "b.txt", "merged.txt"]);
    let collected = newest(&ground, &started, "collected").await;
    let saved = format!("refs/forge/attempts/{}/{collected}:untracked.txt", started.attempt());
    assert_eq!(ground.repo.git(&["show", &saved]), "mine");
}

#[tokio::test]
async fn a_dry_run_changes_nothing_and_says_what_would_go() {
    let ground = eager().await;
    let started = idle(&ground).await;
    let (refs, before) = (ground.repo.git(&["for-each-ref"]), files(&started.worktree()));
    let told = data(ground.server.post("/api/gc", json!({"dry_run": true})).await);
    assert_eq!((ids(&told["collected"]), &told["dry_run"]), (vec![started.attempt()], &json!(true)));
    assert_eq!(attempt(&ground, &started).await["worktree_deleted"], false);
    assert_eq!((ground.repo.git(&["for-each-ref"]), files(&started.worktree())), (refs, before));
}

#[tokio::test]
async fn what_runs_or_is_young_or_open_stays() {
    let ground =
        Ground::on(Setup::new(FORGE).config("[gc]\nclosed_days = 0.0\n"), TempRepo::new(), json!({})).await;
    let open = idle(&ground).await;
    let closed = idle(&ground).await;
    let running = ground.start("@until-told").await;
    let close = async |started: &Started| {
        let path = format!("/api/tasks/{}", started.task());
        data(ground.server.put(&path, json!({"status": "done"})).await);
    };
    close(&closed).await;
    let done = gc(&ground).await;
    assert_eq!((ids(&done["collected"]), &done["left"]), (vec![closed.attempt()], &json!([])));
    assert!(open.worktree().exists() && running.worktree().exists());
    close(&running).await;
    assert_eq!(ids(&gc(&ground).await["collected"]), [running.attempt()], "its agent is stopped");
}

#[tokio::test]
async fn a_worktree_in_which_somebody_works_is_left() {
    let ground = eager().await;
    let started = idle(&ground).await;
    #[expect(clippy::disallowed_methods, reason = "a person's shell")]
    let mut shell = tokio::process::Command::new("sh");
    shell.args(["-c", "echo here; read line"]).current_dir(started.worktree());
    let mut shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    // A program that prints is in its folder already.
    let mut line = String::new();
    let mut out = tokio::io::BufReader::new(shell.stdout.take().unwrap());
    tokio::io::AsyncBufReadExt::read_line(&mut out, &mut line).await.unwrap();
    let done = gc(&ground).await;
    assert_eq!((ids(&done["left"]), &done["collected"]), (vec![started.attempt()], &json!([])), "{done}");
    let why = done["left"][0]["why"].as_str().unwrap();
    assert!(why.contains(&shell.id().unwrap().to_string()), "{why}");
    assert_eq!(read(started.worktree().join("untracked.txt")), "mine");
    assert_eq!(snapshots(&ground, &started).await.len(), 1, "nothing is saved for nothing");
    drop(shell.stdin.take());
    shell.wait().await.unwrap();
    assert_eq!(ids(&gc(&ground).await["collected"]), [started.attempt()]);
}

#[tokio::test]
async fn what_cannot_be_saved_is_left() {
    let ground = eager().await;
    let started = idle(&ground).await;
    let inner = started.worktree().join("inner");
    fs::create_dir(&inner).unwrap();
    ground.repo.git_in(&inner, &["init", "--quiet"]);
    fs::write(inner.join("work.txt"), "mine").unwrap();
    let done = gc(&ground).await;
    assert_eq!(ids(&done["left"]), [started.attempt()], "{done}");
    assert!(done["left"][0]["why"].as_str().unwrap().contains("inner"), "{done}");
    assert_eq!(read(inner.join("work.txt")), "mine");
    assert_eq!(attempt(&ground, &started).await["worktree_deleted"], false);
}

#[tokio::test]
async fn what_forge_did_not_make_is_not_touched() {
    let ground = eager().await;
    let (mine, replaced) = (idle(&ground).await, idle(&ground).await);
    let root = mine.worktree().parent().unwrap().to_owned();
    fs::create_dir(root.join("foreign")).unwrap();
    fs::write(root.join("foreign/file"), "theirs").unwrap();
    let own = ground.repo.beside("own-worktree");
    ground.repo.git(&["worktree", "add", "--quiet", "-b", "own", own.to_str().unwrap()]);
    // Somebody put a folder of their own where a worktree was.
    fs::remove_dir_all(replaced.worktree()).unwrap();
    fs::create_dir(replaced.worktree()).unwrap();
    fs::write(replaced.worktree().join("file"), "theirs").unwrap();
    let done = gc(&ground).await;
    assert_eq!(ids(&done["collected"]), [mine.attempt()], "{done}");
    assert_eq!(ids(&done["left"]), [replaced.attempt()], "{done}");
    assert_eq!(read(root.join("foreign/file")), "theirs");
    assert_eq!(read(replaced.worktree().join("file")), "theirs");
    assert!(own.join("README.md").exists());
    assert!(ground.repo.git(&["worktree", "list"]).contains("own-worktree"));
}

#[tokio::test]
async fn a_registration_whose_folder_somebody_removed_is_taken_away() {
    let ground = Ground::new().await;
    let started = idle(&ground).await;
    let own = ground.repo.beside("own-worktree");
    ground.repo.git(&["worktree", "add", "--quiet", "-b", "own", own.to_str().unwrap()]);
    for path in [&started.worktree(), &own] {
        fs::remove_dir_all(path).unwrap();
    }
    let done = gc(&ground).await;
    assert_eq!(done["unregistered"], json!([started.worktree()]));
    let listed = ground.repo.git(&["worktree", "list"]);
    assert!(listed.contains("own-worktree") && listed.lines().count() == 2, "{listed}");
}

#[tokio::test]
async fn a_server_collects_when_it_starts() {
    let mut ground = eager().await;
    let started = idle(&ground).await;
    let before = files(&started.worktree());
    ground.server.kill_9().await;
    ground.server.restart().await;
    let gone = |attempt: &Value| attempt["worktree_deleted"] == true;
    ground.server.until_attempt(started.attempt(), gone).await;
    comes_true("the folder is gone", || !started.worktree().exists()).await;
    let collected = newest(&ground, &started, "collected").await;
    data(restore(&ground, &started, &collected).await);
    assert_eq!(files(&started.worktree()), before);
}

#[tokio::test]
async fn an_attempt_whose_worktree_is_brought_back_has_ports_again() {
    let ground = eager().await;
    let started = ground.start("@env FORGE_PORT").await;
    ground.finished(&started).await;
    gc(&ground).await;
    assert_eq!(ground.follow_up(&started, "@env FORGE_PORT").await.0, 200);
    ground.finished(&started).await;
    for process in ground.processes(&started).await {
        let printed = ground.printed(&process).await;
        assert!(printed.contains("FORGE_PORT=2"), "{printed}");
    }
}

#[tokio::test]
async fn command_asks_the_server_that_runs() {
    let setup = Setup::new(FORGE).config("[gc]\nworktree_days = 0.0\n").arg("--auth");
    let mut server = setup.start().await;
    server.use_token();
    let project = crate::project(&server).await;
    let started = crate::started(&server, &project, "@edit a.txt one").await;
    let id = started["attempt_id"].as_str().unwrap();
    server.until_attempt(id, crate::is_finished).await;
    let path = started["task_attempt"]["worktree_path"].as_str().unwrap().to_owned();
    let folder = server.data();
    let run = async |args: &[&str]| {
        let all: Vec<&str> = ["gc", "--data", folder.to_str().unwrap()].iter().chain(args).copied().collect();
        let output = crate::forge(&all, &[]).await;
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (status, out, err) = run(&["--dry-run"]).await;
    assert!(status == Some(0) && out.contains(&format!("would go: {path}")), "{out}{err}");
    assert!(Path::new(&path).exists());
    let (status, out, err) = run(&[]).await;
    assert!(status == Some(0) && out.contains(&format!("gone: {path}")), "{out}{err}");
    assert!(out.contains("1 worktrees, freed "), "{out}");
    assert!(!Path::new(&path).exists());
    assert_eq!(names(&folder.join("worktrees")), [".forge", ".trash"]);
}

#[tokio::test]
async fn command_collects_while_no_server_runs() {
    let setup = Setup::new(FORGE).config("[gc]\nworktree_days = 0.0\n");
    let mut ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let idle = ground.start("@edit a.txt one").await;
    ground.finished(&idle).await;
    fs::write(idle.worktree().join("untracked"), "u").unwrap();
    let busy = ground.start("@say begun\n@until-told").await;
    ground.server.logs(busy.process(), 0).await.until("begun").await;
    ground.server.kill_9().await;
    let folder = ground.server.data();
    let config = ground.server.folder().join("gc.toml");
    fs::write(&config, "[gc]\nworktree_days = 0.0\n").unwrap();
    let paths = [folder.to_str().unwrap(), config.to_str().unwrap()];
    let run = async |args: &[&str]| {
        let all = [&["gc", "--data", paths[0], "--config", paths[1]], args].concat();
        let path = std::env::var_os("PATH").unwrap();
        let output = crate::forge(&all, &[("PATH", &path)]).await;
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let path = idle.worktree().display().to_string();
    assert!(run(&["--dry-run"]).await.contains(&format!("would go: {path}")));
    let junk = folder.join("trash/junk");
    fs::create_dir_all(&junk).unwrap();
    let said = run(&[]).await;
    assert!(said.contains(&format!("gone: {path}")) && said.contains("1 worktrees, freed "), "{said}");
    assert!(!idle.worktree().exists() && !junk.exists() && busy.worktree().exists());
    // The agent that runs was left alone, and what was collected comes back.
    ground.server.restart().await;
    let attempt = data(ground.server.get(&format!("/api/task-attempts/{}", busy.attempt())).await);
    assert_eq!(attempt["state"], "running");
    ground.stop(&busy).await;
    data(ground.follow_up(&idle, "@edit b.txt two").await);
    ground.until_prompt(&idle, "@edit b.txt two").await;
    assert_eq!(ground.finished(&idle).await["outcome"], "succeeded");
    assert_eq!(read(idle.worktree().join("untracked")), "u");
}

/// The names of an attempt's hidden refs.
fn hidden(ground: &Ground, attempt: &str) -> Vec<String> {
    let prefix = format!("refs/forge/attempts/{attempt}/");
    let listed = ground.repo.git(&["for-each-ref", "--format=%(refname)", &prefix]);
    listed.lines().map(|name| name.trim_start_matches(&prefix).to_owned()).collect()
}

#[tokio::test]
async fn delete_leaves_folder_where_worktree_was_collected() {
    let ground = eager().await;
    let (deleted, discarded) = (idle(&ground).await, idle(&ground).await);
    assert_eq!(gc(&ground).await["collected"].as_array().unwrap().len(), 2);
    for (started, query) in [(&deleted, ""), (&discarded, "?discard=true")] {
        fs::create_dir(started.worktree()).unwrap();
        fs::write(started.worktree().join("file"), "theirs").unwrap();
        let path = format!("/api/task-attempts/{}{query}", started.attempt());
        assert_eq!(ground.server.delete(&path).await.0, 200);
        assert_eq!(read(started.worktree().join("file")), "theirs");
    }
}

#[tokio::test]
async fn snapshots_of_deleted_attempt_without_worktree_expire() {
    let config = "[gc]\nsnapshot_days = 0.0\nworktree_days = inf\nclosed_days = 0.0\n";
    let ground = Ground::on(Setup::new(FORGE).config(config), TempRepo::new(), json!({})).await;
    let (collected, removed) = (idle(&ground).await, idle(&ground).await);
    let task = format!("/api/tasks/{}", collected.task());
    data(ground.server.put(&task, json!({"status": "done"})).await);
    assert_eq!(ids(&gc(&ground).await["collected"]), [collected.attempt()]);
    fs::remove_dir_all(removed.worktree()).unwrap();
    for started in [&collected, &removed] {
        assert!(!hidden(&ground, started.attempt()).is_empty());
        let path = format!("/api/task-attempts/{}", started.attempt());
        assert_eq!(ground.server.delete(&path).await.0, 200);
    }
    gc(&ground).await;
    for started in [&collected, &removed] {
        assert_eq!(hidden(&ground, started.attempt()), [""; 0]);
        assert_eq!(ground.repo.git(&["show", &format!("{}:a.txt", started.branch())]), "one");
    }
}

#[tokio::test]
async fn snapshots_of_deleted_project_expire() {
    let setup = Setup::new(FORGE).config("[gc]\nsnapshot_days = 0.0\nworktree_days = inf\n");
    let ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let deleted = idle(&ground).await;
    let foreign = "0d7a3a0c-0000-4000-8000-000000000001";
    ground.repo.git(&["update-ref", &format!("refs/forge/attempts/{foreign}/before-restore-1"), "HEAD"]);
    let path = format!("/api/projects/{}", ground.project_id());
    assert_eq!(ground.server.delete(&path).await.0, 200);
    let count = hidden(&ground, deleted.attempt()).len();
    assert!(count > 0);
    let list = ground.server.data().join("former-repositories.json");
    assert!(read(&list).contains(ground.repo.path().to_str().unwrap()));
    let planned = data(ground.server.post("/api/gc", json!({"dry_run": true})).await);
    assert_eq!(planned["snapshots"], count, "{planned}");
    assert_eq!(gc(&ground).await["snapshots"], count);
    assert_eq!((hidden(&ground, deleted.attempt()).len(), hidden(&ground, foreign).len()), (0, 1));
    assert_eq!(read(&list), "[]");
}

#[tokio::test]
async fn expired_snapshots_are_removed_and_needed_ones_stay() {
    let setup = Setup::new(FORGE).config("[gc]\nsnapshot_days = 0.0\nworktree_days = inf\n");
    let ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let kept = idle(&ground).await;
    let first = newest(&ground, &kept, "turn").await;
    assert_eq!(restore(&ground, &kept, &first).await.0, 200);
    let deleted = idle(&ground).await;
    let path = format!("/api/task-attempts/{}", deleted.attempt());
    assert_eq!(ground.server.delete(&path).await.0, 200);
    // Another installation's, as far as this one knows.
    let foreign = "0d7a3a0c-0000-4000-8000-000000000001";
    let reference = format!("refs/forge/attempts/{foreign}/before-restore-1");
    ground.repo.git(&["update-ref", &reference, "HEAD"]);
    assert_eq!((hidden(&ground, kept.attempt()).len(), hidden(&ground, deleted.attempt()).len()), (2, 3));
    let disk = data(ground.server.get(&format!("/api/projects/{}/disk", ground.project_id())).await);
    assert!(disk["snapshots"].as_u64().unwrap() > 0, "{disk}");

    let running = ground.start("@edit b.txt two\n@until-told").await;
    let planned = data(ground.server.post("/api/gc", json!({"dry_run": true})).await);
    assert_eq!(planned["snapshots"], 4, "{planned}");
    assert_eq!(hidden(&ground, deleted.attempt()).len(), 3, "nothing is removed by a dry run");
    assert_eq!(gc(&ground).await["snapshots"], 4);
    assert_eq!(hidden(&ground, deleted.attempt()), [""; 0]);
    assert!(hidden(&ground, kept.attempt())[0].starts_with("before-restore-"));
    assert_eq!((hidden(&ground, kept.attempt()).len(), hidden(&ground, foreign).len()), (1, 1));
    assert_eq!(gc(&ground).await["snapshots"], 0, "once");
    ground.stop(&running).await;
}

#[tokio::test]
async fn snapshot_mark_of_refused_deletion_is_removed() {
    let setup = Setup::new(FORGE).config("[gc]\nsnapshot_days = 0.0\nworktree_days = inf\n");
    let ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let started = idle(&ground).await;
    let before = hidden(&ground, started.attempt());
    let reference = format!("refs/forge/attempts/{}/deleted", started.attempt());
    ground.repo.git(&["update-ref", &reference, started.branch()]);
    let marked = hidden(&ground, started.attempt());
    let planned = data(ground.server.post("/api/gc", json!({"dry_run": true})).await);
    assert_eq!((&planned["snapshots"], hidden(&ground, started.attempt())), (&json!(0), marked));
    assert_eq!(gc(&ground).await["snapshots"], 0);
    let (saved, kept): (Vec<_>, Vec<_>) =
        hidden(&ground, started.attempt()).into_iter().partition(|name| name.starts_with("before-delete-"));
    assert_eq!((saved.len(), kept), (1, before));
}

#[tokio::test]
async fn snapshots_of_another_project_in_the_repository_are_kept() {
    let setup = Setup::new(FORGE).config("[gc]\nsnapshot_days = 0.0\nworktree_days = inf\n");
    let ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let started = idle(&ground).await;
    let prefix = format!("refs/forge/attempts/{}", started.attempt());
    for name in ["before-restore-1", "deleted"] {
        ground.repo.git(&["update-ref", &format!("{prefix}/{name}"), started.branch()]);
    }
    // The newest project is looked at first.
    let linked = ground.own("linked");
    ground.repo.git(&["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap()]);
    let body = json!({"name": "linked", "git_repo_path": linked, "use_existing_repo": true});
    let (status, answer) = ground.server.post("/api/projects", body).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(gc(&ground).await["snapshots"], 0);
    assert!(hidden(&ground, started.attempt()).contains(&"before-restore-1".to_owned()));
}
