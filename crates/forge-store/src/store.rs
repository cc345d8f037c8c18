//! The store: opening, closing, and where the log stands.

use std::path::Path;

use forge_model::Seq;
use tokio::sync::watch;

use crate::backend::{self, Connection, Pool};
use crate::write::Queue;
use crate::{StoreError, event};

/// An open database. Clones share it.
#[derive(Debug, Clone)]
pub struct Store {
    readers: Pool,
    pub(crate) queue: Queue,
    head: watch::Receiver<Seq>,
}

impl Store {
    /// Opens the SQLite database at `path`, makes it where there is none, and brings its schema up to date.
    ///
    /// # Errors
    /// [`StoreError::Newer`] when a newer program wrote it, else [`StoreError::Open`].
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        let (writer, readers) = backend::open_sqlite(path).await?;
        let newest = event::newest(&mut readers.connect().await?).await?;
        let (queue, head) = Queue::start(writer, newest);
        Ok(Self { readers, queue, head })
    }

    /// Finishes what is being written and closes the database. Later calls fail with [`StoreError::Closed`].
    pub async fn close(&self) {
        self.queue.close().await;
        self.readers.close().await;
    }

    /// The position of the newest event, 0 before the first; it changes with every commit that appended some.
    #[must_use]
    pub fn head(&self) -> watch::Receiver<Seq> {
        self.head.clone()
    }

    /// A connection to read from.
    pub(crate) async fn read(&self) -> Result<Connection, StoreError> {
        self.readers.connect().await
    }
}
