// The event stream as an EventSource, for code that listens. It sends the token, which a browser's cannot, works in
// Node, and gives up with an `error` event when the server says that it will never do.

import { type EventsOptions, type ForgeEvent, events } from './events.js';
import type { Transport } from './transport.js';
import { safely } from './waiting.js';

/** What a listener is told: `data` is text, as with a browser's EventSource. */
export type ForgeMessage = MessageEvent<string>;

/** Told when the connection broke; `error` says why, and `readyState` whether it will come back. */
export class ForgeStreamFailure extends Event {
  constructor(readonly error: unknown) {
    super('error');
  }
}

type Listener = ((event: ForgeMessage) => void) | { handleEvent(event: ForgeMessage): void } | null;

export class ForgeEventSource extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 2;

  readonly url: string;
  onopen: ((event: Event) => void) | null = null;
  onmessage: ((event: ForgeMessage) => void) | null = null;
  onerror: ((event: ForgeStreamFailure) => void) | null = null;

  readonly #stop = new AbortController();
  #state: 0 | 1 | 2 = 0;

  constructor(transport: Transport, options: EventsOptions) {
    super();
    const { after, projectId, format } = options;
    this.url = transport.url('/api/events', { after, project_id: projectId, format });
    if (options.signal?.aborted) this.#stop.abort();
    options.signal?.addEventListener('abort', () => this.close(), { once: true, signal: this.#stop.signal });
    void this.#run(transport, { patienceMs: Infinity, ...options });
  }

  /** 0 while it connects, 1 while it is open, 2 when it will not come back. */
  get readyState(): 0 | 1 | 2 {
    return this.#state;
  }

  close(): void {
    this.#state = 2;
    this.#stop.abort();
  }

  // What is dispatched under any name but `open` and `error` is a message.
  override addEventListener(type: string, listener: Listener, options?: boolean | AddEventListenerOptions): void {
    super.addEventListener(type, listener as EventListenerOrEventListenerObject | null, options);
  }

  override removeEventListener(type: string, listener: Listener, options?: boolean | EventListenerOptions): void {
    super.removeEventListener(type, listener as EventListenerOrEventListenerObject | null, options);
  }

  async #run(transport: Transport, options: EventsOptions): Promise<void> {
    // Whoever made it gets to add listeners before anything can be told.
    await Promise.resolve();
    try {
      const told = events(transport, {
        ...options,
        signal: this.#stop.signal,
        onOpen: () => this.#opened(),
        onBreak: (error) => this.#broke(error, 0),
      });
      for await (const event of told) {
        if (this.#stop.signal.aborted) break;
        this.#tell(event);
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#broke(error, 2);
    }
    this.#state = 2;
  }

  #opened(): void {
    this.#state = 1;
    const event = new Event('open');
    safely(() => this.onopen?.(event));
    this.dispatchEvent(event);
  }

  #broke(error: unknown, state: 0 | 2): void {
    this.#state = state;
    const event = new ForgeStreamFailure(error);
    safely(() => this.onerror?.(event));
    this.dispatchEvent(event);
  }

  #tell(event: ForgeEvent): void {
    const data = typeof event.data === 'string' ? event.data : JSON.stringify(event.data);
    const message = new MessageEvent(event.event, {
      data,
      lastEventId: event.id === undefined ? '' : String(event.id),
    });
    if (event.event === 'message') safely(() => this.onmessage?.(message));
    this.dispatchEvent(message);
  }
}
