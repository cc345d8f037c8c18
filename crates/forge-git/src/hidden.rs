//! The hidden refs that hold snapshots, and registrations whose folders are gone.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::lock::Hold;
use crate::{Error, Oid, Repo, Result};

/// How the subjects of commits begin that are made for a snapshot.
pub const SUBJECT: &str = "Forge: ";

/// A ref under `refs/forge/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenRef {
    /// What follows the prefix it was listed by.
    pub name: String,
    pub oid: Oid,
    /// Its first parent, where there is one.
    pub parent: Option<Oid>,
    /// Committer time of the commit, in milliseconds since 1970.
    pub committed_at_ms: i64,
    /// Whether the commit was made for this ref, not for a branch.
    pub is_made_for_it: bool,
    /// A time at which the ref existed already, in milliseconds since 1970: when its file was written.
    pub written_before_ms: i64,
}

impl Repo {
    /// The refs below `prefix`, which begins with `refs/forge/` and ends with a slash.
    pub async fn hidden_refs(&self, prefix: &str) -> Result<Vec<HiddenRef>> {
        check(prefix)?;
        let format = "--format=%(objectname)%00%(parent)%00%(committerdate:unix)%00%(refname)%00%(trailers:key=Forge-Raw-Since,valueonly,separator=%20)";
        let output = self.call().args(["for-each-ref", format, prefix]).read().await?.ok()?;
        let mut refs = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let fields: Vec<_> = line.split('\0').collect();
            let &[oid, parents, seconds, refname, raw_since] = fields.as_slice() else {
                return Err(output.unreadable());
            };
            let name = refname.strip_prefix(prefix).ok_or_else(|| output.unreadable())?;
            let parent = parents.split(' ').next().and_then(|parent| parent.parse().ok());
            refs.push(HiddenRef {
                name: name.to_owned(),
                oid: oid.parse().map_err(|_invalid| output.unreadable())?,
                parent,
                committed_at_ms: seconds.parse::<i64>().unwrap_or(0).saturating_mul(1000),
                // A user's commit may have any subject.
                is_made_for_it: !raw_since.is_empty(),
                written_before_ms: self.written_before(refname),
            });
        }
        Ok(refs)
    }

    /// When the file of a ref was last written. One that is packed was made before the file of all of them was written.
    fn written_before(&self, refname: &str) -> i64 {
        let modified = |name: &str| std::fs::metadata(self.common_dir().join(name))?.modified();
        let time = modified(refname).or_else(|_packed| modified("packed-refs"));
        let time = time.unwrap_or_else(|_none| SystemTime::now()).duration_since(UNIX_EPOCH);
        time.ok().and_then(|time| i64::try_from(time.as_millis()).ok()).unwrap_or(i64::MAX)
    }

    /// Deletes these refs below `prefix`, unless they have changed since they were listed.
    pub async fn remove_hidden_refs(&self, prefix: &str, refs: Vec<HiddenRef>) -> Result<()> {
        check(prefix)?;
        let (repo, prefix) = (self.clone(), prefix.to_owned());
        self.git.see_through(async move { repo.drop_refs(&prefix, refs).await }).await
    }

    /// Makes a ref under `refs/forge/` of a commit.
    pub async fn make_hidden_ref(&self, refname: &str, oid: &Oid) -> Result<()> {
        if !refname.starts_with("refs/forge/") || crate::names::check_branch(refname).is_err() {
            return Err(Error::InvalidName { name: refname.to_owned() });
        }
        let (repo, refname, oid) = (self.clone(), refname.to_owned(), oid.clone());
        let make = async move {
            let hold = Hold::shared(&repo.lock_path()).await?;
            let call = repo.call().args(["update-ref", &refname, oid.as_str()]);
            call.write(&hold).await?.ok().map(drop)
        };
        self.git.see_through(make).await
    }

    /// Bytes in the repository that only the refs below `prefix` keep.
    pub async fn hidden_bytes(&self, prefix: &str) -> Result<u64> {
        check(prefix)?;
        let glob = format!("--glob={prefix}*");
        let call = self.call().args(["rev-list", "--objects", "--disk-usage", &glob]);
        let output = call.args(["--not", "--branches", "--tags", "--remotes"]).read().await?.ok()?;
        output.text()?.trim().parse().map_err(|_invalid| output.unreadable())
    }

    /// Deletes the refs below `prefix`. What only they kept is lost when git next collects its garbage.
    pub async fn delete_hidden_refs(&self, prefix: &str) -> Result<()> {
        let (repo, prefix) = (self.clone(), prefix.to_owned());
        let refs = self.hidden_refs(&prefix).await?;
        self.git.see_through(async move { repo.drop_refs(&prefix, refs).await }).await
    }

    async fn drop_refs(self, prefix: &str, refs: Vec<HiddenRef>) -> Result<()> {
        let hold = Hold::shared(&self.lock_path()).await?;
        for hidden in refs {
            let refname = format!("{prefix}{}", hidden.name);
            let call = self.call().args(["update-ref", "-d", &refname, hidden.oid.as_str()]);
            call.write(&hold).await?.ok()?;
        }
        Ok(())
    }

    /// Takes away the registrations of those of `paths` whose folders are gone, and tells which had one.
    pub async fn unregister_gone(&self, paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
        let (repo, paths) = (self.clone(), paths.to_vec());
        self.git.see_through(async move { repo.forget_gone(paths).await }).await
    }

    async fn forget_gone(self, paths: Vec<PathBuf>) -> Result<Vec<PathBuf>> {
        let _hold = Hold::shared(&self.lock_path()).await?;
        let mut gone = Vec::new();
        for path in paths {
            let resolved = crate::remove::resolve_parent(&path);
            // In this order: whoever makes a worktree makes its folder first.
            let registrations = self.registrations_naming(&resolved);
            if std::fs::symlink_metadata(&resolved).is_ok() {
                continue;
            }
            // One that its user locked may lie on a disk that is not there just now.
            if registrations.is_empty() || registrations.iter().any(|one| one.lock_reason().is_some()) {
                continue;
            }
            for registration in registrations {
                registration.remove(&self).await?;
            }
            gone.push(path);
        }
        Ok(gone)
    }
}

fn check(prefix: &str) -> Result<()> {
    let name = prefix.strip_prefix("refs/forge/").and_then(|name| name.strip_suffix('/'));
    if name.is_none_or(|name| crate::names::check_branch(name).is_err()) {
        return Err(Error::InvalidName { name: prefix.to_owned() });
    }
    Ok(())
}
