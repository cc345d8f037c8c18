use std::fs;
use std::path::Path;

use forge_model::Profile;
use serde_json::json;

use crate::agents::Agents;
use crate::profiles::{Profiles, Settings};

fn put(repository: &Path, file: &str, text: &str) {
    let path = repository.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn project(files: &[(&str, &str)]) -> (Profiles, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let repository = folder.path().join("my-app");
    fs::create_dir(&repository).unwrap();
    for (file, text) in files {
        put(&repository, file, text);
    }
    let agents = Agents::built_in().unwrap();
    Profiles::built_in(&agents).of_project(&agents, &repository)
}

fn settings(profiles: &Profiles, profile: &str) -> Settings {
    let (executor, variant) = profile.split_once(':').unwrap();
    let profile = Profile { executor: executor.into(), variant: Some(variant.into()) };
    profiles.resolve(&Agents::built_in().unwrap(), &profile).unwrap().settings.clone()
}

#[test]
fn agents_of_a_repository_are_variants_under_their_long_and_short_names() {
    let implementor = "---\nname: implementor\ngenie: {executor: [CLAUDE_CODE, codex], background: true}\n\
        forge:\n  CLAUDE_CODE: {model: sonnet}\n  CODEX: {model_reasoning_effort: high}\nnew_key: 1\n---\nWrite code.\n";
    let (profiles, problems) = project(&[
        (".genie/agents/wish.md", "---\nname: wish\ngenie:\n  variant: PLAN\n---\nMake a wish.\n"),
        (".genie/agents/README.md", "not an agent"),
        (".genie/agents/old.md", "---\ndisabled: true\n---\nGone."),
        (".genie/neurons/forge.md", "---\nname: forge\nforge_profile_name: master-forge\n---\n"),
        (".genie/code/AGENTS.md", "---\nname: code\n---\n# House rules\n"),
        (".genie/code/agents/implementor.md", implementor),
        (".genie/code/agents/git/issue.md", "File an issue."),
        (".genie/spells/AGENTS.md", "x"),
        (".genie/spells/agents/magic.md", "x"),
        (".genie/loose/agents/alone.md", "no collective: there is no AGENTS.md"),
    ]);
    assert_eq!(problems, Vec::<String>::new());
    let names: Vec<String> = profiles
        .iter()
        .filter(|(executor, variant, _)| *executor == "CLAUDE_CODE" && variant.len() > 10)
        .map(|(_, variant, _)| variant.to_owned())
        .collect();
    assert_eq!(names, ["MASTER_FORGE", "MY_APP_CODE_IMPLEMENTOR", "MY_APP_CODE_ISSUE", "MY_APP_WISH"]);
    for name in ["MY_APP_CODE_IMPLEMENTOR", "code-implementor", "CODE_IMPLEMENTOR"] {
        let claude = settings(&profiles, &format!("CLAUDE_CODE:{name}"));
        assert_eq!(
            serde_json::Value::Object(claude),
            json!({"model": "sonnet", "append_prompt": "# House rules\n\n---\n\nWrite code."})
        );
    }
    let codex = settings(&profiles, "CODEX:CODE_IMPLEMENTOR");
    assert_eq!(
        (&codex["sandbox"], &codex["model_reasoning_effort"]),
        (&json!("workspace-write"), &json!("high"))
    );
    let wish = settings(&profiles, "CLAUDE_CODE:WISH_");
    assert_eq!((&wish["plan"], &wish["append_prompt"]), (&json!(true), &json!("Make a wish.")));
    for name in ["CODE_ISSUE", "CODE_GIT_ISSUE"] {
        assert_eq!(
            settings(&profiles, &format!("CLAUDE_CODE:{name}"))["append_prompt"],
            "# House rules\n\n---\n\nFile an issue."
        );
    }
    settings(&profiles, "CLAUDE_CODE:MY_APP_FORGE");
}

#[test]
fn a_file_that_cannot_be_is_told_and_left_out_and_the_others_are_not() {
    let (profiles, problems) = project(&[
        (".genie/agents/a.md", "---\nname: [\n---\n"),
        (".genie/agents/b.md", "---\nname: b\ngenie: {executor: CLAUD_CODE}\n---\n"),
        (".genie/agents/c.md", "---\nname: c\nforge: {model: x, CODEX: {model: y}}\n---\n"),
        (".genie/agents/d.md", "---\nname: d\nforge: {plan: maybe}\n---\n"),
        (".genie/agents/e.md", "---\nname: e\ngenie: {variant: NO_SUCH}\n---\n"),
        (".genie/agents/f.md", "---\nname: g\n---\n"),
        (".genie/agents/g.md", "---\nname: g\n---\n"),
        (".genie/agents/h.md", "---\nname: h\nforge: {base_command_override: evil}\n---\n"),
        (".forge/profiles.json", "{"),
    ]);
    let expected = [
        ".forge/profiles.json: not JSON: the error is at line 1",
        ".genie/agents/a.md: line 2: it has no end",
        "did you mean CLAUDE_CODE?",
        "mixes settings",
        ".genie/agents/g.md: .genie/agents/f.md is MY_APP_G already",
        ".genie/agents/d.md: CLAUDE_CODE: `CLAUDE_CODE.MY_APP_D.plan` has to be true or false",
        ".genie/agents/e.md: CLAUDE_CODE: there is no variant NO_SUCH",
        ".genie/agents/h.md: CLAUDE_CODE: `base_command_override` is left out: only a person's own",
    ];
    assert_eq!(problems.len(), expected.len(), "{problems:#?}");
    for (problem, expected) in problems.iter().zip(expected) {
        assert!(problem.contains(expected), "{problem}");
    }
    settings(&profiles, "CLAUDE_CODE:G");
}

#[test]
fn repository_adds_variants_and_weakens_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let agents = Agents::built_in().unwrap();
    // A person's own default runs the agent in a wrapper.
    let own = json!({"executors": {"CLAUDE_CODE": {"GENIE": {"CLAUDE_CODE": {
        "base_command_override": "my-sandbox claude", "additional_params": ["--disallowedTools", "Bash"],
        "env": {"HTTPS_PROXY": "http://audit:1"}, "append_prompt": "Mine.",
    }}}}});
    let person = Profiles::with_own(&agents, &own).unwrap();
    let file = json!({"executors": {
        "CLAUDE_CODE": {
            "GENIE": {"CLAUDE_CODE": {"model": "opus"}},
            "PLAN": {"CLAUDE_CODE": {"dangerously_skip_permissions": true}},
            "TEAM": {"CLAUDE_CODE": {
                "model": "opus", "append_prompt": "Ours.", "plan": true, "base_command_override": "evil",
                "additional_params": ["--y"], "env": {"A": "b"}, "dangerously_skip_permissions": true,
                "no_such_setting": 1,
            }},
        },
        "CODEX": {
            "GENIE": {"CODEX": {"sandbox": "danger-full-access"}},
            "TEAM": {"CODEX": {"sandbox": "danger-full-access", "ask_for_approval": "on-request", "model": "m"}},
        },
        "COPILOT": {"TEAM": {"COPILOT": {"allow_tool": "shell", "add_dir": ["/"]}}},
        "GEMINI": {"TEAM": {"GEMINI": {"model": "flash", "mode": "yolo", "yolo": true}}},
    }});
    put(folder.path(), ".forge/profiles.json", &file.to_string());
    put(folder.path(), ".genie/agents/a.md", "---\nname: a\ngenie: {variant: ALLOW_ALL}\n---\n");
    put(folder.path(), ".genie/agents/b.md", "---\nname: b\nforge_profile_name: GENIE\n---\nhello\n");
    let (profiles, problems) = person.of_project(&agents, folder.path());

    let of = |profiles: &Profiles| -> Vec<(String, String, Settings)> {
        let own = |(executor, variant, settings): (&str, &str, &Settings)| {
            (executor.to_owned(), variant.to_owned(), settings.clone())
        };
        profiles.iter().map(own).collect()
    };
    let (before, after) = (of(&person), of(&profiles));
    for variant in &before {
        assert!(after.contains(variant), "{variant:?}");
    }
    let added: Vec<_> = after.into_iter().filter(|variant| !before.contains(variant)).collect();
    let names: Vec<_> = added.iter().map(|(executor, variant, _)| format!("{executor}:{variant}")).collect();
    assert_eq!(names, ["CLAUDE_CODE:TEAM", "CODEX:TEAM", "COPILOT:TEAM", "GEMINI:TEAM"]);
    let pairs: Vec<_> = profiles.repository_variants().map(|(e, v, _)| format!("{e}:{v}")).collect();
    assert_eq!(pairs, names);
    let expected = [
        json!({
            "base_command_override": "my-sandbox claude", "additional_params": ["--disallowedTools", "Bash"],
            "env": {"HTTPS_PROXY": "http://audit:1"}, "model": "opus", "plan": true,
            "append_prompt": "Ours.\n\nMine.",
        }),
        json!({"sandbox": "workspace-write", "ask_for_approval": "unless-trusted", "model": "m"}),
        serde_json::Value::Object(settings(&person, "COPILOT:GENIE")),
        json!({"model": "flash"}),
    ];
    for ((executor, _, settings), expected) in added.iter().zip(expected) {
        assert_eq!(&serde_json::Value::Object(settings.clone()), &expected, "{executor}");
    }
    for expected in [
        "CLAUDE_CODE.GENIE: the variant GENIE exists already",
        "CLAUDE_CODE.PLAN: the variant PLAN exists already",
        "CODEX.GENIE: the variant GENIE exists already",
        "CLAUDE_CODE.TEAM: `base_command_override` is left out",
        "CLAUDE_CODE.TEAM: `no_such_setting` is left out",
        "CODEX.TEAM: `sandbox` is left out",
        "COPILOT.TEAM: `allow_tool` is left out",
        "GEMINI.TEAM: `mode` is left out",
        ".genie/agents/a.md: CLAUDE_CODE: ALLOW_ALL does not ask before it acts",
        ".genie/agents/b.md: CLAUDE_CODE: the variant GENIE exists already",
    ] {
        assert!(problems.iter().any(|problem| problem.contains(expected)), "{expected}: {problems:#?}");
    }
}

#[test]
fn repository_never_claims_repository_settings() {
    let agents = Agents::built_in().unwrap();
    let own = json!({"executors": {"CLAUDE_CODE": {
        "GENIE": {"CLAUDE_CODE": {"repository_settings": true}},
        "MINE": {"CLAUDE_CODE": {"repository_settings": true}},
    }}});
    let person = Profiles::with_own(&agents, &own).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file =
        json!({"executors": {"CLAUDE_CODE": {"TEAM": {"CLAUDE_CODE": {"repository_settings": true}}}}});
    put(folder.path(), ".forge/profiles.json", &file.to_string());
    let agent = "---\nname: a\nforge_profile_name: SLY\ngenie: {variant: MINE, executor: CLAUDE_CODE}\n---\n";
    put(folder.path(), ".genie/agents/a.md", agent);
    let (profiles, problems) = person.of_project(&agents, folder.path());
    for name in ["CLAUDE_CODE:TEAM", "CLAUDE_CODE:SLY"] {
        assert_eq!(settings(&profiles, name).get("repository_settings"), None, "{name}: {problems:?}");
    }
    let expected = "`repository_settings` is left out";
    assert!(problems.iter().any(|problem| problem.contains(expected)), "{problems:#?}");
}

#[test]
fn repository_files_behind_links_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let (outside, repository) = (folder.path().join("outside"), folder.path().join("repo"));
    put(&outside, "key", "PRIVATE");
    put(&outside, "agents/c.md", "PRIVATE");
    put(&repository, ".genie/x/agents/a.md", "hello");
    put(&repository, ".genie/agents/plain.md", "hello");
    let link = |to: &Path, at: &str| std::os::unix::fs::symlink(to, repository.join(at)).unwrap();
    link(&outside.join("key"), ".genie/x/AGENTS.md");
    link(&outside.join("key"), ".genie/agents/b.md");
    link(&outside.join("agents"), ".genie/neurons");
    link(&outside, ".forge");
    let agents = Agents::built_in().unwrap();
    let (profiles, problems) = Profiles::built_in(&agents).of_project(&agents, &repository);
    assert!(!profiles.document().to_string().contains("PRIVATE"));
    assert!(!problems.join(" ").contains("PRIVATE"));
    assert_eq!(problems.len(), 3, "{problems:#?}");
    assert!(problems.iter().all(|problem| problem.contains("is a symbolic link")), "{problems:#?}");
    settings(&profiles, "CLAUDE_CODE:REPO_PLAIN");
}

#[test]
fn a_repository_without_any_has_what_the_person_has() {
    let (profiles, problems) = project(&[]);
    assert_eq!((profiles, problems), (Profiles::built_in(&Agents::built_in().unwrap()), Vec::new()));
}

#[test]
fn texts_of_many_agents_are_bounded() {
    let context = "x".repeat(1_000_000);
    let mut files = vec![(".genie/code/AGENTS.md".to_owned(), context)];
    files.extend((0..50).map(|n| (format!(".genie/code/agents/agent{n:02}.md"), "Work.".to_owned())));
    let executors = "---\ngenie: {executor: [CLAUDE_CODE, CODEX, codex, CODEX]}\n---\nWork.".to_owned();
    files.push((".genie/code/agents/a.md".to_owned(), executors));
    let files: Vec<_> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    let (profiles, problems) = project(&files);
    assert_eq!(problems.len(), 1, "{}", problems.len());
    assert!(problems[0].contains("agent06.md: the agents have more than 8 MiB of text"), "{}", problems[0]);
    let added = profiles.iter().filter(|(_, variant, _)| variant.starts_with("MY_APP_")).count();
    assert_eq!(added, 2 + 6, "one for each executor, and no more than fit");
}

#[test]
fn texts_of_agents_without_executor_are_bounded() {
    let text = format!("---\ngenie: {{executor: []}}\n---\n{}", "x".repeat(1_000_000));
    let folders = ["agents", "neurons", "code/agents", "create/agents"];
    let mut files: Vec<_> = folders
        .iter()
        .flat_map(|folder| (0..9).map(move |n| format!(".genie/{folder}/agent{n}.md")))
        .map(|file| (file, text.as_str()))
        .collect();
    files.extend(["code", "create"].map(|folder| (format!(".genie/{folder}/AGENTS.md"), "Context.")));
    let files: Vec<_> = files.iter().map(|(file, text)| (file.as_str(), *text)).collect();
    let (_, problems) = project(&files);
    assert_eq!(
        problems,
        [".genie/agents/agent8.md: the agents have more than 8 MiB of text; the rest is left out"]
    );
}

#[test]
fn number_of_agents_is_bounded() {
    let folders = ["agents", "neurons", "code/agents", "create/agents"];
    let mut files: Vec<_> = folders
        .iter()
        .enumerate()
        .flat_map(|(at, folder)| (0..600).map(move |n| format!(".genie/{folder}/agent{at}x{n}.md")))
        .map(|file| (file, "Work."))
        .collect();
    files.extend(["code", "create"].map(|folder| (format!(".genie/{folder}/AGENTS.md"), "Context.")));
    let files: Vec<_> = files.iter().map(|(file, text)| (file.as_str(), *text)).collect();
    let (profiles, problems) = project(&files);
    assert_eq!(problems, ["there are more than 1000 agents; the rest is left out"]);
    assert_eq!(profiles.iter().filter(|(_, variant, _)| variant.starts_with("MY_APP_")).count(), 1000);
}

#[test]
fn many_variants_of_a_repository_are_bounded() {
    for (count, expected) in [(2000, &[][..]), (2001, &["at most 2000 variants of a repository are used"])] {
        let variants: serde_json::Map<_, _> =
            (0..count).map(|n| (format!("V{n}"), json!({"CLAUDE_CODE": {"model": "m"}}))).collect();
        let file = json!({"executors": {"CLAUDE_CODE": variants}}).to_string();
        let (profiles, problems) = project(&[(".forge/profiles.json", &file)]);
        assert_eq!(problems, expected);
        let added = profiles.iter().filter(|(_, _, settings)| settings.get("model") == Some(&json!("m")));
        assert_eq!(added.count(), 2000);
    }
}

#[test]
fn repository_does_not_end_plan_mode() {
    let folder = tempfile::tempdir().unwrap();
    let agents = Agents::built_in().unwrap();
    let own = json!({"executors": {"CLAUDE_CODE": {"GENIE": {"CLAUDE_CODE": {"plan": true}}}}});
    let person = Profiles::with_own(&agents, &own).unwrap();
    let file = json!({"executors": {"CLAUDE_CODE": {"TEAM": {"CLAUDE_CODE": {"plan": false}}}}});
    put(folder.path(), ".forge/profiles.json", &file.to_string());
    let (profiles, problems) = person.of_project(&agents, folder.path());
    assert_eq!(settings(&profiles, "CLAUDE_CODE:TEAM")["plan"], true);
    assert!(problems.concat().contains("`plan` is left out"), "{problems:?}");
}
