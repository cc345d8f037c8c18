// The client: every call of the areas, and the streams.

import { ForgeEventSource } from './event-source.js';
import { type EventsOptions, type ForgeEvent, events } from './events.js';
import {
  type Control,
  type DocumentChange,
  type DocumentOptions,
  type EntryChange,
  type Frame,
  type Source,
  type StreamOptions,
  documents,
  entries,
  frames,
} from './streams.js';
import { part } from './transport.js';
import type { DiffEntry, Drafts, ExecutionProcess, Output, Project, Task, TranscriptEntry } from './types.js';
import { StuffCalls } from './calls/stuff.js';

/** A piece of what a process printed, and where to go on after it. */
export interface OutputPiece extends Output {
  index: number;
  position: number | undefined;
}

/** What an execution run printed: a piece, whose it is, and where to go on after it. */
export interface RunOutput extends Output {
  processId: string | undefined;
  position: number | undefined;
}

/**
 * Talks to a Forge server. Calls give the answer's `data` or throw a ForgeError; what is idempotent is tried again.
 * Streams are async iterators that come back after a break and go on where they were.
 */
export class ForgeClient extends StuffCalls {
  /** Everything that happens, as an EventSource that sends the token and works in Node. */
  subscribeToEvents(options: EventsOptions = {}): ForgeEventSource {
    return new ForgeEventSource(this.transport, options);
  }

  /** Everything that happens, from now on or after a position. */
  streamEvents(options: EventsOptions = {}): AsyncGenerator<ForgeEvent, void, undefined> {
    return events(this.transport, options);
  }

  getTasksStreamUrl(projectId: string): string {
    return this.#url(tasksOf(projectId));
  }

  /** The tasks of a project by id, and every change of them. */
  streamTasks(projectId: string, options: DocumentOptions = {}): AsyncGenerator<DocumentChange<Task>, void, undefined> {
    return documents(this.transport, tasksOf(projectId), 'tasks', options);
  }

  getProjectsStreamUrl(): string {
    return this.#url(PROJECTS);
  }

  /** Every project by id, and every change of them. */
  streamProjects(options: DocumentOptions = {}): AsyncGenerator<DocumentChange<Project>, void, undefined> {
    return documents(this.transport, PROJECTS, 'projects', options);
  }

  getExecutionProcessesStreamUrl(attemptId: string, showSoftDeleted?: boolean): string {
    return this.#url(processesOf(attemptId, showSoftDeleted));
  }

  /** The processes of an attempt by id, and every change of them. */
  streamExecutionProcesses(
    attemptId: string,
    options: DocumentOptions & { showSoftDeleted?: boolean } = {},
  ): AsyncGenerator<DocumentChange<ExecutionProcess>, void, undefined> {
    const source = processesOf(attemptId, options.showSoftDeleted);
    return documents(this.transport, source, 'execution_processes', options);
  }

  getDraftsStreamUrl(projectId: string): string {
    return this.#url(draftsOf(projectId));
  }

  /** The drafts of a project's attempts by the attempt's id, and every change of them. */
  streamDrafts(
    projectId: string,
    options: DocumentOptions = {},
  ): AsyncGenerator<DocumentChange<Drafts>, void, undefined> {
    return documents(this.transport, draftsOf(projectId), 'drafts', options);
  }

  getTaskDiffStreamUrl(attemptId: string, statsOnly = false): string {
    return this.#url(diffOf(attemptId, statsOnly));
  }

  /** The attempt's changed files by path, and every change of them. After a break it is sent as a whole again. */
  streamTaskDiff(
    attemptId: string,
    options: DocumentOptions & { statsOnly?: boolean } = {},
  ): AsyncGenerator<DocumentChange<DiffEntry>, void, undefined> {
    const source = diffOf(attemptId, options.statsOnly ?? false);
    return documents(this.transport, source, 'entries', options);
  }

  getRawLogsStreamUrl(processId: string): string {
    return this.#url(logsOf(processId, 'raw-logs'));
  }

  /** What a process printed and prints, until it has ended. */
  async *streamRawLogs(processId: string, options: StreamOptions = {}): AsyncGenerator<OutputPiece, void, undefined> {
    for await (const change of entries<Output>(this.transport, logsOf(processId, 'raw-logs'), options)) {
      if (change.entry === undefined) continue;
      const { type, content } = change.entry;
      yield { type, content, index: change.index, position: change.position };
    }
  }

  getNormalizedLogsStreamUrl(processId: string): string {
    return this.#url(logsOf(processId, 'normalized-logs'));
  }

  /** A process's transcript: entries that are added and, while they grow, replaced; until it has ended. */
  streamNormalizedLogs(
    processId: string,
    options: StreamOptions = {},
  ): AsyncGenerator<EntryChange<TranscriptEntry>, void, undefined> {
    return entries(this.transport, logsOf(processId, 'normalized-logs'), options);
  }

  getExecutionRunLogsStreamUrl(runId: string): string {
    return this.#url(runLogsOf(runId));
  }

  /** What the newest agent of an execution run printed and prints, or that of the process named. */
  async *streamExecutionRunLogs(
    runId: string,
    options: StreamOptions & { processId?: string } = {},
  ): AsyncGenerator<RunOutput, void, undefined> {
    // Positions are a process's own: after a break it goes on with the one it began with, even if there is a newer.
    const control: Control = { anew: false, query: { execution_process_id: options.processId } };
    for await (const frame of frames(this.transport, runLogsOf(runId), options, control)) {
      const processId = frame.fields['execution_process_id'];
      if (typeof processId === 'string') control.query = { execution_process_id: processId };
      for (const [name, type] of RUN_FRAMES) {
        const content = frame.fields[name];
        if (typeof content === 'string')
          yield {
            type,
            content,
            position: frame.position,
            processId: typeof processId === 'string' ? processId : undefined,
          };
      }
    }
  }

  /** The frames of any stream, for what has no method yet. */
  streamFrames(path: string, options: StreamOptions = {}): AsyncGenerator<Frame, void, undefined> {
    return frames(this.transport, { path }, options);
  }

  #url(source: Source): string {
    return this.transport.socketUrl(source.path, source.query);
  }
}

const PROJECTS: Source = { path: '/api/projects/stream/ws', subject: '/api/projects', resumes: true };
const RUN_FRAMES = [
  ['Stdout', 'STDOUT'],
  ['Stderr', 'STDERR'],
] as const;

function tasksOf(projectId: string): Source {
  const subject = `/api/projects/${part(projectId)}`;
  return { path: '/api/tasks/stream/ws', query: { project_id: projectId }, subject, resumes: true };
}

function processesOf(attemptId: string, showSoftDeleted: boolean | undefined): Source {
  const query = { task_attempt_id: attemptId, show_soft_deleted: showSoftDeleted };
  const subject = `/api/task-attempts/${part(attemptId)}`;
  return { path: '/api/execution-processes/stream/ws', query, subject, resumes: true };
}

function draftsOf(projectId: string): Source {
  const subject = `/api/projects/${part(projectId)}`;
  return { path: '/api/drafts/stream/ws', query: { project_id: projectId }, subject, resumes: true };
}

function diffOf(attemptId: string, statsOnly: boolean): Source {
  const subject = `/api/task-attempts/${part(attemptId)}`;
  return { path: `${subject}/diff/ws`, query: { stats_only: statsOnly }, subject, resumes: false };
}

function logsOf(processId: string, kind: 'raw-logs' | 'normalized-logs'): Source {
  const subject = `/api/execution-processes/${part(processId)}`;
  return { path: `${subject}/${kind}/ws`, subject, resumes: true };
}

function runLogsOf(runId: string): Source {
  const subject = `/api/execution-runs/${part(runId)}`;
  return { path: `${subject}/logs/ws`, subject, resumes: true };
}
