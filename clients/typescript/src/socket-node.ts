// A WebSocket client over node:http, for Node. Unlike the platform's it sends the token and other headers as such, tells
// why it was refused, holds a fast server back and notices a connection that fell silent.

import { createHash, randomBytes } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import type { Socket } from 'node:net';
import { ForgeNetworkError, ForgeProtocolError, errorOf } from './errors.js';
import { CLOSE, type Arrival, FrameError, FrameReader, PONG, frame } from './frames.js';
import { BROKEN, type Closed, type Connection, type Dial, Inbox } from './socket.js';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const LONGEST_REFUSAL = 64 * 1024;
/** Boards of a hundred thousand tasks come in one message. */
const LONGEST_MESSAGE = 256 * 1024 * 1024;
/** How long the other side may take to close after we did. */
const CLOSING_MS = 2_000;

export function dialNode(dial: Dial): Promise<Connection> {
  return new Promise((resolve, reject) => {
    if (dial.signal.aborted) return reject(dial.signal.reason);
    const url = new URL(dial.url.replace(/^ws/i, 'http'));
    const call = `GET ${url.pathname}`;
    const key = randomBytes(16).toString('base64');
    const asked = (url.protocol === 'https:' ? secure : plain)(url, { headers: handshake(dial, key), agent: false });
    const stop = (): void => give(dial.signal.reason);
    const late = setTimeout(() => give(lost(call, 'the socket did not open in time')), dial.timeoutMs);
    const settle = (): void => {
      clearTimeout(late);
      dial.signal.removeEventListener('abort', stop);
    };
    const give = (error: unknown): void => {
      settle();
      reject(error);
      asked.destroy();
    };
    dial.signal.addEventListener('abort', stop, { once: true });
    asked.on('error', (error) => give(lost(call, error.message, error)));
    asked.on('response', (response) => {
      refusal(response, call).then(give, (error: unknown) => give(lost(call, 'the refusal could not be read', error)));
    });
    asked.on('upgrade', (response: IncomingMessage, socket: Socket, head: Buffer) => {
      const expected = createHash('sha1')
        .update(key + GUID)
        .digest('base64');
      if (
        response.headers['sec-websocket-accept'] !== expected ||
        response.headers['sec-websocket-extensions'] !== undefined
      ) {
        socket.destroy();
        const message = 'the other side does not speak WebSocket as it was asked to';
        return give(new ForgeProtocolError({ code: 'bad_handshake', message, call }));
      }
      settle();
      resolve(new NodeConnection(dial, asked, socket, head));
    });
    asked.end();
  });
}

function handshake(dial: Dial, key: string): Record<string, string> {
  return {
    ...dial.headers,
    ...(dial.token === undefined ? {} : { authorization: `Bearer ${dial.token}` }),
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': key,
    'sec-websocket-protocol': 'forge',
  };
}

function lost(call: string, why: string, cause?: unknown): ForgeNetworkError {
  return new ForgeNetworkError({ code: 'network', message: `${call} was not answered: ${why}`, call, cause });
}

async function refusal(response: IncomingMessage, call: string): Promise<Error> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > LONGEST_REFUSAL) break;
    pieces.push(piece);
  }
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    body = undefined;
  }
  const id = response.headers['x-request-id'];
  return errorOf(response.statusCode ?? 0, body, call, typeof id === 'string' ? id : undefined);
}

class NodeConnection implements Connection {
  readonly #inbox = new Inbox();
  readonly #reader = new FrameReader(LONGEST_MESSAGE);
  readonly #dial: Dial;
  readonly #socket: Socket;
  readonly #stop: () => void;
  #closing = false;

  constructor(dial: Dial, asked: ClientRequest, socket: Socket, head: Buffer) {
    this.#dial = dial;
    this.#socket = socket;
    this.#stop = () => this.#fail({ code: BROKEN, reason: 'given up' });
    dial.signal.addEventListener('abort', this.#stop, { once: true });
    // Errors of the request are the socket's from now on.
    asked.on('error', () => undefined);
    socket.setNoDelay(true);
    socket.setTimeout(dial.idleMs, () => this.#fail({ code: BROKEN, reason: 'nothing was heard for too long' }));
    socket.on('data', (piece: Buffer) => this.#hear(piece));
    socket.on('error', (error) => this.#fail({ code: BROKEN, reason: error.message }));
    socket.on('end', () => this.#fail({ code: BROKEN, reason: 'the connection broke' }));
    socket.on('close', () => this.#fail({ code: BROKEN, reason: 'the connection broke' }));
    if (head.length > 0) this.#hear(head);
  }

  get ended(): number | undefined {
    return this.#inbox.ended;
  }

  async next(): Promise<string | Closed> {
    const message = await this.#inbox.next();
    if (this.#inbox.size <= this.#dial.bufferBytes / 2 && this.#socket.isPaused()) {
      this.#socket.setTimeout(this.#dial.idleMs);
      this.#socket.resume();
    }
    return message;
  }

  close(): void {
    this.#inbox.end({ code: 1000, reason: '' });
    this.#bye(1000);
  }

  #hear(piece: Buffer): void {
    try {
      for (const arrival of this.#reader.push(piece)) this.#take(arrival);
    } catch (error) {
      const code = error instanceof FrameError ? error.code : 1002;
      this.#inbox.end({ code: BROKEN, reason: error instanceof Error ? error.message : 'a broken frame' });
      this.#bye(code);
      return;
    }
    if (this.#inbox.size > this.#dial.bufferBytes && !this.#closing) {
      // The system's buffers fill up, and then the server waits. Silence is ours now.
      this.#socket.setTimeout(0);
      this.#socket.pause();
    }
  }

  #take(arrival: Arrival): void {
    if (this.#closing && arrival.kind !== 'close') return;
    if (arrival.kind === 'text') this.#inbox.put(arrival.text);
    else if (arrival.kind === 'ping') this.#send(PONG, arrival.payload);
    else if (arrival.kind === 'close') {
      this.#inbox.end({ code: arrival.code, reason: arrival.reason });
      if (this.#closing) this.#socket.end();
      else this.#bye(arrival.code === 1005 ? 1000 : arrival.code);
    }
  }

  /** Says that we close, and does not wait for ever until the other side has. */
  #bye(code: number): void {
    if (this.#closing) return;
    this.#closing = true;
    this.#dial.signal.removeEventListener('abort', this.#stop);
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    this.#send(CLOSE, payload);
    this.#socket.setTimeout(CLOSING_MS, () => this.#socket.destroy());
    this.#socket.resume();
    // A process that has nothing else to do need not wait for it.
    this.#socket.unref();
    this.#socket.end();
  }

  #send(opcode: number, payload: Buffer): void {
    if (this.#socket.writable) this.#socket.write(frame(opcode, payload, randomBytes(4)));
  }

  #fail(closed: Closed): void {
    this.#dial.signal.removeEventListener('abort', this.#stop);
    this.#inbox.end(closed);
    this.#closing = true;
    this.#socket.destroy();
  }
}
