//! Making a repository, and the first commit of one that has none.

use std::fs;
use std::path::{Path, PathBuf};

use crate::commands::without_own;
use crate::lock::Hold;
use crate::{Error, Git, Repo, Result};

/// The branch of a repository that is made here.
pub const FIRST_BRANCH: &str = "main";

impl Git {
    /// Makes a repository with branch [`FIRST_BRANCH`] and an empty first commit; missing folders are made,
    /// files that lie there stay as they are. On failure nothing is left.
    pub async fn create(&self, path: &Path) -> Result<Repo> {
        let (git, path) = (self.clone(), path.to_owned());
        self.see_through(async move { git.init(&path).await }).await
    }

    async fn init(self, path: &Path) -> Result<Repo> {
        let path = std::path::absolute(path).map_err(Error::io("resolve", path))?;
        if path.exists() {
            match self.open(&path).await {
                _ if path.join(".git").exists() => return Err(Error::AlreadyARepository { path }),
                Ok(_) => return Err(Error::AlreadyARepository { path }),
                Err(Error::NotARepository { .. } | Error::NotTheTop { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let new_folder = first_missing(&path);
        fs::create_dir_all(&path).map_err(Error::io("create", &path))?;
        let made = self.init_in(&path).await;
        if made.is_err() {
            let leftover = new_folder.unwrap_or_else(|| path.join(".git"));
            if let Err(error) = fs::remove_dir_all(&leftover) {
                tracing::warn!(error.cause = %error, "could not remove {}", leftover.display());
            }
        }
        made
    }

    async fn init_in(&self, path: &Path) -> Result<Repo> {
        let lock = tempfile::NamedTempFile::new().map_err(Error::io("lock", path))?;
        let hold = Hold::exclusive(lock.path()).await?;
        let branch = format!("--initial-branch={FIRST_BRANCH}");
        let call = self.call(path).args(["init", "--quiet"]).arg(branch);
        call.write(&hold).await?.ok()?;
        let repo = self.open(path).await?;
        repo.commit_nothing().await?;
        Ok(repo)
    }
}

impl Repo {
    /// Whether HEAD or a branch has a commit.
    pub async fn has_commits(&self) -> Result<bool> {
        // Branches first: one whose commit is missing makes the repository unusable, which is better known early.
        Ok(!self.branches().await?.is_empty() || self.head().await?.is_some())
    }

    /// Whether the repository's own checkout has files, staged ones or ones that are not ignored.
    pub async fn has_files(&self) -> Result<bool> {
        if fs::symlink_metadata(self.path().join(".git")).is_err() {
            return Ok(false);
        }
        let call = self.call_in_checkout().args(["ls-files", "-z", "--cached", "--others", "--directory"]);
        let call = call.args(["--no-empty-directory", "--exclude-standard"]);
        Ok(!call.read().await?.ok()?.stdout.is_empty())
    }

    /// Makes an empty first commit if the repository has none. What is staged stays staged.
    pub async fn first_commit(&self) -> Result<()> {
        if self.has_commits().await? {
            return Ok(());
        }
        let repo = self.clone();
        self.git.see_through(async move { repo.commit_nothing().await }).await
    }

    async fn commit_nothing(&self) -> Result<()> {
        let hold = Hold::shared(&self.lock_path()).await?;
        // Standard input is empty, and so is the tree.
        let tree = self.call().arg("mktree").write(&hold).await?.ok()?.oid()?;
        // The repository's own settings name no program that runs here.
        let own = without_own(&self.settings().await?, |_| true);
        let call = own.iter().fold(self.call(), |call, (key, value)| call.setting(key, value));
        let call = self.identity().await?.apply(call);
        let call = call.args(["commit-tree", "-m", "Initial commit"]);
        let call = if self.signs_commits().await? { call.arg("-S") } else { call };
        let output = call.arg(tree.as_str()).write(&hold).await?;
        if output.stderr.contains("failed to sign the data") {
            return Err(Error::SigningFailed { output: output.stderr.trim().to_owned() });
        }
        let commit = output.ok()?.oid()?;
        let call = self.call().args(["update-ref", "-m", "commit (initial): Initial commit"]);
        call.args(["HEAD", commit.as_str(), ""]).write(&hold).await?.ok().map(drop)
    }

    /// Whether the user's own settings ask for signed commits: `commit-tree` signs only when told to.
    async fn signs_commits(&self) -> Result<bool> {
        let call =
            self.call().args(["config", "--type=bool", "-z", "--show-scope", "--get-all", "commit.gpgSign"]);
        let output = call.read().await?.stdout;
        let fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        let users = fields.chunks_exact(2).rfind(|field| !matches!(field, [b"local" | b"worktree", _]));
        Ok(users.is_some_and(|field| matches!(field, [_, b"true"])))
    }
}

/// The topmost folder of the path that does not exist yet.
fn first_missing(path: &Path) -> Option<PathBuf> {
    path.ancestors().take_while(|folder| !folder.exists()).last().map(Path::to_owned)
}
