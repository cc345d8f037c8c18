//! The schema: what it has become step by step, and bringing a database up to date.

use sqlx::SqlSafeStr;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};

use crate::backend::{Connection, Pool, create_schema, on};
use crate::{Place, StoreError};

/// A change to the schema, in the words of each engine.
struct Change {
    version: i64,
    name: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
}

/// Oldest first. A released one is never edited.
const CHANGES: [Change; 11] = [
    Change {
        version: 1,
        name: "init",
        sqlite: include_str!("../migrations/sqlite/0001_init.sql"),
        postgres: include_str!("../migrations/postgres/0001_init.sql"),
    },
    Change {
        version: 2,
        name: "cards",
        sqlite: include_str!("../migrations/sqlite/0002_cards.sql"),
        postgres: include_str!("../migrations/postgres/0002_cards.sql"),
    },
    Change {
        version: 3,
        name: "stuff",
        sqlite: include_str!("../migrations/sqlite/0003_stuff.sql"),
        postgres: include_str!("../migrations/postgres/0003_stuff.sql"),
    },
    Change {
        version: 4,
        name: "turns",
        sqlite: include_str!("../migrations/sqlite/0004_turns.sql"),
        postgres: include_str!("../migrations/postgres/0004_turns.sql"),
    },
    Change {
        version: 5,
        name: "runs",
        sqlite: include_str!("../migrations/sqlite/0005_runs.sql"),
        postgres: include_str!("../migrations/postgres/0005_runs.sql"),
    },
    Change {
        version: 6,
        name: "default_branch",
        sqlite: include_str!("../migrations/sqlite/0006_default_branch.sql"),
        postgres: include_str!("../migrations/postgres/0006_default_branch.sql"),
    },
    Change {
        version: 7,
        name: "talk",
        sqlite: include_str!("../migrations/sqlite/0007_talk.sql"),
        postgres: include_str!("../migrations/postgres/0007_talk.sql"),
    },
    Change {
        version: 8,
        name: "usage",
        sqlite: include_str!("../migrations/sqlite/0008_usage.sql"),
        postgres: include_str!("../migrations/postgres/0008_usage.sql"),
    },
    Change {
        version: 9,
        name: "nodes",
        sqlite: include_str!("../migrations/sqlite/0009_nodes.sql"),
        postgres: include_str!("../migrations/postgres/0009_nodes.sql"),
    },
    Change {
        version: 10,
        name: "submodules",
        sqlite: include_str!("../migrations/sqlite/0010_submodules.sql"),
        postgres: include_str!("../migrations/postgres/0010_submodules.sql"),
    },
    Change {
        version: 11,
        name: "commits",
        sqlite: include_str!("../migrations/sqlite/0011_commits.sql"),
        postgres: include_str!("../migrations/postgres/0011_commits.sql"),
    },
];

/// Brings the database's schema up to date, or only as far as `until`.
pub(crate) async fn run(place: &Place, db: &mut Connection, until: Option<i64>) -> Result<(), StoreError> {
    let migrator = migrator(place);
    let done = match db {
        Connection::Sqlite(db) => migrator.run_direct(until, &mut **db, false).await,
        Connection::Postgres(db) => {
            create_schema(db).await.map_err(|source| StoreError::open(place, source))?;
            migrator.run_direct(until, &mut **db, false).await
        }
    };
    done.map_err(|source| match source {
        MigrateError::VersionMissing(found) => StoreError::Newer { found, known: known() },
        source => StoreError::open(place, source),
    })
}

/// The changes that a database has not seen yet, oldest first, as number and name. Changes nothing.
///
/// # Errors
/// [`StoreError::Newer`] when a newer program wrote it, [`StoreError::Open`] or [`StoreError::Connect`] when it
/// cannot be read.
pub async fn pending(place: &Place) -> Result<Vec<(i64, &'static str)>, StoreError> {
    let seen = match place {
        // Looking must not make the file.
        Place::Sqlite(path) if !path.exists() => 0,
        Place::Sqlite(_) | Place::Postgres(_) => {
            let pool = Pool::open_to_read(place);
            let seen = match pool.connect().await {
                Ok(mut db) => newest(&mut db).await,
                Err(error) => Err(error),
            };
            pool.close().await;
            seen.map_err(|error| error.while_opening(place))?
        }
    };
    if seen > known() {
        return Err(StoreError::Newer { found: seen, known: known() });
    }
    let new = CHANGES.iter().filter(|change| change.version > seen);
    Ok(new.map(|change| (change.version, change.name)).collect())
}

/// The newest change that the database has seen, 0 when there is none.
pub(crate) async fn newest(db: &mut Connection) -> Result<i64, StoreError> {
    let tables = match db {
        Connection::Sqlite(_) => "SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'",
        Connection::Postgres(_) => {
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'forge' AND tablename = '_sqlx_migrations'"
        }
    };
    let failed = StoreError::query("look at the schema");
    let (tables,): (i64,) = on!(&mut *db, |db| sqlx::query_as(tables).fetch_one(db).await).map_err(failed)?;
    if tables == 0 {
        return Ok(0);
    }
    let (version,) = on!(db, |db| sqlx::query_as("SELECT coalesce(max(version), 0) FROM _sqlx_migrations")
        .fetch_one(db)
        .await)
    .map_err(StoreError::query("look at the schema"))?;
    Ok(version)
}

/// The newest change that this program knows.
pub(crate) fn known() -> i64 {
    CHANGES.iter().map(|change| change.version).max().unwrap_or(0)
}

fn migrator(place: &Place) -> Migrator {
    let migrations = CHANGES.iter().map(|change| {
        let sql = match place {
            Place::Sqlite(_) => change.sqlite,
            Place::Postgres(_) => change.postgres,
        };
        Migration::new(change.version, change.name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    });
    Migrator::with_migrations(migrations.collect())
}
