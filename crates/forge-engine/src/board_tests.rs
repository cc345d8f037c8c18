//! A board that is kept is the board that is stored, whatever happened since it was read.

use forge_model::{Patch, Project, Task, UpdateTask};
use forge_store::Place;
use tempfile::TempDir;

use super::*;

struct Table {
    _folder: TempDir,
    store: Store,
    boards: Boards,
}

impl Table {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Place::Sqlite(folder.path().join("forge.db"))).await.unwrap();
        Self { _folder: folder, store, boards: Boards::default() }
    }

    async fn project(&self, path: &str) -> ProjectId {
        let project = Project {
            id: ProjectId::random(),
            name: path.to_owned(),
            git_repo_path: path.to_owned(),
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
        self.store.create_project(&project).await.unwrap();
        project.id
    }

    async fn task(&self, project: ProjectId, description: &str) -> TaskId {
        let task = Task {
            id: TaskId::random(),
            project_id: project,
            title: "Add login".to_owned(),
            description: Some(description.to_owned()),
            status: TaskStatus::Todo,
            parent_task_attempt: None,
            // Many in the same millisecond, and clocks go back.
            created_at: Timestamp::from_millis(Timestamp::now().as_millis() / 100),
            updated_at: Timestamp::now(),
        };
        self.store.create_task(&task).await.unwrap();
        task.id
    }

    async fn set_status(&self, id: TaskId, status: TaskStatus) {
        let change = UpdateTask { status: Patch::Set(status), ..UpdateTask::default() };
        self.store.update_task(id, change, Timestamp::now()).await.unwrap();
    }

    /// What a look shows is what is stored.
    async fn is_true(&self, project: ProjectId) -> Vec<Arc<TaskCard>> {
        let shown = self.boards.look(&self.store, project).await.unwrap().cards;
        let stored = self.store.list_cards(project).await.unwrap();
        assert_eq!(shown.iter().map(|card| (**card).clone()).collect::<Vec<_>>(), stored);
        shown.into_parts().0
    }

    async fn keeps(&self, project: ProjectId) -> bool {
        self.boards.kept.lock().await.boards.contains_key(&project)
    }
}

#[tokio::test]
async fn a_look_shows_whatever_was_committed_before_it() {
    let table = Table::new().await;
    let (ours, other) = (table.project("/ours").await, table.project("/other").await);
    assert!(table.is_true(ours).await.is_empty());
    let mut ids = Vec::new();
    for n in 0..20 {
        ids.push(table.task(ours, &n.to_string()).await);
        table.task(other, "not ours").await;
    }
    assert_eq!(table.is_true(ours).await.len(), 20);
    for (id, status) in ids.iter().zip(TaskStatus::ALL) {
        table.set_status(*id, status).await;
        table.is_true(ours).await;
    }
    // One of them stands for a conversation now, and comes back.
    assert_eq!(table.is_true(ours).await.len(), 19);
    table.set_status(ids[5], TaskStatus::Todo).await;
    table.store.delete_task(ids[7]).await.unwrap();
    assert_eq!(table.is_true(ours).await.len(), 19);
    assert!(table.keeps(ours).await);
    table.store.delete_project(ours).await.unwrap();
    assert!(table.is_true(ours).await.is_empty());
}

#[tokio::test]
async fn looks_while_others_write_miss_nothing() {
    let table = Table::new().await;
    let project = table.project("/ours").await;
    table.is_true(project).await;
    let written = async {
        for n in 0..300 {
            let id = table.task(project, &n.to_string()).await;
            let shown = table.boards.look(&table.store, project).await.unwrap().cards;
            assert!(shown.iter().any(|card| card.task.id == id), "task {n} is not shown to who made it");
        }
    };
    let looked = async {
        for _ in 0..100 {
            table.boards.look(&table.store, project).await.unwrap();
        }
    };
    tokio::join!(written, looked);
    assert_eq!(table.is_true(project).await.len(), 300);
}

#[tokio::test]
async fn a_board_whose_events_are_gone_is_read_anew() {
    let table = Table::new().await;
    let project = table.project("/ours").await;
    table.is_true(project).await;
    for n in 0..20 {
        table.task(project, &n.to_string()).await;
    }
    let later = Timestamp::from_millis(Timestamp::now().as_millis() + 1_000_000);
    table.store.prune_events(1, later).await.unwrap();
    assert_eq!(table.is_true(project).await.len(), 20);
}

#[tokio::test]
async fn no_more_is_kept_than_may_be() {
    let table = Table::new().await;
    let (big, small) = (table.project("/big").await, table.project("/small").await);
    table.task(small, "small").await;
    table.is_true(small).await;
    let text = "x".repeat(BYTES / 16);
    for _ in 0..12 {
        table.task(big, &text).await;
    }
    assert_eq!(table.is_true(big).await.len(), 12);
    assert!(table.keeps(big).await && table.keeps(small).await);
    for _ in 0..5 {
        table.task(big, &text).await;
    }
    // Too big alone: shown, not kept, and those looked at before it go first.
    assert_eq!(table.is_true(big).await.len(), 17);
    assert!(!table.keeps(big).await);
    assert_eq!(table.is_true(small).await.len(), 1);
    assert!(table.keeps(small).await);
}

#[tokio::test]
async fn look_is_refused_while_slow_readers_hold_copies() {
    let mut table = Table::new().await;
    table.boards.wait = Duration::ZERO;
    let (large, small) = (table.project("/large").await, table.project("/small").await);
    table.task(small, "small").await;
    for _ in 0..17 {
        table.task(large, &"x".repeat(BYTES / 16)).await;
    }
    // The first look finds out that the board is too large to keep.
    table.is_true(large).await;
    let look = || table.boards.look(&table.store, large);
    let (first, _second) = (look().await.unwrap(), look().await.unwrap());
    let refused = look().await.err().unwrap();
    assert_eq!(refused.code(), "board_busy", "{refused}");
    assert_eq!(table.is_true(small).await.len(), 1);
    drop(first);
    assert_eq!(table.is_true(large).await.len(), 17);
}
