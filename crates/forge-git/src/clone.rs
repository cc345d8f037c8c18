//! One file copied: as a clone that shares its blocks until somebody writes, where the filesystem can.
//!
//! Never as a hard link: an agent would change the user's own file through it.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Whether files like this one can be cloned into the folder: tried on a file that has no name.
pub(crate) fn can_clone(file: &Path, folder: &Path) -> bool {
    let tried = File::open(file).and_then(|from| share_blocks(&from, &tempfile::tempfile_in(folder)?));
    tried.is_ok()
}

/// Copies what is in a file, its mode, and when it was changed: who keeps built things tells old from new by that.
/// There must be nothing at `to`.
pub(crate) fn copy(from: &Path, entry: &Metadata, to: &Path, clone: bool) -> io::Result<()> {
    let mut source = File::open(from)?;
    // What it holds may be secret, so nobody else sees it before it has its own mode.
    let mut target = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    if !(clone && share_blocks(&source, &target).is_ok())
        && let Err(error) = io::copy(&mut source, &mut target)
    {
        // Half of a file is worse than none.
        fs::remove_file(to)?;
        return Err(error);
    }
    target.set_permissions(PermissionsExt::from_mode(entry.permissions().mode() & 0o777))?;
    target.set_modified(entry.modified()?)
}

#[cfg(target_os = "linux")]
fn share_blocks(from: &File, to: &File) -> io::Result<()> {
    Ok(rustix::fs::ioctl_ficlone(to, from)?)
}

#[cfg(not(target_os = "linux"))]
fn share_blocks(_from: &File, _to: &File) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    const BTRFS: i64 = 0x9123_683e;
    const EXT4: i64 = 0xef53;
    const TMPFS: i64 = 0x0102_1994;

    #[test]
    fn a_file_is_cloned_where_the_filesystem_can() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "x".repeat(10_000)).unwrap();
        let cloned = can_clone(&file, folder.path());
        // Others can or cannot, by how they were made.
        match rustix::fs::statfs(folder.path()).unwrap().f_type {
            BTRFS => assert!(cloned),
            EXT4 | TMPFS => assert!(!cloned),
            _ => {}
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left of the trial");
    }

    #[test]
    fn a_copy_has_content_mode_and_age_and_is_a_file_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::write(&from, "x".repeat(10_000)).unwrap();
        fs::set_permissions(&from, PermissionsExt::from_mode(0o751)).unwrap();
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        File::options().write(true).open(&from).unwrap().set_modified(old).unwrap();
        for clone in [true, false] {
            copy(&from, &fs::metadata(&from).unwrap(), &to, clone).unwrap();
            let entry = fs::metadata(&to).unwrap();
            assert_eq!((entry.permissions().mode() & 0o7777, entry.modified().unwrap()), (0o751, old));
            assert_eq!(fs::read(&to).unwrap(), fs::read(&from).unwrap());
            let again = copy(&from, &entry, &to, clone).unwrap_err();
            assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
            fs::write(&to, "changed").unwrap();
            assert_eq!(fs::read_to_string(&from).unwrap().len(), 10_000);
            fs::remove_file(&to).unwrap();
        }
    }
}
