//! What can go wrong, by what a caller can do about it.

use std::error::Error;
use std::path::PathBuf;

use forge_model::Seq;

use crate::Place;

/// Why the store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// What was named is not there.
    #[error("there is no such {what}")]
    NotFound {
        /// What was looked for.
        what: &'static str,
    },
    /// What is there already does not allow it.
    #[error("{what}")]
    Conflict {
        /// A sentence that says what stands in the way.
        what: &'static str,
    },
    /// No turn begins in a task that a person has closed.
    #[error("the task is done, cancelled or archived")]
    TaskClosed,
    /// Another attempt has the folder, or had it and gets it again when it goes on.
    #[error("the folder {path} belongs to another attempt")]
    WorktreeTaken {
        /// Which folder.
        path: String,
    },
    /// A newer program has written the database.
    #[error("the database was written by a newer Forge (schema {found}; this one knows up to {known})")]
    Newer {
        /// The newest change to the schema that the database has seen.
        found: i64,
        /// The newest that this program knows.
        known: i64,
    },
    /// Somebody else holds the database; trying again may help.
    #[error("the database is busy and did not {what} in time")]
    Busy {
        /// What was tried.
        what: &'static str,
        /// What the database said.
        source: sqlx::Error,
    },
    /// The database cannot be opened.
    #[error("the database {place} cannot be opened")]
    Open {
        /// Where it lies.
        place: String,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// There is no way to the database.
    #[error("the database {place} cannot be reached")]
    Connect {
        /// Where it should be.
        place: String,
        /// Why.
        source: sqlx::Error,
    },
    /// There is a way, but it is not as safe as was asked for.
    #[error("the database {place} cannot be reached safely")]
    Insecure {
        /// Where it is.
        place: String,
        /// What is wrong.
        source: sqlx::Error,
    },
    /// A backup cannot be written, or a database out of one.
    #[error("the file {} cannot be written", .path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Another server has the database.
    #[error("another forge server uses the database")]
    Taken,
    /// The database was lost for a while, and does not know this server any more.
    #[error(
        "while the connection to the database was lost, this node was started elsewhere or the database was replaced"
    )]
    Superseded,
    /// The database was there and is not any more; trying again may help.
    #[error("the connection to the database is lost, so it did not {what}")]
    Away {
        /// What was tried.
        what: &'static str,
        /// How it was noticed.
        source: sqlx::Error,
    },
    /// The answer to a commit was lost, and the database cannot be asked yet whether it was made.
    #[error(
        "the connection to the database was lost during a commit; whether the change was made is not known yet"
    )]
    Unknown,
    /// The disk has no room, or does not take what is written; trying again may help.
    #[error("the disk is full or cannot be written, so the database did not {what}")]
    Full {
        /// What was tried.
        what: &'static str,
        /// What the database said.
        source: sqlx::Error,
    },
    /// The database's files could not be opened, though they were before; trying again may help.
    #[error("the database's files could not be opened, so it did not {what}")]
    Unopened {
        /// What was tried.
        what: &'static str,
        /// What the database said.
        source: sqlx::Error,
    },
    /// A text cannot be kept.
    #[error("a text holds a zero byte, which PostgreSQL cannot keep")]
    ZeroByte,
    /// What was asked for is not kept any more.
    #[error("the events before {first} are not kept any more")]
    Pruned {
        /// The position of the oldest event that is.
        first: Seq,
    },
    /// The database did not do it.
    #[error("the database failed to {what}")]
    Query {
        /// What was tried.
        what: &'static str,
        /// What the database said.
        source: sqlx::Error,
    },
    /// A row says something that this program cannot read.
    #[error("a stored {what} cannot be read")]
    Corrupt {
        /// Which part of the row.
        what: &'static str,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// For `map_err`: says what was tried when the database failed.
    pub(crate) fn query(what: &'static str) -> impl FnOnce(sqlx::Error) -> Self {
        move |source| match source {
            sqlx::Error::PoolClosed => Self::Closed,
            source if crate::backend::is_busy(&source) => Self::Busy { what, source },
            source if crate::backend::is_away(&source) => Self::Away { what, source },
            source if crate::backend::is_full(&source) => Self::Full { what, source },
            source if crate::backend::is_unopened(&source) => Self::Unopened { what, source },
            source if crate::backend::is_zero_byte(&source) => Self::ZeroByte,
            source => Self::Query { what, source },
        }
    }

    /// That a write was removed from the queue while the database was away.
    pub(crate) fn abandoned() -> Self {
        let source = std::io::Error::new(
            std::io::ErrorKind::TimedOut,
            "the outcome of an earlier commit is not known until the database is back",
        );
        Self::Away { what: "begin a change", source: sqlx::Error::Io(source) }
    }

    /// That a database cannot be opened.
    pub(crate) fn open<E: Into<Box<dyn Error + Send + Sync>>>(place: &Place, source: E) -> Self {
        Self::Open { place: place.to_string(), source: source.into() }
    }

    /// What a failure means when it comes before the database was open.
    pub(crate) fn while_opening(self, place: &Place) -> Self {
        match self {
            Self::Busy { source, .. }
            | Self::Away { source, .. }
            | Self::Full { source, .. }
            | Self::Unopened { source, .. }
            | Self::Query { source, .. } => match place {
                Place::Sqlite(_) => Self::open(place, source),
                Place::Postgres(_) if crate::backend::is_insecure(&source) => {
                    Self::Insecure { place: place.to_string(), source }
                }
                Place::Postgres(_) => Self::Connect { place: place.to_string(), source },
            },
            other => other,
        }
    }

    /// For `map_err`: says which part of a row could not be read.
    pub(crate) fn corrupt<E: Into<Box<dyn Error + Send + Sync>>>(
        what: &'static str,
    ) -> impl FnOnce(E) -> Self {
        move |source| Self::Corrupt { what, source: source.into() }
    }

    /// Turns a broken uniqueness into a [`StoreError::Conflict`] that says `what`.
    pub(crate) fn or_conflict(self, what: &'static str) -> Self {
        match self.database() {
            Some(error) if error.is_unique_violation() => Self::Conflict { what },
            Some(_) | None => self,
        }
    }

    /// Turns a reference to nothing into a [`StoreError::NotFound`] of `what`.
    pub(crate) fn or_not_found(self, what: &'static str) -> Self {
        match self.database() {
            Some(error) if error.is_foreign_key_violation() => Self::NotFound { what },
            Some(_) | None => self,
        }
    }

    /// The same failure once more, for another of those whose changes were to be committed together.
    pub(crate) fn again(&self) -> Self {
        let said = |source: &sqlx::Error| sqlx::Error::Protocol(source.to_string());
        match self {
            Self::Busy { what, source } => Self::Busy { what, source: said(source) },
            Self::Away { what, source } => Self::Away { what, source: said(source) },
            Self::Full { what, source } => Self::Full { what, source: said(source) },
            Self::Unopened { what, source } => Self::Unopened { what, source: said(source) },
            Self::Query { what, source } => Self::Query { what, source: said(source) },
            Self::Unknown => Self::Unknown,
            Self::Taken => Self::Taken,
            Self::Superseded => Self::Superseded,
            Self::Closed => Self::Closed,
            other => Self::Query { what: "commit", source: sqlx::Error::Protocol(other.to_string()) },
        }
    }

    /// That a change met the row it was meant for.
    pub(crate) const fn unless_found(rows: u64, what: &'static str) -> Result<(), Self> {
        if rows == 0 {
            return Err(Self::NotFound { what });
        }
        Ok(())
    }

    fn database(&self) -> Option<&dyn sqlx::error::DatabaseError> {
        match self {
            Self::Query { source, .. } => source.as_database_error(),
            Self::NotFound { .. }
            | Self::Conflict { .. }
            | Self::Newer { .. }
            | Self::Busy { .. }
            | Self::Open { .. }
            | Self::Connect { .. }
            | Self::Insecure { .. }
            | Self::File { .. }
            | Self::Taken
            | Self::Superseded
            | Self::Unknown
            | Self::Away { .. }
            | Self::Full { .. }
            | Self::Unopened { .. }
            | Self::ZeroByte
            | Self::Pruned { .. }
            | Self::Corrupt { .. }
            | Self::WorktreeTaken { .. }
            | Self::TaskClosed
            | Self::Closed => None,
        }
    }
}
