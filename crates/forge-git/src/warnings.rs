//! What a user should know about a worktree: what is not saved or committed, and which programs git does not run.

use crate::identity::{EMAIL, NAME};
use crate::plain_file::text;
use crate::{Result, Worktree};

impl Worktree {
    /// One sentence for each; empty when all is well.
    pub async fn warnings(&self) -> Result<Vec<String>> {
        let (apart, hooks, missing, is_known) = tokio::join!(
            self.apart(|| self.call()),
            self.distrusted_hooks(),
            self.missing_submodules(),
            self.repo.has_identity()
        );
        let apart = apart?;
        let (_, foreign) = self.modules(&apart.links).await?;
        let mut warnings: Vec<String> =
            self.guard.skipped.iter().map(|why| format!("Git ignores a program: {why}.")).collect();
        warnings.extend(hooks?.map(|why| format!("Git runs no hooks here: {why}.")));
        warnings.extend(apart.left_out().into_iter().map(|what| format!("{what}.")));
        warnings.extend(foreign.iter().map(|path| {
            format!("{} is a repository of its own; what is in it is not saved.", path.display())
        }));
        warnings.extend(missing?.iter().map(|path| {
            let path = path.display();
            format!(
                "The submodule {path} is not checked out: set fetch_submodules of the project to fetch it."
            )
        }));
        let attributes = text(&self.path().join(".gitattributes")).unwrap_or_default();
        if attributes.contains("filter=lfs") && !self.guard.drivers.contains("lfs") {
            warnings.push(
                "Files that are kept in git-lfs are pointers here: install git-lfs and run `git lfs install`.".to_owned(),
            );
        }
        if !is_known? {
            warnings.push(format!(
                "Git does not know your name and address here, so commits are by {NAME} <{EMAIL}>: run `git config \
                 --global user.name` and `user.email`."
            ));
        }
        Ok(warnings)
    }
}
