// Streams over WebSocket that come back by themselves and go on where they were: nothing is lost, nothing comes twice.

import { ForgeError, ForgeNetworkError, ForgeProtocolError, ForgeServerError, isPassing, isRecord } from './errors.js';
import { type Operation, PatchError, apply, steps } from './patch.js';
import { type Closed, type Connection, type Dial, dialWith } from './socket.js';
import type { Query, Transport } from './transport.js';
import { STOOD_MS, delay, leash, pause } from './waiting.js';

export interface StreamOptions {
  /** Ends the stream; reading it then throws the signal's reason. */
  signal?: AbortSignal;
  /** Go on after this position, which an earlier item told. */
  after?: number;
  /** How much text may wait for a slow reader; not of what cannot resume, with a browser's WebSocket. Default: 1 MiB. */
  bufferBytes?: number;
  /**
   * A connection that is silent for so long, pings included, is given up for another; not with a browser's WebSocket.
   * Default: 90,000 ms.
   */
  idleMs?: number;
  /** How long to go on trying while nothing new comes. Default: 5 minutes; `Infinity` is for ever. */
  patienceMs?: number;
}

/** Where a stream is, and whom it is about. */
export interface Source {
  path: string;
  query?: Query;
  /** A plain call that tells what is wrong where a WebSocket that was refused does not say. */
  subject?: string;
  /** Whether it goes on after a position; one that does not begins anew. Not said where it is not known. */
  resumes?: boolean;
}

/** A source as one connection asks for it. */
interface Wanted extends Source {
  /** Whether a slow reader may be disconnected. */
  mayLeave: () => boolean;
}

/** One frame, parsed. */
export interface Frame {
  patch: Operation[] | undefined;
  /** Everything in it. */
  fields: Record<string, unknown>;
  position: number | undefined;
  /** Counts connections: a number that grows says that this is the first frame after a break. */
  connection: number;
}

/** What the reader of frames may say in between. */
export interface Control {
  /** Forget the position: the next connection begins anew. */
  anew: boolean;
  /** What the next connection asks for besides. */
  query?: Query;
}

const LONGEST_PAUSE_MS = 5_000;
/** Closed by us: the document is asked for as a whole. */
const ANEW = 4001;

/** Frames until the stream is finished, over as many connections as it takes. */
export async function* frames(
  transport: Transport,
  source: Source,
  options: StreamOptions,
  control: Control = { anew: false },
): AsyncGenerator<Frame, void, undefined> {
  const own = leash(options.signal);
  let position = options.after;
  let furthest = position ?? -Infinity;
  let patience: Patience | undefined;
  try {
    for (let count = 1; ; count += 1) {
      own.signal.throwIfAborted();
      const query = { ...source.query, ...control.query, after: position };
      // Whether this connection has brought us on: else another one would only bring the same again.
      let moved = false;
      const wanted = { ...source, query, mayLeave: () => moved && source.resumes === true };
      const connection = await reach(transport, wanted, options, own.signal, patience);
      patience ??= new Patience(options);
      const opened = Date.now();
      let closed: Closed;
      try {
        for (;;) {
          const message = await connection.next();
          if (typeof message !== 'string') {
            closed = message;
            break;
          }
          const frame = parse(message, count, source.path);
          if (frame.fields['finished'] !== undefined) return;
          position = frame.position ?? position;
          if (source.resumes !== false && position !== undefined && position > furthest) {
            furthest = position;
            moved = true;
            patience.reset();
          }
          yield frame;
          if (control.anew) {
            control.anew = false;
            position = undefined;
            closed = { code: ANEW, reason: 'what came does not fit what there was' };
            break;
          }
        }
      } finally {
        connection.close();
      }
      own.signal.throwIfAborted();
      if (closed.code === 1000) return;
      // One that stood for a while was no failure, even if there was nothing to tell.
      if ((connection.ended ?? Date.now()) - opened > STOOD_MS) patience.reset();
      await patience.wait(transport, own.signal, ending(closed, source.path));
    }
  } finally {
    own.release();
  }
}

/** How long to go on trying. */
class Patience {
  #failures = 0;
  #since: number | undefined;
  readonly #most: number;

  constructor(options: StreamOptions) {
    this.#most = options.patienceMs ?? 300_000;
  }

  /** It went well. */
  reset(): void {
    this.#failures = 0;
    this.#since = undefined;
  }

  /** Pauses after a failure, or throws it when it has lasted too long. */
  async wait(transport: Transport, signal: AbortSignal, error: unknown): Promise<void> {
    const now = Date.now();
    this.#since ??= now;
    this.#failures += 1;
    if (now - this.#since > this.#most) throw error;
    const backoff = { firstMs: transport.backoff.firstMs, mostMs: LONGEST_PAUSE_MS };
    await delay(pause(backoff, this.#failures), signal);
  }
}

/**
 * Opens a connection. A stream that was open before is waited for with patience; one that never was is tried as often
 * as any other call, so that a wrong address is told soon.
 */
async function reach(
  transport: Transport,
  source: Wanted,
  options: StreamOptions,
  signal: AbortSignal,
  patience: Patience | undefined,
): Promise<Connection> {
  const dial: Dial = {
    url: transport.socketUrl(source.path, source.query),
    token: transport.token,
    signal,
    headers: { ...transport.options.headers },
    bufferBytes: options.bufferBytes ?? 1024 * 1024,
    mayLeave: source.mayLeave,
    timeoutMs: transport.options.timeoutMs ?? 30_000,
    idleMs: options.idleMs ?? 90_000,
  };
  for (let failures = 1; ; failures += 1) {
    try {
      return await connect(transport, dial, source);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!isPassing(error)) throw error;
      if (patience !== undefined) await patience.wait(transport, signal, error);
      else if (failures > (transport.options.retries ?? 3)) throw error;
      else await delay(pause(transport.backoff, failures), signal);
    }
  }
}

async function connect(transport: Transport, dial: Dial, source: Source): Promise<Connection> {
  const { WebSocket: own } = transport.options;
  const implementation = own ?? (isNode() ? undefined : (globalThis as { WebSocket?: typeof WebSocket }).WebSocket);
  if (implementation === undefined) return (await import('#socket-node')).dialNode(dial);
  try {
    return await dialWith(implementation)(dial);
  } catch (error) {
    // A platform's WebSocket does not tell why it was refused: a plain call does.
    if (source.subject !== undefined && error instanceof ForgeNetworkError && !dial.signal.aborted) {
      await transport.json({ method: 'GET', path: source.subject }, { signal: dial.signal, retries: 0 });
    }
    throw error;
  }
}

/** Newer ones have a WebSocket too, but ours does more. What only passes for Node is left to its own. */
function isNode(): boolean {
  const { process } = globalThis as { process?: { versions?: Record<string, string | undefined> } };
  const versions = process?.versions;
  return versions?.['node'] !== undefined && versions['bun'] === undefined && versions['deno'] === undefined;
}

/** What an end without `finished` means, for who has no patience left. */
function ending(closed: Closed, path: string): ForgeError {
  const call = `GET ${path}`;
  const message = closed.reason === '' ? `the stream broke (${closed.code})` : `the stream broke: ${closed.reason}`;
  if (closed.code === 1011) return new ForgeServerError({ code: 'stream_broken', message, call });
  return new ForgeNetworkError({ code: 'network', message, call });
}

function parse(text: string, connection: number, path: string): Frame {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    fields = undefined;
  }
  if (!isRecord(fields)) {
    throw new ForgeProtocolError({
      code: 'bad_frame',
      message: 'a frame that is not a JSON object',
      call: `GET ${path}`,
    });
  }
  const position = typeof fields['position'] === 'number' ? fields['position'] : undefined;
  const patch = Array.isArray(fields['JsonPatch']) ? (fields['JsonPatch'] as Operation[]) : undefined;
  return { patch, fields, position, connection };
}

/** An entry of a log that was added, replaced or taken away. */
export interface EntryChange<T> {
  op: 'add' | 'replace' | 'remove';
  index: number;
  /** None where it was taken away. */
  entry: T | undefined;
  /**
   * Where to go on after this; nothing is the beginning. Of entries that came in one frame only the last has the frame's:
   * whoever goes on after another one may meet some again, by their index, and misses none.
   */
  position: number | undefined;
}

/** The changes of `/entries/<n>`. */
export async function* entries<T>(
  transport: Transport,
  source: Source,
  options: StreamOptions,
): AsyncGenerator<EntryChange<T>, void, undefined> {
  let next = 0;
  let before = options.after;
  for await (const frame of frames(transport, source, options)) {
    const last = frame.patch?.at(-1);
    for (const operation of frame.patch ?? []) {
      const index = Number(steps(operation.path)[1] ?? Number.NaN);
      if (!Number.isInteger(index)) continue;
      if (operation.op === 'add') {
        // A server that tells no position begins anew after a break: what we have is passed over.
        if (frame.position === undefined && index < next) continue;
        next = Math.max(next, index + 1);
      }
      const entry = operation.op === 'remove' ? undefined : (operation.value as T);
      yield { op: operation.op, index, entry, position: operation === last ? frame.position : before };
    }
    before = frame.position ?? before;
  }
}

/** A document as it is after one more change. */
export interface DocumentChange<T> {
  /** The same object each time, changed in place: copy what you want to keep. */
  document: Record<string, T>;
  /** What changed. */
  patch: Operation[];
  /** Whether it was sent as a whole: at the beginning, or where what was missed is not kept any more. */
  whole: boolean;
  position: number | undefined;
}

/** A document is always read from its beginning; after a break it goes on by itself. */
export type DocumentOptions = Omit<StreamOptions, 'after'>;

/** The document under `/<root>`, patched. */
export async function* documents<T>(
  transport: Transport,
  source: Source,
  root: string,
  options: DocumentOptions,
): AsyncGenerator<DocumentChange<T>, void, undefined> {
  const state: Record<string, Record<string, T>> = { [root]: {} };
  const control: Control = { anew: false };
  let connection = 0;
  for await (const frame of frames(transport, source, { ...options, after: undefined }, control)) {
    const came = frame.connection !== connection;
    connection = frame.connection;
    if (came && source.resumes !== true) state[root] = {};
    if (frame.patch === undefined) continue;
    try {
      for (const operation of frame.patch) apply(state, operation);
    } catch (error) {
      if (!(error instanceof PatchError)) throw error;
      // Ours is not what the server thinks it is: it is asked for as a whole.
      control.anew = true;
      continue;
    }
    const whole = frame.patch.some((operation) => operation.path === `/${root}`) || (came && source.resumes !== true);
    yield { document: state[root] ?? {}, patch: frame.patch, whole, position: frame.position };
  }
}
