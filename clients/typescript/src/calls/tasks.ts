// Tasks: what is wanted. Each method takes the project first, as the founding documents have it, or goes without it.

import { type Page, type PageOptions, each, onePage } from '../pages.js';
import { type CallOptions, type StartOptions, part } from '../transport.js';
import type { ReplyOf, RequestOf, StartedAttempt, StartedTask, Task } from '../types.js';
import { ProjectCalls } from './projects.js';

export abstract class TaskCalls extends ProjectCalls {
  /** The tasks of a project, newest first. */
  listTasks(projectId: string, options?: CallOptions): Promise<Task[]> {
    return this.get('/api/tasks', { project_id: projectId }, options);
  }

  /** The tasks of a project, page by page. */
  eachTask(projectId: string, options?: PageOptions): AsyncGenerator<Task, void, undefined> {
    return each(this.transport, '/api/tasks', { project_id: projectId }, options);
  }

  pageOfTasks(projectId: string, options?: PageOptions): Promise<Page<Task>> {
    return onePage(this.transport, '/api/tasks', { project_id: projectId }, options);
  }

  /** Makes a task and starts nothing. */
  createTask(
    projectId: string,
    task: RequestOf<'createProjectTask'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'createTask'>>;
  createTask(task: RequestOf<'createTask'>, options?: CallOptions): Promise<ReplyOf<'createTask'>>;
  createTask(
    first: string | RequestOf<'createTask'>,
    second?: RequestOf<'createProjectTask'> | CallOptions,
    third?: CallOptions,
  ): Promise<ReplyOf<'createTask'>> {
    if (typeof first !== 'string') return this.post('/api/tasks', first, second as CallOptions | undefined);
    return this.post(`/api/projects/${part(first)}/tasks`, second, third);
  }

  /**
   * Makes a task and starts an attempt of it, both or neither. It always sends an `Idempotency-Key`, so that a try whose
   * answer was lost starts nothing twice. With the project first, `id` of the answer is the attempt's; without, the task's.
   */
  createAndStartTask(
    projectId: string,
    request: RequestOf<'createAndStartProjectTask'>,
    options?: StartOptions,
  ): Promise<StartedAttempt>;
  createAndStartTask(request: RequestOf<'createAndStartTask'>, options?: StartOptions): Promise<StartedTask>;
  createAndStartTask(
    first: string | RequestOf<'createAndStartTask'>,
    second?: RequestOf<'createAndStartProjectTask'> | StartOptions,
    third?: StartOptions,
  ): Promise<StartedAttempt | StartedTask> {
    if (typeof first !== 'string')
      return this.start('/api/tasks/create-and-start', first, second as StartOptions | undefined);
    return this.start(`/api/projects/${part(first)}/tasks/create-and-start`, second, third);
  }

  getTask(projectId: string, taskId: string, options?: CallOptions): Promise<ReplyOf<'getTask'>>;
  getTask(taskId: string, options?: CallOptions): Promise<ReplyOf<'getTask'>>;
  getTask(first: string, second?: string | CallOptions, third?: CallOptions): Promise<ReplyOf<'getTask'>> {
    const [path, options] = taskPath(first, second, third);
    return this.get(path, undefined, options);
  }

  /** Tokens and money that all attempts of the task used up. */
  getTaskUsage(id: string, options?: CallOptions): Promise<ReplyOf<'getTaskUsage'>> {
    return this.get(`/api/tasks/${part(id)}/usage`, undefined, options);
  }

  /**
   * Changes a task. A field that is left out or `null` keeps its value; `''` clears a text or the parent, `[]` the images. It is tried again where the answer was lost, unless it has a
   * `description`: with the id of an attempt that is a follow-up, and would be sent twice.
   */
  updateTask(
    projectId: string,
    taskId: string,
    updates: RequestOf<'updateTask'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'updateTask'>>;
  updateTask(taskId: string, updates: RequestOf<'updateTask'>, options?: CallOptions): Promise<ReplyOf<'updateTask'>>;
  updateTask(
    first: string,
    second: string | RequestOf<'updateTask'>,
    third?: RequestOf<'updateTask'> | CallOptions,
    fourth?: CallOptions,
  ): Promise<ReplyOf<'updateTask'>> {
    if (typeof second !== 'string')
      return this.#update(`/api/tasks/${part(first)}`, second, third as CallOptions | undefined);
    const updates = third as RequestOf<'updateTask'> | undefined;
    return this.#update(`/api/projects/${part(first)}/tasks/${part(second)}`, updates, fourth);
  }

  #update(
    path: string,
    updates: RequestOf<'updateTask'> | undefined,
    options: CallOptions | undefined,
  ): Promise<ReplyOf<'updateTask'>> {
    const repeatable = (updates?.description ?? null) === null;
    return this.transport.json({ method: 'PUT', path, body: updates, repeatable }, options);
  }

  deleteTask(projectId: string, taskId: string, options?: CallOptions): Promise<void>;
  deleteTask(taskId: string, options?: CallOptions): Promise<void>;
  deleteTask(first: string, second?: string | CallOptions, third?: CallOptions): Promise<void> {
    const [path, options] = taskPath(first, second, third);
    return this.drop(path, undefined, options);
  }

  /** Starts another attempt of a task. */
  startTaskAttempt(
    taskId: string,
    request: RequestOf<'startTaskAttempt'>,
    options?: StartOptions,
  ): Promise<ReplyOf<'startTaskAttempt'>> {
    return this.start(`/api/tasks/${part(taskId)}/attempts/start`, request, options);
  }
}

function taskPath(
  first: string,
  second: string | CallOptions | undefined,
  third: CallOptions | undefined,
): [string, CallOptions | undefined] {
  if (typeof second !== 'string') return [`/api/tasks/${part(first)}`, second];
  return [`/api/projects/${part(first)}/tasks/${part(second)}`, third];
}
