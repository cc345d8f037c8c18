//! Services elsewhere that older Forges talk to: GitHub's sign-in, Omni, releases. This one calls nobody, and says so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::envelope::{Answer, Bare, ok};
use super::extract::OptionalBody;
use super::problem::Problem;
use super::spec::{Operation, documented};

documented!(Release);

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post(
            "authGithubDeviceStart",
            "/api/auth/github/device/start",
            "Begins a sign-in at GitHub; not available yet",
            device_start,
        ),
        Operation::post(
            "authGithubDevicePoll",
            "/api/auth/github/device/poll",
            "Whether the person has signed in at GitHub; not available yet",
            device_poll,
        ),
        Operation::get(
            "authGithubCheck",
            "/api/auth/github/check",
            "Whether there is a GitHub token that was seen to work",
            check,
        ),
        Operation::get("getOmniStatus", "/api/forge/omni/status", "Omni is not enabled", omni_status),
        Operation::get("listOmniInstances", "/api/forge/omni/instances", "There are none", omni_instances),
        Operation::get(
            "listOmniNotifications",
            "/api/forge/omni/notifications",
            "There are none",
            omni_notifications,
        ),
        Operation::post(
            "validateOmni",
            "/api/forge/omni/validate",
            "Omni is not enabled: nothing is sent to the host",
            omni_validate,
        ),
        Operation::get(
            "listReleases",
            "/api/forge/releases",
            "Releases that the server knows of: none, as it asks nobody",
            releases,
        ),
    ]
}

/// What a person enters at GitHub.
#[derive(Serialize, JsonSchema)]
struct DeviceCode {
    device_code: String,
    user_code: String,
    verification_uri: String,
    expires_in: u64,
    interval: u64,
}

fn not_yet() -> Problem {
    Problem::not_yet(
        "signing in at GitHub",
        "sign in with `gh auth login`, or keep a token: PUT /api/config {\"github\": {\"pat\": …}}",
    )
}

async fn device_start() -> Answer<DeviceCode> {
    Err(not_yet())
}

/// What a client may send along; the server needs none of it.
#[derive(Deserialize, JsonSchema)]
struct Poll {
    /// As the start gave it.
    #[expect(dead_code, reason = "documented, and not needed")]
    device_code: Option<String>,
}

async fn device_poll(_body: OptionalBody<Poll>) -> Answer<String> {
    Err(not_yet())
}

async fn check() -> Answer<String> {
    ok("INVALID")
}

/// Whether messages are sent by Omni.
#[derive(Serialize, JsonSchema)]
struct OmniStatus {
    enabled: bool,
    config: Option<Value>,
}

async fn omni_status() -> Bare<OmniStatus> {
    Bare(OmniStatus { enabled: false, config: None })
}

/// Accounts that messages can be sent from.
#[derive(Serialize, JsonSchema)]
struct OmniInstances {
    instances: Vec<Value>,
}

async fn omni_instances() -> Bare<OmniInstances> {
    Bare(OmniInstances { instances: Vec::new() })
}

/// Messages that were sent.
#[derive(Serialize, JsonSchema)]
struct OmniNotifications {
    notifications: Vec<Value>,
}

async fn omni_notifications() -> Bare<OmniNotifications> {
    Bare(OmniNotifications { notifications: Vec::new() })
}

/// Where Omni is and how to sign in.
#[derive(Deserialize, JsonSchema)]
struct OmniAccount {
    #[expect(dead_code, reason = "documented, and not called")]
    host: Option<String>,
    #[expect(dead_code, reason = "documented, and not sent to anybody")]
    api_key: Option<String>,
}

/// Whether an account works.
#[derive(Serialize, JsonSchema)]
struct OmniVerdict {
    valid: bool,
    instances: Vec<Value>,
    error: Option<&'static str>,
}

async fn omni_validate(_body: OptionalBody<OmniAccount>) -> Result<Bare<OmniVerdict>, Problem> {
    let error = Some("Omni is not enabled in this Forge: nothing was sent");
    Ok(Bare(OmniVerdict { valid: false, instances: Vec::new(), error }))
}

/// A release of Forge.
#[derive(Serialize, JsonSchema)]
struct Release {
    tag_name: String,
    name: String,
    body: Option<String>,
    prerelease: bool,
    created_at: String,
    published_at: Option<String>,
    html_url: String,
}

async fn releases() -> Answer<Vec<Release>> {
    ok(Vec::<Release>::new())
}
