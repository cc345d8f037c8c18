//! Files that a setup script left uncommitted: commits leave them out while they stay as the script left them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::hidden::SUBJECT;
use crate::identity::by_forge;
use crate::lock::Hold;
use crate::nested::pointers;
use crate::{Error, Oid, Result, Worktree};

/// The mode of a path that is not there.
const GONE: &[u8] = b"000000";

/// How a snapshot has a path otherwise than the commit it was made on.
struct Leftover<'a> {
    mode: &'a [u8],
    oid: &'a [u8],
    path: &'a [u8],
}

/// The snapshots that tell what a setup script left; each has something that its parent has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupSnapshots {
    /// Of the worktree before the script; none if nothing was changed in it.
    pub before: Option<Oid>,
    /// What an earlier run of the script left, as [`Worktree::separate_leftovers`] made it.
    pub earlier: Option<Oid>,
    /// Of the worktree after the script.
    pub after: Oid,
}

impl Worktree {
    /// Returns a commit like the snapshot after a setup script, without the work of others that was in the worktree before
    /// the script; none if the script left nothing.
    pub async fn separate_leftovers(&self, snapshots: &SetupSnapshots) -> Result<Option<Oid>> {
        let (worktree, snapshots) = (self.clone(), snapshots.clone());
        self.repo.git.see_through(async move { worktree.separate(&snapshots).await }).await
    }

    async fn separate(self, snapshots: &SetupSnapshots) -> Result<Option<Oid>> {
        let SetupSnapshots { before, earlier, after } = snapshots;
        let Some(before) = before else { return Ok(Some(after.clone())) };
        let (before, after_it) = (self.list_changes(before).await?, self.list_changes(after).await?);
        let earlier = match earlier {
            Some(earlier) => self.list_changes(earlier).await?,
            None => Vec::new(),
        };
        let earlier: BTreeSet<_> = leftovers(&earlier).iter().map(Leftover::entry).collect();
        let others: BTreeSet<_> = leftovers(&before)
            .into_iter()
            .filter(|left| !earlier.contains(&left.entry()))
            .map(|left| left.path)
            .collect();
        let mut left = leftovers(&after_it);
        left.retain(|left| !others.contains(left.path));
        if left.is_empty() {
            return Ok(None);
        }
        let dir = tempfile::tempdir_in(self.admin_dir())
            .map_err(Error::io("create a folder in", self.admin_dir()))?;
        let index = dir.path().join("index");
        let in_index = || self.raw_call().env("GIT_INDEX_FILE", &index);
        let hold = Hold::shared(&self.repo.lock_path()).await?;
        let head = format!("{after}^");
        in_index().args(["read-tree", &head]).write(&hold).await?.ok()?;
        // First what is gone: it may be in the way of the rest.
        left.sort_by_key(|left| left.mode != GONE);
        in_index().update_index(left.iter().flat_map(Leftover::entry).collect()).await?;
        let tree = in_index().arg("write-tree").write(&hold).await?.ok()?.oid()?;
        let message = format!("{SUBJECT}what the setup script left");
        let call = by_forge(self.call()).args(["commit-tree", "-m", &message, "-p", &head]);
        call.arg(tree.as_str()).write(&hold).await?.ok()?.oid().map(Some)
    }

    /// The paths, relative to the top, that a snapshot has otherwise than the commit it was made on, and that are still as
    /// in the snapshot.
    pub async fn leftovers(&self, snapshot: &Oid) -> Result<Vec<PathBuf>> {
        let paths = self.unchanged_since(snapshot).await?.into_iter();
        Ok(paths.map(|path| PathBuf::from(OsStr::from_bytes(&path))).collect())
    }

    /// Stages what HEAD has of the paths that are still as a snapshot left them.
    pub(crate) async fn unstage_leftovers(&self, snapshot: &Oid) -> Result<()> {
        let paths = self.unchanged_since(snapshot).await?;
        if paths.is_empty() {
            return Ok(());
        }
        let call = self.call().args(["ls-tree", "-r", "-z", "--full-tree", "HEAD"]);
        let listed = call.read().await?.ok()?.stdout;
        let path_of = |entry: &[u8]| entry.splitn(2, |byte| *byte == b'\t').nth(1).map(<[u8]>::to_vec);
        let (mut known, mut in_head) = (BTreeSet::new(), Vec::new());
        for entry in listed.split(|byte| *byte == 0) {
            let Some(path) = path_of(entry).filter(|path| paths.contains(path)) else { continue };
            in_head.extend_from_slice(&[entry, b"\0"].concat());
            known.insert(path);
        }
        // First what HEAD has not: a file in the place of a folder of HEAD's would be in the way.
        let null = snapshot.null();
        let removed = paths.difference(&known);
        let mut entries: Vec<u8> =
            removed.flat_map(|path| [b"0 ", null.as_bytes(), b"\t", path, b"\0"].concat()).collect();
        entries.append(&mut in_head);
        self.call().update_index(entries).await
    }

    /// Whether `git status --porcelain=v2 -z` lists a path that is not as a snapshot left it.
    pub(crate) async fn has_more_than_leftovers(&self, snapshot: &Oid, status: &[u8]) -> Result<bool> {
        let left = self.unchanged_since(snapshot).await?;
        let path = |record: &[u8]| match record.first() {
            Some(b'1') => record.splitn(9, |byte| *byte == b' ').nth(8).map(<[u8]>::to_vec),
            Some(b'?') => record.get(2..).map(<[u8]>::to_vec),
            _ => None,
        };
        let mut records = status.split(|byte| *byte == 0).filter(|record| !record.is_empty());
        Ok(records.any(|record| path(record).is_none_or(|path| !left.contains(&path))))
    }

    async fn unchanged_since(&self, snapshot: &Oid) -> Result<BTreeSet<Vec<u8>>> {
        let listed = self.list_changes(snapshot).await?;
        let left = leftovers(&listed);
        let is_link = |left: &&Leftover<'_>| left.mode == b"160000";
        let (gone, there): (Vec<_>, Vec<_>) = left.iter().partition(|left| left.mode == GONE);
        let (links, files): (Vec<_>, Vec<_>) = there.into_iter().partition(is_link);
        let mut unchanged: BTreeSet<Vec<u8>> = gone
            .into_iter()
            .filter(|left| fs::symlink_metadata(self.path().join(path_of(left.path))).is_err())
            .map(|left| left.path.to_vec())
            .collect();
        unchanged.extend(self.unchanged_files(&files).await?);
        unchanged.extend(self.unchanged_links(&links).await?);
        Ok(unchanged)
    }

    /// What a snapshot has otherwise than the commit it was made on.
    async fn list_changes(&self, snapshot: &Oid) -> Result<Vec<u8>> {
        let call = self.call().args(["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames"]);
        let output = call.args([&format!("{snapshot}^"), snapshot.as_str(), "--"]).read().await?;
        Ok(output.ok()?.stdout)
    }

    /// Compares the bytes of the files, as a snapshot keeps these.
    async fn unchanged_files(&self, files: &[&Leftover<'_>]) -> Result<Vec<Vec<u8>>> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let dir = tempfile::tempdir_in(self.admin_dir())
            .map_err(Error::io("create a folder in", self.admin_dir()))?;
        let index = dir.path().join("index");
        let in_index = || self.raw_call().env("GIT_INDEX_FILE", &index);
        in_index().update_index(files.iter().flat_map(|left| left.entry()).collect()).await?;
        // Fails where a file differs, which the next call says.
        in_index().args(["update-index", "-q", "--refresh"]).read().await?;
        let call = in_index().args(["diff-files", "-z", "--name-only", "--no-renames"]);
        let output = call.args(["--no-ext-diff", "--ignore-submodules=all"]).read().await?.ok()?;
        let changed: BTreeSet<&[u8]> = output.stdout.split(|byte| *byte == 0).collect();
        let unchanged = files.iter().map(|left| left.path).filter(|path| !changed.contains(path));
        Ok(unchanged.map(<[u8]>::to_vec).collect())
    }

    /// Compares the commits that submodules are at.
    async fn unchanged_links(&self, links: &[&Leftover<'_>]) -> Result<Vec<Vec<u8>>> {
        let paths: Vec<PathBuf> = links.iter().map(|left| path_of(left.path).to_owned()).collect();
        let (modules, _) = self.modules(&paths).await?;
        let now = pointers(self, &modules).await?;
        let now: BTreeSet<&[u8]> = now.split(|byte| *byte == 0).collect();
        let is_same =
            |left: &&&Leftover<'_>| left.entry().strip_suffix(b"\0").is_some_and(|entry| now.contains(entry));
        Ok(links.iter().filter(is_same).map(|left| left.path.to_vec()).collect())
    }
}

impl Leftover<'_> {
    /// As input of `git update-index --index-info`.
    fn entry(&self) -> Vec<u8> {
        [self.mode, b" ", self.oid, b" 0\t", self.path, b"\0"].concat()
    }
}

fn path_of(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// Reads the output of `git diff-tree --raw -z`: `:<old mode> <mode> <old oid> <oid> <status>`, then the path.
fn leftovers(raw: &[u8]) -> Vec<Leftover<'_>> {
    let mut left = Vec::new();
    let mut fields = raw.split(|byte| *byte == 0);
    while let (Some(about), Some(path)) = (fields.next(), fields.next()) {
        let mut about = about.split(|byte| *byte == b' ').skip(1);
        if let (Some(mode), Some(oid)) = (about.next(), about.nth(1)) {
            left.push(Leftover { mode, oid, path });
        }
    }
    left
}
