//! What a server holds when nothing goes on: memory, descriptors, threads, rows, folders and refs.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use super::{Kept, number_of};
use crate::forge;
use crate::ground::{Ground, comes_true, names};

/// Whatever was used once and is kept to be used again.
const MORE_KIB: usize = 12 * 1024;
const MORE_DESCRIPTORS: usize = 16;
/// Threads end when nobody has used them for ten seconds.
const MOST_THREADS: usize = 48;

pub(super) struct Held {
    rss_kib: usize,
    descriptors: usize,
    threads: usize,
    rows: BTreeMap<String, usize>,
    folders: BTreeMap<&'static str, usize>,
    refs: usize,
    marks: usize,
    registrations: usize,
    /// Entries of the folders that refs and their logs lie in.
    files: usize,
}

impl Held {
    pub(super) async fn look(ground: &Ground) -> Self {
        ground.only_the_server_runs().await;
        let data = ground.server.data();
        for trash in ["trash", "worktrees/.trash"] {
            comes_true("the trash is empty", || names(&data.join(trash)).is_empty()).await;
        }
        let process = format!("/proc/{}", ground.server.pid());
        let status = || fs::read_to_string(format!("{process}/status")).unwrap();
        comes_true("threads end", || number_of(&status(), "Threads:") <= MOST_THREADS).await;
        let output = forge(&["db", "rows", "--data", data.to_str().unwrap()], &[]).await;
        assert!(output.status.success(), "{output:?}");
        let rows = String::from_utf8(output.stdout).unwrap();
        let row = |line: &str| {
            let (table, count) = line.split_once(' ').unwrap();
            (table.to_owned(), count.parse().unwrap())
        };
        let folders = ["processes", "programs", "tmp", "cache", "worktrees", "worktrees/.pool"];
        let git = ground.repo.path().join(".git");
        let settings = ground.repo.git(&["config", "--local", "--list"]);
        let status = status();
        Self {
            rss_kib: number_of(&status, "VmRSS:"),
            descriptors: names(Path::new(&format!("{process}/fd"))).len(),
            threads: number_of(&status, "Threads:"),
            rows: rows.lines().map(row).collect(),
            folders: folders.into_iter().map(|name| (name, names(&data.join(name)).len())).collect(),
            refs: ground.repo.git(&["for-each-ref"]).lines().count(),
            marks: settings.lines().filter(|line| line.starts_with("branch.")).count(),
            registrations: names(&git.join("worktrees")).len(),
            files: ["refs/heads/forge", "refs/forge/attempts", "logs/refs/heads/forge"]
                .iter()
                .map(|name| names(&git.join(name)).len())
                .sum(),
        }
    }

    /// Sees that nothing is there that is not kept on purpose.
    pub(super) fn assert_only(&self, kept: &Kept) {
        let mut rows = self.rows.clone();
        // How many events are kept is a setting.
        rows.remove("event");
        let expected = [
            ("attempt", kept.attempts),
            ("follow_up", 0),
            ("port_block", 0),
            ("process", kept.processes),
            ("project", 1),
            ("start_answer", kept.answers),
            ("start_intent", 0),
            ("task", kept.attempts),
        ];
        // What a day of starts does not make: there is only what a new server has.
        for (table, count) in [
            ("approval", 0),
            ("database_identity", 1),
            ("draft", 0),
            ("global_settings", 0),
            ("image", 0),
            ("node", 1),
            ("project_settings", 0),
            ("standing_agent", 0),
            ("tag", 3),
            ("task_image", 0),
        ] {
            assert_eq!(rows.remove(table), Some(count), "{table}");
        }
        assert_eq!(rows, expected.map(|(table, count)| (table.to_owned(), count)).into());
        let mark_and_trash = 2;
        let expected = [
            ("processes", kept.processes),
            ("programs", kept.attempts),
            ("tmp", 0),
            ("cache", 1),
            ("worktrees", mark_and_trash),
            ("worktrees/.pool", 0),
        ];
        assert_eq!(self.folders, expected.into());
        let branches = kept.attempts + kept.branches;
        assert_eq!((self.registrations, self.marks), (0, branches));
        // Beside them there is the branch that was there before.
        assert_eq!(self.refs, kept.refs + 1);
        // Of each branch a file, its log, and the folder of its snapshots; fewer when git has tidied up.
        assert!(self.files <= branches * 3, "{self} {kept:?}");
    }

    /// Sees that what nobody counts has not grown beyond what is used again.
    pub(super) fn assert_no_bigger_than(&self, earlier: &Self) {
        assert!(self.rss_kib <= earlier.rss_kib + MORE_KIB, "memory: {earlier} → {self}");
        assert!(self.descriptors <= earlier.descriptors + MORE_DESCRIPTORS, "{earlier} → {self}");
    }
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rss_kib, descriptors, threads, refs, files, .. } = self;
        write!(
            f,
            "{rss_kib} KiB, {descriptors} descriptors, {threads} threads, {refs} refs in {files} places, "
        )?;
        write!(f, "rows {:?}, folders {:?}", self.rows, self.folders)
    }
}
