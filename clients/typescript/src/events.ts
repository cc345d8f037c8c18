// `GET /api/events` over fetch: server-sent events with our token, that come back and go on where they were.

import { ForgeGoneError, ForgeNetworkError, ForgeProtocolError, isPassing } from './errors.js';
import type { StreamOptions } from './streams.js';
import type { Transport } from './transport.js';
import { STOOD_MS, delay, leash, pause, safely } from './waiting.js';

/** One message of the event stream. */
export interface ForgeEvent<T = unknown> {
  /** `task_update`, `json_patch`, … */
  event: string;
  /** Where to go on after this. Of the messages that tell one event only the last has its number, the others that before. */
  id: number | undefined;
  data: T;
}

export interface EventsOptions extends StreamOptions {
  /** Only these names. */
  only?: readonly string[];
  /** One encoding only, where the server knows this: named messages, or `json_patch`. Default: both. */
  format?: 'events' | 'json_patch';
  /** Only what concerns this project, where the server can tell. */
  projectId?: string;
  /** Told once for each connection that was made. What it throws is reported, and ends nothing. */
  onOpen?: () => void;
  /** Told of a break that will be mended. */
  onBreak?: (error: unknown) => void;
}

/** A message as it came. */
export interface RawEvent {
  event: string;
  /** Its own id; what came before does not count. */
  id: string | undefined;
  /** None in one that only moves the place: its id counts, and it is told to nobody. */
  data: string | undefined;
}

const LONGEST_PAUSE_MS = 5_000;
const LONGEST_MESSAGE = 64 * 1024 * 1024;

/** Reads messages out of text that is cut anywhere. */
export class EventParser {
  #rest = '';
  #event = '';
  #data: string[] = [];
  #id: string | undefined;
  #first = true;

  push(text: string): RawEvent[] {
    const found: RawEvent[] = [];
    this.#rest += text;
    if (this.#first && this.#rest !== '') {
      this.#first = false;
      if (this.#rest.startsWith('\uFEFF')) this.#rest = this.#rest.slice(1);
    }
    let start = 0;
    for (;;) {
      const end = this.#lineEnd(start);
      if (end === undefined) break;
      const event = this.#line(this.#rest.slice(start, end.at));
      if (event !== undefined) found.push(event);
      start = end.next;
    }
    this.#rest = this.#rest.slice(start);
    return found;
  }

  get held(): number {
    return this.#rest.length;
  }

  #lineEnd(from: number): { at: number; next: number } | undefined {
    const feed = this.#rest.indexOf('\n', from);
    const turn = this.#rest.indexOf('\r', from);
    if (turn === -1 || (feed !== -1 && feed < turn)) return feed === -1 ? undefined : { at: feed, next: feed + 1 };
    // The other half of a line's end may still be on its way.
    if (turn + 1 === this.#rest.length) return undefined;
    return { at: turn, next: this.#rest[turn + 1] === '\n' ? turn + 2 : turn + 1 };
  }

  #line(line: string): RawEvent | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    let value = colon === -1 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    return undefined;
  }

  #dispatch(): RawEvent | undefined {
    const data = this.#data.length === 0 ? undefined : this.#data.join('\n');
    const event = { event: this.#event === '' ? 'message' : this.#event, id: this.#id, data };
    this.#event = '';
    this.#data = [];
    this.#id = undefined;
    return event.data === undefined && event.id === undefined ? undefined : event;
  }
}

/** Messages until the signal is aborted, over as many connections as it takes. */
export async function* events(
  transport: Transport,
  options: EventsOptions,
): AsyncGenerator<ForgeEvent, void, undefined> {
  const own = leash(options.signal);
  const patienceMs = options.patienceMs ?? 300_000;
  let after = options.after;
  let furthest = after ?? -Infinity;
  // Of the messages that tell one event only the last has its number. The others wait for it: given out at once, they
  // would come a second time after a break in between.
  let numbered = after !== undefined;
  let waiting: ForgeEvent[] = [];
  let failures = 0;
  let failing: number | undefined;
  let opened = false;
  const wentWell = (): void => {
    failures = 0;
    failing = undefined;
  };
  try {
    for (;;) {
      let since = Infinity;
      try {
        const resumed = after !== undefined;
        waiting = [];
        for await (const raw of connection(transport, options, own.signal, after, () => {
          opened = true;
          since = Date.now();
          safely(() => options.onOpen?.());
        })) {
          if (raw === undefined) continue;
          const event = read(raw);
          if (event.event === 'hello' && resumed) throw forgotten(after);
          numbered ||= event.id !== undefined;
          const heard = raw.data !== undefined && (options.only === undefined || options.only.includes(event.event));
          if (heard) waiting.push(event);
          // A server that numbers nothing is older, and cannot be resumed.
          if (numbered && event.id === undefined) continue;
          const before = after;
          after = event.id ?? after;
          if (after !== undefined && after > furthest) {
            furthest = after;
            wentWell();
          }
          const told = waiting;
          waiting = [];
          for (const message of told) yield { ...message, id: message === event ? event.id : before };
        }
        throw new ForgeNetworkError({ code: 'network', message: 'the event stream broke', call: 'GET /api/events' });
      } catch (error) {
        if (own.signal.aborted) throw own.signal.reason;
        if (!isPassing(error)) throw error;
        // To be greeted is no progress: a server that only does that fails.
        if (Date.now() - since > STOOD_MS) wentWell();
        failures += 1;
        failing ??= Date.now();
        const given = opened ? Date.now() - failing > patienceMs : failures > (transport.options.retries ?? 3);
        if (given) throw error;
        safely(() => options.onBreak?.(error));
        const backoff = { firstMs: transport.backoff.firstMs, mostMs: LONGEST_PAUSE_MS };
        await delay(pause(backoff, failures), own.signal);
      }
    }
  } finally {
    own.release();
  }
}

/** The messages of one connection; nothing at all for a sign of life. */
async function* connection(
  transport: Transport,
  options: EventsOptions,
  signal: AbortSignal,
  after: number | undefined,
  opened: () => void,
): AsyncGenerator<RawEvent | undefined, void, undefined> {
  const own = leash(signal);
  const silent = new ForgeNetworkError({
    code: 'network',
    message: 'the event stream fell silent',
    call: 'GET /api/events',
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const query = { after, project_id: options.projectId, format: options.format };
  const headers: Record<string, string> = { accept: 'text/event-stream' };
  if (after !== undefined) headers['last-event-id'] = String(after);
  try {
    const response = await transport.open({ method: 'GET', path: '/api/events', query }, own.signal, headers);
    if (response.body === null) throw silent;
    opened();
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const parser = new EventParser();
    for (;;) {
      // Only while we wait: a reader that takes its time is no silence of the server's.
      timer = setTimeout(() => own.abort(silent), options.idleMs ?? 90_000);
      const piece = await reader.read();
      clearTimeout(timer);
      if (piece.done) return;
      yield undefined;
      yield* parser.push(decoder.decode(piece.value, { stream: true }));
      if (parser.held > LONGEST_MESSAGE) {
        throw new ForgeProtocolError({
          code: 'bad_frame',
          message: 'an event that does not end',
          call: 'GET /api/events',
        });
      }
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (own.signal.aborted) throw own.signal.reason;
    if (error instanceof TypeError || (error instanceof Error && error.name === 'AbortError')) {
      throw new ForgeNetworkError({
        code: 'network',
        message: 'the event stream broke',
        call: 'GET /api/events',
        cause: error,
      });
    }
    throw error;
  } finally {
    clearTimeout(timer);
    own.abort(silent);
    own.release();
  }
}

function read(raw: RawEvent): ForgeEvent {
  const id = raw.id === undefined || raw.id === '' ? undefined : Number(raw.id);
  let data: unknown = raw.data;
  try {
    data = JSON.parse(raw.data ?? '');
  } catch {
    // Text is told as it is.
  }
  return { event: raw.event, id: Number.isFinite(id) ? id : undefined, data };
}

/** The server began anew where it was asked to go on: its log is another one, and what was missed cannot be told. */
function forgotten(after: number | undefined): ForgeGoneError {
  const message = `the server does not know the position ${after} any more`;
  const hint = 'read everything anew, then go on from now';
  return new ForgeGoneError({ code: 'position_unknown', message, hint, call: 'GET /api/events' });
}
