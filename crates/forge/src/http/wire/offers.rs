//! What an agent lets a person choose from.

use schemars::JsonSchema;
use serde::Serialize;

use crate::http::spec::documented;

documented!(Offers<'_>);

/// What an agent lets a person choose from, as it last told.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Offers<'a> {
    /// Commands that can stand at the beginning of a prompt, after a slash.
    commands: Vec<Offer<'a>>,
    /// The modes that it can work in.
    modes: Vec<Offer<'a>>,
    /// The mode that it works in.
    mode: Option<&'a str>,
    /// The models that it can use.
    models: Vec<Offer<'a>>,
    /// The model that it uses.
    model: Option<&'a str>,
}

/// One thing to choose.
#[derive(Serialize, JsonSchema)]
struct Offer<'a> {
    /// What is sent back.
    id: &'a str,
    /// What a person reads.
    name: &'a str,
    description: Option<&'a str>,
}

impl<'a> From<&'a forge_engine::Offer> for Offer<'a> {
    fn from(offer: &'a forge_engine::Offer) -> Self {
        Self { id: &offer.id, name: &offer.name, description: offer.description.as_deref() }
    }
}

impl<'a> From<&'a forge_engine::Offers> for Offers<'a> {
    fn from(offers: &'a forge_engine::Offers) -> Self {
        let all = |offers: &'a [forge_engine::Offer]| offers.iter().map(Offer::from).collect();
        Self {
            commands: all(&offers.commands),
            modes: all(&offers.modes),
            mode: offers.mode.as_deref(),
            models: all(&offers.models),
            model: offers.model.as_deref(),
        }
    }
}
