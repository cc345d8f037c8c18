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
    profiles.resolve(&Agents::built_in().unwrap(), &profile).unwrap().clone()
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
        ".forge/profiles.json: it is not JSON: it goes wrong at line 1",
        ".genie/agents/a.md: line 2: it has no end",
        "did you mean CLAUDE_CODE?",
        "mixes settings",
        ".genie/agents/g.md: .genie/agents/f.md is MY_APP_G already",
        ".genie/agents/d.md: CLAUDE_CODE: `CLAUDE_CODE.MY_APP_D.plan` has to be true or false",
        ".genie/agents/e.md: CLAUDE_CODE: there is no variant NO_SUCH",
        ".genie/agents/h.md: CLAUDE_CODE: `base_command_override` can be set in a person's own",
    ];
    assert_eq!(problems.len(), expected.len(), "{problems:#?}");
    for (problem, expected) in problems.iter().zip(expected) {
        assert!(problem.contains(expected), "{problem}");
    }
    settings(&profiles, "CLAUDE_CODE:G");
}

#[test]
fn a_projects_file_comes_over_the_persons_but_takes_no_asking_out_of_what_is_there() {
    let file = json!({"executors": {"CLAUDE_CODE": {
        "GENIE": {"CLAUDE_CODE": {"model": "haiku"}},
        "PLAN": {"CLAUDE_CODE": {"plan": true, "dangerously_skip_permissions": true}},
        "APPROVALS": {"CLAUDE_CODE": {"approvals": true, "additional_params": ["--x"]}},
        "TEAM": {"CLAUDE_CODE": {"dangerously_skip_permissions": true, "additional_params": ["--y"]}},
        "KEYS": {"CLAUDE_CODE": {"env": {"A": "b"}}},
    }}});
    let (profiles, problems) = project(&[(".forge/profiles.json", &file.to_string())]);
    assert_eq!(settings(&profiles, "CLAUDE_CODE:DEFAULT")["model"], "haiku");
    assert_eq!(settings(&profiles, "CLAUDE_CODE:TEAM")["additional_params"], json!(["--y"]));
    assert_eq!(serde_json::Value::Object(settings(&profiles, "CLAUDE_CODE:PLAN")), json!({"plan": true}));
    assert_eq!(problems.len(), 3, "{problems:#?}");
    for (problem, expected) in
        problems.iter().zip(["APPROVALS: `additional_params`", "KEYS: `env`", "PLAN: a variant that asks"])
    {
        assert!(problem.contains(expected), "{problem}");
    }
}

#[test]
fn a_repository_without_any_has_what_the_person_has() {
    let (profiles, problems) = project(&[]);
    assert_eq!((profiles, problems), (Profiles::built_in(&Agents::built_in().unwrap()), Vec::new()));
}
