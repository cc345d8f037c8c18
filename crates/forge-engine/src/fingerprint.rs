//! Fingerprints of start requests: a repeated `Idempotency-Key` is accepted only for the same request.
//!
//! A fingerprint is stored with the answer and compared by later versions of Forge. So it is a hash of a form of its own:
//! neither a renamed field of the model, nor a new optional field that is not set, nor the secrets known to the server
//! change it.

use std::fmt::Write as _;

use forge_agent::agents::Agents;
use forge_agent::profiles;
use forge_model::{AttemptId, ImageId, ProjectId, StartAttempt, Subject, TaskId};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::error::{Error, Result};

/// The version of [`Form`]. Increase it when the form of an unchanged request changes.
const VERSION: &str = "v3 ";

/// The hashed request. Optional fields are omitted when unset; new fields are added at the end.
#[derive(Serialize)]
struct Form<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project_id: Option<ProjectId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_task_attempt: Option<AttemptId>,
    #[serde(skip_serializing_if = "<[ImageId]>::is_empty")]
    image_ids: &'a [ImageId],
    /// The prompt of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<&'a str>,
    executor: &'a str,
    variant: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    base_branch: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    include_uncommitted: Option<bool>,
}

/// Returns the fingerprint of a request. Spellings that mean the same have the same fingerprint: aliases of an executor,
/// the default variant by name or omitted, blank texts and surrounding spaces.
///
/// The variant is not looked up in the project's profiles: these can change before a request is repeated.
///
/// # Errors
/// When the form cannot be serialized, which is a bug.
pub(crate) fn fingerprint(agents: &Agents, command: &StartAttempt) -> Result<String> {
    let executor = &command.profile.executor;
    let mut form = Form {
        task_id: None,
        project_id: None,
        title: None,
        description: None,
        parent_task_attempt: None,
        image_ids: &[],
        prompt: None,
        executor: agents.find(executor).map_or(executor.as_str(), |agent| agent.name.as_str()),
        variant: profiles::canonical_variant(command.profile.variant.as_deref()),
        base_branch: command.base_branch.as_deref().and_then(filled),
        include_uncommitted: command.include_uncommitted.then_some(true),
    };
    match &command.subject {
        Subject::Existing(task) => form.task_id = Some(*task),
        Subject::New(task) => {
            form.project_id = Some(task.project_id);
            form.title = Some(task.title.trim());
            form.description = task.description.as_deref().filter(|text| filled(text).is_some());
            form.parent_task_attempt = task.parent_task_attempt;
            form.image_ids = &task.image_ids;
        }
        Subject::Run { project_id, prompt } => {
            form.project_id = Some(*project_id);
            form.prompt = Some(prompt.trim());
        }
    }
    hash(&form)
}

/// Whether a stored fingerprint is that of the repeated request. One of an older version cannot be compared and counts as
/// the same: a key is repeated for a retry far more often than by mistake, and is forgotten after a day.
pub(crate) fn is_same(stored: &str, repeated: &str) -> bool {
    !stored.starts_with(VERSION) || stored == repeated
}

fn filled(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

fn hash(form: &impl Serialize) -> Result<String> {
    let text = serde_json::to_vec(form)
        .map_err(|source| Error::internal("a fingerprint cannot be made").because(source))?;
    let mut fingerprint = VERSION.to_owned();
    for byte in Sha256::digest(text) {
        // Writing to a string does not fail.
        let _written = write!(fingerprint, "{byte:02x}");
    }
    Ok(fingerprint)
}

#[cfg(test)]
mod tests {
    use forge_model::{CreateTask, Profile};
    use uuid::Uuid;

    use super::*;

    fn request(executor: &str, variant: Option<&str>) -> StartAttempt {
        let task = CreateTask {
            project_id: ProjectId::from_uuid(Uuid::from_u128(1)),
            title: "Fix it".to_owned(),
            description: Some("All of it".to_owned()),
            parent_task_attempt: None,
            image_ids: Vec::new(),
        };
        StartAttempt {
            subject: Subject::New(task),
            profile: Profile { executor: executor.to_owned(), variant: variant.map(str::to_owned) },
            base_branch: Some("main".to_owned()),
            include_uncommitted: false,
            idempotency_key: Some("k".to_owned()),
        }
    }

    fn of(request: &StartAttempt) -> String {
        fingerprint(&Agents::built_in().unwrap(), request).unwrap()
    }

    #[test]
    fn fingerprint_is_stable_across_versions() {
        // Stored by released versions: a change of this value needs a new VERSION.
        let expected = "v3 8dbe2c82a5536bec72dfe0c4e9212b2901c518c1f6bb15428698c319a6b62e57";
        assert_eq!(of(&request("CLAUDE_CODE", None)), expected);
    }

    #[test]
    fn fingerprint_ignores_spelling() {
        let expected = of(&request("CURSOR_AGENT", None));
        for (executor, variant) in
            [("CURSOR", None), ("cursor-agent", Some("DEFAULT")), ("CURSOR", Some("genie"))]
        {
            assert_eq!(of(&request(executor, variant)), expected, "{executor} {variant:?}");
        }
        let mut spaced = request("CURSOR", None);
        spaced.base_branch = Some(" main ".to_owned());
        spaced.idempotency_key = Some("another".to_owned());
        assert_eq!(of(&spaced), expected);
    }

    #[test]
    fn fingerprint_differs_for_other_request() {
        let base = request("CLAUDE_CODE", None);
        let mut others = vec![request("CLAUDE_CODE", Some("PLAN")), request("CODEX", None)];
        others.push(StartAttempt { base_branch: None, ..base.clone() });
        others.push(StartAttempt { include_uncommitted: true, ..base.clone() });
        let project_id = ProjectId::from_uuid(Uuid::from_u128(1));
        let subjects = [
            Subject::Existing(TaskId::from_uuid(Uuid::from_u128(1))),
            Subject::Run { project_id, prompt: "Fix it".to_owned() },
        ];
        others.extend(subjects.map(|subject| StartAttempt { subject, ..base.clone() }));
        for other in others {
            assert_ne!(of(&other), of(&base), "{other:?}");
        }
    }

    #[test]
    fn unset_new_field_keeps_fingerprint() {
        #[derive(Serialize)]
        struct Later<'a> {
            #[serde(flatten)]
            form: Form<'a>,
            #[serde(skip_serializing_if = "Option::is_none")]
            added: Option<&'a str>,
        }
        let form = || Form {
            task_id: None,
            project_id: None,
            title: Some("Fix it"),
            description: None,
            parent_task_attempt: None,
            image_ids: &[],
            prompt: None,
            executor: "CLAUDE_CODE",
            variant: "GENIE".to_owned(),
            base_branch: None,
            include_uncommitted: None,
        };
        let now = hash(&form()).unwrap();
        assert_eq!(hash(&Later { form: form(), added: None }).unwrap(), now);
        assert_ne!(hash(&Later { form: form(), added: Some("x") }).unwrap(), now);
    }

    #[test]
    fn older_fingerprint_counts_as_same() {
        let now = of(&request("CLAUDE_CODE", None));
        for older in ["StartAttempt { subject: New(..) }", r#"v2 {"executor":"CLAUDE_CODE"}"#] {
            assert!(is_same(older, &now), "{older}");
        }
        assert!(is_same(&now, &now));
        assert!(!is_same(&of(&request("CODEX", None)), &now));
    }
}
