//! Interrupting a turn, prompts that come first because of it, the queue being edited, and turns that wait for a limit.

use std::time::Duration;

use forge_testkit::server::{DEADLINE, Setup};
use serde_json::{Value, json};

use crate::ground::{Ground, Held, Started, comes_true};
use crate::{FORGE, code, data};

async fn post(ground: &Ground, started: &Started, what: &str, body: Value) -> (u16, Value) {
    ground.server.post(&format!("/api/task-attempts/{}/{what}", started.attempt()), body).await
}

async fn interrupt(ground: &Ground, started: &Started) -> Value {
    data(post(ground, started, "interrupt", json!(null)).await)
}

async fn queue(ground: &Ground, started: &Started) -> Vec<Value> {
    let path = format!("/api/task-attempts/{}/follow-ups", started.attempt());
    data(ground.server.get(&path).await).as_array().unwrap().clone()
}

/// An agent that has begun and goes on for as long as nobody interrupts it.
async fn busy(ground: &Ground, steps: &str) -> Started {
    let started = ground.start(&format!("{steps}\n@say begun\n@until-told")).await;
    ground.server.logs(started.process(), 0).await.until("begun").await;
    started
}

#[tokio::test]
async fn an_interrupted_turn_ends_by_itself_and_its_work_stays_in_the_worktree() {
    let ground = Ground::new().await;
    let started = busy(&ground, "@edit a.txt one").await;
    let attempt = interrupt(&ground, &started).await;
    assert_eq!(
        (&attempt["state"], &attempt["outcome"]),
        (&json!("finished"), &json!("stopped")),
        "{attempt}"
    );
    let process = &ground.processes(&started).await[0];
    assert_eq!((&process["status"], &process["reason"]["code"]), (&json!("killed"), &json!("interrupted")));
    assert_eq!(process["state"], "exited", "it was not killed");
    assert_eq!(crate::read(started.worktree().join("a.txt")), "one\n");
    assert_eq!(ground.task_status(&started).await, "inreview");
    assert_eq!(ground.follow_up(&started, "@recall").await.0, 200);
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(ground.repo.git(&["show", &format!("{}:a.txt", started.branch())]), "one");
    // Nothing runs: there is nothing to interrupt, and nothing wrong with that.
    assert_eq!(interrupt(&ground, &started).await["outcome"], "succeeded");
}

#[tokio::test]
async fn an_agent_that_does_not_end_its_turn_in_time_is_stopped() {
    let setup = Setup::new(FORGE).config("grace_seconds = 1");
    let ground = Ground::on(setup, forge_testkit::repo::TempRepo::new(), json!({})).await;
    let started = busy(&ground, "@deaf\n@ignore-signals").await;
    let attempt = interrupt(&ground, &started).await;
    assert_eq!(attempt["outcome"], "stopped", "{attempt}");
    assert_eq!(ground.processes(&started).await[0]["state"], "stopped");
    ground.only_the_server_runs().await;
}

#[tokio::test]
async fn queue_goes_on_after_an_interrupt() {
    let setup = Setup::new(FORGE).config("grace_seconds = 1");
    let ground = Ground::on(setup, forge_testkit::repo::TempRepo::new(), json!({})).await;
    // One hears the interrupt, one is ended because it does not.
    for steps in ["", "@deaf\n@ignore-signals"] {
        let started = busy(&ground, steps).await;
        assert_eq!(ground.follow_up(&started, "@edit b.txt two").await.0, 202);
        interrupt(&ground, &started).await;
        ground.until_prompt(&started, "@edit b.txt two").await;
        assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
        assert_eq!(queue(&ground, &started).await.len(), 0);
    }
}

#[tokio::test]
async fn a_script_is_no_turn() {
    let ground = Ground::with(json!({"setup_script": "exec tail -f /dev/null"})).await;
    let started = ground.start("@say hello").await;
    let (status, body) = post(&ground, &started, "interrupt", json!(null)).await;
    assert_eq!((status, code(&body)), (409, "no_turn"), "{body}");
    ground.stop(&started).await;
    let path = format!("/api/task-attempts/{}/interrupt", uuid::Uuid::new_v4());
    assert_eq!(ground.server.post(&path, json!(null)).await.0, 404);
}

#[tokio::test]
async fn an_urgent_prompt_interrupts_the_turn_and_comes_before_all_that_waits() {
    let ground = Ground::new().await;
    let started = busy(&ground, "@edit a.txt one").await;
    assert_eq!(ground.follow_up(&started, "@say patient").await.0, 202);
    let urgent = json!({"prompt": "@recall\n@say urgent", "interrupt": true});
    let (status, body) = post(&ground, &started, "follow-up", urgent).await;
    assert_eq!((status, &body["data"]["ahead"]), (202, &json!(0)), "{body}");
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    let processes = ground.processes(&started).await;
    let prompts: Vec<_> =
        processes[1..].iter().map(|process| &process["executor_action"]["typ"]["prompt"]).collect();
    assert_eq!(prompts, ["@recall\n@say urgent", "@say patient"]);
    assert_eq!(processes[0]["status"], "killed");
    assert!(ground.printed(&processes[1]).await.contains("I remember: Add login"));
    assert_eq!(ground.repo.git(&["show", &format!("{}:a.txt", started.branch())]), "one");
}

#[tokio::test]
async fn of_urgent_prompts_the_first_comes_first_and_is_not_interrupted_by_the_others() {
    let ground = Ground::new().await;
    let started = busy(&ground, "").await;
    let prompts = ["@say one", "@say two", "@say three"];
    for prompt in prompts {
        let body = json!({"prompt": prompt, "interrupt": true});
        let (status, body) = post(&ground, &started, "follow-up", body).await;
        assert!(status == 202 || status == 200, "{body}");
    }
    ground.until_prompt(&started, "@say three").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    let processes = ground.processes(&started).await;
    let told: Vec<_> =
        processes[1..].iter().map(|process| &process["executor_action"]["typ"]["prompt"]).collect();
    assert_eq!(told, prompts);
}

#[tokio::test]
async fn a_server_that_dies_of_an_interrupt_interrupts_when_it_is_back() {
    let mut ground = Ground::new().await;
    let started = busy(&ground, "@deaf").await;
    let body = json!({"prompt": "@say urgent", "interrupt": true});
    assert_eq!(post(&ground, &started, "follow-up", body).await.0, 202);
    ground.server.kill_9().await;
    ground.server.restart().await;
    // It does not hear the interrupt that is in its log: the new server gives it its grace, too, and no more.
    ground.until_prompt(&started, "@say urgent").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(ground.processes(&started).await.len(), 2);
}

#[tokio::test]
async fn a_prompt_that_waits_is_changed_hurried_and_taken_out() {
    let ground = Ground::new().await;
    let started = busy(&ground, "").await;
    for prompt in ["@say one", "@say two", "@say three"] {
        assert_eq!(ground.follow_up(&started, prompt).await.0, 202);
    }
    let waiting = queue(&ground, &started).await;
    let path = |row: &Value| {
        format!("/api/task-attempts/{}/follow-ups/{}", started.attempt(), row["id"].as_str().unwrap())
    };
    let changed =
        data(ground.server.put(&path(&waiting[1]), json!({"prompt": "@say zwei", "model": "small"})).await);
    assert_eq!((&changed["prompt"], &changed["model"]), (&json!("@say zwei"), &json!("small")));
    let (status, body) = ground.server.put(&path(&waiting[1]), json!({"prompt": " "})).await;
    assert_eq!((status, code(&body)), (422, "prompt_empty"));
    let (status, body) = ground.server.put(&path(&waiting[1]), json!({"variant": "NONE"})).await;
    assert_eq!((status, code(&body)), (422, "variant_unknown"));
    data(ground.server.delete(&path(&waiting[0])).await);
    assert_eq!(ground.server.delete(&path(&waiting[0])).await.0, 404);
    data(ground.server.put(&path(&waiting[2]), json!({"interrupt": true})).await);
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    let processes = ground.processes(&started).await;
    let told: Vec<_> =
        processes[1..].iter().map(|process| process["executor_action"]["typ"].clone()).collect();
    assert_eq!((&told[0]["prompt"], &told[1]["prompt"]), (&json!("@say three"), &json!("@say zwei")));
    assert_eq!((&told[0]["model"], &told[1]["model"]), (&Value::Null, &json!("small")));
    assert_eq!(ground.server.put(&path(&waiting[1]), json!({"prompt": "late"})).await.0, 404);
}

#[tokio::test]
async fn a_draft_that_is_queued_is_not_changed_behind_its_back() {
    let ground = Ground::new().await;
    let started = busy(&ground, "").await;
    let draft = format!("/api/task-attempts/{}/draft", started.attempt());
    data(ground.server.put(&draft, json!({"prompt": "@say drafted"})).await);
    data(ground.server.post(&format!("{draft}/queue"), json!({"queued": true})).await);
    let waiting = queue(&ground, &started).await;
    let path =
        format!("/api/task-attempts/{}/follow-ups/{}", started.attempt(), waiting[0]["id"].as_str().unwrap());
    let (status, body) = ground.server.put(&path, json!({"prompt": "@say changed"})).await;
    assert_eq!((status, code(&body)), (409, "draft_queued"), "{body}");
    data(ground.server.delete(&path).await);
    let kept = data(ground.server.get(&draft).await);
    assert_eq!((&kept["prompt"], &kept["queued"]), (&json!("@say drafted"), &json!(false)));
    ground.stop(&started).await;
}

#[tokio::test]
async fn model_and_mode_stay_until_others_are_named() {
    let ground = Ground::new().await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    let steps = [
        (json!({"model": "opus", "mode": "plan"}), ("opus", "plan")),
        (json!({}), ("opus", "plan")),
        (json!({"model": "haiku"}), ("haiku", "plan")),
    ];
    for (mut body, (model, mode)) in steps {
        body["prompt"] = json!("@say more");
        let (status, body) = post(&ground, &started, "follow-up", body).await;
        assert_eq!(status, 200, "{body}");
        let action = &body["data"]["executor_action"]["typ"];
        assert_eq!((&action["model"], &action["mode"]), (&json!(model), &json!(mode)));
        ground.finished(&started).await;
        // The scripted agent says in which mode it was started, as the real one does.
        let printed = ground.printed(&body["data"]).await;
        assert!(printed.contains(&format!("\"permissionMode\":\"{mode}\"")), "{printed}");
    }
    // A variant says anew what it wants.
    let (_, body) =
        post(&ground, &started, "follow-up", json!({"prompt": "@say x", "variant": "GENIE"})).await;
    assert_eq!(body["data"]["executor_action"]["typ"]["model"], Value::Null);
    ground.finished(&started).await;
}

#[tokio::test]
async fn what_an_agent_offers_is_there_to_choose_from() {
    let ground = Ground::new().await;
    let started = busy(&ground, "").await;
    let path = format!("/api/task-attempts/{}/offers", started.attempt());
    // The log tells what it prints before the server has looked into it.
    let mut look_again = tokio::time::interval(Duration::from_millis(20));
    let told = async {
        loop {
            let offers = data(ground.server.get(&path).await);
            if offers["commands"] != json!([]) && offers["model"] != Value::Null {
                return offers;
            }
            look_again.tick().await;
        }
    };
    let offers = tokio::time::timeout(DEADLINE, told).await.expect("what the agent offers");
    assert_eq!(
        (&offers["commands"][0]["id"], &offers["models"][0]["name"]),
        (&json!("recall"), &json!("Scripted"))
    );
    let modes: Vec<_> = offers["modes"].as_array().unwrap().iter().map(|mode| &mode["id"]).collect();
    assert_eq!(modes, ["default", "acceptEdits", "plan"]);
    ground.stop(&started).await;
    assert_eq!(data(ground.server.get(&path).await), offers, "as it last told");
    assert_eq!(
        ground.server.get(&format!("/api/task-attempts/{}/offers", uuid::Uuid::new_v4())).await.0,
        404
    );
}

#[tokio::test]
async fn a_turn_that_a_limit_ended_goes_on_by_itself_where_that_is_wanted() {
    let mut ground = Ground::new().await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    let body = json!({"prompt": "@limit 15 slow down", "wait_for_limit": true});
    assert_eq!(post(&ground, &started, "follow-up", body).await.0, 200);
    let attempt = ground.finished(&started).await;
    let reason = &attempt["reason"];
    assert_eq!(
        (&reason["code"], &attempt["outcome"]),
        (&json!("rate_limited"), &json!("failed")),
        "{attempt}"
    );
    let waiting = queue(&ground, &started).await;
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0]["waits_until"], reason["resets_at"]);
    // It waits although the server does not.
    ground.server.kill_9().await;
    ground.server.restart().await;
    let prompt = waiting[0]["prompt"].as_str().unwrap();
    ground.until_prompt(&started, prompt).await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    let process = ground.processes(&started).await[2].clone();
    assert!(process["started_at"].as_str() >= reason["resets_at"].as_str(), "{process}");
    assert_eq!(queue(&ground, &started).await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_person_who_sends_something_takes_the_place_of_what_waits_for_a_limit() {
    let ground = Ground::new().await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    let limited = json!({"prompt": "@limit 3600 slow down", "wait_for_limit": true});
    assert_eq!(post(&ground, &started, "follow-up", limited.clone()).await.0, 200);
    ground.finished(&started).await;
    assert_eq!(queue(&ground, &started).await.len(), 1);
    assert_eq!(ground.follow_up(&started, "@say more").await.0, 200);
    ground.finished(&started).await;
    assert_eq!(queue(&ground, &started).await, Vec::<Value>::new());
    // And so does one who stops it.
    assert_eq!(post(&ground, &started, "follow-up", limited).await.0, 200);
    ground.finished(&started).await;
    ground.stop(&started).await;
    assert_eq!(queue(&ground, &started).await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_limit_holds_up_what_waits_and_nothing_goes_on_where_nobody_asked_for_it() {
    let ground = Ground::new().await;
    let held = Held::at(ground.own("held"));
    let started = ground.start(&format!("@wait-fifo {}\n@limit 1 slow down", held.path())).await;
    assert_eq!(ground.follow_up(&started, "@say later").await.0, 202);
    held.let_go();
    assert_eq!(ground.finished(&started).await["reason"]["code"], "rate_limited");
    let waiting = queue(&ground, &started).await;
    assert_eq!(waiting.len(), 1);
    assert_eq!((&waiting[0]["prompt"], &waiting[0]["waits_until"]), (&json!("@say later"), &Value::Null));
    assert_eq!(ground.processes(&started).await.len(), 1);
    let server = ground.server.pid();
    comes_true("only the server runs", || ground.server.family().pids() == [server]).await;
}
