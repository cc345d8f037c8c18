//! A server with a user's repository on it, and the questions that tests of an attempt's life ask of both.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::{DEADLINE, Setup, TestServer};
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::{FORGE, data, is_finished};

/// A server, a repository and a project made of it.
pub(crate) struct Ground {
    pub(crate) server: TestServer,
    pub(crate) repo: TempRepo,
    pub(crate) project: Value,
    before: Vec<String>,
}

impl Ground {
    /// A repository of one commit, and nothing set.
    pub(crate) async fn new() -> Self {
        Self::with(json!({})).await
    }

    /// With these fields of the project, such as its scripts.
    pub(crate) async fn with(fields: Value) -> Self {
        Self::on(Setup::new(FORGE), TempRepo::new(), fields).await
    }

    /// On a server and a repository of the test's own.
    pub(crate) async fn on(setup: Setup, repo: TempRepo, fields: Value) -> Self {
        let server = setup.start().await;
        let path = repo.path().to_owned();
        let project = make_project(&server, &path, fields).await;
        let before = refs_and_settings(&repo);
        Self { server, repo, project, before }
    }

    pub(crate) fn project_id(&self) -> &str {
        self.project["id"].as_str().unwrap()
    }

    /// A path in a folder that is the test's own.
    pub(crate) fn own(&self, name: &str) -> PathBuf {
        self.server.folder().join(name)
    }

    /// What create-and-start is sent for a task with these steps.
    pub(crate) fn body(&self, steps: &str) -> Value {
        json!({
            "task": {"project_id": self.project["id"], "title": "Add login", "description": steps},
            "executor_profile_id": {"executor": "CLAUDE_CODE"},
            "base_branch": "main",
        })
    }

    /// Whatever create-and-start answers.
    pub(crate) async fn try_start(&self, body: Value) -> (u16, Value) {
        self.server.post("/api/tasks/create-and-start", body).await
    }

    /// The same under a key.
    pub(crate) async fn try_start_under(&self, key: &str, body: &Value) -> (u16, Value) {
        let request = self.server.request(Method::POST, "/api/tasks/create-and-start");
        let response = request.header("idempotency-key", key).json(body).send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }

    /// An attempt whose agent does what `steps` say.
    pub(crate) async fn start(&self, steps: &str) -> Started {
        Started { answer: data(self.try_start(self.body(steps)).await) }
    }

    /// The same with another executor.
    pub(crate) async fn start_as(&self, executor: &str, steps: &str) -> Started {
        let mut body = self.body(steps);
        body["executor_profile_id"] = json!({ "executor": executor });
        Started { answer: data(self.try_start(body).await) }
    }

    /// The attempt when nothing of it runs any more.
    pub(crate) async fn finished(&self, started: &Started) -> Value {
        self.server.until_attempt(started.attempt(), is_finished).await
    }

    /// Waits until a turn of the attempt began with this prompt.
    pub(crate) async fn until_prompt(&self, started: &Started, prompt: &str) {
        let mut look_again = tokio::time::interval(Duration::from_millis(20));
        let began = |process: &Value| process["executor_action"]["typ"]["prompt"] == prompt;
        let seen = async {
            while !self.processes(started).await.iter().any(began) {
                look_again.tick().await;
            }
        };
        tokio::time::timeout(DEADLINE, seen).await.expect("a turn with this prompt");
    }

    /// The status of an attempt's task.
    pub(crate) async fn task_status(&self, started: &Started) -> String {
        let task = data(self.server.get(&format!("/api/tasks/{}", started.task())).await);
        task["status"].as_str().unwrap().to_owned()
    }

    /// The processes of an attempt, oldest first.
    pub(crate) async fn processes(&self, started: &Started) -> Vec<Value> {
        let path = format!("/api/execution-processes?task_attempt_id={}", started.attempt());
        data(self.server.get(&path).await).as_array().unwrap().clone()
    }

    /// What kinds of process ran, oldest first.
    pub(crate) async fn kinds(&self, started: &Started) -> Vec<String> {
        let kind = |process: Value| process["run_reason"].as_str().unwrap().to_owned();
        self.processes(started).await.into_iter().map(kind).collect()
    }

    /// All that a process that has ended printed.
    pub(crate) async fn printed(&self, process: &Value) -> String {
        let mut logs = self.server.logs(process["id"].as_str().unwrap(), 0).await;
        let all = logs.rest().await;
        assert!(logs.finished(), "the log of a process that ended has an end");
        all.into_iter().map(|entry| entry.text).collect()
    }

    pub(crate) async fn follow_up(&self, started: &Started, prompt: &str) -> (u16, Value) {
        let path = format!("/api/task-attempts/{}/follow-up", started.attempt());
        self.server.post(&path, json!({"prompt": prompt})).await
    }

    /// Stops an attempt and gives back what it came to.
    pub(crate) async fn stop(&self, started: &Started) -> Value {
        let path = format!("/api/task-attempts/{}/stop", started.attempt());
        data(self.server.post(&path, json!(null)).await)
    }

    /// What git prints in the attempt's worktree.
    pub(crate) fn git_in(&self, started: &Started, args: &[&str]) -> String {
        self.repo.git_in(&started.worktree(), args)
    }

    /// Nothing of any attempt is left: no row, event, branch, folder or process.
    pub(crate) async fn nothing_is_left(&self) {
        let tasks = format!("/api/tasks?project_id={}", self.project_id());
        for path in [tasks.as_str(), "/api/task-attempts"] {
            assert_eq!(data(self.server.get(path).await), json!([]), "{path}");
        }
        assert_eq!(self.events_beside_projects().await, Vec::<String>::new());
        assert_eq!(refs_and_settings(&self.repo), self.before);
        self.folders_are_empty().await;
        self.only_the_server_runs().await;
    }

    /// Nothing lies in the folders of attempts and processes, nor in the trash.
    pub(crate) async fn folders_are_empty(&self) {
        let data = self.server.data();
        let folders = ["processes", "tmp", "trash", "worktrees/.trash"].map(|name| data.join(name));
        for folder in folders {
            comes_true(&format!("{} is empty", folder.display()), || names(&folder).is_empty()).await;
        }
        let worktrees = names(&data.join("worktrees"));
        assert!(worktrees.iter().all(|name| [".forge", ".trash"].contains(&name.as_str())), "{worktrees:?}");
    }

    pub(crate) async fn only_the_server_runs(&self) {
        let server = self.server.pid();
        comes_true("only the server runs", || self.server.family().pids() == [server]).await;
    }

    /// The kinds of all events but those about projects, up to now.
    async fn events_beside_projects(&self) -> Vec<String> {
        let last = format!("the last change {}", uuid::Uuid::new_v4());
        let path = format!("/api/projects/{}", self.project_id());
        data(self.server.put(&path, json!({"name": last})).await);
        let mut events = self.server.events(Some(0)).await;
        let mut others = Vec::new();
        loop {
            let message = events.next().await;
            match message.event.as_str() {
                "project_update" if message.data["name"] == last.as_str() => return others,
                "project_update" | "json_patch" => {}
                _ => others.push(message.event),
            }
        }
    }
}

/// What a start answered.
#[derive(Debug, Clone)]
pub(crate) struct Started {
    pub(crate) answer: Value,
}

impl Started {
    pub(crate) fn task(&self) -> &str {
        self.answer["id"].as_str().unwrap()
    }

    pub(crate) fn attempt(&self) -> &str {
        self.answer["attempt_id"].as_str().unwrap()
    }

    /// What names are cut from.
    pub(crate) fn short(&self) -> &str {
        self.attempt().get(..4).unwrap()
    }

    pub(crate) fn process(&self) -> &str {
        self.answer["execution_process_id"].as_str().unwrap()
    }

    pub(crate) fn branch(&self) -> &str {
        self.answer["task_attempt"]["branch"].as_str().unwrap()
    }

    pub(crate) fn worktree(&self) -> PathBuf {
        self.answer["task_attempt"]["container_ref"].as_str().unwrap().into()
    }
}

/// Something that waits (`@wait-fifo <path>`, or `cat <path>` in a script) until the test lets it go on.
pub(crate) struct Held {
    path: PathBuf,
    /// As long as somebody could write, who reads waits for the end.
    _writer: File,
}

impl Held {
    pub(crate) fn at(path: PathBuf) -> Self {
        let (fifo, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::from_raw_mode(0o600));
        rustix::fs::mknodat(rustix::fs::CWD, &path, fifo, mode, 0).unwrap();
        // In both directions, which does not wait for a reader.
        let writer = File::options().read(true).write(true).open(&path).unwrap();
        Self { path, _writer: writer }
    }

    pub(crate) fn path(&self) -> &str {
        self.path.to_str().unwrap()
    }

    /// Lets go. Who comes later finds a file that ends at once, and does not wait at all.
    pub(crate) fn let_go(self) {
        let file = self.path.with_extension("open");
        fs::write(&file, "").unwrap();
        fs::rename(&file, &self.path).unwrap();
    }
}

/// Makes a project of the repository at `path`.
pub(crate) async fn make_project(server: &TestServer, path: &Path, fields: Value) -> Value {
    let mut body = Map::from_iter([("name".into(), json!("p")), ("git_repo_path".into(), json!(path))]);
    body.extend(fields.as_object().unwrap().clone());
    data(server.post("/api/projects", body.into()).await)
}

/// Looks again and again until it is so: for what nobody announces, such as a file that somebody deletes.
pub(crate) async fn comes_true(what: &str, mut look: impl FnMut() -> bool) {
    let looking = async {
        let mut again = tokio::time::interval(Duration::from_millis(5));
        while !look() {
            again.tick().await;
        }
    };
    assert!(tokio::time::timeout(DEADLINE, looking).await.is_ok(), "it did not come true that {what}");
}

/// What a folder holds; nothing when it is not there.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The refs, worktrees and settings of a repository. Where submodules come from is remembered by git itself, as
/// soon as somebody tries to get them.
fn refs_and_settings(repo: &TempRepo) -> Vec<String> {
    let refs = repo.git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
    let worktrees = repo.git(&["worktree", "list", "--porcelain"]);
    let settings = repo.git(&["config", "--local", "--list"]);
    let settings = settings.lines().filter(|line| !line.starts_with("submodule."));
    refs.lines().chain(worktrees.lines()).chain(settings).map(str::to_owned).collect()
}
