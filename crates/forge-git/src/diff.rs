//! What differs between two states of a repository's files: which files (this module), and what is in them
//! ([`contents`]).
//!
//! Git says which files differ, and which were renamed; it is not asked to compare them, because what is in them is
//! read anyway, once, by whoever shows it.

mod contents;
mod lines;
mod raw;

use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::command::Call;
use crate::nested::inner_head;
use crate::snapshot::{UNSEEN, copy_index};
use crate::{Error, Oid, Repo, Result, Worktree};

pub use contents::{Content, Contents, FileDiff, LARGEST_SHOWN};

/// How git looks for renames. Files that were changed as well are compared with each other only up to this many, or
/// two thousand changed files would take seconds; those that were only renamed are always found.
pub(crate) const RENAMES: [&str; 2] = ["--find-renames", "-l200"];

/// Which files differ.
#[derive(Clone, Debug)]
pub struct Diff {
    repo: Repo,
    /// The folder with the new files; none when they are a commit's.
    top: Option<PathBuf>,
    pub changes: Vec<Change>,
}

/// One file that differs. Equal to another if nothing happened to the file in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub kind: ChangeKind,
    pub(crate) old: Option<Side>,
    pub(crate) new: Option<Side>,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Deleted,
    Modified,
    Renamed,
    /// What is in it is the same, but whether it may be run is not.
    PermissionChange,
}

/// A file on one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) path: PathBuf,
    pub(crate) mode: u32,
    pub(crate) source: Source,
}

/// Where to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Object(Oid),
    /// In the worktree; none if it is not there (any more).
    File(Option<Stamp>),
}

/// What changes with every write to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl From<&Metadata> for Stamp {
    fn from(file: &Metadata) -> Self {
        Self {
            inode: file.ino(),
            size: file.size(),
            modified: (file.mtime(), file.mtime_nsec()),
            changed: (file.ctime(), file.ctime_nsec()),
        }
    }
}

impl Change {
    /// What the file is called, or was if it is gone: no two changes of a diff have the same.
    pub fn path(&self) -> &Path {
        self.new.as_ref().or(self.old.as_ref()).map_or(Path::new(""), |side| &side.path)
    }
}

impl Diff {
    /// Reads what is in the files.
    pub fn contents(&self) -> Contents {
        Contents::new(self.repo.clone(), self.top.clone())
    }
}

impl Worktree {
    /// How the files in the worktree, untracked ones too, differ from where its HEAD left the branch `target`.
    pub async fn diff(&self, target: &str) -> Result<Diff> {
        let (base, others) =
            tokio::join!(self.repo.left_at(|| self.call(), "HEAD", target), self.untracked());
        let (base, others) = (base?, others?);
        let index = self.index_with(&others, &base).await?;
        let call = self.call().env("GIT_INDEX_FILE", index.path().join("index"));
        let call = call.args(["diff-index", "--ignore-submodules=dirty"]).filtering();
        let output = call.raw().args([base.as_str(), "--"]).read().await?.ok()?;
        let mut changes = raw::parse(&output.stdout).ok_or_else(|| output.unreadable())?;
        let top = self.path().to_owned();
        let stamped = tokio::task::spawn_blocking(move || {
            for side in changes.iter_mut().filter_map(|change| change.new.as_mut()) {
                if let Source::File(stamp) = &mut side.source {
                    *stamp = fs::symlink_metadata(top.join(&side.path)).ok().map(|file| (&file).into());
                }
            }
            changes
        });
        let changes = stamped.await.map_err(|_stopped| Error::ShuttingDown)?;
        Ok(Diff { repo: self.repo.clone(), top: Some(self.path().to_owned()), changes })
    }

    /// The paths of the untracked files, each with a zero byte after it.
    async fn untracked(&self) -> Result<Vec<u8>> {
        let call = self.call().args(["ls-files", "--others", "--exclude-standard", "-z"]);
        Ok(call.read().await?.ok()?.stdout)
    }

    /// A copy of the index that knows the untracked files too, and which files are as it says.
    async fn index_with(&self, untracked: &[u8], base: &Oid) -> Result<TempDir> {
        let entries = self.entries_of(untracked, base);
        // Not beside the index: who removes the worktree meanwhile must not meet what is made just then.
        let dir = tempfile::tempdir().map_err(Error::io("create a folder in", std::env::temp_dir()))?;
        let index = dir.path().join("index");
        let original = self.admin_dir().join("index");
        copy_index(&original, &index)?;
        let call = self.call().env("GIT_INDEX_FILE", &index).args(UNSEEN);
        let call = call.args(["update-index", "-q", "--unmerged", "--refresh", "--add", "--replace"]);
        let output = call.args(["-z", "--index-info"]).filtering().read_fed(entries).await?;
        // It says 1 when files differ, which is why they are looked at.
        if output.status.code() == Some(1) { Ok(dir) } else { output.ok().map(|_| dir) }
    }

    /// What `git update-index --index-info` is told of untracked files. An entry without a time is as old as no file,
    /// so nothing of it is believed but the path: any object will do.
    fn entries_of(&self, untracked: &[u8], base: &Oid) -> Vec<u8> {
        let mut entries = Vec::with_capacity(untracked.len() * 2);
        for path in untracked.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
            let (mode, oid, path) = match path.strip_suffix(b"/") {
                // Another repository: git keeps nothing of it but its commit.
                Some(inner) => match inner_head(
                    &self.path().join(as_path(inner)),
                    &[self.path(), self.repo.common_dir()],
                ) {
                    Some(oid) => ("160000", oid, inner),
                    None => continue,
                },
                None => ("100644", base.clone(), path),
            };
            entries.extend_from_slice(format!("{mode} {oid} 0\t").as_bytes());
            entries.extend_from_slice(path);
            entries.push(0);
        }
        entries
    }
}

impl Repo {
    /// How the files of a branch differ from where it left the branch `target`, if its worktree is gone.
    pub async fn diff_branch(&self, branch: &str, target: &str) -> Result<Diff> {
        let tip = self.resolve(branch).await?.oid;
        let base = self.left_at(|| self.call(), tip.as_str(), target).await?;
        let call = self.call().args(["diff-tree", "-r"]).raw();
        let output = call.args([base.as_str(), tip.as_str(), "--"]).read().await?.ok()?;
        let changes = raw::parse(&output.stdout).ok_or_else(|| output.unreadable())?;
        Ok(Diff { repo: self.clone(), top: None, changes })
    }

    /// The newest commit that `head` has in common with the branch `target`. Without one, all of `target` is what it
    /// is compared with.
    async fn left_at(&self, call: impl Fn() -> Call, head: &str, target: &str) -> Result<Oid> {
        if crate::names::check_branch(target).is_ok() {
            for space in ["heads", "remotes"] {
                let refname = format!("refs/{space}/{target}");
                let output = call().args(["merge-base", &refname, head]).read().await?;
                match output.status.code() {
                    Some(0) => return output.oid(),
                    Some(1) => break,
                    Some(_) | None => {}
                }
            }
        }
        Ok(self.resolve_start(target).await?.oid)
    }
}

impl Call {
    fn raw(self) -> Self {
        self.args(["--raw", "-z", "--no-abbrev"]).args(RENAMES)
    }
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}
