//! All rows of one database into another, whichever engines they are.
//!
//! What there is to copy, and how it is read and written, the two databases say themselves. Names of tables and
//! columns are the destination's alone, which our own schema made: a backup from elsewhere cannot smuggle any in.

use std::collections::BTreeMap;

use futures::TryStreamExt as _;
use sqlx::{AssertSqlSafe, Row as _};
use uuid::Uuid;

use crate::StoreError;
use crate::backend::{Connection, on};

/// Columns by table, each with what it holds.
pub(crate) type Catalog = BTreeMap<String, BTreeMap<String, Kind>>;

/// What a column holds. SQLite has one kind of number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Id,
    Text,
    Number,
    SmallNumber,
    Switch,
}

/// What is in one column of one row.
enum Cell {
    Id(Option<Uuid>),
    Text(Option<String>),
    Number(Option<i64>),
}

/// Reads a row's cells. A macro, because every engine has rows of its own.
macro_rules! cells {
    ($row:expr, $kinds:expr) => {{
        let mut cells = Vec::new();
        for (index, kind) in $kinds.iter().enumerate() {
            cells.push(match kind {
                Kind::Id => Cell::Id($row.try_get(index)?),
                Kind::Text => Cell::Text($row.try_get(index)?),
                Kind::Number => Cell::Number($row.try_get(index)?),
                Kind::SmallNumber => Cell::Number($row.try_get::<Option<i32>, _>(index)?.map(i64::from)),
                Kind::Switch => Cell::Number($row.try_get::<Option<bool>, _>(index)?.map(i64::from)),
            });
        }
        cells
    }};
}

/// Copies every table that `to` has. Both are in a transaction of their own. Rows that the schema itself brought, such
/// as the first tags, make room for what became of them.
pub(crate) async fn everything(from: &mut Connection, to: &mut Connection) -> Result<(), StoreError> {
    let (source, target) = (catalog(from).await?, catalog(to).await?);
    for table in target.keys() {
        let delete = format!("DELETE FROM {table}");
        on!(to, |db| sqlx::query(AssertSqlSafe(delete)).execute(db).await.map(drop))
            .map_err(StoreError::query("empty a table"))?;
    }
    for (table, columns) in &target {
        let names: Vec<&str> = columns.keys().map(String::as_str).collect();
        let kinds: Option<Vec<Kind>> =
            source.get(table).and_then(|found| columns.keys().map(|name| found.get(name).copied()).collect());
        let missing = || StoreError::corrupt("backup")(format!("the table {table} is not as it should be"));
        let kinds = kinds.ok_or_else(missing)?;
        let places: Vec<String> = (1..).zip(columns.values()).map(|(n, kind)| kind.place(n)).collect();
        let (names, places) = (names.join(", "), places.join(", "));
        let select = format!("SELECT {names} FROM {table}");
        let insert = format!("INSERT INTO {table} ({names}) VALUES ({places})");
        rows(from, to, select, &insert, &kinds).await.map_err(StoreError::query("copy a table"))?;
    }
    Ok(())
}

/// One row at a time, so that it costs the memory of one.
async fn rows(
    from: &mut Connection,
    to: &mut Connection,
    select: String,
    insert: &str,
    kinds: &[Kind],
) -> Result<(), sqlx::Error> {
    on!(from, |db| {
        let mut rows = sqlx::query(AssertSqlSafe(select)).fetch(db);
        while let Some(row) = rows.try_next().await? {
            write(to, insert, cells!(row, kinds)).await?;
        }
        Ok(())
    })
}

async fn write(to: &mut Connection, insert: &str, cells: Vec<Cell>) -> Result<(), sqlx::Error> {
    on!(to, |db| {
        let mut query = sqlx::query(AssertSqlSafe(insert.to_owned()));
        for cell in cells {
            query = match cell {
                Cell::Id(id) => query.bind(id),
                Cell::Text(text) => query.bind(text),
                Cell::Number(number) => query.bind(number),
            };
        }
        query.execute(db).await.map(drop)
    })
}

pub(crate) async fn catalog(db: &mut Connection) -> Result<Catalog, StoreError> {
    let columns = match db {
        Connection::Sqlite(_) => {
            "SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c
             WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name <> '_sqlx_migrations'"
        }
        Connection::Postgres(_) => {
            "SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns
             WHERE table_schema = 'forge' AND table_name <> '_sqlx_migrations'"
        }
    };
    let columns: Vec<(String, String, String)> = on!(db, |db| sqlx::query_as(columns).fetch_all(db).await)
        .map_err(StoreError::query("look at the schema"))?;
    let mut catalog = Catalog::new();
    for (table, column, kind) in columns {
        let unknown = || StoreError::corrupt("column")(format!("{table}.{column} holds {kind}"));
        let kind = Kind::named(&kind).ok_or_else(unknown)?;
        catalog.entry(table).or_default().insert(column, kind);
    }
    Ok(catalog)
}

impl Kind {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "BLOB" | "uuid" => Self::Id,
            "TEXT" | "text" => Self::Text,
            "INTEGER" | "bigint" => Self::Number,
            "integer" => Self::SmallNumber,
            "boolean" => Self::Switch,
            _ => return None,
        })
    }

    /// The parameter as such a column takes it.
    fn place(self, number: usize) -> String {
        match self {
            Self::Id | Self::Text | Self::Number => format!("${number}"),
            Self::SmallNumber => format!("CAST(${number} AS INTEGER)"),
            Self::Switch => format!("${number} <> 0"),
        }
    }
}
