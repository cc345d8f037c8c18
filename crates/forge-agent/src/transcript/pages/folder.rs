//! Folds a log into the pages of its transcript, frame by frame.

use std::io;
use std::path::Path;
use std::sync::Arc;

use forge_model::{ProcessId, Reason};

use super::file::BlockFile;
use super::{Block, Pages, RECENT, Record, State};
use crate::log::Frame;
use crate::secrets::Secrets;
use crate::transcript::Transcript;
use crate::turn::Turn;

/// So much of the log goes into a block. What comes of it is about as much, and never more than a text that grows all
/// the while: counted by what is in the block, such a text would be written anew with every word.
const BLOCK: usize = 64 * 1024;

/// The one who makes a transcript. Readers see what it made as soon as a frame is folded.
#[derive(Debug)]
pub struct Folder {
    fold: Transcript,
    pages: Arc<Pages>,
    /// How much of the log is in the block that is being filled.
    fed: usize,
    /// What is not to be read in it: an agent may say a key in pieces, which are whole only here.
    secrets: Arc<Secrets>,
}

impl Folder {
    /// Begins the transcript of the process whose folder is `dir`, from the beginning of its log.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn begin(dir: &Path, turn: &Turn, process: ProcessId) -> io::Result<Self> {
        let pages = Pages { file: BlockFile::create(dir)?, state: State::default().into() };
        Ok(Self {
            fold: Transcript::new(turn, process),
            pages: Arc::new(pages),
            fed: 0,
            secrets: Arc::default(),
        })
    }

    /// The same, without these keys in any entry.
    #[must_use]
    pub fn without(self, secrets: Arc<Secrets>) -> Self {
        Self { secrets, ..self }
    }

    /// What readers read.
    #[must_use]
    pub const fn pages(&self) -> &Arc<Pages> {
        &self.pages
    }

    /// Takes the next frame of the log. Those that [`Folder::store`] is not called for stay in memory.
    pub fn push(&mut self, frame: &Frame) {
        self.fed += frame.bytes.len();
        self.fold.push(frame);
        self.take(frame.seq);
    }

    /// The process has ended and every frame was taken; and why its turn failed.
    pub fn finish(&mut self, failed: Option<&Reason>) {
        self.fold.finish(failed);
        let last = self.pages.position();
        self.take(last + 1);
        self.pages.lock().over = true;
    }

    /// Writes the block that is being filled, if it is full.
    ///
    /// # Errors
    /// When it cannot be written; then it is still the block that is being filled.
    pub fn store(&mut self) -> io::Result<()> {
        if self.fed < BLOCK { Ok(()) } else { self.write() }
    }

    /// Writes what is left, and makes the file the process's transcript.
    ///
    /// # Errors
    /// When it cannot be written; what readers have is as good as before.
    pub fn seal(mut self) -> io::Result<()> {
        self.write()?;
        let rows = self.pages.lock().rows.clone();
        self.pages.file.seal(&rows)
    }

    fn write(&mut self) -> io::Result<()> {
        let state = self.pages.lock();
        if state.pending.is_empty() {
            self.fed = 0;
            return Ok(());
        }
        let block = Block { position: state.position, records: state.pending.values().cloned().collect() };
        let next = state.total;
        // Nobody else adds rows.
        let rows = state.rows.last().copied();
        drop(state);
        let row = self.pages.file.append(rows.as_slice(), &block, next)?;
        let mut state = self.pages.lock();
        state.rows.push(row);
        state.pending.clear();
        state.recent.push_back(Arc::new(block));
        if state.recent.len() > RECENT {
            state.recent.pop_front();
        }
        self.fed = 0;
        Ok(())
    }

    fn take(&mut self, position: u64) {
        let changes = self.fold.take();
        let mut written = Vec::with_capacity(changes.len());
        for change in changes {
            // Entries are made of texts and numbers, which can be written.
            if let Ok(json) = serde_json::to_string(&change.entry) {
                written.push((change.index, change.is_new, Arc::<str>::from(self.secrets.hide_text(json))));
            }
        }
        let mut state = self.pages.lock();
        state.position = position;
        for (index, is_new, json) in written {
            state.total = state.total.max(index + 1);
            let made = if is_new { position } else { 0 };
            let record = state.pending.entry(index).or_insert_with(|| Record {
                index,
                made,
                changed: position,
                json: Arc::default(),
            });
            (record.changed, record.json) = (position, json);
        }
    }
}
