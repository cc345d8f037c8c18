//! An execution run to start.

use forge_engine::StartRun;
use forge_model::ProjectId;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{AnyProfile, missing, with_variant};
use crate::http::problem::Problem;

/// A run to start.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CreateExecutionRun")]
pub(in crate::http) struct NewRun {
    /// Where it works.
    project_id: ProjectId,
    /// What it is asked for.
    prompt: String,
    executor_profile_id: Option<AnyProfile>,
    /// Another name for `executor_profile_id`.
    executor: Option<AnyProfile>,
    /// The variant, where the profile does not say.
    variant: Option<String>,
    /// Where to begin: a branch, tag or commit; without it, the branch that the repository has checked out.
    base_branch: Option<String>,
    /// Begins with the uncommitted changes of the project's folder, which are a commit of their own on the branch.
    include_uncommitted: Option<bool>,
}

impl NewRun {
    pub(in crate::http) fn into_command(self, key: Option<String>) -> Result<StartRun, Problem> {
        let profile =
            self.executor_profile_id.or(self.executor).ok_or_else(|| missing("executor_profile_id"))?;
        Ok(StartRun {
            project_id: self.project_id,
            prompt: self.prompt,
            profile: with_variant(profile, self.variant)?,
            base_branch: self.base_branch.filter(|branch| !branch.trim().is_empty()),
            include_uncommitted: self.include_uncommitted.unwrap_or(false),
            idempotency_key: key,
        })
    }
}
