// A small HTTP server that answers as a test tells it to, one request after the other.

import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

type Answer = (response: ServerResponse, seen: Seen) => void;

export class OddServer {
  readonly seen: Seen[] = [];
  #answers: Answer[] = [];
  #always: Answer = (response) => response.writeHead(500).end();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  static async start(): Promise<OddServer> {
    const odd = new OddServer();
    await new Promise<void>((resolve) => odd.#server.listen(0, '127.0.0.1', resolve));
    return odd;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What to answer, in order; the last is repeated. */
  answers(...answers: Answer[]): void {
    this.seen.length = 0;
    this.#answers = answers.slice(0, -1);
    this.#always = answers.at(-1) ?? this.#always;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
    const seen = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(pieces).toString(),
    };
    this.seen.push(seen);
    (this.#answers.shift() ?? this.#always)(response, seen);
  }
}

export function ok(data: unknown, headers: Record<string, string> = {}): Answer {
  return json(200, { success: true, data, error_data: null, message: null }, headers);
}

export function refuse(status: number, code: string, headers: Record<string, string> = {}): Answer {
  const error_data = { code, hint: 'do otherwise', request_id: 'r-1' };
  return json(status, { success: false, data: null, error_data, message: `refused: ${code}` }, headers);
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** The connection breaks before anything is answered. */
export const hangUp: Answer = (response) => void response.socket?.destroy();

/** Nothing is ever answered. */
export const silence: Answer = () => undefined;
