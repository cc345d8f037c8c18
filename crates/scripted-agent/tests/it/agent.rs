//! A running scripted agent, and what the tests say to it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

pub(crate) struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Agent {
    /// Starts the agent as Forge does, in a folder that is its home too.
    pub(crate) fn start(folder: &Path, extra: &[&str]) -> Self {
        let mut args =
            vec!["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
        args.extend(["--permission-prompt-tool", "stdio", "--permission-mode", "default"]);
        args.extend(extra);
        Self::start_with(folder, &args)
    }

    #[expect(clippy::disallowed_methods, reason = "the test is the agent's parent")]
    pub(crate) fn start_with(folder: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_scripted-agent"))
            .args(args)
            .current_dir(folder)
            .env("SCRIPTED_AGENT_HOME", folder.join("home"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout }
    }

    pub(crate) fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{message}").unwrap();
    }

    pub(crate) fn prompt(&mut self, text: &str) {
        self.send(&json!({ "type": "user", "message": { "role": "user", "content": [
            { "type": "text", "text": text }
        ] } }));
    }

    pub(crate) fn interrupt(&mut self) {
        self.send(&json!({ "type": "control_request", "request_id": "stop", "request": { "subtype": "interrupt" } }));
    }

    /// The next line as it came, without its end; `None` at the end of output.
    pub(crate) fn line(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        self.stdout.read_until(b'\n', &mut line).unwrap();
        line.pop_if(|last| *last == b'\n').map(|_| line)
    }

    /// Reads up to the first message for which the function gives something.
    pub(crate) fn until<T>(&mut self, wanted: impl Fn(&Value) -> Option<T>) -> T {
        loop {
            let line = self.line().expect("the agent ended before it said what was waited for");
            if let Some(found) = serde_json::from_slice(&line).ok().as_ref().and_then(&wanted) {
                return found;
            }
        }
    }

    pub(crate) fn until_result(&mut self) -> Value {
        self.until(|message| (message["type"] == "result").then(|| message.clone()))
    }

    /// Reads up to a text that the agent says.
    pub(crate) fn until_said(&mut self, text: &str) {
        self.until(|message| (message["message"]["content"][0]["text"] == text).then_some(()));
    }

    /// Closes standard input, reads the rest, and returns how the agent ended.
    pub(crate) fn close(mut self) -> ExitStatus {
        self.stdin = None;
        while self.line().is_some() {}
        self.child.wait().unwrap()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // Both fail if the agent has ended, which is the usual case.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
