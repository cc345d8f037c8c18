//! Hooks: where they are, and whether they are those of the start.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::guard::hex;
use crate::plain_file::{Links, bytes};
use crate::{Repo, Result, Worktree};

/// The largest hook that is read.
const LARGEST_HOOK: u64 = 32 * 1024 * 1024;
/// The most bytes of hooks that are read together.
const MOST_HOOK_BYTES: u64 = 64 * 1024 * 1024;
/// As many files of a folder with hooks are looked at; with more, none of the hooks run.
const MOST_HOOK_FILES: usize = 500;

impl Worktree {
    /// The folder where git looks for hooks.
    pub(crate) fn hooks_folder(&self) -> PathBuf {
        hooks_folder(&self.repo, self.path(), self.guard.hooks_path.as_deref())
    }

    /// Why the hooks of a commit must not run; none when they may.
    pub(crate) async fn distrusted_hooks(&self) -> Result<Option<String>> {
        let folder = self.hooks_folder();
        let shown = folder.strip_prefix(self.path()).unwrap_or(&folder).display().to_string();
        let unchecked = || Ok(Some(format!("the hooks in {shown} cannot be checked")));
        match scripts(&folder) {
            None => return unchecked(),
            Some(hooks) if hooks.is_empty() => return Ok(None),
            Some(_) => {}
        }
        if let Some(changed) = self.changed_hooks(&folder).await? {
            return Ok(Some(format!("the attempt changed {changed}")));
        }
        let Some(files) = all_files(&folder) else { return unchecked() };
        if !folder.starts_with(self.path()) {
            match digest(&folder) {
                None => return unchecked(),
                Some(digest) if digest != self.guard.hooks => {
                    return Ok(Some(format!("the hooks in {shown} were changed after the start")));
                }
                Some(_) => {}
            }
        }
        let mut changes = self.changes().await?;
        // Those beside the hooks were looked at.
        let top = beside_hooks(&folder).strip_prefix(self.path()).unwrap_or(&folder).to_owned();
        changes.retain(|file| !file.starts_with(&top));
        for hook in files {
            let Some(text) = read(&hook) else { return unchecked() };
            // Programs that were built name files by chance.
            if text.contains(&0) {
                continue;
            }
            let changed = match self.changed_file_in(&text).await? {
                None => self.changed_by_name(&text, &changes).await?,
                changed => changed,
            };
            if let Some(changed) = changed {
                let name = hook.file_name().unwrap_or_default().display().to_string();
                return Ok(Some(format!("the hook {name} uses {changed}, which the attempt changed")));
            }
        }
        Ok(None)
    }

    /// A file beside hooks of the worktree that is neither as in the trusted commit nor as in the repository's own checkout.
    async fn changed_hooks(&self, folder: &Path) -> Result<Option<String>> {
        let Some(unlike) = self.unlike_checkout(folder) else { return Ok(None) };
        match unlike {
            Err(folder) => Ok(Some(folder.display().to_string())),
            Ok(unlike) => {
                let changed = self.unlike_trusted(&unlike).await?;
                Ok(changed.into_iter().next().map(|file| file.display().to_string()))
            }
        }
    }

    /// Why the hook that runs after a checkout must not run in a new worktree; none when it may. What the base commit has
    /// may be the work of another attempt.
    pub(crate) fn distrusted_at_start(&self) -> Option<String> {
        let (Ok(file) | Err(file)) = self
            .unlike_checkout(&self.hooks_folder())?
            .map(|files| files.into_iter().next().unwrap_or_default());
        let is_alike = file.as_os_str().is_empty();
        (!is_alike).then(|| format!("{} is not as in the repository's own checkout", file.display()))
    }

    /// The files beside hooks of the worktree that are not as in the repository's own checkout; none when the hooks are
    /// elsewhere, and an error with the folder when its files cannot be told.
    fn unlike_checkout(&self, folder: &Path) -> Option<Result<Vec<PathBuf>, PathBuf>> {
        if !folder.starts_with(self.path()) {
            return None;
        }
        let top = beside_hooks(folder);
        let Some(files) = files_below(top) else {
            return Some(Err(top.strip_prefix(self.path()).unwrap_or(top).to_owned()));
        };
        let files = files.iter().filter_map(|file| file.strip_prefix(self.path()).ok().map(Path::to_owned));
        Some(Ok(files.filter(|file| !self.is_as_in_checkout(file, LARGEST_HOOK)).collect()))
    }
}

/// The folder whose files hooks use. Husky keeps generated stubs in `_`, which run the files beside it.
fn beside_hooks(folder: &Path) -> &Path {
    let stubs = folder.file_name().is_some_and(|name| name == "_");
    if stubs { folder.parent().unwrap_or(folder) } else { folder }
}

/// The folder where git looks for hooks.
pub(crate) fn hooks_folder(repo: &Repo, path: &Path, configured: Option<&str>) -> PathBuf {
    match configured {
        None | Some("") => repo.common_dir().join("hooks"),
        Some(home) if home.starts_with("~/") => {
            let home_folder = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
            home_folder.join(home.trim_start_matches("~/"))
        }
        Some(configured) => path.join(configured).components().collect(),
    }
}

/// The programs that git may find in a folder with hooks; none when the folder cannot be listed or has too many files.
fn scripts(folder: &Path) -> Option<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
            return Some(Vec::new());
        }
        // Git runs hooks of a folder that it cannot list.
        Err(_) => return None,
    };
    // A hook can come after any number of other files.
    let entries = entries.take(MOST_HOOK_FILES + 1).map(|entry| entry.map(|entry| entry.path()));
    let entries: Vec<PathBuf> = entries.collect::<Result<_, _>>().ok()?;
    if entries.len() > MOST_HOOK_FILES {
        return None;
    }
    let is_hook = |path: &PathBuf| {
        !is_sample(path)
            && fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    let mut hooks: Vec<PathBuf> = entries.into_iter().filter(is_hook).collect();
    hooks.sort();
    Some(hooks)
}

fn is_sample(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "sample")
}

/// Every file below a folder; none when there is anything but files and folders, or too many.
fn files_below(folder: &Path) -> Option<Vec<PathBuf>> {
    walk(folder, |_, kind| kind.is_file().then_some(true))
}

/// Every file and link below a folder that hooks may use; none when there are too many, or other things.
fn all_files(folder: &Path) -> Option<Vec<PathBuf>> {
    walk(folder, |path, kind| match kind {
        _ if is_sample(path) => Some(false),
        kind if kind.is_file() || kind.is_symlink() => {
            Some(!fs::metadata(path).is_ok_and(|file| file.is_dir()))
        }
        _ => None,
    })
}

/// The files below a folder that are `wanted`; none when one can be neither wanted nor not, or when there are too many.
fn walk(folder: &Path, wanted: impl Fn(&Path, fs::FileType) -> Option<bool>) -> Option<Vec<PathBuf>> {
    let (mut files, mut left) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).ok()? {
            let entry = entry.ok()?;
            let kind = entry.file_type().ok()?;
            if kind.is_dir() {
                // Hooks may be a repository of their own.
                left.extend((entry.file_name() != ".git").then(|| entry.path()));
            } else if wanted(&entry.path(), kind)? {
                files.push(entry.path());
            }
            if files.len() + left.len() > MOST_HOOK_FILES {
                return None;
            }
        }
    }
    files.sort();
    Some(files)
}

/// A digest of the programs in a folder with hooks, and of what they may use below it; none when that is too much to tell.
pub(crate) fn digest(folder: &Path) -> Option<String> {
    let mut sum = Sha256::new();
    let hooks = scripts(folder)?;
    let others = if hooks.is_empty() { Vec::new() } else { all_files(folder)? };
    let others: Vec<&PathBuf> = others.iter().filter(|file| !hooks.contains(file)).collect();
    let mut left = MOST_HOOK_BYTES;
    for file in hooks.iter().chain(others) {
        let content = read(file)?;
        left = left.checked_sub(content.len() as u64)?;
        sum.update(file.strip_prefix(folder).unwrap_or(file).as_os_str().as_bytes());
        sum.update(b"\0");
        sum.update(content);
        sum.update(fs::metadata(file).map_or(0, |file| file.size()).to_le_bytes());
    }
    Some(hex(&sum.finalize()))
}

/// The bytes of a hook. Links are followed: people keep their hooks elsewhere.
fn read(path: &Path) -> Option<Vec<u8>> {
    bytes(path, LARGEST_HOOK, Links::Followed)
}
