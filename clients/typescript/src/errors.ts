// What can go wrong, as classes to tell apart. Every one is a ForgeError with a `code` for programs.

/** What is known about a call that failed. */
export interface ErrorFacts {
  /** The HTTP status, where there was an answer. */
  status?: number;
  /** What programs decide by, such as `not_found` or `attempt_running`. */
  code: string;
  message: string;
  /** What to do about it, for people. */
  hint?: string;
  /** Under this id the server's log tells more. */
  requestId?: string;
  /** Everything that the server said in `error_data`. */
  data?: unknown;
  /** The call, such as `GET /api/tasks`. */
  call?: string;
  cause?: unknown;
}

/** A call or a stream failed. */
export class ForgeError extends Error {
  override readonly name: string = 'ForgeError';
  readonly status: number | undefined;
  readonly code: string;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;
  readonly data: unknown;
  readonly call: string | undefined;

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.status = facts.status;
    this.code = facts.code;
    this.hint = facts.hint;
    this.requestId = facts.requestId;
    this.data = facts.data;
    this.call = facts.call;
  }
}

/** The request cannot be read (400, 405, 413, 415). */
export class ForgeBadRequestError extends ForgeError {
  override readonly name = 'ForgeBadRequestError';
}

/** No token, a wrong one, or a Host or Origin that may not call (401, 403). */
export class ForgeAuthError extends ForgeError {
  override readonly name = 'ForgeAuthError';
}

/** It is not there (404). */
export class ForgeNotFoundError extends ForgeError {
  override readonly name = 'ForgeNotFoundError';
}

/** It does not fit the present state (409). */
export class ForgeConflictError extends ForgeError {
  override readonly name = 'ForgeConflictError';
}

/** What was asked for is not kept any more (410): read everything anew, then go on from now. */
export class ForgeGoneError extends ForgeError {
  override readonly name = 'ForgeGoneError';
}

/** Readable, but impossible (422). `code` is `not_available_yet` for what a later version brings. */
export class ForgeInvalidError extends ForgeError {
  override readonly name = 'ForgeInvalidError';
}

/** Passing: busy, or the machine lacks something (408, 425, 429, 502, 503, 504). */
export class ForgeUnavailableError extends ForgeError {
  override readonly name = 'ForgeUnavailableError';
}

/** The server's fault (any other 5xx). */
export class ForgeServerError extends ForgeError {
  override readonly name = 'ForgeServerError';
}

/** An answer with `success: false` under a good status, as older servers give. */
export class ForgeRefusedError extends ForgeError {
  override readonly name = 'ForgeRefusedError';
}

/** There was no answer: the server is not reached, or the connection broke. */
export class ForgeNetworkError extends ForgeError {
  override readonly name = 'ForgeNetworkError';
}

/** There was no answer in time. */
export class ForgeTimeoutError extends ForgeError {
  override readonly name = 'ForgeTimeoutError';
}

/** The other side does not speak as a Forge server does. */
export class ForgeProtocolError extends ForgeError {
  override readonly name = 'ForgeProtocolError';
}

const BY_STATUS: ReadonlyMap<number, new (facts: ErrorFacts) => ForgeError> = new Map<
  number,
  new (facts: ErrorFacts) => ForgeError
>([
  [401, ForgeAuthError],
  [403, ForgeAuthError],
  [404, ForgeNotFoundError],
  [409, ForgeConflictError],
  [410, ForgeGoneError],
  [422, ForgeInvalidError],
  [408, ForgeUnavailableError],
  [425, ForgeUnavailableError],
  [429, ForgeUnavailableError],
  [502, ForgeUnavailableError],
  [503, ForgeUnavailableError],
  [504, ForgeUnavailableError],
]);

/** The error that an answer stands for. `body` is what it said, as JSON or as text. */
export function errorOf(status: number, body: unknown, call: string, requestId?: string | null): ForgeError {
  const told = isRecord(body) ? body : {};
  const data = told['error_data'] ?? undefined;
  const details = isRecord(data) ? data : {};
  const code = text(details['code']) ?? text(details['type']) ?? text(data) ?? `http_${status}`;
  const message = text(told['message']) ?? text(details['message']) ?? `${call} was answered with ${status}`;
  const facts: ErrorFacts = { status, code, message, data, call };
  const hint = text(details['hint']);
  if (hint !== undefined) facts.hint = hint;
  const id = text(details['request_id']) ?? requestId ?? undefined;
  if (id !== undefined) facts.requestId = id;
  return new (classOf(status))(facts);
}

function classOf(status: number): new (facts: ErrorFacts) => ForgeError {
  const known = BY_STATUS.get(status);
  if (known !== undefined) return known;
  if (status < 400) return ForgeRefusedError;
  return status < 500 ? ForgeBadRequestError : ForgeServerError;
}

/** Whether the same may go well a moment later. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof ForgeUnavailableError || error instanceof ForgeNetworkError || error instanceof ForgeTimeoutError
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
