//! Plain lines, from a prompt among the arguments or on standard input.

use std::os::unix::process::ExitStatusExt as _;

use crate::agent::Agent;

fn lines(agent: &mut Agent, count: usize) -> Vec<String> {
    (0..count).map(|_| String::from_utf8(agent.line().unwrap()).unwrap()).collect()
}

#[test]
fn steps_are_printed_as_lines() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent =
        Agent::start_with(folder.path(), &["--plain", "@say hello\n@env HOME_OF_NOBODY\n@flood 2"]);
    assert_eq!(lines(&mut agent, 4), ["hello", "HOME_OF_NOBODY is not set", "line 1 ", "line 2 "]);
    assert!(agent.close().success());
}

#[test]
fn a_line_on_standard_input_tells_it_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::start_with(folder.path(), &["--plain", "@say waiting\n@until-told\n@say done"]);
    assert_eq!(lines(&mut agent, 1), ["waiting"]);
    agent.send(&"go on".into());
    assert_eq!(lines(&mut agent, 1), ["done"]);
    assert!(agent.close().success());
}

#[test]
fn ends_are_what_the_prompt_says() {
    let folder = tempfile::tempdir().unwrap();
    let end = |prompt: &str| Agent::start_with(folder.path(), &["--plain", prompt]).close();
    assert_eq!(end("@exit 7").code(), Some(7));
    assert_eq!(end("@error broken").code(), Some(1));
    assert_eq!(end("@crash").signal(), Some(6));
}

#[test]
fn bytes_that_are_no_text_come_out_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::start_with(folder.path(), &["--plain", "@bad-utf8\n@say after"]);
    assert_eq!(agent.line().unwrap(), b"bad \xff\xfe\xc3( bytes");
    assert_eq!(agent.line().unwrap(), b"after");
}
