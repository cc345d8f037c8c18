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
