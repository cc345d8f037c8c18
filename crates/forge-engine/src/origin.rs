//! The commit that an attempt starts at, and the branch that its work goes to.

use forge_git::{Base, BaseKind, Error as GitError, Oid, Repo};
use forge_model::{Project, StartAttempt};

use crate::error::{Error, Result};
use crate::start::MARK;

/// Where an attempt starts.
pub(crate) struct Origin {
    /// The name that was given or found: of a branch, a tag or a commit.
    pub(crate) name: String,
    pub(crate) is_branch: bool,
    pub(crate) oid: Oid,
    /// The commit whose hooks and scripts may run; none is the one that the attempt starts at.
    pub(crate) trusted: Option<Oid>,
    /// The branch that the work goes to; the name of the start if there is none.
    pub(crate) target: String,
}

/// Resolves where an attempt starts. Uncommitted changes that it is to include become a commit, which no ref names yet.
///
/// # Errors
/// When there is no such commit, or the uncommitted changes belong to another one.
pub(crate) async fn origin(repo: &Repo, project: &Project, command: &StartAttempt) -> Result<Origin> {
    let named = command.base_branch.as_deref().map(str::trim).filter(|branch| !branch.is_empty());
    let (name, base) = match named.or(project.default_base_branch.as_deref()) {
        Some(name) => (name.to_owned(), repo.resolve_start(name).await?),
        None => checked_out(repo).await?,
    };
    let trusted = repo.trusted_base(&name, &base, MARK).await?;
    let is_branch = base.kind.is_branch();
    let target = if is_branch { name.clone() } else { target(repo, project, &name).await? };
    let oid = match command.include_uncommitted {
        true => with_uncommitted(repo, &name, &base.oid).await?,
        false => base.oid,
    };
    Ok(Origin { name, is_branch, oid, trusted, target })
}

/// The checkout of the repository: a branch, or a commit if it has no branches of its own.
async fn checked_out(repo: &Repo) -> Result<(String, Base)> {
    const HINT: &str = "name a branch, tag or commit as base_branch";
    if let Some(branch) = repo.current_branch().await? {
        return match repo.resolve(&branch).await {
            Ok(base) => Ok((branch, base)),
            Err(GitError::BranchNotFound { .. }) => {
                let message =
                    format!("the branch {branch}, which the repository has checked out, has no commit yet");
                Err(Error::invalid("branch_unborn", message).hint(HINT))
            }
            Err(error) => Err(error.into()),
        };
    }
    let Some(oid) = repo.head().await? else {
        return Err(GitError::NoCommits { path: repo.path().to_owned() }.into());
    };
    if repo.branches().await?.iter().any(|branch| !branch.is_remote) {
        let message = format!("the repository has no branch checked out: HEAD is detached at {oid}");
        return Err(Error::invalid("base_branch_missing", message).hint(HINT));
    }
    Ok((oid.to_string(), Base { oid, kind: BaseKind::Commit }))
}

/// Where work goes that starts at a tag or a commit: to the project's default branch, or the one that is checked out.
async fn target(repo: &Repo, project: &Project, name: &str) -> Result<String> {
    let candidates = [project.default_base_branch.clone(), repo.current_branch().await?];
    for candidate in candidates.into_iter().flatten() {
        if repo.has_branch(&candidate).await? {
            return Ok(candidate);
        }
    }
    Ok(name.to_owned())
}

/// The commit of the uncommitted changes; the base if nothing is uncommitted.
async fn with_uncommitted(repo: &Repo, name: &str, base: &Oid) -> Result<Oid> {
    let uncommitted = match is_checked_out(repo, base).await? {
        true => repo.commit_uncommitted(base).await?,
        false => None,
    };
    // Somebody may have checked out another commit while the folder was read.
    if !is_checked_out(repo, base).await? {
        let folder = repo.path().display();
        let message = format!(
            "the uncommitted changes in {folder} were not made on {name}, which is not checked out there"
        );
        return Err(Error::invalid("base_not_checked_out", message)
            .hint("name what is checked out there as base_branch, or omit include_uncommitted"));
    }
    Ok(uncommitted.unwrap_or_else(|| base.clone()))
}

async fn is_checked_out(repo: &Repo, commit: &Oid) -> Result<bool> {
    Ok(repo.head().await?.as_ref() == Some(commit))
}

/// The warning that an attempt's target is not a branch; none if it is one.
pub(crate) async fn target_warning(repo: &Repo, target: &str) -> Result<Option<String>> {
    match repo.resolve(target).await {
        Ok(_) => Ok(None),
        Err(GitError::BranchNotFound { .. } | GitError::NoCommits { .. }) => Ok(Some(format!(
            "There is no branch {target}, so the work cannot be merged: change the attempt's target branch."
        ))),
        Err(error) => Err(error.into()),
    }
}
