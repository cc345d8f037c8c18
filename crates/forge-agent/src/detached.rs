//! Programs of the person's own, such as an editor: started, and left alone.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::Stdio;

/// Starts a program that goes on by itself, whatever becomes of the server. It is not talked to, and no shell sees its
/// arguments. The runtime takes note of its end, so that the system can forget it.
///
/// # Errors
/// When it cannot be started.
#[expect(clippy::disallowed_methods, reason = "a program that no host has to watch")]
pub fn start(program: &Path, args: &[OsString], cwd: &Path, env_remove: &[OsString]) -> io::Result<()> {
    let mut command = tokio::process::Command::new(program);
    command.args(args).current_dir(cwd);
    for name in env_remove {
        command.env_remove::<&OsStr>(name);
    }
    // A group of its own: what is sent to the server's terminal is not for it.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    command.spawn().map(drop)
}
