// What tasks are furnished with (tags, templates, images), questions to people, and work without a task.

import { type PageOptions, each } from '../pages.js';
import { type CallOptions, type StartOptions, part } from '../transport.js';
import type { ExecutionProcess, ExecutionRun, ReplyOf, RequestOf } from '../types.js';
import { GitCalls } from './git.js';

export abstract class StuffCalls extends GitCalls {
  listTags(search?: string, options?: CallOptions): Promise<ReplyOf<'listTags'>> {
    return this.get('/api/tags', { search }, options);
  }

  createTag(tag: RequestOf<'createTag'>, options?: CallOptions): Promise<ReplyOf<'createTag'>> {
    return this.post('/api/tags', tag, options);
  }

  getTag(id: string, options?: CallOptions): Promise<ReplyOf<'getTag'>> {
    return this.get(`/api/tags/${part(id)}`, undefined, options);
  }

  updateTag(id: string, updates: RequestOf<'updateTag'>, options?: CallOptions): Promise<ReplyOf<'updateTag'>> {
    return this.put(`/api/tags/${part(id)}`, updates, options);
  }

  deleteTag(id: string, options?: CallOptions): Promise<void> {
    return this.drop(`/api/tags/${part(id)}`, undefined, options);
  }

  /** Templates are the older name of tags. */
  listTaskTemplates(
    filter: { global?: boolean; projectId?: string } = {},
    options?: CallOptions,
  ): Promise<ReplyOf<'listTaskTemplates'>> {
    return this.get('/api/templates', { ...filter }, options);
  }

  createTaskTemplate(
    template: RequestOf<'createTaskTemplate'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'createTaskTemplate'>> {
    return this.post('/api/templates', template, options);
  }

  getTaskTemplate(id: string, options?: CallOptions): Promise<ReplyOf<'getTaskTemplate'>> {
    return this.get(`/api/templates/${part(id)}`, undefined, options);
  }

  updateTaskTemplate(
    id: string,
    updates: RequestOf<'updateTaskTemplate'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'updateTaskTemplate'>> {
    return this.put(`/api/templates/${part(id)}`, updates, options);
  }

  deleteTaskTemplate(id: string, options?: CallOptions): Promise<void> {
    return this.drop(`/api/templates/${part(id)}`, undefined, options);
  }

  /** @param name the file's name, where `file` is a Blob without one */
  uploadImage(file: Blob, name?: string, options?: CallOptions): Promise<ReplyOf<'uploadImage'>> {
    return this.transport.json({ method: 'POST', path: '/api/images/upload', raw: form(file, name) }, options);
  }

  /** Uploads an image and attaches it to a task. */
  uploadTaskImage(
    taskId: string,
    file: Blob,
    name?: string,
    options?: CallOptions,
  ): Promise<ReplyOf<'uploadTaskImage'>> {
    const path = `/api/images/task/${part(taskId)}/upload`;
    return this.transport.json({ method: 'POST', path, raw: form(file, name) }, options);
  }

  getImageFile(id: string, options?: CallOptions): Promise<Blob> {
    return this.transport.blob({ method: 'GET', path: `/api/images/${part(id)}/file` }, options);
  }

  getTaskImages(taskId: string, options?: CallOptions): Promise<ReplyOf<'getTaskImages'>> {
    return this.get(`/api/images/task/${part(taskId)}`, undefined, options);
  }

  deleteImage(id: string, options?: CallOptions): Promise<void> {
    return this.drop(`/api/images/${part(id)}`, undefined, options);
  }

  createApprovalRequest(
    request: RequestOf<'createApprovalRequest'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'createApprovalRequest'>> {
    return this.post('/api/approvals/create', request, options);
  }

  getApprovalStatus(id: string, options?: CallOptions): Promise<ReplyOf<'getApprovalStatus'>> {
    return this.get(`/api/approvals/${part(id)}/status`, undefined, options);
  }

  /** Answers a question; the first answer stands, another one is a conflict. */
  respondToApprovalRequest(
    id: string,
    approved: boolean | RequestOf<'respondToApprovalRequest'>,
    comment?: string,
    options?: CallOptions,
  ): Promise<ReplyOf<'respondToApprovalRequest'>> {
    const body = typeof approved === 'boolean' ? { approved, comment } : approved;
    return this.post(`/api/approvals/${part(id)}/respond`, body, options);
  }

  getPendingApprovals(options?: CallOptions): Promise<ReplyOf<'getPendingApprovals'>> {
    return this.get('/api/approvals/pending', undefined, options);
  }

  /** Work without a task, newest first. */
  listExecutionRuns(projectId?: string, options?: CallOptions): Promise<ReplyOf<'listExecutionRuns'>> {
    return this.get('/api/execution-runs', { project_id: projectId }, options);
  }

  eachExecutionRun(projectId?: string, options?: PageOptions): AsyncGenerator<ExecutionRun, void, undefined> {
    return each(this.transport, '/api/execution-runs', { project_id: projectId }, options);
  }

  createExecutionRun(
    request: RequestOf<'createExecutionRun'>,
    options?: StartOptions,
  ): Promise<ReplyOf<'createExecutionRun'>> {
    return this.start('/api/execution-runs', request, options);
  }

  getExecutionRun(id: string, options?: CallOptions): Promise<ExecutionRun> {
    return this.get(`/api/execution-runs/${part(id)}`, undefined, options);
  }

  /** Deletes a run; with `discard` its branch and snapshots too, and nothing brings them back. */
  deleteExecutionRun(id: string, discard = false, options?: CallOptions): Promise<void> {
    return this.drop(`/api/execution-runs/${part(id)}`, { discard: discard ? true : undefined }, options);
  }

  followUpExecutionRun(
    id: string,
    prompt: string | RequestOf<'followUpExecutionRun'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'followUpExecutionRun'>> {
    const body = typeof prompt === 'string' ? { prompt } : prompt;
    return this.post(`/api/execution-runs/${part(id)}/follow-up`, body, options);
  }

  /** Lets the agent of a run end its turn, without ending the agent. */
  interruptExecutionRun(id: string, options?: CallOptions): Promise<ReplyOf<'interruptExecutionRun'>> {
    return this.post(`/api/execution-runs/${part(id)}/interrupt`, undefined, options);
  }

  async stopExecutionRun(id: string, options?: CallOptions): Promise<void> {
    await this.post(`/api/execution-runs/${part(id)}/stop`, undefined, options);
  }

  /** What was saved of the run's worktree, newest first. */
  listExecutionRunSnapshots(id: string, options?: CallOptions): Promise<ReplyOf<'listExecutionRunSnapshots'>> {
    return this.get(`/api/execution-runs/${part(id)}/snapshots`, undefined, options);
  }

  /** Makes the run's worktree what a snapshot has; what is in it is saved first. */
  restoreExecutionRunSnapshot(
    id: string,
    snapshot: string | RequestOf<'restoreExecutionRunSnapshot'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'restoreExecutionRunSnapshot'>> {
    const body = typeof snapshot === 'string' ? { snapshot } : snapshot;
    return this.post(`/api/execution-runs/${part(id)}/restore`, body, options);
  }

  listExecutionRunProcesses(id: string, options?: CallOptions): Promise<ExecutionProcess[]> {
    return this.get(`/api/execution-runs/${part(id)}/processes`, undefined, options);
  }
}

function form(file: Blob, name: string | undefined): FormData {
  const data = new FormData();
  if (name === undefined) data.append('image', file);
  else data.append('image', file, name);
  return data;
}
