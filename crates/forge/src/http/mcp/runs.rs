//! Execution runs over MCP: work without a task.

use forge_engine::Engine;
use forge_model::{Attempt, AttemptId, ProjectId, Timestamp};
use serde::Serialize;

use super::tools::{Effect, Tool};
use crate::http::compat::tools::{RunToStart, WhichRun, WhichRuns, most};
use crate::http::problem::Problem;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "start_execution_run",
            "Sets an agent to work on a prompt without making a task. Answers when it runs.",
            Effect::Changes,
            start,
        ),
        Tool::new("list_execution_runs", "Lists execution runs, newest first.", Effect::Looks, list),
        Tool::new(
            "get_execution_run",
            "Tells an execution run, with what it was asked and how far it is.",
            Effect::Looks,
            get,
        ),
        Tool::new(
            "stop_execution_run",
            "Stops the agent of an execution run. Answers when nothing of it runs any more; its work stays.",
            Effect::Destroys,
            stop,
        ),
    ]
}

#[derive(Serialize)]
struct Begun {
    execution_run_id: AttemptId,
    project_id: ProjectId,
    branch: String,
    queued: bool,
}

async fn start(engine: Engine, run: RunToStart) -> Result<Begun, Problem> {
    let started = engine.start_run(run.into_command()?).await?;
    Ok(Begun {
        execution_run_id: started.run.id,
        project_id: started.run.project_id,
        branch: started.run.branch,
        queued: started.process.is_none(),
    })
}

#[derive(Serialize)]
struct Summary {
    id: AttemptId,
    project_id: ProjectId,
    branch: String,
    target_branch: String,
    executor: String,
    status: &'static str,
    created_at: Timestamp,
}

impl From<&Attempt> for Summary {
    fn from(run: &Attempt) -> Self {
        Self {
            id: run.id,
            project_id: run.project_id,
            branch: run.branch.clone(),
            target_branch: run.target_branch.clone(),
            executor: run.profile.executor.clone(),
            status: run.status(),
            created_at: run.created_at,
        }
    }
}

#[derive(Serialize)]
struct Listed {
    runs: Vec<Summary>,
    count: usize,
}

async fn list(engine: Engine, which: WhichRuns) -> Result<Listed, Problem> {
    if let Some(project) = which.project_id {
        engine.get_project(project).await?;
    }
    let runs: Vec<_> =
        engine.list_runs(which.project_id).await?.iter().take(most(which.limit)).map(Summary::from).collect();
    Ok(Listed { count: runs.len(), runs })
}

#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    summary: Summary,
    prompt: String,
}

async fn get(engine: Engine, which: WhichRun) -> Result<Told, Problem> {
    let run = engine.get_run(which.execution_run_id).await?;
    Ok(Told { summary: Summary::from(&run), prompt: run.prompt.unwrap_or_default() })
}

#[derive(Serialize)]
struct Stopped {
    stopped: bool,
    execution_run_id: AttemptId,
}

async fn stop(engine: Engine, which: WhichRun) -> Result<Stopped, Problem> {
    engine.stop_run(which.execution_run_id).await?;
    Ok(Stopped { stopped: true, execution_run_id: which.execution_run_id })
}
