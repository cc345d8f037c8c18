// A WebSocket that is pulled from: one message at a time, never more kept than was agreed.

import { ForgeNetworkError } from './errors.js';

/** How a connection ended. */
export interface Closed {
  code: number;
  reason: string;
}

export interface Connection {
  /** When it ended; nothing while it stands. */
  readonly ended: number | undefined;
  /** The next message, or how it ended. What had arrived before the end comes first. */
  next(): Promise<string | Closed>;
  close(): void;
}

export interface Dial {
  url: string;
  token: string | undefined;
  signal: AbortSignal;
  headers: Record<string, string>;
  /** How much text may wait for the reader. */
  bufferBytes: number;
  /** Whether a slow reader may be disconnected: only where the next connection begins further on than this one did. */
  mayLeave: () => boolean;
  /** How long opening may take, and how long it may be silent once open, pings included. */
  timeoutMs: number;
  idleMs: number;
}

/** Closed by us: the reader is slow. It comes back for the rest. */
export const OVERFLOW = 4000;
/** There was no closing word: the connection broke. */
export const BROKEN = 1006;

/** Messages between a socket that delivers when it likes and a reader that asks when it can. */
export class Inbox {
  readonly #waiting: string[] = [];
  #first = 0;
  #size = 0;
  #end: Closed | undefined;
  #ended: number | undefined;
  #asker: ((answer: string | Closed) => void) | undefined;

  /** Characters that wait, which is bytes where the text is plain. */
  get size(): number {
    return this.#size;
  }

  /** When the end was told. */
  get ended(): number | undefined {
    return this.#ended;
  }

  put(message: string): void {
    if (this.#end !== undefined) return;
    const asker = this.#asker;
    if (asker !== undefined) {
      this.#asker = undefined;
      asker(message);
      return;
    }
    this.#waiting.push(message);
    this.#size += message.length;
  }

  /** Nothing comes any more; what waits is still given out. */
  end(closed: Closed): void {
    if (this.#end !== undefined) return;
    this.#end = closed;
    this.#ended = Date.now();
    this.#asker?.(closed);
    this.#asker = undefined;
  }

  next(): Promise<string | Closed> {
    const message = this.#waiting[this.#first];
    if (message !== undefined) {
      this.#first += 1;
      this.#size -= message.length;
      // The list is cut now and then and not at every message, which would move it each time.
      if (this.#first >= 1024 || this.#first === this.#waiting.length) {
        this.#waiting.splice(0, this.#first);
        this.#first = 0;
      }
      return Promise.resolve(message);
    }
    if (this.#end !== undefined) return Promise.resolve(this.#end);
    return new Promise((resolve) => {
      this.#asker = resolve;
    });
  }
}

/**
 * Opens a connection with the platform's WebSocket. That cannot be held back, so a reader that is too slow for what
 * arrives is disconnected where the stream resumes, and comes back for the rest; of any other, everything waits here.
 */
export function dialWith(Implementation: typeof WebSocket): (dial: Dial) => Promise<Connection> {
  return (dial) =>
    new Promise((resolve, reject) => {
      if (dial.signal.aborted) return reject(dial.signal.reason);
      const protocols = dial.token === undefined ? ['forge'] : ['forge', `forge.token.${dial.token}`];
      const socket = new Implementation(dial.url, protocols);
      const inbox = new Inbox();
      const lost = (message: string): ForgeNetworkError =>
        new ForgeNetworkError({ code: 'network', message, call: `GET ${new URL(dial.url).pathname}` });
      const stop = (): void => {
        inbox.end({ code: BROKEN, reason: 'given up' });
        reject(dial.signal.reason);
        socket.close();
      };
      const timer = setTimeout(() => {
        reject(lost('the socket did not open in time'));
        socket.close();
      }, dial.timeoutMs);
      const settled = (): void => {
        clearTimeout(timer);
        dial.signal.removeEventListener('abort', stop);
      };
      dial.signal.addEventListener('abort', stop, { once: true });
      socket.onopen = () => {
        clearTimeout(timer);
        resolve({
          get ended() {
            return inbox.ended;
          },
          next: () => inbox.next(),
          close: () => {
            settled();
            inbox.end({ code: 1000, reason: '' });
            socket.close(1000);
          },
        });
      };
      socket.onmessage = (event: MessageEvent) => {
        if (typeof event.data === 'string') inbox.put(event.data);
        if (inbox.size > dial.bufferBytes && dial.mayLeave()) {
          inbox.end({ code: OVERFLOW, reason: 'the reader is slow' });
          socket.close(OVERFLOW);
        }
      };
      socket.onclose = (event: CloseEvent) => {
        settled();
        inbox.end({ code: event.code, reason: event.reason });
        reject(lost('the socket could not be opened'));
      };
      // Some tell of an error and never that they closed.
      socket.onerror = () => {
        settled();
        inbox.end({ code: BROKEN, reason: 'the connection broke' });
        reject(lost('the socket could not be opened'));
      };
    });
}
