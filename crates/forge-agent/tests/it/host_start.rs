//! Starting: the program runs, or a typed error says why and nothing is left.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use forge_agent::client::{Found, Launcher, StartError, find, kill_remains};
use forge_agent::host::{Outcome, Spec};
use tokio_util::task::TaskTracker;

use crate::host_kit::{bounded, launcher, launcher_after, sh, spec, start, start_in};

async fn refused(launcher: &Launcher, spec: &Spec) -> StartError {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("process");
    let error = bounded(launcher.start(&dir, spec)).await.expect_err("it started");
    assert!(matches!(bounded(find(&TaskTracker::new(), &dir)).await.unwrap(), Found::NeverStarted));
    // What was no start does not stand in the way of one.
    let connection = bounded(self::launcher().start(&dir, &sh("exit 0"))).await.unwrap();
    assert_eq!(bounded(connection.ended()).await.unwrap().outcome, Outcome::Exited { code: 0 });
    error
}

#[tokio::test]
async fn a_missing_program_is_named() {
    for name in ["no-such-program-anywhere", "/no/such/program"] {
        let error = refused(&launcher(), &spec(name, &[])).await;
        assert!(matches!(&error, StartError::ProgramNotFound { program } if program == name), "{error:?}");
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_executed_is_told_from_a_missing_one() {
    let dir = tempfile::tempdir().unwrap();
    let (plain, orphan) = (dir.path().join("plain"), dir.path().join("orphan"));
    fs::write(&plain, "text").unwrap();
    fs::write(&orphan, "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(&orphan, fs::Permissions::from_mode(0o755)).unwrap();
    for path in [plain.as_path(), &orphan, dir.path()] {
        let error = refused(&launcher(), &spec(path.to_str().unwrap(), &[])).await;
        assert!(matches!(error, StartError::NotExecutable { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_missing_working_directory_is_told_from_a_missing_program() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for cwd in [Path::new("/no/such/directory"), file.path()] {
        let error = refused(&launcher(), &Spec { cwd: cwd.to_owned(), ..sh("exit 0") }).await;
        assert!(matches!(&error, StartError::BadWorkingDirectory { path, .. } if path == cwd), "{error:?}");
    }
}

#[tokio::test]
async fn a_host_that_fails_is_quoted() {
    let command = |words: &[&str]| Launcher {
        command: words.iter().map(OsString::from).collect(),
        tasks: TaskTracker::new(),
    };
    for (words, quote) in [
        (&["sh", "-c", "echo the disk is on fire >&2; exit 3"][..], "on fire"),
        (&["false"], "exit status: 1"),
        (&["/no/such/host"], "No such file"),
        (&[], "no host command"),
    ] {
        let error = refused(&command(words), &sh("exit 0")).await;
        assert!(matches!(&error, StartError::HostFailed { detail } if detail.contains(quote)), "{error:?}");
    }
}

#[tokio::test]
async fn a_disk_that_is_full_from_the_first_byte_is_no_start() {
    let error = refused(&launcher_after("trap '' XFSZ; ulimit -S -f 0"), &sh("exit 0")).await;
    assert!(matches!(&error, StartError::HostFailed { detail } if detail.contains("large")), "{error:?}");
}

#[tokio::test]
async fn a_directory_reached_through_a_link_is_the_same_process() {
    let temp = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(temp.path(), temp.path().join("link")).unwrap();
    let connection =
        launcher().start(&temp.path().join("link/process"), &sh("exec sleep 1000")).await.unwrap();
    let host = rustix::process::Pid::from_raw(connection.attached().host_pid.cast_signed()).unwrap();
    rustix::process::kill_process(host, rustix::process::Signal::KILL).unwrap();
    assert!(bounded(connection.ended()).await.is_err());
    assert_eq!(bounded(kill_remains(&temp.path().join("process"))).await.unwrap(), 1);
}

#[tokio::test]
async fn a_directory_belongs_to_one_process() {
    let mut process = start(&spec("cat", &[])).await;
    let second = launcher().start(&process.dir, &sh("exit 0")).await;
    assert!(matches!(second, Err(StartError::Occupied { .. })), "{second:?}");
    process.connection.close_stdin(0).await.unwrap();
    process.end().await;
    let third = launcher().start(&process.dir, &sh("exit 0")).await;
    assert!(matches!(third, Err(StartError::Occupied { .. })), "{third:?}");
}

#[tokio::test]
async fn the_program_gets_the_servers_environment_and_what_the_spec_changes() {
    let mut what = sh("echo $PATH; echo ${ADDED-none} ${HOME-none} ${FORGE_HOST_DETACHED-none}; pwd");
    what.env = vec![("ADDED".into(), "a b".into())];
    what.env_remove = vec!["HOME".into()];
    what.cwd = "/".into();
    let mut process = start(&what).await;
    process.end().await;
    let path = std::env::var_os("PATH").unwrap().into_string().unwrap();
    assert_eq!(process.stdout(), format!("{path}\na b none none\n/\n"));
}

#[tokio::test]
async fn arguments_and_paths_are_any_bytes() {
    use std::os::unix::ffi::OsStringExt;
    let odd = OsString::from_vec(b"odd \xff\n".to_vec());
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir(temp.path().join(&odd)).unwrap();
    let mut what = spec("sh", &["-c", "printf %s \"$1\"; ls -d .", "sh"]);
    what.args.push(odd.clone());
    what.cwd = temp.path().join(&odd);
    let mut process = start_in(&launcher(), &what, Path::new(&odd)).await;
    process.end().await;
    assert_eq!(process.bytes(forge_agent::log::Stream::Stdout), b"odd \xff\n.\n");
}

#[tokio::test]
async fn only_this_user_can_see_the_spec_the_log_and_the_socket() {
    let mut process = start(&spec("cat", &[])).await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&process.dir), 0o700);
    for file in ["spec", "log", "socket"] {
        assert_eq!(mode(&process.dir.join(file)), 0o600, "{file}");
    }
    process.connection.close_stdin(0).await.unwrap();
    process.end().await;
}

#[tokio::test]
async fn many_processes_start_at_once() {
    let launcher = launcher();
    let temp = tempfile::tempdir().unwrap();
    let starts = (0..40).map(|number| {
        let (launcher, dir) = (launcher.clone(), temp.path().join(number.to_string()));
        async move {
            let connection = launcher.start(&dir, &sh(&format!("exit {number}"))).await.unwrap();
            (number, connection.ended().await.unwrap().outcome)
        }
    });
    let mut set = tokio::task::JoinSet::new();
    starts.for_each(|start| {
        set.spawn(start);
    });
    while let Some(done) = bounded(set.join_next()).await {
        let (number, outcome) = done.unwrap();
        assert_eq!(outcome, Outcome::Exited { code: number });
    }
}
