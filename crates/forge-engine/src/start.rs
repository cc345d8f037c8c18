//! Starting an attempt: everything is there and runs, or nothing is left.
//!
//! The intent is written first, then branch, worktree and process are made, and the rows that everybody sees come
//! last, in one transaction with their events. A crash before that finds the intent and either finishes or undoes.

use std::collections::HashMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use forge_git::{Error as GitError, Mark, NewWorktree, Repo, Submodules, names};
use forge_model::fsm::attempt::{self as fsm, Plan, Room};
use forge_model::{
    Action, Attempt, AttemptId, Begun, How, ImageId, Process, ProcessId, ProcessKind, ProcessState, Project,
    StartAttempt, Started, Subject, Task, TaskStatus, Timestamp, Usage,
};
use forge_store::{Intent, IntentTask, StoreError};
use tokio::sync::watch;

use crate::actor::{Adopted, Request};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::fingerprint;
use crate::images;
use crate::launch::Launched;
use crate::metrics::Phase;
use crate::origin::{Origin, origin};
use crate::projects::text_of;
use crate::tasks::new_task;

/// The code of a name that another attempt has.
pub(crate) const NAME_TAKEN: &str = "name_taken";

/// Names the attempt in the settings of its branch.
pub(crate) const MARK: &str = "forge-attempt";
/// How often another id is tried when a name is taken. Four hex digits are 65,536 names for one title.
const NAMES_TRIED: usize = 16;

/// How long a call can be repeated with its key: longer than anybody retries.
const ANSWERS_KEPT_MS: i64 = 24 * 60 * 60 * 1000;

/// Calls with the same key wait for each other.
#[derive(Default)]
pub(crate) struct Keys {
    held: Mutex<HashMap<String, Arc<Key>>>,
}

#[derive(Default)]
struct Key {
    turn: tokio::sync::Mutex<()>,
    /// Of the call whose turn it is, for the others as well.
    undecided: Undecided,
}

/// What a start is made of, once it is known that it can be.
struct Prepared {
    project: Project,
    repo: Repo,
    /// None for a run.
    task: Option<IntentTask>,
    origin: Origin,
    images: Vec<ImageId>,
    command: StartAttempt,
    sent: Sent,
}

/// A request to start, as its caller knows it.
struct Sent {
    fingerprint: String,
    undecided: Undecided,
}

/// Whether a start goes on without its caller, because the database is away.
type Undecided = Arc<watch::Sender<bool>>;

impl Engine {
    /// Makes an attempt, and its task where it is new, and starts its first process.
    ///
    /// # Errors
    /// When it cannot be started. Then nothing of it is left.
    pub async fn start_attempt(&self, command: StartAttempt) -> Result<Started> {
        let begun = self.begin(command).await?;
        begun.of_task().ok_or_else(|| Error::internal("what was started for a task is a run"))
    }

    /// Starts an attempt or a run, all of it or nothing.
    pub(crate) async fn begin(&self, mut command: StartAttempt) -> Result<Begun> {
        // Of what was sent: a secret that becomes known before the request is repeated does not change it.
        let fingerprint = fingerprint::fingerprint(&self.inner.options.agents, &command)?;
        match &mut command.subject {
            Subject::Existing(_) => {}
            Subject::New(task) => self.hide_in(task),
            Subject::Run { prompt, .. } => *prompt = self.hide(std::mem::take(prompt)),
        }
        // In a task of its own: a caller that hangs up must not leave a start half-made.
        let engine = self.clone();
        let undecided = match &command.idempotency_key {
            Some(key) => Arc::clone(&self.inner.keys.of(key).undecided),
            None => Undecided::default(),
        };
        let mut waiting = undecided.subscribe();
        let sent = Sent { fingerprint, undecided };
        let started = self.inner.tasks.spawn(async move { engine.start_once(command, sent).await });
        let started = tokio::select! {
            biased;
            started = started => started
                .unwrap_or_else(|failed| Err(Error::internal("a start ended badly").because(failed))),
            // The start goes on, and is finished or undone when the database is back.
            () = self.inner.store.unresolved_for_long() => Err(StoreError::Unknown.into()),
            Ok(_) = waiting.wait_for(|undecided| *undecided) => Err(StoreError::Unknown.into()),
        };
        self.inner.metrics.start_ended(started.as_ref().err().map(Error::code));
        started
    }

    async fn start_once(&self, command: StartAttempt, sent: Sent) -> Result<Begun> {
        let Some(key) = command.idempotency_key.clone() else {
            return self.start(command, sent).await;
        };
        let held = self.inner.keys.of(&key);
        let _first_comes_first = held.turn.lock().await;
        let done = self.start_under(&key, command, sent).await;
        self.inner.keys.let_go(&key);
        done
    }

    async fn start_under(&self, key: &str, command: StartAttempt, sent: Sent) -> Result<Begun> {
        let yesterday = Timestamp::now().as_millis() - ANSWERS_KEPT_MS;
        self.inner.store.prune_answers(Timestamp::from_millis(yesterday)).await?;
        match self.inner.store.find_answer(key).await? {
            Some(answer) if !fingerprint::is_same(&answer.fingerprint, &sent.fingerprint) => {
                Err(Error::invalid("idempotency_key_reused", "the idempotency key was used for another call")
                    .hint("use a new key for a new call"))
            }
            Some(answer) => Ok(answer.started),
            None => self.start(command, sent).await,
        }
    }

    async fn start(&self, command: StartAttempt, sent: Sent) -> Result<Begun> {
        let _start = self.inner.pool.begin_start();
        let prepared = self.prepare(command, sent).await?;
        for _ in 0..NAMES_TRIED {
            match self.try_start(&prepared).await {
                Err(error) if error.code() == NAME_TAKEN => {}
                done => return done,
            }
        }
        Err(Error::conflict(NAME_TAKEN, "no free branch name was found for the attempt")
            .hint("remove old branches of this title, or choose another title"))
    }

    /// Looks at everything that can be wrong before anything is made.
    async fn prepare(&self, mut command: StartAttempt, sent: Sent) -> Result<Prepared> {
        let _timed = self.inner.metrics.time(Phase::Prepare);
        let (task, project) = match &command.subject {
            Subject::Existing(id) => {
                let task = self.inner.store.get_task(*id).await?;
                let project = task.project_id;
                (Some(IntentTask::Existing(task)), project)
            }
            Subject::New(new) => (Some(IntentTask::New(new_task(new.clone())?)), new.project_id),
            Subject::Run { project_id, .. } => (None, *project_id),
        };
        let images = match &command.subject {
            Subject::New(new) => images::checked(new.image_ids.clone())?,
            Subject::Existing(_) | Subject::Run { .. } => Vec::new(),
        };
        let project = self.get_project(project).await?;
        let resolved = self.resolve(&project, &command.profile).await?;
        command.profile.executor.clone_from(&resolved.agent.name);
        let repo = self.repository(&project).await?;
        let origin = origin(&repo, &project, &command).await?;
        self.check_root(self.inner.folder.worktrees()).await?;
        Ok(Prepared { project, repo, task, origin, images, command, sent })
    }

    async fn try_start(&self, prepared: &Prepared) -> Result<Begun> {
        let intent = self.intent(prepared)?;
        let id = intent.attempt.id;
        let started = self.try_intent(prepared, intent).await;
        if started.is_err() {
            self.leave_slot(id);
        }
        started
    }

    async fn try_intent(&self, prepared: &Prepared, intent: Intent) -> Result<Begun> {
        let ports = self.inner.options.first_port..=self.inner.options.last_port;
        let timed = self.inner.metrics.time(Phase::Intent);
        let intent = self.inner.store.begin_start(&intent, ports, port_is_free).await?;
        drop(timed);
        self.inner.crash.pass("start-intended");
        if intent.attempt.first_port.is_none() {
            let id = intent.attempt.id;
            tracing::warn!(attempt.id = %id, "no ports are left for attempt {id}; delete old attempts");
        }
        match self.make(prepared, &intent).await {
            Ok(launched) => {
                let worktree = PathBuf::from(&intent.attempt.worktree);
                let started = self.finish_start(prepared, intent, launched).await?;
                if prepared.origin.is_branch {
                    self.refill_pool(&prepared.repo, prepared.project.id, &prepared.origin.name, worktree);
                }
                Ok(started)
            }
            // Nothing was made: what has the name is somebody else's, and not ours to undo.
            Err(error) if error.code() == NAME_TAKEN => {
                self.inner.store.abandon_start(intent.attempt.id).await?;
                Err(error)
            }
            Err(error) => {
                self.undo_now_or_later(&prepared.repo, intent).await;
                Err(error)
            }
        }
    }

    /// Takes back what a start has made. Where that is refused too, as on a full disk, it is tried again until it is
    /// done; the caller hears at once what went wrong first, and sees nothing of the rest.
    async fn undo_now_or_later(&self, repo: &Repo, intent: Intent) {
        let Err(error) = self.undo_start(repo, &intent).await else { return };
        let id = intent.attempt.id;
        tracing::warn!(attempt.id = %id, error = %error, "the start of attempt {id} is not undone yet: {error}");
        let (engine, repo, mut error) = (self.clone(), repo.clone(), error);
        self.inner.tasks.spawn(async move {
            // What does not pass by itself is left to the next start of the server.
            while error.may_pass() && !engine.pause().await {
                match engine.undo_start(&repo, &intent).await {
                    Ok(()) => return tracing::info!(attempt.id = %id, "the start of attempt {id} is undone"),
                    Err(again) => error = again,
                }
            }
        });
    }

    /// Makes what the intent names: worktree, branch, and the process, where there is room for one.
    async fn make(&self, prepared: &Prepared, intent: &Intent) -> Result<Option<Launched>> {
        let timed = self.inner.metrics.time(Phase::Worktree);
        let attempt = &intent.attempt;
        let worktree = PathBuf::from(&attempt.worktree);
        let new = NewWorktree {
            path: worktree.clone(),
            branch: attempt.branch.clone(),
            base: prepared.origin.oid.clone(),
            trusted: prepared.origin.trusted.clone(),
            mark: mark(attempt.id),
            submodules: submodules(&prepared.project),
        };
        let made = self.make_worktree(&prepared.repo, prepared.project.id, &prepared.origin.name, &new).await;
        made.map_err(|error| match error {
            GitError::NameTaken { .. } => Error::conflict(NAME_TAKEN, error.to_string()),
            other => other.into(),
        })?;
        self.copy_ignored(&prepared.project, attempt.id, &prepared.repo, &worktree).await?;
        if !intent.images.is_empty() {
            self.place_images(attempt, self.find_images(&intent.images).await?).await?;
        }
        drop(timed);
        self.inner.crash.pass("start-worktree-made");
        let Some(process) = &intent.process else { return Ok(None) };
        let timed = self.inner.metrics.time(Phase::Launch);
        let launched = self.launch(&prepared.project, attempt, process, &intent.images).await?;
        drop(timed);
        self.inner.crash.pass("start-process-runs");
        Ok(Some(launched))
    }

    /// Writes the rows of something that runs, or stands in the queue.
    async fn finish_start(
        &self,
        prepared: &Prepared,
        intent: Intent,
        launched: Option<Launched>,
    ) -> Result<Begun> {
        // Before the rows: whoever sees the process can follow its output.
        let running = intent.process.as_ref().map(|process| self.inner.live.enter(process.id));
        let timed = self.inner.metrics.time(Phase::Commit);
        let committed = self.commit_start(&intent, &prepared.sent.undecided).await;
        drop(timed);
        let started = match committed {
            Ok(started) => started,
            // The server ends before the database told: rows or intent are found by the next start.
            Err(error @ (StoreError::Unknown | StoreError::Closed)) => return Err(error.into()),
            Err(error) => {
                if let Some(process) = &intent.process {
                    self.inner.live.leave(process.id);
                }
                // Nobody has seen it, so nobody waits for its good manners.
                if let Some(Launched { connection, .. }) = launched
                    && connection.stop(Duration::ZERO).await.is_ok()
                {
                    drop(connection.ended().await);
                }
                self.undo_now_or_later(&prepared.repo, intent).await;
                return Err(error.into());
            }
        };
        self.inner.crash.pass("start-committed");
        let request = match running {
            Some(running) => Request::Adopt(Box::new(Adopted { running, launched })),
            // Room may have come before there was a row to find.
            None => Request::Wake,
        };
        self.inner.actors.send(self, intent.attempt.id, request);
        Ok(started)
    }

    /// Writes the rows. What runs may have worked for long before a database that went away is back, so it is tried
    /// again until the database has an answer.
    async fn commit_start(
        &self,
        intent: &Intent,
        undecided: &Undecided,
    ) -> std::result::Result<Begun, StoreError> {
        let mut committed = self.inner.store.commit_start(intent).await;
        let mut is_first = true;
        // A database that is back may not know yet that the lost connection is gone, and takes us for another server.
        while let Err(error @ (StoreError::Away { .. } | StoreError::Taken)) = &committed {
            let id = intent.attempt.id;
            tracing::warn!(attempt.id = %id, error = error as &dyn std::error::Error, "the start of attempt {id} is not written yet");
            // A commit that was lost and not made is known when the database is back: no need to wait then.
            if !std::mem::take(&mut is_first) {
                undecided.send_replace(true);
                if self.pause().await {
                    return Err(StoreError::Closed);
                }
            }
            committed = self.inner.store.commit_start(intent).await;
        }
        undecided.send_replace(false);
        committed
    }

    /// Takes back what a start has made. Nothing in it is work: an agent that began was stopped before anybody saw it.
    pub(crate) async fn undo_start(&self, repo: &Repo, intent: &Intent) -> Result<()> {
        let attempt = &intent.attempt;
        self.check_disk(attempt).await?;
        // First: a start whose process is found is finished after a crash, not undone.
        if let Some(process) = &intent.process {
            self.discard(&self.inner.folder.process(process.id)).await?;
        }
        let trash = self.trash_beside(attempt)?;
        repo.undo_worktree(Path::new(&attempt.worktree), &attempt.branch, &mark(attempt.id), &trash).await?;
        self.discard_beside_worktree(attempt.id).await?;
        self.inner.store.abandon_start(attempt.id).await?;
        self.empty_trash_beside(attempt);
        Ok(())
    }

    fn intent(&self, prepared: &Prepared) -> Result<Intent> {
        let (id, now) = (AttemptId::random(), Timestamp::now());
        let task = prepared.task.as_ref().map(IntentTask::task);
        let room = self.inner.slots.take_or_wait(id, prepared.project.id, now);
        let plan = plan(&prepared.project, task.is_none(), false, room);
        let (state, _) = fsm::first(plan);
        let (name, branch) = match task {
            Some(task) => {
                let name = names::folder(&id.to_string(), &task.title);
                let branch = names::branch(self.inner.preferences.now().branch_prefix(), &name);
                (name, branch)
            }
            None => (names::run_folder(&id.to_string()), names::run_branch(&id.to_string())),
        };
        let (wanted, prompt) = match (&prepared.command.subject, task) {
            (Subject::Run { prompt, .. }, _) => (prompt.clone(), Some(prompt.clone())),
            (Subject::Existing(_) | Subject::New(_), task) => {
                (task.map(Task::prompt).unwrap_or_default(), None)
            }
        };
        let attempt = Attempt {
            id,
            task_id: task.map(|task| task.id),
            project_id: prepared.project.id,
            prompt,
            profile: prepared.command.profile.clone(),
            branch,
            target_branch: prepared.origin.target.clone(),
            worktree: text_of(&self.inner.folder.worktrees().join(&name))?,
            worktree_deleted: false,
            first_port: None,
            conversation: None,
            set_up: !plan.needs_setup,
            state,
            node: Some(self.inner.node.clone()),
            created_at: now,
            updated_at: now,
            usage: Usage::default(),
        };
        let runs = plan.room == Room::Free;
        let first = First { setup: plan.needs_setup, wanted, head: prepared.origin.oid.as_str() };
        let process = runs.then(|| first_process(&prepared.project, &attempt, first));
        Ok(Intent {
            created_at: now,
            fingerprint: prepared.sent.fingerprint.clone(),
            idempotency_key: prepared.command.idempotency_key.clone(),
            task: if runs { prepared.task.clone().map(begun) } else { prepared.task.clone() },
            attempt,
            process,
            images: prepared.images.clone(),
        })
    }
}

/// What an attempt goes through. Nothing is run around the agent of a run, and what it leaves is not committed for it:
/// it is saved, as every turn's work is.
pub(crate) fn plan(project: &Project, is_run: bool, is_set_up: bool, room: Room) -> Plan {
    Plan {
        needs_setup: !is_run && !is_set_up && project.setup_script.is_some(),
        has_cleanup: !is_run && project.cleanup_script.is_some(),
        commits: !is_run,
        room,
    }
}

/// What the first process is made of.
struct First<'a> {
    setup: bool,
    wanted: String,
    head: &'a str,
}

fn first_process(project: &Project, attempt: &Attempt, first: First<'_>) -> Process {
    let (kind, action) = match &project.setup_script {
        Some(script) if first.setup => (ProcessKind::SetupScript, Action::Script { script: script.clone() }),
        Some(_) | None => (
            ProcessKind::CodingAgent,
            Action::Turn { prompt: first.wanted, conversation: None, how: How::default() },
        ),
    };
    Process {
        id: ProcessId::random(),
        attempt_id: attempt.id,
        in_run: attempt.is_run(),
        kind,
        action,
        state: ProcessState::Running,
        reason: None,
        before_head_commit: Some(first.head.to_owned()),
        after_head_commit: None,
        dropped: false,
        started_at: attempt.created_at,
        completed_at: None,
        updated_at: attempt.created_at,
        usage: Usage::default(),
    }
}

/// The task as it is once an attempt of it runs. The store decides about one that exists.
fn begun(mut subject: IntentTask) -> IntentTask {
    match &mut subject {
        IntentTask::New(task) => {
            task.status = TaskStatus::InProgress;
            task.updated_at = Timestamp::now();
        }
        IntentTask::Existing(task) => {
            if task.status != TaskStatus::Agent {
                task.updated_at = Timestamp::now();
            }
        }
    }
    subject
}

/// How a branch says whose it is, for tools that look offline.
pub(crate) fn mark(attempt: AttemptId) -> Mark {
    Mark { key: MARK.to_owned(), value: attempt.to_string() }
}

/// Whether the user lets submodules of a project be fetched.
pub(crate) const fn submodules(project: &Project) -> Submodules {
    if project.fetch_submodules { Submodules::Fetch } else { Submodules::Local }
}

pub(crate) fn port_is_free(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok()
}

impl Keys {
    fn of(&self, key: &str) -> Arc<Key> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(held.entry(key.to_owned()).or_default())
    }

    /// Forgets the key unless somebody waits with it: the map and one caller hold it otherwise.
    fn let_go(&self, key: &str) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.get(key).is_some_and(|turn| Arc::strong_count(turn) <= 2) {
            held.remove(key);
        }
    }
}
