//! Keys: with the program, and in nothing that its host writes down.

use forge_agent::host::Spec;
use forge_agent::log::Stream;
use forge_agent::secrets::SecretKeys;

use crate::host_kit::{sh, start};

const KEY: &str = "key-0123456789abcdef";

fn keys() -> SecretKeys {
    let mut keys = SecretKeys::default();
    keys.add("FORGE_TOKEN", "token-of-the-server");
    keys
}

/// The text with a word in the place of the key.
fn has_word(text: &str, around: (&str, &str)) -> bool {
    let rest = text.split_once(&format!("{}[hidden ", around.0)).map(|(_, rest)| rest);
    rest.and_then(|rest| rest.split_once(']')).is_some_and(|(_, rest)| rest.starts_with(around.1))
}

#[tokio::test]
async fn a_key_is_hidden_over_the_border_of_chunks_and_in_both_directions() {
    let script = r#"
        printf 'x %s' "${MY_API_KEY%9abcdef}"; read -r line; printf '9abcdef y\n'
        [ "$line" = "say $MY_API_KEY" ] && echo same
        printf 'token-of-the-server' >&2
        env | grep -c FORGE_HOST_SECRETS
        printf 'key-01234'"#;
    let env = vec![("MY_API_KEY".into(), KEY.into())];
    let mut process = start(&Spec { env, secrets: keys(), ..sh(script) }).await;
    process.until("x ").await;
    assert_eq!(process.stdout(), "x ", "what may be a key is held back");
    process.connection.write(0, format!("say {KEY}\n").into_bytes()).await.unwrap();
    process.end().await;
    let stdout = process.stdout();
    assert!(has_word(&stdout, ("x ", " y\nsame\n0\nkey-01234")), "{stdout}");
    let stderr = String::from_utf8(process.bytes(Stream::Stderr)).unwrap();
    assert!(has_word(&stderr, ("", "")), "{stderr}");
    let told = String::from_utf8(process.bytes(Stream::Stdin)).unwrap();
    assert!(has_word(&told, ("say ", "\n")), "{told}");
    // The host's socket may still be there, and cannot be read.
    let is_file = |entry: &std::fs::DirEntry| entry.file_type().unwrap().is_file();
    for entry in std::fs::read_dir(&process.dir).unwrap().map(Result::unwrap).filter(is_file) {
        let path = entry.path();
        let bytes = std::fs::read(&path).unwrap();
        for secret in [KEY, "token-of-the-server"] {
            assert!(
                !bytes.windows(secret.len()).any(|window| window == secret.as_bytes()),
                "{}",
                path.display()
            );
        }
    }
}

#[tokio::test]
async fn what_the_log_named_is_put_back_in_what_the_program_is_told() {
    let script =
        r#"echo "it is $MY_API_KEY"; read -r line; [ "$line" = "so it is $MY_API_KEY" ] && echo same"#;
    let env = vec![("MY_API_KEY".into(), KEY.into())];
    let mut process = start(&Spec { env, ..sh(script) }).await;
    process.until("]\n").await;
    let repeated = format!("so {}", process.stdout());
    process.connection.write(0, repeated.clone().into_bytes()).await.unwrap();
    process.end().await;
    assert!(process.stdout().ends_with("same\n"), "{}", process.stdout());
    assert_eq!(process.bytes(Stream::Stdin), repeated.as_bytes());
}
