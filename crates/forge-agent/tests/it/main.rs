//! Tests of the crate on real processes, sockets and files.

#![cfg(test)]

mod host_attach;
mod host_kit;
mod host_output;
mod host_start;
mod host_stdin;
mod host_stop;
