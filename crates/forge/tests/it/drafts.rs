//! Drafts: what is being written is kept, and sent once when it is queued.

use forge_testkit::server::Copy;
use reqwest::Method;
use serde_json::{Value, json};

use crate::database::{Database, on_each_database};
use crate::ground::{Ground, Held, Started};
use crate::life::{Bed, Run, sent};
use crate::{code, data, is_finished};

fn path(attempt: &str, kind: &str) -> String {
    format!("/api/task-attempts/{attempt}/draft?type={kind}")
}

fn queue_path(attempt: &str) -> String {
    format!("/api/task-attempts/{attempt}/draft/queue?type=follow_up")
}

async fn read(ground: &Ground, started: &Started, kind: &str) -> Value {
    data(ground.server.get(&path(started.attempt(), kind)).await)
}

async fn save(ground: &Ground, started: &Started, body: Value) -> Value {
    data(ground.server.put(&path(started.attempt(), "follow_up"), body).await)
}

async fn queue(ground: &Ground, started: &Started, body: Value) -> (u16, Value) {
    ground.server.post(&queue_path(started.attempt()), body).await
}

async fn idle(ground: &Ground) -> Started {
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    started
}

/// What agents were told, oldest first.
async fn prompts(ground: &Ground, started: &Started) -> Vec<String> {
    let processes = ground.processes(started).await;
    let prompt = |process: &Value| process["executor_action"]["typ"]["prompt"].as_str().unwrap().to_owned();
    processes.iter().map(prompt).collect()
}

#[tokio::test]
async fn a_draft_is_saved_read_and_emptied_in_both_spellings() {
    let ground = Ground::new().await;
    let started = idle(&ground).await;
    let empty = read(&ground, &started, "follow_up").await;
    assert_eq!((&empty["version"], &empty["prompt"]), (&json!(0), &json!("")), "{empty}");
    assert_eq!((&empty["queued"], &empty["draft_type"]), (&json!(false), &json!("follow_up")));
    let saved = save(&ground, &started, json!({"prompt": "hey", "variant": "PLAN"})).await;
    assert_eq!((&saved["version"], &saved["variant"]), (&json!(1), &json!("PLAN")), "{saved}");
    assert_eq!(saved["task_attempt_id"], started.attempt());

    // The older client's verb, and the names it looks for.
    let older = ground.server.post(&path(started.attempt(), "follow_up"), json!({"prompt": "hey you"})).await;
    let older = data(older);
    assert_eq!((&older["draft_id"], &older["id"]), (&saved["id"], &empty["id"]));
    assert!(older["saved_at"].as_str().unwrap() >= saved["saved_at"].as_str().unwrap());
    assert_eq!((&older["prompt"], &older["variant"]), (&json!("hey you"), &json!("PLAN")), "it stays");
    assert_eq!(read(&ground, &started, "follow_up").await, older);

    // Null is not the same as left out.
    let cleared = save(&ground, &started, json!({"variant": null})).await;
    assert_eq!((&cleared["prompt"], &cleared["variant"]), (&json!("hey you"), &Value::Null));
    let deleted = ground.server.delete(&path(started.attempt(), "follow_up")).await;
    assert_eq!(data(deleted), Value::Null);
    let gone = read(&ground, &started, "follow_up").await;
    assert_eq!((&gone["prompt"], &gone["version"]), (&json!(""), &json!(4)), "a version never comes again");
}

#[tokio::test]
async fn only_the_version_that_was_read_is_changed() {
    let ground = Ground::new().await;
    let started = idle(&ground).await;
    save(&ground, &started, json!({"prompt": "one", "version": 0})).await;
    let path = path(started.attempt(), "follow_up");
    let (status, refused) = ground.server.put(&path, json!({"prompt": "two", "version": 0})).await;
    assert_eq!((status, code(&refused)), (409, "draft_changed"));
    let late = queue(&ground, &started, json!({"queued": true, "expected_version": 0})).await;
    assert_eq!((late.0, code(&late.1)), (409, "draft_changed"));
    let thinks = queue(&ground, &started, json!({"queued": false, "expected_queued": true})).await;
    assert_eq!((thinks.0, code(&thinks.1)), (409, "draft_changed"));
    assert_eq!(read(&ground, &started, "follow_up").await["prompt"], "one");
    // Of many at once that read the same, one is taken.
    let put = |n: usize| ground.server.put(&path, json!({"prompt": format!("{n}"), "version": 1}));
    let answers = futures::future::join_all((0..8).map(put)).await;
    let taken = answers.iter().filter(|(status, _)| *status == 200).count();
    assert_eq!(taken, 1, "{answers:?}");
}

#[tokio::test]
async fn a_draft_of_a_retry_names_its_process() {
    let ground = Ground::new().await;
    let (started, other) = (idle(&ground).await, idle(&ground).await);
    let path = path(started.attempt(), "retry");
    let refused = ground.server.put(&path, json!({"prompt": "again"})).await;
    assert_eq!((refused.0, code(&refused.1)), (422, "retry_process_missing"));
    let body = json!({"prompt": "again", "retry_process_id": other.process()});
    let refused = ground.server.put(&path, body).await;
    assert_eq!((refused.0, code(&refused.1)), (404, "not_found"), "it is another attempt's");
    let body = json!({"prompt": "again", "retry_process_id": started.process()});
    let saved = data(ground.server.put(&path, body).await);
    assert_eq!(
        (&saved["draft_type"], &saved["retry_process_id"]),
        (&json!("retry"), &json!(started.process()))
    );
    let queue = format!("/api/task-attempts/{}/draft/queue?type=retry", started.attempt());
    let refused = ground.server.post(&queue, json!({"queued": true})).await;
    assert_eq!((refused.0, code(&refused.1)), (422, "retry_not_queueable"));
    data(ground.server.delete(&path).await);
    assert_eq!(read(&ground, &started, "retry").await["retry_process_id"], Value::Null);
}

#[tokio::test]
async fn what_is_not_there_or_not_so_is_told() {
    let ground = Ground::new().await;
    let started = idle(&ground).await;
    let nobody = uuid::Uuid::new_v4().to_string();
    assert_eq!(ground.server.get(&path(&nobody, "follow_up")).await.0, 404);
    assert_eq!(ground.server.put(&path(&nobody, "retry"), json!({"prompt": "x"})).await.0, 404);
    assert_eq!(ground.server.delete(&path(&nobody, "retry")).await.0, 404);
    assert_eq!(ground.server.post(&queue_path(&nobody), json!({"queued": true})).await.0, 404);
    assert_eq!(ground.server.get(&path(started.attempt(), "other")).await.0, 400);
    assert_eq!(ground.server.put(&path(started.attempt(), "retry"), json!({"prompt": 1})).await.0, 422);
    let blank = queue(&ground, &started, json!({"queued": true})).await;
    assert_eq!((blank.0, code(&blank.1)), (409, "draft_blank"));
    assert_eq!(queue(&ground, &started, json!({})).await.0, 422);
}

#[tokio::test]
async fn queued_while_a_turn_runs_it_is_sent_once_when_the_turn_is_over() {
    let ground = Ground::new().await;
    let held = Held::at(ground.own("held"));
    let started = ground.start(&format!("@wait-fifo {}", held.path())).await;
    save(&ground, &started, json!({"prompt": "@say from the draft"})).await;
    let (status, queued) = queue(&ground, &started, json!({"queued": true, "expected_queued": false})).await;
    assert_eq!((status, &queued["data"]["queued"], &queued["data"]["ahead"]), (200, &json!(true), &json!(0)));
    assert_eq!(queue(&ground, &started, json!({"queued": true})).await.0, 200, "asked twice, sent once");

    let edit = ground.server.put(&path(started.attempt(), "follow_up"), json!({"prompt": "x"})).await;
    assert_eq!((edit.0, code(&edit.1)), (409, "draft_queued"));
    assert_eq!(data(queue(&ground, &started, json!({"queued": false})).await)["queued"], false);
    save(&ground, &started, json!({"prompt": "@say edited"})).await;
    queue(&ground, &started, json!({"queued": true})).await;
    held.let_go();
    ground.server.until_attempt(started.attempt(), is_finished).await;
    ground.finished(&started).await;
    assert_eq!(prompts(&ground, &started).await[1..], ["@say edited"]);
    let draft = read(&ground, &started, "follow_up").await;
    assert_eq!((&draft["prompt"], &draft["queued"]), (&json!(""), &json!(false)), "{draft}");
}

#[tokio::test]
async fn queued_while_nothing_runs_it_begins_at_once() {
    let ground = Ground::new().await;
    let started = idle(&ground).await;
    save(&ground, &started, json!({"prompt": "@say one"})).await;
    let answer = data(queue(&ground, &started, json!({"queued": true})).await);
    assert_eq!((&answer["queued"], &answer["prompt"]), (&json!(false), &json!("")), "{answer}");
    assert_eq!(answer["execution_process"]["id"], answer["execution_process_id"]);
    assert_eq!(answer["execution_process"]["executor_action"]["typ"]["prompt"], "@say one");
    ground.finished(&started).await;

    // The older client's words, with the text itself.
    let answer = data(queue(&ground, &started, json!({"execute": true, "prompt": "@say two"})).await);
    assert!(answer["execution_process_id"].is_string(), "{answer}");
    ground.finished(&started).await;
    let answer = data(queue(&ground, &started, json!({"execute": false, "prompt": "@say three"})).await);
    assert_eq!((&answer["prompt"], &answer["execution_process_id"]), (&json!("@say three"), &Value::Null));
    assert_eq!(prompts(&ground, &started).await[1..], ["@say one", "@say two"]);
}

#[tokio::test]
async fn a_stop_or_a_start_that_fails_leaves_what_was_written() {
    let ground = Ground::new().await;
    let held = Held::at(ground.own("held"));
    let started = ground.start(&format!("@wait-fifo {}", held.path())).await;
    save(&ground, &started, json!({"prompt": "@say later"})).await;
    queue(&ground, &started, json!({"queued": true})).await;
    let mut events = ground.server.events(Some(0)).await;
    let stopped = ground.stop(&started).await;
    let told = loop {
        let message = events.next().await;
        if message.event == "follow_up_deleted" {
            break message.data;
        }
    };
    assert_eq!(stopped["removed_follow_ups"], json!([told]));
    assert_eq!((&told["why"], &told["returned_to_draft"]), (&json!("stopped"), &json!("follow_up")));
    let draft = read(&ground, &started, "follow_up").await;
    assert_eq!((&draft["prompt"], &draft["queued"]), (&json!("@say later"), &json!(false)), "{draft}");

    let away = ground.own("away");
    std::fs::rename(started.worktree(), &away).unwrap();
    let refused = queue(&ground, &started, json!({"queued": true})).await;
    assert_eq!((refused.0, code(&refused.1)), (409, "worktree_gone"));
    assert_eq!(read(&ground, &started, "follow_up").await, draft, "neither lost nor stuck");
    std::fs::rename(&away, started.worktree()).unwrap();
    assert_eq!(queue(&ground, &started, json!({"queued": true})).await.0, 200);
    // The task is told again where it was never heard.
    held.let_go();
    ground.finished(&started).await;
}

#[tokio::test]
async fn a_draft_whose_agent_cannot_be_started_is_there_again() {
    let ground = Ground::new().await;
    let started = idle(&ground).await;
    save(&ground, &started, json!({"prompt": "@say later", "variant": "PLAN"})).await;
    let (processes, away) = (ground.server.data().join("processes"), ground.own("away"));
    std::fs::rename(&processes, &away).unwrap();
    std::fs::write(&processes, "no folder").unwrap();
    let refused = queue(&ground, &started, json!({"queued": true})).await;
    assert_eq!((refused.0, code(&refused.1)), (503, "start_failed"), "{refused:?}");
    let draft = read(&ground, &started, "follow_up").await;
    assert_eq!((&draft["prompt"], &draft["variant"]), (&json!("@say later"), &json!("PLAN")), "{draft}");
    assert_eq!(draft["queued"], false);
    let waiting = format!("/api/task-attempts/{}/follow-ups", started.attempt());
    assert_eq!(data(ground.server.get(&waiting).await), json!([]));
    std::fs::remove_file(&processes).unwrap();
    std::fs::rename(&away, &processes).unwrap();
    assert_eq!(queue(&ground, &started, json!({"queued": true})).await.0, 200);
    ground.finished(&started).await;
}

#[tokio::test]
async fn a_draft_that_was_sent_as_a_follow_up_is_done_with_and_another_is_not() {
    let ground = Ground::new().await;
    let started = idle(&ground).await;
    save(&ground, &started, json!({"prompt": "@say typed"})).await;
    ground.follow_up(&started, "@say from elsewhere").await;
    ground.finished(&started).await;
    assert_eq!(read(&ground, &started, "follow_up").await["prompt"], "@say typed");
    ground.follow_up(&started, "a remark\n\n@say typed").await;
    assert_eq!(read(&ground, &started, "follow_up").await["prompt"], "");
    ground.finished(&started).await;
}

#[tokio::test]
async fn every_change_is_told_by_name_and_as_a_patch() {
    let ground = Ground::new().await;
    let started = idle(&ground).await;
    let mut events = ground.server.events(None).await;
    let saved = save(&ground, &started, json!({"prompt": "hey"})).await;
    let patch = events.next_of(&["json_patch"]).await.data;
    let place = format!("/drafts/{}/follow_up", started.attempt());
    assert_eq!(patch, json!([{"op": "replace", "path": place, "value": saved}]));
    assert_eq!(events.next_of(&["draft_update"]).await.data, saved);
    let body = json!({"prompt": "again", "retry_process_id": started.process()});
    data(ground.server.put(&path(started.attempt(), "retry"), body).await);
    data(ground.server.delete(&path(started.attempt(), "retry")).await);
    events.next_of(&["draft_update"]).await;
    let patch = events.next_of(&["json_patch"]).await.data;
    let place = format!("/drafts/{}/retry", started.attempt());
    assert_eq!(patch, json!([{"op": "replace", "path": place, "value": null}]));
}

#[tokio::test]
async fn a_copy_of_a_projects_drafts_is_what_they_are() {
    let ground = Ground::new().await;
    let first = idle(&ground).await;
    save(&ground, &first, json!({"prompt": "before"})).await;
    let stream = format!("/api/drafts/stream/ws?project_id={}", ground.project_id());
    let mut copy = Copy::open(&ground.server, "drafts", &stream).await;
    copy.until(|drafts| drafts.contains_key(first.attempt())).await;
    assert_eq!(copy.all()[first.attempt()]["follow_up"]["prompt"], "before");
    assert_eq!(copy.all()[first.attempt()]["retry"], Value::Null);
    // One that comes while the reader is there is known before it is written to.
    let second = idle(&ground).await;
    save(&ground, &second, json!({"prompt": "after"})).await;
    copy.until(|drafts| drafts.get(second.attempt()).is_some_and(|of| of["follow_up"]["version"] == 1)).await;
    let body = json!({"prompt": "again", "retry_process_id": second.process()});
    data(ground.server.put(&path(second.attempt(), "retry"), body).await);
    copy.resume(&ground.server).await;
    copy.until(|drafts| !drafts[second.attempt()]["retry"].is_null()).await;
    for started in [&first, &second] {
        let of = &copy.all()[started.attempt()];
        assert_eq!(of["follow_up"], read(&ground, started, "follow_up").await);
    }
    assert_eq!(copy.all()[second.attempt()]["retry"], read(&ground, &second, "retry").await);
    data(ground.server.delete(&format!("/api/task-attempts/{}", first.attempt())).await);
    copy.until(|drafts| !drafts.contains_key(first.attempt())).await;
    data(ground.server.delete(&format!("/api/task-attempts/{}", second.attempt())).await);
    data(ground.server.delete(&format!("/api/projects/{}", ground.project_id())).await);
    copy.rest().await;
    assert!(copy.finished() && copy.all().is_empty());
    let refused = ground.server.get(&stream).await;
    assert!(refused.0 == 400 || refused.0 == 426 || refused.0 == 404, "{refused:?}");
}

on_each_database! {
    a_draft_that_was_queued_when_the_server_died_is_sent_once;
    a_draft_whose_turn_was_written_when_the_server_died_is_sent_once;
}

async fn sends(bed: &Bed, run: &Run, prompt: &str) -> reqwest::RequestBuilder {
    sent(bed.server.request(Method::PUT, &path(&run.attempt, "follow_up")).json(&json!({"prompt": prompt})))
        .await;
    bed.server.request(Method::POST, &queue_path(&run.attempt)).json(&json!({"queued": true}))
}

async fn a_draft_that_was_queued_when_the_server_died_is_sent_once(database: Database) {
    let mut bed = Bed::on(database).await;
    let gate = bed.gate("go");
    let run = bed.started(&format!("@wait-fifo {}", gate.path().display())).await;
    sent(sends(&bed, &run, "@edit a.txt one").await).await;
    bed.crash().await;
    let draft = sent(bed.server.request(Method::GET, &path(&run.attempt, "follow_up"))).await;
    assert_eq!((&draft["queued"], &draft["prompt"]), (&json!(true), &json!("@edit a.txt one")));
    gate.open().await;
    assert_eq!(bed.finished(&run).await["outcome"], "succeeded");
    assert_eq!((bed.processes(&run.attempt).await.len(), bed.commits(&run).await), (2, 1));
    let draft = sent(bed.server.request(Method::GET, &path(&run.attempt, "follow_up"))).await;
    assert_eq!((&draft["queued"], &draft["prompt"]), (&json!(false), &json!("")));
    bed.assert_whole(&[]).await;
}

async fn a_draft_whose_turn_was_written_when_the_server_died_is_sent_once(database: Database) {
    let mut bed = Bed::on(database).await;
    let run = bed.started("@say hello").await;
    bed.finished(&run).await;
    bed.server.set_env("FORGE_CRASH_AT", "turn-written");
    bed.crash().await;
    let request = sends(&bed, &run, "@edit a.txt one").await;
    bed.dies_of(request).await;
    bed.server.unset_env("FORGE_CRASH_AT");
    bed.server.restart().await;
    assert_eq!(bed.finished(&run).await["outcome"], "succeeded");
    assert_eq!((bed.processes(&run.attempt).await.len(), bed.commits(&run).await), (2, 1));
    let draft = sent(bed.server.request(Method::GET, &path(&run.attempt, "follow_up"))).await;
    assert_eq!((&draft["queued"], &draft["prompt"]), (&json!(false), &json!("")));
    bed.assert_whole(&[]).await;
}
