//! Names that older clients send and that mean nothing here. Any other name that is not known is refused, because a
//! misspelt one would otherwise do nothing in silence.

/// What is not known of a body, by its type: what the answers of the same operation have, because clients send back what
/// they have read, and what the original server ignores.
const IN_BODIES: [(&str, &[&str]); 9] = [
    (
        "DraftBody",
        &[
            "created_at",
            "draft_id",
            "draft_type",
            "id",
            "queued",
            "saved_at",
            "sending",
            "task_attempt_id",
            "updated_at",
        ],
    ),
    ("FollowUpChange", &["created_at", "id", "retry_process_id", "task_attempt_id", "waits_until"]),
    ("McpBody", &["is_toml_config", "preconfigured", "servers_path", "template"]),
    ("NewTask", &["status"]),
    ("TagChange", OF_ROWS),
    (
        "TaskChange",
        &[
            "attempt_count",
            "created_at",
            "dev_server_id",
            "executor",
            "has_in_progress_attempt",
            "has_merged_attempt",
            "id",
            "last_attempt_failed",
            "project_id",
            "task",
            "task_attempt",
            "updated_at",
        ],
    ),
    ("TemplateChange", OF_ROWS),
    ("UpdateProject", OF_ROWS),
    ("UpdateTag", OF_ROWS),
];
const OF_ROWS: &[&str] = &["created_at", "id", "updated_at"];

/// `global` and `projectId` select templates, which are tags here; `_` keeps browsers from using what they have.
const IN_QUERIES: [&str; 3] = ["_", "global", "projectId"];

pub(super) fn in_body(of: &str, name: &str) -> bool {
    IN_BODIES.iter().any(|(known, names)| *known == of && names.contains(&name))
}

pub(super) fn in_query(name: &str) -> bool {
    IN_QUERIES.contains(&name)
}
