//! Codex' notifications beside the items: which of them people read, and which say nothing to them.

use serde_json::Value;

use super::text;

/// What a notification says to people; none where it says nothing, or is not known.
pub(super) fn notice(method: &str, params: &Value) -> Option<String> {
    let told = |at: &str| text(params, at).unwrap_or_default();
    match method {
        "warning" | "guardianWarning" => Some(format!("Warning: {}", told("/message"))),
        "configWarning" => Some(match text(params, "/details") {
            Some(details) => format!("Warning: {}\n{details}", told("/summary")),
            None => format!("Warning: {}", told("/summary")),
        }),
        "model/rerouted" => Some(format!("Model changed: {} → {}", told("/fromModel"), told("/toModel"))),
        "mcpServer/startupStatus/updated" if told("/status") == "failed" => {
            Some(format!("MCP server {} did not start: {}", told("/name"), told("/error")))
        }
        _ => None,
    }
}

/// What is said of an error that is tried again.
pub(super) fn interim(error: &Value) -> String {
    let message = text(error, "/message").unwrap_or("An error, which is tried again.");
    match text(error, "/additionalDetails") {
        Some(details) => format!("{message}: {details}"),
        None => message.to_owned(),
    }
}

/// Notifications that say nothing to people: what drivers and clients have to know, what items tell already, and what is
/// told as a whole later.
const SILENT: [&str; 52] = [
    "account/gatewayOAuth/changed",
    "account/login/completed",
    "account/rateLimits/updated",
    "account/updated",
    "app/list/updated",
    "autoApprovalReview/strictReviewRequired",
    "command/exec/outputDelta",
    "deprecationNotice",
    "externalAgentConfig/import/completed",
    "externalAgentConfig/import/progress",
    "fs/changed",
    "fuzzyFileSearch/sessionCompleted",
    "fuzzyFileSearch/sessionUpdated",
    "hook/completed",
    "hook/started",
    "item/autoApprovalReview/completed",
    "item/autoApprovalReview/started",
    "item/commandExecution/terminalInteraction",
    "item/fileChange/outputDelta",
    "item/mcpToolCall/progress",
    "mcpServer/event/stream/notification",
    "mcpServer/oauthLogin/completed",
    "mcpServer/startupStatus/updated",
    "model/safetyBuffering/updated",
    "model/verification",
    "modelProvider/authRecoveryCompleted",
    "modelProvider/authRecoveryStarted",
    "process/exited",
    "process/outputDelta",
    "project/changed",
    "remoteControl/status/changed",
    "skills/changed",
    "thread/archived",
    "thread/attachment/updated",
    "thread/closed",
    "thread/compacted",
    "thread/environment/connected",
    "thread/environment/disconnected",
    "thread/goal/cleared",
    "thread/goal/updated",
    "thread/name/updated",
    "thread/prediction/updated",
    "thread/project/updated",
    "thread/queue/changed",
    "thread/readState/changed",
    "thread/settings/updated",
    "thread/started",
    "thread/status/changed",
    "thread/tokenUsage/updated",
    "turn/diff/updated",
    "turn/moderationMetadata",
    "turn/started",
];

/// Whether a notification is known to say nothing to people.
pub(super) fn is_silent(method: &str) -> bool {
    SILENT.binary_search(&method).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_is_found() {
        assert!(SILENT.is_sorted());
        assert!(is_silent("turn/started") && !is_silent("turn/teleported"));
    }
}
