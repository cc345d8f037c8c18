//! How a working tree stands: what differs from HEAD, and what git is in the middle of.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::command::{Call, Output};
use crate::guard::without;
use crate::plain_file::text;
use crate::{Oid, Repo, Result, Worktree};

/// What `git status` knows, in one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The commit that HEAD points to; none before the first one.
    pub head: Option<Oid>,
    /// The branch that HEAD is on; none when it is detached.
    pub branch: Option<String>,
    /// How many tracked files differ from HEAD, those with conflicts too.
    pub uncommitted: usize,
    /// How many files git does not know, ignored ones left out.
    pub untracked: usize,
    /// The files with conflicts, relative to the top.
    pub conflicted: Vec<PathBuf>,
    /// What git is in the middle of.
    pub operation: Option<Operation>,
}

/// What git can be in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Rebase,
    Merge,
    CherryPick,
    Revert,
    /// `git am`: patches from mails are being applied.
    Patches,
}

impl Operation {
    /// The subcommand whose `--abort` ends it.
    pub(crate) const fn subcommand(self) -> &'static str {
        match self {
            Self::Rebase => "rebase",
            Self::Merge => "merge",
            Self::CherryPick => "cherry-pick",
            Self::Revert => "revert",
            Self::Patches => "am",
        }
    }

    /// Looks at what git keeps of it in the folder of a working tree.
    pub(crate) fn of(git_dir: &Path) -> Option<Self> {
        let has = |name: &str| fs::symlink_metadata(git_dir.join(name)).is_ok();
        // A rebase picks commits, so it comes before what it is made of.
        if has("rebase-merge") || (has("rebase-apply") && !has("rebase-apply/applying")) {
            return Some(Self::Rebase);
        }
        if has("rebase-apply") {
            return Some(Self::Patches);
        }
        if has("MERGE_HEAD") {
            return Some(Self::Merge);
        }
        if has("CHERRY_PICK_HEAD") {
            return Some(Self::CherryPick);
        }
        if has("REVERT_HEAD") {
            return Some(Self::Revert);
        }
        // Between two commits of a row only the list of what is left tells.
        let todo = text(&git_dir.join("sequencer/todo"))?;
        if todo.starts_with("revert") { Some(Self::Revert) } else { Some(Self::CherryPick) }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rebase | Self::Merge | Self::CherryPick | Self::Revert => self.subcommand(),
            Self::Patches => "patch series",
        })
    }
}

impl Worktree {
    /// How it stands.
    pub async fn status(&self) -> Result<Status> {
        status(|| self.call(), self.admin_dir()).await
    }

    /// What git is in the middle of here, without starting one.
    pub fn operation(&self) -> Option<Operation> {
        Operation::of(self.admin_dir())
    }
}

impl Repo {
    /// How the repository's own checkout stands; a bare one has none, and so nothing but a HEAD.
    pub async fn status(&self) -> Result<Status> {
        // An agent can write to the settings, so none of them moves the checkout or names a filter.
        let mut own = Vec::new();
        for setting in self.settings().await?.iter().filter(|setting| setting.own) {
            own.extend(setting.driver().into_iter().flat_map(without));
        }
        let call = || own.iter().fold(self.call_in_checkout(), |call, (key, value)| call.setting(key, value));
        status(call, self.git_dir()).await
    }
}

async fn status(call_of: impl Fn() -> Call, git_dir: &Path) -> Result<Status> {
    let call = call_of().args(["status", "--porcelain=v2", "--branch", "-z", "--no-renames"]);
    let call = call.args(["--untracked-files=all", "--no-ahead-behind", "--ignore-submodules=dirty"]);
    let output = call.filtering().read().await?;
    if output.stderr.contains("must be run in a work tree") {
        let call = call_of().args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
        return Ok(Status { head: call.read().await?.oid().ok(), ..Status::default() });
    }
    let mut status = parse(&output.ok()?);
    status.operation = Operation::of(git_dir);
    Ok(status)
}

fn parse(output: &Output) -> Status {
    let mut status = Status::default();
    for record in output.stdout.split(|byte| *byte == 0) {
        match record {
            [b'1' | b'2', b' ', ..] => status.uncommitted += 1,
            [b'u', b' ', ..] => {
                status.uncommitted += 1;
                status.conflicted.extend(path_of_unmerged(record));
            }
            [b'?', b' ', ..] => status.untracked += 1,
            [b'#', b' ', header @ ..] => {
                let header = String::from_utf8_lossy(header);
                match header.split_once(' ') {
                    Some(("branch.oid", oid)) => status.head = oid.parse().ok(),
                    Some(("branch.head", name)) if name != "(detached)" => {
                        status.branch = Some(name.to_owned());
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    status
}

/// The path of a `u` record of `git status --porcelain=v2 -z`.
pub(crate) fn path_of_unmerged(record: &[u8]) -> Option<PathBuf> {
    record.splitn(11, |byte| *byte == b' ').nth(10).map(|path| PathBuf::from(OsStr::from_bytes(path)))
}
