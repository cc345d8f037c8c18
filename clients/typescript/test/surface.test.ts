// The client has a method for every operation, and every method asks for an operation that there is.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ForgeClient } from 'forge-client';
import { ROOT } from './ground/server.js';

/** What the founding documents' client and its successor have. */
const FOUNDING = `
  healthCheck authGithubDeviceStart authGithubDevicePoll authGithubCheck getSystemInfo getConfig updateConfig getExecutorProfiles
  updateExecutorProfiles getMcpConfig updateMcpConfig getNotificationSound listProjects createProject getProject updateProject
  deleteProject listProjectBranches searchProjectFiles openProjectInEditor listTasks createTask createAndStartTask getTask updateTask
  deleteTask listTaskAttempts createTaskAttempt getTaskAttempt followUpTaskAttempt replaceTaskAttemptProcess
  getTaskAttemptBranchStatus rebaseTaskAttempt mergeTaskAttempt pushTaskAttemptBranch abortTaskAttemptConflicts
  createTaskAttemptPullRequest attachExistingPullRequest getCommitInfo compareCommitToHead getTaskAttemptChildren
  stopTaskAttemptExecution changeTaskAttemptTargetBranch openTaskAttemptInEditor startDevServer deleteTaskAttemptFile saveDraft getDraft
  deleteDraft queueDraftExecution listExecutionProcesses getExecutionProcess stopExecutionProcess listTaskTemplates createTaskTemplate
  getTaskTemplate updateTaskTemplate deleteTaskTemplate uploadImage uploadTaskImage getImageFile getTaskImages deleteImage
  createApprovalRequest getApprovalStatus respondToApprovalRequest getPendingApprovals getContainerInfo listDirectory
  listGitRepositories subscribeToEvents getTasksStreamUrl getExecutionProcessesStreamUrl getRawLogsStreamUrl
  getNormalizedLogsStreamUrl getTaskDiffStreamUrl getDraftsStreamUrl getForgeAgents createForgeAgent
`
  .trim()
  .split(/\s+/);

/** Operations that say what another one says, for older clients, or that people, browsers and MCP clients use. */
const WITHOUT_METHOD: readonly string[] = [
  'docs',
  'mcp',
  'webManifest',
  'listProjectTasks',
  'streamProjectTasks',
  'streamTaskAttemptLogs',
];

interface Operation {
  id: string;
  method: string;
  pattern: RegExp;
  fixed: number;
}

const description = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, { operationId?: string }>>;
  components: { schemas: Record<string, unknown> };
};

const operations: Operation[] = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { operationId }]) =>
    operationId === undefined
      ? []
      : [
          {
            id: operationId,
            method: method.toUpperCase(),
            pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`),
            fixed: path.replace(/\{[^}]+\}/g, '').length,
          },
        ],
  ),
);

/** The operation that a request is for: of several that fit, the one with the most fixed text. */
function operationOf(method: string, path: string): string | undefined {
  const fits = operations.filter((operation) => operation.method === method && operation.pattern.test(path));
  return fits.sort((one, two) => two.fixed - one.fixed)[0]?.id;
}

const ID = '00000000-0000-4000-8000-000000000000';

function methods(): string[] {
  const names = new Set<string>();
  for (
    let place: object = ForgeClient.prototype;
    place !== Object.prototype;
    place = Object.getPrototypeOf(place) as object
  ) {
    for (const name of Object.getOwnPropertyNames(place)) names.add(name);
  }
  for (const name of ['constructor', 'baseUrl', 'request', 'get', 'post', 'put', 'drop', 'start', 'streamFrames'])
    names.delete(name);
  return [...names].sort();
}

/** Calls a method in every way it may be called, and tells what it asked for. */
async function requestsOf(name: string): Promise<string[]> {
  const asked = new Set<string>();
  const fetch = (input: unknown, init?: { method?: string }): Promise<Response> => {
    asked.add(`${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`);
    const status = String(input).includes('/api/events') ? 404 : 200;
    return Promise.resolve(new Response('{"success":true,"data":[],"error_data":null,"message":null}', { status }));
  };
  class Refused {
    onclose: ((event: { code: number; reason: string }) => void) | null = null;
    constructor(url: string) {
      asked.add(`GET ${new URL(url).pathname}`);
      queueMicrotask(() => this.onclose?.({ code: 1006, reason: '' }));
    }
    close(): void {}
  }
  const WebSocket = Refused as unknown as typeof globalThis.WebSocket;
  const client = new ForgeClient('http://forge', { fetch: fetch as typeof globalThis.fetch, WebSocket, retries: 0 });
  const method = (client as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!.bind(client);
  const file = name.startsWith('upload') ? new Blob(['x']) : ID;
  const ways = name.startsWith('uploadTask')
    ? [[ID, file]]
    : name.startsWith('upload')
      ? [[file]]
      : [[ID], [ID, ID, ID], [{}]];
  for (const args of name.startsWith('subscribe') ? [[]] : ways) {
    try {
      const result = method(...args);
      if (typeof result === 'string') asked.add(`GET ${new URL(result).pathname}`);
      else if (name === 'subscribeToEvents') {
        await new Promise((resolve) => setTimeout(resolve, 10));
        (result as { close(): void }).close();
      } else if (result instanceof Promise) await result;
      else if (typeof result === 'object' && result !== null && 'next' in result) {
        const items = result as AsyncGenerator<unknown>;
        await items.next().catch(() => undefined);
        await items.return(undefined);
      }
    } catch {
      // Not a way to call this one.
    }
  }
  const isOwn = (call: string): boolean => {
    // A refused socket leads to a plain call, which is not the method's own.
    const socket = name.startsWith('stream') && name !== 'streamEvents';
    return !call.includes('%5Bobject') && (!socket || call.endsWith('/ws'));
  };
  return [...asked].filter(isOwn);
}

describe('the client', () => {
  it('has every method of the founding documents', () => {
    const has = new Set(methods());
    assert.deepEqual(
      FOUNDING.filter((name) => !has.has(name)),
      [],
    );
    assert.equal(FOUNDING.length, 79);
  });

  it('asks only for operations that there are, and has a method for each', async () => {
    const reached = new Set<string>();
    const unknown: string[] = [];
    for (const name of methods()) {
      const requests = await requestsOf(name);
      if (requests.length === 0) unknown.push(`${name} asks for nothing`);
      for (const request of requests) {
        const [method = '', path = ''] = request.split(' ');
        const id = operationOf(method, path);
        if (id === undefined) unknown.push(`${name}: ${request}`);
        else reached.add(id);
      }
    }
    assert.deepEqual(unknown, []);
    const missing = operations.map(({ id }) => id).filter((id) => !reached.has(id) && !WITHOUT_METHOD.includes(id));
    assert.deepEqual(missing, [], 'operations without a method');
  });

  it('takes its types from operations and shapes that there are', () => {
    const folder = join(ROOT, 'clients/typescript/src');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.d.ts'),
    );
    const text = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
    const names = (kind: string): string[] => [
      ...new Set([...text.matchAll(new RegExp(`\\b${kind}<'(\\w+)'>`, 'g'))].map(([, name]) => name!)),
    ];
    const ids = new Set(operations.map(({ id }) => id));
    assert.deepEqual(
      [...names('ReplyOf'), ...names('RequestOf')].filter((name) => !ids.has(name)),
      [],
    );
    assert.deepEqual(
      names('Shape').filter((name) => !(name in description.components.schemas)),
      [],
    );
  });
});
