//! What a conversation lets a person choose from: modes, models, commands; and how each of them is set.

use serde_json::{Value, json};

use super::update::{offer, text};
use crate::driver::{Offer, Offers};

/// The option that stands for the model, for every agent that has one.
const MODEL: &str = "model";

/// The option that stands for the mode, for every agent that has no modes of its own; and the category of such options.
const MODE: &str = "mode";

/// The option that a mode stands for, and its value: `name=value`.
pub(super) fn option_in(mode: &str) -> Option<(&str, &str)> {
    mode.split_once('=').filter(|_| !mode.contains("://"))
}

/// A request that sets something.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Set {
    pub(super) method: &'static str,
    pub(super) params: Value,
    /// What it sets, and to what.
    what: What,
    /// What to try if it is refused.
    pub(super) or: Option<Box<Self>>,
}

#[derive(Debug, Clone, PartialEq)]
enum What {
    Mode(String),
    Model(String),
    Option,
}

/// What the agent has told of the conversation.
#[derive(Debug, Default)]
pub(super) struct Session {
    commands: Vec<Offer>,
    modes: Vec<Offer>,
    mode: Option<String>,
    models: Vec<Offer>,
    model: Option<String>,
    options: Vec<Choosable>,
}

/// An option with a list of values.
#[derive(Debug)]
struct Choosable {
    id: String,
    category: Option<String>,
    value: Option<String>,
    values: Vec<Offer>,
}

impl Session {
    /// Takes what the beginning of a conversation tells.
    pub(super) fn opened(&mut self, told: &Value) {
        let list = |at: &str, id: &str| -> Vec<Offer> {
            let listed = told.pointer(at).and_then(Value::as_array).into_iter().flatten();
            listed.filter_map(|told| offer(told, id)).collect()
        };
        self.modes = list("/modes/availableModes", "id");
        self.mode = text(told, "/modes/currentModeId");
        self.models = list("/models/availableModels", "modelId");
        self.model = text(told, "/models/currentModelId");
        self.options(told.get("configOptions").unwrap_or(&Value::Null));
    }

    /// Takes all options, as they are now.
    pub(super) fn options(&mut self, told: &Value) {
        let Some(told) = told.as_array() else { return };
        self.options = told.iter().filter_map(Choosable::of).collect();
        if let Some(Some(mode)) = self.by_category(MODE).map(|option| option.value.clone()) {
            self.mode = Some(mode);
        }
        if let Some(Some(model)) = self.by_id(MODEL).map(|option| option.value.clone()) {
            self.model = Some(model);
        }
    }

    pub(super) fn commands(&mut self, commands: Vec<Offer>) {
        self.commands = commands;
    }

    pub(super) fn mode(&mut self, mode: String) {
        self.mode = Some(mode);
    }

    pub(super) fn offers(&self) -> Offers {
        let or = |list: &Vec<Offer>, option: Option<&Choosable>| {
            option.map_or_else(|| list.clone(), |option| option.values.clone())
        };
        Offers {
            commands: self.commands.clone(),
            modes: if self.modes.is_empty() {
                or(&self.modes, self.by_category(MODE))
            } else {
                self.modes.clone()
            },
            mode: self.mode.clone(),
            models: or(&self.models, self.by_id(MODEL)),
            model: self.model.clone(),
        }
    }

    /// Takes it that something was set, as the agent has answered.
    pub(super) fn was_set(&mut self, set: Set, told: &Value) {
        match set.what {
            What::Mode(mode) => self.mode = Some(mode),
            What::Model(model) => self.model = Some(model),
            What::Option => {}
        }
        self.options(told.get("configOptions").unwrap_or(&Value::Null));
    }

    /// How the mode is set: `name=value` is an option. An agent that has told nothing yet is tried both ways.
    pub(super) fn set_mode(&self, session: &str, wanted: &str) -> Set {
        if let Some((option, value)) = option_in(wanted) {
            return Set::option(session, option, value, What::Option);
        }
        let what = || What::Mode(wanted.to_owned());
        let known = self.modes.iter().any(|mode| mode.id == wanted);
        if let Some(option) = self.by_category(MODE).filter(|option| !known && option.has(wanted)) {
            return Set::option(session, &option.id, wanted, what());
        }
        let params = json!({ "sessionId": session, "modeId": wanted });
        let set = Set::new("session/set_mode", params, what());
        if self.modes.is_empty() && self.options.is_empty() {
            return Set { or: Some(Box::new(Set::option(session, MODE, wanted, what()))), ..set };
        }
        set
    }

    /// How the model is set. An agent that has told nothing yet is tried both ways.
    pub(super) fn set_model(&self, session: &str, wanted: &str) -> Set {
        let what = || What::Model(wanted.to_owned());
        let option = Set::option(session, MODEL, wanted, what());
        let params = json!({ "sessionId": session, "modelId": wanted });
        let model = Set::new("session/set_model", params, what());
        match self.by_id(MODEL) {
            Some(_) => option,
            None if self.models.is_empty() => Set { or: Some(Box::new(model)), ..option },
            None => model,
        }
    }

    /// Whether the agent names this model among those to choose from.
    pub(super) fn has_model(&self, wanted: &str) -> bool {
        let among = |list: &[Offer]| list.iter().any(|model| model.id == wanted);
        self.by_id(MODEL).map_or_else(|| among(&self.models), |option| among(&option.values))
    }

    fn by_id(&self, id: &str) -> Option<&Choosable> {
        self.options.iter().find(|option| option.id == id)
    }

    fn by_category(&self, category: &str) -> Option<&Choosable> {
        self.options.iter().find(|option| option.category.as_deref() == Some(category))
    }
}

impl Choosable {
    /// Values may stand in groups.
    fn of(told: &Value) -> Option<Self> {
        let listed = told.get("options").and_then(Value::as_array).into_iter().flatten();
        let values = listed.flat_map(|value| match value.get("options").and_then(Value::as_array) {
            Some(group) => group.iter().collect(),
            None => vec![value],
        });
        Some(Self {
            id: text(told, "/id")?,
            category: text(told, "/category"),
            value: text(told, "/currentValue"),
            values: values.filter_map(|value| offer(value, "value")).collect(),
        })
    }

    fn has(&self, wanted: &str) -> bool {
        self.values.iter().any(|value| value.id == wanted)
    }
}

impl Set {
    /// Whether it sets the model. Everything else that is set is a mode.
    pub(super) const fn is_model(&self) -> bool {
        matches!(self.what, What::Model(_))
    }

    const fn new(method: &'static str, params: Value, what: What) -> Self {
        Self { method, params, what, or: None }
    }

    fn option(session: &str, option: &str, value: &str, what: What) -> Self {
        let params = json!({ "sessionId": session, "configId": option, "value": value });
        Self::new("session/set_config_option", params, what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_and_models_are_set_the_way_they_are_offered() {
        let mut session = Session::default();
        session.opened(&json!({
            "modes": { "currentModeId": "a", "availableModes": [{ "id": "a", "name": "A" }] },
            "configOptions": [
                { "id": "level", "category": "mode", "currentValue": "a", "options": [{ "value": "a" }, { "value": "b" }] },
                { "id": "model", "category": "model", "currentValue": "x",
                  "options": [{ "group": "g", "options": [{ "value": "x", "name": "X" }] }] },
            ],
        }));
        assert_eq!(session.set_mode("s", "a").method, "session/set_mode");
        let by_option = json!({ "sessionId": "s", "configId": "level", "value": "b" });
        assert_eq!(session.set_mode("s", "b").params, by_option);
        assert_eq!(session.set_mode("s", "allow=on").params["configId"], "allow");
        assert_eq!(session.set_mode("s", "https://host/modes?x=1#plan").method, "session/set_mode");
        assert!(session.has_model("x") && !session.has_model("y"));
        assert_eq!(session.set_model("s", "x").method, "session/set_config_option");
        assert_eq!(session.offers().models[0].name, "X");
        let unknown = Session::default().set_model("s", "x");
        assert_eq!(unknown.or.unwrap().method, "session/set_model");
        let unknown = Session::default().set_mode("s", "plan");
        assert_eq!(unknown.method, "session/set_mode");
        let option = json!({ "sessionId": "s", "configId": "mode", "value": "plan" });
        assert_eq!(unknown.or.unwrap().params, option);
    }
}
