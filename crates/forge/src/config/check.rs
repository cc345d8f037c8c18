//! Whether settings can work at all: what would fail at the first attempt is refused at the start.

use std::collections::BTreeMap;
use std::time::Duration;

use forge_engine::Agents;
use forge_model::preferences::is_branch_prefix;

use super::file::ExecutorSection;
use crate::error::Error;

const MOST_GRACE_SECONDS: u64 = 86_400;
const MOST_MINUTES: f64 = 1440.0;
const MOST_APPROVAL_SECONDS: u64 = 30 * 86_400;

/// What stands before the `/` of a branch's name; empty where nothing shall.
pub(super) fn branch_prefix(prefix: String) -> Result<String, Error> {
    if is_branch_prefix(&prefix) {
        return Ok(prefix);
    }
    Err(Error::Setting {
        name: "branch_prefix",
        value: prefix,
        expected: "one part of a branch's name, of letters, digits, `.`, `_` and `-`, such as forge",
    })
}

/// How long a stop may take.
pub(super) fn grace(seconds: u64) -> Result<Duration, Error> {
    if seconds <= MOST_GRACE_SECONDS {
        return Ok(Duration::from_secs(seconds));
    }
    Err(Error::Setting {
        name: "grace_seconds",
        value: seconds.to_string(),
        expected: "86400, which is a day, or less",
    })
}

/// How long an agent may wait for its next turn.
pub(super) fn keep_minutes(minutes: f64) -> Result<Duration, Error> {
    if (0.0..=MOST_MINUTES).contains(&minutes) {
        return Ok(Duration::from_secs_f64(minutes * 60.0));
    }
    Err(Error::Setting {
        name: "keep_agents_minutes",
        value: minutes.to_string(),
        expected: "a number of minutes up to 1440, which is a day; 0 keeps none",
    })
}

/// How long a git may take that runs hooks or filters.
pub(super) fn git_minutes(minutes: f64) -> Result<Duration, Error> {
    if minutes > 0.0 && minutes <= MOST_MINUTES {
        return Ok(Duration::from_secs_f64(minutes * 60.0));
    }
    Err(Error::Setting {
        name: "git_minutes",
        value: minutes.to_string(),
        expected: "a number of minutes above 0 and up to 1440, which is a day",
    })
}

/// How long an agent waits for a person.
pub(super) fn approval_timeout(seconds: u64) -> Result<Duration, Error> {
    if (1..=MOST_APPROVAL_SECONDS).contains(&seconds) {
        return Ok(Duration::from_secs(seconds));
    }
    Err(Error::Setting {
        name: "approval_seconds",
        value: seconds.to_string(),
        expected: "a number from 1 to 2592000, which is thirty days",
    })
}

/// Origins as browsers spell them. Anything else would never match, in silence.
pub(super) fn origins(origins: impl Iterator<Item = String>) -> Result<Vec<String>, Error> {
    origins
        .map(|origin| {
            let page = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            if page.is_some_and(|page| !page.is_empty() && !page.contains(['/', '?', '#', '*', '@', ' '])) {
                return Ok(origin);
            }
            Err(Error::Setting {
                name: "allow_origins",
                value: origin,
                expected: "an origin without a path, such as https://forge.example",
            })
        })
        .collect()
}

/// Every spelling of an executor's name is one.
pub(super) fn commands(
    agents: &Agents,
    executors: BTreeMap<String, ExecutorSection>,
) -> Result<BTreeMap<String, Vec<String>>, Error> {
    executors
        .into_iter()
        .map(|(name, section)| {
            let agent = agents.find(&name).map_err(|source| Error::UnknownExecutor { source })?;
            if section.command.first().is_none_or(|program| program.trim().is_empty()) {
                return Err(Error::EmptyCommand { name: agent.name.clone() });
            }
            Ok((agent.name.clone(), section.command))
        })
        .collect()
}
