//! Each agent's settings.

use super::{Agent, Asks, Trouble};

/// Claude Code.
pub static CLAUDE: Agent = Agent {
    name: "claude",
    executor: "CLAUDE_CODE",
    asks: Asks::Edits,
    hides: &[],
    is_stubborn: false,
    speaks_late: false,
    programs: &["claude"],
    environment: &[
        ("ANTHROPIC_BASE_URL", "{url}"),
        ("ANTHROPIC_API_KEY", "{key}"),
        ("ANTHROPIC_MODEL", "sonnet"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("CLAUDE_CODE_MAX_RETRIES", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("DISABLE_TELEMETRY", "1"),
    ],
    files: &[],
};

/// Codex.
pub static CODEX: Agent = Agent {
    name: "codex",
    executor: "CODEX",
    asks: Asks::Edits,
    hides: &[],
    is_stubborn: false,
    speaks_late: false,
    programs: &["codex"],
    environment: &[("STUB_API_KEY", "{key}")],
    // The model's name: one that Codex does not know gets no `apply_patch`.
    files: &[(
        ".codex/config.toml",
        r#"model = "gpt-5.5"
model_provider = "stub"
check_for_update_on_startup = false

[model_providers.stub]
name = "stub"
base_url = "{url}/v1"
env_key = "STUB_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1

[analytics]
enabled = false
"#,
    )],
};

/// Gemini CLI.
pub static GEMINI: Agent = Agent {
    name: "gemini",
    executor: "GEMINI",
    asks: Asks::Edits,
    hides: &[],
    is_stubborn: false,
    speaks_late: false,
    programs: &["gemini"],
    environment: &[("GEMINI_API_KEY", "{key}"), ("GOOGLE_GEMINI_BASE_URL", "{url}")],
    files: &[(
        ".gemini/settings.json",
        r#"{
  "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": 1},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false},
  "security": {"auth": {"selectedType": "gemini-api-key"}}
}"#,
    )],
};

/// Goose.
pub static GOOSE: Agent = Agent {
    name: "goose",
    executor: "GOOSE",
    asks: Asks::Edits,
    hides: &[],
    is_stubborn: false,
    speaks_late: false,
    programs: &["goose"],
    environment: &[
        ("OPENAI_API_KEY", "{key}"),
        ("OPENAI_HOST", "{url}"),
        ("GOOSE_DISABLE_KEYRING", "1"),
        ("GOOSE_TELEMETRY_OFF", "1"),
    ],
    files: &[(
        ".config/goose/config.yaml",
        "GOOSE_PROVIDER: openai\nGOOSE_MODEL: stub-model\nGOOSE_TELEMETRY_ENABLED: false\n",
    )],
};

const OPENCODE_CONFIG: &str = r#"{
  "autoupdate": false, "share": "disabled",
  "model": "stub/stub-model", "small_model": "stub/stub-model",
  "provider": {"stub": {"npm": "@ai-sdk/openai-compatible", "name": "Stub",
    "options": {"baseURL": "{url}/v1", "apiKey": "{key}"},
    "models": {"stub-model": {"name": "Stub", "limit": {"context": 100000, "output": 8000},
      "cost": {"input": 1, "output": 2}}}}}
}"#;

/// OpenCode.
pub static OPENCODE: Agent = Agent {
    name: "opencode",
    executor: "OPENCODE",
    asks: Asks::Edits,
    hides: &[],
    is_stubborn: false,
    speaks_late: false,
    programs: &["opencode"],
    environment: &[
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
        ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
        // It would install a package for plugins.
        ("npm_config_offline", "true"),
    ],
    files: &[(".config/opencode/opencode.json", OPENCODE_CONFIG)],
};

/// Kilo, which is a child of OpenCode.
pub static KILO: Agent = Agent {
    name: "kilo",
    executor: "KILO",
    asks: Asks::Edits,
    hides: &[],
    is_stubborn: false,
    speaks_late: false,
    programs: &["kilo"],
    environment: &[
        ("KILO_DISABLE_AUTOUPDATE", "1"),
        ("KILO_DISABLE_MODELS_FETCH", "1"),
        ("KILO_DISABLE_LSP_DOWNLOAD", "1"),
        ("KILO_TELEMETRY_LEVEL", "off"),
        ("KILO_SESSION_RETRY_LIMIT", "1"),
    ],
    files: &[(".config/kilo/kilo.json", OPENCODE_CONFIG)],
};

/// Qwen Code.
pub static QWEN: Agent = Agent {
    name: "qwen",
    executor: "QWEN_CODE",
    asks: Asks::Edits,
    hides: &[],
    is_stubborn: false,
    speaks_late: false,
    programs: &["qwen"],
    environment: &[
        ("OPENAI_API_KEY", "{key}"),
        ("OPENAI_BASE_URL", "{url}/v1"),
        ("OPENAI_MODEL", "stub-model"),
    ],
    files: &[(
        ".qwen/settings.json",
        r#"{
  "general": {"enableAutoUpdate": false},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false},
  "security": {"auth": {"selectedType": "openai"}},
  "model": {"name": "stub-model", "generationConfig": {"maxRetries": 1}}
}"#,
    )],
};

/// Copilot CLI, with a model of one's own in place of GitHub's.
pub static COPILOT: Agent = Agent {
    name: "copilot",
    executor: "COPILOT",
    asks: Asks::Edits,
    hides: &[],
    is_stubborn: false,
    speaks_late: false,
    programs: &["copilot"],
    environment: &[
        ("COPILOT_OFFLINE", "true"),
        ("COPILOT_AUTO_UPDATE", "false"),
        ("COPILOT_PROVIDER_BASE_URL", "{url}/v1"),
        ("COPILOT_PROVIDER_API_KEY", "{key}"),
        ("COPILOT_MODEL", "stub-model"),
        ("COPILOT_PKG_CACHE_HOME", "{folder}/unpacked"),
    ],
    files: &[],
};

/// Kimi Code.
pub static KIMI: Agent = Agent {
    name: "kimi",
    executor: "KIMI",
    asks: Asks::Commands,
    hides: &[Trouble::Failure],
    is_stubborn: false,
    speaks_late: false,
    programs: &["kimi"],
    environment: &[("KIMI_DISABLE_TELEMETRY", "1"), ("KIMI_CODE_NO_AUTO_UPDATE", "1")],
    files: &[(
        ".kimi-code/config.toml",
        r#"default_model = "stub"
telemetry = false
[models.stub]
provider = "stub"
model = "stub-model"
max_context_size = 100000
[providers.stub]
type = "openai"
base_url = "{url}/v1"
api_key = "{key}"
[loop_control]
max_attempts_per_step = 2
"#,
    )],
};

/// Cline.
pub static CLINE: Agent = Agent {
    name: "cline",
    executor: "CLINE",
    asks: Asks::Edits,
    hides: &[],
    is_stubborn: true,
    speaks_late: false,
    programs: &["cline"],
    environment: &[
        ("CLINE_API_KEY", "{key}"),
        ("CLINE_PROVIDER", "openai-compatible"),
        ("CLINE_MODEL", "stub-model"),
        ("CLINE_TELEMETRY_DISABLED", "1"),
        ("CLINE_NO_AUTO_UPDATE", "1"),
        ("DO_NOT_TRACK", "1"),
    ],
    files: &[(
        ".cline/data/settings/providers.json",
        r#"{
  "version": 1,
  "lastUsedProvider": "openai-compatible",
  "modes": {},
  "providers": {"openai-compatible": {
    "settings": {
      "provider": "openai-compatible", "apiKey": "{key}", "model": "stub-model", "baseUrl": "{url}/v1"
    },
    "updatedAt": "2026-11-15T00:00:00.000Z",
    "tokenSource": "manual"
  }}
}"#,
    )],
};

/// Grok.
pub static GROK: Agent = Agent {
    name: "grok",
    executor: "GROK",
    asks: Asks::Edits,
    hides: &[],
    is_stubborn: false,
    speaks_late: false,
    programs: &["grok"],
    environment: &[("XAI_API_KEY", "{key}"), ("GROK_MAX_RETRIES", "1")],
    files: &[(
        ".grok/config.toml",
        r#"[cli]
auto_update = false
[models]
default = "stub"
[model.stub]
model = "stub-model"
name = "Stub"
base_url = "{url}/v1"
env_key = "XAI_API_KEY"
api_backend = "chat_completions"
[telemetry]
enabled = false
"#,
    )],
};

/// Droid, with a model of one's own in place of Factory's.
pub static DROID: Agent = Agent {
    name: "droid",
    executor: "DROID",
    asks: Asks::Edits,
    hides: &[],
    is_stubborn: false,
    speaks_late: true,
    programs: &["droid"],
    environment: &[("FACTORY_API_KEY", "fk-{key}")],
    files: &[(
        ".factory/settings.json",
        r#"{
  "model": "custom:stub-0",
  "customModels": [{
    "model": "stub-model", "displayName": "stub", "baseUrl": "{url}/v1", "apiKey": "{key}",
    "provider": "generic-chat-completion-api", "maxOutputTokens": 8000
  }]
}"#,
    )],
};

/// pi, over `pi-acp`.
pub static PI: Agent = Agent {
    name: "pi",
    executor: "PI",
    asks: Asks::Never,
    hides: &[Trouble::Key, Trouble::Failure],
    is_stubborn: false,
    speaks_late: false,
    programs: &["pi", "pi-acp"],
    environment: &[("PI_OFFLINE", "1"), ("PI_TELEMETRY", "0")],
    files: &[(
        ".pi/agent/models.json",
        r#"{"providers": {"stub": {
  "baseUrl": "{url}/v1", "api": "openai-completions", "apiKey": "{key}",
  "models": [{"id": "stub-model", "name": "Stub", "contextWindow": 100000, "maxTokens": 8000}]
}}}"#,
    )],
};

/// Mistral Vibe.
pub static VIBE: Agent = Agent {
    name: "vibe",
    executor: "VIBE",
    asks: Asks::Edits,
    hides: &[],
    is_stubborn: false,
    speaks_late: false,
    programs: &["vibe-acp"],
    environment: &[("STUB_API_KEY", "{key}")],
    files: &[(
        ".vibe/config.toml",
        r#"active_model = "stub"
enable_telemetry = false
enable_update_checks = false
enable_auto_update = false
api_retry_max_elapsed_time = 1.0
[[providers]]
name = "stub"
api_base = "{url}/v1"
api_key_env_var = "STUB_API_KEY"
api_style = "openai"
backend = "generic"
[[models]]
name = "stub-model"
provider = "stub"
alias = "stub"
"#,
    )],
};

/// OpenHands.
pub static OPENHANDS: Agent = Agent {
    name: "openhands",
    executor: "OPENHANDS",
    asks: Asks::Edits,
    hides: &[],
    is_stubborn: true,
    speaks_late: true,
    programs: &["openhands"],
    environment: &[
        ("LLM_API_KEY", "{key}"),
        // It would fetch a list of prices.
        ("LITELLM_LOCAL_MODEL_COST_MAP", "True"),
        ("DO_NOT_TRACK", "1"),
    ],
    files: &[(
        ".openhands/agent_settings.json",
        r#"{
  "kind": "Agent", "tools": [],
  "llm": {
    "model": "openai/stub-model", "api_key": "{key}", "base_url": "{url}/v1", "usage_id": "agent", "num_retries": 1
  }
}"#,
    )],
};
