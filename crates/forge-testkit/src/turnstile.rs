//! A turnstile at which a program under test waits until the test lets it through, so that what comes before and what
//! comes after are surely apart.
#![expect(clippy::expect_used, reason = "a test kit stops the test when its own set-up fails")]

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

/// A named pipe. Each opening lets one waiting line of shell go on, now or when it comes.
#[derive(Debug)]
pub struct Turnstile {
    wait: String,
    /// Open in both directions, so that neither side ever waits for the other to open it, or sees its end.
    pipe: File,
}

impl Turnstile {
    /// Makes a turnstile at a path where nothing is.
    #[expect(clippy::disallowed_methods, reason = "the one portable way to make a named pipe")]
    pub fn new(path: &Path) -> Self {
        let made = std::process::Command::new("mkfifo").arg(path).status().expect("run mkfifo");
        assert!(made.success(), "mkfifo {}", path.display());
        let pipe = File::options().read(true).write(true).open(path).expect("open the pipe");
        Self { wait: format!("read -r _ <'{}'", path.display()), pipe }
    }

    /// The line of shell that waits.
    pub fn wait(&self) -> &str {
        &self.wait
    }

    /// Lets one through.
    pub fn open(&self) {
        (&self.pipe).write_all(b"\n").expect("the pipe takes a line");
    }
}
