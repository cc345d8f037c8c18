// Names for what calls take and give, taken out of the generated schema by the operation's name.

import type { components, operations } from './schema.js';

type Good = 200 | 201 | 202;

type BodyOf<R> = R extends { content: { 'application/json': infer Body } } ? Body : never;

type GoodBody<Responses> = {
  [Status in keyof Responses]: Status extends Good ? BodyOf<Responses[Status]> : never;
}[keyof Responses];

type Unwrapped<Body> = Body extends { success: unknown; data: infer Data } ? Data : Body;

/** What an operation answers with, out of its envelope. One that this version's schema lacks is `any`. */
export type ReplyOf<Name extends string> = Name extends keyof operations
  ? operations[Name] extends { responses: infer Responses }
    ? Unwrapped<GoodBody<Responses>>
    : never
  : any;

/** What an operation takes as its body. */
export type RequestOf<Name extends string> = Name extends keyof operations
  ? operations[Name] extends { requestBody?: infer Asked }
    ? BodyOf<NonNullable<Asked>>
    : never
  : any;

/** A shape of the schema, by its name. */
export type Shape<Name extends string> = Name extends keyof components['schemas'] ? components['schemas'][Name] : any;

export type Project = ReplyOf<'getProject'>;
export type Task = Shape<'TaskWithAttemptStatus'>;
export type TaskAttempt = ReplyOf<'getTaskAttempt'>;
export type ExecutionProcess = ReplyOf<'getExecutionProcess'>;
export type StartedTask = ReplyOf<'createAndStartTask'>;
export type StartedAttempt = ReplyOf<'createAndStartProjectTask'>;
export type ExecutionRun = ReplyOf<'getExecutionRun'>;

/** A piece of what a process printed. */
export interface Output {
  type: 'STDOUT' | 'STDERR';
  content: string;
}

/** One item of a transcript. */
export interface TranscriptEntry {
  type: string;
  content: Shape<'NormalizedEntry'>;
}

/** What happened to a file. */
export interface Diff {
  change: 'added' | 'deleted' | 'modified' | 'renamed' | 'copied' | 'permissionChange';
  oldPath: string | null;
  newPath: string | null;
  /** None where there was no file, where it is no text, or where it is left out. */
  oldContent: string | null;
  newContent: string | null;
  /** Whether it is left out, because it is long or was not asked for. */
  contentOmitted: boolean;
  additions: number | null;
  deletions: number | null;
}

export interface DiffEntry {
  type: 'DIFF';
  content: Diff;
}

/** The prompts that are being written for an attempt. */
export interface Drafts {
  follow_up: Shape<'Draft'>;
  retry: Shape<'Draft'> | null;
}
