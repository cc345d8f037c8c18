// The server's side of a WebSocket, by hand, for tests that want it to misbehave.

import { createHash } from 'node:crypto';
import { type IncomingMessage, type Server, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export class WireServer {
  /** What to do with whoever asks for a WebSocket. */
  met: (request: IncomingMessage, socket: Socket) => void = () => undefined;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((_request, response) => response.writeHead(426).end());
    this.#server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      this.met(request, socket);
    });
  }

  static async start(): Promise<WireServer> {
    const wire = new WireServer();
    await new Promise<void>((resolve) => wire.#server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Breaks every connection there is. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  stop(): void {
    this.cut();
    this.#server.close();
  }
}

export function accept(request: IncomingMessage, socket: Socket, extra = ''): void {
  const key = createHash('sha1')
    .update(String(request.headers['sec-websocket-key']) + GUID)
    .digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\nSec-WebSocket-Protocol: forge\r\n${extra}\r\n`,
  );
}

export function text(content: string): Buffer {
  const payload = Buffer.from(content);
  const head = Buffer.alloc(10);
  head[0] = 0x81;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

export function bye(code: number, reason = ''): Buffer {
  const payload = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]);
  return Buffer.concat([Buffer.from([0x88, payload.length]), payload]);
}

/** What the client sends, unmasked. */
export function listen(socket: Socket, heard: (opcode: number, payload: Buffer) => void): void {
  let held = Buffer.alloc(0);
  socket.on('data', (piece: Buffer) => {
    held = Buffer.concat([held, piece]);
    while (held.length >= 6 && held.length >= 6 + (held[1]! & 0x7f)) {
      if ((held[1]! & 0x80) === 0) throw new Error('clients mask');
      const length = held[1]! & 0x7f;
      const mask = held.subarray(2, 6);
      const payload = Buffer.from(held.subarray(6, 6 + length).map((byte, index) => byte ^ mask[index % 4]!));
      heard(held[0]! & 0x0f, payload);
      held = held.subarray(6 + length);
    }
  });
}
