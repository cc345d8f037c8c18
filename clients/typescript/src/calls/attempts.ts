// Attempts: one try at a task, its conversation, its queue and its drafts.

import { type Page, type PageOptions, each, onePage } from '../pages.js';
import { type CallOptions, type StartOptions, part } from '../transport.js';
import type { ExecutionProcess, ReplyOf, RequestOf, TaskAttempt } from '../types.js';
import type { Editor } from './projects.js';
import { TaskCalls } from './tasks.js';

export type DraftType = 'follow_up' | 'retry';

export abstract class AttemptCalls extends TaskCalls {
  /** The attempts of a task, newest first; without a task those of all. */
  listTaskAttempts(taskId?: string, options?: CallOptions): Promise<TaskAttempt[]> {
    return this.get('/api/task-attempts', { task_id: taskId }, options);
  }

  /** Attempts, page by page. */
  eachTaskAttempt(taskId?: string, options?: PageOptions): AsyncGenerator<TaskAttempt, void, undefined> {
    return each(this.transport, '/api/task-attempts', { task_id: taskId }, options);
  }

  pageOfTaskAttempts(taskId?: string, options?: PageOptions): Promise<Page<TaskAttempt>> {
    return onePage(this.transport, '/api/task-attempts', { task_id: taskId }, options);
  }

  /** Starts an attempt of a task. */
  createTaskAttempt(
    request: RequestOf<'createTaskAttempt'>,
    options?: StartOptions,
  ): Promise<ReplyOf<'createTaskAttempt'>> {
    return this.start('/api/task-attempts', request, options);
  }

  getTaskAttempt(id: string, options?: CallOptions): Promise<TaskAttempt> {
    return this.get(`/api/task-attempts/${part(id)}`, undefined, options);
  }

  /** Deletes an attempt; with `discard` its branch and snapshots too, and nothing brings them back. */
  deleteTaskAttempt(id: string, discard = false, options?: CallOptions): Promise<void> {
    return this.drop(`/api/task-attempts/${part(id)}`, { discard: discard ? true : undefined }, options);
  }

  /** Goes on with the conversation: the process that runs, or the place in the attempt's queue. */
  followUpTaskAttempt(
    id: string,
    prompt: string | RequestOf<'followUpTaskAttempt'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'followUpTaskAttempt'>> {
    const body = typeof prompt === 'string' ? { prompt } : prompt;
    return this.post(`/api/task-attempts/${part(id)}/follow-up`, body, options);
  }

  /** The prompts that stand in the attempt's queue. */
  listFollowUps(id: string, options?: CallOptions): Promise<ReplyOf<'listFollowUps'>> {
    return this.get(`/api/task-attempts/${part(id)}/follow-ups`, undefined, options);
  }

  /** Changes a prompt that stands in the attempt's queue; `interrupt: true` sends it at once. */
  updateFollowUp(
    id: string,
    followUp: string,
    change: RequestOf<'updateFollowUp'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'updateFollowUp'>> {
    return this.put(`/api/task-attempts/${part(id)}/follow-ups/${part(followUp)}`, change, options);
  }

  /** Takes a prompt out of the attempt's queue. */
  deleteFollowUp(id: string, followUp: string, options?: CallOptions): Promise<void> {
    return this.drop(`/api/task-attempts/${part(id)}/follow-ups/${part(followUp)}`, undefined, options);
  }

  /** Lets the agent end its turn, without ending it. */
  interruptTaskAttempt(id: string, options?: CallOptions): Promise<ReplyOf<'interruptTaskAttempt'>> {
    return this.post(`/api/task-attempts/${part(id)}/interrupt`, undefined, options);
  }

  /** The commands, modes and models that the agent lets a person choose from. */
  getTaskAttemptOffers(id: string, options?: CallOptions): Promise<ReplyOf<'getTaskAttemptOffers'>> {
    return this.get(`/api/task-attempts/${part(id)}/offers`, undefined, options);
  }

  /** Goes back to before a process, and on from there with another prompt. */
  replaceTaskAttemptProcess(
    id: string,
    request: RequestOf<'replaceTaskAttemptProcess'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'replaceTaskAttemptProcess'>> {
    return this.post(`/api/task-attempts/${part(id)}/replace-process`, request, options);
  }

  /**
   * Stops whatever runs of the attempt; answers when nothing does any more, with the queued prompts that are not sent
   * (`removed_follow_ups`).
   */
  stopTaskAttemptExecution(id: string, options?: CallOptions): Promise<ReplyOf<'stopTaskAttemptExecution'>> {
    return this.post(`/api/task-attempts/${part(id)}/stop`, undefined, options);
  }

  /** The task above and the tasks below. */
  getTaskAttemptChildren(id: string, options?: CallOptions): Promise<ReplyOf<'getTaskAttemptChildren'>> {
    return this.get(`/api/task-attempts/${part(id)}/children`, undefined, options);
  }

  openTaskAttemptInEditor(
    id: string,
    editor: Editor | null = null,
    options?: CallOptions,
  ): Promise<ReplyOf<'openTaskAttemptInEditor'>> {
    return this.post(`/api/task-attempts/${part(id)}/open-editor`, editor, options);
  }

  startDevServer(id: string, options?: CallOptions): Promise<ReplyOf<'startDevServer'>> {
    return this.post(`/api/task-attempts/${part(id)}/start-dev-server`, undefined, options);
  }

  /** Runs the helper that sets an agent up. */
  runAgentSetup(
    id: string,
    request: RequestOf<'runAgentSetup'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'runAgentSetup'>> {
    return this.post(`/api/task-attempts/${part(id)}/run-agent-setup`, request, options);
  }

  /** What was saved of the worktree, newest first. */
  listSnapshots(id: string, options?: CallOptions): Promise<ReplyOf<'listSnapshots'>> {
    return this.get(`/api/task-attempts/${part(id)}/snapshots`, undefined, options);
  }

  /** Makes the worktree what a snapshot has; what is in it is saved first. */
  restoreSnapshot(
    id: string,
    snapshot: string | RequestOf<'restoreSnapshot'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'restoreSnapshot'>> {
    const body = typeof snapshot === 'string' ? { snapshot } : snapshot;
    return this.post(`/api/task-attempts/${part(id)}/restore`, body, options);
  }

  /** What the attempt takes on the disk. */
  getTaskAttemptDisk(id: string, options?: CallOptions): Promise<ReplyOf<'getTaskAttemptDisk'>> {
    return this.get(`/api/task-attempts/${part(id)}/disk`, undefined, options);
  }

  /** Tokens and money that the attempt's turns used up. */
  getTaskAttemptUsage(id: string, options?: CallOptions): Promise<ReplyOf<'getTaskAttemptUsage'>> {
    return this.get(`/api/task-attempts/${part(id)}/usage`, undefined, options);
  }

  /** Saves a prompt that is being written, once. What is left out stays; a `version` that is not the last is refused. */
  saveDraft(
    id: string,
    type: DraftType,
    draft: RequestOf<'saveDraft'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'saveDraft'>> {
    return this.post(`/api/task-attempts/${part(id)}/draft`, draft, options, { type });
  }

  /** The same, tried again where the answer was lost, unless it depends on a `version`. */
  updateDraft(
    id: string,
    type: DraftType,
    draft: RequestOf<'updateDraft'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'updateDraft'>> {
    // A second try would be refused for the first one's doing.
    const repeatable = (draft as { version?: unknown }).version === undefined;
    const outgoing = {
      method: 'PUT' as const,
      path: `/api/task-attempts/${part(id)}/draft`,
      query: { type },
      body: draft,
      repeatable,
    };
    return this.transport.json(outgoing, options);
  }

  getDraft(id: string, type: DraftType, options?: CallOptions): Promise<ReplyOf<'getDraft'>> {
    return this.get(`/api/task-attempts/${part(id)}/draft`, { type }, options);
  }

  deleteDraft(id: string, type: DraftType, options?: CallOptions): Promise<void> {
    return this.drop(`/api/task-attempts/${part(id)}/draft`, { type }, options);
  }

  /** Lets the draft be sent as soon as the attempt is free, or takes that back. */
  queueDraftExecution(
    id: string,
    type: DraftType,
    request: RequestOf<'queueDraftExecution'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'queueDraftExecution'>> {
    return this.post(`/api/task-attempts/${part(id)}/draft/queue`, request, options, { type });
  }

  listExecutionProcesses(
    attemptId: string,
    showSoftDeleted?: boolean,
    options?: CallOptions,
  ): Promise<ExecutionProcess[]> {
    const query = { task_attempt_id: attemptId, show_soft_deleted: showSoftDeleted };
    return this.get('/api/execution-processes', query, options);
  }

  /** The processes of an attempt, page by page. */
  eachExecutionProcess(attemptId: string, options?: PageOptions): AsyncGenerator<ExecutionProcess, void, undefined> {
    return each(this.transport, '/api/execution-processes', { task_attempt_id: attemptId }, options);
  }

  getExecutionProcess(id: string, options?: CallOptions): Promise<ExecutionProcess> {
    return this.get(`/api/execution-processes/${part(id)}`, undefined, options);
  }

  async stopExecutionProcess(id: string, options?: CallOptions): Promise<void> {
    await this.post(`/api/execution-processes/${part(id)}/stop`, undefined, options);
  }

  /** What the process may use at most. */
  getProcessCaps(id: string, options?: CallOptions): Promise<ReplyOf<'getProcessCaps'>> {
    return this.get(`/api/execution-processes/${part(id)}/caps`, undefined, options);
  }

  /** What a process has printed up to now; go on `after` the page's own `position`. */
  listRawLogs(
    id: string,
    query: { after?: number; limit?: number } = {},
    options?: CallOptions,
  ): Promise<ReplyOf<'listRawLogs'>> {
    return this.get(`/api/execution-processes/${part(id)}/raw-logs`, query, options);
  }

  /** The same as text: all of it, what came `after` a position, or the last lines. */
  async getOutput(
    id: string,
    query: { after?: number; tail?: number } = {},
    options?: CallOptions,
  ): Promise<string> {
    const path = `/api/execution-processes/${part(id)}/output`;
    return (await this.transport.blob({ method: 'GET', path, query }, options)).text();
  }

  /** The last entries of what an agent said and did; `before` a page's own `before` for those that come before it. */
  listEntries(
    id: string,
    query: { before?: number; limit?: number } = {},
    options?: CallOptions,
  ): Promise<ReplyOf<'listEntries'>> {
    return this.get(`/api/execution-processes/${part(id)}/entries`, query, options);
  }

  /** One entry, with everything that lists and streams `cut`. */
  getEntry(id: string, index: number, options?: CallOptions): Promise<ReplyOf<'getEntry'>> {
    return this.get(`/api/execution-processes/${part(id)}/entries/${index}`, undefined, options);
  }
}
