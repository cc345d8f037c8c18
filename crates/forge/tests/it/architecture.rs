//! The architecture as a check: who may name whom, and how long a file may be.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What each crate may build on, among our own. Tests may also use the test kit.
const MAY_NAME: [(&str, &[&str]); 8] = [
    ("forge-model", &[]),
    ("forge-store", &["forge-model"]),
    ("forge-git", &[]),
    ("forge-agent", &["forge-model"]),
    ("forge-engine", &["forge-agent", "forge-git", "forge-model", "forge-store"]),
    ("forge", &["forge-engine", "forge-model", "scripted-agent"]),
    ("scripted-agent", &[]),
    ("forge-testkit", &["forge-model", "scripted-agent"]),
];

/// What is one crate's business alone. The test kit plays services that the others talk to.
const ONLY_IN: [(&str, &[&str]); 5] = [
    ("sqlx", &["forge-store"]),
    ("axum", &["forge", "forge-testkit"]),
    ("clap", &["forge", "forge-testkit"]),
    ("globset", &["forge-git"]),
    ("git2", &[]),
];

/// Names that pure code has no use for.
const NOT_IN_THE_MODEL: [&str; 5] = ["tokio", "sqlx", "axum", "rustix", "tracing"];

const LONGEST_FILE: usize = 600;

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn manifest(name: &str) -> toml::Table {
    let text = fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
    text.parse().unwrap()
}

fn dependencies(name: &str) -> Vec<String> {
    let table = manifest(name);
    table
        .get("dependencies")
        .and_then(toml::Value::as_table)
        .map(|t| t.keys().cloned().collect())
        .unwrap_or_default()
}

#[test]
fn crates_depend_in_one_direction() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_NAME.into_iter().collect();
    let mut found: Vec<String> = fs::read_dir(crates())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    let mut known: Vec<&str> = allowed.keys().copied().collect();
    known.sort_unstable();
    assert_eq!(found, known, "a new crate needs a place in this table and a reason in an ADR");
    for (name, may) in allowed {
        for dependency in dependencies(name) {
            if MAY_NAME.iter().any(|(ours, _)| *ours == dependency) {
                assert!(may.contains(&dependency.as_str()), "{name} must not name {dependency}");
            }
        }
    }
}

#[test]
fn each_thing_is_done_in_one_crate() {
    for (name, _) in MAY_NAME {
        for dependency in dependencies(name) {
            let owner = ONLY_IN.iter().find(|(thing, _)| *thing == dependency);
            assert!(owner.is_none_or(|(_, may)| may.contains(&name)), "{name} must not name {dependency}");
            assert!(
                name != "forge-model" || !NOT_IN_THE_MODEL.contains(&dependency.as_str()),
                "the model is pure and must not name {dependency}"
            );
        }
    }
}

#[test]
fn no_file_is_too_long_to_read() {
    let mut folders = vec![crates()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                assert!(text.lines().count() <= LONGEST_FILE, "{} is too long", path.display());
                let opens = text.starts_with("//!")
                    || path.file_name().is_some_and(|name| name.to_string_lossy().ends_with("_tests.rs"));
                assert!(opens, "{} does not say what it is for", path.display());
            }
        }
    }
}

#[test]
fn every_crash_point_is_on_the_map() {
    let source = fs::read_to_string(crates().join("forge-engine/src/crash.rs")).unwrap();
    let map = fs::read_to_string(crates().join("../ARCHITECTURE.md")).unwrap();
    let list = source.split_once("const ALL").unwrap().1.split_once("];").unwrap().0;
    let points: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    assert!(points.len() > 5, "{points:?}");
    for point in points {
        assert!(map.contains(&format!("| `{point}` |")), "{point} is missing in ARCHITECTURE.md");
    }
}
