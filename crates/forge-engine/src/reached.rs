//! Where a conversation stood when a turn of it was over. It lies in the folder of the turn's process.
//!
//! An agent that goes on in the same conversation, because it was kept or because its protocol knows nothing else, leaves
//! nothing of how that stood before. So whoever goes back before such a turn names the place, and where the agent has no
//! names for places the conversation begins anew with what was said so far.

use std::path::Path;

use forge_model::{Action, AttemptId, Process, ProcessKind, Usage};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::whole;

const FILE: &str = "reached.json";

/// How a prompt begins that repeats the conversation before it.
pub(crate) const RECAP: &str = "You have worked on this before and do not remember it.";

/// Where a conversation stood.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Reached {
    /// The conversation that the turn was part of.
    pub(crate) conversation: Option<String>,
    /// The agent's name for the place.
    pub(crate) mark: Option<String>,
    /// What the agent said last.
    pub(crate) said: Option<String>,
}

impl Reached {
    pub(crate) fn write(&self, dir: &Path) -> Result<()> {
        let text = serde_json::to_string(self)
            .map_err(|source| Error::internal("the end of a turn cannot be written").because(source))?;
        whole::write(&dir.join(FILE), &text)
    }

    /// Nothing is known of a turn that is not over.
    fn read(dir: &Path) -> Result<Self> {
        let text = whole::read(&dir.join(FILE))?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }
}

/// An agent's process, and how far it came.
type Turn = (Process, Reached);

impl Engine {
    /// The place that a turn of this conversation goes on from, where the conversation stands further already.
    pub(crate) async fn goes_on_from(
        &self,
        process: &Process,
        conversation: Option<&String>,
    ) -> Result<Option<String>> {
        if conversation.is_none() {
            return Ok(None);
        }
        let turns = self.turns_before(process.attempt_id, process).await?;
        let mut here =
            turns.iter().rev().filter(|(_, reached)| reached.conversation.as_ref() == conversation);
        match here.next() {
            Some((newest, _)) if newest.dropped => {
                Ok(here.find(|(process, _)| !process.dropped).and_then(|(_, reached)| reached.mark.clone()))
            }
            Some(_) | None => Ok(None),
        }
    }

    /// What a conversation has used up before a turn of it, in turns that were replaced since too: they are part of what the
    /// agent counts.
    pub(crate) async fn spent(&self, process: &Process, conversation: Option<&String>) -> Result<Usage> {
        let mut spent = Usage::default();
        if conversation.is_some() {
            let turns = self.turns_before(process.attempt_id, process).await?;
            let here = turns.into_iter().filter(|(_, reached)| reached.conversation.as_ref() == conversation);
            here.for_each(|(process, _)| spent += process.usage);
        }
        Ok(spent)
    }

    /// The conversation as it was before a turn that is replaced; none where it has to begin anew.
    pub(crate) async fn conversation_before(&self, replaced: &Process) -> Result<Option<String>> {
        let Action::Turn { conversation: Some(before), .. } = &replaced.action else { return Ok(None) };
        let is_it = |reached: &Reached| reached.conversation.as_ref() == Some(before);
        let own = Reached::read(&self.inner.folder.process(replaced.id))?;
        let turns = self.turns_before(replaced.attempt_id, replaced).await?;
        let last = turns.iter().rev().find(|(process, reached)| !process.dropped && is_it(reached));
        let can_go_back = last.is_some_and(|(_, reached)| reached.mark.is_some());
        Ok(Some(before.clone()).filter(|_| !is_it(&own) || can_go_back))
    }

    /// What was said before a turn, for an agent that does not remember it; none where nothing was.
    pub(crate) async fn said_before(&self, replaced: &Process) -> Result<Option<String>> {
        let turns = self.turns_before(replaced.attempt_id, replaced).await?;
        let mut said = String::new();
        for (process, reached) in turns.into_iter().filter(|(process, _)| !process.dropped) {
            let Action::Turn { prompt, .. } = process.action else { continue };
            said += &format!("The person said:\n{prompt}\n\n");
            if let Some(answer) = reached.said {
                said += &format!("You answered:\n{answer}\n\n");
            }
        }
        Ok((!said.is_empty()).then(|| format!("{RECAP} {said}")))
    }

    /// The agents' processes before this one, oldest first.
    async fn turns_before(&self, attempt: AttemptId, process: &Process) -> Result<Vec<Turn>> {
        let processes = self.inner.store.list_processes(attempt).await?;
        let before = processes.into_iter().take_while(|other| other.id != process.id);
        let agents = before.filter(|other| other.kind == ProcessKind::CodingAgent);
        agents
            .map(|process| {
                let reached = Reached::read(&self.inner.folder.process(process.id))?;
                Ok((process, reached))
            })
            .collect()
    }
}
