//! Pipes and devices in the place of files that git reads: git reads them without end.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use crate::{Error, Result};

/// After this time a git is suspected of waiting for a pipe; the next time it is twice as long.
const SUSPICIOUS: Duration = Duration::from_secs(1);
/// Files of a working tree that git opens whatever they are.
const OPENED: [&str; 2] = [".gitignore", ".gitattributes"];
/// As many entries of a folder are looked at.
const MOST_ENTRIES: usize = 500_000;

/// The folders whose files a git reads.
#[derive(Clone, Debug)]
pub(crate) struct Folders {
    /// The working tree.
    pub(crate) top: PathBuf,
    /// Those with settings, refs and objects.
    pub(crate) git: Vec<PathBuf>,
}

/// Waits for a git that reads these folders.
///
/// # Errors
/// When it takes long and a pipe or device is in its way. The caller ends git.
pub(crate) async fn unless_blocked<T>(folders: &Folders, work: impl Future<Output = T>) -> Result<T> {
    let (mut work, mut patience) = (pin!(work), SUSPICIOUS);
    loop {
        if let Ok(done) = tokio::time::timeout(patience, &mut work).await {
            return Ok(done);
        }
        patience *= 2;
        let folders = folders.clone();
        let looking = tokio::task::spawn_blocking(move || {
            folders.git.iter().find_map(|folder| find_endless(folder)).or_else(|| find_pipe(&folders.top))
        });
        if let Ok(Some(path)) = looking.await {
            return Err(Error::Blocked { path });
        }
    }
}

/// A pipe below `top` that git would open.
fn find_pipe(top: &Path) -> Option<PathBuf> {
    let (mut left, mut seen) = (vec![top.to_owned()], 0);
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            if kind.is_fifo() && OPENED.iter().any(|opened| name == OsStr::new(opened)) {
                return Some(entry.path());
            }
            if kind.is_dir() && name != ".git" {
                left.push(entry.path());
            }
            seen += 1;
            if seen > MOST_ENTRIES {
                return None;
            }
        }
    }
    None
}

/// A pipe or device in a folder of git's own, where git would open each file.
fn find_endless(top: &Path) -> Option<PathBuf> {
    let (mut left, mut seen) = (vec![top.to_owned()], 0);
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                left.push(entry.path());
            } else if !kind.is_file() {
                let target = fs::metadata(entry.path()).map(|target| target.file_type());
                if target.is_ok_and(|target| target.is_fifo() || target.is_char_device()) {
                    return Some(entry.path());
                }
            }
            seen += 1;
            if seen > MOST_ENTRIES {
                return None;
            }
        }
    }
    None
}
