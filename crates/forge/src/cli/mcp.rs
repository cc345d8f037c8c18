//! `forge mcp`: MCP on standard input and output, one message a line. Each goes to the server that runs as a POST to
//! `/mcp`, and the answer comes back as a line. Because nothing is kept here or there but the calls under way, the server
//! may be started again meanwhile.

mod incoming;
mod open_calls;

use std::io::{self, BufRead, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, StatusCode, header};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use incoming::Incoming;
use open_calls::{MOST_CALLS, OpenCalls};

use super::call;
use crate::config;
use crate::error::{Error, causes};

/// The longest line that the server would take.
const MOST_LINE_BYTES: usize = 2 * 1024 * 1024;
/// No call takes longer, not even a start in a huge repository.
const ANSWER: Duration = Duration::from_secs(600);
/// What JSON-RPC leaves to servers: the server could not be asked.
const UNREACHABLE: i32 = -32000;
const NOT_A_MESSAGE: i32 = -32600;

/// The flags of `forge mcp`.
#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {
    /// The server's data folder [env: FORGE_DATA] [default: forge in your data folder]
    #[arg(long)]
    data: Option<PathBuf>,
}

/// Forwards until the input ends, or nobody reads any more.
pub(super) async fn mcp(args: McpArgs) -> Result<(), Error> {
    let http = Client::builder()
        // A proxy has no business between us and ourselves.
        .no_proxy()
        .timeout(ANSWER)
        // A connection to a server that is gone is of no use to the one that came after it.
        .pool_max_idle_per_host(0)
        .build()
        .map_err(|source| Error::Call { source })?;
    let server = Arc::new(Server { http, data: config::data_folder(args.data)? });
    let (to_send, lines) = mpsc::channel(1);
    let (answers, to_write) = mpsc::channel(MOST_CALLS);
    let reading = spawn_blocking(move || read(&mut io::stdin().lock(), &to_send));
    let mut writing = spawn_blocking(move || write(to_write));
    tokio::select! {
        _gone = &mut writing => return Ok(()),
        () = forward(lines, server, answers) => {}
    }
    let read = reading.await.unwrap_or_else(|error| Err(error.into()));
    drop(writing.await);
    read.map_err(|source| Error::Input { source })
}

/// Reads line by line, as fast as they are taken.
fn read(input: &mut impl BufRead, lines: &mpsc::Sender<Line>) -> io::Result<()> {
    while let Some(line) = next(input)? {
        if lines.blocking_send(line).is_err() {
            break;
        }
    }
    Ok(())
}

/// Each line becomes a call; they do not wait for each other. When the input ends, calls that only wait are given up,
/// and the others answered.
async fn forward(mut lines: mpsc::Receiver<Line>, server: Arc<Server>, answers: mpsc::Sender<Value>) {
    let mut calls = OpenCalls::new(server, answers);
    while let Some(line) = lines.recv().await {
        match incoming::read(&line) {
            Incoming::Cancel(request) => calls.cancel(&request),
            Incoming::Call { id, waits } => calls.start(line, id, waits).await,
        }
    }
    calls.finish().await;
}

/// Writes each answer as a line, until there are no more or nobody reads them.
fn write(mut answers: mpsc::Receiver<Value>) {
    let mut output = io::stdout().lock();
    while let Some(answer) = answers.blocking_recv() {
        if writeln!(output, "{answer}").and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

/// A line of the input.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// The next line that is not blank; none at the end. Of one that is too long no more is kept than would fit.
fn next(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let (mut line, mut is_too_long) = (Vec::new(), false);
    loop {
        let read = input.fill_buf()?;
        let end = read.iter().position(|byte| *byte == b'\n');
        let is_last = read.is_empty();
        let part = read.get(..end.unwrap_or(read.len())).unwrap_or_default();
        if line.len() + part.len() > MOST_LINE_BYTES {
            (line, is_too_long) = (Vec::new(), true);
        } else if !is_too_long {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_none() && !is_last {
            continue;
        }
        if is_too_long {
            return Ok(Some(Line::TooLong));
        }
        if !line.trim_ascii().is_empty() {
            return Ok(Some(Line::Whole(line)));
        }
        if is_last {
            return Ok(None);
        }
        line.clear();
    }
}

/// The server that is asked.
struct Server {
    http: Client,
    data: PathBuf,
}

/// Why there is no answer of the server's own.
struct Fault {
    message: String,
    data: Value,
}

impl Server {
    /// What is answered to a line; nothing to one that wants no answer.
    async fn ask(&self, line: Line) -> Option<Value> {
        let Line::Whole(line) = line else {
            let message = "the message is larger than 2 MiB".to_owned();
            return Some(refusal(&Value::Null, NOT_A_MESSAGE, &Fault { message, data: Value::Null }));
        };
        let message = serde_json::from_slice(&line).ok();
        match self.send(line).await {
            Ok(answer) => answer,
            Err(fault) => refuse(message.as_ref(), &fault),
        }
    }

    async fn send(&self, line: Vec<u8>) -> Result<Option<Value>, Fault> {
        let request = call::post(&self.http, &self.data, "/mcp").map_err(|error| unreachable(&error))?;
        let request = request
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream")
            .body(line);
        let failed = |source| unreachable(&call::failed(&self.data, source));
        let answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        let body = answer.bytes().await.map_err(failed)?;
        if status == StatusCode::ACCEPTED {
            return Ok(None);
        }
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        if is_rpc(&body) {
            return Ok(Some(body));
        }
        // The guard, or a limit, of the server; or no server of ours at all.
        let told = body.get("message").and_then(Value::as_str).unwrap_or("what listens there is no Forge");
        let data = body.get("error_data").cloned().unwrap_or_default();
        let hint = data.get("hint").and_then(Value::as_str).map(|hint| format!("; {hint}"));
        let message = format!("{} {told}{}", status.as_u16(), hint.unwrap_or_default());
        Err(Fault { message, data })
    }
}

fn unreachable(error: &Error) -> Fault {
    let message = match error {
        Error::Call { source } if source.is_timeout() => {
            let seconds = ANSWER.as_secs();
            format!("the server has not answered for {seconds} seconds; what was asked may still be done")
        }
        Error::Call { .. } => {
            let causes = causes(error).join(": ");
            format!(
                "the server went away before it answered, so it is not known whether this was done; look before you ask again ({causes})"
            )
        }
        other => {
            let hint = other.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
            format!("{other}{hint}")
        }
    };
    Fault { message, data: Value::Null }
}

/// Whether this is what a server of MCP answers with. Nothing else may get to the output.
fn is_rpc(answer: &Value) -> bool {
    match answer {
        Value::Array(answers) => !answers.is_empty() && answers.iter().all(is_rpc),
        one => one.get("jsonrpc").and_then(Value::as_str) == Some("2.0"),
    }
}

/// The same fault for whatever in a message wants an answer.
fn refuse(message: Option<&Value>, fault: &Fault) -> Option<Value> {
    let one = |message: &Value| {
        let id = message.get("id").filter(|_| message.get("method").is_some())?;
        Some(refusal(id, UNREACHABLE, fault))
    };
    match message {
        Some(Value::Array(messages)) => {
            let refusals: Vec<_> = messages.iter().filter_map(one).collect();
            (!refusals.is_empty()).then(|| refusals.into())
        }
        Some(message) => one(message),
        None => Some(refusal(&Value::Null, UNREACHABLE, fault)),
    }
}

fn refusal(id: &Value, code: i32, Fault { message, data }: &Fault) -> Value {
    let mut error = json!({ "code": code, "message": message });
    if let Some(error) = error.as_object_mut().filter(|_| !data.is_null()) {
        error.insert("data".into(), data.clone());
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_whole_blank_ones_left_out_and_long_ones_not_kept() {
        let long = "x".repeat(MOST_LINE_BYTES + 1);
        let text = format!("a\n\n \r\n{long}\nb\r\nc");
        // A small buffer, so that lines come in pieces.
        let mut input = io::BufReader::with_capacity(7, text.as_bytes());
        let mut lines = Vec::new();
        while let Some(line) = next(&mut input).unwrap() {
            lines.push(line);
        }
        let whole = |text: &str| Line::Whole(text.into());
        assert_eq!(lines, [whole("a"), Line::TooLong, whole("b\r"), whole("c")]);
    }

    #[test]
    fn a_fault_is_told_to_whatever_wants_an_answer() {
        let fault = Fault { message: "m".into(), data: Value::Null };
        let told = |id: Value| json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32000, "message": "m"}});
        let refuse = |message: Value| refuse(Some(&message), &fault);
        assert_eq!(refuse(json!({"id": "a", "method": "ping"})), Some(told(json!("a"))));
        assert_eq!(refuse(json!({"method": "notifications/initialized"})), None);
        assert_eq!(refuse(json!({"id": 1, "result": {}})), None);
        let several = json!([{"id": 1, "method": "ping"}, {"method": "x"}, {"id": 2, "method": "ping"}]);
        assert_eq!(refuse(several), Some(json!([told(json!(1)), told(json!(2))])));
        assert_eq!(refuse(json!([{"method": "x"}])), None);
    }
}
