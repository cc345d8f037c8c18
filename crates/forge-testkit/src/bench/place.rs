//! A server with a project, and what the system tells about it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::json;

use super::Bench;
use super::client::{Client, text};
use crate::repo::TempRepo;
use crate::server::{Setup, TestServer};

/// How long a stubborn agent is given.
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// How many ticks of the system's clock make a second, on every system that Linux runs on.
const TICKS: f64 = 100.0;

pub(super) struct Place {
    pub(super) server: TestServer,
    pub(super) client: Client,
    pub(super) repo: TempRepo,
    pub(super) project: String,
    worktrees: usize,
}

impl Place {
    /// A repository of 20 small files.
    pub(super) async fn small(bench: &Bench) -> Result<Self> {
        Self::new(bench, 20, 1000).await
    }

    /// The same, with agents that wait for their next turn for so many minutes.
    pub(super) async fn keeping(bench: &Bench, minutes: f64) -> Result<Self> {
        Self::on(Setup::new(&bench.forge).keeping(minutes), bench, 20, 1000).await
    }

    /// A repository of so many files of so many bytes.
    pub(super) async fn new(bench: &Bench, files: usize, bytes: usize) -> Result<Self> {
        Self::on(Setup::new(&bench.forge), bench, files, bytes).await
    }

    async fn on(setup: Setup, bench: &Bench, files: usize, bytes: usize) -> Result<Self> {
        let repo = TempRepo::new();
        for number in 0..files {
            let line = format!("{number} {}\n", "x".repeat(60));
            repo.write(format!("src/{}/{number}.txt", number / 100), line.repeat(bytes.div_ceil(line.len())));
        }
        repo.commit("Files");
        let config = repo.beside("forge.toml");
        fs::write(&config, format!("grace_seconds = {}\n", GRACE.as_secs()))?;
        let agent = format!("exec '{}' \"$@\"", bench.agent.display());
        let setup = setup.agent(agent).env("FORGE_LOG", "warn");
        let server = setup.arg("--config").arg(config).start().await;
        let client = Client::new(&server)?;
        let body = json!({"name": "p", "git_repo_path": repo.path(), "use_existing_repo": true});
        let project = text(&client.post("/api/projects", &body).await?, "id");
        rustix::fs::sync();
        Ok(Self { server, client, repo, project, worktrees: 0 })
    }

    /// From here on, attempts begin with these lines of shell.
    pub(super) async fn set_up_with(&self, script: &str) -> Result<()> {
        let path = format!("/api/projects/{}", self.project);
        let (status, body) = self.server.put(&path, json!({"setup_script": script})).await;
        anyhow::ensure!(status == 200, "{body}");
        Ok(())
    }

    /// Waits until a worktree is made in advance.
    pub(super) async fn until_spare(&self) {
        let pool = self.server.data().join("worktrees/.pool");
        let mut look_again = tokio::time::interval(Duration::from_millis(20));
        let ready = || {
            fs::read_dir(&pool).into_iter().flatten().flatten().any(|dir| dir.path().join("record").exists())
        };
        while !ready() {
            look_again.tick().await;
        }
    }

    /// How long git alone takes for a worktree with a branch.
    pub(super) fn add_worktree(&mut self) -> Duration {
        self.worktrees += 1;
        let name = format!("floor-{}", self.worktrees);
        let path = self.repo.beside(&name);
        let began = Instant::now();
        self.repo.git(&["worktree", "add", "--quiet", "-b", &name, &path.to_string_lossy(), "main"]);
        began.elapsed()
    }

    /// Seconds of a processor that the server has used: unlike time, they do not grow with what else goes on.
    pub(super) fn processor(&self) -> Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.server.pid()))?;
        // After the name, which may hold anything: user and system time are the 12th and 13th.
        let (_, fields) = stat.rsplit_once(')').context("no end of the name")?;
        let ticks: Vec<f64> =
            fields.split_whitespace().skip(11).take(2).map(str::parse).collect::<Result<_, _>>()?;
        Ok(ticks.iter().sum::<f64>() / TICKS)
    }

    /// Megabytes that the server holds, by the name that the system has for them.
    pub(super) fn memory(&self, name: &str) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.server.pid()))?;
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()).context("no such memory")?;
        Ok(kilobytes.parse::<f64>()? / 1000.0)
    }
}

/// In megabytes.
pub(super) fn file_size(path: &Path) -> Result<f64> {
    let bytes = fs::metadata(path)?.len();
    Ok(f64::from(u32::try_from(bytes / 1000)?) / 1000.0)
}
