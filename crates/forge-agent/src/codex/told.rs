//! What Codex tells beside the conversation: what is wrong, what was used up, what limits there are, which models.

use forge_model::{Timestamp, Usage};
use serde_json::Value;

use super::text;
use crate::driver::{Failure, Offer};
use crate::rpc;

/// The tokens of a thread, from which those of one turn are worked out: what is told is the sum over the thread.
#[derive(Debug, Default)]
pub(super) struct Spent {
    before: Option<Usage>,
    now: Usage,
}

impl Spent {
    pub(super) fn update(&mut self, params: &Value) {
        let Some(total) = params.pointer("/tokenUsage/total").map(tokens) else { return };
        let last = params.pointer("/tokenUsage/last").map(tokens).unwrap_or_default();
        self.before.get_or_insert_with(|| minus(total, last));
        self.now = total;
    }

    pub(super) fn usage(&self) -> Usage {
        minus(self.now, self.before.unwrap_or_default())
    }
}

/// The tokens that were read from the cache are among those that were read.
fn tokens(told: &Value) -> Usage {
    let count = |name: &str| told.get(name).and_then(Value::as_u64).unwrap_or(0);
    let cached_tokens = count("cachedInputTokens");
    Usage {
        input_tokens: count("inputTokens").saturating_sub(cached_tokens),
        cached_tokens,
        output_tokens: count("outputTokens"),
        cost_micros: None,
    }
}

fn minus(all: Usage, before: Usage) -> Usage {
    Usage {
        input_tokens: all.input_tokens.saturating_sub(before.input_tokens),
        cached_tokens: all.cached_tokens.saturating_sub(before.cached_tokens),
        output_tokens: all.output_tokens.saturating_sub(before.output_tokens),
        cost_micros: None,
    }
}

/// What the account may still use, as it was told last.
#[derive(Debug, Default)]
pub(super) struct Limits {
    resets_at: Option<Timestamp>,
    is_out_of_credits: bool,
}

impl Limits {
    pub(super) fn update(&mut self, params: &Value) {
        let limits = params.get("rateLimits").unwrap_or(&Value::Null);
        let full = |window: &&Value| window.get("usedPercent").and_then(Value::as_i64) >= Some(100);
        let windows = ["primary", "secondary"].iter().filter_map(|name| limits.get(*name)).filter(full);
        let resets = windows.filter_map(|window| window.get("resetsAt")?.as_i64()).max();
        self.resets_at = resets.map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1000)));
        let reached = limits.get("rateLimitReachedType").and_then(Value::as_str).unwrap_or_default();
        self.is_out_of_credits = reached.ends_with("credits_depleted");
    }
}

/// The cause behind an error of a turn, by the program's own word for it and else by what it says.
pub(super) fn failure(error: &Value, limits: &Limits) -> Failure {
    let said = text(error, "/message").filter(|said| !said.is_empty());
    let message = said.or_else(|| text(error, "/additionalDetails"));
    let message = message.unwrap_or_else(|| "the turn failed, and Codex does not say why".into());
    let info = error.get("codexErrorInfo").unwrap_or(&Value::Null);
    let word = info.as_str().or_else(|| info.as_object()?.keys().next().map(String::as_str));
    let status = info.as_object().and_then(|info| info.values().next()?.get("httpStatusCode")?.as_u64());
    let status = status.and_then(|status| u16::try_from(status).ok());
    let model = |status| Failure::Model { status, message: message.clone() };
    match word.unwrap_or_default() {
        "unauthorized" => Failure::NotLoggedIn { message },
        "usageLimitExceeded" if limits.is_out_of_credits => Failure::OutOfQuota { message },
        "usageLimitExceeded" | "rateLimitExceeded" => match Failure::of_model(Some(429), message) {
            Failure::RateLimited { message, resets_at } => {
                Failure::RateLimited { message, resets_at: limits.resets_at.or(resets_at) }
            }
            other => other,
        },
        "sessionBudgetExceeded" => Failure::OutOfQuota { message },
        "cyberPolicy" | "misalignmentPolicyViolation" => Failure::Refused { message },
        "internalServerError" => model(Some(500)),
        "serverOverloaded" | "flexUnavailable" | "policyCapacityUnavailable" => model(Some(503)),
        "modelNotFound" => model(Some(404)),
        "badRequest" => model(Some(400)),
        "httpConnectionFailed"
        | "responseStreamConnectionFailed"
        | "responseStreamDisconnected"
        | "responseTooManyFailedAttempts" => match Failure::of_model(status, message.clone()) {
            Failure::Agent { .. } => model(status),
            known => known,
        },
        _ => Failure::of_model(status, message),
    }
}

/// Why one of the requests that a turn begins with was refused.
pub(super) fn refused(error: rpc::Error, resumes: bool) -> Failure {
    let message = error.message;
    if message.contains("unknown variant") {
        let message = format!("this Codex does not know what it is asked for, it may be too old: {message}");
        return Failure::WrongVersion { message };
    }
    if resumes
        && ["no rollout found", "thread not found", "invalid thread id"].iter().any(|it| message.contains(it))
    {
        return Failure::UnknownConversation { message };
    }
    Failure::of_model(None, message)
}

pub(super) fn models(result: &Value) -> Vec<Offer> {
    let models = result.get("data").and_then(Value::as_array).into_iter().flatten();
    let shown = models.filter(|model| model.get("hidden") != Some(&Value::Bool(true)));
    let offer = |model: &Value| {
        let id = text(model, "/model").or_else(|| text(model, "/id"))?;
        let name = text(model, "/displayName").unwrap_or_else(|| id.clone());
        Some(Offer { id, name, description: text(model, "/description") })
    };
    shown.filter_map(offer).collect()
}
