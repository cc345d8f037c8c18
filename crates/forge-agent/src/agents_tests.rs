use serde_json::{Value, json};

use super::*;
use crate::manner::Protocol;
use crate::profiles::Settings;
use crate::turn::{Approvals, Turn};

fn settings(value: Value) -> Settings {
    serde_json::from_value(value).unwrap()
}

fn described(text: &str) -> Result<Agents, BadAgent> {
    Agents::with(toml::from_str(text).unwrap())
}

#[test]
fn every_built_in_description_can_be_read_and_is_sound() {
    for (name, text) in BUILT_IN {
        let read: Result<Agent, _> = toml::from_str(text);
        let mut agent = Agent::named(name.to_owned(), read.unwrap_or_else(|error| panic!("{name}: {error}")));
        assert_eq!(agent.check(), Ok(()), "{name}");
        assert!(agent.docs.is_some() && agent.login.how.is_some(), "{name}");
        let asks = agent.meaning(&agent.variants["GENIE"]).approvals;
        let asks_not = agent.meaning(&agent.variants["ALLOW_ALL"]).approvals;
        assert_eq!((asks, asks_not), (Approvals::Ask, Approvals::Auto), "{name}");
    }
    assert_eq!(Agents::built_in().unwrap().all().len(), BUILT_IN.len());
}

#[test]
fn every_spelling_finds_its_executor_and_a_slip_is_told() {
    let agents = Agents::built_in().unwrap();
    for name in ["CURSOR_AGENT", "cursor", "cursor-agent", " Cursor Agent "] {
        assert_eq!(agents.find(name).unwrap().name, "CURSOR_AGENT", "{name}");
    }
    assert_eq!(agents.find("gemni").unwrap_err().hint, "did you mean GEMINI?");
    assert!(agents.find("EMACS_DOCTOR").unwrap_err().hint.contains("CLAUDE_CODE, AMP"));
    agents.find("").unwrap_err();
}

#[test]
fn a_turn_names_the_conversation_it_resumes_and_how_permissions_are_decided() {
    let agents = Agents::built_in().unwrap();
    let claude = agents.find("CLAUDE_CODE").unwrap();
    let mut turn = Turn::new(Protocol::Claude, "hello");
    let first = claude.arguments(&turn);
    assert!(first.ends_with(&["--permission-mode".into(), "acceptEdits".into()]), "{first:?}");
    turn.resume = Some("abc".into());
    turn.approvals = Approvals::Ask;
    let resumed = claude.arguments(&turn);
    let expected = ["default", "--resume", "abc", "--fork-session"];
    assert!(resumed.ends_with(&expected.map(Into::into)), "{resumed:?}");

    let meaning = claude.meaning(&settings(
        json!({"plan": true, "model": "opus", "additional_params": ["--add-dir", "a b"]}),
    ));
    assert!(meaning.args.ends_with(&["--add-dir".into(), "a b".into()]), "{:?}", meaning.args);
    turn.settings = meaning.settings;
    let planned = claude.arguments(&turn);
    let expected = ["plan", "--model", "opus", "--resume", "abc", "--fork-session"];
    assert!(planned.ends_with(&expected.map(Into::into)), "{planned:?}");
}

#[test]
fn settings_become_arguments_variables_model_and_mode_as_the_description_says() {
    let agents = Agents::built_in().unwrap();
    let meaning = |name: &str, value| agents.find(name).unwrap().meaning(&settings(value));
    let flash = meaning("GEMINI", json!({"model": "flash", "yolo": true}));
    assert_eq!(flash.args, ["--model", "gemini-2.5-flash"]);
    assert_eq!(flash.approvals, Approvals::Auto);
    assert_eq!(flash.settings, settings(json!({"yolo": true})));
    assert!(meaning("GEMINI", json!({"model": "default"})).args.is_empty());

    let copilot = meaning("COPILOT", json!({"add_dir": ["/a", "/b c"], "model": null, "env": {"A": "1"}}));
    assert_eq!(copilot.args, ["--add-dir", "/a", "--add-dir", "/b c"]);
    assert_eq!(copilot.env["A"], "1");
    assert_eq!(copilot.env["COPILOT_AUTO_UPDATE"], "false");

    let opencode = meaning("OPENCODE", json!({"model": "x/y", "agent": "plan", "append_prompt": "be brief"}));
    assert_eq!((opencode.model.as_deref(), opencode.mode.as_deref()), (Some("x/y"), Some("plan")));
    assert_eq!(opencode.preface.as_deref(), Some("be brief"));
    assert!(opencode.env["OPENCODE_PERMISSION"].contains("ask"));
    assert!(!meaning("OPENCODE", json!({"allow_all": true})).env.contains_key("OPENCODE_PERMISSION"));

    let codex = meaning("CODEX", json!({"oss": true, "additional_params": ["--x"]}));
    assert_eq!(codex.args, ["--x"]);
    let turn = Turn { settings: codex.settings, ..Turn::new(Protocol::Codex, "hi") };
    assert_eq!(agents.find("CODEX").unwrap().arguments(&turn), ["--oss", "app-server"]);
}

/// Every agent that has a switch for the programs of a repository, with its effect when off and when on.
#[test]
fn repository_settings_are_off_unless_set() {
    let agents = Agents::built_in().unwrap();
    let meaning = |name: &str, value| agents.find(name).unwrap().meaning(&settings(value));
    let on = || json!({"repository_settings": true});
    for off in [json!({}), json!({"repository_settings": false}), json!({"repository_settings": null})] {
        let claude = meaning("CLAUDE_CODE", off.clone());
        assert_eq!(claude.args, ["--setting-sources=user", "--add-dir=."]);
        assert_eq!(claude.env["CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"], "1");
        assert_eq!(meaning("GEMINI", off.clone()).env["GEMINI_CLI_TRUST_WORKSPACE"], "false");
        assert_eq!(meaning("QWEN_CODE", off.clone()).args, ["--safe-mode"]);
        assert_eq!(meaning("OPENCODE", off.clone()).env["OPENCODE_DISABLE_PROJECT_CONFIG"], "1");
        assert_eq!(meaning("KILO", off).env["KILO_DISABLE_PROJECT_CONFIG"], "1");
    }
    let claude = meaning("CLAUDE_CODE", on());
    assert_eq!((claude.args.len(), claude.env.len(), claude.settings.len()), (0, 0, 0));
    assert_eq!(meaning("GEMINI", on()).env["GEMINI_CLI_TRUST_WORKSPACE"], "true");
    assert!(meaning("QWEN_CODE", on()).args.is_empty());
    assert!(!meaning("OPENCODE", on()).env.contains_key("OPENCODE_DISABLE_PROJECT_CONFIG"));
    assert!(!meaning("KILO", on()).env.contains_key("KILO_DISABLE_PROJECT_CONFIG"));
    for agent in agents.all() {
        for (variant, settings) in &agent.variants {
            assert!(!settings.contains_key("repository_settings"), "{}:{variant}", agent.name);
        }
    }
}

#[test]
fn preface_names_first_existing_instruction_file() {
    let agents = Agents::built_in().unwrap();
    let of = |name: &str, value| agents.find(name).unwrap().meaning(&settings(value));
    let folder = tempfile::tempdir().unwrap();
    let opencode = of("OPENCODE", json!({"append_prompt": "Be brief."}));
    assert_eq!(opencode.preface_in(folder.path()).as_deref(), Some("Be brief."));
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("AGENTS.md")).unwrap();
    std::fs::write(folder.path().join("CLAUDE.md"), "x").unwrap();
    let preface = opencode.preface_in(folder.path()).unwrap();
    assert_eq!(
        preface,
        "Be brief.\n\nFirst read `CLAUDE.md` in the top folder of the repository, and follow its instructions."
    );
    assert_eq!(of("OPENCODE", json!({"repository_settings": true})).preface_in(folder.path()), None);
    assert_eq!(of("CLAUDE_CODE", json!({})).preface_in(folder.path()), None);
}

#[test]
fn a_user_describes_an_agent_in_three_lines() {
    let agents =
        described("[My-Agent]\nmanner.protocol = 'acp'\nprogram.command = ['my-agent', 'acp']\n").unwrap();
    let mine = agents.find("my_agent").unwrap();
    assert_eq!((mine.name.as_str(), mine.title.as_str()), ("MY_AGENT", "MY_AGENT"));
    assert_eq!(mine.arguments(&Turn::new(Protocol::Acp, "hi")), ["acp"]);
    assert_eq!(mine.meaning(&settings(json!({"model": "m"}))).model.as_deref(), Some("m"));
    assert_eq!(mine.meaning(&mine.variants["GENIE"]).approvals, Approvals::Ask);
    assert_eq!(mine.meaning(&mine.variants["ALLOW_ALL"]).approvals, Approvals::Auto);

    let plain = described(
        "[TOOL]\nmanner.protocol = 'lines'\nprogram.command = ['tool', '-p', '{prompt}']\nprogram.resume = ['--resume', '{}']",
    );
    let turn = Turn { resume: Some("7".into()), ..Turn::new(Protocol::Lines, "do it") };
    assert_eq!(plain.unwrap().find("TOOL").unwrap().arguments(&turn), ["-p", "do it", "--resume", "7"]);
}

#[test]
fn what_is_wrong_with_a_users_agent_is_said() {
    let of = |name: &str, rest: &str| {
        let bad = described(&format!("[{name}]\nmanner.protocol = 'acp'\n{rest}")).unwrap_err();
        format!("{bad}; {}", bad.hint)
    };
    let cases = [
        (
            of("GEMINI", "program.command = ['x']"),
            "has a name of GEMINI; choose another name; to run another program",
        ),
        (of("cursor", "program.command = ['x']"), "has a name of CURSOR_AGENT"),
        (of("'a/b'", "program.command = ['x']"), "name it with letters"),
        (of("X", "program.command = []"), "has no program; write program.command"),
        (of("X", "program.command = ['x']\nsettings.a.kind = 'one_of'"), "`a` that has no words"),
        (
            of("X", "program.command = ['x']\nvariants.V.mdel = 'a'"),
            "variant V, where `mdel` has to be a setting",
        ),
        (of("X", "program.command = ['x']\nvariants.V.model = 1"), "`model` has to be text"),
    ];
    for (told, expected) in cases {
        assert!(told.contains(expected), "{told}");
    }
    let bad =
        described("[X]\nmanner.protocol = 'lines'\nprogram.command = ['x']\nmanner.lines.like = 'emacs'")
            .unwrap_err();
    assert!(bad.to_string().contains("`emacs`, which nobody knows"), "{bad}");
}

#[test]
fn a_plain_command_hears_its_prompt_where_it_has_a_place_for_it() {
    let own = |text: &str| Agents::with(toml::from_str(text).unwrap());
    let hears = |command: &str| {
        let text = format!("[MINE]\nmanner.protocol = \"lines\"\nprogram.command = {command}");
        own(&text).unwrap().find("MINE").unwrap().manner.lines.stdin
    };
    assert!(hears(r#"["mine"]"#));
    assert!(!hears(r#"["mine", "--prompt={prompt}"]"#));
    let text = "[MINE]\nmanner = { protocol = \"lines\", lines = { like = \"emacs\" } }\nprogram.command = [\"mine\"]";
    let refused = own(text).unwrap_err();
    assert!(refused.hint.contains("codex, copilot"), "{refused:?}");
}
