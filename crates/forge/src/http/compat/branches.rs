//! What is asked of an attempt's branch.

use forge_engine::SearchScope;
use schemars::JsonSchema;
use serde::Deserialize;

use super::missing;
use crate::http::problem::Problem;

/// The branch that the work shall go to.
#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct TargetChange {
    new_target_branch: Option<String>,
    /// An older client's name for it.
    target_branch: Option<String>,
}

impl TargetChange {
    pub(in crate::http) fn into_branch(self) -> Result<String, Problem> {
        let branch = self.new_target_branch.or(self.target_branch);
        branch.ok_or_else(|| missing("new_target_branch"))
    }
}

/// What to rebase on.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its shape is used until there is a rebase")]
pub(in crate::http) struct RebaseBody {
    /// The branch that the work began at, where that is not the attempt's target.
    old_base_branch: Option<String>,
    /// The branch that it shall go on from; the attempt's target where it is left out.
    new_base_branch: Option<String>,
    /// An older client's name for it.
    base_branch: Option<String>,
}

/// A pull request to make.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its shape is used until there are pull requests")]
pub(in crate::http) struct PullRequestBody {
    title: String,
    body: Option<String>,
    /// An older client's name for the body. Who uses it is answered with an object, others with the address alone.
    description: Option<String>,
    target_branch: Option<String>,
}

/// A pull request that is there.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its shape is used until there are pull requests")]
pub(in crate::http) struct AttachBody {
    /// Its number; without it, the one that was made of the attempt's branch.
    pr_number: Option<u64>,
}

/// Where a search looks. Clients send more modes than there are, in any case.
pub(in crate::http) fn search_scope(mode: Option<&str>) -> SearchScope {
    match mode {
        Some(mode) if mode.eq_ignore_ascii_case("settings") => SearchScope::All,
        Some(_) | None => SearchScope::Known,
    }
}
