//! What is stored is what was folded, from wherever it is read.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::log::{Frame, Stream};
use crate::manner::Protocol;
use crate::transcript::Transcript;
use crate::turn::Turn;
use forge_model::{ProcessId, Reason};

/// What an agent does in a test.
#[derive(Debug, Clone)]
enum Step {
    Says(usize),
    Begins(u8),
    Ends(u8, usize),
    Complains,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (1_usize..40_000).prop_map(Step::Says),
        (0_u8..4).prop_map(Step::Begins),
        (0_u8..4, 1_usize..20_000).prop_map(|(tool, length)| Step::Ends(tool, length)),
        Just(Step::Complains),
    ]
}

fn line(step: &Step) -> (Stream, String) {
    let message =
        |kind: &str, part: Value| json!({"type": kind, "message": {"role": kind, "content": [part]}});
    let message = match step {
        Step::Says(length) => {
            message("assistant", json!({"type": "text", "text": "a\"ä".repeat(*length / 4 + 1)}))
        }
        Step::Begins(tool) => {
            let input = json!({"command": format!("run {tool}")});
            message(
                "assistant",
                json!({"type": "tool_use", "id": tool.to_string(), "name": "Bash", "input": input}),
            )
        }
        Step::Ends(tool, length) => {
            let part = json!({"type": "tool_result", "tool_use_id": tool.to_string(), "content": "x".repeat(*length)});
            message("user", part)
        }
        Step::Complains => return (Stream::Stderr, "oh\n".to_owned()),
    };
    (Stream::Stdout, format!("{message}\n"))
}

/// The log of these steps, some of them cut in the middle and some of them together in a frame.
fn log(steps: &[Step], cuts: &[bool]) -> Vec<Frame> {
    let mut frames: Vec<Frame> = Vec::new();
    for (step, cut) in steps.iter().zip(cuts.iter().cycle()) {
        let (stream, text) = line(step);
        let (head, tail) = text.as_bytes().split_at(if *cut { text.len() / 2 } else { 0 });
        match frames.last_mut().filter(|last| *cut && last.stream == stream) {
            Some(last) => last.bytes.extend_from_slice(head),
            None if !head.is_empty() => frames.push(frame(stream, head)),
            None => {}
        }
        frames.push(frame(stream, tail));
    }
    for (seq, frame) in (1..).zip(&mut frames) {
        frame.seq = seq;
    }
    frames
}

fn frame(stream: Stream, bytes: &[u8]) -> Frame {
    Frame { seq: 0, at_ms: 7, stream, bytes: bytes.to_vec() }
}

fn turn() -> Turn {
    Turn::new(Protocol::Claude, "")
}

/// The entries at each position of the log, and at the end of it, as they are folded without being stored.
fn folded(frames: &[Frame], id: ProcessId) -> Vec<Vec<Value>> {
    let mut fold = Transcript::new(&turn(), id);
    let (mut now, mut all) = (Vec::new(), vec![Vec::new()]);
    let mut take = |fold: &mut Transcript| {
        for change in fold.take() {
            let (at, entry) = (usize::try_from(change.index).unwrap(), json!(change.entry));
            if change.is_new { now.push(entry) } else { now[at] = entry }
        }
        now.clone()
    };
    for frame in frames {
        fold.push(frame);
        all.push(take(&mut fold));
    }
    fold.finish(Some(&failed()));
    all.push(take(&mut fold));
    all
}

/// What the process came to, of which its log says nothing.
fn failed() -> Reason {
    Reason::AgentCrashed { ended: "ended by signal 11".to_owned() }
}

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

/// What somebody has in the end who had all up to a position.
fn resumed(pages: &Pages, mut has: Vec<Value>, mut position: u64) -> (Vec<Value>, After) {
    loop {
        match pages.after(position).unwrap() {
            After::Some(changes) => {
                assert!(changes.position > position);
                position = changes.position;
                for Change { index, is_new, json } in changes.changes {
                    let at = usize::try_from(index).unwrap();
                    assert_eq!(is_new, at == has.len(), "new entries come in order, once");
                    if is_new { has.push(value(&json)) } else { has[at] = value(&json) }
                }
            }
            end => return (has, end),
        }
    }
}

/// All entries, page by page from the end.
fn paged(pages: &Pages, limit: u64) -> Vec<Value> {
    let (mut all, mut before) = (Vec::new(), None);
    loop {
        let page = pages.before(before, limit).unwrap();
        assert!(page.entries.len() as u64 <= limit);
        all.splice(0..0, page.entries.iter().map(|entry| value(entry)));
        if page.first == 0 {
            assert_eq!(all.len() as u64, page.total);
            return all;
        }
        assert!(!page.entries.is_empty(), "a page holds at least one");
        before = Some(page.first);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn whoever_goes_on_from_anywhere_at_any_time_has_what_was_folded(
        steps in prop::collection::vec(step(), 1..24),
        cuts in prop::collection::vec(any::<bool>(), 1..8),
        limit in 1_u64..9,
    ) {
        let (frames, id) = (log(&steps, &cuts), ProcessId::random());
        let folded = folded(&frames, id);
        let dir = tempfile::tempdir().unwrap();
        let mut folder = Folder::begin(dir.path(), &turn(), id).unwrap();
        let pages = Arc::clone(folder.pages());
        let (mut live, mut at) = (Vec::new(), 0);
        for (count, frame) in (1_usize..).zip(&frames) {
            folder.push(frame);
            folder.store().unwrap();
            if count % 3 == 0 {
                // Somebody who follows, and somebody who looks at the end.
                live = resumed(&pages, live, at).0;
                at = pages.position();
                prop_assert_eq!(&live, &folded[count]);
                prop_assert_eq!(&paged(&pages, limit), &folded[count]);
            }
        }
        folder.finish(Some(&failed()));
        let whole = folded.last().unwrap();
        prop_assert!(whole.last().unwrap()["content"].as_str().unwrap().contains("ended by signal 11"));
        let check = |pages: &Pages| {
            for (position, has) in (0..).zip(&folded) {
                let (has, end) = resumed(pages, has.clone(), position);
                assert_eq!((&has, end), (whole, After::Over), "after {position}");
            }
            assert_eq!(&paged(pages, limit), whole);
        };
        check(&pages);
        prop_assert!(Pages::open(dir.path()).is_none(), "it is not there before it is whole");
        folder.seal().unwrap();
        check(&pages);
        check(&Pages::open(dir.path()).unwrap());
    }
}

#[test]
fn a_text_that_grows_word_by_word_is_stored_a_few_times() {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = Folder::begin(dir.path(), &turn(), ProcessId::random()).unwrap();
    let begin = json!({"type": "stream_event", "event": {"type": "message_start", "message": {}}});
    let word = json!({"type": "stream_event", "event": {"type": "content_block_delta", "index": 0,
        "delta": {"type": "text_delta", "text": "noch ein Wort und ".repeat(15)}}});
    for (seq, message) in (1..).zip(std::iter::once(begin).chain(std::iter::repeat_n(word, 400))) {
        let bytes = format!("{message}\n").into_bytes();
        folder.push(&Frame { seq, at_ms: 0, stream: Stream::Stdout, bytes });
        folder.store().unwrap();
    }
    folder.finish(None);
    let pages = Arc::clone(folder.pages());
    folder.seal().unwrap();
    let text = value(&pages.before(None, 1).unwrap().entries[0])["content"].as_str().unwrap().len();
    assert_eq!(text, 400 * 270);
    // It changed four hundred times.
    assert!(pages.lock().rows.len() < 12, "{}", pages.lock().rows.len());
}

#[test]
fn what_is_damaged_or_of_another_version_is_not_there() {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = Folder::begin(dir.path(), &turn(), ProcessId::random()).unwrap();
    folder.push(&frame(Stream::Stderr, b"oh\n"));
    folder.finish(None);
    folder.seal().unwrap();
    let path = dir.path().join("transcript");
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(Pages::open(dir.path()).unwrap().before(None, 5).unwrap().total, 1);
    for at in [0, 8, whole.len() - 24, whole.len() - 16, whole.len() - 1] {
        let mut bad = whole.clone();
        bad[at] ^= 0xff;
        std::fs::write(&path, &bad).unwrap();
        assert!(Pages::open(dir.path()).is_none(), "{at}");
    }
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(Pages::open(dir.path()).is_none(), "{length}");
    }
}

#[test]
fn an_entry_says_that_something_is_missing_and_has_it_when_it_is_whole() {
    let id = ProcessId::random();
    let frames = log(&[Step::Begins(1), Step::Ends(1, 50_000), Step::Says(4)], &[false]);
    let last = |mut fold: Transcript| {
        frames.iter().for_each(|frame| fold.push(frame));
        fold.finish(None);
        fold.take()
            .into_iter()
            .map(|change| serde_json::to_string(&change.entry).unwrap())
            .collect::<Vec<_>>()
    };
    let (usual, whole) = (last(Transcript::new(&turn(), id)), last(Transcript::whole(&turn(), id)));
    let is_cut =
        |all: &[String]| all.iter().map(|entry| crate::transcript::is_cut(entry)).collect::<Vec<_>>();
    assert_eq!((is_cut(&usual), is_cut(&whole)), (vec![true, false], vec![false, false]));
    let output = |entry: &str| value(entry)["entry_type"]["action_type"]["result"]["output"].clone();
    assert!(output(&usual[0]).as_str().unwrap().ends_with("more bytes are in the raw log"));
    assert_eq!(output(&whole[0]), json!("x".repeat(50_000)));
}
