//! Tests of the crate on real processes, sockets and files.

mod host_attach;
#[cfg(test)]
mod host_kit;
mod host_output;
mod host_start;
mod host_stdin;
mod host_stop;
