//! Branches: listing them, and finding the one to start from.

use crate::{Error, Oid, Repo, Result};

/// A local or remote-tracking branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// `main`, or `origin/main` for a remote-tracking one.
    pub name: String,
    pub is_current: bool,
    pub is_remote: bool,
    /// Committer time of its tip, in milliseconds since 1970.
    pub last_commit_at_ms: i64,
}

/// The commit that a new worktree starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    pub oid: Oid,
    pub kind: BaseKind,
}

/// What the name of a [`Base`] is a name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseKind {
    Branch,
    RemoteBranch,
    Tag,
    Commit,
}

impl BaseKind {
    /// Whether work that starts there can go back to it.
    pub const fn is_branch(self) -> bool {
        matches!(self, Self::Branch | Self::RemoteBranch)
    }
}

/// How many near names an error offers.
const SUGGESTIONS: usize = 3;

/// No more of a name, and no more branches, are compared with it: that would take seconds.
const LONGEST_COMPARED: usize = 80;
const MOST_COMPARED: usize = 1000;

impl Repo {
    /// All branches: the current one first, then by newest commit; local before remote.
    pub async fn branches(&self) -> Result<Vec<Branch>> {
        let format = "--format=%(refname)%00%(committerdate:unix)%00%(HEAD)%00%(symref)";
        let call = self.call().args(["for-each-ref", format, "refs/heads", "refs/remotes"]);
        let output = call.read().await?.ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut branches = Vec::new();
        for line in text.lines() {
            let fields: Vec<_> = line.split('\0').collect();
            let &[refname, seconds, head, symref] = fields.as_slice() else {
                return Err(output.unreadable());
            };
            if let Some(name) = refname.strip_prefix("refs/heads/") {
                branches.push(branch(name, seconds, head == "*", false));
            } else if let Some(name) = refname.strip_prefix("refs/remotes/")
                && symref.is_empty()
                && !name.ends_with("/HEAD")
            {
                branches.push(branch(name, seconds, false, true));
            }
        }
        branches.sort_by_key(|branch| (!branch.is_current, -branch.last_commit_at_ms, branch.is_remote));
        Ok(branches)
    }

    /// The branch HEAD is on; none when it is detached.
    pub async fn current_branch(&self) -> Result<Option<String>> {
        let output = self.call().args(["symbolic-ref", "-q", "HEAD"]).read().await?;
        if output.status.code() == Some(1) {
            return Ok(None);
        }
        let output = output.ok()?;
        Ok(output.text()?.strip_prefix("refs/heads/").map(ToOwned::to_owned))
    }

    /// The commit at the tip of a branch: a local one of that name, else a remote-tracking one.
    pub async fn resolve(&self, base: &str) -> Result<Base> {
        crate::names::check_branch_length(base)?;
        let branches = [("heads", BaseKind::Branch), ("remotes", BaseKind::RemoteBranch)];
        match self.resolve_in(&branches, base).await? {
            Some(base) => Ok(base),
            None => Err(self.not_found(base).await),
        }
    }

    /// The commit that work starts at: of a branch, as [`Repo::resolve`] finds it, else of a tag, else the one with this
    /// name, which may be shortened.
    pub async fn resolve_start(&self, base: &str) -> Result<Base> {
        crate::names::check_branch_length(base)?;
        let spaces =
            [("heads", BaseKind::Branch), ("remotes", BaseKind::RemoteBranch), ("tags", BaseKind::Tag)];
        if let Some(base) = self.resolve_in(&spaces, base).await? {
            return Ok(base);
        }
        match self.named_commit(base).await? {
            Some(oid) => Ok(Base { oid, kind: BaseKind::Commit }),
            None => Err(self.not_found(base).await),
        }
    }

    /// The first of the refs of this name in these folders under `refs/`.
    async fn resolve_in(&self, spaces: &[(&str, BaseKind)], name: &str) -> Result<Option<Base>> {
        for (space, kind) in spaces {
            if let Some(oid) = self.tip(&format!("refs/{space}/{name}")).await? {
                return Ok(Some(Base { oid, kind: *kind }));
            }
        }
        Ok(None)
    }

    async fn not_found(&self, name: &str) -> Error {
        let branches = match self.branches().await {
            Ok(branches) => branches,
            // A damaged ref is not the one that was asked for.
            Err(Error::Damaged { .. }) => Vec::new(),
            Err(error) => return error,
        };
        if branches.is_empty() && matches!(self.head().await, Ok(None)) {
            return Error::NoCommits { path: self.path().to_owned() };
        }
        Error::BranchNotFound { name: name.to_owned(), suggestions: suggest(name, &branches) }
    }

    /// The commit whose name begins with these hex digits.
    async fn named_commit(&self, name: &str) -> Result<Option<Oid>> {
        if !(4..=64).contains(&name.len()) || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let call = self.call().args(["rev-parse", "--verify", "--end-of-options"]);
        let output = call.arg(format!("{name}^{{commit}}")).read().await?;
        if output.stderr.contains("is ambiguous") {
            return Err(Error::AmbiguousCommit { name: name.to_owned() });
        }
        // A ref may have such a name.
        let oid = output.oid().ok().filter(|oid| oid.as_str().starts_with(&name.to_ascii_lowercase()));
        Ok(oid.filter(|_| output.status.success()))
    }

    /// The commit that HEAD is at; none before the first one.
    pub async fn head(&self) -> Result<Option<Oid>> {
        let call = self.call().args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
        let output = call.read().await?;
        if output.status.code() == Some(1) {
            return Ok(None);
        }
        output.ok()?.oid().map(Some)
    }

    /// The commit a ref points to; none when there is no such ref.
    pub(crate) async fn tip(&self, refname: &str) -> Result<Option<Oid>> {
        let name = refname.strip_prefix("refs/").and_then(|name| name.split_once('/')).map(|(_, name)| name);
        if name.is_none_or(|name| crate::names::check_branch(name).is_err()) {
            return Ok(None);
        }
        let commit = format!("{refname}^{{commit}}");
        let call = self.call().args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        let output = call.arg(commit).read().await?;
        if output.status.code() == Some(1) {
            return Ok(None);
        }
        output.ok()?.oid().map(Some)
    }
}

fn branch(name: &str, seconds: &str, is_current: bool, is_remote: bool) -> Branch {
    let seconds: i64 = seconds.parse().unwrap_or(0);
    Branch { name: name.to_owned(), is_current, is_remote, last_commit_at_ms: seconds.saturating_mul(1000) }
}

/// The names nearest to a mistyped one: the same but for letter case or remote, or a few letters off.
fn suggest(wanted: &str, branches: &[Branch]) -> Vec<String> {
    let wanted: String = wanted.chars().take(LONGEST_COMPARED).flat_map(char::to_lowercase).collect();
    let near = |name: &str| {
        let name = name.to_lowercase();
        let last = name.rsplit_once('/').map_or(name.as_str(), |(_, last)| last);
        distance(&wanted, &name).min(distance(&wanted, last) + 1)
    };
    let mut ranked: Vec<_> =
        branches.iter().take(MOST_COMPARED).map(|branch| (near(&branch.name), &branch.name)).collect();
    ranked.retain(|(distance, _)| *distance <= 2.max(wanted.len() / 4));
    ranked.sort_by_key(|(distance, _)| *distance);
    ranked.into_iter().take(SUGGESTIONS).map(|(_, name)| name.clone()).collect()
}

/// How many letters must be changed, added or dropped to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (above, from_char) in from.chars().enumerate() {
        let mut diagonal = above;
        let mut left = above + 1;
        for (cell, to_char) in row.iter_mut().skip(1).zip(to.chars()) {
            let changed = diagonal + usize::from(from_char != to_char);
            diagonal = *cell;
            left = changed.min(left + 1).min(diagonal + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = above + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("main", "main"), 0);
        assert_eq!(distance("mian", "main"), 2);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        let branches: Vec<_> =
            ["main", "origin/feature", "Develop"].map(|n| branch(n, "0", false, false)).into();
        assert_eq!(suggest("mian", &branches), ["main"]);
        assert_eq!(suggest("feature", &branches), ["origin/feature"]);
        assert_eq!(suggest("develop", &branches), ["Develop"]);
        assert!(suggest("zzzz", &branches).is_empty());
    }
}
