//! Hermetic git repositories: nothing of the machine's or the user's git settings gets in.
#![expect(clippy::expect_used, reason = "a test kit stops the test when its own set-up fails")]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// Time of the first git command; each further one is a minute later.
const FIRST_COMMIT_AT: u64 = 1_700_000_000;

/// A repository in a temporary folder, with its own home and git configuration.
#[derive(Debug)]
pub struct TempRepo {
    root: tempfile::TempDir,
    path: PathBuf,
    minutes: AtomicU64,
}

impl TempRepo {
    /// A repository with branch `main` and one commit of a `README.md`.
    pub fn new() -> Self {
        let repo = Self::empty().with_file("README.md", "A project.\n");
        repo.commit("First");
        repo
    }

    /// A repository with branch `main` and no commit.
    pub fn empty() -> Self {
        let root = tempfile::tempdir().expect("create a temporary folder");
        // Resolved, because git answers with resolved paths.
        let top = root.path().canonicalize().expect("resolve the temporary folder");
        let path = top.join("repo");
        fs::create_dir_all(&path).expect("create the repository's folder");
        fs::create_dir_all(top.join("home")).expect("create the home folder");
        fs::write(
            top.join("gitconfig"),
            "[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n",
        )
        .expect("write the git configuration");
        let repo = Self { root, path, minutes: AtomicU64::new(0) };
        repo.git(&["init", "--quiet"]);
        repo
    }

    /// The repository's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A folder beside the repository for whatever the test needs; removed with it.
    pub fn beside(&self, name: impl AsRef<Path>) -> PathBuf {
        let top = self.path.parent().expect("the repository lies in the temporary folder");
        top.join(name)
    }

    /// The environment that makes any git hermetic; hand it to what is under test.
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        let pairs: [(&str, PathBuf); 4] = [
            ("GIT_CONFIG_GLOBAL", self.root.path().join("gitconfig")),
            ("GIT_CONFIG_SYSTEM", "/dev/null".into()),
            ("HOME", self.root.path().join("home")),
            ("XDG_CONFIG_HOME", self.root.path().join("home/.config")),
        ];
        pairs.map(|(name, value)| (name.into(), value.into())).into()
    }

    /// Replaces the user's git configuration.
    pub fn set_global_config(&self, content: &str) {
        fs::write(self.root.path().join("gitconfig"), content).expect("write the git configuration");
    }

    /// Writes a file, making its folders.
    pub fn with_file(self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Self {
        self.write(path, content);
        self
    }

    /// Writes a file, making its folders.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.path.join(path);
        let folder = path.parent().expect("a file has a folder");
        fs::create_dir_all(folder).expect("create the file's folder");
        fs::write(path, content).expect("write the file");
    }

    /// Commits everything and returns the commit's name.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs git in the repository; the test fails if git does. Returns what it printed, trimmed.
    pub fn git<S: AsRef<OsStr>>(&self, args: &[S]) -> String {
        self.git_in(&self.path, args)
    }

    /// Runs git in another folder with the same environment; the test fails if git does.
    pub fn git_in<S: AsRef<OsStr>>(&self, folder: &Path, args: &[S]) -> String {
        let output = self.try_git_in(folder, args);
        let shown: Vec<_> = args.iter().map(|arg| arg.as_ref().to_string_lossy()).collect();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {} failed: {stderr}", shown.join(" "));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Runs git in a folder and returns whatever came of it.
    #[expect(clippy::disallowed_methods, reason = "tests look at repositories with the real git")]
    pub fn try_git_in<S: AsRef<OsStr>>(&self, folder: &Path, args: &[S]) -> Output {
        let at = FIRST_COMMIT_AT + 60 * self.minutes.fetch_add(1, Ordering::Relaxed);
        let date = format!("{at} +0000");
        let mut command = Command::new("git");
        for name in ["GIT_COMMON_DIR", "GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE"] {
            command.env_remove(name);
        }
        command.envs(self.env()).env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        // Nothing that a commit leaves behind may still work in the folder when the call is over.
        command.args(["-c", "maintenance.auto=false"]);
        command.env("LC_ALL", "C").current_dir(folder).args(args).stdin(Stdio::null());
        command.output().expect("run git")
    }
}

impl Default for TempRepo {
    fn default() -> Self {
        Self::new()
    }
}
