//! The language of the prompts: one step per line that begins with `@`; every other line is prose.

use std::path::PathBuf;

/// One thing for the agent to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// `@say text`
    Say(String),
    /// `@think text`
    Think(String),
    /// `@edit path text`: writes the file; `\n` in the text is a line break, a path with spaces is quoted.
    Edit { path: PathBuf, text: String },
    /// `@delete path`
    Delete(PathBuf),
    /// `@commit message`: commits everything with git.
    Commit(String),
    /// `@ask tool`: asks for permission and says what the answer was.
    Ask(String),
    /// `@ask-many count tool`: asks so many times at once, and says how often the answer was yes.
    AskMany { count: usize, tool: String },
    /// `@deaf`: does not hear interrupts from here on.
    Deaf,
    /// `@stay`: does not leave when its input is closed.
    Stay,
    /// `@limit seconds text`: the turn ends because the account's limit is reached, which is reset in so many seconds.
    Limit { seconds: u64, text: String },
    /// `@flood lines [length]`: that many numbered lines, each at least so many characters long.
    Flood { lines: u64, length: usize },
    /// `@wait-fifo path`: goes on when somebody writes to the path, which becomes a FIFO if there is nothing yet.
    WaitFifo(PathBuf),
    /// `@chatter path`: numbered lines, with a breath between them, until somebody writes to such a path.
    Chatter(PathBuf),
    /// `@until-told`: goes on at the next user message, whose steps join the turn; an interrupt ends the turn.
    UntilTold,
    /// `@ignore-signals`: SIGINT, SIGTERM and SIGHUP do nothing from here on.
    IgnoreSignals,
    /// `@spawn [path]`, `@spawn-session [path]`, `@background [path]`: a child that sleeps; its id goes to the path.
    Spawn { child: Child, pid_file: Option<PathBuf> },
    /// `@print-pid path`
    PrintPid(PathBuf),
    /// `@crash`: dies of SIGABRT.
    Crash,
    /// `@exit code`: leaves at once, without a result.
    Exit(u8),
    /// `@bad-utf8`: a line of bytes that are no text.
    BadUtf8,
    /// `@env NAME`: says the value.
    Env(String),
    /// `@recall`: says the prompts of earlier turns.
    Recall,
    /// `@error [status] text`: the turn ends as an error, of the model's API where a status is given.
    Error { status: Option<u16>, text: String },
}

/// The kinds of process that agents leave behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Child {
    /// In the agent's process group, without its pipes.
    Plain,
    /// In a session of its own.
    Session,
    /// Holds the agent's standard output.
    Background,
}

/// Reads the steps out of a prompt.
pub fn steps(prompt: &str) -> Vec<Step> {
    prompt.lines().filter_map(step).collect()
}

fn step(line: &str) -> Option<Step> {
    let (word, rest) = split_word(line.trim().strip_prefix('@')?);
    let text = || rest.to_owned();
    let optional_path = || (!rest.is_empty()).then(|| PathBuf::from(rest));
    Some(match word {
        "say" => Step::Say(unescape(rest)),
        "think" => Step::Think(unescape(rest)),
        "edit" => {
            let (path, text) = split_path(rest);
            Step::Edit { path: path.into(), text: unescape(text) }
        }
        "delete" => Step::Delete(rest.into()),
        "commit" => Step::Commit(text()),
        "ask" => Step::Ask(text()),
        "ask-many" => {
            let (count, tool) = split_word(rest);
            Step::AskMany { count: count.parse().ok()?, tool: tool.to_owned() }
        }
        "deaf" => Step::Deaf,
        "stay" => Step::Stay,
        "limit" => {
            let (seconds, text) = split_word(rest);
            Step::Limit { seconds: seconds.parse().ok()?, text: unescape(text) }
        }
        "flood" => {
            let (lines, length) = split_word(rest);
            Step::Flood { lines: lines.parse().ok()?, length: length.parse().unwrap_or(0) }
        }
        "chatter" => Step::Chatter(rest.into()),
        "wait-fifo" => Step::WaitFifo(rest.into()),
        "until-told" => Step::UntilTold,
        "ignore-signals" => Step::IgnoreSignals,
        "spawn" => Step::Spawn { child: Child::Plain, pid_file: optional_path() },
        "spawn-session" => Step::Spawn { child: Child::Session, pid_file: optional_path() },
        "background" => Step::Spawn { child: Child::Background, pid_file: optional_path() },
        "print-pid" => Step::PrintPid(rest.into()),
        "crash" => Step::Crash,
        "exit" => Step::Exit(rest.parse().ok()?),
        "bad-utf8" => Step::BadUtf8,
        "env" => Step::Env(text()),
        "recall" => Step::Recall,
        "error" => {
            let (first, others) = split_word(rest);
            match first.parse() {
                Ok(status) => Step::Error { status: Some(status), text: unescape(others) },
                Err(_) => Step::Error { status: None, text: unescape(rest) },
            }
        }
        _ => return None,
    })
}

fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

fn split_path(text: &str) -> (&str, &str) {
    match text.strip_prefix('"').and_then(|text| text.split_once('"')) {
        Some((path, rest)) => (path, rest.trim()),
        None => split_word(text),
    }
}

fn unescape(text: &str) -> String {
    text.replace("\\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_and_unknown_words_are_no_steps() {
        assert_eq!(steps("Add a login page\n\nmail me@example.org\n@alice please look\n@exit soon"), []);
    }

    #[test]
    fn a_step_is_read_wherever_its_line_begins() {
        let read =
            steps("Greet.\n  @say hello  there\n@edit a.txt one\\ntwo\n@flood 3\n@flood 3 80\n@until-told");
        assert_eq!(
            read,
            [
                Step::Say("hello  there".into()),
                Step::Edit { path: "a.txt".into(), text: "one\ntwo".into() },
                Step::Flood { lines: 3, length: 0 },
                Step::Flood { lines: 3, length: 80 },
                Step::UntilTold,
            ]
        );
    }

    #[test]
    fn a_quoted_path_may_hold_spaces() {
        assert_eq!(
            steps("@edit \"my notes/a b.txt\" text"),
            [Step::Edit { path: "my notes/a b.txt".into(), text: "text".into() }]
        );
    }

    #[test]
    fn an_error_may_carry_the_status_of_the_model_api() {
        assert_eq!(
            steps("@error 401 no key\n@error gave up"),
            [
                Step::Error { status: Some(401), text: "no key".into() },
                Step::Error { status: None, text: "gave up".into() },
            ]
        );
    }
}
