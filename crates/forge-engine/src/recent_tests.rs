//! Whoever follows the log through what is kept reads what is stored.

use forge_model::{Project, Timestamp};
use forge_store::Place;
use futures::future::join_all;
use tempfile::TempDir;

use super::*;

async fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&Place::Sqlite(folder.path().join("forge.db"))).await.unwrap();
    (folder, store)
}

async fn write(store: &Store, count: usize, text: &str) {
    for _ in 0..count {
        let id = ProjectId::random();
        let project = Project {
            id,
            name: text.to_owned(),
            git_repo_path: format!("/{id}"),
            setup_script: None,
            dev_script: None,
            cleanup_script: None,
            copy_files: None,
            commit_prompt: None,
            default_base_branch: None,
            fetch_submodules: false,
            skip_commit_hooks: false,
            skip_commit_signing: false,
            created_at: Timestamp::now(),
            updated_at: Timestamp::now(),
        };
        store.create_project(&project).await.unwrap();
    }
}

/// Every event up to `last`, as a reader that waits for the head gets them.
async fn follow(recent: &Recent, store: &Store, mut after: Seq, last: Seq) -> Vec<Event> {
    let (mut head, mut read) = (store.head(), Vec::new());
    while after < last {
        head.borrow_and_update();
        let page = recent.after(store, after, 100).await.unwrap();
        if page.is_empty() {
            head.changed().await.unwrap();
        }
        for told in page {
            after = told.event.seq;
            read.push(told.event.clone());
        }
    }
    read
}

#[tokio::test]
async fn twenty_readers_cost_as_much_as_one_and_each_reads_everything() {
    let (_folder, store) = store().await;
    let recent = Recent::default();
    let before = store.measured().reads;
    let readers = join_all((0..20).map(|_| follow(&recent, &store, 0, 500)));
    let (read, ()) = tokio::join!(readers, write(&store, 500, "p"));
    let reads = store.measured().reads - before;
    let stored = store.events_after(0, 1_000).await.unwrap();
    assert_eq!(stored.len(), 500);
    assert!(read.iter().all(|read| *read == stored));
    // At most once for each commit, however the readers and the writer come to run.
    assert!(reads <= 500, "20 readers of 500 commits asked the database {reads} times");
}

#[tokio::test]
async fn who_is_far_behind_reads_everything_and_little_is_kept() {
    let (_folder, store) = store().await;
    let recent = Recent::default();
    write(&store, MOST + 300, "p").await;
    let last = *store.head().borrow();
    let stored = store.events_after(0, 10_000).await.unwrap();
    for after in [0, 299, 300, 301, last - 1] {
        let expected = stored.iter().filter(|event| event.seq > after).cloned().collect::<Vec<_>>();
        assert_eq!(follow(&recent, &store, after, last).await, expected, "after {after}");
    }
    assert!(recent.after(&store, last, 10).await.unwrap().is_empty());
    assert!(recent.after(&store, last + 5, 10).await.unwrap().is_empty());
    write(&store, 30, &"x".repeat(BYTES / 20)).await;
    let big = follow(&recent, &store, last, last + 30).await;
    assert_eq!(big, store_after(&store, last).await);
    let ring = recent.ring.lock().await;
    assert!(ring.bytes <= BYTES && !ring.told.is_empty() && ring.told.len() < 30);
    assert_eq!(ring.bytes, ring.told.iter().map(|told| told.bytes).sum::<usize>());
}

async fn store_after(store: &Store, mut after: Seq) -> Vec<Event> {
    let mut all = Vec::new();
    loop {
        let page = store.events_after(after, 1_000).await.unwrap();
        let Some(last) = page.last() else { return all };
        after = last.seq;
        all.extend(page);
    }
}

#[tokio::test]
async fn who_comes_too_late_is_told_so() {
    let (_folder, store) = store().await;
    let recent = Recent::default();
    write(&store, 10, "p").await;
    follow(&recent, &store, 8, 10).await;
    write(&store, 20, "p").await;
    let later = Timestamp::from_millis(Timestamp::now().as_millis() + 1_000_000);
    store.prune_events(5, later).await.unwrap();
    // What the ring had read before goes with what it cannot go on to.
    for after in [0, 8, 9, 20] {
        let late = recent.after(&store, after, 10).await;
        assert!(matches!(late, Err(StoreError::Pruned { first: 26 })), "after {after}: {late:?}");
    }
    assert_eq!(follow(&recent, &store, 25, 30).await, store_after(&store, 25).await);
}
