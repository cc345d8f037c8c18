//! The name of a git object.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A full object name: 40 (SHA-1) or 64 (SHA-256) lower-case hex digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Oid(Arc<str>);

/// The text is not a full object name.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a full git object name")]
pub struct NotAnOid(String);

impl Oid {
    /// The hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name git uses for "no object" in repositories with this hash.
    pub(crate) fn null(&self) -> String {
        "0".repeat(self.0.len())
    }
}

impl FromStr for Oid {
    type Err = NotAnOid;

    fn from_str(text: &str) -> Result<Self, NotAnOid> {
        let hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if hex && matches!(text.len(), 40 | 64) { Ok(Self(text.into())) } else { Err(NotAnOid(text.into())) }
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
