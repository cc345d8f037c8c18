// One HTTP exchange: address, token, time limit, tries, envelope. Every call and the event stream go through here.

import {
  ForgeError,
  ForgeNetworkError,
  ForgeNotFoundError,
  ForgeProtocolError,
  ForgeTimeoutError,
  errorOf,
  isPassing,
  isRecord,
} from './errors.js';
import { type Backoff, delay, leash, pause } from './waiting.js';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
export type QueryValue = string | number | boolean | null | undefined;
export type Query = Record<string, QueryValue>;

/** How a client behaves; everything has a default. */
export interface ForgeClientOptions {
  /** Sent as `Authorization: Bearer …`. A server bound to loopback needs none. */
  token?: string;
  /** In place of the global `fetch`. */
  fetch?: typeof fetch;
  /** In place of our own in Node, and of the global `WebSocket` elsewhere. */
  WebSocket?: typeof WebSocket;
  /** How long one try of a call may take, answer included. Default: 30,000 ms. */
  timeoutMs?: number;
  /** How often an idempotent call is tried again after a passing failure. Default: 3. */
  retries?: number;
  /** The pauses between tries. Default: from 100 ms up to 2 s. */
  backoff?: Partial<Backoff>;
  /** Sent with every call. */
  headers?: Record<string, string>;
}

/** What one call may do differently. */
export interface CallOptions {
  /** Ends the call; it then throws the signal's reason. */
  signal?: AbortSignal;
  timeoutMs?: number;
  retries?: number;
  headers?: Record<string, string>;
}

/** For calls that start something: repeated with the same key they give the same answer. */
export interface StartOptions extends CallOptions {
  /** Default: a new random key, which makes the tries of this one call safe. */
  idempotencyKey?: string;
}

/** A call, before it is sent. */
export interface Outgoing {
  method: Method;
  /** Below the base URL: `/api/tasks`. */
  path: string;
  query?: Query;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, with the content type that fetch gives it. */
  raw?: BodyInit;
  idempotencyKey?: string;
  /** False for a PUT that depends on what was there: a second try would meet the first one's doing. */
  repeatable?: boolean;
}

/** What came back. */
export interface Incoming<T> {
  value: T;
  status: number;
  headers: Headers;
}

const IDEMPOTENT: ReadonlySet<Method> = new Set<Method>(['GET', 'HEAD', 'PUT', 'DELETE']);
const DEFAULT_BASE = 'http://127.0.0.1:8887';
const LONGEST_RETRY_AFTER_MS = 30_000;

type Read<T> = (response: Response, call: string) => Promise<T>;

export class Transport {
  readonly base: string;
  readonly token: string | undefined;
  readonly options: ForgeClientOptions;
  readonly backoff: Backoff;
  readonly #fetch: typeof fetch;

  constructor(baseUrl: string | undefined, options: ForgeClientOptions) {
    this.base = (baseUrl ?? DEFAULT_BASE).replace(/\/+$/, '');
    this.token = options.token === '' ? undefined : options.token;
    this.options = options;
    this.backoff = { firstMs: 100, mostMs: 2_000, ...options.backoff };
    // Called through the global object: browsers refuse a fetch that was taken off it.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  url(path: string, query: Query = {}): string {
    const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
    return `${this.base}${path}${text === '' ? '' : `?${text}`}`;
  }

  /** The same place as a WebSocket's address. */
  socketUrl(path: string, query: Query = {}): string {
    return this.url(path, query).replace(/^http/i, 'ws');
  }

  headers(extra: Record<string, string> = {}): Record<string, string> {
    const all: Record<string, string> = { ...this.options.headers, ...extra };
    if (this.token !== undefined) all['authorization'] = `Bearer ${this.token}`;
    return all;
  }

  /** `data` of the answer's envelope, or the whole answer where it has none. */
  async json<T>(outgoing: Outgoing, options: CallOptions = {}): Promise<T> {
    return (await this.exchange<T>(outgoing, options)).value;
  }

  async exchange<T>(outgoing: Outgoing, options: CallOptions = {}): Promise<Incoming<T>> {
    return this.#persist(outgoing, options, (response, call) => readJson<T>(response, call));
  }

  /** The answer's bytes. */
  async blob(outgoing: Outgoing, options: CallOptions = {}): Promise<Blob> {
    const read = async (response: Response, call: string): Promise<Blob> => {
      if (response.ok) return response.blob();
      return readJson<never>(response, call);
    };
    return (await this.#persist(outgoing, options, read)).value;
  }

  /** An answer whose body goes on; only its beginning is limited in time. One try. */
  async open(outgoing: Outgoing, signal: AbortSignal, headers: Record<string, string>): Promise<Response> {
    const call = `${outgoing.method} ${outgoing.path}`;
    const waiting = leash(signal);
    const timer = this.#limit(waiting, this.options.timeoutMs, call);
    try {
      const init = { method: outgoing.method, headers: this.headers(headers), signal: waiting.signal };
      const response = await this.#fetch(this.url(outgoing.path, outgoing.query), init);
      if (!response.ok) await readJson<never>(response, call);
      // From here on the caller's signal alone ends it, which the leash passes on.
      return response;
    } catch (error) {
      waiting.release();
      throw failure(error, waiting.signal, signal, call);
    } finally {
      clearTimeout(timer);
    }
  }

  async #persist<T>(outgoing: Outgoing, options: CallOptions, read: Read<T>): Promise<Incoming<T>> {
    const safe = IDEMPOTENT.has(outgoing.method) || outgoing.idempotencyKey !== undefined;
    const retries = safe && outgoing.repeatable !== false ? (options.retries ?? this.options.retries ?? 3) : 0;
    let unanswered = false;
    for (let failures = 0; ; ) {
      try {
        return await this.#once(outgoing, options, read);
      } catch (error) {
        // A first try whose answer was lost may have deleted it: then this one did what was asked.
        if (unanswered && outgoing.method === 'DELETE' && error instanceof ForgeNotFoundError) {
          return { value: null as T, status: 204, headers: new Headers() };
        }
        if (!isPassing(error) || failures >= retries) throw error;
        failures += 1;
        unanswered ||= error instanceof ForgeNetworkError || error instanceof ForgeTimeoutError;
        await delay(Math.max(pause(this.backoff, failures), retryAfter(error)), options.signal);
      }
    }
  }

  async #once<T>(outgoing: Outgoing, options: CallOptions, read: Read<T>): Promise<Incoming<T>> {
    const call = `${outgoing.method} ${outgoing.path}`;
    options.signal?.throwIfAborted();
    const waiting = leash(options.signal);
    const timer = this.#limit(waiting, options.timeoutMs ?? this.options.timeoutMs, call);
    try {
      const init = this.#request(outgoing, options, waiting.signal);
      const response = await this.#fetch(this.url(outgoing.path, outgoing.query), init);
      const value = await read(response, call);
      return { value, status: response.status, headers: response.headers };
    } catch (error) {
      throw failure(error, waiting.signal, options.signal, call);
    } finally {
      clearTimeout(timer);
      waiting.release();
    }
  }

  #request(outgoing: Outgoing, options: CallOptions, signal: AbortSignal): RequestInit {
    const headers = this.headers({ accept: 'application/json', ...options.headers });
    if (outgoing.idempotencyKey !== undefined) headers['idempotency-key'] = outgoing.idempotencyKey;
    const init: RequestInit = { method: outgoing.method, headers, signal };
    if (outgoing.body !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(outgoing.body);
    } else if (outgoing.raw !== undefined) {
      init.body = outgoing.raw;
    }
    return init;
  }

  #limit(
    waiting: ReturnType<typeof leash>,
    timeoutMs: number | undefined,
    call: string,
  ): ReturnType<typeof setTimeout> | undefined {
    const limit = timeoutMs ?? 30_000;
    if (!Number.isFinite(limit)) return undefined;
    const message = `${call} was not answered within ${limit} ms`;
    return setTimeout(() => waiting.abort(new ForgeTimeoutError({ code: 'timeout', message, call })), limit);
  }
}

/** What a fetch that threw means: our time limit, the caller's signal, or the network. */
function failure(error: unknown, ours: AbortSignal, theirs: AbortSignal | undefined, call: string): unknown {
  if (error instanceof ForgeError) return error;
  if (theirs?.aborted) return theirs.reason;
  if (ours.aborted) return ours.reason;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '';
  return new ForgeNetworkError({ code: 'network', message: `${call} was not answered${why}`, call, cause: error });
}

async function readJson<T>(response: Response, call: string): Promise<T> {
  const text = await response.text();
  let body: unknown;
  try {
    body = text === '' ? undefined : JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (!response.ok) {
    const error = errorOf(response.status, body, call, response.headers.get('x-request-id'));
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    if (Number.isFinite(seconds)) RETRY_AFTER.set(error, seconds * 1_000);
    throw error;
  }
  if (text !== '' && body === undefined) {
    const message = `${call} was answered with something that is not JSON`;
    throw new ForgeProtocolError({ status: response.status, code: 'not_json', message, call });
  }
  if (!isRecord(body) || typeof body['success'] !== 'boolean') return body as T;
  if (!body['success']) throw errorOf(response.status, body, call, response.headers.get('x-request-id'));
  if (!('data' in body)) return body as T;
  // Some answers carry fields beside the envelope's, and nothing in `data`.
  const beside = Object.keys(body).some((key) => !ENVELOPE.has(key));
  return (beside && body['data'] === null ? body : body['data']) as T;
}

const ENVELOPE: ReadonlySet<string> = new Set(['success', 'data', 'error_data', 'message']);
const RETRY_AFTER = new WeakMap<object, number>();

function retryAfter(error: unknown): number {
  const asked = error instanceof ForgeError ? (RETRY_AFTER.get(error) ?? 0) : 0;
  return Math.min(Math.max(asked, 0), LONGEST_RETRY_AFTER_MS);
}

/** One part of a path. */
export function part(text: string): string {
  // `.` and `..` would be taken for steps in the path even when they are escaped.
  if (text === '' || text === '.' || text === '..') {
    throw new TypeError(`${JSON.stringify(text)} cannot stand in a path`);
  }
  return encodeURIComponent(text);
}
