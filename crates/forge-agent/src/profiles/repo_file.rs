//! Reads files of a repository that may be hostile: no link is followed, only regular files are read, sizes are capped.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
use rustix::io::Errno;

/// The largest file that is read.
pub(super) const MAX_BYTES: u64 = 1 << 20;

/// Returns the text of `file`, a path below `repository`; none where no such file exists.
///
/// # Errors
/// When a part of the path is a link, or the file is not a regular one, too large, or not text.
pub(super) fn read(repository: &Path, file: &Path) -> Result<Option<String>, String> {
    let Some(opened) = open(repository, file, OFlags::NONBLOCK)? else { return Ok(None) };
    let stat = fstat(&opened).map_err(|error| error.to_string())?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err("not a regular file".to_owned());
    }
    let too_large = || format!("larger than {} KiB", MAX_BYTES >> 10);
    if u64::try_from(stat.st_size).is_ok_and(|size| size > MAX_BYTES) {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    let read = File::from(opened).take(MAX_BYTES + 1).read_to_end(&mut bytes);
    if read.map_err(|error| error.to_string())? as u64 > MAX_BYTES {
        return Err(too_large());
    }
    String::from_utf8(bytes).map(Some).map_err(|_invalid| "not UTF-8 text".to_owned())
}

/// Whether `folder`, a path below `repository`, is a directory that is reached without following a link.
pub(super) fn is_folder(repository: &Path, folder: &Path) -> bool {
    matches!(open(repository, folder, OFlags::DIRECTORY), Ok(Some(_)))
}

/// Opens a path below `repository` component by component; none where it does not exist.
fn open(repository: &Path, below: &Path, last: OFlags) -> Result<Option<OwnedFd>, String> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let mut at = match openat(CWD, repository, flags | OFlags::DIRECTORY, Mode::empty()) {
        Ok(top) => top,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(error) => return Err(io::Error::from(error).to_string()),
    };
    let names: Option<Vec<&OsStr>> = below
        .components()
        .map(|part| if let Component::Normal(name) = part { Some(name) } else { None })
        .collect();
    let names = names.ok_or_else(|| "not a path below the repository".to_owned())?;
    for (index, name) in names.iter().enumerate() {
        let kind = if index + 1 == names.len() { last } else { OFlags::DIRECTORY };
        at = match openat(&at, *name, flags | OFlags::NOFOLLOW | kind, Mode::empty()) {
            Ok(next) => next,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return refused(&at, name, error),
        };
    }
    Ok(Some(at))
}

/// Tells a link from a missing folder: both are `ENOTDIR` where a directory is asked for.
fn refused(folder: &OwnedFd, name: &OsStr, error: Errno) -> Result<Option<OwnedFd>, String> {
    let stat = rustix::fs::statat(folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW);
    let is_link = stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
    match error {
        _ if is_link => Err(format!("`{}` is a symbolic link; links are not followed", name.display())),
        Errno::NOTDIR => Ok(None),
        other => Err(io::Error::from(other).to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn read_refuses_links_specials_and_large_files() {
        let folder = tempfile::tempdir().unwrap();
        let (outside, repo) = (folder.path().join("outside"), folder.path().join("repo"));
        fs::create_dir_all(outside.join("sub")).unwrap();
        fs::create_dir_all(repo.join("d")).unwrap();
        fs::write(outside.join("key"), "private").unwrap();
        fs::write(repo.join("d/plain"), "text").unwrap();
        fs::write(repo.join("d/large"), vec![b'x'; 1 + (1 << 20)]).unwrap();
        fs::write(repo.join("d/bytes"), [0xff]).unwrap();
        symlink(outside.join("key"), repo.join("d/link")).unwrap();
        symlink(&outside, repo.join("out")).unwrap();
        symlink("/dev/zero", repo.join("zero")).unwrap();
        rustix::fs::mkfifoat(CWD, repo.join("fifo"), Mode::from_raw_mode(0o600)).unwrap();
        let read = |file: &str| read(&repo, Path::new(file));
        assert_eq!(read("d/plain"), Ok(Some("text".to_owned())));
        for missing in ["none", "d/none", "d/plain/none", "none/none"] {
            assert_eq!(read(missing), Ok(None), "{missing}");
        }
        for (file, expected) in [
            ("d/link", "`link` is a symbolic link"),
            ("out/key", "`out` is a symbolic link"),
            ("zero", "`zero` is a symbolic link"),
            ("fifo", "not a regular file"),
            ("d", "not a regular file"),
            ("d/large", "larger than 1024 KiB"),
            ("d/bytes", "not UTF-8"),
            ("../outside/key", "not a path below"),
            ("/etc/passwd", "not a path below"),
        ] {
            let error = read(file).unwrap_err();
            assert!(error.contains(expected), "{file}: {error}");
        }
        assert!(is_folder(&repo, Path::new("d")));
        for other in ["out", "out/sub", "d/plain", "none"] {
            assert!(!is_folder(&repo, Path::new(other)), "{other}");
        }
    }
}
