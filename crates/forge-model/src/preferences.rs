//! What a person prefers, as one document: what it may say, what it says when nobody said anything, and how a part of
//! it is changed. Keys that are not known are kept: a newer or older client may have written them.

use serde_json::{Map, Value};

use crate::Profile;

/// The version of the document.
pub const CONFIG_VERSION: &str = "v7";
/// What a secret is told as. Sent back, it means the secret that is there.
pub const MASK: &str = "********";

/// The editors that can be opened.
pub const EDITORS: &[&str] = &["VS_CODE", "CURSOR", "WINDSURF", "INTELLI_J", "ZED", "XCODE", "CUSTOM"];
/// The sounds that can be played.
pub const SOUNDS: &[&str] = &[
    "ABSTRACT_SOUND1",
    "ABSTRACT_SOUND2",
    "ABSTRACT_SOUND3",
    "ABSTRACT_SOUND4",
    "GENIE_NOTIFY1",
    "GENIE_NOTIFY2",
    "PHONE_VIBRATION",
];

/// One thing that can be preferred.
#[derive(Debug)]
pub struct Preference {
    /// Its key.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
}

/// What a preference may be, with what it is at first.
#[derive(Debug)]
pub enum Kind {
    /// On or off.
    Switch(bool),
    /// On, off or not said; not said at first.
    MaybeSwitch,
    /// Any text or none.
    MaybeText(Option<&'static str>),
    /// A text that is never told.
    Secret,
    /// What branch names begin with.
    BranchPrefix,
    /// One of these words.
    OneOf(&'static [&'static str], &'static str),
    /// An executor, and a variant or none.
    Profile,
    /// A list of texts.
    Texts,
    /// More preferences.
    Parts(&'static [Preference]),
}

const fn at(name: &'static str, kind: Kind) -> Preference {
    Preference { name, kind }
}

/// Every preference that is known.
pub static PREFERENCES: &[Preference] = &[
    at("config_version", Kind::OneOf(&[CONFIG_VERSION], CONFIG_VERSION)),
    at("theme", Kind::OneOf(&["LIGHT", "DARK", "SYSTEM"], "SYSTEM")),
    at("executor_profile", Kind::Profile),
    at("disclaimer_acknowledged", Kind::Switch(false)),
    at("onboarding_acknowledged", Kind::Switch(false)),
    at("github_login_acknowledged", Kind::Switch(false)),
    at("telemetry_acknowledged", Kind::Switch(false)),
    at(
        "notifications",
        Kind::Parts(&[
            at("sound_enabled", Kind::Switch(true)),
            at("push_enabled", Kind::Switch(true)),
            at("sound_file", Kind::OneOf(SOUNDS, "GENIE_NOTIFY1")),
        ]),
    ),
    at(
        "editor",
        Kind::Parts(&[
            at("editor_type", Kind::OneOf(EDITORS, "VS_CODE")),
            at("custom_command", Kind::MaybeText(None)),
            at("remote_ssh_host", Kind::MaybeText(None)),
            at("remote_ssh_user", Kind::MaybeText(None)),
        ]),
    ),
    at(
        "github",
        Kind::Parts(&[
            at("pat", Kind::Secret),
            at("oauth_token", Kind::Secret),
            at("username", Kind::MaybeText(None)),
            at("primary_email", Kind::MaybeText(None)),
            at("default_pr_base", Kind::MaybeText(Some("main"))),
        ]),
    ),
    // Forge tells nobody anything, whatever is said here.
    at("analytics_enabled", Kind::MaybeSwitch),
    at("contact_email_opt_in", Kind::MaybeSwitch),
    at("contact_username_opt_in", Kind::MaybeSwitch),
    at("workspace_dir", Kind::MaybeText(None)),
    at("last_app_version", Kind::MaybeText(None)),
    at("show_release_notes", Kind::Switch(false)),
    at("language", Kind::OneOf(&["BROWSER", "EN", "JA", "ES", "KO"], "BROWSER")),
    at("git_branch_prefix", Kind::BranchPrefix),
    at("showcases", Kind::Parts(&[at("seen_features", Kind::Texts)])),
];

/// A preference that cannot be as somebody said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` has to be {expected}")]
pub struct WrongPreference {
    /// Its place, as in `editor.editor_type`.
    pub field: String,
    /// What it may be.
    pub expected: String,
}

/// The whole document.
#[derive(Debug, Clone, PartialEq)]
pub struct Preferences(Map<String, Value>);

/// How to open an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditorChoice {
    /// One of [`EDITORS`].
    pub kind: String,
    /// The program of `CUSTOM` with its arguments.
    pub command: Option<String>,
    /// The machine that this one is reached as over SSH, where the editor runs elsewhere.
    pub remote_host: Option<String>,
    /// Who logs in there.
    pub remote_user: Option<String>,
}

impl Preferences {
    /// What there is when nobody said anything.
    #[must_use]
    pub fn new(branch_prefix: &str) -> Self {
        let mut all = defaults(PREFERENCES);
        all.insert("git_branch_prefix".into(), branch_prefix.into());
        Self(all)
    }

    /// What was kept, over what there is by default. A preference that cannot be stays as it is by default, and is told.
    #[must_use]
    pub fn with_kept(self, kept: Map<String, Value>) -> (Self, Vec<WrongPreference>) {
        let (mut all, mut wrong) = (self, Vec::new());
        for (name, value) in kept {
            let one = Map::from_iter([(name, value)]);
            match all.changed(one) {
                Ok(changed) => all = changed,
                Err(error) => wrong.push(error),
            }
        }
        (all, wrong)
    }

    /// This with a change: what it does not name stays, `null` clears what may be empty.
    ///
    /// # Errors
    /// When something cannot be as the change says. Then nothing is changed.
    pub fn changed(&self, change: Map<String, Value>) -> Result<Self, WrongPreference> {
        let mut all = self.0.clone();
        change_parts(&mut all, change, PREFERENCES, "")?;
        Ok(Self(all))
    }

    /// The document.
    #[must_use]
    pub const fn document(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The document as everybody may see it.
    #[must_use]
    pub fn masked(&self) -> Map<String, Value> {
        let mut all = self.0.clone();
        mask(&mut all, PREFERENCES);
        all
    }

    /// What branch names begin with.
    #[must_use]
    pub fn branch_prefix(&self) -> &str {
        self.0.get("git_branch_prefix").and_then(Value::as_str).unwrap_or_default()
    }

    /// The profile that a person wants where none is named.
    #[must_use]
    pub fn profile(&self) -> Option<Profile> {
        profile(self.0.get("executor_profile")?)
    }

    /// How to open an editor.
    #[must_use]
    pub fn editor(&self) -> EditorChoice {
        let text = |name: &str| {
            let text = self.0.get("editor").and_then(|editor| editor.get(name)).and_then(Value::as_str);
            text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        EditorChoice {
            kind: text("editor_type").unwrap_or_else(|| "VS_CODE".into()),
            command: text("custom_command"),
            remote_host: text("remote_ssh_host"),
            remote_user: text("remote_ssh_user"),
        }
    }
}

/// Whether something can stand before the `/` of a branch's name. It is empty where nothing shall.
#[must_use]
pub fn is_branch_prefix(prefix: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-');
    !prefix.starts_with(['.', '-'])
        && !prefix.ends_with('.')
        && !prefix.ends_with(".lock")
        && !prefix.contains("..")
        && prefix.chars().all(is_plain)
        && prefix.len() <= 100
}

fn defaults(known: &[Preference]) -> Map<String, Value> {
    known.iter().map(|preference| (preference.name.to_owned(), preference.kind.at_first())).collect()
}

fn change_parts(
    all: &mut Map<String, Value>,
    change: Map<String, Value>,
    known: &[Preference],
    path: &str,
) -> Result<(), WrongPreference> {
    for (name, value) in change {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let Some(preference) = known.iter().find(|preference| preference.name == name) else {
            all.insert(name, value);
            continue;
        };
        let wrong = || WrongPreference { field: path.clone(), expected: preference.kind.expected() };
        match (&preference.kind, value) {
            (Kind::Parts(parts), Value::Object(change)) => {
                let there = all.entry(name).or_insert_with(|| preference.kind.at_first());
                change_parts(there.as_object_mut().ok_or_else(wrong)?, change, parts, &path)?;
            }
            (Kind::Secret, Value::String(text)) if text == MASK => {}
            (Kind::Profile, value) => {
                let Profile { executor, variant } = profile(&value).ok_or_else(wrong)?;
                all.insert(name, serde_json::json!({"executor": executor, "variant": variant}));
            }
            (kind, value) if kind.may_be(&value) => drop(all.insert(name, value)),
            _ => return Err(wrong()),
        }
    }
    Ok(())
}

fn mask(all: &mut Map<String, Value>, known: &[Preference]) {
    for preference in known {
        match (&preference.kind, all.get_mut(preference.name)) {
            (Kind::Secret, Some(value)) if value.as_str().is_some_and(|text| !text.is_empty()) => {
                *value = MASK.into();
            }
            (Kind::Parts(parts), Some(Value::Object(there))) => mask(there, parts),
            _ => {}
        }
    }
}

/// `{"executor": …, "variant": …}`, or both in one text.
fn profile(value: &Value) -> Option<Profile> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Object(fields) => {
            let variant = match fields.get("variant") {
                None | Some(Value::Null) => None,
                Some(variant) => Some(variant.as_str()?),
            };
            Profile::new(fields.get("executor")?.as_str()?, variant).ok()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}

impl Kind {
    fn at_first(&self) -> Value {
        match self {
            Self::Switch(on) => (*on).into(),
            Self::MaybeText(text) => (*text).into(),
            Self::MaybeSwitch | Self::Secret => Value::Null,
            Self::BranchPrefix => "forge".into(),
            Self::OneOf(_, first) => (*first).into(),
            Self::Profile => serde_json::json!({"executor": "CLAUDE_CODE", "variant": null}),
            Self::Texts => Value::Array(Vec::new()),
            Self::Parts(parts) => Value::Object(defaults(parts)),
        }
    }

    fn may_be(&self, value: &Value) -> bool {
        match self {
            Self::Switch(_) => value.is_boolean(),
            Self::MaybeSwitch => value.is_boolean() || value.is_null(),
            Self::MaybeText(_) | Self::Secret => value.is_string() || value.is_null(),
            Self::BranchPrefix => value.as_str().is_some_and(is_branch_prefix),
            Self::OneOf(words, _) => value.as_str().is_some_and(|word| words.contains(&word)),
            Self::Profile => profile(value).is_some(),
            Self::Texts => value.as_array().is_some_and(|texts| texts.iter().all(Value::is_string)),
            Self::Parts(_) => value.is_object(),
        }
    }

    fn expected(&self) -> String {
        match self {
            Self::Switch(_) => "true or false".into(),
            Self::MaybeSwitch => "true, false or null".into(),
            Self::MaybeText(_) | Self::Secret => "text or null".into(),
            Self::BranchPrefix => {
                "one part of a branch's name, of letters, digits, `.`, `_` and `-`, such as forge".into()
            }
            Self::OneOf(words, _) => match words {
                [word] => (*word).to_owned(),
                words => format!("one of {}", words.join(", ")),
            },
            Self::Profile => "an executor and a variant, such as {\"executor\": \"CLAUDE_CODE\"}".into(),
            Self::Texts => "a list of texts".into(),
            Self::Parts(_) => "an object".into(),
        }
    }
}

#[cfg(test)]
#[path = "preferences_tests.rs"]
mod tests;
