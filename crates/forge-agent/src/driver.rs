//! Talks with an agent, without doing it: a pure machine over the bytes of both directions.
//!
//! It is fed what the agent put out and what was put into it, and tells what there is to know and what to send
//! next. No I/O and no clock, so after a restart the log of the process, replayed, brings it to where it was:
//! what the log shows as sent is not sent again.

mod failure;
mod lines;
mod opening;
mod outbox;

pub use forge_model::{Choice, ChoiceKind};
use forge_model::{End, Usage};
use serde::{Deserialize, Serialize};

pub use self::failure::Failure;
pub(crate) use self::lines::Lines;
use self::opening::Opening;
pub(crate) use self::outbox::Outbox;

use crate::acp::Acp;
use crate::claude::Claude;
use crate::codex::Codex;
use crate::manner::Protocol;
use crate::one_shot::OneShot;
use crate::turn::Turn;

/// A line longer than this is passed over: no agent has anything to say that needs it.
const LONGEST_LINE: usize = 64 << 20;
/// How much of the last complaints is kept, to tell why an agent that said nothing else failed.
const COMPLAINT: usize = 2048;

/// How much of a text that comes in pieces is kept: it is for the last words.
pub(crate) const MOST_WORDS: usize = 64 * 1024;

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
    /// The agent does not wait for the answer to this permission any more.
    Withdrawn(String),
    /// What the agent lets a person choose from, as it is now.
    Offers(Offers),
    /// The turn is over. The agent waits for another, or for [`Driver::release`].
    Finished(Finish),
}

/// A tool that the agent wants to use.
#[derive(Debug, Clone, PartialEq)]
pub struct Permission {
    /// The agent's name for the question.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// What it is to be used for, in a line.
    pub title: String,
    /// What it is given.
    pub input: serde_json::Value,
    /// The agent's name for this use of it, which is that of its entry.
    pub call: Option<String>,
    /// The answers that the agent takes; none where it takes just yes or no.
    pub choices: Vec<Choice>,
}

/// The answer to a permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Yes; by one of the agent's own choices, where one was picked.
    Allow { choice: Option<String> },
    /// No, and why.
    Deny { choice: Option<String>, message: String },
}

/// What an agent lets a person choose from. One that was kept tells only what is new: see [`Offers::after`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offers {
    /// Commands that can stand at the beginning of a prompt, without their slash.
    pub commands: Vec<Offer>,
    /// The modes that it can work in.
    pub modes: Vec<Offer>,
    /// The mode that it works in.
    pub mode: Option<String>,
    /// The models that it can use.
    pub models: Vec<Offer>,
    /// The model that it uses.
    pub model: Option<String>,
}

impl Offers {
    /// These, with what an agent told before it was kept where it tells nothing new.
    #[must_use]
    pub fn after(self, before: Self) -> Self {
        let newer = |new: Vec<Offer>, old: Vec<Offer>| if new.is_empty() { old } else { new };
        Self {
            commands: newer(self.commands, before.commands),
            modes: newer(self.modes, before.modes),
            mode: self.mode.or(before.mode),
            models: newer(self.models, before.models),
            model: self.model.or(before.model),
        }
    }
}

/// One thing to choose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The agent's name for it.
    pub id: String,
    /// What a person reads.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
}

/// What a turn came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finish {
    /// The agent's last words: what a commit of its work is called.
    pub message: Option<String>,
    /// Why it failed; none if it did not.
    pub failure: Option<Failure>,
    /// What it used up, as far as the agent tells.
    pub usage: Usage,
}

/// Dollars as agents tell them, in millionths.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be in range just before"
)]
pub(crate) fn micros(dollars: f64) -> Option<u64> {
    (dollars.is_finite() && (0.0..1e9).contains(&dollars)).then(|| (dollars * 1e6).round() as u64)
}

/// A language that agents speak. The machine behind it holds what was said so far.
///
/// A machine does not close an agent whose turn is over: whether it is kept for another turn is not its to say.
pub(crate) trait Speak: std::fmt::Debug + Send + Sync {
    /// Takes a line that the agent printed, at this time of the log.
    fn received(&mut self, line: &[u8], at_ms: u64, outbox: &mut Outbox, seen: &mut Vec<Seen>);
    /// Draws from the log what a driver before this one, or this one, told the agent.
    fn sent(&mut self, line: &[u8], outbox: &mut Outbox);
    /// The log shows that the agent's standard input was closed, by an interrupt or by who gave the agent up.
    fn closed(&mut self, seen: &mut Vec<Seen>);
    /// Answers a permission; one that nobody waits for any more is passed over.
    fn answer(&mut self, permission: &str, decision: &Decision, outbox: &mut Outbox);
    /// Asks the agent to end its turn.
    fn interrupt(&mut self, outbox: &mut Outbox);
    /// What the agent was asked before its prompt and has to answer first; none where nobody waits for that.
    fn awaits(&self) -> Option<&str> {
        None
    }
    /// It did not answer that in time: the turn is over.
    fn give_up(&mut self, _failure: Failure, _seen: &mut Vec<Seen>) {}
    /// Whether the log shows that the agent was told its prompt. Before that it can have begun nothing.
    fn was_prompted(&self) -> bool {
        true
    }
    /// Whether the agent refused the model that it was told to use, and works on with the one that it has.
    fn refused_model(&self) -> bool {
        false
    }
    /// The time at which [`Self::woke`] wants to be called, if nothing happens before.
    fn wake_at(&self) -> Option<u64> {
        None
    }
    /// It is that time.
    fn woke(&mut self, _now_ms: u64, _outbox: &mut Outbox, _seen: &mut Vec<Seen>) {}
    /// What the turn came to, once the agent has said so.
    fn finish(&self) -> Option<Finish>;
    /// What the turn came to when the program ended first; none where that is a crash.
    fn ended(&self, _end: End) -> Option<Finish> {
        None
    }
    /// Whether somebody interrupted the turn.
    fn was_interrupted(&self) -> bool;
    /// The agent's name for the place at which the conversation stands, where it has names for them and can go on from
    /// one that is not the last.
    fn mark(&self) -> Option<String> {
        None
    }
    /// What the agent said last.
    fn last_message(&self) -> Option<String>;
    /// What was used up so far.
    fn usage(&self) -> Usage;
}

/// The conversation with one agent process.
#[derive(Debug)]
pub struct Driver {
    machine: Box<dyn Speak>,
    outbox: Outbox,
    output: Lines,
    input: Lines,
    complaint: Vec<u8>,
    released: bool,
    opening: Opening,
}

impl Driver {
    /// The conversation at the beginning of a turn.
    #[must_use]
    pub fn new(turn: &Turn) -> Self {
        let mut outbox = Outbox::default();
        let machine: Box<dyn Speak> = match turn.manner.protocol {
            Protocol::Claude => Box::new(Claude::new(turn, &mut outbox)),
            Protocol::Codex => Box::new(Codex::new(turn, &mut outbox)),
            Protocol::Acp => Box::new(Acp::new(turn, &mut outbox)),
            Protocol::Lines => Box::new(OneShot::new(turn, &mut outbox)),
        };
        let lines = || Lines::new(LONGEST_LINE);
        let opening = Opening::new(turn.manner.quirks.opening_ms);
        let (output, input) = (lines(), lines());
        Self { machine, outbox, output, input, complaint: Vec::new(), released: false, opening }
    }

    /// Takes what the agent put out on standard output, in pieces of any size, at this time of the log.
    pub fn received(&mut self, bytes: &[u8], at_ms: u64) -> Vec<Seen> {
        let mut seen = Vec::new();
        self.opening.heard(at_ms);
        self.output.push(bytes, |line| {
            if let Some(line) = line {
                self.machine.received(line, at_ms, &mut self.outbox, &mut seen);
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

    /// Takes what the log shows as written to the agent's standard input at this time, by this driver or one before it.
    pub fn sent(&mut self, bytes: &[u8], at_ms: u64) {
        self.opening.told(at_ms);
        self.input.push(bytes, |line| {
            let Some(line) = line else { return };
            self.outbox.logged(&Outgoing::Write([line, b"\n"].concat()));
            self.machine.sent(line, &mut self.outbox);
        });
    }

    /// The log shows that the agent's standard input was closed at this time. An agent that was given up is told of here,
    /// too: the log has nothing else to show for it.
    pub fn closed(&mut self, at_ms: u64) -> Vec<Seen> {
        let mut seen = Vec::new();
        self.released = true;
        self.outbox.logged(&Outgoing::Close);
        match self.unanswered().filter(|_| self.opening.was_over(at_ms)) {
            Some(failure) => self.machine.give_up(failure, &mut seen),
            None => self.machine.closed(&mut seen),
        }
        seen
    }

    /// Lets an agent go that is not kept for another turn, by the end of its input.
    pub fn release(&mut self) {
        if !std::mem::replace(&mut self.released, true) {
            self.outbox.push(Outgoing::Close);
        }
    }

    /// What to send next, with its place among everything that is sent to this process. Each place is given out
    /// once, unless the log showed something else in it.
    pub fn take(&mut self) -> Option<(u64, Outgoing)> {
        self.outbox.take().inspect(|_| self.opening.tells())
    }

    /// Answers a permission; one that nobody waits for any more is passed over.
    pub fn answer(&mut self, permission_id: &str, decision: &Decision) {
        self.machine.answer(permission_id, decision, &mut self.outbox);
    }

    /// Asks the agent to end its turn.
    pub fn interrupt(&mut self) {
        self.machine.interrupt(&mut self.outbox);
    }

    /// The time at which [`Self::woke`] is to be called, if nothing happens before.
    #[must_use]
    pub fn wake_at(&self) -> Option<u64> {
        self.machine.awaits().map(|_| self.opening.wake_at()).or_else(|| self.machine.wake_at())
    }

    /// It is that time: the agent may have been waited for long enough.
    pub fn woke(&mut self, now_ms: u64) -> Vec<Seen> {
        let mut seen = Vec::new();
        match self.unanswered() {
            Some(failure) if self.opening.is_over(now_ms) => self.machine.give_up(failure, &mut seen),
            Some(_) => {}
            None => self.machine.woke(now_ms, &mut self.outbox, &mut seen),
        }
        // One that was given up is still at work: it cannot be kept for another turn.
        if seen.iter().any(|seen| matches!(seen, Seen::Finished(_))) {
            self.release();
        }
        seen
    }

    /// What is told of an agent that does not answer what it was asked before its prompt.
    fn unanswered(&self) -> Option<Failure> {
        self.machine.awaits().map(|method| self.opening.failure(method))
    }

    /// Whether the log shows that the agent was told its prompt. Before that it can have begun nothing.
    #[must_use]
    pub fn was_prompted(&self) -> bool {
        self.machine.was_prompted()
    }

    /// Whether the agent refused the model that it was told to use, and works on with the one that it has.
    #[must_use]
    pub fn refused_model(&self) -> bool {
        self.machine.refused_model()
    }

    /// The agent's name for the place at which the conversation stands: [`Turn::resume_at`] goes on from there, whatever was
    /// said after it. None where the agent cannot do that.
    #[must_use]
    pub fn mark(&self) -> Option<String> {
        self.machine.mark()
    }

    /// Whether the agent was asked to end its turn.
    #[must_use]
    pub fn was_interrupted(&self) -> bool {
        self.machine.was_interrupted()
    }

    /// Whether the agent has said that its turn is over.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.machine.finish().is_some()
    }

    /// What the turn came to, now that the program has ended.
    #[must_use]
    pub fn finish(&mut self, end: End) -> Finish {
        let (machine, outbox) = (&mut self.machine, &mut self.outbox);
        // A last line that nobody ended is a line all the same.
        self.output.finish(|line| {
            if let Some(line) = line {
                machine.received(line, 0, outbox, &mut Vec::new());
            }
        });
        if let Some(finish) = self.machine.finish() {
            return finish;
        }
        let interrupted = end == End::Stopped || self.machine.was_interrupted();
        if let Some(finish) = self.machine.ended(end).filter(|_| !interrupted) {
            return finish;
        }
        let complaint = String::from_utf8_lossy(&self.complaint).trim().to_owned();
        let failure = if interrupted { Failure::Interrupted } else { Failure::of_end(end, complaint) };
        Finish { message: self.machine.last_message(), failure: Some(failure), usage: self.machine.usage() }
    }
}
