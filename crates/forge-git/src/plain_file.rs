//! Files in the hands of an agent, opened so that nothing hangs, grows or leads elsewhere: regular files only, with a cap.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// The largest file with settings or refs that is read.
const LARGEST_TEXT: u64 = 4 * 1024 * 1024;

/// Whether a symbolic link in place of the file is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    Refused,
    Followed,
}

/// Opens a regular file of at most `most` bytes; a pipe in its place is not waited for.
pub(crate) fn open(path: &Path, most: u64, links: Links) -> io::Result<File> {
    let flags = match links {
        Links::Refused => OFlags::NONBLOCK | OFlags::NOFOLLOW,
        Links::Followed => OFlags::NONBLOCK,
    };
    let file = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)?;
    let entry = file.metadata()?;
    if !entry.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidData, "it is not a regular file"));
    }
    if entry.len() > most {
        return Err(io::Error::new(ErrorKind::InvalidData, "it is too large"));
    }
    Ok(file)
}

/// The bytes of a regular file of at most `most` bytes.
pub(crate) fn bytes(path: &Path, most: u64, links: Links) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, most, links).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The bytes of a small regular file; no link is followed.
pub(crate) fn small(path: &Path) -> Option<Vec<u8>> {
    bytes(path, LARGEST_TEXT, Links::Refused)
}

/// The text of a small regular file; no link is followed.
pub(crate) fn text(path: &Path) -> Option<String> {
    String::from_utf8(small(path)?).ok()
}

/// Writes a file anew in place of whatever has its name; nothing is written through a link.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(content)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_small_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "text").unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink("/dev/zero", at("device")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        File::create(at("huge")).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(text(&at("file")).as_deref(), Some("text"));
        assert_eq!(bytes(&at("link"), 10, Links::Followed).as_deref(), Some(&b"text"[..]));
        for name in ["link", "device", "pipe", "huge", "missing", "."] {
            assert_eq!(small(&at(name)), None, "{name}");
        }
        for name in ["device", "pipe", "huge"] {
            assert_eq!(bytes(&at(name), 10, Links::Followed), None, "{name}");
        }
    }

    #[test]
    fn replace_does_not_write_through_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "kept").unwrap();
        symlink(&file, &link).unwrap();
        for content in ["first", "second"] {
            replace(&link, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&link).unwrap(), content);
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
    }
}
