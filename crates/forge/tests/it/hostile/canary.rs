//! The canary: a program that must not run, and a folder outside that must be neither read nor written.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

/// The content of the secret file outside. The repository and the agent know only its path.
pub(super) const SECRET: &str = "Zk9-secret-from-outside-7Qv";
/// As much of a file is looked at.
const LARGEST: u64 = 4 << 20;

/// Folders of the test's own that no step of an attempt has any business in.
pub(super) struct Canary {
    top: tempfile::TempDir,
}

/// Everything that happened in the folder outside since the watch began.
pub(super) struct Watch {
    events: OwnedFd,
    before: BTreeMap<PathBuf, Vec<u8>>,
    probed: bool,
}

impl Canary {
    pub(super) fn new() -> Self {
        let canary = Self { top: tempfile::tempdir().unwrap() };
        let trip = canary.trip();
        fs::create_dir_all(canary.outside().join("sub")).unwrap();
        fs::write(canary.outside().join("secret.txt"), format!("{SECRET}\n")).unwrap();
        fs::write(canary.outside().join("sub/file.txt"), format!("{SECRET} too\n")).unwrap();
        // It passes its input on, as a filter does, and never waits for long.
        let script =
            format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\nexec timeout 1 cat\n", canary.traces().display());
        fs::write(&trip, script).unwrap();
        fs::set_permissions(&trip, fs::Permissions::from_mode(0o755)).unwrap();
        canary
    }

    /// The program that must not run.
    pub(super) fn trip(&self) -> PathBuf {
        self.top.path().join("trip")
    }

    /// The folder that must be neither read nor written.
    pub(super) fn outside(&self) -> PathBuf {
        self.top.path().join("outside")
    }

    /// A folder for the test's own files.
    pub(super) fn own(&self) -> &Path {
        self.top.path()
    }

    fn traces(&self) -> PathBuf {
        self.top.path().join("traces")
    }

    /// The calls of the program since the last time.
    pub(super) fn take_traces(&self) -> String {
        let traces = fs::read_to_string(self.traces()).unwrap_or_default();
        let _missing = fs::remove_file(self.traces());
        traces
    }

    /// Begins to watch the folder outside.
    pub(super) fn watch(&self) -> Watch {
        let before = contents(&self.outside());
        let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).unwrap();
        let is_folder = |path: &&PathBuf| fs::symlink_metadata(path).is_ok_and(|entry| entry.is_dir());
        for folder in before.keys().filter(is_folder) {
            inotify::add_watch(&events, folder, WatchFlags::ALL_EVENTS).unwrap();
        }
        Watch { events, before, probed: false }
    }
}

impl Watch {
    /// Tolerates reads of files called HEAD: git itself looks whether a path that it was given is a repository.
    pub(super) const fn tolerate_probes(&mut self) {
        self.probed = true;
    }

    /// Whether the content of the folder differs. Looking is itself an event, so this comes last.
    pub(super) fn is_changed(&self, canary: &Canary) -> bool {
        contents(&canary.outside()) != self.before
    }

    /// The events since the last time, such as `secret.txt OPEN`.
    pub(super) fn events(&self) -> Vec<String> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.events, &mut buffer);
        let mut seen = Vec::new();
        while let Ok(event) = reader.next() {
            let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()).to_owned());
            let events: ReadFlags = event.events();
            let reads = ReadFlags::OPEN | ReadFlags::ACCESS | ReadFlags::CLOSE_NOWRITE;
            if self.probed && reads.contains(events) && name.as_deref() == Some(OsStr::new("HEAD")) {
                continue;
            }
            seen.push(format!("{} {events:?}", name.unwrap_or_default().display()));
        }
        seen
    }
}

/// Files and links below a folder with their content; no link is followed.
pub(super) fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut left) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(path) = left.pop() {
        // It may have been removed while we look.
        let Ok(entry) = fs::symlink_metadata(&path) else { continue };
        if entry.is_dir() {
            left.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
            found.insert(path, Vec::new());
        } else if entry.is_symlink() {
            let target = fs::read_link(&path).unwrap_or_default();
            found.insert(path, target.into_os_string().into_encoded_bytes());
        } else if entry.is_file() {
            let mut bytes = Vec::new();
            let read = fs::File::open(&path).and_then(|file| file.take(LARGEST).read_to_end(&mut bytes));
            found.insert(path, read.map(|_| bytes).unwrap_or_default());
        }
    }
    found
}

/// Whether bytes have a text in them.
pub(super) fn has(bytes: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(text)
}

/// The canary itself: a program that runs is noticed, and so is each kind of access to the folder outside.
#[test]
fn canary_notices_programs_reads_and_writes() {
    let canary = Canary::new();
    let (secret, sub) = (canary.outside().join("secret.txt"), canary.outside().join("sub"));
    assert_eq!((canary.take_traces(), canary.watch().events().len()), (String::new(), 0));
    let acts: [&dyn Fn(); 5] = [
        &|| drop(fs::read(&secret).unwrap()),
        &|| assert_eq!(fs::read_dir(&sub).unwrap().count(), 1),
        &|| fs::write(sub.join("new"), "x").unwrap(),
        &|| fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap(),
        &|| fs::remove_file(&secret).unwrap(),
    ];
    for (number, act) in acts.iter().enumerate() {
        let watch = canary.watch();
        act();
        assert!(!watch.events().is_empty(), "access {number} was not noticed");
        assert_eq!(watch.is_changed(&canary), [2, 4].contains(&number), "access {number}");
    }
    #[expect(clippy::disallowed_methods, reason = "the program of the canary")]
    let output =
        std::process::Command::new(canary.trip()).arg("x").stdin(std::process::Stdio::null()).output();
    assert!(output.unwrap().status.success());
    assert!(canary.take_traces().ends_with("trip x\n"));
    assert!(has(format!("a{SECRET}b").as_bytes(), SECRET) && !has(b"short", SECRET));
}
