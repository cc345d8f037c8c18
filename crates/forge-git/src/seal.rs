//! Telling whether anybody touched a folder since it was made, without reading its files.
//!
//! The seal is a sum over every entry's path, mode, size, inode and times. The change time is set by the
//! kernel and by nobody else, so an edit that puts size and modification time back is still seen; so is an
//! ignored file, which `git status` would not tell. Looking costs one `stat` per file.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

/// What a folder looked like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seal {
    pub(crate) sum: u64,
    /// Room that it takes on disk.
    pub(crate) bytes: u64,
}

/// A folder to be looked at, and the hash of its path.
type Folder = (PathBuf, u64);

/// As many folders are given to one thread; it takes about a millisecond.
const PER_THREAD: usize = 16;

impl Seal {
    const EMPTY: Self = Self { sum: 0, bytes: 0 };

    /// Looks at everything in `tree`, but not at the folder itself, and at the file `index`. Blocks.
    pub(crate) fn of(tree: &Path, index: &Path) -> io::Result<Self> {
        let mut seal = Self::EMPTY;
        seal.add(hash(&index.file_name()), &fs::symlink_metadata(index)?);
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let mut level: Vec<Folder> = vec![(tree.to_owned(), 0)];
        while !level.is_empty() {
            let share = level.len().div_ceil(threads).max(PER_THREAD);
            let mut below = Vec::new();
            thread::scope(|scope| {
                // The first share is this thread's own.
                let mut shares = level.chunks(share);
                let own = shares.next().unwrap_or_default();
                let others = shares
                    .map(|share| thread::Builder::new().spawn_scoped(scope, || Self::of_folders(share)));
                let others: Vec<_> = others.collect::<io::Result<_>>()?;
                let looked =
                    others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
                for part in std::iter::once(Self::of_folders(own)).chain(looked) {
                    let (part, folders) = part?;
                    seal.sum = seal.sum.wrapping_add(part.sum);
                    seal.bytes = seal.bytes.saturating_add(part.bytes);
                    below.extend(folders);
                }
                io::Result::Ok(())
            })?;
            level = below;
        }
        Ok(seal)
    }

    /// Looks at what lies right in these folders, and says which folders that are.
    fn of_folders(folders: &[Folder]) -> io::Result<(Self, Vec<Folder>)> {
        let (mut seal, mut below) = (Self::EMPTY, Vec::new());
        for (folder, parent) in folders {
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                let name = entry.file_name();
                let path = hash(&(parent, &name));
                let metadata = entry.metadata()?;
                seal.add(path, &metadata);
                if metadata.is_dir() {
                    below.push((folder.join(name), path));
                }
            }
        }
        Ok((seal, below))
    }

    /// The order of entries does not matter, so what they come to is added up.
    fn add(&mut self, path: u64, entry: &fs::Metadata) {
        let look = if entry.is_dir() {
            // What is added to a folder or taken from it counts for itself.
            hash(&(path, entry.mode()))
        } else {
            let times = (entry.mtime(), entry.mtime_nsec(), entry.ctime(), entry.ctime_nsec());
            hash(&(path, entry.mode(), entry.size(), entry.ino(), times))
        };
        self.sum = self.sum.wrapping_add(look);
        self.bytes = self.bytes.saturating_add(entry.blocks().saturating_mul(512));
    }
}

/// A hash that is the same in the next run of this program. After an upgrade it may not be; then no
/// seal fits, and what was sealed is made anew.
pub(crate) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn whatever_is_done_to_a_folder_breaks_its_seal() {
        let root = tempfile::tempdir().unwrap();
        let (tree, index) = (root.path().join("tree"), root.path().join("index"));
        fs::create_dir_all(tree.join("a/b")).unwrap();
        for file in ["x", "a/y", "a/b/z"] {
            fs::write(tree.join(file), file).unwrap();
        }
        symlink("x", tree.join("link")).unwrap();
        fs::write(&index, "i").unwrap();
        let looked = || Seal::of(&tree, &index).unwrap().sum;
        let mut seen = vec![looked()];
        assert_eq!(looked(), seen[0]);
        let mut changed = |what: &str| {
            let now = looked();
            assert!(!seen.contains(&now), "{what}");
            seen.push(now);
        };
        fs::write(tree.join("a/b/z"), "longer").unwrap();
        changed("edit");
        fs::write(tree.join("a/new"), "").unwrap();
        changed("add");
        fs::create_dir(tree.join("a/empty")).unwrap();
        changed("add folder");
        fs::remove_file(tree.join("x")).unwrap();
        changed("remove");
        fs::rename(tree.join("a/y"), tree.join("a/b/y")).unwrap();
        changed("move");
        fs::set_permissions(tree.join("a/b/y"), fs::Permissions::from_mode(0o755)).unwrap();
        changed("chmod");
        fs::remove_file(tree.join("link")).unwrap();
        symlink("elsewhere", tree.join("link")).unwrap();
        changed("relink");
        fs::write(&index, "other").unwrap();
        changed("index");
    }

    #[test]
    fn a_folder_keeps_its_seal_when_it_is_renamed() {
        let root = tempfile::tempdir().unwrap();
        let index = root.path().join("index");
        fs::write(&index, "").unwrap();
        fs::create_dir_all(root.path().join("a/b")).unwrap();
        fs::write(root.path().join("a/b/c"), "").unwrap();
        let before = Seal::of(&root.path().join("a"), &index).unwrap();
        fs::rename(root.path().join("a"), root.path().join("z")).unwrap();
        assert_eq!(Seal::of(&root.path().join("z"), &index).unwrap(), before);
    }
}
