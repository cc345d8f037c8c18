//! What is stored of every recorded conversation is what is folded of it, from wherever it is read.

use std::sync::Arc;

use forge_agent::log::Frame;
use forge_agent::transcript::Transcript;
use forge_agent::transcript::pages::{After, Change, Folder, Pages};
use forge_model::ProcessId;
use serde_json::Value;

use crate::recorded::{self, Run};
use crate::snapshots::{fold, log};

fn nobody() -> ProcessId {
    ProcessId::from_uuid(uuid::Uuid::nil())
}

/// What somebody has in the end who goes on with what there was up to a position.
fn resumed(pages: &Pages, mut entries: Vec<Value>, mut position: u64) -> Vec<Value> {
    while let After::Some(changes) = pages.after(position).unwrap() {
        position = changes.position;
        for Change { index, is_new, json } in changes.changes {
            let (at, entry) = (usize::try_from(index).unwrap(), serde_json::from_str(&json).unwrap());
            assert_eq!(is_new, at == entries.len(), "new ones come in order, once");
            if is_new { entries.push(entry) } else { entries[at] = entry }
        }
    }
    entries
}

fn stored(run: &Run, frames: &[Frame]) {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = Folder::begin(dir.path(), &run.turn, nobody()).unwrap();
    let live = Arc::clone(folder.pages());
    let half = frames.len() / 2;
    let mut has = Vec::new();
    for (count, frame) in (1..).zip(frames) {
        folder.push(frame);
        folder.store().unwrap();
        if count == half {
            has = resumed(&live, Vec::new(), 0);
        }
    }
    folder.finish(None);
    let whole = fold(run, frames, usize::MAX);
    assert_eq!(resumed(&live, has, half as u64), whole);
    folder.seal().unwrap();
    let kept = Pages::open(dir.path()).unwrap();
    assert_eq!(resumed(&kept, Vec::new(), 0), whole);
    let page = kept.before(None, u64::MAX).unwrap();
    let page: Vec<Value> = page.entries.iter().map(|entry| serde_json::from_str(entry).unwrap()).collect();
    assert_eq!(page, whole);
}

/// Who asks for an entry whole asks by its number.
fn numbered_alike(run: &Run, frames: &[Frame], entries: usize) {
    let mut whole = Transcript::whole(&run.turn, nobody());
    frames.iter().for_each(|frame| whole.push(frame));
    whole.finish(None);
    assert_eq!(whole.take().len(), entries);
}

#[test]
fn every_recording_is_stored_as_it_is_folded() {
    let mut count = 0;
    for (agent, name) in recorded::all() {
        for run in recorded::runs(&agent, &name) {
            let frames = log(&run);
            stored(&run, &frames);
            numbered_alike(&run, &frames, fold(&run, &frames, usize::MAX).len());
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}
