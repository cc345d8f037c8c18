//! The arguments: those of Claude Code that Forge uses, and `--plain`.

use anyhow::{Result, bail};

use crate::script::Child;

/// How the agent was called.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// Ordinary lines instead of stream-json.
    pub(crate) plain: bool,
    /// Prompts come on standard input, as messages (stream-json) or lines (plain).
    pub(crate) listens: bool,
    /// Permissions are asked for over the stream; without it they are refused.
    pub(crate) asks: bool,
    pub(crate) prompt: Option<String>,
    pub(crate) resume: Option<String>,
    /// The message after which everything is forgotten.
    pub(crate) resume_at: Option<String>,
    pub(crate) fork: bool,
    pub(crate) mode: String,
    pub(crate) model: String,
    /// How to call this program again: everything before the arguments that were parsed.
    pub(crate) again: Vec<String>,
    /// Not an agent at all, but the child of one.
    pub(crate) sleeper: Option<Child>,
}

impl Options {
    pub(crate) fn parse(args: Vec<String>) -> Result<Self> {
        let whole: Vec<String> = std::env::args().collect();
        let before = whole.len().saturating_sub(args.len());
        let mut options = Self {
            mode: "default".into(),
            model: "scripted".into(),
            again: whole.into_iter().take(before).skip(1).collect(),
            ..Self::default()
        };
        let mut words = Vec::new();
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let mut value = || match args.next() {
                Some(value) => Ok(value),
                None => bail!("error: option '{arg}' argument missing"),
            };
            match arg.as_str() {
                "-p" | "--print" | "--verbose" | "--include-partial-messages" => {}
                "--setting-sources=user" | "--add-dir=." => {}
                "--plain" => options.plain = true,
                "--input-format" => options.listens = value()? == "stream-json",
                "--permission-prompt-tool" => options.asks = value()? == "stdio",
                "--permission-mode" => options.mode = value()?,
                "--resume" | "-r" => options.resume = Some(value()?),
                "--resume-session-at" => options.resume_at = Some(value()?),
                "--fork-session" => options.fork = true,
                "--model" => options.model = value()?,
                "--output-format" | "--append-system-prompt" | "--mcp-config" => drop(value()?),
                "--sleeper" => {
                    options.sleeper = Some(match value()?.as_str() {
                        "session" => Child::Session,
                        "background" => Child::Background,
                        _ => Child::Plain,
                    });
                }
                unknown if unknown.starts_with('-') => bail!("error: unknown option '{unknown}'"),
                _ => words.push(arg),
            }
        }
        if !words.is_empty() {
            options.prompt = Some(words.join(" "));
        }
        Ok(options)
    }
}
