use serde_json::json;

use super::*;
use crate::agents::Agents;

fn file(executor: &str) -> McpFile {
    Agents::built_in().unwrap().find(executor).unwrap().mcp.clone().unwrap()
}

fn servers(value: Value) -> Servers {
    serde_json::from_value(value).unwrap()
}

#[test]
fn everything_else_in_a_json_file_stays_byte_by_byte() {
    let text = "{\n\t\"z\" : 1.50e3,  \"mcpServers\":{\"old\":{\"command\":\"x\"}} ,\n \"a\":[ 1,2 ],\"n\":123456789012345678901234567890 }\n\n";
    let new = servers(json!({"new": {"command": "y", "args": ["a\nb"]}}));
    let written = write(&file("CLAUDE_CODE"), text, &new).unwrap();
    assert!(written.starts_with("{\n\t\"z\" : 1.50e3,  \"mcpServers\":{"), "{written}");
    assert!(written.ends_with(" ,\n \"a\":[ 1,2 ],\"n\":123456789012345678901234567890 }\n\n"), "{written}");
    assert_eq!(read(&file("CLAUDE_CODE"), &written).unwrap(), new);
    assert_eq!(write(&file("CLAUDE_CODE"), &written, &new).unwrap(), written);
}

#[test]
fn a_json_file_without_servers_gets_them_at_its_end() {
    let new = servers(json!({"s": {"command": "y"}}));
    for text in [
        "",
        "  \n",
        "{}",
        "{ }\n",
        "{\"a\":1}",
        "{\"a\":{\"mcpServers\":{\"no\":1}} }\n",
        "{\"mcpServers\":null}",
    ] {
        let written = write(&file("CLAUDE_CODE"), text, &new).unwrap();
        assert_eq!(read(&file("CLAUDE_CODE"), &written).unwrap(), new, "{text}: {written}");
        let before: Value = serde_json::from_str(if text.trim().is_empty() { "{}" } else { text }).unwrap();
        let mut after: Value = serde_json::from_str(&written).unwrap();
        after.as_object_mut().unwrap().remove("mcpServers");
        let mut before = before;
        before.as_object_mut().unwrap().remove("mcpServers");
        assert_eq!(after, before, "{text}");
    }
    // The key of this one is one key and not two.
    let amp = write(&file("AMP"), "{\"amp.url\": \"x\"}", &new).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&amp).unwrap()["amp.mcpServers"],
        json!({"s": {"command": "y"}})
    );
}

#[test]
fn comments_and_order_of_a_toml_file_stay() {
    let text = "# mine\nmodel = \"o3\" # best\n\n[mcp_servers.keep] # this one\ncommand = 'a'\n\n[mcp_servers.gone]\ncommand = \"b\"\n\n[tui]\nnotifications = true\n";
    let new = servers(
        json!({"keep": {"command": "a"}, "new": {"command": "c", "args": ["x", "y"], "env": {"K": "v"}}}),
    );
    let written = write(&file("CODEX"), text, &new).unwrap();
    for kept in [
        "# mine\nmodel = \"o3\" # best\n",
        "[mcp_servers.keep] # this one\ncommand = 'a'\n",
        "[tui]\nnotifications = true\n",
    ] {
        assert!(written.contains(kept), "{written}");
    }
    assert_eq!(read(&file("CODEX"), &written).unwrap(), new);
    assert_eq!(write(&file("CODEX"), &written, &new).unwrap(), written);
    let none = write(&file("CODEX"), &written, &Servers::new()).unwrap();
    assert!(read(&file("CODEX"), &none).unwrap().is_empty() && none.contains("# best"), "{none}");
    let first = write(&file("CODEX"), "", &new).unwrap();
    assert_eq!(read(&file("CODEX"), &first).unwrap(), new);
    let inline = "mcp_servers = { old = { command = \"x\" } }\n";
    assert_eq!(read(&file("CODEX"), &write(&file("CODEX"), inline, &new).unwrap()).unwrap(), new);
}

#[test]
fn a_file_that_is_not_understood_is_refused_without_telling_what_is_in_it() {
    for text in [
        "{\"a\": sk-secret}",
        "[]",
        "// jsonc\n{}",
        "{\"mcpServers\": [1]}",
        "{\"mcpServers\": \"sk-secret\"}",
    ] {
        let error = read(&file("CLAUDE_CODE"), text).unwrap_err().to_string();
        assert!(!error.contains("sk-secret"), "{error}");
        assert!(write(&file("CLAUDE_CODE"), text, &Servers::new()).is_err(), "{text}");
    }
    for text in ["a = sk-secret", "mcp_servers = 1", "[mcp_servers"] {
        let error = write(&file("CODEX"), text, &Servers::new()).unwrap_err().to_string();
        assert!(!error.contains("sk-secret"), "{error}");
    }
    let nulled = servers(json!({"s": {"command": null}}));
    assert_eq!(write(&file("CODEX"), "", &nulled), Err(BadFile::CannotSay("s.command".into())));
}

#[test]
fn keys_are_masked_and_come_back_by_their_mask() {
    let before = servers(json!({"s": {
        "command": "npx",
        "args": ["-y", "pkg", "--api-key", "sk-1", "--token=sk-2", "--port", "80"],
        "line": "X_API_KEY=sk-7 run  --token sk-8\t--password=sk-9 https://a:sk-0@h/ -v",
        "set": ["-e", "API_KEY=sk-a b sk-c", "A=b"],
        "env": {"KEY": "sk-3", "N": 7, "EMPTY": ""},
        "headers": {"Authorization": "Bearer sk-4"},
        "url": "https://me:sk-5@host:1/p?api_key=sk-6",
        "other": "https://host/p?page=2",
        "bearer_token_env_var": "NAME",
    }}));
    let shown = mask(&before);
    let text = serde_json::to_string(&shown).unwrap();
    assert!(!text.contains("sk-"), "{text}");
    assert_eq!(
        shown["s"]["args"],
        json!(["-y", "pkg", "--api-key", "********", "--token=********", "--port", "80"])
    );
    // Of one setting all is hidden, of a line each word that is one.
    assert_eq!(shown["s"]["set"], json!(["-e", "API_KEY=********", "A=b"]));
    assert_eq!(shown["s"]["url"], "https://********@host:1/p?********");
    assert_eq!(
        (&shown["s"]["other"], &shown["s"]["bearer_token_env_var"]),
        (&json!("https://host/p?page=2"), &json!("NAME"))
    );
    let mut back = shown.clone();
    back["s"]["command"] = json!("bunx");
    back["s"]["env"]["KEY"] = json!("sk-new");
    unmask(&mut back, &before).unwrap();
    let mut expected = before.clone();
    expected["s"]["command"] = json!("bunx");
    expected["s"]["env"]["KEY"] = json!("sk-new");
    assert_eq!(back, expected);

    for wrong in [
        json!({"t": shown["s"]}),
        json!({"s": {"env": {"OTHER": "********"}}}),
        json!({"s": {"args": ["********"]}}),
    ] {
        let error = unmask(&mut servers(wrong.clone()), &before).unwrap_err();
        assert!(error.to_string().contains("masked"), "{wrong}");
    }
}
