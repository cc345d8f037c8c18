//! Nodes, and what became of one that is gone.

use forge_engine::NodeSummary;
use forge_model::{NodeId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::spec::documented;

documented!(Node, ForgottenNode);

/// An installation that uses the database.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Node {
    id: NodeId,
    /// `<host>:<data folder>`; `unknown` for the owner of attempts of an older version that no known data folder has.
    name: String,
    /// Whether it is the node that answers.
    is_own: bool,
    /// The number of its attempts and runs.
    attempts: i64,
    /// When its server last started.
    started_at: Timestamp,
}

impl From<NodeSummary> for Node {
    fn from(node: NodeSummary) -> Self {
        let NodeSummary { id, name, is_own, attempts, started_at } = node;
        Self { id, name, is_own, attempts, started_at }
    }
}

/// What became of a node that is gone.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct ForgottenNode {
    /// The number of attempts and runs that are this node's now.
    pub(in crate::http) attempts: usize,
}
