// Our own WebSocket client, against a server that speaks the protocol well, badly or not at all.

import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, afterEach, before, describe, it } from 'node:test';
import { ForgeClient, ForgeNotFoundError, ForgeNetworkError, ForgeProtocolError } from 'forge-client';
import { dialNode } from '#internal/socket-node.js';
import { BROKEN, type Dial, OVERFLOW, dialWith } from '#internal/socket.js';
import { WireServer, accept, bye, listen, text } from './ground/wire.js';

let wire: WireServer;

before(async () => {
  wire = await WireServer.start();
});
after(() => wire.stop());
afterEach(() => wire.cut());

function dial(fields: Partial<Dial> = {}): Dial {
  const signal = new AbortController().signal;
  return {
    url: `${wire.url.replace('http', 'ws')}/x/ws`,
    token: undefined,
    signal,
    headers: {},
    bufferBytes: 64 * 1024,
    mayLeave: () => true,
    timeoutMs: 30_000,
    idleMs: 30_000,
    ...fields,
  };
}

describe('our WebSocket', () => {
  it('asks as it should, answers pings and closes in turn', async () => {
    const heard: [number, string][] = [];
    let asked: IncomingMessage | undefined;
    const closed = new Promise<void>((resolve) => {
      wire.met = (request, socket) => {
        asked = request;
        accept(request, socket);
        listen(socket, (opcode, payload) => {
          heard.push([opcode, payload.toString('hex')]);
          if (opcode === 0xa) socket.write(Buffer.concat([text('after the pong'), bye(1000)]));
        });
        socket.on('end', () => resolve());
        socket.write(Buffer.concat([text('€'), Buffer.from([0x89, 2, 0x68, 0x69])]));
      };
    });
    const connection = await dialNode(dial({ token: 'tok', headers: { 'x-mine': '1' } }));
    assert.equal(await connection.next(), '€');
    assert.equal(await connection.next(), 'after the pong');
    assert.deepEqual(await connection.next(), { code: 1000, reason: '' });
    await closed;
    assert.deepEqual(heard, [
      [0xa, '6869'],
      [0x8, '03e8'],
    ]);
    assert.equal(asked?.headers.authorization, 'Bearer tok');
    assert.equal(asked.headers['x-mine'], '1');
    assert.equal(asked.headers['sec-websocket-version'], '13');
    assert.equal(asked.headers['sec-websocket-protocol'], 'forge');
    assert.equal(asked.headers['sec-websocket-extensions'], undefined);
  });

  it('says goodbye when it is closed by us', async () => {
    const said = new Promise<string>((resolve) => {
      wire.met = (request, socket) => {
        accept(request, socket);
        listen(socket, (opcode, payload) => opcode === 8 && resolve(payload.toString('hex')));
      };
    });
    const connection = await dialNode(dial());
    connection.close();
    assert.equal(await said, '03e8');
    assert.deepEqual(await connection.next(), { code: 1000, reason: '' });
  });

  it('tells why it was refused', async () => {
    const body = JSON.stringify({
      success: false,
      data: null,
      error_data: { code: 'not_found', hint: 'look', request_id: 'r' },
      message: 'no such process',
    });
    wire.met = (_request, socket) =>
      void socket.end(`HTTP/1.1 404 Not Found\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await assert.rejects(
      dialNode(dial()),
      (error: unknown) => error instanceof ForgeNotFoundError && error.code === 'not_found' && error.hint === 'look',
    );
  });

  it('does not believe a wrong handshake', async () => {
    wire.met = (_request, socket) =>
      void socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: bm8=\r\n\r\n',
      );
    await assert.rejects(dialNode(dial()), ForgeProtocolError);
    wire.met = (request, socket) => accept(request, socket, 'Sec-WebSocket-Extensions: permessage-deflate\r\n');
    await assert.rejects(dialNode(dial()), ForgeProtocolError);
  });

  it('tells a broken connection from a closed one, and gives what came before', async () => {
    wire.met = (request, socket) => {
      accept(request, socket);
      socket.end(Buffer.concat([text('whole'), text('never whole').subarray(0, 15)]));
    };
    const connection = await dialNode(dial());
    assert.equal(await connection.next(), 'whole');
    const end = await connection.next();
    assert(typeof end !== 'string' && end.code === BROKEN);
  });

  it('leaves a server that breaks the protocol', async () => {
    const said = new Promise<string>((resolve) => {
      wire.met = (request, socket) => {
        accept(request, socket);
        listen(socket, (opcode, payload) => opcode === 8 && resolve(payload.toString('hex')));
        socket.write(Buffer.concat([text('good'), Buffer.from([0x81, 1, 0xff])]));
      };
    });
    const connection = await dialNode(dial());
    assert.equal(await connection.next(), 'good');
    const end = await connection.next();
    assert(typeof end !== 'string' && end.code === BROKEN);
    assert.equal(await said, '03ef');
  });

  it('gives up on silence, on a slow opening and when it is told to', async () => {
    wire.met = (request, socket) => accept(request, socket);
    const silent = await dialNode(dial({ idleMs: 50 }));
    const end = await silent.next();
    assert(typeof end !== 'string' && end.code === BROKEN);
    wire.met = () => undefined;
    await assert.rejects(dialNode(dial({ timeoutMs: 50 })), ForgeNetworkError);
    const stop = new AbortController();
    const waits = dialNode(dial({ signal: stop.signal }));
    stop.abort(new Error('enough'));
    await assert.rejects(waits, /enough/);
  });

  it('holds a fast server back while its reader is slow, and loses nothing', async () => {
    const count = 2_000;
    const content = 'x'.repeat(16 * 1024);
    let written = 0;
    let stalled = (): void => undefined;
    const held = new Promise<void>((resolve) => (stalled = resolve));
    wire.met = (request, socket) => {
      accept(request, socket);
      const write = (): void => {
        while (written < count) {
          written += 1;
          if (!socket.write(text(`${written} ${content}`))) {
            // Nobody takes it for a while: then it is held back.
            const timer = setTimeout(stalled, 300);
            socket.once('drain', () => (clearTimeout(timer), write()));
            return;
          }
        }
        socket.write(bye(1000));
      };
      write();
    };
    const connection = await dialNode(dial());
    await held;
    assert(written < count, `${written} of ${count} were taken although nobody reads`);
    for (let number = 1; number <= count; number += 1) {
      const message = await connection.next();
      assert.equal(String(message).split(' ')[0], String(number));
    }
    assert.deepEqual(await connection.next(), { code: 1000, reason: '' });
  });
});

describe('in Node', () => {
  it('ours is taken even where the platform has one, and tells why it was refused', async () => {
    const scope = globalThis as { WebSocket?: unknown };
    const theirs = scope.WebSocket;
    scope.WebSocket = class {
      constructor() {
        throw new Error('the platform was asked');
      }
    };
    try {
      const error_data = { code: 'no_transcript' };
      const body = JSON.stringify({ success: false, data: null, error_data, message: 'none' });
      let mine: unknown;
      wire.met = (request, socket) => {
        mine = request.headers['x-mine'];
        socket.end(`HTTP/1.1 404 Not Found\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      };
      const client = new ForgeClient(wire.url, { headers: { 'x-mine': '1' } });
      await assert.rejects(
        client.streamNormalizedLogs('p').next(),
        (error: unknown) => error instanceof ForgeNotFoundError && error.code === 'no_transcript',
      );
      assert.equal(mine, '1');
    } finally {
      if (theirs === undefined) delete scope.WebSocket;
      else scope.WebSocket = theirs;
    }
  });
});

/** A platform's WebSocket as far as we use it. */
class FakeSocket {
  static last: FakeSocket | undefined;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: (() => void) | null = null;
  closedWith: number | undefined;
  constructor(
    readonly url: string,
    readonly protocols: string[],
  ) {
    FakeSocket.last = this;
    queueMicrotask(() => this.begin());
  }
  begin(): void {
    this.onopen?.();
  }
  close(code?: number): void {
    this.closedWith ??= code ?? 1005;
  }
}

describe("a platform's WebSocket", () => {
  it('offers the token as a protocol, and is left when its reader is slow', async () => {
    const connection = await dialWith(FakeSocket as unknown as typeof WebSocket)(
      dial({ token: 'tok', bufferBytes: 100 }),
    );
    const socket = FakeSocket.last!;
    assert.deepEqual(socket.protocols, ['forge', 'forge.token.tok']);
    for (let number = 0; number < 5; number += 1) socket.onmessage?.({ data: `${number} ${'x'.repeat(40)}` });
    assert.equal(socket.closedWith, OVERFLOW);
    const numbers: string[] = [];
    for (;;) {
      const message = await connection.next();
      if (typeof message !== 'string') {
        assert.equal(message.code, OVERFLOW);
        break;
      }
      numbers.push(message.split(' ')[0]!);
    }
    assert.deepEqual(numbers, ['0', '1', '2'], 'what did not fit comes with the next connection');
  });

  /** Sends all that there is as soon as it is open: what came after the position asked for, if it resumes. */
  function flood(resumes: boolean): { client: ForgeClient; asked: { after: string | null; at: number }[] } {
    const asked: { after: string | null; at: number }[] = [];
    class Flood extends FakeSocket {
      override begin(): void {
        super.begin();
        const after = new URL(this.url).searchParams.get('after');
        asked.push({ after, at: performance.now() });
        // A livelock comes to an end, and fails.
        if (asked.length > 50) return this.onclose?.({ code: 1000, reason: '' });
        const first = resumes ? Number(after ?? 0) + 1 : 1;
        const send = (number: number): void => {
          const value = { type: 'STDOUT', content: `${number} ${'x'.repeat(100)}` };
          const patch = [{ op: 'add', path: `/entries/${number - 1}`, value }];
          this.onmessage?.({ data: JSON.stringify({ JsonPatch: patch, position: resumes ? number : 1 }) });
        };
        setImmediate(() => {
          if (first <= 20) send(first);
          setImmediate(() => {
            for (let number = first + 1; number <= 20; number += 1) send(number);
            this.onmessage?.({ data: '{"finished":true}' });
          });
        });
      }
    }
    const client = new ForgeClient('http://127.0.0.1:9', {
      WebSocket: Flood as unknown as typeof WebSocket,
      backoff: { firstMs: 40 },
    });
    return { client, asked };
  }

  it('is left by a slow reader of what resumes, who comes back after a pause', async () => {
    const { client, asked } = flood(true);
    const indices: number[] = [];
    const pauses: number[] = [];
    let read = 0;
    let connections = 1;
    for await (const { index } of client.streamRawLogs('p', { bufferBytes: 1000 })) {
      if (asked.length > connections) pauses.push(asked[connections++]!.at - read);
      indices.push(index);
      await new Promise((resolve) => setTimeout(resolve, 5));
      read = performance.now();
    }
    assert.deepEqual(
      indices,
      Array.from({ length: 20 }, (_, index) => index),
    );
    assert(asked.length > 1 && asked.length < 20, `there were ${asked.length} connections`);
    assert(asked.slice(1).every(({ after }) => after !== null));
    assert(Math.min(...pauses) > 18, `it paused for ${pauses.join(', ')} ms`);
  });

  it('is never left where the stream would begin anew', async () => {
    const { client, asked } = flood(false);
    let files = 0;
    for await (const { document } of client.streamTaskDiff('a', { bufferBytes: 1000, patienceMs: 500 })) {
      files = Object.keys(document).length;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(files, 20);
    assert.equal(asked.length, 1);
    // A log of a server that tells no more than one position does not come further either.
    const old = flood(false);
    let pieces = 0;
    for await (const _piece of old.client.streamRawLogs('p', { bufferBytes: 1000, patienceMs: 500, after: 1 })) {
      pieces += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(pieces, 20);
    assert.equal(old.asked.length, 1);
  });

  it('that is refused is explained by a plain call', async () => {
    class Refused extends FakeSocket {
      override begin(): void {
        this.onclose?.({ code: BROKEN, reason: '' });
      }
    }
    const answer = new Response(
      JSON.stringify({ success: false, data: null, error_data: { code: 'not_found' }, message: 'gone' }),
      { status: 404 },
    );
    const asked: string[] = [];
    const client = new ForgeClient('http://127.0.0.1:9', {
      WebSocket: Refused as unknown as typeof WebSocket,
      fetch: (input) => (asked.push(String(input)), Promise.resolve(answer)),
    });
    await assert.rejects(client.streamRawLogs('p').next(), ForgeNotFoundError);
    assert.deepEqual(asked, ['http://127.0.0.1:9/api/execution-processes/p']);
  });
});
