//! What an agent said and did, as entries: folded from its log once, stored, and read page by page by anybody.
//!
//! The first who asks for the transcript of a process, or its end, sets somebody to fold it: a task that follows the log
//! and ends with it. Everybody reads what that one made.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use forge_agent::transcript::Transcript as Fold;
use forge_agent::transcript::pages::{After, Changes, Folder, Page, Pages};
use forge_agent::turn::Turn;
use forge_model::{AttemptId, End, Process, ProcessId, ProcessKind};
use tokio::sync::watch;

use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::log::Reader;
use crate::whole::off_runtime;
use crate::{folder, launch};

/// How much of a log is folded before others are let in.
const PAGE: usize = 64 * 1024;

/// The transcripts that somebody reads or folds, so that all read the same.
#[derive(Default)]
pub(crate) struct Transcripts {
    map: Mutex<HashMap<ProcessId, Weak<Shared>>>,
}

/// A transcript that somebody reads or folds.
struct Shared {
    pages: Arc<Pages>,
    /// Moves when there is more to read, and when there is no more to come.
    moved: watch::Sender<u64>,
    /// Why it is not folded to its end.
    failed: OnceLock<String>,
}

/// Reads a transcript.
pub struct Transcript {
    shared: Arc<Shared>,
    moved: watch::Receiver<u64>,
    /// What the reader has already.
    after: u64,
}

/// Where the log of an agent's process is, and how it is to be read.
struct Source {
    /// As its row was.
    process: Process,
    dir: PathBuf,
    turn: Turn,
    /// Moves while the process runs; none when it has ended.
    live: Option<watch::Receiver<u64>>,
}

impl Engine {
    /// What the agent of a process said and did, after a place, and onwards while it runs.
    ///
    /// # Errors
    /// When the process is not there, or is no agent: scripts only print.
    pub async fn transcript(&self, id: ProcessId, after: u64) -> Result<Transcript> {
        let shared = self.shared_transcript(self.source(id).await?)?;
        let moved = shared.moved.subscribe();
        Ok(Transcript { shared, moved, after })
    }

    /// The last entries of a process's transcript before one of them, or of all there are by now, `limit` at most.
    ///
    /// # Errors
    /// When the process is not there, or is no agent.
    pub async fn entries(&self, id: ProcessId, before: Option<u64>, limit: u64) -> Result<Page> {
        let shared = self.folded_transcript(id).await?;
        off_runtime(move || Ok(shared.pages.before(before, limit)?)).await
    }

    /// One entry as it is now, with everything that is too long to be sent along, as JSON.
    ///
    /// # Errors
    /// When there is no such process or entry.
    pub async fn entry(&self, id: ProcessId, index: u64) -> Result<Arc<str>> {
        let shared = self.folded_transcript(id).await?;
        let stored = off_runtime(move || Ok(shared.pages.before(Some(index.saturating_add(1)), 1)?)).await?;
        let there = stored.entries.into_iter().next().filter(|_| stored.first == index);
        let Some(stored) = there else {
            return Err(Error::new(ErrorKind::NotFound, "not_found", format!("there is no entry {index}")));
        };
        if !forge_agent::transcript::is_cut(&stored) {
            return Ok(stored);
        }
        let source = self.source(id).await?;
        let whole = off_runtime(move || whole(&source, index)).await?;
        Ok(whole.map_or(stored, |whole| self.hide(whole.to_string()).into()))
    }

    /// The process of the newest turn of an attempt's agent.
    ///
    /// # Errors
    /// When the attempt is not there, or its agent has not begun.
    pub async fn newest_turn(&self, attempt: AttemptId) -> Result<Process> {
        let processes = self.list_processes(attempt).await?;
        let newest = processes.into_iter().rev().find(|process| process.kind == ProcessKind::CodingAgent);
        newest.ok_or_else(|| {
            no_transcript("the agent of this attempt has not begun yet").hint("ask again when it has")
        })
    }

    /// Has the transcript of a process that has ended stored, if it is an agent's, and waits for it.
    pub(crate) async fn store_transcript(&self, id: ProcessId) -> Result<()> {
        match self.folded_transcript(id).await {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            done => done.map(drop),
        }
    }

    /// A transcript that is folded up to where its log is by now.
    async fn folded_transcript(&self, id: ProcessId) -> Result<Arc<Shared>> {
        let source = self.source(id).await?;
        let head = match &source.live {
            Some(live) => *live.borrow(),
            None => u64::MAX,
        };
        let shared = self.shared_transcript(source)?;
        let mut moved = shared.moved.subscribe();
        while *moved.borrow_and_update() < head && shared.failed.get().is_none() {
            if moved.changed().await.is_err() {
                break;
            }
        }
        shared.check()?;
        Ok(shared)
    }

    async fn source(&self, id: ProcessId) -> Result<Source> {
        // In this order: a process that ends in between has a log that is read to its end.
        let live = self.inner.live.follow(id);
        let process = self.get_process(id).await?;
        let attempt = self.get_attempt_here(process.attempt_id).await?;
        let dir = self.inner.folder.process(id);
        let turn = launch::turn_of(&attempt, &process, &dir)?;
        let turn = turn.filter(|_| process.kind == ProcessKind::CodingAgent).ok_or_else(|| {
            no_transcript("this process is no agent: it has output, but no transcript")
                .hint("read GET /api/execution-processes/{id}/raw-logs, or …/output for plain text")
        })?;
        Ok(Source { process, dir, turn, live })
    }

    /// The transcript that everybody reads; whoever is the first has it folded.
    fn shared_transcript(&self, source: Source) -> Result<Arc<Shared>> {
        let id = source.process.id;
        let mut map = self.inner.transcripts.map.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = map.get(&id).and_then(Weak::upgrade).filter(|shared| shared.check().is_ok()) {
            return Ok(shared);
        }
        map.retain(|_, shared| shared.strong_count() > 0);
        if let Some(pages) = Pages::open(&source.dir) {
            let shared = Arc::new(Shared::new(Arc::new(pages), u64::MAX));
            map.insert(id, Arc::downgrade(&shared));
            return Ok(shared);
        }
        if source.live.is_some() || source.process.end() == Some(End::NotStarted) {
            // It may be about to be started, or could not be, of which its transcript tells.
            folder::make(&source.dir)?;
        } else if !source.dir.exists() {
            return Err(no_transcript("this process was never started"));
        }
        let folder = Folder::begin(&source.dir, &source.turn, id).map_err(|error| {
            let message = format!("the transcript of process {id} cannot be written: {error}");
            Error::lacking(&message).unwrap_or_else(|| Error::internal(message))
        })?;
        let folder = folder.without(Arc::clone(&self.inner.secrets));
        let shared = Arc::new(Shared::new(Arc::clone(folder.pages()), 0));
        map.insert(id, Arc::downgrade(&shared));
        drop(map);
        let (engine, told) = (self.clone(), Arc::clone(&shared));
        self.inner.tasks.spawn(async move {
            let told = Told(told);
            if let Err(error) = engine.fold(source, folder, &told.0).await {
                if !engine.inner.closing.is_cancelled() {
                    tracing::warn!(process.id = %id, error = %error, "the transcript of process {id} broke off");
                }
                told.0.failed.get_or_init(|| error.to_string());
            }
        });
        Ok(shared)
    }

    /// Folds a log to its end, as far as it goes.
    async fn fold(&self, source: Source, mut folder: Folder, told: &Shared) -> Result<()> {
        let Source { process: Process { id, .. }, dir, mut live, .. } = source;
        let (mut reader, mut read) = (Reader::new(&dir), 0);
        loop {
            // Marked as seen before the log is read: what is appended behind our back wakes us again.
            if let Some(live) = &mut live {
                live.borrow_and_update();
            }
            let page = reader.read_after(read, PAGE)?;
            for frame in &page.frames {
                folder.push(frame);
                self.store(&mut folder, told).await?;
            }
            if page.next > read {
                read = page.next;
                told.moved.send_replace(read);
                tokio::task::yield_now().await;
                if self.inner.closing.is_cancelled() {
                    return Err(going());
                }
            } else if let Some(following) = &mut live {
                tokio::select! {
                    () = self.inner.closing.cancelled() => return Err(going()),
                    moved = following.changed() => if moved.is_err() { live = None },
                }
            } else {
                break;
            }
        }
        // Nobody follows it any more, so its row has what it came to: also when it ended while this was folded.
        let failed = match self.get_process(id).await {
            Ok(process) => process.reason,
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        folder.finish(failed.as_ref());
        let sealed = off_runtime(move || Ok(folder.seal()));
        told.moved.send_replace(u64::MAX);
        // What cannot be stored is folded again when somebody asks.
        match sealed.await? {
            Ok(()) => self.inner.metrics.transcript_stored(),
            Err(error) if dir.exists() => {
                tracing::warn!(process.id = %id, error = %error, "the transcript of process {id} is not kept");
            }
            Err(_gone) => {}
        }
        Ok(())
    }

    /// Writes what is to be written. A full disk has to be waited for: what is not written stays in memory.
    async fn store(&self, folder: &mut Folder, told: &Shared) -> Result<()> {
        while let Err(error) = folder.store() {
            tracing::warn!(error = %error, "a transcript cannot be written, and waits: {error}");
            told.moved.send_modify(|_| {});
            if self.pause().await {
                return Err(going());
            }
        }
        Ok(())
    }
}

impl Shared {
    fn new(pages: Arc<Pages>, position: u64) -> Self {
        Self { pages, moved: watch::Sender::new(position), failed: OnceLock::new() }
    }

    fn check(&self) -> Result<()> {
        match self.failed.get() {
            None => Ok(()),
            Some(why) => Err(Error::unavailable("transcript_broken", why.clone()).hint("ask again")),
        }
    }
}

impl Transcript {
    /// What is new or different. Waits while there is nothing and the process runs; none when it has ended and
    /// everything was read.
    ///
    /// # Errors
    /// When the log, or what is stored of it, cannot be read.
    pub async fn next(&mut self) -> Result<Option<Changes>> {
        loop {
            self.moved.borrow_and_update();
            match self.shared.pages.after(self.after)? {
                After::Some(changes) => {
                    self.after = changes.position;
                    return Ok(Some(changes));
                }
                After::Over => return Ok(None),
                After::NotYet => {}
            }
            self.shared.check()?;
            if self.moved.changed().await.is_err() {
                return Err(going());
            }
        }
    }
}

/// An entry as the log has it, with nothing left out.
fn whole(source: &Source, index: u64) -> Result<Option<Arc<str>>> {
    let (mut fold, mut reader) = (Fold::whole(&source.turn, source.process.id), Reader::new(&source.dir));
    let mut read = 0;
    let mut found = None;
    loop {
        let page = reader.read_after(read, PAGE)?;
        for frame in &page.frames {
            fold.push(frame);
            found = fold.take().into_iter().rfind(|change| change.index == index).or(found);
        }
        if page.next == read {
            break;
        }
        read = page.next;
    }
    if source.live.is_none() {
        fold.finish(source.process.reason.as_ref());
        found = fold.take().into_iter().rfind(|change| change.index == index).or(found);
    }
    let json = found.map(|change| serde_json::to_string(&change.entry)).transpose();
    let json = json.map_err(|source| Error::internal("an entry cannot be written").because(source))?;
    Ok(json.map(Into::into))
}

/// Whoever still waits when folding ends, however it does, looks again.
struct Told(Arc<Shared>);

impl Drop for Told {
    fn drop(&mut self) {
        if *self.0.moved.borrow() != u64::MAX {
            self.0.failed.get_or_init(|| "folding it broke off".to_owned());
        }
        self.0.moved.send_modify(|_| {});
    }
}

fn no_transcript(message: &str) -> Error {
    Error::new(ErrorKind::NotFound, "no_transcript", message)
}

fn going() -> Error {
    Error::unavailable("server_closing", "the server goes").hint("ask again when it is back")
}
