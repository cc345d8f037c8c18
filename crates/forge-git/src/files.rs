//! The files of a checkout, and which of them were worked on lately: what a search looks through.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::{Repo, Result};

/// How many commits tell what was worked on lately.
const LATELY: &str = "--max-count=100";

/// Which files are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Tracked and untracked ones, without those that are ignored.
    Known,
    /// Ignored ones too.
    All,
}

impl Repo {
    /// The files of the repository's own checkout, relative to its top. Tracked ones may be deleted.
    pub async fn files(&self, listing: Listing) -> Result<Vec<PathBuf>> {
        let call = self.call_in_checkout().args(["ls-files", "-z", "--cached", "--deduplicate"]);
        let call = match listing {
            Listing::Known => call.args(["--others", "--exclude-standard"]),
            Listing::All => call.arg("--others"),
        };
        let mut output = call.read().await?;
        if output.stderr.contains("must be run in a work tree") {
            let call = self.call().args(["ls-tree", "-r", "-z", "--name-only", "HEAD"]);
            output = call.read().await?;
        }
        let output = output.ok()?;
        Ok(paths(&output.stdout).map(PathBuf::from).collect())
    }

    /// The files that the last hundred commits touched, with how many commits ago that was last.
    pub async fn touched_lately(&self) -> Result<HashMap<PathBuf, usize>> {
        let call = self.call().args(["rev-list", LATELY, "--no-merges", "HEAD", "--"]);
        let output = call.read().await?;
        if !output.status.success() {
            // A HEAD without a commit has touched nothing.
            return Ok(HashMap::new());
        }
        let call = self.call().args(["diff-tree", "--stdin", "-r", "-z", "--root"]);
        let commits = output.stdout;
        // The settings of submodules are not read, which may be no settings at all.
        let call = call.args(["--name-only", "--no-renames", "--ignore-submodules=none"]);
        let output = call.read_fed(commits).await?.ok()?;
        let mut touched = HashMap::new();
        let mut ago = 0;
        for path in paths(&output.stdout) {
            // Each commit's name comes before its files.
            if path.len() >= 40 && path.as_bytes().iter().all(u8::is_ascii_hexdigit) {
                ago += 1;
            } else {
                touched.entry(PathBuf::from(path)).or_insert(ago);
            }
        }
        Ok(touched)
    }
}

fn paths(listed: &[u8]) -> impl Iterator<Item = &OsStr> {
    listed.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(OsStr::from_bytes)
}
