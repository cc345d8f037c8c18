//! The crate from outside: real processes, real sockets, recorded and real agents.
#![cfg(test)]

mod acp;
mod claude;
mod codex;
mod entries;
mod host_attach;
mod host_caps;
mod host_kit;
mod host_move_on;
mod host_output;
mod host_secrets;
mod host_start;
mod host_stdin;
mod host_stop;
mod lines;
mod real_claude;
mod recorded;
mod recorded_acp;
mod recorded_codex;
mod snapshots;
mod stored;
mod transcripts;
