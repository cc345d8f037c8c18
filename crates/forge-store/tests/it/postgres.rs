//! What only a server does: it belongs to one of us, goes away, comes back, and loses answers.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use forge_model::{Approval, Attempt, AttemptId, FollowUp, Home, NodeId, ProjectId};
use forge_store::{NodeRecord, Place, Store, StoreError};
use forge_testkit::postgres::{TestPostgres, make_certificate};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

use uuid::Uuid;

use crate::bed::{Bed, Engine, approval, at, follow_up, intent_for_new, project, task};

#[tokio::test]
async fn a_database_belongs_to_one_server_as_long_as_it_lives() {
    let bed = Bed::new(Engine::Postgres).await;
    let first = Store::open_alone(&bed.place()).await.unwrap();
    let second = Store::open_alone(&bed.place()).await;
    match second {
        Err(error @ StoreError::Taken) => {
            assert_eq!(error.to_string(), "another forge server uses the database");
        }
        other => panic!("expected a refusal: {other:?}"),
    }
    first.create_project(&project(1)).await.unwrap();
    first.close().await;
    let third = Store::open_alone(&bed.place()).await.unwrap();
    // One that is not closed, as after a crash, lets go of it too.
    drop(third);
    Store::open_alone(&bed.place()).await.unwrap().create_project(&project(2)).await.unwrap();
}

#[tokio::test]
async fn a_server_that_was_away_is_used_again_by_itself() {
    let mut bed = Bed::new(Engine::Postgres).await;
    let store = Store::open_alone(&bed.place()).await.unwrap();
    store.create_project(&project(1)).await.unwrap();
    bed.postgres.as_mut().unwrap().stop();
    for failed in [store.create_project(&project(2)).await, store.list_projects().await.map(drop)] {
        assert!(matches!(failed, Err(StoreError::Away { .. })), "{failed:?}");
    }
    bed.postgres.as_mut().unwrap().run();
    store.create_project(&project(3)).await.unwrap();
    assert_eq!(store.list_projects().await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_restart_between_two_calls_is_noticed_by_nobody() {
    let mut bed = Bed::new(Engine::Postgres).await;
    let store = Store::open_alone(&bed.place()).await.unwrap();
    for number in 0..3 {
        store.create_project(&project(number)).await.unwrap();
        store.list_projects().await.unwrap();
        let postgres = bed.postgres.as_mut().unwrap();
        postgres.stop();
        postgres.run();
    }
    assert_eq!(store.list_projects().await.unwrap().len(), 3);
    assert_eq!(*store.head().borrow(), 3);
}

fn node(name: &str, generation: Uuid) -> NodeRecord {
    NodeRecord {
        id: NodeId::random(),
        name: name.into(),
        data_folder: format!("/{name}"),
        machine: "machine".into(),
        inode: 1,
        generation: Some(generation),
    }
}

/// Starts an attempt as the server of a node, and queues a prompt for it that is due.
async fn start_on(store: &Store, node: &NodeRecord, project: ProjectId, number: i64) -> AttemptId {
    let mut intent = intent_for_new(project, number);
    intent.attempt.node = Some(Home { id: node.id, name: node.name.clone(), is_elsewhere: false });
    let intent = store.begin_start(&intent, 20_000..=29_999, |_| true).await.unwrap();
    let begun = store.commit_start(&intent).await.unwrap();
    let prompt = FollowUp { not_before: Some(at(number)), ..follow_up(begun.attempt.id, number) };
    store.queue_follow_up(&prompt).await.unwrap();
    store
        .ask_approval(&Approval {
            timeout_at: Some(at(number)),
            ..approval(begun.process.map(|process| process.id), number)
        })
        .await
        .unwrap();
    begun.attempt.id
}

#[tokio::test]
async fn own_attempts_stay_own_after_other_node_served() {
    let mut bed = Bed::new(Engine::Postgres).await;
    let project = bed.project().await.id;
    let (mine, other) = (node("mine", Uuid::new_v4()), node("other", Uuid::new_v4()));
    let store = Store::open_alone(&bed.place()).await.unwrap();
    store.serve_as(&mine).await.unwrap();
    let own = start_on(&store, &mine, project, 1).await;
    let postgres = bed.postgres.as_mut().unwrap();
    postgres.stop();
    postgres.run();
    let second = Store::open_alone(&bed.place()).await.unwrap();
    second.serve_as(&other).await.unwrap();
    let foreign = start_on(&second, &other, project, 2).await;
    // Reads need no lock, so they come while the other node serves and after it.
    for is_over in [false, true] {
        if is_over {
            second.close().await;
        }
        let ids = |attempts: Vec<Attempt>| attempts.into_iter().map(|one| one.id).collect::<Vec<_>>();
        assert_eq!(ids(store.list_unfinished_attempts().await.unwrap()), [own]);
        assert_eq!(store.list_waiting_attempts().await.unwrap(), [own]);
        assert_eq!(store.list_due_attempts(at(0), at(9)).await.unwrap(), [own]);
        assert_eq!(store.next_deadline(at(0)).await.unwrap(), Some(at(1)));
        let of = store.list_running_processes().await.unwrap();
        assert_eq!(of.iter().map(|process| process.attempt_id).collect::<Vec<_>>(), [own]);
        for (attempt, is_elsewhere) in [(own, false), (foreign, true)] {
            assert_eq!(store.get_attempt(attempt).await.unwrap().is_unreachable(), is_elsewhere);
            let (_, seen, _) = store.processes_at_once(attempt).await.unwrap();
            assert_eq!(seen.is_unreachable(), is_elsewhere);
        }
    }
    let ended = store.time_out_approvals(at(9)).await.unwrap();
    assert_eq!(ended.len(), 1, "{ended:?}");
    assert_eq!(store.list_pending_approvals().await.unwrap().len(), 1);
}

#[tokio::test]
async fn writes_are_refused_after_same_node_served() {
    let mut bed = Bed::new(Engine::Postgres).await;
    let mine = node("mine", Uuid::new_v4());
    let store = Store::open_alone(&bed.place()).await.unwrap();
    store.serve_as(&mine).await.unwrap();
    let postgres = bed.postgres.as_mut().unwrap();
    postgres.stop();
    postgres.run();
    let second = Store::open_alone(&bed.place()).await.unwrap();
    let again = NodeRecord { generation: Some(Uuid::new_v4()), ..mine };
    second.serve_as(&again).await.unwrap();
    second.close().await;
    let refused = store.create_project(&project(1)).await;
    assert!(matches!(refused, Err(StoreError::Superseded)), "{refused:?}");
    assert_eq!(store.list_projects().await.unwrap(), []);
}

#[tokio::test]
async fn writes_are_refused_after_node_was_forgotten() {
    let mut bed = Bed::new(Engine::Postgres).await;
    let (mine, other) = (node("mine", Uuid::new_v4()), node("other", Uuid::new_v4()));
    let store = Store::open_alone(&bed.place()).await.unwrap();
    store.serve_as(&mine).await.unwrap();
    let postgres = bed.postgres.as_mut().unwrap();
    postgres.stop();
    postgres.run();
    let second = Store::open_alone(&bed.place()).await.unwrap();
    second.serve_as(&other).await.unwrap();
    let heir = Home { id: other.id, name: other.name, is_elsewhere: false };
    second.forget_node(mine.id, heir, "/here".into()).await.unwrap();
    second.close().await;
    let refused = store.create_project(&project(1)).await;
    assert!(matches!(refused, Err(StoreError::Superseded)), "{refused:?}");
    assert_eq!(store.list_projects().await.unwrap(), []);
}

#[tokio::test]
async fn what_was_told_while_the_connection_was_lost_is_made_up_for() {
    let mut bed = Bed::new(Engine::Postgres).await;
    let reader = Store::open(&bed.place()).await.unwrap();
    let mut head = reader.head();
    bed.store.create_project(&project(1)).await.unwrap();
    head.wait_for(|head| *head == 1).await.unwrap();
    for number in 2..6 {
        let postgres = bed.postgres.as_mut().unwrap();
        postgres.stop();
        postgres.run();
        bed.store.create_project(&project(number)).await.unwrap();
        head.wait_for(|head| *head == number).await.unwrap();
    }
}

#[tokio::test]
async fn a_database_that_cannot_be_reached_is_named_without_its_password() {
    let postgres = TestPostgres::start();
    let nowhere = tempfile::tempdir().unwrap();
    let urls = [
        format!("postgres://me:hunter2@localhost/forge?host={}", nowhere.path().display()),
        postgres.url().replace("postgres@localhost/postgres", "postgres:hunter2@localhost/missing"),
        postgres.url().replace("postgres@", "nobody:hunter2@"),
    ];
    for url in urls {
        let error = Store::open(&Place::Postgres(url.parse().unwrap())).await.unwrap_err();
        assert!(matches!(error, StoreError::Connect { .. }), "{error:?}");
        let text = format!("{error} {error:?}");
        assert!(text.starts_with("the database postgres://") && !text.contains("hunter2"), "{text}");
    }
}

#[tokio::test]
async fn a_server_is_reached_over_tls_and_only_if_its_certificate_is_vouched_for() {
    let postgres = TestPostgres::start_with_tls();
    let vouched = format!("sslmode=verify-full&sslrootcert={}", postgres.certificate().display());
    let place = |parameters: &str| {
        let url = postgres.tls_url(parameters).replace("postgres@", "postgres:hunter2@");
        Place::Postgres(url.parse().unwrap())
    };
    for (number, parameters) in [(1, vouched.as_str()), (2, "sslmode=require")] {
        let store = Store::open_alone(&place(parameters)).await.unwrap();
        store.create_project(&project(number)).await.unwrap();
        store.close().await;
        let server = forge_store::check(&place(parameters)).await.unwrap().server.unwrap();
        assert!(server.encrypted && server.local, "{server:?}");
    }

    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.pem");
    make_certificate(&folder.path().join("key.pem"), &other, [127, 0, 0, 1].into());
    // Vouched for by another, and by nobody whom the system knows.
    let wrong = format!("sslmode=verify-full&sslrootcert={}", other.display());
    for parameters in [wrong.as_str(), "sslmode=verify-full"] {
        let error = Store::open(&place(parameters)).await.unwrap_err();
        assert!(matches!(error, StoreError::Insecure { .. }), "{error:?}");
        let said = format!("{error} {error:?}");
        assert!(said.contains("cannot be reached safely") && said.contains("InvalidCertificate"), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[tokio::test]
async fn a_server_without_tls_is_refused_by_who_wants_it() {
    let postgres = TestPostgres::start();
    let place = Place::Postgres(format!("{}&sslmode=require", postgres.url()).parse().unwrap());
    let error = Store::open(&place).await.unwrap_err();
    assert!(matches!(error, StoreError::Insecure { .. }), "{error:?}");
    let plain = forge_store::check(&Place::Postgres(postgres.url().parse().unwrap())).await.unwrap();
    assert_eq!((plain.schema, plain.server.unwrap().encrypted), (0, false));
}

/// What the line to the server does with the next commit.
const PASS: u8 = 0;
const LOSE_THE_ANSWER: u8 = 1;
const LOSE_THE_COMMIT: u8 = 2;

/// A line to the server that can break at the worst moment.
async fn line(listener: UnixListener, server: PathBuf, fault: Arc<AtomicU8>) {
    let mut lines = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.unwrap();
        let server = UnixStream::connect(server.join(".s.PGSQL.5432")).await.unwrap();
        lines.spawn(carry(client, server, Arc::clone(&fault)));
    }
}

async fn carry(client: UnixStream, server: UnixStream, fault: Arc<AtomicU8>) -> std::io::Result<()> {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let (mut asked, mut told) = ([0; 4096], [0; 4096]);
    loop {
        tokio::select! {
            read = from_client.read(&mut asked) => {
                let text = &asked[..read?];
                let commits = text.windows(8).any(|word| word == b"; COMMIT");
                let now = if commits { fault.swap(PASS, Ordering::SeqCst) } else { PASS };
                if text.is_empty() || now == LOSE_THE_COMMIT {
                    return Ok(());
                }
                to_server.write_all(text).await?;
                if now == LOSE_THE_ANSWER {
                    // What comes back says that it is done.
                    let said = from_server.read(&mut told).await?;
                    assert!(said > 0);
                    return Ok(());
                }
            }
            read = from_server.read(&mut told) => {
                let text = &told[..read?];
                if text.is_empty() {
                    return Ok(());
                }
                to_client.write_all(text).await?;
            }
        }
    }
}

#[tokio::test]
async fn a_commit_whose_answer_is_lost_is_known_to_be_made_or_not() {
    let bed = Bed::new(Engine::Postgres).await;
    let project = bed.project().await.id;
    let url = bed.postgres.as_ref().unwrap().url();
    let server = PathBuf::from(url.rsplit('=').next().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let fault = Arc::new(AtomicU8::new(PASS));
    let mut background = JoinSet::new();
    let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
    background.spawn(line(listener, server.clone(), Arc::clone(&fault)));
    let through = url.replace(server.to_str().unwrap(), folder.path().to_str().unwrap());
    let store = Store::open_alone(&Place::Postgres(through.parse().unwrap())).await.unwrap();

    fault.store(LOSE_THE_ANSWER, Ordering::SeqCst);
    let made = store.create_task(&task(project, 1)).await.unwrap();
    assert_eq!(fault.load(Ordering::SeqCst), PASS, "the answer was lost");
    assert_eq!(bed.store.list_cards(project).await.unwrap(), std::slice::from_ref(&made));
    assert_eq!(*store.head().borrow(), 2);

    fault.store(LOSE_THE_COMMIT, Ordering::SeqCst);
    let lost = store.create_task(&task(project, 2)).await;
    assert!(matches!(lost, Err(StoreError::Away { .. })), "{lost:?}");
    assert_eq!(bed.store.list_cards(project).await.unwrap(), [made]);
    store.create_task(&task(project, 3)).await.unwrap();
    assert_eq!(*store.head().borrow(), 3);
}
