//! Folders of this machine, for a person who looks for a repository. Names only: what is in files is never read.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::projects::absolute;
use crate::whole::off_runtime;

/// How many look at once. One that waits for a disk that does not answer must not hold everybody up.
pub(crate) const LOOKING: usize = 4;
/// More entries than this nobody reads through.
const MOST_ENTRIES: usize = 10_000;
const MOST_REPOSITORIES: usize = 1_000;
/// After so many folders, those that were found are enough.
const MOST_FOLDERS: usize = 200_000;
/// How long repositories are looked for.
const SEARCH: Duration = Duration::from_secs(2);
/// When the caller is answered with what was found, though a disk does not answer.
const PATIENCE: Duration = Duration::from_secs(4);
/// How deep below a folder that was named, and below the usual ones.
const DEPTH: usize = 3;
const USUAL_DEPTH: usize = 4;
/// Where people keep repositories, below their home folder.
const USUAL: [&str; 5] = ["repos", "dev", "work", "code", "projects"];
/// Folders that are big and hold nobody's repositories.
const PASSED_OVER: [&str; 6] = ["node_modules", "target", "vendor", "build", "dist", "Library"];

/// What is in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The folder.
    pub path: String,
    /// Folders first, then files, each by name. Hidden ones are left out.
    pub entries: Vec<FolderEntry>,
    /// Whether there are more than are told.
    pub truncated: bool,
}

/// A file or folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderEntry {
    /// Its name.
    pub name: String,
    /// Its whole path.
    pub path: String,
    /// Whether it is a folder, or a link to one.
    pub is_directory: bool,
    /// Whether it is the top of a repository.
    pub is_git_repo: bool,
}

/// A repository that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The name of its folder.
    pub name: String,
    /// Its whole path.
    pub path: String,
    /// Since when its folder has not changed.
    pub unchanged_for: Duration,
}

impl Engine {
    /// What is in a folder; without one, in the home folder.
    ///
    /// # Errors
    /// When it is not there, no folder, or may not be read.
    pub async fn list_directory(&self, path: Option<&str>) -> Result<Listing> {
        let path = self.folder_named(path)?;
        let place = self.place_to_look().await?;
        off_runtime(move || {
            let listed = list(&path);
            drop(place);
            listed.map_err(|error| not_listed(&path, &error))
        })
        .await
    }

    /// The repositories below a folder; without one, below those where people keep them. Most recently changed first.
    ///
    /// # Errors
    /// When the folder is not there, or no folder.
    pub async fn find_repositories(&self, path: Option<&str>) -> Result<Vec<Repository>> {
        let (roots, depth) = match path.map(str::trim).filter(|path| !path.is_empty()) {
            Some(path) => (vec![absolute(path)?], DEPTH),
            None => (self.usual_folders(), USUAL_DEPTH),
        };
        let named = path.and(roots.first().cloned());
        let ours = [self.inner.options.data.clone(), self.inner.options.worktrees.clone()];
        let found = Arc::new(Mutex::new(Vec::new()));
        let place = self.place_to_look().await?;
        let finding = Arc::clone(&found);
        let walk = off_runtime(move || {
            if let Some(root) = named {
                fs::read_dir(&root).map_err(|error| not_listed(&root, &error))?;
            }
            walk(roots, depth, &ours, &finding);
            drop(place);
            Ok(())
        });
        match tokio::time::timeout(PATIENCE, walk).await {
            Ok(walked) => walked?,
            Err(_elapsed) => tracing::debug!("a folder did not answer while repositories were looked for"),
        }
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner).clone();
        found.sort_by(|a, b| (a.unchanged_for, &a.path).cmp(&(b.unchanged_for, &b.path)));
        Ok(found)
    }

    fn folder_named(&self, path: Option<&str>) -> Result<PathBuf> {
        match path.map(str::trim).filter(|path| !path.is_empty()) {
            Some(path) => absolute(path),
            None => Ok(self.inner.options.home.clone().unwrap_or_else(|| PathBuf::from("/"))),
        }
    }

    fn usual_folders(&self) -> Vec<PathBuf> {
        let here = std::env::current_dir().ok().filter(|here| here.parent().is_some());
        let home = self.inner.options.home.as_deref();
        let usual = home.into_iter().flat_map(|home| USUAL.iter().map(|name| home.join(name)));
        here.into_iter().chain(usual).chain(home.map(Path::to_owned)).collect()
    }

    async fn place_to_look(&self) -> Result<tokio::sync::OwnedSemaphorePermit> {
        let places = Arc::clone(&self.inner.looking);
        match tokio::time::timeout(PATIENCE, places.acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) | Err(_) => {
                Err(Error::unavailable("disk_slow", "folders are still being read for others")
                    .hint("a disk may not answer: try again, or name a folder on another one"))
            }
        }
    }
}

fn not_listed(path: &Path, error: &io::Error) -> Error {
    let shown: String = path.display().to_string().chars().take(200).collect();
    match error.kind() {
        io::ErrorKind::NotFound => {
            Error::new(ErrorKind::NotFound, "path_not_found", format!("there is no folder {shown}"))
                .hint("see whether it was moved")
        }
        io::ErrorKind::NotADirectory => {
            Error::invalid("path_not_a_folder", format!("{shown} is not a folder"))
                .hint("name the folder it is in")
        }
        _ => {
            let message = format!("{shown} cannot be read: {error}");
            Error::lacking(&message).unwrap_or_else(|| {
                Error::invalid("path_not_readable", message).hint("see who owns it, or name another")
            })
        }
    }
}

fn list(path: &Path) -> io::Result<Listing> {
    let (mut entries, mut truncated) = (Vec::new(), false);
    for entry in fs::read_dir(path)?.flatten() {
        // A name that is not text could not be sent back.
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        let Some(at) = entry.path().to_str().map(str::to_owned) else { continue };
        if name.starts_with('.') {
            continue;
        }
        if entries.len() == MOST_ENTRIES {
            truncated = true;
            break;
        }
        let is_directory = fs::metadata(entry.path()).is_ok_and(|found| found.is_dir());
        let is_git_repo = is_directory && is_repository(&entry.path());
        entries.push(FolderEntry { name, path: at, is_directory, is_git_repo });
    }
    entries.sort_by_cached_key(|entry| (!entry.is_directory, entry.name.to_lowercase(), entry.name.clone()));
    // Without a slash at its end, however it was asked for.
    let path: PathBuf = path.components().collect();
    Ok(Listing { path: path.to_string_lossy().into_owned(), entries, truncated })
}

fn is_repository(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join(".git")).is_ok()
}

/// Level by level, so that what lies near is found before the time is over. Links are not followed: they lead in circles.
fn walk(roots: Vec<PathBuf>, depth: usize, ours: &[PathBuf], found: &Mutex<Vec<Repository>>) {
    let began = Instant::now();
    let mut seen = HashSet::new();
    let mut folders: VecDeque<(PathBuf, usize)> = roots.into_iter().map(|root| (root, 0)).collect();
    while let Some((folder, level)) = folders.pop_front() {
        if began.elapsed() > SEARCH || seen.len() >= MOST_FOLDERS {
            return;
        }
        if ours.contains(&folder) || !seen.insert(folder.clone()) {
            continue;
        }
        if let Some(repository) = repository(&folder) {
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.push(repository);
            if found.len() >= MOST_REPOSITORIES {
                return;
            }
            continue;
        }
        // A folder that may not be read is somebody else's.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        if level == depth {
            continue;
        }
        for entry in entries.flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let name = entry.file_name();
            let name = name.to_str().unwrap_or(".");
            if is_folder && !name.starts_with('.') && !PASSED_OVER.contains(&name) {
                folders.push_back((entry.path(), level + 1));
            }
        }
    }
}

fn repository(folder: &Path) -> Option<Repository> {
    if !is_repository(folder) {
        return None;
    }
    let changed = fs::metadata(folder).and_then(|found| found.modified()).ok();
    Some(Repository {
        name: folder.file_name()?.to_str()?.to_owned(),
        path: folder.to_str()?.to_owned(),
        unchanged_for: changed.and_then(|changed| changed.elapsed().ok()).unwrap_or_default(),
    })
}
