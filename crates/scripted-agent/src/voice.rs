//! What the agent puts out: Claude Code's stream-json, or plain lines.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::os::fd::AsFd as _;

use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::options::Options;

/// How a turn ended.
#[derive(Debug)]
pub(crate) enum Ending {
    Done,
    Interrupted,
    Failed { status: Option<u16>, text: String },
}

pub(crate) struct Voice {
    /// Not through the standard library's own buffer, which writes lines where a flood wants to write blocks.
    out: BufWriter<File>,
    plain: bool,
    conversation: String,
    model: String,
    mode: String,
    /// The last thing said: what a successful turn gives as its result.
    last: String,
    /// Its id, or that of the last thing done.
    last_id: Option<Uuid>,
    /// Ids are this and a count: asking the system for random bytes per line would slow a flood down.
    seed: u64,
    count: u64,
}

impl Voice {
    pub(crate) fn new(options: &Options, conversation: &str) -> Result<Self> {
        let out = File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
        Ok(Self {
            out: BufWriter::with_capacity(1 << 16, out),
            plain: options.plain,
            conversation: conversation.to_owned(),
            model: options.model.clone(),
            mode: options.mode.clone(),
            last: String::new(),
            last_id: None,
            seed: Uuid::new_v4().as_u64_pair().0,
            count: 0,
        })
    }

    /// Opens a turn.
    pub(crate) fn begin(&mut self) -> Result<()> {
        self.last.clear();
        if self.plain {
            return Ok(());
        }
        let cwd = std::env::current_dir().unwrap_or_default();
        self.message(json!({
            "type": "system", "subtype": "init", "cwd": cwd, "tools": ["Bash", "Write"], "mcp_servers": [],
            "model": self.model, "permissionMode": self.mode, "claude_code_version": "scripted",
        }))
    }

    pub(crate) fn say(&mut self, text: &str) -> Result<()> {
        self.say_buffered(text)?;
        self.flush()
    }

    /// For floods: a flush per line would be a system call per line.
    pub(crate) fn say_buffered(&mut self, text: &str) -> Result<()> {
        text.clone_into(&mut self.last);
        if self.plain {
            return Ok(writeln!(self.out, "{text}")?);
        }
        let (id, uuid) = (self.id(), self.id());
        self.last_id = Some(uuid);
        let line = Line {
            kind: "assistant",
            parent_tool_use_id: (),
            message: Message {
                id: format_args!("msg_{}", id.simple()),
                kind: "message",
                role: "assistant",
                model: &self.model,
                content: [Text { kind: "text", text }],
                stop_reason: (),
            },
            session_id: &self.conversation,
            uuid,
        };
        serde_json::to_writer(&mut self.out, &line)?;
        Ok(self.out.write_all(b"\n")?)
    }

    pub(crate) fn think(&mut self, text: &str) -> Result<()> {
        if self.plain {
            writeln!(self.out, "({text})")?;
            return self.flush();
        }
        let line = self.assistant(&json!({ "type": "thinking", "thinking": text, "signature": "" }));
        self.message(line)
    }

    /// Announces a tool use and returns its id.
    pub(crate) fn tool(&mut self, name: &str, input: &Value) -> Result<String> {
        let id = format!("toolu_{}", self.id().simple());
        if self.plain {
            writeln!(self.out, "[{name}] {input}")?;
            self.flush()?;
        } else {
            let line = self.assistant(&json!({ "type": "tool_use", "id": id, "name": name, "input": input }));
            self.message(line)?;
        }
        Ok(id)
    }

    pub(crate) fn tool_result(&mut self, id: &str, outcome: Result<String, String>) -> Result<()> {
        let (content, is_error) = match outcome {
            Ok(content) => (content, false),
            Err(content) => (content, true),
        };
        if self.plain {
            writeln!(self.out, "{content}")?;
            return self.flush();
        }
        self.message(json!({
            "type": "user", "parent_tool_use_id": null,
            "message": { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error }
            ] },
        }))
    }

    /// Asks for permission and returns the id of the request.
    pub(crate) fn ask(&mut self, tool: &str, input: &Value, tool_use: &str) -> Result<String> {
        let request = self.id().to_string();
        self.message(json!({
            "type": "control_request", "request_id": request,
            "request": {
                "subtype": "can_use_tool", "tool_name": tool, "display_name": tool, "input": input,
                "permission_suggestions": [{ "type": "setMode", "mode": "acceptEdits", "destination": "session" }],
                "tool_use_id": tool_use,
            },
        }))?;
        Ok(request)
    }

    /// Tells that the account's limit is reached, and when it is reset.
    pub(crate) fn limit(&mut self, seconds: u64) -> Result<()> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_secs();
        self.message(json!({
            "type": "rate_limit_event",
            "rate_limit_info": { "status": "rejected", "resetsAt": now + seconds, "rateLimitType": "five_hour" },
        }))
    }

    pub(crate) fn answer(&mut self, request: &str, response: &Value) -> Result<()> {
        self.message(json!({
            "type": "control_response",
            "response": { "subtype": "success", "request_id": request, "response": response },
        }))
    }

    pub(crate) fn refuse(&mut self, request: &str, why: &str) -> Result<()> {
        self.message(json!({
            "type": "control_response",
            "response": { "subtype": "error", "request_id": request, "error": why },
        }))
    }

    /// Works with another model from here on, and says so as the real program does.
    pub(crate) fn set_model(&mut self, request: &str, model: String) -> Result<()> {
        let said = format!("<local-command-stdout>Set model to `{model}`</local-command-stdout>");
        self.model = model;
        self.message(json!({
            "type": "user", "parent_tool_use_id": null, "isReplay": true,
            "message": { "role": "user", "content": said },
        }))?;
        let told = json!({ "model": self.model });
        self.answer(request, &told)
    }

    pub(crate) fn set_mode(&mut self, request: &str, mode: &str) -> Result<()> {
        mode.clone_into(&mut self.mode);
        self.answer(request, &json!({ "mode": mode }))
    }

    /// Closes a turn.
    pub(crate) fn end(&mut self, ending: &Ending) -> Result<()> {
        if self.plain {
            if let Ending::Failed { text, .. } = ending {
                writeln!(self.out, "error: {text}")?;
            }
            return self.flush();
        }
        if matches!(ending, Ending::Interrupted) {
            self.message(json!({
                "type": "user", "parent_tool_use_id": null,
                "message": { "role": "user", "content": [
                    { "type": "text", "text": "[Request interrupted by user]" }
                ] },
            }))?;
        }
        let mut result = json!({ "type": "result", "num_turns": 1, "duration_ms": 0, "total_cost_usd": 0,
            "permission_denials": [] });
        let own = match ending {
            Ending::Done => json!({ "subtype": "success", "is_error": false, "result": self.last,
                "api_error_status": null, "stop_reason": "end_turn", "terminal_reason": "completed" }),
            Ending::Interrupted => json!({ "subtype": "error_during_execution", "is_error": true,
                "errors": [], "stop_reason": null, "terminal_reason": "aborted_streaming" }),
            Ending::Failed { status, text } => {
                json!({ "subtype": "success", "is_error": true, "result": text,
                "api_error_status": status, "stop_reason": "stop_sequence", "terminal_reason": "api_error" })
            }
        };
        extend(&mut result, own);
        self.message(result)
    }

    /// Says, as the real program does before any turn, that there is no such conversation.
    pub(crate) fn unknown_conversation(&mut self, message: &str) -> Result<()> {
        if self.plain {
            return Ok(());
        }
        self.message(json!({ "type": "result", "subtype": "error_during_execution", "is_error": true,
            "num_turns": 0, "stop_reason": null, "errors": [message] }))
    }

    /// The id of the last thing said or done.
    pub(crate) const fn last_id(&self) -> Option<Uuid> {
        self.last_id
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes)?;
        self.flush()
    }

    pub(crate) fn flush(&mut self) -> Result<()> {
        Ok(self.out.flush()?)
    }

    fn id(&mut self) -> Uuid {
        self.count += 1;
        Uuid::from_u64_pair(self.seed, self.count)
    }

    fn assistant(&mut self, block: &Value) -> Value {
        json!({
            "type": "assistant", "parent_tool_use_id": null,
            "message": {
                "id": format!("msg_{}", self.id().simple()), "type": "message", "role": "assistant",
                "model": self.model, "content": [block], "stop_reason": null,
            },
        })
    }

    fn message(&mut self, message: Value) -> Result<()> {
        self.write(message)?;
        self.flush()
    }

    fn write(&mut self, mut message: Value) -> Result<()> {
        let id = self.id();
        if message.get("type").is_some_and(|kind| kind == "assistant") {
            self.last_id = Some(id);
        }
        let own = json!({ "session_id": self.conversation, "uuid": id });
        extend(&mut message, own);
        serde_json::to_writer(&mut self.out, &message)?;
        Ok(self.out.write_all(b"\n")?)
    }
}

/// [`Voice::assistant`] with a text, for floods: the values that the others are made of would take half their time.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    parent_tool_use_id: (),
    message: Message<'a>,
    session_id: &'a str,
    uuid: Uuid,
}

#[derive(Serialize)]
struct Message<'a> {
    id: std::fmt::Arguments<'a>,
    #[serde(rename = "type")]
    kind: &'static str,
    role: &'static str,
    model: &'a str,
    content: [Text<'a>; 1],
    stop_reason: (),
}

#[derive(Serialize)]
struct Text<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    text: &'a str,
}

fn extend(object: &mut Value, with: Value) {
    if let (Value::Object(object), Value::Object(with)) = (object, with) {
        object.extend(with);
    }
}
