//! The process table of Linux: `/proc`, subreaper, pidfds.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal, set_child_subreaper};

use super::{Killed, ShortName};

/// How long a killed process may take to go before it counts as hanging in the kernel.
const HANGS: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };

/// Whether every process of the tree is in the end a child of the host.
pub(crate) const ADOPTS_ORPHANS: bool = true;

/// Makes orphans of this process's tree its own children.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// Sends the kill signal once to every live descendant of this process, its program among them.
pub(crate) fn kill_tree(_program: Pid) -> Killed {
    let table = table();
    let mut children: HashMap<i32, Vec<Row>> = HashMap::new();
    for row in table {
        children.entry(row.parent).or_default().push(row);
    }
    let mut killed = Killed::default();
    let mut parents = vec![getpid().as_raw_nonzero().get()];
    while let Some(parent) = parents.pop() {
        for row in children.remove(&parent).unwrap_or_default() {
            parents.push(row.pid);
            if row.state == b'Z' {
                continue;
            }
            match kill(row) {
                Ok(_) => killed.sent += 1,
                Err(Errno::PERM) => killed.refused += 1,
                // Gone in the meantime, which is what was wanted.
                Err(_) => {}
            }
        }
    }
    killed
}

/// Kills every process whose environment has `name=value`, again until there is none, and says how many there were.
///
/// Descent leads nowhere when a host was killed: its orphans have gone to init. The environment is inherited.
pub(crate) fn kill_marked(name: &str, value: &OsStr) -> usize {
    let mark = [name.as_bytes(), b"=", value.as_bytes()].concat();
    let mut count = 0;
    loop {
        let mut dying = Vec::new();
        for row in table() {
            let environment = fs::read(format!("/proc/{}/environ", row.pid)).unwrap_or_default();
            if row.state != b'Z' && environment.split(|byte| *byte == 0).any(|entry| entry == mark) {
                dying.extend(kill(row));
            }
        }
        if dying.is_empty() {
            return count;
        }
        count += dying.len();
        for process in &dying {
            // Readable when the process is gone; one that hangs in the kernel cannot be waited for.
            if poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&HANGS)) != Ok(1) {
                return count;
            }
        }
    }
}

/// A process as the table shows it. Number and start time together are never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    pid: i32,
    parent: i32,
    state: u8,
    started: u64,
}

fn table() -> Vec<Row> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(row).collect()
}

fn row(pid: i32) -> Option<Row> {
    let mut text = [0; 1024];
    let count = File::open(format!("/proc/{pid}/stat")).and_then(|mut file| file.read(&mut text)).ok()?;
    parse_stat(pid, text.get(..count)?)
}

/// Reads a line of `/proc/<pid>/stat`: the program's name in it may hold anything, brackets and newlines too.
fn parse_stat(pid: i32, text: &[u8]) -> Option<Row> {
    let name_end = text.iter().rposition(|byte| *byte == b')')?;
    let fields = std::str::from_utf8(text.get(name_end + 1..)?).ok()?;
    let mut fields = fields.split_ascii_whitespace();
    let state = *fields.next()?.as_bytes().first()?;
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    Some(Row { pid, parent, state, started })
}

/// Kills the process that `seen` stood for, and no other that got its number since.
fn kill(seen: Row) -> Result<OwnedFd, Errno> {
    let pid = Pid::from_raw(seen.pid).ok_or(Errno::SRCH)?;
    let process = pidfd_open(pid, PidfdFlags::empty())?;
    if row(seen.pid).is_none_or(|now| now.started != seen.started) {
        return Err(Errno::SRCH);
    }
    pidfd_send_signal(&process, Signal::KILL)?;
    Ok(process)
}

/// A path of any length, named through an open directory.
pub(crate) fn long_name(dir: &Path, file: &str) -> io::Result<ShortName> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open = rustix::fs::open(dir, flags, Mode::empty())?;
    let path = format!("/proc/self/fd/{}/{file}", open.as_raw_fd()).into();
    Ok(ShortName { path, _keep: Some(Box::new(open)) })
}

#[cfg(test)]
mod tests {
    use super::{Row, parse_stat};

    #[test]
    fn a_program_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let text = b"42 (a) R (b\n) S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99887 1000 2 18446744073709551615";
        assert_eq!(parse_stat(42, text), Some(Row { pid: 42, parent: 7, state: b'S', started: 99887 }));
    }
}
