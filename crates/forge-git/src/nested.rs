//! Repositories inside a worktree: git records their commit and nothing of what is in them.
//!
//! Git is run in a submodule that the worktree's own registration has the repository of, and in no other: the files of any other
//! are an agent's, its settings among them. Where one of those stands is read from its files.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::command::Call;
use crate::commands::{Setting, harmless};
use crate::guard::without;
use crate::lock::Hold;
use crate::plain_file::text;
use crate::{Oid, Result, Worktree};

/// A submodule whose repository is in the registration of its worktree.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    /// Relative to the worktree.
    pub(crate) path: PathBuf,
    folder: PathBuf,
    git_dir: PathBuf,
    settings: Vec<(String, String)>,
}

impl Worktree {
    /// Those of the repositories that the index knows which are submodules of the base commit, and the paths of the
    /// others that have files.
    pub(crate) async fn modules(&self, links: &[PathBuf]) -> Result<(Vec<Module>, Vec<PathBuf>)> {
        let (mut modules, mut foreign) = (Vec::new(), Vec::new());
        if links.is_empty() {
            return Ok((modules, foreign));
        }
        let names = self.module_names().await?;
        for path in links {
            let folder = self.path().join(path);
            // Without one it is a submodule that nobody checked out.
            let Ok(link) = fs::symlink_metadata(folder.join(".git")) else { continue };
            let name = names.iter().find(|(_, at)| at == path).map(|(name, _)| name);
            let git_dir = name.map(|name| self.admin_dir().join("modules").join(name));
            match git_dir.filter(|git_dir| link.is_file() && git_dir.join("HEAD").is_file()) {
                Some(git_dir) => {
                    let module = Module { path: path.clone(), folder, git_dir, settings: Vec::new() };
                    modules.push(self.guarded(module).await?);
                }
                None => foreign.push(path.clone()),
            }
        }
        Ok((modules, foreign))
    }

    /// Names and paths of the submodules of the base commit.
    pub(crate) async fn module_names(&self) -> Result<Vec<(String, PathBuf)>> {
        let blob = format!("{}:.gitmodules", self.guard.base);
        let call =
            self.call().args(["config", "--blob", &blob, "-z", "--get-regexp", r"^submodule\..*\.path$"]);
        let output = call.read().await?;
        let entries = output.stdout.split(|byte| *byte == 0).filter_map(|entry| {
            let entry = str::from_utf8(entry).ok()?;
            let (key, path) = entry.split_once('\n')?;
            let name = key.strip_prefix("submodule.")?.strip_suffix(".path")?;
            let plain = !name.is_empty() && name.split('/').all(|part| !matches!(part, "" | "." | ".."));
            plain.then(|| (name.to_owned(), PathBuf::from(path)))
        });
        Ok(entries.collect())
    }

    /// The module with all settings of its own overridden that run programs.
    async fn guarded(&self, mut module: Module) -> Result<Module> {
        let call = self.module_call(&module).args(["config", "--list", "-z", "--show-scope"]);
        let listed = call.read().await?.ok()?;
        for setting in Setting::parse(&listed.stdout)? {
            match (setting.driver(), harmless(&setting.key)) {
                // Its files are compared as they are.
                (Some(driver), _) => module.settings.extend(without(driver)),
                (None, Some(value)) if setting.own => module.settings.push((setting.key, value.to_owned())),
                _ => {}
            }
        }
        Ok(module)
    }

    fn module_call(&self, module: &Module) -> Call {
        let call = self.repo.git.call(&module.folder);
        let call = call.env("GIT_DIR", &module.git_dir).env("GIT_WORK_TREE", &module.folder);
        let call = call.args(["-c", "core.hooksPath=/dev/null", "-c", "core.attributesFile=/dev/null"]);
        module.settings.iter().fold(call, |call, (key, value)| call.setting(key, value))
    }

    /// The submodules and other repositories that have work which nobody else has: changes that are not committed, or
    /// commits that none of their remotes is known to have. In words.
    pub(crate) async fn unsaved_repositories(
        &self,
        modules: &[Module],
        foreign: &[PathBuf],
    ) -> Result<Vec<String>> {
        let told = |path: &Path| format!("the repository {} has work that is nowhere else", path.display());
        let mut unsaved: Vec<String> = foreign.iter().map(|path| told(path)).collect();
        for module in modules {
            if self.has_own_work(module).await? {
                unsaved.push(told(&module.path));
            }
        }
        unsaved.sort();
        Ok(unsaved)
    }

    async fn has_own_work(&self, module: &Module) -> Result<bool> {
        let call = self.module_call(module).args(["status", "--porcelain", "-z", "--untracked-files=all"]);
        let status = call.arg("--ignore-submodules=dirty").read().await?;
        if !status.status.success() || !status.stdout.is_empty() {
            return Ok(true);
        }
        let staged = self.module_call(module).args(["ls-files", "--stage", "-z"]).read().await?.ok()?;
        let inner = gitlinks(&staged.stdout);
        if inner.iter().any(|path| fs::symlink_metadata(module.folder.join(path).join(".git")).is_ok()) {
            // What is in a submodule of a submodule is not looked at.
            return Ok(true);
        }
        // The bracket keeps git from looking for refs below `refs/stash`.
        let call = self.module_call(module).args(["rev-list", "--max-count=1", "HEAD", "--branches"]);
        let own = call.args(["--glob=refs/stas[h]", "--not", "--remotes"]).read().await?;
        Ok(!own.status.success() || !own.stdout.is_empty())
    }

    /// The commit that a submodule stands at.
    pub(crate) async fn module_head(&self, module: &Module) -> Result<Option<Oid>> {
        let call = self.module_call(module).args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
        Ok(call.read().await?.oid().ok())
    }

    /// Checks out in each submodule the commit that the index names, as far as it is there already.
    pub(crate) async fn settle_modules(&self, hold: &Hold) -> Result<()> {
        let staged = self.call().args(["ls-files", "--stage", "-z"]).read().await?.ok()?;
        let (modules, _) = self.modules(&gitlinks(&staged.stdout)).await?;
        for module in modules {
            let wanted = link_of(&staged.stdout, &module.path);
            let Some(wanted) = wanted.filter(|wanted| !wanted.is_empty()) else { continue };
            if self.module_head(&module).await?.is_some_and(|head| head.as_str() == wanted) {
                continue;
            }
            let call = self.module_call(&module).env("GIT_ALLOW_PROTOCOL", "none");
            let call = call.args(["checkout", "--quiet", "--detach", &wanted]);
            let output = call.write(hold).await?;
            if !output.status.success() {
                let path = module.path.display();
                tracing::warn!(git.output = output.stderr, "the submodule {path} could not be put back");
            }
        }
        Ok(())
    }
}

/// The paths of repositories in the output of `git ls-files --stage -z`.
pub(crate) fn gitlinks(staged: &[u8]) -> Vec<PathBuf> {
    let entries = staged.split(|byte| *byte == 0).filter(|entry| entry.starts_with(b"160000 "));
    let path = |entry: &[u8]| entry.splitn(2, |byte| *byte == b'\t').nth(1).map(<[u8]>::to_vec);
    entries.filter_map(path).map(|path| PathBuf::from(OsStr::from_bytes(&path))).collect()
}

/// The commit that the output of `git ls-files --stage -z` names for a path.
fn link_of(staged: &[u8], path: &Path) -> Option<String> {
    let ending = [b"\t", path.as_os_str().as_bytes()].concat();
    let entry = staged.split(|byte| *byte == 0).find(|entry| entry.ends_with(&ending))?;
    let oid = entry.split(|byte| *byte == b' ').nth(1)?;
    String::from_utf8(oid.to_vec()).ok()
}

/// Returns the commit that a repository inside a worktree is at, by its files; none if it is none, has none, or is outside
/// of the `known` folders.
pub(crate) fn inner_head(path: &Path, known: &[&Path]) -> Option<Oid> {
    let link = path.join(".git");
    let git_dir = if fs::symlink_metadata(&link).ok()?.is_dir() {
        link
    } else {
        path.join(text(&link)?.strip_prefix("gitdir: ")?.trim_end_matches('\n'))
    };
    let git_dir = within(&git_dir, known)?;
    let head = text(&git_dir.join("HEAD"))?;
    let Some(refname) = head.trim_end().strip_prefix("ref: ") else { return head.trim_end().parse().ok() };
    if refname.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return None;
    }
    let common = match text(&git_dir.join("commondir")) {
        Some(common) => within(&git_dir.join(common.trim_end()), known)?,
        None => git_dir,
    };
    if let Some(oid) = text(&common.join(refname)) {
        return oid.trim_end().parse().ok();
    }
    let packed = text(&common.join("packed-refs"))?;
    let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(_, name)| *name == refname)?.0.parse().ok()
}

/// The resolved path of a folder that is in one of the `known` ones.
fn within(folder: &Path, known: &[&Path]) -> Option<PathBuf> {
    let folder = fs::canonicalize(folder).ok()?;
    let holds = |known: &&Path| fs::canonicalize(known).is_ok_and(|known| folder.starts_with(known));
    known.iter().any(holds).then_some(folder)
}

/// The commits of submodules, as input of `git update-index --index-info`.
pub(crate) async fn pointers(worktree: &Worktree, modules: &[Module]) -> Result<Vec<u8>> {
    let mut entries = Vec::new();
    for module in modules {
        if let Some(head) = worktree.module_head(module).await? {
            entries.extend_from_slice(format!("160000 {head} 0\t").as_bytes());
            entries.extend_from_slice(module.path.as_os_str().as_bytes());
            entries.push(0);
        }
    }
    Ok(entries)
}

impl Call {
    /// Runs `git update-index` with entries.
    pub(crate) async fn update_index(self, entries: Vec<u8>) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let output = self.args(["update-index", "-z", "--index-info"]).read_fed(entries).await?;
        output.ok().map(drop)
    }
}
