//! A server that has a real agent, and a project for it to work on.

use std::path::{Path, PathBuf};

use forge_testkit::agents::{Agent, Asks, BAD_KEY, GOOD_KEY};
use forge_testkit::repo::TempRepo;
use forge_testkit::server::{Setup, TestServer};
use forge_testkit::stub_model::StubModel;
use serde_json::{Value, json};

use crate::FORGE;

/// How much an agent may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum May {
    /// It asks before it does something.
    Ask,
    /// Everything, as the user chose.
    All,
}

/// Where an agent works.
pub(crate) struct Place {
    pub(crate) server: TestServer,
    pub(crate) model: StubModel,
    agent: &'static Agent,
    project: Value,
    repo: TempRepo,
}

/// A task that was started.
pub(crate) struct Started {
    pub(crate) attempt: String,
    pub(crate) process: String,
}

impl Place {
    pub(crate) async fn new(agent: &'static Agent) -> Self {
        Self::with(agent, GOOD_KEY, 30.0, TempRepo::new()).await
    }

    /// A place whose project is this repository.
    pub(crate) async fn in_repo(agent: &'static Agent, repo: TempRepo) -> Self {
        Self::with(agent, GOOD_KEY, 30.0, repo).await
    }

    /// One whose model refuses the agent's key.
    pub(crate) async fn without_key(agent: &'static Agent) -> Self {
        Self::with(agent, BAD_KEY, 30.0, TempRepo::new()).await
    }

    /// One where no program waits for the next turn.
    pub(crate) async fn keeping_none(agent: &'static Agent) -> Self {
        Self::with(agent, GOOD_KEY, 0.0, TempRepo::new()).await
    }

    async fn with(agent: &'static Agent, key: &str, keep_minutes: f64, repo: TempRepo) -> Self {
        let model = StubModel::start().unwrap();
        // A stop that takes the grace instead of the program's own end would never come to an end here.
        let grace = if agent.is_stubborn { 1 } else { 600 };
        let setup = Setup::new(FORGE).keeping(keep_minutes).config(format!("grace_seconds = {grace}\n"));
        let server = agent.put_into(setup, &model, key).unwrap().start().await;
        let body = json!({"name": "p", "git_repo_path": repo.path(), "use_existing_repo": true});
        let project = data(server.post("/api/projects", body).await);
        Self { server, model, agent, project, repo }
    }

    /// Gives the agent a task.
    pub(crate) async fn start(&self, prompt: &str, may: May) -> Started {
        let variant = match may {
            May::Ask => "DEFAULT",
            May::All => "ALLOW_ALL",
        };
        self.start_as(prompt, variant).await
    }

    /// Adds a variant of the agent to the person's own profiles: `ALLOW_ALL` with these settings.
    pub(crate) async fn add_variant(&self, name: &str, settings: Value) {
        let mut all = data(self.server.get("/api/profiles").await)["executors"].clone();
        let variants = &mut all[self.agent.executor];
        let mut variant = variants["ALLOW_ALL"].clone();
        let into = variant[self.agent.executor].as_object_mut().unwrap();
        into.extend(settings.as_object().unwrap().clone());
        variants[name] = variant;
        data(self.server.put("/api/profiles", json!({"executors": all})).await);
    }

    /// Gives the agent a task in a variant.
    pub(crate) async fn start_as(&self, prompt: &str, variant: &str) -> Started {
        let body = json!({
            "task": {"project_id": self.project["id"], "title": "t", "description": prompt},
            "executor_profile_id": {"executor": self.agent.executor, "variant": variant},
            "base_branch": "main",
        });
        let started = data(self.server.post("/api/tasks/create-and-start", body).await);
        let id = |name: &str| started[name].as_str().unwrap().to_owned();
        Started { attempt: id("attempt_id"), process: id("execution_process_id") }
    }

    /// Says more in the same conversation, and gives the process that answers.
    pub(crate) async fn follow_up(&self, started: &Started, prompt: &str) -> String {
        let path = format!("/api/task-attempts/{}/follow-up", started.attempt);
        let process = data(self.server.post(&path, json!({"prompt": prompt})).await);
        process["id"].as_str().unwrap().to_owned()
    }

    /// The attempt, when nothing of it runs any more.
    pub(crate) async fn finished(&self, started: &Started) -> Value {
        let mut events = self.server.events(None).await;
        let mut patience = 5;
        loop {
            let attempt = data(self.server.get(&format!("/api/task-attempts/{}", started.attempt)).await);
            if attempt["state"] == "finished" {
                return attempt;
            }
            // Some agents ask a failing model again and again, for longer than anything else here takes.
            if let Err(why) = events.try_next().await {
                patience -= 1;
                assert!(patience > 0, "{why}: {attempt:#}");
            }
        }
    }

    /// The attempt, which has to have ended well.
    pub(crate) async fn succeeded(&self, started: &Started) -> Value {
        let attempt = self.finished(started).await;
        assert_eq!(
            (&attempt["outcome"], &attempt["reason"]),
            (&json!("succeeded"), &Value::Null),
            "{attempt:#}"
        );
        attempt
    }

    /// Asks for something about the attempt.
    pub(crate) async fn post(&self, started: &Started, what: &str) -> Value {
        let path = format!("/api/task-attempts/{}/{what}", started.attempt);
        data(self.server.post(&path, json!(null)).await)
    }

    pub(crate) async fn processes(&self, started: &Started) -> Vec<Value> {
        let path = format!("/api/execution-processes?task_attempt_id={}", started.attempt);
        data(self.server.get(&path).await).as_array().unwrap().clone()
    }

    /// The entries of a process that has ended.
    pub(crate) async fn entries(&self, process: &str) -> Vec<Value> {
        self.server.transcript(process).await.rest().await.to_vec()
    }

    /// The number of commits on the attempt's branch.
    pub(crate) fn commits(&self, attempt: &Value) -> usize {
        let range = format!("main..{}", attempt["branch"].as_str().unwrap());
        self.repo.git(&["log", "--format=%s", &range]).lines().count()
    }

    /// A file as it was committed.
    pub(crate) fn file(&self, attempt: &Value, name: &str) -> String {
        self.repo.git(&["show", &format!("{}:{name}", attempt["branch"].as_str().unwrap())])
    }

    /// The first question of the agent, once it asks.
    pub(crate) async fn question(&self) -> Value {
        let mut events = self.server.events(None).await;
        loop {
            if let Some(first) = self.questions().await.into_iter().next() {
                return first;
            }
            events.next_of(&["approval_update"]).await;
        }
    }

    /// What waits for an answer.
    pub(crate) async fn questions(&self) -> Vec<Value> {
        data(self.server.get("/api/approvals/pending").await).as_array().unwrap().clone()
    }

    /// Answers a question.
    pub(crate) async fn answer(&self, question: &Value, approved: bool) {
        let path = format!("/api/approvals/{}/respond", question["id"].as_str().unwrap());
        let (status, body) = self.server.post(&path, json!({"approved": approved})).await;
        assert_eq!(status, 200, "{body}");
    }

    /// What the agent of this place asks permission for, and the file that is there when it got it.
    pub(crate) fn needs_permission(&self) -> (&'static str, &'static str) {
        match self.agent.asks {
            Asks::Edits => ("Greet. [[write asked.txt|Hello]] [[say That was it.]]", "asked.txt"),
            Asks::Commands => ("Greet. [[run echo Hello > asked.txt]] [[say That was it.]]", "asked.txt"),
            Asks::Never => panic!("{} never asks", self.agent.name),
        }
    }

    /// Whether the model was told this, in the last request that it got.
    pub(crate) fn was_told(&self, text: &str) -> bool {
        self.model.requests().last().expect("the model was asked").to_string().contains(text)
    }

    /// That the last request says this as often as the first that does: some agents say everything twice.
    pub(crate) fn assert_told_once(&self, text: &str) {
        let requests = self.model.requests();
        let mut times = requests.iter().map(|request| said(request).matches(text).count());
        let first = times.find(|times| *times > 0).expect("the model was told");
        assert_eq!(times.next_back().unwrap_or(first), first, "{:#}", requests.last().unwrap());
    }
}

/// A request, without the reminders that an agent puts into it for errands of its own.
fn said(request: &Value) -> String {
    let text = request.to_string();
    let mut parts = text.split("<system-reminder>");
    let first = parts.next().unwrap_or_default().to_owned();
    parts
        .fold(first, |said, part| said + part.split_once("</system-reminder>").map_or(part, |(_, rest)| rest))
}

/// Where the attempt's files are.
pub(crate) fn worktree(attempt: &Value) -> PathBuf {
    Path::new(attempt["container_ref"].as_str().unwrap()).to_owned()
}

/// The answer's `data`, which has to be a success.
pub(crate) fn data((status, body): (u16, Value)) -> Value {
    assert_eq!((status, &body["success"]), (200, &json!(true)), "{body}");
    body["data"].clone()
}
