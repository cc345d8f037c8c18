//! The state machines: pure functions from a state and an input to the next state and what to do.

pub mod attempt;
pub mod process;
