// How the event stream comes back, and what its listeners may do, with a server that says what a test wants.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ForgeClient, ForgeGoneError, ForgeNetworkError } from 'forge-client';
import { OddServer } from './ground/odd.js';

type Answer = Parameters<OddServer['answers']>[0];

let odd: OddServer;
let client: ForgeClient;

before(async () => {
  odd = await OddServer.start();
  client = new ForgeClient(odd.url, { backoff: { firstMs: 1, mostMs: 5 } });
});
after(() => odd.stop());

const GREETING = 'retry: 1000\n\n';
const HELLO = 'id: 5\nevent: hello\ndata: {"position":5}\n\n';

/** Sends this and then ends. */
function says(text: string): Answer {
  return (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(GREETING + text);
}

/** Sends this and stays. */
function goesOn(text: string): Answer {
  return (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write(GREETING + text);
}

const signal = (): AbortSignal => AbortSignal.timeout(60_000);

describe('events', () => {
  it('go on after a place that was told without an event', async () => {
    odd.answers(says(`${HELLO}id: 9\n\n`), goesOn('event: task_update\ndata: 1\n\nid: 12\ndata: 2\n\n'));
    const stream = client.streamEvents({ signal: signal() });
    const told = [];
    for (let count = 0; count < 3; count += 1) told.push((await stream.next()).value);
    await stream.return(undefined);
    assert.deepEqual(told, [
      { event: 'hello', id: 5, data: { position: 5 } },
      { event: 'task_update', id: 9, data: 1 },
      { event: 'message', id: 12, data: 2 },
    ]);
    assert.deepEqual(
      odd.seen.map((seen) => seen.headers['last-event-id']),
      [undefined, '9'],
    );
  });

  it('of a log that does not know the position are refused, from the first connection on', async () => {
    odd.answers(goesOn(HELLO));
    const stream = client.streamEvents({ after: 700, signal: signal() });
    await assert.rejects(
      stream.next(),
      (error: unknown) => error instanceof ForgeGoneError && error.code === 'position_unknown',
    );
    assert.equal(odd.seen.length, 1);
  });

  it('of a server that only greets are given up after a while', async () => {
    odd.answers(says(HELLO), says(''));
    const stream = client.streamEvents({ patienceMs: 300, only: [], signal: signal() });
    await assert.rejects(stream.next(), ForgeNetworkError);
    assert(odd.seen.length > 1);
  });
});

describe('what a handler throws', () => {
  it('is reported, and neither ends the stream nor passes for a break', async () => {
    const scope = globalThis as { reportError?: (error: unknown) => void };
    const before = scope.reportError;
    const reported: string[] = [];
    scope.reportError = (error) => reported.push((error as Error).message);
    const fail = (what: string) => (): void => {
      throw new TypeError(what);
    };
    try {
      odd.answers(says('id: 6\ndata: one\n\nid: 7\ndata: two\n\n'), goesOn('id: 8\nevent: last\ndata: x\n\n'));
      const source = client.subscribeToEvents({ after: 5, signal: signal() });
      source.onopen = fail('open');
      source.onmessage = ({ data }) => fail(data)();
      source.onerror = fail('error');
      await new Promise<void>((resolve, reject) => {
        source.addEventListener('last', () => resolve());
        source.addEventListener('error', () => source.readyState === 2 && reject(new Error('it ended')));
      });
      source.close();
      assert.deepEqual(reported, ['open', 'one', 'two', 'error', 'open']);
      assert.equal(odd.seen.length, 2);

      reported.length = 0;
      odd.answers(goesOn('id: 6\ndata: one\n\n'));
      const stream = client.streamEvents({ after: 5, signal: signal(), onOpen: fail('open') });
      assert.equal((await stream.next()).value?.data, 'one');
      await stream.return(undefined);
      assert.deepEqual(reported, ['open']);
      assert.equal(odd.seen.length, 1);
    } finally {
      if (before === undefined) delete scope.reportError;
      else scope.reportError = before;
    }
  });

  it('and a source that was closed tells nothing more', async () => {
    odd.answers(goesOn('id: 6\ndata: one\n\nid: 7\ndata: two\n\n'));
    const heard: string[] = [];
    const source = client.subscribeToEvents({ after: 5, signal: signal() });
    await new Promise<void>((resolve) => {
      source.onmessage = ({ data }) => {
        heard.push(data);
        source.close();
        setImmediate(resolve);
      };
    });
    assert.deepEqual(heard, ['one']);
  });
});
