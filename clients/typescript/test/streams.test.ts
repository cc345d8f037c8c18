// Streams of the real server, cut off again and again: nothing is lost, nothing comes twice.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { ForgeClient, type ForgeEvent, ForgeGoneError, type OutputPiece, type Project } from 'forge-client';
import { Proxy } from './ground/proxy.js';
import { DEADLINE_MS, PROFILE, SOCKET, TestServer, rest } from './ground/server.js';

let server: TestServer;
let client: ForgeClient;
let project: Project;
let proxy: Proxy;
/** The same server behind the proxy. */
let far: ForgeClient;

async function begin(): Promise<void> {
  server = await TestServer.start();
  client = server.client();
  project = await server.project(client);
}

before(async () => {
  await begin();
  proxy = await Proxy.start(() => server.port);
  far = new ForgeClient(proxy.url, { ...SOCKET, timeoutMs: DEADLINE_MS, backoff: { firstMs: 5, mostMs: 50 } });
});
after(async () => {
  await proxy.stop();
  await server.stop();
});

async function run(description: string): Promise<{ attempt: string; process: string }> {
  const started = await client.createAndStartTask({
    task: { project_id: project.id, title: 'Run', description },
    executor_profile_id: PROFILE,
  });
  return { attempt: started.attempt_id, process: String(started.execution_process_id) };
}

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

function text(pieces: OutputPiece[]): string {
  return pieces
    .filter(({ type }) => type === 'STDOUT')
    .map(({ content }) => content)
    .join('');
}

/** The same numbers in every run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('raw logs', () => {
  it('arrive whole over connections that break in the middle of a frame', async () => {
    const { attempt, process } = await run('@flood 4000 100\n@say the end');
    const chance = dice(7);
    // At least a page, or nothing would ever get through; frames are cut wherever it ends.
    proxy.allowance = () => 90_000 + Math.floor(chance() * 200_000);
    const before = proxy.count;
    const pieces = await all(far.streamRawLogs(process));
    proxy.allowance = () => Infinity;
    assert(proxy.count - before > 3, `it was cut ${proxy.count - before - 1} times`);
    await rest(client, attempt);
    const whole = await all(client.streamRawLogs(process));
    assert.equal(text(pieces), text(whole));
    assert.match(text(whole), /line 4000 [^]*the end/);
    assert.deepEqual(
      pieces.map(({ index }) => index),
      pieces.map((_, index) => index),
      'each index once, in order',
    );
    // Whoever notes a position, in whichever piece, misses nothing after it.
    for (const at of [0, 1, Math.floor(pieces.length / 2), pieces.length - 1]) {
      const noted = pieces[at]!;
      const later = await all(client.streamRawLogs(process, { after: noted.position }));
      const first = later[0]?.index ?? noted.index + 1;
      assert(first <= noted.index + 1, `after piece ${at} it goes on at ${first}`);
      assert.equal(text(later), text(pieces.slice(first)));
    }
  });

  for (const way of ['kill9', 'terminate'] as const) {
    it(`go on over ${way} and restart of the server`, async () => {
      const gate = server.fifo();
      const { process } = await run(`@flood 500 100\n@wait-fifo ${gate}\n@flood 500 100\n@say the end`);
      const pieces: OutputPiece[] = [];
      let killed = false;
      for await (const piece of client.streamRawLogs(process)) {
        pieces.push(piece);
        if (!killed && text(pieces).includes('line 500 ')) {
          killed = true;
          await server[way]();
          await server.launch();
          await writeFile(gate, 'go\n');
        }
      }
      assert(killed);
      assert.equal(text(pieces), text(await all(client.streamRawLogs(process))));
      assert.match(text(pieces), /the end/);
    });
  }

  it('are read by a slow reader in little memory', async () => {
    const { process } = await run('@flood 20000 200');
    let seen = 0;
    for await (const piece of client.streamRawLogs(process, { bufferBytes: 64 * 1024 })) {
      seen += piece.content.length;
      if (piece.index % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert(seen > 20_000 * 200);
  });

  it('end when they are left, and when the signal says so', async () => {
    const { attempt, process } = await run('@say hello\n@until-told');
    for await (const _piece of client.streamRawLogs(process)) break;
    const stop = new AbortController();
    const stream = client.streamRawLogs(process, { signal: stop.signal });
    await stream.next();
    const reading = (async () => {
      for await (const _piece of stream);
    })();
    stop.abort(new Error('enough'));
    await assert.rejects(reading, /enough/);
    await client.stopTaskAttemptExecution(attempt);
  });

  it('are found where the URL says', async () => {
    const id = 'abc';
    const base = client.baseUrl.replace('http', 'ws');
    assert.equal(client.getRawLogsStreamUrl(id), `${base}/api/execution-processes/abc/raw-logs/ws`);
    assert.equal(client.getNormalizedLogsStreamUrl(id), `${base}/api/execution-processes/abc/normalized-logs/ws`);
    assert.equal(client.getTaskDiffStreamUrl(id), `${base}/api/task-attempts/abc/diff/ws?stats_only=false`);
    assert.equal(client.getTaskDiffStreamUrl(id, true), `${base}/api/task-attempts/abc/diff/ws?stats_only=true`);
    assert.equal(client.getTasksStreamUrl(id), `${base}/api/tasks/stream/ws?project_id=abc`);
    assert.equal(client.getDraftsStreamUrl(id), `${base}/api/drafts/stream/ws?project_id=abc`);
    assert.equal(
      client.getExecutionProcessesStreamUrl(id),
      `${base}/api/execution-processes/stream/ws?task_attempt_id=abc`,
    );
  });
});

describe('events', () => {
  // A server of their own: what the runs above still have on their way would be told here.
  before(async () => {
    await server.stop();
    await begin();
  });

  async function until(stream: AsyncIterable<ForgeEvent>, last: (event: ForgeEvent) => boolean): Promise<ForgeEvent[]> {
    const found: ForgeEvent[] = [];
    for await (const event of stream) {
      found.push(event);
      if (last(event)) break;
    }
    return found;
  }

  it('arrive each once and in order over connections that break', async () => {
    const start = (await client.streamEvents({ only: ['hello'] }).next()).value?.id;
    const chance = dice(3);
    proxy.allowance = () => 3_000 + Math.floor(chance() * 9_000);
    const before = proxy.count;
    const stop = AbortSignal.timeout(DEADLINE_MS);
    const isLast = (event: ForgeEvent): boolean =>
      event.event === 'task_update' && (event.data as { title: string }).title === 'task 99';
    const reading = until(far.streamEvents({ after: start, signal: stop }), isLast);
    for (let number = 0; number < 100; number += 1) await client.createTask(project.id, { title: `task ${number}` });
    const cut = await reading;
    proxy.allowance = () => Infinity;
    assert(proxy.count - before > 3, `it was cut ${proxy.count - before - 1} times`);
    const whole = await until(client.streamEvents({ after: start, signal: stop }), isLast);
    assert.deepEqual(cut, whole);
    const titles = cut
      .filter(({ event }) => event === 'task_update')
      .map(({ data }) => (data as { title: string }).title);
    assert.deepEqual(
      titles,
      Array.from({ length: 100 }, (_, number) => `task ${number}`),
    );
    assert.equal(cut.filter(({ event }) => event === 'json_patch').length, 100);
    // Whoever goes on between the two messages of an event gets the second one.
    const half = cut.find(({ event, id }) => event === 'json_patch' && id !== start);
    const rest = await client.streamEvents({ after: half?.id, only: ['task_update'], signal: stop }).next();
    assert.equal((rest.value?.data as { title: string }).title, 'task 1');
  });

  it('go on over kill -9 and restart of the server', async () => {
    const stream = client.streamEvents({ only: ['hello', 'task_update'] });
    await stream.next();
    await client.createTask(project.id, { title: 'before' });
    assert.equal(((await stream.next()).value?.data as { title: string }).title, 'before');
    await server.kill9();
    const next = stream.next();
    await server.launch();
    await client.createTask(project.id, { title: 'after' });
    assert.equal(((await next).value?.data as { title: string }).title, 'after');
    await stream.return(undefined);
  });

  it('are heard by listeners, as the founding documents have it', async () => {
    const source = client.subscribeToEvents();
    const completed = new Promise<string>((resolve, reject) => {
      source.onerror = ({ error }) => reject(error);
      source.addEventListener('task_attempt_update', (event) => {
        const data = JSON.parse(event.data) as { status: string; id: string };
        if (data.status === 'completed') resolve(data.id);
      });
    });
    await new Promise((resolve) => source.addEventListener('hello', resolve));
    assert.equal(source.readyState, 1);
    const { attempt } = await run('@say hi');
    assert.equal(await completed, attempt);
    source.close();
    assert.equal(source.readyState, 2);
  });

  it('of another log are not taken for those that were missed', async () => {
    const other = await TestServer.start();
    try {
      await client.createTask(project.id, { title: 'many' });
      let port = server.port;
      const swapped = await Proxy.start(() => port);
      const moved = new ForgeClient(swapped.url, { backoff: { firstMs: 5 } });
      const stream = moved.streamEvents();
      await stream.next();
      port = other.port;
      swapped.cut();
      await assert.rejects(
        stream.next(),
        (error: unknown) => error instanceof ForgeGoneError && error.code === 'position_unknown',
      );
      await swapped.stop();
      // Whoever noted a position and comes back with it is told as well.
      const { value: here } = await client.streamEvents({ only: ['hello'] }).next();
      const late = other.client().streamEvents({ after: here?.id, signal: AbortSignal.timeout(DEADLINE_MS) });
      await assert.rejects(late.next(), ForgeGoneError);
    } finally {
      await other.stop();
    }
  });
});
