//! Projects: repositories that Forge may work in.

use std::path::{Component, Path, PathBuf};

use forge_git::{Error as GitError, FIRST_BRANCH, Repo, check_copy_patterns};
use forge_model::{CreateProject, Patch, Project, ProjectId, RepositoryOrigin, Timestamp, UpdateProject};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::events::AsOf;
use crate::own_branch::reconnected;
use crate::snapshots::prefix;
use crate::start::mark;
use crate::worktree_root;

/// A branch of a project's repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its name; a remote's begins with the remote's.
    pub name: String,
    /// Whether the project's folder has it checked out.
    pub is_current: bool,
    /// Whether it is a remote's.
    pub is_remote: bool,
    /// When its newest commit was made.
    pub last_commit_at: Timestamp,
}

impl Engine {
    /// Every project, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn list_projects(&self) -> Result<Vec<Project>> {
        Ok(self.inner.store.list_projects().await?)
    }

    /// The same, and which moment it shows.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn projects_as_of(&self) -> Result<AsOf<Vec<Project>>> {
        let (at, what) = self.inner.store.projects_at_once().await?;
        Ok(AsOf { at, what })
    }

    /// One project.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn get_project(&self, id: ProjectId) -> Result<Project> {
        Ok(self.inner.store.get_project(id).await?)
    }

    /// Makes a project of a repository that is there, or of a new one.
    ///
    /// # Errors
    /// When the path is no repository, is a project already, or cannot be made one, or it has no such branch.
    pub async fn create_project(&self, command: CreateProject) -> Result<Project> {
        let name = named(&command.name)?;
        let path = absolute(&command.git_repo_path)?;
        self.not_ours(&path)?;
        let base = branch_named(command.default_base_branch);
        let repo = match command.origin {
            RepositoryOrigin::Existing => self.open_with_commit(&one_name(path)).await?,
            RepositoryOrigin::New => {
                // Before it is made: what is refused leaves no repository behind.
                is_first_branch(base.as_deref())?;
                self.inner.git.open(&one_name(self.create_at(&path).await?)).await?
            }
        };
        if let Some(base) = &base {
            repo.resolve(base).await?;
        }
        let now = Timestamp::now();
        let project = Project {
            id: ProjectId::random(),
            name,
            git_repo_path: text_of(repo.path())?,
            setup_script: filled(command.setup_script),
            dev_script: filled(command.dev_script),
            cleanup_script: filled(command.cleanup_script),
            copy_files: checked_patterns(filled(command.copy_files))?,
            commit_prompt: filled(command.commit_prompt),
            default_base_branch: base,
            fetch_submodules: command.fetch_submodules,
            skip_commit_hooks: command.skip_commit_hooks,
            skip_commit_signing: command.skip_commit_signing,
            created_at: now,
            updated_at: now,
        };
        self.is_free(&project).await?;
        self.inner.store.create_project(&project).await?;
        Ok(project)
    }

    /// Changes a project.
    ///
    /// # Errors
    /// When it is not there, the new name is empty, the new path is no repository, or there is no such branch in it.
    pub async fn update_project(&self, id: ProjectId, command: UpdateProject) -> Result<Project> {
        let mut project = self.get_project(id).await?;
        if let Patch::Set(name) = &command.name {
            project.name = named(name)?;
        }
        let mut is_moved = false;
        if let Patch::Set(path) = &command.git_repo_path {
            let path = absolute(path)?;
            self.not_ours(&path)?;
            let moved = text_of(self.inner.git.open(&one_name(path)).await?.path())?;
            is_moved = moved != project.git_repo_path;
            if is_moved {
                self.reconnect(&project, &moved).await?;
            }
            project.git_repo_path = moved;
        }
        if let Patch::Set(patterns) = &command.copy_files {
            checked_patterns(Some(patterns.clone()))?;
        }
        self.change_base(&mut project, command.default_base_branch.clone(), is_moved).await?;
        // The checks above read the row; the change is applied to the row as it is when it is written.
        let checked = project;
        let change = move |project: &mut Project| apply(project, checked, command);
        Ok(self.inner.store.update_project(id, change).await?)
    }

    /// A branch is looked for when it is named, and when the repository is another. One that somebody deletes later is
    /// missed by the next start.
    async fn change_base(&self, project: &mut Project, base: Patch<String>, is_moved: bool) -> Result<()> {
        let is_named = matches!(base, Patch::Set(_));
        base.apply(&mut project.default_base_branch);
        project.default_base_branch = branch_named(project.default_base_branch.take());
        if let Some(base) = &project.default_base_branch
            && (is_named || is_moved)
        {
            self.repository(project).await?.resolve(base).await?;
        }
        Ok(())
    }

    async fn create_at(&self, path: &Path) -> Result<PathBuf> {
        Ok(self.inner.git.create(path).await?.path().to_owned())
    }

    /// One repository is one project.
    async fn is_free(&self, project: &Project) -> Result<()> {
        let projects = self.list_projects().await?;
        match projects.iter().find(|other| other.git_repo_path == project.git_repo_path) {
            Some(other) => {
                let message =
                    format!("{} is the repository of project `{}`", other.git_repo_path, other.name);
                Err(Error::conflict("repository_taken", message).hint(format!("use project {}", other.id)))
            }
            None => Ok(()),
        }
    }

    /// What lies in Forge's own folders is made and removed by Forge.
    fn not_ours(&self, path: &Path) -> Result<()> {
        let path = resolved(path);
        let ours = [self.inner.options.data.clone(), self.inner.folder.worktrees().to_owned()];
        if ours.into_iter().any(|ours| path.starts_with(resolved(&ours)))
            || path.ancestors().any(worktree_root::holds_worktrees)
        {
            return Err(Error::invalid(
                "path_is_forges",
                format!("{} lies in Forge's own folder", path.display()),
            )
            .hint("give a repository of your own"));
        }
        Ok(())
    }

    /// Worktrees belong to the repository they were made in. One that was moved gets them back; it is known by the marks
    /// and snapshots of the attempts, which no clone has.
    async fn reconnect(&self, project: &Project, moved: &str) -> Result<()> {
        let mut attempts = self.inner.store.list_attempts_and_runs(Some(project.id)).await?;
        attempts.retain(|attempt| !attempt.worktree_deleted);
        if attempts.is_empty() {
            return Ok(());
        }
        let other = |message: &str| {
            Error::conflict("project_has_attempts", message)
                .hint("delete them first, or make another project of the other repository")
        };
        if self.repository(project).await.is_ok() {
            return Err(other("the project has attempts in its repository, which is still where it was"));
        }
        if let Some(running) = attempts.iter().find(|attempt| !attempt.state.is_finished()) {
            return Err(Error::conflict("attempt_running", "the project has attempts that run")
                .hint(format!("stop attempt {} first", running.id)));
        }
        let repo = self.inner.git.open(Path::new(moved)).await?;
        for attempt in &attempts {
            let is_known = repo.marked_branch(&mark(attempt.id)).await?.is_some()
                || !repo.hidden_refs(&prefix(attempt.id)).await?.is_empty();
            if !is_known {
                return Err(other("the project has attempts that this repository does not know"));
            }
        }
        for attempt in &attempts {
            match reconnected(&repo, attempt).await {
                Ok(_) | Err(GitError::PathNotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// The branches of a project's repository: the current one first, then the newest.
    ///
    /// # Errors
    /// When the project or its repository is not there.
    pub async fn list_branches(&self, id: ProjectId) -> Result<Vec<Branch>> {
        let repo = self.repository(&self.get_project(id).await?).await?;
        let branches = repo.branches().await?.into_iter().map(|branch| Branch {
            name: branch.name,
            is_current: branch.is_current,
            is_remote: branch.is_remote,
            last_commit_at: Timestamp::from_millis(branch.last_commit_at_ms),
        });
        Ok(branches.collect())
    }

    pub(crate) async fn repository(&self, project: &Project) -> Result<Repo> {
        Ok(self.inner.git.open(Path::new(&project.git_repo_path)).await?)
    }

    /// A repository without any commit gets an empty first one, as there is nothing a branch could begin at. One that has
    /// files is refused: no attempt would see them.
    async fn open_with_commit(&self, path: &Path) -> Result<Repo> {
        let repo = self.inner.git.open(path).await?;
        if repo.has_commits().await? {
            return Ok(repo);
        }
        if repo.has_files().await? {
            return Err(GitError::FilesNotCommitted { path: path.to_owned() }.into());
        }
        repo.first_commit().await?;
        Ok(repo)
    }
}

fn named(name: &str) -> Result<String> {
    let name = name.trim();
    if name.is_empty() {
        return Err(Error::invalid("name_empty", "a project needs a name"));
    }
    Ok(name.to_owned())
}

/// Refuses patterns of `copy_files` that are too many or too long.
fn checked_patterns(patterns: Option<String>) -> Result<Option<String>> {
    if let Some((pattern, reason)) = patterns.as_deref().and_then(check_copy_patterns) {
        let message = format!("`copy_files`: `{pattern}` {reason}");
        return Err(Error::invalid("copy_files_invalid", message)
            .hint("name files and folders below the project's folder, such as `.env, config/*.local`"));
    }
    Ok(patterns)
}

/// Applies a change whose name, path and branch were checked to the row as it is now.
fn apply(project: &mut Project, checked: Project, command: UpdateProject) {
    if matches!(command.name, Patch::Set(_)) {
        project.name = checked.name;
    }
    if matches!(command.git_repo_path, Patch::Set(_)) {
        project.git_repo_path = checked.git_repo_path;
    }
    let fields = [
        (command.setup_script, &mut project.setup_script),
        (command.dev_script, &mut project.dev_script),
        (command.cleanup_script, &mut project.cleanup_script),
        (command.copy_files, &mut project.copy_files),
        (command.commit_prompt, &mut project.commit_prompt),
    ];
    for (patch, field) in fields {
        patch.apply(field);
        *field = filled(field.take());
    }
    let switches = [
        (command.fetch_submodules, &mut project.fetch_submodules),
        (command.skip_commit_hooks, &mut project.skip_commit_hooks),
        (command.skip_commit_signing, &mut project.skip_commit_signing),
    ];
    for (patch, switch) in switches {
        if let Patch::Set(value) = patch {
            *switch = value;
        }
    }
    command.default_base_branch.apply(&mut project.default_base_branch);
    project.default_base_branch = branch_named(project.default_base_branch.take());
    project.updated_at = Timestamp::now();
}

/// Blank scripts are no scripts.
fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// The same for the name of a branch, which has no blanks around it.
fn branch_named(name: Option<String>) -> Option<String> {
    filled(name).map(|name| name.trim().to_owned())
}

/// A new repository has one branch.
fn is_first_branch(base: Option<&str>) -> Result<()> {
    match base {
        Some(base) if base != FIRST_BRANCH => {
            let (name, suggestions) = (base.to_owned(), vec![FIRST_BRANCH.to_owned()]);
            Err(GitError::BranchNotFound { name, suggestions }.into())
        }
        Some(_) | None => Ok(()),
    }
}

/// A path as a person writes it: `~` is the home folder. Relative ones are refused, because what they are relative
/// to is the server's folder, which the person does not see.
pub(crate) fn absolute(path: &str) -> Result<PathBuf> {
    let path = path.trim();
    let expanded = match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            let home = std::env::home_dir()
                .ok_or_else(|| Error::invalid("path_invalid", "there is no home folder"))?;
            home.join(rest.trim_start_matches('/'))
        }
        Some(_) | None => PathBuf::from(path),
    };
    if !expanded.is_absolute() {
        return Err(Error::invalid("path_not_absolute", format!("`{path}` is not an absolute path"))
            .hint("give the whole path, from / or ~ on"));
    }
    Ok(expanded)
}

/// The path without links and dots, so that one repository has one name. One that is not there keeps its own.
fn one_name(path: PathBuf) -> PathBuf {
    std::fs::canonicalize(&path).unwrap_or(path)
}

/// The path without links and dots, also where only some folders above it exist yet.
fn resolved(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                resolved.pop();
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => resolved.push(component),
        }
        // Step by step, because `..` after a link leaves the folder that the link leads to.
        resolved = one_name(resolved);
    }
    resolved
}

pub(crate) fn text_of(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Error::invalid("path_not_text", format!("the path {} is not UTF-8", path.display()))
            .hint("move the repository to a path that is")
    })
}
