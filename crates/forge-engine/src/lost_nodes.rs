//! Nodes that are gone for good: their attempts become this node's, so that they can be deleted or followed up.

use std::path::PathBuf;

use forge_model::{Attempt, NodeId, ProjectId};
use forge_store::NodeSummary;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::projects::text_of;

impl Engine {
    /// Returns the nodes that use the database, the one that started last first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_nodes(&self) -> Result<Vec<NodeSummary>> {
        Ok(self.inner.store.list_nodes().await?)
    }

    /// Gives the attempts of a node that is gone for good to this one, and returns their number. What runs in them is lost.
    /// The node's server cannot run meanwhile: the database serves one at a time. It is refused when it comes back.
    ///
    /// # Errors
    /// When there is no such node, or it is this one.
    pub async fn forget_node(&self, id: NodeId) -> Result<usize> {
        if id == self.inner.node.id {
            let message = format!("the node {id} is this server's own");
            return Err(Error::conflict("node_is_own", message)
                .hint("send the request to a server of another node of the database"));
        }
        // In a task of its own: a caller that hangs up must not end it half-way.
        let engine = self.clone();
        let forgotten = self.inner.tasks.spawn(async move {
            let worktrees = text_of(engine.inner.folder.worktrees())?;
            // First: afterwards nobody knows where they were.
            let all = engine.inner.store.list_attempts_and_runs(None).await?;
            let of_node = |attempt: &Attempt| attempt.node.as_ref().is_some_and(|node| node.id == id);
            engine.unregister_lost(&all.into_iter().filter(of_node).collect::<Vec<_>>()).await;
            let attempts = engine.inner.store.forget_node(id, engine.inner.node.clone(), worktrees).await?;
            tracing::warn!(node.id = %id, "node {id} is forgotten; {} attempts are this node's now", attempts.len());
            Ok(attempts.len())
        });
        forgotten
            .await
            .unwrap_or_else(|failed| Err(Error::internal("forgetting a node ended badly").because(failed)))
    }

    /// Removes the registrations of worktrees whose folders do not exist here: in a repository that both nodes use, they
    /// would keep the branches from being checked out.
    async fn unregister_lost(&self, attempts: &[Attempt]) {
        let mut projects: Vec<ProjectId> = attempts.iter().map(|attempt| attempt.project_id).collect();
        projects.sort_unstable();
        projects.dedup();
        for project in projects {
            let of = attempts.iter().filter(|attempt| attempt.project_id == project);
            let paths: Vec<PathBuf> = of.map(|attempt| PathBuf::from(&attempt.worktree)).collect();
            let unregistered = async {
                let repo = self.repository(&self.get_project(project).await?).await?;
                Ok::<_, Error>(repo.unregister_gone(&paths).await?)
            };
            if let Err(error) = unregistered.await {
                tracing::warn!(project.id = %project, error = %error, "lost worktrees stay registered: {error}");
            }
        }
    }
}
