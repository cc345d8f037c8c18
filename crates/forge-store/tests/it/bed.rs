//! A store on a database of its own, and rows to put into it.

use std::fmt::Debug;
use std::path::Path;

use forge_model::{
    Action, Approval, ApprovalId, ApprovalStatus, Attempt, AttemptId, AttemptState, Begun, Draft, DraftKind,
    Event, Fact, FollowUp, FollowUpId, How, Outcome, Patch, Process, ProcessId, ProcessKind, ProcessState,
    Profile, Project, ProjectId, QueueExit, Reason, RemovedFollowUp, SaveDraft, Seq, Stage, Started, Task,
    TaskCard, TaskId, TaskMove, TaskStatus, Timestamp, UpdateTask,
};
use forge_store::{Advance, Intent, IntentTask, Place, Store, StoreError};
use forge_testkit::postgres::TestPostgres;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, Connection as _};
use tempfile::TempDir;

/// A test of one rule that every database engine has to keep: it runs on each.
macro_rules! store_test {
    ($(#[$meta:meta])* async fn $name:ident($bed:ident: $type:ty) $body:block) => {
        async fn $name($bed: $type) $body

        mod $name {
            use $crate::bed::{Bed, Engine};

            $(#[$meta])*
            #[tokio::test]
            async fn sqlite() {
                let mut bed = Bed::new(Engine::Sqlite).await;
                super::$name(&mut bed).await;
                bed.check().await;
            }

            $(#[$meta])*
            #[tokio::test]
            async fn postgres() {
                let mut bed = Bed::new(Engine::Postgres).await;
                super::$name(&mut bed).await;
                bed.check().await;
            }
        }
    };
}
pub(crate) use store_test;

/// What the rules are tried on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

pub(crate) struct Bed {
    pub(crate) store: Store,
    pub(crate) engine: Engine,
    pub(crate) folder: TempDir,
    pub(crate) postgres: Option<TestPostgres>,
}

/// What [`Bed::fill`] made.
pub(crate) struct Filled {
    pub(crate) project: Project,
    pub(crate) started: Started,
    pub(crate) prompt: FollowUp,
    pub(crate) begun: Intent,
    pub(crate) run: Begun,
}

/// Everything that a store can tell, as text: equal texts are equal stores.
pub(crate) async fn all_of(store: &Store) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    let first = store.first_seq().await.unwrap();
    writeln!(text, "{:#?}", store.events_after(first - 1, 1_000_000).await.unwrap()).unwrap();
    for project in store.list_projects().await.unwrap() {
        writeln!(text, "{project:#?}\n{:#?}", store.list_cards(project.id).await.unwrap()).unwrap();
    }
    for attempt in store.list_attempts_and_runs(None).await.unwrap() {
        let processes = store.list_processes(attempt.id).await.unwrap();
        let prompts = store.list_follow_ups(attempt.id).await.unwrap();
        writeln!(text, "{attempt:#?}\n{processes:#?}\n{prompts:#?}").unwrap();
    }
    let (intents, answer) = (store.list_intents().await.unwrap(), store.find_answer("key").await.unwrap());
    writeln!(text, "{intents:#?}\n{answer:#?}").unwrap();
    writeln!(text, "{:#?}", store.list_pending_approvals().await.unwrap()).unwrap();
    let (tags, images) = (store.list_tags().await.unwrap(), store.list_images().await.unwrap());
    writeln!(text, "{tags:#?}\n{images:#?}\n{:#?}", store.get_settings(None).await.unwrap()).unwrap();
    for project in store.list_projects().await.unwrap() {
        let settings = store.get_settings(Some(project.id)).await.unwrap();
        writeln!(text, "{settings:#?}\n{:#?}", store.list_standing_agents(project.id).await.unwrap())
            .unwrap();
        for card in store.list_cards(project.id).await.unwrap() {
            writeln!(text, "{:#?}", store.list_task_images(card.task.id).await.unwrap()).unwrap();
        }
    }
    text
}

impl Bed {
    pub(crate) async fn new(engine: Engine) -> Self {
        let folder = TempDir::new().unwrap();
        let postgres = (engine == Engine::Postgres).then(TestPostgres::start);
        let store = Store::open(&place(&folder, postgres.as_ref())).await.unwrap();
        Self { store, engine, folder, postgres }
    }

    pub(crate) fn place(&self) -> Place {
        place(&self.folder, self.postgres.as_ref())
    }

    /// Closes the store and opens it again.
    pub(crate) async fn reopen(&mut self) {
        self.store.close().await;
        self.store = Store::open(&self.place()).await.unwrap();
    }

    /// Runs a statement of the test's own, beside the store.
    pub(crate) async fn run(&self, statement: &'static str) {
        match self.place() {
            Place::Sqlite(path) => run_on_file(&path, statement).await,
            Place::Postgres(_) => {
                let url = self.postgres.as_ref().unwrap().url();
                let mut db = PgConnection::connect(&url).await.unwrap();
                sqlx::raw_sql("SET search_path = forge").execute(&mut db).await.unwrap();
                sqlx::raw_sql(statement).execute(&mut db).await.unwrap();
                db.close().await.unwrap();
            }
        }
    }

    pub(crate) fn head(&self) -> Seq {
        *self.store.head().borrow()
    }

    /// What was told after this position.
    pub(crate) async fn told(&self, after: Seq) -> Vec<Fact> {
        self.events(after).await.into_iter().map(|event| event.fact).collect()
    }

    /// Every event after this position, page by page.
    async fn events(&self, after: Seq) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        loop {
            let after = events.last().map_or(after, |event| event.seq);
            let page = self.store.events_after(after, 1_000_000).await.unwrap();
            if page.is_empty() {
                return events;
            }
            events.extend(page);
        }
    }

    /// What every test must leave: a log without gaps whose end is the head, and cards that say what attempts say.
    pub(crate) async fn check(&self) {
        self.check_cards().await;
        let first = self.store.first_seq().await.unwrap();
        let events = self.events(first - 1).await;
        check_gapless(&events);
        assert_eq!(events.last().map_or(0, |event| event.seq), self.head());
    }

    pub(crate) async fn check_cards(&self) {
        for project in self.store.list_projects().await.unwrap() {
            for card in self.store.list_cards(project.id).await.unwrap() {
                let attempts = self.store.list_attempts(Some(card.task.id)).await.unwrap();
                let newest = attempts.first();
                let expected = TaskCard {
                    task: card.task.clone(),
                    has_in_progress_attempt: attempts.iter().any(|attempt| attempt.status() == "running"),
                    last_attempt_failed: newest.is_some_and(|newest| newest.status() == "failed"),
                    executor: newest.map_or_else(String::new, |newest| newest.profile.executor.clone()),
                    attempt_count: i64::try_from(attempts.len()).unwrap(),
                };
                assert_eq!(card, expected);
            }
        }
    }

    /// Something in every table.
    pub(crate) async fn fill(&self) -> Filled {
        let node = forge_store::NodeRecord {
            id: forge_model::NodeId::random(),
            name: "node".into(),
            data_folder: "/data".into(),
            machine: "machine".into(),
            inode: 1,
            generation: None,
        };
        self.store.serve_as(&node).await.unwrap();
        let project = self.project().await;
        let task = self.task(project.id).await;
        let mut intent = intent_for_new(project.id, 2);
        intent.idempotency_key = Some("key".into());
        let started = self.started(&intent).await;
        let child = Task { parent_task_attempt: Some(started.attempt.id), ..self::task(project.id, 3) };
        self.store.create_task(&child).await.unwrap();
        self.finished(&self.started(&intent_for(&task, 4)).await, failure()).await;
        let prompt = follow_up(started.attempt.id, 5);
        self.store.queue_follow_up(&prompt).await.unwrap();
        let write = |draft: Draft| {
            draft.save(SaveDraft { prompt: Patch::Set("half a sen".into()), ..SaveDraft::default() })
        };
        self.store.change_draft(started.attempt.id, DraftKind::FollowUp, write).await.unwrap().unwrap();
        let begun = intent_for(&child, 6);
        let begun = self.store.begin_start(&begun, 20_000..=29_999, |_| true).await.unwrap();
        let run = self.begun(&intent_for_run(project.id, 7)).await;
        let asked = approval(run.process.as_ref().map(|process| process.id), 8);
        self.store.ask_approval(&asked).await.unwrap();
        self.fill_stuff(project.id, task.id).await;
        Filled { project, started, prompt, begun, run }
    }

    pub(crate) async fn project(&self) -> Project {
        let project = project(1);
        self.store.create_project(&project).await.unwrap();
        project
    }

    pub(crate) async fn task(&self, project: ProjectId) -> Task {
        let task = task(project, 1);
        self.store.create_task(&task).await.unwrap();
        task
    }

    /// A start that went through.
    pub(crate) async fn started(&self, intent: &Intent) -> Started {
        self.begun(intent).await.of_task().unwrap()
    }

    /// A start that went through, be it of a run.
    pub(crate) async fn begun(&self, intent: &Intent) -> Begun {
        let intent = self.store.begin_start(intent, 20_000..=29_999, |_| true).await.unwrap();
        self.store.commit_start(&intent).await.unwrap()
    }

    /// Ends the attempt's process and the attempt with it.
    pub(crate) async fn finished(&self, started: &Started, outcome: Outcome) -> Attempt {
        let advance = finishing(started, outcome);
        self.store.advance(advance.clone()).await.unwrap();
        advance.attempt
    }
}

/// Runs statements on a SQLite file.
pub(crate) async fn run_on_file(path: &Path, statements: impl Into<String>) {
    let options = SqliteConnectOptions::new().filename(path).foreign_keys(false);
    let mut db = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(statements.into())).execute(&mut db).await.unwrap();
    db.close().await.unwrap();
}

fn place(folder: &TempDir, postgres: Option<&TestPostgres>) -> Place {
    match postgres {
        Some(postgres) => Place::Postgres(postgres.url().parse().unwrap()),
        None => Place::Sqlite(folder.path().join("forge.db")),
    }
}

pub(crate) fn check_gapless(events: &[Event]) {
    let seqs: Vec<Seq> = events.iter().map(|event| event.seq).collect();
    let first = seqs.first().copied().unwrap_or(1);
    let expected: Vec<Seq> = (first..).take(seqs.len()).collect();
    assert_eq!(seqs, expected);
}

#[track_caller]
pub(crate) fn assert_not_found<T: Debug>(result: Result<T, StoreError>, expected: &str) {
    match result {
        Err(StoreError::NotFound { what }) => assert_eq!(what, expected),
        other => panic!("expected that there is no such {expected}: {other:?}"),
    }
}

#[track_caller]
pub(crate) fn assert_conflict<T: Debug>(result: Result<T, StoreError>, expected: &str) {
    match result {
        Err(StoreError::Conflict { what }) => assert_eq!(what, expected),
        other => panic!("expected a conflict, {expected}: {other:?}"),
    }
}

/// The millisecond with this number; greater is later.
pub(crate) fn at(number: i64) -> Timestamp {
    Timestamp::from_millis(1_768_435_200_000 + number)
}

pub(crate) fn project(number: i64) -> Project {
    Project {
        id: ProjectId::random(),
        name: format!("project {number}"),
        git_repo_path: format!("/repositories/{number}"),
        setup_script: Some("npm ci".into()),
        dev_script: None,
        cleanup_script: Some("cargo fmt".into()),
        copy_files: Some(".env, config/*.local".into()),
        commit_prompt: None,
        default_base_branch: Some("develop".into()),
        fetch_submodules: true,
        skip_commit_hooks: true,
        skip_commit_signing: true,
        created_at: at(number),
        updated_at: at(number),
    }
}

pub(crate) fn task(project_id: ProjectId, number: i64) -> Task {
    Task {
        id: TaskId::random(),
        project_id,
        title: format!("task {number}"),
        description: Some("in a few words".into()),
        status: TaskStatus::Todo,
        parent_task_attempt: None,
        created_at: at(number),
        updated_at: at(number),
    }
}

pub(crate) fn process(attempt_id: AttemptId, number: i64) -> Process {
    Process {
        id: ProcessId::random(),
        attempt_id,
        in_run: false,
        kind: ProcessKind::CodingAgent,
        action: Action::Turn { prompt: "do it".into(), conversation: None, how: How::default() },
        state: ProcessState::Running,
        reason: None,
        before_head_commit: Some("0123456789abcdef".into()),
        after_head_commit: None,
        dropped: false,
        started_at: at(number),
        completed_at: None,
        updated_at: at(number),
        usage: forge_model::Usage::default(),
    }
}

pub(crate) fn follow_up(attempt_id: AttemptId, number: i64) -> FollowUp {
    FollowUp {
        id: FollowUpId::random(),
        attempt_id,
        prompt: format!("prompt {number}"),
        variant: Some("PLAN".into()),
        how: How { model: Some("small".into()), ..How::default() },
        retry: None,
        interrupt: false,
        not_before: None,
        created_at: at(number),
    }
}

/// A prompt that left the queue and was no draft.
pub(crate) fn removed(prompt: &FollowUp, why: QueueExit) -> RemovedFollowUp {
    RemovedFollowUp { follow_up: prompt.clone(), why: Some(why), returned_to_draft: None }
}

/// A start of a task that is made with it.
pub(crate) fn intent_for_new(project_id: ProjectId, number: i64) -> Intent {
    let task = Task { status: TaskStatus::InProgress, ..task(project_id, number) };
    intent(task.project_id, Some(IntentTask::New(task)), number)
}

/// Another start of a task that is there.
pub(crate) fn intent_for(task: &Task, number: i64) -> Intent {
    let task = Task { status: TaskStatus::InProgress, updated_at: at(number), ..task.clone() };
    intent(task.project_id, Some(IntentTask::Existing(task)), number)
}

/// A start of a run.
pub(crate) fn intent_for_run(project_id: ProjectId, number: i64) -> Intent {
    intent(project_id, None, number)
}

pub(crate) fn approval(process_id: Option<ProcessId>, number: i64) -> Approval {
    Approval {
        id: ApprovalId::random(),
        process_id,
        message: format!("may I {number}?"),
        context: Some(serde_json::json!({"tool": "rm", "args": ["-r", "\u{0}é"]})),
        choices: Vec::new(),
        status: ApprovalStatus::Pending,
        choice: None,
        comment: None,
        created_at: at(number),
        timeout_at: None,
        answered_at: None,
    }
}

fn intent(project_id: ProjectId, subject: Option<IntentTask>, number: i64) -> Intent {
    let id = AttemptId::random();
    let attempt = Attempt {
        id,
        task_id: subject.as_ref().map(|subject| subject.task().id),
        project_id,
        prompt: subject.is_none().then(|| "count the lines".into()),
        profile: Profile { executor: "CLAUDE_CODE".into(), variant: None },
        branch: format!("forge/{number}"),
        target_branch: "main".into(),
        worktree: format!("/worktrees/{id}"),
        worktree_deleted: false,
        first_port: None,
        conversation: None,
        set_up: true,
        state: AttemptState::Running { stage: Stage::Agent },
        node: None,
        created_at: at(number),
        updated_at: at(number),
        usage: forge_model::Usage::default(),
    };
    Intent {
        process: Some(Process { in_run: attempt.is_run(), ..process(attempt.id, number) }),
        attempt,
        task: subject,
        idempotency_key: None,
        fingerprint: "what was asked".into(),
        created_at: at(number),
        images: Vec::new(),
    }
}

/// The move that ends an attempt with its process; the task waits for a person.
pub(crate) fn finishing(started: &Started, outcome: Outcome) -> Advance {
    let later = Timestamp::from_millis(started.attempt.created_at.as_millis() + 1);
    Advance {
        attempt: Attempt {
            state: AttemptState::Finished { outcome },
            updated_at: later,
            ..started.attempt.clone()
        },
        expected: started.attempt.state.clone(),
        process_ended: Some(ended(started.process.as_ref().unwrap())),
        process_started: None,
        task: Some(TaskMove::End),
        take_follow_up: None,
        drop_from: None,
        add_follow_up: None,
        drop_follow_ups: false,
    }
}

pub(crate) fn ended(process: &Process) -> Process {
    let later = Timestamp::from_millis(process.started_at.as_millis() + 1);
    Process {
        state: ProcessState::Ended { end: forge_model::End::Exited { code: 0 } },
        completed_at: Some(later),
        updated_at: later,
        ..process.clone()
    }
}

pub(crate) fn failure() -> Outcome {
    Outcome::Failed { reason: Reason::AgentFailed { message: "no".into() } }
}

/// The change that makes any task this one.
pub(crate) fn change_to(task: &Task) -> UpdateTask {
    UpdateTask {
        title: Patch::Set(task.title.clone()),
        description: task.description.clone().map_or(Patch::Clear, Patch::Set),
        status: Patch::Set(task.status),
        parent_task_attempt: task.parent_task_attempt.map_or(Patch::Clear, Patch::Set),
        image_ids: None,
    }
}
