//! Programs that git may run in a worktree: those that were configured when the worktree was made, and no others.
//!
//! An agent writes files. None of them may become a program that git starts here: not a setting of the repository or the worktree, not
//! a hook, not a script of the worktree that a hook or a filter names. What was configured when the worktree was made is recorded
//! outside of it (see ADR 11); what differs later is overridden, and reported.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags};
use sha2::{Digest, Sha256};

use crate::command::Call;
use crate::commands::{Setting, harmless};
use crate::{Error, Oid, Repo, Result, Worktree};

/// First field of a record.
const FORMAT: &str = "forge programs 1";
/// The largest hook that is read.
const LARGEST_HOOK: u64 = 1024 * 1024;
/// As many files of a folder with hooks are looked at; with more, none of the hooks run.
const MOST_HOOK_FILES: usize = 500;

/// What was configured when a worktree was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// The commit that it started from.
    pub(crate) base: Oid,
    /// A digest of the hooks outside of the worktree.
    hooks: String,
    /// The repository's own settings that run programs.
    settings: Vec<(String, String)>,
}

/// What git is told in a worktree, so that it runs nothing but what was recorded.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    pub(crate) base: Oid,
    hooks: String,
    hooks_path: Option<String>,
    /// Settings that win over those of the repository.
    pub(crate) overrides: Vec<(String, String)>,
    /// Every filter driver that is configured, by whomever.
    pub(crate) drivers: BTreeSet<String>,
    /// What is overridden, in words.
    pub(crate) skipped: Vec<String>,
}

impl Record {
    pub(crate) fn new(repo: &Repo, path: &Path, base: &Oid, settings: &[Setting]) -> Self {
        let hooks = hooks_folder(repo, path, hooks_path(settings));
        let own = settings.iter().filter(|setting| setting.own && harmless(&setting.key).is_some());
        Self {
            base: base.clone(),
            hooks: if hooks.starts_with(path) { String::new() } else { digest(&hooks) },
            settings: own.map(|setting| (setting.key.clone(), setting.value.clone())).collect(),
        }
    }

    fn read(file: &Path) -> Option<Self> {
        let text = fs::read_to_string(file).ok()?;
        let mut fields = text.split('\0');
        if fields.next()? != FORMAT {
            return None;
        }
        let (base, hooks) = (fields.next()?.parse().ok()?, fields.next()?.to_owned());
        let settings = fields.filter_map(|field| field.split_once('\n'));
        let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        Some(Self { base, hooks, settings })
    }

    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        let mut text = format!("{FORMAT}\0{}\0{}", self.base, self.hooks);
        for (key, value) in &self.settings {
            text.push_str(&format!("\0{key}\n{value}"));
        }
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        }
        let draft = file.with_extension("new");
        fs::write(&draft, text).and_then(|()| fs::rename(&draft, file)).map_err(Error::io("write", file))
    }
}

impl Guard {
    pub(crate) fn new(record: &Record, settings: &[Setting]) -> Self {
        let mut guard = Self {
            base: record.base.clone(),
            hooks: record.hooks.clone(),
            hooks_path: hooks_path(settings).map(ToOwned::to_owned),
            overrides: Vec::new(),
            drivers: settings.iter().filter_map(Setting::driver).map(ToOwned::to_owned).collect(),
            skipped: Vec::new(),
        };
        for setting in settings.iter().filter(|setting| setting.own) {
            let Some(value) = harmless(&setting.key) else { continue };
            let known = record.settings.iter().rfind(|(key, _)| *key == setting.key);
            if known.is_some_and(|(_, value)| *value == setting.value) {
                continue;
            }
            guard.skipped.push(format!("the setting {} was changed after the start", setting.key));
            match setting.driver() {
                Some(driver) => guard.disable(driver),
                None => {
                    let value = known.map_or(value, |(_, value)| value);
                    guard.overrides.push((setting.key.clone(), value.to_owned()));
                    if setting.key == "core.hookspath" {
                        guard.hooks_path = Some(value.to_owned());
                    }
                }
            }
        }
        guard
    }

    /// Makes git pass files through a filter unchanged.
    pub(crate) fn disable(&mut self, driver: &str) {
        self.overrides.extend(without(driver));
    }
}

/// Settings under which a filter driver does nothing.
pub(crate) fn without(driver: &str) -> [(String, String); 4] {
    let of = |name: &str, value: &str| (format!("filter.{driver}.{name}"), value.to_owned());
    [of("clean", ""), of("smudge", ""), of("process", ""), of("required", "false")]
}

impl Repo {
    /// Every setting that applies in this repository.
    pub(crate) async fn settings(&self) -> Result<Vec<Setting>> {
        let call = self.git.call(self.path()).args(["config", "--list", "-z", "--show-scope"]);
        Ok(Setting::parse(&call.read().await?.ok()?.stdout))
    }

    /// Every setting that applies in a worktree of this repository.
    pub(crate) async fn worktree_settings(&self, path: &Path, admin_dir: &Path) -> Result<Vec<Setting>> {
        let call = self.registered_call(path, admin_dir);
        let output = call.args(["config", "--list", "-z", "--show-scope"]).read().await?.ok()?;
        Ok(Setting::parse(&output.stdout))
    }

    /// A git in a worktree, by its registration alone: an agent can write to the files that lead there.
    fn registered_call(&self, path: &Path, admin_dir: &Path) -> Call {
        let call = self.git.call(path).env("GIT_DIR", admin_dir).env("GIT_WORK_TREE", path);
        call.env("GIT_COMMON_DIR", self.common_dir())
    }

    /// Where the record of a worktree is.
    pub(crate) fn record_path(&self, path: &Path, admin_dir: &Path) -> PathBuf {
        match self.git.records() {
            Some(records) => {
                let name = hex(&Sha256::digest(path.as_os_str().as_bytes()));
                records.join(name.get(..32).unwrap_or(&name))
            }
            None => admin_dir.join("forge-programs"),
        }
    }

    /// Forgets what was recorded for a worktree that is gone for good.
    pub fn forget_record(&self, path: &Path) {
        if self.git.records().is_some() {
            // One that was never written is forgotten already.
            let _missing = fs::remove_file(self.record_path(path, Path::new("")));
        }
    }

    /// The guard of a worktree that exists. One that an older version made is recorded now.
    pub(crate) async fn guard(&self, path: &Path, admin_dir: &Path, settings: &[Setting]) -> Result<Guard> {
        let file = self.record_path(path, admin_dir);
        let record = match Record::read(&file) {
            Some(record) => record,
            None => {
                let call = self.registered_call(path, admin_dir);
                let head = call.args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).read().await?;
                let Ok(base) = head.oid() else {
                    return Err(Error::NoCommits { path: path.to_owned() });
                };
                let record = Record::new(self, path, &base, settings);
                record.write(&file)?;
                record
            }
        };
        Ok(Guard::new(&record, settings))
    }
}

impl Worktree {
    /// Disables filters whose command names a file that the attempt changed.
    pub(crate) async fn without_changed_filters(mut self, settings: &[Setting]) -> Result<Self> {
        for setting in settings {
            let Some(driver) = setting.driver() else { continue };
            if let Some(changed) = self.changed_file_in(setting.value.as_bytes()).await? {
                let mut guard = Guard::clone(&self.guard);
                guard.skipped.push(format!("the filter {driver} runs {changed}, which the attempt changed"));
                guard.disable(driver);
                self.guard = Arc::new(guard);
            }
        }
        Ok(self)
    }

    /// The folder where git looks for hooks.
    pub(crate) fn hooks_folder(&self) -> PathBuf {
        hooks_folder(&self.repo, self.path(), self.guard.hooks_path.as_deref())
    }

    /// Why the hooks of a commit must not run; none when they may.
    pub(crate) async fn distrusted_hooks(&self) -> Result<Option<String>> {
        let folder = self.hooks_folder();
        let shown = folder.strip_prefix(self.path()).unwrap_or(&folder).display().to_string();
        let Some(hooks) = scripts(&folder) else {
            return Ok(Some(format!("the hooks in {shown} cannot be checked")));
        };
        if hooks.is_empty() {
            return Ok(None);
        }
        if let Some(changed) = self.changed_hooks(&folder).await? {
            return Ok(Some(format!("the attempt changed {changed}")));
        }
        if !folder.starts_with(self.path()) && digest(&folder) != self.guard.hooks {
            return Ok(Some(format!("the hooks in {shown} were changed after the start")));
        }
        for hook in hooks {
            let text = read(&hook).unwrap_or_default();
            if let Some(changed) = self.changed_file_in(&text).await? {
                let name = hook.file_name().unwrap_or_default().display().to_string();
                return Ok(Some(format!("the hook {name} uses {changed}, which the attempt changed")));
            }
        }
        Ok(None)
    }

    /// A file beside hooks of the worktree that is neither as in the base commit nor as in the repository's own checkout.
    async fn changed_hooks(&self, folder: &Path) -> Result<Option<String>> {
        if !folder.starts_with(self.path()) {
            return Ok(None);
        }
        // Husky keeps generated stubs in `_`, which run the files beside it.
        let stubs = folder.file_name().is_some_and(|name| name == "_");
        let top = if stubs { folder.parent().unwrap_or(folder) } else { folder };
        let Some(files) = files_below(top) else {
            return Ok(Some(top.strip_prefix(self.path()).unwrap_or(top).display().to_string()));
        };
        let relative = |file: &PathBuf| file.strip_prefix(self.path()).ok().map(Path::to_owned);
        let in_checkout = |file: &&PathBuf| {
            let own = read(&self.repo.path().join(file));
            own.is_some() && own == read(&self.path().join(file))
        };
        let files: Vec<PathBuf> = files.iter().filter_map(relative).collect();
        let unlike: Vec<PathBuf> = files.iter().filter(|file| !in_checkout(file)).cloned().collect();
        Ok(self.unlike_base(&unlike).await?.into_iter().next().map(|file| file.display().to_string()))
    }

    /// A file of the worktree that is named in `text` and is not as in the base commit.
    async fn changed_file_in(&self, text: &[u8]) -> Result<Option<String>> {
        let part = |byte: &u8| !(byte.is_ascii_alphanumeric() || b"_./@+-".contains(byte));
        let mut named = BTreeSet::new();
        for word in text.split(part).filter(|word| !word.is_empty() && word.len() < 512) {
            let word = Path::new(std::ffi::OsStr::from_bytes(word));
            let word = word.strip_prefix(self.path()).unwrap_or(word);
            let word: PathBuf = word
                .components()
                .filter(|part| !matches!(part, std::path::Component::CurDir | std::path::Component::RootDir))
                .collect();
            let leaves = word.components().any(|part| part == std::path::Component::ParentDir);
            if !leaves && fs::metadata(self.path().join(&word)).is_ok_and(|file| file.is_file()) {
                named.insert(word);
            }
        }
        let named: Vec<PathBuf> = named.into_iter().collect();
        Ok(self.unlike_base(&named).await?.into_iter().next().map(|file| file.display().to_string()))
    }

    /// Those of the files, relative to the top, whose bytes are not those of the base commit.
    async fn unlike_base(&self, files: &[PathBuf]) -> Result<Vec<PathBuf>> {
        let odd = |file: &&PathBuf| {
            let plain = fs::symlink_metadata(self.path().join(file)).is_ok_and(|entry| entry.is_file());
            !plain || file.as_os_str().as_bytes().contains(&b'\n')
        };
        if let Some(file) = files.iter().find(odd) {
            return Ok(vec![file.clone()]);
        }
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let call =
            self.call().args(["--literal-pathspecs", "ls-tree", "-r", "-z", self.guard.base.as_str(), "--"]);
        let listed = call.args(files).read().await?.ok()?;
        let known: BTreeSet<Vec<u8>> =
            listed.stdout.split(|byte| *byte == 0).filter_map(oid_and_path).collect();
        let mut input = Vec::new();
        for file in files {
            input.extend_from_slice(file.as_os_str().as_bytes());
            input.push(b'\n');
        }
        let call = self.call().args(["hash-object", "--no-filters", "--stdin-paths"]);
        let hashed = call.read_fed(input).await?.ok()?;
        let oids = hashed.text()?.lines().map(str::as_bytes);
        let pairs = files.iter().zip(oids);
        let differs =
            |file: &Path, oid: &[u8]| !known.contains(&[oid, b"\t", file.as_os_str().as_bytes()].concat());
        Ok(pairs.filter(|(file, oid)| differs(file, oid)).map(|(file, _)| file.clone()).collect())
    }
}

/// `<oid>\t<path>` of a line of `git ls-tree`.
fn oid_and_path(line: &[u8]) -> Option<Vec<u8>> {
    line.splitn(3, |byte| *byte == b' ').nth(2).map(<[u8]>::to_vec)
}

fn hooks_path(settings: &[Setting]) -> Option<&str> {
    settings.iter().rfind(|setting| setting.key == "core.hookspath").map(|setting| setting.value.as_str())
}

/// The folder where git looks for hooks.
fn hooks_folder(repo: &Repo, path: &Path, configured: Option<&str>) -> PathBuf {
    match configured {
        None | Some("") => repo.common_dir().join("hooks"),
        Some(home) if home.starts_with("~/") => {
            let home_folder = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
            home_folder.join(home.trim_start_matches("~/"))
        }
        Some(configured) => path.join(configured).components().collect(),
    }
}

/// The programs that git may find in a folder with hooks; none when there are too many to tell.
fn scripts(folder: &Path) -> Option<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_hook = |path: &PathBuf| {
        let sample = path.extension().is_some_and(|end| end == "sample");
        !sample
            && fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    let mut hooks: Vec<PathBuf> = entries.take(MOST_HOOK_FILES + 1).filter(is_hook).collect();
    hooks.sort();
    (hooks.len() <= MOST_HOOK_FILES).then_some(hooks)
}

/// Every file below a folder; none when there is anything but files and folders, or too many.
fn files_below(folder: &Path) -> Option<Vec<PathBuf>> {
    let (mut files, mut left) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).ok()? {
            let entry = entry.ok()?;
            let kind = entry.file_type().ok()?;
            if kind.is_dir() {
                left.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            } else {
                return None;
            }
            if files.len() + left.len() > MOST_HOOK_FILES {
                return None;
            }
        }
    }
    files.sort();
    Some(files)
}

/// A digest of the programs in a folder with hooks.
fn digest(folder: &Path) -> String {
    let mut sum = Sha256::new();
    for hook in scripts(folder).unwrap_or_default() {
        sum.update(hook.file_name().unwrap_or_default().as_bytes());
        sum.update(b"\0");
        sum.update(read(&hook).unwrap_or_default());
        sum.update(fs::metadata(&hook).map_or(0, |file| file.size()).to_le_bytes());
    }
    hex(&sum.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of a regular file that is not too large; a pipe in its place is not waited for.
fn read(path: &Path) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = fs::File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    let entry = file.metadata().ok()?;
    if !entry.is_file() || entry.len() > LARGEST_HOOK {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LARGEST_HOOK).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
