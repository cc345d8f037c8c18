//! Streams under attack: readers that join, drop, stall and resume at any moment, over crashes of the server, and
//! output of every ugly kind. Each of them gets everything, once, in order.

mod bytes;
mod deluge;
mod ends;
mod events;
mod logs;
mod positions;

use forge_testkit::server::{Printed, TestServer};
use serde_json::{Value, json};

use crate::{data, project, started};

/// A process that runs these lines of shell and nothing else: a setup script. Its id.
async fn printing(server: &TestServer, script: &str) -> String {
    let project = project(server).await;
    prints(server, &project, script).await
}

/// The same in a project that is there already.
async fn prints(server: &TestServer, project: &Value, script: &str) -> String {
    let path = format!("/api/projects/{}", project["id"].as_str().unwrap());
    data(server.put(&path, json!({"setup_script": script})).await);
    let started = started(server, project, "@say done").await;
    assert_eq!(started["execution_process"]["run_reason"], "setupscript");
    started["execution_process_id"].as_str().unwrap().to_owned()
}

/// Everything that was printed to standard output.
fn text(printed: &[Printed]) -> String {
    printed.iter().filter(|entry| entry.stream == "STDOUT").map(|entry| entry.text.as_str()).collect()
}

/// A process that has ended.
fn has_ended(process: &Value) -> bool {
    process["status"] != "running"
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    /// From 1 to `sides`.
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides + 1
    }
}
