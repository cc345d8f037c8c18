//! The answers of operations that are not available yet, in the shape that they will have.
#![expect(dead_code, reason = "only their shapes are used until there is something to answer")]

use forge_model::{AttemptId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

/// What was made of a branch: merged here, or a pull request.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(in crate::http) enum Merge {
    Direct {
        #[schemars(with = "String")]
        id: Uuid,
        task_attempt_id: AttemptId,
        merge_commit: String,
        target_branch_name: String,
        created_at: Timestamp,
    },
    Pr {
        #[schemars(with = "String")]
        id: Uuid,
        task_attempt_id: AttemptId,
        target_branch_name: String,
        pr_info: PullRequestInfo,
        created_at: Timestamp,
    },
}

/// How a pull request stands.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct PullRequestInfo {
    number: u64,
    url: String,
    /// `open`, `merged`, `closed` or `unknown`.
    status: String,
    merged_at: Option<Timestamp>,
    merge_commit_sha: Option<String>,
}

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
