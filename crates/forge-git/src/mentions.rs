//! Files that hooks and filters name, and that the attempt changed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::plain_file::{Links, bytes};
use crate::{Result, Worktree};

/// The file with a folder's ignore rules.
const RULES: &str = ".gitignore";
/// Longer words are no paths.
const LONGEST_WORD: usize = 512;

/// Whether a byte is part of a word that may be a path.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_./@+-".contains(&byte)
}

/// The words of a script that may be paths.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !is_plain(*byte)).filter(|word| !word.is_empty() && word.len() < LONGEST_WORD)
}

/// Those of the changes whose file name is in a text. A script may go to any folder before it runs a file, so the folders of a
/// path say nothing.
pub(crate) fn mentioned(text: &[u8], changes: &[PathBuf]) -> Vec<PathBuf> {
    let names: BTreeSet<&[u8]> = words(text)
        .filter_map(|word| word.rsplit(|byte| *byte == b'/').find(|name| !name.is_empty()))
        .collect();
    let is_mentioned = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().as_bytes();
        if name.iter().all(|byte| is_plain(*byte)) {
            names.contains(name)
        } else {
            text.windows(name.len().max(1)).any(|part| part == name)
        }
    };
    changes.iter().filter(is_mentioned).cloned().collect()
}

impl Worktree {
    /// Files of the worktree that may differ from the trusted commit, untracked ones too. Ignored ones are among them only if
    /// the attempt may have written the rules.
    pub(crate) async fn changes(&self) -> Result<Vec<PathBuf>> {
        let trusted = self.guard.trusted.as_str();
        let call = self.raw_call().args(["diff-index", "--name-only", "-z", "--no-renames"]);
        let changed = call.args(["--ignore-submodules=all", trusted, "--"]).read().await?.ok()?.stdout;
        let others = || self.call().args(["ls-files", "--others", "-z"]);
        let call = others().arg(format!("--exclude-per-directory={RULES}"));
        let mut untracked = call.read().await?.ok()?.stdout;
        let is_rules = |path: &Path| path.file_name() == Some(OsStr::new(RULES));
        if paths(&changed).chain(paths(&untracked)).any(is_rules) {
            untracked = others().read().await?.ok()?.stdout;
        }
        Ok(paths(&changed).chain(paths(&untracked)).map(Path::to_owned).collect())
    }

    /// One of the changes whose file name is in a text, and which is not as in the trusted commit.
    pub(crate) async fn changed_by_name(&self, text: &[u8], changes: &[PathBuf]) -> Result<Option<String>> {
        let mut named = mentioned(text, changes);
        named.retain(|file| {
            std::fs::symlink_metadata(self.path().join(file)).is_ok_and(|entry| !entry.is_dir())
        });
        Ok(self.unlike_trusted(&named).await?.into_iter().next().map(|file| file.display().to_string()))
    }

    /// Whether a file is as in the repository's own checkout, which is the user's.
    pub(crate) fn is_as_in_checkout(&self, file: &Path, largest: u64) -> bool {
        let read = |top: &Path| bytes(&top.join(file), largest, Links::Followed);
        let own = read(self.repo.path());
        own.is_some() && own == read(self.path())
    }
}

pub(crate) fn paths(listed: &[u8]) -> impl Iterator<Item = &Path> {
    let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    paths.map(|path| Path::new(OsStr::from_bytes(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_name_wherever_script_goes() {
        let changes = ["scripts/lint.sh", "tools/my lint", "other.sh", "lint"].map(PathBuf::from);
        let named = |text: &str| {
            let named = mentioned(text.as_bytes(), &changes);
            named.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(",")
        };
        for text in
            ["sh ../scripts/lint.sh", "cd scripts && ./lint.sh", "\"$PWD/scripts/lint.sh\" x", "lint.sh"]
        {
            assert_eq!(named(text), "scripts/lint.sh", "{text}");
        }
        assert_eq!(named("'tools/my lint' 1"), "tools/my lint,lint");
        assert_eq!(named("npm test; eslint.sh; a.lint.sh"), "");
    }
}
