//! Programs that git may run in a worktree: those that were configured when the worktree was made, and no others.
//!
//! An agent writes files. None of them may become a program that git starts here: not a setting of the repository or the worktree, not
//! a hook, not a script of the worktree that a hook or a filter names. What was configured when the worktree was made is recorded
//! outside of it (see ADR 11); what differs later is overridden, and reported.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::command::Call;
use crate::commands::{
    Setting, harmless, in_place, is_about_fetching, is_promisor, protocols_for_missing, without_own,
};
use crate::hooks::{digest, hooks_folder};
use crate::mentions::words;
use crate::plain_file::{replace, text};
use crate::{Error, Oid, Repo, Result, Worktree};

/// First field of a record.
const FORMAT: &str = "forge programs 1";

/// What was configured when a worktree was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// The commit that it started from.
    pub(crate) base: Oid,
    /// The commit whose hooks and scripts may run: the base, unless that is the work of another attempt.
    trusted: Oid,
    /// A digest of the hooks outside of the worktree.
    hooks: String,
    /// The repository's own settings that run programs.
    settings: Vec<(String, String)>,
}

/// What git is told in a worktree, so that it runs nothing but what was recorded.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    pub(crate) base: Oid,
    pub(crate) trusted: Oid,
    pub(crate) hooks: String,
    pub(crate) hooks_path: Option<String>,
    /// Settings that win over those of the repository.
    pub(crate) overrides: Vec<(String, String)>,
    /// Every filter driver that is configured, by whomever.
    pub(crate) drivers: BTreeSet<String>,
    /// What is overridden, in words.
    pub(crate) skipped: Vec<String>,
    /// How missing objects are fetched; none if none can be missing.
    fetch: Option<Fetch>,
}

/// How git fetches what a partial clone left out: by programs of the user's own settings alone.
#[derive(Clone, Debug)]
struct Fetch {
    protocols: &'static str,
    overrides: Vec<(String, String)>,
}

impl Record {
    pub(crate) fn new(repo: &Repo, path: &Path, base: &Oid, trusted: &Oid, settings: &[Setting]) -> Self {
        let hooks = hooks_folder(repo, path, hooks_path(settings));
        let own = settings.iter().filter(|setting| setting.own && harmless(&setting.key).is_some());
        Self {
            base: base.clone(),
            trusted: trusted.clone(),
            hooks: if hooks.starts_with(path) { String::new() } else { digest(&hooks).unwrap_or_default() },
            settings: own.map(|setting| (setting.key.clone(), setting.value.clone())).collect(),
        }
    }

    pub(crate) fn read(file: &Path) -> Option<Self> {
        let text = text(file)?;
        let mut fields = text.split('\0');
        if fields.next()? != FORMAT {
            return None;
        }
        let (commits, hooks) = (fields.next()?, fields.next()?.to_owned());
        // Older records have the base alone.
        let (base, trusted) = commits.split_once(' ').unwrap_or((commits, commits));
        let (base, trusted) = (base.parse().ok()?, trusted.parse().ok()?);
        let settings = fields.filter_map(|field| field.split_once('\n'));
        let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        Some(Self { base, trusted, hooks, settings })
    }

    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        let mut text = format!("{FORMAT}\0{} {}\0{}", self.base, self.trusted, self.hooks);
        for (key, value) in &self.settings {
            text.push_str(&format!("\0{key}\n{value}"));
        }
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        }
        let draft = file.with_extension("new");
        replace(&draft, text.as_bytes())
            .and_then(|()| fs::rename(&draft, file))
            .map_err(Error::io("write", file))
    }
}

impl Guard {
    pub(crate) fn new(record: &Record, settings: &[Setting]) -> Self {
        let mut guard = Self {
            base: record.base.clone(),
            trusted: record.trusted.clone(),
            hooks: record.hooks.clone(),
            hooks_path: hooks_path(settings).map(ToOwned::to_owned),
            overrides: Vec::new(),
            drivers: settings.iter().filter_map(Setting::driver).map(ToOwned::to_owned).collect(),
            skipped: Vec::new(),
            fetch: settings.iter().any(|setting| is_promisor(&setting.key)).then(|| Fetch {
                protocols: protocols_for_missing(settings),
                overrides: without_own(settings, is_about_fetching),
            }),
        };
        let own = settings.iter().filter(|setting| setting.own && harmless(&setting.key).is_some());
        let mut present: BTreeMap<&str, Vec<&Setting>> = BTreeMap::new();
        for setting in own {
            present.entry(&setting.key).or_default().push(setting);
        }
        for (key, present) in present {
            let known = record.settings.iter().filter(|(known, _)| known == key);
            let known: Vec<&str> = known.map(|(_, value)| value.as_str()).collect();
            if present.iter().map(|setting| setting.value.as_str()).eq(known.iter().copied()) {
                continue;
            }
            guard.skipped.push(format!("the setting {key} was changed after the start"));
            match present.first().and_then(|setting| setting.driver()) {
                Some(driver) => guard.disable(driver),
                None => {
                    let values = in_place(settings, key, &known);
                    if let Some((_, value)) = values.last().filter(|_| key == "core.hookspath") {
                        guard.hooks_path = Some(value.clone());
                    }
                    guard.overrides.extend(values);
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
        Setting::parse(&call.read().await?.ok()?.stdout)
    }

    /// Every setting that applies in a worktree of this repository.
    pub(crate) async fn worktree_settings(&self, path: &Path, admin_dir: &Path) -> Result<Vec<Setting>> {
        let call = self.registered_call(path, admin_dir);
        let output = call.args(["config", "--list", "-z", "--show-scope"]).read().await?.ok()?;
        Setting::parse(&output.stdout)
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
                let record = Record::new(self, path, &base, &base, settings);
                record.write(&file)?;
                record
            }
        };
        Ok(Guard::new(&record, settings))
    }
}

impl Worktree {
    /// Lets git fetch the objects that a partial clone left out.
    pub(crate) fn with_missing_objects(&self, call: Call) -> Call {
        let Some(fetch) = &self.guard.fetch else { return call };
        let call = call.fetching(fetch.protocols);
        fetch.overrides.iter().fold(call, |call, (key, value)| call.setting(key, value))
    }

    /// A git that runs the user's hooks, which may fetch. The caller has asked whether they may run.
    pub(crate) fn call_with_hooks(&self) -> Call {
        self.with_missing_objects(self.call_at(self.path()).for_hooks())
    }

    /// Disables filters whose command names a file that the attempt changed.
    pub(crate) async fn without_changed_filters(mut self, settings: &[Setting]) -> Result<Self> {
        let mut changes = None;
        for setting in settings {
            let Some(driver) = setting.driver() else { continue };
            let command = setting.value.as_bytes();
            let mut changed = self.changed_file_in(command).await?;
            // Filters run at the top: a bare word is a program, or a file that was just looked for.
            if changed.is_none() && words(command).any(|word| word.contains(&b'/') || word.contains(&b'.')) {
                if changes.is_none() {
                    changes = Some(self.changes().await?);
                }
                if let Some(changes) = &changes {
                    changed = self.changed_by_name(command, changes).await?;
                }
            }
            if let Some(changed) = changed {
                let mut guard = Guard::clone(&self.guard);
                guard.skipped.push(format!("the filter {driver} runs {changed}, which the attempt changed"));
                guard.disable(driver);
                self.guard = Arc::new(guard);
            }
        }
        Ok(self)
    }

    /// A file of the worktree that is named in `text` and is not as in the trusted commit.
    pub(crate) async fn changed_file_in(&self, text: &[u8]) -> Result<Option<String>> {
        let mut named = BTreeSet::new();
        for word in words(text) {
            let word = Path::new(OsStr::from_bytes(word));
            let mut path = PathBuf::new();
            for part in word.strip_prefix(self.path()).unwrap_or(word).components() {
                match part {
                    Component::Normal(name) => path.push(name),
                    Component::ParentDir => drop(path.pop()),
                    Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
                }
            }
            if fs::metadata(self.path().join(&path)).is_ok_and(|file| file.is_file()) {
                named.insert(path);
            }
        }
        let named: Vec<PathBuf> = named.into_iter().collect();
        Ok(self.unlike_trusted(&named).await?.into_iter().next().map(|file| file.display().to_string()))
    }

    /// Those of the files, relative to the top, whose bytes are not those of the trusted commit.
    pub(crate) async fn unlike_trusted(&self, files: &[PathBuf]) -> Result<Vec<PathBuf>> {
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
        let call = self.call().args([
            "--literal-pathspecs",
            "ls-tree",
            "-r",
            "-z",
            self.guard.trusted.as_str(),
            "--",
        ]);
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

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
