//! The pool: worktrees made in advance, per project and base branch, so that a start in a big repository is a rename.
//!
//! Only branches that starts begin at get spares, after a start and while no other is under way: what is made for the next
//! start must not slow this one. A start takes a spare if there is one; whether it is fit is seen by `forge-git`, which
//! goes the ordinary way if not. Spares lie in a folder of their own and carry their own record, so they survive a
//! restart; one that is not finished, or was taken when the server died, is told by its looks.

mod spares;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use forge_git::{NewWorktree, Oid, Repo, Spare, Worktree};
use forge_model::ProjectId;
use uuid::Uuid;

use crate::engine::Engine;
use crate::error::{ErrorKind, Result};
use crate::folder;
pub(crate) use spares::Pool;

/// How many worktrees are made in advance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolOptions {
    /// How many for a branch; more after starts came in bursts, as far as they fit the other limits. 0 makes none at all.
    pub size: usize,
    /// How many in all. The one whose branch was not used for the longest time goes first.
    pub max_spares: usize,
    /// How much room they may take together.
    pub max_bytes: u64,
    /// How many files a worktree must have to be worth it: few are checked out as fast as they are claimed.
    pub min_files: u32,
}

/// A spare is made only where its size is free on the disk so many times.
const FREE_TIMES: u64 = 3;

impl Engine {
    /// Makes a worktree, of a spare if there is one.
    pub(crate) async fn make_worktree(
        &self,
        repo: &Repo,
        project: ProjectId,
        base: &str,
        new: &NewWorktree,
    ) -> forge_git::Result<Worktree> {
        let Some(spare) = self.take_spare(project, base, &new.base) else {
            return repo.add_worktree(new).await;
        };
        self.inner.crash.pass("pool-spare-taken");
        let rest = spare.dir().to_owned();
        let made = repo.add_worktree_from(spare, new).await;
        // Only renamed: deleting is slow, and on some filesystems slows what is made next.
        self.throw_away(&rest);
        made
    }

    fn take_spare(&self, project: ProjectId, base: &str, commit: &Oid) -> Option<Spare> {
        let spare = self.inner.pool.take(&label(project, base), commit)?;
        match spare.take() {
            Ok(spare) => Some(spare),
            Err(error) => {
                tracing::warn!(error = %error, "a spare of {base} was removed by somebody: {error}");
                None
            }
        }
    }

    /// Makes the spares that the next starts at this branch will want, in the background. `like` is a worktree of it.
    pub(crate) fn refill_pool(&self, repo: &Repo, project: ProjectId, base: &str, like: PathBuf) {
        if self.inner.options.pool.size == 0 {
            return;
        }
        let (engine, repo, base) = (self.clone(), repo.clone(), base.to_owned());
        self.inner.tasks.spawn(async move {
            let label = label(project, &base);
            let filled = tokio::select! {
                () = engine.inner.closing.cancelled() => return,
                filled = engine.fill(&repo, &base, &like, &label) => filled,
            };
            if let Err(error) = filled {
                tracing::warn!(error = %error, "no worktree of {base} is made in advance: {error}");
            }
            // Whoever deletes a project takes away the spares there are; this one may have come right after.
            if engine.get_project(project).await.is_err_and(|error| error.kind() == ErrorKind::NotFound) {
                engine.forget_spares(project);
            }
        });
    }

    async fn fill(&self, repo: &Repo, base: &str, like: &Path, label: &str) -> Result<()> {
        let (pool, options) = (&self.inner.pool, &self.inner.options.pool);
        // Never more than there may be, whatever becomes of those that were made.
        for _ in 0..options.max_spares {
            let _turn = pool.turn().await;
            if pool.count(label) >= pool.wanted(label, options.size) || !repo.can_have_spares() {
                return Ok(());
            }
            let like = repo.open_worktree(like).await?;
            if like.file_count() < options.min_files {
                return Ok(());
            }
            folder::make(&self.inner.folder.pool())?;
            let tip = repo.resolve(base).await?.oid;
            let bytes = repo.checkout_bytes(&tip).await?;
            let room = if self.disk_has(bytes) { pool.make_room(options, label, bytes) } else { None };
            let Some(gone) = room else {
                tracing::debug!(bytes, "there is no room for a worktree of {base} in advance");
                break;
            };
            self.throw_away_all(&gone);
            let dir = self.inner.folder.pool().join(Uuid::new_v4().to_string());
            match like.make_spare(&dir, label, &tip).await {
                Ok(None) => return Ok(()),
                // In this order, so that who sees the record can have the spare. One that is taken at once needs none.
                Ok(Some(spare)) => {
                    pool.enter(spare.clone());
                    if let Err(error) = spare.record() {
                        tracing::debug!(error = %error, "the worktree of {base} is not recorded: {error}");
                    }
                }
                Err(error) => {
                    self.throw_away(&dir);
                    return Err(error.into());
                }
            }
            self.inner.crash.pass("pool-spare-made");
            // On disk it may be bigger than git said.
            let gone = pool.shrink(options);
            self.throw_away_all(&gone);
            self.empty_trash();
            if !gone.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn disk_has(&self, bytes: u64) -> bool {
        let disk = rustix::fs::statvfs(self.inner.folder.pool());
        disk.is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) / FREE_TIMES >= bytes)
    }

    /// Finds the spares of the last run, and throws away what is none or belongs to nobody.
    pub(crate) async fn recover_pool(&self) -> Result<()> {
        let projects: Vec<ProjectId> =
            self.inner.store.list_projects().await?.iter().map(|project| project.id).collect();
        let mut found: Vec<(SystemTime, Spare)> = Vec::new();
        for entry in fs::read_dir(self.inner.folder.pool()).into_iter().flatten().flatten() {
            let (name, dir) = (entry.file_name(), entry.path());
            // Only what has such a name is ours; one that was taken has the same with an ending.
            let Some(id) = name.to_str().and_then(|name| name.split('.').next()) else { continue };
            if Uuid::try_parse(id).is_err() {
                continue;
            }
            let spare = Spare::open(&dir).filter(|_| name == id);
            match spare.filter(|spare| projects.iter().any(|project| is_of(spare, *project))) {
                Some(spare) => {
                    let made = fs::metadata(dir.join("record")).and_then(|record| record.modified());
                    found.push((made.unwrap_or(SystemTime::UNIX_EPOCH), spare));
                }
                None => self.throw_away(&dir),
            }
        }
        found.sort_by_key(|(made, _)| *made);
        found.into_iter().for_each(|(_, spare)| self.inner.pool.enter(spare));
        self.throw_away_all(&self.inner.pool.shrink(&self.inner.options.pool));
        Ok(())
    }

    /// Throws away the spares of a project.
    pub(crate) fn forget_spares(&self, project: ProjectId) {
        let spares = self.inner.pool.remove(|spare| is_of(spare, project));
        self.throw_away_all(&spares);
        self.empty_trash();
    }

    /// Where the spares of a project lie.
    pub(crate) fn spare_folders(&self, project: ProjectId) -> Vec<PathBuf> {
        self.inner.pool.folders(|spare| is_of(spare, project))
    }

    fn throw_away_all(&self, spares: &[Spare]) {
        spares.iter().for_each(|spare| self.throw_away(spare.dir()));
    }

    /// Moves a folder of the pool to the trash. One that cannot be moved goes at the server's next start.
    fn throw_away(&self, dir: &Path) {
        let trash = folder::worktree_trash(self.inner.folder.worktrees());
        let to = trash.join(Uuid::new_v4().to_string());
        let moved = folder::make(&trash).map(|()| fs::rename(dir, to));
        match moved {
            Ok(Ok(())) => {}
            Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {}
            Ok(Err(error)) => tracing::warn!(%error, "{} stays: {error}", dir.display()),
            Err(error) => tracing::warn!(%error, "{} stays: {error}", dir.display()),
        }
    }
}

/// Whose a spare is, in its own record.
fn label(project: ProjectId, base: &str) -> String {
    format!("{project} {base}")
}

fn is_of(spare: &Spare, project: ProjectId) -> bool {
    spare.label().split(' ').next() == Some(project.to_string().as_str())
}
