use super::*;

fn profile(text: &str) -> Profile {
    text.parse().unwrap()
}

#[test]
fn the_contracts_eight_executors_bring_their_twenty_one_variants_and_ours_come_on_top() {
    let agents = Agents::built_in().unwrap();
    let built_in = Profiles::built_in(&agents);
    let of_contract = [
        "AMP:GENIE",
        "CLAUDE_CODE:GENIE PLAN APPROVALS",
        "CODEX:GENIE HIGH APPROVALS",
        "COPILOT:GENIE GPT_5 CLAUDE_SONNET_4_5 CLAUDE_SONNET_4",
        "CURSOR_AGENT:GENIE SONNET_4_5 SONNET_4_5_THINKING OPUS_4_1 GPT_5 GROK",
        "GEMINI:GENIE FLASH",
        "OPENCODE:GENIE",
        "QWEN_CODE:GENIE",
    ];
    let mut count = 0;
    for line in of_contract {
        let (executor, variants) = line.split_once(':').unwrap();
        for variant in variants.split(' ') {
            assert!(built_in.variants[executor].contains_key(variant), "{executor}:{variant}");
            count += 1;
        }
    }
    assert_eq!(count, 21);
    assert_eq!(Profiles::read(&agents, &built_in.document()).unwrap(), built_in);
    for agent in agents.all() {
        for variant in [DEFAULT_VARIANT, "ALLOW_ALL"] {
            assert!(built_in.variants[&agent.name].contains_key(variant), "{}:{variant}", agent.name);
        }
    }
    assert_eq!(built_in.own(&agents), json!({"executors": {}}));
}

#[test]
fn a_persons_own_variants_come_back_over_the_built_in_ones() {
    let mut document = Profiles::built_in(&Agents::built_in().unwrap()).document();
    document["executors"]["CLAUDE_CODE"]["my-opus"] = json!({"CLAUDE_CODE": {"model": "opus", "new": 1}});
    document["executors"]["CLAUDE_CODE"]["PLAN"] = json!({"CLAUDE_CODE": {"plan": true, "model": "haiku"}});
    let profiles = Profiles::read(&Agents::built_in().unwrap(), &document).unwrap();
    assert_eq!(
        profiles.own(&Agents::built_in().unwrap()),
        json!({"executors": {"CLAUDE_CODE": {
            "MY_OPUS": {"CLAUDE_CODE": {"model": "opus", "new": 1}},
            "PLAN": {"CLAUDE_CODE": {"plan": true, "model": "haiku"}},
        }}})
    );
    assert_eq!(
        Profiles::with_own(&Agents::built_in().unwrap(), &profiles.own(&Agents::built_in().unwrap()))
            .unwrap(),
        profiles
    );
    assert_eq!(
        profiles.resolve(&Agents::built_in().unwrap(), &profile("claude-code:My-Opus")).unwrap().settings["model"],
        "opus"
    );
}

#[test]
fn every_name_of_the_default_variant_is_one() {
    let profiles = Profiles::built_in(&Agents::built_in().unwrap());
    let settings = profiles.resolve(&Agents::built_in().unwrap(), &profile("CLAUDE_CODE")).unwrap();
    for variant in ["DEFAULT", "default", "GENIE", "genie"] {
        let named = Profile { executor: "CLAUDE_CODE".into(), variant: Some(variant.into()) };
        assert_eq!(profiles.resolve(&Agents::built_in().unwrap(), &named).unwrap(), settings, "{variant}");
    }
}

#[test]
fn an_unknown_variant_or_executor_is_refused_with_what_was_meant() {
    let profiles = Profiles::built_in(&Agents::built_in().unwrap());
    let hint = |text| profiles.resolve(&Agents::built_in().unwrap(), &profile(text)).unwrap_err().hint;
    assert_eq!(hint("CLAUDE_CODE:PLAM"), "did you mean PLAN?");
    assert_eq!(hint("CLAUDE_CODE:SOMETHING_ELSE"), "its variants: ALLOW_ALL, APPROVALS, GENIE, PLAN");
    assert_eq!(hint("CODX"), "did you mean CODEX?");
}

#[test]
fn what_is_wrong_with_a_document_is_said() {
    let with = |executor: &str, variant: &str, body: Value| {
        let mut document = Profiles::built_in(&Agents::built_in().unwrap()).document();
        document["executors"][executor][variant] = body;
        Profiles::read(&Agents::built_in().unwrap(), &document).unwrap_err().to_string()
    };
    let cases = [
        (with("CLAUD_CODE", "GENIE", json!({})), "there is no executor `CLAUD_CODE`"),
        (with("AMP", "__X", json!({"AMP": {}})), "Forge's own"),
        (with("AMP", "a/b", json!({"AMP": {}})), "letters"),
        (with("AMP", "", json!({"AMP": {}})), "letters"),
        (with("AMP", "X", json!({"CODEX": {}})), "`AMP.X` holds settings of CODEX"),
        (with("AMP", "X", json!({})), "has to hold `AMP`"),
        (with("AMP", "X", json!([])), "has to hold `AMP`"),
        (with("AMP", "X", json!({"AMP": 1})), "has to be an object"),
        (with("AMP", "default", json!({"AMP": {}})), "AMP has the variant GENIE twice"),
        (
            with("CODEX", "X", json!({"CODEX": {"sandbox": "none"}})),
            "`CODEX.X.sandbox` has to be one of auto",
        ),
        (with("CODEX", "X", json!({"CODEX": {"additional_params": [1]}})), "a list of texts"),
    ];
    for (message, expected) in cases {
        assert!(message.contains(expected), "{message}");
    }
    let mut without = Profiles::built_in(&Agents::built_in().unwrap()).document();
    without["executors"]["CLAUDE_CODE"].as_object_mut().unwrap().remove("PLAN");
    assert!(
        Profiles::read(&Agents::built_in().unwrap(), &without)
            .unwrap_err()
            .message
            .contains("PLAN of CLAUDE_CODE is built in")
    );
    for document in
        [json!({}), json!([]), json!({"executors": 1}), json!({"executors": {"AMP": 1}}), json!(null)]
    {
        Profiles::read(&Agents::built_in().unwrap(), &document).unwrap_err();
    }
}

#[test]
fn keys_of_profiles_are_masked_and_come_back_by_their_mask() {
    let with = |env: Value, params: Value| {
        let mut document = Profiles::built_in(&Agents::built_in().unwrap()).document();
        document["executors"]["CLAUDE_CODE"]["MINE"] =
            json!({"CLAUDE_CODE": {"model": "opus", "env": env, "additional_params": params}});
        Profiles::read(&Agents::built_in().unwrap(), &document).unwrap()
    };
    assert_eq!(
        Profiles::built_in(&Agents::built_in().unwrap()).masked(),
        Profiles::built_in(&Agents::built_in().unwrap()),
        "what we bring along has no secrets"
    );
    let before = with(json!({"ANTHROPIC_API_KEY": "sk-1"}), json!(["--verbose", "--api-key=sk-2"]));
    let shown = before.masked();
    let text = shown.document().to_string();
    assert!(!text.contains("sk-") && text.contains("--api-key=********"), "{text}");
    let mut back = shown;
    back.unmask(&before).unwrap();
    assert_eq!(back, before);

    // What is sent in place of the mask counts, also beside another mask.
    let mut changed = with(json!({"ANTHROPIC_API_KEY": "sk-3"}), json!(["--verbose", "--api-key=********"]));
    changed.unmask(&before).unwrap();
    assert_eq!(changed, with(json!({"ANTHROPIC_API_KEY": "sk-3"}), json!(["--verbose", "--api-key=sk-2"])));
    for (env, params) in [
        (json!({"OTHER": "********"}), json!([])),
        (json!({}), json!(["--api-key=********"])),
        (json!({}), json!(["--verbose", "--token=********"])),
    ] {
        let refused = with(env, params).unmask(&before).unwrap_err();
        assert_eq!(refused.code, "profiles_key_unknown");
        assert!(refused.message.starts_with("CLAUDE_CODE: `MINE."), "{refused}");
    }
    with(json!({"A": "********"}), json!([]))
        .unmask(&Profiles::built_in(&Agents::built_in().unwrap()))
        .unwrap_err();
}
