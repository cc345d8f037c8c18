//! What can go wrong, by what a caller can do about it.

use std::error::Error;
use std::path::PathBuf;

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
    #[error("the database {} cannot be opened", .path.display())]
    Open {
        /// Where it lies.
        path: PathBuf,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
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
            source => Self::Query { what, source },
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
            | Self::Corrupt { .. }
            | Self::Closed => None,
        }
    }
}
