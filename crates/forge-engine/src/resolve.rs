//! From a profile's name to what is run: the one place where a variant becomes program, arguments, environment, settings
//! and prompt.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_agent::agents::{Agent, Command, Meaning, NotInstalled, Search};
use forge_agent::host::StdinKind;
use forge_agent::profiles::{BadProfiles, Profiles};
use forge_agent::turn::Turn;
use forge_model::{Attempt, How, Profile, Project};

use crate::engine::{Engine, Options};
use crate::error::Result;
use crate::launch::Runs;
use crate::whole::off_runtime;

/// How long a program that is downloaded first may take until it answers.
const DOWNLOAD_MS: u64 = 20 * 60 * 1000;

/// A profile that can be launched.
pub(crate) struct Resolved {
    pub(crate) agent: Arc<Agent>,
    command: Command,
    meaning: Meaning,
}

impl Engine {
    /// What a profile comes to in a project.
    ///
    /// # Errors
    /// When there is no such executor or variant, or its program is not installed or too old.
    pub(crate) async fn resolve(&self, project: &Project, profile: &Profile) -> Result<Resolved> {
        let options = &self.inner.options;
        let agent = Arc::clone(options.agents.find(&profile.executor)?);
        let (profiles, problems) = self.profiles_of(project).await?;
        let found = profiles.resolve(&options.agents, profile).map_err(|bad| match problems.first() {
            // It may be there, but not as it should.
            Some(problem) => BadProfiles { hint: format!("{}; {problem}", bad.hint), ..bad },
            None => bad,
        })?;
        self.check_trusted(project.id, &agent.name, &found)?;
        let meaning = agent.meaning(found.settings);
        let command = options.locate(&agent, &meaning)?;
        agent.check_version(&command)?;
        Ok(Resolved { agent, command, meaning })
    }

    /// The profiles that a project's attempts are started with, as they are now, and what is wrong with some that its
    /// repository brings along.
    pub(crate) async fn profiles_of(&self, project: &Project) -> Result<(Profiles, Vec<String>)> {
        let (profiles, agents) = (self.inner.profiles.now(), self.inner.options.agents.clone());
        let repository = PathBuf::from(&project.git_repo_path);
        off_runtime(move || Ok(profiles.of_project(&agents, &repository))).await
    }
}

impl Options {
    /// The program that runs an agent here.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn locate(
        &self,
        agent: &Agent,
        meaning: &Meaning,
    ) -> std::result::Result<Command, NotInstalled> {
        let given = self.executors.get(&agent.name).map(Vec::as_slice);
        agent.locate(meaning, Search { given, path: &self.path, downloads: self.downloads })
    }
}

impl Resolved {
    /// The turn that an attempt takes with it.
    pub(crate) fn turn(
        &self,
        attempt: &Attempt,
        prompt: &str,
        conversation: Option<String>,
        how: &How,
    ) -> Turn {
        let mut manner = self.agent.manner.clone();
        if self.command.downloads() {
            let opening = manner.quirks.opening_ms.get_or_insert_default();
            *opening = (*opening).max(DOWNLOAD_MS);
        }
        Turn {
            manner,
            resume: conversation,
            cwd: attempt.worktree.clone(),
            approvals: self.meaning.approvals,
            model: how.model.clone().or_else(|| self.meaning.model.clone()),
            mode: how.mode.clone().or_else(|| self.meaning.mode.clone()),
            settings: self.meaning.settings.clone(),
            ..Turn::new(self.agent.manner.protocol, prompt)
        }
        .with_preface(self.meaning.preface_in(Path::new(&attempt.worktree)).as_deref())
    }

    /// What is run for a turn.
    pub(crate) fn runs(&self, turn: &Turn) -> Runs {
        let mut args = self.command.args.clone();
        args.extend(self.agent.arguments(turn));
        args.extend(self.meaning.args.iter().cloned());
        Runs {
            program: self.command.program.clone().into_os_string(),
            args,
            env: self.meaning.env.clone().into_iter().collect(),
            stdin: StdinKind::Piped,
        }
    }
}
