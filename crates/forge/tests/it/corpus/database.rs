//! The database of a corpus as SQL text.

use std::path::Path;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, Connection as _};

async fn connect(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true).foreign_keys(false);
    SqliteConnection::connect_with(&options).await.unwrap()
}

/// Makes a database of a dump.
pub(super) async fn load(path: &Path, dump: String) {
    let mut db = connect(path).await;
    sqlx::raw_sql(AssertSqlSafe(dump)).execute(&mut db).await.unwrap();
    db.close().await.unwrap();
}

/// The statements that make the schema and the rows.
pub(super) async fn dump(path: &Path) -> String {
    let mut db = connect(path).await;
    let schema: Vec<(String, String)> = sqlx::query_as(
        "SELECT name, sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name",
    )
    .fetch_all(&mut db)
    .await
    .unwrap();
    let mut rows = Vec::new();
    for (table, _) in schema.iter().filter(|(_, sql)| sql.starts_with("CREATE TABLE")) {
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
        let inserts: Vec<(String,)> = sqlx::query_as(AssertSqlSafe(select)).fetch_all(&mut db).await.unwrap();
        rows.extend(inserts.into_iter().map(|(insert,)| insert));
    }
    db.close().await.unwrap();
    let schema: Vec<String> = schema.into_iter().map(|(_, sql)| sql).collect();
    format!("{}\n{}\n", schema.join("\n"), rows.join("\n"))
}
