// What every area of the API builds on. ForgeClient is one class in several files: each area adds to the one before.

import {
  type CallOptions,
  type ForgeClientOptions,
  type Method,
  type Outgoing,
  type Query,
  type StartOptions,
  Transport,
} from '../transport.js';

export abstract class Calls {
  protected readonly transport: Transport;

  /**
   * @param baseUrl where the server listens; default: `http://127.0.0.1:8887`
   * @param options a token, or everything that may be set
   */
  constructor(baseUrl?: string, options: string | ForgeClientOptions = {}) {
    this.transport = new Transport(baseUrl, typeof options === 'string' ? { token: options } : options);
  }

  /** The server's address. */
  get baseUrl(): string {
    return this.transport.base;
  }

  /** Any call, for what has no method yet: its `data`. */
  request<T = unknown>(
    method: Method,
    path: string,
    rest: Omit<Outgoing, 'method' | 'path'> & CallOptions = {},
  ): Promise<T> {
    const { query, body, raw, idempotencyKey, repeatable, ...options } = rest;
    return this.transport.json<T>({ method, path, query, body, raw, idempotencyKey, repeatable }, options);
  }

  protected get<T>(path: string, query: Query | undefined, options: CallOptions | undefined): Promise<T> {
    return this.transport.json<T>({ method: 'GET', path, query }, options);
  }

  protected post<T>(path: string, body: unknown, options: CallOptions | undefined, query?: Query): Promise<T> {
    return this.transport.json<T>({ method: 'POST', path, body, query }, options);
  }

  protected put<T>(path: string, body: unknown, options: CallOptions | undefined, query?: Query): Promise<T> {
    return this.transport.json<T>({ method: 'PUT', path, body, query }, options);
  }

  protected async drop(path: string, query: Query | undefined, options: CallOptions | undefined): Promise<void> {
    await this.transport.json<unknown>({ method: 'DELETE', path, query }, options);
  }

  /** A POST that starts something: with a key, so that a try whose answer was lost is not done twice. */
  protected start<T>(path: string, body: unknown, options: StartOptions | undefined): Promise<T> {
    const idempotencyKey = options?.idempotencyKey ?? randomKey();
    return this.transport.json<T>({ method: 'POST', path, body, idempotencyKey }, options);
  }
}

/** `randomUUID` is not there on pages that came over plain HTTP from another machine. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
