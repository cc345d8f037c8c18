//! Many starts at once, and names and places that nobody thought of.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use forge_testkit::repo::TempRepo;
use forge_testkit::server::TestServer;
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::ground::{Ground, Started, make_project, names};
use crate::{FORGE, data, is_finished};

/// Of one title; far more than the machine has cores or a user has agents.
const MANY: usize = 200;

/// So many equal calls at once. Only the test runner bounds how long they take: it is the machine that decides.
pub(crate) async fn start_at_once(server: &TestServer, count: usize, body: &Value) -> Vec<(u16, Value)> {
    let start = async || {
        let request = server.request(Method::POST, "/api/tasks/create-and-start").json(body);
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    };
    join_all((0..count).map(|_| start())).await
}

#[tokio::test]
async fn two_hundred_at_once_of_one_title_all_run_and_each_has_its_own() {
    let ground = Ground::new().await;
    let answers = start_at_once(&ground.server, MANY, &ground.body("@until-told")).await;
    let all: Vec<_> = answers.into_iter().map(|answer| Started { answer: data(answer) }).collect();
    let processes: BTreeSet<_> = all.iter().map(|started| started.process().to_owned()).collect();
    assert_eq!(processes.len(), MANY);
    let attempts: BTreeSet<_> = all.iter().map(|started| started.attempt().to_owned()).collect();
    assert_eq!(attempts.len(), MANY);
    assert_eq!(all.iter().map(Started::task).collect::<BTreeSet<_>>().len(), MANY);

    // What the repository knows is what was answered: a branch, a worktree and a mark for each, and no other.
    let branches: BTreeSet<_> = all.iter().map(|started| started.branch().to_owned()).collect();
    assert_eq!(
        (
            branches.len(),
            &lines(&ground.repo.git(&["branch", "--format=%(refname:short)", "--list", "forge/*"]))
        ),
        (MANY, &branches)
    );
    let worktrees: BTreeSet<_> = all.iter().map(Started::worktree).collect();
    let listed = ground.repo.git(&["worktree", "list", "--porcelain"]);
    let listed = listed.lines().filter_map(|line| line.strip_prefix("worktree ")).skip(1).map(PathBuf::from);
    assert_eq!((worktrees.len(), &listed.collect()), (MANY, &worktrees));
    let marks = ground.repo.git(&["config", "--get-regexp", r"^branch\..*\.forge-attempt$"]);
    assert_eq!(
        marks.lines().filter_map(|line| line.split(' ').nth(1)).map(str::to_owned).collect::<BTreeSet<_>>(),
        attempts
    );
    for worktree in &worktrees {
        assert_eq!(crate::read(worktree.join("README.md")), "A project.\n", "{}", worktree.display());
    }
    let folders = names(&ground.server.data().join("worktrees"));
    assert_eq!(folders.iter().filter(|name| !name.starts_with('.')).count(), MANY, "{folders:?}");
    assert_eq!(
        names(&ground.server.data().join("processes")).into_iter().collect::<BTreeSet<_>>(),
        processes
    );

    // Each runs, on ports that no other has.
    ground.server.family().settle(ground.server.pid(), &processes).await;
    let ports = ground.server.family().variables(&processes, "FORGE_PORT");
    assert_eq!((ports.len(), ports.values().collect::<BTreeSet<_>>().len()), (MANY, MANY), "{ports:?}");
    let rows = data(ground.server.get("/api/task-attempts").await);
    let running = rows.as_array().unwrap().iter().filter(|attempt| attempt["state"] == "running");
    assert_eq!(running.count(), MANY);
}

fn lines(text: &str) -> BTreeSet<String> {
    text.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn any_title_gives_a_branch_and_reaches_the_agent_whole() {
    let ground = Ground::new().await;
    let long = "long ".repeat(200);
    let cases = [
        ("\u{1F680}\u{1F468}\u{200D}\u{1F469}", "task"),
        ("First\nsecond line", "first-second-lin"),
        ("../..", "task"),
        ("--help", "help"),
        ("-", "task"),
        ("$(touch pwned); `id` & 'x' \"y\" \\", "touch-pwned-id-x"),
        ("refs/heads/main.lock", "refs-heads-main"),
        ("\u{202E}\u{0007}bell", "bell"),
        ("Straße naïve ÄÖÜ", "stra-e-na-ve"),
        (long.as_str(), "long-long-long-l"),
    ];
    for (title, slug) in cases {
        let mut body = ground.body("@edit a.txt one");
        body["task"]["title"] = json!(title);
        let started = Started { answer: data(ground.try_start(body).await) };
        assert_eq!(started.answer["title"], title.trim());
        assert_eq!(started.branch(), format!("forge/{}-{slug}", started.short()), "{title:?}");
        assert_eq!(ground.finished(&started).await["outcome"], "succeeded", "{title:?}");
        let prompt = ground.processes(&started).await[0]["executor_action"]["typ"]["prompt"].clone();
        assert_eq!(prompt, format!("{}\n\n@edit a.txt one", title.trim()));
    }
}

/// Runs one task in the repository at `path` and sees its work on the branch.
async fn work_in(server: &TestServer, repo: &TempRepo, path: &Path, base: Option<&str>) -> Value {
    let project = make_project(server, path, json!({"setup_script": "pwd"})).await;
    let body = json!({
        "task": {"project_id": project["id"], "title": "Add login", "description": "@edit a.txt one"},
        "executor_profile_id": "CLAUDE_CODE", "base_branch": base,
    });
    let started = Started { answer: data(server.post("/api/tasks/create-and-start", body).await) };
    let ended = server.until_attempt(started.attempt(), is_finished).await;
    assert_eq!(ended["outcome"], "succeeded", "{ended}");
    assert_eq!(repo.git_in(path, &["show", &format!("{}:a.txt", started.branch())]), "one");
    assert_eq!(server.delete(&format!("/api/task-attempts/{}", started.attempt())).await.0, 200);
    ended
}

fn moved_to(repo: &TempRepo, name: &str) -> PathBuf {
    let path = repo.beside(name);
    fs::rename(repo.path(), &path).unwrap();
    path
}

#[tokio::test]
async fn a_project_may_lie_at_any_path() {
    let server = TestServer::start(FORGE).await;
    for name in ["with  spaces", "new\nline", "日本語-ü", "quote'\"$(x)", "-dash", "a:b;c", ".hidden"] {
        let repo = TempRepo::new();
        let path = moved_to(&repo, name);
        let ended = work_in(&server, &repo, &path, Some("main")).await;
        assert_eq!(ended["target_branch"], "main", "{name:?}");
    }
}

#[tokio::test]
async fn data_and_worktrees_may_lie_at_any_path() {
    let folder = tempfile::tempdir().unwrap();
    let worktrees = folder.path().join("work trees\nü 'x'");
    let setup = forge_testkit::server::Setup::new(FORGE).arg("--worktrees").arg(&worktrees);
    let ground = Ground::on(setup, TempRepo::new(), json!({"setup_script": "cd \"$FORGE_WORKTREE\""})).await;
    let started = ground.start("@edit a.txt one").await;
    assert_eq!(started.worktree().parent().unwrap(), worktrees);
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(ground.repo.git(&["show", &format!("{}:a.txt", started.branch())]), "one");
}

#[tokio::test]
async fn a_project_may_be_a_linked_worktree() {
    let server = TestServer::start(FORGE).await;
    let repo = TempRepo::new();
    let linked = repo.beside("linked");
    repo.git(&["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    let ended = work_in(&server, &repo, &linked, None).await;
    assert_eq!(ended["target_branch"], "side");
    assert_eq!(repo.git(&["worktree", "list"]).lines().count(), 2);
}

#[tokio::test]
async fn a_project_may_be_a_bare_repository() {
    let server = TestServer::start(FORGE).await;
    let repo = TempRepo::new();
    let bare = repo.beside("bare.git");
    repo.git(&["clone", "--quiet", "--bare", repo.path().to_str().unwrap(), bare.to_str().unwrap()]);
    for base in [Some("main"), None] {
        let ended = work_in(&server, &repo, &bare, base).await;
        assert_eq!(ended["target_branch"], "main");
        let id = data(server.get("/api/projects").await)[0]["id"].as_str().unwrap().to_owned();
        assert_eq!(server.delete(&format!("/api/projects/{id}")).await.0, 200);
    }
}

#[tokio::test]
async fn the_base_branch_may_be_checked_out_and_dirty() {
    let ground = Ground::new().await;
    ground.repo.write("README.md", "changed");
    let started = ground.start("@edit a.txt one").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(ground.repo.git(&["show", &format!("{}:README.md", started.branch())]), "A project.");
    assert_eq!(ground.repo.git(&["status", "--porcelain"]), " M README.md");
}
