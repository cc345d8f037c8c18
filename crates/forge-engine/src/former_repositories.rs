//! Repositories of deleted projects that still have snapshots: a list in the data folder, so that these expire too.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use forge_git::Error as GitError;
use forge_model::{Attempt, AttemptId, Project};

use crate::engine::Engine;
use crate::error::Result;
use crate::snapshot_retention::SNAPSHOTS;
use crate::snapshots::DELETED;
use crate::whole::{self, off_runtime};

/// A JSON list of their paths.
const FILE: &str = "former-repositories.json";

impl Engine {
    /// Adds the repository of a project that is about to be deleted.
    pub(crate) async fn remember_repository(&self, project: &Project) -> Result<()> {
        let path = project.git_repo_path.clone();
        self.change_former(move |former| former.insert(path)).await
    }

    /// Removes the expired snapshots of deleted projects and returns their number, or only counts them.
    pub(crate) async fn expire_former(
        &self,
        projects: &[Project],
        known: &HashMap<AttemptId, Attempt>,
        dry_run: bool,
    ) -> usize {
        let former = match read(&self.former_file()) {
            Ok(former) => former,
            Err(error) => {
                tracing::warn!(error = %error, "snapshots of deleted projects are kept: {error}");
                return 0;
            }
        };
        let mut count = 0;
        // A path that is a project again is looked at with that project.
        for path in former.iter().filter(|path| projects.iter().all(|one| one.git_repo_path != **path)) {
            match self.expire_in_former(path, known, dry_run).await {
                Ok(expired) => count += expired,
                Err(error) => tracing::debug!(error = %error, "snapshots in {path} are kept: {error}"),
            }
        }
        count
    }

    async fn expire_in_former(
        &self,
        path: &str,
        known: &HashMap<AttemptId, Attempt>,
        dry_run: bool,
    ) -> Result<usize> {
        let repo = match self.inner.git.open(Path::new(path)).await {
            // Its folder is there, so no disk is missing: the repository was removed or moved.
            Err(GitError::PathNotFound { .. }) if Path::new(path).parent().is_some_and(Path::exists) => {
                self.remove_former(path).await?;
                return Ok(0);
            }
            opened => opened?,
        };
        let count = self.expire_in(&repo, None, known, dry_run).await?;
        let mark = format!("/{DELETED}");
        if !dry_run && !repo.hidden_refs(SNAPSHOTS).await?.iter().any(|hidden| hidden.name.ends_with(&mark)) {
            self.remove_former(path).await?;
        }
        Ok(count)
    }

    async fn remove_former(&self, path: &str) -> Result<()> {
        let path = path.to_owned();
        self.change_former(move |former| former.remove(&path)).await
    }

    async fn change_former(
        &self,
        change: impl FnOnce(&mut BTreeSet<String>) -> bool + Send + 'static,
    ) -> Result<()> {
        let engine = self.clone();
        off_runtime(move || {
            // Locked here: a caller that is dropped does not end this.
            let _turn = engine.inner.former_repositories.blocking_lock();
            let file = engine.former_file();
            let mut former = read(&file)?;
            if change(&mut former) {
                let list: Vec<&String> = former.iter().collect();
                whole::write(&file, &serde_json::json!(list).to_string())?;
            }
            Ok(())
        })
        .await
    }

    fn former_file(&self) -> PathBuf {
        self.inner.options.data.join(FILE)
    }
}

/// The paths in the file; none if it is missing or was damaged.
fn read(file: &Path) -> Result<BTreeSet<String>> {
    let Some(text) = whole::read(file)? else { return Ok(BTreeSet::new()) };
    Ok(serde_json::from_str(&text).unwrap_or_else(|error| {
        whole::set_aside(file, &error.to_string());
        BTreeSet::new()
    }))
}
