//! Staging everything in a worktree that can be staged, and naming the rest.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::command::Call;
use crate::lock::Hold;
use crate::nested::gitlinks;
use crate::{Error, Result, Worktree};

/// What in a worktree is not staged as files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Apart {
    /// Repositories that the index does not know.
    pub(crate) nested: Vec<PathBuf>,
    /// Repositories that the index knows.
    pub(crate) links: Vec<PathBuf>,
    /// Untracked files that are too large, with their sizes.
    pub(crate) large: Vec<(PathBuf, u64)>,
}

impl Apart {
    /// In words, one line for each.
    pub(crate) fn left_out(&self) -> Vec<String> {
        let nested = self.nested.iter().map(|path| {
            format!("{} is a repository of its own; nothing in it is saved or committed", path.display())
        });
        let large = self.large.iter().map(|(path, bytes)| {
            format!("{} has {} MiB, which is too large to save or commit", path.display(), bytes >> 20)
        });
        nested.chain(large).collect()
    }
}

impl Worktree {
    /// Looks for what is not staged as files, by this index.
    pub(crate) async fn apart(&self, in_index: impl Fn() -> Call) -> Result<Apart> {
        let staged = in_index().args(["ls-files", "--stage", "-z"]).read();
        let others = in_index().args(["ls-files", "--others", "--exclude-standard", "-z"]).read();
        let (staged, others) = tokio::join!(staged, others);
        let (staged, others) = (staged?.ok()?.stdout, others?.ok()?.stdout);
        let (top, largest) = (self.path().to_owned(), self.repo.git.largest_untracked());
        let looking = tokio::task::spawn_blocking(move || {
            let mut apart = Apart { links: gitlinks(&staged), ..Apart::default() };
            for path in others.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
                if let Some(nested) = path.strip_suffix(b"/") {
                    apart.nested.push(PathBuf::from(OsStr::from_bytes(nested)));
                    continue;
                }
                let path = Path::new(OsStr::from_bytes(path));
                match fs::symlink_metadata(top.join(path)) {
                    Ok(file) if file.is_file() && file.len() > largest => {
                        apart.large.push((path.to_owned(), file.len()));
                    }
                    _ => {}
                }
            }
            apart
        });
        looking.await.map_err(|_stopped| Error::ShuttingDown)
    }

    /// Stages every file that can be staged, but for what is apart; reports what git said about those that cannot.
    pub(crate) async fn stage_all(&self, call: Call, apart: &Apart, hold: &Hold) -> Result<Option<String>> {
        let mut specs = b".\0".to_vec();
        let large = apart.large.iter().map(|(path, _)| path);
        for path in apart.nested.iter().chain(&apart.links).chain(large) {
            specs.extend_from_slice(&[b":(exclude,literal)", path.as_os_str().as_bytes(), b"\0"].concat());
        }
        let list = tempfile::NamedTempFile::new_in(self.admin_dir())
            .map_err(Error::io("create a file in", self.admin_dir()))?;
        fs::write(list.path(), specs).map_err(Error::io("write", list.path()))?;
        // Files that an agent put outside a sparse checkout are its work too.
        let call = call.args(["add", "--all", "--sparse", "--ignore-errors", "--pathspec-file-nul"]);
        let call = call.arg("--pathspec-from-file").arg(list.path());
        let output = call.write_with_hooks(hold).await?;
        let left_out = match output.status.code() {
            // What there is no room for now is not left out for good.
            _ if output.met_a_full_disk() => return Err(output.into_error()),
            Some(0) => false,
            Some(1) => true,
            _ => return Err(output.into_error()),
        };
        Ok(left_out.then_some(output.stderr))
    }
}
