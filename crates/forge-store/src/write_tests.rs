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
        default_base_branch: None,
        fetch_submodules: false,
        skip_commit_hooks: false,
        skip_commit_signing: false,
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

/// Runs a statement as a write of its own that tells of a project before.
async fn tell_and_run(store: &Store, name: &str, statement: &'static str) -> Result<(), StoreError> {
    let fact = Fact::ProjectCreated(project(name));
    store
        .queue
        .write(move |tx| {
            Box::pin(async move {
                tx.append(&fact).await?;
                on!(tx.db(), |db| sqlx::query(statement).execute(db).await.map(drop))
                    .map_err(StoreError::query("run a statement"))
            })
        })
        .await
}

/// Keeps the writer busy until what is done `meanwhile` stands in the queue.
async fn behind<T>(store: &Store, waiting: usize, meanwhile: impl Future<Output = T>) -> T {
    let (held, holding) = oneshot::channel();
    let (release, released) = oneshot::channel::<()>();
    let hold = store.queue.write(move |_tx| {
        Box::pin(async move {
            held.send(()).unwrap();
            released.await.unwrap();
            Ok(())
        })
    });
    let queued = async {
        holding.await.unwrap();
        while store.queue.jobs.max_capacity() - store.queue.jobs.capacity() < waiting {
            tokio::task::yield_now().await;
        }
        release.send(()).unwrap();
    };
    let (_held, (), done) = tokio::join!(hold, queued, meanwhile);
    done
}

async fn names(store: &Store) -> Vec<String> {
    let events = store.events_after(0, 99).await.unwrap();
    let name = |event: forge_model::Event| match event.fact {
        Fact::ProjectCreated(project) => project.name,
        other => panic!("{other:?}"),
    };
    events.into_iter().map(name).collect()
}

/// Those that wait share a commit; the one that fails takes back itself alone.
async fn share_a_commit(store: &Store) {
    let before = store.measured();
    let (first, second, third, fourth) = behind(store, 4, async {
        tokio::join!(
            tell_and_run(store, "first", "SELECT 1"),
            tell_and_run(store, "second", "INSERT INTO nowhere VALUES (1)"),
            tell_and_run(store, "third", "SELECT 1"),
            tell_and_run(store, "fourth", "INSERT INTO nowhere VALUES (1)"),
        )
    })
    .await;
    first.unwrap();
    third.unwrap();
    for failed in [second, fourth] {
        assert!(matches!(failed, Err(StoreError::Query { what: "run a statement", .. })), "{failed:?}");
    }
    assert_eq!(names(store).await, ["first", "third"]);
    assert_eq!(*store.head().borrow(), 2);
    let now = store.measured();
    assert_eq!((now.writes - before.writes, now.commits - before.commits), (5, 1));
    assert_eq!(now.failed - before.failed, 2);
    tell_and_run(store, "next", "SELECT 1").await.unwrap();
    assert_eq!(names(store).await, ["first", "third", "next"]);
}

#[tokio::test]
async fn writes_that_wait_share_a_commit_and_one_that_fails_undoes_itself_alone() {
    let folder = TempDir::new().unwrap();
    share_a_commit(&open(&folder).await).await;
    let postgres = forge_testkit::postgres::TestPostgres::start();
    let place = crate::Place::Postgres(postgres.url().parse().unwrap());
    let store = Store::open(&place).await.unwrap();
    share_a_commit(&store).await;
    store.close().await;
}

#[tokio::test]
async fn a_transaction_that_the_engine_ends_fails_all_that_share_it() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder).await;
    let (first, second) = behind(&store, 2, async {
        tokio::join!(tell_and_run(&store, "first", "SELECT 1"), tell_and_run(&store, "second", "ROLLBACK"))
    })
    .await;
    assert!(first.is_err() && second.is_err(), "{first:?} {second:?}");
    assert_eq!((names(&store).await, *store.head().borrow()), (vec![], 0));
    run(&store, "PRAGMA max_page_count = 1").await.unwrap();
    let large = project(&"x".repeat(1_000_000));
    let (first, second) = behind(&store, 2, async {
        tokio::join!(tell_and_run(&store, "first", "SELECT 1"), store.create_project(&large))
    })
    .await;
    for full in [first, second] {
        assert!(matches!(full, Err(StoreError::Full { .. })), "{full:?}");
    }
    run(&store, "PRAGMA max_page_count = 1000000").await.unwrap();
    tell_and_run(&store, "next", "SELECT 1").await.unwrap();
    assert_eq!(names(&store).await, ["next"]);
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

/// A caller that gave up is told that its write was not made, and it never is.
async fn abandon_a_queued_write(store: &Store) {
    let (_lost, unresolved) = watch::channel(true);
    let impatient = Queue { jobs: store.queue.jobs.clone(), unresolved };
    let (held, holding) = oneshot::channel();
    let (release, released) = oneshot::channel::<()>();
    let hold = store.queue.write(move |_tx| {
        Box::pin(async move {
            held.send(()).unwrap();
            released.await.unwrap();
            Ok(())
        })
    });
    let fact = Fact::ProjectCreated(project("abandoned"));
    let give_up = async {
        holding.await.unwrap();
        let given_up = impatient.write(move |tx| Box::pin(async move { tx.append(&fact).await })).await;
        assert!(matches!(given_up, Err(StoreError::Away { .. })), "{given_up:?}");
        release.send(()).unwrap();
    };
    let (held, ()) = tokio::join!(hold, give_up);
    held.unwrap();
    tell_and_run(store, "next", "SELECT 1").await.unwrap();
    assert_eq!(names(store).await, ["next"]);
}

#[tokio::test]
async fn abandoned_write_is_never_made() {
    let folder = TempDir::new().unwrap();
    abandon_a_queued_write(&open(&folder).await).await;
    let postgres = forge_testkit::postgres::TestPostgres::start();
    let store = Store::open(&crate::Place::Postgres(postgres.url().parse().unwrap())).await.unwrap();
    abandon_a_queued_write(&store).await;
    store.close().await;
}

#[tokio::test]
async fn begun_write_of_impatient_caller_is_unknown() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder).await;
    let (_lost, unresolved) = watch::channel(true);
    let impatient = Queue { jobs: store.queue.jobs.clone(), unresolved };
    let (release, released) = oneshot::channel::<()>();
    let fact = Fact::ProjectCreated(project("begun"));
    let write = impatient.write(move |tx| {
        Box::pin(async move {
            released.await.unwrap();
            tx.append(&fact).await
        })
    });
    let unknown = write.await;
    assert!(matches!(unknown, Err(StoreError::Unknown)), "{unknown:?}");
    release.send(()).unwrap();
    tell_and_run(&store, "next", "SELECT 1").await.unwrap();
    assert_eq!(names(&store).await, ["begun", "next"]);
}
