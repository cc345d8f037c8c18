//! Copying files that git does not carry, such as `.env`, from the project's folder to a worktree.
//!
//! A folder whose files cannot be cloned is copied only up to [`LARGEST_COPY`]: a start must not wait for gigabytes,
//! and half of a `node_modules` is worse than none.
//!
//! Neither side is left: patterns are relative and walked component by component, links are copied
//! as links and never followed, and what the checkout already put there is not overwritten.

use std::collections::HashSet;
use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::clone::{self, can_clone};
use crate::{Error, Result};

/// How big a folder may be that is copied byte by byte.
const LARGEST_COPY: u64 = 256 << 20;

/// What became of one file or pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CopyOutcome {
    /// The file, or link, was copied; the path is relative.
    Copied { path: PathBuf },
    /// No such file.
    Missing { pattern: String },
    /// The pattern is not one, or would leave the project's folder or the worktree.
    Refused { pattern: String, reason: String },
    /// The file is there already and stays as it is.
    Exists { path: PathBuf },
    /// The folder is too big to be copied, and this filesystem cannot share its blocks.
    TooBig { path: PathBuf, bytes: u64 },
    /// The file could not be copied.
    Failed { path: PathBuf, reason: String },
}

impl CopyOutcome {
    /// A sentence about what is not in the worktree; none if it is there.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let problem = match self {
            Self::Copied { .. } | Self::Exists { .. } => return None,
            Self::Missing { pattern } => format!("`{pattern}` matches nothing in the project's folder"),
            Self::Refused { pattern, reason } => format!("`{pattern}` is refused: {reason}"),
            Self::TooBig { path, bytes } => format!(
                "{} was not copied: its {} MiB are too many where the filesystem cannot share them",
                path.display(),
                bytes >> 20
            ),
            Self::Failed { path, reason } => format!("{} was not copied: {reason}", path.display()),
        };
        Some(format!("`copy_files`: {problem}."))
    }
}

/// Copies what the patterns name: comma- or line-separated relative paths and globs. A folder is
/// copied with all that is in it. A pattern that cannot be served is told in the outcome; the others
/// are served.
pub async fn copy_files(from: &Path, to: &Path, patterns: &str) -> Result<Vec<CopyOutcome>> {
    let (from, to, patterns) = (from.to_owned(), to.to_owned(), patterns.to_owned());
    let copying = tokio::task::spawn_blocking(move || {
        let mut copy = Copy { from, to, clone: true, outcomes: Vec::new() };
        let all = split(&patterns);
        for pattern in all.iter().take(MOST_PATTERNS) {
            copy.pattern(pattern);
        }
        if let Some(pattern) = all.get(MOST_PATTERNS) {
            copy.refused(pattern, format!("there are more than {MOST_PATTERNS} patterns"));
        }
        copy.outcomes
    });
    copying.await.map_err(|_stopped| Error::ShuttingDown)
}

/// Checks how many patterns there are and how long. Returns what is too much, and why; anything else that is wrong with a
/// pattern is reported when files are copied.
#[must_use]
pub fn check_copy_patterns(patterns: &str) -> Option<(String, String)> {
    let all = split(patterns);
    if all.len() > MOST_PATTERNS {
        return Some((format!("{} patterns", all.len()), format!("at most {MOST_PATTERNS} are allowed")));
    }
    all.iter().find_map(|pattern| check_length(pattern).err().map(|reason| (shown(pattern), reason)))
}

/// A pattern as a message has it.
fn shown(pattern: &str) -> String {
    if pattern.len() <= 200 { pattern.to_owned() } else { pattern.chars().take(80).chain(['…']).collect() }
}

/// Cuts at commas and line breaks, but not inside braces: `.env,config/*.{yml,json}`.
fn split(patterns: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    let between = |char: char| {
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '\n' => depth = 0,
            _ => {}
        }
        char == '\n' || (char == ',' && depth == 0)
    };
    patterns.split(between).map(str::trim).filter(|pattern| !pattern.is_empty()).collect()
}

/// The longest pattern, and how many there may be: more is a mistake or an attack.
const LONGEST_PATTERN: usize = 1024;
const MOST_PATTERNS: usize = 256;
/// How often `**` may be in a pattern: each one more takes the time of another walk over the repository.
const MOST_ANY: usize = 4;

/// One component of a pattern.
enum Part<'a> {
    Name(&'a str),
    Glob(globset::GlobMatcher),
    /// `**`: any number of folders.
    Any,
}

struct Copy {
    from: PathBuf,
    to: PathBuf,
    /// Whether cloning is worth a try.
    clone: bool,
    outcomes: Vec<CopyOutcome>,
}

/// One remaining step of the copy of a tree.
enum Step {
    Copy(PathBuf),
    /// All that is in this folder is copied.
    Close(PathBuf, Permissions),
}

impl Copy {
    fn pattern(&mut self, pattern: &str) {
        let parts = match parse(pattern) {
            Ok(parts) => parts,
            Err(reason) => return self.refused(pattern, reason),
        };
        let mut found = Vec::new();
        // A file may be called `[id].env`, so the pattern is first taken at its word.
        let literal: Vec<_> = components(pattern).map(Part::Name).collect();
        let walked = walk(&self.from, &literal, &mut found);
        if walked.is_ok() && found.is_empty() {
            let walked = walk(&self.from, &parts, &mut found);
            self.refuse(pattern, walked);
        } else {
            self.refuse(pattern, walked);
        }
        found.sort();
        found.dedup();
        for path in found {
            match self.too_big(&path) {
                Some(bytes) => self.outcomes.push(CopyOutcome::TooBig { path, bytes }),
                None => self.tree(path),
            }
        }
    }

    /// How big a folder is that would take too long; none where it can be cloned. A file that was named is wanted
    /// whatever it costs.
    fn too_big(&mut self, path: &Path) -> Option<u64> {
        let tree = self.from.join(path);
        if !fs::symlink_metadata(&tree).is_ok_and(|entry| entry.is_dir()) {
            return None;
        }
        let (bytes, first) = measure(&tree);
        self.clone = first.is_some_and(|file| can_clone(&file, &self.to));
        (!self.clone && bytes > LARGEST_COPY).then_some(bytes)
    }

    fn refuse(&mut self, pattern: &str, walked: Result<Walked, String>) {
        match walked {
            Ok(Walked::Found) => {}
            Ok(Walked::Nothing) => self.outcomes.push(CopyOutcome::Missing { pattern: shown(pattern) }),
            Err(reason) => self.refused(pattern, reason),
        }
    }

    fn refused(&mut self, pattern: &str, reason: String) {
        self.outcomes.push(CopyOutcome::Refused { pattern: shown(pattern), reason });
    }

    /// Copies a file, a link or a folder with all that is in it. A list of what is left to do, and not the stack, holds
    /// where it is: a folder can be thousands of levels deep.
    fn tree(&mut self, path: PathBuf) {
        let mut left = vec![Step::Copy(path.clone())];
        if fs::symlink_metadata(self.from.join(&path)).is_ok()
            && let Some(parent) = path.parent()
            && let Err(error) = self.make_folders(parent)
        {
            left.clear();
            self.outcomes.push(CopyOutcome::Failed { path, reason: error.to_string() });
        }
        while let Some(step) = left.pop() {
            let (path, done) = match step {
                Step::Copy(path) => {
                    let done = self.entry(&path, &mut left);
                    (path, done)
                }
                Step::Close(path, permissions) => {
                    let done = fs::set_permissions(self.to.join(&path), permissions);
                    (path, done.map(|()| false))
                }
            };
            match done {
                Ok(false) => {}
                Ok(true) => self.outcomes.push(CopyOutcome::Copied { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    self.outcomes.push(CopyOutcome::Exists { path });
                }
                Err(error) => self.outcomes.push(CopyOutcome::Failed { path, reason: error.to_string() }),
            }
        }
    }

    /// Copies a file or a link, or makes a folder and adds what is in it to what is left. Tells whether something was
    /// copied that is worth telling.
    fn entry(&self, path: &Path, left: &mut Vec<Step>) -> io::Result<bool> {
        let entry = fs::symlink_metadata(self.from.join(path))?;
        if !entry.is_dir() {
            return self.file(path, &entry).map(|()| true);
        }
        let made = make_folder(&self.to.join(path))?;
        let mut names: Vec<_> =
            fs::read_dir(self.from.join(path))?.flatten().map(|e| e.file_name()).collect();
        // Last, because a folder may forbid writing.
        if made {
            left.push(Step::Close(path.to_owned(), entry.permissions()));
        }
        names.sort();
        let names = names.into_iter().filter(|name| !name.eq_ignore_ascii_case(".git"));
        left.extend(names.rev().map(|name| Step::Copy(path.join(name))));
        Ok(false)
    }

    fn file(&self, path: &Path, entry: &Metadata) -> io::Result<()> {
        let (from, to) = (self.from.join(path), self.to.join(path));
        if entry.is_symlink() {
            return symlink(fs::read_link(from)?, to);
        }
        if !entry.is_file() {
            return Err(io::Error::other("neither a file, a folder nor a link"));
        }
        clone::copy(&from, entry, &to, self.clone)
    }

    /// Makes the folder in the worktree; every step of the way must be a folder, not a link to one.
    fn make_folders(&self, path: &Path) -> io::Result<()> {
        let mut folder = self.to.clone();
        for component in path.components() {
            folder.push(component);
            make_folder(&folder)?;
        }
        Ok(())
    }
}

/// Makes a folder where there is none, and tells whether it did.
fn make_folder(folder: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(folder) {
        Ok(entry) if entry.is_dir() => Ok(false),
        Ok(_) => Err(io::Error::other("its folder is something else in the worktree")),
        Err(_) => fs::create_dir(folder).map(|()| true),
    }
}

/// The bytes of all files in a folder, and one of them.
fn measure(tree: &Path) -> (u64, Option<PathBuf>) {
    let (mut bytes, mut first, mut open) = (0_u64, None, vec![tree.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(found) if found.is_dir() => open.push(entry.path()),
                Ok(found) if found.is_file() => {
                    bytes = bytes.saturating_add(found.len());
                    first = first.or_else(|| Some(entry.path()));
                }
                Ok(_) | Err(_) => {}
            }
        }
    }
    (bytes, first)
}

enum Walked {
    Found,
    Nothing,
}

fn components(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split('/').filter(|part| !part.is_empty() && *part != ".")
}

fn check_length(pattern: &str) -> Result<(), String> {
    if pattern.len() <= LONGEST_PATTERN {
        return Ok(());
    }
    Err(format!("must not be longer than {LONGEST_PATTERN} bytes"))
}

fn parse(pattern: &str) -> Result<Vec<Part<'_>>, String> {
    check_length(pattern)?;
    if pattern.starts_with('/') || pattern.starts_with('~') {
        return Err("must be relative to the project's folder".to_owned());
    }
    let part = |part| match part {
        ".." => Err("must not leave the project's folder".to_owned()),
        "**" => Ok(Part::Any),
        name if name.eq_ignore_ascii_case(".git") => Err("must not name git's own files".to_owned()),
        name if name.contains(['*', '?', '[', '{']) => {
            let glob = globset::Glob::new(name).map_err(|error| error.kind().to_string())?;
            Ok(Part::Glob(glob.compile_matcher()))
        }
        name => Ok(Part::Name(name)),
    };
    let mut parts = components(pattern).map(part).collect::<Result<Vec<_>, _>>()?;
    // Twice in a row it matches the same, and takes a power of the time.
    parts.dedup_by(|one, other| matches!((one, other), (Part::Any, Part::Any)));
    if parts.iter().filter(|part| matches!(part, Part::Any)).count() > MOST_ANY {
        return Err(format!("must not have `**` more than {MOST_ANY} times"));
    }
    if parts.is_empty() { Err("names nothing".to_owned()) } else { Ok(parts) }
}

/// Collects what the parts match below `root`, in no order and without following links.
fn walk(root: &Path, parts: &[Part<'_>], found: &mut Vec<PathBuf>) -> Result<Walked, String> {
    let before = found.len();
    let mut left = vec![(PathBuf::new(), parts)];
    // Several `**` lead to one place in more ways than there is time for.
    let mut seen = HashSet::new();
    while let Some((at, parts)) = left.pop() {
        if !seen.insert((at.clone(), parts.len())) {
            continue;
        }
        match parts {
            [] => found.push(at),
            [Part::Name(name), rest @ ..] => left.extend(step(root, at.join(name), rest, Via::Name)?),
            [Part::Glob(glob), rest @ ..] => {
                for name in names(&root.join(&at)).filter(|name| glob.is_match(name)) {
                    left.extend(step(root, at.join(name), rest, Via::Pattern)?);
                }
            }
            // A trailing `**` means all that is in the folder.
            [Part::Any] => found.extend(names(&root.join(&at)).map(|name| at.join(name))),
            [Part::Any, rest @ ..] => {
                let folders = names(&root.join(&at))
                    .map(|name| at.join(name))
                    .filter(|path| fs::symlink_metadata(root.join(path)).is_ok_and(|entry| entry.is_dir()));
                left.extend(folders.map(|path| (path, parts)));
                left.push((at, rest));
            }
        }
    }
    Ok(if found.len() == before { Walked::Nothing } else { Walked::Found })
}

/// How a component was named: what the user spelled out deserves an answer, a glob's match does not.
#[derive(Clone, Copy, PartialEq)]
enum Via {
    Name,
    Pattern,
}

/// Where to go on with the parts that are left; none where they cannot match.
fn step<'p, 'a>(
    root: &Path,
    at: PathBuf,
    rest: &'p [Part<'a>],
    via: Via,
) -> Result<Option<(PathBuf, &'p [Part<'a>])>, String> {
    let Ok(entry) = fs::symlink_metadata(root.join(&at)) else { return Ok(None) };
    if rest.is_empty() || entry.is_dir() {
        Ok(Some((at, rest)))
    } else if entry.is_symlink() && via == Via::Name {
        Err(format!("`{}` is a link, which could lead anywhere", at.display()))
    } else {
        Ok(None)
    }
}

fn names(folder: &Path) -> impl Iterator<Item = std::ffi::OsString> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).filter(|name| !name.eq_ignore_ascii_case(".git"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_cut_at_commas_and_lines_but_not_in_braces() {
        assert_eq!(split(" .env, a/b.{yml,json}\n\n,c"), [".env", "a/b.{yml,json}", "c"]);
        assert_eq!(split("{open,a\nb"), ["{open,a", "b"]);
        assert!(split(" ,\n").is_empty());
    }

    #[tokio::test]
    async fn deep_folder_is_walked_once_for_each_part() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("d/".repeat(200));
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("x"), "x").unwrap();
        let target = tempfile::tempdir().unwrap();
        let outcomes = copy_files(folder.path(), target.path(), "**/*/**/*/**/*/**/x").await.unwrap();
        let path = PathBuf::from("d/".repeat(200)).join("x");
        assert_eq!(outcomes, [CopyOutcome::Copied { path }]);
    }

    #[tokio::test]
    async fn hostile_patterns_are_refused_without_a_walk() {
        let folder = tempfile::tempdir().unwrap();
        let mut deep = folder.path().to_owned();
        for _ in 0..30 {
            deep.push("d");
        }
        fs::create_dir_all(&deep).unwrap();
        let many = ["a"; 257].join(",");
        for pattern in [
            "**/".repeat(300_000) + "x",
            "?".repeat(1_500_000),
            "{".repeat(100_000),
            "[".repeat(2_000),
            "**/a/**/b/**/c/**/d/**/x".to_owned(),
            many,
        ] {
            let refused = check_copy_patterns(&pattern);
            assert_eq!(refused.is_some(), pattern.len() > 500, "{}", shown(&pattern));
            assert!(refused.is_none_or(|(shown, _)| shown.len() <= 400));
            let outcomes = copy_files(folder.path(), folder.path(), &pattern).await.unwrap();
            let is_refused = |outcome: &CopyOutcome| matches!(outcome, CopyOutcome::Refused { .. });
            assert!(outcomes.iter().any(is_refused), "{outcomes:?}");
        }
        // Folded into one, these walk the folders once.
        let folded = "**/".repeat(300) + "x";
        assert_eq!(check_copy_patterns(&folded), None);
        let outcomes = copy_files(folder.path(), folder.path(), &folded).await.unwrap();
        assert!(matches!(outcomes.as_slice(), [CopyOutcome::Missing { .. }]), "{outcomes:?}");
    }
}
