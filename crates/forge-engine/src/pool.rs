//! The pool: worktrees made in advance, per project and base branch, so that a start in a big repository is a rename.
//!
//! Only branches that starts begin at get slots, after a start and while no other is under way: what is made for the next
//! start must not slow this one. A start takes a slot if there is one; whether it is fit is seen by `forge-git`, which
//! goes the ordinary way if not. Slots lie in a folder of their own and carry their own record, so they survive a
//! restart; one that is not finished, or was taken when the server died, is told by its looks.

mod slots;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use forge_git::{NewWorktree, Oid, Repo, Slot, Worktree};
use forge_model::ProjectId;
use uuid::Uuid;

use crate::engine::Engine;
use crate::error::{ErrorKind, Result};
use crate::folder;
pub(crate) use slots::Pool;

/// How many worktrees are made in advance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolOptions {
    /// How many for a branch; 0 makes none at all.
    pub size: usize,
    /// How many in all. The one whose branch was not used for the longest time goes first.
    pub max_slots: usize,
    /// How much room they may take together.
    pub max_bytes: u64,
    /// How many files a worktree must have to be worth it: few are checked out as fast as they are claimed.
    pub min_files: u32,
}

/// A slot is made only where its size is free on the disk so many times.
const FREE_TIMES: u64 = 3;

impl Engine {
    /// Makes a worktree, of a slot if there is one.
    pub(crate) async fn make_worktree(
        &self,
        repo: &Repo,
        project: ProjectId,
        base: &str,
        new: &NewWorktree,
    ) -> forge_git::Result<Worktree> {
        let Some(slot) = self.take_slot(project, base, &new.base) else {
            return repo.add_worktree(new).await;
        };
        self.inner.crash.pass("pool-slot-taken");
        let rest = slot.dir().to_owned();
        let made = repo.add_worktree_from(slot, new).await;
        // Only renamed: deleting is slow, and on some filesystems slows what is made next.
        self.throw_away(&rest);
        made
    }

    fn take_slot(&self, project: ProjectId, base: &str, commit: &Oid) -> Option<Slot> {
        let slot = self.inner.pool.take(&label(project, base), commit)?;
        match slot.take() {
            Ok(slot) => Some(slot),
            Err(error) => {
                tracing::warn!(error = %error, "a slot of {base} was removed by somebody: {error}");
                None
            }
        }
    }

    /// Makes the slots that the next starts at this branch will want, in the background. `like` is a worktree of it.
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
            // Whoever deletes a project takes away the slots there are; this one may have come right after.
            if engine.get_project(project).await.is_err_and(|error| error.kind() == ErrorKind::NotFound) {
                engine.forget_slots(project);
            }
        });
    }

    async fn fill(&self, repo: &Repo, base: &str, like: &Path, label: &str) -> Result<()> {
        let (pool, options) = (&self.inner.pool, &self.inner.options.pool);
        for _ in 0..options.size {
            let _turn = pool.turn().await;
            if pool.count(label) >= options.size
                || !repo.can_have_slots()
                || repo.open_worktree(like)?.file_count() < options.min_files
            {
                break;
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
            match repo.make_slot(&dir, label, &tip).await {
                Ok(slot) => pool.enter(slot),
                Err(error) => {
                    self.throw_away(&dir);
                    return Err(error.into());
                }
            }
            self.inner.crash.pass("pool-slot-made");
            // On disk it may be bigger than git said.
            self.throw_away_all(&pool.shrink(options));
        }
        self.empty_trash();
        Ok(())
    }

    fn disk_has(&self, bytes: u64) -> bool {
        let disk = rustix::fs::statvfs(&self.inner.folder.pool());
        disk.is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) / FREE_TIMES >= bytes)
    }

    /// Finds the slots of the last run, and throws away what is none or belongs to nobody.
    pub(crate) async fn recover_pool(&self) -> Result<()> {
        let projects: Vec<ProjectId> =
            self.inner.store.list_projects().await?.iter().map(|project| project.id).collect();
        let mut found: Vec<(SystemTime, Slot)> = Vec::new();
        for entry in fs::read_dir(self.inner.folder.pool()).into_iter().flatten().flatten() {
            let (name, dir) = (entry.file_name(), entry.path());
            // Only what has such a name is ours; one that was taken has the same with an ending.
            let Some(id) = name.to_str().and_then(|name| name.split('.').next()) else { continue };
            if Uuid::try_parse(id).is_err() {
                continue;
            }
            let slot = Slot::open(&dir).filter(|_| name == id);
            match slot.filter(|slot| projects.iter().any(|project| is_of(slot, *project))) {
                Some(slot) => {
                    let made = fs::metadata(dir.join("record")).and_then(|record| record.modified());
                    found.push((made.unwrap_or(SystemTime::UNIX_EPOCH), slot));
                }
                None => self.throw_away(&dir),
            }
        }
        found.sort_by_key(|(made, _)| *made);
        found.into_iter().for_each(|(_, slot)| self.inner.pool.enter(slot));
        self.throw_away_all(&self.inner.pool.shrink(&self.inner.options.pool));
        Ok(())
    }

    /// Throws away the slots of a project.
    pub(crate) fn forget_slots(&self, project: ProjectId) {
        let slots = self.inner.pool.remove(|slot| is_of(slot, project));
        self.throw_away_all(&slots);
        self.empty_trash();
    }

    fn throw_away_all(&self, slots: &[Slot]) {
        slots.iter().for_each(|slot| self.throw_away(slot.dir()));
    }

    /// Moves a folder of the pool to the trash. One that cannot be moved goes at the server's next start.
    fn throw_away(&self, dir: &Path) {
        let trash = self.inner.folder.worktree_trash();
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

/// Whose a slot is, in its own record.
fn label(project: ProjectId, base: &str) -> String {
    format!("{project} {base}")
}

fn is_of(slot: &Slot, project: ProjectId) -> bool {
    slot.label().split(' ').next() == Some(project.to_string().as_str())
}
