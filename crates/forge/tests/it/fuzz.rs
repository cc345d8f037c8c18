//! Whatever is done in whatever order, no byte that was in a worktree becomes unrecoverable.
//!
//! Before each step in which Forge itself changes files, the test notes what is in the worktree. In the end each of these states
//! has to be found whole, in a snapshot, on the branch or in the worktree itself, and so has each commit.
//! `FORGE_FUZZ_SEQUENCES` says how many sequences each test plays.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::time::Duration;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use reqwest::Method;
use serde_json::json;

use crate::ground::{Ground, Started};
use crate::snapshots::{restore, snapshots};
use crate::{FORGE, data};

const SEQUENCES: u64 = 5;
const STEPS: usize = 7;

/// Files by mode, object and name, as `git ls-tree` tells them.
type State = BTreeSet<String>;

/// Numbers that are the same for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        // The multiplier and increment of Knuth's MMIX; the upper bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

struct Player {
    ground: Ground,
    started: Started,
    dice: Dice,
    written: u32,
    states: Vec<(String, State)>,
    commits: BTreeSet<String>,
    /// What objects hold, by their names.
    blobs: HashMap<String, String>,
    seed: u64,
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
        let refs = format!("refs/forge/attempts/{}", self.started.attempt());
        let saved = self.ground.repo.git(&["for-each-ref", "--format=%(objectname)", &refs]);
        let branch = self.ground.repo.git(&["rev-list", self.started.branch()]);
        let there: BTreeSet<&str> = saved.lines().chain(branch.lines()).collect();
        let mut known: Vec<State> = there.into_iter().map(|commit| self.state_of(commit)).collect();
        known.extend(self.state());
        for (before, state) in &self.states {
            assert!(known.contains(state), "sequence {}: lost since {before}: {state:#?}", self.seed);
        }
        let all = self.ground.repo.git(&["rev-list", "--all"]);
        let all: BTreeSet<&str> = all.lines().collect();
        for commit in &self.commits {
            assert!(all.contains(commit.as_str()), "sequence {}: commit {commit} is lost", self.seed);
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
        let told = data(self.ground.server.post("/api/gc", json!({})).await);
        assert_eq!(told["left"], json!([]));
        assert!(!self.worktree().exists(), "{told}");
        self.open().await;
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
        assert_eq!(self.state(), before, "sequence {}: nobody asked for a change", self.seed);
    }

    /// The server dies while it takes the worktree away or puts something back.
    async fn crash_within(&mut self) {
        self.note("a crash in the middle");
        let request = match self.a_snapshot().await {
            Some((name, _)) if self.dice.roll(2) == 0 => {
                let path = format!("/api/task-attempts/{}/restore", self.started.attempt());
                self.ground.server.request(Method::POST, &path).json(&json!({"snapshot": name}))
            }
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
        self.open().await;
        // Waits for a git that outlived the server.
        self.put_back_any().await;
    }

    async fn put_back_any(&mut self) {
        if let Some((name, oid)) = self.a_snapshot().await {
            data(restore(&self.ground, &self.started, &name).await);
            let saved = self.state_of(&oid);
            assert_eq!(self.state(), Some(saved), "sequence {}: what was put back is {name}", self.seed);
        }
    }

    async fn step(&mut self) {
        match self.dice.roll(9) {
            0..=2 => self.edit(),
            3 => self.turn().await,
            4 => self.stopped_turn().await,
            5 => self.collect().await,
            6 => self.put_back().await,
            7 => self.crash_within().await,
            _ => {
                self.crash().await;
                let content = self.token();
                self.ground.repo.write("base.txt", content);
                self.ground.repo.commit("The base moves");
            }
        }
    }

    async fn delete(&mut self) {
        self.note("the removal");
        let path = format!("/api/task-attempts/{}", self.started.attempt());
        assert_eq!(self.ground.server.delete(&path).await.0, 200);
        assert!(!self.worktree().exists());
    }
}

async fn play(first: u64) {
    let sequences = std::env::var_os("FORGE_FUZZ_SEQUENCES")
        .map_or(SEQUENCES, |text| text.to_str().unwrap().parse().unwrap());
    let setup = Setup::new(FORGE).config("[gc]\nworktree_days = inf\nclosed_days = 0.0\n");
    let mut ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    for number in 0..sequences {
        let seed = first + 4 * number;
        let started = ground.start("@edit a.txt one").await;
        ground.finished(&started).await;
        let dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (states, commits, blobs) = (Vec::new(), BTreeSet::new(), HashMap::new());
        let mut player = Player { ground, started, dice, written: 0, states, commits, blobs, seed };
        for _ in 0..STEPS {
            player.step().await;
        }
        player.nothing_is_lost();
        player.delete().await;
        player.nothing_is_lost();
        ground = player.ground;
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
