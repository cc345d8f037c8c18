//! The real Claude Code program, led by the driver against the stub model.

use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};

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
    fn turn(&self, prompt: &str, resume: Option<String>, approvals: Approvals) -> (Vec<Seen>, Finish) {
        let turn = Turn { resume, approvals, ..Turn::new(Protocol::Claude, prompt) };
        let (mut program, mut driver) = (self.start(&turn), Driver::new(&turn));
        let seen = program.lead(&mut driver);
        (seen, program.close(driver))
    }

    #[expect(clippy::disallowed_methods, reason = "no process host here, only the protocol")]
    fn start(&self, turn: &Turn) -> Program {
        let agents = Agents::built_in().unwrap();
        let claude_code = agents.find("CLAUDE_CODE").unwrap();
        let child = Command::new(CLAUDE.program("claude").unwrap())
            .args(claude_code.arguments(turn))
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
        Program { child }
    }
}

/// The program, running.
struct Program {
    child: Child,
}

impl Program {
    /// Leads a turn until it is over, or the program has ended.
    fn lead(&mut self, driver: &mut Driver) -> Vec<Seen> {
        let mut seen = Vec::new();
        let mut buffer = vec![0; 1 << 16];
        while !seen.iter().any(|seen| matches!(seen, Seen::Finished(_))) {
            self.tell(driver);
            let count = self.child.stdout.as_mut().unwrap().read(&mut buffer).unwrap();
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
                seen.push(new);
            }
        }
        seen
    }

    fn tell(&mut self, driver: &mut Driver) {
        while let Some((_, outgoing)) = driver.take() {
            match outgoing {
                Outgoing::Write(line) => {
                    // A program that refuses to begin has closed its end already.
                    drop(self.child.stdin.as_mut().unwrap().write_all(&line));
                    driver.sent(&line, 0);
                }
                Outgoing::Close => drop(self.child.stdin.take()),
            }
        }
    }

    /// Lets the program go, and says what its last turn came to.
    fn close(mut self, mut driver: Driver) -> Finish {
        driver.release();
        self.tell(&mut driver);
        let mut rest = Vec::new();
        self.child.stdout.as_mut().unwrap().read_to_end(&mut rest).unwrap();
        driver.received(&rest, 0);
        driver.finish(end(self.child.wait().unwrap()))
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
fn a_program_that_is_kept_takes_another_turn_and_can_be_gone_back_before() {
    let place = Place::new();
    let first = Turn::new(Protocol::Claude, "Greet. [[say the word is xyzzy]]");
    let (mut program, mut driver) = (place.start(&first), Driver::new(&first));
    let opened = conversation(&program.lead(&mut driver));
    let (mark, cost) = (driver.mark(), driver.finish(End::Exited { code: 0 }).usage.cost_micros);
    assert!(mark.is_some() && cost.is_some_and(|cost| cost > 0), "{mark:?} {cost:?}");

    let resume = Some(opened.clone());
    let prompt = "Again. [[say never mind plugh]]";
    let second = Turn { resume, warm: true, ..Turn::new(Protocol::Claude, prompt) };
    let mut driver = Driver::new(&second);
    let seen = program.lead(&mut driver);
    assert_eq!(conversation(&seen), opened, "it goes on in the same conversation");
    let finish = program.close(driver);
    assert_eq!((finish.message.as_deref(), finish.failure), (Some("never mind plugh"), None));
    let (one, two) = (cost.unwrap(), finish.usage.cost_micros.unwrap());
    assert!(two < one * 2, "what it cost is told of the turn alone: {one} and {two}");

    let before = place.model.requests().len();
    let third = Turn { resume: Some(opened), resume_at: mark, ..Turn::new(Protocol::Claude, "Instead.") };
    let (mut program, mut driver) = (place.start(&third), Driver::new(&third));
    program.lead(&mut driver);
    assert_eq!(program.close(driver).failure, None);
    let carried = place.model.requests()[before]["messages"].to_string();
    assert!(carried.contains("xyzzy") && !carried.contains("plugh"), "{carried}");
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
