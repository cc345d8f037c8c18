//! Names that older clients send and that mean nothing here. Any other name that is not known is refused, because a
//! misspelt one would otherwise do nothing in silence.

/// Beside what is known. Clients send back what they have read of a task, an attempt, a project or a tag, and the
/// original front end names a status, a model and a worktree where its server ignores them.
const IN_BODIES: [&str; 27] = [
    "attempt_count",
    "branch",
    "container_ref",
    "created_at",
    "draft_type",
    "executor",
    "has_in_progress_attempt",
    "has_merged_attempt",
    "id",
    "image_ids",
    "is_draft",
    "last_attempt_failed",
    "model",
    "parent_task_attempt",
    "profile",
    "project_id",
    "retry_process_id",
    "setup_completed_at",
    "status",
    "tag_id",
    "target_branch",
    "task_attempt_id",
    "task_id",
    "updated_at",
    "use_worktree",
    "variant",
    "version",
];

/// `global` and `projectId` select templates, which are tags here; `_` keeps browsers from using what they have.
const IN_QUERIES: [&str; 3] = ["_", "global", "projectId"];

pub(super) fn in_body(name: &str) -> bool {
    IN_BODIES.contains(&name)
}

pub(super) fn in_query(name: &str) -> bool {
    IN_QUERIES.contains(&name)
}
