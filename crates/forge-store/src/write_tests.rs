use forge_model::{Project, ProjectId};
use tempfile::TempDir;

use super::*;
use crate::Store;

fn project(name: &str) -> Project {
    Project {
        id: ProjectId::random(),
        name: name.into(),
        git_repo_path: format!("/{}", ProjectId::random()),
        setup_script: None,
        dev_script: None,
        cleanup_script: None,
        copy_files: None,
        commit_prompt: None,
        created_at: Timestamp::from_millis(1),
        updated_at: Timestamp::from_millis(1),
    }
}

async fn open(folder: &TempDir) -> Store {
    Store::open(&crate::Place::Sqlite(folder.path().join("forge.db"))).await.unwrap()
}

/// Runs a statement on the connection that writes.
async fn run(store: &Store, statement: &'static str) -> Result<(), StoreError> {
    store
        .queue
        .write(move |tx| {
            Box::pin(async move {
                on!(tx.db(), |db| sqlx::query(statement).fetch_all(db).await.map(drop))
                    .map_err(StoreError::query("run a statement"))
            })
        })
        .await
}

#[tokio::test]
async fn a_statement_that_fails_after_an_event_takes_the_event_back() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder).await;
    let fact = Fact::ProjectCreated(project("never"));
    let failed = store.queue.write(move |tx| {
        Box::pin(async move {
            tx.append(&fact).await?;
            tx.append(&fact).await?;
            on!(tx.db(), |db| sqlx::query("INSERT INTO nowhere VALUES (1)").execute(db).await.map(drop))
                .map_err(StoreError::query("try"))
        })
    });
    assert!(matches!(failed.await, Err(StoreError::Query { what: "try", .. })));
    assert_eq!(*store.head().borrow(), 0);
    assert_eq!(store.events_after(0, 9).await.unwrap(), []);
    store.create_project(&project("first")).await.unwrap();
    assert_eq!(*store.head().borrow(), 1);
}

#[tokio::test]
async fn a_transaction_that_the_engine_ended_by_itself_does_not_stop_the_next() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder).await;
    assert!(run(&store, "ROLLBACK").await.is_err());
    store.create_project(&project("next")).await.unwrap();
    assert_eq!(*store.head().borrow(), 1);
}

#[tokio::test]
async fn a_full_disk_fails_the_write_and_not_the_store() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder).await;
    store.create_project(&project("first")).await.unwrap();
    // Smaller than it is cannot be asked for, so this leaves no room at all.
    run(&store, "PRAGMA max_page_count = 1").await.unwrap();
    let huge = project(&"x".repeat(1_000_000));
    let full = store.create_project(&huge).await.unwrap_err();
    assert!(matches!(full, StoreError::Full { .. }), "{full:?}");
    assert_eq!(*store.head().borrow(), 1);
    run(&store, "PRAGMA max_page_count = 1000000").await.unwrap();
    store.create_project(&huge).await.unwrap();
    assert_eq!(store.list_projects().await.unwrap().len(), 2);
    assert_eq!(*store.head().borrow(), 2);
}

#[tokio::test]
async fn a_database_that_another_program_holds_is_busy() {
    let folder = TempDir::new().unwrap();
    let (holder, store) = (open(&folder).await, open(&folder).await);
    run(&store, "PRAGMA busy_timeout = 0").await.unwrap();
    let (held, holding) = oneshot::channel();
    let (release, released) = oneshot::channel::<()>();
    let hold = holder.queue.write(move |_tx| {
        Box::pin(async move {
            held.send(()).unwrap();
            released.await.unwrap();
            Ok(())
        })
    });
    let meanwhile = async {
        holding.await.unwrap();
        let busy = store.create_project(&project("busy")).await.unwrap_err();
        assert!(matches!(busy, StoreError::Busy { .. }), "{busy:?}");
        assert!(store.list_projects().await.unwrap().is_empty(), "readers are not held up");
        release.send(()).unwrap();
    };
    let (hold, ()) = tokio::join!(hold, meanwhile);
    hold.unwrap();
    store.create_project(&project("free")).await.unwrap();
}
