//! Opening, closing and refusing a database.

use std::error::Error;
use std::os::unix::fs::PermissionsExt;
use std::slice::from_ref;

use forge_store::{Place, Store, StoreError, pending};
use tempfile::TempDir;

use crate::bed::{Bed, Engine, Filled, all_of, check_gapless, store_test, task};

store_test! {
    async fn everything_is_there_after_closing_and_opening_again(bed: &mut Bed) {
        let Filled { project, started, prompt, begun, run } = bed.fill().await;
        let all = all_of(&bed.store).await;
        let (head, told) = (bed.head(), bed.told(0).await);
        bed.reopen().await;
        assert_eq!((bed.head(), bed.told(0).await), (head, told));
        assert_eq!(all_of(&bed.store).await, all);
        assert_eq!(bed.store.list_projects().await.unwrap(), from_ref(&project));
        assert_eq!(bed.store.get_card(started.task.task.id).await.unwrap(), started.task);
        assert_eq!(bed.store.list_unfinished_attempts().await.unwrap(), [started.attempt.clone(), run.attempt]);
        assert_eq!(bed.store.list_running_processes().await.unwrap(), [started.process.clone().unwrap(), run.process.unwrap()]);
        assert_eq!(bed.store.list_follow_ups(prompt.attempt_id).await.unwrap(), [prompt]);
        assert_eq!(bed.store.list_intents().await.unwrap(), [begun]);
        assert_eq!(bed.store.find_answer("key").await.unwrap().unwrap().started.of_task().unwrap(), started);
        bed.store.create_task(&task(project.id, 9)).await.unwrap();
        assert_eq!(bed.head(), head + 1);
    }
}

store_test! {
    async fn a_store_that_is_dropped_without_closing_loses_nothing(bed: &Bed) {
        let project = bed.project().await;
        let second = Store::open(&bed.place()).await.unwrap();
        second.create_task(&task(project.id, 1)).await.unwrap();
        drop(second);
        let third = Store::open(&bed.place()).await.unwrap();
        assert_eq!(third.list_cards(project.id).await.unwrap().len(), 1);
        // On a file nobody tells the first store what the second wrote, until it writes itself.
        bed.store.create_task(&task(project.id, 2)).await.unwrap();
    }
}

#[tokio::test]
async fn the_database_is_its_owners_alone() {
    let bed = Bed::new(Engine::Sqlite).await;
    bed.project().await;
    let mut files = 0;
    for entry in std::fs::read_dir(bed.folder.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{:?}", entry.path());
        files += 1;
    }
    assert!(files >= 2, "the database and its log");
}

store_test! {
    async fn a_database_of_a_newer_program_is_refused(bed: &mut Bed) {
        bed.project().await;
        bed.run(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             VALUES (999, 'of the future', TRUE, '', 0)",
        )
        .await;
        let refused = [Store::open(&bed.place()).await.map(drop), pending(&bed.place()).await.map(drop)];
        for refused in refused {
            match refused {
                Err(StoreError::Newer { found: 999, known }) => {
                    let error = StoreError::Newer { found: 999, known };
                    let message = "the database was written by a newer Forge (schema 999; this one knows up to";
                    assert_eq!(error.to_string(), format!("{message} {known})"));
                }
                other => panic!("expected a refusal: {other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn what_is_no_database_is_refused_and_left_alone() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("notes.txt");
    let text = "not a database, but long enough to be taken for one\n".repeat(100);
    std::fs::write(&file, &text).unwrap();
    for path in [file.clone(), folder.path().into(), folder.path().join("missing/forge.db")] {
        match Store::open(&Place::Sqlite(path.clone())).await {
            Err(error @ StoreError::Open { .. }) => {
                assert_eq!(error.to_string(), format!("the database {} cannot be opened", path.display()));
                assert!(error.source().is_some());
            }
            other => panic!("expected a refusal: {other:?}"),
        }
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}

store_test! {
    async fn a_closed_store_refuses_everything_and_closes_twice(bed: &mut Bed) {
        let project = bed.project().await;
        let task = task(project.id, 1);
        let (queued, ()) = tokio::join!(bed.store.create_task(&task), bed.store.close());
        queued.unwrap();
        bed.store.close().await;
        let closed = [
            bed.store.create_project(&project).await.unwrap_err(),
            bed.store.get_project(project.id).await.unwrap_err(),
            bed.store.events_after(0, 1).await.unwrap_err(),
        ];
        for error in closed {
            assert!(matches!(error, StoreError::Closed), "{error:?}");
        }
        bed.reopen().await;
    }
}

store_test! {
    async fn a_second_program_may_read_and_write_beside_the_first(bed: &Bed) {
        let project = bed.project().await;
        let second = Store::open(&bed.place()).await.unwrap();
        assert_eq!(*second.head().borrow(), 1);
        for number in 0..20 {
            let store = if number % 2 == 0 { &second } else { &bed.store };
            store.create_task(&task(project.id, number)).await.unwrap();
        }
        let (ours, theirs) = (task(project.id, 30), task(project.id, 31));
        let (one, two) = tokio::join!(bed.store.create_task(&ours), second.create_task(&theirs));
        one.unwrap();
        two.unwrap();
        let events = second.events_after(0, 100).await.unwrap();
        assert_eq!(events.len(), 23);
        check_gapless(&events);
        assert_eq!(bed.store.list_cards(project.id).await.unwrap().len(), 22);
        // Theirs may have come last, and on a file nobody tells.
        bed.store.create_task(&task(project.id, 32)).await.unwrap();
    }
}

store_test! {
    async fn a_row_that_cannot_be_read_is_named(bed: &Bed) {
        let project = bed.project().await;
        let task = bed.task(project.id).await;
        bed.run("UPDATE task SET status = 'undecided'").await;
        match bed.store.get_task(task.id).await {
            Err(error @ StoreError::Corrupt { .. }) => {
                assert_eq!(error.to_string(), "a stored task status cannot be read");
            }
            other => panic!("expected a complaint: {other:?}"),
        }
        bed.run("UPDATE task SET status = 'todo'").await;
    }
}
