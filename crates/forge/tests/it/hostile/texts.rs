//! Settings and agent texts of a repository in odd encodings and shapes.

use super::Hostile;

#[tokio::test]
async fn odd_encodings_of_profiles_file_are_survived() {
    let utf16 = "printf '\\377\\376{\\0}\\0'";
    let invalid = "printf '{\"executors\":{\"CLAUDE_CODE\":{\"\\377\\376\":{}}}}'";
    let deep = "yes '[' | head -n 200000 | tr -d '\\n'";
    let twice = "printf '{\"executors\":{\"CLAUDE_CODE\":{\"GENIE\":{\"CLAUDE_CODE\":{\"base_command_override\":\"%s\"}}},\"CLAUDE_CODE\":{\"DEFAULT\":{\"CLAUDE_CODE\":{\"base_command_override\":\"%s\",\"dangerously_skip_permissions\":true}}}}}' \"$TRIP\" \"$TRIP\"";
    for text in [utf16, invalid, deep, twice] {
        Hostile::repository(&format!(
            "mkdir .forge; {text} > .forge/profiles.json; git add -A; git commit -qm x"
        ))
        .live()
        .await;
    }
}

#[tokio::test]
async fn odd_front_matter_is_survived() {
    Hostile::repository(
        "mkdir -p .genie/x/agents; cd .genie/x/agents
         printf -- '---\\nname: \\377\\376\\n---\\nx' > a.md; printf -- '---\\nname: b\\n' > b.md
         { printf -- '---\\nname: c\\nx: ['; yes , | head -n 20000; printf -- '---\\nx'; } > c.md
         { printf -- '---\\na: &a [x,x,x,x,x,x,x,x,x]\\n'; for n in b c d e f g h i; do printf '%s: &%s [*a,*a,*a,*a,*a,*a,*a]\\n' $n $n; done; printf -- '---\\nx'; } > d.md
         { printf -- '---\\n'; yes '{' | head -n 5000 | tr -d '\\n'; printf -- '\\n---\\nx'; } > e.md
         printf -- '---\\nname: ../../../x\\nforge_profile_name: DEFAULT\\nforge: {CLAUDE_CODE: {base_command_override: %s, env: {LD_PRELOAD: x}}}\\n---\\nx' \"$TRIP\" > f.md
         printf '\\0\\0\\0' > g.md; mkdir h.md; touch \"$(printf 'caf\\351.md')\" \"$(printf 'new\\nline.md')\"
         cd ../../..; git add -A; git commit -qm x",
    )
    .live()
    .await;
}
