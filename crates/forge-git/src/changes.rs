//! The paths that differ between two trees, as git lists them raw and takes them into an index.

use std::collections::BTreeMap;

use crate::{Oid, Result, Worktree};

/// Mode and object name of a path; none where there is no such path.
pub(crate) type Entry = Option<(Vec<u8>, Vec<u8>)>;

/// How a path differs.
pub(crate) struct EntryChange {
    pub(crate) old: Entry,
    pub(crate) new: Entry,
}

pub(crate) type EntryChanges = BTreeMap<Vec<u8>, EntryChange>;

impl Worktree {
    /// What a snapshot has otherwise than the commit it was made on; nothing if it is the base commit itself.
    pub(crate) async fn changes_of(&self, snapshot: &Oid) -> Result<EntryChanges> {
        if *snapshot == self.guard.base {
            return Ok(EntryChanges::new());
        }
        self.changes_between(&format!("{snapshot}^"), snapshot.as_str()).await
    }

    pub(crate) async fn changes_between(&self, old: &str, new: &str) -> Result<EntryChanges> {
        let call = self.call().args(["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames"]);
        // Of submodules too, whatever the settings say.
        let output = call.args(["--ignore-submodules=none", old, new, "--"]).read().await?;
        Ok(parse(&output.ok()?.stdout))
    }
}

/// Reads what git lists with `--raw -z --no-renames`: `:<old mode> <mode> <old oid> <oid> <status>`, then the path.
pub(crate) fn parse(raw: &[u8]) -> EntryChanges {
    let mut changes = EntryChanges::new();
    let mut fields = raw.split(|byte| *byte == 0);
    while let (Some(about), Some(path)) = (fields.next(), fields.next()) {
        let about: Vec<_> = about.split(|byte| *byte == b' ').collect();
        if let &[[b':', old_mode @ ..], mode, old_oid, oid, _] = about.as_slice() {
            let change = EntryChange { old: entry(old_mode, old_oid), new: entry(mode, oid) };
            changes.insert(path.to_vec(), change);
        }
    }
    changes
}

/// An entry in git's words, in which mode 0 is that of a path that does not exist.
pub(crate) fn entry(mode: &[u8], oid: &[u8]) -> Entry {
    (mode != b"000000").then(|| (mode.to_vec(), oid.to_vec()))
}

/// Input of `git update-index --index-info` for paths of a repository that has commits like `any`.
pub(crate) fn index_info<'a>(
    entries: impl IntoIterator<Item = (&'a Vec<u8>, &'a Entry)>,
    any: &Oid,
) -> Vec<u8> {
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for (path, entry) in entries {
        match entry {
            Some((mode, oid)) => added.extend([mode, &b" "[..], oid, b" 0\t", path, b"\0"].concat()),
            None => removed.extend([b"0 ", any.null().as_bytes(), b"\t", path, b"\0"].concat()),
        }
    }
    // First what is gone: it may be in the way of the rest.
    removed.append(&mut added);
    removed
}
