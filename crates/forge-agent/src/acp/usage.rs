//! What a turn used up, from the places where agents tell it: the answer to the prompt, what stands beside it, what
//! stands beside each message, and the running sum of the conversation, in updates of its own or beside all others.

use forge_model::Usage;
use serde_json::Value;

use crate::driver::micros;

/// What was told so far.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// What the conversation had used up before this turn; none where nobody knows, so that its sums say nothing.
    spent: Option<Usage>,
    /// Of the messages of this turn, one by one.
    messages: Usage,
    /// At the end of the turn.
    turn: Option<Usage>,
    /// What the conversation has used up by now, and what it has cost.
    sum: Option<Usage>,
    cost_micros: Option<u64>,
    begun: bool,
}

impl Meter {
    pub(super) fn new(spent: Option<Usage>) -> Self {
        Self { spent, ..Self::default() }
    }

    /// From here on it is this turn's.
    pub(super) const fn prompted(&mut self) {
        self.begun = true;
    }

    /// Takes the running sum.
    pub(super) fn update(&mut self, told: &Value) {
        let dollars = told.pointer("/cost/currency").is_none_or(|currency| currency == "USD");
        let cost = told.pointer("/cost/amount").and_then(Value::as_f64).filter(|_| dollars);
        self.cost_micros = cost.and_then(micros).or(self.cost_micros);
        self.sum = told.get("_meta").and_then(counted).or(self.sum);
    }

    /// Takes the running sum where it stands beside an update.
    pub(super) fn beside(&mut self, params: &Value) {
        let Some(told) = params.pointer("/_meta/field_meta/openhands.dev~1metrics") else { return };
        let count = |name: &str| told.get(name).and_then(Value::as_u64).unwrap_or_default();
        let cached_tokens = count("cache_read_tokens");
        let input_tokens = count("input_tokens").saturating_sub(cached_tokens);
        let output_tokens = count("output_tokens");
        self.sum = Some(Usage { input_tokens, cached_tokens, output_tokens, cost_micros: None });
        self.cost_micros = told.get("cost").and_then(Value::as_f64).and_then(micros).or(self.cost_micros);
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
        let sum = self.turn.filter(|_| sums).or(self.sum);
        let sum = sum.zip(self.spent).map(|(sum, spent)| sum.since(spent));
        let mut usage = self.turn.filter(|_| !sums).or(sum).unwrap_or_default();
        if usage.is_empty() {
            usage = self.messages;
        }
        // It is always the conversation's.
        let cost = Usage { cost_micros: self.cost_micros.filter(|_| self.begun), ..Usage::default() };
        usage.cost_micros = self.spent.and_then(|spent| cost.since(spent).cost_micros);
        usage
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
    use crate::manner::Protocol;
    use crate::turn::Turn;

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
        let mut meter = Meter::new(Some(Usage { cost_micros: Some(250_000), ..Usage::default() }));
        meter.update(&cost(0.25));
        assert_eq!(meter.usage(false).cost_micros, None, "the turn has not begun");
        meter.prompted();
        meter.update(&cost(0.35));
        assert_eq!(meter.usage(false).cost_micros, Some(100_000));
        meter.update(&cost(0.05));
        assert_eq!(meter.usage(false).cost_micros, None, "the agent counts anew, from nobody knows where");
    }

    #[test]
    fn a_sum_says_nothing_of_a_turn_where_nobody_counted_the_ones_before() {
        let told = json!({ "cost": { "amount": 0.35, "currency": "USD" }, "_meta": { "inputTokens": 9 } });
        let usage = |turn: &Turn| {
            let mut meter = Meter::new(turn.spent_before());
            meter.prompted();
            meter.update(&told);
            meter.usage(false)
        };
        let first = Turn::new(Protocol::Acp, "go");
        assert_eq!((usage(&first).cost_micros, usage(&first).input_tokens), (Some(350_000), 9));
        // As a Forge before this one wrote it.
        let mut later = json!(Turn { resume: Some("s".into()), ..first });
        later.as_object_mut().unwrap().remove("spent");
        assert_eq!(usage(&serde_json::from_value(later).unwrap()), Usage::default());
    }

    #[test]
    fn sums_beside_updates_are_counted_from_where_the_conversation_stood() {
        let metrics = |input: u64, cached: u64, output: u64, cost: f64| {
            json!({ "_meta": { "field_meta": { "openhands.dev/metrics": {
                "input_tokens": input, "cache_read_tokens": cached, "output_tokens": output, "cost": cost,
            } } } })
        };
        let spent = Usage { input_tokens: 60, cached_tokens: 40, output_tokens: 5, cost_micros: Some(10) };
        let mut meter = Meter::new(Some(spent));
        meter.prompted();
        meter.beside(&metrics(250, 140, 9, 0.000_025));
        let usage = Usage { input_tokens: 50, cached_tokens: 100, output_tokens: 4, cost_micros: Some(15) };
        assert_eq!(meter.usage(false), usage);
    }
}
