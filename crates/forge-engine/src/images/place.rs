//! Copies images into a worktree, where an agent finds them under `.forge-images/` and git does not.
//!
//! A repository may have whatever it likes at that place: no link in it is followed, and nothing outside the folder is
//! touched.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use forge_model::IMAGE_FOLDER;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, mkdirat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

/// Git passes over a folder that says so itself: the user's repository and its settings stay as they are.
const IGNORE: (&str, &[u8]) = (".gitignore", b"*\n");

/// Copies each file to its name in the worktree's folder of images. Gives back what could not be copied, and why.
pub(super) fn place(worktree: &Path, files: Vec<(PathBuf, String)>) -> Vec<(String, io::Error)> {
    let folder = match open(worktree) {
        Ok(Some(folder)) => folder,
        Ok(None) => return Vec::new(),
        Err(error) => return vec![(IMAGE_FOLDER.to_owned(), error)],
    };
    let copy = |(from, name): (PathBuf, String)| copy(&folder, &from, &name).err().map(|error| (name, error));
    files.into_iter().filter_map(copy).collect()
}

/// The folder, which is made where it is missing. None where there is no worktree: whatever starts in it will say so.
fn open(worktree: &Path) -> io::Result<Option<OwnedFd>> {
    let folder = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
    let top = match openat(CWD, worktree, folder, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(None),
        top => top?,
    };
    match mkdirat(&top, IMAGE_FOLDER, Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(error.into()),
    }
    let folder = openat(&top, IMAGE_FOLDER, folder | OFlags::NOFOLLOW, Mode::empty())?;
    let (name, text) = IGNORE;
    match create(&folder, name) {
        Ok(mut file) => file.write_all(text)?,
        Err(Errno::EXIST) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(Some(folder))
}

fn copy(folder: &OwnedFd, from: &Path, name: &str) -> io::Result<()> {
    let mut from = File::open(from)?;
    let length = from.metadata()?.len();
    let there = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    if there.is_ok_and(|there| {
        FileType::from_raw_mode(there.st_mode) == FileType::RegularFile
            && u64::try_from(there.st_size) == Ok(length)
    }) {
        return Ok(());
    }
    // Under its name it is whole.
    let draft = format!(".{name}.partial");
    match unlinkat(folder, &draft, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(error.into()),
    }
    let mut to = create(folder, &draft)?;
    let copied = io::copy(&mut from, &mut to).and_then(|_length| Ok(renameat(folder, &draft, folder, name)?));
    if copied.is_err() {
        // One that stays is overwritten the next time.
        unlinkat(folder, &draft, AtFlags::empty()).ok();
    }
    copied
}

fn create(folder: &OwnedFd, name: &str) -> Result<File, Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(folder, name, flags, Mode::from_raw_mode(0o644)).map(File::from)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn images_are_put_where_git_does_not_look_and_no_link_is_followed() {
        let root = tempfile::tempdir().unwrap();
        let (worktree, outside) = (root.path().join("w"), root.path().join("outside"));
        let image = root.path().join("image");
        fs::write(&image, "picture").unwrap();
        let files = || vec![(image.clone(), "x.png".to_owned())];
        assert!(place(&worktree, files()).is_empty(), "there is no worktree");
        assert!(!worktree.exists());
        fs::create_dir(&worktree).unwrap();
        fs::create_dir(&outside).unwrap();
        symlink(&outside, worktree.join(IMAGE_FOLDER)).unwrap();
        assert_eq!(place(&worktree, files()).len(), 1);
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        fs::remove_file(worktree.join(IMAGE_FOLDER)).unwrap();
        let folder = worktree.join(IMAGE_FOLDER);
        for before in ["nothing", "half of it", "a link"] {
            if before == "half of it" {
                fs::write(folder.join("x.png"), "pict").unwrap();
                fs::write(folder.join(".x.png.partial"), "pi").unwrap();
            } else if before == "a link" {
                fs::remove_file(folder.join("x.png")).unwrap();
                symlink(outside.join("victim"), folder.join("x.png")).unwrap();
                symlink(outside.join("victim"), folder.join(".x.png.partial")).unwrap();
            }
            assert!(place(&worktree, files()).is_empty(), "{before}");
            assert_eq!(fs::read_to_string(folder.join("x.png")).unwrap(), "picture", "{before}");
            assert!(!fs::symlink_metadata(folder.join("x.png")).unwrap().is_symlink(), "{before}");
        }
        assert_eq!(fs::read_to_string(folder.join(".gitignore")).unwrap(), "*\n");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        let missing = vec![(root.path().join("gone"), "y.png".to_owned())];
        assert_eq!(place(&worktree, missing).len(), 1);
    }
}
