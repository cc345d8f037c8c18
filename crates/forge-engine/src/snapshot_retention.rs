//! Retention of snapshots: hidden refs are removed when they are older than `[gc] snapshot_days`.
//!
//! The newest snapshot of an attempt stays as long as the attempt exists, and so does the one that brings its worktree
//! back. Snapshots of deleted attempts are removed too; of attempts that another installation may own, nothing is. Without a
//! row nothing tells these two apart, so a deletion marks the snapshots with a ref before the row goes.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use forge_git::{HiddenRef, Repo};
use forge_model::{Attempt, AttemptId, Project, ProjectId, Timestamp};

use crate::actor::Request;
use crate::collect::is_over;
use crate::engine::Engine;
use crate::error::{ErrorKind, Result};
use crate::snapshots::{AFTER_SETUP, BEFORE_DELETE, COLLECTED, DELETED, prefix, stamped};

/// Where the snapshots of all attempts are.
pub(crate) const SNAPSHOTS: &str = "refs/forge/attempts/";

impl Engine {
    /// Removes the expired snapshots of a project and returns their number, or only counts them. `known` are the attempts of
    /// all projects: two of them may have the same repository.
    pub(crate) async fn expire_snapshots(
        &self,
        project: &Project,
        known: &HashMap<AttemptId, Attempt>,
        dry_run: bool,
    ) -> Result<usize> {
        self.expire_in(&self.repository(project).await?, Some(project.id), known, dry_run).await
    }

    /// The same for the repository of a project, or for one of a deleted project.
    pub(crate) async fn expire_in(
        &self,
        repo: &Repo,
        project: Option<ProjectId>,
        known: &HashMap<AttemptId, Attempt>,
        dry_run: bool,
    ) -> Result<usize> {
        let Some(retention) = self.inner.options.retention.snapshots else { return Ok(0) };
        let mut of_attempts: HashMap<AttemptId, Vec<HiddenRef>> = HashMap::new();
        for mut hidden in repo.hidden_refs(SNAPSHOTS).await? {
            let Some((attempt, name)) = hidden.name.split_once('/') else { continue };
            let Ok(attempt) = attempt.parse() else { continue };
            hidden.name = name.to_owned();
            of_attempts.entry(attempt).or_default().push(hidden);
        }
        let mut count = 0;
        for (id, refs) in of_attempts {
            let expired = match known.get(&id) {
                Some(attempt) if Some(attempt.project_id) != project => continue,
                Some(attempt) if !attempt.state.is_finished() || attempt.is_unreachable() => continue,
                // The mark of a deletion that was killed or refused. Only the actor knows whether one is under way.
                Some(_) if refs.iter().any(|hidden| hidden.name == DELETED) => {
                    if !dry_run {
                        let unmark = |answer| Request::UnmarkSnapshots(repo.clone(), answer);
                        match self.inner.actors.ask(self, id, unmark).await {
                            Err(error) if error.kind() != ErrorKind::NotFound => {
                                tracing::warn!(attempt.id = %id, error = %error, "snapshots of attempt {id} stay marked");
                            }
                            Ok(()) | Err(_) => {}
                        }
                    }
                    continue;
                }
                Some(_) => expired(&refs, retention, true),
                // Without a row it is deleted, or another installation's.
                None if refs.iter().any(|hidden| hidden.name == DELETED) => expired(&refs, retention, false),
                None => continue,
            };
            count += expired.len();
            if !dry_run {
                self.remove_snapshots(repo, id, expired).await?;
            }
        }
        Ok(count)
    }

    /// Marks the snapshots of an attempt that is about to lose its row: from then on all of them may expire.
    pub(crate) async fn mark_snapshots(&self, repo: &Repo, id: AttemptId) -> Result<()> {
        let prefix = prefix(id);
        let refs = repo.hidden_refs(&prefix).await?;
        if refs.iter().any(|hidden| hidden.name == DELETED) {
            return Ok(());
        }
        if let Some(newest) = refs.iter().max_by_key(|hidden| saved_at(hidden)) {
            repo.make_hidden_ref(&format!("{prefix}{DELETED}"), &newest.oid).await?;
        }
        Ok(())
    }

    /// Removes the mark of an attempt that keeps its row, for the attempt's actor. An older version saved the worktree
    /// under the mark, so its commit gets another name.
    pub(crate) async fn unmark_snapshots(&self, repo: &Repo, id: AttemptId) -> Result<()> {
        let prefix = prefix(id);
        let refs = repo.hidden_refs(&prefix).await?;
        let Some(mark) = refs.into_iter().find(|hidden| hidden.name == DELETED) else { return Ok(()) };
        repo.make_hidden_ref(&format!("{prefix}{BEFORE_DELETE}{}", saved_at(&mark)), &mark.oid).await?;
        Ok(repo.remove_hidden_refs(&prefix, vec![mark]).await?)
    }

    async fn remove_snapshots(&self, repo: &Repo, attempt: AttemptId, expired: Vec<HiddenRef>) -> Result<()> {
        if expired.is_empty() {
            return Ok(());
        }
        tracing::info!(attempt.id = %attempt, count = expired.len(), "expired snapshots of attempt {attempt} are removed");
        Ok(repo.remove_hidden_refs(&prefix(attempt), expired).await?)
    }
}

/// The refs that are older than the retention period; of an attempt that exists, not the ones that are still needed.
fn expired(refs: &[HiddenRef], retention: Duration, exists: bool) -> Vec<HiddenRef> {
    let mut needed = HashSet::new();
    if exists {
        needed.extend(refs.iter().max_by_key(|hidden| saved_at(hidden)).map(|hidden| &hidden.name));
        let collected = refs.iter().filter(|hidden| hidden.name.starts_with(COLLECTED));
        needed.extend(collected.max_by_key(|hidden| saved_at(hidden)).map(|hidden| &hidden.name));
        needed.extend(refs.iter().filter(|hidden| hidden.name == AFTER_SETUP).map(|hidden| &hidden.name));
    }
    let is_expired = |hidden: &&HiddenRef| {
        !needed.contains(&hidden.name) && is_over(Some(retention), Timestamp::from_millis(saved_at(hidden)))
    };
    let mut expired: Vec<_> = refs.iter().filter(is_expired).cloned().collect();
    if !exists {
        // It says that the others may expire, so it goes with the last of them, and after them: they are removed one by one.
        let goes = expired.len() == refs.len();
        expired.retain(|hidden| hidden.name != DELETED || goes);
        expired.sort_by_key(|hidden| hidden.name == DELETED);
    }
    expired
}

/// When a snapshot was taken, or later. The commit tells only if it was made for the snapshot: a worktree in which nothing
/// had changed is saved as the commit it was at.
fn saved_at(hidden: &HiddenRef) -> i64 {
    let named = stamped(&hidden.name).map(|(_, time)| time.as_millis());
    let made = hidden.is_made_for_it.then_some(hidden.committed_at_ms);
    named.or(made).unwrap_or(hidden.written_before_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_MS: i64 = 86_400_000;

    fn hidden(name: &str, days: i64, is_made_for_it: bool) -> HiddenRef {
        let at = Timestamp::now().as_millis() - days * DAY_MS;
        HiddenRef {
            name: name.replace("TIME", &at.to_string()),
            oid: "1".repeat(40).parse().unwrap(),
            parent: None,
            committed_at_ms: if is_made_for_it { at } else { 0 },
            is_made_for_it,
            written_before_ms: if is_made_for_it { Timestamp::now().as_millis() } else { at },
        }
    }

    fn names(refs: &[HiddenRef], exists: bool) -> Vec<String> {
        let expired = expired(refs, Duration::from_secs(30 * 86_400), exists);
        expired.into_iter().map(|hidden| hidden.name.split("-1").next().unwrap().to_owned()).collect()
    }

    #[test]
    fn old_snapshots_expire_and_needed_ones_stay() {
        let refs = [
            hidden("old", 40, true),
            hidden("young", 20, true),
            hidden("before-restore-TIME", 50, false),
            hidden("collected-TIME", 45, true),
            hidden("collected-TIME", 60, true),
            hidden("unchanged", 31, false),
            hidden(AFTER_SETUP, 70, true),
        ];
        assert_eq!(names(&refs, true), ["old", "before-restore", "collected", "unchanged"]);
        let all = ["old", "before-restore", "collected", "collected", "unchanged", AFTER_SETUP];
        assert_eq!(names(&refs, false), all);
        assert_eq!(names(&refs[..1], true), [""; 0], "the newest one stays");
    }

    #[test]
    fn mark_of_deletion_expires_last() {
        let refs = [hidden(DELETED, 40, true), hidden("old", 41, true), hidden("young", 20, true)];
        assert_eq!(names(&refs, false), ["old"]);
        assert_eq!(names(&refs[..2], false), ["old", DELETED]);
    }

    #[test]
    fn process_id_is_not_read_as_time() {
        let process = "9b2f4c1e-7d3a-4e5f-8a6b-482913847561";
        let refs = [hidden("old", 40, true), hidden(process, 0, true)];
        assert_eq!(names(&refs, true), ["old"]);
        assert_eq!(names(&refs, false), ["old"]);
        assert_eq!(names(&[hidden(process, 0, false)], false), [""; 0]);
    }
}
