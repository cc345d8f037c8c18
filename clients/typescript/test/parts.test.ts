// The parts that need no server: frames, patches, server-sent events, pauses.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventParser, type RawEvent } from '#internal/events.js';
import { type Arrival, CLOSE, CONTINUED, FrameError, FrameReader, PING, TEXT, frame } from '#internal/frames.js';
import { type Operation, PatchError, apply } from '#internal/patch.js';
import { Inbox } from '#internal/socket.js';
import { delay, pause, safely } from '#internal/waiting.js';

/** A frame as a server sends it. */
function sent(opcode: number, payload: Buffer, final = true, extra = 0): Buffer {
  const first = (final ? 0x80 : 0) | opcode | extra;
  if (payload.length < 126) return Buffer.concat([Buffer.from([first, payload.length]), payload]);
  const head = Buffer.alloc(payload.length < 65_536 ? 4 : 10);
  head[0] = first;
  if (head.length === 4) {
    head[1] = 126;
    head.writeUInt16BE(payload.length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
  }
  return Buffer.concat([head, payload]);
}

function read(bytes: Buffer, size: number, most = 1 << 20): Arrival[] {
  const reader = new FrameReader(most);
  const arrived: Arrival[] = [];
  for (let at = 0; at < bytes.length; at += size) arrived.push(...reader.push(bytes.subarray(at, at + size)));
  return arrived;
}

const closing = Buffer.concat([Buffer.from([0x03, 0xe9]), Buffer.from('bye')]);

describe('frames', () => {
  it('are the same however the bytes are cut', () => {
    const long = 'ä'.repeat(40_000);
    const bytes = Buffer.concat([
      sent(TEXT, Buffer.from('short')),
      sent(TEXT, Buffer.alloc(0)),
      sent(TEXT, Buffer.from('x'.repeat(126))),
      sent(TEXT, Buffer.from('in t'), false),
      sent(PING, Buffer.from('you there?')),
      // The cut goes through a character.
      sent(CONTINUED, Buffer.from('hree €').subarray(0, 6), false),
      sent(CONTINUED, Buffer.from('hree €').subarray(6)),
      sent(TEXT, Buffer.from(long)),
      sent(CLOSE, closing),
    ]);
    const expected: Arrival[] = [
      { kind: 'text', text: 'short' },
      { kind: 'text', text: '' },
      { kind: 'text', text: 'x'.repeat(126) },
      { kind: 'ping', payload: Buffer.from('you there?') },
      { kind: 'text', text: 'in three €' },
      { kind: 'text', text: long },
      { kind: 'close', code: 1001, reason: 'bye' },
    ];
    for (const size of [1, 2, 3, 5, 7, 64, 4096, bytes.length])
      assert.deepEqual(read(bytes, size), expected, `cut by ${size}`);
  });

  it('that break the protocol are refused with the right code', () => {
    const masked = Buffer.from([0x81, 0x80, 1, 2, 3, 4]);
    const huge = Buffer.concat([Buffer.from([0x81, 127]), Buffer.from('ffffffffffffffff', 'hex')]);
    const cases: [string, Buffer, number][] = [
      ['a masked frame', masked, 1002],
      ['an extension', sent(TEXT, Buffer.from('x'), true, 0x40), 1002],
      ['a rest without a beginning', sent(CONTINUED, Buffer.from('x')), 1002],
      [
        'a message within a message',
        Buffer.concat([sent(TEXT, Buffer.from('x'), false), sent(TEXT, Buffer.from('y'))]),
        1002,
      ],
      ['a ping in pieces', sent(PING, Buffer.from('x'), false), 1002],
      ['a long ping', sent(PING, Buffer.alloc(126)), 1002],
      ['bytes', sent(0x2, Buffer.from('x')), 1003],
      ['an unknown frame', sent(0x5, Buffer.from('x')), 1002],
      ['no UTF-8', sent(TEXT, Buffer.from([0xff])), 1007],
      ['half a closing code', sent(CLOSE, Buffer.from([3])), 1002],
      ['a length beyond all', huge, 1009],
      ['a message too long', sent(TEXT, Buffer.alloc(2000, 'x')), 1009],
      [
        'pieces too long',
        Buffer.concat([sent(TEXT, Buffer.alloc(900), false), sent(CONTINUED, Buffer.alloc(900))]),
        1009,
      ],
    ];
    for (const [what, bytes, code] of cases) {
      assert.throws(
        () => read(bytes, bytes.length, 1000),
        (error: unknown) => error instanceof FrameError && error.code === code,
        what,
      );
    }
  });

  it('of ours are masked', () => {
    const made = frame(0xa, Buffer.from('pong'), Buffer.from([1, 2, 3, 4]));
    assert.deepEqual([...made], [0x8a, 0x84, 1, 2, 3, 4, 0x70 ^ 1, 0x6f ^ 2, 0x6e ^ 3, 0x67 ^ 4]);
  });
});

describe('patches', () => {
  function patched(document: object, ...operations: Operation[]): object {
    for (const operation of operations) apply(document, operation);
    return document;
  }

  it('add, replace and remove', () => {
    const changed = patched(
      { tasks: {}, list: [1, 2] },
      { op: 'add', path: '/tasks/a', value: { n: 1 } },
      { op: 'replace', path: '/tasks/a/n', value: 2 },
      { op: 'add', path: '/tasks/b~1c~0d', value: 3 },
      { op: 'add', path: '/list/-', value: 4 },
      { op: 'add', path: '/list/0', value: 0 },
      { op: 'remove', path: '/list/1' },
      { op: 'replace', path: '/list/0', value: 9 },
    );
    assert.deepEqual(changed, { tasks: { a: { n: 2 }, 'b/c~d': 3 }, list: [9, 2, 4] });
    assert.deepEqual(patched({ a: 1 }, { op: 'remove', path: '/a' }), {});
  });

  it('for another document are refused', () => {
    const bad: Operation[] = [
      { op: 'replace', path: '/tasks/x', value: 1 },
      { op: 'remove', path: '/tasks/x' },
      { op: 'add', path: '/nothing/x', value: 1 },
      { op: 'add', path: '/list/3', value: 1 },
      { op: 'add', path: '/list/01', value: 1 },
      { op: 'replace', path: '/list/2', value: 1 },
      { op: 'replace', path: '', value: 1 },
      { op: 'add', path: 'tasks', value: 1 },
      { op: 'replace', path: '/tasks/toString', value: 1 },
      { op: 'add', path: '/tasks/constructor/prototype/x', value: 1 },
    ];
    for (const operation of bad)
      assert.throws(() => apply({ tasks: {}, list: [1, 2] }, operation), PatchError, operation.path);
  });

  it('cannot reach what every object has', () => {
    const document = patched({ tasks: {} }, { op: 'add', path: '/tasks/__proto__', value: { evil: true } }) as {
      tasks: Record<string, unknown>;
    };
    assert.deepEqual(Object.keys(document.tasks), ['__proto__']);
    assert.equal(({} as Record<string, unknown>)['evil'], undefined);
    assert.equal(document.tasks['evil'], undefined);
  });
});

describe('server-sent events', () => {
  const text =
    '\uFEFFretry: 1000\n\n: comment\n\nid: 1\nevent: hello\ndata: {"position":1}\n\r\ndata\r\ndata:  two\r\n\r\nevent: only a name\n\nid: 2\rdata: x\r\r\nid: 3\ndata: y\n\n: still here\nid: 7\n\n';
  const expected: RawEvent[] = [
    { event: 'hello', id: '1', data: '{"position":1}' },
    { event: 'message', id: undefined, data: '\n two' },
    { event: 'message', id: '2', data: 'x' },
    { event: 'message', id: '3', data: 'y' },
    { event: 'message', id: '7', data: undefined },
  ];

  it('are the same however the text is cut', () => {
    for (const size of [1, 2, 3, 5, 1000]) {
      const parser = new EventParser();
      const found: RawEvent[] = [];
      for (let at = 0; at < text.length; at += size) found.push(...parser.push(text.slice(at, at + size)));
      assert.deepEqual(found, expected, `cut by ${size}`);
    }
  });
});

describe('waiting', () => {
  it('grows, is spread and has an end', () => {
    const backoff = { firstMs: 100, mostMs: 1000 };
    assert.deepEqual(
      [1, 2, 3, 4, 5, 9].map((failures) => pause(backoff, failures, () => 1)),
      [100, 200, 400, 800, 1000, 1000],
    );
    assert.deepEqual(
      [1, 5].map((failures) => pause(backoff, failures, () => 0)),
      [50, 500],
    );
  });

  it('is left when it is not wanted any more', async () => {
    const reason = new Error('enough');
    const stop = new AbortController();
    const waits = delay(60_000, stop.signal);
    stop.abort(reason);
    await assert.rejects(waits, reason);
    await assert.rejects(delay(0, AbortSignal.abort(reason)), reason);
  });
});

describe("a user's handler", () => {
  it('throws where nobody catches it when the platform cannot report it', () => {
    const { queueMicrotask, reportError } = globalThis;
    const queued: (() => void)[] = [];
    try {
      Object.assign(globalThis, { queueMicrotask: (task: () => void) => queued.push(task), reportError: undefined });
      safely(() => undefined);
      safely(() => {
        throw new TypeError('mine');
      });
    } finally {
      Object.assign(globalThis, { queueMicrotask, reportError });
    }
    assert.equal(queued.length, 1);
    assert.throws(queued[0]!, /mine/);
  });
});

describe('an inbox', () => {
  it('gives out what came before the end, and knows how much waits', async () => {
    const inbox = new Inbox();
    for (let count = 0; count < 3000; count += 1) inbox.put(String(count % 10));
    assert.equal(inbox.size, 3000);
    for (let count = 0; count < 3000; count += 1) assert.equal(await inbox.next(), String(count % 10));
    assert.equal(inbox.size, 0);
    const waits = inbox.next();
    inbox.put('last');
    inbox.put('very last');
    inbox.end({ code: 1000, reason: '' });
    inbox.put('too late');
    assert.equal(await waits, 'last');
    assert.equal(await inbox.next(), 'very last');
    assert.deepEqual(await inbox.next(), { code: 1000, reason: '' });
    assert.deepEqual(await inbox.next(), { code: 1000, reason: '' });
  });
});
