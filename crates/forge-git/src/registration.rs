//! A linked worktree's registration: the files that tie it to its repository.
//!
//! The layout is git's public one (gitrepository-layout(5)): the worktree holds a `.git` file that
//! names its administrative folder `<common dir>/worktrees/<id>`, whose `gitdir` names it back.
//! `git worktree add` and `remove` make and unmake that folder file by file in plain sight; any git
//! that lists worktrees meanwhile dies of it (`failed to read .git/worktrees/…/commondir`). Here it
//! appears and disappears by one rename, so that any number of starts can happen at once.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;

use crate::plain_file::{small, text};
use crate::snapshot::copy_index;
use crate::{Error, Repo, Result, Spare};

/// Why git locks a registration that it is making.
const INITIALIZING: &[u8] = b"initializing";

/// A worktree that both sides agree on.
pub(crate) struct Registration {
    /// `<common dir>/worktrees/<id>`.
    pub(crate) admin_dir: PathBuf,
}

impl Repo {
    fn admin_root(&self) -> PathBuf {
        self.common_dir().join("worktrees")
    }

    /// Where registrations are put together and taken apart, out of git's sight.
    pub(crate) fn workbench(&self) -> PathBuf {
        self.common_dir().join("forge-tmp")
    }

    fn on_workbench(&self) -> Result<TempDir> {
        let bench = self.workbench();
        fs::create_dir_all(&bench).map_err(Error::io("create", &bench))?;
        // Readable to whom the umask allows: other users of the repository list its worktrees too.
        let everyone = fs::Permissions::from_mode(0o777);
        let folder = tempfile::Builder::new().permissions(everyone).tempdir_in(&bench);
        folder.map_err(Error::io("create a folder in", &bench))
    }

    /// Whether git itself must register worktrees here: sparse checkouts and settings of single
    /// worktrees are carried over by git, and a reftable repository keeps refs in another form.
    pub(crate) fn needs_git_to_register(&self) -> bool {
        let exists = |path: PathBuf| fs::symlink_metadata(path).is_ok();
        exists(self.git_dir().join("config.worktree"))
            || exists(self.git_dir().join("info/sparse-checkout"))
            || exists(self.common_dir().join("config.worktree"))
            || exists(self.common_dir().join("reftable"))
    }

    /// Makes the empty folder `path` a worktree on `branch`, nothing checked out yet.
    pub(crate) fn register(&self, path: &Path, branch: &str) -> Result<Registration> {
        self.register_with(path, branch, &[])
    }

    /// Like [`Repo::register`], with empty files of these names in the administrative folder.
    pub(crate) fn register_with(&self, path: &Path, branch: &str, marks: &[&str]) -> Result<Registration> {
        let draft = self.draft(path, branch)?;
        for mark in marks {
            write(&draft.path().join(mark), b"")?;
        }
        self.publish(draft, path, &path.join(".git"))
    }

    /// Makes the empty folder `path` a worktree on `branch` with all that is checked out in the spare.
    ///
    /// Registered first and moved then, so that there is never a folder of files that nothing names. In between the
    /// registration is locked in git's own way, or a prune would take it for one whose folder is gone.
    pub(crate) fn register_spare(&self, spare: &Spare, path: &Path, branch: &str) -> Result<Registration> {
        let draft = self.draft(path, branch)?;
        let index = spare.index();
        copy_index(&index, &draft.path().join("index"))?;
        write(&draft.path().join("locked"), INITIALIZING)?;
        let tree = spare.tree();
        let registration = self.publish(draft, path, &tree.join(".git"))?;
        // An empty folder gives way to the one that is renamed to it.
        fs::rename(&tree, path).map_err(Error::io("move the spare to", path))?;
        let locked = registration.admin_dir.join("locked");
        fs::remove_file(&locked).map_err(Error::io("remove", locked))?;
        Ok(registration)
    }

    /// A registration of `path` on the workbench.
    fn draft(&self, path: &Path, branch: &str) -> Result<TempDir> {
        let draft = self.on_workbench()?;
        write(&draft.path().join("HEAD"), format!("ref: refs/heads/{branch}\n").as_bytes())?;
        write(&draft.path().join("commondir"), b"../..\n")?;
        write(&draft.path().join("gitdir"), &with_line_break(b"", &path.join(".git")))?;
        let refs = draft.path().join("refs");
        fs::create_dir(&refs).map_err(Error::io("create", &refs))?;
        Ok(draft)
    }

    /// Puts the draft in its place and names that in the file `link`.
    fn publish(&self, draft: TempDir, path: &Path, link: &Path) -> Result<Registration> {
        let root = self.admin_root();
        let stem = admin_name(path);
        for number in 0_u32.. {
            let name = if number == 0 { stem.clone() } else { format!("{stem}{number}") };
            let admin_dir = root.join(name);
            if fs::symlink_metadata(&admin_dir).is_ok() {
                continue;
            }
            // Git removes the root when its last worktree goes, so it is made right before use.
            fs::create_dir_all(&root).map_err(Error::io("create", &root))?;
            write(link, &with_line_break(b"gitdir: ", &admin_dir))?;
            match fs::rename(draft.path(), &admin_dir) {
                Ok(()) => {
                    // Nothing is left at the old name, so there is nothing to clean up.
                    let _gone = draft.keep();
                    return Ok(Registration { admin_dir });
                }
                Err(error) if is_retryable(&error) => {}
                Err(error) => return Err(Error::io("register the worktree in", &admin_dir)(error)),
            }
        }
        Err(Error::NameTaken { name: stem })
    }

    /// The registration of the worktree at `path`, if it is one of this repository.
    pub(crate) fn registration(&self, path: &Path) -> Result<Registration> {
        let not_one = || Error::NotAWorktree { path: path.to_owned() };
        let link = path.join(".git");
        let admin_dir = read_path(&link, b"gitdir: ").ok_or_else(not_one)?;
        let admin_dir = fs::canonicalize(path.join(admin_dir)).map_err(|_missing| not_one())?;
        let root = fs::canonicalize(self.admin_root()).map_err(|_missing| not_one())?;
        if admin_dir.parent() != Some(&root) {
            return Err(not_one());
        }
        let common = read_path(&admin_dir.join("commondir"), b"").ok_or_else(not_one)?;
        if fs::canonicalize(admin_dir.join(common)).ok().as_deref() != Some(self.common_dir()) {
            return Err(not_one());
        }
        let back = read_path(&admin_dir.join("gitdir"), b"").ok_or_else(not_one)?;
        match (fs::canonicalize(admin_dir.join(back)), fs::canonicalize(&link)) {
            (Ok(back), Ok(link)) if back == link => Ok(Registration { admin_dir }),
            _ => Err(not_one()),
        }
    }

    /// Registrations that name `path`, whether or not the folder is still there.
    pub(crate) fn registrations_of(&self, path: &Path) -> Vec<Registration> {
        let link = path.join(".git");
        self.registrations(|dir| back_link(dir).is_some_and(|back| back == link))
    }

    /// Like [`Repo::registrations_of`], and those that a killed git began for `path`.
    pub(crate) fn registrations_naming(&self, path: &Path) -> Vec<Registration> {
        let link = path.join(".git");
        let stem = admin_name(path);
        self.registrations(|dir| match back_link(dir) {
            Some(back) => back == link,
            None => begun(dir) && file_name(dir).starts_with(stem.as_bytes()),
        })
    }

    fn registrations(&self, is_wanted: impl Fn(&Path) -> bool) -> Vec<Registration> {
        let Ok(entries) = fs::read_dir(self.admin_root()) else { return Vec::new() };
        let dirs = entries.flatten().map(|entry| entry.path());
        dirs.filter(|dir| is_wanted(dir)).map(|admin_dir| Registration { admin_dir }).collect()
    }
}

impl Registration {
    /// Why the user locked the worktree, if they did. Git itself locks one while it makes it.
    pub(crate) fn lock_reason(&self) -> Option<String> {
        let file = self.admin_dir.join("locked");
        fs::symlink_metadata(&file).ok()?;
        // A lock that cannot be read is one without a reason.
        Some(text(&file).unwrap_or_default().trim().to_owned())
    }

    /// The branch the worktree is on; none when HEAD is detached.
    pub(crate) fn branch(&self) -> Option<String> {
        let head = text(&self.admin_dir.join("HEAD"))?;
        Some(head.trim_end().strip_prefix("ref: refs/heads/")?.to_owned())
    }

    /// Makes the registration name the folder at `path`, in one step.
    pub(crate) fn move_to(&self, path: &Path) -> Result<()> {
        let (draft, file) = (self.admin_dir.join("gitdir.new"), self.admin_dir.join("gitdir"));
        write(&draft, &with_line_break(b"", &path.join(".git")))?;
        fs::rename(&draft, &file).map_err(Error::io("write", file))
    }

    /// Takes the registration away in one step, then deletes it.
    pub(crate) async fn remove(&self, repo: &Repo) -> Result<()> {
        let grave = repo.on_workbench()?;
        {
            // Not while a git of ours lists worktrees.
            let _turn = repo.turn.lock().await;
            match fs::rename(&self.admin_dir, grave.path().join("worktree")) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(Error::io("unregister the worktree in", &self.admin_dir)(error));
                }
                _ => {}
            }
        }
        // Repositories of submodules may make it big.
        tokio::task::spawn_blocking(move || drop(grave)).await.map_err(|_stopped| Error::ShuttingDown)
    }
}

/// The administrative folder that the folder's `.git` file names; none when it is no linked worktree.
pub(crate) fn linked_to(path: &Path) -> Option<PathBuf> {
    let link = path.join(".git");
    let is_file = fs::symlink_metadata(&link).is_ok_and(|entry| entry.is_file());
    let admin_dir = read_path(&link, b"gitdir: ").filter(|_| is_file)?;
    Some(path.join(admin_dir))
}

/// Makes the folder's `.git` file name the registration.
pub(crate) fn link_to(path: &Path, registration: &Registration) -> Result<()> {
    write(&path.join(".git"), &with_line_break(b"gitdir: ", &registration.admin_dir))
}

/// The `.git` file that a registration names.
fn back_link(admin_dir: &Path) -> Option<PathBuf> {
    let back = read_path(&admin_dir.join("gitdir"), b"")?;
    Some(without_dots(&admin_dir.join(back)))
}

/// A name was taken, or the root removed, between the look and the rename.
fn is_retryable(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DirectoryNotEmpty
            | ErrorKind::AlreadyExists
            | ErrorKind::NotFound
            | ErrorKind::NotADirectory
    )
}

/// Whether git was making this registration and never came to its end.
fn begun(admin_dir: &Path) -> bool {
    small(&admin_dir.join("locked")).is_some_and(|reason| reason.starts_with(INITIALIZING))
}

/// The folder's name in letters that are valid in a ref, as git wants for an administrative folder.
fn admin_name(path: &Path) -> String {
    let keep = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let name: String =
        file_name(path).iter().map(|byte| if keep(byte) { char::from(*byte) } else { '-' }).collect();
    match name.trim_matches('-') {
        "" => "worktree".to_owned(),
        name => name.to_owned(),
    }
}

/// The path without `..`, for a folder that may be gone and so cannot be resolved.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        if component == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(component);
        }
    }
    plain
}

fn file_name(path: &Path) -> &[u8] {
    path.file_name().map_or(b"", OsStr::as_bytes)
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    fs::write(path, content).map_err(Error::io("write", path))
}

fn with_line_break(prefix: &[u8], path: &Path) -> Vec<u8> {
    [prefix, path.as_os_str().as_bytes(), b"\n"].concat()
}

fn read_path(file: &Path, prefix: &[u8]) -> Option<PathBuf> {
    let content = small(file)?;
    let path = content.strip_prefix(prefix)?;
    let path = path.strip_suffix(b"\n").unwrap_or(path);
    (!path.is_empty()).then(|| PathBuf::from(OsString::from_vec(path.to_vec())))
}
