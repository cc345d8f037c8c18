//! Follow-ups go on with the conversation, one at a time and in order.

use serde_json::{Value, json};

use crate::ground::{Ground, Held, Started};
use crate::{code, data};

/// What agents were told, oldest first.
fn prompts(processes: &[Value]) -> Vec<&str> {
    processes.iter().map(|process| process["executor_action"]["typ"]["prompt"].as_str().unwrap()).collect()
}

/// The prompts that wait.
async fn waiting(ground: &Ground, started: &Started) -> Vec<String> {
    let path = format!("/api/task-attempts/{}/follow-ups", started.attempt());
    let queue = data(ground.server.get(&path).await);
    queue.as_array().unwrap().iter().map(|one| one["prompt"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_agent_remembers_what_was_said_before() {
    let ground = Ground::new().await;
    let started = ground.start("@say the word is xyzzy").await;
    ground.finished(&started).await;
    let (status, process) = ground.follow_up(&started, "@recall").await;
    assert_eq!((status, &process["data"]["status"]), (200, &json!("running")), "{process}");
    let action = &process["data"]["executor_action"]["typ"];
    assert_eq!(
        (&action["type"], &action["prompt"]),
        (&json!("CodingAgentFollowUpRequest"), &json!("@recall"))
    );
    ground.finished(&started).await;
    let printed = ground.printed(&process["data"]).await;
    assert!(printed.contains("I remember: Add login"), "{printed}");
    assert!(printed.contains("the word is xyzzy"), "{printed}");
}

#[tokio::test]
async fn the_task_is_in_progress_again_until_the_follow_up_is_done() {
    let ground = Ground::new().await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    assert_eq!(ground.task_status(&started).await, "inreview");
    let held = Held::at(ground.own("held"));
    ground.follow_up(&started, &format!("@wait-fifo {}", held.path())).await;
    assert_eq!(ground.task_status(&started).await, "inprogress");
    held.let_go();
    ground.finished(&started).await;
    assert_eq!(ground.task_status(&started).await, "inreview");
}

#[tokio::test]
async fn follow_ups_sent_while_one_runs_wait_and_come_in_order() {
    let ground = Ground::new().await;
    let held = Held::at(ground.own("held"));
    let started = ground.start(&format!("@say begun\n@wait-fifo {}", held.path())).await;
    let wanted: Vec<_> = (1..=5).map(|number| format!("@say number {number}")).collect();
    for (ahead, prompt) in wanted.iter().enumerate() {
        let (status, body) = ground.follow_up(&started, prompt).await;
        assert_eq!((status, &body["data"]["queued"]), (202, &json!(true)), "{body}");
        assert_eq!(body["data"]["ahead"], ahead);
    }
    assert_eq!(waiting(&ground, &started).await, wanted);
    assert_eq!(ground.processes(&started).await.len(), 1, "nothing runs beside the first");
    let mut events = ground.server.events(Some(0)).await;
    held.let_go();
    ground.finished(&started).await;
    assert_eq!(waiting(&ground, &started).await, Vec::<String>::new());
    let processes = ground.processes(&started).await;
    assert_eq!(prompts(&processes)[1..], wanted);
    // At no moment did two of them run.
    let (mut running, mut ended) = (Vec::new(), 0);
    while ended < processes.len() {
        let process = events.next_of(&["execution_process_update"]).await.data;
        running.retain(|id| *id != process["id"]);
        if process["status"] == "running" {
            running.push(process["id"].clone());
        } else if process["after_head_commit"].is_null() {
            ended += 1;
        }
        assert!(running.len() <= 1, "{running:?}");
    }
    // Every turn knows those before it.
    assert_eq!(ground.follow_up(&started, "@recall").await.0, 200);
    ground.finished(&started).await;
    let printed = ground.printed(&ground.processes(&started).await[6]).await;
    assert!(wanted.iter().all(|prompt| printed.contains(prompt)), "{printed}");
}

#[tokio::test]
async fn of_many_sent_at_once_one_runs_and_the_others_wait() {
    let ground = Ground::new().await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    let held = Held::at(ground.own("held"));
    let prompt = format!("@wait-fifo {}", held.path());
    let answers = futures::future::join_all((0..10).map(|_| ground.follow_up(&started, &prompt))).await;
    let count = |wanted: u16| answers.iter().filter(|(status, _)| *status == wanted).count();
    assert_eq!((count(200), count(202)), (1, 9), "{answers:?}");
    assert_eq!(waiting(&ground, &started).await.len(), 9);
    held.let_go();
    ground.finished(&started).await;
    assert_eq!(ground.processes(&started).await.len(), 11);
}

#[tokio::test]
async fn a_turn_that_fails_does_not_hold_up_those_that_wait() {
    let ground = Ground::new().await;
    let held = Held::at(ground.own("held"));
    let started = ground.start(&format!("@wait-fifo {}\n@crash", held.path())).await;
    assert_eq!(ground.follow_up(&started, "@edit a.txt one").await.0, 202);
    held.let_go();
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(ground.repo.git(&["show", &format!("{}:a.txt", started.branch())]), "one");
}

#[tokio::test]
async fn what_waited_when_the_setup_failed_comes_before_what_is_sent_next() {
    let ground = Ground::with(json!({"setup_script": "test -e ready"})).await;
    let started = ground.start("@say the task").await;
    ground.finished(&started).await;
    assert_eq!(ground.follow_up(&started, "@say first").await.0, 200);
    ground.finished(&started).await;
    assert_eq!(waiting(&ground, &started).await, ["@say first"]);
    std::fs::write(started.worktree().join("ready"), "").unwrap();
    let (status, body) = ground.follow_up(&started, "@say second").await;
    assert_eq!((status, &body["data"]["ahead"]), (202, &json!(1)), "{body}");
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    let processes = ground.processes(&started).await;
    assert_eq!(prompts(&processes[3..]), ["Add login\n\n@say the task\n\n@say first", "@say second"]);
}

#[tokio::test]
async fn stop_drops_what_waits() {
    let ground = Ground::new().await;
    let started = ground.start("@until-told").await;
    assert_eq!(ground.follow_up(&started, "@say one").await.0, 202);
    assert_eq!(ground.follow_up(&started, "@say two").await.0, 202);
    assert_eq!(ground.stop(&started).await["status"], "killed");
    assert_eq!(waiting(&ground, &started).await, Vec::<String>::new());
    assert_eq!(ground.processes(&started).await.len(), 1);
    ground.only_the_server_runs().await;
}

#[tokio::test]
async fn a_stopped_attempt_goes_on_where_it_was() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one\n@say so far\n@until-told").await;
    ground.server.logs(started.process(), 0).await.until("so far").await;
    assert_eq!(ground.stop(&started).await["status"], "killed");
    assert_eq!(ground.follow_up(&started, "@recall").await.0, 200);
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    let processes = ground.processes(&started).await;
    assert!(ground.printed(&processes[1]).await.contains("I remember: Add login"));
    assert_eq!(ground.repo.git(&["show", &format!("{}:a.txt", started.branch())]), "one");
}

#[tokio::test]
async fn the_variant_stays_until_another_is_named() {
    let ground = Ground::new().await;
    let mut body = ground.body("@say hello");
    body["executor_profile_id"] = json!({"executor": "CLAUDE_CODE", "variant": "PLAN"});
    let started = Started { answer: data(ground.try_start(body).await) };
    let path = format!("/api/task-attempts/{}/follow-up", started.attempt());
    for (sent, kept) in [(Value::Null, "PLAN"), (json!("GENIE"), "GENIE"), (Value::Null, "GENIE")] {
        ground.finished(&started).await;
        let body = json!({"prompt": "@say more", "variant": sent});
        assert_eq!(ground.server.post(&path, body).await.0, 200);
        let attempt = ground.finished(&started).await;
        assert_eq!(attempt["executor_profile_id"]["variant"], kept);
    }
}

#[tokio::test]
async fn what_is_no_follow_up_is_refused() {
    let ground = Ground::new().await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    for prompt in ["", " \n\t"] {
        let (status, body) = ground.follow_up(&started, prompt).await;
        assert_eq!((status, code(&body)), (422, "prompt_empty"), "{prompt:?}");
    }
    assert_eq!(ground.processes(&started).await.len(), 1);
    for path in ["follow-up", "stop"] {
        let path = format!("/api/task-attempts/{}/{path}", uuid::Uuid::new_v4());
        let (status, body) = ground.server.post(&path, json!({"prompt": "@say more"})).await;
        assert_eq!((status, code(&body)), (404, "not_found"), "{path}");
    }
}

#[tokio::test]
async fn a_follow_up_whose_agent_is_gone_says_so_and_can_be_sent_again() {
    let ground = Ground::new().await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    let (claude, aside) = (ground.own("bin/claude"), ground.own("claude-aside"));
    let text = crate::read(&claude);
    std::fs::write(&claude, "#!/nowhere/interpreter\n").unwrap();
    let (status, body) = ground.follow_up(&started, "@say more").await;
    assert_eq!((status, code(&body)), (503, "start_failed"), "{body}");
    assert_eq!(ground.task_status(&started).await, "inreview");
    // Written aside and renamed: a file that somebody has open for writing cannot be run.
    std::fs::write(&aside, text).unwrap();
    std::fs::set_permissions(&aside, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::rename(&aside, &claude).unwrap();
    assert_eq!(ground.follow_up(&started, "@say again").await.0, 200);
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
}
