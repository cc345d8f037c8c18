//! The machine that the server runs on, as people know it.

/// What the machine is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The system, such as `Debian GNU/Linux` or `macos`.
    pub system: String,
    /// The system's version; empty where it is not told.
    pub version: String,
    /// The processor, such as `x86_64`.
    pub architecture: &'static str,
    /// How wide its addresses are.
    pub bits: u32,
}

/// What this machine is.
#[must_use]
pub fn machine() -> Machine {
    let told = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    Machine {
        system: field(&told, "NAME").unwrap_or_else(|| std::env::consts::OS.to_owned()),
        version: field(&told, "VERSION_ID").unwrap_or_default(),
        architecture: std::env::consts::ARCH,
        bits: usize::BITS,
    }
}

fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))?;
    Some(line.trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let text = "PRETTY_NAME=\"X 12\"\nNAME=\"X\"\nVERSION_ID=12\n";
        assert_eq!(field(text, "NAME").as_deref(), Some("X"));
        assert_eq!(field(text, "VERSION_ID").as_deref(), Some("12"));
        assert_eq!(field(text, "VERSION"), None);
    }
}
