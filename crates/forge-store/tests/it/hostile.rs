//! Text that nobody should send.

use forge_model::{Project, Task};
use forge_store::StoreError;

use crate::bed::{Bed, Engine, follow_up, intent_for_new, project, store_test, task};

const TEXTS: [&str; 8] = [
    "'; DROP TABLE task; --",
    "\"double\" `back` 'single' \\backslash \\u0000 $1 ?1 :name @name",
    "👩‍👩‍👧‍👦 emoji, \u{202e}right to left, z̸a̸l̸g̸o̸, \u{feff}mark",
    "tab\tnew line\nreturn\rescape\u{1b}[31m",
    "",
    " ",
    "null",
    "\u{10ffff}",
];

store_test! {
    async fn text_comes_back_as_it_was_given(bed: &Bed) {
        for (number, text) in (0..).zip(TEXTS) {
            let project = Project { name: text.into(), git_repo_path: format!("/{text}"), ..project(number) };
            bed.store.create_project(&project).await.unwrap();
            assert_eq!(bed.store.get_project(project.id).await.unwrap(), project);
            let description = Some(text.into());
            let task = Task { title: text.into(), description, ..task(project.id, number) };
            let card = bed.store.create_task(&task).await.unwrap();
            assert_eq!(bed.store.list_cards(project.id).await.unwrap(), [card]);
            let mut intent = intent_for_new(project.id, number);
            intent.idempotency_key = Some(text.into());
            intent.attempt.conversation = Some(text.into());
            let started = bed.started(&intent).await;
            assert_eq!(bed.store.get_attempt(started.attempt.id).await.unwrap(), started.attempt);
            assert_eq!(bed.store.find_answer(text).await.unwrap().unwrap().started.of_task().unwrap(), started);
            let mut prompt = follow_up(started.attempt.id, number);
            prompt.prompt = text.into();
            bed.store.queue_follow_up(&prompt).await.unwrap();
            assert_eq!(bed.store.list_follow_ups(started.attempt.id).await.unwrap(), [prompt]);
        }
        assert_eq!(bed.told(0).await.len(), TEXTS.len() * 6);
    }
}

store_test! {
    async fn a_text_with_a_zero_byte_is_kept_whole_or_refused_clearly(bed: &Bed) {
        let project = bed.project().await.id;
        let task = Task { title: "before\0after".into(), ..task(project, 1) };
        let created = bed.store.create_task(&task).await;
        let cards = bed.store.list_cards(project).await.unwrap();
        match bed.engine {
            Engine::Sqlite => assert_eq!(cards, [created.unwrap()]),
            Engine::Postgres => {
                assert!(matches!(created, Err(StoreError::ZeroByte)), "{created:?}");
                assert_eq!(cards, []);
            }
        }
    }
}

store_test! {
    async fn a_megabyte_of_description_is_kept_whole(bed: &Bed) {
        let project = bed.project().await.id;
        let task = Task { description: Some("äöü ".repeat(150_000)), ..task(project, 1) };
        let card = bed.store.create_task(&task).await.unwrap();
        assert_eq!(bed.store.get_card(task.id).await.unwrap(), card);
        assert_eq!(bed.told(1).await, [forge_model::Fact::TaskCreated(card)]);
    }
}
