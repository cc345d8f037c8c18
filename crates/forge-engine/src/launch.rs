//! From what shall run to a program with arguments and an environment.

use std::ffi::OsString;
use std::path::Path;

use forge_agent::client::Connection;
use forge_agent::host::{Capped, Spec, StdinKind};
use forge_agent::manner::Protocol;
use forge_agent::secrets::{SecretKeys, Secrets};
use forge_agent::turn::{Turn, WorksWith};
use forge_model::{Action, Attempt, ImageId, Process, ProcessId, ProcessKind, Project};

use crate::attachments::room_beside;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::kept::KeptAgent;
use crate::{folder, whole};

impl Engine {
    /// Starts a process's program under a host of its own. `coming` are images of a task whose rows are not written yet.
    pub(crate) async fn launch(
        &self,
        project: &Project,
        attempt: &Attempt,
        process: &Process,
        coming: &[ImageId],
    ) -> Result<Launched> {
        let (turn, runs) = match &process.action {
            Action::Script { script } => (None, shell(script)),
            Action::Turn { prompt, conversation, how } => {
                let resolved = self.resolve(project, &attempt.profile).await?;
                let resume_at = self.goes_on_from(process, conversation.as_ref()).await?;
                let spent = self.spent(process, conversation.as_ref()).await?;
                let turn = resolved.turn(attempt, prompt, conversation.clone(), how);
                let approval_ms = self.approval_ms();
                let (is_first, room) = (conversation.is_none(), room_beside(&turn.prompt)?);
                let attachments = self.attachments(attempt, prompt, is_first, coming, room).await?;
                let turn = Turn { resume_at, spent: Some(spent), approval_ms, attachments, ..turn };
                let runs = resolved.runs(&turn);
                (Some(turn), runs)
            }
        };
        let spec = self.spec(project, attempt, process, runs);
        self.furnish(attempt, process.id, turn.as_ref(), &spec).await?;
        let dir = self.inner.folder.process(process.id);
        let place = self.inner.launches.acquire().await;
        let connection = self.inner.launcher.start(&dir, &spec).await?;
        drop(place);
        if let Ok(Some(Capped { why: Some(why), .. })) = Capped::find(&dir) {
            // Once: it will be the same for all of them.
            self.inner
                .uncapped
                .call_once(|| tracing::warn!(why, "the caps of processes are not enforced: {why}"));
        }
        let began = turn.map(|turn| Began { works_with: WorksWith::default(), turn, spec });
        Ok(Launched { connection, began })
    }

    /// Makes everything that a process finds when it begins, whether its program is started for it or was kept.
    pub(crate) async fn furnish(
        &self,
        attempt: &Attempt,
        process: ProcessId,
        turn: Option<&Turn>,
        spec: &Spec,
    ) -> Result<()> {
        if let Some(task) = attempt.task_id {
            self.place_images(attempt, self.inner.store.list_task_images(task).await?).await?;
        }
        folder::make(&self.inner.folder.tmp(attempt.id))?;
        folder::make(&self.inner.folder.cache(attempt.project_id))?;
        let dir = self.inner.folder.process(process);
        folder::make(&dir)?;
        if let Some(turn) = turn {
            let text = serde_json::to_string(turn)
                .map_err(|source| Error::internal("a turn cannot be written").because(source))?;
            // The host puts back what the program is told, and what its arguments name.
            let keys =
                SecretKeys::among(spec.env.iter().map(|(name, value)| (name, value))).and(&spec.secrets);
            whole::write(&dir.join(TURN), &Secrets::new(&keys).hide_text(text))?;
        }
        Ok(())
    }

    /// What an agent that waits is to be told, if it is the one that would be started for this process.
    pub(crate) async fn fits(
        &self,
        project: &Project,
        attempt: &Attempt,
        process: &Process,
        agent: &KeptAgent,
    ) -> Result<Option<Turn>> {
        let Action::Turn { prompt, conversation, how } = &process.action else { return Ok(None) };
        if agent.connection.has_ended() || *conversation != agent.conversation {
            return Ok(None);
        }
        let resolved = self.resolve(project, &attempt.profile).await?;
        let turn = resolved.turn(attempt, prompt, conversation.clone(), how);
        let turn = Turn { approval_ms: self.approval_ms(), ..turn };
        let again = turn.at_place_of(&agent.began.turn);
        let spec = self.spec(project, attempt, process, resolved.runs(&again));
        let is_same = (&again, &spec) == (&agent.began.turn, &agent.began.spec);
        if !is_same || !turn.can_be_told(&agent.began.works_with) {
            return Ok(None);
        }
        // What cannot be told is told to nobody: the start of another refuses it.
        let Ok(room) = room_beside(&turn.prompt) else { return Ok(None) };
        let attachments = self.attachments(attempt, prompt, conversation.is_none(), &[], room).await?;
        // Its model it keeps by itself; out of a mode it may have gone.
        let model = turn.model.clone().filter(|model| Some(model) != agent.began.works_with.model.as_ref());
        let spent = self.spent(process, conversation.as_ref()).await?;
        Ok(Some(Turn { warm: true, spent: Some(spent), attachments, model, ..turn }))
    }

    /// How long a question waits for an answer.
    fn approval_ms(&self) -> u64 {
        u64::try_from(self.inner.options.approval_timeout.as_millis()).unwrap_or(u64::MAX)
    }

    fn spec(&self, project: &Project, attempt: &Attempt, process: &Process, runs: Runs) -> Spec {
        let mut environment = self.environment(project, attempt);
        if let (ProcessKind::DevServer, Some(port)) = (process.kind, attempt.first_port) {
            // What dev servers look for.
            environment.push(("PORT".to_owned(), port.to_string()));
        }
        let tmp = self.inner.folder.tmp(attempt.id);
        let own =
            runs.env.into_iter().map(|(name, value)| (name, value.replace(OWN_TMP, &tmp.to_string_lossy())));
        // What says where the agent is comes from Forge alone.
        environment.splice(0..0, own);
        Spec {
            program: runs.program,
            args: runs.args.into_iter().map(Into::into).collect(),
            env: environment.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            env_remove: not_for_programs(),
            cwd: Path::new(&attempt.worktree).to_owned(),
            stdin: runs.stdin,
            caps: self.inner.options.caps.clone(),
            secrets: self.inner.options.secrets.clone(),
        }
    }
}

/// A program that was started.
pub(crate) struct Launched {
    pub(crate) connection: Connection,
    /// As what; none for a script.
    pub(crate) began: Option<Began>,
}

/// What an agent was started as.
#[derive(Debug, Clone)]
pub(crate) struct Began {
    pub(crate) turn: Turn,
    pub(crate) spec: Spec,
    /// What it works with since the turns that are over.
    pub(crate) works_with: WorksWith,
}

/// What a process runs.
pub(crate) struct Runs {
    pub(crate) program: OsString,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) stdin: StdinKind,
}

/// A login shell would read what a terminal needs; a plain one has the server's environment and ours.
fn shell(script: &str) -> Runs {
    let args = vec!["-c".to_owned(), script.to_owned()];
    Runs { program: "bash".into(), args, env: Vec::new(), stdin: StdinKind::Null }
}

/// What the server's own settings are read from. A program that runs Forge's tests, or a server of its own, must not
/// take them for its own; one that needs a port has `FORGE_PORT`.
const SETTINGS: [&str; 9] = [
    "AUTH_REQUIRED",
    "BACKEND_PORT",
    "DATABASE_URL",
    "FORGE_CRASH_AT",
    "FORGE_DATA",
    "FORGE_LOG",
    "FORGE_WORKTREES",
    "HOST",
    "PORT",
];

/// What an agent leaves in the environment of a server that it started: ours are no children of it.
const NESTED: [&str; 2] = ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"];

/// An attempt has the one and a run the other: which it does not have must not come from a server around this one.
const ONE_OF: [&str; 2] = ["FORGE_TASK_ID", "FORGE_EXECUTION_RUN_ID"];

/// Variables that programs do not inherit: those that would point their git at another repository, too.
pub(crate) fn not_for_programs() -> Vec<OsString> {
    forge_git::FOREIGN.iter().chain(&SETTINGS).chain(&NESTED).chain(&ONE_OF).map(OsString::from).collect()
}

/// What stands for the attempt's folder of temporary files in the variables of an agent.
const OWN_TMP: &str = "{FORGE_TMP}";

/// The file of a process's folder that holds its turn.
const TURN: &str = "turn.json";

/// The turn that a process takes, as it was written before the program was started: none for scripts, which nobody talks
/// to. A process of a Forge that wrote none spoke as Claude Code does, which was all there was.
pub(crate) fn turn_of(attempt: &Attempt, process: &Process, dir: &Path) -> Result<Option<Turn>> {
    let Action::Turn { prompt, conversation, .. } = &process.action else { return Ok(None) };
    if let Some(text) = whole::read(&dir.join(TURN))? {
        let turn = serde_json::from_str(&text)
            .map_err(|source| Error::internal("the turn of a process cannot be read").because(source))?;
        return Ok(Some(turn));
    }
    Ok(Some(Turn {
        resume: conversation.clone(),
        cwd: attempt.worktree.clone(),
        ..Turn::new(Protocol::Claude, prompt.clone())
    }))
}
