//! The scripted agent as a program of its own, for tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    scripted_agent::main(std::env::args().skip(1).collect())
}
