//! Ignored files that a reset of the worktree would overwrite or expose.
//!
//! A reset brings back the ignore rules of another commit. A file that only the present rules ignore is exposed by that: the
//! next commit would take it. A file that the other commit tracks is overwritten. Both are saved before the reset, and the
//! exposed ones are removed by it. All other ignored files stay where they are.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use crate::lock::Hold;
use crate::plain_file::{Links, bytes};
use crate::{Error, Oid, Result, Worktree};

/// The file with a folder's ignore rules.
const RULES: &str = ".gitignore";
/// Larger files of rules are not read; nobody writes such by hand.
const LARGEST_RULES: u64 = 1024 * 1024;

/// The ignored files of a worktree that a reset would overwrite or expose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtRisk {
    /// Relative to the top, in no particular order.
    pub files: Vec<PathBuf>,
    /// Repositories among them, of which git saves nothing.
    pub repositories: Vec<PathBuf>,
    /// The size of all files.
    pub bytes: u64,
}

impl Worktree {
    /// Lists the ignored files that are overwritten or exposed when the worktree gets the files of the commit `files`
    /// and the index of the commit `index`.
    pub async fn at_risk(&self, files: &Oid, index: &Oid) -> Result<AtRisk> {
        let call = self.call().args(["ls-files", "--others", "--ignored", "-z"]);
        let listed = call.arg("--exclude-standard").read().await?.ok()?.stdout;
        let ignored: Vec<&[u8]> = entries(&listed).collect();
        if ignored.is_empty() {
            return Ok(AtRisk::default());
        }
        let mut tracked = BTreeSet::new();
        let mut rules = Vec::new();
        for commit in if files == index { vec![files] } else { vec![files, index] } {
            for (mode, oid, path) in self.tree(commit).await?.iter().filter_map(|entry| parse(entry)) {
                let is_rules = Path::new(OsStr::from_bytes(path)).file_name() == Some(OsStr::new(RULES));
                if commit == files && is_rules && mode.starts_with(b"100") {
                    rules.push((oid.to_vec(), path.to_vec()));
                }
                tracked.insert(path.to_vec());
            }
        }
        let still = self.still_ignored(&ignored, &rules, &tracked).await?;
        let is_lost = |path: &&[u8]| !still.contains(*path) || overlaps(path, &tracked);
        let lost: Vec<PathBuf> = ignored.into_iter().filter(is_lost).map(to_path).collect();
        Ok(self.measured(lost))
    }

    /// Lists the ignored files that are overwritten when git ends the operation that is in progress as if it had not been
    /// begun.
    pub async fn at_risk_of_abort(&self) -> Result<AtRisk> {
        let call = self.call().args(["ls-files", "--others", "--ignored", "-z"]);
        let listed = call.arg("--exclude-standard").read().await?.ok()?.stdout;
        if listed.is_empty() {
            return Ok(AtRisk::default());
        }
        let files = self.tree(&self.before_operation().await?).await?;
        let tracked =
            files.iter().filter_map(|entry| parse(entry)).map(|(_, _, path)| path.to_vec()).collect();
        let lost = entries(&listed).filter(|path| overlaps(path, &tracked));
        Ok(self.measured(lost.map(to_path).collect()))
    }

    async fn tree(&self, commit: &Oid) -> Result<Vec<Vec<u8>>> {
        let call = self.call().args(["ls-tree", "-r", "-z", "--full-tree"]);
        let listed = call.arg(commit.as_str()).read().await?.ok()?.stdout;
        Ok(entries(&listed).map(<[u8]>::to_vec).collect())
    }

    /// Those of `ignored` that are ignored by the rules which apply after the reset. Git answers, in an empty working tree
    /// that has nothing but these rules.
    async fn still_ignored(
        &self,
        ignored: &[&[u8]],
        rules: &[(Vec<u8>, Vec<u8>)],
        tracked: &BTreeSet<Vec<u8>>,
    ) -> Result<HashSet<Vec<u8>>> {
        let top = tempfile::tempdir().map_err(Error::io("create a folder in", std::env::temp_dir()))?;
        for (oid, path) in rules {
            let oid = String::from_utf8_lossy(oid).into_owned();
            let content = self.call().args(["cat-file", "blob", &oid]).read().await?.ok()?;
            place(top.path(), path, &content.stdout)?;
        }
        // Rules in ignored files outlast the reset: `.venv/.gitignore` ignores its own folder.
        let outlast = |path: &&&[u8]| path.ends_with(b"/.gitignore") && !overlaps(path, tracked);
        for path in ignored.iter().filter(outlast) {
            let file = self.path().join(OsStr::from_bytes(path));
            if let Some(content) = bytes(&file, LARGEST_RULES, Links::Refused) {
                place(top.path(), path, &content)?;
            }
        }
        let call = self.call_in(top.path());
        let call = call.args(["check-ignore", "--no-index", "--stdin", "-z"]);
        let mut asked = ignored.join(&0);
        asked.push(0);
        let output = call.read_fed(asked).await?;
        match output.status.code() {
            // Git says 1 when it ignores none of them.
            Some(0 | 1) => Ok(entries(&output.stdout).map(<[u8]>::to_vec).collect()),
            _ => Err(output.into_error()),
        }
    }

    fn measured(&self, lost: Vec<PathBuf>) -> AtRisk {
        let mut risk = AtRisk::default();
        for path in lost {
            match fs::symlink_metadata(self.path().join(&path)) {
                Ok(entry) if entry.is_dir() => risk.repositories.push(path),
                Ok(entry) => {
                    risk.bytes += entry.len();
                    risk.files.push(path);
                }
                Err(_gone) => {}
            }
        }
        risk
    }

    /// Stages the files in an index, although git ignores them.
    pub(crate) async fn stage_at_risk(
        &self,
        call: crate::command::Call,
        risk: &AtRisk,
        hold: &Hold,
    ) -> Result<()> {
        if risk.files.is_empty() {
            return Ok(());
        }
        let mut list = tempfile::NamedTempFile::new_in(self.admin_dir())
            .map_err(Error::io("create a file in", self.admin_dir()))?;
        for path in &risk.files {
            let line = [path.as_os_str().as_bytes(), b"\0"].concat();
            std::io::Write::write_all(&mut list, &line).map_err(Error::io("write", list.path()))?;
        }
        let mut from = std::ffi::OsString::from("--pathspec-from-file=");
        from.push(list.path());
        let call = call.args(["--literal-pathspecs", "add", "--force", "--sparse", "--pathspec-file-nul"]);
        call.arg(from).write_with_hooks(hold).await?.ok().map(drop)
    }
}

/// Whether one of the others is the path, is below it, or is a folder above it.
pub(crate) fn overlaps(path: &[u8], others: &BTreeSet<Vec<u8>>) -> bool {
    let name = path.strip_suffix(b"/").unwrap_or(path);
    let below = [name, b"/"].concat();
    let has_below = others.range(below.clone()..).next().is_some_and(|next| next.starts_with(&below));
    let mut above = Path::new(OsStr::from_bytes(name)).ancestors();
    has_below || above.any(|path| others.contains(path.as_os_str().as_bytes()))
}

/// Writes a file below `top`. A place that a file takes where a folder is wanted has no rules, and neither has one that
/// the path of a hostile tree would leave `top` for.
fn place(top: &Path, path: &[u8], content: &[u8]) -> Result<()> {
    let path = Path::new(OsStr::from_bytes(path));
    if path.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Ok(());
    }
    let file = top.join(path);
    if file.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok()) {
        fs::write(&file, content).map_err(Error::io("write", &file))?;
    }
    Ok(())
}

fn entries(listed: &[u8]) -> impl Iterator<Item = &[u8]> {
    listed.split(|byte| *byte == 0).filter(|entry| !entry.is_empty())
}

/// Mode, object and path of an entry of `git ls-tree -z`.
fn parse(entry: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    let (head, path) = (entry.get(..tab)?, entry.get(tab + 1..)?);
    let mut fields = head.split(|byte| *byte == b' ');
    Some((fields.next()?, fields.nth(1)?, path))
}

fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(std::ffi::OsString::from_vec(bytes.to_vec()))
}
