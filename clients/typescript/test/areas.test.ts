// The rest of the calls against the real server, area by area.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  ForgeClient,
  ForgeConflictError,
  ForgeError,
  ForgeInvalidError,
  ForgeNotFoundError,
  type Project,
} from 'forge-client';
import { Proxy } from './ground/proxy.js';
import { DEADLINE_MS, PROFILE, TestServer, rest } from './ground/server.js';

let server: TestServer;
let client: ForgeClient;
let project: Project;

before(async () => {
  server = await TestServer.start();
  client = server.client();
  project = await server.project(client);
});
after(() => server.stop());

async function run(description: string): Promise<{ attempt: string; process: string; worktree: string }> {
  const started = await client.createAndStartTask(project.id, {
    title: 'Run',
    description,
    executor_profile_id: PROFILE,
  });
  return { attempt: started.id, process: String(started.execution_process_id), worktree: started.worktree_path };
}

function notYet(error: unknown): boolean {
  assert(error instanceof ForgeInvalidError, String(error));
  assert.equal(error.code, 'not_available_yet');
  assert(error.hint !== undefined);
  return true;
}

describe('settings', () => {
  it('are read and changed', async () => {
    const before = await client.getConfig();
    const changed = await client.updateConfig({ disclaimer_acknowledged: true });
    assert.deepEqual(changed, { ...before, disclaimer_acknowledged: true });
    const info = await client.getSystemInfo();
    assert.equal(info.config.disclaimer_acknowledged, true);
    assert(Object.keys(info.executors as object).includes('CLAUDE_CODE'));
    assert.deepEqual(await client.getAuthRequired(), { auth_required: false });
  });

  it('of executors are read and written', async () => {
    const profiles = await client.getExecutorProfiles();
    const content = JSON.parse(profiles.content) as { executors: Record<string, unknown> };
    assert(Object.keys(content.executors).includes('CLAUDE_CODE'));
    assert.equal(typeof (await client.updateExecutorProfiles(content)), 'string');
    assert.equal(typeof (await client.updateExecutorProfiles(profiles.content)), 'string');
    await assert.rejects(client.updateExecutorProfiles({ executors: { NOBODY: {} } }), ForgeInvalidError);
    assert(Object.keys((await client.getProjectProfiles(project.id)).executors as object).includes('CLAUDE_CODE'));
  });

  it('of agents about MCP are read and written', async () => {
    await client.updateMcpConfig('CLAUDE_CODE', { servers: { mine: { command: 'x' } } });
    assert.deepEqual(Object.keys((await client.getMcpConfig('CLAUDE_CODE')).mcp_config.servers), ['mine']);
    await assert.rejects(client.getMcpConfig('NOBODY'), ForgeError);
  });

  it('come with sounds, and with honest answers about what is not there', async () => {
    const sound = await client.getNotificationSound('ABSTRACT_SOUND1');
    assert.equal(
      Buffer.from(await sound.arrayBuffer())
        .subarray(0, 4)
        .toString(),
      'RIFF',
    );
    await assert.rejects(client.authGithubDeviceStart(), notYet);
    await assert.rejects(client.authGithubDevicePoll('x'), notYet);
    assert.equal(await client.authGithubCheck(), 'INVALID');
    assert.equal((await client.getOmniStatus()).enabled, false);
    assert.deepEqual((await client.listOmniInstances()).instances, []);
    assert.deepEqual((await client.listOmniNotifications()).notifications, []);
    assert.equal((await client.validateOmni({ host: 'http://x', api_key: 'k' })).valid, false);
    assert(Array.isArray(await client.listReleases()));
  });
});

describe('files of the machine', () => {
  it('are listed, and worktrees found', async () => {
    const folder = join(server.folder, 'home/listed');
    mkdirSync(join(folder, 'below'), { recursive: true });
    const listing = await client.listDirectory(folder);
    assert.deepEqual(
      listing.entries.map(({ name, type }) => [name, type]),
      [['below', 'directory']],
    );
    execFileSync('git', ['init', '-q', join(folder, 'below')]);
    assert.deepEqual(
      (await client.listGitRepositories(folder)).map(({ name }) => name),
      ['below'],
    );
    const { attempt, worktree } = await run('@say hi');
    assert.equal((await client.getContainerInfo(worktree)).attempt_id, attempt);
    await assert.rejects(client.getContainerInfo('/nowhere'), ForgeNotFoundError);
    await assert.rejects(client.openProjectInEditor(project.id, { editor_type: 'NOBODY' }), ForgeError);
    await assert.rejects(client.openTaskAttemptInEditor(attempt, { file_path: '../../etc/passwd' }), ForgeError);
  });
});

describe('tags and templates', () => {
  it('are the same things', async () => {
    const tag = await client.createTag({ tag_name: 'mine', content: 'do this' });
    assert.equal((await client.getTag(tag.id)).content, 'do this');
    assert.equal((await client.updateTag(tag.id, { content: 'do that' })).content, 'do that');
    assert.deepEqual(
      (await client.listTags('MIN')).map(({ id }) => id),
      [tag.id],
    );
    assert.equal((await client.getTaskTemplate(tag.id)).name, 'mine');
    await client.deleteTag(tag.id);
    await assert.rejects(client.getTag(tag.id), ForgeNotFoundError);
    const template = await client.createTaskTemplate({ name: 'other', task_template: 'text' });
    await client.updateTaskTemplate(template.id, { name: 'another' });
    assert((await client.listTaskTemplates({ global: true })).some(({ name }) => name === 'another'));
    await client.deleteTaskTemplate(template.id);
    await assert.rejects(client.createTag({ tag_name: 'has space', content: 'x' }), ForgeInvalidError);
  });
});

describe('images', () => {
  it('go up, to a task and down', async () => {
    const bytes = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const file = new Blob([bytes], { type: 'image/png' });
    const image = await client.uploadImage(file, 'dot.png');
    assert.equal(image.original_name, 'dot.png');
    assert.deepEqual(Buffer.from(await (await client.getImageFile(image.id)).arrayBuffer()), bytes);
    const task = await client.createTask(project.id, { title: 'With an image' });
    assert.equal((await client.uploadTaskImage(task.id, new File([bytes], 'again.png'))).id, image.id);
    assert.deepEqual(
      (await client.getTaskImages(task.id)).map(({ id }) => id),
      [image.id],
    );
    await client.deleteImage(image.id);
    await assert.rejects(client.getImageFile(image.id), ForgeNotFoundError);
    await assert.rejects(client.uploadImage(new Blob(['no image']), 'x.png'), ForgeError);
  });
});

describe('standing agents and project settings', () => {
  it('are kept', async () => {
    const agent = await client.createForgeAgent(project.id, 'wish');
    assert.equal((await client.createForgeAgent(project.id, 'wish')).id, agent.id);
    assert.deepEqual(
      (await client.getForgeAgents(project.id)).map(({ id }) => id),
      [agent.id],
    );
    assert.deepEqual(await client.getForgeAgents(project.id, 'forge'), []);
    assert.equal((await client.updateProjectSettings(project.id, { omni_enabled: true })).omni_enabled, true);
    assert.equal((await client.getProjectSettings(project.id)).omni_enabled, true);
    assert.equal((await client.updateForgeConfig({ omni_enabled: false })).omni_enabled, false);
    assert.equal((await client.getForgeConfig()).omni_enabled, false);
  });
});

describe('drafts', () => {
  it('are saved, queued, sent and told of', async () => {
    const gate = server.fifo();
    const { attempt } = await run(`@wait-fifo ${gate}`);
    const drafts = client.streamDrafts(project.id, { signal: AbortSignal.timeout(DEADLINE_MS) });
    const first = (await drafts.next()).value;
    assert.equal(first?.whole, true);
    assert.equal(first.document[attempt]?.follow_up.prompt, '');
    const saved = await client.saveDraft(attempt, 'follow_up', { prompt: 'half' });
    const other = await client.updateDraft(attempt, 'follow_up', {
      prompt: '@say from the draft',
      version: saved.version,
    });
    await assert.rejects(
      client.updateDraft(attempt, 'follow_up', { prompt: 'late', version: saved.version }),
      ForgeConflictError,
    );
    assert.equal((await client.getDraft(attempt, 'follow_up')).prompt, '@say from the draft');
    for await (const { document } of drafts) if (document[attempt]?.follow_up.prompt === '@say from the draft') break;
    assert.equal(
      (await client.queueDraftExecution(attempt, 'follow_up', { queued: true, expected_version: other.version }))
        .queued,
      true,
    );
    writeFileSync(gate, 'go\n');
    for await (const { document } of client.streamExecutionProcesses(attempt)) {
      const done = Object.values(document).filter(({ status }) => status === 'completed');
      if (done.length === 2) break;
    }
    await client.deleteDraft(attempt, 'follow_up');
  });
});

describe('turns', () => {
  it('are replaced, and dev servers started', async () => {
    const { attempt, process } = await run('@edit a.txt one');
    await rest(client, attempt);
    const replaced = await client.replaceTaskAttemptProcess(attempt, {
      process_id: process,
      prompt: '@edit b.txt two',
    });
    assert.equal(replaced.git_reset_applied, true);
    await rest(client, attempt);
    const left = await client.listExecutionProcesses(attempt);
    assert.deepEqual(
      left.map(({ id }) => id),
      [replaced.new_execution_id],
    );
    assert.equal((await client.listExecutionProcesses(attempt, true)).length, 2);
    await assert.rejects(client.startDevServer(attempt), ForgeInvalidError);
    await assert.rejects(client.runAgentSetup(attempt, { executor_profile_id: PROFILE }), ForgeInvalidError);
    const served = await server.project(client, { dev_script: 'echo up; sleep 600' });
    const other = await client.createAndStartTask(served.id, {
      title: 'x',
      description: '@say hi',
      executor_profile_id: PROFILE,
    });
    await rest(client, other.id);
    const dev = await client.startDevServer(other.id);
    for await (const piece of client.streamRawLogs(dev.id)) if (piece.content.includes('up')) break;
    await client.stopExecutionProcess(dev.id);
  });
});

describe('questions to people', () => {
  it('are answered once', async () => {
    const asked = await client.createApprovalRequest({ message: 'May I?', context: { tool: 'rm' } });
    assert((await client.getPendingApprovals()).some(({ id }) => id === asked.approval_id));
    assert.equal((await client.getApprovalStatus(asked.approval_id)).status, 'pending');
    assert.equal((await client.respondToApprovalRequest(asked.approval_id, false, 'no')).status, 'denied');
    await assert.rejects(client.respondToApprovalRequest(asked.approval_id, true), ForgeConflictError);
    assert.equal((await client.getApprovalStatus(asked.approval_id)).response, 'no');
  });
});

describe('execution runs', () => {
  it('go without a task, and their output over a broken connection', async () => {
    const proxy = await Proxy.start(() => server.port);
    const far = new ForgeClient(proxy.url, { timeoutMs: DEADLINE_MS, backoff: { firstMs: 5, mostMs: 50 } });
    try {
      const started = await client.createExecutionRun({
        project_id: project.id,
        prompt: '@flood 2000 100\n@say the end',
        executor_profile_id: PROFILE,
      });
      const id = started.execution_run_id;
      let allowed = 100_000;
      proxy.allowance = () => (allowed += 20_000);
      let text = '';
      let processId: string | undefined;
      for await (const piece of far.streamExecutionRunLogs(id)) {
        text += piece.content;
        processId = piece.processId;
      }
      assert(proxy.count > 1);
      assert.equal(processId, started.execution_process_id);
      let whole = '';
      for await (const piece of client.streamRawLogs(String(processId))) whole += piece.content;
      assert.equal(text, whole);
      assert.match(text, /the end/);

      for (
        let state = await client.getExecutionRun(id);
        state.status === 'running';
        state = await client.getExecutionRun(id)
      );
      await client.followUpExecutionRun(id, '@until-told');
      assert.equal((await client.listExecutionRunProcesses(id)).length, 2);
      await client.stopExecutionRun(id);
      assert.equal((await client.getExecutionRun(id)).status, 'killed');
      assert.equal((await client.interruptExecutionRun(id)).id, id);
      assert.deepEqual(
        (await client.listExecutionRuns(project.id)).map((listed) => listed.id),
        [id],
      );
      const paged: string[] = [];
      for await (const listed of client.eachExecutionRun(project.id)) paged.push(listed.id);
      assert.deepEqual(paged, [id]);
      const [snapshot] = await client.listExecutionRunSnapshots(id);
      await client.restoreExecutionRunSnapshot(id, String(snapshot?.name));
      await client.deleteExecutionRun(id, true);
      await assert.rejects(client.getExecutionRun(id), ForgeNotFoundError);
    } finally {
      await proxy.stop();
    }
  });
});

describe('git', () => {
  it('tells how an attempt stands and what it changed', async () => {
    const { attempt, worktree } = await run('@edit a.txt one\n@edit deep/b.txt two\n@say done');
    await rest(client, attempt);
    const status = await client.getTaskAttemptBranchStatus(attempt);
    assert.deepEqual([status.commits_ahead, status.commits_behind, status.target_branch_name], [1, 0, 'main']);
    const head = execFileSync('git', ['-C', worktree, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    assert.equal((await client.getCommitInfo(attempt, head)).sha, head);
    assert.equal((await client.compareCommitToHead(attempt, head)).is_linear, true);
    assert.deepEqual((await client.getTaskAttemptChildren(attempt)).children, []);
    assert((await client.searchProjectFiles(project.id, 'readme')).some(({ path }) => path === 'README.md'));

    for await (const { document } of client.streamTaskDiff(attempt, { signal: AbortSignal.timeout(DEADLINE_MS) })) {
      if (Object.keys(document).length < 2) continue;
      assert.deepEqual(Object.keys(document).sort(), ['a.txt', 'deep/b.txt']);
      assert.equal(document['deep/b.txt']?.content.newContent, 'two\n');
      break;
    }
    for await (const { document } of client.streamTaskDiff(attempt, {
      statsOnly: true,
      signal: AbortSignal.timeout(DEADLINE_MS),
    })) {
      if (Object.keys(document).length < 2) continue;
      assert.deepEqual([document['a.txt']?.content.additions, document['a.txt']?.content.newContent], [1, null]);
      break;
    }

    await client.deleteTaskAttemptFile(attempt, 'a.txt');
    assert.throws(() => readFileSync(join(worktree, 'a.txt')));
    await assert.rejects(client.deleteTaskAttemptFile(attempt, '../../x'), ForgeError);
    execFileSync('git', ['-C', project.git_repo_path, 'branch', 'other']);
    assert.equal((await client.changeTaskAttemptTargetBranch(attempt, 'other')).new_target_branch, 'other');
    await assert.rejects(client.changeTaskAttemptTargetBranch(attempt, 'nowhere'), ForgeError);
    await client.abortTaskAttemptConflicts(attempt);
    assert.equal(typeof (await client.getProjectBranchStatus(project.id)), 'object');
  });

  it('says what it does not do yet', async () => {
    const { attempt } = await run('@say hi');
    await assert.rejects(client.mergeTaskAttempt(attempt), notYet);
    await assert.rejects(client.rebaseTaskAttempt(attempt, 'main'), notYet);
    await assert.rejects(client.rebaseTaskAttempt(attempt), notYet);
    await assert.rejects(client.pushTaskAttemptBranch(attempt), notYet);
    await assert.rejects(client.createTaskAttemptPullRequest(attempt, { title: 't', description: 'd' }), notYet);
    await assert.rejects(client.attachExistingPullRequest(attempt, 1), notYet);
    await assert.rejects(client.pullProject(project.id), notYet);
  });
});

describe('transcripts', () => {
  it('arrive whole over connections that break', async () => {
    const proxy = await Proxy.start(() => server.port);
    const far = new ForgeClient(proxy.url, { timeoutMs: DEADLINE_MS, backoff: { firstMs: 5, mostMs: 50 } });
    try {
      const { attempt, process } = await run('@think hm\n@flood 1000 100\n@say the end');
      const read = async (from: ForgeClient): Promise<string[]> => {
        const entries: string[] = [];
        for await (const change of from.streamNormalizedLogs(process)) {
          if (change.op === 'add') assert.equal(change.index, entries.length, 'each is added once');
          entries[change.index] = JSON.stringify(change.entry);
        }
        return entries;
      };
      let allowed = 80_000;
      proxy.allowance = () => (allowed += 20_000);
      const cut = await read(far);
      assert(proxy.count > 1);
      await rest(client, attempt);
      assert.deepEqual(cut, await read(client));
      assert(cut.some((entry) => entry.includes('assistant_message') && entry.includes('the end')));
    } finally {
      await proxy.stop();
    }
  });
});
