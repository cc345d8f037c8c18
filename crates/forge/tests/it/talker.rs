//! An agent that prints numbered lines all the time, and somebody who listens to it over every crash.

use forge_testkit::gate::Gate;
use forge_testkit::server::{Logs, Printed};
use serde_json::json;

use crate::life::{Bed, Run, pid};

pub(crate) struct Talker {
    name: String,
    run: Run,
    pid: u32,
    gate: Gate,
    logs: Logs,
    heard: Vec<Printed>,
    /// Where to go on listening.
    position: u64,
}

impl Talker {
    pub(crate) async fn start(bed: &Bed, name: String) -> Self {
        let (gate, pid_file) = (bed.gate(&name), bed.path(&format!("{name}.pid")));
        let steps = format!(
            "@print-pid {}\n@chatter {}\n@edit {name}.txt {name}",
            pid_file.display(),
            gate.path().display()
        );
        let run = bed.started(&steps).await;
        let mut logs = bed.server.logs(&run.process, 0).await;
        logs.until("line 1\"").await;
        let (pid, logs) = (pid(&pid_file), bed.server.logs(&run.process, 0).await);
        Self { name, run, pid, gate, logs, heard: Vec::new(), position: 0 }
    }

    /// Hears what is printed next.
    pub(crate) async fn hear(&mut self) {
        let printed = self.logs.next().await.expect("it prints on");
        self.heard.extend(printed);
        self.position = self.logs.position();
    }

    /// After a crash: the agent runs, its attempt says so, and the new server tells what it prints from now on.
    pub(crate) async fn is_attached(&mut self, bed: &Bed) {
        assert!(bed.server.family().pids().contains(&self.pid), "the agent {} is gone", self.name);
        let attempt = bed.attempt(&self.run).await;
        assert_eq!(
            (&attempt["state"], &attempt["stage"]),
            (&json!("running"), &json!("agent")),
            "{attempt:#}"
        );
        self.logs = bed.server.logs(&self.run.process, self.position).await;
        // The first is what was printed meanwhile.
        for _ in 0..3 {
            self.hear().await;
        }
    }

    /// Lets the agent end, and sees that no line of it is missing and none is there twice.
    pub(crate) async fn finish(mut self, bed: &Bed) -> Run {
        self.gate.open().await;
        let attempt = bed.finished(&self.run).await;
        assert_eq!(attempt["outcome"], "succeeded", "{attempt:#}");
        self.heard.extend(self.logs.rest().await);
        assert!(self.logs.finished(), "the log has an end");
        assert_eq!(self.heard, bed.server.logs(&self.run.process, 0).await.rest().await);
        let said = bed.said(&self.run.process).await;
        assert_eq!(said, (1..=said.len()).map(|n| format!("line {n}")).collect::<Vec<_>>());
        assert_eq!(bed.processes(&self.run.attempt).await.len(), 1);
        assert_eq!(bed.commits(&self.run).await, 1);
        assert_eq!(bed.committed(&self.run, &format!("{}.txt", self.name)).await, self.name);
        self.run
    }
}
