//! What the agent remembers of a conversation: the prompts, one JSON string per line in a file named by its id. Between them,
//! in an array of one, stands the id of the last thing that it said.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value;
use uuid::Uuid;

/// One conversation.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) id: String,
    /// The prompts of earlier turns.
    pub(crate) prompts: Vec<String>,
    file: PathBuf,
}

/// Why a conversation could not be taken up, in the words of the real program.
#[derive(Debug)]
pub(crate) struct Unknown {
    /// The id that the failure is reported under.
    pub(crate) id: String,
    pub(crate) message: String,
}

impl Memory {
    pub(crate) fn open(resume: Option<&str>, at: Option<&str>, fork: bool) -> Result<Result<Self, Unknown>> {
        let home = std::env::var_os("SCRIPTED_AGENT_HOME")
            .map_or_else(|| std::env::temp_dir().join("scripted-agent"), PathBuf::from);
        fs::create_dir_all(&home).with_context(|| format!("failed to make {}", home.display()))?;
        let Some(wanted) = resume else {
            return Ok(Ok(Self::begin(&home, Vec::new())));
        };
        if Uuid::parse_str(wanted).is_err() {
            let message = format!(
                "Error: --resume requires a valid session ID or session title when used with --print. \
                 Provided value \"{wanted}\" is not a UUID and does not match any session title."
            );
            return Ok(Err(Unknown { id: Uuid::new_v4().to_string(), message }));
        }
        let file = home.join(format!("{wanted}.jsonl"));
        if !file.exists() {
            let message = format!("No conversation found with session ID: {wanted}");
            return Ok(Err(Unknown { id: wanted.to_owned(), message }));
        }
        let text = fs::read_to_string(&file).with_context(|| format!("failed to read {}", file.display()))?;
        let mut lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if let Some(at) = at {
            let Some(place) = lines.iter().position(|line| line.pointer("/0").is_some_and(|mark| mark == at))
            else {
                let message = format!("No message found with message.uuid of: {at}");
                return Ok(Err(Unknown { id: wanted.to_owned(), message }));
            };
            lines.truncate(place);
        }
        let prompts: Vec<String> = lines.iter().filter_map(|line| Some(line.as_str()?.to_owned())).collect();
        if fork {
            let mut forked = Self::begin(&home, Vec::new());
            for prompt in prompts {
                forked.remember(prompt)?;
            }
            return Ok(Ok(forked));
        }
        Ok(Ok(Self { id: wanted.to_owned(), prompts, file }))
    }

    fn begin(home: &Path, prompts: Vec<String>) -> Self {
        let id = Uuid::new_v4().to_string();
        Self { file: home.join(format!("{id}.jsonl")), id, prompts }
    }

    pub(crate) fn remember(&mut self, prompt: String) -> Result<()> {
        self.write(&Value::from(prompt.as_str()))?;
        self.prompts.push(prompt);
        Ok(())
    }

    /// The turn is over, and this was the last thing said in it.
    pub(crate) fn mark(&self, last: Uuid) -> Result<()> {
        self.write(&Value::from(vec![last.to_string()]))
    }

    fn write(&self, value: &Value) -> Result<()> {
        let line = format!("{value}\n");
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.file)
            .and_then(|mut file| file.write_all(line.as_bytes()))
            .with_context(|| format!("failed to write {}", self.file.display()))
    }
}
