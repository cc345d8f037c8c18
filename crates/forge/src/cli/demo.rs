//! `forge demo`: the whole flow on a scratch repository, with a built-in agent in place of a real one. What it does
//! it does over HTTP, as any client would.

mod client;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::config::Config;
use crate::error::Error;
use crate::server::Server;
use client::Client;

const TASK: &str = "\
@say I will write a small program and a note about it.
@edit hello.sh echo hello
@edit NOTES.md Run hello.sh to be greeted.
@say Both files are there.";
const FOLLOW_UP: &str = "\
@say I go on where I stopped.
@edit hello.sh echo hello from Forge
@say The greeting has a name now.";

/// The flags of `forge demo`.
#[derive(Debug, clap::Args)]
pub(super) struct DemoArgs {
    /// Keep the scratch folder to look around in it
    #[arg(long)]
    keep: bool,
}

/// Shows the flow, then leaves nothing behind unless told to.
pub(super) async fn demo(args: DemoArgs) -> Result<(), Error> {
    let failed = |step| move |source: anyhow::Error| Error::Demo { step, source };
    let folder = tempfile::Builder::new()
        .prefix("forge-demo-")
        .tempdir()
        .context("cannot make a temporary folder")
        .map_err(failed("begin"))?;
    let server = Server::start(&config(folder.path())?).await?;
    let client = Client::new(server.url());
    super::say(format_args!("Forge serves {} from {}\n", server.url(), folder.path().display()));
    let shown = tokio::select! {
        shown = show(&client, folder.path()) => shown.map_err(failed("go on")),
        stopped = super::asked_to_stop() => stopped,
    };
    let stopped = client.stop_all().await.map_err(failed("stop its agents"));
    server.stop().await;
    if args.keep {
        say_kept(&folder.keep());
    }
    shown.and(stopped)
}

/// The scratch folder holds everything; the agent is this very program.
fn config(folder: &Path) -> Result<Config, Error> {
    let mut config = Config::scratch(folder.join("data"))?;
    let own_program = std::env::current_exe().map_err(|source| Error::Start { source })?;
    let memory = format!("SCRIPTED_AGENT_HOME={}", folder.join("agent").display());
    let agent = ["env", &memory, &own_program.to_string_lossy(), "scripted-agent"];
    let agent = agent.map(str::to_owned).to_vec();
    config.executors.insert("CLAUDE_CODE".into(), agent);
    Ok(config)
}

async fn show(client: &Client, folder: &Path) -> anyhow::Result<()> {
    let repository = folder.join("repository");
    super::say("1. A project is a git repository.   POST /api/projects");
    let project = client
        .post(
            "/api/projects",
            &json!({"name": "demo", "git_repo_path": repository, "use_existing_repo": false}),
        )
        .await?;
    identify(&repository)?;

    super::say("2. A task, and an agent on it.      POST /api/tasks/create-and-start");
    let started = client
        .post(
            "/api/tasks/create-and-start",
            &json!({
                "task": {"project_id": text(&project, "/id"), "title": "Say hello", "description": TASK},
                "executor_profile_id": "CLAUDE_CODE",
            }),
        )
        .await?;
    let attempt = started.get("task_attempt").context("no attempt in the answer")?;
    super::say(format_args!("   branch    {}", text(attempt, "/branch")));
    super::say(format_args!("   worktree  {}", text(attempt, "/worktree_path")));

    super::say("3. What it prints, as it prints.    GET /api/execution-processes/{id}/raw-logs/ws");
    client.follow(text(&started, "/execution_process_id")).await?;
    let id = text(attempt, "/id");
    say_end(&client.until_finished(id).await?)?;

    super::say("4. The conversation goes on.        POST /api/task-attempts/{id}/follow-up");
    let process =
        client.post(&format!("/api/task-attempts/{id}/follow-up"), &json!({"prompt": FOLLOW_UP})).await?;
    client.follow(text(&process, "/id")).await?;
    say_end(&client.until_finished(id).await?)?;

    super::say("5. What came of it.                 GET /api/execution-processes?task_attempt_id=");
    say_result(client, attempt).await
}

/// The demo commits under a name of its own, on machines without one too.
fn identify(repository: &Path) -> anyhow::Result<()> {
    let path = repository.join(".git/config");
    let config = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let identity = "[user]\n\tname = Forge demo\n\temail = demo@localhost\n[commit]\n\tgpgsign = false\n";
    fs::write(&path, format!("{config}{identity}"))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn say_end(attempt: &Value) -> anyhow::Result<()> {
    let status = text(attempt, "/status");
    anyhow::ensure!(status == "completed", "the attempt is {status}: {}", text(attempt, "/reason/message"));
    super::say(format_args!("   the attempt is {status}\n"));
    Ok(())
}

async fn say_result(client: &Client, attempt: &Value) -> anyhow::Result<()> {
    let id = text(attempt, "/id");
    let processes = client.get(&format!("/api/execution-processes?task_attempt_id={id}")).await?;
    for process in processes.as_array().into_iter().flatten() {
        let commit: String = text(process, "/after_head_commit").chars().take(10).collect();
        super::say(format_args!("   {} → commit {commit}", text(process, "/run_reason")));
    }
    let worktree = PathBuf::from(text(attempt, "/worktree_path"));
    for name in ["hello.sh", "NOTES.md"] {
        let content = fs::read_to_string(worktree.join(name)).unwrap_or_else(|error| error.to_string());
        super::say(format_args!("   {name}: {}", content.trim_end()));
    }
    let task = client.get(&format!("/api/tasks/{}", text(attempt, "/task_id"))).await?;
    super::say(format_args!("   the task is {}\n", text(&task, "/status")));
    super::say(
        "Now with a real agent: install Claude Code, run `forge serve` and make a project of a repository",
    );
    super::say("of yours. `forge demo --keep` leaves the folder of this tour for you to look around in.");
    Ok(())
}

fn say_kept(folder: &Path) {
    super::say(format_args!("\nKept: {}", folder.display()));
    super::say(format_args!("Serve it again: forge serve --data {}", folder.join("data").display()));
}

/// The text at a JSON pointer, empty when there is none.
fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}
