//! `forge doctor`: whether this machine has what Forge needs, and what to do where it has not.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use forge_engine::doctor::{Check, Verdict, examine};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::config::{Config, ServeArgs};
use crate::error::Error;

/// How long a server may take to say that it is there.
const ANSWER: Duration = Duration::from_secs(5);

/// The flags of `forge doctor`: those of the server that it looks ahead to, and how to print.
#[derive(Debug, clap::Args)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    serve: ServeArgs,
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Says how everything is. Fails when something would keep Forge from running.
pub(super) async fn doctor(args: DoctorArgs) -> Result<(), Error> {
    let config = Config::load(args.serve)?;
    let own_program = std::env::current_exe().map_err(|source| Error::Start { source })?;
    let mut checks = examine(&config.engine_options(String::new(), &own_program)).await;
    checks.push(server(&config).await);
    checks.push(port(&config).await);
    let failed = checks.iter().filter(|check| check.verdict == Verdict::Fail).count();
    if args.json {
        super::say(json!({ "ok": failed == 0, "checks": checks.iter().map(wire).collect::<Vec<_>>() }));
    } else {
        checks.iter().for_each(print);
    }
    if failed == 0 { Ok(()) } else { Err(Error::Unfit { failed }) }
}

/// The server that has the data folder, if one runs.
async fn server(config: &Config) -> Check {
    let name = "server";
    let Some(port) = served_port(config) else {
        return Check::ok(name, "none runs on this data folder");
    };
    match ask(port).await {
        Some(version) if version == env!("CARGO_PKG_VERSION") => {
            Check::ok(name, format!("version {version} runs on port {port}"))
        }
        Some(version) => Check::warn(
            name,
            format!("version {version} runs on port {port}; this is {}", env!("CARGO_PKG_VERSION")),
            "restart it to use this version; agents go on meanwhile",
        ),
        None => Check::warn(
            name,
            format!("none answers on port {port}, which {} names", port_file(config).display()),
            "it was killed or is stuck: start it again, and it goes on with everything",
        ),
    }
}

/// The port that the server of the data folder wrote down.
fn served_port(config: &Config) -> Option<u16> {
    std::fs::read_to_string(port_file(config)).ok()?.trim().parse().ok()
}

fn port_file(config: &Config) -> PathBuf {
    config.data.join("port")
}

/// Whether the next server could listen.
async fn port(config: &Config) -> Check {
    let (name, port) = ("port", config.port);
    let host = config.host.trim_start_matches('[').trim_end_matches(']');
    match TcpListener::bind((host, port)).await {
        Ok(_free) => Check::ok(name, format!("{port} on {host} is free")),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            let version = ask(port).await;
            match version {
                Some(version) if served_port(config) == Some(port) => {
                    Check::ok(name, format!("{port} is taken by Forge {version}"))
                }
                // The next server could not listen either way.
                other => {
                    let who = other.map_or_else(
                        || "another program".to_owned(),
                        |version| format!("Forge {version} with another data folder"),
                    );
                    let hint = "choose another with --port (0 picks a free one), or end that program";
                    Check::fail(name, format!("{port} on {host} is taken by {who}"), hint)
                }
            }
        }
        Err(error) => {
            Check::fail(name, format!("{host} cannot be listened on: {error}"), "choose another with --host")
        }
    }
}

/// The version of the Forge that answers on this machine's port, if one does.
async fn ask(port: u16) -> Option<String> {
    let client = reqwest::Client::builder().no_proxy().timeout(ANSWER).build().ok()?;
    let answer = client.get(format!("http://127.0.0.1:{port}/health")).send().await.ok()?;
    let body: Value = answer.json().await.ok()?;
    let is_forge = body.get("service").and_then(Value::as_str) == Some("forge-app");
    body.get("version").and_then(Value::as_str).filter(|_| is_forge).map(str::to_owned)
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "ok",
        Verdict::Warn => "warn",
        Verdict::Fail => "fail",
    }
}

fn wire(check: &Check) -> Value {
    json!({
        "name": check.name,
        "verdict": word(check.verdict),
        "found": check.found,
        "hint": check.hint,
    })
}

fn print(check: &Check) {
    super::say(format_args!("{:<5} {:<12} {}", word(check.verdict), check.name, check.found));
    if let Some(hint) = &check.hint {
        super::say(format_args!("{:<18} -> {hint}", ""));
    }
}
