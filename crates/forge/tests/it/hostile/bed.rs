//! The life of a hostile repository: project, start, turn, snapshot, diff, restore and deletion over HTTP.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::{DEADLINE, Setup, TestServer};
use futures::StreamExt as _;
use reqwest::Method;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{Error as SocketError, Message};

use super::canary::{Canary, SECRET, Watch, contents, has};
use crate::images::{PNG, upload};
use crate::{FORGE, code, is_finished};

/// Ordinary work of the agent in both turns; the last of the files in order, so that a diff ends with it.
const WORK: &str = "zz-work.txt";
/// The longest time that a whole life may take on a busy machine.
const LONGEST_LIFE: Duration = Duration::from_secs(45);
/// Time for a diff that may never come.
const BRIEFLY: Duration = Duration::from_millis(300);
/// Texts that no answer, file, log or commit may have.
const FORBIDDEN: [&str; 3] = [SECRET, ENVIRONMENT, "root:x:0:0:"];
/// In the server's environment, which a link to `/proc/self/environ` reads.
const ENVIRONMENT: &str = "Zk9-word-of-the-environment-4Tq";

/// A hostile repository and its agent, in shell.
///
/// The lines have `$TRIP`, a program that must not run; `$OUTSIDE`, a folder that must not be touched; and `$COMMON`,
/// the repository's `.git`.
pub(super) struct Hostile {
    canary: Canary,
    pub(super) repo: TempRepo,
    project: Value,
    image: bool,
    turns: [String; 2],
    control: Option<String>,
    refusals: BTreeSet<String>,
    commits: bool,
    probed: bool,
    discarded: bool,
}

impl Hostile {
    /// A repository in which these lines of shell run before it becomes a project.
    pub(super) fn repository(lines: &str) -> Self {
        let hostile = Self {
            canary: Canary::new(),
            repo: TempRepo::new(),
            project: json!({}),
            image: false,
            turns: [String::new(), String::new()],
            control: None,
            refusals: BTreeSet::new(),
            commits: true,
            probed: false,
            discarded: false,
        };
        hostile.shell(hostile.repo.path(), lines);
        hostile
    }

    /// An ordinary repository with an agent that runs these lines in its first turn.
    pub(super) fn agent(lines: &str) -> Self {
        Self::repository("true").turn(lines)
    }

    /// The agent runs these lines in its first turn, in the worktree.
    pub(super) fn turn(mut self, lines: &str) -> Self {
        lines.clone_into(&mut self.turns[0]);
        self
    }

    /// The agent runs these lines in its second turn.
    pub(super) fn follow_up(mut self, lines: &str) -> Self {
        lines.clone_into(&mut self.turns[1]);
        self
    }

    /// Fields of the project.
    pub(super) fn project(mut self, fields: Value) -> Self {
        self.project = fields;
        self
    }

    /// The task has an image, which is copied to the worktree.
    pub(super) const fn with_image(mut self) -> Self {
        self.image = true;
        self
    }

    /// Plain git, run by these lines in a copy after the agent's first turn, trips the canary: the hostility is real.
    pub(super) fn control(mut self, lines: &str) -> Self {
        self.control = Some(lines.to_owned());
        self
    }

    /// These steps are refused with this code, and no others.
    pub(super) fn refuses(mut self, steps: &str, code: &str) -> Self {
        self.refusals.extend(steps.split(' ').map(|step| format!("{step} {code}")));
        self
    }

    /// Git looks at HEAD of a repository outside, which it was given as an address, and at nothing else.
    pub(super) const fn probed_by_git(mut self) -> Self {
        self.probed = true;
        self
    }

    /// The attempt is deleted with its branch and snapshots.
    pub(super) const fn discarded(mut self) -> Self {
        self.discarded = true;
        self
    }

    /// Turns end without a commit.
    pub(super) const fn commits_nothing(mut self) -> Self {
        self.commits = false;
        self
    }

    /// Runs lines of shell in a folder, with the hermetic git of the test; they have to succeed.
    fn shell(&self, folder: &Path, lines: &str) {
        let output = self.try_shell(folder, lines);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{lines}: {stderr}");
    }

    #[expect(clippy::disallowed_methods, reason = "hostility is written in shell")]
    fn try_shell(&self, folder: &Path, lines: &str) -> Output {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-e", "-c", lines]).current_dir(folder).envs(self.repo.env()).stdin(Stdio::null());
        shell.envs(self.variables(&self.repo.path().join(".git")));
        shell.output().unwrap()
    }

    fn variables(&self, common: &Path) -> [(&'static str, OsString); 3] {
        [
            ("TRIP", self.canary.trip().into()),
            ("OUTSIDE", self.canary.outside().into()),
            ("COMMON", common.into()),
        ]
    }

    /// Shows that plain git trips the canary in a copy of the repository.
    fn assert_control_trips(&self) {
        let Some(control) = &self.control else { return };
        let copy = self.canary.own().join("copy");
        let lines = format!(
            "cp -a \"$COMMON/..\" '{0}'\nexport COMMON='{0}/.git'\ncd '{0}'\n\
             git worktree add -q -b control ../control\ncd ../control\n{1}\n{control}",
            copy.display(),
            self.turns[0]
        );
        let output = self.try_shell(self.repo.path(), &lines);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!self.canary.take_traces().is_empty(), "plain git does not trip the canary: {said}");
        fs::remove_dir_all(copy).unwrap();
        fs::remove_dir_all(self.canary.own().join("control")).unwrap();
    }

    /// Lives through everything that a person does with an attempt, and proves that nothing got out.
    pub(super) async fn live(self) {
        self.assert_control_trips();
        for (number, lines) in self.turns.iter().enumerate() {
            fs::write(self.canary.own().join(format!("turn-{number}")), lines).unwrap();
        }
        let mut life = Life::begin(self).await;
        tokio::time::timeout(LONGEST_LIFE, life.run()).await.expect("nothing hangs");
        life.assert_silent("the end");
        let Life { hostile, server, watch, heard, refusals } = life;
        assert!(!watch.is_changed(&hostile.canary), "something outside was changed");
        assert_eq!(refusals, hostile.refusals, "the refusals");
        for text in FORBIDDEN {
            for (step, answer) in &heard {
                assert!(!has(answer.as_bytes(), text), "{step} has {text}: {answer}");
            }
            let mut stored = contents(server.folder());
            stored.append(&mut contents(hostile.repo.path()));
            for (path, bytes) in &stored {
                assert!(!has(bytes, text), "{} has {text}", path.display());
            }
            assert!(!has(&hostile.objects(), text), "an object of the repository has {text}");
        }
    }

    /// Every object of the repository, unpacked, but those of repositories that it borrows from.
    fn objects(&self) -> Vec<u8> {
        let args = ["cat-file", "--batch", "--batch-all-objects", "--unordered"];
        let args = ["-c", "core.fsmonitor=false"].iter().chain(&args).copied().collect::<Vec<_>>();
        self.repo.try_git_in(self.repo.path(), &args).stdout
    }
}

/// A server with the hostile project, and everything that it answered.
struct Life {
    hostile: Hostile,
    server: TestServer,
    watch: Watch,
    heard: Vec<(String, String)>,
    refusals: BTreeSet<String>,
}

impl Life {
    async fn begin(hostile: Hostile) -> Self {
        let own = hostile.canary.own().display().to_string();
        // The agent's shell runs once for each turn, in the worktree.
        let agent = format!(
            "case \"$PWD\" in */worktrees/*)\n\
             for turn in '{own}/turn-0' '{own}/turn-1'; do if [ -f \"$turn\" ]; then\n\
             mv \"$turn\" \"$turn.begun\"; sh -e \"$turn.begun\" > \"$turn.said\" 2>&1 && mv \"$turn.begun\" \"$turn.done\"\n\
             break; fi; done;; esac\nexec '{FORGE}' scripted-agent \"$@\""
        );
        let common = hostile.repo.path().join(".git");
        let variables = hostile.variables(&common);
        let setup =
            variables.into_iter().fold(Setup::new(FORGE), |setup, (name, value)| setup.env(name, value));
        let server = setup.env("WORD", ENVIRONMENT).agent(agent).start().await;
        let mut watch = hostile.canary.watch();
        if hostile.probed {
            watch.tolerate_probes();
        }
        Self { hostile, server, watch, heard: Vec::new(), refusals: BTreeSet::new() }
    }

    async fn run(&mut self) {
        let mut body = json!({"name": "hostile", "git_repo_path": self.hostile.repo.path()});
        body.as_object_mut().unwrap().extend(self.hostile.project.as_object().unwrap().clone());
        let Some(project) = self.step("project", Method::POST, "/api/projects", body).await else { return };
        let project = project["id"].as_str().unwrap().to_owned();
        self.read_project(&project).await;
        let images = if self.hostile.image {
            vec![upload(&self.server, "x.png", PNG).await["id"].clone()]
        } else {
            vec![]
        };
        let description = format!("@edit {WORK} one");
        let body = json!({
            "task": {"project_id": project, "title": "t", "description": description, "image_ids": images},
            "executor_profile_id": {"executor": "CLAUDE_CODE"},
            "base_branch": "main",
        });
        let started = self.step("start", Method::POST, "/api/tasks/create-and-start", body).await;
        if let Some(started) = started {
            self.attempt(&started).await;
        }
        self.read_project(&project).await;
        let path = format!("/api/projects/{project}");
        self.step("delete-project", Method::DELETE, &path, json!(null)).await;
        assert_eq!(self.server.get("/health").await.0, 200, "the server still serves");
    }

    async fn attempt(&mut self, started: &Value) {
        let id = started["attempt_id"].as_str().unwrap().to_owned();
        let worktree = started["task_attempt"]["container_ref"].as_str().unwrap().to_owned();
        let branch = started["task_attempt"]["branch"].as_str().unwrap().to_owned();
        let path = format!("/api/task-attempts/{id}");
        self.turn_ended(&id, &branch, 0, "one").await;
        self.read_attempt(&path).await;
        let body = json!({"prompt": format!("@edit {WORK} two")});
        if self.step("follow-up", Method::POST, &format!("{path}/follow-up"), body).await.is_some() {
            self.turn_ended(&id, &branch, 1, "two").await;
        }
        let snapshots = self.read_attempt(&path).await;
        let oldest = snapshots.as_array().and_then(|all| all.last()).map(|oldest| oldest["name"].clone());
        assert!(oldest.is_some() || !self.hostile.commits, "a turn leaves a snapshot");
        let body = json!({"snapshot": oldest.unwrap_or_else(|| json!("missing"))});
        if self.step("restore", Method::POST, &format!("{path}/restore"), body).await.is_some() {
            let restored = fs::read_to_string(Path::new(&worktree).join(WORK)).unwrap();
            assert_eq!(restored, "one\n", "the first turn's snapshot is restored");
        }
        self.read_attempt(&path).await;
        let file = format!("{path}/delete-file?file_path={WORK}");
        self.step("delete-file", Method::POST, &file, json!(null)).await;
        let mut deleted = None;
        if !self.hostile.discarded {
            deleted = self.step("delete", Method::DELETE, &path, json!(null)).await;
        }
        if deleted.is_none() {
            let path = format!("{path}?discard=true");
            deleted = self.step("discard", Method::DELETE, &path, json!(null)).await;
        }
        if deleted.is_some() {
            assert!(fs::symlink_metadata(&worktree).is_err(), "the worktree is removed");
        }
    }

    /// Waits for the end of a turn and checks that it did its work.
    async fn turn_ended(&mut self, attempt: &str, branch: &str, number: usize, work: &str) {
        let ended = self.server.until_attempt(attempt, is_finished).await;
        self.heard.push((format!("attempt after turn {number}"), ended.to_string()));
        let done = self.hostile.canary.own().join(format!("turn-{number}.done"));
        let said = fs::read_to_string(done.with_extension("said")).unwrap_or_default();
        assert!(done.exists(), "the agent's own lines failed: {said}\n{ended:#}");
        let args = ["-c", "core.fsmonitor=false", "show", &format!("{branch}:{WORK}")];
        let shown = self.hostile.repo.try_git_in(self.hostile.repo.path(), &args);
        let committed = shown.status.success() && shown.stdout == format!("{work}\n").into_bytes();
        assert_eq!(committed, self.hostile.commits, "turn {number} is committed: {ended:#}");
        let path = format!("/api/execution-processes?task_attempt_id={attempt}");
        let processes = self.step("processes", Method::GET, &path, json!(null)).await.unwrap();
        for process in processes.as_array().unwrap() {
            let id = process["id"].as_str().unwrap();
            let printed: String =
                self.server.logs(id, 0).await.rest().await.into_iter().map(|p| p.text).collect();
            self.heard.push(("log".to_owned(), printed));
            let entries = format!("/api/execution-processes/{id}/entries?limit=1000");
            self.step("entries", Method::GET, &entries, json!(null)).await;
        }
    }

    async fn read_project(&mut self, project: &str) {
        for path in [
            "projects/{}",
            "projects/{}/branches",
            "projects/{}/search?q=secret",
            "projects/{}/search?q=passwd",
            "projects/{}/disk",
            "forge/projects/{}/profiles",
            "forge/projects/{}/branch-status",
        ] {
            let path = format!("/api/{}", path.replace("{}", project));
            self.step(&path.replace(project, "id"), Method::GET, &path, json!(null)).await;
        }
    }

    /// Reads all about an attempt; returns its snapshots.
    async fn read_attempt(&mut self, path: &str) -> Value {
        for what in ["branch-status", "children", "disk"] {
            self.step(what, Method::GET, &format!("{path}/{what}"), json!(null)).await;
        }
        self.diff(path).await;
        let listed = self.step("snapshots", Method::GET, &format!("{path}/snapshots"), json!(null)).await;
        listed.unwrap_or_default()
    }

    /// Reads the diff up to the agent's ordinary work.
    async fn diff(&mut self, path: &str) {
        let url = self.server.url(&format!("{path}/diff/ws")).replacen("http", "ws", 1);
        let opened = tokio::time::timeout(DEADLINE, tokio_tungstenite::connect_async(url)).await;
        let mut socket = match opened.expect("an answer in time") {
            Ok((socket, _)) => socket,
            Err(SocketError::Http(answer)) => {
                let body = serde_json::from_slice(answer.body().as_deref().unwrap_or_default());
                self.judge("diff", answer.status().as_u16(), &body.unwrap());
                return;
            }
            Err(other) => panic!("{other}"),
        };
        let mut all = String::new();
        // Without a usable worktree there may be no diff at all.
        let deadline = tokio::time::Instant::now() + if self.hostile.commits { DEADLINE } else { BRIEFLY };
        while !all.contains(WORK) {
            let message = match tokio::time::timeout_at(deadline, socket.next()).await {
                Ok(message) => message,
                Err(elapsed) if self.hostile.commits => panic!("no diff in time: {elapsed}"),
                Err(_) => break,
            };
            match message {
                Some(Ok(Message::Text(text))) => all.push_str(&text),
                Some(Ok(_)) => {}
                other => panic!("the diff ended before the agent's work: {other:?}\n{all}"),
            }
        }
        self.heard.push(("diff".to_owned(), all));
    }

    /// Sends one request. Returns the answer's data; none when it was refused.
    async fn step(&mut self, step: &str, method: Method, path: &str, body: Value) -> Option<Value> {
        let mut request = self.server.request(method.clone(), path);
        if method != Method::GET {
            request = request.json(&body);
        }
        let response = tokio::time::timeout(DEADLINE, request.send()).await.expect(step).unwrap();
        let (status, body) = (response.status().as_u16(), response.json::<Value>().await.unwrap());
        self.judge(step, status, &body).then(|| body["data"].clone())
    }

    /// No program ran and nothing outside was accessed up to the end of a step.
    fn assert_silent(&self, step: &str) {
        assert_eq!(self.hostile.canary.take_traces(), "", "a foreign program ran before {step} ended");
        let seen = self.watch.events();
        assert!(seen.is_empty(), "something outside was accessed before {step} ended: {seen:?}");
    }

    /// Notes an answer. A refusal is fine, an internal error is not.
    fn judge(&mut self, step: &str, status: u16, body: &Value) -> bool {
        self.heard.push((step.to_owned(), body.to_string()));
        self.assert_silent(step);
        assert!(status < 500, "{step}: {status} {body}");
        if status < 300 {
            return true;
        }
        let refusal = format!("{step} {}", code(body));
        self.refusals.insert(refusal);
        false
    }
}
