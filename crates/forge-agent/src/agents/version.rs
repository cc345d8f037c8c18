//! Asks an agent's program for its version.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use super::Command;

/// Runs the program with `--version` and gives back the first line it prints.
///
/// # Errors
/// When it cannot be run, fails, prints nothing or takes longer than `bound`; then it is killed.
pub async fn version(command: &Command, bound: Duration) -> io::Result<String> {
    #[expect(clippy::disallowed_methods, reason = "agents are run in this crate")]
    let mut asked = tokio::process::Command::new(&command.program);
    asked.args(&command.args).arg("--version").stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(bound, asked.output()).await.map_err(|_elapsed| {
        io::Error::new(io::ErrorKind::TimedOut, format!("it said nothing for {} seconds", bound.as_secs()))
    })??;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) if output.status.success() => Ok(line.to_owned()),
        Some(_) | None => Err(io::Error::other(format!("it does not tell its version ({})", output.status))),
    }
}
