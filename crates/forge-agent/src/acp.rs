//! The Agent Client Protocol, version 1, as its client.

use forge_model::Usage;

use crate::driver::{Decision, Finish, Outbox, Seen, Speak};
use crate::turn::Turn;

/// One turn.
#[derive(Debug)]
pub(crate) struct Acp {
    interrupted: bool,
}

impl Acp {
    pub(crate) const fn new(_turn: &Turn, _outbox: &mut Outbox) -> Self {
        Self { interrupted: false }
    }
}

impl Speak for Acp {
    fn received(&mut self, _line: &[u8], _at_ms: u64, _outbox: &mut Outbox, _seen: &mut Vec<Seen>) {}

    fn sent(&mut self, _line: &[u8], _outbox: &mut Outbox) {}

    fn closed(&mut self) {}

    fn answer(&mut self, _permission: &str, _decision: &Decision, _outbox: &mut Outbox) {}

    fn interrupt(&mut self, _outbox: &mut Outbox) {
        self.interrupted = true;
    }

    fn finish(&self) -> Option<Finish> {
        None
    }

    fn was_interrupted(&self) -> bool {
        self.interrupted
    }

    fn last_message(&self) -> Option<String> {
        None
    }

    fn usage(&self) -> Usage {
        Usage::default()
    }
}
