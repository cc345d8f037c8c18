//! An agent that does what its prompt says, step by step: for tests and for the demo.
//!
//! It takes Claude Code's arguments and speaks its stream-json in both directions, so that everything above it
//! runs as with the real program. With `--plain` it prints ordinary lines instead. The steps are in [`script`].

mod inbox;
mod memory;
mod options;
mod play;
pub mod script;
mod sleeper;
mod voice;

use std::io::Write as _;
use std::process::ExitCode;

use options::Options;

/// Runs the agent with the arguments that follow the program's (or the subcommand's) name.
pub fn main(args: Vec<String>) -> ExitCode {
    match Options::parse(args).and_then(play::run) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // Nobody may be left to read it: then there is nobody to tell either.
            drop(writeln!(std::io::stderr(), "{error:#}"));
            ExitCode::FAILURE
        }
    }
}
