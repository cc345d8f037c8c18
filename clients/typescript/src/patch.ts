// JSON patches as the streams send them: `add`, `replace` and `remove`, in place.

import { isRecord } from './errors.js';

export type Operation =
  | { op: 'add'; path: string; value: unknown }
  | { op: 'replace'; path: string; value: unknown }
  | { op: 'remove'; path: string };

/** The document is not what the patch was made for. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
}

/** The steps of a JSON pointer. */
export function steps(path: string): string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw new PatchError(`${path} is not a JSON pointer`);
  return path
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Applies one operation strictly: what is replaced or removed has to be there. */
export function apply(document: unknown, operation: Operation): void {
  const path = steps(operation.path);
  const last = path.pop();
  if (last === undefined) throw new PatchError('the document as a whole cannot be patched');
  let place: unknown = document;
  for (const step of path) place = child(place, step);
  if (Array.isArray(place)) return applyToArray(place, last, operation);
  if (!isRecord(place)) throw new PatchError(`there is nothing at ${operation.path}`);
  if (operation.op !== 'add' && !Object.hasOwn(place, last)) {
    throw new PatchError(`there is nothing at ${operation.path}`);
  }
  if (operation.op === 'remove') delete place[last];
  // Defined and not assigned: `__proto__` is a key like any other here.
  else
    Object.defineProperty(place, last, {
      value: operation.value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
}

function applyToArray(place: unknown[], step: string, operation: Operation): void {
  const index = step === '-' && operation.op === 'add' ? place.length : indexOf(step);
  const most = operation.op === 'add' ? place.length : place.length - 1;
  if (index > most) throw new PatchError(`there is nothing at ${operation.path}`);
  if (operation.op === 'add') place.splice(index, 0, operation.value);
  else if (operation.op === 'replace') place[index] = operation.value;
  else place.splice(index, 1);
}

function child(place: unknown, step: string): unknown {
  if (Array.isArray(place)) return place[indexOf(step)];
  if (isRecord(place) && Object.hasOwn(place, step)) return place[step];
  throw new PatchError(`there is no ${JSON.stringify(step)} in the document`);
}

function indexOf(step: string): number {
  if (!/^(0|[1-9][0-9]*)$/.test(step)) throw new PatchError(`${JSON.stringify(step)} is no index`);
  return Number(step);
}
