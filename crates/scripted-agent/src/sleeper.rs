//! The children that `@spawn` and its kin leave behind: this program again, asleep.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use rustix::event::{PollFd, Timespec};

use crate::options::Options;
use crate::script::Child;

/// Starts a child, and returns when it is what it was asked to be.
pub(crate) fn spawn(options: &Options, child: Child, pid_file: Option<&Path>) -> Result<u32> {
    #[expect(clippy::disallowed_methods, reason = "an agent starts processes of its own")]
    let mut command = Command::new(std::env::current_exe().context("failed to find this program")?);
    let kind = match child {
        Child::Plain => "plain",
        Child::Session => "session",
        Child::Background => "background",
    };
    let stdout = if child == Child::Background { Stdio::inherit() } else { Stdio::null() };
    let mut started = command
        .args(&options.again)
        .args(["--sleeper", kind])
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .context("failed to start a child")?;
    let mut ready = [0];
    if let Some(mut pipe) = started.stderr.take() {
        pipe.read_exact(&mut ready).context("the child did not start")?;
    }
    if let Some(path) = pid_file {
        write_whole(path, &started.id().to_string())?;
    }
    Ok(started.id())
}

/// The life of such a child. It ends by itself after ten minutes, so that a failed test leaves nothing for long.
pub(crate) fn sleep(child: Child) -> Result<u8> {
    if child == Child::Session {
        rustix::process::setsid().context("failed to make a session")?;
    }
    std::io::stderr().write_all(b".").context("failed to report")?;
    doze();
    Ok(0)
}

/// Waits for ten minutes, or for a signal that kills.
pub(crate) fn doze() {
    let nothing: &mut [PollFd<'_>] = &mut [];
    let most = Timespec { tv_sec: 600, tv_nsec: 0 };
    // A signal that is handled ends the wait early; that only happens to agents that ignore signals.
    while rustix::event::poll(nothing, Some(&most)) == Err(rustix::io::Errno::INTR) {}
}

/// Writes a file that nobody ever sees half-written.
pub(crate) fn write_whole(path: &Path, text: &str) -> Result<()> {
    let part = path.with_added_extension("part");
    std::fs::write(&part, text)
        .and_then(|()| std::fs::rename(&part, path))
        .with_context(|| format!("failed to write {}", path.display()))
}
