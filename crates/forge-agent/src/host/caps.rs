//! What a process may use at most, by a cgroup (version 2) of its own, where the system lets us make one.
//!
//! The program is born in its group: the host enters it, starts the program and goes back, so not even its first child
//! is outside. The host itself must not be in it, since it has to outlive a program that the system kills for its memory.
//! Whether the caps hold is written to the process's directory, for whoever asks, also later.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use serde::{Deserialize, Serialize};

const CAPS_FILE: &str = "caps";
/// The period for which the processor time is counted, in microseconds: the system's own choice.
const CPU_PERIOD: u64 = 100_000;

/// What a process and everything it starts may use together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caps {
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Processes and threads at once.
    pub processes: Option<u64>,
    /// Processors, in thousandths.
    pub cpu_millis: Option<u64>,
    /// The group in which to make one for each process; without it, one that the server may use is looked for.
    pub cgroup: Option<PathBuf>,
}

/// What became of a process's caps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capped {
    pub caps: Caps,
    pub enforced: bool,
    /// Why they are not.
    pub why: Option<String>,
}

impl Caps {
    fn is_none(&self) -> bool {
        (self.memory, self.processes, self.cpu_millis) == (None, None, None)
    }

    /// The controllers that are needed, and what to write for them.
    fn settings(&self) -> Vec<(&'static str, &'static str, String)> {
        let memory = self.memory.map(|bytes| ("memory", "memory.max", bytes.to_string()));
        let processes = self.processes.map(|count| ("pids", "pids.max", count.to_string()));
        let cpu = self.cpu_millis.map(|millis| {
            let quota = millis.saturating_mul(CPU_PERIOD) / 1000;
            ("cpu", "cpu.max", format!("{quota} {CPU_PERIOD}"))
        });
        memory.into_iter().chain(processes).chain(cpu).collect()
    }
}

impl Capped {
    /// What is known of the caps of the process whose directory is `dir`; none where none were asked for.
    ///
    /// # Errors
    /// When the file is there but cannot be read.
    pub fn find(dir: &Path) -> io::Result<Option<Self>> {
        match fs::read(dir.join(CAPS_FILE)) {
            Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn record(&self, dir: &Path) -> io::Result<()> {
        fs::write(dir.join(CAPS_FILE), serde_json::to_vec(self)?)
    }
}

/// Whether `caps` could be enforced for processes that this one starts, by trying.
///
/// # Errors
/// A sentence that says why not.
pub fn try_caps(caps: &Caps) -> Result<(), String> {
    let group = Group::enter(caps, &format!("forge-check-{}", std::process::id()))?;
    let left = group.leave();
    group.remove();
    left.map_err(|error| error.to_string())
}

/// The cgroup of one process.
#[derive(Debug)]
pub(crate) struct Group {
    path: PathBuf,
    /// Where the host belongs; none where the system has no place for it.
    home: Option<PathBuf>,
}

impl Group {
    /// Makes the group that the caps ask for, enters it and records whether they hold. What this process starts before
    /// it leaves is in the group.
    pub(crate) fn prepare(caps: &Caps, dir: &Path) -> io::Result<Option<Self>> {
        if caps.is_none() {
            return Ok(None);
        }
        let id = dir.file_name().unwrap_or_default().to_string_lossy();
        let (group, why) = match Self::enter(caps, &format!("forge-{id}")) {
            Ok(group) => (Some(group), None),
            Err(why) => (None, Some(why)),
        };
        Capped { caps: caps.clone(), enforced: group.is_some(), why }.record(dir)?;
        Ok(group)
    }

    fn enter(caps: &Caps, name: &str) -> Result<Self, String> {
        let group = Self::make(caps, name)?;
        move_into(&group.path).map_err(|error| {
            group.remove();
            format!("{} cannot be entered: {error}", group.path.display())
        })?;
        Ok(group)
    }

    fn make(caps: &Caps, name: &str) -> Result<Self, String> {
        let home = own_group();
        if let Some(home) = &home
            && access(home.join("cgroup.procs"), Access::WRITE_OK).is_err()
        {
            return Err(format!("the group {} belongs to another user", home.display()));
        }
        let mut why = Vec::new();
        for parent in parents(caps, home.as_deref()) {
            match make_in(caps, &parent, name) {
                Ok(path) => return Ok(Self { path, home }),
                Err(reason) => why.push(format!("{}: {reason}", parent.display())),
            }
        }
        if why.is_empty() {
            return Err("this system has no cgroups of version 2".to_owned());
        }
        Err(why.join("; "))
    }

    /// Goes back to where this process was before.
    pub(crate) fn leave(&self) -> io::Result<()> {
        self.home.as_deref().map_or(Ok(()), move_into)
    }

    /// Kills everything in the group. What it misses is found by descent, so nothing depends on it.
    pub(crate) fn kill(&self) {
        let _killed = fs::write(self.path.join("cgroup.kill"), "1");
    }

    /// How many processes of the group the system killed because they needed too much memory.
    pub(crate) fn killed_for_memory(&self) -> u64 {
        let events = fs::read_to_string(self.path.join("memory.events")).unwrap_or_default();
        let count = events.lines().find_map(|line| line.strip_prefix("oom_kill "));
        count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
    }

    /// Removes the group. One in which something hangs stays.
    pub(crate) fn remove(&self) {
        let _removed = fs::remove_dir(&self.path);
    }
}

/// The groups in which one could be made for a process.
fn parents(caps: &Caps, home: Option<&Path>) -> Vec<PathBuf> {
    match (&caps.cgroup, home) {
        (Some(parent), _) => vec![parent.clone()],
        // A group that has processes cannot share out what it has, so the one around it is tried as well. What is
        // around the outermost is no group.
        (None, Some(home)) => {
            let around = home.ancestors().take(2).filter(|group| group.join("cgroup.procs").exists());
            around.map(Path::to_owned).collect()
        }
        (None, None) => vec![],
    }
}

fn make_in(caps: &Caps, parent: &Path, name: &str) -> Result<PathBuf, String> {
    let offered = fs::read_to_string(parent.join("cgroup.controllers")).map_err(|error| error.to_string())?;
    let settings = caps.settings();
    for (controller, ..) in &settings {
        if !offered.split_whitespace().any(|offer| offer == *controller) {
            return Err(format!("the {controller} controller is not available"));
        }
    }
    let wanted: Vec<_> = settings.iter().map(|(controller, ..)| format!("+{controller}")).collect();
    let shared = fs::read_to_string(parent.join("cgroup.subtree_control")).unwrap_or_default();
    if !settings.iter().all(|(controller, ..)| shared.split_whitespace().any(|one| one == *controller)) {
        fs::write(parent.join("cgroup.subtree_control"), wanted.join(" "))
            .map_err(|error| format!("its controllers cannot be shared out: {error}"))?;
    }
    let path = parent.join(name);
    fs::create_dir(&path).map_err(|error| format!("no group can be made in it: {error}"))?;
    for (_, file, value) in &settings {
        if let Err(error) = fs::write(path.join(file), value) {
            let _removed = fs::remove_dir(&path);
            return Err(format!("{file} cannot be set: {error}"));
        }
    }
    Ok(path)
}

fn move_into(group: &Path) -> io::Result<()> {
    fs::write(group.join("cgroup.procs"), std::process::id().to_string())
}

/// The cgroup that this process is in, as a directory.
fn own_group() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let mount = mounts.lines().find_map(|line| {
        let mut fields = line.split(' ');
        let (_, place, kind) = (fields.next()?, fields.next()?, fields.next()?);
        (kind == "cgroup2").then(|| place.to_owned())
    })?;
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let path = Path::new(&mount).join(own);
    path.join("cgroup.procs").exists().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_made_in_our_own_or_the_one_around_it_and_never_beyond_the_outermost() {
        let folder = tempfile::tempdir().unwrap();
        let (outermost, own) = (folder.path().join("unified"), folder.path().join("unified/own"));
        fs::create_dir_all(&own).unwrap();
        for group in [&outermost, &own] {
            fs::write(group.join("cgroup.procs"), "").unwrap();
        }
        let anywhere = Caps::default();
        assert_eq!(parents(&anywhere, Some(&own)), [own.clone(), outermost.clone()]);
        assert_eq!(parents(&anywhere, Some(&outermost)), std::slice::from_ref(&outermost));
        assert_eq!(parents(&anywhere, None), Vec::<PathBuf>::new());
        let named = Caps { cgroup: Some(outermost.clone()), ..Caps::default() };
        assert_eq!(parents(&named, Some(&own)), [outermost]);
    }
}
