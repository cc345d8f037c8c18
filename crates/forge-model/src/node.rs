//! The node that owns an attempt: the installation that has its worktree and its processes.

use serde::{Deserialize, Serialize};

use crate::NodeId;

/// The node that an attempt lives on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Home {
    /// Its id.
    pub id: NodeId,
    /// Its name, for people.
    pub name: String,
    /// Whether it is another node than the one that answers. Not stored: it depends on the reader.
    #[serde(skip)]
    pub is_elsewhere: bool,
}
