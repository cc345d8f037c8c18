//! Crash points: named places between two steps where a test lets the server die as by `kill -9`.
//!
//! Each name is a place after which recovery must come to the same end. ARCHITECTURE.md lists them.

/// Dies here if this is the place the server was told to die at.
#[derive(Debug, Clone, Default)]
pub(crate) struct CrashPoints {
    armed: Option<String>,
}

impl CrashPoints {
    /// Every place, for the test that dies at each.
    pub(crate) const ALL: [&str; 27] = [
        "start-intended",
        "start-worktree-made",
        "start-process-runs",
        "start-committed",
        "turn-queued",
        "turn-written",
        "turn-process-runs",
        "agent-kept",
        "kept-furnished",
        "process-ended",
        "process-end-written",
        "commit-made",
        "stop-written",
        "delete-worktree-removed",
        "delete-marked",
        "delete-written",
        "pool-spare-taken",
        "pool-spare-made",
        "restore-saved",
        "collect-written",
        "replace-saved",
        "replace-rewound",
        "dev-server-written",
        "approval-answered",
        "node-intended",
        "node-claimed",
        "task-closed",
    ];

    pub(crate) fn armed_at(name: Option<String>) -> Self {
        Self { armed: name }
    }

    pub(crate) fn pass(&self, name: &'static str) {
        debug_assert!(Self::ALL.contains(&name), "{name} is not listed");
        if self.armed.as_deref() == Some(name) {
            let me = rustix::process::getpid();
            // Nothing after this line runs: no destructor, no flush, as with a power cut of the program.
            let _unreachable = rustix::process::kill_process(me, rustix::process::Signal::KILL);
        }
    }
}
