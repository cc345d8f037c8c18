"""The generated Python client on a real server: start a task, follow up, stop, delete.

Runs in the folder that has the generated package `forge_client`.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, os.getcwd())

from forge_client import Client  # noqa: E402
from forge_client.api.attempts import (delete_task_attempt, follow_up_task_attempt, get_task_attempt,  # noqa: E402
                                       list_follow_ups, stop_task_attempt_execution)
from forge_client.api.projects import create_project  # noqa: E402
from forge_client.api.tasks import create_and_start_task, delete_task, get_task  # noqa: E402
from forge_client.models import CreateAndStart, CreateProject, CreateTask, FollowUpBody  # noqa: E402
from forge_client.models.problem import Problem  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
FORGE = os.environ.get("FORGE_BIN") or str(
    Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug/forge")
DEADLINE = 60


def serve(folder):
    """A server on a folder of its own, with the scripted agent in place of Claude Code."""
    for name in ("home", "bin", "tmp"):
        (folder / name).mkdir()
    (folder / "home/.gitconfig").write_text("[user]\n\tname = Test\n\temail = test@localhost\n")
    agent = folder / "bin/claude"
    agent.write_text(f"#!/bin/sh\nexec '{FORGE}' scripted-agent \"$@\"\n")
    agent.chmod(0o755)
    env = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": str(folder / "home"), "LC_ALL": "C.UTF-8",
           "TMPDIR": str(folder / "tmp"), "SCRIPTED_AGENT_HOME": str(folder / "tmp"), "GIT_CONFIG_NOSYSTEM": "1"}
    server = subprocess.Popen([FORGE, "serve", "--port", "0", "--data", str(folder / "data")], env=env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                              stderr=open(folder / "server.log", "w"))
    for line in server.stdout:
        if found := re.search(r":(\d+)$", line.strip()):
            return server, f"http://127.0.0.1:{found.group(1)}"
    raise AssertionError((folder / "server.log").read_text())


def data(answer):
    assert not isinstance(answer, Problem), answer
    assert answer is not None and answer.success is True, answer
    return answer.data


def until(look, holds):
    end = time.monotonic() + DEADLINE
    while not holds(seen := look()):
        assert time.monotonic() < end, seen
        time.sleep(0.02)
    return seen


def check(client, folder):
    project = data(create_project.sync(client=client, body=CreateProject(
        name="p", git_repo_path=str(folder / "repository"), use_existing_repo=False)))
    body = CreateAndStart(executor_profile_id="CLAUDE_CODE", base_branch="main",
                          task=CreateTask(project_id=project.id, title="t", description="@edit a.txt one"))
    started = data(create_and_start_task.sync(client=client, body=body))
    attempt = started.attempt_id
    look = lambda: data(get_task_attempt.sync(attempt, client=client))  # noqa: E731
    done = until(look, lambda seen: seen.state == "finished")
    assert (done.status, done.task_id) == ("completed", started.id), done

    process = data(follow_up_task_attempt.sync(attempt, client=client, body=FollowUpBody(prompt="@until-told")))
    assert process.run_reason == "codingagent", process
    queued = data(follow_up_task_attempt.sync(attempt, client=client, body=FollowUpBody(prompt="@say never")))
    assert queued.queued is True, queued
    assert [waiting.prompt for waiting in data(list_follow_ups.sync(attempt, client=client))] == ["@say never"]

    stopped = data(stop_task_attempt_execution.sync(attempt, client=client))
    assert stopped.state == "finished" and stopped.outcome == "stopped", stopped
    assert [(removed.prompt, removed.why) for removed in stopped.removed_follow_ups] == [("@say never", "stopped")]

    data_of_delete = delete_task_attempt.sync(attempt, client=client)
    assert data_of_delete.success is True, data_of_delete
    assert delete_task.sync_detailed(started.id, client=client).status_code == 202
    gone = get_task.sync(started.id, client=client)
    assert isinstance(gone, Problem) and gone.error_data.code == "not_found", gone


with tempfile.TemporaryDirectory(prefix="forge-generated-") as made:
    process, url = serve(Path(made))
    try:
        check(Client(base_url=url, timeout=DEADLINE), Path(made))
    finally:
        process.terminate()
        process.wait(DEADLINE)
print("1 passed, 0 failed")
