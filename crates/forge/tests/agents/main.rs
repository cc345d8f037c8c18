//! The real agent programs, each through the whole server, against a model that does what the prompt says.
//!
//! A plain `cargo nextest run` plays those of four agents; `make test-agents` plays all. Which program breaks what is
//! read off the tests' names: `codex::a_granted_permission_is_used`.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what goes wrong in a test fails it; JSON is looked into by name"
)]

mod crashes;
mod failures;
mod permissions;
mod place;
mod repository;
mod work;

/// The program under test.
const FORGE: &str = env!("CARGO_BIN_EXE_forge");

/// A module per agent, with a test per case in it.
macro_rules! agents {
    ($($name:ident = $agent:ident: $($group:ident)+;)+) => {
        $(mod $name {
            const AGENT: &forge_testkit::agents::Agent = &forge_testkit::agents::$agent;
            $(cases!($group);)+
        })+
    };
}

/// The cases of a group.
macro_rules! cases {
    (all) => {
        cases!(works);
        cases!(tells);
        cases!(counts);
        cases!(asks);
    };
    (works) => {
        cases!(work: it_edits_and_its_work_is_committed_and_told);
        cases!(work: a_follow_up_goes_on_with_the_conversation);
        cases!(work: another_program_takes_the_conversation_up);
        cases!(work: an_interrupt_ends_the_turn_and_the_conversation_goes_on);
        cases!(work: an_interrupt_ends_the_command_that_runs);
        cases!(work: a_stop_leaves_nothing_running_and_keeps_what_was_written);
        cases!(failures: a_refused_key_is_named);
        cases!(failures: a_failing_model_is_named);
        cases!(crashes: a_turn_goes_on_over_a_crash_of_the_server);
    };
    (tells) => {
        cases!(failures: a_cut_connection_is_named);
    };
    (switches) => {
        cases!(work: another_model_is_told_to_the_program_that_waits);
    };
    (counts) => {
        cases!(work: what_its_turns_used_up_is_counted);
    };
    (asks) => {
        cases!(permissions: a_denied_permission_leaves_everything_as_it_was);
        cases!(permissions: a_granted_permission_is_used);
        cases!(crashes: a_question_outlives_a_crash_of_the_server);
    };
    (guards) => {
        cases!(inert);
        cases!(repository: repository_programs_run_if_person_allows);
    };
    (inert) => {
        cases!(repository: repository_programs_do_not_run_by_default);
    };
    (points) => {
        cases!(repository: repository_instructions_are_named_by_default);
    };
    (instructs) => {
        cases!(repository: repository_instructions_are_read_by_default);
    };
    ($module:ident: $case:ident) => {
        #[tokio::test]
        async fn $case() {
            crate::$module::$case(AGENT).await;
        }
    };
}

agents! {
    claude = CLAUDE: all switches guards instructs;
    codex = CODEX: all switches guards points;
    goose = GOOSE: all inert instructs;
    gemini = GEMINI: all switches guards points;
    opencode = OPENCODE: all guards points;
    qwen = QWEN: all guards points;
    copilot = COPILOT: all inert;
    grok = GROK: all inert;
    vibe = VIBE: all;
    openhands = OPENHANDS: all;
    // After a cut this one tries again, in silence, for longer than a test can wait.
    kilo = KILO: works counts asks guards points;
    // These do not say what they use.
    cline = CLINE: works tells asks inert;
    droid = DROID: works tells asks inert;
    // Nor do these, and they take what came before a cut for the whole answer.
    kimi = KIMI: works asks inert instructs;
    // This one never asks, either.
    pi = PI: works inert instructs;
}
