//! Sounds for notifications, made of tones: a few lines in place of a few files.

use std::f64::consts::TAU;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::header;
use axum::http::request::Parts;
use axum::response::IntoResponse as _;
use forge_model::nearest;
use forge_model::preferences::SOUNDS;
use serde_json::json;

use super::envelope::Plain;
use super::problem::Problem;
use super::spec::{Draft, Input};

const SAMPLES_PER_SECOND: u32 = 22_050;
const LOUDNESS: f64 = 12_000.0;
/// A tone that begins or ends at once clicks.
const FADE: f64 = 0.02;

/// A sound, by its name.
pub(super) struct Sound(&'static str);

impl<S: Send + Sync> FromRequestParts<S> for Sound {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let params = RawPathParams::from_request_parts(parts, state).await;
        let name =
            params.iter().flatten().next().map(|(_, name)| name.to_ascii_uppercase()).unwrap_or_default();
        SOUNDS.iter().find(|known| **known == name).map(|known| Self(known)).ok_or_else(|| {
            let hint = match nearest(&name, SOUNDS.iter().copied()) {
                Some(meant) => format!("did you mean {meant}?"),
                None => format!("known sounds: {}", SOUNDS.join(", ")),
            };
            Problem::malformed("sound_unknown", "there is no such sound").hint(hint)
        })
    }
}

impl Input for Sound {
    fn describe(draft: &mut Draft<'_>) {
        draft.in_path(0, &json!({"type": "string", "enum": SOUNDS}));
    }
}

pub(super) async fn get(Sound(name): Sound) -> Plain {
    Plain(([(header::CONTENT_TYPE, "audio/wav")], wav(tones(name))).into_response())
}

/// Pitches in hertz, and how long each is held in seconds. No pitch is silence.
fn tones(name: &str) -> &'static [(f64, f64)] {
    match name {
        "ABSTRACT_SOUND1" => &[(523.3, 0.12), (784.0, 0.25)],
        "ABSTRACT_SOUND2" => &[(784.0, 0.12), (523.3, 0.25)],
        "ABSTRACT_SOUND3" => &[(659.3, 0.1), (659.3, 0.1), (880.0, 0.3)],
        "ABSTRACT_SOUND4" => &[(440.0, 0.1), (554.4, 0.1), (659.3, 0.1), (880.0, 0.3)],
        "GENIE_NOTIFY2" => &[(1174.7, 0.08), (880.0, 0.08), (1174.7, 0.3)],
        "PHONE_VIBRATION" => &[(155.0, 0.25), (0.0, 0.12), (155.0, 0.25)],
        _ => &[(880.0, 0.1), (1108.7, 0.1), (1318.5, 0.35)],
    }
}

/// One channel of 16 bits.
fn wav(tones: &[(f64, f64)]) -> Vec<u8> {
    let rate = f64::from(SAMPLES_PER_SECOND);
    let mut samples = Vec::new();
    for (pitch, seconds) in tones {
        let mut at = 0.0;
        while at < *seconds {
            let fade = (at / FADE).min((seconds - at) / FADE).clamp(0.0, 1.0);
            // No louder than 16 bits hold.
            let sample = ((TAU * pitch * at).sin() * fade * LOUDNESS) as i16;
            samples.extend(sample.to_le_bytes());
            at += 1.0 / rate;
        }
    }
    let length = u32::try_from(samples.len()).unwrap_or_default();
    let mut file = Vec::with_capacity(samples.len() + 44);
    file.extend(b"RIFF");
    file.extend((length + 36).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16_u32.to_le_bytes());
    file.extend(1_u16.to_le_bytes());
    file.extend(1_u16.to_le_bytes());
    file.extend(SAMPLES_PER_SECOND.to_le_bytes());
    file.extend((SAMPLES_PER_SECOND * 2).to_le_bytes());
    file.extend(2_u16.to_le_bytes());
    file.extend(16_u16.to_le_bytes());
    file.extend(b"data");
    file.extend(length.to_le_bytes());
    file.extend(samples);
    file
}
