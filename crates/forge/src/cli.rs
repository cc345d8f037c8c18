//! The command line: what it understands, and how it says that something went wrong.

mod call;
mod db;
mod demo;
mod doctor;
mod gc;
mod mcp;
mod node;
mod serve;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::config::ServeArgs;
use crate::error::{Error, causes};

/// Runs coding agents on your own repositories, each in a worktree of its own.
#[derive(Debug, Parser)]
#[command(name = "forge", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Serve REST, WebSocket, SSE and MCP
    Serve(Box<ServeArgs>),
    /// Look after the database: back it up, restore it, bring its schema up to date
    Db(db::DbArgs),
    /// Show the whole flow on a scratch repository with a built-in agent; needs no key and no network
    Demo(demo::DemoArgs),
    /// Take away the worktrees that nobody uses; what is in them is saved
    Gc(gc::GcArgs),
    /// Speak MCP on standard input and output, for agents: a bridge to the server that runs
    Mcp(mcp::McpArgs),
    /// Show or change what a data folder is: its node id and the database it belongs to
    Node(node::NodeArgs),
    /// See whether this machine has what Forge needs, and what to do where it has not
    Doctor(Box<doctor::DoctorArgs>),
    /// Print the description of the API, as OpenAPI 3.1
    Openapi,
    /// Hold one process of an attempt; started by the server
    #[command(hide = true)]
    Host { dir: PathBuf },
    /// Be an agent that does what its prompt says; for the demo and for tests
    #[command(hide = true, disable_help_flag = true)]
    ScriptedAgent {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
}

/// Does what the command line says. Wrong usage ends in clap with exit code 2.
pub(crate) fn main() -> ExitCode {
    let ended = match Cli::parse().command {
        Command::Serve(args) => run(serve::serve(*args)),
        Command::Db(args) => run(db::db(args)),
        Command::Demo(args) => run(demo::demo(args)),
        Command::Gc(args) => run(gc::gc(args)),
        Command::Mcp(args) => run(mcp::mcp(args)),
        Command::Node(args) => node::node(args),
        Command::Doctor(args) => run(doctor::doctor(*args)),
        Command::Openapi => {
            say(format_args!("{:#}", crate::http::openapi()));
            Ok(())
        }
        Command::Host { dir } => return forge_engine::host_main(&dir),
        Command::ScriptedAgent { args } => return scripted_agent::main(args),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Runs a command on a runtime of its own, which does not wait for what hangs.
fn run(command: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        // In a debug build a future takes several times the stack of a release build.
        .thread_stack_size(4 << 20)
        .enable_all()
        .build()
        .map_err(|source| Error::Start { source })?;
    let ended = runtime.block_on(command);
    runtime.shutdown_timeout(Duration::from_secs(1));
    ended
}

/// Tells what is wrong, why, and what to do.
fn complain(error: &Error) {
    let mut text = format!("error: {error}\n");
    for cause in causes(error) {
        text.push_str(&format!("caused by: {cause}\n"));
    }
    if let Some(hint) = error.hint() {
        text.push_str(&format!("hint: {hint}\n"));
    }
    // When nobody reads standard error there is nobody left to tell.
    drop(std::io::stderr().write_all(text.as_bytes()));
}

/// Prints a line for the caller. A reader that has gone is no reason to fail.
fn say(line: impl std::fmt::Display) {
    let mut out = std::io::stdout().lock();
    drop(writeln!(out, "{line}"));
    drop(out.flush());
}

/// Waits until somebody asks the program to end.
async fn asked_to_stop() -> Result<(), Error> {
    use tokio::signal::unix::{SignalKind, signal};
    let failed = |source| Error::Start { source };
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_scripted_agent_gets_its_arguments_as_they_are() {
        let words = ["forge", "scripted-agent", "-p", "--resume", "x", "--help", "--", "y"];
        let Command::ScriptedAgent { args } = Cli::try_parse_from(words).unwrap().command else {
            panic!("another command")
        };
        assert_eq!(args, ["-p", "--resume", "x", "--help", "--", "y"]);
    }
}
