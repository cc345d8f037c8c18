//! Data folders written by earlier versions: every later version opens them and answers as recorded.
//!
//! See `tests/data/corpus/README.md`.

mod database;
mod record;

use std::fs;
use std::path::{Path, PathBuf};

use forge_testkit::repo::TempRepo;
use forge_testkit::server::{Setup, TestServer};
use serde_json::Value;

use crate::{FORGE, read};

/// Stands for the folder that the server's data folder is in.
const FOLDER: &str = "{{FOLDER}}";
/// Stands for the repository.
const REPO: &str = "{{REPO}}";

/// The corpus of all versions.
fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/corpus")
}

/// The paths that differ between the server that wrote a corpus and the one that opens it.
struct Paths {
    folder: String,
    repo: String,
}

impl Paths {
    fn of(server: &TestServer, repo: &TempRepo) -> Self {
        let folder = server.folder().canonicalize().unwrap();
        Self { folder: folder.to_str().unwrap().to_owned(), repo: repo.path().to_str().unwrap().to_owned() }
    }

    fn hide(&self, text: &str) -> String {
        text.replace(&self.folder, FOLDER).replace(&self.repo, REPO)
    }

    fn show(&self, text: &str) -> String {
        text.replace(FOLDER, &self.folder).replace(REPO, &self.repo)
    }
}

/// Copies files and folders. Text is changed; logs and transcripts, which have positions in them, are not.
fn copy(from: &Path, to: &Path, change: &dyn Fn(&str) -> String) {
    let entry = fs::symlink_metadata(from).unwrap();
    if entry.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            copy(&from.join(&name), &to.join(&name), change);
        }
    } else if entry.is_file() {
        let bytes = fs::read(from).unwrap();
        let has_positions = ["log", "transcript"].iter().any(|name| from.ends_with(name));
        match String::from_utf8(bytes) {
            Ok(text) if !has_positions => fs::write(to, change(&text)).unwrap(),
            Ok(text) => fs::write(to, text).unwrap(),
            Err(binary) => fs::write(to, binary.as_bytes()).unwrap(),
        }
    }
}

/// A server of this version on a copy of a corpus.
async fn open(version: &Path) -> (TestServer, TempRepo, Paths) {
    let repo = TempRepo::new();
    // However old the corpus is, nothing of it is collected.
    let config = "[gc]\nworktree_days = inf\nclosed_days = inf\norphan_days = inf\n";
    let mut server = Setup::new(FORGE).config(config).start().await;
    server.kill_9().await;
    let paths = Paths::of(&server, &repo);
    fs::remove_dir_all(server.data()).unwrap();
    copy(&version.join("data"), &server.data(), &|text| paths.show(text));
    database::load(&server.data().join("forge.db"), paths.show(&read(version.join("forge.sql")))).await;
    server.restart().await;
    (server, repo, paths)
}

#[tokio::test]
async fn this_version_has_corpus() {
    let version = corpus().join(env!("CARGO_PKG_VERSION"));
    if std::env::var_os("UPDATE").is_some() && !version.exists() {
        record::write(&version).await;
    }
    assert!(version.join("expected.json").exists(), "UPDATE=1 cargo nextest run -p forge corpus writes it");
}

#[tokio::test]
async fn every_corpus_opens_as_recorded() {
    let mut opened = 0;
    for entry in fs::read_dir(corpus()).unwrap() {
        let version = entry.unwrap().path();
        if !version.join("expected.json").exists() {
            continue;
        }
        let expected: Value = serde_json::from_str(&read(version.join("expected.json"))).unwrap();
        let (server, _repo, paths) = open(&version).await;
        for part in ["finished", "interrupted", "events"] {
            let mut now = record::part(&server, part, &expected, &paths).await;
            leave_out_new_fields(&mut now, &expected[part]);
            let (now, then) = (pretty(&now), pretty(&expected[part]));
            let differs = then.lines().zip(now.lines()).find(|(then, now)| then != now);
            assert!(now == then, "{}, {part}: (recorded, now) {differs:?}\n{now}", version.display());
        }
        opened += 1;
    }
    assert!(opened > 0, "there is no corpus");
}

/// A later version may answer with more fields. What is under an id is no field.
fn leave_out_new_fields(now: &mut Value, then: &Value) {
    match (now, then) {
        (Value::Object(now), Value::Object(then)) => {
            now.retain(|name, _| then.contains_key(name) || uuid::Uuid::parse_str(name).is_ok());
            for (name, value) in now {
                leave_out_new_fields(value, then.get(name).unwrap_or(&Value::Null));
            }
        }
        (Value::Array(now), Value::Array(then)) => {
            now.iter_mut().zip(then).for_each(|(now, then)| leave_out_new_fields(now, then));
        }
        _ => {}
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}
