//! Talks with an agent, without doing it: a pure machine over the bytes of both directions.
//!
//! It is fed what the agent put out and what was put into it, and tells what there is to know and what to send
//! next. No I/O and no clock, so after a restart the log of the process, replayed, brings it to where it was:
//! what the log shows as sent is not sent again.

mod lines;
mod outbox;

use forge_model::{End, Reason};

pub(crate) use self::lines::Lines;
pub(crate) use self::outbox::Outbox;

use crate::claude::Claude;
use crate::executor::{Executor, Protocol};

/// A line longer than this is passed over: no agent has anything to say that needs it.
const LONGEST_LINE: usize = 64 << 20;
/// How much of the last complaints is kept, to tell why an agent that said nothing else failed.
const COMPLAINT: usize = 2048;

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    pub prompt: String,
    /// The conversation that goes on; none begins one.
    pub resume: Option<String>,
    pub approvals: Approvals,
}

/// Who decides about the tools that the agent may not use on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approvals {
    /// Everything is allowed: the worktree is the fence.
    Auto,
    /// The engine is asked, by [`Seen::Permission`].
    Ask,
}

/// What is to be put on the agent's standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outgoing {
    /// One line, with its end.
    Write(Vec<u8>),
    /// The end of input.
    Close,
}

/// What the engine has to know.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// The id under which the conversation can be resumed.
    Conversation(String),
    /// A whole text of the agent.
    Message(String),
    /// The agent waits for [`Driver::answer`].
    Permission(Permission),
    /// The turn is over; the agent is being closed.
    Finished(Finish),
}

/// A tool that the agent wants to use.
#[derive(Debug, Clone, PartialEq)]
pub struct Permission {
    pub id: String,
    pub tool: String,
    pub input: serde_json::Value,
}

/// The answer to a permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Allow,
    Deny { message: String },
}

/// What a turn came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finish {
    /// The agent's last words: what a commit of its work is called.
    pub message: Option<String>,
    /// Why it failed; none if it did not.
    pub failure: Option<Failure>,
}

/// Why a turn failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// A person has to log in with the agent's own program.
    NotLoggedIn { message: String },
    /// The conversation to be resumed is not there; a new one can be begun.
    UnknownConversation { message: String },
    /// The model's API refused or broke; `status` is HTTP's.
    Model { status: u16, message: String },
    /// Somebody interrupted the turn.
    Interrupted,
    /// The agent says that it failed.
    Agent { message: String },
    /// The program ended before the turn did.
    Crashed { end: End, complaint: String },
}

impl From<Failure> for Reason {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::NotLoggedIn { message } => Self::NotLoggedIn { message },
            Failure::UnknownConversation { message }
            | Failure::Model { message, .. }
            | Failure::Agent { message } => Self::AgentFailed { message },
            Failure::Interrupted => Self::AgentFailed { message: "the turn was interrupted".into() },
            Failure::Crashed { end: end @ End::Exited { .. }, complaint } if !complaint.is_empty() => {
                Self::AgentFailed { message: format!("it {end} and said: {complaint}") }
            }
            Failure::Crashed { end, .. } => Self::AgentCrashed { ended: end.to_string() },
        }
    }
}

/// The conversation with one agent process.
#[derive(Debug)]
pub struct Driver {
    protocol: Machine,
    outbox: Outbox,
    output: Lines,
    input: Lines,
    complaint: Vec<u8>,
}

#[derive(Debug)]
enum Machine {
    Claude(Claude),
}

impl Driver {
    pub fn new(executor: &Executor, turn: &Turn) -> Self {
        let mut outbox = Outbox::default();
        let protocol = match executor.protocol {
            Protocol::ClaudeStream => Machine::Claude(Claude::new(turn, &mut outbox)),
        };
        Self {
            protocol,
            outbox,
            output: Lines::new(LONGEST_LINE),
            input: Lines::new(LONGEST_LINE),
            complaint: Vec::new(),
        }
    }

    /// Takes what the agent put out on standard output, in pieces of any size.
    pub fn received(&mut self, bytes: &[u8]) -> Vec<Seen> {
        let Machine::Claude(claude) = &mut self.protocol;
        let mut seen = Vec::new();
        self.output.push(bytes, |line| {
            if let Some(line) = line {
                claude.received(line, &mut self.outbox, &mut seen);
            }
        });
        seen
    }

    /// Takes what the agent put out on standard error.
    pub fn complained(&mut self, bytes: &[u8]) {
        self.complaint.extend_from_slice(bytes);
        let excess = self.complaint.len().saturating_sub(COMPLAINT);
        self.complaint.drain(..excess);
    }

    /// Takes what the log shows as written to the agent's standard input, by this driver or one before it.
    pub fn sent(&mut self, bytes: &[u8]) {
        let Machine::Claude(claude) = &mut self.protocol;
        self.input.push(bytes, |line| {
            let Some(line) = line else { return };
            self.outbox.logged(&Outgoing::Write([line, b"\n"].concat()));
            claude.sent(line, &mut self.outbox);
        });
    }

    /// The log shows that the agent's standard input was closed.
    pub fn closed(&mut self) {
        let Machine::Claude(claude) = &mut self.protocol;
        self.outbox.logged(&Outgoing::Close);
        claude.closed();
    }

    /// What to send next, with its place among everything that is sent to this process. Each place is given out
    /// once, unless the log showed something else in it.
    pub fn take(&mut self) -> Option<(u64, Outgoing)> {
        self.outbox.take()
    }

    /// Answers a permission; one that nobody waits for any more is passed over.
    pub fn answer(&mut self, permission_id: &str, decision: &Decision) {
        let Machine::Claude(claude) = &mut self.protocol;
        claude.answer(permission_id, decision, &mut self.outbox);
    }

    /// Asks the agent to end its turn.
    pub fn interrupt(&mut self) {
        let Machine::Claude(claude) = &mut self.protocol;
        claude.interrupt(&mut self.outbox);
    }

    /// What the turn came to, now that the program has ended.
    pub fn finish(&self, end: End) -> Finish {
        let Machine::Claude(claude) = &self.protocol;
        claude.finish().unwrap_or_else(|| {
            let complaint = String::from_utf8_lossy(&self.complaint).trim().to_owned();
            let failure = if end == End::Stopped || claude.was_interrupted() {
                Failure::Interrupted
            } else {
                Failure::Crashed { end, complaint }
            };
            Finish { message: claude.last_message(), failure: Some(failure) }
        })
    }
}
