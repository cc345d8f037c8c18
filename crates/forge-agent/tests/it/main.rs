//! The crate from outside: real processes, real sockets, recorded and real agents.

#[cfg(test)]
mod real_claude;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod transcripts;
