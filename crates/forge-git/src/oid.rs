//! The name of a git object.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A full object name: 40 (SHA-1) or 64 (SHA-256) lower-case hex digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Oid(Arc<str>);

const EMPTY_TREES: [&str; 2] = [
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
];

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

    /// The tree without files in repositories with this hash. Git knows it without storing it.
    pub(crate) fn empty_tree(&self) -> Self {
        let [sha1, sha256] = EMPTY_TREES;
        Self(if self.0.len() == sha1.len() { sha1 } else { sha256 }.into())
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
