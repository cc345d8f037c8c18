//! The real Claude Code program, led by the driver against the stub model.

use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus, Stdio};

use forge_agent::agents::Agents;
use forge_agent::driver::{Decision, Driver, Failure, Finish, Outgoing, Seen};
use forge_agent::manner::Protocol;
use forge_agent::turn::{Approvals, Turn};
use forge_model::End;
use forge_testkit::agents::{CLAUDE, GOOD_KEY};
use forge_testkit::stub_model::StubModel;

/// A home and a folder to work in, and a model to ask.
struct Place {
    model: StubModel,
    home: tempfile::TempDir,
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let model = StubModel::start().unwrap();
        Self { model, home: tempfile::tempdir().unwrap(), folder: tempfile::tempdir().unwrap() }
    }

    fn read(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.path().join(file)).ok()
    }

    /// Runs one turn to the end of the program. `Ask`ed permissions are refused.
    #[expect(clippy::disallowed_methods, reason = "no process host here, only the protocol")]
    fn turn(&self, prompt: &str, resume: Option<String>, approvals: Approvals) -> (Vec<Seen>, Finish) {
        let agents = Agents::built_in();
        let claude_code = agents.find("CLAUDE_CODE").unwrap();
        let turn = Turn { resume, approvals, ..Turn::new(Protocol::Claude, prompt) };
        let mut driver = Driver::new(&turn);
        let mut child = Command::new(CLAUDE.program("claude").unwrap())
            .args(claude_code.arguments(&turn))
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.home.path())
            .envs(CLAUDE.environment(&self.model, GOOD_KEY).unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take();
        let mut stdout = child.stdout.take().unwrap();
        let mut seen = Vec::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            while let Some((_, outgoing)) = driver.take() {
                match outgoing {
                    // A program that refuses to begin has closed its end already.
                    Outgoing::Write(line) => drop(stdin.as_mut().unwrap().write_all(&line)),
                    Outgoing::Close => stdin = None,
                }
            }
            let count = stdout.read(&mut buffer).unwrap();
            if count == 0 {
                break;
            }
            for new in driver.received(&buffer[..count], 0) {
                if let Seen::Permission(permission) = &new {
                    driver.answer(
                        &permission.id,
                        &Decision::Deny { choice: None, message: "not today".into() },
                    );
                }
                if matches!(new, Seen::Finished(_)) {
                    driver.release();
                }
                seen.push(new);
            }
        }
        (seen, driver.finish(end(child.wait().unwrap())))
    }
}

fn end(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited { code },
        (None, signal) => End::Signaled { signal: signal.unwrap() },
    }
}

fn conversation(seen: &[Seen]) -> String {
    let id = seen.iter().find_map(|seen| match seen {
        Seen::Conversation(id) => Some(id.clone()),
        _ => None,
    });
    id.expect("the conversation has an id")
}

#[test]
fn a_follow_up_continues_the_conversation_that_edited_a_file() {
    let place = Place::new();
    let (seen, finish) =
        place.turn("Greet. [[write hello.txt|Hello]] [[say I greeted.]]", None, Approvals::Auto);
    assert_eq!((finish.message.as_deref(), finish.failure), (Some("I greeted."), None));
    assert_eq!(place.read("hello.txt").as_deref(), Some("Hello\n"));

    let first = conversation(&seen);
    let before = place.model.requests().len();
    let (seen, finish) = place.turn("Again. [[write bye.txt|Bye]]", Some(first.clone()), Approvals::Auto);
    assert_eq!(finish.failure, None);
    assert_ne!(conversation(&seen), first, "what was said before this turn stays as it was");
    assert_eq!(place.read("bye.txt").as_deref(), Some("Bye\n"));
    let carried = place.model.requests()[before]["messages"].to_string();
    assert!(carried.contains("[[write hello.txt|Hello]]"), "the model hears what was said before: {carried}");
}

#[test]
fn a_refused_permission_leaves_the_file_alone_and_the_turn_goes_on() {
    let place = Place::new();
    let (seen, finish) = place.turn("[[write hello.txt|Hello]] [[say I could not.]]", None, Approvals::Ask);
    let asked = seen.iter().find_map(|seen| match seen {
        Seen::Permission(permission) => Some(permission.tool.as_str()),
        _ => None,
    });
    assert_eq!(asked, Some("Write"));
    assert_eq!(place.read("hello.txt"), None);
    assert_eq!((finish.message.as_deref(), finish.failure), (Some("I could not."), None));
}

#[test]
fn failures_of_the_real_program_are_told_apart() {
    let place = Place::new();
    let unknown = "7d9f5bd5-96ab-4b6c-8f6e-3c7a3b7e4a11".to_owned();
    let (_, finish) = place.turn("Go on.", Some(unknown), Approvals::Auto);
    assert!(matches!(finish.failure, Some(Failure::UnknownConversation { .. })), "{finish:?}");

    let (_, finish) = place.turn("[[http 401]]", None, Approvals::Auto);
    assert!(matches!(finish.failure, Some(Failure::NotLoggedIn { .. })), "{finish:?}");

    let (_, finish) = place.turn("[[http 500]]", None, Approvals::Auto);
    assert!(matches!(finish.failure, Some(Failure::Model { status: Some(500), .. })), "{finish:?}");
}
