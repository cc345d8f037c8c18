//! `GET /metrics`: what the server has counted, as Prometheus reads it.

use std::fmt::Display;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse as _;
use forge_engine::{Engine, Measured};

use super::envelope::Plain;

pub(super) async fn metrics(State(engine): State<Engine>) -> Plain {
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Plain((kind, print(&engine.measured(), &Own::read())).into_response())
}

/// What the system says about this process; nothing where it does not say.
#[derive(Default)]
struct Own {
    resident_bytes: Option<u64>,
    open_files: Option<u64>,
    threads: Option<u64>,
}

impl Own {
    /// Small files that never leave memory: read where they are asked for.
    fn read() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        Self {
            resident_bytes: field("VmRSS:").map(|kib| kib * 1024),
            // One of them is the listing itself.
            open_files: std::fs::read_dir("/proc/self/fd")
                .ok()
                .map(|list| (list.count() as u64).saturating_sub(1)),
            threads: field("Threads:"),
        }
    }
}

fn print(measured: &Measured, own: &Own) -> String {
    let mut text = Text::default();
    text.family("forge_build_info", "gauge", "The version that runs; always 1.");
    text.value("forge_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);

    let name = "forge_start_phase_seconds";
    text.family(name, "histogram", "How long each part of starting an attempt took.");
    for (phase, took) in &measured.start_phases {
        let (bucket, label) = (format!("{name}_bucket"), ("phase", *phase));
        for (bound, count) in &took.within {
            text.value(&bucket, &[label, ("le", &bound.to_string())], count);
        }
        text.value(&bucket, &[label, ("le", "+Inf")], took.count);
        text.value(&format!("{name}_sum"), &[label], took.sum);
        text.value(&format!("{name}_count"), &[label], took.count);
    }
    text.family("forge_starts_total", "counter", "Starts of attempts, by what they came to.");
    text.value("forge_starts_total", &[("result", "ok")], measured.started);
    for (code, count) in &measured.not_started {
        text.value("forge_starts_total", &[("result", code)], count);
    }

    text.one("forge_attempts_running", "gauge", "Attempts that run.", measured.attempts_running);
    text.one(
        "forge_attempts_queued",
        "gauge",
        "Attempts that wait for room to run.",
        measured.attempts_queued,
    );
    text.one("forge_hosts", "gauge", "Processes that run, each with a host of its own.", measured.hosts);
    text.one("forge_event_head", "counter", "Place of the newest event.", measured.event_head);
    let lag = "How many events the slowest open reader is behind.";
    text.one("forge_event_reader_lag", "gauge", lag, measured.event_lag);
    text.family("forge_streams_open", "gauge", "Streams that clients have open.");
    for (kind, open) in &measured.streams {
        text.value("forge_streams_open", &[("kind", kind)], open);
    }
    let sent = "Bytes sent on streams of output.";
    text.one("forge_log_stream_bytes_total", "counter", sent, measured.log_bytes);
    text.one("forge_logs_compressed_total", "counter", "Logs that were compressed.", measured.compressed);
    text.one(
        "forge_transcripts_stored_total",
        "counter",
        "Transcripts that were stored.",
        measured.transcripts,
    );
    text.family("forge_tokens_total", "counter", "Tokens of turns that ended since the start, by kind.");
    let used = &measured.used;
    let kinds =
        [("input", used.input_tokens), ("cached", used.cached_tokens), ("output", used.output_tokens)];
    for (kind, count) in kinds {
        text.value("forge_tokens_total", &[("kind", kind)], count);
    }
    let cost = used.cost_micros.unwrap_or_default() as f64 / 1e6;
    text.one("forge_cost_dollars_total", "counter", "What those turns cost, where agents say.", cost);

    store(&mut text, measured);
    let own = [
        ("forge_process_resident_bytes", "Memory that the server holds.", own.resident_bytes),
        ("forge_process_open_files", "Files and sockets that the server has open.", own.open_files),
        ("forge_process_threads", "Threads of the server.", own.threads),
    ];
    for (name, help, value) in own {
        if let Some(value) = value {
            text.one(name, "gauge", help, value);
        }
    }
    text.0
}

/// The database, as the store sees it.
fn store(text: &mut Text, measured: &Measured) {
    let store = &measured.store;
    let pruned = "Events that were forgotten because they were old.";
    text.one("forge_events_pruned_total", "counter", pruned, measured.events_pruned);
    text.one(
        "forge_store_writes_total",
        "counter",
        "Changes asked of the database, kept or not.",
        store.writes,
    );
    text.family("forge_store_write_failures_total", "counter", "Those that failed, by why.");
    let refused = store.failed.saturating_sub(store.busy + store.away);
    for (why, count) in [("refused", refused), ("busy", store.busy), ("away", store.away)] {
        text.value("forge_store_write_failures_total", &[("why", why)], count);
    }
    let (wait, work) = ("forge_store_write_wait_seconds", "forge_store_transaction_seconds");
    text.family(wait, "summary", "How long changes stood in the queue.");
    text.value(&format!("{wait}_sum"), &[], store.waited.as_secs_f64());
    text.value(&format!("{wait}_count"), &[], store.writes);
    text.family(work, "summary", "How long transactions took; changes that wait share one.");
    text.value(&format!("{work}_sum"), &[], store.worked.as_secs_f64());
    text.value(&format!("{work}_count"), &[], store.commits);
    text.one("forge_store_reads_total", "counter", "Times that something was read.", store.reads);
    text.family("forge_store_readers", "gauge", "Connections for reading, by what they do.");
    text.value("forge_store_readers", &[("state", "busy")], store.readers_busy);
    text.value(
        "forge_store_readers",
        &[("state", "idle")],
        store.readers_open.saturating_sub(store.readers_busy),
    );
}

/// The text, line by line. Names, labels and their values are words of this program and need no escape.
#[derive(Default)]
struct Text(String);

impl Text {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.0.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
    }

    fn value(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        if !labels.is_empty() {
            let labels: Vec<_> = labels.iter().map(|(label, of)| format!("{label}=\"{of}\"")).collect();
            self.0.push_str(&format!("{{{}}}", labels.join(",")));
        }
        self.0.push_str(&format!(" {value}\n"));
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.family(name, kind, help);
        self.value(name, &[], value);
    }
}
