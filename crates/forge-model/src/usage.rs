//! What a turn used up: tokens and money.

use serde::{Deserialize, Serialize};

/// What was used up, as far as agents tell. The sum of turns is what an attempt, a task or a project used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens that the model read, without those from its cache.
    pub input_tokens: u64,
    /// Tokens that the model took from its cache.
    pub cached_tokens: u64,
    /// Tokens that the model wrote, its thoughts among them.
    pub output_tokens: u64,
    /// What it cost, in millionths of a US dollar; none where the agent does not say.
    pub cost_micros: Option<u64>,
}

impl Usage {
    /// Whether nothing was told.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is left of a running sum without what it was before. What a sum that began anew cost is not known.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_sub(before.input_tokens),
            cached_tokens: self.cached_tokens.saturating_sub(before.cached_tokens),
            output_tokens: self.output_tokens.saturating_sub(before.output_tokens),
            cost_micros: self.cost_micros.and_then(|now| now.checked_sub(before.cost_micros.unwrap_or(0))),
        }
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cost_micros = match (self.cost_micros, other.cost_micros) {
            (None, None) => None,
            (ours, theirs) => Some(ours.unwrap_or_default().saturating_add(theirs.unwrap_or_default())),
        };
    }
}
