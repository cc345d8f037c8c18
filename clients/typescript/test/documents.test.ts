// Documents that are kept up to date over connections that break: in the end they are what a plain call tells.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DocumentChange, ForgeClient, type Project, type Task } from 'forge-client';
import { Proxy } from './ground/proxy.js';
import { DEADLINE_MS, PROFILE, SOCKET, TestServer, rest } from './ground/server.js';

const NOBODY = '00000000-0000-4000-8000-000000000000';

let server: TestServer;
let client: ForgeClient;
let project: Project;
let proxy: Proxy;
let far: ForgeClient;

before(async () => {
  server = await TestServer.start();
  client = server.client();
  project = await server.project(client);
  proxy = await Proxy.start(() => server.port);
  far = new ForgeClient(proxy.url, { ...SOCKET, timeoutMs: DEADLINE_MS, backoff: { firstMs: 5, mostMs: 50 } });
});
after(async () => {
  await proxy.stop();
  await server.stop();
});

/** The document once it is as wanted. */
async function until<T>(
  stream: AsyncIterable<DocumentChange<T>>,
  wanted: (document: Record<string, T>) => boolean,
): Promise<Record<string, T>> {
  for await (const change of stream) {
    if (wanted(change.document)) return change.document;
  }
  throw new Error('the stream ended');
}

function keyed<T extends { id: string }>(items: T[]): Record<string, T> {
  return Object.fromEntries(items.map((item) => [item.id, item]));
}

/** Makes, changes and deletes tasks; the last one is called so. */
async function edit(count: number, last: string): Promise<void> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    ids.push((await client.createTask(project.id, { title: `task ${number}` })).id);
    if (number % 3 === 1) await client.updateTask(ids[number - 1]!, { title: `changed ${number}` });
    if (number % 5 === 4) await client.deleteTask(ids[number - 2]!);
  }
  await client.createTask(project.id, { title: last });
}

function has(title: string): (document: Record<string, Task>) => boolean {
  return (document) => Object.values(document).some((task) => task.title === title);
}

describe('the tasks of a project', () => {
  it('are patched to what the list tells, however often the connection breaks', async () => {
    const stop = AbortSignal.timeout(DEADLINE_MS);
    let size = 20_000;
    // Room for the whole document and a little more, so that each connection gets on.
    proxy.allowance = () => (size += 2_000);
    const before = proxy.count;
    const reading = until(far.streamTasks(project.id, { signal: stop }), has('the last'));
    const straight = until(client.streamTasks(project.id, { signal: stop }), has('the last'));
    await edit(100, 'the last');
    const expected = keyed(await client.listTasks(project.id));
    assert.deepEqual(await reading, expected);
    assert.deepEqual(await straight, expected);
    proxy.allowance = () => Infinity;
    assert(proxy.count - before > 1, 'it was cut');
  });

  it('go on without a snapshot after a break', async () => {
    const stream = far.streamTasks(project.id, { signal: AbortSignal.timeout(DEADLINE_MS) });
    const first = (await stream.next()).value as DocumentChange<Task>;
    assert.equal(first.whole, true);
    proxy.cut();
    const made = await client.createTask(project.id, { title: 'meanwhile' });
    const next = (await stream.next()).value as DocumentChange<Task>;
    assert.equal(next.whole, false);
    assert.deepEqual(
      next.patch.map(({ op, path }) => [op, path]),
      [['add', `/tasks/${made.id}`]],
    );
    assert.deepEqual(next.document, keyed(await client.listTasks(project.id)));
    await stream.return(undefined);
  });

  it('survive kill -9 of the server', async () => {
    const reading = until(
      client.streamTasks(project.id, { signal: AbortSignal.timeout(DEADLINE_MS) }),
      has('after the restart'),
    );
    await client.createTask(project.id, { title: 'before the restart' });
    await server.kill9();
    await server.launch();
    await client.createTask(project.id, { title: 'after the restart' });
    assert.deepEqual(await reading, keyed(await client.listTasks(project.id)));
  });

  it('of a project that does not exist are empty', async () => {
    const stream = client.streamTasks(NOBODY, { signal: AbortSignal.timeout(DEADLINE_MS) });
    assert.deepEqual(((await stream.next()).value as DocumentChange<Task>).document, {});
    await stream.return(undefined);
  });

  it('end with their project', async () => {
    const other = await server.project(client);
    const stream = client.streamTasks(other.id, { signal: AbortSignal.timeout(DEADLINE_MS) });
    await stream.next();
    await client.deleteProject(other.id);
    for await (const _change of stream);
  });
});

describe('other documents', () => {
  it('tell of projects and processes', async () => {
    const stop = AbortSignal.timeout(DEADLINE_MS);
    const projects = until(client.streamProjects({ signal: stop }), (document) =>
      Object.values(document).some(({ name }) => name === 'seen'),
    );
    const made = await server.project(client, { name: 'seen' });
    assert.deepEqual((await projects)[made.id], made);
    const started = await client.createAndStartTask(project.id, {
      title: 'Run',
      description: '@say hi',
      executor_profile_id: PROFILE,
    });
    const ended = until(client.streamExecutionProcesses(started.id, { signal: stop }), (document) =>
      Object.values(document).some(({ status }) => status === 'completed'),
    );
    assert.deepEqual(Object.keys(await ended), [started.execution_process_id]);
    await rest(client, started.id);
  });
});

describe('pages', () => {
  it('give every task once, in the order of the list', async () => {
    const whole = (await client.listTasks(project.id)).map(({ id }) => id);
    const paged: string[] = [];
    for await (const task of client.eachTask(project.id, { limit: 7 })) {
      paged.push(task.id);
      // What is added meanwhile comes before, and moves nothing.
      if (paged.length === 10) await client.createTask(project.id, { title: 'new' });
    }
    assert.deepEqual(paged, whole);
    const page = await client.pageOfTasks(project.id, { limit: 2 });
    assert.equal(page.items.length, 2);
    assert(page.cursor !== undefined);
  });
});
