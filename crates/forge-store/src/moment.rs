//! Reading several things as they were at one moment, and where the event log stood then.

use forge_model::Seq;

use crate::backend::Connection;
use crate::{Store, StoreError, event};

/// A transaction that only reads. Whatever is read in it, was so when the event `at` was the newest.
pub(crate) struct Moment {
    /// None when it has ended.
    connection: Option<Connection>,
    at: Seq,
}

impl Store {
    /// Begins a moment.
    pub(crate) async fn moment(&self) -> Result<Moment, StoreError> {
        let mut moment = Moment { connection: Some(self.read().await?), at: 0 };
        let db = moment.db()?;
        db.begin_reading().await?;
        // The first to be read fixes the moment.
        moment.at = event::newest(moment.db()?).await?;
        Ok(moment)
    }
}

impl Moment {
    /// For statements.
    pub(crate) fn db(&mut self) -> Result<&mut Connection, StoreError> {
        self.connection.as_mut().ok_or(StoreError::Closed)
    }

    /// Gives the connection back, and tells which moment it was.
    pub(crate) async fn end(mut self) -> Result<Seq, StoreError> {
        self.db()?.rollback().await?;
        // Only from here on is it fit for others.
        drop(self.connection.take());
        Ok(self.at)
    }
}

impl Drop for Moment {
    fn drop(&mut self) {
        // The reader went in the middle: nobody else may get a connection on which time stands still.
        if let Some(connection) = self.connection.take() {
            connection.discard();
        }
    }
}
