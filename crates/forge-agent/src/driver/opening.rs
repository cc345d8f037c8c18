//! How long an agent may leave unanswered what it is asked before its prompt.

use super::Failure;

/// Where the agent's description does not say.
const USUAL_MS: u64 = 120_000;

/// The wait for an answer. It is counted by whoever waits: a server that was away has not waited.
#[derive(Debug)]
pub(super) struct Opening {
    within_ms: u64,
    /// Since when is waited; 0 where nobody has told the time since the agent was told something.
    since: u64,
    /// When the log last showed something of either side.
    last_at: u64,
}

impl Opening {
    pub(super) fn new(within_ms: Option<u64>) -> Self {
        Self { within_ms: within_ms.unwrap_or(USUAL_MS), since: 0, last_at: 0 }
    }

    /// The agent said something: it may have much to tell of a conversation that it takes up again.
    pub(super) const fn heard(&mut self, at_ms: u64) {
        (self.since, self.last_at) = (at_ms, at_ms);
    }

    /// The agent is being told something.
    pub(super) const fn tells(&mut self) {
        self.since = 0;
    }

    /// The log shows what the agent was told.
    pub(super) const fn told(&mut self, at_ms: u64) {
        (self.since, self.last_at) = (0, at_ms);
    }

    /// When it was waited for long enough.
    pub(super) const fn wake_at(&self) -> u64 {
        // Whoever asks next tells what time it is.
        if self.since == 0 { 0 } else { self.since.saturating_add(self.within_ms) }
    }

    /// Whether it was waited for long enough by now.
    pub(super) const fn is_over(&mut self, now_ms: u64) -> bool {
        if self.since == 0 {
            self.since = now_ms;
            return false;
        }
        now_ms >= self.wake_at()
    }

    /// Whether a server before this one had waited long enough at this time of the log.
    pub(super) const fn was_over(&self, at_ms: u64) -> bool {
        self.last_at > 0 && at_ms.saturating_sub(self.last_at) >= self.within_ms
    }

    /// What is told of an agent that did not answer this.
    pub(super) fn failure(&self, method: &str) -> Failure {
        let message = format!(
            "The agent did not answer `{method}` within {} s. Run it in a terminal to see what it waits for: a login, a \
             question, a download. One that needs longer has `manner.quirks.opening_ms` in its description.",
            self.within_ms.div_ceil(1000)
        );
        Failure::Silent { message }
    }
}
