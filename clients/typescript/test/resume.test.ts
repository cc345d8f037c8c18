// How streams come back, with a server that ends connections in every way there is.

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { ForgeClient, ForgeNetworkError, ForgeNotFoundError, ForgeProtocolError, ForgeServerError } from 'forge-client';
import { WireServer, accept, bye, text } from './ground/wire.js';

let wire: WireServer;
let client: ForgeClient;
/** The queries of the connections there were. */
let asked: (string | null)[];

before(async () => {
  wire = await WireServer.start();
  client = new ForgeClient(wire.url, { backoff: { firstMs: 1, mostMs: 5 }, retries: 1 });
});
after(() => wire.stop());
afterEach(() => wire.cut());

/** Each connection gets the next of these. */
function serve(...connections: (Buffer[] | 'refused')[]): void {
  asked = [];
  wire.met = (request, socket) => {
    asked.push(new URL(request.url ?? '', 'http://x').searchParams.get('after'));
    const frames = connections.length > 1 ? connections.shift()! : connections[0]!;
    if (frames === 'refused') return void socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
    accept(request, socket);
    socket.end(Buffer.concat(frames));
  };
}

function frame(position: number | undefined, ...patch: object[]): Buffer {
  return text(JSON.stringify({ JsonPatch: patch, position }));
}

function line(index: number, position?: number): Buffer {
  return frame(position, { op: 'add', path: `/entries/${index}`, value: { type: 'STDOUT', content: `${index}\n` } });
}

const FINISHED = text('{"finished":true}');

async function read(): Promise<string> {
  let content = '';
  for await (const piece of client.streamRawLogs('p', { patienceMs: 2_000 })) content += piece.content;
  return content;
}

describe('a log', () => {
  it('goes on after the last whole frame, whatever the end was', async () => {
    serve(
      [line(0, 10), line(1, 20), line(2, 30).subarray(0, 20)],
      [bye(1001, 'the server stops')],
      [line(2, 30), bye(1011, 'broken')],
      [line(3, 40), FINISHED, bye(1000)],
    );
    assert.equal(await read(), '0\n1\n2\n3\n');
    assert.deepEqual(asked, [null, '20', '20', '30']);
  });

  it('ends when it is finished, and when the server says that all is well', async () => {
    serve([line(0, 1), FINISHED, line(1, 2)]);
    assert.equal(await read(), '0\n');
    serve([line(0, 1), bye(1000)]);
    assert.equal(await read(), '0\n');
    assert.equal(asked.length, 1);
  });

  it('of a server that tells no position is not told twice', async () => {
    serve([line(0), line(1)], [line(0), line(1), line(2), FINISHED]);
    assert.equal(await read(), '0\n1\n2\n');
    assert.deepEqual(asked, [null, null]);
  });

  it('that does not come back is given up after a while', async () => {
    serve([line(0, 1)], []);
    await assert.rejects(read(), ForgeNetworkError);
    assert(asked.length > 3);
    serve([bye(1011, 'the stream cannot be read on')]);
    await assert.rejects(
      read(),
      (error: unknown) => error instanceof ForgeServerError && error.code === 'stream_broken',
    );
  });

  it('that is gone meanwhile is told as such at once', async () => {
    serve([line(0, 1)], 'refused');
    await assert.rejects(read(), ForgeNotFoundError);
    assert.equal(asked.length, 2);
  });

  it('of something else is refused', async () => {
    serve([text('hello')]);
    await assert.rejects(read(), ForgeProtocolError);
  });
});

describe('a document', () => {
  const whole = (position: number, tasks: object): Buffer =>
    frame(position, { op: 'replace', path: '/tasks', value: tasks });

  async function titles(): Promise<string[]> {
    const seen: string[] = [];
    for await (const change of client.streamTasks('p'))
      seen.push(`${change.whole ? 'whole' : 'patch'} ${Object.keys(change.document).sort().join(',')}`);
    return seen;
  }

  it('is asked for as a whole when a patch does not fit', async () => {
    serve(
      [
        whole(1, { a: {} }),
        frame(2, { op: 'replace', path: '/tasks/b', value: {} }),
        frame(3, { op: 'add', path: '/tasks/c', value: {} }),
      ],
      [whole(9, { a: {}, b: {} }), FINISHED],
    );
    assert.deepEqual(await titles(), ['whole a', 'whole a,b']);
    assert.deepEqual(asked, [null, null]);
  });

  it('goes on with its patches after a break, or with a new whole', async () => {
    serve(
      [whole(1, { a: {} })],
      [frame(2, { op: 'add', path: '/tasks/b', value: {} })],
      [whole(7, { c: {} }), FINISHED],
    );
    assert.deepEqual(await titles(), ['whole a', 'patch a,b', 'whole c']);
    assert.deepEqual(asked, [null, '1', '2']);
  });

  it('that is only ever told again is given up after a while', async () => {
    const options = { patienceMs: 300, signal: AbortSignal.timeout(60_000) };
    const all = (root: string, position: number): Buffer =>
      frame(position, { op: 'replace', path: `/${root}`, value: { a: {} } });
    const again: [AsyncIterable<unknown>, Buffer[]][] = [
      [client.streamTasks('p', options), [all('tasks', 1)]],
      // Its position is that of the server's log, which moves by itself.
      [client.streamTaskDiff('a', options), Array.from({ length: 200 }, (_, number) => all('entries', number))],
    ];
    for (const [stream, told] of again) {
      serve(...told.map((frame) => [frame, bye(1011, 'broken')]));
      await assert.rejects(
        async () => {
          for await (const _change of stream);
        },
        (error: unknown) => error instanceof ForgeServerError && error.code === 'stream_broken',
      );
      assert(asked.length > 1 && asked.length < 200, `there were ${asked.length} connections`);
    }
  });

  it('that does not resume begins empty after a break', async () => {
    const diff = (path: string): Buffer =>
      frame(1, { op: 'add', path: `/entries/${path}`, value: { type: 'DIFF', content: {} } });
    serve([diff('a'), diff('gone')], [diff('a'), FINISHED]);
    const seen: string[] = [];
    for await (const change of client.streamTaskDiff('x')) seen.push(Object.keys(change.document).join(','));
    assert.deepEqual(seen, ['a', 'a,gone', 'a']);
  });
});

describe('output of a run', () => {
  it('goes on with the process that it began with', async () => {
    const processes: (string | null)[] = [];
    serve(
      [text('{"Stdout":"a","execution_process_id":"p1","position":5}')],
      [text('{"Stderr":"b","execution_process_id":"p1","position":6}'), FINISHED],
    );
    const met = wire.met;
    wire.met = (request, socket) => {
      processes.push(new URL(request.url ?? '', 'http://x').searchParams.get('execution_process_id'));
      met(request, socket);
    };
    const pieces: string[] = [];
    for await (const piece of client.streamExecutionRunLogs('r'))
      pieces.push(`${piece.type} ${piece.content} ${piece.processId} ${piece.position}`);
    assert.deepEqual(pieces, ['STDOUT a p1 5', 'STDERR b p1 6']);
    assert.deepEqual(processes, [null, 'p1']);
    assert.deepEqual(asked, [null, '5']);
  });
});
