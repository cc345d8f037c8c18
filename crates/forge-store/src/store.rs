//! The store: opening, closing, and where the log stands.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use forge_model::Seq;
use tokio::sync::watch;

use crate::backend::{self, Connection, Pool, on};
use crate::measure::Counters;
use crate::node::Claim;
use crate::write::{Queue, announce};
use crate::writer::Writer;
use crate::{Place, StoreError, event, migrate};

/// How long the database may take to answer whether it is there.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);

/// An open database. Clones share it.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) readers: Pool,
    pub(crate) queue: Queue,
    pub(crate) counters: Arc<Counters>,
    head: watch::Receiver<Seq>,
    /// The node whose server this is, once it is known. Shared with the writer.
    pub(crate) claim: Arc<OnceLock<Claim>>,
}

impl Store {
    /// Opens a database, makes it where there is none, and brings its schema up to date. Others may write beside
    /// us.
    ///
    /// # Errors
    /// [`StoreError::Newer`] when a newer program wrote it, [`StoreError::Open`] when it cannot be opened and
    /// [`StoreError::Connect`] when it cannot be reached.
    pub async fn open(place: &Place) -> Result<Self, StoreError> {
        Self::open_as(place, false).await
    }

    /// Opens a database as its one server: as long as this store lives, no other can be opened so. Whose a file
    /// is, the lock on its folder says, which is the caller's.
    ///
    /// # Errors
    /// [`StoreError::Taken`] when another server has it, else as [`Store::open`].
    pub async fn open_alone(place: &Place) -> Result<Self, StoreError> {
        Self::open_as(place, true).await
    }

    async fn open_as(place: &Place, alone: bool) -> Result<Self, StoreError> {
        let (writers, readers) = Pool::open(place).await?;
        let (head, moved) = watch::channel(0);
        let (is_unresolved, unresolved) = watch::channel(false);
        let counters = Arc::<Counters>::default();
        let claim = alone.then(Arc::default);
        let writer =
            Writer::connect(writers, claim.clone(), head.clone(), is_unresolved, Arc::clone(&counters));
        let mut writer = writer.await.map_err(|error| error.while_opening(place))?;
        migrate::run(place, writer.db()?, None).await?;
        announce(&head, event::newest(writer.db()?).await?);
        readers.fill().await.map_err(|error| error.while_opening(place))?;
        if let Pool::Postgres(pool) = &readers {
            #[expect(
                clippy::disallowed_methods,
                reason = "the task ends with the store: when it is closed, or when nobody looks at the head any more"
            )]
            tokio::spawn(backend::listen(pool.clone(), head));
        }
        Ok(Self {
            readers,
            queue: Queue::start(writer, unresolved),
            counters,
            head: moved,
            claim: claim.unwrap_or_default(),
        })
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

    /// Whether the database answers. A file is there as long as it is open.
    ///
    /// # Errors
    /// [`StoreError::Away`] when it does not.
    pub async fn answers(&self) -> Result<(), StoreError> {
        if matches!(self.readers, Pool::Sqlite(_)) {
            return Ok(());
        }
        let asked = async {
            on!(&mut self.read().await?, |db| sqlx::query("SELECT 1").execute(db).await.map(drop))
                .map_err(StoreError::query("answer"))
        };
        match tokio::time::timeout(ANSWERS_WITHIN, asked).await {
            Ok(answered) => answered,
            Err(_elapsed) => {
                let source = std::io::Error::new(std::io::ErrorKind::TimedOut, "it does not answer");
                Err(StoreError::Away { what: "answer", source: sqlx::Error::Io(source) })
            }
        }
    }

    /// Waits until the outcome of a commit has been unknown for a while: its answer was lost, and the database is away.
    pub async fn unresolved_for_long(&self) {
        self.queue.unresolved_for_long().await;
    }

    /// Waits until the outcome of every commit is known.
    pub async fn resolved(&self) {
        self.queue.resolved().await;
    }

    /// A connection to read from.
    pub(crate) async fn read(&self) -> Result<Connection, StoreError> {
        self.counters.read();
        self.readers.connect().await
    }
}
