//! How many rows there are, by table: what tells an owner what grows.

use std::collections::BTreeMap;

use sqlx::AssertSqlSafe;

use crate::backend::{Pool, on};
use crate::{Place, StoreError, copy};

/// Counts the rows of every table of ours. A server may go on writing meanwhile.
///
/// # Errors
/// When the database cannot be read.
pub async fn count_rows(place: &Place) -> Result<BTreeMap<String, i64>, StoreError> {
    let pool = Pool::open_to_read(place);
    let counted = async {
        let mut db = pool.connect().await.map_err(|error| error.while_opening(place))?;
        let mut counts = BTreeMap::new();
        // The names are those of our own schema.
        for table in copy::catalog(&mut db).await?.into_keys() {
            let count = format!("SELECT count(*) FROM {table}");
            let rows = on!(&mut db, |db| sqlx::query_scalar(AssertSqlSafe(count)).fetch_one(db).await);
            counts.insert(table, rows.map_err(StoreError::query("count rows"))?);
        }
        Ok(counts)
    };
    let counts = counted.await;
    pool.close().await;
    counts
}
