//! Plays the steps of each prompt, turn by turn, until standard input closes.

use std::collections::VecDeque;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::inbox::{Heard, Inbox};
use crate::memory::Memory;
use crate::options::Options;
use crate::script::{self, Step};
use crate::sleeper;
use crate::voice::{Ending, Voice};

/// Between two lines of chatter.
const BREATH: Duration = Duration::from_millis(30);

/// What follows a step.
enum Next {
    Step,
    End(Ending),
    Exit(u8),
}

struct Player {
    options: Options,
    voice: Voice,
    inbox: Inbox,
    memory: Memory,
    steps: VecDeque<Step>,
    deaf: bool,
    stays: bool,
}

/// Runs the agent to its end and returns its exit code.
pub(crate) fn run(mut options: Options) -> Result<u8> {
    if let Some(child) = options.sleeper {
        return sleeper::sleep(child);
    }
    let memory = match Memory::open(options.resume.as_deref(), options.resume_at.as_deref(), options.fork)? {
        Ok(memory) => memory,
        Err(unknown) => {
            Voice::new(&options, &unknown.id)?.unknown_conversation(&unknown.message)?;
            anyhow::bail!(unknown.message);
        }
    };
    let prompt = match (options.prompt.take(), options.listens) {
        (None, false) => Some(std::io::read_to_string(std::io::stdin())?),
        (prompt, _) => prompt,
    };
    let listens = options.listens || (options.plain && prompt.is_some());
    let mut player = Player {
        voice: Voice::new(&options, &memory.id)?,
        inbox: Inbox::open(listens, options.plain),
        memory,
        steps: VecDeque::new(),
        deaf: false,
        stays: false,
        options,
    };
    match prompt {
        Some(prompt) => Ok(match player.turn(prompt)? {
            Turn::Ended { failed } => u8::from(failed),
            Turn::Left(code) => code,
        }),
        None => player.converse(),
    }
}

enum Turn {
    Ended { failed: bool },
    Left(u8),
}

impl Player {
    fn converse(&mut self) -> Result<u8> {
        let mut code = 0;
        loop {
            match self.inbox.next() {
                Heard::Prompt(prompt) => match self.turn(prompt)? {
                    Turn::Ended { failed } => code = u8::from(failed),
                    Turn::Left(code) => return Ok(code),
                },
                Heard::Closed => {
                    if self.stays {
                        sleeper::doze();
                    }
                    return Ok(code);
                }
                other => self.attend(other)?,
            }
        }
    }

    fn turn(&mut self, prompt: String) -> Result<Turn> {
        self.voice.begin()?;
        self.steps = script::steps(&prompt).into();
        if self.steps.is_empty() {
            self.steps.push_back(Step::Say("There are no steps in this prompt, so nothing was done.".into()));
        }
        let earlier = self.memory.prompts.len();
        self.memory.remember(prompt)?;
        let ending = loop {
            if let Some(ending) = self.glance()? {
                break ending;
            }
            let Some(step) = self.steps.pop_front() else { break Ending::Done };
            match self.play(step, earlier)? {
                Next::Step => {}
                Next::End(ending) => break ending,
                Next::Exit(code) => {
                    self.voice.flush()?;
                    return Ok(Turn::Left(code));
                }
            }
        };
        if let Some(last) = self.voice.last_id() {
            self.memory.mark(last)?;
        }
        self.voice.end(&ending)?;
        Ok(Turn::Ended { failed: matches!(ending, Ending::Failed { .. }) })
    }

    /// Looks, between two steps, whether the turn was interrupted.
    fn glance(&mut self) -> Result<Option<Ending>> {
        while let Some(heard) = self.inbox.glance() {
            if self.is_interrupt(&heard) {
                self.attend(heard)?;
                return Ok(Some(Ending::Interrupted));
            }
            self.attend_later(heard)?;
        }
        Ok(None)
    }

    /// Deals with what needs no turn.
    fn attend(&mut self, heard: Heard) -> Result<()> {
        match heard {
            Heard::Initialize { request } => {
                let known = json!({ "commands": [{ "name": "recall", "description": "Says what was said" }],
                    "models": [{ "value": "scripted", "displayName": "Scripted" }], "pid": std::process::id(),
                    "current_permission_mode": self.options.mode, "session_state": "idle" });
                self.voice.answer(&request, &known)
            }
            Heard::Interrupt { request } => self.voice.answer(&request, &json!({ "still_queued": [] })),
            Heard::SetModel { request, model } => self.voice.set_model(&request, model),
            Heard::SetMode { request, mode } => self.set_mode(&request, mode),
            Heard::Prompt(_) | Heard::Answer { .. } | Heard::FifoWritten | Heard::Closed => Ok(()),
        }
    }

    /// As the real program, it is told no mode that it has to be started in, and none that it does not know.
    fn set_mode(&mut self, request: &str, mode: String) -> Result<()> {
        if !["default", "acceptEdits", "plan"].contains(&mode.as_str()) {
            return self
                .voice
                .refuse(request, "Cannot set permission mode: must be one of acceptEdits, default, plan");
        }
        self.options.mode = mode;
        self.voice.set_mode(request, &self.options.mode)
    }

    /// The same in the middle of a turn, where prompts and the end of input have to wait.
    fn attend_later(&mut self, heard: Heard) -> Result<()> {
        if matches!(heard, Heard::Prompt(_) | Heard::Closed) {
            self.inbox.put_off(heard);
            return Ok(());
        }
        self.attend(heard)
    }

    fn play(&mut self, step: Step, earlier: usize) -> Result<Next> {
        match step {
            Step::Say(text) => self.voice.say(&text)?,
            Step::Think(text) => self.voice.think(&text)?,
            Step::Edit { path, text } => self.edit(&path, &text)?,
            Step::Delete(path) => self.delete(&path)?,
            Step::Commit(message) => self.commit(&message)?,
            Step::Ask(tool) => return self.ask(&tool),
            Step::AskMany { count, tool } => return self.ask_many(count, &tool),
            Step::Deaf => self.deaf = true,
            Step::Stay => self.stays = true,
            Step::Limit { seconds, text } => {
                self.voice.limit(seconds)?;
                return Ok(Next::End(Ending::Failed { status: Some(429), text }));
            }
            Step::Flood { lines, length } => return self.flood(lines, length),
            Step::Chatter(path) => return self.chatter(&path),
            Step::WaitFifo(path) => return self.wait_fifo(&path),
            Step::UntilTold => return self.until_told(),
            Step::IgnoreSignals => ignore_signals()?,
            Step::Spawn { child, pid_file } => {
                let pid = sleeper::spawn(&self.options, child, pid_file.as_deref())?;
                self.voice.say(&format!("started process {pid}"))?;
            }
            Step::PrintPid(path) => sleeper::write_whole(&path, &std::process::id().to_string())?,
            Step::Crash => std::process::abort(),
            Step::Exit(code) => return Ok(Next::Exit(code)),
            Step::BadUtf8 => self.voice.raw(b"bad \xff\xfe\xc3( bytes\n")?,
            Step::Env(name) => {
                let value = std::env::var_os(&name).map(|value| value.to_string_lossy().into_owned());
                self.voice.say(
                    &value.map_or_else(|| format!("{name} is not set"), |value| format!("{name}={value}")),
                )?;
            }
            Step::Recall => {
                let prompts = self.memory.prompts.iter().take(earlier);
                let said =
                    prompts.map(|prompt| format!("I remember: {prompt}")).collect::<Vec<_>>().join("\n");
                self.voice.say(if said.is_empty() { "I remember nothing." } else { &said })?;
            }
            Step::Error { status, text } => return Ok(Next::End(Ending::Failed { status, text })),
        }
        Ok(Next::Step)
    }

    fn edit(&mut self, path: &Path, text: &str) -> Result<()> {
        let content = format!("{text}\n");
        let id = self.voice.tool("Write", &json!({ "file_path": path, "content": content }))?;
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let written = made.and_then(|()| std::fs::write(path, content));
        let outcome =
            written.map(|()| format!("wrote {}", path.display())).map_err(|error| error.to_string());
        self.voice.tool_result(&id, outcome)
    }

    fn delete(&mut self, path: &Path) -> Result<()> {
        let id = self.voice.tool("Bash", &json!({ "command": format!("rm '{}'", path.display()) }))?;
        let outcome = std::fs::remove_file(path).map(|()| String::new()).map_err(|error| error.to_string());
        self.voice.tool_result(&id, outcome)
    }

    fn commit(&mut self, message: &str) -> Result<()> {
        let id = self
            .voice
            .tool("Bash", &json!({ "command": format!("git add -A && git commit -m '{message}'") }))?;
        let outcome = match git(&["add", "-A"])? {
            Ok(_) => git(&["commit", "-q", "-m", message])?,
            refused => refused,
        };
        self.voice.tool_result(&id, outcome)
    }

    fn ask(&mut self, tool: &str) -> Result<Next> {
        let input = json!({ "reason": "the prompt says so" });
        let id = self.voice.tool(tool, &input)?;
        let answer = if self.options.mode == "bypassPermissions" {
            json!({ "behavior": "allow" })
        } else if self.options.asks {
            let asked = self.voice.ask(tool, &input, &id)?;
            match self.wait(|heard| match heard {
                Heard::Answer { request, response } if *request == asked => Some(response.clone()),
                _ => None,
            })? {
                Ok(answer) => answer,
                Err(ending) => return Ok(Next::End(ending)),
            }
        } else {
            json!({ "behavior": "deny", "message": "nobody can be asked" })
        };
        let allowed = answer.get("behavior").and_then(Value::as_str) == Some("allow");
        let reason = answer.get("message").and_then(Value::as_str).unwrap_or("no reason given");
        let always = answer.get("updatedPermissions").is_some();
        let said = if allowed && always {
            format!("{tool} was allowed for good")
        } else if allowed {
            format!("{tool} was allowed")
        } else {
            format!("{tool} was denied: {reason}")
        };
        let outcome = if allowed { Ok(said.clone()) } else { Err(reason.to_owned()) };
        self.voice.tool_result(&id, outcome)?;
        self.voice.say(&said)?;
        Ok(Next::Step)
    }

    fn ask_many(&mut self, count: usize, tool: &str) -> Result<Next> {
        let mut asked = Vec::with_capacity(count);
        for number in 1..=count {
            let input = json!({ "number": number });
            let id = self.voice.tool(tool, &input)?;
            asked.push((self.voice.ask(tool, &input, &id)?, id));
        }
        let mut allowed = 0;
        while !asked.is_empty() {
            let answered = self.wait(|heard| match heard {
                Heard::Answer { request, response } => {
                    let at = asked.iter().position(|(waiting, _)| waiting == request)?;
                    Some((at, response.clone()))
                }
                _ => None,
            })?;
            let (at, answer) = match answered {
                Ok(answered) => answered,
                Err(ending) => return Ok(Next::End(ending)),
            };
            let yes = answer.get("behavior").and_then(Value::as_str) == Some("allow");
            allowed += usize::from(yes);
            let (_, id) = asked.swap_remove(at);
            let outcome = if yes { Ok("done".to_owned()) } else { Err("denied".to_owned()) };
            self.voice.tool_result(&id, outcome)?;
        }
        self.voice.say(&format!("{allowed} of {count} were allowed"))?;
        Ok(Next::Step)
    }

    /// Whether the turn is over because somebody says so.
    fn is_interrupt(&self, heard: &Heard) -> bool {
        !self.deaf && matches!(heard, Heard::Interrupt { .. })
    }

    fn flood(&mut self, lines: u64, length: usize) -> Result<Next> {
        for line in 1..=lines {
            let mut text = format!("line {line} ");
            // Not by a format's width, which ends at 65,535.
            text.extend(std::iter::repeat_n('.', length.saturating_sub(text.len())));
            self.voice.say_buffered(&text)?;
            if line % 1000 == 0
                && let Some(ending) = self.glance()?
            {
                return Ok(Next::End(ending));
            }
        }
        self.voice.flush()?;
        Ok(Next::Step)
    }

    fn chatter(&mut self, path: &Path) -> Result<Next> {
        self.watch_fifo(path)?;
        for line in 1_u64.. {
            self.voice.say(&format!("line {line}"))?;
            match self.inbox.next_within(BREATH) {
                None => {}
                Some(Heard::FifoWritten) => break,
                Some(heard) if self.is_interrupt(&heard) => {
                    self.attend(heard)?;
                    return Ok(Next::End(Ending::Interrupted));
                }
                Some(heard) => self.attend_later(heard)?,
            }
        }
        Ok(Next::Step)
    }

    fn wait_fifo(&mut self, path: &Path) -> Result<Next> {
        self.watch_fifo(path)?;
        match self.wait(|heard| (*heard == Heard::FifoWritten).then_some(()))? {
            Ok(()) => Ok(Next::Step),
            Err(ending) => Ok(Next::End(ending)),
        }
    }

    fn watch_fifo(&self, path: &Path) -> Result<()> {
        if !path.exists() {
            // Not a failure: whoever we wait for may have made the file in between.
            run_program("mkfifo", &[path.to_string_lossy().as_ref()])?.ok();
        }
        self.inbox.watch_fifo(path.to_owned());
        Ok(())
    }

    fn until_told(&mut self) -> Result<Next> {
        loop {
            match self.inbox.next() {
                Heard::Prompt(told) => {
                    self.steps.extend(script::steps(&told));
                    self.memory.remember(told)?;
                    return Ok(Next::Step);
                }
                heard @ Heard::Interrupt { .. } if !self.deaf => {
                    self.attend(heard)?;
                    return Ok(Next::End(Ending::Interrupted));
                }
                Heard::Closed if self.options.plain => {
                    // Nobody can tell it anything, so it stays until it is killed.
                    sleeper::doze();
                    return Ok(Next::End(Ending::Interrupted));
                }
                Heard::Closed => {
                    self.inbox.put_off(Heard::Closed);
                    return Ok(Next::End(Ending::Interrupted));
                }
                other => self.attend(other)?,
            }
        }
    }

    /// Waits for one thing, while attending to the others; an interrupt ends the turn.
    fn wait<T>(&mut self, wanted: impl Fn(&Heard) -> Option<T>) -> Result<Result<T, Ending>> {
        loop {
            let heard = self.inbox.next_new();
            if let Some(found) = wanted(&heard) {
                return Ok(Ok(found));
            }
            if self.is_interrupt(&heard) {
                self.attend(heard)?;
                return Ok(Err(Ending::Interrupted));
            }
            self.attend_later(heard)?;
        }
    }
}

/// Takes over the signals that ask a program to end, and does nothing about them.
fn ignore_signals() -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let _entered = runtime.enter();
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        // Once taken over, a signal stays so for the life of the process, also when its listener is dropped.
        drop(signal(kind)?);
    }
    Ok(())
}

fn git(args: &[&str]) -> Result<Result<String, String>> {
    run_program("git", args)
}

/// Runs a program; the inner result is what it printed, by whether it succeeded.
#[expect(clippy::disallowed_methods, reason = "an agent runs programs of its own")]
fn run_program(program: &str, args: &[&str]) -> Result<Result<String, String>> {
    let output =
        Command::new(program).args(args).output().with_context(|| format!("failed to run {program}"))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok(if output.status.success() { Ok(text) } else { Err(text) })
}
