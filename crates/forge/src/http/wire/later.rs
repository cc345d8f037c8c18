//! The answers of operations that are not available yet, in the shape that they will have.
#![expect(dead_code, reason = "only their shapes are used until there is something to answer")]

use schemars::JsonSchema;
use serde::Serialize;

/// What became of a merge.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Merged {
    merged: bool,
    message: Option<String>,
}

/// What became of a rebase.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Rebased {
    /// `rebased` or `conflicts`.
    status: String,
    /// The files that are to be resolved.
    conflicts: Vec<String>,
}

/// A pull request that was made: its address, or more for who asked in the older spelling.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(in crate::http) enum NewPullRequest {
    Url(String),
    Numbered { pr_number: u64, pr_url: String },
}

/// A pull request that belongs to an attempt now.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct AttachedPullRequest {
    pr_attached: bool,
    pr_url: Option<String>,
    pr_number: Option<u64>,
    /// `open`, `merged`, `closed` or `unknown`.
    pr_status: Option<String>,
}

/// What became of a pull. Not in the envelope, as clients expect it.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Pulled {
    success: bool,
    message: String,
    details: Option<String>,
}
