// What a client makes of good and bad answers, with a server that gives both.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  ForgeAuthError,
  ForgeBadRequestError,
  ForgeClient,
  ForgeConflictError,
  ForgeError,
  ForgeGoneError,
  ForgeInvalidError,
  ForgeNetworkError,
  ForgeNotFoundError,
  ForgeProtocolError,
  ForgeRefusedError,
  ForgeServerError,
  ForgeTimeoutError,
  ForgeUnavailableError,
} from 'forge-client';
import { OddServer, hangUp, json, ok, refuse, silence } from './ground/odd.js';

let odd: OddServer;
let client: ForgeClient;

before(async () => {
  odd = await OddServer.start();
});
after(() => odd.stop());
beforeEach(() => {
  client = new ForgeClient(odd.url, { backoff: { firstMs: 1, mostMs: 5 } });
});

describe('a call', () => {
  it('sends token, headers, query and body, and gives what is in the envelope', async () => {
    odd.answers(ok({ id: 'p' }));
    const other = new ForgeClient(`${odd.url}///`, { token: 't0ken', headers: { 'x-mine': '1' } });
    assert.deepEqual(await other.createProject({ name: 'n', git_repo_path: '/r' }), { id: 'p' });
    const [seen] = odd.seen;
    assert.equal(seen?.method, 'POST');
    assert.equal(seen.url, '/api/projects');
    assert.equal(seen.headers.authorization, 'Bearer t0ken');
    assert.equal(seen.headers['x-mine'], '1');
    assert.deepEqual(JSON.parse(seen.body), { name: 'n', git_repo_path: '/r' });
  });

  it('takes a token in place of options, as the founding documents do', async () => {
    odd.answers(ok([]));
    await new ForgeClient(odd.url, 'secret').listProjects();
    assert.equal(odd.seen[0]?.headers.authorization, 'Bearer secret');
  });

  it('escapes what stands in paths and queries', async () => {
    odd.answers(ok(null));
    await client.getTag('a/../b?c#d');
    await client.deleteTaskAttemptFile('id', 'a b&c=d.txt');
    assert.equal(odd.seen[0]?.url, '/api/tags/a%2F..%2Fb%3Fc%23d');
    assert.equal(odd.seen[1]?.url, '/api/task-attempts/id/delete-file?file_path=a+b%26c%3Dd.txt');
    assert.throws(() => client.getTag('..'), TypeError);
    assert.throws(() => client.getTag(''), TypeError);
  });

  it('gives answers without an envelope as they are', async () => {
    odd.answers(json(200, { status: 'ok', service: 'forge' }), json(200, { success: true, message: 'pulled' }));
    assert.deepEqual(await client.healthCheck(), { status: 'ok', service: 'forge' });
    assert.deepEqual(await client.pullProject('p'), { success: true, message: 'pulled' });
  });

  it('gives a page of text as an error and not as data', async () => {
    odd.answers((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'));
    await assert.rejects(client.listProjects(), ForgeProtocolError);
  });

  it('gives bytes', async () => {
    odd.answers((response) => response.writeHead(200, { 'content-type': 'audio/wav' }).end(Buffer.from([1, 2, 3])));
    const sound = await client.getNotificationSound('X');
    assert.equal(sound.type, 'audio/wav');
    assert.deepEqual([...new Uint8Array(await sound.arrayBuffer())], [1, 2, 3]);
  });
});

describe('an error', () => {
  const kinds: [number, new (...args: never[]) => ForgeError][] = [
    [400, ForgeBadRequestError],
    [401, ForgeAuthError],
    [403, ForgeAuthError],
    [404, ForgeNotFoundError],
    [405, ForgeBadRequestError],
    [409, ForgeConflictError],
    [410, ForgeGoneError],
    [413, ForgeBadRequestError],
    [422, ForgeInvalidError],
    [500, ForgeServerError],
    [503, ForgeUnavailableError],
  ];
  for (const [status, kind] of kinds) {
    it(`of status ${status} is a ${kind.name} with everything that was said`, async () => {
      odd.answers(refuse(status, 'some_code'));
      const failed = client.createTask({ project_id: 'p', title: 't' });
      await assert.rejects(failed, (error: unknown) => {
        assert(error instanceof kind);
        assert(error instanceof ForgeError);
        assert.equal(error.name, kind.name);
        const { code, hint, requestId, message, call } = error;
        assert.deepEqual(
          { status: error.status, code, hint, requestId, message, call },
          {
            status,
            code: 'some_code',
            hint: 'do otherwise',
            requestId: 'r-1',
            message: 'refused: some_code',
            call: 'POST /api/tasks',
          },
        );
        return true;
      });
      assert.equal(odd.seen.length, 1);
    });
  }

  it('under a good status, as older servers give, is one all the same', async () => {
    const typed = { type: 'merge_conflicts', message: 'a.txt', op: 'rebase' };
    odd.answers(
      json(200, { success: false, data: null, error_data: null, message: 'already there' }),
      json(200, { success: false, data: null, error_data: typed, message: null }),
      json(200, { success: false, data: null, error_data: 'TOKEN_INVALID', message: null }),
    );
    await assert.rejects(
      client.rebaseTaskAttempt('a', 'main'),
      (error: unknown) => error instanceof ForgeRefusedError && error.message === 'already there',
    );
    await assert.rejects(
      client.rebaseTaskAttempt('a'),
      (error: unknown) =>
        error instanceof ForgeRefusedError && error.code === 'merge_conflicts' && error.data !== undefined,
    );
    await assert.rejects(
      client.createTaskAttemptPullRequest('a', { title: 't' }),
      (error: unknown) => error instanceof ForgeRefusedError && error.code === 'TOKEN_INVALID',
    );
  });

  it('without a body still tells status and call', async () => {
    odd.answers((response) => response.writeHead(404, { 'x-request-id': 'r-9' }).end());
    await assert.rejects(
      client.getProject('p'),
      (error: unknown) => error instanceof ForgeNotFoundError && error.code === 'http_404' && error.requestId === 'r-9',
    );
  });
});

describe('a failure that passes', () => {
  it('is tried again where the call is idempotent', async () => {
    odd.answers(refuse(503, 'busy'), hangUp, refuse(502, 'gateway'), ok([1]));
    assert.deepEqual(await client.listProjects(), [1]);
    assert.equal(odd.seen.length, 4);
    odd.answers(hangUp, ok({ id: 't' }));
    await client.updateTask('t', { title: 'x' });
    assert.deepEqual(
      odd.seen.map((seen) => seen.method),
      ['PUT', 'PUT'],
    );
  });

  it('is told after as many tries as were allowed', async () => {
    odd.answers(refuse(503, 'busy'));
    await assert.rejects(client.listProjects(), ForgeUnavailableError);
    assert.equal(odd.seen.length, 4);
    odd.answers(refuse(503, 'busy'));
    await assert.rejects(client.listProjects({ retries: 0 }), ForgeUnavailableError);
    assert.equal(odd.seen.length, 1);
  });

  it('is not tried again where something could be done twice', async () => {
    for (const answer of [hangUp, refuse(503, 'busy')]) {
      odd.answers(answer, ok({ id: 't' }));
      await assert.rejects(client.createTask({ project_id: 'p', title: 't' }));
      assert.equal(odd.seen.length, 1);
    }
    odd.answers(hangUp, ok({}));
    await assert.rejects(client.updateDraft('a', 'follow_up', { prompt: 'x', version: 3 }), ForgeNetworkError);
    assert.equal(odd.seen.length, 1);
    odd.answers(hangUp, ok({}));
    await client.updateDraft('a', 'follow_up', { prompt: 'x' });
    assert.equal(odd.seen.length, 2);
    // With the id of an attempt this is a follow-up.
    for (const update of [
      () => client.updateTask('a', { description: 'And a logout button' }),
      () => client.updateTask('p', 'a', { description: '' }),
    ]) {
      odd.answers(hangUp, ok({}));
      await assert.rejects(update(), ForgeNetworkError);
      assert.equal(odd.seen.length, 1);
    }
    odd.answers(hangUp, ok({}));
    await client.updateTask('p', 't', { title: 'x', description: null });
    assert.equal(odd.seen.length, 2);
  });

  it('of a start is tried again under the same key, and another start has another', async () => {
    odd.answers(hangUp, refuse(503, 'busy'), ok({ id: 't' }));
    const request = { task: { project_id: 'p', title: 't' }, executor_profile_id: 'CLAUDE_CODE', base_branch: 'main' };
    await client.createAndStartTask(request);
    await client.createAndStartTask('p', { title: 't', executor_profile_id: 'CLAUDE_CODE' });
    await client.createTaskAttempt({ task_id: 't', executor_profile_id: 'CLAUDE_CODE' }, { idempotencyKey: 'mine' });
    const keys = odd.seen.map((seen) => seen.headers['idempotency-key']);
    assert.equal(keys.length, 5);
    assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
    assert.equal(keys[1], keys[0]);
    assert.equal(keys[2], keys[0]);
    assert.notEqual(keys[3], keys[0]);
    assert.equal(keys[4], 'mine');
    assert.deepEqual(odd.seen.map((seen) => seen.url).slice(2), [
      '/api/tasks/create-and-start',
      '/api/projects/p/tasks/create-and-start',
      '/api/task-attempts',
    ]);
  });

  it('of a deletion whose answer was lost ends well when it is gone', async () => {
    odd.answers(hangUp, refuse(404, 'not_found'));
    await client.deleteTask('t');
    assert.equal(odd.seen.length, 2);
    odd.answers(refuse(404, 'not_found'));
    await assert.rejects(client.deleteTask('t'), ForgeNotFoundError);
    // Refused is answered: then the second answer counts.
    odd.answers(refuse(503, 'busy'), refuse(404, 'not_found'));
    await assert.rejects(client.deleteTask('t'), ForgeNotFoundError);
  });

  it('waits as long as the server asks for', async () => {
    odd.answers(refuse(429, 'slow_down', { 'retry-after': '1' }), ok([]));
    const began = performance.now();
    await client.listProjects();
    assert(performance.now() - began >= 990);
  });

  it('in the middle of an answer is one too', async () => {
    odd.answers(
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"success":tr');
        setImmediate(() => response.destroy());
      },
      ok([7]),
    );
    assert.deepEqual(await client.listProjects(), [7]);
  });
});

describe('time', () => {
  it('is limited for each try', async () => {
    odd.answers(silence, ok([3]));
    assert.deepEqual(await client.listProjects({ timeoutMs: 500 }), [3]);
    odd.answers(silence);
    await assert.rejects(client.listProjects({ timeoutMs: 20, retries: 1 }), ForgeTimeoutError);
    assert.equal(odd.seen.length, 2);
  });

  it('covers the body as well as the head', async () => {
    odd.answers((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    });
    await assert.rejects(client.listProjects({ timeoutMs: 50, retries: 0 }), ForgeTimeoutError);
  });

  it('ends when the caller says so, during a call and between two tries', async () => {
    odd.answers(silence);
    const during = new AbortController();
    const reason = new Error('enough');
    const call = client.listProjects({ signal: during.signal });
    setTimeout(() => during.abort(reason), 20);
    await assert.rejects(call, reason);
    odd.answers(refuse(503, 'busy', { 'retry-after': '30' }));
    const between = new AbortController();
    const waits = client.listProjects({ signal: between.signal });
    setTimeout(() => between.abort(reason), 50);
    await assert.rejects(waits, reason);
    await assert.rejects(client.listProjects({ signal: AbortSignal.abort(reason) }), reason);
  });

  it('leaves no listener on a signal that is used for many calls', async () => {
    const long = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = long.signal;
    long.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => (
      (listeners += 1),
      addEventListener.apply(long.signal, args)
    );
    long.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => (
      (listeners -= 1),
      removeEventListener.apply(long.signal, args)
    );
    odd.answers(ok([]));
    for (let count = 0; count < 5; count += 1) await client.listProjects({ signal: long.signal });
    assert.equal(listeners, 0);
  });
});

describe('a server that is not there', () => {
  it('is told as such', async () => {
    const nobody = new ForgeClient('http://127.0.0.1:9', { retries: 1, backoff: { firstMs: 1 } });
    await assert.rejects(nobody.listProjects(), ForgeNetworkError);
    await assert.rejects(nobody.streamRawLogs('p').next(), ForgeNetworkError);
    await assert.rejects(nobody.streamEvents().next(), ForgeNetworkError);
  });
});

describe('pages', () => {
  it('are read one after the other, each when it is needed', async () => {
    const page = (items: number[], next?: string) => ok(items, next === undefined ? {} : { 'x-next-cursor': next });
    odd.answers(page([1, 2], 'c/1'), hangUp, page([3], 'c2'), page([]));
    const items: unknown[] = [];
    for await (const task of client.eachTask('p', { limit: 2 })) {
      if (items.push(task) === 2) assert.equal(odd.seen.length, 1);
    }
    assert.deepEqual(items, [1, 2, 3]);
    const urls = odd.seen.map((seen) => seen.url);
    assert.deepEqual(urls, [
      '/api/tasks?project_id=p&limit=2',
      '/api/tasks?project_id=p&limit=2&cursor=c%2F1',
      '/api/tasks?project_id=p&limit=2&cursor=c%2F1',
      '/api/tasks?project_id=p&limit=2&cursor=c2',
    ]);
  });
});
