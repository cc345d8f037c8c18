//! What an attempt changes, for who looks on: all of it, then again whatever changed, each time something happened to
//! the attempt. Nothing is kept for a reader but which files it was told of.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;
use std::time::Duration;

use forge_git::{Change, ChangeKind, Content, Contents, Diff, Error as GitError, FileDiff, path_text};
use forge_model::{AttemptId, Fact, Seq};
use tokio::sync::watch;

use crate::branch::opened;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};

/// So many bytes of files one reader is shown; of those after them it is told without what is in them.
const MOST_SHOWN: u64 = 200 * 1024 * 1024;
/// The same for who asks once and gets all in one piece.
const MOST_SHOWN_AT_ONCE: u64 = 16 * 1024 * 1024;
/// How many events are looked at together.
const PAGE: usize = 256;
/// How long the rows of an attempt may stay after its worktree went.
const DELETING: Duration = Duration::from_secs(5);

/// A file that an attempt changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownDiff {
    /// What happened to it.
    pub kind: ChangeKind,
    /// What it was called; none if it is new.
    pub old_path: Option<String>,
    /// What it is called; none if it is gone.
    pub new_path: Option<String>,
    /// What was in it, if that is text and not left out.
    pub old: Option<String>,
    /// What is in it, if that is text and not left out.
    pub new: Option<String>,
    /// Whether what is in it was left out: nobody asked for it, or it is too much.
    pub omitted: bool,
    /// Lines added and deleted; none for what is no text, or too large to count.
    pub lines: Option<(u64, u64)>,
}

/// Some of what a reader has to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffPage {
    /// Files that differ, and were not told of or differ otherwise now, by their path.
    pub changed: Vec<(String, ShownDiff)>,
    /// The paths of files that do not differ any more.
    pub removed: Vec<String>,
    /// The newest event that it takes account of.
    pub at: Seq,
}

/// One reader of an attempt's changes.
pub struct Diffs {
    engine: Engine,
    attempt: AttemptId,
    with_contents: bool,
    head: watch::Receiver<Seq>,
    at: Seq,
    /// What the reader was told of.
    told: HashMap<PathBuf, Known>,
    /// What it has still to be told of.
    left: VecDeque<Change>,
    removed: Vec<PathBuf>,
    contents: Option<Contents>,
    shown: u64,
    most_shown: u64,
}

/// What is known of a file.
struct Known {
    change: Change,
    /// Whether the reader has it: a file may turn out to be the same on both sides.
    is_told: bool,
}

impl Engine {
    /// Reads what an attempt changed, with or without what is in the files. Where the worktree is gone, it is what the
    /// branch has.
    ///
    /// # Errors
    /// When the attempt, its repository, its branch or its target is not there.
    pub async fn diffs(&self, attempt: AttemptId, with_contents: bool) -> Result<Diffs> {
        let mut diffs = Diffs {
            engine: self.clone(),
            attempt,
            with_contents,
            at: 0,
            head: self.head(),
            told: HashMap::new(),
            left: VecDeque::new(),
            removed: Vec::new(),
            contents: None,
            shown: 0,
            most_shown: MOST_SHOWN,
        };
        diffs.look().await?;
        Ok(diffs)
    }

    /// The files that an attempt changes now, by their path, with or without what is in them.
    ///
    /// # Errors
    /// As [`Engine::diffs`].
    pub async fn diff_now(
        &self,
        attempt: AttemptId,
        with_contents: bool,
    ) -> Result<BTreeMap<String, ShownDiff>> {
        let mut diffs = self.diffs(attempt, with_contents).await?;
        diffs.most_shown = MOST_SHOWN_AT_ONCE;
        let mut files = BTreeMap::new();
        while !diffs.left.is_empty() {
            files.extend(diffs.page().await?.changed);
        }
        Ok(files)
    }

    async fn diff_of(&self, id: AttemptId) -> Result<Diff> {
        let (attempt, repo) = self.attempt_in_repository(id).await?;
        let diff = match opened(&repo, &attempt).await? {
            Some(worktree) => worktree.diff(&attempt.target_branch).await,
            None => repo.diff_branch(&attempt.branch, &attempt.target_branch).await,
        };
        diff.map_err(|error| match error {
            GitError::BranchNotFound { .. } => Error::conflict("branch_gone", error.to_string())
                .hint("say what to compare with: POST /api/task-attempts/{id}/change-target-branch"),
            other => other.into(),
        })
    }
}

impl Diffs {
    /// What the reader has to be told next. Waits while there is nothing; none when the attempt is gone.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub async fn next(&mut self) -> Result<Option<DiffPage>> {
        let error = match self.step().await {
            Ok(step) => return Ok(step),
            Err(error) => error,
        };
        if self.is_gone().await {
            return Ok(None);
        }
        // Whoever deletes the attempt takes away what git looks at, and only then the rows.
        match tokio::time::timeout(DELETING, self.attempt_changed()).await {
            Ok(Ok(false)) => Ok(None),
            Ok(Ok(true) | Err(_)) | Err(_) => Err(error),
        }
    }

    async fn is_gone(&self) -> bool {
        let found = self.engine.get_attempt(self.attempt).await;
        found.is_err_and(|error| error.kind() == ErrorKind::NotFound)
    }

    async fn step(&mut self) -> Result<Option<DiffPage>> {
        loop {
            while !self.removed.is_empty() || !self.left.is_empty() {
                let page = self.page().await?;
                if !page.changed.is_empty() || !page.removed.is_empty() {
                    return Ok(Some(page));
                }
            }
            self.contents = None;
            if !self.attempt_changed().await? {
                return Ok(None);
            }
            self.look().await?;
        }
    }

    /// The newest event that was taken account of.
    #[must_use]
    pub const fn at(&self) -> Seq {
        self.at
    }

    /// Finds out what differs from what the reader was told.
    async fn look(&mut self) -> Result<()> {
        // Before git looks: what happens meanwhile is looked at again.
        self.at = *self.head.borrow_and_update();
        let diff = self.engine.diff_of(self.attempt).await?;
        self.contents = Some(diff.contents());
        let now: HashMap<_, _> =
            diff.changes.iter().map(|change| (change.path().to_owned(), change)).collect();
        let gone = self.told.extract_if(|path, _| !now.contains_key(path));
        self.removed.extend(gone.filter(|(_, known)| known.is_told).map(|(path, _)| path));
        let told = &self.told;
        let is_new = |change: &Change| told.get(change.path()).is_none_or(|known| known.change != *change);
        self.left = diff.changes.into_iter().filter(is_new).collect();
        Ok(())
    }

    async fn page(&mut self) -> Result<DiffPage> {
        let mut removed: Vec<_> = std::mem::take(&mut self.removed);
        let mut changed = Vec::new();
        if let (Some(contents), false) = (&mut self.contents, self.left.is_empty()) {
            let read = contents.page(self.left.make_contiguous()).await?;
            for file in read {
                let Some(change) = self.left.pop_front() else { break };
                let path = change.path().to_owned();
                let known = Known { change, is_told: file.is_some() };
                let before = self.told.insert(path.clone(), known);
                match file {
                    Some(file) => changed.push((path_text::write(&path), self.show(file))),
                    None if before.is_some_and(|known| known.is_told) => removed.push(path),
                    None => {}
                }
            }
        }
        let removed = removed.iter().map(|path| path_text::write(path)).collect();
        Ok(DiffPage { changed, removed, at: self.at })
    }

    fn show(&mut self, file: FileDiff) -> ShownDiff {
        let is_large = [&file.old, &file.new].contains(&&Content::TooBig);
        let [old, new] = [file.old, file.new].map(|content| match content {
            Content::Text(text) => Some(text),
            Content::Absent | Content::Binary | Content::TooBig => None,
        });
        let bytes: usize = [&old, &new].into_iter().flatten().map(String::len).sum();
        let omitted = !self.with_contents || is_large || self.shown + bytes as u64 > self.most_shown;
        if !omitted {
            self.shown += bytes as u64;
        }
        ShownDiff {
            kind: file.kind,
            old_path: file.old_path.as_deref().map(path_text::write),
            new_path: file.new_path.as_deref().map(path_text::write),
            old: old.filter(|_| !omitted),
            new: new.filter(|_| !omitted),
            omitted,
            lines: file.lines,
        }
    }

    /// Waits until something happened to the attempt; false when it is gone.
    async fn attempt_changed(&mut self) -> Result<bool> {
        let mut changed = false;
        loop {
            // Marked as seen before the page is read, so that what is committed meanwhile wakes us.
            self.head.borrow_and_update();
            let page = match self.engine.events_after(self.at, PAGE).await {
                // What was missed may have been about the attempt.
                Err(error) if error.kind() == ErrorKind::Gone => return Ok(true),
                page => page?,
            };
            if page.is_empty() && changed {
                return Ok(true);
            }
            if page.is_empty() {
                // Closed only with the store, which outlives its readers.
                let moved = self.head.changed().await;
                moved.map_err(|source| Error::internal("nobody writes events any more").because(source))?;
                continue;
            }
            for told in page {
                self.at = told.event.seq;
                match &told.event.fact {
                    Fact::AttemptDeleted { id, .. } if *id == self.attempt => return Ok(false),
                    Fact::AttemptUpdated(attempt) if attempt.id == self.attempt => changed = true,
                    Fact::ProcessCreated(process) | Fact::ProcessUpdated(process)
                        if process.attempt_id == self.attempt =>
                    {
                        changed = true;
                    }
                    _ => {}
                }
            }
        }
    }
}
