//! Hints of errors for agents: they name the tool to call next, where REST callers read a path.

use serde_json::Value;

use crate::http::problem::Problem;

/// For an error that only a person can resolve.
const ASK_THE_USER: &str = "no tool does this: ask the user, who can use Forge's REST API";

/// The tools that list the ids of an argument.
const LISTS: [(&str, &str); 5] = [
    ("project_id", "list_projects lists the projects"),
    ("task_id", "list_tasks lists the tasks of a project"),
    (
        "attempt_id",
        "list_task_attempts lists the attempts of a task; an execution run has tools of its own: list_execution_runs, \
         get_execution_run and stop_execution_run",
    ),
    (
        "execution_run_id",
        "list_execution_runs lists the runs; an attempt at a task has tools of its own: get_task_attempt and \
         stop_task_attempt",
    ),
    ("approval_id", "list_approvals lists those that wait for an answer"),
];

/// The same problem, with a hint that an agent can follow with its tools.
pub(super) fn for_tools(mut problem: Problem, arguments: &Value) -> Problem {
    let hint = problem.hint.take();
    problem.hint = instead(problem.code, arguments).or_else(|| {
        let hint = hint.filter(|hint| !names_rest(hint));
        match (hint, beside(problem.code)) {
            (Some(hint), Some(tool)) => Some(format!("{hint}: {tool}")),
            (Some(hint), None) => Some(hint),
            (None, tool) => Some(tool.unwrap_or(ASK_THE_USER).to_owned()),
        }
    });
    problem
}

/// A hint that takes the place of REST's.
fn instead(code: &str, arguments: &Value) -> Option<String> {
    let hint = match code {
        "not_found" => return Some(lists(arguments)),
        "branch_not_found" | "base_branch_missing" => {
            "pass an existing branch as base_branch: `git branch --all` in the project's git_repo_path (list_projects) \
             lists them"
        }
        "not_a_repository" | "path_not_found" => {
            "see whether the project's repository was moved or deleted: list_projects has its git_repo_path"
        }
        "variant_unconfirmed" | "variant_changed" => {
            "ask the user to confirm this variant of the repository, which no tool does, or start with another executor \
             or variant"
        }
        "idempotency_key_reused" => "pass a new idempotency_key for a new call",
        "outcome_unknown" => {
            "look whether the change was made, with list_tasks, list_task_attempts or list_execution_runs; or make the \
             call again with the same idempotency_key"
        }
        "operation_in_progress" => {
            "finish or abort it with git in the attempt's worktree: get_task_attempt has its path"
        }
        _ => return None,
    };
    Some(hint.to_owned())
}

/// The tool that does what a hint says.
fn beside(code: &str) -> Option<&'static str> {
    Some(match code {
        "attempt_running" => "stop_task_attempt stops an attempt, stop_execution_run a run",
        "attempt_stopping" => "get_task_attempt tells its status",
        "attempt_on_other_node" => {
            "start_task_attempt starts another attempt on this node; giving up a node is for the user to decide"
        }
        "task_closed" => "update_task sets its status",
        "choice_unknown" => "list_approvals has the choices",
        "head_detached_from_branch" => {
            "get_task_attempt has the path of the worktree, in which git resolves this"
        }
        _ => return None,
    })
}

fn lists(arguments: &Value) -> String {
    let given = LISTS.iter().filter(|(name, _)| arguments.get(name).is_some_and(|id| !id.is_null()));
    let hints: Vec<_> = given.map(|(_, hint)| *hint).collect();
    format!("it may have been deleted: {}", hints.join("; "))
}

/// Whether a hint is for callers of the REST API.
fn names_rest(hint: &str) -> bool {
    ["/api/", "GET ", "POST ", "PUT ", "DELETE ", "?discard", "use_existing_repo", "Idempotency-Key"]
        .iter()
        .any(|word| hint.contains(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hint(code: &'static str, hint: &str) -> String {
        let problem = Problem::invalid(code, "message").hint(hint);
        for_tools(problem, &json!({})).hint.unwrap()
    }

    #[test]
    fn rest_paths_are_replaced_and_other_hints_kept() {
        assert_eq!(hint("disk_full", "free some space"), "free some space");
        assert_eq!(hint("rare", "PUT /api/config {}"), ASK_THE_USER);
        let trust = hint("variant_unconfirmed", "read it with GET /api/forge/projects/x/profiles");
        assert!(trust.starts_with("ask the user"), "{trust}");
        let closed = hint("task_closed", "move the task to todo first");
        assert_eq!(closed, "move the task to todo first: update_task sets its status");
    }
}
