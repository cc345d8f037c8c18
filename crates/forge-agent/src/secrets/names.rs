//! Decides which environment variables hold secrets, by their names and by their values.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::mcp::is_secret;

/// Words of a name that say so, beside those that [`is_secret`] finds anywhere in it.
const WORDS: [&str; 18] = [
    "auth",
    "bearer",
    "cookie",
    "cred",
    "creds",
    "dsn",
    "jwt",
    "key",
    "keys",
    "pass",
    "passphrase",
    "pat",
    "private",
    "pw",
    "pwd",
    "sid",
    "sk",
    "webhook",
];

/// Services whose address carries the password.
const SERVICES: [&str; 14] = [
    "amqp",
    "broker",
    "celery",
    "database",
    "db",
    "elasticsearch",
    "mongo",
    "mongodb",
    "mysql",
    "pg",
    "postgres",
    "postgresql",
    "rabbitmq",
    "redis",
];

/// How well-known keys begin, whatever the variable is called.
const PREFIXES: [&str; 24] = [
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "npm_",
    "pypi-",
    "hf_",
    "dop_v1_",
    "SG.",
];

/// Settings rather than secrets, even where the name says otherwise.
const PLAIN: [&str; 10] = [
    "default",
    "disabled",
    "enabled",
    "ask-pass",
    "interactive",
    "keychain",
    "keyring",
    "optional",
    "prompt",
    "required",
];

/// Variables of the shell that sound like secrets.
const SHELL: [&str; 2] = ["PWD", "OLDPWD"];

/// Words of a name whose number is a setting: `MAX_OUTPUT_TOKENS`, `SESSION_KEY_TTL`.
const AMOUNTS: [&str; 12] = [
    "budget", "count", "length", "limit", "max", "min", "port", "seconds", "size", "timeout", "tokens", "ttl",
];

/// Whether a variable must not be written to a file, which is so even for the path of a secret.
pub(crate) fn is_unwritten(name: &OsStr, value: &OsStr) -> bool {
    name.to_str().is_some_and(|name| names_secret(name) || holds_secret(name, value.as_bytes()))
}

/// Whether a variable holds a secret. One that names a file does not: the file does.
pub(super) fn holds_secret(name: &str, value: &[u8]) -> bool {
    let is_plain = PLAIN.iter().any(|plain| value.eq_ignore_ascii_case(plain.as_bytes()));
    if is_path(value) || is_plain || SHELL.contains(&name) || is_amount(name, value) {
        return false;
    }
    names_secret(name) || looks_secret(value)
}

/// Whether a variable of this name holds a secret, whatever its value is.
fn names_secret(name: &str) -> bool {
    if is_secret(name) {
        return true;
    }
    let lower = name.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(|char: char| !char.is_ascii_alphanumeric()).collect();
    if words.contains(&"public") {
        return false;
    }
    let is_address = words.iter().any(|word| matches!(*word, "url" | "uri" | "address"));
    words.iter().any(|word| WORDS.contains(word))
        || lower.contains("connection_string")
        || (is_address && words.iter().any(|word| SERVICES.contains(word)))
}

/// Whether a variable is a number that its name calls an amount.
fn is_amount(name: &str, value: &[u8]) -> bool {
    let is_number = value.len() <= 12 && value.iter().all(u8::is_ascii_digit);
    let lower = name.to_ascii_lowercase();
    is_number && lower.split('_').any(|word| AMOUNTS.contains(&word))
}

/// Whether a value is a key or an address with a password.
fn looks_secret(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let text = text.trim();
    let is_word = !text.contains(char::is_whitespace);
    has_known_key(text)
        || (is_word && text.starts_with("eyJ") && text.split('.').count() == 3)
        || (text.starts_with("-----BEGIN ") && text.contains("PRIVATE KEY"))
        || has_password(text)
        || has_secret_field(text)
}

/// A well-known key, also inside an address or among arguments.
fn has_known_key(text: &str) -> bool {
    let words = text.split(|char: char| char.is_whitespace() || "=:@,;?&\"'".contains(char));
    // `https://…@host`. Paths may have folders that are called like keys.
    let words = words.map(|word| word.strip_prefix("//").unwrap_or(word));
    let mut long = words.filter(|word| word.len() >= 16 && !word.contains('/'));
    long.any(|word| PREFIXES.iter().any(|prefix| word.starts_with(prefix)))
}

/// `?user=me&password=…` of an address, `Account=me;AccountKey=…` of a connection.
fn has_secret_field(text: &str) -> bool {
    let mut fields = text.split(['?', '&', ';']).filter_map(|field| field.split_once('='));
    let is_list = text.contains(['?', '&', ';']);
    let named = |name: &str| names_secret(name) || name.to_ascii_lowercase().ends_with("key");
    is_list && fields.any(|(name, value)| !value.is_empty() && named(name.trim()))
}

/// `scheme://user:password@host`.
fn has_password(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let user = authority.rsplit_once('@').map(|(user, _)| user);
    user.and_then(|user| user.split_once(':')).is_some_and(|(_, password)| !password.is_empty())
}

/// A key in base64 may begin with a slash too, so a path has to exist, or to end like a file.
fn is_path(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let path = Path::new(text);
    path.is_absolute() && (path.extension().is_some() || path.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_with_secrets_are_found_by_name() {
        for name in [
            "ANTHROPIC_API_KEY",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_ACCESS_KEY_ID",
            "GH_PAT",
            "PGPASSWORD",
            "MYSQL_PWD",
            "DATABASE_DSN",
            "OPENAI_KEY",
            "SSH_PRIVATE_KEY",
            "SLACK_WEBHOOK_URL",
            "SENTRY_DSN",
            "NPM_AUTH",
            "SESSION_KEY",
            "ENCRYPTION_KEY",
            "REDIS_URL",
            "AZURE_STORAGE_CONNECTION_STRING",
            "STRIPE_SK",
            "DOCKER_AUTH_CONFIG",
            "TWILIO_SID",
            "SHORT_TOKEN",
            "DB_PASS",
            "SMTP_PW",
            "MONGO_URI",
            "GPG_PASSPHRASE",
        ] {
            assert!(holds_secret(name, b"V-9f8e7d6c5b4a"), "{name}");
        }
        for name in [
            "PATH",
            "HOME",
            "LANG",
            "TERM",
            "KEYBOARD_LAYOUT",
            "XDG_SESSION_ID",
            "MONKEY",
            "PUBLIC_KEY",
            "FORGE_API_URL",
            "HTTP_PROXY_HOST",
            "COMPASS",
            "AUTHOR",
        ] {
            assert!(!holds_secret(name, b"V-9f8e7d6c5b4a"), "{name}");
        }
        for (name, value) in [
            ("SSH_AUTH_SOCK", "/tmp/ssh.sock"),
            ("SSH_AUTH_SOCK", "/"),
            ("AUTH", "required"),
            ("GOOGLE_CREDENTIALS", "/home/me/key.json"),
        ] {
            assert!(!holds_secret(name, value.as_bytes()), "{name}={value}");
        }
        assert!(holds_secret("AWS_SECRET_ACCESS_KEY", b"/wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEYx"));
    }

    #[test]
    fn ordinary_variables_are_not_secrets() {
        for (name, value) in [
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("PWD", "/work/a deleted folder"),
            ("OLDPWD", "/work/a deleted folder"),
            ("EDITOR", "code --wait"),
            ("GIT_ASKPASS", "/usr/bin/ssh-askpass"),
            ("SHELL", "/bin/bash"),
            ("ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
            ("HTTPS_PROXY", "http://proxy.example:3128"),
            ("CLAUDE_CODE_MAX_OUTPUT_TOKENS", "128000"),
            ("MAX_THINKING_TOKENS", "1000000"),
            ("SESSION_KEY_TTL", "86400000"),
            ("XDG_SESSION_ID", "c2-12345"),
            ("LS_COLORS", "rs=0:di=01;34:ln=01;36"),
        ] {
            assert!(!holds_secret(name, value.as_bytes()), "{name}={value}");
        }
        for (name, value) in
            [("PGPASSWORD", "12345678"), ("MAX_TOKEN", "a1b2c3d4e5f6"), ("PIN_TOKEN", "123456")]
        {
            assert!(holds_secret(name, value.as_bytes()), "{name}={value}");
        }
    }

    #[test]
    fn variables_with_secrets_are_found_by_value() {
        for value in [
            "ghp_0123456789abcdefghij",
            "sk-ant-0123456789abcdef",
            "eyJhbGciOiJIUzI1NiJ9.e30.abcdefghijk",
            "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n",
            "https://me:s3cret@example.org/x",
            "https://ghp_0123456789abcdefghij@example.org/x.git",
            "--token sk-ant-0123456789abcdef",
            "jdbc:postgresql://db/x?user=me&password=s3cret",
            "AccountName=me;AccountKey=aGVsbG8gd29ybGQ=;EndpointSuffix=x",
        ] {
            assert!(holds_secret("WHATEVER", value.as_bytes()), "{value}");
        }
        for value in [
            "https://example.org/a:b@c",
            "sk-short",
            "npm_config",
            "https://me@example.org",
            "eyJ.x",
            "https://example.org/?page=2&sort=key",
            "/home/me/npm_global_packages/bin:/usr/bin",
        ] {
            assert!(!holds_secret("WHATEVER", value.as_bytes()), "{value}");
        }
    }
}
