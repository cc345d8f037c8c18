//! An attempt's branch over REST: how it stands, its commits, and what may be done with it.

use axum::extract::State;
use forge_engine::Engine;
use forge_model::{AttemptId, ProjectId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::compat::{AttachBody, PullRequestBody, RebaseBody, TargetChange};
use super::envelope::{Answer, Bare, Reply, done, ok};
use super::extract::{Body, Id, OptionalBody, Query};
use super::problem::Problem;
use super::spec::Operation;
use super::wire;

/// What to do meanwhile.
const BY_HAND: &str = "the attempt's branch is an ordinary branch of the repository: do it with git";

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = vec![
        Operation::get(
            "getTaskAttemptBranchStatus",
            "/api/task-attempts/{id}/branch-status",
            "How the branch stands to its target, and the worktree to the branch",
            branch_status,
        ),
        Operation::get(
            "getCommitInfo",
            "/api/task-attempts/{id}/commit-info",
            "What a commit says of itself",
            commit_info,
        ),
        Operation::get(
            "compareCommitToHead",
            "/api/task-attempts/{id}/commit-compare",
            "How a commit stands to the attempt's HEAD",
            commit_compare,
        ),
        Operation::get(
            "getTaskAttemptChildren",
            "/api/task-attempts/{id}/children",
            "The task that the attempt's came out of, and those that came out of the attempt",
            children,
        ),
        Operation::post(
            "changeTaskAttemptTargetBranch",
            "/api/task-attempts/{id}/change-target-branch",
            "Says which branch the work shall go to",
            change_target_branch,
        ),
        Operation::post(
            "deleteTaskAttemptFile",
            "/api/task-attempts/{id}/delete-file",
            "Deletes a file of the worktree by a commit; what is in the worktree is saved first",
            delete_file,
        ),
        Operation::post(
            "abortTaskAttemptConflicts",
            "/api/task-attempts/{id}/conflicts/abort",
            "Gives up the rebase, merge, cherry-pick or revert that git is in the middle of; saves first",
            abort_conflicts,
        ),
        Operation::get(
            "searchProjectFiles",
            "/api/projects/{id}/search",
            "Files and folders by a part of their path, the best ten",
            search,
        ),
        Operation::get(
            "getProjectBranchStatus",
            "/api/forge/projects/{id}/branch-status",
            "How the project's checkout stands to a branch of its remote, by what was last fetched",
            project_status,
        ),
    ];
    operations.extend(later());
    operations
}

/// What the contract has and the server does not do yet.
fn later() -> Vec<Operation> {
    vec![
        Operation::post(
            "mergeTaskAttempt",
            "/api/task-attempts/{id}/merge",
            "Merges the branch into its target; not available yet",
            merge,
        ),
        Operation::post(
            "rebaseTaskAttempt",
            "/api/task-attempts/{id}/rebase",
            "Puts the branch on top of another; not available yet",
            rebase,
        ),
        Operation::post(
            "pushTaskAttemptBranch",
            "/api/task-attempts/{id}/push",
            "Pushes the branch to the remote; not available yet",
            push,
        ),
        Operation::post(
            "createTaskAttemptPullRequest",
            "/api/task-attempts/{id}/pr",
            "Makes a pull request of the branch; not available yet",
            create_pull_request,
        ),
        Operation::post(
            "attachExistingPullRequest",
            "/api/task-attempts/{id}/pr/attach",
            "Takes a pull request that is there for the attempt's; not available yet",
            attach_pull_request,
        ),
        Operation::post(
            "pullProject",
            "/api/forge/projects/{id}/pull",
            "Brings the project's checkout up to date with its remote; not available yet",
            pull,
        ),
    ]
}

async fn branch_status(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
) -> Answer<wire::BranchStatus<'static>> {
    ok(wire::BranchStatus::from(&engine.branch_status(id).await?))
}

#[derive(Deserialize, JsonSchema)]
struct Commit {
    /// The commit's name, or the first digits of it.
    sha: String,
}

async fn commit_info(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Query(commit): Query<Commit>,
) -> Answer<wire::CommitInfo<'static>> {
    ok(wire::CommitInfo::from(&engine.commit_info(id, &commit.sha).await?))
}

async fn commit_compare(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Query(commit): Query<Commit>,
) -> Answer<wire::CommitCompare<'static>> {
    ok(wire::CommitCompare::from(&engine.compare_commit(id, &commit.sha).await?))
}

async fn children(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer<wire::Relations<'static>> {
    ok(wire::Relations::from(&engine.relations(id).await?))
}

async fn change_target_branch(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Body(change): Body<TargetChange>,
) -> Answer<wire::NewTarget<'static>> {
    engine.get_task_attempt(id).await?;
    ok(wire::NewTarget::from(&engine.change_target_branch(id, &change.into_branch()?).await?))
}

#[derive(Deserialize, JsonSchema)]
struct OfFile {
    /// As the diff has it: relative to the worktree's top.
    file_path: String,
}

async fn delete_file(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Query(file): Query<OfFile>,
) -> Answer<()> {
    engine.delete_file(id, &file.file_path).await?;
    done()
}

async fn abort_conflicts(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer<()> {
    engine.abort_conflicts(id).await?;
    done()
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    /// A part of the path, in any case.
    q: String,
    /// `settings` looks in ignored files too; everything else, in those that git does not ignore.
    mode: Option<String>,
}

async fn search(
    State(engine): State<Engine>,
    Id(id): Id<ProjectId>,
    Query(search): Query<Search>,
) -> Answer<Vec<wire::FoundFile<'static>>> {
    let found =
        engine.search_files(id, &search.q, super::compat::search_scope(search.mode.as_deref())).await?;
    ok(found.iter().map(wire::FoundFile::from).collect::<Vec<_>>())
}

#[derive(Deserialize, JsonSchema)]
struct Base {
    /// The remote's branch to compare with; `main` where it is left out.
    base: Option<String>,
}

async fn project_status(
    State(engine): State<Engine>,
    Id(id): Id<ProjectId>,
    Query(base): Query<Base>,
) -> Answer<wire::BranchStatus<'static>> {
    let base = base.base.as_deref().map(str::trim).filter(|base| !base.is_empty()).unwrap_or("main");
    ok(wire::BranchStatus::of_project(&engine.project_status(id, base).await?, base))
}

async fn merge(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Result<Reply<wire::Merged>, Problem> {
    engine.get_task_attempt(id).await?;
    Err(Problem::not_yet("merging", BY_HAND))
}

async fn rebase(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    OptionalBody(_onto): OptionalBody<RebaseBody>,
) -> Result<Reply<wire::Rebased>, Problem> {
    engine.get_task_attempt(id).await?;
    Err(Problem::not_yet("rebasing", BY_HAND))
}

async fn push(State(engine): State<Engine>, Id(id): Id<AttemptId>) -> Answer<()> {
    engine.get_task_attempt(id).await?;
    Err(Problem::not_yet("pushing", BY_HAND))
}

async fn create_pull_request(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Body(_wanted): Body<PullRequestBody>,
) -> Result<Reply<wire::NewPullRequest>, Problem> {
    engine.get_task_attempt(id).await?;
    Err(Problem::not_yet(
        "making pull requests",
        "push the branch, and make one with the forge's own page or tool",
    ))
}

async fn attach_pull_request(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    OptionalBody(_wanted): OptionalBody<AttachBody>,
) -> Result<Reply<wire::AttachedPullRequest>, Problem> {
    engine.get_task_attempt(id).await?;
    Err(Problem::not_yet("attaching pull requests", "look at the pull request where it was made"))
}

async fn pull(State(engine): State<Engine>, Id(id): Id<ProjectId>) -> Result<Bare<wire::Pulled>, Problem> {
    engine.get_project(id).await?;
    Err(Problem::not_yet("pulling", "run `git pull` in the project's folder"))
}
