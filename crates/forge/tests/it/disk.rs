//! What is taken on the disk is told, by what it is for.

use std::fs;

use crate::data;
use crate::ground::Ground;

const MIB: u64 = 1 << 20;

#[tokio::test]
async fn bytes_are_told_for_an_attempt_and_for_its_project() {
    let ground = Ground::new().await;
    let small = ground.start("@say small").await;
    ground.finished(&small).await;
    let big = ground.start("@flood 10000 400").await;
    ground.finished(&big).await;
    fs::write(big.worktree().join("big"), vec![1; 2 << 20]).unwrap();
    let tmp = ground.server.data().join("tmp").join(big.attempt());
    fs::write(tmp.join("big"), vec![1; 3 << 20]).unwrap();
    let cache = ground.server.data().join("cache").join(ground.project_id());
    fs::write(cache.join("big"), vec![1; 5 << 20]).unwrap();

    let of = async |path: String| data(ground.server.get(&path).await);
    let bytes = |disk: &serde_json::Value, key: &str| disk[key].as_u64().unwrap();
    let both = async || {
        let of_attempt = async |id: &str| of(format!("/api/task-attempts/{id}/disk")).await;
        (of_attempt(small.attempt()).await, of_attempt(big.attempt()).await)
    };
    // Logs are packed, and transcripts stored, after the attempt is over: what changes meanwhile is no sum of anything.
    let (small, big, project) = loop {
        let before = both().await;
        let project = of(format!("/api/projects/{}/disk", ground.project_id())).await;
        if before == both().await {
            break (before.0, before.1, project);
        }
    };
    for (key, least) in [("worktrees", 2 * MIB), ("tmp", 3 * MIB), ("logs", 1)] {
        assert!(bytes(&big, key) >= bytes(&small, key) + least, "{key}: {small} {big}");
        assert!(bytes(&big, key) < bytes(&small, key) + least + 16 * MIB, "{key}: {small} {big}");
        assert_eq!(bytes(&project, key), bytes(&small, key) + bytes(&big, key), "{key}");
    }
    assert!(bytes(&project, "cache") >= 5 * MIB && bytes(&big, "cache") == 0, "{project}");
    let sum: u64 = ["worktrees", "logs", "tmp", "cache", "pool"].iter().map(|key| bytes(&project, key)).sum();
    assert_eq!(bytes(&project, "total"), sum);
    let missing = uuid::Uuid::new_v4();
    for what in ["task-attempts", "projects"] {
        assert_eq!(ground.server.get(&format!("/api/{what}/{missing}/disk")).await.0, 404);
    }
}
