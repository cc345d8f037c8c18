//! Tags, images, standing agents and settings: what is written is read back and told, and what goes together goes
//! together.

use forge_model::{
    DraftKind, Fact, Image, ImageId, ImageKind, Patch, ProjectId, STANDING_TITLE, SaveDraft, Settings,
    StandingAgent, StandingAgentId, Tag, TagId, Task, TaskId, TaskStatus, UpdateOmni, UpdateSettings,
    UpdateTag, UpdateTask,
};
use forge_store::Intent;

use crate::bed::{Bed, assert_conflict, assert_not_found, at, intent_for_new, store_test, task};

fn tag(number: i64) -> Tag {
    Tag {
        id: TagId::random(),
        tag_name: format!("tag_{number}"),
        description: None,
        content: format!("content {number}"),
        created_at: at(number),
        updated_at: at(number),
    }
}

fn image(number: i64) -> Image {
    Image {
        id: ImageId::random(),
        kind: ImageKind::Png,
        original_name: format!("{number}.png"),
        size_bytes: number,
        hash: format!("{number:064}"),
        created_at: at(number),
        updated_at: at(number),
    }
}

fn standing(project_id: ProjectId, agent_type: &str, number: i64) -> (StandingAgent, Task) {
    let title = STANDING_TITLE.to_owned();
    let task = Task { status: TaskStatus::Agent, title, ..task(project_id, number) };
    let agent = StandingAgent {
        id: StandingAgentId::random(),
        project_id,
        agent_type: agent_type.to_owned(),
        task_id: task.id,
        created_at: at(number),
        updated_at: at(number),
    };
    (agent, task)
}

fn keyed(key: &str) -> UpdateSettings {
    let omni = UpdateOmni { api_key: Patch::Set(key.to_owned()), ..UpdateOmni::default() };
    UpdateSettings { omni_enabled: Some(true), omni_config: Patch::Set(omni) }
}

impl Bed {
    /// Something in each of our tables.
    pub(crate) async fn fill_stuff(&self, project: ProjectId, task: TaskId) {
        self.store.create_tag(&tag(1)).await.unwrap();
        self.store.add_image(&image(1), Some(task)).await.unwrap();
        let (agent, its) = standing(project, "wish", 7);
        self.store.ensure_standing_agent(&agent, &its).await.unwrap();
        for whose in [None, Some(project)] {
            self.store.update_settings(whose, keyed("key")).await.unwrap();
        }
    }

    async fn images_of(&self, task: TaskId) -> Vec<ImageId> {
        let images = self.store.list_task_images(task).await.unwrap();
        images.into_iter().map(|image| image.id).collect()
    }
}

store_test! {
    async fn tags_have_names_of_their_own_and_are_listed_by_them(bed: &Bed) {
        let names = |tags: Vec<Tag>| tags.into_iter().map(|tag| tag.tag_name).collect::<Vec<_>>();
        let first = bed.store.list_tags().await.unwrap();
        assert!(first.iter().all(|tag| tag.content.contains("- [ ] ") && tag.created_at.as_millis() > 0));
        assert_eq!(names(first), ["add_unit_tests", "bug_analysis", "code_refactoring"]);
        let (one, two) = (tag(1), Tag { tag_name: "Z".into(), ..tag(2) });
        bed.store.create_tag(&one).await.unwrap();
        bed.store.create_tag(&two).await.unwrap();
        let taken = Tag { tag_name: "Z".into(), ..tag(3) };
        assert_conflict(bed.store.create_tag(&taken).await, "another tag has this name");
        let rename = UpdateTag { tag_name: Some("Z".into()), ..UpdateTag::default() };
        assert_conflict(bed.store.update_tag(one.id, rename, at(4)).await, "another tag has this name");
        assert_eq!(bed.store.get_tag(one.id).await.unwrap(), one);
        let change = UpdateTag { description: Patch::Set("why".into()), ..UpdateTag::default() };
        let changed = bed.store.update_tag(one.id, change, at(5)).await.unwrap();
        assert_eq!(changed, Tag { description: Some("why".into()), updated_at: at(5), ..one.clone() });
        bed.store.delete_tag(two.id).await.unwrap();
        assert_not_found(bed.store.delete_tag(two.id).await, "tag");
        assert_not_found(bed.store.get_tag(two.id).await, "tag");
        let told = [
            Fact::TagCreated(one),
            Fact::TagCreated(two.clone()),
            Fact::TagUpdated(changed),
            Fact::TagDeleted { id: two.id },
        ];
        assert_eq!(bed.told(0).await, told);
    }
}

store_test! {
    async fn the_first_tags_are_not_given_again(bed: &mut Bed) {
        for tag in bed.store.list_tags().await.unwrap() {
            bed.store.delete_tag(tag.id).await.unwrap();
        }
        bed.reopen().await;
        assert_eq!(bed.store.list_tags().await.unwrap(), []);
    }
}

store_test! {
    async fn the_same_bytes_are_one_image_whoever_sends_them(bed: &Bed) {
        let project = bed.project().await;
        let task = bed.task(project.id).await;
        let head = bed.head();
        let first = image(1);
        let adding = (0..50_i64).map(|number| {
            let again = Image { hash: first.hash.clone(), ..image(number) };
            async move { bed.store.add_image(&again, Some(task.id)).await.unwrap() }
        });
        let added = futures::future::join_all(adding).await;
        let counts = &added[0];
        assert!(added.iter().all(|image| image == counts));
        assert_eq!(bed.store.list_images().await.unwrap(), std::slice::from_ref(counts));
        assert_eq!(bed.images_of(task.id).await, [counts.id]);
        let linked = Fact::TaskImagesChanged { task_id: task.id, image_ids: vec![counts.id] };
        assert_eq!(bed.told(head).await, [Fact::ImageCreated(counts.clone()), linked]);
        assert_not_found(bed.store.add_image(&image(99), Some(TaskId::random())).await, "task");
        assert_eq!(bed.store.list_images().await.unwrap().len(), 1, "half of it is not done");
    }
}

store_test! {
    async fn a_task_has_the_images_it_was_given_last(bed: &Bed) {
        let project = bed.project().await;
        let images = [image(1), image(2), image(3)];
        for image in &images {
            bed.store.add_image(image, None).await.unwrap();
        }
        let [one, two, three] = images.map(|image| image.id);
        let nowhere = ImageId::random();
        let (made, refused) = (task(project.id, 1), task(project.id, 2));
        bed.store.create_task_with(&made, vec![two, one, two]).await.unwrap();
        assert_eq!(bed.images_of(made.id).await, [two, one]);
        assert_not_found(bed.store.create_task_with(&refused, vec![one, nowhere]).await, "image");
        assert_not_found(bed.store.get_task(refused.id).await, "task");
        let give = |image_ids: Option<Vec<ImageId>>| {
            bed.store.update_task(made.id, UpdateTask { image_ids, ..UpdateTask::default() }, at(9))
        };
        assert_not_found(give(Some(vec![three, nowhere])).await, "image");
        give(None).await.unwrap();
        assert_eq!(bed.images_of(made.id).await, [two, one]);
        give(Some(vec![three, one])).await.unwrap();
        assert_eq!(bed.images_of(made.id).await, [three, one]);
        bed.store.add_task_images(made.id, vec![one, two]).await.unwrap();
        assert_eq!(bed.images_of(made.id).await, [three, one, two]);
        let head = bed.head();
        bed.store.add_task_images(made.id, vec![one, two]).await.unwrap();
        assert_eq!(bed.head(), head, "nothing is new");
        assert!(bed.store.delete_image(one).await.unwrap());
        let left = Fact::TaskImagesChanged { task_id: made.id, image_ids: vec![three, two] };
        assert_eq!(bed.told(head).await, [left, Fact::ImageDeleted { id: one }]);
        assert!(!bed.store.delete_image(one).await.unwrap());
        assert_eq!(bed.images_of(made.id).await, [three, two]);
        give(Some(Vec::new())).await.unwrap();
        assert_eq!(bed.images_of(made.id).await, []);
    }
}

store_test! {
    async fn a_start_gives_its_new_task_the_images(bed: &Bed) {
        let project = bed.project().await;
        let (kept, deleted) = (image(1), image(2));
        for image in [&kept, &deleted] {
            bed.store.add_image(image, None).await.unwrap();
        }
        let mut intent = intent_for_new(project.id, 1);
        intent.images = vec![ImageId::random()];
        assert_not_found(bed.store.begin_start(&intent, 20_000..=29_999, |_| true).await, "image");
        assert_eq!(bed.store.list_intents().await.unwrap(), []);
        intent.images = vec![deleted.id, kept.id];
        let begun = bed.store.begin_start(&intent, 20_000..=29_999, |_| true).await.unwrap();
        bed.store.delete_image(deleted.id).await.unwrap();
        let started = bed.store.commit_start(&begun).await.unwrap();
        assert_eq!(bed.images_of(started.task.unwrap().task.id).await, [kept.id]);
    }
}

store_test! {
    async fn only_old_images_that_no_task_has_are_forgotten(bed: &Bed) {
        let project = bed.project().await;
        let task = bed.task(project.id).await;
        let (used, old, young) = (image(1), image(2), image(50));
        bed.store.add_image(&used, Some(task.id)).await.unwrap();
        bed.store.add_image(&old, None).await.unwrap();
        bed.store.add_image(&young, None).await.unwrap();
        let head = bed.head();
        assert_eq!(bed.store.prune_images(at(50)).await.unwrap(), std::slice::from_ref(&old));
        assert_eq!(bed.told(head).await, [Fact::ImageDeleted { id: old.id }]);
        assert_not_found(bed.store.get_image(old.id).await, "image");
        bed.store.delete_task(task.id).await.unwrap();
        assert_eq!(bed.store.prune_images(at(51)).await.unwrap().len(), 2);
    }
}

store_test! {
    async fn an_image_that_a_draft_mentions_is_not_forgotten(bed: &Bed) {
        let project = bed.project().await;
        let attempt = bed.started(&intent_for_new(project.id, 1)).await.attempt.id;
        let mentioned = image(1);
        bed.store.add_image(&mentioned, None).await.unwrap();
        let save = |image_ids| {
            let change = SaveDraft { image_ids, ..SaveDraft::default() };
            bed.store.change_draft(attempt, DraftKind::FollowUp, move |draft| draft.save(change))
        };
        save(Patch::Set(vec![ImageId::random(), mentioned.id])).await.unwrap().unwrap();
        assert_eq!(bed.store.prune_images(at(50)).await.unwrap(), []);
        save(Patch::Clear).await.unwrap().unwrap();
        assert_eq!(bed.store.prune_images(at(50)).await.unwrap(), [mentioned]);
    }
}

store_test! {
    async fn an_image_that_a_start_is_about_to_use_is_not_forgotten(bed: &Bed) {
        let project = bed.project().await;
        let wanted = image(1);
        bed.store.add_image(&wanted, None).await.unwrap();
        let intent = Intent { images: vec![wanted.id], ..intent_for_new(project.id, 1) };
        let intent = bed.store.begin_start(&intent, 20_000..=29_999, |_| true).await.unwrap();
        assert_eq!(bed.store.prune_images(at(50)).await.unwrap(), []);
        bed.store.abandon_start(intent.attempt.id).await.unwrap();
        assert_eq!(bed.store.prune_images(at(50)).await.unwrap(), [wanted]);
    }
}

store_test! {
    async fn a_project_has_one_standing_agent_of_a_type(bed: &Bed) {
        let project = bed.project().await;
        let head = bed.head();
        let asking = (0..20_i64).map(|number| {
            let (agent, its) = standing(project.id, "wish", number);
            async move { bed.store.ensure_standing_agent(&agent, &its).await.unwrap() }
        });
        let agents = futures::future::join_all(asking).await;
        assert!(agents.iter().all(|agent| *agent == agents[0]));
        assert_eq!(bed.told(head).await.len(), 2, "one task, one agent");
        assert_eq!(bed.store.list_cards(project.id).await.unwrap(), [], "it is on no board");
        assert_eq!(bed.store.get_task(agents[0].task_id).await.unwrap().status, TaskStatus::Agent);
        let (other, its) = standing(project.id, "review", 30);
        bed.store.ensure_standing_agent(&other, &its).await.unwrap();
        assert_eq!(bed.store.list_standing_agents(project.id).await.unwrap(), [agents[0].clone(), other]);
        let (nowhere, its) = standing(ProjectId::random(), "wish", 31);
        assert_not_found(bed.store.ensure_standing_agent(&nowhere, &its).await, "project");
        let head = bed.head();
        bed.store.delete_task(agents[0].task_id).await.unwrap();
        let gone = Fact::StandingAgentDeleted { id: agents[0].id, project_id: project.id };
        let told = bed.told(head).await;
        assert_eq!(told[0], gone, "{told:?}");
        assert_eq!(bed.store.list_standing_agents(project.id).await.unwrap().len(), 1);
        bed.store.delete_project(project.id).await.unwrap();
        assert_eq!(bed.store.list_standing_agents(project.id).await.unwrap(), []);
    }
}

store_test! {
    async fn settings_are_kept_for_all_and_for_each_project_and_not_told(bed: &Bed) {
        let project = bed.project().await;
        for whose in [None, Some(project.id)] {
            assert_eq!(bed.store.get_settings(whose).await.unwrap(), Settings::default());
            let head = bed.head();
            let set = bed.store.update_settings(whose, keyed("s3cret")).await.unwrap();
            assert_eq!(set.omni_config.as_ref().unwrap().api_key.as_deref(), Some("s3cret"));
            assert_eq!(bed.store.get_settings(whose).await.unwrap(), set);
            let off = UpdateSettings { omni_enabled: Some(false), ..UpdateSettings::default() };
            let off = bed.store.update_settings(whose, off).await.unwrap();
            assert_eq!(off, Settings { omni_enabled: false, ..set });
            let told = bed.told(head).await;
            assert_eq!(told, [Fact::SettingsUpdated { project_id: whose }, Fact::SettingsUpdated { project_id: whose }]);
        }
        assert_not_found(bed.store.update_settings(Some(ProjectId::random()), keyed("k")).await, "project");
    }
}
