//! The server's log in files of bounded size and number: `forge.log` is written, `forge.log.1` was before it, and so on.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::config::LogFile;

/// A file that makes way for a new one before it grows too big.
#[derive(Debug)]
pub(super) struct Rotating {
    settings: LogFile,
    file: File,
    bytes: u64,
}

impl Rotating {
    /// Goes on where the last server ended.
    pub(super) fn open(settings: LogFile) -> io::Result<Self> {
        let file = open(&settings.path)?;
        let bytes = file.metadata()?.len();
        Ok(Self { settings, file, bytes })
    }

    /// Moves every file one number on; the last makes way. Not before there is a new one: where none can be made, the
    /// old ones stay.
    fn rotate(&mut self) -> io::Result<()> {
        let mut name = self.settings.path.clone().into_os_string();
        name.push(".new");
        let new = PathBuf::from(name);
        let file = open(&new)?;
        for number in (0..self.settings.older).rev() {
            match fs::rename(self.numbered(number), self.numbered(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        fs::rename(&new, &self.settings.path)?;
        self.file = file;
        self.bytes = self.file.metadata()?.len();
        Ok(())
    }

    fn numbered(&self, number: u32) -> PathBuf {
        let mut name = self.settings.path.clone().into_os_string();
        if number > 0 {
            name.push(format!(".{number}"));
        }
        name.into()
    }
}

impl Write for Rotating {
    /// Called with one line at a time, so none is cut in two.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.bytes > 0 && self.bytes.saturating_add(line.len() as u64) > self.settings.max_bytes {
            // One that cannot be moved is written on: better a big file than no log.
            drop(self.rotate());
        }
        let written = self.file.write(line)?;
        self.bytes = self.bytes.saturating_add(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn settings(folder: &tempfile::TempDir, older: u32) -> LogFile {
        LogFile { path: folder.path().join("forge.log"), max_bytes: 50, older }
    }

    fn files(folder: &tempfile::TempDir) -> Vec<String> {
        let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_newest_lines_are_there_whole_in_files_of_bounded_size_and_number() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..100 {
            // Opened anew now and then, as by another server.
            let mut log = Rotating::open(settings(&folder, 2)).unwrap();
            for line in [number * 2, number * 2 + 1] {
                log.write_all(format!("line {line:03}\n").as_bytes()).unwrap();
            }
        }
        assert_eq!(files(&folder), ["forge.log", "forge.log.1", "forge.log.2"]);
        let all: String = ["forge.log.2", "forge.log.1", "forge.log"]
            .map(|name| {
                let path = folder.path().join(name);
                assert!(path.metadata().unwrap().len() <= 50);
                assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
                fs::read_to_string(path).unwrap()
            })
            .concat();
        let kept = all.lines().count();
        let expected: String = (200 - kept..200).map(|line| format!("line {line:03}\n")).collect();
        assert_eq!(all, expected);
        assert!(kept > 10, "{kept}");
    }

    #[test]
    fn a_line_that_is_too_long_has_a_file_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = Rotating::open(settings(&folder, 0)).unwrap();
        for line in ["short\n".to_owned(), "x".repeat(80), "last\n".to_owned()] {
            log.write_all(line.as_bytes()).unwrap();
        }
        assert_eq!(files(&folder), ["forge.log"]);
        assert_eq!(fs::read_to_string(folder.path().join("forge.log")).unwrap(), "last\n");
    }

    #[test]
    fn a_file_that_cannot_be_moved_is_written_on() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("forge.log.1/not empty")).unwrap();
        let mut log = Rotating::open(settings(&folder, 1)).unwrap();
        for _ in 0..10 {
            log.write_all(b"a line of some length\n").unwrap();
        }
        assert_eq!(fs::read_to_string(folder.path().join("forge.log")).unwrap().lines().count(), 10);
    }

    #[test]
    fn where_no_new_file_can_be_made_the_old_ones_stay() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("forge.log.new")).unwrap();
        let mut log = Rotating::open(settings(&folder, 1)).unwrap();
        let lines: String = (0..20).map(|line| format!("line {line:03}\n")).collect();
        for line in lines.split_inclusive('\n') {
            log.write_all(line.as_bytes()).unwrap();
        }
        assert_eq!(files(&folder), ["forge.log", "forge.log.new"]);
        assert_eq!(fs::read_to_string(folder.path().join("forge.log")).unwrap(), lines);
    }
}
