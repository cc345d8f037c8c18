//! Files as they are, byte by byte: without filters, line endings or encodings that attributes ask for.
//!
//! A snapshot keeps the bytes of every file that differs from the base commit. A file that is as in the base commit is kept as
//! git has it: a checkout gives its bytes back, and files of large-file filters are not copied into the repository.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::command::Call;
use crate::guard::without;
use crate::lock::Hold;
use crate::{Oid, Result, Worktree};

/// The line of a snapshot's message that names the base commit: other files of it are raw.
const RAW_SINCE: &str = "Forge-Raw-Since: ";

/// Tells git to pass over all attributes in the repository: they are read from a tree that has none.
const NO_ATTRIBUTES: [&str; 2] = [
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
];

impl Worktree {
    /// A git that neither reads nor writes anything but the bytes of files.
    pub(crate) fn raw_call(&self) -> Call {
        let call = self.guard.drivers.iter().fold(self.call(), |call, driver| {
            without(driver).iter().fold(call, |call, (key, value)| call.setting(key, value))
        });
        let [sha1, sha256] = NO_ATTRIBUTES;
        let empty = if self.guard.base.as_str().len() == sha1.len() { sha1 } else { sha256 };
        let call = call.env("GIT_ATTR_SOURCE", empty).env("GIT_ATTR_NOSYSTEM", "1");
        let call = call.setting("core.attributesFile", "/dev/null").setting("core.autocrlf", "false");
        call.setting("core.safecrlf", "false").setting("core.splitIndex", "false")
    }

    /// The message of a snapshot whose files are raw.
    pub(crate) fn raw_message(&self, message: &str) -> String {
        format!("{message}\n\n{RAW_SINCE}{}\n", self.guard.base)
    }

    /// The base commit of a snapshot whose files are raw; none for any other commit.
    async fn raw_since(&self, commit: &Oid) -> Result<Option<Oid>> {
        let call =
            self.call().args(["log", "-1", "--no-show-signature", "--format=%B", commit.as_str(), "--"]);
        let message = call.read().await?.ok()?;
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
    pub(crate) async fn write_files(&self, commit: &Oid, hold: &Hold) -> Result<()> {
        // What an agent put outside a sparse checkout was saved, and so comes back.
        let read = ["read-tree", "-u", "--reset", "--no-recurse-submodules", "--no-sparse-checkout"];
        let Some(base) = self.raw_since(commit).await? else {
            let call = self.call().args(["-c", "core.splitIndex=false"]).args(read).arg(commit.as_str());
            return call.write_with_hooks(hold).await?.ok().map(drop);
        };
        let staged = ["diff-index", "--cached", "--name-only", "-z", "--no-renames", "--diff-filter=d", "-R"];
        let call = self.call().args(staged).args(["--ignore-submodules=all", commit.as_str(), "--"]);
        let written = call.read().await?.ok()?.stdout;
        let call = self.call().args(["diff-tree", "-r", "--name-only", "-z", "--no-renames"]);
        let raw = call.args([base.as_str(), commit.as_str(), "--"]).read().await?.ok()?.stdout;
        self.raw_call().args(read).arg(commit.as_str()).write(hold).await?.ok()?;
        let raw: std::collections::HashSet<&[u8]> = raw.split(|byte| *byte == 0).collect();
        // These are as in the base commit, whose files go through the filters.
        let filtered: Vec<&[u8]> =
            written.split(|byte| *byte == 0).filter(|path| !path.is_empty() && !raw.contains(path)).collect();
        if filtered.is_empty() {
            return Ok(());
        }
        let list = tempfile::NamedTempFile::new_in(self.admin_dir())
            .map_err(crate::Error::io("create a file in", self.admin_dir()))?;
        let paths =
            filtered.iter().flat_map(|path| [b":(literal)", *path, b"\0"].concat()).collect::<Vec<u8>>();
        std::fs::write(list.path(), paths).map_err(crate::Error::io("write", list.path()))?;
        let call =
            self.call().args(["restore", "--worktree", "--ignore-skip-worktree-bits", "--pathspec-file-nul"]);
        let call = call.arg("--pathspec-from-file").arg(list.path());
        call.write_with_hooks(hold).await?.ok().map(drop)
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
            let file = self.path().join(Path::new(std::ffi::OsStr::from_bytes(path)));
            let small = std::fs::symlink_metadata(file)
                .is_ok_and(|file| file.is_file() && file.len() <= self.repo.git.largest_untracked());
            if small && mode.starts_with(b"100") {
                entries.extend_from_slice(&[mode, b" ", oid, b" 0\t", path, b"\0"].concat());
            }
        }
        Ok(entries)
    }
}
