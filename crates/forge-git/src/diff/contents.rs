//! What is in the files that differ, a page at a time: whoever shows them holds no more than one page.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};

use crate::blocked::{Folders, unless_blocked};
use crate::nested::inner_head;

use super::{Change, ChangeKind, Side, Source, lines};
use crate::{Error, Oid, Repo, Result};

/// A file with more bytes than this on either side is not shown.
pub const LARGEST_SHOWN: u64 = 2 * 1024 * 1024;
/// How many files are looked at together. What git is told of as many fits into the smallest pipe there is.
const PAGE_FILES: usize = 48;
/// How many bytes are read together, unless the first file alone has more.
const PAGE_BYTES: u64 = 4 * 1024 * 1024;
/// What a file counts whose size nobody told.
const UNKNOWN: u64 = 256 * 1024;
/// How much of a file git looks at to tell whether it is text.
const LOOKED_AT: usize = 8000;
const KIND: u32 = 0o170_000;
const SUBMODULE: u32 = 0o160_000;

/// One side of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// There is no file.
    Absent,
    Text(String),
    /// Not UTF-8, or something that is no text.
    Binary,
    /// Larger than [`LARGEST_SHOWN`]: not read.
    TooBig,
}

/// A file that differs, with what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    pub kind: ChangeKind,
    pub old_path: Option<PathBuf>,
    pub new_path: Option<PathBuf>,
    pub old: Content,
    pub new: Content,
    /// Lines added and deleted, where both sides are text.
    pub lines: Option<(u64, u64)>,
}

/// Reads the files of a [`super::Diff`].
pub struct Contents {
    repo: Repo,
    top: Option<PathBuf>,
    objects: Option<Objects>,
}

impl Contents {
    pub(super) const fn new(repo: Repo, top: Option<PathBuf>) -> Self {
        Self { repo, top, objects: None }
    }

    /// Reads the first of the changes: as many as make a page, and at least one. A file that turns out to be the same
    /// on both sides is none.
    pub async fn page(&mut self, changes: &[Change]) -> Result<Vec<Option<FileDiff>>> {
        let page = changes.get(..PAGE_FILES).unwrap_or(changes);
        let (limit, folders) = (self.repo.git.deadline(), self.folders());
        let asked = tokio::time::timeout(limit, unless_blocked(&folders, self.ask(page))).await;
        let (page, mut blobs) = match asked.map_err(|_elapsed| timed_out(limit)).flatten().flatten() {
            Ok(answered) => answered,
            Err(error) => {
                // It may still wait, or answer what nobody reads.
                self.objects = None;
                return Err(error);
            }
        };
        for path in submodules_at_work(page) {
            let top = self.top.as_deref().unwrap_or(Path::new(""));
            if let Some(oid) = inner_head(&top.join(&path), &[top, self.repo.common_dir()]) {
                blobs.inner.insert(path, oid);
            }
        }
        let (page, top) = (page.to_vec(), self.top.clone());
        let reading = tokio::task::spawn_blocking(move || {
            page.iter().map(|change| show(change, &blobs, top.as_deref())).collect()
        });
        reading.await.map_err(|_stopped| Error::ShuttingDown)
    }

    /// Asks git for the first of the changes: as many as make a page.
    async fn ask<'a>(&mut self, changes: &'a [Change]) -> Result<(&'a [Change], Blobs)> {
        let sizes = self.sizes(&objects_of(changes)).await?;
        let page = fitting(changes, &sizes);
        let blobs = self.blobs(&objects_of(page), &sizes).await?;
        Ok((page, blobs))
    }

    /// The folders that git reads objects from.
    fn folders(&self) -> Folders {
        Folders { top: self.repo.path().to_owned(), git: vec![self.repo.common_dir().to_owned()] }
    }

    async fn sizes(&mut self, oids: &[Oid]) -> Result<HashMap<Oid, u64>> {
        if oids.is_empty() {
            return Ok(HashMap::new());
        }
        self.objects()?.sizes(oids).await
    }

    async fn blobs(&mut self, oids: &[Oid], sizes: &HashMap<Oid, u64>) -> Result<Blobs> {
        let small = |oid: &&Oid| sizes.get(*oid).is_some_and(|size| *size <= LARGEST_SHOWN);
        let small: Vec<&Oid> = oids.iter().filter(small).collect();
        let read = if small.is_empty() { HashMap::new() } else { self.objects()?.read(&small).await? };
        let large = oids.iter().filter(|oid| sizes.contains_key(*oid) && !read.contains_key(*oid));
        Ok(Blobs { large: large.cloned().collect(), read, inner: HashMap::new() })
    }

    /// The git that is asked for objects: one for all pages, made when there is something to ask.
    fn objects(&mut self) -> Result<&mut Objects> {
        match &mut self.objects {
            Some(objects) => Ok(objects),
            none => Ok(none.insert(Objects::open(&self.repo)?)),
        }
    }
}

fn sides(changes: &[Change]) -> impl Iterator<Item = &Side> {
    changes.iter().flat_map(|change| change.old.iter().chain(&change.new))
}

/// What git has to be asked for.
fn objects_of(changes: &[Change]) -> Vec<Oid> {
    sides(changes).filter(|side| !side.is_submodule()).filter_map(Side::oid).collect()
}

/// The submodules of which nobody but themselves knows where they stand.
fn submodules_at_work(changes: &[Change]) -> Vec<PathBuf> {
    let at_work = sides(changes).filter(|side| side.is_submodule() && side.oid().is_none());
    at_work.map(|side| side.path.clone()).collect()
}

/// The first changes that together have no more bytes than a page, and at least one of them.
fn fitting<'a>(changes: &'a [Change], sizes: &HashMap<Oid, u64>) -> &'a [Change] {
    let mut left = PAGE_BYTES;
    let fits = |change: &&Change| {
        let sides = [&change.old, &change.new].into_iter().flatten();
        let bytes: u64 = sides.map(|side| side.size(sizes).min(LARGEST_SHOWN)).sum();
        left.checked_sub(bytes).inspect(|rest| left = *rest).is_some()
    };
    let fitting = changes.iter().take_while(fits).count().max(1);
    changes.get(..fitting).unwrap_or(changes)
}

impl Side {
    const fn is_submodule(&self) -> bool {
        self.mode & KIND == SUBMODULE
    }

    fn oid(&self) -> Option<Oid> {
        match &self.source {
            Source::Object(oid) => Some(oid.clone()),
            Source::File(_) => None,
        }
    }

    fn size(&self, sizes: &HashMap<Oid, u64>) -> u64 {
        match &self.source {
            Source::Object(oid) => sizes.get(oid).copied().unwrap_or(UNKNOWN),
            Source::File(stamp) => stamp.map_or(0, |stamp| stamp.size),
        }
    }
}

/// What git was asked for.
struct Blobs {
    read: HashMap<Oid, Vec<u8>>,
    large: HashSet<Oid>,
    /// The commits that submodules in the worktree stand at.
    inner: HashMap<PathBuf, Oid>,
}

/// What was read of a file.
enum Bytes {
    Absent,
    Read(Vec<u8>),
    TooBig,
}

fn show(change: &Change, blobs: &Blobs, top: Option<&Path>) -> Option<FileDiff> {
    let read = |side: &Option<Side>| side.as_ref().map_or(Bytes::Absent, |side| bytes_of(side, blobs, top));
    let (old, new) = (read(&change.old), read(&change.new));
    let mode = |side: &Option<Side>| side.as_ref().map_or(0, |side| side.mode);
    let mut kind = change.kind;
    if let (ChangeKind::Modified, Bytes::Read(old), Bytes::Read(new)) = (kind, &old, &new)
        && old == new
    {
        if mode(&change.old) == mode(&change.new) {
            return None;
        }
        if mode(&change.old) & KIND == mode(&change.new) & KIND {
            kind = ChangeKind::PermissionChange;
        }
    }
    let (old_text, new_text) = (text_of(&old), text_of(&new));
    let lines = match (&old_text, &new_text) {
        (Some(old), Some(new)) => Some(lines::count(old.as_bytes(), new.as_bytes())),
        _ => None,
    };
    let path = |side: &Option<Side>| side.as_ref().map(|side| side.path.clone());
    let (old_path, new_path) = (path(&change.old), path(&change.new));
    Some(FileDiff { kind, old_path, new_path, old: old.into_content(), new: new.into_content(), lines })
}

fn bytes_of(side: &Side, blobs: &Blobs, top: Option<&Path>) -> Bytes {
    if side.is_submodule() {
        let oid = side.oid().or_else(|| blobs.inner.get(&side.path).cloned());
        return oid
            .map_or(Bytes::Absent, |oid| Bytes::Read(format!("Subproject commit {oid}\n").into_bytes()));
    }
    if let Source::Object(oid) = &side.source {
        if let Some(read) = blobs.read.get(oid) {
            return Bytes::Read(read.clone());
        }
        if blobs.large.contains(oid) {
            return Bytes::TooBig;
        }
    }
    // Git tells how a file that may have been renamed would be called as an object, though there is none yet.
    top.map_or(Bytes::Absent, |top| file_at(&top.join(&side.path)).unwrap_or(Bytes::Absent))
}

/// Reads a file, or where a link points to. Neither a link nor a pipe that takes its place meanwhile is followed.
fn file_at(path: &Path) -> io::Result<Bytes> {
    if let Ok(target) = std::fs::read_link(path) {
        return Ok(Bytes::Read(target.into_os_string().into_vec()));
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let entry = file.metadata()?;
    if !entry.is_file() {
        return Ok(Bytes::Absent);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(entry.len().min(LARGEST_SHOWN)).unwrap_or(0) + 1);
    // It may grow while it is read.
    file.take(LARGEST_SHOWN + 1).read_to_end(&mut bytes)?;
    Ok(if bytes.len() as u64 > LARGEST_SHOWN { Bytes::TooBig } else { Bytes::Read(bytes) })
}

/// The text on one side, where there may be none; none when it is no text.
fn text_of(bytes: &Bytes) -> Option<&str> {
    match bytes {
        Bytes::Absent => Some(""),
        Bytes::Read(bytes) => text(bytes),
        Bytes::TooBig => None,
    }
}

fn text(bytes: &[u8]) -> Option<&str> {
    let looked_at = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    if looked_at.contains(&0) { None } else { str::from_utf8(bytes).ok() }
}

impl Bytes {
    fn into_content(self) -> Content {
        match self {
            Self::Absent => Content::Absent,
            Self::TooBig => Content::TooBig,
            Self::Read(bytes) if text(&bytes).is_none() => Content::Binary,
            Self::Read(bytes) => String::from_utf8(bytes).map_or(Content::Binary, Content::Text),
        }
    }
}

/// A `git cat-file` that is asked for one page of objects after another.
struct Objects {
    _git: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Objects {
    fn open(repo: &Repo) -> Result<Self> {
        let mut call = repo.git.call(repo.path()).args(["cat-file", "--batch-command", "--buffer"]);
        // What it complains about it answers too.
        let mut git = call.piped(Stdio::null())?;
        match (git.stdin.take(), git.stdout.take()) {
            (Some(stdin), Some(stdout)) => {
                Ok(Self { _git: git, stdin, stdout: BufReader::with_capacity(64 * 1024, stdout) })
            }
            _ => Err(unreadable()),
        }
    }

    async fn ask(&mut self, command: &str, oids: &[&Oid]) -> Result<()> {
        let mut text: String = oids.iter().map(|oid| format!("{command} {oid}\n")).collect();
        text.push_str("flush\n");
        self.stdin.write_all(text.as_bytes()).await.map_err(failed)?;
        self.stdin.flush().await.map_err(failed)
    }

    /// The size of what comes next: `<oid> blob <size>`. None for an object that is missing.
    async fn header(&mut self) -> Result<Option<u64>> {
        let mut line = String::new();
        self.stdout.read_line(&mut line).await.map_err(failed)?;
        match line.trim_end().split(' ').collect::<Vec<_>>().as_slice() {
            [_, _, size] => size.parse().map(Some).map_err(|_invalid| unreadable()),
            [_, "missing"] => Ok(None),
            _ => Err(unreadable()),
        }
    }

    async fn sizes(&mut self, oids: &[Oid]) -> Result<HashMap<Oid, u64>> {
        self.ask("info", &oids.iter().collect::<Vec<_>>()).await?;
        let mut sizes = HashMap::new();
        for oid in oids {
            if let Some(size) = self.header().await? {
                sizes.insert(oid.clone(), size);
            }
        }
        Ok(sizes)
    }

    async fn read(&mut self, oids: &[&Oid]) -> Result<HashMap<Oid, Vec<u8>>> {
        self.ask("contents", oids).await?;
        let mut read = HashMap::new();
        for oid in oids {
            let Some(size) = self.header().await? else { continue };
            let mut bytes = vec![0; usize::try_from(size).map_err(|_huge| unreadable())?];
            self.stdout.read_exact(&mut bytes).await.map_err(failed)?;
            // A line break ends it.
            self.stdout.read_u8().await.map_err(failed)?;
            read.insert((*oid).clone(), bytes);
        }
        Ok(read)
    }
}

fn timed_out(limit: Duration) -> Error {
    Error::TimedOut { command: "git cat-file --batch-command".to_owned(), limit }
}

fn failed(source: io::Error) -> Error {
    Error::Run { command: "git cat-file --batch-command".to_owned(), source }
}

fn unreadable() -> Error {
    Error::Unreadable { command: "git cat-file --batch-command".to_owned() }
}
