//! Saving all that is in a worktree under a hidden ref, without anybody noticing.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use crate::identity::by_forge;
use crate::lock::Hold;
use crate::nested::pointers;
use crate::plain_file::{self, Links};
use crate::{AtRisk, Error, Oid, Result, Worktree};

/// Settings of every git here: a hidden ref is nobody's event, so no hook hears of it.
pub(crate) const UNSEEN: [&str; 4] = ["-c", "core.hooksPath=/dev/null", "-c", "core.splitIndex=false"];

/// The largest index that is copied: that of some ten million files.
const LARGEST_INDEX: u64 = 1024 * 1024 * 1024;

/// What a snapshot saved; its ref points to `oid` in either case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub oid: Oid,
    /// Whether there was anything that HEAD does not have.
    pub had_changes: bool,
    /// What could not be saved: files that git refuses, and repositories inside the worktree with work
    /// that nobody else has, of which git records the commit alone. As long as this is set, the worktree's folder must not be deleted.
    pub unsaved: Option<String>,
}

impl Worktree {
    /// Saves everything that is not ignored to `refname`, which lies under `refs/forge/`.
    ///
    /// Index, files and hooks are left alone, so it can be done while an agent works, in the middle
    /// of a merge, or on a detached HEAD.
    pub async fn snapshot(&self, refname: &str, message: &str) -> Result<Snapshot> {
        self.snapshot_with(refname, message, &AtRisk::default()).await
    }

    /// Like [`Worktree::snapshot`], with the ignored files that the next step puts at risk.
    pub async fn snapshot_with(&self, refname: &str, message: &str, risk: &AtRisk) -> Result<Snapshot> {
        let (worktree, risk) = (self.clone(), risk.clone());
        let (refname, message) = (refname.to_owned(), message.to_owned());
        self.repo.git.see_through(async move { worktree.save(&refname, &message, &risk).await }).await
    }

    async fn save(self, refname: &str, message: &str, risk: &AtRisk) -> Result<Snapshot> {
        if !refname.starts_with("refs/forge/") || crate::names::check_branch(refname).is_err() {
            return Err(Error::InvalidName { name: refname.to_owned() });
        }
        let lock = self.repo.lock_path();
        let hold = self.repo.git.unless_stopped(Hold::shared(&lock)).await?;
        let head = self.call().args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
        let head = head.read().await?.oid().ok();
        let (tree, unsaved) = self.write_tree(risk, &hold).await?;
        let had_changes = match &head {
            Some(head) => self.tree_of(head).await? != tree,
            None => true,
        };
        // Files that differ from the base commit are kept byte by byte, and a commit of the user's says nothing about that:
        // it would be checked out with the line endings and filters that attributes ask for.
        let oid = match head.as_ref().filter(|head| !had_changes && **head == self.guard.base) {
            Some(base) => base.clone(),
            None => {
                let call = by_forge(self.call()).args([
                    "commit-tree",
                    "-m",
                    &self.raw_message(message),
                    tree.as_str(),
                ]);
                let call = call.args(head.iter().flat_map(|head| ["-p", head.as_str()]));
                call.write(&hold).await?.ok()?.oid()?
            }
        };
        self.call().args(["update-ref", refname, oid.as_str()]).write(&hold).await?.ok()?;
        Ok(Snapshot { had_changes, oid, unsaved })
    }

    async fn tree_of(&self, commit: &Oid) -> Result<Oid> {
        let tree = format!("{commit}^{{tree}}");
        self.call().args(["rev-parse", "--verify", &tree]).read().await?.ok()?.oid()
    }

    /// Stages the bytes of all files in a copy of the index. The copy knows which files did not change, so that
    /// only those that did are read.
    async fn write_tree(&self, risk: &AtRisk, hold: &Hold) -> Result<(Oid, Option<String>)> {
        let dir = tempfile::tempdir_in(self.admin_dir())
            .map_err(Error::io("create a folder in", self.admin_dir()))?;
        let index = dir.path().join("index");
        let original = self.admin_dir().join("index");
        copy_index(&original, &index)?;
        let in_copy = || self.raw_call().env("GIT_INDEX_FILE", &index);
        let apart = self.apart(in_copy).await?;
        in_copy().update_index(self.entries_since_base(in_copy).await?).await?;
        let refused = self.stage_all(in_copy(), &apart, hold).await?;
        self.stage_at_risk(in_copy(), risk, hold).await?;
        let (modules, foreign) = self.modules(&apart.links).await?;
        in_copy().update_index(pointers(self, &modules).await?).await?;
        let mut unsaved = self.unsaved_repositories(&modules, &foreign).await?;
        unsaved.extend(apart.left_out());
        unsaved.extend(refused);
        let exposed = risk.repositories.iter();
        unsaved.extend(
            exposed.map(|path| format!("the repository {} would no longer be ignored", path.display())),
        );
        let tree = in_copy().arg("write-tree").write(hold).await?.ok()?.oid()?;
        Ok((tree, (!unsaved.is_empty()).then(|| unsaved.join("\n"))))
    }
}

/// Copies the index with its time: git trusts an entry only if its file is older than the index.
pub(crate) fn copy_index(from: &Path, to: &Path) -> Result<()> {
    let index = match plain_file::open(from, LARGEST_INDEX, Links::Followed) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            let stderr = format!("the index {} cannot be used: {error}", from.display());
            return Err(Error::Damaged { command: "git read-tree".to_owned(), stderr });
        }
        opened => opened.map_err(Error::io("open", from))?,
    };
    let copy = || -> io::Result<()> {
        let mut copy = File::create(to)?;
        io::copy(&mut (&index).take(LARGEST_INDEX), &mut copy)?;
        copy.set_modified(index.metadata()?.modified()?)
    };
    copy().map_err(Error::io("copy", from))
}
