// What the package offers.

export { ForgeClient, type OutputPiece, type RunOutput } from './client.js';
export type { DraftType } from './calls/attempts.js';
export type { Editor } from './calls/projects.js';
export {
  type ErrorFacts,
  ForgeAuthError,
  ForgeBadRequestError,
  ForgeConflictError,
  ForgeError,
  ForgeGoneError,
  ForgeInvalidError,
  ForgeNetworkError,
  ForgeNotFoundError,
  ForgeProtocolError,
  ForgeRefusedError,
  ForgeServerError,
  ForgeTimeoutError,
  ForgeUnavailableError,
} from './errors.js';
export { ForgeEventSource, type ForgeMessage, ForgeStreamFailure } from './event-source.js';
export type { EventsOptions, ForgeEvent } from './events.js';
export type { Page, PageOptions } from './pages.js';
export type { Operation } from './patch.js';
export type { DocumentChange, DocumentOptions, EntryChange, Frame, StreamOptions } from './streams.js';
export type { CallOptions, ForgeClientOptions, Method, Query, StartOptions } from './transport.js';
export type * from './types.js';
export type { components, operations, paths } from './schema.js';
