//! What an agent lets a person choose from: commands, modes, models. Kept in the process's folder as the agent last told.

use std::path::Path;

use forge_agent::driver::Offers;
use forge_model::{AttemptId, ProcessKind};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::whole;

/// The file of a process's folder that holds what its agent offers.
const OFFERS: &str = "offers.json";

impl Engine {
    /// What the agent of an attempt lets a person choose from, as it last told; nothing where it never did.
    ///
    /// # Errors
    /// When the attempt is not there.
    pub async fn offers(&self, id: AttemptId) -> Result<Offers> {
        let processes = self.list_processes(id).await?;
        for process in processes.iter().rev().filter(|process| process.kind == ProcessKind::CodingAgent) {
            if let Some(text) = whole::read(&self.inner.folder.process(process.id).join(OFFERS))? {
                return serde_json::from_str(&text).map_err(|source| {
                    Error::internal("what an agent offers cannot be read").because(source)
                });
            }
        }
        Ok(Offers::default())
    }
}

/// Keeps what the agent of a process offers.
pub(crate) fn write(dir: &Path, offers: &Offers) -> Result<()> {
    let text = serde_json::to_string(offers)
        .map_err(|source| Error::internal("what an agent offers cannot be written").because(source))?;
    whole::write(&dir.join(OFFERS), &text)
}
