//! Whatever is done in whatever order, no byte that was in a worktree becomes unrecoverable.
//!
//! Before each step in which Forge itself changes files, the test notes what is in the worktree. In the end each of these states
//! has to be found whole, in a snapshot, on the branch or in the worktree itself, and so has each commit.
//! `FORGE_FUZZ_SEQUENCES` says how many sequences each of the five tests plays.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::time::Duration;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use reqwest::Method;
use serde_json::json;

use crate::dice::{Dice, times};
use crate::ground::{Ground, Started};
use crate::snapshots::{restore, snapshots};
use crate::{FORGE, data};

const KINDS: usize = 5;
const SEQUENCES: usize = 20;
const STEPS: usize = 8;

/// Files by mode, object and name, as `git ls-tree` tells them.
type State = BTreeSet<String>;

struct Player {
    ground: Ground,
    started: Started,
    /// The attempts of this sequence that are gone.
    deleted: Vec<Started>,
    dice: Dice,
    written: u32,
    states: Vec<(String, State)>,
    commits: BTreeSet<String>,
    /// What objects hold, by their names.
    blobs: HashMap<String, String>,
    /// The files of commits, which stay what they are.
    trees: HashMap<String, State>,
    sequence: usize,
}

impl Player {
    fn worktree(&self) -> PathBuf {
        self.started.worktree()
    }

    /// What is in the worktree, if there is one.
    fn state(&self) -> Option<State> {
        let top = self.worktree();
        if !top.exists() {
            return None;
        }
        let (mut state, mut left) = (State::new(), vec![top.clone()]);
        while let Some(path) = left.pop() {
            let entry = fs::symlink_metadata(&path).unwrap();
            let name = path.strip_prefix(&top).unwrap().display().to_string();
            if entry.is_dir() {
                left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else if name != ".git" {
                let is_run = entry.permissions().mode() & 0o100 != 0;
                let (mode, content) = if entry.is_symlink() {
                    ("120000", fs::read_link(&path).unwrap().display().to_string())
                } else {
                    (if is_run { "100755" } else { "100644" }, fs::read_to_string(&path).unwrap())
                };
                state.insert(format!("{mode} {name}\n{content}"));
            }
        }
        Some(state)
    }

    /// The files of a commit.
    fn state_of(&mut self, commit: &str) -> State {
        if let Some(known) = self.trees.get(commit) {
            return known.clone();
        }
        let (repo, mut state) = (&self.ground.repo, State::new());
        for line in repo.git(&["ls-tree", "-r", commit]).lines() {
            let (object, name) = line.split_once('\t').unwrap();
            let mut object = object.split(' ');
            let (mode, oid) = (object.next().unwrap(), object.nth(1).unwrap());
            let content = self.blobs.entry(oid.to_owned()).or_insert_with(|| {
                let output = repo.try_git_in(repo.path(), &["cat-file", "blob", oid]);
                String::from_utf8(output.stdout).unwrap()
            });
            state.insert(format!("{mode} {name}\n{content}"));
        }
        self.trees.insert(commit.to_owned(), state.clone());
        state
    }

    /// Notes what there is, before Forge may do something to it.
    fn note(&mut self, before: &str) {
        if let Some(state) = self.state() {
            self.states.push((before.to_owned(), state));
        }
        self.note_commit();
    }

    fn note_commit(&mut self) {
        self.commits.insert(self.ground.repo.git(&["rev-parse", self.started.branch()]));
    }

    /// Everything that was noted is there.
    fn nothing_is_lost(&mut self) {
        let repo = &self.ground.repo;
        let mut there = BTreeSet::new();
        for started in self.deleted.iter().chain([&self.started]) {
            let refs = format!("refs/forge/attempts/{}", started.attempt());
            let saved = repo.git(&["for-each-ref", "--format=%(objectname)", &refs]);
            let branch = repo.git(&["rev-list", started.branch()]);
            there.extend(saved.lines().chain(branch.lines()).map(str::to_owned));
        }
        let mut known: Vec<State> = there.iter().map(|commit| self.state_of(commit)).collect();
        known.extend(self.state());
        for (before, state) in &self.states {
            assert!(known.contains(state), "sequence {}: lost since {before}: {state:#?}", self.sequence);
        }
        let all = self.ground.repo.git(&["rev-list", "--all"]);
        let all: BTreeSet<&str> = all.lines().collect();
        for commit in &self.commits {
            assert!(all.contains(commit.as_str()), "sequence {}: commit {commit} is lost", self.sequence);
        }
    }

    fn token(&mut self) -> String {
        self.written += 1;
        format!("content {}", self.written)
    }

    fn name(&mut self) -> &'static str {
        ["a.txt", "b.txt", "deep/c.txt", "README.md"][self.dice.roll(4)]
    }

    /// A person works in the worktree.
    fn edit(&mut self) {
        if !self.worktree().exists() {
            return;
        }
        let (name, content) = (self.name(), self.token());
        let path = self.worktree().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match self.dice.roll(5) {
            0 => drop(fs::remove_file(&path)),
            1 => {
                drop(fs::remove_file(&path));
                symlink(&content, &path).unwrap();
            }
            how => {
                drop(fs::remove_file(&path));
                fs::write(&path, content).unwrap();
                let mode = if how == 2 { 0o755 } else { 0o644 };
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            }
        }
    }

    /// A person commits in the worktree.
    fn commit(&mut self) {
        if self.worktree().exists() {
            self.ground.git_in(&self.started, &["add", "--all"]);
            let message = self.token();
            self.ground.git_in(&self.started, &["commit", "--quiet", "--allow-empty", "-m", &message]);
            self.note_commit();
        }
    }

    fn move_base(&mut self) {
        let content = self.token();
        self.ground.repo.write("base.txt", content);
        self.ground.repo.commit("The base moves");
    }

    /// The agent works; the turn ends in a commit.
    async fn turn(&mut self) {
        self.note_commit();
        let prompt = format!("@edit {} {}", self.name(), self.token());
        let (status, body) = self.ground.follow_up(&self.started, &prompt).await;
        assert_eq!(status, 200, "{body}");
        self.ground.finished(&self.started).await;
    }

    /// The agent works and is stopped; what it did stays where it is.
    async fn stopped_turn(&mut self) {
        self.note_commit();
        let (name, content) = (self.name(), self.token());
        let (status, body) =
            self.ground.follow_up(&self.started, &format!("@edit {name} {content}\n@until-told")).await;
        assert_eq!(status, 200, "{body}");
        self.ground.stop(&self.started).await;
    }

    async fn set_status(&self, status: &str) {
        let path = format!("/api/tasks/{}", self.started.task());
        data(self.ground.server.put(&path, json!({"status": status})).await);
    }

    /// From here on nobody takes the worktree away: a collection that saw the task closed is over.
    async fn open(&self) {
        self.set_status("inreview").await;
        data(self.ground.server.post("/api/gc", json!({"dry_run": true})).await);
    }

    async fn collect(&mut self) {
        self.note("a collection");
        let status = ["done", "cancelled", "archived"][self.dice.roll(3)];
        self.set_status(status).await;
        let mut told = data(self.ground.server.post("/api/gc", json!({})).await);
        // As long as something works in it that a killed server began, such as a git, it is left.
        while told["left"] != json!([]) {
            told = data(self.ground.server.post("/api/gc", json!({})).await);
        }
        assert!(!self.worktree().exists(), "{told}");
        self.open().await;
    }

    /// The task is put away and taken up again. Whether its worktree was collected meanwhile, the machine chooses.
    async fn archive(&mut self) {
        self.note("the task is archived");
        self.set_status("archived").await;
        self.open().await;
        if self.worktree().exists() {
            // Nothing happened to it, and what a person does next is not Forge's to save.
            let noted = self.states.pop().map(|(_, state)| state);
            assert_eq!(self.state(), noted, "sequence {}: nobody asked for a change", self.sequence);
        }
    }

    async fn a_snapshot(&mut self) -> Option<(String, String)> {
        let all = snapshots(&self.ground, &self.started).await;
        let one = (!all.is_empty()).then(|| &all[self.dice.roll(all.len())])?;
        Some((one["name"].as_str().unwrap().to_owned(), one["oid"].as_str().unwrap().to_owned()))
    }

    async fn put_back(&mut self) {
        self.note("a restore");
        self.put_back_any().await;
    }

    async fn crash(&mut self) {
        let before = self.state();
        self.ground.server.kill_9().await;
        self.ground.server.restart().await;
        self.open().await;
        assert_eq!(self.state(), before, "sequence {}: nobody asked for a change", self.sequence);
    }

    /// The server dies while it takes the worktree away or puts something back.
    async fn crash_within(&mut self) {
        self.note("a crash in the middle");
        let what = self.dice.roll(3);
        let request = match (what, self.a_snapshot().await) {
            (0, Some((name, _))) => {
                let path = format!("/api/task-attempts/{}/restore", self.started.attempt());
                self.ground.server.request(Method::POST, &path).json(&json!({"snapshot": name}))
            }
            (1, _) => self.ground.server.request(Method::DELETE, &self.path()),
            _ => {
                self.set_status("done").await;
                self.ground.server.request(Method::POST, "/api/gc").json(&json!({}))
            }
        };
        let ticks = self.dice.roll(12);
        let (_cut_off, ()) = tokio::join!(request.send(), async {
            // So that it dies at different places; whichever it is, nothing may be lost.
            let mut tick = tokio::time::interval(Duration::from_millis(3));
            for _ in 0..=ticks {
                tick.tick().await;
            }
            self.ground.server.kill_9().await;
        });
        self.ground.server.restart().await;
        if what == 1 {
            let (status, body) = self.ground.server.delete(&self.path()).await;
            assert!([200, 404].contains(&status), "sequence {}: {status} {body}", self.sequence);
            return self.begin_again().await;
        }
        self.open().await;
        // Waits for a git that outlived the server.
        self.put_back_any().await;
    }

    async fn put_back_any(&mut self) {
        if let Some((name, oid)) = self.a_snapshot().await {
            data(restore(&self.ground, &self.started, &name).await);
            let saved = self.state_of(&oid);
            assert_eq!(self.state(), Some(saved), "sequence {}: what was put back is {name}", self.sequence);
        }
    }

    async fn step(&mut self) {
        match self.dice.roll(13) {
            0..=2 => self.edit(),
            3 => self.commit(),
            4 => self.turn().await,
            5 => self.stopped_turn().await,
            6 => self.archive().await,
            7 => self.collect().await,
            8 => self.put_back().await,
            9 => self.move_base(),
            10 => self.crash().await,
            11 => self.crash_within().await,
            _ => {
                self.delete().await;
                self.begin_again().await;
            }
        }
    }

    fn path(&self) -> String {
        format!("/api/task-attempts/{}", self.started.attempt())
    }

    async fn delete(&mut self) {
        self.note("the removal");
        assert_eq!(self.ground.server.delete(&self.path()).await.0, 200);
        assert!(!self.worktree().exists());
    }

    /// The attempt is gone; another takes its place.
    async fn begin_again(&mut self) {
        let started = self.ground.start("@edit a.txt one").await;
        self.ground.finished(&started).await;
        self.deleted.push(std::mem::replace(&mut self.started, started));
    }
}

/// Every fifth sequence, from `kind` on.
async fn play(kind: usize) {
    let setup = Setup::new(FORGE).config("[gc]\nworktree_days = inf\nclosed_days = 0.0\n");
    let mut ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let (mut blobs, mut trees) = (HashMap::new(), HashMap::new());
    for number in 0..times("FORGE_FUZZ_SEQUENCES", SEQUENCES) {
        let sequence = kind + KINDS * number;
        let started = ground.start("@edit a.txt one").await;
        ground.finished(&started).await;
        let dice = Dice::new(u64::try_from(sequence).unwrap());
        let (deleted, states, commits) = (Vec::new(), Vec::new(), BTreeSet::new());
        let mut player =
            Player { ground, started, deleted, dice, written: 0, states, commits, blobs, trees, sequence };
        for _ in 0..STEPS {
            player.step().await;
        }
        player.nothing_is_lost();
        player.delete().await;
        player.nothing_is_lost();
        Player { ground, blobs, trees, .. } = player;
    }
}

#[tokio::test]
async fn no_byte_is_lost_in_sequences_of_the_first_kind() {
    play(0).await;
}

#[tokio::test]
async fn no_byte_is_lost_in_sequences_of_the_second_kind() {
    play(1).await;
}

#[tokio::test]
async fn no_byte_is_lost_in_sequences_of_the_third_kind() {
    play(2).await;
}

#[tokio::test]
async fn no_byte_is_lost_in_sequences_of_the_fourth_kind() {
    play(3).await;
}

#[tokio::test]
async fn no_byte_is_lost_in_sequences_of_the_fifth_kind() {
    play(4).await;
}
