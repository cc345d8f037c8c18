//! A profile: which executor, with which of its variants.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An executor's name and, where one was picked, a variant's.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Profile {
    /// The kind of agent, in the wire's spelling: `CLAUDE_CODE`.
    pub executor: String,
    /// Named settings of it; none means its default.
    pub variant: Option<String>,
}

/// A text that names no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an executor such as CLAUDE_CODE or CLAUDE_CODE:PLAN is expected")]
pub struct ParseProfileError;

impl Profile {
    /// A profile from the words a client sent, whatever their case or separators. `DEFAULT` is no variant.
    ///
    /// # Errors
    /// When the executor's name is empty or holds anything but letters, digits, `-`, `_` and spaces.
    pub fn new(executor: &str, variant: Option<&str>) -> Result<Self, ParseProfileError> {
        let executor = word(executor)?;
        let variant = match variant.map(str::trim) {
            None | Some("") => None,
            Some(text) => Some(word(text)?),
        };
        Ok(Self { executor, variant: variant.filter(|v| v != "DEFAULT") })
    }
}

/// `claude-code` and `Claude Code` are `CLAUDE_CODE`.
fn word(text: &str) -> Result<String, ParseProfileError> {
    let text = text.trim();
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ' ' | '.');
    if text.is_empty() || text.len() > 80 || !text.chars().all(known) {
        return Err(ParseProfileError);
    }
    Ok(text.chars().map(|c| if matches!(c, '-' | ' ') { '_' } else { c.to_ascii_uppercase() }).collect())
}

impl FromStr for Profile {
    type Err = ParseProfileError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            Some((executor, variant)) => Self::new(executor, Some(variant)),
            None => Self::new(text, None),
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.executor)?;
        self.variant.as_ref().map_or(Ok(()), |variant| write!(f, ":{variant}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_executor_is_one() {
        for text in
            ["CLAUDE_CODE", "claude-code", "Claude Code", "CLAUDE_CODE:DEFAULT", " claude_code:default"]
        {
            assert_eq!(text.parse::<Profile>().unwrap().to_string(), "CLAUDE_CODE", "{text}");
        }
        assert_eq!("claude-code:plan".parse::<Profile>().unwrap().to_string(), "CLAUDE_CODE:PLAN");
        for text in ["", ":", "a/b", "a\nb", "é"] {
            assert!(text.parse::<Profile>().is_err(), "{text:?}");
        }
    }
}
