//! The nodes that use the database, over REST.

use axum::extract::State;
use forge_engine::Engine;
use forge_model::NodeId;

use super::envelope::{Answer, ok};
use super::extract::Id;
use super::spec::Operation;
use super::wire;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(
            "listNodes",
            "/api/forge/nodes",
            "The installations that use the database, the one that started last first",
            list,
        ),
        Operation::post(
            "forgetNode",
            "/api/forge/nodes/{id}/forget",
            "Declares a node gone for good: its attempts become this node's, and what runs in them is lost",
            forget,
        ),
    ]
}

async fn list(State(engine): State<Engine>) -> Answer<Vec<wire::Node>> {
    ok(engine.list_nodes().await?.into_iter().map(wire::Node::from).collect::<Vec<_>>())
}

async fn forget(State(engine): State<Engine>, Id(id): Id<NodeId>) -> Answer<wire::ForgottenNode> {
    ok(wire::ForgottenNode { attempts: engine.forget_node(id).await? })
}
