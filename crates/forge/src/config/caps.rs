//! The caps of the configuration file, read into numbers.

use std::num::NonZeroU64;

use forge_engine::Caps;

use super::file::CapsSection;
use crate::error::Error;

/// Less than this runs no program.
const LEAST_MEMORY: f64 = 1024.0 * 1024.0;

pub(super) fn read(section: CapsSection) -> Result<Caps, Error> {
    let wrong = |name, value: String, expected| Error::Setting { name, value, expected };
    let memory = section.memory.map(|text| {
        let bytes = bytes(&text).filter(|bytes| *bytes >= LEAST_MEMORY);
        bytes.ok_or_else(|| wrong("caps.memory", text, "a size of 1 MiB or more, such as \"4 GiB\""))
    });
    let cpus = section.cpus.map(|cpus| {
        let fits = (0.01..=10_000.0).contains(&cpus);
        fits.then_some(cpus)
            .ok_or_else(|| wrong("caps.cpus", cpus.to_string(), "a number such as 2.0 or 0.5"))
    });
    Ok(Caps {
        memory: memory.transpose()?.map(whole),
        processes: section.processes.map(NonZeroU64::get),
        cpu_millis: cpus.transpose()?.map(|cpus| whole(cpus * 1000.0)),
        cgroup: section.cgroup,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be positive; what is beyond all memory stays at the most there is"
)]
const fn whole(number: f64) -> u64 {
    number.round() as u64
}

fn bytes(text: &str) -> Option<f64> {
    let text = text.trim();
    let unit_at = text.find(|sign: char| sign.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(unit_at)?;
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kib" | "k" => 1024.0,
        "mib" | "m" => 1024.0 * 1024.0,
        "gib" | "g" => 1024.0 * 1024.0 * 1024.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        _ => return None,
    };
    let number: f64 = number.trim().parse().ok()?;
    number.is_finite().then_some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(memory: &str, cpus: f64) -> CapsSection {
        CapsSection { memory: Some(memory.into()), cpus: Some(cpus), ..CapsSection::default() }
    }

    #[test]
    fn sizes_are_read_with_their_units() {
        for (text, expected) in [
            ("4 GiB", 4 << 30),
            ("1.5GiB", 3 << 29),
            ("512MiB", 512 << 20),
            ("2 GB", 2_000_000_000),
            ("2097152", 2 << 20),
        ] {
            let caps = read(section(text, 2.0)).unwrap();
            assert_eq!((caps.memory, caps.cpu_millis), (Some(expected), Some(2_000)), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_or_too_small_is_refused() {
        for text in ["", "lots", "4 GiBi", "-1 GiB", "10 KiB", "inf GiB", "NaN"] {
            assert!(matches!(read(section(text, 2.0)), Err(Error::Setting { .. })), "{text}");
        }
        for cpus in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(read(section("1 GiB", cpus)), Err(Error::Setting { .. })), "{cpus}");
        }
    }
}
