//! What turns used up.

use schemars::JsonSchema;
use serde::Serialize;

use crate::http::spec::documented;

documented!(Usage);

/// Tokens and money that turns used up, as far as agents tell.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Usage {
    /// Tokens that the model read, without those from its cache.
    input_tokens: u64,
    /// Tokens that the model took from its cache.
    cached_tokens: u64,
    /// Tokens that the model wrote, its thoughts among them.
    output_tokens: u64,
    /// What it cost in US dollars; null where no agent says.
    cost_usd: Option<f64>,
}

impl From<forge_model::Usage> for Usage {
    fn from(usage: forge_model::Usage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            cached_tokens: usage.cached_tokens,
            output_tokens: usage.output_tokens,
            cost_usd: usage.cost_micros.map(|micros| micros as f64 / 1e6),
        }
    }
}

impl Usage {
    /// What was used up; none where nothing was told.
    pub(super) fn told(usage: &forge_model::Usage) -> Option<Self> {
        (!usage.is_empty()).then(|| Self::from(*usage))
    }
}
