//! Runs: work without a task. A run is an attempt that no task has, so it starts, queues, stops, recovers and is
//! collected as every attempt is; here is what callers of runs see.

use forge_model::{
    Attempt, AttemptId, Process, ProcessId, ProcessKind, Profile, ProjectId, StartAttempt, Subject,
};

use crate::attempts::StoppedAttempt;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::snapshots::Snapshot;

/// Asks for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartRun {
    /// Where it works.
    pub project_id: ProjectId,
    /// What it is asked for.
    pub prompt: String,
    /// Who shall work.
    pub profile: Profile,
    /// Where to begin; none is the project's default, or else the branch that the repository has checked out.
    pub base_branch: Option<String>,
    /// Whether it begins with the uncommitted changes of the project's folder.
    pub include_uncommitted: bool,
    /// Repeating a call with the same key gives the same answer.
    pub idempotency_key: Option<String>,
}

/// What the start of a run made: all of it is there when this is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedRun {
    /// The run.
    pub run: Attempt,
    /// Its process; none while the run stands in the queue, because as many run as may.
    pub process: Option<Process>,
}

impl Engine {
    /// Makes a run and starts its agent.
    ///
    /// # Errors
    /// When it cannot be started. Then nothing of it is left.
    pub async fn start_run(&self, command: StartRun) -> Result<StartedRun> {
        let prompt = command.prompt.trim();
        if prompt.is_empty() {
            return Err(Error::invalid("prompt_empty", "a run needs a prompt").hint("say what is wanted"));
        }
        let subject = Subject::Run { project_id: command.project_id, prompt: prompt.to_owned() };
        let start = StartAttempt {
            subject,
            profile: command.profile,
            base_branch: command.base_branch,
            include_uncommitted: command.include_uncommitted,
            idempotency_key: command.idempotency_key,
        };
        let begun = self.begin(start).await?;
        Ok(StartedRun { run: begun.attempt, process: begun.process })
    }

    /// The runs of a project, or all of them, newest first; none for a project that does not exist.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_runs(&self, project: Option<ProjectId>) -> Result<Vec<Attempt>> {
        Ok(self.inner.store.list_runs(project).await?)
    }

    /// One run.
    ///
    /// # Errors
    /// When it is not there; an attempt at a task is no run.
    pub async fn get_run(&self, id: AttemptId) -> Result<Attempt> {
        let found = self.inner.store.get_attempt(id).await;
        match found {
            Ok(attempt) if attempt.is_run() => Ok(attempt),
            Ok(_) => Err(Error::not_found("execution run", id)
                .hint("it is an attempt at a task: ask for it at /api/task-attempts")),
            Err(forge_store::StoreError::NotFound { .. }) => Err(Error::not_found("execution run", id)),
            Err(error) => Err(error.into()),
        }
    }

    /// One attempt at a task.
    ///
    /// # Errors
    /// When it is not there; a run is no attempt at a task.
    pub async fn get_task_attempt(&self, id: AttemptId) -> Result<Attempt> {
        let attempt = self.get_attempt(id).await?;
        if attempt.is_run() {
            return Err(Error::not_found("attempt", id)
                .hint("it is an execution run: ask for it at /api/execution-runs"));
        }
        Ok(attempt)
    }

    /// What was saved of a run's worktree, newest first.
    ///
    /// # Errors
    /// When the run or its repository is not there.
    pub async fn list_run_snapshots(&self, id: AttemptId) -> Result<Vec<Snapshot>> {
        self.get_run(id).await?;
        self.list_snapshots(id).await
    }

    /// Puts a run's worktree back to what a snapshot has; see [`Engine::restore`].
    ///
    /// # Errors
    /// When the run is not there or at work, there is no such snapshot, or what is in the worktree cannot be saved.
    pub async fn restore_run(&self, id: AttemptId, snapshot: String) -> Result<Attempt> {
        self.get_run(id).await?;
        self.restore(id, snapshot).await
    }

    /// Lets a run's agent end its turn; see [`Engine::interrupt_attempt`].
    ///
    /// # Errors
    /// When the run is not there.
    pub async fn interrupt_run(&self, id: AttemptId) -> Result<Attempt> {
        self.get_run(id).await?;
        self.interrupt_attempt(id).await
    }

    /// Stops a run and what waits in its queue. One in which nothing runs is stopped already.
    ///
    /// # Errors
    /// When the run is not there.
    pub async fn stop_run(&self, id: AttemptId) -> Result<StoppedAttempt> {
        self.get_run(id).await?;
        self.stop_attempt(id).await
    }

    /// Removes a run: its worktree, its processes and their logs. The branch stays, and what was in the worktree is
    /// kept under `refs/forge/attempts/<id>/`; where `discard` says so, neither does.
    ///
    /// # Errors
    /// When it runs, or its worktree cannot be saved.
    pub async fn delete_run(&self, id: AttemptId, discard: bool) -> Result<()> {
        self.get_run(id).await?;
        if discard { self.discard_attempt(id).await } else { self.delete_attempt(id).await }
    }

    /// A run's processes, oldest first.
    ///
    /// # Errors
    /// When the run is not there.
    pub async fn list_run_processes(&self, id: AttemptId) -> Result<Vec<Process>> {
        self.get_run(id).await?;
        Ok(self.inner.store.list_processes(id).await?)
    }

    /// The agent's process whose output is a run's output: the newest, or the one that is named.
    ///
    /// # Errors
    /// When the run has no such process: it may stand in the queue still.
    pub async fn run_process(&self, id: AttemptId, named: Option<ProcessId>) -> Result<Process> {
        let processes = self.list_run_processes(id).await?;
        let mut of_agent = processes.into_iter().filter(|process| process.kind == ProcessKind::CodingAgent);
        match named {
            Some(named) => of_agent
                .find(|process| process.id == named)
                .ok_or_else(|| Error::not_found("process of the run", named)),
            None => of_agent.next_back().ok_or_else(|| {
                Error::not_found("output of the execution run", id)
                    .hint("it waits for its turn: ask again when its status is running")
            }),
        }
    }

    /// What an attempt's agent is there for: what its task says, or what the run was asked.
    pub(crate) async fn wanted(&self, attempt: &Attempt) -> Result<String> {
        match (attempt.task_id, &attempt.prompt) {
            (Some(task), _) => Ok(self.inner.store.get_task(task).await?.prompt()),
            (None, prompt) => Ok(prompt.clone().unwrap_or_default()),
        }
    }
}
