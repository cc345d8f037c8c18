// Lists in pages: one page is held at a time, however long the list.

import type { CallOptions, Query, Transport } from './transport.js';

export interface PageOptions extends CallOptions {
  /** How many to fetch at a time. Default: 100. */
  limit?: number;
  /** Where an earlier reading got to: the last `cursor` it was told. */
  cursor?: string;
}

/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** What to go on with; none on the last page. */
  cursor: string | undefined;
}

export async function onePage<T>(
  transport: Transport,
  path: string,
  query: Query,
  options: PageOptions = {},
): Promise<Page<T>> {
  const asked = { ...query, limit: options.limit ?? 100, cursor: options.cursor };
  const answer = await transport.exchange<T[]>({ method: 'GET', path, query: asked }, options);
  return { items: answer.value, cursor: answer.headers.get('x-next-cursor') ?? undefined };
}

/** Everything in the list, page by page. */
export async function* each<T>(
  transport: Transport,
  path: string,
  query: Query,
  options: PageOptions = {},
): AsyncGenerator<T, void, undefined> {
  let cursor = options.cursor;
  do {
    const page = await onePage<T>(transport, path, query, { ...options, cursor });
    yield* page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
