// The calls against the real server, area by area.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  ForgeAuthError,
  type ForgeClient,
  ForgeError,
  ForgeInvalidError,
  ForgeNotFoundError,
  type Project,
} from 'forge-client';
import { PROFILE, TestServer, rest } from './ground/server.js';

const NOBODY = '00000000-0000-4000-8000-000000000000';

let server: TestServer;
let client: ForgeClient;
let project: Project;

before(async () => {
  server = await TestServer.start();
  client = server.client();
  project = await server.project(client);
});
after(() => server.stop());

function is(kind: new (...args: never[]) => ForgeError, code: string): (error: unknown) => boolean {
  return (error) => {
    assert(error instanceof kind, String(error));
    assert.equal(error.code, code);
    assert(error.requestId !== undefined);
    return true;
  };
}

describe('the server', () => {
  it('is healthy and describes itself', async () => {
    assert.equal((await client.healthCheck()).status, 'ok');
    assert.equal(await client.apiHealth(), 'OK');
    assert.equal((await client.getOpenApi())['openapi'], '3.1.0');
    assert.match(await client.getMetrics(), /^# /m);
  });

  it('asks for its token where it has one', async () => {
    const guarded = await TestServer.start('--auth');
    try {
      const stranger = guarded.client({ token: '' });
      await assert.rejects(stranger.listProjects(), is(ForgeAuthError, 'token_required'));
      await assert.rejects(stranger.streamEvents().next(), is(ForgeAuthError, 'token_required'));
      await assert.rejects(stranger.streamRawLogs(NOBODY).next(), is(ForgeAuthError, 'token_required'));
      const known = guarded.client();
      assert.deepEqual(await known.listProjects(), []);
      await assert.rejects(known.streamRawLogs(NOBODY).next(), ForgeNotFoundError);
      const first = await known.streamEvents().next();
      assert.equal(first.value?.event, 'hello');
    } finally {
      await guarded.stop();
    }
  });
});

describe('projects', () => {
  it('are made, changed and deleted', async () => {
    const made = await server.project(client, { setup_script: 'true' });
    assert.equal((await client.getProject(made.id)).setup_script, 'true');
    const renamed = await client.updateProject(made.id, { name: 'other' });
    assert.deepEqual([renamed.name, renamed.setup_script], ['other', 'true']);
    assert.equal((await client.updateProject(made.id, { setup_script: null })).setup_script, null);
    assert.equal((await client.listProjectBranches(made.id))[0]?.name, 'main');
    assert.equal(typeof (await client.getProjectDisk(made.id)).total, 'number');
    assert((await client.listProjects()).some(({ id }) => id === made.id));
    await client.deleteProject(made.id);
    await assert.rejects(client.getProject(made.id), ForgeNotFoundError);
  });

  it('that are impossible are refused with a reason', async () => {
    const nowhere = { name: 'x', git_repo_path: join(server.folder, 'nowhere'), use_existing_repo: true };
    await assert.rejects(
      client.createProject(nowhere),
      (error: unknown) => error instanceof ForgeInvalidError && error.hint !== undefined,
    );
  });
});

describe('tasks', () => {
  it('are made and changed under their project and without it', async () => {
    const one = await client.createTask(project.id, { title: 'one', description: 'd' });
    const two = await client.createTask({ project_id: project.id, title: 'two' });
    assert.deepEqual([one.status, two.title], ['todo', 'two']);
    const ids = (await client.listTasks(project.id)).map(({ id }) => id);
    assert(ids.includes(one.id) && ids.includes(two.id));
    assert.equal((await client.getTask(project.id, one.id)).description, 'd');
    assert.equal((await client.getTask(one.id)).description, 'd');
    assert.equal((await client.updateTask(one.id, { status: 'done' })).status, 'done');
    assert.equal((await client.updateTask(project.id, one.id, { description: '' })).description, null);
    await client.deleteTask(project.id, one.id);
    await client.deleteTask(two.id);
    await assert.rejects(client.getTask(one.id), ForgeNotFoundError);
    await assert.rejects(client.deleteTask(two.id), ForgeNotFoundError);
  });
});

describe('attempts', () => {
  it('start, go on, are kept and are deleted', async () => {
    const started = await client.createAndStartTask(project.id, {
      title: 'Write a file',
      description: '@edit a.txt one\n@say done',
      executor_profile_id: 'CLAUDE_CODE',
      base_branch: 'main',
    });
    const id = started.id;
    assert.equal(started.task_attempt.id, id);
    assert.equal(started.attempts[0]?.id, id);
    assert.equal(started.queued, false);
    assert.equal((await rest(client, id)).status, 'completed');
    assert.equal(readFileSync(join(String(started.worktree_path), 'a.txt'), 'utf8'), 'one\n');
    assert.equal((await client.getTask(started.task.id)).status, 'inreview');

    const again = await client.followUpTaskAttempt(id, '@edit b.txt two\n@recall');
    assert('run_reason' in again && again.run_reason === 'codingagent' && again.id !== undefined);
    await rest(client, id);
    const processes = await client.listExecutionProcesses(id);
    assert.equal(processes.filter(({ run_reason }) => run_reason === 'codingagent').length, 2);
    assert.equal((await client.getExecutionProcess(again.id)).status, 'completed');
    assert.equal(await client.getProcessCaps(again.id), null);
    assert.deepEqual(await client.listFollowUps(id), []);

    const snapshots = await client.listSnapshots(id);
    assert(snapshots.length >= 1);
    await writeFile(join(String(started.worktree_path), 'b.txt'), 'overwritten');
    await client.restoreSnapshot(id, snapshots[0]!.name);
    assert.equal(readFileSync(join(String(started.worktree_path), 'b.txt'), 'utf8'), 'two\n');
    assert((await client.getTaskAttemptDisk(id)).total > 0);
    assert(Array.isArray((await client.collect({ dry_run: true })).collected));

    assert.deepEqual(
      (await client.listTaskAttempts(started.task.id)).map((attempt) => attempt.id),
      [id],
    );
    await client.deleteTaskAttempt(id, true);
    await assert.rejects(client.getTaskAttempt(id), ForgeNotFoundError);
    assert(!existsSync(String(started.worktree_path)));
  });

  it('answer the same key with the same attempt', async () => {
    const request = { task: { project_id: project.id, title: 'Once' }, executor_profile_id: PROFILE };
    const options = { idempotencyKey: 'the same' };
    const [one, two] = await Promise.all([
      client.createAndStartTask(request, options),
      client.createAndStartTask(request, options),
    ]);
    assert.equal(one.attempt_id, two.attempt_id);
    assert.equal(one.id, one.task.id);
    await assert.rejects(
      client.createAndStartTask({ ...request, base_branch: 'main' }, options),
      is(ForgeInvalidError, 'idempotency_key_reused'),
    );
  });

  it('are stopped, and other ones of the task started', async () => {
    const task = await client.createTask(project.id, { title: 'Wait', description: '@until-told' });
    const first = await client.createTaskAttempt({ task_id: task.id, executor_profile_id: PROFILE });
    await client.stopTaskAttemptExecution(first.id);
    assert.equal((await client.getTaskAttempt(first.id)).status, 'killed');
    const second = await client.startTaskAttempt(task.id, { executor_profile_id: PROFILE });
    await client.stopExecutionProcess(String(second.execution_process_id));
    assert.notEqual((await rest(client, second.attempt_id)).status, 'completed');
    assert.equal((await client.listTaskAttempts(task.id)).length, 2);
  });

  it('of what is not there are refused, each with its reason', async () => {
    const start = (fields: object) =>
      client.createAndStartTask({
        task: { project_id: project.id, title: 'x' },
        executor_profile_id: PROFILE,
        ...fields,
      });
    const count = (await client.listTasks(project.id)).length;
    await assert.rejects(start({ base_branch: 'nowhere' }), ForgeError);
    await assert.rejects(start({ executor_profile_id: { executor: 'NOBODY' } }), ForgeInvalidError);
    await assert.rejects(start({ task: { project_id: NOBODY, title: 'x' } }), ForgeNotFoundError);
    await assert.rejects(client.followUpTaskAttempt(NOBODY, 'x'), ForgeNotFoundError);
    assert.equal((await client.listTasks(project.id)).length, count);
  });
});
