//! Why a turn failed, and how that is drawn from what agents say: their own words and codes differ, the causes do not.

use forge_model::{End, Reason, Timestamp};

/// Why a turn failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// A person has to log in with the agent's own program.
    NotLoggedIn { message: String },
    /// The conversation to be resumed is not there; a new one can be begun.
    UnknownConversation { message: String },
    /// The account has used up what it may use for now.
    RateLimited { message: String, resets_at: Option<Timestamp> },
    /// The account has nothing left to use.
    OutOfQuota { message: String },
    /// The model does not want to do this.
    Refused { message: String },
    /// The model's API refused or broke; `status` is HTTP's, where it is known.
    Model { status: Option<u16>, message: String },
    /// The agent broke the rules of its own protocol.
    Protocol { message: String },
    /// The program is of a version that cannot be spoken to.
    WrongVersion { message: String },
    /// The agent said nothing for too long and was given up.
    Silent { message: String },
    /// Somebody interrupted the turn.
    Interrupted,
    /// The agent says that it failed.
    Agent { message: String },
    /// The program ended before the turn did.
    Crashed { end: End, complaint: String },
}

/// Phrases that nobody uses but to say that somebody has to log in.
const LOGIN: [&str; 4] = ["not logged in", "please run /login", "please log in", "invalid api key"];

impl Failure {
    /// The cause behind an error, from HTTP's status where one is known and from the words it came with.
    #[must_use]
    pub fn of_model(status: Option<u16>, message: impl Into<String>) -> Self {
        let message = message.into();
        let words = message.to_lowercase();
        let says = |any: &[&str]| any.iter().any(|some| words.contains(some));
        let status = status.or_else(|| status_in(&message));
        match status {
            Some(401) => return Self::NotLoggedIn { message },
            Some(402) => return Self::OutOfQuota { message },
            _ => {}
        }
        if says(&[
            "insufficient_quota",
            "out of credits",
            "credit balance",
            "exceeded your current quota",
            "billing_error",
            "billing details",
            "check your plan and billing",
        ]) {
            Self::OutOfQuota { message }
        } else if status == Some(429)
            || says(&["rate limit", "rate_limit", "too many requests", "usage limit"])
        {
            let resets_at = resets_in(&message);
            Self::RateLimited { message, resets_at }
        } else if says(&LOGIN)
            || says(&[
                "not authenticated",
                "unauthorized",
                "authentication required",
                "authentication_failed",
            ])
        {
            Self::NotLoggedIn { message }
        } else if status.is_some()
            || says(&[
                "api error",
                "apierror",
                "internal server error",
                "internalservererror",
                "service unavailable",
                "bad gateway",
                "overloaded",
                "high demand",
                "connection error",
                "stream disconnected",
                "fetch failed",
                "econnreset",
                "connection closed",
                "connection was closed",
                "peer closed connection",
                "connection reset",
                "network error",
                "unexpected eof",
                "decoding response body",
            ])
            // All that Node says of a connection that was cut; others are terminated by a signal.
            || words == "terminated"
            || words.ends_with("error: terminated")
        {
            Self::Model { status, message }
        } else {
            Self::Agent { message }
        }
    }
}

impl Failure {
    /// The cause behind the end of a program that did not say it: what it complained of, where that is clear.
    pub(super) fn of_end(end: End, complaint: String) -> Self {
        if let End::Exited { code: 1.. } = end {
            // Among what programs complain of, words alone say little.
            if let Some(status) = status_in(&complaint) {
                return Self::of_model(Some(status), complaint);
            }
            let words = complaint.to_lowercase();
            if LOGIN.iter().any(|phrase| words.contains(phrase)) {
                return Self::NotLoggedIn { message: complaint };
            }
        }
        Self::Crashed { end, complaint }
    }
}

/// The time that a text like `usage limit reached|1794812484` names: seconds, or milliseconds, since 1970.
fn resets_in(message: &str) -> Option<Timestamp> {
    let digits = message.rsplit_once('|').map(|(_, rest)| rest.trim())?;
    match digits.parse::<i64>().ok()? {
        seconds @ 1_000_000_000..=99_999_999_999 => Some(Timestamp::from_millis(seconds * 1000)),
        millis @ 1_000_000_000_000..=99_999_999_999_999 => Some(Timestamp::from_millis(millis)),
        _ => None,
    }
}

/// The status that a text like `API Error: 500 {…}` or `HTTP 401` names.
fn status_in(message: &str) -> Option<u16> {
    let mut words = message.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    // A text may begin with it, too.
    let mut before = "status";
    words.find_map(|word| {
        let names = ["error", "status", "http", "code"].iter().any(|name| before.eq_ignore_ascii_case(name));
        before = word;
        let status = word.parse().ok().filter(|status| names && (400..600).contains(status))?;
        Some(status)
    })
}

impl From<Failure> for Reason {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::NotLoggedIn { message } => Self::NotLoggedIn { message },
            Failure::RateLimited { message, resets_at } => Self::RateLimited { message, resets_at },
            Failure::OutOfQuota { message } => Self::OutOfQuota { message },
            Failure::Refused { message } => Self::ModelRefused { message },
            Failure::Model { status, message } => Self::ModelFailed { status, message },
            Failure::Protocol { message } => Self::ProtocolError { message },
            Failure::WrongVersion { message } => Self::WrongVersion { message },
            Failure::Silent { message }
            | Failure::UnknownConversation { message }
            | Failure::Agent { message } => Self::AgentFailed { message },
            Failure::Interrupted => Self::Interrupted,
            Failure::Crashed { end: end @ End::Exited { .. }, complaint } if !complaint.is_empty() => {
                Self::AgentFailed { message: format!("it {end} and said: {complaint}") }
            }
            Failure::Crashed { end: end @ End::Signaled { signal: 9 | 15 }, .. } => {
                Self::AgentKilled { ended: end.to_string() }
            }
            Failure::Crashed { end, .. } => Self::AgentCrashed { ended: end.to_string() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_cause_in_other_words_is_the_same_failure() {
        for text in [
            "API Error: 401 stub: invalid API key",
            "401: {\"message\":\"no\"}",
            "unexpected status 401 Unauthorized",
            "Not logged in · Please run /login",
        ] {
            assert!(matches!(Failure::of_model(None, text), Failure::NotLoggedIn { .. }), "{text}");
        }
        for text in
            ["API Error: 429 slow down", "You have hit your usage limit", "Rate limit reached for requests"]
        {
            assert!(matches!(Failure::of_model(None, text), Failure::RateLimited { .. }), "{text}");
        }
        let limit = Failure::of_model(None, "Claude AI usage limit reached|1794812484");
        let resets_at = Some(Timestamp::from_millis(1_794_812_484_000));
        assert!(matches!(limit, Failure::RateLimited { resets_at: at, .. } if at == resets_at), "{limit:?}");
        let quota = Failure::of_model(Some(429), "insufficient_quota: You exceeded your current quota");
        assert!(matches!(quota, Failure::OutOfQuota { .. }), "{quota:?}");
        let account = Failure::of_model(None, "You exceeded it, please check your plan and billing details");
        assert!(matches!(account, Failure::OutOfQuota { .. }), "{account:?}");
        let work = Failure::of_model(None, "cannot compile src/billing.rs");
        assert!(matches!(work, Failure::Agent { .. }), "{work:?}");
        let broken = Failure::of_model(None, "API Error: 500 stub: as the script says");
        assert!(matches!(broken, Failure::Model { status: Some(500), .. }), "{broken:?}");
        for text in [
            "litellm.InternalServerError: it broke",
            "We’re currently experiencing high demand",
            "Internal error: terminated",
            "The socket connection was closed unexpectedly.",
            "peer closed connection without sending complete message body (incomplete chunked read)",
            "Network error: Stream decode error",
        ] {
            assert!(matches!(Failure::of_model(None, text), Failure::Model { status: None, .. }), "{text}");
        }
        let stopped = Failure::of_model(None, "Stopped: terminated");
        assert!(matches!(stopped, Failure::Agent { .. }), "{stopped:?}");
        let other = Failure::of_model(None, "there are 500 files in 401 folders");
        assert!(matches!(other, Failure::Agent { .. }), "{other:?}");
    }

    #[test]
    fn a_program_that_only_complains_says_the_cause_by_it() {
        let failed = |code, complaint: &str| Failure::of_end(End::Exited { code }, complaint.into());
        let login = failed(1, "error: failed to run prompt: provider.auth_error: 401 stub: invalid API key");
        assert!(matches!(login, Failure::NotLoggedIn { .. }), "{login:?}");
        let login = failed(1, "Error: Not logged in. Please run /login");
        assert!(matches!(login, Failure::NotLoggedIn { .. }), "{login:?}");
        let broken = failed(1, "HTTP 503: overloaded");
        assert!(matches!(broken, Failure::Model { status: Some(503), .. }), "{broken:?}");
        for complaint in [
            "error: unknown option '--verbose'",
            "warning: the rate limit of the cache is 5\nsegmentation fault",
            "cannot write unauthorized.log: no space left",
        ] {
            let crash = failed(1, complaint);
            assert!(matches!(crash, Failure::Crashed { .. }), "{crash:?}");
        }
        let killed = Failure::of_end(End::Signaled { signal: 9 }, "HTTP 401".into());
        assert!(matches!(killed, Failure::Crashed { .. }), "{killed:?}");
    }
}
