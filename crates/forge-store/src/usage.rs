//! What turns used up: kept with each process, summed in its attempt, and from there for tasks and projects.

use forge_model::{AttemptId, ProjectId, TaskId, Usage};
use uuid::Uuid;

use crate::backend::on;
use crate::row::row;
use crate::write::WriteTx;
use crate::{Store, StoreError};

row! {
    /// The columns of a usage, as they are read.
    pub(crate) struct UsageRow {
        pub(crate) input_tokens: i64,
        pub(crate) cached_tokens: i64,
        pub(crate) output_tokens: i64,
        pub(crate) cost_micros: Option<i64>,
    }
}

impl From<UsageRow> for Usage {
    fn from(row: UsageRow) -> Self {
        let count = |number: i64| u64::try_from(number).unwrap_or_default();
        Self {
            input_tokens: count(row.input_tokens),
            cached_tokens: count(row.cached_tokens),
            output_tokens: count(row.output_tokens),
            cost_micros: row.cost_micros.map(count),
        }
    }
}

/// A number as the database holds it; more than it can hold is as much as it can.
pub(crate) fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

macro_rules! sum_of {
    ($of:literal) => {
        concat!(
            "SELECT CAST(coalesce(sum(input_tokens), 0) AS BIGINT) AS input_tokens,
                    CAST(coalesce(sum(cached_tokens), 0) AS BIGINT) AS cached_tokens,
                    CAST(coalesce(sum(output_tokens), 0) AS BIGINT) AS output_tokens,
                    CAST(sum(cost_micros) AS BIGINT) AS cost_micros
             FROM attempt WHERE ",
            $of,
            " = $1"
        )
    };
}

impl Store {
    /// What all attempts of a task used up.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn task_usage(&self, id: TaskId) -> Result<Usage, StoreError> {
        self.usage(sum_of!("task_id"), id.as_uuid()).await
    }

    /// What all attempts and runs of a project used up.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn project_usage(&self, id: ProjectId) -> Result<Usage, StoreError> {
        self.usage(sum_of!("project_id"), id.as_uuid()).await
    }

    async fn usage(&self, query: &'static str, id: Uuid) -> Result<Usage, StoreError> {
        let mut db = self.read().await?;
        let row: UsageRow = on!(&mut db, |db| sqlx::query_as(query).bind(id).fetch_one(db).await)
            .map_err(StoreError::query("sum up what was used"))?;
        Ok(row.into())
    }
}

/// Adds to what an attempt used up.
pub(crate) async fn add(tx: &mut WriteTx, id: AttemptId, usage: &Usage) -> Result<(), StoreError> {
    if usage.is_empty() {
        return Ok(());
    }
    on!(tx.db(), |db| sqlx::query(
        "UPDATE attempt SET input_tokens = input_tokens + $2, cached_tokens = cached_tokens + $3,
                            output_tokens = output_tokens + $4,
                            cost_micros = coalesce(cost_micros + $5, cost_micros, $5)
         WHERE id = $1",
    )
    .bind(id.as_uuid())
    .bind(number(usage.input_tokens))
    .bind(number(usage.cached_tokens))
    .bind(number(usage.output_tokens))
    .bind(usage.cost_micros.map(number))
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("add up what was used"))
}
