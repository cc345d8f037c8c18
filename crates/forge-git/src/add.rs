//! Adding a worktree: one branch, one folder, one mark, or nothing at all.
//!
//! Order, and what a crash leaves: the folder is claimed (empty folder), the branch is made with a
//! reflog entry that names the mark (branch, provably ours), the worktree is registered by one
//! rename, then files are checked out while the mark is written to the branch's config.
//! From a spare, the files come by a rename of their own, right after the registration.
//! [`Repo::undo_worktree`] takes back each of these states.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::guard::{Guard, Record};
use crate::lock::Hold;
use crate::registration::Registration;
use crate::{Error, Oid, Repo, Result, Spare, Submodules, Worktree, names};

/// A worktree to be made.
#[derive(Clone, Debug)]
pub struct NewWorktree {
    /// Its folder, absolute; must not exist.
    pub path: PathBuf,
    /// Its branch; must not exist.
    pub branch: String,
    /// The commit it starts from.
    pub base: Oid,
    /// The commit whose hooks and scripts may run in it; none is the base ([`Repo::trusted_base`]).
    pub trusted: Option<Oid>,
    /// Written to the branch's config, so that tools find out offline whose it is.
    pub mark: Mark,
    /// Whether its submodules may be fetched.
    pub submodules: Submodules,
}

/// Whose a branch is: `branch.<name>.<key> = <value>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub key: String,
    pub value: String,
}

impl Mark {
    /// The reflog entry of the branch's creation; the config entry comes a moment later.
    pub(crate) fn reflog_message(&self) -> String {
        format!("{}: {}", self.key, self.value)
    }
}

/// How often a write to the shared config is tried while a git that is not ours holds its lock.
const CONFIG_TRIES: u32 = 50;

/// Many files are written by as many workers as there are cores; for few, starting those takes longer.
const PARALLEL: [&str; 4] = ["-c", "checkout.workers=0", "-c", "checkout.thresholdForParallelism=2000"];

impl Repo {
    /// Makes a branch and a worktree on it. On failure nothing of either is left.
    pub async fn add_worktree(&self, new: &NewWorktree) -> Result<Worktree> {
        let (repo, new) = (self.clone(), new.clone());
        self.git.see_through(async move { repo.add(new, None).await }).await
    }

    /// Like [`Repo::add_worktree`], with the files of a spare that was [taken](Spare::take) if it is fit, which
    /// one that anybody changed is not. What is left of the spare's folder is the caller's to throw away.
    pub async fn add_worktree_from(&self, spare: Spare, new: &NewWorktree) -> Result<Worktree> {
        let (repo, new) = (self.clone(), new.clone());
        self.git.see_through(async move { repo.add(new, Some(spare)).await }).await
    }

    async fn add(self, new: NewWorktree, spare: Option<Spare>) -> Result<Worktree> {
        names::check_branch(&new.branch)?;
        let hold = Hold::shared(&self.lock_path()).await?;
        let path = claim(&new.path)?;
        let mut branch_made = false;
        match self.build(&new, spare, &path, &hold, &mut branch_made).await {
            Ok(worktree) => Ok(worktree),
            Err(error) => {
                self.take_back(&new, &path, &hold, branch_made).await;
                Err(error)
            }
        }
    }

    async fn build(
        &self,
        new: &NewWorktree,
        spare: Option<Spare>,
        path: &Path,
        hold: &Hold,
        branch_made: &mut bool,
    ) -> Result<Worktree> {
        let trusted = new.trusted.as_ref().unwrap_or(&new.base);
        // Filters have run in a spare.
        let spare = spare.filter(|_| *trusted == new.base);
        let (created, settings, spare) = tokio::join!(
            self.create_branch(new, hold),
            self.settings(),
            self.fit(spare, &new.base, path, hold)
        );
        created?;
        *branch_made = true;
        let settings = settings?;
        let record = Record::new(self, path, &new.base, trusted, &settings);
        let guarded = |registration: Registration| {
            record.write(&self.record_path(path, &registration.admin_dir))?;
            Ok(Worktree::new(self, path.to_owned(), registration, Guard::new(&record, &settings)))
        };
        let worktree = if let Some(spare) = &spare {
            let worktree = guarded(self.register_spare(spare, path, &new.branch)?)?;
            self.write_mark(new, hold).await?;
            worktree
        } else {
            let registration = if self.needs_git_to_register() {
                self.register_with_git(path, &new.branch, hold).await?
            } else {
                self.register(path, &new.branch)?
            };
            let worktree = guarded(registration)?;
            let worktree = worktree.without_filters_changed_in(&new.base, &settings).await?;
            let (files, mark) = tokio::join!(worktree.check_out(hold), self.write_mark(new, hold));
            files?;
            mark?;
            worktree
        };
        worktree.run_post_checkout(new, hold).await?;
        worktree.init_submodules(new.submodules, hold).await?;
        Ok(worktree)
    }

    async fn create_branch(&self, new: &NewWorktree, hold: &Hold) -> Result<()> {
        let refname = format!("refs/heads/{}", new.branch);
        let call = self.call().args(["update-ref", "--create-reflog", "-m"]);
        // The empty old value says that the branch must not exist.
        let call = call.args([new.mark.reflog_message().as_str(), &refname, new.base.as_str(), ""]);
        let output = call.write(hold).await?;
        if output.status.success() {
            return Ok(());
        }
        if output.stderr.contains("reference already exists") {
            return Err(Error::NameTaken { name: new.branch.clone() });
        }
        if let Some(existing) = clashing_branch(&output.stderr) {
            return Err(Error::PrefixTaken { branch: new.branch.clone(), existing });
        }
        Err(output.into_error())
    }

    pub(crate) async fn register_with_git(
        &self,
        path: &Path,
        branch: &str,
        hold: &Hold,
    ) -> Result<Registration> {
        let _turn = self.turn.lock().await;
        let call = self.call().args(["worktree", "add", "--quiet", "--no-checkout", "--"]);
        let output = call.arg(path).arg(branch).write(hold).await?;
        if output.stderr.contains("already registered worktree") {
            return Err(Error::NameTaken { name: path.display().to_string() });
        }
        output.ok()?;
        self.registration(path)
    }

    async fn write_mark(&self, new: &NewWorktree, hold: &Hold) -> Result<()> {
        let key = format!("branch.{}.{}", new.branch, new.mark.key);
        self.write_config(&[&key, &new.mark.value], hold).await
    }

    /// Runs `git config --local`. Ours take turns; a foreign git holds the lock for a moment only,
    /// and each try takes about as long as that moment.
    async fn write_config(&self, args: &[&str], hold: &Hold) -> Result<()> {
        let _turn = self.turn.lock().await;
        let mut tries = 1;
        loop {
            let call = self.call().args(["config", "--local"]).args(args);
            match call.write(hold).await?.ok() {
                Err(Error::Locked { .. }) if tries < CONFIG_TRIES => tries += 1,
                outcome => return outcome.map(drop),
            }
        }
    }

    /// Removes what a failed [`Repo::add_worktree`] made; what cannot be removed is only reported.
    async fn take_back(&self, new: &NewWorktree, path: &Path, hold: &Hold, branch_made: bool) {
        let registrations = self.registrations_naming(path);
        if let Err(error) = tokio::fs::remove_dir_all(path).await {
            tracing::warn!(error.cause = %error, "could not remove {}", path.display());
        }
        for registration in registrations {
            if let Err(error) = registration.remove(self).await {
                tracing::warn!(error.cause = %error, "could not unregister {}", path.display());
            }
        }
        self.forget_record(path);
        if branch_made && let Err(error) = self.take_back_branch(new, hold).await {
            tracing::warn!(error.cause = %error, "could not delete branch {}", new.branch);
        }
    }

    async fn take_back_branch(&self, new: &NewWorktree, hold: &Hold) -> Result<()> {
        let refname = format!("refs/heads/{}", new.branch);
        let call = self.call().args(["update-ref", "-d", &refname, new.base.as_str()]);
        call.write(hold).await?.ok()?;
        self.forget_branch_config(&new.branch, hold).await
    }

    /// Removes the branch's section of the config, if it has one.
    pub(crate) async fn forget_branch_config(&self, branch: &str, hold: &Hold) -> Result<()> {
        match self.write_config(&["--remove-section", &format!("branch.{branch}")], hold).await {
            Err(Error::Failed { stderr, .. }) if stderr.contains("no such section") => Ok(()),
            outcome => outcome,
        }
    }
}

impl Worktree {
    pub(crate) async fn check_out(&self, hold: &Hold) -> Result<()> {
        let call = self.with_missing_objects(self.call()).args(PARALLEL);
        let call = call.args(["read-tree", "-u", "--reset", "--no-recurse-submodules", "HEAD"]);
        call.write_with_hooks(hold).await?.ok().map(drop)
    }

    /// Runs the hook that git runs after a checkout.
    async fn run_post_checkout(&self, new: &NewWorktree, hold: &Hold) -> Result<()> {
        let hook = self.hooks_folder().join("post-checkout");
        let executable = fs::metadata(hook).is_ok_and(|file| file.permissions().mode() & 0o111 != 0);
        if !executable {
            return Ok(());
        }
        let distrusted = match self.distrusted_at_start() {
            None if self.guard.trusted != self.guard.base => self.distrusted_hooks().await?,
            distrusted => distrusted,
        };
        if let Some(why) = distrusted {
            tracing::warn!(why, "no hook runs after the checkout of {}: {why}", self.path().display());
            return Ok(());
        }
        let call = self.call_with_hooks().args(["hook", "run", "--ignore-missing", "post-checkout", "--"]);
        let call = call.args([new.base.null().as_str(), new.base.as_str(), "1"]);
        let output = call.write_with_hooks(hold).await?;
        if !output.status.success() {
            // As with `git worktree add`, the worktree stands whatever this hook says.
            tracing::warn!(
                hook.output = output.stderr,
                "the post-checkout hook failed in {}",
                self.path().display()
            );
        }
        Ok(())
    }
}

/// Makes the folder, which must not exist, so that nobody else gets the name.
pub(crate) fn claim(path: &Path) -> Result<PathBuf> {
    let invalid = || Error::InvalidName { name: path.display().to_string() };
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Err(invalid()) };
    if !path.is_absolute() {
        return Err(invalid());
    }
    fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
    let path = fs::canonicalize(parent).map_err(Error::io("resolve", parent))?.join(name);
    match fs::create_dir(&path) {
        Ok(()) => Ok(path),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(Error::NameTaken { name: path.display().to_string() })
        }
        Err(error) => Err(Error::io("create", path)(error)),
    }
}

/// The branch in `'refs/heads/forge' exists; cannot create 'refs/heads/forge/x'`.
fn clashing_branch(stderr: &str) -> Option<String> {
    let (before, _) = stderr.split_once("' exists; cannot create '")?;
    let (_, refname) = before.rsplit_once('\'')?;
    Some(refname.trim_start_matches("refs/heads/").to_owned())
}
