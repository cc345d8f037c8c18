//! Files as they are, byte by byte: without filters, line endings or encodings that attributes ask for.
//!
//! A snapshot keeps the bytes of every file that differs from the base commit. A file that is as in the base commit is kept as
//! git has it: a checkout gives its bytes back, and files of large-file filters are not copied into the repository.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use tokio_util::sync::CancellationToken;

use crate::command::{Call, Output};
use crate::guard::without;
use crate::lock::Hold;
use crate::plain_file::{Links, bytes, replace};
use crate::{Error, Oid, Result, Worktree};

/// The line of a snapshot's message that names the base commit: other files of it are raw.
const RAW_SINCE: &str = "Forge-Raw-Since: ";

/// In the administrative folder: the paths of files that are written raw and have yet to go through their filters.
const UNFILTERED: &str = "forge-unfiltered";

impl Worktree {
    /// A git that neither reads nor writes anything but the bytes of files.
    pub(crate) fn raw_call(&self) -> Call {
        let call = self.guard.drivers.iter().fold(self.call(), |call, driver| {
            without(driver).iter().fold(call, |call, (key, value)| call.setting(key, value))
        });
        // Tells git to pass over all attributes in the repository: they are read from a tree that has none.
        let call =
            call.env("GIT_ATTR_SOURCE", self.guard.base.empty_tree().as_str()).env("GIT_ATTR_NOSYSTEM", "1");
        let call = call.setting("core.attributesFile", "/dev/null").setting("core.autocrlf", "false");
        call.setting("core.safecrlf", "false").setting("core.splitIndex", "false")
    }

    /// The message of a snapshot whose files are raw.
    pub(crate) fn raw_message(&self, message: &str) -> String {
        format!("{message}\n\n{RAW_SINCE}{}\n", self.guard.base)
    }

    /// The base commit of a snapshot whose files are raw; none for any other commit.
    async fn raw_since(&self, commit: &Oid) -> Result<Option<Oid>> {
        // Without the worktree's file of names, which may be a pipe.
        let call = self.call().args(["log", "-1", "--no-mailmap", "--no-show-signature", "--format=%B"]);
        let message = call.args([commit.as_str(), "--"]).read().await?.ok()?;
        let text = String::from_utf8_lossy(&message.stdout).into_owned();
        Ok(text.lines().find_map(|line| line.strip_prefix(RAW_SINCE)?.parse().ok()))
    }

    /// Whether a commit has the bytes of a file as they were.
    pub(crate) async fn is_raw(&self, path: &Path, commit: &Oid) -> Result<bool> {
        let Some(base) = self.raw_since(commit).await? else { return Ok(false) };
        let call = self.call().args(["--literal-pathspecs", "diff-tree", "-r", "--quiet"]);
        let output = call.args([base.as_str(), commit.as_str(), "--"]).arg(path).read().await?;
        Ok(!output.status.success())
    }

    /// Brings the files from what is staged to those of a commit, and the index with them.
    ///
    /// Files of the base commit go through the filters in a second step. Which these are is written down before the first
    /// one: after a crash between the two, nothing else tells.
    pub(crate) async fn write_files(&self, commit: &Oid, hold: &Hold) -> Result<()> {
        let left_over = self.admin_dir().join(UNFILTERED);
        let mut filtered = split(&bytes(&left_over, u64::MAX, Links::Refused).unwrap_or_default());
        let raw_since = self.raw_since(commit).await?;
        if let Some(base) = &raw_since {
            filtered.extend(self.differing_from_index(commit).await?);
            let call = self.call().args(["diff-tree", "-r", "--name-only", "-z", "--no-renames"]);
            let raw = call.args([base.as_str(), commit.as_str(), "--"]).read().await?.ok()?.stdout;
            for path in split(&raw) {
                filtered.remove(&path);
            }
        }
        let entries = self.files_of(commit, &filtered).await?;
        if !entries.is_empty() {
            let list: Vec<u8> = entries.iter().flat_map(|(path, _)| [path, &b"\0"[..]].concat()).collect();
            replace(&left_over, &list).map_err(Error::io("write", &left_over))?;
        }
        // What an agent put outside a sparse checkout was saved, and so comes back.
        let read = ["read-tree", "-u", "--reset", "--no-recurse-submodules", "--no-sparse-checkout"];
        let call = if raw_since.is_some() {
            self.raw_call()
        } else {
            self.call().args(["-c", "core.splitIndex=false"])
        };
        let call = self.with_missing_objects(call).args(read).arg(commit.as_str());
        let written = match call.write_with_hooks(hold).await.and_then(Output::ok) {
            Ok(_) => self.filter_files(&entries, hold).await,
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            // Also after a stop.
            let whole = self.until(&CancellationToken::new());
            if let Err(error) = whole.replace_removed(commit, hold).await {
                let path = self.path().display();
                tracing::warn!(error.cause = %error, "files of {path} are missing after a restore failed: {error}");
            }
            return Err(error);
        }
        match std::fs::remove_file(&left_over) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::io("remove", left_over)(error))
            }
            _ => Ok(()),
        }
    }

    /// Paths of a commit's files that the index has not, or has otherwise.
    async fn differing_from_index(&self, commit: &Oid) -> Result<BTreeSet<Vec<u8>>> {
        let staged = ["diff-index", "--cached", "--name-only", "-z", "--no-renames", "--diff-filter=d", "-R"];
        let call = self.call().args(staged).args(["--ignore-submodules=all", commit.as_str(), "--"]);
        Ok(split(&call.read().await?.ok()?.stdout))
    }

    /// Those of the paths that a commit has as files, each with its entry for `git update-index --index-info`.
    async fn files_of(&self, commit: &Oid, paths: &BTreeSet<Vec<u8>>) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let call = self.call().args(["ls-tree", "-r", "-z", "--full-tree", commit.as_str()]);
        let listed = call.read().await?.ok()?.stdout;
        let files = listed.split(|byte| *byte == 0).filter(|entry| entry.starts_with(b"100"));
        let wanted = files.filter_map(|entry| {
            let path = entry.splitn(2, |byte| *byte == b'\t').nth(1)?;
            paths.contains(path).then(|| (path.to_vec(), [entry, b"\0"].concat()))
        });
        Ok(wanted.collect())
    }

    /// Writes files of the index again, through their filters.
    async fn filter_files(&self, entries: &[(Vec<u8>, Vec<u8>)], hold: &Hold) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        // Entries without a time: git writes no file anew that is as its entry says.
        let anew = entries.iter().flat_map(|(_, entry)| entry.clone()).collect();
        self.call().args(["-c", "core.splitIndex=false"]).update_index(anew).await?;
        self.write_again(self.with_missing_objects(self.call()), entries, hold).await
    }

    /// Writes the files of a commit that are missing, unfiltered: git removes a file before its filter runs, and the next
    /// commit would delete it. The next restore filters them.
    async fn replace_removed(&self, commit: &Oid, hold: &Hold) -> Result<()> {
        let call = self.call().args(["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit.as_str()]);
        let mut gone = split(&call.read().await?.ok()?.stdout);
        gone.retain(|path| {
            let file = self.path().join(Path::new(OsStr::from_bytes(path)));
            std::fs::symlink_metadata(file).is_err()
        });
        let entries = self.files_of(commit, &gone).await?;
        if entries.is_empty() {
            return Ok(());
        }
        let left_over = self.admin_dir().join(UNFILTERED);
        let mut list = bytes(&left_over, u64::MAX, Links::Refused).unwrap_or_default();
        list.extend(entries.iter().flat_map(|(path, _)| [path, &b"\0"[..]].concat()));
        replace(&left_over, &list).map_err(Error::io("write", &left_over))?;
        self.raw_call().update_index(entries.iter().flat_map(|(_, entry)| entry.clone()).collect()).await?;
        self.write_again(self.raw_call(), &entries, hold).await
    }

    /// Whether files that a restore has written are still without their filters, since it was ended.
    pub fn has_unfiltered_files(&self) -> bool {
        std::fs::symlink_metadata(self.admin_dir().join(UNFILTERED)).is_ok()
    }

    /// Writes files of the index again.
    async fn write_again(&self, call: Call, entries: &[(Vec<u8>, Vec<u8>)], hold: &Hold) -> Result<()> {
        let list = tempfile::NamedTempFile::new_in(self.admin_dir())
            .map_err(Error::io("create a file in", self.admin_dir()))?;
        let literal = |path: &Vec<u8>| [b":(literal)", path.as_slice(), b"\0"].concat();
        let paths: Vec<u8> = entries.iter().flat_map(|(path, _)| literal(path)).collect();
        std::fs::write(list.path(), paths).map_err(Error::io("write", list.path()))?;
        let call = call.args(["restore", "--worktree"]);
        let call = call.args(["--ignore-skip-worktree-bits", "--pathspec-file-nul", "--pathspec-from-file"]);
        call.arg(list.path()).write_with_hooks(hold).await?.ok().map(drop)
    }

    /// Paths in the index that differ from the base commit, as input of `git update-index --index-info`: entries
    /// without a time, so that git reads these files anew.
    pub(crate) async fn entries_since_base(&self, in_index: impl Fn() -> Call) -> Result<Vec<u8>> {
        let call = in_index().args(["diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames"]);
        let call = call.args(["--diff-filter=AM", "--ignore-submodules=all", self.guard.base.as_str(), "--"]);
        let output = call.read().await?;
        if !output.status.success() {
            // The base commit may be gone after somebody rewrote history.
            return Ok(Vec::new());
        }
        let mut entries = Vec::new();
        let mut fields = output.stdout.split(|byte| *byte == 0);
        while let (Some(about), Some(path)) = (fields.next(), fields.next()) {
            // `:<old mode> <mode> <old oid> <oid> <status>`
            let mut about = about.split(|byte| *byte == b' ').skip(1);
            let (Some(mode), Some(oid)) = (about.next(), about.nth(1)) else { continue };
            let file = self.path().join(Path::new(OsStr::from_bytes(path)));
            let small = std::fs::symlink_metadata(file)
                .is_ok_and(|file| file.is_file() && file.len() <= self.repo.git.largest_untracked());
            if small && mode.starts_with(b"100") {
                entries.extend_from_slice(&[mode, b" ", oid, b" 0\t", path, b"\0"].concat());
            }
        }
        Ok(entries)
    }
}

/// The entries of a list, each of which ends in a zero byte.
fn split(list: &[u8]) -> BTreeSet<Vec<u8>> {
    list.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()).map(<[u8]>::to_vec).collect()
}
