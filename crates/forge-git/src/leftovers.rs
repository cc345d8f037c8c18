//! Files that a setup script left uncommitted: commits leave them out while they stay as the script left them.
//!
//! A path is left over if HEAD has it as the commit before the script had it, and the worktree has it as the script left it.
//! Every other path is work. A file and the paths below a folder of its name are left over together or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::at_risk::overlaps;
use crate::changes::{Entry, EntryChange, EntryChanges};
use crate::nested::pointers;
use crate::{Error, Oid, Result, Worktree};

/// Larger files are not compared for a list of leftovers.
const LARGEST_LISTED: u64 = 1024 * 1024;

/// What a setup script left in a worktree, as far as it was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// Relative to the top.
    pub paths: Vec<PathBuf>,
    /// How many more paths the script left that may have changed since.
    pub unchecked: usize,
}

/// How a path differs from HEAD.
struct Difference {
    in_head: Entry,
    is_gone: bool,
}

type Differences = BTreeMap<Vec<u8>, Difference>;

impl Worktree {
    /// The paths that commits leave out because of a snapshot. Compares the contents of no more than `most` of them, and of
    /// small files only. Nothing is left out while there are conflicts.
    pub async fn leftovers(&self, snapshot: &Oid, most: usize) -> Result<Leftovers> {
        let Some(differing) = differences(&self.status_of_files().await?) else {
            return Ok(Leftovers::default());
        };
        let is_small = |path: &[u8]| {
            fs::symlink_metadata(self.path().join(path_of(path))).map_or(0, |file| file.len())
                <= LARGEST_LISTED
        };
        let (mut checked, mut unchecked) = (EntryChanges::new(), BTreeSet::new());
        for (path, change) in self.candidates(snapshot, &differing).await? {
            if checked.len() < most && is_small(&path) {
                checked.insert(path, change);
            } else {
                unchecked.insert(path);
            }
        }
        let mut left = self.unchanged(&checked).await?;
        let is_work = |path: &&Vec<u8>| !left.contains(*path) && !unchecked.contains(*path);
        let work = differing.keys().filter(is_work).cloned().collect();
        drop_overlapping(&mut left, work);
        Ok(Leftovers {
            paths: left.iter().map(|path| path_of(path).to_owned()).collect(),
            unchecked: unchecked.len(),
        })
    }

    /// Stages what HEAD has of the paths that a snapshot leaves over. Everything is staged already.
    pub(crate) async fn unstage_leftovers(&self, snapshot: &Oid) -> Result<()> {
        let call = self.call().args(["diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames"]);
        let staged = call.args(["--ignore-submodules=dirty", "HEAD", "--"]).read().await?.ok()?.stdout;
        let staged = crate::changes::parse(&staged).into_iter();
        let difference =
            |change: EntryChange| Difference { in_head: change.old, is_gone: change.new.is_none() };
        let differing = staged.map(|(path, change)| (path, difference(change))).collect();
        let left = self.left(snapshot, &differing).await?;
        let entries = left.iter().filter_map(|path| Some((path, &differing.get(path)?.in_head)));
        self.call().update_index(crate::changes::index_info(entries, snapshot)).await
    }

    /// Whether the worktree has changes that a snapshot does not leave over.
    pub(crate) async fn has_more_than_leftovers(&self, snapshot: &Oid) -> Result<bool> {
        let Some(differing) = differences(&self.status_of_files().await?) else { return Ok(true) };
        Ok(self.left(snapshot, &differing).await?.len() < differing.len())
    }

    async fn status_of_files(&self) -> Result<Vec<u8>> {
        let call = self.call().args(["status", "--porcelain=v2", "-z", "--no-renames"]);
        let call = call.args(["--ignore-submodules=dirty", "--untracked-files=all"]).filtering();
        Ok(call.read().await?.ok()?.stdout)
    }

    /// Those of the differing paths that are left over.
    async fn left(&self, snapshot: &Oid, differing: &Differences) -> Result<BTreeSet<Vec<u8>>> {
        let mut left = self.unchanged(&self.candidates(snapshot, differing).await?).await?;
        let work = differing.keys().filter(|path| !left.contains(*path)).cloned().collect();
        drop_overlapping(&mut left, work);
        Ok(left)
    }

    /// The changes of a snapshot whose paths differ from HEAD, which has them as the snapshot's parent.
    async fn candidates(&self, snapshot: &Oid, differing: &Differences) -> Result<EntryChanges> {
        let mut changes = self.changes_of(snapshot).await?;
        changes.retain(|path, change| {
            let difference = differing.get(path);
            difference.is_some_and(|difference| {
                difference.in_head == change.old && difference.is_gone == change.new.is_none()
            })
        });
        Ok(changes)
    }

    /// Those of the candidates that the worktree has as the snapshot.
    async fn unchanged(&self, candidates: &EntryChanges) -> Result<BTreeSet<Vec<u8>>> {
        let (mut unchanged, mut links, mut files) = (BTreeSet::new(), Vec::new(), Vec::new());
        for (path, change) in candidates {
            match &change.new {
                None => drop(unchanged.insert(path.clone())),
                Some((mode, _)) if mode == b"160000" => links.push((path, &change.new)),
                Some(_) => files.push((path, &change.new)),
            }
        }
        unchanged.extend(self.unchanged_files(files).await?);
        unchanged.extend(self.unchanged_links(links).await?);
        Ok(unchanged)
    }

    /// Compares the bytes of the files, as a snapshot keeps these.
    async fn unchanged_files(&self, files: Vec<(&Vec<u8>, &Entry)>) -> Result<Vec<Vec<u8>>> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let dir = tempfile::tempdir_in(self.admin_dir())
            .map_err(Error::io("create a folder in", self.admin_dir()))?;
        let index = dir.path().join("index");
        let in_index = || self.raw_call().env("GIT_INDEX_FILE", &index);
        let entries = crate::changes::index_info(files.iter().copied(), &self.guard.base);
        in_index().update_index(entries).await?;
        // Fails where a file differs, which the next call says.
        in_index().args(["update-index", "-q", "--refresh"]).read().await?;
        let call = in_index().args(["diff-files", "-z", "--name-only", "--no-renames"]);
        let output = call.args(["--no-ext-diff", "--ignore-submodules=all"]).read().await?.ok()?;
        let changed: BTreeSet<&[u8]> = output.stdout.split(|byte| *byte == 0).collect();
        let unchanged = files.into_iter().filter(|(path, _)| !changed.contains(path.as_slice()));
        Ok(unchanged.map(|(path, _)| path.clone()).collect())
    }

    /// Compares the commits that submodules are at.
    async fn unchanged_links(&self, links: Vec<(&Vec<u8>, &Entry)>) -> Result<Vec<Vec<u8>>> {
        if links.is_empty() {
            return Ok(Vec::new());
        }
        let paths: Vec<PathBuf> = links.iter().map(|(path, _)| path_of(path).to_owned()).collect();
        let (modules, _) = self.modules(&paths).await?;
        let now = pointers(self, &modules).await?;
        let now: BTreeSet<&[u8]> = now.split_inclusive(|byte| *byte == 0).collect();
        let info = |link: &(&Vec<u8>, &Entry)| crate::changes::index_info([*link], &self.guard.base);
        let unchanged = links.iter().filter(|link| now.contains(info(link).as_slice()));
        Ok(unchanged.map(|(path, _)| (*path).clone()).collect())
    }
}

fn path_of(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// Drops the paths that are above or below one of the others, or of a dropped one.
pub(crate) fn drop_overlapping(paths: &mut BTreeSet<Vec<u8>>, mut others: BTreeSet<Vec<u8>>) {
    loop {
        let overlapping: Vec<_> = paths.iter().filter(|path| overlaps(path, &others)).cloned().collect();
        if overlapping.is_empty() {
            return;
        }
        paths.retain(|path| !overlapping.contains(path));
        others.extend(overlapping);
    }
}

/// Reads the output of `git status --porcelain=v2 -z --no-renames`; none if there are conflicts.
fn differences(status: &[u8]) -> Option<Differences> {
    let mut differing = Differences::new();
    for record in status.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
        match record {
            [b'1', b' ', ..] => {
                // `1 <XY> <sub> <mode in HEAD> <mode in index> <mode> <oid in HEAD> <oid in index> <path>`
                let fields: Vec<_> = record.splitn(9, |byte| *byte == b' ').collect();
                let &[_, _, _, mode_in_head, _, mode, oid_in_head, _, path] = fields.as_slice() else {
                    return None;
                };
                let in_head = crate::changes::entry(mode_in_head, oid_in_head);
                let is_gone = crate::changes::entry(mode, oid_in_head).is_none();
                differing.insert(path.to_vec(), Difference { in_head, is_gone });
            }
            // One that was taken out of the index has a record of the other kind, too.
            [b'?', b' ', path @ ..] => {
                let untracked = Difference { in_head: None, is_gone: false };
                differing.entry(path.to_vec()).or_insert(untracked).is_gone = false;
            }
            _ => return None,
        }
    }
    Some(differing)
}
