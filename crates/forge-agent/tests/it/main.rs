//! The crate from outside: real processes, real sockets, recorded and real agents.

#[cfg(test)]
mod host_attach;
#[cfg(test)]
mod host_kit;
#[cfg(test)]
mod host_output;
#[cfg(test)]
mod host_start;
#[cfg(test)]
mod host_stdin;
#[cfg(test)]
mod host_stop;
#[cfg(test)]
mod real_claude;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod transcripts;
