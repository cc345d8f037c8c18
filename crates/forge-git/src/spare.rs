//! Spares: worktrees that are checked out in advance, so that a start has only to rename one.
//!
//! A spare is a folder with the checked-out `tree`, the `index` that git wrote for it, and a `record` that is
//! written last: without it nobody finds the spare again. It is not registered in the repository: nobody who lists,
//! prunes or collects garbage there meets it, and throwing one away is a rename. It becomes a worktree when it is
//! claimed ([`Repo::add_worktree_from`]), and only as it was made: what breaks its seal makes it unfit.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::command::Call;
use crate::lock::Hold;
use crate::plain_file::{Links, bytes, small};
use crate::seal::{Seal, hash};
use crate::{Error, Oid, Repo, Result, Worktree};

/// First line of a record.
const FORMAT: &str = "forge spare 1";

/// What the name of a spare ends in once somebody has taken it.
const TAKEN: &str = "taken";

/// The largest file with attributes that is compared; git itself reads none that is larger.
const LARGEST_ATTRIBUTES: u64 = 100 * 1024 * 1024;

/// Settings under which a spare's index is its own: no shared part of it elsewhere, no process that watches the
/// folder it will not stay in, no hook that hears of it.
const APART: [&str; 8] = [
    "-c",
    "core.splitIndex=false",
    "-c",
    "core.untrackedCache=false",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
];

/// A worktree made in advance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spare {
    dir: PathBuf,
    label: String,
    oid: Oid,
    common_dir: PathBuf,
    /// Of the settings that it was checked out under.
    settings: u64,
    seal: Seal,
}

impl Spare {
    /// The spare in this folder; none when none is recorded there.
    pub fn open(dir: &Path) -> Option<Self> {
        let record = small(&dir.join("record"))?;
        let mut lines = record.splitn(7, |byte| *byte == b'\n').map(|line| str::from_utf8(line).ok());
        if lines.next()?? != FORMAT {
            return None;
        }
        let oid = lines.next()??.parse().ok()?;
        let settings = lines.next()??.parse().ok()?;
        let seal = Seal { sum: lines.next()??.parse().ok()?, bytes: lines.next()??.parse().ok()? };
        let label = lines.next()??.to_owned();
        // The path comes last and to the end: it may hold anything.
        let path = record.splitn(7, |byte| *byte == b'\n').last()?;
        let common_dir = PathBuf::from(OsString::from_vec(path.to_vec()));
        Some(Self { dir: dir.to_owned(), label, oid, common_dir, settings, seal })
    }

    /// Its folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What it was labelled when it was made.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The commit that is checked out.
    pub fn oid(&self) -> &Oid {
        &self.oid
    }

    /// Room that it takes on disk.
    pub fn bytes(&self) -> u64 {
        self.seal.bytes
    }

    /// Takes it for one start by renaming its folder to `<folder>.taken`, so that nobody else gets it and a crash
    /// leaves something that is told from a spare by its name.
    pub fn take(mut self) -> Result<Self> {
        let taken = self.dir.with_extension(TAKEN);
        fs::rename(&self.dir, &taken).map_err(Error::io("take", &self.dir))?;
        self.dir = taken;
        Ok(self)
    }

    pub(crate) fn tree(&self) -> PathBuf {
        self.dir.join("tree")
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.dir.join("index")
    }

    /// Writes down what it is, so that the next run of this program can [open](Spare::open) it.
    pub fn record(&self) -> Result<()> {
        let numbers = format!("{}\n{}\n{}", self.settings, self.seal.sum, self.seal.bytes);
        let text = format!("{FORMAT}\n{}\n{numbers}\n{}\n", self.oid, self.label);
        let record = [text.as_bytes(), self.common_dir.as_os_str().as_bytes()].concat();
        let (draft, path) = (self.dir.join("record.new"), self.dir.join("record"));
        let written = fs::write(&draft, record).and_then(|()| fs::rename(&draft, &path));
        written.map_err(Error::io("write", path))
    }
}

impl Repo {
    /// Whether worktrees can be made in advance here. Where git itself must register them, they cannot.
    pub fn can_have_spares(&self) -> bool {
        !self.needs_git_to_register()
    }

    /// How much a checkout of this commit writes, roughly: the sum of its files as git keeps them.
    pub async fn checkout_bytes(&self, commit: &Oid) -> Result<u64> {
        let call = self.call().args(["ls-tree", "-r", "--format=%(objectsize)"]);
        let output = call.arg(commit.as_str()).read().await?.ok()?;
        // A submodule's size is `-`.
        Ok(output.text()?.lines().filter_map(|line| line.parse::<u64>().ok()).sum())
    }

    /// The spare, if it is as it was made and can be moved to the folder `to`, with `commit` checked out in it. What
    /// speaks against that is only told: the ordinary way is always there.
    pub(crate) async fn fit(
        &self,
        spare: Option<Spare>,
        commit: &Oid,
        to: &Path,
        hold: &Hold,
    ) -> Option<Spare> {
        let spare = spare?;
        let why = match self.unfit(&spare, commit, to, hold).await {
            Ok(None) => return Some(spare),
            Ok(Some(why)) => why.to_owned(),
            Err(error) => error.to_string(),
        };
        tracing::warn!(spare = %spare.dir.display(), why, "the spare {} is not used: {why}", spare.dir.display());
        None
    }

    async fn unfit(
        &self,
        spare: &Spare,
        commit: &Oid,
        to: &Path,
        hold: &Hold,
    ) -> Result<Option<&'static str>> {
        if spare.common_dir != self.common_dir() || !self.can_have_spares() {
            return Ok(Some("it is not of this repository"));
        }
        let (tree, index) = (spare.tree(), spare.index());
        let device =
            |path: &Path| fs::metadata(path).map(|folder| folder.dev()).map_err(Error::io("see", path));
        if device(&tree)? != device(to)? {
            return Ok(Some("it lies on another filesystem"));
        }
        let (settings, seal) = tokio::join!(self.checkout_settings(), look(tree, index));
        if settings? != spare.settings {
            return Ok(Some("settings that a checkout depends on have changed"));
        }
        // The room that a file takes may still change after it was written.
        if seal?.sum != spare.seal.sum {
            return Ok(Some("somebody changed it"));
        }
        if spare.oid != *commit {
            // The branch moved. Mostly by little, and only what differs is written.
            checked_out(self.in_spare(&spare.dir), commit, hold).await?;
        }
        Ok(None)
    }

    /// What files look like after a checkout depends on these settings and attributes.
    async fn checkout_settings(&self) -> Result<u64> {
        let call = self.call().args(["config", "--null", "--get-regexp"]);
        let output = call.arg(r"^(core|filter|lfs)\.").read().await?;
        let attributes =
            bytes(&self.common_dir().join("info/attributes"), LARGEST_ATTRIBUTES, Links::Followed);
        Ok(hash(&(output.stdout, attributes.unwrap_or_default())))
    }

    /// A git that has the spare for its worktree.
    fn in_spare(&self, dir: &Path) -> Call {
        let tree = dir.join("tree");
        let call = self.git.call(&tree).env("GIT_DIR", self.common_dir()).env("GIT_WORK_TREE", &tree);
        call.env("GIT_INDEX_FILE", dir.join("index")).args(APART)
    }
}

impl Worktree {
    /// Checks a commit out into a spare for another worktree like this one. `dir` must not exist; `label` is one line for
    /// the caller's own use. None where the settings name other programs than when this worktree was made: an agent may
    /// have changed them. None also where the base is the work of an attempt.
    ///
    /// Unlike other changes this one ends with the caller: nobody else sees the folder, and one that is not
    /// finished is only thrown away. That, too, is the caller's, also after a failure.
    pub async fn make_spare(&self, dir: &Path, label: &str, commit: &Oid) -> Result<Option<Spare>> {
        if label.contains('\n') {
            return Err(Error::InvalidName { name: label.to_owned() });
        }
        // Before the checkout, so that whoever changes them during it is noticed at the claim.
        let settings = self.repo.checkout_settings().await?;
        let now = self.repo.open_worktree(self.path()).await?;
        if let Some(why) = now.guard.skipped.first() {
            tracing::info!(why, "no worktree is made in advance in {}: {why}", self.repo.path().display());
            return Ok(None);
        }
        if now.guard.trusted != now.guard.base {
            return Ok(None);
        }
        fs::create_dir(dir).map_err(Error::io("create", dir))?;
        let tree = dir.join("tree");
        fs::create_dir(&tree).map_err(Error::io("create", &tree))?;
        let hold = Hold::shared(&dir.join("lock")).await?;
        let call = now.with_missing_objects(self.repo.in_spare(dir)).ends_with_caller();
        checked_out(call, commit, &hold).await?;
        let seal = look(tree, dir.join("index")).await?;
        Ok(Some(Spare {
            dir: dir.to_owned(),
            label: label.to_owned(),
            oid: commit.clone(),
            common_dir: self.repo.common_dir().to_owned(),
            settings,
            seal,
        }))
    }
}

async fn checked_out(call: Call, commit: &Oid, hold: &Hold) -> Result<()> {
    let call = call.args(["read-tree", "-u", "--reset", "--no-recurse-submodules"]);
    call.arg(commit.as_str()).write_with_hooks(hold).await?.ok().map(drop)
}

async fn look(tree: PathBuf, index: PathBuf) -> Result<Seal> {
    let looking = tokio::task::spawn_blocking(move || {
        Seal::of(&tree, &index).map_err(|error: io::Error| Error::io("look through", tree)(error))
    });
    looking.await.map_err(|_stopped| Error::ShuttingDown)?
}
