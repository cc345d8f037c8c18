//! Commits: what one says, and how two stand to each other.

use crate::diff::RENAMES;
use crate::{Error, Oid, Repo, Result};

/// What a commit says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitInfo {
    pub oid: Oid,
    /// The first line of its message.
    pub subject: String,
    pub author: String,
    pub author_email: String,
    /// When its work was done, in milliseconds since 1970.
    pub authored_at_ms: i64,
}

/// How many commits each of two lines of history has that the other lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divergence {
    pub ahead: u64,
    pub behind: u64,
}

/// How a commit stands to another that came later, or beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// What the later one has beyond the commit (`ahead`), and lacks of it (`behind`).
    pub divergence: Divergence,
    pub files_changed: u64,
    pub insertions: u64,
    pub deletions: u64,
}

impl Repo {
    /// The commit with this name: all its hex digits, or the first of them.
    pub async fn commit_info(&self, name: &str) -> Result<CommitInfo> {
        let name = name.trim();
        if !(4..=64).contains(&name.len()) || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Error::NotACommitName { name: name.chars().take(100).collect() });
        }
        let format = "--format=%H%x00%s%x00%an%x00%ae%x00%at";
        let call = self.call().args(["rev-list", "--max-count=1", "--no-commit-header"]);
        let call = call.args([format, "--encoding=UTF-8", "--end-of-options"]);
        let output = call.arg(format!("{name}^{{commit}}")).arg("--").read().await?;
        if !output.status.success() {
            let unknown = ["bad revision", "unknown revision", "ambiguous", "Not a valid", "bad object"];
            if unknown.iter().any(|words| output.stderr.contains(words)) {
                return Err(Error::CommitNotFound { name: name.to_owned() });
            }
            return Err(output.into_error());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let fields: Vec<_> = text.trim_end_matches('\n').split('\0').collect();
        let &[oid, subject, author, author_email, seconds] = fields.as_slice() else {
            return Err(output.unreadable());
        };
        Ok(CommitInfo {
            oid: oid.parse().map_err(|_invalid| output.unreadable())?,
            subject: subject.to_owned(),
            author: author.to_owned(),
            author_email: author_email.to_owned(),
            authored_at_ms: seconds.parse::<i64>().unwrap_or(0).saturating_mul(1000),
        })
    }

    /// How `commit` stands to `head`: what was changed since, and how far the two are apart.
    pub async fn compare(&self, commit: &Oid, head: &Oid) -> Result<Comparison> {
        let call = self.call().args(["diff-tree", "-r", "--numstat", "-z"]).args(RENAMES);
        let call = call.args([commit.as_str(), head.as_str()]);
        let (divergence, changed) =
            tokio::join!(self.count_apart(head.as_str(), commit.as_str()), call.read());
        let divergence =
            divergence?.ok_or_else(|| Error::CommitNotFound { name: commit.as_str().to_owned() })?;
        let mut comparison = Comparison { divergence, files_changed: 0, insertions: 0, deletions: 0 };
        // `3\t1\tpath`, or `3\t1\t` and two paths for a file that was renamed.
        for record in changed?.ok()?.stdout.split(|byte| *byte == 0) {
            let mut fields = record.splitn(3, |byte| *byte == b'\t');
            let (Some(added), Some(deleted), Some(_path)) = (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            // A path may hold tabs, but what is before them is no count then.
            let (Some(added), Some(deleted)) = (count(added), count(deleted)) else { continue };
            comparison.files_changed += 1;
            comparison.insertions += added;
            comparison.deletions += deleted;
        }
        Ok(comparison)
    }

    /// How far a branch is from its target, which is a local branch or else a remote's. None when one of them is not
    /// there.
    pub async fn divergence(&self, branch: &str, target: &str) -> Result<Option<Divergence>> {
        if [branch, target].iter().any(|name| crate::names::check_branch(name).is_err()) {
            return Ok(None);
        }
        let branch = format!("refs/heads/{branch}");
        for space in ["heads", "remotes"] {
            let found = self.count_apart(&branch, &format!("refs/{space}/{target}")).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// How far HEAD of the repository's own checkout is from what is known of a remote's branch, such as
    /// `origin/main`. Nothing is fetched.
    pub async fn divergence_from_remote(&self, remote_branch: &str) -> Result<Option<Divergence>> {
        if crate::names::check_branch(remote_branch).is_err() {
            return Err(Error::InvalidName { name: remote_branch.to_owned() });
        }
        self.count_apart("HEAD", &format!("refs/remotes/{remote_branch}")).await
    }

    async fn count_apart(&self, ours: &str, theirs: &str) -> Result<Option<Divergence>> {
        let call = self.call().args(["rev-list", "--left-right", "--count"]);
        let output = call.arg(format!("{ours}...{theirs}")).arg("--").read().await?;
        if output.stderr.contains("bad revision") || output.stderr.contains("Invalid symmetric difference") {
            return Ok(None);
        }
        let output = output.ok()?;
        let counts = output.text()?.split_once('\t');
        let counts = counts.and_then(|(left, right)| Some((left.parse().ok()?, right.parse().ok()?)));
        let (ahead, behind) = counts.ok_or_else(|| output.unreadable())?;
        Ok(Some(Divergence { ahead, behind }))
    }
}

/// How many lines git counted; a binary file has none.
fn count(field: &[u8]) -> Option<u64> {
    if field == b"-" { Some(0) } else { str::from_utf8(field).ok()?.parse().ok() }
}
