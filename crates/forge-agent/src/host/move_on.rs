//! A program that goes on as another process: the one it was ends as if the program had, and nobody starts another.
//!
//! The new directory is made complete first. The result in the old one is the point of no return: until it is there
//! nothing has happened, and from then on everything that the program says belongs to the new process.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use super::caps::Capped;
use super::hosted::Hosted;
use super::place::{Place, Trouble};
use super::spec::Spec;
use super::{begin_log, forget_log};

/// Names the directory in which the program was started, where that is another.
pub(crate) const MARK_FILE: &str = "mark";

/// What everything that the program of `dir` started carries as [`MARK_VAR`](super::MARK_VAR).
pub(crate) fn mark_of(dir: &Path) -> io::Result<OsString> {
    match fs::read(dir.join(MARK_FILE)) {
        Ok(mark) => Ok(OsString::from_vec(mark)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(dir.as_os_str().to_owned()),
        Err(error) => Err(error),
    }
}

/// Takes the directory `to` for a program that is in `from`.
pub(crate) fn take(from: &Path, to: &Path) -> io::Result<Place> {
    let place = Place::take(to, &Spec::read(from)?).map_err(|trouble| match trouble {
        Trouble::Occupied => io::ErrorKind::AlreadyExists.into(),
        Trouble::Io(error) => error,
    })?;
    fs::write(place.dir.join(MARK_FILE), mark_of(from)?.as_bytes())?;
    if let Some(capped) = Capped::find(from)? {
        capped.record(&place.dir)?;
    }
    Ok(place)
}

/// Lets the program go on in a directory that was taken. When it fails, everything is as it was.
pub(crate) fn go(hosted: &mut Hosted, from: &Path, to: &Path) -> io::Result<()> {
    let log = begin_log(to)?;
    let end = hosted.end_of_part();
    if let Err(error) = end.record(from) {
        forget_log(to)?;
        return Err(error);
    }
    let before = hosted.go_on_with(log, end);
    // On a slow disk it takes long, and nobody waits for it.
    tokio::task::spawn_blocking(move || before.sink().sync_data());
    Ok(())
}
