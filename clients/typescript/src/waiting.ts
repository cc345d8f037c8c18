// Time and giving up: pauses that grow, signals that end a wait, and handlers of others that must not end ours.

/** A connection that stood for so long was no failure. */
export const STOOD_MS = 10_000;

/** How long to pause before trying again. */
export interface Backoff {
  /** Milliseconds before the second try, at most. */
  firstMs: number;
  /** The longest pause. */
  mostMs: number;
}

/**
 * The pause after so many failures. It doubles and is spread by chance over its upper half, so that many clients
 * that were cut off together do not come back together.
 */
export function pause(backoff: Backoff, failures: number, chance: () => number = Math.random): number {
  const most = Math.min(backoff.mostMs, backoff.firstMs * 2 ** Math.max(0, failures - 1));
  return most / 2 + (most / 2) * chance();
}

/** Waits; throws the signal's reason when it is aborted. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** A signal that follows another until it is released. */
export interface Leash {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Lets go of the other signal: one that lives long must not collect listeners. */
  release(): void;
}

/** A signal of our own that is aborted with `outer`, or by us. */
export function leash(outer?: AbortSignal): Leash {
  const own = new AbortController();
  const follow = (): void => own.abort(outer?.reason);
  if (outer?.aborted) follow();
  else outer?.addEventListener('abort', follow, { once: true });
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    release: () => outer?.removeEventListener('abort', follow),
  };
}

/** Calls a handler of the user's. What it throws is told as of any listener that throws, and is no failure of ours. */
export function safely(handler: () => void): void {
  try {
    handler();
  } catch (error) {
    const { reportError } = globalThis as { reportError?: (error: unknown) => void };
    if (reportError !== undefined) reportError(error);
    else
      queueMicrotask(() => {
        throw error;
      });
  }
}
