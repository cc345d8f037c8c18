//! What a turn used up, from the four places where agents tell it: the answer to the prompt, what stands beside it, what
//! stands beside each message, and the running sum of the conversation.

use forge_model::Usage;
use serde_json::Value;

use crate::driver::micros;

/// What was told so far.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// Of the messages of this turn, one by one.
    messages: Usage,
    /// At the end of the turn.
    turn: Option<Usage>,
    /// What the conversation had used up before this turn, and has now.
    before: Option<Usage>,
    now: Usage,
    cost_before: Option<f64>,
    cost: Option<f64>,
    begun: bool,
}

impl Meter {
    /// A conversation that begins has cost nothing.
    pub(super) const fn begins(&mut self) {
        self.cost_before = Some(0.0);
    }

    /// From here on it is this turn's.
    pub(super) fn prompted(&mut self) {
        self.begun = true;
        self.cost_before = self.cost.or(self.cost_before);
    }

    /// Takes the running sum.
    pub(super) fn update(&mut self, told: &Value) {
        let dollars = told.pointer("/cost/currency").is_none_or(|currency| currency == "USD");
        let cost = told.pointer("/cost/amount").and_then(Value::as_f64).filter(|_| dollars);
        self.cost = cost.or(self.cost);
        let Some(sum) = told.get("_meta").and_then(counted) else { return };
        // What is told first in a turn is from before it.
        if !self.begun || self.before.is_none() {
            self.before = Some(sum);
        }
        self.now = sum;
    }

    /// Takes what one message used up.
    pub(super) fn message(&mut self, told: &Value) {
        if self.begun {
            self.messages += counted(told).unwrap_or_default();
        }
    }

    /// Takes the answer to the prompt.
    pub(super) fn result(&mut self, result: &Value) {
        let places = ["/usage", "/_meta/usage", "/_meta/quota/token_count"];
        self.turn = places.iter().find_map(|at| counted(result.pointer(at)?));
    }

    /// What the turn used up. `sums` where the agent only ever tells what the whole conversation did.
    pub(super) fn usage(&self, sums: bool) -> Usage {
        let mut usage = match self.turn {
            Some(turn) if !sums => turn,
            turn => less(turn.unwrap_or(self.now), self.before.unwrap_or_default()),
        };
        if usage.is_empty() {
            usage = self.messages;
        }
        // Without knowing what the conversation had cost before, nobody knows what the turn did.
        let cost = self.cost.zip(self.cost_before).filter(|_| self.begun);
        usage.cost_micros = cost.and_then(|(now, before)| micros(now - before));
        usage
    }
}

fn less(sum: Usage, before: Usage) -> Usage {
    Usage {
        input_tokens: sum.input_tokens.saturating_sub(before.input_tokens),
        cached_tokens: sum.cached_tokens.saturating_sub(before.cached_tokens),
        output_tokens: sum.output_tokens.saturating_sub(before.output_tokens),
        cost_micros: None,
    }
}

/// Tokens by whichever names; none where there are none.
fn counted(told: &Value) -> Option<Usage> {
    let count = |names: &[&str]| names.iter().find_map(|name| told.get(name)?.as_u64());
    let input = count(&["inputTokens", "input_tokens", "promptTokens"])?;
    let output = count(&["outputTokens", "output_tokens", "completionTokens"]).unwrap_or(0);
    let cached =
        count(&["cachedReadTokens", "cachedInputTokens", "cached_input_tokens", "cachedTokens"]).unwrap_or(0);
    let written = count(&["cachedWriteTokens", "cacheCreationTokens"]).unwrap_or(0);
    // Some count what came from the cache as read, some beside it. The total tells which.
    let apart = input.saturating_add(output).saturating_add(cached);
    let within = count(&["totalTokens", "total_tokens"]).is_some_and(|total| total < apart);
    let read = if within { input.saturating_sub(cached) } else { input.saturating_add(written) };
    Some(Usage { input_tokens: read, cached_tokens: cached, output_tokens: output, cost_micros: None })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tokens_from_the_cache_are_not_counted_twice() {
        let within =
            json!({ "inputTokens": 100, "cachedReadTokens": 60, "outputTokens": 5, "totalTokens": 105 });
        let usage = counted(&within).unwrap();
        assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (40, 60, 5));
        let beside = json!({
            "inputTokens": 40, "cachedReadTokens": 60, "cachedWriteTokens": 10, "outputTokens": 5, "totalTokens": 115,
        });
        let usage = counted(&beside).unwrap();
        assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (50, 60, 5));
    }

    #[test]
    fn a_turn_costs_what_the_conversation_costs_more() {
        let cost = |amount: f64| json!({ "cost": { "amount": amount, "currency": "USD" } });
        let mut meter = Meter::default();
        meter.update(&cost(0.25));
        meter.prompted();
        meter.update(&cost(0.35));
        assert_eq!(meter.usage(false).cost_micros, Some(100_000));
        let mut unknown = Meter::default();
        unknown.prompted();
        unknown.update(&cost(0.35));
        assert_eq!(unknown.usage(false).cost_micros, None);
    }
}
