//! Forge: runs coding agents on your own repositories, each in a worktree of its own.

mod cli;
mod config;
mod error;
mod http;
mod server;
mod telemetry;
mod token;

fn main() -> std::process::ExitCode {
    cli::main()
}
