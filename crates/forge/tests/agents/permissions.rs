//! What an agent may do is asked, and the answer holds.

use forge_testkit::agents::Agent;
use serde_json::json;

use crate::place::{May, Place, worktree};

pub(crate) async fn a_denied_permission_leaves_everything_as_it_was(agent: &'static Agent) {
    let place = Place::new(agent).await;
    let (prompt, file) = place.needs_permission();
    let started = place.start(prompt, May::Ask).await;
    let question = place.question().await;
    place.answer(&question, false).await;
    let attempt = place.finished(&started).await;
    assert!(!worktree(&attempt).join(file).exists());
    assert_eq!(place.commits(&attempt), 0);
    let entries = place.entries(&started.process).await;
    let statuses: Vec<_> = entries.iter().map(|entry| &entry["entry_type"]["status"]["status"]).collect();
    assert!(statuses.contains(&&json!("denied")), "{entries:#?}");
    assert!(!statuses.contains(&&json!("success")), "{entries:#?}");
    assert!(place.questions().await.is_empty());
}

pub(crate) async fn a_granted_permission_is_used(agent: &'static Agent) {
    let place = Place::new(agent).await;
    let (prompt, file) = place.needs_permission();
    let started = place.start(prompt, May::Ask).await;
    let question = place.question().await;
    assert_eq!(question["execution_process_id"], json!(started.process), "{question:#}");
    let attempt = &place.server.get(&format!("/api/task-attempts/{}", started.attempt)).await.1["data"];
    assert!(!worktree(attempt).join(file).exists(), "not before it was granted");
    place.answer(&question, true).await;
    let attempt = place.succeeded(&started).await;
    assert_eq!((place.commits(&attempt), place.file(&attempt, file).as_str()), (1, "Hello"));
    let entries = place.entries(&started.process).await;
    let statuses: Vec<_> = entries.iter().map(|entry| &entry["entry_type"]["status"]["status"]).collect();
    assert!(statuses.contains(&&json!("success")), "{entries:#?}");
}
