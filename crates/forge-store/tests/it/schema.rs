//! The schema: the same on both engines, and every earlier one leads to it with all that was in it.

use std::path::{Path, PathBuf};

use forge_store::{Place, Store, pending, restore};
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tempfile::TempDir;

use crate::bed::{Bed, Engine, all_of, run_on_file, store_test};

/// Table, column, and whether it may be empty.
type Columns = Vec<(String, String, bool)>;

async fn of_file(path: &Path) -> Columns {
    let mut db = SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(path)).await.unwrap();
    sqlx::query_as(
        "SELECT t.name, c.name, c.\"notnull\" = 0 FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name <> '_sqlx_migrations' ORDER BY 1, 2",
    )
    .fetch_all(&mut db)
    .await
    .unwrap()
}

async fn of_server(url: &str) -> Columns {
    let mut db = PgConnection::connect(url).await.unwrap();
    sqlx::query_as(
        "SELECT table_name::text, column_name::text, is_nullable = 'YES' FROM information_schema.columns
         WHERE table_schema = 'forge' AND table_name <> '_sqlx_migrations'
         ORDER BY table_name::text COLLATE \"C\", column_name::text COLLATE \"C\"",
    )
    .fetch_all(&mut db)
    .await
    .unwrap()
}

#[tokio::test]
async fn both_engines_have_the_same_tables_and_columns() {
    let (file, server) = (Bed::new(Engine::Sqlite).await, Bed::new(Engine::Postgres).await);
    let Place::Sqlite(path) = file.place() else { panic!("a file") };
    let columns = of_file(&path).await;
    assert!(columns.len() > 50, "{columns:?}");
    assert_eq!(columns, of_server(&server.postgres.unwrap().url()).await);
}

/// Where the databases of earlier schemas are kept.
fn dump(version: i64) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/schema_{version}.sql"))
}

/// Every change there is, as a database sees it that has seen none.
async fn versions() -> Vec<i64> {
    let nowhere = Place::Sqlite("/nowhere/forge.db".into());
    pending(&nowhere).await.unwrap().into_iter().map(|(version, _)| version).collect()
}

/// A database as it was at the time of this schema, with something in every table.
async fn old(version: i64, folder: &TempDir) -> PathBuf {
    let path = folder.path().join(format!("schema_{version}.db"));
    let text = std::fs::read_to_string(dump(version));
    let text = text.expect("every schema needs a dump: UPDATE=1 cargo nextest run -p forge-store dump");
    std::fs::write(&path, "").unwrap();
    run_on_file(&path, text).await;
    path
}

store_test! {
    async fn a_database_of_every_earlier_schema_is_kept_whole(bed: &mut Bed) {
        for version in versions().await {
            let folder = TempDir::new().unwrap();
            let path = old(version, &folder).await;
            let place = match bed.engine {
                // In place.
                Engine::Sqlite => Place::Sqlite(path),
                // With rows in it before the later changes come.
                Engine::Postgres => {
                    bed.store.close().await;
                    bed.run("DROP SCHEMA IF EXISTS forge CASCADE").await;
                    restore(&bed.place(), &path).await.unwrap();
                    bed.place()
                }
            };
            let store = Store::open(&place).await.unwrap();
            let all = all_of(&store).await;
            for word in ["project 1", "task 1", "prompt 5", "CLAUDE_CODE", "npm ci", "AgentFailed", "what was asked"] {
                assert!(all.contains(word), "{word} is not there after schema {version}:\n{all}");
            }
            assert_eq!(store.list_attempts(None).await.unwrap().len(), 2);
            assert_eq!(store.list_intents().await.unwrap().len(), 1);
            bed.store = store.clone();
            bed.check_cards().await;
            // As many as there were, which later schemas add to.
            assert!(*store.head().borrow() >= 13);
            store.close().await;
        }
        bed.reopen().await;
    }
}

#[tokio::test]
async fn the_newest_schema_has_a_dump_of_what_it_is() {
    let newest = versions().await.into_iter().max().unwrap();
    let bed = Bed::new(Engine::Sqlite).await;
    bed.fill().await;
    let Place::Sqlite(path) = bed.place() else { panic!("a file") };
    let (schema, rows) = dumped(&path).await;
    for (table, ..) in of_file(&path).await {
        assert!(rows.contains(&format!("INSERT INTO {table} ")), "nothing is in {table}");
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(dump(newest), format!("{schema}\n{rows}")).unwrap();
    }
    let folder = TempDir::new().unwrap();
    let kept = dumped(&old(newest, &folder).await).await.0;
    assert_eq!(kept, schema, "the dump is of another schema: UPDATE=1 cargo nextest run -p forge-store dump");
}

/// The statements that make the schema, and those that make the rows.
async fn dumped(path: &Path) -> (String, String) {
    let mut db = SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(path)).await.unwrap();
    let schema: Vec<(String, String)> = sqlx::query_as(
        "SELECT name, sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name",
    )
    .fetch_all(&mut db)
    .await
    .unwrap();
    let tables = schema.iter().filter(|(_, sql)| sql.starts_with("CREATE TABLE"));
    let mut rows = vec!["PRAGMA foreign_keys = OFF;".to_owned()];
    for (table, _) in tables {
        let columns: Vec<(String,)> = sqlx::query_as("SELECT name FROM pragma_table_info($1)")
            .bind(table)
            .fetch_all(&mut db)
            .await
            .unwrap();
        let columns: Vec<String> = columns.into_iter().map(|(name,)| name).collect();
        let quoted: Vec<String> = columns.iter().map(|name| format!("quote({name})")).collect();
        let select = format!(
            "SELECT 'INSERT INTO {table} ({}) VALUES (' || {} || ');' FROM {table} ORDER BY rowid",
            columns.join(", "),
            quoted.join(" || ', ' || ")
        );
        let inserts: Vec<(String,)> =
            sqlx::query_as(sqlx::AssertSqlSafe(select)).fetch_all(&mut db).await.unwrap();
        rows.extend(inserts.into_iter().map(|(insert,)| insert));
    }
    let schema: Vec<String> = schema.into_iter().map(|(_, sql)| sql).collect();
    (schema.join("\n"), rows.join("\n"))
}
