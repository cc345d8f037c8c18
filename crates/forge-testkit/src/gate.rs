//! Gates: FIFOs at which a program waits for the test, or the test for a program. Neither side looks twice.
#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "what goes wrong in here fails the test")]

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, mkfifoat};
use tokio::sync::oneshot;

use crate::server::DEADLINE;

/// A FIFO that is there from the beginning, so that nobody can take it for a file to make.
#[derive(Debug)]
pub struct Gate {
    path: PathBuf,
}

impl Gate {
    /// Makes the FIFO.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        mkfifoat(CWD, &path, Mode::from_raw_mode(0o600)).expect("a new FIFO");
        Self { path }
    }

    /// What to tell the program.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lets the program through that reads from the gate, as soon as it stands there.
    pub async fn open(&self) {
        let path = self.path.clone();
        done(move || std::fs::write(path, "go\n"), "somebody waits at the gate").await;
    }

    /// Waits until a program has written to the gate.
    pub async fn reached(&self) {
        let path = self.path.clone();
        done(move || std::fs::read(path).map(drop), "somebody comes to the gate").await;
    }
}

/// On a thread of its own, which nobody waits for when the other side never comes.
async fn done(work: impl FnOnce() -> io::Result<()> + Send + 'static, what: &'static str) {
    let (told, heard) = oneshot::channel();
    std::thread::spawn(move || drop(told.send(work())));
    let heard = tokio::time::timeout(DEADLINE, heard).await;
    heard.expect(what).expect("the thread answers").expect(what);
}
