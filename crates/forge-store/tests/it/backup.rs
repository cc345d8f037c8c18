//! Backups: taken while somebody writes, read back on either engine.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use forge_store::{Place, Store, StoreError, backup, count_rows, restore};
use forge_testkit::postgres::TestPostgres;
use tempfile::TempDir;

use crate::bed::{Bed, Engine, all_of, assert_conflict, store_test, task};

store_test! {
    async fn a_backup_has_everything_on_either_engine(bed: &Bed) {
        bed.fill().await;
        let all = all_of(&bed.store).await;
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("backup.db");
        backup(&bed.place(), &file).await.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let postgres = TestPostgres::start();
        let server = Place::Postgres(postgres.url().parse().unwrap());
        for place in [Place::Sqlite(folder.path().join("forge.db")), server] {
            restore(&place, &file).await.unwrap();
            let store = Store::open(&place).await.unwrap();
            assert_eq!(all_of(&store).await, all);
            // It is a database like any other: it can be written, and no port is given out twice.
            let project = store.list_projects().await.unwrap()[0].id;
            store.create_task(&task(project, 50)).await.unwrap();
            let next = crate::bed::intent_for_new(project, 60);
            let begun = store.begin_start(&next, 20_000..=29_999, |_| true).await.unwrap();
            assert_eq!(begun.attempt.first_port, Some(20_040));
            store.close().await;
            assert_conflict(restore(&place, &file).await, "there is a database already");
        }
        assert_eq!(all_of(&bed.store).await, all);
        assert_eq!(names(folder.path()), ["backup.db", "forge.db"]);
    }
}

store_test! {
    async fn rows_are_counted_by_table_while_a_server_has_the_database(bed: &Bed) {
        bed.fill().await;
        let counts = count_rows(&bed.place()).await.unwrap();
        let count = |table: &str| usize::try_from(counts[table]).unwrap();
        assert_eq!(count("project"), bed.store.list_projects().await.unwrap().len());
        assert_eq!(count("attempt"), bed.store.list_attempts_and_runs(None).await.unwrap().len());
        assert_eq!(count("start_intent"), bed.store.list_intents().await.unwrap().len());
        assert_eq!(count("event"), bed.store.events_after(0, 1_000).await.unwrap().len());
        assert!(!counts.contains_key("_sqlx_migrations"), "{counts:?}");
    }
}

store_test! {
    async fn a_backup_is_of_one_moment_while_others_write(bed: &Bed) {
        let project = bed.project().await.id;
        let folder = TempDir::new().unwrap();
        for round in 0..3_i64 {
            let file = folder.path().join(format!("{round}.db"));
            let place = bed.place();
            let writing = async {
                for number in 0..40 {
                    bed.store.create_task(&task(project, round * 40 + number)).await.unwrap();
                }
            };
            let (saved, ()) = tokio::join!(backup(&place, &file), writing);
            saved.unwrap();
            let store = Store::open(&Place::Sqlite(file)).await.unwrap();
            let events = store.events_after(0, 1_000).await.unwrap().len();
            assert_eq!(store.list_cards(project).await.unwrap().len() + 1, events);
        }
    }
}

store_test! {
    async fn a_backup_never_writes_over_a_file_and_leaves_no_half_of_one(bed: &Bed) {
        bed.project().await;
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("notes.txt");
        std::fs::write(&file, "mine").unwrap();
        assert_conflict(backup(&bed.place(), &file).await, "there is a file of this name already");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
        let nowhere = backup(&bed.place(), &folder.path().join("missing/backup.db")).await;
        assert!(matches!(nowhere, Err(StoreError::File { .. })), "{nowhere:?}");
        let place = Place::Sqlite(folder.path().join("none.db"));
        let nothing = backup(&place, &folder.path().join("backup.db")).await;
        assert!(matches!(nothing, Err(StoreError::Open { .. })), "{nothing:?}");
        assert_eq!(names(folder.path()), ["notes.txt"]);
    }
}

store_test! {
    async fn what_is_no_backup_is_refused_and_nothing_is_made(bed: &mut Bed) {
        let folder = TempDir::new().unwrap();
        let (text, empty, gone) = ("notes.txt", "empty.db", "gone.db");
        std::fs::write(folder.path().join(text), "not a database, but long enough\n".repeat(100)).unwrap();
        std::fs::write(folder.path().join(empty), "").unwrap();
        let newer = folder.path().join("newer.db");
        backup(&bed.place(), &newer).await.unwrap();
        crate::bed::run_on_file(&newer, "UPDATE _sqlx_migrations SET version = 999 WHERE version = 1").await;
        bed.store.close().await;
        let fresh = match bed.engine {
            Engine::Sqlite => Place::Sqlite(folder.path().join("forge.db")),
            Engine::Postgres => {
                bed.run("DROP SCHEMA forge CASCADE").await;
                bed.place()
            }
        };
        for name in [text, empty, gone] {
            let refused = restore(&fresh, &folder.path().join(name)).await;
            assert!(matches!(refused, Err(StoreError::Open { .. })), "{name}: {refused:?}");
        }
        let refused = restore(&fresh, &newer).await;
        assert!(matches!(refused, Err(StoreError::Newer { found: 999, .. })), "{refused:?}");
        assert_eq!(names(folder.path()), [empty, "newer.db", text]);
        let pending = forge_store::pending(&fresh).await.unwrap();
        assert_eq!(pending.first(), Some(&(1, "init")), "nothing was made");
        bed.reopen().await;
    }
}

store_test! {
    async fn a_restore_that_was_interrupted_can_be_done_again(bed: &mut Bed) {
        bed.fill().await;
        let all = all_of(&bed.store).await;
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("backup.db");
        backup(&bed.place(), &file).await.unwrap();
        if bed.engine == Engine::Postgres {
            // As a crash leaves it that came after the schema was made.
            bed.store.close().await;
            bed.run("DROP SCHEMA forge CASCADE").await;
            bed.reopen().await;
            bed.store.close().await;
            restore(&bed.place(), &file).await.unwrap();
            bed.reopen().await;
            assert_eq!(all_of(&bed.store).await, all);
        } else {
            // A file gets its name when it is whole.
            let place = Place::Sqlite(folder.path().join("forge.db"));
            std::fs::write(folder.path().join("forge.db.1.partial"), "half").unwrap();
            restore(&place, &file).await.unwrap();
            assert_eq!(all_of(&Store::open(&place).await.unwrap()).await, all);
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
