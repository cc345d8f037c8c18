//! What tests of crashes and ends share: a server with a repository, agents that print numbered lines in steps, and
//! the question whether rows, events, repository, folders and running programs tell the same story.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use forge_testkit::gate::Gate;
use forge_testkit::postgres::TestPostgres;
use forge_testkit::repo::TempRepo;
use forge_testkit::server::{DEADLINE, Setup, TestServer};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::database::Database;
use crate::{FORGE, data, is_finished};

/// Lines that an agent prints between two gates.
const LINES: usize = 40;

/// A server and a project on a repository of its own.
pub(crate) struct Bed {
    pub(crate) server: TestServer,
    pub(crate) repo: TempRepo,
    pub(crate) project: String,
    /// After the server, which is to end before its database.
    postgres: Option<TestPostgres>,
}

impl Bed {
    pub(crate) async fn new() -> Self {
        Self::with(Setup::new(FORGE)).await
    }

    pub(crate) async fn with(setup: Setup) -> Self {
        Self::with_on(Database::Sqlite, setup).await
    }

    pub(crate) async fn on(database: Database) -> Self {
        Self::with_on(database, Setup::new(FORGE)).await
    }

    pub(crate) async fn with_on(database: Database, setup: Setup) -> Self {
        let (setup, postgres) = database.under(setup);
        let (server, repo) = (setup.start().await, TempRepo::new());
        let project =
            data(server.post("/api/projects", json!({"name": "p", "git_repo_path": repo.path()})).await);
        Self { server, repo, project: id(&project), postgres }
    }

    /// The URL of the PostgreSQL database, if it is one.
    pub(crate) fn database_url(&self) -> Option<String> {
        self.postgres.as_ref().map(TestPostgres::url)
    }

    /// Starts the server again with these settings of the pool.
    pub(crate) async fn set_pool(&mut self, settings: &str) {
        let file = self.path("home/.config/forge/config.toml");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, format!("[pool]\n{settings}\n")).unwrap();
        self.crash().await;
    }

    /// A path for the test's own files.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.server.folder().join(name)
    }

    pub(crate) fn gate(&self, name: &str) -> Gate {
        Gate::new(self.path(name))
    }

    /// Changes the project.
    pub(crate) async fn change(&self, change: Value) {
        data(self.server.put(&format!("/api/projects/{}", self.project), change).await);
    }

    /// A `pre-commit` hook that says at the first gate that it runs, and waits at the second.
    pub(crate) fn hold_commits(&self) -> (Gate, Gate) {
        let (began, go) = (self.gate("hook-began"), self.gate("hook-go"));
        let text =
            format!("#!/bin/sh\necho > '{}'\nread x < '{}'\n", began.path().display(), go.path().display());
        let hook = self.repo.path().join(".git/hooks/pre-commit");
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, text).unwrap();
        fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        (began, go)
    }

    /// A start that is not sent yet.
    pub(crate) fn start(&self, steps: &str) -> RequestBuilder {
        self.server.request(Method::POST, "/api/tasks/create-and-start").json(&json!({
            "task": {"project_id": self.project, "title": "t", "description": steps},
            "executor_profile_id": {"executor": "CLAUDE_CODE"},
            "base_branch": "main",
        }))
    }

    /// An agent that does what `steps` say.
    pub(crate) async fn started(&self, steps: &str) -> Run {
        Run::of(&sent(self.start(steps)).await)
    }

    /// An agent that prints numbered lines, waits, prints on while `gates` are opened one after the other, and
    /// leaves a file.
    pub(crate) async fn printer(&self, name: &str, gates: usize) -> Printer {
        let pid_file = self.path(&format!("{name}.pid"));
        let gates: Vec<Gate> = (0..gates).map(|n| self.gate(&format!("{name}-{n}"))).collect();
        let say = |part: usize| lines(name, part).map(|line| format!("@say {line}\n")).collect::<String>();
        let mut steps = format!("@print-pid {}\n{}", pid_file.display(), say(0));
        for (n, gate) in gates.iter().enumerate() {
            steps.push_str(&format!("@wait-fifo {}\n{}", gate.path().display(), say(n + 1)));
        }
        steps.push_str(&format!("@edit {name}.txt {name}\n@say {name} is done"));
        let run = self.started(&steps).await;
        let printer = Printer { name: name.to_owned(), run, gates, pid_file };
        printer.printed(self, 0).await;
        printer
    }

    pub(crate) async fn attempt(&self, run: &Run) -> Value {
        data(self.server.get(&format!("/api/task-attempts/{}", run.attempt)).await)
    }

    pub(crate) async fn worktree(&self, run: &Run) -> PathBuf {
        PathBuf::from(text(&self.attempt(run).await, "worktree_path"))
    }

    pub(crate) async fn finished(&self, run: &Run) -> Value {
        self.server.until_attempt(&run.attempt, is_finished).await
    }

    pub(crate) async fn task_status(&self, run: &Run) -> String {
        let task = data(self.server.get(&format!("/api/tasks/{}", run.task)).await);
        task["status"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn processes(&self, attempt: &str) -> Vec<Value> {
        // Those that were dropped too: their folders are there.
        let path = format!("/api/execution-processes?task_attempt_id={attempt}&show_soft_deleted=true");
        data(self.server.get(&path).await).as_array().unwrap().clone()
    }

    /// A follow-up that is not sent yet.
    pub(crate) fn follow_up(&self, run: &Run, steps: &str) -> RequestBuilder {
        let path = format!("/api/task-attempts/{}/follow-up", run.attempt);
        self.server.request(Method::POST, &path).json(&json!({"prompt": steps}))
    }

    /// A stop that is not sent yet.
    pub(crate) fn stop(&self, run: &Run) -> RequestBuilder {
        self.server.request(Method::POST, &format!("/api/task-attempts/{}/stop", run.attempt))
    }

    /// Sends a request that the server does not live to answer, and sees it die as by `kill -9`.
    pub(crate) async fn dies_of(&mut self, request: RequestBuilder) {
        use std::os::unix::process::ExitStatusExt as _;
        let answer = request.send();
        let (answered, ended) = tokio::join!(answer, self.server.ended());
        assert_eq!(ended.signal(), Some(9), "the server died of something else");
        assert!(answered.is_err(), "the server answered although it died before it was done: {answered:?}");
    }

    /// Kills the server without warning and starts it again.
    pub(crate) async fn crash(&mut self) {
        self.server.kill_9().await;
        self.server.restart().await;
    }

    /// What the agent said in a process that has ended, in order.
    pub(crate) async fn said(&self, process: &str) -> Vec<String> {
        let printed = self.server.logs(process, 0).await.rest().await;
        let indexes: Vec<_> = printed.iter().map(|entry| entry.index).collect();
        assert_eq!(indexes, (0..printed.len() as u64).collect::<Vec<_>>());
        let text: String =
            printed.into_iter().filter(|entry| entry.stream == "STDOUT").map(|entry| entry.text).collect();
        let messages = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let said = messages.filter(|message| message["type"] == "assistant");
        said.filter_map(|message| Some(message["message"]["content"][0]["text"].as_str()?.to_owned()))
            .collect()
    }

    /// The commits that the attempt's branch has beyond `main`.
    pub(crate) async fn commits(&self, run: &Run) -> usize {
        let branch = self.attempt(run).await["branch"].as_str().unwrap().to_owned();
        self.repo.git(&["rev-list", "--count", &format!("main..{branch}")]).parse().unwrap()
    }

    /// A file as the attempt's branch has it.
    pub(crate) async fn committed(&self, run: &Run, file: &str) -> String {
        let branch = self.attempt(run).await["branch"].as_str().unwrap().to_owned();
        self.repo.git(&["show", &format!("{branch}:{file}")])
    }

    /// Sees that nothing is left over and nothing is missing, when nothing changes any more: branches, worktrees,
    /// folders and programs are those of the rows, rows agree with each other, and events end where the rows are.
    /// `removed` are branches that may be there although their attempts are gone.
    pub(crate) async fn assert_whole(&self, removed: &[String]) {
        let Rows { position, attempts, processes, tasks } = self.rows().await;
        let mut running = BTreeSet::new();
        for attempt in &attempts {
            let own = processes.iter().filter(|process| {
                process["task_attempt_id"] == attempt["id"] || process["execution_run_id"] == attempt["id"]
            });
            let live: Vec<&Value> = own.filter(|process| process["status"] == "running").collect();
            let of_turn = live.iter().filter(|process| process["run_reason"] != "devserver").count();
            let expected = usize::from(!is_finished(attempt) && attempt["stage"] != "commit");
            assert_eq!(of_turn, expected, "{attempt:#}\n{processes:#?}");
            running.extend(live.into_iter().map(id));
        }
        for task in &tasks {
            let mut own = attempts.iter().filter(|attempt| attempt["task_id"] == task["id"]);
            let status = match own.all(is_finished) {
                // Closed by the test: nothing of it may run.
                true if task["status"] == "cancelled" => "cancelled",
                true => "inreview",
                false => "inprogress",
            };
            assert_eq!(task["status"], status, "{task:#}");
        }
        let told = |key: &str| attempts.iter().map(|attempt| text(attempt, key)).collect::<BTreeSet<_>>();
        let branches = self.repo.git(&[
            "for-each-ref",
            "--format=%(refname:short)",
            "refs/heads/forge",
            "refs/heads/run",
        ]);
        let branches =
            branches.lines().map(str::to_owned).filter(|branch| !removed.contains(branch)).collect();
        assert_eq!(told("branch"), branches, "branches");
        let listed = self.repo.git(&["worktree", "list", "--porcelain"]);
        let listed =
            listed.lines().filter_map(|line| line.strip_prefix("worktree ")).skip(1).map(str::to_owned);
        assert_eq!(told("worktree_path"), listed.collect(), "worktrees that git knows");
        let folders = names(&self.server.data().join("worktrees"));
        let folders = folders.iter().filter(|name| ![".forge", ".pool", ".trash"].contains(&name.as_str()));
        let path = |name| self.server.data().join("worktrees").join(name).to_str().unwrap().to_owned();
        assert_eq!(told("worktree_path"), folders.map(path).collect(), "folders of worktrees");
        let kept = processes.iter().map(id).collect();
        assert_eq!(names(&self.server.data().join("processes")), kept, "folders of processes");
        let temporary = names(&self.server.data().join("tmp"));
        assert!(temporary.is_subset(&told("id")), "{temporary:?} are left of attempts {:?}", told("id"));
        self.server.family().settle(self.server.pid(), &running).await;
        let rows = attempts.into_iter().chain(processes).chain(tasks).map(|row| (id(&row), row)).collect();
        assert_eq!(self.replayed(position).await, rows, "events tell another story than rows");
    }

    /// All rows as they were at one position of the event log.
    async fn rows(&self) -> Rows {
        loop {
            let position = self.position().await;
            let attempts = data(self.server.get("/api/task-attempts").await).as_array().unwrap().clone();
            let runs = data(self.server.get("/api/execution-runs").await).as_array().unwrap().clone();
            let attempts: Vec<Value> = attempts.into_iter().chain(runs).collect();
            let mut processes = Vec::new();
            for attempt in &attempts {
                processes.extend(self.processes(&id(attempt)).await);
            }
            let tasks = self.tasks().await;
            if self.position().await == position {
                return Rows { position, attempts, processes, tasks };
            }
        }
    }

    async fn position(&self) -> i64 {
        self.server.events(None).await.next().await.id.unwrap()
    }

    pub(crate) async fn tasks(&self) -> Vec<Value> {
        let path = format!("/api/tasks?project_id={}", self.project);
        data(self.server.get(&path).await).as_array().unwrap().clone()
    }

    /// The rows as somebody has them who has heard every event, which come without gaps.
    async fn replayed(&self, last: i64) -> BTreeMap<String, Value> {
        let (mut events, mut rows) = (self.server.events(Some(0)).await, BTreeMap::new());
        let mut seen = 0;
        while seen < last {
            let mut message = events.next().await;
            let Some(position) = message.id else { continue };
            if message.event == "task_attempt_update" {
                // Its task's, for who shows it; the row has none.
                assert!(message.data.as_object_mut().unwrap().remove("title").is_some());
            }
            assert_eq!(position, seen + 1, "an event is missing or came twice");
            seen = position;
            let (subject, what) = message.event.rsplit_once('_').unwrap();
            if subject == "task_attempt" {
                // For listeners who show it; the row is without.
                message.data.as_object_mut().unwrap().remove("title");
            }
            match (subject, what) {
                ("task_attempt", "update") => {
                    // The task's, told for those who only listen.
                    message.data.as_object_mut().unwrap().remove("title");
                    rows.insert(id(&message.data), message.data);
                }
                ("task" | "execution_run" | "execution_process", "update") => {
                    rows.insert(id(&message.data), message.data);
                }
                (_, "deleted") => drop(rows.remove(&id(&message.data))),
                _ => {}
            }
        }
        rows
    }
}

struct Rows {
    position: i64,
    attempts: Vec<Value>,
    processes: Vec<Value>,
    tasks: Vec<Value>,
}

/// What a start answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) task: String,
    pub(crate) attempt: String,
    pub(crate) process: String,
    pub(crate) branch: String,
}

impl Run {
    pub(crate) fn of(started: &Value) -> Self {
        Self {
            task: id(started),
            attempt: text(started, "attempt_id"),
            process: text(started, "execution_process_id"),
            branch: text(&started["task_attempt"], "branch"),
        }
    }
}

/// An agent that prints.
pub(crate) struct Printer {
    name: String,
    pub(crate) run: Run,
    pub(crate) gates: Vec<Gate>,
    pid_file: PathBuf,
}

impl Printer {
    /// The agent's own process.
    pub(crate) fn pid(&self) -> u32 {
        pid(&self.pid_file)
    }

    /// Waits until the last line after a gate is in the log.
    pub(crate) async fn printed(&self, bed: &Bed, part: usize) {
        let last = lines(&self.name, part).last().unwrap();
        bed.server.logs(&self.run.process, 0).await.until(&format!("{last}\"")).await;
    }

    /// Sees the agent alive and known to run.
    pub(crate) async fn assert_runs(&self, bed: &Bed) {
        assert!(bed.server.family().pids().contains(&self.pid()), "the agent {} is gone", self.name);
        let attempt = bed.attempt(&self.run).await;
        assert_eq!(
            (&attempt["state"], &attempt["stage"]),
            (&json!("running"), &json!("agent")),
            "{attempt:#}"
        );
    }

    /// Lets the agent through its gates from `gate` on, and sees that it finished as if nothing had happened.
    pub(crate) async fn finish(&self, bed: &Bed, gate: usize) {
        for gate in &self.gates[gate..] {
            gate.open().await;
        }
        self.assert_finished(bed).await;
    }

    /// Sees that the agent's turn came to its end as if nothing had happened.
    pub(crate) async fn assert_finished(&self, bed: &Bed) {
        let attempt = bed.finished(&self.run).await;
        assert_eq!(attempt["outcome"], "succeeded", "{attempt:#}");
        let mut expected: Vec<String> =
            (0..=self.gates.len()).flat_map(|part| lines(&self.name, part).collect::<Vec<_>>()).collect();
        expected.push(format!("{} is done", self.name));
        assert_eq!(bed.said(&self.run.process).await, expected);
        assert_eq!(bed.processes(&self.run.attempt).await.len(), 1);
        assert_eq!(bed.commits(&self.run).await, 1);
        assert_eq!(bed.committed(&self.run, &format!("{}.txt", self.name)).await, self.name);
    }
}

/// Sends a request that has to succeed; gives the answer's `data`.
pub(crate) async fn sent(request: RequestBuilder) -> Value {
    let (status, body) = answered(request).await;
    assert!(status < 300, "{status}: {body}");
    body["data"].clone()
}

/// Status and body of the answer.
pub(crate) async fn answered(request: RequestBuilder) -> (u16, Value) {
    let response = tokio::time::timeout(DEADLINE, request.send()).await;
    let response = response.expect("an answer in time").expect("an answer");
    (response.status().as_u16(), response.json().await.expect("JSON"))
}

pub(crate) fn id(row: &Value) -> String {
    text(row, "id")
}

/// The process id that an agent has written down.
pub(crate) fn pid(file: &Path) -> u32 {
    crate::read(file).trim().parse().unwrap()
}

fn text(row: &Value, key: &str) -> String {
    row[key].as_str().unwrap_or_else(|| panic!("{key} of {row}")).to_owned()
}

fn lines(name: &str, part: usize) -> impl Iterator<Item = String> {
    (part * LINES..(part + 1) * LINES).map(move |n| format!("{name} line {n}"))
}

fn names(folder: &Path) -> BTreeSet<String> {
    let listed = fs::read_dir(folder).into_iter().flatten().flatten();
    listed.map(|entry| entry.file_name().to_str().unwrap().to_owned()).collect()
}
