//! The process host as a program of its own, for the tests of this crate. The product has it as a subcommand.

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args_os().nth(1) {
        Some(dir) => forge_agent::host::main(dir.as_ref()),
        None => ExitCode::FAILURE,
    }
}
