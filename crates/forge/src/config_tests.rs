//! Which source of a setting wins, and what is said about wrong ones.

use super::*;

fn load(file: &str, args: ServeArgs, env: &[(&str, &str)]) -> Result<Config, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, file).unwrap();
    let args = ServeArgs { config: Some(path), data: args.data.or(Some("/data".into())), ..args };
    Config::load_from(args, |name| {
        env.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
    })
}

#[test]
fn without_anything_said_it_listens_on_this_machine_alone() {
    let config = load("", ServeArgs::default(), &[]).unwrap();
    assert_eq!((config.host.as_str(), config.port, config.auth), ("127.0.0.1", 8887, false));
    assert_eq!(config.worktrees, Path::new("/data/worktrees"));
    assert_eq!(config.branch_prefix, "forge");
}

#[test]
fn a_flag_beats_the_environment_which_beats_the_file() {
    let file = "port = 1\nhost = '::1'\nworktrees = '/file'\ngrace_seconds = 9\n";
    let env = [("BACKEND_PORT", "2"), ("PORT", "3"), ("HOST", "0.0.0.0"), ("AUTH_REQUIRED", "true")];
    let config = load(file, ServeArgs::default(), &env).unwrap();
    assert_eq!((config.port, config.host.as_str(), config.auth), (2, "0.0.0.0", true));
    assert_eq!(config.worktrees, Path::new("/file"));
    assert_eq!(config.grace, Duration::from_secs(9));
    let config = load(file, ServeArgs { port: Some(4), ..ServeArgs::default() }, &env).unwrap();
    assert_eq!(config.port, 4);
    let config = load(file, ServeArgs::default(), &[("PORT", "3")]).unwrap();
    assert_eq!((config.port, config.host.as_str()), (3, "::1"));
}

#[test]
fn paths_of_the_file_count_from_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    let settled = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let args =
            ServeArgs { config: Some(path.clone()), data: Some("~/data".into()), ..ServeArgs::default() };
        Config::load_from(args, |_name| None).unwrap()
    };
    let home = strategy().unwrap().home_dir().to_owned();
    let config = settled(
        "worktrees = 'wt'\n[log]\nfile = 'log/forge.log'\n\
         [executors.codex]\ncommand = ['bin/codex', 'x/y']\n[executors.gemini]\ncommand = ['gemini']\n",
    );
    assert_eq!(config.data, home.join("data"));
    assert_eq!(config.worktrees, folder.path().join("wt"));
    assert_eq!(config.log_file.unwrap().path, folder.path().join("log/forge.log"));
    let program = folder.path().join("bin/codex").to_str().unwrap().to_owned();
    assert_eq!(config.executors["CODEX"], [program, "x/y".to_owned()]);
    assert_eq!(config.executors["GEMINI"], ["gemini"]);
    let config = settled("worktrees = '~/wt'\n[executors.codex]\ncommand = ['~/bin/codex']\n");
    assert_eq!(config.worktrees, home.join("wt"));
    assert_eq!(config.executors["CODEX"], [home.join("bin/codex").to_str().unwrap()]);
}

#[test]
fn the_log_goes_to_a_file_when_one_is_named_and_the_flag_names_it_best() {
    assert_eq!(load("[log]\nolder = 2", ServeArgs::default(), &[]).unwrap().log_file, None);
    let file = "[log]\nfile = '/var/log/forge.log'\nmax_bytes = '1 MiB'\nolder = 2\n";
    let log = load(file, ServeArgs::default(), &[]).unwrap().log_file.unwrap();
    assert_eq!(log, LogFile { path: "/var/log/forge.log".into(), max_bytes: 1 << 20, older: 2 });
    let flag = ServeArgs { log_file: Some("/other".into()), ..ServeArgs::default() };
    assert_eq!(load(file, flag, &[]).unwrap().log_file.unwrap().path, Path::new("/other"));
    for wrong in ["big", "4", "1 KiB"] {
        let file = format!("[log]\nmax_bytes = '{wrong}'");
        assert!(matches!(load(&file, ServeArgs::default(), &[]), Err(Error::Setting { .. })), "{wrong}");
    }
}

#[test]
fn an_empty_variable_says_nothing() {
    let config = load("port = 1", ServeArgs::default(), &[("PORT", ""), ("AUTH_REQUIRED", "")]).unwrap();
    assert_eq!((config.port, config.auth), (1, false));
}

#[test]
fn every_spelling_of_an_executor_names_the_same_command() {
    let file = "[executors.claude-code]\ncommand = ['/bin/agent', '--x']\n";
    let config = load(file, ServeArgs::default(), &[]).unwrap();
    assert_eq!(config.executors["CLAUDE_CODE"], ["/bin/agent", "--x"]);
}

#[test]
fn an_unknown_key_is_named() {
    let error = load("prot = 1", ServeArgs::default(), &[]).unwrap_err();
    let Error::ParseConfig { source, .. } = &error else { panic!("{error}") };
    assert!(source.to_string().contains("prot"), "{source}");
    assert!(error.hint().unwrap().contains("grace_seconds"));
}

#[test]
fn a_wrong_value_is_named() {
    for env in [("PORT", "70000"), ("BACKEND_PORT", "x"), ("AUTH_REQUIRED", "maybe")] {
        let error = load("", ServeArgs::default(), &[env]).unwrap_err().to_string();
        assert!(error.contains(env.0) && error.contains(env.1), "{error}");
    }
}

#[test]
fn a_database_is_named_by_the_environment_before_the_file_and_never_with_its_password() {
    let file = "database_url = 'postgres://me:hunter2@file/forge'\n";
    let of = |env: &[(&str, &str)]| {
        load(file, ServeArgs::default(), env).map(|config| config.database.unwrap().to_string())
    };
    assert_eq!(of(&[]).unwrap(), "postgres://me@file:5432/forge");
    let env = [("DATABASE_URL", "postgres://you:hunter2@env/forge")];
    assert_eq!(of(&env).unwrap(), "postgres://you@env:5432/forge");
    let config = load(file, ServeArgs::default(), &env).unwrap();
    assert!(!format!("{config:?}").contains("hunter2"));
    let error = of(&[("DATABASE_URL", "mysql://you:hunter2@env/forge")]).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    assert!(load("", ServeArgs::default(), &[]).unwrap().database.is_none());
}

#[test]
fn a_named_file_must_be_there() {
    let args = ServeArgs { config: Some("/nowhere/config.toml".into()), ..ServeArgs::default() };
    assert!(matches!(Config::load_from(args, |_| None), Err(Error::ReadConfig { .. })));
}

#[test]
fn the_pool_has_a_size_and_a_budget() {
    let pool = load("", ServeArgs::default(), &[]).unwrap().pool;
    assert_eq!((pool.size, pool.max_spares, pool.max_bytes, pool.min_files), (1, 16, 2 << 30, 1000));
    let file = "[pool]\nsize = 0\nmax_spares = 3\nmax_bytes = '512 MiB'\nmin_files = 1\n";
    let pool = load(file, ServeArgs::default(), &[]).unwrap().pool;
    assert_eq!((pool.size, pool.max_spares, pool.max_bytes, pool.min_files), (0, 3, 512 << 20, 1));
    for wrong in ["", "2", "GiB", "-1 B", "1.5 GiB", "2 gb", "99999999 TiB"] {
        let error = load(&format!("[pool]\nmax_bytes = '{wrong}'\n"), ServeArgs::default(), &[]).unwrap_err();
        assert!(error.to_string().contains("2 GiB"), "{wrong}: {error}");
    }
}

#[test]
fn worktrees_are_kept_for_parts_of_days_or_for_ever() {
    let kept = |file: &str| load(file, ServeArgs::default(), &[]).map(|config| config.retention);
    let day = Duration::from_secs(86_400);
    let retention = kept("").unwrap();
    assert_eq!((retention.idle, retention.closed), (Some(14 * day), Some(3 * day)));
    let retention = kept("[gc]\nworktree_days = inf\nclosed_days = 0.5\n").unwrap();
    assert_eq!((retention.idle, retention.closed), (None, Some(day / 2)));
    for days in ["-1", "nan"] {
        let error = kept(&format!("[gc]\nworktree_days = {days}.0\n").replace("nan.0", "nan")).unwrap_err();
        assert!(matches!(error, Error::Setting { name: "worktree_days", .. }), "{error}");
    }
}

#[test]
fn a_scratch_server_obeys_nothing_but_the_path() {
    let config = Config::scratch("/scratch".into()).unwrap();
    assert_eq!((config.host.as_str(), config.port, config.auth), ("127.0.0.1", 0, false));
    assert_eq!(
        (config.data.as_path(), config.worktrees.as_path()),
        (Path::new("/scratch"), Path::new("/scratch/worktrees"))
    );
    assert_eq!((config.path, config.log_filter), (std::env::var_os("PATH").unwrap(), None));
}

#[test]
fn a_branch_prefix_has_to_be_one_part_of_a_name() {
    for prefix in ["", "forge", "my-team_2.x"] {
        let config = load(&format!("branch_prefix = '{prefix}'"), ServeArgs::default(), &[]).unwrap();
        assert_eq!(config.branch_prefix, prefix);
    }
    for prefix in ["a/b", ".a", "-a", "a.", "a.lock", "a..b", "a b", "a~", "ü", "/", "a:b"] {
        let error = load(&format!("branch_prefix = '{prefix}'"), ServeArgs::default(), &[]).unwrap_err();
        assert!(error.to_string().contains(prefix) && error.hint().is_some(), "{prefix}: {error}");
        assert_eq!(error.exit_code(), 1);
    }
}

#[test]
fn nobody_waits_longer_than_a_day_for_an_agent_to_stop() {
    let config = load("grace_seconds = 86400", ServeArgs::default(), &[]).unwrap();
    assert_eq!(config.grace, Duration::from_secs(86_400));
    let error = load("grace_seconds = 86401", ServeArgs::default(), &[]).unwrap_err();
    assert!(error.to_string().contains("grace_seconds is `86401`"), "{error}");
}

#[test]
fn an_executor_has_to_be_known_and_to_have_a_command() {
    let error = load("[executors.GEMINI_9]\ncommand = ['x']", ServeArgs::default(), &[]).unwrap_err();
    assert!(error.to_string().contains("GEMINI_9"), "{error}");
    assert!(error.hint().unwrap().contains("did you mean GEMINI?"), "{:?}", error.hint());
    let error = load("[executors.EMACS_DOCTOR]\ncommand = ['x']", ServeArgs::default(), &[]).unwrap_err();
    assert!(error.hint().unwrap().contains("CLAUDE_CODE"), "{:?}", error.hint());
    for command in ["[]", "['']"] {
        let file = format!("[executors.claude-code]\ncommand = {command}");
        let error = load(&file, ServeArgs::default(), &[]).unwrap_err();
        assert_eq!(error.to_string(), "the command of the executor `CLAUDE_CODE` is empty");
        assert!(error.hint().unwrap().contains("command = ["));
    }
}

#[test]
fn an_origin_that_could_never_match_is_refused() {
    let with =
        |origin: &str| load("", ServeArgs { allow_origin: vec![origin.into()], ..ServeArgs::default() }, &[]);
    for origin in ["https://forge.example", "http://localhost:3000", "http://[::1]:3000"] {
        assert_eq!(with(origin).unwrap().allow_origins, [origin]);
    }
    for origin in ["*", "forge.example", "https://forge.example/", "https://", "https://*.example", "null"] {
        assert!(matches!(with(origin), Err(Error::Setting { name: "allow_origins", .. })), "{origin}");
    }
}
