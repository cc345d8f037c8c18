//! From a path to the attempt that works there: what a tool asks that was started in a worktree.

use forge_model::Attempt;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::whole::off_runtime;

impl Engine {
    /// The attempt whose worktree is at this path, or around it.
    ///
    /// # Errors
    /// When there is none.
    pub async fn find_attempt_at(&self, path: &str) -> Result<Attempt> {
        let path = path.trim_end_matches('/').to_owned();
        let shown: String = path.chars().take(200).collect();
        let nobody = || {
            Error::not_found("attempt at", &shown)
                .hint("give the whole path of an attempt's worktree, or of something in it")
        };
        if path.contains('\0') || path.split('/').any(|part| part == "..") {
            return Err(nobody());
        }
        if let Ok(attempt) = self.inner.store.find_attempt_at(&path).await {
            return Ok(attempt);
        }
        // A shell tells where it is by whatever links it went through.
        let real = off_runtime(move || Ok(std::fs::canonicalize(path).ok())).await?;
        let real = real.as_deref().and_then(std::path::Path::to_str).ok_or_else(nobody)?;
        self.inner.store.find_attempt_at(real).await.map_err(|error| match error {
            forge_store::StoreError::NotFound { .. } => nobody(),
            other => other.into(),
        })
    }
}
